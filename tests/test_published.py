"""Printed numbers: their data, a run beside them, what follows from what, and the checks."""

import ast
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from findlib import figures, published, rederive, stats, tables
from findlib.paths import FindlibError
from findlib.rederive import (
    consistency,
    gradings,
    lengths,
    responses,
    rows,
    show,
    spread,
    verdict,
)

PACKAGE = Path(published.__file__).parent
SHARED = os.environ.get("FINDLIB_SHARED", "")
shared = pytest.mark.skipif(not SHARED, reason="FINDLIB_SHARED is not set: no papers at hand")


@pytest.fixture(scope="module")
def found():
    return rederive.claims().set_index("id")


@pytest.fixture(scope="module")
def papers():
    return {name: published.printed(name) for name in published.PAPERS}


@pytest.fixture(scope="module")
def owners(papers):
    """The module that makes each claim."""
    return {claim.id: module for paper, modules in rederive.MODULES.items()
            for module in modules for claim in module.claims(papers[paper])}  # fmt: skip


# ---- the printed cells


def test_cells_are_tidy_and_cite_their_place(papers):
    """A property of the three files: a named place and one row a cell."""
    for cells in papers.values():
        assert not cells.duplicated(["table", "part", "row", "column"]).any()
        places = cells.apply(published.where, axis=1)
        assert places.str.match(r"(Table|Section|Appendix|Figure|Abstract|§)").all()
        assert set(cells.columns) == set(published.printed().columns)


@shared
def test_every_cell_of_finds_tables_is_as_transcribed():
    """The transcription that came with the papers, cell by cell."""
    folder = Path(SHARED) / "reference" / "published"
    theirs = pd.concat(pd.read_csv(f, dtype=str) for f in sorted(folder.glob("*.csv")))
    ours = pd.read_csv(PACKAGE / "reference/find.csv", dtype=str)
    pd.testing.assert_frame_equal(
        ours[ours.table.isin(theirs.table)].reset_index(drop=True), theirs.reset_index(drop=True)
    )


@shared
@pytest.mark.parametrize("name", list(published.PAPERS))
def test_every_number_in_running_text_stands_in_the_paper(name):
    """The paper's own text; words and counts that it does not write in digits are listed."""
    text = (Path(SHARED) / "papers" / f"{name}.txt").read_text(encoding="utf-8")
    text = text.replace("800,000", "800000").replace("37,000", "37000").replace("two-thirds", "2/3")
    in_words = {"hours to verify tables", "hours an inconsistency", "missed by the best",
                "inconsistencies in drafts", "novel inconsistencies", "best miss", "novel in all"}  # fmt: skip
    cells = published.table(published.TEXT, name)
    for cell in cells.itertuples():
        digits = str(cell.value)
        small = digits.isdigit() and int(digits) < 10
        assert small or cell.row in in_words or digits in text, (cell.row, digits)


@shared
def test_constructs_table_1_is_as_printed():
    """The paper's own Table 1, line by line."""
    text = (Path(SHARED) / "papers" / "construct.txt").read_text(encoding="utf-8")
    for part, label in (("field accuracy", "Field"), ("document accuracy", "Document")):
        for _, row in published.cells("1", part, "construct").iterrows():
            assert f"| {label} Accuracy | {' | '.join(row)} |" in text


def test_loading_what_is_not_there_says_what_is():
    with pytest.raises(FindlibError, match="known: find, findtheflaws, construct"):
        published.printed("other")
    with pytest.raises(FindlibError, match="no published table 'H.10'; known: 1, 2"):
        published.table("H.10")
    with pytest.raises(FindlibError, match="0 numbers in the text are named 'nothing'"):
        published.said("nothing")


def test_claims_on_what_is_not_there_say_so(papers):
    with pytest.raises(FindlibError, match="no published paper 'other'; known: find"):
        rederive.claims({"other": papers["find"]})
    lacking = papers["find"][papers["find"].table != "H.5"]
    with pytest.raises(FindlibError, match="no published table 'H.5'"):
        rederive.claims({"find": lacking})
    with pytest.raises(FindlibError, match="'five' is no printed number"):
        rederive.claims({"find": changed(papers, "find", "2", "kTok/D", "BLS", "five")})


