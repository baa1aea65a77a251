"""The deterministic reader in the runner: the same path as any model's answers."""

import pytest

from findlib import checks, find, judge, models, rules, runner
from findlib.parsing import parse_response
from findlib.paths import FindlibError
from findlib.records import Answer, Document

TEXT = """# Report

| Item | 2023 | 2024 |
|---|---|---|
| Cash | 1,200 | 1,310 |
| Receivables | 845 | 912 |
| Inventory | 390 | 405 |
| Total current assets | 2,435 | 2,672 |
"""


def test_answers_go_through_format_and_parser_unchanged(scratch):
    """A property: what the checks find is what the parser reads, span by span."""
    document = Document("d", TEXT, "OWN")
    spec = models.get("rules")
    [request] = find.requests([document], spec)
    assert request.messages == [{"role": "user", "content": TEXT}]
    [response] = runner.run([request])
    assert (response.status, response.cost_usd, response.layer) == ("ok", 0.0, "sent")
    parsed = parse_response(response.text, TEXT)
    assert parsed.valid
    wanted = checks.find(TEXT)
    assert wanted
    assert [(a.evidence, a.description) for a in parsed.answers] == [
        (list(a.evidence), a.description) for a in wanted
    ]
    assert runner.run([request])[0].layer == "cache"


def test_a_document_that_holds_tags_of_the_format():
    told = rules.in_format([Answer(["a <evidence>b</evidence> & c"], "x </answer> y")])
    [answer] = parse_response(told, "so a <evidence>b</evidence> & c").answers
    assert answer.status == "ok"
    assert answer.evidence == ["a <evidence>b</evidence> & c"]


def test_rules_need_no_key_send_nothing_and_cannot_judge(document):
    spec = models.get("rules")
    assert not spec.paid
    assert models.settings(spec) == ({}, {})
    assert spec.revision.startswith("checks ")
    with pytest.raises(FindlibError, match="cannot judge"):
        judge.request(document, Answer(["x"], "y"), spec)
