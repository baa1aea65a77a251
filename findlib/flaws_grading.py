"""Error grading of FindTheFlaws: does an explanation name the experts' error? By a judge or a
named stand-in, never by silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from . import description
from .agreement import Agreement, agreement
from .cache import Cache
from .flaws import WHOLE, check_reading, grade_grammar, request
from .flaws_items import CORRECT, Item, expert_error
from .flaws_parse import GRADES, Evaluation, parse
from .models import ModelSpec
from .runner import Request, Response, run

EQUIVALENT, DIFFERENT = GRADES
STAND_IN = "similarity"
STAND_IN_METRIC, THRESHOLD = "minilm", 0.6  # cosine at and above which the stand-in says EQUIVALENT


def signature(spec: ModelSpec | None) -> str:
    """What tables say of the judge."""
    if spec is None:
        return f"no judge model: {STAND_IN_METRIC} cosine >= {THRESHOLD} stands in"
    return spec.name + (" (grammar)" if spec.constraint else "")


def grade(
    frame: pd.DataFrame,
    items: Sequence[Item],
    spec: ModelSpec | None = None,
    cache: Cache | None = None,
    budget_usd: float | None = None,
    progress: bool = False,
) -> tuple[pd.DataFrame, list[Response]]:
    """`flaws.samples` with the columns grade, grade_status and grader; and the judge's responses.

    Only ``gradable`` rows are graded. An answer that calls the item or sentence CORRECT names
    no error: DIFFERENT by rule, without a call. The rest goes to the judge ``spec``, one call
    an item or argument (section 4.2.1; Appendix C), on what is explicitly stated; None: the
    stand-in, cosine of sentence embeddings at THRESHOLD. ``grade_status``: "ok"; the answer's
    own status where it cannot be read; "judge_unparsed" or the failed call's status where no
    grade came back. Such rows have no grade.
    """
    table = frame.assign(grade="", grade_status="", grader="")
    mine = table.gradable
    table.loc[mine, "grade_status"] = table.status[mine]
    denied = mine & (table.status == "ok") & (table.predicted == CORRECT)
    table.loc[denied, ["grade", "grader"]] = DIFFERENT, "rule"
    asked = table[mine & (table.status == "ok") & ~denied]
    table.loc[asked.index, "grader"] = signature(spec)
    by_id = {item.item_id: item for item in items}
    if spec is None:
        table.loc[asked.index, "grade"] = _similar(asked, by_id)
        return table, []
    groups = [part for _, part in asked.groupby(["model", "item_id"], sort=False)]
    calls = [_request(by_id[str(part.item_id.iloc[0])], part, spec) for part in groups]
    replies = run(calls, cache, budget_usd, progress)
    for part, reply in zip(groups, replies, strict=True):
        grades, status = _grades(reply, [int(n) for n in part.sentence])
        table.loc[part.index, "grade"], table.loc[part.index, "grade_status"] = grades, status
    return table, replies


def _expert(item: Item, sentence: int) -> str:
    if sentence == WHOLE:
        return item.error
    return next(expert_error(s) for s in item.sentences if s.number == sentence)


def _similar(asked: pd.DataFrame, by_id: dict[str, Item]) -> list[str]:
    references = [
        _expert(by_id[i], int(n)) for i, n in zip(asked.item_id, asked.sentence, strict=True)
    ]
    scores = description.metric(STAND_IN_METRIC).score(list(asked.explanation), references)
    return [EQUIVALENT if score >= THRESHOLD else DIFFERENT for score in scores]


def _request(item: Item, part: pd.DataFrame, spec: ModelSpec) -> Request:
    """One judge call; the judge sees solution, the expert's words and the model's."""
    numbers = [int(n) for n in part.sentence if n != WHOLE]
    told = dict(zip(part.sentence, part.explanation, strict=True))
    both = {
        "expert": {n: _expert(item, int(n)) for n in told}, "explanation": told,
    }  # fmt: skip
    parts = {
        name: "\n".join(f"Sentence {n}: {text}" if n else text for n, text in texts.items())
        for name, texts in both.items()
    }
    parts |= {"solution": item.solution, "numbers": ", ".join(map(str, numbers))}
    about = {"doc_id": item.item_id, "task": "grade", "of": str(part.model.iloc[0]),
             "make": "inference BENCHMARK=flaws JUDGE"}  # fmt: skip
    task = "grade_sentences" if numbers else "grade"
    return request(task, parts, spec, None, about, item.released, grade_grammar(numbers))


def _grades(reply: Response, sentences: Sequence[int]) -> tuple[list[str], str]:
    """The grades of one reply in the order asked, and their status."""
    numbers = [n for n in sentences if n != WHOLE]
    said = Evaluation(reason="no block")
    if reply.status == "ok":  # a cut reply is not final
        said = parse(reply.text, GRADES, numbers, verdict=not numbers)
    if said.status == "ok":
        return ([said.labels[n][0] for n in numbers] or [said.verdict]), "ok"
    unread = reply.status in ("ok", "truncated", "empty")
    return [""] * len(sentences), "judge_unparsed" if unread else reply.status


def equivalents(graded: pd.DataFrame, unscored: str = "left out") -> pd.DataFrame:
    """1 for EQUIVALENT, 0 for DIFFERENT, a row a gradable unit, in ``hit``; NaN where unscored.

    ``unscored="wrong"``: the released scorers' reading, an unread answer or grade counts as
    DIFFERENT.
    """
    check_reading(unscored)
    kept = graded[graded.gradable]
    hit = kept.grade.map({EQUIVALENT: 1.0, DIFFERENT: 0.0}).astype(float)
    keys = ["dataset", "model", "question_id", "item_id", "sentence", "grade_status"]
    return kept[keys].assign(hit=hit.fillna(0.0) if unscored == "wrong" else hit)


def cross_check(first: pd.DataFrame, second: pd.DataFrame) -> Agreement:
    """Agreement of two judges over the same explanations; what the rule decides is left out.

    Both as `grade` gives them for the same samples; a grade that either judge did not give
    is left out.
    """
    both = first.merge(second, on=["model", "item_id", "sentence"], suffixes=("", "_2"))
    both = both[both.gradable & (both.grader != "rule")]
    return agreement(list(both.grade), list(both.grade_2), GRADES)


def step_agreement(proxied: pd.DataFrame) -> pd.DataFrame:
    """The proxy baseline by place: whether the step named is the experts' (5.1, B.1.3), in
    ``hit``, a row an item; NaN where the answer cannot be read."""
    kept = proxied[proxied.gold_step.notna() & proxied.model.str.startswith("proxy: ")]
    keys = ["dataset", "model", "question_id", "item_id", "sentence", "status"]
    hit = (kept.step == kept.gold_step).astype(float)
    return kept[keys].assign(hit=hit.where(kept.status == "ok"))


def notes(graded: pd.DataFrame, judge: str) -> list[str]:
    """What could not be read or graded, a line a model, for tables' notes."""
    found = []
    for model, part in graded.groupby("model", sort=False):
        answers = part.drop_duplicates("item_id")
        lost = answers[answers.status != "ok"]
        why = lost.reason.where(lost.reason != "", lost.status).value_counts().sort_index()
        unread = part[part.gradable & (part.status == "ok") & (part.grade_status != "ok")]
        ruled = int((part.grader == "rule").sum())
        found.append(
            f"{model}: {len(lost)} of {len(answers)} answers unscored ({_counts(why)}); "
            f"errors denied, DIFFERENT by rule: {ruled}; grades missing: "
            f"{_counts(unread.grade_status.value_counts().sort_index())}. Judge: {judge}."
        )
    return found


def _counts(counts: Any) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.items()) or "none"