# ---- a run beside them


def summary(*cells):
    return pd.DataFrame(cells, columns=["model", "source", "mean", "se", "n_scored", "n"])


def test_a_run_beside_printed_scores_by_hand():
    """FIND, Table H.4: gpt-5 87 (3.9) on 75 BLS documents, AVG 64 (6.9) on 375.

    By hand: .80 - .87 = -.07; sqrt(.05^2 + .039^2) = .0634; 1.96 x .0634 = .1243 > .07."""
    ours = summary(("gpt-5", "S-EMP", 0.80, 0.05, 60, 64), ("gpt-5", "AVG", 0.10, 0.05, 60, 64))
    both = published.beside(ours, published.scores("H.4", "task"))
    assert both.published_model.tolist() == ["gpt-5", "gpt-5"]
    assert both.published_n.tolist() == [75, 375]
    assert both.difference.tolist() == pytest.approx([-0.07, -0.54])
    assert both.error[0] == pytest.approx(0.063411, abs=1e-6)
    assert both.within.tolist() == [True, False]
    assert both.n_scored.tolist() == [60, 60]
    assert set(both.compares) == {"same model, other documents"}


def test_a_model_that_is_not_printed_stands_beside_every_printed_one():
    ours = summary(("mine", "BLS", 0.5, float("nan"), 1, 1), ("mine", "OWN", 0.5, 0.1, 9, 9))
    both = published.beside(ours, published.scores("H.9", "task"), same_documents=True)
    assert len(both) == 7  # no published counterpart of the user's own documents
    assert set(both.compares) == {"another model, the same documents"}
    assert both.within.isna().all()  # one document has no error
    assert both.published_n.tolist() == [25] * 7


def test_scores_without_printed_errors_or_sizes():
    cells = published.scores("H.5", "score")
    assert cells.published_se.isna().all()
    assert cells.published_n.isna().all()
    assert cells.published.max() == 0.70  # fractions stay fractions
    assert published.beside(summary(), published.scores("H.4", "task")).empty


# ---- what follows from what


@shared
def test_every_exact_claim_is_reproduced(found):
    """The list of claims that came with the papers, by id."""
    listed = pd.read_csv(Path(SHARED) / "reference" / "derivable.csv").set_index("id")
    assert set(listed.index) <= set(found.index)
    exact = listed.index[listed.verdict.str.contains("exact")]
    assert len(exact) > 40
    assert (found.verdict[exact] == verdict.REPRODUCED).all()
    rounded = listed.index[listed.verdict.str.contains("within rounding")]
    assert (found.verdict[rounded] == verdict.ROUNDING).all()
    assert not found.verdict[listed.index].isin([verdict.FOLLOWS_NOT]).any()


