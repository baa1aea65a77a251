"""Contamination: the real infini-gram package and Bloom filter; a scripted server for faults."""

import json
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from findlib import contamination, data
from findlib.cache import Cache
from findlib.client import ATTEMPTS, CannotContinue
from findlib.contamination import (
    NOT_SEEN,
    SEEN,
    UNKNOWN,
    corpora,
    indexing,
    infinigram,
    localindex,
    lookup,
    portrait,
)
from findlib.contamination.lookup import Count, LookupFailed, Service
from findlib.paths import FindlibError
from findlib.records import Document

INDEX = "v4_rpj_llama_s4"
LINE = "The committee reported that nonfarm payroll employment rose by 12,000."
LOGIC = "The committee AND the board reported that payroll employment rose by 12,000."
TOLD = {"count": 7, "approx": False, "latency": 0.7, "token_ids": [1, 2], "tokens": ["a", "b"]}


@pytest.fixture(scope="module")
def sample():
    return data.load_find("data/sample")


@pytest.fixture(scope="module")
def cases(sample):
    return contamination.known_cases(sample)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, cases):
    """A local index and portrait of the texts of every other sample document."""
    out = tmp_path_factory.mktemp("local") / "half; of the sample"  # a shell would stumble
    indexing.build([d.text for d in cases["in it"]], out)
    return out


@pytest.fixture
def service(server):
    return Service(server.base_url, interval=0, sleep=lambda _: None)


def by_server(service, **more):
    return corpora.Corpus("c", INDEX, "api", lambda line: infinigram.count(line, INDEX, service, **more))  # fmt: skip


def document(text, name="d"):
    return Document(name, text)


# ---- lines


def test_lines_are_sampled_with_a_seed_and_stand_where_they_are_said_to(sample):
    for doc in sample:
        for seed in range(5):
            drawn = contamination.lines(doc.text, seed)
            assert drawn == contamination.lines(doc.text, seed)
            assert len({line.text for line in drawn}) == 5
            assert drawn == sorted(drawn, key=lambda line: line.offset)
            for line in drawn:
                assert len(line.text) > 50
                assert doc.text[line.offset : line.offset + len(line.text)] == line.text
                assert doc.text.splitlines()[line.number - 1].strip() == line.text
    draws = {tuple(x.number for x in contamination.lines(sample[0].text, s)) for s in range(20)}
    assert len(draws) > 15  # 53,130 ways to draw 5 of 25


def test_every_long_line_is_drawn_equally_often(sample):
    """5 of 25 lines: each in a fifth of the draws; 4 standard deviations for 2,000 draws."""
    numbers = [x.number for s in range(2000) for x in contamination.lines(sample[0].text, s)]
    counts = np.unique(numbers, return_counts=True)[1]
    assert len(counts) == len(contamination.long_lines(sample[0].text)) == 25
    assert np.abs(counts - 400).max() < 4 * np.sqrt(2000 * 0.2 * 0.8)


def test_what_counts_as_a_long_line():
    """By hand: 50 characters are not more than 50; rules hold no letter; repeats count once."""
    text = "\n".join(["a" * 50, "b" * 51, "   " + "c" * 51 + "\t", "|---" * 20, "_" * 60, "b" * 51])
    for end in ("\n", "\r\n"):
        found = contamination.long_lines(text.replace("\n", end))
        assert [(line.number, line.text[0]) for line in found] == [(2, "b"), (3, "c")]
    assert contamination.lines("", 1) == []
    assert len(contamination.lines(text, 1)) == 2


# ---- the local index


def brute(texts, wanted):
    """Occurrences by trying every place."""
    return sum(text.startswith(wanted, i) for text in texts for i in range(len(text)))


def test_the_package_counts_as_brute_force_does(folder, cases):
    texts = [d.text for d in cases["in it"]]
    index = localindex.open_index(folder)
    assert index.by.startswith("infini-gram 2")
    draw = random.Random(7)
    wanted = ["the ", "—", " AND ", "aa", "zzzq", texts[0], texts[0] + texts[1]]
    for _ in range(60):
        text, size = draw.choice(texts), draw.choice([1, 2, 3, 5, 8, 20])
        at = draw.randrange(len(text) - size)
        wanted.append(text[at : at + size])
    for piece in wanted:
        assert index.count(piece).count == brute(texts, piece), piece
    assert index.count(texts[0]).count == 1
    assert index.count(texts[0] + texts[1]).count == 0  # never over the end of a document


