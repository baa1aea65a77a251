"""The deterministic reader with a model: union of their findings, and findings confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from . import models
from .cache import Cache
from .evidence import locate
from .judge import fill, parse_verdict
from .models import ModelSpec
from .paths import FindlibError, package
from .records import ANSWERS, Document
from .runner import Request, run
from .show import passages

SAME = 0.5  # share of the shorter evidence that lies in the other's: the same passages
VERDICT_GRAMMAR = 'root ::= [^\\n]{10,300} "\\nVERDICT: " ("TRUE" | "FALSE")'
PROMPTS = ("verify.system.txt", "verify.user.txt")


def split(names: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The models to ask and the unions to make of them: "rules+gpt-5" asks both.

    Raises FindlibError for a union of anything but two models.

    >>> split(["smollm2-135m", "rules+smollm2-135m"])
    (['smollm2-135m', 'rules'], [('rules', 'smollm2-135m')])
    """
    unions = [tuple(name.split("+")) for name in dict.fromkeys(names) if "+" in name]
    for union in unions:
        if len(union) != 2 or not all(union) or union[0] == union[1]:
            raise FindlibError(f"model {'+'.join(union)!r}: a union is of two, as in rules+gpt-5")
    plain = [name for name in names if "+" not in name]
    asked = dict.fromkeys([*plain, *(name for union in unions for name in union)])
    return list(asked), [(first, second) for first, second in unions]


