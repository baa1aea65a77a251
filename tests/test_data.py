"""Loading and validation: every form of input, and one clear error for each kind of bad one."""

import json

import pandas as pd
import pytest

from findlib import data, runs
from findlib.paths import FindlibError, root

ROW = {"doc_id": "d", "text": "Sum 3 = 1 + 1.", "description": "x", "evidence": ["Sum 3", "1 + 1"],
       "error_type": "numeric", "source": "S-EMP"}  # fmt: skip


def write(folder, *rows, name="find.jsonl"):
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_sample_is_what_the_issue_asks_for():
    documents = data.load_find("data/sample")
    assert len(documents) >= 15
    assert len({d.source for d in documents}) == 5
    assert {d.error_type for d in documents} == {"numeric", "non-numeric", "structural"}
    assert all(600 <= len(d.text.split()) <= 2500 for d in documents)
    late = [d for d in documents if d.text.find(d.trigger) > len(d.text) / 2]
    assert 5 <= len(late) <= len(documents) - 5
    for d in documents:
        clean = (root() / "data/sample/originals" / f"{d.doc_id}.md").read_text(encoding="utf-8")
        before, after = clean.splitlines(), d.text.splitlines()
        assert len(before) == len(after)
        assert 1 <= sum(a != b for a, b in zip(before, after, strict=True)) <= 8
        assert d.evidence[-1] == max(d.evidence, key=d.text.find)


@pytest.mark.parametrize(("change", "named"), [
    ({"evidence": ["Sum 4"]}, ["evidence", "Sum 4", "verbatim"]),
    ({"evidence": []}, ["evidence", "at least one"]),
    ({"evidence": ["1 + 1", "Sum 3"]}, ["evidence", "reading order"]),
    ({"evidence": [" "]}, ["evidence"]),
    ({"evidence": "Sum 3"}, ["evidence"]),
    ({"error_type": "typo"}, ["error_type", "numeric"]),
    ({"text": "  "}, ["text", "empty"]),
    ({"doc_id": " "}, ["doc_id"]),
    ({"source": "NYT"}, ["source", "BLS"]),
    ({"colour": 1}, ["colour"]),
    ({"description": "\ud800"}, ["description", "surrogate"]),
    ({"doc_id": 7}, ["doc_id"]),
])  # fmt: skip
def test_bad_field_is_named_with_document_and_mend(tmp_path, change, named):
    with pytest.raises(FindlibError) as error:
        data.load_find(write(tmp_path, {**ROW, **change}))
    for word in named:
        assert word in str(error.value)


def test_bad_lines_are_named(tmp_path):
    for bad in ("{", "[1]", "[" * 100_000):
        with pytest.raises(FindlibError, match="line 2"):
            data.load_find(write(tmp_path, ROW, bad))
    with pytest.raises(FindlibError, match="twice"):
        data.load_find(write(tmp_path, ROW, ROW))
    with pytest.raises(FindlibError, match="no document"):
        data.load_find(write(tmp_path, ""))


def test_bytes_that_are_not_utf8_are_named_and_a_bom_is_accepted(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'{"doc_id": "caf\xe9"}')
    with pytest.raises(FindlibError, match=r"byte 15 is not UTF-8"):
        data.load_find(file)
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(ROW).encode())
    assert data.load_find(file)[0].doc_id == "d"


def test_text_is_never_changed(tmp_path):
    text = "a\r\nb \u2028 c\u00a0d\ufeff\n\n"
    row = {**ROW, "text": text, "evidence": ["b \u2028 c"]}
    assert data.load_find(write(tmp_path, row))[0].text == text


def test_wrong_paths(tmp_path):
    for path in ("no/such/place", tmp_path, write(tmp_path / ".", "x", name="notes.txt")):
        with pytest.raises(FindlibError):
            data.load_find(path)