def test_without_the_package_the_texts_are_read_through(folder, cases, tmp_path, monkeypatch):
    """Counts as the package does; occurrences that overlap count."""
    with_package = localindex.open_index(folder)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    index = localindex.open_index(folder)
    assert index.by.startswith("scan")
    for piece in ["the", "—", "zzzq", *(x.text for x in contamination.lines(cases["in it"][3].text, 1))]:  # fmt: skip
        assert index.count(piece) == with_package.count(piece)
    about = indexing.build(["a" * 60], tmp_path / "bare")
    assert about.counted_by == "scan"
    assert "table.0" not in about.sizes
    assert localindex.open_index(tmp_path / "bare").count("a" * 50).count == 11


def test_one_part_gives_the_table_that_the_packages_own_indexing_gives(folder, tmp_path):
    """Under a low limit on open files, and through a path that holds a blank and a semicolon."""
    target = tmp_path / "a b; c"
    target.mkdir()
    for name in ("tokenized.0", "offset.0"):
        (target / name).write_bytes((folder / name).read_bytes())
    code = "import sys; from pathlib import Path; from findlib.contamination import indexing; indexing._index_in_parts(Path(sys.argv[1]), 1)"  # fmt: skip
    limited = f'ulimit -n 64; exec "{sys.executable}" -c "{code}" "{target}"'
    subprocess.run(["bash", "-c", limited], check=True)
    assert (target / "table.0").read_bytes() == (folder / "table.0").read_bytes()


def test_repeated_texts_are_indexed_in_seconds(tmp_path, sample):
    """The package's merge takes minutes for this; the known count is a multiple."""
    texts = [sample[0].text] * 60
    started = time.monotonic()
    indexing.build(texts, tmp_path / "i")
    assert time.monotonic() - started < 15
    line = contamination.lines(sample[0].text, 1)[0].text
    assert localindex.open_index(tmp_path / "i").count(line).count == 60


def test_same_corpus_same_bytes(folder, cases, tmp_path):
    indexing.build([d.text for d in cases["in it"]], tmp_path / "again")
    names = sorted(p.name for p in folder.iterdir())
    assert names == sorted(p.name for p in (tmp_path / "again").iterdir())
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_a_corpus_of_files(tmp_path, capsys, scratch):
    corpus = tmp_path / "corpus"
    (corpus / "sub").mkdir(parents=True)
    (corpus / "b.txt").write_text("\ufeffBy text file: " + "é" * 60)
    (corpus / "a.md").write_text("# In markdown\n\n" + "m" * 60)
    (corpus / "empty.txt").write_text("  \n")
    (corpus / "skipped.pdf").write_bytes(b"\xff\xfe")
    rows = [{"text": "row one " * 9, "id": 1}, {"text": ""}, {"text": "row two " * 9}]
    (corpus / "sub" / "c.jsonl").write_text("\n".join(json.dumps(r) for r in rows) + "\n\n")
    assert [t[:7] for t in indexing.texts(corpus)] == ["# In ma", "By text", "row one", "row two"]
    assert indexing.main([str(corpus), "ix"]) == 0
    assert "4 texts" in capsys.readouterr().out
    index = localindex.open_index(scratch / "ix")
    assert [index.count(x).count for x in ("é" * 59, "row", "m" * 60, "nothing")] == [2, 18, 1, 0]
    assert indexing.main([str(corpus / "b.txt"), "one", "--stride", "50"]) == 0
    assert [c.backend[:8] for c in corpora.open_corpora(["one"])] == ["infini-g", "portrait"]


