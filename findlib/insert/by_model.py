"""Insertions that a model writes and another one checks: contradictions beyond numbers.

The writer proposes a changed passage and the one it contradicts; code verifies that both are
verbatim and stand once. The checker, which is told nothing of the change, must find that the
passages contradict each other as changed and agree as they were.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from .. import documents as reading
from .. import models
from ..cache import Cache
from ..judge import neutral, parse_verdict
from ..models import MAX_INPUT_TOKENS, ModelSpec
from ..paths import package
from ..records import Document
from ..runner import Request, run
from .edit import Edit, document
from .source import source

_PROMPT_TOKENS, _OVERLAP, _CONTEXT = 700, 50, 200
_MOST_PASSAGE = 800


class _Proposal(BaseModel):
    """The writer's reply, as it comes from outside."""

    model_config = ConfigDict(extra="ignore", strict=True)
    passage: str
    replacement: str
    other: str
    description: str
    error_type: Literal["non-numeric", "structural"]


@dataclass(frozen=True)
class Written:
    """Documents that passed both, and by name why the others did not."""

    documents: tuple[Document, ...]
    refused: Mapping[str, str]


@dataclass(frozen=True)
class _Made:
    """A proposal that code has verified, with its document."""

    document: Document
    proposal: _Proposal


def by_model(
    texts: Mapping[str, str],
    writer: ModelSpec,
    checker: ModelSpec,
    seed: int = 1,
    cache: Cache | None = None,
    budget_usd: float | None = None,
    progress: bool = False,
) -> Written:
    """One contradiction in each text, written by a model and checked by another.

    ``texts`` by name. A text longer than the writer reads is shown in one window of it, drawn
    by ``seed``, so that places spread over the text. Requests go through the cache and the
    runner; paid ones raise RunStopped unless ``budget_usd`` is given, once for each model.
    """
    calls = [_ask_writer(name, text, writer, seed) for name, text in sorted(texts.items())]
    made: dict[str, _Made] = {}
    refused: dict[str, str] = {}
    for reply in run(calls, cache, budget_usd, progress):
        name = reply.about["doc_id"]
        found = _proposed(name, texts[name], reply.text) if reply.status == "ok" else reply.status
        if isinstance(found, str):
            refused[name] = f"writer: {found}"
        else:
            made[name] = found
    checks = [_ask_checker(found, checker, side) for found in made.values() for side in _SIDES]
    verdicts: dict[tuple[str, str], bool | None] = {}
    for reply in run(checks, cache, budget_usd, progress):
        verdict = parse_verdict(reply.text) if reply.status == "ok" else None
        verdicts[reply.about["doc_id"], reply.about["side"]] = verdict
    for name in made:
        if why := _fault(*(verdicts[name, side] for side in _SIDES)):
            refused[name] = f"checker: {why}"
    return Written(tuple(m.document for n, m in made.items() if n not in refused), refused)


_SIDES = ("changed", "unchanged")


def _fault(changed: bool | None, unchanged: bool | None) -> str:
    """Why two verdicts do not pass; "" where they do."""
    if changed is None or unchanged is None:
        return "no verdict"
    if not changed:
        return "no contradiction"
    return "the unchanged passages contradict each other" if unchanged else ""


def _ask_writer(name: str, text: str, spec: ModelSpec, seed: int) -> Request:
    by = reading.tokenizer(spec.tokenizer)
    limit = max(min(spec.max_input_tokens, MAX_INPUT_TOKENS) - _PROMPT_TOKENS, 3 * _OVERLAP)
    windows = reading.windows(text, limit, _OVERLAP, by)
    window = random.Random(f"{name} {seed}").choice(windows)
    parts = {"document": text[window.start : window.end]}
    return _request(spec, "insert.write", parts, {"doc_id": name, "make": "insert WRITER"})


def _request(
    spec: ModelSpec, prompt: str, parts: Mapping[str, str], about: dict[str, str]
) -> Request:
    system, user = (
        package(f"prompts/{prompt}.{role}.txt").read_text(encoding="utf-8").strip()
        for role in ("system", "user")
    )
    filled = re.sub(r"\{(document|first|second)\}", lambda m: parts[m[1]], user)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": filled}]
    sent, _ = models.settings(spec)
    return Request(spec, messages, sent, 0, about)


def _proposed(name: str, text: str, reply: str) -> _Made | str:
    """The document that a reply proposes, or why it is none."""
    try:
        proposal = _Proposal.model_validate(_json(reply))
    except (ValidationError, ValueError) as error:
        return f"not the JSON that was asked for ({str(error).splitlines()[0]})"
    for span in (proposal.passage, proposal.other):
        if not span.strip() or len(span) > _MOST_PASSAGE or text.count(span) != 1:
            return f"passage does not stand once in the document: {span[:60]!r}"
    start, other = text.index(proposal.passage), text.index(proposal.other)
    places = ((other, other + len(proposal.other)), (start, start + len(proposal.passage)))
    if places[0][0] < places[1][1] and places[1][0] < places[0][1]:
        return "the two passages overlap"
    longest = 2 * len(proposal.passage) + 200
    if not proposal.replacement.strip() or len(proposal.replacement) > longest:
        return "the replacement is empty or far longer than the passage"
    if not proposal.description.strip():
        return "no description"
    edit = Edit(*places[1], proposal.replacement, places, proposal.description, proposal.error_type)
    made = document(source(text), edit, "OWN", name)
    if made is None or made.text.count(proposal.other) != 1:
        return "nothing is changed, or the evidence does not stand once"
    return _Made(made, proposal)


def _json(reply: str) -> object:
    """The first JSON object of a reply, past a closed thinking block."""
    reply = re.sub(r"^.*</think(?:ing)?>", "", reply, flags=re.S)
    start = reply.find("{")
    if start < 0:
        raise ValueError("no object")
    return json.JSONDecoder().raw_decode(reply[start:])[0]


def _ask_checker(made: _Made, spec: ModelSpec, side: str) -> Request:
    """The passage, as changed or as it was, and the other one, each with what stands around."""
    before, proposal = made.document.corrected, made.proposal
    text = made.document.text if side == "changed" else before
    start, other = before.index(proposal.passage), text.index(proposal.other)
    passage = proposal.replacement if side == "changed" else proposal.passage
    places = {
        "first": (other, other + len(proposal.other)),
        "second": (start, start + len(passage)),
    }
    parts = {
        name: neutral(text[max(0, low - _CONTEXT) : high + _CONTEXT])
        for name, (low, high) in places.items()
    }
    about = {"side": side, "make": "insert CHECKER"}
    return _request(spec, "insert.check", parts, {"doc_id": made.document.doc_id, **about})