HAND = {  # id: (verdict, what a hand computation from the printed cells gives)
    "T1": ("reproduced", "204; 63; 108"),  # 48+48+40+40+28, 13+14+12+10+14, 14+13+23+25+33
    "T2.kTok/D": ("reproduced", "63.40±89.60"),  # (10+12+63+123+109)/5
    "abs.64": ("reproduced", "241/375 = 64.27%"),  # 65+50+55+32+39 hits
    "H1.13": ("reproduced", "13/2940"),  # 2+2+0+0+2+2+5 of 7 x 420
    "T5.avgP": ("reproduced", "52.54"),  # (65.1+46.2+42.4+65.7+43.3)/5
    "T5.avgU": ("reproduced", "66.60"),  # (69.8+70.8+64.4+74.7+53.3)/5
    "abs.136": ("reproduced", "148-12=136 of 208-12=196"),  # 80+68 of 111+97
    "T5.int": ("reproduced", "BLS [(43, 28, 30)]"),  # 43/25, 28/43, 30/43
    "F2": ("reproduced", "[98]/170; [68]/149"),  # 98/170 = 57.6%, 68/149 = 45.6%
    "F2p": ("reproduced", "0.0336"),
    "F6": ("reproduced", "168/204 = 82.35"),
    "SE.H.4.task": ("reproduced", "55 reproduced with ddof 0"),
    "SE.H.9.task": ("reproduced", "35 reproduced with ddof 0"),
    "SE.H.2.task": ("reproduced", "11 reproduced with ddof 0"),
    "SE.AVG.H.4.task": ("reproduced", "11 reproduced"),
    "SE.AVG.H.9.task": ("reproduced", "7 reproduced"),
    "AVG.4.description": ("reproduced", "11 reproduced"),
    "C.fields.PII": ("reproduced", "Appendix A.2 56"),
    "S1.median": ("consistent", "document 188 of 375 has 30 to 40"),  # 85+56+33 = 174, + 39
    "S5.trunc": ("not derivable", "75"),
    "H3.share": ("does not follow", "0.442%"),  # 13/2940
    "H6.empty": ("does not follow", "2 have a score"),
    "H1.hits": ("does not follow", "10 possible"),
    "H5.R2": ("does not follow", "9 possible"),
    "C.fields.Data": ("does not follow", "Appendix A.4 8"),
    "S71.unmatched": ("needs a reading", "111 + 97"),
}


@pytest.mark.parametrize("name", HAND)
def test_verdicts_by_hand(found, name):
    expected, computed = HAND[name]
    assert found.verdict[name] == expected
    assert computed in found.computed[name]


def test_all_119_printed_task_errors_are_reproduced(found):
    """55 + 35 + 11 of sources, 11 + 7 averages (FIND, Tables H.4, H.9, H.2)."""
    names = [n for n in found.index if n.startswith("SE.") and n.endswith(".task")]
    assert (found.verdict[names] == "reproduced").all()
    assert found.printed[names].str.extract(r"(\d+)")[0].astype(int).sum() == 119


def test_each_doubt_has_its_arithmetic_and_each_verdict_a_name(found):
    assert set(found.verdict) <= set(verdict.VERDICTS)
    doubts = found[found.verdict.isin(["does not follow", "needs a reading"])]
    assert (doubts.arithmetic.str.len() > 20).all()
    assert not found.index.duplicated().any()
    assert (found[["where", "claim", "formula", "printed", "computed"]] != "").all().all()


# numbers of the form of computation: none of them is a value the papers print as a result
STRUCTURAL = {1e-9, 0, 1, 2, 3, 4, 5, 6, 10, 12, 20, 60.0, 100, 0.4, 0.5, 3_000}


@pytest.mark.parametrize("path", sorted((PACKAGE / "rederive").glob("*.py")), ids=lambda p: p.stem)
def test_no_printed_number_is_in_the_code(path):
    """Literals of the modules: only constants of form, and no number hidden in a string."""
    names = {t for p in published.PAPERS for t in published.printed(p).table}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            assert node.value in STRUCTURAL, f"line {node.lineno}: {node.value}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.strip()
            number = text.replace(".", "", 1).replace("%", "").isdigit()
            assert not number or text in names, f"line {node.lineno}: {node.value!r}"


def changed(papers, name, table, column, row, value, part=None, field="value"):
    """The cells of a paper with one of them changed."""
    cells = papers[name].copy()
    at = (cells.table == table) & (cells.column == column) & (cells.row == row)
    at &= (cells.part == part) if part else True
    assert at.sum() == 1
    cells.loc[at, field] = value
    return cells