@pytest.mark.parametrize(("name", "content", "says"), [
    ("a.txt", b"fine\n\xff\xfe", r"a\.txt: byte 5 is not UTF-8"),
    ("a.jsonl", b'{"text": "fine"}\n{"text": "\xff"}\n', r"a\.jsonl, line 2: Invalid JSON"),
    ("a.jsonl", b'\n{"content": "x"}\n', r"a\.jsonl, line 2: Field required"),
    ("a.jsonl", b"[1]\n", r"a\.jsonl, line 1"),
    ("a.txt", b" \n", "holds no text"),
    ("a.txt", b"short", "50 characters"),
    ("a.pdf", b"x", r"holds no \.txt, \.md, \.jsonl file"),
])  # fmt: skip
def test_a_bad_corpus_is_one_line_and_leaves_nothing(tmp_path, capsys, name, content, says):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / name).write_bytes(content)
    with pytest.raises(FindlibError, match=says):
        indexing.build(corpus, tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["corpus"]
    assert indexing.main([str(corpus), str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_huge_single_line(tmp_path):
    """3 MB without a line feed; the place of a piece is known by construction."""
    draw = random.Random(1)
    line = "".join(draw.choices("abcdefgh ", k=3_000_000))
    (tmp_path / "c.txt").write_text(line)
    indexing.build(tmp_path / "c.txt", tmp_path / "i", stride=50)
    found = contamination.check([document(line)], corpora.open_corpora([tmp_path / "i"]), 1)
    assert list(found["count"]) == [1, 1]
    assert list(found.n_lines_found) == [1, 1]
    assert localindex.open_index(tmp_path / "i").count(line[1_000_000:1_000_060]).count == 1


def test_parameters_that_cannot_work_are_refused_at_once(tmp_path, monkeypatch):
    for wrong in ({"mem": 0}, {"stride": 0}, {"rate": 2.0}):
        with pytest.raises(FindlibError, match="not enough|are needed"):
            indexing.build(["x" * 60], tmp_path / "ix", **wrong)
    monkeypatch.setitem(sys.modules, "rbloom", None)
    with pytest.raises(FindlibError, match=r"pip install 'findlib\[contamination\]'"):
        indexing.build(["x" * 60], tmp_path / "ix")
    assert list(tmp_path.iterdir()) == []


def test_only_an_index_is_replaced(tmp_path, folder):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("x")
    for name in ("mine", "file"):
        with pytest.raises(FindlibError, match="holds no index; name another folder"):
            indexing.build(["x" * 60], tmp_path / name)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"
    indexing.build(["x" * 60], tmp_path / "ix")
    indexing.build(["y" * 70], tmp_path / "ix")
    assert localindex.open_index(tmp_path / "ix").count("y" * 60).count == 11
    with pytest.raises(FindlibError, match="50 characters"):
        indexing.build(["short"], tmp_path / "ix")
    (tmp_path / "other.txt").write_text("z" * 60)
    with pytest.raises(FindlibError, match="holds an index of 'texts'; name another"):
        indexing.build(tmp_path / "other.txt", tmp_path / "ix")
    assert localindex.open_index(tmp_path / "ix").count("y" * 60).count == 11  # stays as it was


BUILD = """
import sys
from pathlib import Path
from findlib.contamination import indexing
print("started", flush=True)
indexing.build(["".join(chr(97 + i * i % 17) for i in range(3_000_000))], Path(sys.argv[1]))
"""


def test_a_killed_build_leaves_no_index_and_the_next_one_clears_up(tmp_path):
    out = tmp_path / "ix"
    process = subprocess.Popen([sys.executable, "-c", BUILD, str(out)], stdout=subprocess.PIPE)
    waited = time.monotonic() + 60
    while not (tmp_path / ".ix.partial" / "offset.0").exists() and time.monotonic() < waited:
        time.sleep(0.01)
    with pytest.raises(FindlibError, match="being built by another process"):
        indexing.build(["x" * 60], out)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with pytest.raises(FindlibError, match="holds no index"):
        localindex.open_index(out)
    with pytest.raises(FindlibError, match="holds no index"):
        localindex.open_index(tmp_path / ".ix.partial")
    indexing.build(["x" * 60], out)
    assert localindex.open_index(out).count("x" * 60).count == 1
    assert [p.name for p in tmp_path.iterdir()] == ["ix"]


def test_a_damaged_index_is_refused_before_the_engine_sees_it(tmp_path):
    indexing.build(["x" * 600], tmp_path / "ix")
    table = tmp_path / "ix" / "table.0"
    table.write_bytes(table.read_bytes()[:-3])
    with pytest.raises(FindlibError, match=r"table\.0: missing or cut off"):
        corpora.open_corpora([tmp_path / "ix"])
    (tmp_path / "ix" / "index.json").write_text("{}")
    with pytest.raises(FindlibError, match="holds no index"):
        corpora.open_corpora([tmp_path / "ix"])


# ---- the portrait


def random_text(seed, size):
    return "".join(random.Random(seed).choices("abcdefghijklmnopqrstuvwxyz ", k=size)).strip()


@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001])
def test_false_positives_come_at_the_stated_rate(rate):
    """100,000 windows that are not in it, none of which the filter should know: a binomial
    count, 5 standard deviations up; not below half, for then it would waste space."""
    made = portrait.build(lambda: [random_text(1, 200_000)], rate=rate)
    other = portrait.normal(random_text(2, 110_000))
    tries = [other[i : i + 50] in made for i in range(100_000)]
    allowed = 5 * np.sqrt(rate * (1 - rate) / 100_000)
    assert rate / 2 < np.mean(tries) < rate + allowed
    assert made.bloom.size_in_bits / made.windows < 1.5 * np.log2(1 / rate) + 1  # ~1.44 by theory


def test_no_line_of_the_corpus_is_missed_at_stride_one(sample):
    made = portrait.build(lambda: [d.text for d in sample])
    for doc in sample:
        for line in contamination.long_lines(doc.text):
            found = portrait.presence(line.text, made)
            assert (found.count, found.miss) == (1, 0)
            assert found.overlap == len(portrait.normal(line.text))


@pytest.mark.parametrize(("length", "share"), [(51, 2 / 50), (72, 23 / 50), (98, 49 / 50), (99, 1), (160, 1)])  # fmt: skip
def test_what_a_portrait_of_stride_50_can_tell(length, share):
    """By hand: of the 50 ways a line can lie, length - 49 hold a whole window."""
    text = random_text(3, 5_200).replace(" ", "_")
    made = portrait.build(lambda: [text], stride=50, rate=1e-6)
    found = [portrait.presence(text[i : i + length], made) for i in range(5_000)]
    assert np.mean([f.count for f in found]) == share
    assert [f.miss for f in found] == pytest.approx([max(0.0, 1 - (length - 49) / 50)] * 5_000)


def test_a_line_changed_in_its_middle_is_absent_with_the_overlap_told():
    """By hand: 200 characters, the 101st changed: 100 before it and 99 after it match."""
    text = random_text(4, 3_000).replace(" ", "_")
    made = portrait.build(lambda: [text])
    line = text[1000:1100] + "#" + text[1101:1200]
    found = portrait.presence(line, made)
    assert (found.count, found.overlap) == (0, 100)
    assert portrait.presence(text[1000:1200], made).count == 1


def test_a_portrait_is_the_same_in_another_process_and_from_its_file(tmp_path):
    made = portrait.build(lambda: [random_text(5, 9_000)], stride=10, rate=0.02)
    first = portrait.save(made, tmp_path / "a.portrait")
    code = (
        "import random, sys; from pathlib import Path; from findlib.contamination import portrait\n"
    )
    code += "t = ''.join(random.Random(5).choices('abcdefghijklmnopqrstuvwxyz ', k=9000)).strip()\n"
    code += "portrait.save(portrait.build(lambda: [t], stride=10, rate=0.02), Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "b.portrait")], check=True)
    assert first.read_bytes() == (tmp_path / "b.portrait").read_bytes()
    again = portrait.load(first)
    assert again.bloom == made.bloom
    assert (again.width, again.stride, again.rate, again.windows) == (50, 10, 0.02, made.windows)
    content = first.read_bytes()
    for damaged in (content[:-1], content[:-1] + b"\x00\x00", b"", b"{}\n" + content, content[40:]):
        first.write_bytes(damaged)
        with pytest.raises(FindlibError, match="make it again"):
            portrait.load(first)
    with pytest.raises(FindlibError, match="No such file"):
        portrait.load(tmp_path / "none")


@pytest.mark.parametrize("wrong", [{"stride": 0}, {"stride": 51}, {"rate": 0}, {"rate": 1.0}])
def test_portrait_parameters_out_of_range(wrong):
    with pytest.raises(FindlibError, match="are needed"):
        portrait.build(lambda: ["x" * 60], **wrong)


# ---- verdicts


def test_known_cases_have_their_verdicts(folder, cases, sample):
    """In the index, altered in every line, not in it; what is where is checked by `in`."""
    texts = [d.text for d in cases["in it"]]
    opened = corpora.open_corpora([folder])
    assert sum(map(len, cases.values())) == 30
    for name, documents in cases.items():
        for seed in (1, 2, 3):
            found = contamination.check(documents, opened, seed)
            assert set(contamination.verdicts(found).verdict) == {contamination.EXPECTED[name]}
            assert len(found) == len(documents) * 5 * 2
        by_id = {d.doc_id: d.text for d in documents}
        for row in found.itertuples():
            line = by_id[row.doc_id][int(row.offset) : int(row.offset + row.length)]
            wanted = sum(brute([text], line) for text in texts)
            assert row.count == (min(wanted, 1) if row.index == "portrait" else wanted)
            assert (wanted > 0) == (name == "in it")


def test_altered_changes_one_character_in_each_line(sample):
    for doc in sample:
        changed = contamination.altered(doc.text)
        for old, new in zip(doc.text.splitlines(), changed.splitlines(), strict=True):
            assert sum(a != b for a, b in zip(old, new, strict=True)) == bool(old)


def fixed(*counts, miss=0.0, approx=False):
    """A corpus that answers in turn."""
    left = list(counts)
    return corpora.Corpus(
        "fixed", "i", "b", lambda line: left.pop(0) if isinstance(left[0], Count) else
        Count(left.pop(0), len(line), "t", approx, miss=miss))  # fmt: skip


TEXT = "\n".join(f"line {i} " + "abc " * 15 for i in range(5))
NAN = float("nan")


@pytest.mark.parametrize(("counts", "more", "verdict"), [
    ([0, 0, 0, 0, 0], {}, NOT_SEEN),
    ([0, 0, 3, 0, 0], {}, SEEN),
    ([0, lookup.failed("x", "t", "time-out"), 0, 0, 0], {}, UNKNOWN),
    ([0, lookup.failed("x", "t", "time-out"), 1, 0, 0], {}, SEEN),
    ([0, 0, 0, 0, 0], {"approx": True}, UNKNOWN),  # an estimate of 0 is no 0
    ([0, 0, 0, 0, 2], {"approx": True}, SEEN),
    ([0, 0, 0, 0, 0], {"miss": 0.5}, NOT_SEEN),  # .5 ** 5 = .031 by hand
    ([0, 0, 0, 0, 0], {"miss": 0.6}, UNKNOWN),  # .6 ** 5 = .078
])  # fmt: skip
def test_verdicts_by_hand(counts, more, verdict):
    report = contamination.check([document(TEXT)], [fixed(*counts, **more)], 1)
    row = contamination.verdicts(report).iloc[0]
    assert (row.verdict, row.checked, row.n_lines_found) == (verdict, 5, 5)
    parts = contamination.by_corpus(report).iloc[0]
    assert np.isnan(parts.occurrences) == any(isinstance(c, Count) for c in counts)
    assert row.seen_in == ("fixed" if verdict == SEEN else "")


def test_one_corpus_that_has_a_line_or_leaves_it_open_decides():
    zeros = [0] * 5
    bad = [lookup.failed("x", "t", "gone")] * 5
    for others, verdict in (([zeros], NOT_SEEN), ([bad], UNKNOWN), ([bad, [1] * 5], SEEN)):
        opened = [corpora.Corpus(f"c{i}", "i", "b", fixed(*c).count) for i, c in enumerate([zeros, *others])]  # fmt: skip
        report = contamination.check([document(TEXT)], opened, 1)
        assert contamination.verdicts(report).verdict.tolist() == [verdict]
        assert len(contamination.by_corpus(report)) == len(opened)


def test_documents_with_few_or_no_long_lines_are_counted_not_cleared(folder):
    few, none, empty = document("x" * 51 + "\n" + "y" * 60, "few"), document("short\n", "none"), document("", "empty")  # fmt: skip
    report = contamination.check([few, none, empty], corpora.open_corpora([folder]), 1)
    table = contamination.verdicts(report).set_index("doc_id")
    assert table.n_lines_found.to_dict() == {"few": 2, "none": 0, "empty": 0}
    assert table.checked.to_dict() == {"few": 2, "none": 0, "empty": 0}
    assert table.verdict.to_dict() == {"few": NOT_SEEN, "none": UNKNOWN, "empty": UNKNOWN}
    lost = report[report.doc_id != "few"]
    assert set(lost.status) == {"no line"}
    assert lost["count"].isna().all()
    assert "no line of more than 50" in lost.error.iloc[0]
    shown = contamination.table(report, "s")
    assert "1 not seen, 2 unknown" in shown.notes[0]
    assert "2 lines, 0 without an answer" in shown.notes[1]


def test_the_table_shows_lines_found_of_lines_answered(folder, cases):
    documents = cases["in it"][:1] + cases["not in it"][:1]
    made = contamination.table(
        contamination.check(documents, corpora.open_corpora([folder]), 1), "signature"
    )
    assert made.name == "table_contamination"
    assert made.shown.iloc[0].tolist()[3:] == [5, "5/5", "5/5", SEEN]
    assert made.shown.iloc[1].tolist()[3:] == [5, "0/5", "0/5", NOT_SEEN]
    assert len(made.values) == 4


def test_corpora_of_the_same_name_are_refused(folder, tmp_path):
    """Their lines would be counted together."""
    indexing.build(["x" * 60], tmp_path / folder.name)
    with pytest.raises(FindlibError, match="two corpora are called"):
        corpora.open_corpora([folder, tmp_path / folder.name])
    one_file = corpora.open_corpora([folder, folder, tmp_path / folder.name / "corpus.portrait"])
    assert len(one_file) == 3


@pytest.mark.parametrize(("names", "says"), [
    ([], "olmo-2-32b, dolma-1.7, redpajama, pile"), (["nowhere"], "no corpus 'nowhere'"),
])  # fmt: skip
def test_unknown_corpora_are_one_line(names, says):
    with pytest.raises(FindlibError, match=says):
        corpora.open_corpora(names)


def test_the_papers_corpora_and_their_public_names():
    """FIND, Appendix G names four; the index names are the API's documentation's."""
    opened = corpora.open_corpora(corpora.CORPORA)
    assert [c.name for c in opened] == ["OLMo-2-0325-32B-Instruct", "Dolma-v1.7", "RedPajama", "Pile"]  # fmt: skip
    assert opened[3].index == "hosted portrait"
    assert "substitute" in opened[3].substitute.name
    used = [c.index for c in opened[:3]] + [opened[3].substitute.index]
    assert used == ["v4_olmo-2-0325-32b-instruct_llama", "v4_dolma-v1_7_llama", "v4_rpj_llama_s4", "v4_piletrain_llama"]  # fmt: skip
    assert set(used) <= set(infinigram.INDEXES)


# ---- the public API, behind a server that misbehaves


def test_a_count_and_what_was_sent_for_it(server, service):
    server.default = (200, TOLD, {})
    found = infinigram.count(LINE, INDEX, service)
    assert (found.count, found.approx, found.error) == (7, False, "")
    assert found.tokenizer == "meta-llama/Llama-2-7b-hf (by the API)"
    sent = LINE.partition(" ")[2]
    assert server.requests[0][0] == {"index": INDEX, "query_type": "count", "query": sent}
    assert found.asked == len(sent)
    infinigram.count(LINE, INDEX, service, whole=True)
    assert server.requests[1][0]["query"] == LINE


def test_nothing_is_asked_twice_and_no_failure_is_stored(server, service):
    server.script = [(200, {"error": "Internal hiccup"}, {}), (200, TOLD, {})]
    again = Service(server.base_url, interval=0)
    counts = [infinigram.count(LINE, INDEX, s).count for s in (service, service, again)]
    assert np.isnan(counts[0])
    assert counts[1:] == [7, 7]
    assert len(server.requests) == 2


def test_an_error_body_with_status_200_is_a_failure_not_a_zero(server, service):
    server.default = (200, {"error": "Please limit your input to <= 500 tokens!"}, {})
    report = contamination.check([document(TEXT)], [by_server(service)], 1)
    assert report["count"].isna().all()
    assert set(report.status) == {"failed"}
    assert "limit your input" in report.error[0]
    assert contamination.verdicts(report).verdict.tolist() == [UNKNOWN]
    assert len(server.requests) == 5  # a refusal is not sent again, nor does it end the run


def test_approximate_counts_are_told(server, service):
    server.default = (200, {**TOLD, "approx": True}, {})
    assert infinigram.count(LINE, INDEX, service).approx is True
    server.default = (200, {"count": 3}, {})
    assert infinigram.count(LINE + " More.", INDEX, service).approx is None  # does not say


@pytest.mark.parametrize("first", [
    (429, {"error": "slow down"}, {"retry-after": "7"}), (503, "busy", {}), "drop",
    (500, {"error": "[Flask] Web request timed out. Please try again later."}, {}),
    (200, {"error": "Internal server error: x"}, {}),
])  # fmt: skip
def test_passing_errors_are_asked_again(server, first):
    waits = []
    service = Service(server.base_url, interval=0, sleep=lambda s: waits.append(s) if s else None)
    server.script = [first]
    server.default = (200, TOLD, {})
    assert infinigram.count(LINE, INDEX, service).count == 7
    assert len(server.requests) == 2
    assert len(waits) == 1
    assert waits[0] == 7 if first[0] == 429 else 0 < waits[0] < 10


def test_errors_that_stay_are_failures_and_then_the_end(server, service):
    server.default = (500, {"error": "broken"}, {})
    first = infinigram.count(LINE, INDEX, service)
    assert np.isnan(first.count)
    assert "500 broken" in first.error
    assert len(server.requests) == ATTEMPTS
    infinigram.count(LINE + "2", INDEX, service)
    with pytest.raises(CannotContinue, match=r"no answer 3 times in a row.*500 broken.*are kept"):
        infinigram.count(LINE + "3", INDEX, service)


def test_a_time_out_is_a_failure(server):
    slow = server.server.RequestHandlerClass
    slow.do_POST = lambda self: time.sleep(1.0)
    service = Service(server.base_url, interval=0, timeout=0.1, sleep=lambda _: None)
    service._reached = True
    found = infinigram.count(LINE, INDEX, service)
    assert np.isnan(found.count)
    assert "ReadTimeout" in found.error


@pytest.mark.parametrize("body", [
    b"<html>maintenance</html>", b"", b"{", b"[" * 100_000, b"[]", b"null", b"7", b"{}", b"\xff\xfe",
    b'{"count": "7"}', b'{"count": -1}', b'{"count": null}', b'{"count": true}', b'{"count": 1.5}',
    b'{"count": NaN}', b'{"count": 0, "token_ids": [[[1], [2]]]}',  # read as logic
])  # fmt: skip
def test_garbage_is_a_failure_not_a_zero(server, service, body):
    def answer(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    server.server.RequestHandlerClass.do_POST = answer
    found = infinigram.count(LINE, INDEX, service)
    assert np.isnan(found.count)
    assert "unexpected answer" in found.error or "not JSON" in found.error
    assert "\n" not in found.error


def test_no_network_is_one_clear_line():
    gone = Service("http://127.0.0.1:9/", interval=0, sleep=lambda s: s and pytest.fail("waited"))
    with pytest.raises(CannotContinue, match=r"cannot be reached .*make index CORPUS") as error:
        contamination.check([document(TEXT)], [by_server(gone)], 1)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("status", [200, 400])
def test_a_retired_index_is_one_line_that_lists_the_known(server, service, status):
    server.default = (status, {"error": "[Flask] Invalid index: v4_old"}, {})
    with pytest.raises(FindlibError, match=r"'v4_old' is retired or unknown.*v4_dolma-v1_7_llama"):
        infinigram.count(LINE, "v4_old", service)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 403, 404, 410])
