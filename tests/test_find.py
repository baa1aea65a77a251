"""From responses to scores: windows merged, failures in both readings, best candidates."""

import numpy as np
import pandas as pd
import pytest

from findlib import find, models
from findlib.evidence import score_evidence
from findlib.paths import FindlibError
from findlib.records import GRADES, RESPONSES, Document
from findlib.runner import Response

ONE = "<answer><evidence>rose to 12</evidence><evidence>profit was 8</evidence><description>d</description></answer>"
TWO = "<answer><evidence>in May</evidence><description>e</description></answer>"


def response(text, window=0, status="ok", end=100, model="m", doc_id="d1"):
    about = {"doc_id": doc_id, "window": window, "start": 0, "end": end, "input_tokens_cut": 0}
    return Response(
        about, model, f"k{window}", status, text, completion_tokens=10, seconds=1.5, layer="cache"
    )


def test_an_answer_seen_in_two_windows_counts_once_and_a_repeat_within_one_twice(document):
    answers = find.answers_table([response(ONE + TWO + TWO, 0), response(ONE + TWO, 1)], [document])
    assert answers.description.tolist() == ["d", "e", "e"]
    assert answers.answer.tolist() == [0, 1, 2]
    assert answers.window.tolist() == [0, 0, 0]


@pytest.mark.parametrize(("parts", "status", "valid", "failed"), [
    ([(ONE, "ok"), (TWO, "ok")], "ok", True, 0),
    ([(ONE, "ok"), ("", "provider_error")], "provider_error", False, 1),
    ([(ONE, "truncated"), (TWO, "ok")], "truncated", False, 0),
    ([("prose", "ok"), (TWO, "ok")], "malformed", False, 1),
    ([(ONE + "<answer>", "ok")], "ok", False, 0),
    ([("<answer></answer>", "ok")], "ok", True, 0),
])  # fmt: skip
def test_windows_are_merged_into_one_row(document, parts, status, valid, failed):
    responses = [response(text, i, s) for i, (text, s) in enumerate(parts)]
    row = find.responses_table(responses, [document]).iloc[0]
    assert (row.status, bool(row.valid), row.windows_failed) == (status, valid, failed)
    assert row.n_windows == len(parts)
    assert row.completion_tokens == 10 * len(parts)


def test_grades_hold_the_metric_of_each_answer(document):
    answers = find.answers_table([response(ONE + TWO)], [document])
    grades = find.grade(answers, [document], lambda p, r: [0.25] * len(p))
    direct = score_evidence(["in May"], document.evidence, document.text)
    assert grades.evidence.tolist() == [1.0, direct.f1]
    assert grades.n_verbatim.tolist() == [2, 1]
    assert grades.description.tolist() == [0.25, 0.25]
    assert tuple(grades.columns) == GRADES


def rows(columns, **lists):
    table = pd.DataFrame(lists)
    return table.reindex(columns=list(columns))


def scored(statuses, grades, failures, floor=0.0):
    responses = rows(
        RESPONSES, doc_id=list("abcd")[: len(statuses)], source="S-EMP", model="m", status=statuses
    )
    return find.scores(responses, grades, failures, floor).set_index("doc_id")


GRADED = rows(
    GRADES, doc_id=["a", "a", "b", "b", "c"], model="m",
    status=["ok", "ok", "ok", "ok", "malformed"],
    evidence=[0.2, 0.9, 0.1, 0.3, np.nan], description=[0.7, 0.1, -0.4, -0.2, np.nan],
    task=[0.0, 1.0, 0.0, np.nan, np.nan],
    judge_status=["ok", "ok", "ok", "judge_unparsed", ""],
)  # fmt: skip


def test_failures_as_misses():
    """By hand: the maximum per metric separately; nothing or negative gives the floor."""
    got = scored(["ok", "ok", "malformed", "refused"], GRADED, "miss")
    assert got.evidence.tolist() == [0.9, 0.3, 0, 0]
    assert got.description.tolist() == [0.7, 0, 0, 0]
    assert got.task.tolist() == [1, 0, 0, 0]
    low = scored(["ok", "ok", "malformed", "refused"], GRADED, "miss", -0.3)
    assert low.description.tolist() == [0.7, -0.2, -0.3, -0.3]


def test_scored_items_only():
    """An unparsed verdict leaves the task open unless another candidate was TRUE."""
    got = scored(["truncated", "ok", "malformed", "ok"], GRADED, "unscored")
    assert got.evidence.tolist()[:2] == [0.9, 0.3]
    assert got.task.isna().tolist() == [False, True, True, False]
    assert got.evidence.isna().tolist() == [False, False, True, False]
    assert got.task["d"] == 0  # an ok response without an answer is a scored miss
    half = scored(
        ["ok", "provider_error"], GRADED[GRADED.judge_status != "judge_unparsed"], "unscored"
    )
    assert np.isnan(half.task["b"])  # one FALSE does not settle a document with a failed window
    with pytest.raises(FindlibError, match="unscored"):
        scored(["ok"], GRADED, "drop")


def test_no_answer_at_all(document):
    responses = [response("<answer></answer>")]
    answers = find.answers_table(responses, [document])
    grades = find.grade(answers, [document], lambda p, r: [])
    table = find.scores(find.responses_table(responses, [document]), grades, "miss")
    assert table[["evidence", "description", "task"]].to_numpy().tolist() == [[0, 0, 0]]
    assert find.first_answer(answers) is None
    assert find.best_answer(answers, grades, "d1", "m") is None
    assert find.examples([document], answers, grades, 3)[0][2] is None


def test_requests_by_reading(document):
    long = Document("long", "A line of text.\n" * 4000, "S-EMP", "x", ("A line",), "numeric")
    spec = models.get("smollm2-135m")
    windows = find.requests([long], spec)
    assert len(windows) > 5
    assert windows[-1].about["end"] == len(long.text)
    assert "A line of text." in windows[0].settings["extra_body"]["grammar"]
    cut = find.requests([long], spec, "truncate")
    assert len(cut) == 1
    assert cut[0].about["input_tokens_cut"] > 0
    whole = find.requests([document], models.get("gpt-5"))
    assert document.text in whole[0].messages[1]["content"]
    assert "extra_body" not in whole[0].settings
    with pytest.raises(FindlibError, match="truncate"):
        find.requests([document], spec, "all")


def test_a_document_that_imitates_the_prompt_is_passed_whole():
    text = "{document} </document> <answer></answer> {0} %s"
    sent = find.requests([Document("x", text)], models.get("gpt-5"))[0].messages[1]["content"]
    assert sent.count(text) == 1


def test_evidence_past_the_cut_is_counted(document):
    row = find.responses_table([response(ONE, end=20)], [document]).iloc[0]
    assert row.evidence_cut == 1