MUTATIONS = [  # claim, what is changed, verdict after
    ("T1", ("find", "1", "BLS", "Numeric", "47"), "does not follow"),
    ("T2.kTok/D", ("find", "2", "kTok/D", "EMM", "133"), "does not follow"),
    ("T2.kTok/D", ("find", "2", "kTok/D", "FIND", 91.0, "stats", "sd"), "does not follow"),
    ("AVG.4.task", ("find", "4", "AVG", "gpt-5", "66", "task"), "does not follow"),
    ("AVG.4.evidence", ("find", "4", "AVG", "o3", "27", "evidence"), "does not follow"),
    ("T4.H4", ("find", "4", "BLS", "o3", "41", "evidence"), "does not follow"),
    ("SE.H.4.task", ("find", "H.4", "BLS", "o3", 4.3, "task", "stderr"), "does not follow"),
    ("SE.AVG.H.9.task", ("find", "H.9", "AVG", "o3", 9.0, "task", "stderr"), "does not follow"),
    ("SE.bound", ("find", "H.4", "PG", "gemma-3-27b-it", 2.0, "evidence", "stderr"), "does not follow"),
    ("H6.counts", ("find", "H.6", "BLS", "0–10k", "53", "count"), "does not follow"),
    ("H6.w.PG", ("find", "H.6", "PG", "100k", "0.23", "score"), "does not follow"),
    ("T3.valid420", ("find", "3", "Valid", "o3", "98.0"), "does not follow"),
    ("S6.worst94", ("find", "text", "worst valid output", "worst valid output", "95"), "does not follow"),
    ("H1.13", ("find", "H.1", "Duplicates", "o3", "3"), "does not follow"),
    ("H3.share", ("find", "text", "closed duplicates, share", "closed duplicates, share", "0.5"), "reproduced"),
    ("D1.times", ("find", "D.1", "Per Doc", "o3", "1.3m"), "reproduced"),
    ("T5.int", ("find", "5", "BLS", "P", "65.3"), "does not follow"),
    ("T5.avgP", ("find", "5", "AVG", "P", "53.4"), "does not follow"),
    ("abs.136", ("find", "text", "real cs.CL answers", "real cs.CL answers", "137"), "does not follow"),
    ("abs.64", ("find", "text", "best recall", "best recall", "65"), "does not follow"),
    ("S6.spearman", ("find", "text", "rank correlation, highest", "rank correlation, highest", "0.89"), "reproduced"),
    ("H5.avg", ("find", "H.5", "Structural", "gpt-5", "0.60"), "does not follow"),
    ("H5.R2.types", ("find", "H.5", "R2", "sonnet-v4", "0.25"), "does not follow"),
    ("H5.Len", ("find", "H.5", "Len", "gpt-5", "-4.6", "coef"), "does not follow"),
    ("H5.stars", ("find", "H.5", "Len", "gpt-5", "***", "coef", "stars"), "does not follow"),
    ("H1.sizes", ("find", "H.7", "docs", "SEC", "25"), "needs a reading"),
    ("F1", ("findtheflaws", "text", "unreliable questions", "unreliable questions", "98"), "does not follow"),
    ("F2p", ("findtheflaws", "text", "p of the difference", "p of the difference", ".032"), "does not follow"),
    ("F6.twice", ("findtheflaws", "text", "agreement, Surgery", "agreement, Surgery", "82.4"), "reproduced"),
    ("C.fields.Data", ("construct", "text", "fields, Data Table Analysis", "fields, Data Table Analysis", "8"), "reproduced"),
    ("C.bounds", ("construct", "1", "GPT-5", "PII Extraction", "0.999", "field accuracy"), "does not follow"),
    ("C.documents", ("construct", "1", "GPT-5", "Insurance Claims Extraction", "0.001", "document accuracy"), "consistent"),
    ("C.weekday", ("construct", "text", "weekday of the incident", "weekday of the incident", "Friday"), "reproduced"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "expected"), MUTATIONS)
def test_a_changed_cell_changes_the_verdict(papers, found, owners, name, change, expected):
    """A property: the code computes from the cells it is given."""
    cells = changed(papers, *change)
    after = next(claim for claim in owners[name].claims(cells) if claim.id == name)
    assert after.verdict == expected
    before = found.loc[name]
    assert before.verdict != expected or before.computed != after.computed