def test_a_service_that_moved_is_one_line(server, service, status):
    server.default = (status, "gone", {})
    with pytest.raises(CannotContinue, match=f"HTTP {status}: moved, closed"):
        infinigram.count(LINE, INDEX, service)


def test_requests_keep_their_distance(server):
    server.default = (200, TOLD, {})
    service = Service(server.base_url, interval=0.15)
    started = time.monotonic()
    for i in range(4):
        infinigram.count(f"{LINE} {i}", INDEX, service)
    assert 0.45 <= time.monotonic() - started < 3
    started = time.monotonic()
    for i in range(4):
        infinigram.count(f"{LINE} {i}", INDEX, service)  # stored: no request, no wait
    assert time.monotonic() - started < 0.4


@pytest.mark.parametrize("line", [LOGIC, LOGIC.replace("AND", "OR"), "A " + "AND the " * 10])
def test_logic_is_never_sent_as_text(server, service, line):
    found = infinigram.count(line, INDEX, service)
    assert np.isnan(found.count)
    assert "name a tokenizer" in found.error
    assert server.requests == []


def test_long_lines_are_searched_in_part():
    """The API takes 1,000 characters and 500 tokens."""
    words = "word " * 400
    assert infinigram.asked(words) == " ".join(["word"] * 100)
    assert len(infinigram.asked("x" * 5000)) == 500
    assert infinigram.asked("averyveryveryverylongword short end") == "averyveryveryverylongword short end"  # fmt: skip


