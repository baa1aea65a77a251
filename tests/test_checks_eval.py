"""Measuring a reader on insertions, unchanged documents and real cases, with scripted readers.

Expected values are counted by hand on the small documents written here.
"""

import json
import math

import pandas as pd
import pytest

from findlib import checks_eval, checks_judged, checks_tables, data, insert
from findlib.insert.dataset import kind_of
from findlib.paths import FindlibError, root
from findlib.records import Answer, Document

TABLE = "|Wages|4,120|\n|Fuel|1,210|\n|Rent|365|\n|Total|5,695|\n"
TEXT = "The Ashford depot was opened on Friday, June 16, 2023, at ten.\n"


def at(text, *spans, kind="sum", score=0.5):
    """An answer whose evidence stands where the spans first stand."""
    places = tuple((text.index(s), text.index(s) + len(s)) for s in spans)
    return Answer(list(spans), "", score=score, kind=kind, places=places)


def footing(text):
    """A reader that knows one thing: the total of TABLE's rows; and a false alarm before it."""
    alarm = [at(text, "Wages", kind="alarm")] if "Wages" in text else []
    lines = [x.split("|")[1:3] for x in text.splitlines() if x.startswith("|")]
    values = [int(value.replace(",", "")) for _, value in lines]
    if not values or sum(values[:-1]) == values[-1]:
        return alarm
    return [*alarm, at(text, *(value for _, value in lines))]


def test_rank_counts_all_findings_and_those_of_the_unchanged_are_no_hit():
    text = "a 17 of b 29 and c 31"
    found = [at(text, "b"), at(text, "17", "c"), at(text, "31")]
    assert checks_eval.rank(found, text, [(text.index("31"), text.index("31") + 2)]) == 3
    assert checks_eval.rank(found, text, [(2, 4)]) == 2
    assert math.isnan(checks_eval.rank(found, text, [(2, 4)], before=[at("x 17 c", "17", "c")]))
    assert checks_eval.rank(found, text, [(2, 4)], before=[at(text, "17", "c", kind="y")]) == 2
    assert math.isnan(checks_eval.rank(found, text, [(4, 4), (5, 7)]))
    assert math.isnan(checks_eval.rank([], text, [(0, 9)]))


def test_places_of_an_answer_without_places_are_all_occurrences():
    assert checks_judged.places(Answer(["ab"], ""), "ab cab") == [(0, 2), (4, 6)]
    assert checks_judged.places(Answer(["absent"], ""), "ab cab") == []
    assert checks_judged.extent(Answer(["absent"], ""), "ab cab") == (0, 0)


def test_measure_finds_what_the_reader_knows_and_no_more():
    made = [
        insert.inconsistency(TABLE, "leaf", 1, doc_id="t-leaf-1"),
        insert.inconsistency(TABLE, "total", 1, doc_id="t-total-2"),
        insert.inconsistency(TEXT, "date", 1, doc_id="t-date-3"),
    ]
    found = checks_eval.measure(made, footing)
    assert list(found.columns) == ["doc_id", "kind", "layout", "rank", "by"]
    rows = {row.kind: (row.layout, row.rank, row.by) for row in found.itertuples()}
    assert rows["leaf"] == rows["total"] == ("pipe", 2.0, "sum")
    assert rows["date"][::2] == ("", "")
    assert math.isnan(rows["date"][1])


def test_inserted_gives_at_most_n_of_a_kind():
    documents = {"a": TABLE, "b": TABLE.replace("4,120", "4,121").replace("5,695", "5,696")}
    made = checks_eval.inserted({**documents, "c": TEXT}, 2, 5, ["leaf", "total", "date"])
    counts = pd.Series([kind_of(d) for d in made]).value_counts()
    assert counts.to_dict() == {"leaf": 2, "total": 2, "date": 2}
    assert made == checks_eval.inserted({**documents, "c": TEXT}, 2, 5, ["leaf", "total", "date"])


def test_unchanged():
    findings, documents = checks_eval.unchanged({"b": TEXT, "a": TABLE}, footing)
    assert findings.values.tolist() == [["a", 1, "alarm", 1, 6, 0.5]]
    assert documents.doc_id.tolist() == ["a", "b"]
    assert documents.findings.tolist() == [1, 0]
    table = checks_tables.unchanged_table(findings, documents, "by hand")
    assert table.values.values.tolist() == [["alarm", 1, 0.5], ["all", 1, 0.5]]
    none = checks_eval.unchanged({"b": TEXT}, footing)
    assert checks_tables.unchanged_table(*none, "x").values.values.tolist() == [["all", 0, 0.0]]


