"""Statistics against the printed standard errors of FIND, statsmodels and scipy."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm

from findlib import published, stats

SIZES = {
    "H.4": dict.fromkeys(["BLS", "PRE", "SEC", "EMM", "PG"], 75),
    "H.9": {"BLS": 25, "PRE": 25, "SEC": 26, "EMM": 24, "PGS": 25},
    "H.2": {"task": 45},
}


def hits(percent, n):
    """The 0/1 values behind a printed percentage of n documents."""
    return [1] * round(float(percent) * n / 100) + [0] * (n - round(float(percent) * n / 100))


def task_cells(table):
    cells = published.table(table)
    return cells[cells.metric == "task"]


def test_all_101_printed_task_standard_errors_per_source():
    """FIND, Tables H.2, H.4, H.9: every per-source task standard error, to its decimal."""
    checked = 0
    for table, sizes in SIZES.items():
        for cell in task_cells(table).itertuples():
            n = sizes.get(cell.column) or (45 if table == "H.2" else None)
            if n is None:
                continue
            error = 100 * stats.standard_error(hits(cell.value, n))
            assert f"{error:.1f}" == f"{float(cell.stderr):.1f}", cell
            checked += 1
    assert checked == 101


def test_all_18_printed_average_standard_errors():
    """FIND, Tables H.4 and H.9: clustered over sources without a small-sample factor."""
    checked = 0
    for table in ("H.4", "H.9"):
        for model, cells in task_cells(table).groupby("row"):
            values, clusters = [], []
            for source, n in SIZES[table].items():
                values += hits(cells.set_index("column").value[source], n)
                clusters += [source] * n
            printed = cells.set_index("column").loc["AVG"]
            assert f"{100 * np.mean(values):.0f}" == printed.value, model
            error = 100 * stats.clustered_standard_error(values, clusters)
            assert f"{error:.1f}" == f"{float(printed.stderr):.1f}", (table, model)
            checked += 1
    assert checked == 18


def test_clustered_standard_error_against_statsmodels():
    """Another implementation: OLS on a constant, cluster covariance, no correction."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(6), [5, 9, 3, 12, 7, 4])
    values = rng.normal(size=40) + 0.3 * clusters
    fit = sm.OLS(values, np.ones(40)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}, use_t=True
    )
    assert stats.clustered_standard_error(values, clusters) == pytest.approx(fit.bse[0])
    p = stats.clustered_paired_test(values, np.zeros(40), clusters)
    assert p == pytest.approx(fit.pvalues[0])


def test_paired_t_test_against_scipy_and_its_edges():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=30), rng.normal(0.3, 1, size=30)
    assert stats.paired_t_test(a, b) == pytest.approx(scipy.stats.ttest_rel(a, b).pvalue)
    assert stats.paired_t_test(a, a) == 1
    assert stats.paired_t_test([1, 1, 1], [0, 0, 0]) == 0
    assert np.isnan(stats.paired_t_test([1], [0]))
    assert stats.paired_t_test([1, 2, np.nan], [2, 2, 0]) == pytest.approx(
        scipy.stats.ttest_rel([1, 2], [2, 2]).pvalue
    )


def test_nan_is_left_out_and_nothing_gives_nan():
    assert stats.standard_error([1, 0, np.nan]) == stats.standard_error([1, 0])
    assert np.isnan(stats.standard_error([np.nan]))
    assert np.isnan(stats.clustered_standard_error([], []))
    assert np.isnan(stats.clustered_standard_error([1, 0], ["a", "a"]))
    with pytest.raises(ValueError, match="clusters"):
        stats.clustered_standard_error([1], [])


def table(scores):
    rows = [
        {"model": m, "doc_id": f"{s}{i}", "source": s, "task": v}
        for m, by_source in scores.items()
        for s, values in by_source.items()
        for i, v in enumerate(values)
    ]
    return pd.DataFrame(rows)


def test_bold_is_the_top_model_and_those_not_significantly_different():
    """By construction: b loses one document of ten (p = .34), c loses eight (p < .001)."""
    ones, nine, two = [1] * 10, [1] * 9 + [0], [1] * 2 + [0] * 8
    scores = table({"c": {"A": two}, "b": {"A": nine}, "a": {"A": ones}})
    found = stats.against_top(scores, "task")
    assert set(found.model[found.bold]) == {"a", "b"}
    assert not stats.against_top(scores.assign(task=np.nan), "task").bold.any()


def test_summary_weighs_documents_equally():
    """By hand: AVG of 2 hits of 2 and 0 of 1 is 2/3."""
    summary = stats.summary(table({"a": {"A": [1, 1], "B": [0]}}), "task").set_index("source")
    assert summary["mean"].to_dict() == pytest.approx({"A": 1, "B": 0, "AVG": 2 / 3})
    assert summary.n_scored.to_dict() == {"A": 2, "B": 1, "AVG": 3}
    assert summary.se["AVG"] == pytest.approx(np.sqrt((2 / 3) ** 2 + (2 / 3) ** 2) / 3)


def test_holm_against_the_definition():
    """By hand: .01 x 3, then max of .02 x 2 and the one before, then .5."""
    assert stats.holm([0.5, 0.01, np.nan, 0.02]) == pytest.approx(
        [0.5, 0.03, np.nan, 0.04], nan_ok=True
    )
    assert np.isnan(stats.holm([np.nan])).all()


def test_holm_never_shortens_the_set_that_is_not_different():
    """A property: adjusted p are never smaller."""
    rng = np.random.default_rng(6)
    scores = table({m: {"A": rng.random(25) < rate} for m, rate in
                    [("a", 0.9), ("b", 0.7), ("c", 0.6), ("d", 0.2)]})  # fmt: skip
    found = stats.against_top(scores.assign(task=scores.task.astype(float)), "task")
    assert (found.p_holm >= found.p)[found.p.notna()].all()
    assert (found.bold_holm | ~found.bold).all()
    assert found.n_pairs[found.model != "a"].tolist() == [25] * 3
    p = scipy.stats.ttest_rel(
        scores.task[scores.model == "a"].astype(float),
        scores.task[scores.model == "d"].astype(float),
    ).pvalue
    assert found.p.iloc[3] == pytest.approx(p)


def test_spearman_between_the_printed_metrics():
    """FIND, section 6: over model x source of Table 4, all p < .001, the smallest .86.

    The printed largest, .92, does not follow from the printed cells (see 90_published)."""
    cells = published.table("4")
    cells = cells[cells.column != "AVG"].assign(value=cells.value.astype(float))
    order = cells.groupby(["part", "column"]).cumcount()  # rows without a name: by position
    wide = cells.assign(order=order).pivot_table(
        index=["order", "column"], columns="part", values="value"
    )
    found = stats.spearman(wide, ["evidence", "description", "task"])
    assert (found.n == 55).all()
    assert f"{found.rho.min():.2f}" == "0.86"
    assert (found.p < 0.001).all()
    assert stats.spearman(wide.assign(task=0.0), ["evidence", "task"]).rho.isna().all()


def test_two_sample_against_scipy():
    rng = np.random.default_rng(7)
    a, b = rng.random(25), rng.random(75)
    difference, p = stats.two_sample([*a, np.nan], b)
    assert difference == pytest.approx(a.mean() - b.mean())
    assert p == pytest.approx(scipy.stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert np.isnan(stats.two_sample([0, 0], [0, 0, 0])[1])
    assert np.isnan(stats.two_sample([], [1])).all()
