"""The regression of Table H.5 and Table H.6 on data whose answer is known."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from findlib import published, regression
from findlib.records import ERROR_TYPES, Document

COUNTS = published.values("1", "counts")[["BLS", "PRE", "SEC", "EMM", "PG"]]
LEVELS = {"BLS": 70.0, "PRE": 45.0, "SEC": 35.0, "EMM": 30.0, "PG": 33.0}
TRUE = {"length": -2.6, "numeric": 12.0, "non-numeric": 10.0}
KTOK = {"BLS": 10, "PRE": 12, "SEC": 63, "EMM": 123, "PG": 109}  # FIND, Table 2


def synthetic(rng, noise):
    """375 documents with Table 1's types by source and a score that the coefficients make."""
    rows = []
    for source in COUNTS:
        for kind in ERROR_TYPES:
            for _ in range(int(COUNTS.loc[kind.capitalize(), source])):
                tokens = min(int(1000 * KTOK[source] * rng.lognormal(-0.3, 0.8)), 105_000)
                score = LEVELS[source] + TRUE["length"] * tokens / 10_000 + TRUE.get(kind, 0)
                rows.append({"model": "m", "doc_id": str(len(rows)), "source": source,
                             "error_type": kind, "tokens_read": tokens,
                             "task": (score + noise * rng.normal()) / 100})  # fmt: skip
    return pd.DataFrame(rows)


def coefficients(found):
    return found.set_index("term").coefficient.to_dict()


def test_known_coefficients_come_back_exactly_without_noise():
    """By construction: -2.6 per 10k tokens, +12 and +10 against structural."""
    data = synthetic(np.random.default_rng(1), 0.0)
    assert len(data) == 375
    for covariance in regression.COVARIANCES:
        found = regression.regress(data, covariance)
        assert coefficients(found) == pytest.approx(TRUE)
        assert found.r2.iloc[0] == pytest.approx(1)
        assert found.n.iloc[0] == 375


def test_intervals_cover_the_truth_95_times_in_100():
    """By construction; 300 draws with the spread of a 0/1 score: 95% within 3.8 points."""
    rng, inside = np.random.default_rng(2), []
    for _ in range(300):
        found = regression.regress(synthetic(rng, 45.0)).set_index("term")
        reach = 1.9666 * found.se  # t, 367 degrees of freedom
        inside.append((found.coefficient - pd.Series(TRUE)).abs() <= reach)
    coverage = pd.DataFrame(inside).mean()
    assert ((coverage > 0.912) & (coverage < 0.988)).all(), coverage


def test_reference_level_and_unit_change_nothing_but_the_form():
    """Algebra: against numeric, structural is -12 and non-numeric -2; per 1k a tenth."""
    data = synthetic(np.random.default_rng(3), 30.0)
    base = regression.regress(data).set_index("term")
    other = regression.regress(data, reference="numeric", per_tokens=1_000).set_index("term")
    numeric, conceptual = base.coefficient["numeric"], base.coefficient["non-numeric"]
    assert other.coefficient["structural"] == pytest.approx(-numeric)
    assert other.coefficient["non-numeric"] == pytest.approx(conceptual - numeric)
    assert other.coefficient["length"] == pytest.approx(base.coefficient["length"] / 10)
    assert other.p["length"] == pytest.approx(base.p["length"])
    assert other.r2.iloc[0] == pytest.approx(base.r2.iloc[0])


def test_covariances_against_statsmodels_by_hand():
    """Another way to the same: a design matrix built here, fitted by statsmodels."""
    data = synthetic(np.random.default_rng(4), 30.0)
    design = pd.DataFrame({
        "const": 1.0, "length": data.tokens_read / 10_000,
        "numeric": (data.error_type == "numeric") * 1.0,
        "non-numeric": (data.error_type == "non-numeric") * 1.0,
        **{s: (data.source == s) * 1.0 for s in ("PRE", "SEC", "EMM", "PG")},
    })  # fmt: skip
    groups = pd.factorize(data.source)[0]
    wanted = {
        "nonrobust": {},
        "HC3": {"cov_type": "HC3", "use_t": True},
        "cluster": {"cov_type": "cluster", "cov_kwds": {"groups": groups}, "use_t": True},
    }
    for covariance, options in wanted.items():
        fit = sm.OLS(100 * data.task, design).fit(**options)
        found = regression.regress(data, covariance).set_index("term")
        for term in TRUE:
            assert found.se[term] == pytest.approx(fit.bse[term]), (covariance, term)
            assert found.p[term] == pytest.approx(fit.pvalues[term], abs=1e-12)
        assert found.r2.iloc[0] == pytest.approx(fit.rsquared)


def test_what_the_data_cannot_tell_is_nan():
    data = synthetic(np.random.default_rng(5), 30.0)
    assert regression.regress(data.assign(task=0.0)).coefficient.isna().all()
    assert regression.regress(data[:2]).coefficient.isna().all()
    assert regression.regress(data.assign(task=np.nan)).n.iloc[0] == 0
    same = regression.regress(data.assign(tokens_read=5)).set_index("term").coefficient
    assert np.isnan(same["length"])
    assert not np.isnan(same["numeric"])
    one = data[data.source == "SEC"]
    assert np.isnan(regression.regress(one, "cluster").se).all()
    assert not np.isnan(regression.regress(one).se).any()
    for wrong in ({"covariance": "HC0"}, {"reference": "other"}):
        with pytest.raises(ValueError, match="known"):
            regression.regress(data, **wrong)


def test_frame_clips_the_length_and_bins_do_not():
    """Table H.6's last bin is 100k and more; what was read ends at the input limit."""
    documents = [Document(str(i), "t", "SEC", error_type="numeric") for i in range(3)]
    scores = pd.DataFrame({"model": "m", "doc_id": ["0", "1", "2"], "source": "SEC",
                           "task": [1.0, 0.0, np.nan]})  # fmt: skip
    rows = regression.frame(scores, documents, [9_999, 10_000, 250_000], limit=105_000)
    assert rows.tokens_read.tolist() == [9_999, 10_000, 105_000]
    bins = regression.by_length(rows)
    assert bins.bin.tolist() == [0, 1, 10]
    assert bins.n_scored.tolist() == [1, 1, 0]
    assert [regression.bin_label(b) for b in bins.bin] == ["0–10k", "10–20k", "≥100k"]


def test_printed_type_labels_fit_these_stars():
    """Table H.5: a mark is printed exactly where |coefficient| is large against its error;
    the marks themselves are those of `stars`, e.g. *** below .001."""
    printed = published.table("H.5")
    marks = set(printed.stars.dropna())
    assert marks == {"*", "**", "***"}
    assert {regression.stars(p) for p in (0.04, 0.004, 0.0004)} == marks