def test_recall_table():
    found = pd.DataFrame(
        [("a", "leaf", "pipe", 1.0, "sum"), ("b", "leaf", "pipe", 3.0, "sum"),
         ("c", "leaf", "pipe", 9.0, "sum"), ("d", "leaf", "text", math.nan, ""),
         ("e", "date", "pipe", 4.0, "day"), ("f", "date", "", 5.0, "day")],
        columns=["doc_id", "kind", "layout", "rank", "by"],
    )  # fmt: skip
    values = checks_tables.recall_table(found, "by hand").values
    assert values[["kind", "layout", "n", "R@1", "R@3", "R@5"]].values.tolist() == [
        ["leaf", "pipe", 3, 1 / 3, 2 / 3, 2 / 3],
        ["leaf", "text", 1, 0.0, 0.0, 0.0],
        ["date", "", 2, 0.0, 0.0, 1.0],
    ]


def test_wilson_interval_by_its_formula():
    k, n, z = 11, 60, 1.959963984540054
    middle = (k / n + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(k / n * (1 - k / n) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    assert checks_tables.wilson(k, n) == pytest.approx((middle - half, middle + half))
    assert all(map(math.isnan, checks_tables.wilson(0, 0)))


def test_wild_touches_evidence_not_whatever_else_the_authors_changed(tmp_path):
    """Case one: the finding touches; two: it stands where only other words were changed."""
    before = "It cost 17 in May.\nIt cost 19 in all in May.\nThe firm was glad.\n"
    (tmp_path / "a.md").write_text(before, encoding="utf-8")
    (tmp_path / "b.md").write_text(before.replace("19", "17").replace("glad", "sad"))
    item = {"document": "a.md", "corrected": "b.md", "type": "numeric", "description": "17, 19"}
    items = [
        {**item, "id": "one", "evidence": ["It cost 19", "It cost 17"]},
        {**item, "id": "two", "evidence": ["in all"]},
    ]
    (tmp_path / "items.json").write_text(json.dumps(items), encoding="utf-8")
    found = checks_eval.wild(tmp_path, lambda text: [at(text, "glad"), at(text, "17", "19")])
    assert found["rank"].tolist()[0] == 2
    assert math.isnan(found["rank"].tolist()[1])
    assert found.by.tolist() == ["sum", ""]


@pytest.fixture
def findings():
    rows = [(f"d{i % 3}", i, "ab"[i % 2], 10 * i, 10 * i + 5, 0.5) for i in range(20)]
    return pd.DataFrame(rows, columns=["doc_id", "rank", "kind", "start", "end", "score"])


def test_sheet_is_drawn_by_seed_and_holds_no_text(findings):
    drawn = checks_judged.sheet(findings, 8, 1)
    assert list(drawn.columns) == ["doc_id", "kind", "start", "end", "verdict", "why"]
    assert len(drawn) == 8
    assert drawn.equals(checks_judged.sheet(findings, 8, 1))
    assert not drawn.equals(checks_judged.sheet(findings, 8, 2))
    assert len(checks_judged.sheet(findings, 60, 1)) == 20


def test_judgments_and_precision(findings, tmp_path):
    drawn = checks_judged.sheet(findings, 8, 1)
    file = tmp_path / "judgments.csv"
    drawn.assign(verdict=["real"] * 5 + ["not", "unsure", "real"]).to_csv(file, index=False)
    judged = checks_judged.judgments(file)
    kept, unjudged = checks_judged.still(judged, findings)
    assert (len(kept), unjudged) == (8, 12)
    values = checks_tables.precision_table(kept, unjudged, "by hand").values.set_index("kind")
    assert values.loc["all", ["n", "real", "unsure", "precision"]].tolist() == [8, 6, 1, 0.75]
    assert values.drop("all")[["n", "real", "unsure"]].sum().tolist() == [8, 6, 1]
    fewer = findings[findings.doc_id != drawn.doc_id[0]]
    kept, unjudged = checks_judged.still(judged, fewer)
    assert len(kept) == 8 - (drawn.doc_id == drawn.doc_id[0]).sum()
    assert unjudged == len(fewer) - len(kept)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("doc_id,kind,start,end,verdict,why\nd,a,1,2,maybe,x\n", "line 2: verdict 'maybe'"),
        ("doc_id,kind,start,end,verdict,why\nd,a,1,2,,\n", "line 2: verdict ''"),
        ("doc_id,kind,start,end,verdict,why\nd,a,x,2,real,\n", "line 2: start and end"),
        ("doc_id,kind,start,end,why\nd,a,1,2,x\n", "lacks the column verdict"),
    ],
)
def test_bad_judgments(tmp_path, content, message):
    (tmp_path / "j.csv").write_text(content)
    with pytest.raises(FindlibError, match=message):
        checks_judged.judgments(tmp_path / "j.csv")


