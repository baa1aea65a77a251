"""FindTheFlaws' sets: counts of the released data, the sample's shape and facts, faulty files."""

import io
import json
import sys
from collections import Counter

import numpy as np
import pytest
import pyzipper

from findlib import flaws_data, flaws_expert_tables, flaws_items, flaws_stats, published
from findlib.data import jsonl_rows
from findlib.flaws_data import load
from findlib.flaws_items import CELS_SETS, label
from findlib.paths import FindlibError, root

SAMPLE = root() / "data" / "sample" / "flaws"


@pytest.fixture(scope="module")
def released():
    """Every item of the released sets, the unreliable ones included."""
    import os
    from pathlib import Path

    path = Path(os.environ.get("FINDLIB_SHARED") or "absent", "data/findtheflaws/datasets.zip")
    if not path.is_file():
        pytest.skip("FINDLIB_SHARED names no folder with the released sets")
    return load(path.resolve(), reliable=False)


def of(items, name, reliable=False):
    return [i for i in items if i.dataset == name and (i.reliable or not reliable)]


def test_released_rows_are_those_of_the_issue(released):
    questions = {name: len({i.item_id.removesuffix("/correct").removesuffix("/flawed") for i in of(released, name)})
                 for name in flaws_items.SETS}  # fmt: skip
    assert questions == {
        "medqa": 319, "theoremqa": 95, "gpqa": 198, "python": 648, "python_meta": 648,
        "python_alt": 323, "cels_law": 40, "cels_lojban": 192, "cels_surgery": 220,
    }  # fmt: skip
    assert all(item.released for item in released)  # the canary column tells


def test_released_counts_of_reliable_items(released):
    """Sections 4.1.2 to 4.2.2: 222 reliable MedQA items (160 flawed), 191 GPQA, 633 programs."""
    gold = {name: Counter(i.gold for i in of(released, name, True)) for name in flaws_items.SETS}
    assert gold["medqa"] == {"FLAWED": 160, "CORRECT": 62}
    assert len(of(released, "medqa")) - len(of(released, "medqa", True)) == 97
    assert gold["gpqa"] == {"CORRECT": 191, "FLAWED": 191}
    assert gold["theoremqa"] == {"CORRECT": 95, "FLAWED": 95}
    assert gold["python"] == {"CORRECT": 316, "FLAWED": 317}
    assert gold["python_alt"] == {"": 314}
    assert gold["python_meta"] == {"FLAWED": 633, "CORRECT": 633 - 314}
    assert [len(of(released, name, True)) for name in CELS_SETS] == [40, 120, 212]


@pytest.mark.parametrize(("name", "counts"), [
    ("cels_law", (196, 223, 103)), ("cels_lojban", (655, 399, 164)),
    ("cels_surgery", (572, 1248, 462)),
])  # fmt: skip
def test_released_sentences_by_label(released, name, counts):
    labels = Counter(s.label for i in of(released, name, True) for s in i.sentences)
    assert (labels["FLAWED"], labels["CORRECT"], labels["AMBIGUOUS"]) == counts


def test_the_rule_gives_the_released_labels_but_for_21_sentences(released):
    """FLAWED: two reviewers or more; what differs is AMBIGUOUS in the release."""
    off = [s.label for i in released for s in i.sentences if label(s.comments) != s.label]
    assert off == ["AMBIGUOUS"] * 21


