"""FindTheFlaws: ask models whether solutions are flawed and why, and score what they say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from . import models
from .flaws_items import CORRECT, FLAWED, Item
from .flaws_parse import GRADES, LABELS, Evaluation, parse, parse_step
from .judge import fill
from .models import ModelSpec
from .paths import FindlibError, package
from .runner import Request, Response

TAGS = ("question_text", "solution_text", "code_text", "argument_text", "correct_text",
        "expert_text", "explanation_text", "evaluation")  # fmt: skip
TASKS = ("solution", "code", "argument", "sentences", "proxy", "grade", "grade_sentences")
PROMPTS = ("flaws.system.txt", "flaws.process.txt", *(f"flaws.{task}.txt" for task in TASKS))
COLUMNS = ("dataset", "question_id", "item_id", "sentence", "model", "gold", "predicted",
           "gradable", "gold_step", "step", "status", "reason", "explanation")  # fmt: skip
WHOLE = 0  # the number of an argument as a whole, beside its sentences'


def requests(
    items: Sequence[Item],
    spec: ModelSpec,
    requested: Mapping[str, Any] | None = None,
    proxy: bool = False,
) -> list[Request]:
    """The requests that put these items to one model, in order.

    The prompt is that of the item's kind, without the section on the evaluation process for
    models that reason by themselves (`reasons`). ``requested``: settings beyond the model's.
    ``proxy``: the baseline of section 5.1 instead: the model is shown the correct solution
    as well and names the first error; items without one are left out.

    >>> from findlib import flaws_data
    >>> items = flaws_data.load("data/sample/flaws", ["medqa"])
    >>> [len(requests(items, models.get(name))[0].messages) for name in ("o3-mini", "gpt-4o")]
    [2, 2]
    """
    asked = [item for item in items if not proxy or item.correct_solution]
    found = []
    for item in asked:
        task = "proxy" if proxy else item.kind
        grammar = _grammar(task, len(item.sentences))
        about = {"doc_id": item.item_id, "task": task}
        found.append(
            request(task, _parts(item, spec), spec, requested, about, item.released, grammar)
        )
    return found


def reasons(spec: ModelSpec) -> bool:
    """Whether a model reasons before it answers: such models take a reasoning effort."""
    return "reasoning_effort" in spec.accepts


def _parts(item: Item, spec: ModelSpec) -> dict[str, str]:
    process = "" if reasons(spec) else prompt("process") + "\n\n"
    return {
        "process": process, "question": item.question, "solution": item.solution,
        "code": item.code, "correct": item.correct_solution, "count": str(len(item.sentences)),
    }  # fmt: skip


def prompt(name: str) -> str:
    """One of the prompts' texts, by task."""
    return package(f"prompts/flaws.{name}.txt").read_text(encoding="utf-8").strip()


def request(
    task: str,
    parts: Mapping[str, str],
    spec: ModelSpec,
    requested: Mapping[str, Any] | None,
    about: dict[str, Any],
    private: bool,
    grammar: str,
) -> Request:
    """One request of a task; text of the released sets is not kept in the cache (``private``)."""
    template = prompt(task).replace("{process}\n", parts.get("process", ""))
    filled = fill(template, {k: v for k, v in parts.items() if k != "process"}, TAGS)
    messages = [
        {"role": "system", "content": prompt("system")},
        {"role": "user", "content": filled},
    ]
    sent, _ = models.settings(spec, requested)
    if spec.constraint:
        sent = {**sent, "extra_body": {**sent.get("extra_body", {}), "grammar": grammar}}
    about = {"make": "inference BENCHMARK=flaws MODELS", "private": private, **about}
    return Request(spec, messages, sent, 0, about, private)


def _grammar(task: str, sentences: int) -> str:
    if task == "proxy":
        return block_grammar('"FIRST ERROR: " [1-9]')
    lines = range(1, sentences + 1)
    return block_grammar(_menu(LABELS, "VERDICT: "), lines)


def _menu(menu: Sequence[str], before: str = "") -> str:
    return f"{json.dumps(before)} ({' | '.join(map(json.dumps, menu))})"


