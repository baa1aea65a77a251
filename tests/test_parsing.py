"""The parser: every case of the tagged format that models produce, and hostile input."""

import time

import pytest

from findlib.parsing import parse_response

GOOD = "<answer>\n<evidence>a</evidence>\n<evidence>b</evidence>\n<description>a is not b</description>\n</answer>"


def test_a_good_response():
    parsed = parse_response(GOOD + "\n" + GOOD)
    assert parsed.valid
    assert parsed.status == "ok"
    assert [a.evidence for a in parsed.answers] == [["a", "b"]] * 2
    assert parsed.answers[0].description == "a is not b"


def test_empty_answer_alone_is_ok_not_empty():
    parsed = parse_response("Nothing found.\n<answer></answer>")
    assert (parsed.answers, parsed.valid, parsed.status) == ([], True, "ok")


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_no_text_is_empty(text):
    assert parse_response(text).status == "empty"
    assert not parse_response(text).valid


def test_prose_without_tags_is_malformed():
    assert parse_response("There are no inconsistencies.").status == "malformed"


@pytest.mark.parametrize("text", [
    f"<think>draft {GOOD.replace('a is', 'draft')}</think>{GOOD}",
    f"draft {GOOD} </think>{GOOD}",
    f"<think>one</think>{GOOD}",
    f"<THINK>{GOOD}</THINK>\n```xml\n{GOOD}\n```\nDone.",
    f"<think>never closed\n{GOOD}",
    GOOD.upper().replace("A IS NOT B", "a is not b").replace(">A<", ">a<").replace(">B<", ">b<"),
    GOOD.replace("<answer>", '<answer id="1">'),
])  # fmt: skip
def test_thinking_fences_case_and_attributes(text):
    parsed = parse_response(text)
    assert parsed.valid
    assert len(parsed.answers) == 1
    assert parsed.answers[0].description == "a is not b"


@pytest.mark.parametrize(("text", "reason"), [
    ("<answer><description>x</description></answer>", "no evidence"),
    ("<answer><evidence>x</evidence></answer>", "0 descriptions"),
    ("<answer><evidence> </evidence><description>x</description></answer>", "empty evidence"),
    ("<answer><evidence>x</evidence><description></description></answer>", "empty description"),
    ("<answer><evidence>x<evidence>y</evidence><description>d</description></answer>",
     "evidence not closed"),
    ("<answer><evidence>x</evidence><description>d</description>", "not closed"),
    ("<answer><evidence>x</evidence><description>cut of", "description not closed"),
    ("<answer>some prose</answer>", "no evidence"),
    ("<answer><evidence>x</evidence><description>d</description><description>e</description></answer>",
     "2 descriptions"),
])  # fmt: skip
def test_malformed_answers_say_why(text, reason):
    parsed = parse_response(text)
    assert parsed.answers[0].status == "malformed"
    assert reason in parsed.answers[0].reason
    assert parsed.status == "malformed"
    assert not parsed.valid


def test_well_formed_answers_of_an_invalid_response_are_kept():
    parsed = parse_response(GOOD + "<answer><evidence>x")
    assert [a.status for a in parsed.answers] == ["ok", "malformed"]
    assert parsed.status == "ok"
    assert not parsed.valid


def test_nested_answer_closes_the_outer_one():
    parsed = parse_response("<answer><evidence>x</evidence>" + GOOD)
    assert [a.status for a in parsed.answers] == ["malformed", "ok"]


@pytest.mark.parametrize("text", ["</answer>", "<evidence>x</evidence>"])
def test_parts_outside_an_answer_make_the_response_invalid(text):
    parsed = parse_response(GOOD + text)
    assert not parsed.valid
    assert parsed.problems


def test_content_with_ampersands_and_angles_is_kept_as_written():
    body = "p < 0.05 & q > 3 <b>x</b>"
    parsed = parse_response(GOOD.replace(">a<", f">{body}<"))
    assert parsed.answers[0].evidence[0] == body


def test_entities_are_resolved_unless_the_document_has_them():
    text = GOOD.replace(">a<", ">A &amp; B &#8212; C<")
    assert parse_response(text).answers[0].evidence[0] == "A & B — C"
    assert (
        parse_response(text, "… A &amp; B &#8212; C …").answers[0].evidence[0]
        == "A &amp; B &#8212; C"
    )


def test_a_megabyte_of_entities_against_a_megabyte_of_document():
    started = time.process_time()
    hostile = "".join(f"<answer><evidence>&amp;{i}</evidence></answer>" for i in range(20_000))
    parse_response(hostile, "a" * 1_000_000)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("piece", [
    "<answer>", "<answer><evidence>", "<evidence ", "<", "<think>", "</think><answer>", "&amp;",
    "<answer" + " " * 70, "</answer>",
])  # fmt: skip
def test_a_megabyte_of_unclosed_tags_is_read_in_linear_time(piece):
    started = time.process_time()
    parse_response(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 3  # of this process; well under a second
