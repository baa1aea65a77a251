"""Areas under ROC curves: published values, other programs, hand computations, the bootstrap."""

import numpy as np
import pytest
from sklearn.metrics import auc as trapezoid
from sklearn.metrics import roc_auc_score

from findlib.validation import roc


def test_the_published_rating_data_of_hanley_and_mcneil():
    """Hanley and McNeil (1982), 58 normal and 51 abnormal scans in five ratings.

    Area .893; Stata's manual ([R] roctab) prints .8932, error .0307, [.83295, .95339].
    """
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    scores = [rating for counts in (normal, abnormal) for rating in range(5)
              for _ in range(counts[rating])]  # fmt: skip
    found = roc.auc(scores, [0] * 58 + [1] * 51)
    assert (found.right, found.wrong) == (51, 58)
    assert found.area == pytest.approx(0.8932, abs=5e-5)
    assert found.se == pytest.approx(0.0307, abs=5e-5)
    assert (found.low, found.high) == pytest.approx((0.83295, 0.95339), abs=5e-6)


def test_by_hand():
    """Right .9, .6; wrong .6, .1. Placements 1, 3/4 and 3/4, 1: the area is 7/8, each class's
    variance 1/32, so the error is sqrt(1/32/2 + 1/32/2)."""
    found = roc.auc([0.9, 0.6, 0.6, 0.1], [1, 1, 0, 0])
    assert found.area == 7 / 8
    assert found.se == pytest.approx(np.sqrt(1 / 32))


def made(seed, n=120, levels=12):
    """Two scores with ties on the same items, the second the better one."""
    rng = np.random.default_rng(seed)
    right = rng.random(n) < 0.4
    shared = rng.normal(size=n)
    first = np.round(levels / 4 * (right + shared + rng.normal(size=n)))
    second = np.round(levels / 4 * (1.5 * right + shared + 0.5 * rng.normal(size=n)))
    return first, second, right


def definition(first, second, right):
    """Areas and their covariance from DeLong's definition, pair by pair."""
    kernels = [np.array([[float(x > y) + (x == y) / 2 for y in s[~right]] for x in s[right]])
               for s in (first, second)]  # fmt: skip
    m, n = kernels[0].shape
    over_right = np.cov([k.mean(axis=1) for k in kernels])
    over_wrong = np.cov([k.mean(axis=0) for k in kernels])
    return [k.mean() for k in kernels], over_right / m + over_wrong / n


@pytest.mark.parametrize("seed", range(5))
def test_area_error_and_paired_test_are_those_of_the_definition_and_of_scikit_learn(seed):
    first, second, right = made(seed)
    areas, covariance = definition(first, second, right)
    for i, scores in enumerate((first, second)):
        found = roc.auc(scores, right)
        points = roc.curve(scores, right)
        assert found.area == pytest.approx(areas[i])
        assert found.area == pytest.approx(roc_auc_score(right, scores))
        assert found.area == pytest.approx(trapezoid(points.fpr, points.tpr))
        assert found.se == pytest.approx(np.sqrt(covariance[i, i]))
    difference, p = roc.compare(first, second, right)
    z = (areas[0] - areas[1]) / np.sqrt(covariance.trace() - 2 * covariance[0, 1])
    assert difference == pytest.approx(areas[0] - areas[1])
    from scipy.stats import norm

    assert p == pytest.approx(2 * norm.cdf(-abs(z)))


def test_errors_agree_with_the_bootstrap():
    """Resampling items, and whole documents of three: within 10% of the resamples' spread."""
    first, second, right = made(11, 150)
    documents = np.repeat(np.arange(50), 3)
    first = first + 3 * np.repeat(np.random.default_rng(3).normal(size=50), 3)  # documents differ
    rng = np.random.default_rng(5)
    alone, grouped, differences = [], [], []
    for _ in range(1500):
        some = rng.integers(150, size=150)
        alone.append(roc_auc_score(right[some], first[some]))
        differences.append(alone[-1] - roc_auc_score(right[some], second[some]))
        some = (3 * rng.integers(50, size=50)[:, None] + np.arange(3)).ravel()
        grouped.append(roc_auc_score(right[some], first[some]))
    assert roc.auc(first, right).se == pytest.approx(np.std(alone), rel=0.1)
    assert roc.auc(first, right, documents).se == pytest.approx(np.std(grouped), rel=0.1)
    difference, p = roc.compare(first, second, right)
    from scipy.stats import norm

    assert abs(difference) / norm.isf(p / 2) == pytest.approx(np.std(differences), rel=0.1)


def test_clusters_of_one_change_nothing_and_copies_of_items_add_nothing():
    """A property: every item three times, in a cluster, has the error of the items once; taken
    as independent it would be sqrt 3 smaller."""
    first, _, right = made(2)
    once = roc.auc(first, right)
    assert roc.auc(first, right, range(120)) == once
    thrice = roc.auc(np.repeat(first, 3), np.repeat(right, 3), np.repeat(np.arange(120), 3))
    assert thrice.area == pytest.approx(once.area)
    assert thrice.se == pytest.approx(once.se)
    careless = roc.auc(np.repeat(first, 3), np.repeat(right, 3))
    assert careless.se * 3**0.5 == pytest.approx(once.se, rel=0.02)


def test_only_the_order_counts_and_turned_scores_turn_the_area():
    first, _, right = made(4)
    found = roc.auc(first, right)
    assert roc.auc(np.exp(first), right) == found
    assert roc.auc(-first, right).area == pytest.approx(1 - found.area)
    assert roc.auc(-first, ~right).area == pytest.approx(found.area)


def test_what_is_not_defined_is_nan():
    one = roc.auc([0.1, 0.2, 0.3], [0, 0, 0])
    assert np.isnan([one.area, one.se, one.low, one.high]).all()
    assert (one.right, one.wrong) == (0, 3)
    assert roc.curve([0.1, 0.2], [1, 1]).empty
    assert np.isnan(roc.compare([1, 2], [2, 1], [0, 0])).all()
    nothing = roc.auc([], [])
    assert np.isnan(nothing.area)
    perfect = roc.auc([1, 2, 3, 4], [0, 0, 1, 1])
    assert (perfect.area, perfect.se) == (1, 0)
    assert np.isnan([perfect.low, perfect.high]).all()
    single = roc.auc([1, 2, 3], [0, 1, 0])
    assert single.area == 0.5
    assert np.isnan(single.se)
    together = roc.auc([1, 3, 2, 4], [0, 0, 1, 1], ["d"] * 4)
    assert np.isnan(together.se)
    assert np.isnan(roc.compare([1, 2, 3, 4], [4, 3, 2, 1], [0, 0, 1, 1])[1])


def test_unscored_items_are_left_out_and_lengths_are_checked():
    nan = float("nan")
    found = roc.auc([0.9, nan, 0.6, 0.6, 0.1, nan], [1, 1, 1, 0, 0, 0])
    assert (found.area, found.right, found.wrong) == (7 / 8, 2, 2)
    first, second = [0.9, nan, 0.6, 0.6, 0.1], [0.9, 0.5, 0.6, 0.6, 0.1]
    assert roc.compare(first, second, [1, 1, 1, 0, 0]) == (0.0, 1.0)
    with pytest.raises(ValueError, match="2 scores, 3 judgments"):
        roc.auc([1, 2], [1, 0, 1])