def block_grammar(last: str, sentences: Sequence[int] = (), menu: Sequence[str] = LABELS) -> str:
    """A GBNF grammar of one evaluation block: it keeps the format, it helps to judge nothing.

    ``last``: the rule of the last line, "" for none; ``sentences``: the numbers to label, none
    for a task with an explanation instead.
    """
    lines = [f'{_menu(menu, f"Sentence {n}: ")} " -- " comment' for n in sentences]
    lines = lines or ['"EXPLANATION: " text']
    body = ' "\\n" '.join([*lines, *([last] if last else [])])
    return "\n".join([
        f'root ::= "<evaluation>\\n" {body} "\\n</evaluation>"',
        "text ::= [^<>\\n]{20,200}", "comment ::= [^<>\\n]{5,50}",
    ])  # fmt: skip


def grade_grammar(sentences: Sequence[int] = ()) -> str:
    """The grammar of a judge's block."""
    return block_grammar("" if sentences else _menu(GRADES, "VERDICT: "), sentences, GRADES)


def samples(responses: Sequence[Response], items: Sequence[Item]) -> pd.DataFrame:
    """What models said, a row a unit to score (a sentence, or an item): columns COLUMNS.

    ``gold`` and ``predicted`` are CORRECT, FLAWED or "" (nothing to match; nothing said that
    can be scored). Ambiguous sentences are left out; ``sentence`` is 0 for what is judged
    whole. ``gradable``: an expert's error is there to compare the explanation with.
    ``status`` is "ok", that of a failed response, or "malformed" for one of REASONS: such a
    row is unscored, never right or wrong. A proxy's rows carry the model "proxy: NAME".
    """
    by_id = {item.item_id: item for item in items}
    rows: list[dict[str, Any]] = []
    for response in responses:
        rows += _rows(response, by_id[response.about["doc_id"]])
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"gold_step": float, "step": float})


def _rows(response: Response, item: Item) -> list[dict[str, Any]]:
    proxy = response.about["task"] == "proxy"
    said = _said(response, item, proxy)
    status = said.status if response.status == "ok" else response.status
    common = {
        "dataset": item.dataset, "question_id": item.question_id, "item_id": item.item_id,
        "model": f"proxy: {response.model}" if proxy else response.model,
        "gold_step": item.error_step, "step": said.step, "status": status, "reason": said.reason,
    }  # fmt: skip
    whole = {
        **common, "sentence": WHOLE, "gold": "" if proxy else item.gold, "predicted": said.verdict,
        "gradable": bool(item.error), "explanation": said.explanation,
    }  # fmt: skip
    rows = [whole]
    for sentence in item.sentences:
        if sentence.label in LABELS:
            label, comment = said.labels.get(sentence.number, ("", ""))
            rows.append({
                **common, "sentence": sentence.number, "gold": sentence.label, "predicted": label,
                "gradable": sentence.label == FLAWED, "explanation": comment,
            })  # fmt: skip
    return rows


def _said(response: Response, item: Item, proxy: bool) -> Evaluation:
    if response.status != "ok":  # a cut answer is not final
        return Evaluation()
    if proxy:
        return parse_step(response.text)
    return parse(response.text, LABELS, [sentence.number for sentence in item.sentences])


def responses_table(frame: pd.DataFrame) -> pd.DataFrame:
    """One row an item and model with its status, for the manifest."""
    return frame.drop_duplicates(["model", "item_id"])[["model", "item_id", "status"]]


def outcomes(frame: pd.DataFrame, unscored: str = "left out") -> pd.DataFrame:
    """Counts of the match task, a row a unit: tp, fp, tn, fn (CORRECT is positive); NaN where
    unscored.

    ``unscored="wrong"`` is the released scorers' reading: what cannot be read counts as the
    other label. Units without a label to match are left out.
    """
    check_reading(unscored)
    kept = frame[frame.gold.isin(LABELS)]
    said = kept.predicted
    if unscored == "wrong":
        other = kept.gold.map({CORRECT: FLAWED, FLAWED: CORRECT})
        said = said.where(said.isin(LABELS), other)
    true, positive = said == kept.gold, said == CORRECT
    counts = pd.DataFrame({
        "tp": true & positive, "fp": ~true & positive,
        "tn": true & ~positive, "fn": ~true & ~positive,
    }).astype(float)  # fmt: skip
    keys = kept[["dataset", "model", "question_id", "item_id", "sentence", "status"]]
    return pd.concat([keys, counts.where(said.isin(LABELS))], axis=1)


def check_reading(unscored: str) -> None:
    """Raises FindlibError for a reading that is not known."""
    if unscored not in ("left out", "wrong"):
        raise FindlibError(f"unscored={unscored!r} is unknown; use 'left out' or 'wrong'")
