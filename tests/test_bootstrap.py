"""Bootstrap intervals against scipy and by their properties."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from findlib import bootstrap

VALUES = np.random.default_rng(1).random(40)


def test_one_value_a_document_is_scipys_interval():
    low, high = bootstrap.interval(VALUES, range(40), np.random.default_rng(3), 2_000)
    wanted = scipy.stats.bootstrap(
        (VALUES,), np.mean, n_resamples=2_000, method="BCa", rng=np.random.default_rng(3)
    ).confidence_interval
    assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=0.01)


def test_documents_are_drawn_whole():
    """Ten copies of each value tell no more than the value: the interval is the same."""
    once = bootstrap.interval(VALUES, range(40), np.random.default_rng(3))
    tenfold = bootstrap.interval(np.repeat(VALUES, 10), np.repeat(np.arange(40), 10),
                                 np.random.default_rng(3))  # fmt: skip
    assert once == pytest.approx(tenfold)
    naive = bootstrap.interval(np.repeat(VALUES, 10), range(400), np.random.default_rng(3))
    assert naive[1] - naive[0] < 0.5 * (once[1] - once[0])


def test_no_spread_no_interval_and_nan_left_out():
    rng = np.random.default_rng(1)
    assert np.isnan(bootstrap.interval([0, 0, 0], "abc", rng)).all()
    assert np.isnan(bootstrap.interval([1, 0], "aa", rng)).all()
    with_nan = bootstrap.interval([*VALUES, np.nan], range(41), np.random.default_rng(3))
    assert with_nan == bootstrap.interval(VALUES, range(40), np.random.default_rng(3))
    with pytest.raises(ValueError, match="2 documents"):
        bootstrap.interval([1], "ab", rng)


def test_coverage_of_a_known_mean():
    """By construction: 95% intervals of a .3 rate over 60 documents, 300 times."""
    rng = np.random.default_rng(5)
    inside = [
        low <= 0.3 <= high
        for low, high in (bootstrap.interval(rng.random(60) < 0.3, range(60), rng, 499) for _ in range(300))
    ]  # fmt: skip
    assert 0.9 < np.mean(inside) < 0.985


def test_the_same_intervals_whatever_the_workers_and_the_order():
    rows = pd.DataFrame([
        {"model": m, "source": s, "doc_id": f"{s}{i}", "task": float((i * k) % 3 == 0)}
        for k, m in enumerate("ab", start=1) for s in ("X", "Y") for i in range(12)
    ])  # fmt: skip
    one = bootstrap.intervals(rows, ["task"], 7, workers=1, resamples=300)
    four = bootstrap.intervals(rows, ["task"], 7, workers=4, resamples=300)
    pd.testing.assert_frame_equal(one, four)
    turned = bootstrap.intervals(rows[rows.model == "b"], ["task"], 7, resamples=300)
    pd.testing.assert_frame_equal(turned, one[one.model == "b"].reset_index(drop=True))
    other = bootstrap.intervals(rows, ["task"], 8, resamples=300)
    assert not other.low.equals(one.low)
