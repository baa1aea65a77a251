"""The check of annotated data: the sample passes, and every kind of mistake is named once."""

import json
from dataclasses import replace

import pytest

from findlib import annotate, data
from findlib.annotate.annotation_rules import NEAR, SHORT_RANGE, changes, findings
from findlib.records import Document

LEAD = "The committee met in May. " * 4
TEXT = (
    "# Report\n\nSales rose to 12 in the first quarter.\n\n| item | value |\n| --- | --- |\n"
    "| costs | 5 |\n\nThe profit was therefore 8 in the quarter.\n\n" + LEAD + "\n"
)
GOOD = Document(
    "d1", TEXT, "S-EMP", "Sales of 12 less costs of 5 give 7, not the profit of 8 that is stated.",
    ("Sales rose to 12", "| costs | 5 |", "profit was therefore 8"), "numeric", "both", "short",
    corrected=TEXT.replace("therefore 8", "therefore 7"),
)  # fmt: skip


def row(document, **changed):
    fields = {"doc_id": document.doc_id, "source": document.source, "text": document.text,
              "description": document.description, "evidence": list(document.evidence),
              "error_type": document.error_type, "modality": document.modality,
              "scope": document.scope, "corrected": document.corrected}  # fmt: skip
    return {**fields, **changed}


def checked(folder, *rows):
    """The problems of a file with these rows (dicts, or lines as they are)."""
    lines = [r if isinstance(r, str) else json.dumps(r) for r in rows]
    path = folder / "set.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return annotate.check(path)


def test_the_sample_and_a_good_document_have_no_problem(tmp_path):
    assert not annotate.check("data/sample").problems
    assert not checked(tmp_path, row(GOOD)).problems


LONG = replace(GOOD, text=TEXT.replace("\n\nThe profit", "\n\n" + LEAD * 20 + "\n\nThe profit"),
               scope="long", corrected="")  # fmt: skip


@pytest.mark.parametrize(("document", "level", "said"), [
    # "12" stands twice, but only once before the table
    (replace(GOOD, text=TEXT.replace("May. ", "May, 12, ", 1), evidence=("12", "| costs | 5 |",
     "profit was therefore 8")), "", ""),
    (replace(GOOD, evidence=("e", "| costs | 5 |", "profit was therefore 8")), "error",
     "span 'e' stands"),
    (replace(GOOD, evidence=("Sales rose", "rose to 12", "therefore 8")), "error", "overlap"),
    (replace(GOOD, evidence=("Sales rose", "Sales rose")), "error", "overlap or repeat"),
    (replace(GOOD, evidence=("Sales rose to 12 ", *GOOD.evidence[1:])), "warning", "white space"),
    (replace(GOOD, description=""), "error", "description is empty"),
    (replace(GOOD, description=" --- "), "error", "description is empty"),
    (replace(GOOD, description="Profit was, therefore, 8!"), "error", "only repeats evidence"),
    (replace(GOOD, description="Costs: 5. Profit was therefore 8"), "error", "only repeats"),
    (replace(GOOD, description="7, not 8."), "warning", "has only 3 words"),
    (replace(GOOD, modality="image"), "error", "modality 'image' is unknown"),
    (replace(GOOD, modality=""), "warning", "modality is not labelled"),
    (replace(GOOD, modality="text"), "warning", "1 of 3 spans stand in a table; is it 'both'?"),
    (replace(GOOD, modality="table"), "warning", "is it 'both'?"),
    (replace(GOOD, evidence=GOOD.evidence[::2]), "warning", "is it 'text'?"),
    (replace(GOOD, text=TEXT.replace("|", "!"), evidence=GOOD.evidence[::2], corrected=""), "", ""),
    (replace(GOOD, scope="medium"), "error", "scope 'medium' is unknown"),
    (replace(GOOD, scope=""), "warning", "scope is not labelled"),
    (replace(GOOD, split="train"), "error", "split 'train' is unknown"),
    (replace(GOOD, scope="long"), "warning", "is it 'short'?"),
    (LONG, "", ""),
    (replace(LONG, scope="short"), "warning", f"(short: at most {SHORT_RANGE}); is it 'long'?"),
    (replace(GOOD, corrected=TEXT), "error", "corrected version is the text itself"),
    (replace(GOOD, corrected=TEXT.replace("therefore 8", "therefore 8" + " more" * 80)), "warning",
     "differs in 400 characters"),
    (replace(GOOD, text=TEXT + LEAD * 20 + "End.", corrected=TEXT.replace(
        "therefore 8", "therefore 7") + LEAD * 20 + "Fin."), "warning",
     f"1 of 2 changes to the corrected version lie over {NEAR} characters"),
])  # fmt: skip
def test_each_rule_of_one_document(document, level, said):
    """One mistake each in a document without another; "" where there is none."""
    found = list(findings(document))
    assert [f.level for f in found] == ([level] if level else []), found
    assert all(said in f"{f.what}; {f.mend}" for f in found)