def test_clusters_of_cels_are_its_questions(released):
    for name in CELS_SETS:
        pairs = {(i.question_id, i.question) for i in of(released, name)}
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize(("name", "values", "printed"), [
    ("cels_lojban", {"agreement": .8411, "within argument": .8507, "kappa 1-2": .6583},
     ["agreement, Lojban", "agreement within arguments, Lojban", "kappa, Lojban"]),
    ("cels_surgery", {"agreement": .7990, "within argument": .7974, "kappa 1-2": .5774},
     ["agreement, Surgery", "agreement within arguments, Surgery", "kappa, Surgery"]),
    ("cels_law", {"agreement": .8027, "within argument": .8065, "kappa 1-2": .5204,
                  "kappa 1-3": .5335, "kappa 2-3": .5068, "Fleiss": .5178},
     ["agreement, Law", "agreement within arguments, Law", "pairwise kappa 1, Law",
      "pairwise kappa 2, Law", "pairwise kappa 3, Law", "Fleiss kappa, Law"]),
])  # fmt: skip
def test_published_agreement_comes_out(released, name, values, printed):
    """Appendix B.1 of the paper, as printed, and with the digits that the data give."""
    found = flaws_stats.sentence_agreement(of(released, name))
    assert {k: round(v, 4) for k, v in found.items()} == values
    for value, row in zip(found.values(), printed, strict=True):
        said = float(published.said(row, "findtheflaws"))
        scale = 100 if said > 1 else 1
        assert abs(scale * value - said) <= (0.06 if scale == 100 else 0.0006)


def test_the_table_of_agreement_stands_beside_the_printed(released):
    table = flaws_expert_tables.reviewer_agreement(released, "sig")
    assert table.notes == ("The same 452 arguments.",)
    off = (table.values.value - table.values.published).abs()
    assert off.max() < 6e-4
    assert len(table.values) == 6 + 3 + 3


def test_kappas_are_those_of_scikit_learn(released):
    from sklearn.metrics import cohen_kappa_score

    for name in CELS_SETS:
        table = flaws_stats.reviewers(of(released, name))
        ours = flaws_stats.sentence_agreement(of(released, name))["kappa 1-2"]
        assert ours == pytest.approx(cohen_kappa_score(table.r1, table.r2))


def test_who_of_the_clinicians_agrees_with_the_key(released):
    found = flaws_stats.commented(of(released, "medqa"), "medqa")
    assert (found["both"], found["n"]) == (115, 222)
    assert found["annotator 1"] + found["annotator 2"] - found["both"] == 222  # one at least


def test_informed_clinicians_by_fisher():
    """98 of 170 against 68 of 149, printed p = .034 (section 4.1.2)."""
    from scipy.stats import fisher_exact

    assert fisher_exact([[98, 72], [68, 81]]).pvalue == pytest.approx(0.034, abs=5e-4)


def test_theoremqa_with_the_right_final_answer_is_flawed(released):
    path = flaws_data._archive(flaws_data.source(_zip()))["modified_theoremqa"]
    same = [row["problem_id"] for _, row in path() if row["flag_same_final_answer"] == "True"]
    gold = {i.item_id: i.gold for i in of(released, "theoremqa")}
    assert len(same) == 4
    assert {gold[f"theoremqa/{name}/flawed"] for name in same} == {"FLAWED"}


def _zip():
    import os

    return f"{os.environ['FINDLIB_SHARED']}/data/findtheflaws/datasets.zip"


def test_nothing_of_the_archive_is_written(released, scratch):
    assert not scratch.exists() or not any(scratch.rglob("*"))


def test_bootstrap_of_the_largest_set_takes_seconds(released):
    """10,000 resamples over CELS surgery's 1,820 sentences, in under ten seconds."""
    import time

    import pandas as pd

    frame = pd.DataFrame([
        {"dataset": i.dataset, "model": "m", "question_id": i.question_id, "item_id": i.item_id,
         "sentence": s.number, "gold": s.label, "predicted": "CORRECT", "status": "ok"}
        for i in of(released, "cels_surgery", True) for s in i.sentences if s.label != "AMBIGUOUS"
    ])  # fmt: skip
    started = time.process_time()
    found = flaws_stats.match_scores(frame).set_index("metric")
    assert time.process_time() - started < 10
    assert found.loc["accuracy", "value"] == pytest.approx(1248 / 1820)
    assert found.loc["accuracy", "low"] < 1248 / 1820 < found.loc["accuracy", "high"]
    assert np.isnan(found.loc["recall", "low"])  # 1 in every resample: no spread to tell