OPEN = {"gemma-3-12b-it": "gpt-oss-20b", "gemma-3-27b-it": "gpt-oss-120b",
        "gpt-oss-20b": "gemma-3-12b-it", "gpt-oss-120b": "gemma-3-27b-it"}  # fmt: skip


def test_one_exchange_of_rows_mends_three_contradictions(papers):
    """By hand from Tables 1 and H.5: 204 x .06 + 63 x .10 + 108 x .02 = 20.7 hits, which is
    gpt-oss-20b's row of Table 4 (16+2+1+0+2 = 21), not gemma-3-12b-it's (76)."""
    cells = papers["find"].copy()
    at = cells.table.isin(["4", "H.4"]) & (cells.part == "task")
    cells.loc[at, "row"] = cells.row[at].replace(OPEN)
    after = rederive.claims({"find": cells}).set_index("id").verdict
    assert after["H5.avg"] == "reproduced"
    assert (after[["H5.R2", "H1.hits", "H5.R2.types", "H5.Len", "H5.stars"]] == "consistent").all()
    own = rows.row_of(rows.solutions(papers["find"]))
    assert {m: row for m, row in own.items() if m != row} == OPEN


def test_exchanged_rows_in_both_panels_give_the_printed_correlations(papers):
    """FIND, section 6: .86 to .92, computed here by scipy from the exchanged cells."""
    import scipy.stats

    parts = {m: published.values("4", m)[list(rows.sources(papers["find"]))]
             for m in ("evidence", "description", "task")}  # fmt: skip
    for metric in ("description", "task"):
        parts[metric] = parts[metric].rename(OPEN).loc[parts["evidence"].index]
    flat = {m: cells.to_numpy().ravel() for m, cells in parts.items()}
    rho = [scipy.stats.spearmanr(flat[a], flat[b]).statistic
           for a, b in (("evidence", "task"), ("evidence", "description"), ("description", "task"))]  # fmt: skip
    assert [f"{r:.2f}" for r in sorted(rho)] == ["0.86", "0.89", "0.92"]


def test_impossible_cells_of_table_h6_by_hand(papers):
    """One document and 11 models: .67, .23, .44 and .06 are no elevenths; .23 and .06 are no
    share of fewer answers either."""
    cells = lengths.length_grim(papers["find"])
    single = cells[cells.documents == 1].set_index("printed")
    assert single.index.tolist() == ["0.67", "0.23", "0.44", "0.06"]
    assert single.fewer.tolist() == ["6/9", "none", "4/9", "none"]
    assert single.below.tolist() == ["7/11 = 0.636", "2/11 = 0.182", "4/11 = 0.364", "0/11 = 0.000"]
    assert len(cells) == 14


def test_counts_behind_table_5(papers):
    """Each column has one solution; BLS by hand: 43/25 = 1.72, 28/43 = 65.1%, 30/43 = 69.8%."""
    ways = gradings.gradings(papers["find"])
    assert all(len(w) == 1 for w in ways.values())
    assert ways["BLS"] == [(43, 28, 30)]
    assert sum(ways[c][0][0] for c in ("cs.CL Ctrl", "cs.CL Idnt")) == 208


def test_printed_times():
    assert responses.minutes("1h 5m") == (65, 1)
    assert responses.minutes("1.5m") == (1.5, 1)


# ---- the general checks, each with a true and a false example by hand


@given(st.integers(1, 400), st.data())
def test_grim_always_finds_the_count_behind_a_printed_share(n, data):
    """A property: both half conventions print a share that the count is found for."""
    k = data.draw(st.integers(0, n))
    for digits in (0, 1, 2):
        share = Fraction(100 * k, n)
        half_even = f"{float(share):.{digits}f}"
        half_up = str(int(share * 10**digits + Fraction(1, 2)))
        half_up = f"{int(half_up) / 10**digits:.{digits}f}"
        assert k in consistency.counts(half_even, n)
        assert k in consistency.counts(half_up, n)