def test_spans_may_be_as_long_as_the_user_says():
    document = replace(
        GOOD, evidence=(*GOOD.evidence[:2], TEXT[TEXT.index("profit was") :].strip())
    )
    length = len(document.evidence[-1])
    assert not list(findings(document, longest=length))
    (found,) = findings(document, longest=length - 1)
    assert found.level == "error"
    assert f"has {length} characters, more than {length - 1}" in found.what


def test_every_complaint_of_the_loader_is_listed_with_its_line(tmp_path):
    """What data.load_find would say one at a time, and the lines that are fine go on."""
    found = checked(
        tmp_path,
        row(GOOD),
        "{not json",
        "[1]",
        row(GOOD, doc_id="d2", evidence=["absent one", "Sales rose to 12", "absent two"],
            error_type="maths", source="XX"),
        row(GOOD, doc_id="d3", evidence="Sales", text=5),
        row(GOOD, doc_id="d4", evidence=list(GOOD.evidence[::-1])),
        row(GOOD, doc_id="d1"),
        row(GOOD, doc_id="d5", text=" "),
        row(GOOD, doc_id="d6", evidence=[]),
        "",
        row(GOOD, doc_id="d\ud800"),
    )  # fmt: skip
    told = [(p.line, p.level, p.what) for p in found.problems if p.line != 7]
    expected = [
        (2, "not JSON"), (3, "not a JSON object"),
        (4, "source: 'XX' is unknown"), (4, "error_type: 'maths' is unknown"),
        (4, "evidence: span 'absent one' is not verbatim"),
        (4, "evidence: span 'absent two' is not verbatim"),
        (5, "text: Input should be"), (5, "evidence: Input should be"),
        (6, "evidence: spans are not in reading order"),
        (8, "text: is empty"), (9, "evidence: is empty"), (11, "doc_id: "),
    ]  # fmt: skip
    assert [(line, level) for line, level, _ in told] == [(line, "error") for line, _ in expected]
    for (_, _, what), (_, begin) in zip(told, expected, strict=True):
        assert what.startswith(begin), (what, begin)
    assert [p.what for p in found.problems if p.line == 7] == ["doc_id: occurs twice"]
    assert [d.doc_id for d in found.documents] == ["d1"]
    for problem in found.problems:
        line = str(problem)
        assert line.encode().decode() == line
        assert "\n" not in line
        assert line.startswith(f"{tmp_path}/set.jsonl:{problem.line}: ")
        assert problem.mend


def test_what_the_loader_accepts_has_no_error_of_the_format(tmp_path, document):
    """A property: the lines that the check lets pass are those that data.load_find loads."""
    for changed in ({}, {"source": "XX"}, {"evidence": ["no"]}, {"modality": 3}, {"more": 1}):
        found = checked(tmp_path, row(document, **changed))
        try:
            loaded = data.load_find(tmp_path / "set.jsonl")
        except data.FindlibError:
            loaded = []
        assert found.documents == loaded


def test_documents_that_are_there_twice(tmp_path):
    again = replace(GOOD, doc_id="d2", text=TEXT.replace(" ", "  "))
    spans = [span.replace(" ", "  ") for span in GOOD.evidence]
    rows = [row(GOOD), row(again, evidence=spans, corrected=""), row(GOOD, doc_id="d3"),
            row(GOOD, doc_id="d4", evidence=list(GOOD.evidence[::2]))]  # fmt: skip
    found = {p.doc_id: (p.level, p.what) for p in checked(tmp_path, *rows).problems
             if "text" in p.what}  # fmt: skip
    assert found == {"d2": ("warning", "the text is that of 'd1'"),  # but for blanks
                     "d3": ("error", "text and evidence are those of 'd1'"),
                     "d4": ("warning", "the text is that of 'd1'")}  # fmt: skip