def test_shown_prints_what_was_drawn(findings):
    documents = {"a": TABLE, "b": TEXT}
    found, _ = checks_eval.unchanged(documents, footing)
    view = checks_judged.shown(checks_judged.sheet(found, 5, 1), documents, footing)
    assert view.startswith("## a ('alarm', 1, 6)")
    assert "'Wages' at 1" in view


def test_the_split_has_every_document_once_and_no_company_twice():
    split = pd.read_csv(root() / "data/checks/split.csv")
    assert len(split) == split.file.nunique() == 54
    assert set(split.part) == {"tune", "held-out"}
    assert (split.groupby("company").part.nunique() == 1).all()
    assert (split.part == "tune").sum() == 33


def test_texts(tmp_path):
    (tmp_path / "split.csv").write_text(
        "file,company,part\na.md,A,tune\nb.md,A,tune\nc.md,C,held-out\n"
    )
    for name, text in (("a.md", "one"), ("b.md", "one"), ("c.md", "two")):
        (tmp_path / name).write_text(text)
    split = tmp_path / "split.csv"
    assert checks_eval.texts("tune", tmp_path, split) == {"a.md": "one"}
    assert checks_eval.texts("held-out", tmp_path, split) == {"c.md": "two"}
    with pytest.raises(FindlibError, match="no part 'test'; use one of tune, held-out"):
        checks_eval.texts("test", tmp_path, split)
    (tmp_path / "c.md").unlink()
    with pytest.raises(FindlibError, match="lacks c.md"):
        checks_eval.texts("held-out", tmp_path, split)


def test_the_split_names_the_shared_documents(shared):
    folder = shared / "data/documents/business"
    named = set(pd.read_csv(root() / "data/checks/split.csv").file)
    assert named == {file.name for file in folder.glob("*.md")}
    assert len(checks_eval.texts("held-out", folder)) <= 21


def test_command(tmp_path, monkeypatch, capsys, scratch):
    """The whole command with the checks replaced by the scripted reader above."""
    from findlib import checks

    monkeypatch.setattr(checks, "find", lambda text, kinds=None: footing(text), raising=False)
    monkeypatch.setattr(checks_eval, "texts", lambda part, folder: {"a.md": TABLE, "b.md": TEXT})
    words = ["--part", "tune", "--n", "2", "--kinds", "leaf", "date", "--sheet", "3"]
    assert checks_eval.main(words) == 0
    printed = capsys.readouterr().out
    assert "| leaf | pipe | 2 | 0.00 | 1.00 | 1.00 |" in printed
    assert "| date |  | 2 | 0.00 | 0.00 | 0.00 |" in printed
    sheet = scratch / "checks" / "judgments.csv"
    filled = tmp_path / "filled.csv"
    filled.write_text(sheet.read_text().replace(",,", ",not,by hand"))
    assert checks_eval.main([*words[:2], "--n", "0", "--judgments", str(filled)]) == 0
    assert "| all | 1 | 0 | 0 | 0.00 |" in capsys.readouterr().out
    assert checks_eval.main([*words[:2], "--judgments", str(tmp_path / "absent.csv")]) == 1
    assert capsys.readouterr().err.startswith("error: no such file")


def test_insertions_of_a_document_and_its_reference_are_scored_the_same_way():
    """A reader that answers with the reference itself is right at rank 1 for every kind."""
    for kind, text in (("leaf", TABLE), ("table_row", TABLE), ("date", TEXT)):
        made = insert.inconsistency(text, kind, 2)
        answer = Answer(list(made.evidence), made.description)
        targets = [insert.changed(made), *data_places(made)]
        assert checks_eval.rank([answer], made.text, targets) == 1


def data_places(document: Document):
    return [(document.text.index(s), document.text.index(s) + len(s)) for s in document.evidence]


def test_wild_cases_load(shared):
    folder = shared / "data/documents/wild"
    found = checks_eval.wild(folder, lambda text: [])
    assert len(found) == len(data.load_find(folder)) == 18
    assert found["rank"].isna().all()