# ---- the sample


def test_the_sample_holds_five_kinds_and_reads_like_the_released_sets():
    items = load(SAMPLE)
    assert sum(len(jsonl_rows(file)) for file in SAMPLE.glob("*.jsonl")) >= 24
    assert set(flaws_items.SETS) == {i.dataset for i in items}
    assert not any(item.released for item in items)
    assert [i.item_id for i in load(SAMPLE, ["medqa"], reliable=False) if not i.reliable] == [
        "medqa/s-med-7"
    ]
    for item in items:
        for sentence in item.sentences:
            assert label(sentence.comments) == sentence.label


def test_sample_columns_are_the_released_ones(released):
    files = flaws_data._archive(flaws_data.source(_zip()))
    for file in sorted(SAMPLE.glob("*.jsonl")):
        ours = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
        assert set(ours) == set(next(files[file.stem]())[1]), file.name


def _largest(text):
    return str(max(map(int, text.split("\n")[1].split())))


def _multiples(text):
    a, b = map(int, text.split())
    return str(sum(x % 3 == 0 for x in range(a, b + 1)))


def _repeated(text):
    names = text.split("\n")[1:]
    return "\n".join(sorted({n for n in names if names.count(n) > 1}))


@pytest.mark.parametrize(("name", "solve", "inputs"), [
    ("s-py-1", _largest, ["3\n1 5 2", "2\n-5 -3"]),
    ("s-py-2", lambda t: "Yes" if t == t[::-1] else "No", ["abba", "aba", "ab", "a"]),
    ("s-py-3", _multiples, ["1 9", "3 5", "4 5"]),
    ("s-py-4", lambda t: str(sum(map(int, t))), ["1", "10", "50", "49"]),
    ("s-py-5", _repeated, ["3\na\nb\na", "3\na\na\na"]),
])  # fmt: skip
def test_sample_programs_are_what_the_sample_says(name, solve, inputs, monkeypatch, capsys):
    """Each program is run: right on every input, or wrong on one, by an independent solution."""
    item = next(i for i in load(SAMPLE, ["python"]) if i.question_id == name)
    outputs = []
    for text in inputs:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text + "\n"))
        exec(item.solution, {})
        outputs.append(capsys.readouterr().out.strip())
    right = outputs == [solve(text) for text in inputs]
    assert right == (item.gold == "CORRECT")


def test_sample_theorems():
    """The final answers by another way: counting, numeric integration, linear algebra."""
    from itertools import permutations, product

    from scipy.integrate import quad

    rows = {r["problem_id"]: r for _, r in jsonl_rows(SAMPLE / "modified_theoremqa.jsonl")}
    answer = {k: float(r["correct_final_answer"]) for k, r in rows.items()}
    derangements = sum(all(i != p for i, p in enumerate(q)) for q in permutations(range(4)))
    assert answer["s-thm-1"] == derangements
    assert answer["s-thm-2"] == np.mean([sum(t) == 2 for t in product((0, 1), repeat=4)])
    assert answer["s-thm-3"] == pytest.approx(quad(lambda x: x * np.exp(x), 0, 1)[0])
    assert answer["s-thm-4"] == pytest.approx(np.sin(2e-6) / 1e-6)
    assert answer["s-thm-5"] == pytest.approx((np.linalg.eigvalsh([[2, 1], [1, 2]]) ** 2).sum())
    same = [k for k, r in rows.items() if r["flag_same_final_answer"]]
    gold = {i.item_id: i.gold for i in load(SAMPLE, ["theoremqa"])}
    assert [gold[f"theoremqa/{k}/flawed"] for k in same] == ["FLAWED"]


# ---- faulty input