def test_grim_by_hand():
    """Of 28 values none has a mean of .35: 9/28 = .32, 10/28 = .36 (Brown and Heathers)."""
    assert consistency.counts("0.36", 28, 1) == [10]
    assert consistency.counts("0.35", 28, 1) == []
    assert consistency.counts("2.5", 20) == []  # 0/20 = 0%, 1/20 = 5%
    assert consistency.counts("100", 5) == [5]
    assert consistency.counts_of_fewer("0.67", 4, 1) == [(2, 3)]


def test_errors_of_binary_values_by_hand():
    """65 of 75: sqrt(.8667 x .1333 / 75) = 3.925%; with ddof 1 3.952%."""
    assert consistency.binary_error(65, 75) == pytest.approx(0.039252, abs=1e-6)
    assert consistency.error_counts("87", "3.9", 75) == [65]
    assert consistency.error_counts("87", "4.0", 75) == []
    assert consistency.error_counts("87", "4.0", 75, ddof=1) == [65]


def test_intervals_and_texts():
    assert consistency.interval("-2.6") == pytest.approx((-2.65, -2.55))
    assert consistency.interval("+12.8") == pytest.approx((12.75, 12.85))
    assert consistency.interval(".034") == pytest.approx((0.0335, 0.0345))
    assert consistency.fits("3", 2.5)  # half up
    assert consistency.fits("2", 2.5)  # half even
    assert not consistency.fits("2", 2.6)
    for bad in ("–", "", "n/a", float("nan"), "1e999999999999"):
        with pytest.raises(FindlibError, match="is no printed number"):
            consistency.interval(bad)


def test_sums_means_and_parts_by_hand():
    assert consistency.adds_up(["222", "97"], "319")
    assert not consistency.adds_up(["222", "98"], "319")
    assert consistency.adds_up(["33.3", "33.3", "33.3"], "100")  # whole parts may round
    assert not consistency.adds_up(["33.3", "33.3"], "66.8")
    assert consistency.between("20", ["3", "57"])
    assert not consistency.between("20", ["2", "10"])
    assert consistency.weighted(["10", "20"], [3, 1]) == pytest.approx((12.0, 12.5, 13.0))
    assert consistency.same("7", "7.4")
    assert not consistency.same("7", "7.6")
    assert consistency.rounds_up("3", 2.7, 2.9)
    assert not consistency.rounds_up("1.5", 1.143, 1.286)
    assert consistency.one_value([[(1, 3)], [(2, 4), (9, 9)]]) == (2, 3)
    assert consistency.one_value([[(1, 2)], [(3, 4)]]) is None
    assert consistency.one_value([[(1, 2)], []]) is None


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30))
def test_least_deviation_of_counts_is_never_above_a_real_one(values):
    """A property: whole numbers with a printed mean deviate by at least the bound."""
    bound = spread.least_count_deviation(f"{np.mean(values):.2f}")
    assert bound <= np.std(values) + 1e-9


def test_least_deviation_of_counts_by_hand():
    """Mean 1.5: half ones, half twos, deviation .5; a printed 1.50±0.1 is none."""
    assert spread.least_count_deviation("1.50") == pytest.approx(0.5, abs=1e-4)
    assert spread.least_count_deviation("2") == 0
    assert spread.least_count_deviation("2.004") == pytest.approx(0.0591, abs=1e-3)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_largest_deviation_is_never_below_a_real_one(values):
    bound = spread.most_deviation(f"{np.mean(values):.2f}", 0, 1)
    assert np.std(values) <= bound + 1e-9


@given(st.lists(st.lists(st.floats(0, 100), min_size=2, max_size=8), min_size=2, max_size=5))
def test_pooled_deviation_holds_the_real_one(groups):
    """numpy on the pooled values, from parts rounded to whole numbers and tenths."""
    sizes = [len(g) for g in groups]
    least, _, most = spread.pooled_deviation(
        [f"{np.mean(g):.0f}" for g in groups], [f"{np.std(g):.1f}" for g in groups], sizes
    )
    real = np.std(np.concatenate(groups))
    assert least - 0.11 <= real <= most + 0.11  # a printed 0.0 stands for -.05 to .05