@pytest.mark.parametrize("key", ["text", "evidence_text", "content", "token", None])
def test_released_set_as_parquet(tmp_path, key):
    """The columns of the gated hub set; spans in any order come out in reading order."""
    texts = ["1 + 1", "Sum 3"]
    row = {"problem_text": ROW["text"], "description": "x", "error_type": "Non_Numeric",
           "evidence_dicts": texts if key is None else [{key: t, "start": 0} for t in texts]}  # fmt: skip
    pd.DataFrame([row, row]).to_parquet(tmp_path / "validation-0.parquet")
    documents = data.load_find(tmp_path)
    assert [d.doc_id for d in documents] == ["validation-0", "validation-1"]
    assert documents[0].evidence == ("Sum 3", "1 + 1")
    assert (documents[0].source, documents[0].error_type) == ("FIND", "non-numeric")
    mapping = tmp_path / "sources.json"
    mapping.write_text(json.dumps({"validation-1": "BLS"}))
    assert [d.source for d in data.load_find(tmp_path, mapping)] == ["FIND", "BLS"]


def test_shards_are_numbered_through(tmp_path):
    row = {"problem_text": ROW["text"], "description": "x", "error_type": "numeric",
           "evidence_dicts": ["Sum 3"]}  # fmt: skip
    for shard in range(2):
        pd.DataFrame([row]).to_parquet(tmp_path / f"test-0000{shard}-of-00002.parquet")
    assert [d.doc_id for d in data.load_find(tmp_path)] == ["test-0", "test-1"]


def test_broken_parquet_and_missing_columns(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(FindlibError, match="parquet"):
        data.load_find(tmp_path)
    pd.DataFrame([{"problem_text": "x"}]).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(FindlibError, match="evidence_dicts"):
        data.load_find(tmp_path)


def test_items_folder(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "before.tex").write_text(ROW["text"])
    (tmp_path / "one" / "after.tex").write_text("Sum 2 = 1 + 1.")
    item = {"id": "one", "document": "one/before.tex", "corrected": "one/after.tex",
            "type": "numeric", "description": "x", "evidence": ["1 + 1", "Sum 3"]}  # fmt: skip
    (tmp_path / "items.json").write_text(json.dumps([item]))
    document = data.load_find(tmp_path)[0]
    assert (document.trigger, document.source) == ("1 + 1", "WILD")
    assert document.corrected == "Sum 2 = 1 + 1."
    (tmp_path / "items.json").write_text(json.dumps([{**item, "document": "../../etc/passwd"}]))
    with pytest.raises(FindlibError, match="leads out"):
        data.load_find(tmp_path)
    for bad in ('[{"id": "x"}]', '[{"id": 1, "document": 5}]', "{}", "[", "[" * 100_000):
        (tmp_path / "items.json").write_text(bad)
        with pytest.raises(FindlibError, match="items.json"):
            data.load_find(tmp_path)


def test_real_documents(shared):
    """18 real documents; NIST-02 has no corrected control, NIST items have one span."""
    documents = data.load_find(shared / "data/documents/wild")
    assert len(documents) == 18
    by_id = {d.doc_id: d for d in documents}
    assert by_id["NIST-02"].corrected == ""
    assert sum(bool(d.corrected) for d in documents) == 17
    assert len(by_id["NIST-01"].evidence) == 1
    for d in documents:
        places = [d.text.find(span) for span in d.evidence]
        assert places == sorted(places)


def test_a_run_keeps_documents_whole(tmp_path):
    documents = data.load_find("data/sample")
    runs.save_documents("r", documents)
    assert runs.documents("r") == documents
    assert data.corpus_sha256(runs.documents("r")) == data.corpus_sha256(documents)


def test_select():
    documents = data.load_find("data/sample")
    assert [d.doc_id for d in data.select(documents, ["mun-02", "emp-01"])] == ["emp-01", "mun-02"]
    assert len(data.select(documents, [], 3)) == 3
    with pytest.raises(FindlibError, match="negative"):
        data.select(documents, [], -1)
    with pytest.raises(FindlibError, match="nope"):
        data.select(documents, ["nope"])