def test_documents_that_share_most_of_their_long_lines(tmp_path):
    """Two of three are most, one of two is not; lines under 50 characters do not count."""
    lines = [f"Line {n} of a report that nobody has written until the day of this test.\n"
             for n in "abcdef"]  # fmt: skip
    texts = [lines[0] + lines[1], "".join(lines[:3]), lines[2] + lines[3]]
    rows = [row(GOOD, doc_id=str(n), text=TEXT.replace(LEAD, "") + text, corrected="")
            for n, text in enumerate(texts)]  # fmt: skip
    (found,) = checked(tmp_path, *rows).problems
    assert (found.doc_id, found.level) == ("1", "warning")
    assert found.what == "2 of 3 long lines stand in '0', too"


def test_originals_beside_the_file_are_the_corrected_versions(tmp_path):
    folder = tmp_path / "own"
    (folder / "originals").mkdir(parents=True)
    (folder / "originals" / "d1.md").write_text(TEXT)
    (folder / "find.jsonl").write_text(json.dumps(row(GOOD, corrected="")))
    (found,) = annotate.check(folder).problems
    assert "the text itself" in found.what
    assert found.file.endswith("find.jsonl")


def test_other_forms_are_checked_through_the_loader(tmp_path):
    folder = tmp_path / "items"
    folder.mkdir()
    (folder / "a.md").write_text(TEXT)
    item = {"id": "a", "document": "a.md", "type": "numeric", "description": GOOD.description,
            "evidence": list(GOOD.evidence[::-1])}  # fmt: skip
    (folder / "items.json").write_text(json.dumps([item]))
    found = annotate.check(folder)
    assert [d.evidence for d in found.documents] == [GOOD.evidence]
    assert {p.what for p in found.problems} == {
        "modality is not labelled",
        "scope is not labelled",
    }
    (folder / "items.json").write_text("[]")
    (problem,) = annotate.check(folder).problems
    assert (problem.level, problem.line) == ("error", 0)
    assert "holds no document" in problem.what + problem.mend


def test_changes_by_hand():
    assert changes("same", "same") == []
    assert changes("a b c", "a x b c") == [(2, 4, 2)]  # put in
    assert changes("a x b c", "a b c") == [(2, 2, 2)]  # taken out
    assert changes("rose 12 and fell 15\n", "rose 13 and fell 25\n") == [(6, 7, 1), (17, 18, 1)]
    assert changes("", "new") == [(0, 3, 3)]


def test_changes_rebuild_nothing_but_what_differs():
    """A property on the sample: outside the places named, text and original agree."""
    documents = data.load_find("data/sample")
    folder = data.source("data/sample/originals")
    for document in documents:
        original = (folder / f"{document.doc_id}.md").read_text()
        found = changes(original, document.text)
        kept = document.text
        for start, end, _ in reversed(found):
            kept = kept[:start] + "\0" + kept[end:]
        at = 0
        for piece in kept.split("\0"):
            at = original.index(piece, at) + len(piece)
        assert 0 < len(found) < 6


def test_the_command_lists_problems_then_table_1_and_fails_on_errors(tmp_path, capsys):
    checked(tmp_path, row(GOOD), row(GOOD, doc_id="d2", scope=""))
    path = str(tmp_path / "set.jsonl")
    assert annotate.main(["check", path]) == 1
    out = capsys.readouterr().out
    assert f"{path}:2: d2: error: text and evidence are those of 'd1'; keep one" in out
    assert "| numeric | this run | 2 | 2 |" in out
    assert "| numeric | FIND, as printed | 48 | 204 |" in out
    assert out.endswith("2 documents checked: 1 errors, 1 warnings\n")
    checked(tmp_path, row(GOOD, scope=""))
    assert annotate.main(["check", path]) == 0
    assert annotate.main(["check", path, "--strict"]) == 1
    assert annotate.main(["check", path, "--longest", "5"]) == 1
    checked(tmp_path, "")
    assert annotate.main(["check", path]) == 1
    assert annotate.main(["check", str(tmp_path / "none")]) == 1
    assert "no such file" in capsys.readouterr().err
    (tmp_path / "set.jsonl").write_bytes(b"\xff\xfe")
    assert annotate.main(["check", path]) == 1
    assert "is not UTF-8" in capsys.readouterr().err


def test_the_real_documents_have_no_error(shared):
    """18 documents whose spans and corrected versions are their authors' own."""
    found = annotate.check(shared / "data/documents/wild")
    assert len(found.documents) == 18
    assert not found.errors