def test_clustered_error_is_that_of_stats():
    """`stats.clustered_standard_error` on the values behind exact group means."""
    ones, sizes = [3, 1, 7], [4, 5, 8]
    values = np.concatenate([[1] * k + [0] * (n - k) for k, n in zip(ones, sizes, strict=True)])
    real = stats.clustered_standard_error(values, np.repeat(["a", "b", "c"], sizes))
    texts = [f"{k / n:.9f}" for k, n in zip(ones, sizes, strict=True)]
    least, middle, most = spread.clustered_error(texts, sizes)
    assert middle == pytest.approx(real)
    assert least <= middle <= most
    low, _, high = spread.clustered_error(["75", "20", "88"], sizes)
    assert low < 100 * real < high


def test_explained_variance_is_that_of_ordinary_least_squares():
    """statsmodels on the single 0/1 values behind the margins."""
    import statsmodels.formula.api as smf

    rng = np.random.default_rng(8)
    sizes = pd.DataFrame(rng.integers(3, 9, (3, 4)), index=list("xyz"), columns=list("abcd"))
    pairs = [(r, c) for r in sizes.index for c in sizes.columns for _ in range(sizes.loc[r, c])]
    data = pd.DataFrame(pairs, columns=["r", "c"])
    data["y"] = (rng.random(len(data)) < 0.4).astype(float)
    fit = smf.ols("y ~ C(r, Treatment('z')) + C(c)", data).fit()
    r2, effects, factors = spread.additive_fit(
        sizes, list(data.groupby("r").y.sum()), list(data.groupby("c").y.sum())
    )
    assert r2 == pytest.approx(fit.rsquared)
    assert effects == pytest.approx(fit.params.iloc[1:3].to_numpy())
    assert factors * fit.scale == pytest.approx(fit.bse.iloc[1:3].to_numpy() ** 2)
    groups = data.groupby("c").y
    share = spread.share_between(list(groups.sum()), list(groups.size()))
    assert share == pytest.approx(smf.ols("y ~ C(c)", data).fit().rsquared)
    assert share <= r2
    assert np.isnan(spread.share_between([0, 0], [3, 3]))


@given(st.lists(st.floats(0, 5), min_size=2, max_size=30))
def test_binned_squares_hold_the_real_ones(values):
    """numpy on the values themselves, told only by bins of width one."""
    counted = np.bincount(np.minimum(np.array(values).astype(int), 4), minlength=5)
    bins = [(i, i + 1) for i in range(5)]
    least, _, most = spread.binned_squares(bins, list(counted))
    assert least - 1e-6 <= np.var(values) * len(values) <= most + 1e-6


# ---- tables and figure


def test_tables_and_figure_are_written_and_the_same_twice(tmp_path, found):
    frame = found.reset_index()
    for folder in (tmp_path / "a", tmp_path / "b"):
        tables.write(show.claims_table(frame), folder)
        tables.write(show.contradictions_table(frame), folder)
        figures.write(show.figure(), folder)
    names = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert len(names) == 10
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    doubts = rederive.contradictions(frame)
    order = doubts.verdict.tolist()
    assert order == sorted(order)  # what does not follow comes before what needs a reading
    assert "H5.avg" in set(doubts.id)


def test_the_figure_shows_both_prints_of_the_open_models():
    values = show.figure().values.set_index("model")
    assert values.table_4["gemma-3-12b-it"] == 20
    assert values.types["gemma-3-12b-it"] == pytest.approx(5.52)
    assert values.types["gpt-oss-20b"] == pytest.approx(20.072)


def test_counts_by_verdict_add_to_all_claims(found):
    counted = rederive.by_verdict(found.reset_index())
    assert counted.to_numpy().sum() == len(found)
    assert list(counted.columns) == list(verdict.VERDICTS)