def extend(
    answers: pd.DataFrame,
    responses: pd.DataFrame,
    documents: Sequence[Document],
    unions: Sequence[tuple[str, str]],
    verifier: ModelSpec | None = None,
    cache: Cache | None = None,
    budget_usd: float | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables with the unions added, and the findings of "rules" as verified, if asked."""
    more = [union(answers, responses, documents, *names) for names in unions]
    if verifier is not None:
        if "rules" not in set(responses.model):
            raise FindlibError("verify needs the model rules; add it to MODELS")
        more.append(verify(answers, responses, documents, "rules", verifier, cache, budget_usd))
    added_answers, added_responses = ([pair[i] for pair in more] for i in (0, 1))
    return (
        pd.concat([answers, *added_answers], ignore_index=True),
        pd.concat([responses, *added_responses], ignore_index=True),
    )


def union(
    answers: pd.DataFrame,
    responses: pd.DataFrame,
    documents: Sequence[Document],
    first: str,
    second: str,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers and responses of the model "first+second", a union of the two models' answers.

    Answers whose evidence is of the same passages (at least SAME of the
    characters of the shorter evidence lie in the other's) are merged:
    the first model's stands. Those of both come first, then the rest of the first model's,
    then of the second's, each in their order. A response is ok when both are; tokens, times
    and costs add up.
    """
    name = f"{first}+{second}"
    rows: list[dict[str, Any]] = []
    for document in documents:
        mine = answers[(answers.doc_id == document.doc_id)]
        one, two = (_records(mine[mine.model == model]) for model in (first, second))
        for number, row in enumerate(_merged(one, two, document.text)):
            rows.append({**row, "model": name, "answer": number})
    both = [responses[responses.model == model].set_index("doc_id") for model in (first, second)]
    kept = [d.doc_id for d in documents if all(d.doc_id in part.index for part in both)]
    joined = [_joined(both[0].loc[doc], both[1].loc[doc], doc, name) for doc in kept]
    return (
        pd.DataFrame(rows, columns=list(ANSWERS)),
        pd.DataFrame(joined, columns=list(responses.columns)),
    )


def _records(part: pd.DataFrame) -> list[dict[str, Any]]:
    return [dict(row) for row in part.sort_values("answer").to_dict("records")]


def _merged(
    first: list[dict[str, Any]], second: list[dict[str, Any]], text: str
) -> list[dict[str, Any]]:
    """The union of two lists of answers in the order said above."""
    twins = {i: [j for j, b in enumerate(second) if _same(a, b, text)] for i, a in enumerate(first)}
    doubled = {j for found in twins.values() for j in found}
    return [
        *(a for i, a in enumerate(first) if twins[i]),
        *(a for i, a in enumerate(first) if not twins[i]),
        *(b for j, b in enumerate(second) if j not in doubled),
    ]


def _same(a: dict[str, Any], b: dict[str, Any], text: str) -> bool:
    if a["status"] != "ok" or b["status"] != "ok":
        return False
    one, two = (_characters(row["evidence"], text) for row in (a, b))
    return len(one & two) >= SAME * max(1, min(len(one), len(two)))


def _characters(spans: Sequence[str], text: str) -> set[int]:
    """The positions of a text that these spans cover, each where it first stands."""
    places = (locate(span, text) for span in spans)
    return {i for place in places if place for i in range(place.start, place.end)}


def _joined(a: pd.Series, b: pd.Series, doc_id: str, name: str) -> dict[str, Any]:
    added = ("n_windows", "prompt_tokens", "completion_tokens", "seconds", "cost_usd",
             "windows_failed")  # fmt: skip
    return {
        **a.to_dict(), "doc_id": doc_id, "model": name,
        "status": a.status if a.status != "ok" else b.status,
        "valid": bool(a.valid and b.valid),
        **{key: a[key] + b[key] for key in added},
        "input_tokens_cut": min(a.input_tokens_cut, b.input_tokens_cut),
        "evidence_cut": min(a.evidence_cut, b.evidence_cut),
        "layer": "+".join(sorted({*a.layer.split("+"), *b.layer.split("+")})),
    }  # fmt: skip


def verify_request(row: Any, document: Document, spec: ModelSpec) -> Request:
    """The request that shows a model only the passages of one finding."""
    system, user = (package(f"prompts/{name}").read_text(encoding="utf-8") for name in PROMPTS)
    shown = passages(document.text, row.evidence)
    parts = {
        "passages": "\n[...]\n".join(document.text[p.start : p.end] for p in shown),
        "finding": "\n".join([*(f"- {span}" for span in row.evidence), row.description]),
    }
    filled = fill(user.strip(), parts, ("passages", "finding"))
    messages = [{"role": "system", "content": system.strip()}, {"role": "user", "content": filled}]
    sent, _ = models.settings(spec)
    if spec.constraint:  # a model that needs a grammar to keep a format
        sent = {**sent, "extra_body": {**sent.get("extra_body", {}), "grammar": VERDICT_GRAMMAR}}
    return Request(spec, messages, sent, 0, {"doc_id": document.doc_id})


def verify(
    answers: pd.DataFrame,
    responses: pd.DataFrame,
    documents: Sequence[Document],
    model: str,
    spec: ModelSpec,
    cache: Cache | None = None,
    budget_usd: float | None = None,
    progress: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers and responses of "model>NAME": the answers of ``model`` that NAME calls real.

    A finding that the model calls not real is dropped; one without a verdict (unparsed, or
    a failed call) is kept, and ``reason`` says so: nothing is lost to a failure.
    """
    name, by_id = f"{model}>{spec.name}", {d.doc_id: d for d in documents}
    mine = answers[(answers.model == model) & (answers.status == "ok")]
    requests = [verify_request(row, by_id[row.doc_id], spec) for row in mine.itertuples()]
    replies = run(requests, cache, budget_usd, progress)
    verdicts = [parse_verdict(r.text) if r.status == "ok" else None for r in replies]
    reasons = ["" if v is not None else f"not verified: {r.status}"
               for v, r in zip(verdicts, replies, strict=True)]  # fmt: skip
    kept = mine.assign(model=name, reason=reasons)[[v is not False for v in verdicts]]
    kept = kept.assign(answer=kept.groupby("doc_id").cumcount())
    spent = pd.DataFrame({
        "doc_id": mine.doc_id.to_list(),
        **{key: [getattr(r, key) for r in replies]
           for key in ("prompt_tokens", "completion_tokens", "seconds", "cost_usd")},
    }).groupby("doc_id").sum()  # fmt: skip
    told = responses[responses.model == model].assign(model=name).set_index("doc_id")
    for key in spent:
        told[key] = told[key].add(spent[key], fill_value=0)
    return kept, told.reset_index()[list(responses.columns)]
