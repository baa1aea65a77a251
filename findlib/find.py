"""FIND: read documents, collect answers, grade them, and score each document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from . import documents as texts
from . import models
from .embedded import sentence_grammar
from .evidence import score_evidence, verbatim, verbatim_folded
from .models import MAX_INPUT_TOKENS, RULES, ModelSpec
from .parsing import ParsedResponse, parse_response
from .paths import FindlibError, package
from .records import ANSWERS, GRADES, METRICS, RESPONSES, Answer, Document
from .runner import Request, Response

WINDOW_OVERLAP = 0.1  # of a window's tokens
PROMPTS = ("find.system.txt", "find.user.txt")


def requests(
    documents: Sequence[Document],
    spec: ModelSpec,
    reading: str = "auto",
    requested: dict[str, Any] | None = None,
) -> list[Request]:
    """The requests that read these documents with one model, in order.

    ``reading``: "truncate" (the paper's: one request, cut at the input limit), "windows"
    (overlapping windows, one request each), or "auto" (the model's own choice).
    ``requested``: settings beyond the model's; `models.settings` says which are refused.
    Raises FindlibError for an unknown reading.
    """
    reading = spec.reading if reading == "auto" else reading
    if reading not in ("truncate", "windows"):
        raise FindlibError(f"reading {reading!r} is unknown; use auto, truncate or windows")
    by = texts.tokenizer(spec.tokenizer)
    sent, _ = models.settings(spec, requested)
    found = []
    for document in documents:
        parts = _parts(document.text, spec, reading, by)
        for number, part in enumerate(parts):
            text = document.text[part.start : part.end]
            cut = by.count(document.text[part.end :]) if reading == "truncate" else 0
            about = {
                "doc_id": document.doc_id,
                "window": number,
                "start": part.start,
                "end": part.end,
                "input_tokens_cut": cut,
            }
            messages = _messages(text) if spec.base_url != RULES else _alone(text)
            found.append(Request(spec, messages, _constrained(sent, spec, text), 0, about))
    return found


def _parts(text: str, spec: ModelSpec, reading: str, by: texts.Tokenizer) -> list[texts.Window]:
    if spec.base_url == RULES:
        return [texts.Window(0, len(text))]
    if reading == "truncate":
        return texts.truncated(text, min(spec.max_input_tokens, MAX_INPUT_TOKENS), by)
    limit = min(spec.window_tokens, spec.max_input_tokens)
    return texts.windows(text, limit, int(limit * WINDOW_OVERLAP), by)


def _messages(text: str) -> list[dict[str, str]]:
    system, user = (package(f"prompts/{name}").read_text(encoding="utf-8") for name in PROMPTS)
    return [
        {"role": "system", "content": system.strip()},
        {"role": "user", "content": user.strip().replace("{document}", text)},
    ]


def _alone(text: str) -> list[dict[str, str]]:
    """The deterministic reader takes the whole document and no instructions."""
    return [{"role": "user", "content": text}]


def _constrained(sent: dict[str, Any], spec: ModelSpec, text: str) -> dict[str, Any]:
    sentences = texts.sentences(text) if spec.constraint == "sentences" else []
    if not sentences:
        return sent
    return {
        **sent,
        "extra_body": {**sent.get("extra_body", {}), "grammar": sentence_grammar(sentences)},
    }


def parsed(responses: Sequence[Response], documents: Sequence[Document]) -> list[ParsedResponse]:
    """Each response parsed against its document, in order."""
    by_id = {document.doc_id: document.text for document in documents}
    return [parse_response(r.text, by_id[r.about["doc_id"]]) for r in responses]


def answers_table(responses: Sequence[Response], documents: Sequence[Document]) -> pd.DataFrame:
    """Every answer of every response: columns ANSWERS, a row an answer.

    An answer whose evidence an earlier window of the same document gave already is the
    overlap's doing and is left out; repeats within one response are kept.
    """
    by_id = {document.doc_id: document for document in documents}
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[Any, ...], int] = {}
    counts: dict[tuple[str, str], int] = {}
    for response, parse in zip(responses, parsed(responses, documents), strict=True):
        doc_id, window = response.about["doc_id"], response.about["window"]
        for answer in parse.answers:
            same = (response.model, doc_id, answer.status, *answer.evidence)
            if answer.status == "ok" and seen.setdefault(same, window) != window:
                continue
            number = counts[response.model, doc_id] = counts.get((response.model, doc_id), -1) + 1
            rows.append({
                "doc_id": doc_id, "source": by_id[doc_id].source, "model": response.model,
                "sample": 0, "answer": number, "window": window,
                "evidence": list(answer.evidence), "description": answer.description,
                "status": answer.status, "reason": answer.reason,
            })  # fmt: skip
    return pd.DataFrame(rows, columns=list(ANSWERS))


def responses_table(responses: Sequence[Response], documents: Sequence[Document]) -> pd.DataFrame:
    """One row a document and model, its windows merged: columns RESPONSES.

    ``status`` is "ok" when every window is, else the first failure found in the order
    provider_error, refused, truncated, empty, malformed. ``valid`` says that all windows
    are ok and all that they hold parses. ``evidence_cut`` counts reference spans past the
    end of what the model was shown.
    """
    by_id = {document.doc_id: document for document in documents}
    groups: dict[tuple[str, str], list[tuple[Response, ParsedResponse]]] = {}
    for response, parse in zip(responses, parsed(responses, documents), strict=True):
        key = response.model, response.about["doc_id"]
        groups.setdefault(key, []).append((response, parse))
    rows = [_merged(by_id[doc_id], model, parts) for (model, doc_id), parts in groups.items()]
    return pd.DataFrame(rows, columns=list(RESPONSES))


_FAILURES = ("provider_error", "refused", "truncated", "empty", "malformed")


def _merged(
    document: Document, model: str, parts: Sequence[tuple[Response, ParsedResponse]]
) -> dict[str, Any]:
    states = [parse.status if r.status == "ok" else r.status for r, parse in parts]
    responses = [r for r, _ in parts]
    gradable = [any(a.status == "ok" for a in parse.answers) for _, parse in parts]
    return {
        "doc_id": document.doc_id, "source": document.source, "model": model, "sample": 0,
        "status": next((s for s in _FAILURES if s in states), "ok"),
        "valid": set(states) == {"ok"} and all(parse.valid for _, parse in parts),
        "n_windows": len(parts),
        "prompt_tokens": sum(r.prompt_tokens for r in responses),
        "completion_tokens": sum(r.completion_tokens for r in responses),
        "seconds": sum(r.seconds for r in responses),
        "cost_usd": sum(r.cost_usd for r in responses),
        "input_tokens_cut": sum(r.about["input_tokens_cut"] for r in responses),
        "evidence_cut": texts.spans_cut(document, max(r.about["end"] for r in responses)),
        "windows_failed": sum(
            s != "ok" and not g for s, g in zip(states, gradable, strict=True)
        ),
        "layer": "+".join(sorted({r.layer or "failed" for r in responses})),
    }  # fmt: skip


def grade(answers: pd.DataFrame, documents: Sequence[Document], describe: Any) -> pd.DataFrame:
    """Grade well-formed answers: columns GRADES, but for ``task`` (see `judge`).

    ``describe(predicted, references) -> list[float]`` scores descriptions
    (`description.Metric.score`). ``evidence`` is the strict F1. Malformed answers keep
    their row, unscored (NaN).
    """
    by_id = {document.doc_id: document for document in documents}
    ok = answers.status == "ok"
    rows = [
        _evidence_grades(row, by_id[row.doc_id]) if row.status == "ok" else {}
        for row in answers.itertuples()
    ]
    keys = ["doc_id", "source", "model", "sample", "answer", "status"]
    table = pd.concat([answers[keys].reset_index(drop=True), pd.DataFrame(rows)], axis=1)
    table = table.reindex(columns=list(GRADES))
    scored = [float("nan")] * len(answers)
    references = [by_id[doc_id].description for doc_id in answers.doc_id[ok]]
    values = describe(list(answers.description[ok]), references)
    for place, value in zip([i for i, good in enumerate(ok) if good], values, strict=True):
        scored[place] = value
    return table.assign(description=scored, task=float("nan"), judge_status="")


def _evidence_grades(row: Any, document: Document) -> dict[str, float]:
    spans = list(row.evidence)
    strict = score_evidence(spans, document.evidence, document.text, "strict")
    lenient = score_evidence(spans, document.evidence, document.text, "lenient")
    return {
        "n_spans": len(spans),
        "n_verbatim": sum(verbatim(span, document.text) for span in spans),
        "n_verbatim_folded": sum(verbatim_folded(span, document.text) for span in spans),
        "evidence_precision": strict.precision,
        "evidence": strict.f1,
        "evidence_recall": strict.recall,
        "evidence_lenient": lenient.f1,
    }


def scores(
    responses: pd.DataFrame, grades: pd.DataFrame, failures: str = "miss", floor: float = 0.0
) -> pd.DataFrame:
    """Response-level scores, section 3.3: a row a document and model, columns METRICS.

    For each metric separately, the best over the document's candidates. A response without
    a gradable answer scores 0, and ``floor`` for the description. ``failures="miss"``
    (FIND's headline): failed responses and judge calls count the same as no answer.
    ``failures="unscored"``: a failed response without a gradable answer is NaN, and so is
    the task where a window or a verdict is missing and no other candidate settles it (one
    TRUE is a hit whatever the others say); evidence and description are those of the
    answers there are.
    """
    if failures not in ("miss", "unscored"):
        raise FindlibError(f"failures={failures!r} is unknown; use miss or unscored")
    index = ["doc_id", "model"]
    best = grades.groupby(index)[list(METRICS)].max()
    answered = grades[grades.status == "ok"].groupby(index).size()
    unparsed = grades[~grades.judge_status.isin(["ok", ""])].groupby(index).size()
    table = responses[["doc_id", "source", "model", "status"]].set_index(index)
    table = table.join(best)
    if failures == "unscored":
        lost = (table.status != "ok") & ~table.index.isin(answered.index)
        unsettled = table.index.isin(unparsed.index) | (table.status != "ok")
        open_verdict = unsettled & ~(table.task == 1)
        keep = pd.DataFrame(dict.fromkeys(METRICS, ~lost), index=table.index)
        keep["task"] &= ~open_verdict
    else:
        keep = pd.DataFrame(True, index=table.index, columns=list(METRICS))
    low = {"evidence": 0.0, "description": floor, "task": 0.0}
    for metric in METRICS:
        values = table[metric].astype(float).fillna(low[metric]).clip(lower=low[metric])
        table[metric] = values.where(keep[metric])
    return table.reset_index()


def _unparsed(grades: pd.DataFrame, model: str) -> str:
    judged = grades[(grades.model == model) & (grades.status == "ok")]
    lost = judged.judge_status[judged.judge_status != "ok"].value_counts().sort_index()
    counts = ", ".join(f"{n} {status}" for status, n in lost.items()) or "none"
    return f"verdicts missing: {counts} of {len(judged)}"


def best_answer(
    answers: pd.DataFrame, grades: pd.DataFrame, doc_id: str, model: str
) -> Answer | None:
    """A model's answer on a document with the highest strict evidence score, the first of
    equals; None where there is no well-formed answer."""
    mine = (grades.doc_id == doc_id) & (grades.model == model) & (grades.status == "ok")
    if not mine.any():
        return None
    row = answers.loc[grades.evidence[mine].idxmax()]
    return Answer(list(row.evidence), row.description)


def first_answer(answers: pd.DataFrame) -> tuple[str, Answer] | None:
    """The first well-formed answer with its doc_id, or None."""
    ok = answers[answers.status == "ok"]
    if ok.empty:
        return None
    return ok.doc_id.iloc[0], Answer(list(ok.evidence.iloc[0]), ok.description.iloc[0])


def examples(
    documents: Sequence[Document], answers: pd.DataFrame, grades: pd.DataFrame, count: int
) -> list[tuple[Document, str, Answer | None]]:
    """For a page of examples: documents of different types and sources in turn, each with
    the best answer among all models, and that model's name."""
    found: list[tuple[Document, str, Answer | None]] = []
    rest, used = list(documents), Counter[str]()
    while rest and len(found) < count:  # the least shown type and source first
        document = min(rest, key=lambda d: (used[d.error_type], used[d.source]))
        rest.remove(document)
        used.update([document.error_type, document.source])
        mine = grades[(grades.doc_id == document.doc_id) & (grades.status == "ok")]
        model = mine.model[mine.evidence.idxmax()] if len(mine) else "no model"
        found.append((document, model, best_answer(answers, grades, document.doc_id, model)))
    return found


def failure_notes(responses: pd.DataFrame, grades: pd.DataFrame) -> list[str]:
    """What was cut off, failed or left unjudged, a line a model, for a table's notes."""
    notes = []
    for model, part in responses.groupby("model", sort=False):
        cut, spans = int((part.input_tokens_cut > 0).sum()), int(part.evidence_cut.sum())
        failed = part.status[part.status != "ok"].value_counts().sort_index()
        counts = ", ".join(f"{n} {status}" for status, n in failed.items()) or "none"
        notes.append(
            f"{model}: {cut} of {len(part)} documents cut at the input limit, "
            f"{spans} reference spans cut off; responses that failed: {counts}; "
            f"{_unparsed(grades, str(model))}."
        )
    return notes