@pytest.mark.parametrize(("change", "says"), [
    ({"llm_final_answer": None}, "line 1, column llm_final_answer"),
    ({"flag_unreliable_data": "perhaps"}, "column flag_unreliable_data"),
])  # fmt: skip
def test_a_faulty_row_is_named(tmp_path, change, says):
    row = json.loads((SAMPLE / "adversarial_medqa.jsonl").read_text("utf-8").splitlines()[0])
    row = {k: v for k, v in {**row, **change}.items() if v is not None}
    (tmp_path / "adversarial_medqa.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(FindlibError, match=says) as error:
        load(tmp_path)
    assert "\n" not in str(error.value)


def test_sentences_and_labels_must_be_the_same(tmp_path):
    row = json.loads((SAMPLE / "cels_law.jsonl").read_text("utf-8").splitlines()[0])
    row["llm_solution"] += "\n5. One more."
    (tmp_path / "cels_law.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(FindlibError, match="5 numbered sentences .* 4 labelled"):
        load(tmp_path)


def test_twice_the_same_id(tmp_path):
    line = (SAMPLE / "adversarial_medqa.jsonl").read_text("utf-8").splitlines()[0]
    (tmp_path / "adversarial_medqa.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    with pytest.raises(FindlibError, match="'medqa/s-med-1' stands there 2 times"):
        load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"not a zip"])
def test_no_archive(tmp_path, content):
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(FindlibError, match="not the authors' archive"):
        load(tmp_path / "x.zip")


def _archived(path, content, password=flaws_data.PASSWORD):
    with pyzipper.AESZipFile(path, "w", encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(password)
        archive.writestr("datasets/adversarial_medqa_final.csv", content)
    return path


def test_another_password(tmp_path):
    with pytest.raises(FindlibError, match="not the authors' archive"):
        load(_archived(tmp_path / "x.zip", "problem_id\n1\n", b"other"))


@pytest.mark.parametrize(("content", "says"), [
    (b"problem_id,problem_text\n\xff\xfe,x\n", "not a CSV file in UTF-8"),
    (b"problem_id,problem_text\n1,x\n", "row 1, column correct_final_answer"),
    (b"problem_id\n" + b"x" * 200_000, "not a CSV file in UTF-8 .field larger"),
])  # fmt: skip
def test_an_archive_with_a_faulty_file(tmp_path, content, says):
    with pytest.raises(FindlibError, match=says):
        load(_archived(tmp_path / "x.zip", content))


def test_unknown_and_missing_sets(tmp_path):
    with pytest.raises(FindlibError, match="unknown set.* known: medqa"):
        load(SAMPLE, ["medQA"])
    with pytest.raises(FindlibError, match="holds no known set"):
        load(tmp_path)
    with pytest.raises(FindlibError, match="no such file"):
        load(tmp_path / "gone.zip")


def test_a_file_without_items(tmp_path):
    (tmp_path / "adversarial_medqa.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(FindlibError, match="no item in medqa"):
        load(tmp_path, ["medqa"])


def test_the_first_questions_of_each_set():
    chosen = flaws_data.select(load(SAMPLE), 1)
    assert Counter(i.dataset for i in chosen) == {
        "medqa": 1, "theoremqa": 2, "gpqa": 2, "python": 1, "python_meta": 2, "python_alt": 1,
        "cels_law": 2, "cels_lojban": 2, "cels_surgery": 2,
    }  # fmt: skip
    with pytest.raises(FindlibError, match="negative"):
        flaws_data.select([], -1)


def test_download_checks_the_checksum(tmp_path, monkeypatch):
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread

    monkeypatch.setenv("FINDLIB_OUTPUT", str(tmp_path))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"archive")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/datasets.zip"
    from findlib.paths import sha256

    path = flaws_data.download("raw", url, sha256(b"archive"))
    assert path.read_bytes() == b"archive"
    path.unlink()
    with pytest.raises(FindlibError, match="not fetched") as error:
        flaws_data.download("raw", url)
    assert "\n" not in str(error.value)
    server.shutdown()
    server.server_close()