# ---- token ids


@pytest.fixture(scope="module")
def llama(tmp_path_factory, sample):
    """A tokenizer built as Llama-2's is: a space before the text, words that begin with their
    space, bytes for what it does not know, line feeds among them."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    names = ["<unk>", *(f"<0x{i:02X}>" for i in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=names, show_progress=False)
    made.train_from_iterator([x for d in sample for x in d.text.splitlines()], trainer)
    folder = tmp_path_factory.mktemp("tokenizer")
    made.save(str(folder / "tokenizer.json"))
    return folder


def contains(ids, piece):
    return any(ids[i : i + len(piece)] == piece for i in range(len(ids)))


def test_why_lines_are_searched_from_their_second_word_on(llama, sample):
    """In a text the first word of a line has another token than alone; the rest has the same."""
    ids = infinigram.load_ids(str(llama), INDEX)
    text = sample[0].text
    whole = ids(text)
    prose = [x.text for x in contamination.long_lines(text) if x.text[0].isalpha()]
    assert len(prose) > 5
    assert not any(contains(whole, ids(line)) for line in prose)
    assert all(contains(whole, ids(infinigram.asked(line))) for line in prose)


def test_token_ids_are_sent_where_a_tokenizer_is_named(server, service, llama):
    server.default = (200, TOLD, {})
    ids = infinigram.load_ids(str(llama), INDEX)
    for line in (LOGIC, LINE):
        found = infinigram.count(line, INDEX, service, ids)
        sent = server.requests[-1][0]
        assert sent["query_ids"] == ids(infinigram.asked(line))
        assert "query" not in sent
        assert (found.count, found.tokenizer) == (7, str(llama))
    assert len(infinigram.load_ids(str(llama / "tokenizer.json"), INDEX)(LINE)) > 5
    long = infinigram.count("é中" * 300, INDEX, service, ids)
    assert len(server.requests[-1][0]["query_ids"]) == 500
    assert long.count == 7


def test_a_tokenizer_of_another_index_is_refused(server, service, llama):
    """It would find nothing anywhere."""
    ids = infinigram.load_ids(str(llama), INDEX)
    server.default = (200, {**TOLD, "token_ids": ids(infinigram._PROBE)}, {})
    infinigram.check_ids(INDEX, service, ids)
    server.default = (200, TOLD, {})
    with pytest.raises(FindlibError, match=r"does not fit .* meta-llama/Llama-2-7b-hf"):
        infinigram.check_ids("v4_piletrain_llama", service, ids)


def test_byte_level_tokenizers_start_with_a_space(llama):
    """As the API does for gpt2 and OLMo; Llama's own space in front is left out."""
    plain = infinigram.load_ids(str(llama), INDEX)
    spaced = infinigram.load_ids(str(llama), "v4_pileval_gpt2")
    assert spaced("word here") == plain(" word here")

    class Encoding:
        def encode(self, text, add_special_tokens):
            return type("E", (), {"ids": [29871, 5, 6]})

    assert infinigram.Ids("n", Encoding(), True)("x") == [5, 6]
    assert infinigram.Ids("n", Encoding(), False)("x") == [29871, 5, 6]


