"""Tables against hand counts and the published rows; figures byte by byte; display."""

import re
import subprocess
import sys

import pandas as pd
import pytest

from findlib import data, figures, find, find_tables, published, show, tables
from findlib.evidence import score_evidence
from findlib.paths import root
from findlib.records import Answer, Document

DOCUMENTS = data.load_find("data/sample")


def test_table_1_counts_and_prints_find_beside_it():
    """FIND, Table 1: 204, 63 and 108 documents by type."""
    table = find_tables.inconsistency_types(DOCUMENTS, "sig")
    own = table.shown[table.shown.origin == "this run"]
    assert own.Total.astype(int).sum() == len(DOCUMENTS)
    printed = table.shown[table.shown.origin == find_tables.PRINTED]
    assert printed.Total.tolist() == ["204", "63", "108"]
    assert printed["S-MUN / EMM"].tolist() == ["40", "10", "25"]


def test_table_2_by_hand(document):
    """Two spans; positions are first characters over length."""
    table = find_tables.document_statistics([document], "sig")
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
    table = find_tables.result_scores(readings, "sig", find.failure_notes(responses, grades))
    task = table.shown[(table.shown.metric == "task") & (table.shown.model == "a")]
    assert task.reading.tolist() == ["failures as misses", "scored only"]
    assert task["n scored"].tolist() == ["3 of 3"] * 2
    assert "**100** (0.0)" in task["S-EMP / BLS"].tolist()
    gpt5 = table.shown[(table.shown.metric == "task") & (table.shown.model == "gpt-5")].iloc[0]
    assert (gpt5["S-EMP / BLS"], gpt5["AVG"]) == ("87 (3.9)", "64 (6.9)")  # FIND, Table H.4


def test_table_h1_and_d1_by_hand():
    responses, grades = run_tables()
    duplicates = find_tables.duplicate_hits(responses, grades, "sig")
    assert duplicates.values.duplicates.tolist() == [2, 0]  # both answers of d0 and d1 are hits
    times = find_tables.runtimes(responses, "sig")
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
    row = find_tables.response_statistics(responses, answers, "sig").values.iloc[0]
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
from findlib import data, figures
from findlib.evidence import score_evidence
documents = data.load_find("data/sample")
figures.write(figures.evidence_positions(documents, "s"), Path(sys.argv[1]))
figures.write(figures.examples([(documents[0], "m", None), (documents[6], "m", None)], "s"), Path(sys.argv[1]))
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
    figure = figures.overlap_matrices(score, predicted, reference, "strict")
    assert [len(axis.patches) for axis in figure.drawn.axes] == [2, 2]
    assert figure.values.matched.sum() == 2
    figures.write(figure, tmp_path)
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".csv", ".md", ".pdf", ".png"]


def test_a_figure_of_an_absent_span_draws(tmp_path):
    score = score_evidence(["absent"], ["x"], "x")
    figures.write(figures.overlap_matrices(score, ["absent"], ["x"], "strict"), tmp_path)


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
