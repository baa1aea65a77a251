"""Tables against hand counts and the published rows; figures byte by byte; display."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from findlib import (
    beside_tables,
    bootstrap,
    data,
    document_tables,
    example_figures,
    figures,
    find,
    length_tables,
    published,
    regression,
    response_tables,
    score_tables,
    show,
    tables,
)
from findlib.evidence import score_evidence
from findlib.paths import root
from findlib.records import Answer, Document

DOCUMENTS = data.load_find("data/sample")


def test_table_1_counts_and_prints_find_beside_it():
    """FIND, Table 1: 204, 63 and 108 documents by type."""
    table = document_tables.inconsistency_types(DOCUMENTS, "sig")
    own = table.shown[table.shown.origin == "this run"]
    assert own.Total.astype(int).sum() == len(DOCUMENTS)
    printed = table.shown[table.shown.origin == tables.PRINTED]
    assert printed.Total.tolist() == ["204", "63", "108"]
    assert printed["S-MUN / EMM"].tolist() == ["40", "10", "25"]


def test_table_2_by_hand(document):
    """Two spans; positions are first characters over length."""
    table = document_tables.document_statistics([document], "sig")
    row = table.values.iloc[0]
    starts = [document.text.find(span) / len(document.text) for span in document.evidence]
    assert row.spans == 2
    assert row.position == pytest.approx(100 * sum(starts) / 2)
    assert "10±14.8" in table.shown.to_string()  # FIND, Table 2, BLS


def run_tables(models=("a", "b")):
    rows, graded = [], []
    for model in models:
        for i, source in enumerate(["S-EMP", "S-EMP", "S-PRE"]):
            rows.append({"doc_id": f"d{i}", "source": source, "model": model, "status": "ok", "valid": True,
                         "completion_tokens": 500, "seconds": 90.0, "input_tokens_cut": 0, "evidence_cut": 0})  # fmt: skip
            for number in range(2):
                graded.append({"doc_id": f"d{i}", "source": source, "model": model, "answer": number,
                               "status": "ok", "evidence": 0.5, "description": 0.4,
                               "task": float(model == "a" and i < 2), "judge_status": "ok"})  # fmt: skip
    return pd.DataFrame(rows), pd.DataFrame(graded)


def test_table_4_shows_both_readings_n_scored_and_printed_rows():
    responses, grades = run_tables()
    readings = {r: find.scores(responses, grades, r) for r in ("miss", "unscored")}
    table = score_tables.result_scores(readings, "sig", find.failure_notes(responses, grades))
    task = table.shown[(table.shown.metric == "task") & (table.shown.model == "a")]
    assert task.reading.tolist() == ["failures as misses", "scored only"]
    assert task["n scored"].tolist() == ["3 of 3"] * 2
    assert "**100** (0.0)" in task["S-EMP / BLS"].tolist()
    gpt5 = table.shown[(table.shown.metric == "task") & (table.shown.model == "gpt-5")].iloc[0]
    assert (gpt5["S-EMP / BLS"], gpt5["AVG"]) == ("87 (3.9)", "64 (6.9)")  # FIND, Table H.4


def test_table_h1_and_d1_by_hand():
    responses, grades = run_tables()
    duplicates = response_tables.duplicate_hits(responses, grades, "sig")
    assert duplicates.values.duplicates.tolist() == [2, 0]  # both answers of d0 and d1 are hits
    times = response_tables.runtimes(responses, "sig")
    assert times.shown.iloc[0].to_dict() | {} == {
        "model": "a",
        "origin": "this run",
        "Total": "4.5m",
        "Per document": "1.5m",
    }


def test_table_3_by_hand():
    responses, _ = run_tables(("a",))
    answers = pd.DataFrame([{"model": "a", "source": "S-EMP", "doc_id": "d0", "status": s, "evidence": e}
                            for s, e in [("ok", ["one two", "three"]), ("malformed", ["x"])]])  # fmt: skip
    row = response_tables.response_statistics(responses, answers, "sig").values.iloc[0]
    assert (row.valid, row.ktok, row.answers, row.spans, row.tok_span) == (100, 0.5, 1 / 3, 2, 1.5)


def test_published_values_are_as_printed():
    """FIND, Tables 4 and H.4 print the same scores."""
    for part in ("evidence", "description", "task"):
        assert published.values("4", part).equals(published.values("H.4", part))
    with pytest.raises(Exception, match="known"):
        published.table("9")


def test_written_tables_escape_and_carry_the_signature(tmp_path):
    shown = pd.DataFrame([{"a|b": "x_1 & 50% | **", "c": "**7** (1.0)"}])
    table = tables.Table("t", "Title.", shown, shown, "the signature", ("a note",))
    tables.write(table, tmp_path)
    md, tex = ((tmp_path / f"t.{e}").read_text() for e in ("md", "tex"))
    assert r"a\|b" in md
    assert "`the signature`" in md
    assert r"x\_1 \& 50\%" in tex
    assert r"\textbf{7} (1.0)" in tex


DRAW = """
import sys
from pathlib import Path
from findlib import data, example_figures, figures, find_figures
from findlib.evidence import score_evidence
documents = data.load_find("data/sample")
figures.write(find_figures.evidence_positions(documents, "s"), Path(sys.argv[1]))
figures.write(example_figures.examples([(documents[0], "m", None), (documents[6], "m", None)], "s"), Path(sys.argv[1]))
"""


def test_two_processes_draw_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        subprocess.run([sys.executable, "-c", DRAW, str(tmp_path / name)], check=True, cwd=root())
    files = sorted(p.name for p in (tmp_path / "one").iterdir())
    assert len(files) == 8
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), (
            name
        )


def test_overlap_figure_outlines_the_matches(tmp_path):
    predicted, reference = ["ab cd", "zz"], ["ab cd", "zz top"]
    score = score_evidence(predicted, reference, "ab cd zz")
    figure = example_figures.overlap_matrices(score, predicted, reference, "strict")
    assert [len(axis.patches) for axis in figure.drawn.axes] == [2, 2]
    assert figure.values.matched.sum() == 2
    figures.write(figure, tmp_path)
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".csv", ".md", ".pdf", ".png"]


def test_a_figure_of_an_absent_span_draws(tmp_path):
    score = score_evidence(["absent"], ["x"], "x")
    figures.write(example_figures.overlap_matrices(score, ["absent"], ["x"], "strict"), tmp_path)


def test_shown_answers_escape_hostile_content(document):
    hostile = Answer(["rose to 12", "<script>alert(1)</script>"], "<img src=x onerror=alert(1)>")
    text = document.text.replace("Nothing", "<script>alert(2)</script>")
    page = show.answer(hostile, Document("d<b>", text))._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    assert "d&lt;b&gt;" in page
    assert "not in the document" in page
    assert re.search(r"<mark[^>]*>rose to 12</mark>", page)


def test_passages_join_when_near_and_mark_in_reading_order():
    text = "a" * 500 + " first " + "b" * 20 + " second " + "c" * 900 + " third"
    found = show.passages(text, ["third", "second", "first", "absent"])
    assert [len(p.marks) for p in found] == [2, 1]
    assert [text[s:e] for p in found for s, e in p.marks] == ["first", "second", "third"]


def collection():
    """Five FIND sources, a development set, MFR: two models, known hits."""
    rng = np.random.default_rng(1)
    documents, responses, grades = [], [], []
    layout = [(s, "test", 12) for s in ("BLS", "PRE", "SEC", "EMM", "PG")]
    layout += [("BLS", "dev", 5), ("PGS", "dev", 6), ("MFR", "test", 7)]
    for source, split, count in layout:
        for i in range(count):
            name = f"{source}-{split}-{i}"
            kind = ("numeric", "non-numeric", "structural")[i % 3]
            text = f"alpha {i} beta. " * (20 + 9 * i)
            documents.append(Document(name, text, source, "d", ("alpha",), kind, split=split))
            for model in ("a", "b"):
                hit = float(rng.random() < (0.8 if model == "a" else 0.3))
                about = {"doc_id": name, "source": source, "model": model, "status": "ok"}
                responses.append({**about, "valid": True, "completion_tokens": 100 * (i + 1),
                                  "seconds": 1.0, "input_tokens_cut": 0, "evidence_cut": 0})  # fmt: skip
                grades.append({**about, "answer": 0, "evidence": hit / 2, "description": hit,
                               "task": hit, "judge_status": "ok", "evidence_spans": 1})  # fmt: skip
    responses, grades = pd.DataFrame(responses), pd.DataFrame(grades)
    answers = grades.assign(evidence=[["alpha"]] * len(grades), description="d")
    return documents, responses, answers, grades


def test_every_part_gets_its_own_tables_beside_its_own_print():
    """FIND prints test, dev and MFR apart: Tables 4, H.9 and H.2; 2 and H.7; 3 and H.8."""
    documents, responses, answers, grades = collection()
    readings = {r: find.scores(responses, grades, r) for r in ("miss", "unscored")}
    scores = {t.name: t for t in score_tables.by_part(documents, readings, "s")}
    assert list(scores) == ["table_4", "table_H_9", "table_H_2", "table_seen_books"]
    own = {
        n: t.shown[t.shown.reading != tables.PRINTED]
        for n, t in scores.items()
        if n != "table_seen_books"
    }
    assert {n: set(t["n scored"]) for n, t in own.items()} == {
        "table_4": {"60 of 60"}, "table_H_9": {"11 of 11"}, "table_H_2": {"7 of 7"}}  # fmt: skip
    h9 = scores["table_H_9"].shown
    printed = h9[(h9.reading == tables.PRINTED) & (h9.model == "gpt-5") & (h9.metric == "task")]
    assert printed[["BLS", "PGS", "AVG"]].iloc[0].tolist() == ["76 (8.5)", "32 (9.3)", "58 (8.7)"]
    h2 = scores["table_H_2"].shown
    assert "AVG" not in h2
    assert h2[(h2.model == "gpt-5") & (h2.metric == "task")].MFR.tolist() == ["7 (3.7)"]
    names = [t.name for t in document_tables.by_part(documents, "s")]
    assert names == ["table_1", "table_1_dev", "table_1_MFR", "table_2", "table_H_7"]
    names = [t.name for t in response_tables.by_part(documents, responses, answers, grades, "s")]
    assert names == ["table_3", "table_H_1", "table_D_1", "table_H_3", "table_H_8"]


def test_pooling_the_mfr_set_is_a_choice():
    """FIND, Table 3 pools MFR in (375 + 45 = 420): here 60 + 7."""
    documents, responses, answers, grades = collection()
    for pool, count in ((True, 67), (False, 60)):
        found = response_tables.by_part(documents, responses, answers, grades, "s", pool)
        assert found[0].values.n.tolist() == [count, count]
        assert ("pooled in here too" in " ".join(found[0].notes)) == pool
        assert found[1].values.responses.tolist() == [count, count]


def test_response_statistics_carry_standard_errors():
    """By hand: 100 to 1,200 tokens in steps of 100 over 12 documents, five times."""
    documents, responses, answers, grades = collection()
    table = response_tables.by_part(documents, responses, answers, grades, "s", False)[0]
    spread = np.std(np.tile(np.arange(1, 13) / 10, 5)) / np.sqrt(60)
    assert table.values.ktok_se.iloc[0] == pytest.approx(spread)
    assert f"{0.65:.1f}±{spread:.1f}" in (table.shown["kTok/D"].iloc[0], f"0.7±{spread:.1f}")


def test_seen_books_compare_the_two_sets_of_books():
    documents, responses, _, grades = collection()
    scores = find.scores(responses, grades)
    table = score_tables.by_part(documents, {"miss": scores, "unscored": scores}, "s")[-1]
    row = table.values[(table.values.model == "a") & (table.values.metric == "task")].iloc[0]
    assert (row.n_dev, row.n_test) == (6, 12)
    wanted = [scores.task[(scores.model == "a") & (scores.source == s)] for s in ("PGS", "PG")]
    assert row.difference == pytest.approx(wanted[0].mean() - wanted[1].mean())


def test_regression_tables_and_figure_6_of_a_run(tmp_path):
    documents, responses, _, grades = collection()
    test = [d for d in documents if d.split == "test" and d.source != "MFR"]
    scores = find.scores(responses, grades)
    lengths = [3_000 * (i % 12) + 2_000 for i in range(len(test))]
    rows = regression.frame(scores[scores.doc_id.isin([d.doc_id for d in test])], test, lengths)
    table = length_tables.regression_table({"miss": rows, "unscored": rows}, "s")
    wanted = regression.regress(rows[rows.model == "a"]).set_index("term")
    first = table.shown.iloc[0]
    assert first["Len"] == f"{wanted.coefficient['length']:+.1f}{wanted.stars['length']}"
    assert first["n"] == "60"
    gpt5 = table.shown[table.shown.model == "gpt-5"].iloc[0]  # FIND, Table H.5
    assert gpt5.tolist()[2:] == ["0.68", "0.70", "0.54", "-2.6*", "+9.5", "+11.1", "0.13", "375"]
    bins = length_tables.bins_table(rows, "s")
    assert bins.values.documents.sum() == 60
    printed = bins.shown[bins.shown.origin == tables.PRINTED]
    assert printed[["BLS", "EMM"]].iloc[-1].tolist() == ["0", "39: 0.17"]  # FIND, Table H.6
    figure = length_tables.score_by_length(rows, "s")
    mine = figure.values[figure.values.model == "a"]
    assert mine.n.sum() == 60
    total = (mine.task * mine.n).sum() / 60
    assert total == pytest.approx(rows.task[rows.model == "a"].mean())
    lines = [
        line.get_linestyle() for line in figure.drawn.axes[0].lines if len(line.get_xdata()) == 2
    ]
    assert len(lines) == 2
    figures.write(figure, tmp_path)
    robust = length_tables.robust_table(rows, "s")
    assert len(robust.shown) == 6


def test_a_model_without_spread_draws_points_and_no_line():
    documents, responses, _, grades = collection()
    scores = find.scores(responses, grades.assign(task=0.0))
    rows = regression.frame(scores, documents, [1_000] * len(documents))
    table = length_tables.regression_table({"miss": rows}, "s")
    assert table.shown.iloc[0][["Len", "R²"]].tolist() == ["–", "–"]
    figure = length_tables.score_by_length(rows, "s")
    assert not [x for x in figure.drawn.axes[0].lines if x.get_linestyle() in ("--", ":")]


def test_holm_marks_are_shown_beside_bold():
    """By construction: c differs at .05 unadjusted, not after Holm over two comparisons."""
    rows = []
    for i in range(20):
        hits = {"a": 1.0, "b": float(i >= 4), "c": float(i >= 5)}
        rows += [{"model": m, "doc_id": str(i), "source": "SEC", "evidence": v, "description": v, "task": v}
                 for m, v in hits.items()]  # fmt: skip
    scores = pd.DataFrame(rows)
    table = score_tables.result_scores({"miss": scores}, "s")
    cells = table.shown[table.shown.reading != tables.PRINTED].set_index(["metric", "model"])["SEC"]
    p = score_tables.comparisons(scores, ["task"]).set_index("model")
    assert p.p["b"] < 0.05
    assert cells["task", "a"].startswith("**100**")
    assert ("°" in cells["task", "b"]) == (p.p_holm["b"] >= 0.05)
    tests = score_tables.significance(scores, "s")
    assert len(tests.values) == 6


def test_intervals_and_correlations_as_tables():
    _, responses, _, grades = collection()
    scores = find.scores(responses, grades)
    found = bootstrap.intervals(scores, ["evidence", "description", "task"], 1, resamples=200)
    table = score_tables.interval_table(found, scores, "s")
    assert re.fullmatch(r"\d+ \[\d+, \d+\]", table.shown["AVG"].iloc[0])
    correlations = score_tables.correlations(scores, "s")
    printed = correlations.values[correlations.values.origin != "this run"]
    assert (printed.n == 55).all()


def test_beside_says_within_error_and_what_it_compares():
    """Against gpt-5's printed 64 (6.9) of Table H.4 and BLS's 10±14.8 of Table 2."""
    documents, responses, answers, grades = collection()
    scores = find.scores(responses, grades)
    made = [
        *document_tables.by_part(documents, "s"),
        *response_tables.by_part(documents, responses, answers, grades, "s"),
    ]
    table = beside_tables.table(documents, scores, made, "s")
    values = table.values
    assert set(values.printed_in) == {"Table H.4", "Table H.9", "Table H.2", "Table 2", "Table H.7",
                                      "Table 3", "Table H.8"}  # fmt: skip
    row = values.query("printed_in == 'Table H.4' and quantity == 'task' and source == 'AVG' "
                       "and model == 'a' and published_model == 'gpt-5'").iloc[0]  # fmt: skip
    assert (row.published, row.published_se, row.n) == (64, 6.9, 60)
    assert row.difference == pytest.approx(row.this_run - 64)
    assert row.within == (abs(row.difference) <= 1.96 * np.hypot(row.this_se, 6.9))
    assert row.compares == "another model, other documents"
    length = values.query("printed_in == 'Table 2' and quantity == 'kTok/D' and source == 'BLS'")
    assert length.published_se.iloc[0] == pytest.approx(14.8 / np.sqrt(75))  # FIND, Table 2
    assert values.within[values.printed_in == "Table 3"].isna().all()
    named = scores.assign(model=scores.model.replace("a", "gpt-5"))
    same = beside_tables.table(documents, named, [], "s", same_documents=True).values
    mine = same[same.model == "gpt-5"]
    assert set(mine.published_model) == {"gpt-5"}
    assert set(mine.compares) == {"same model, the same documents"}