@pytest.mark.parametrize("name", ["meta-llama/Llama-2-7b-hf", "no/such", "/nowhere", "o200k_base"])
def test_a_tokenizer_that_is_not_at_hand_is_one_line(name, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(FindlibError, match=r"is not at hand; .*Llama-2-7b-hf") as error:
        corpora.open_corpora(["redpajama"], tokenizer=name)
    assert "\n" not in str(error.value)


# ---- the hosted portrait


def hosted(server, **more):
    service = Service(server.base_url, interval=0, sleep=lambda _: None, **more)
    return lambda line: portrait.hosted(line, service)


def test_the_hosted_portraits_answer_is_judged_by_its_windows(server):
    """71 windows for 120 characters; by hand, one chain of one is all that a copy must leave."""
    line = "x" * 120
    for at, count in ((range(0), 0), ([20], 1), ([0, 50], 1)):
        server.default = (200, {"is_member": [i in at for i in range(71)], "width": 50, "doc": line}, {})  # fmt: skip
        found = hosted(server, cache=Cache(server_cache(at), recorded=[]))(line)
        assert (found.count, found.miss) == (count, 0)
        assert found.overlap == 50 * len(list(at))
    assert server.requests[0][0] == {"document": line, "seq_id": 0}


def server_cache(at):
    from findlib.paths import output

    return output() / f"{len(list(at))}.sqlite"


def test_the_pile_falls_back_to_its_index_and_says_so(server, service):
    server.default = (404, "gone", {})
    answered = corpora.Corpus("Pile (index, a substitute for the portrait)", "v4_piletrain_llama",
                              "api", lambda line: Count(0, len(line), "t"))  # fmt: skip
    pile = corpora.Corpus("Pile", "hosted portrait", "Data Portraits", hosted(server), answered)
    report = contamination.check([document(TEXT)], [pile], 1)
    assert set(report.corpus) == {"Pile (index, a substitute for the portrait)"}
    assert set(report["index"]) == {"v4_piletrain_llama"}
    assert len(server.requests) == 1
    server.default = (200, {"another": "form"}, {})
    report = contamination.check([document(TEXT)], [pile], 1)
    assert set(report.corpus) == {answered.name}  # no answer 3 times in a row
    server.default = (200, {"is_member": [True], "width": 50}, {})
    report = contamination.check([document(TEXT)], [pile], 1)
    assert set(report.corpus) == {"Pile"}
    assert set(report.error) == {"unexpected answer (another number of windows)"}


def test_a_form_of_another_version_is_a_failure(server, service):
    server.default = (200, {"chains": []}, {})
    with pytest.raises(LookupFailed, match="unexpected answer"):
        service.ask({"document": "x"}, portrait._Report)
