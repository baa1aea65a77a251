"""Parse a model's response in the tagged answer format (FIND, Appendix D.2)."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from .records import Answer

# a tag of the format; attributes are bounded so that hostile input stays linear
_TAG = re.compile(
    r"<(/?)(answer|evidence|description|think|thinking|thought|reasoning)(?:\s[^<>]{0,80})?>", re.I
)
_MOST_LOOKUPS = 200  # texts with entities that are looked up in the document
_THINKING = ("think", "thinking", "thought", "reasoning")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});", re.I)


@dataclass(frozen=True)
class ParsedResponse:
    """What a response holds: its answers in order, and whether all of it parses.

    ``answers`` includes malformed ones, each with a reason; ``problems`` lists what is
    wrong outside answers; ``valid`` is the paper's format validity; ``status`` is "ok",
    "empty" (no text) or "malformed" (nothing that can be graded and not valid).
    """

    answers: list[Answer]
    problems: tuple[str, ...] = ()
    status: str = "ok"

    @property
    def valid(self) -> bool:
        """Whether everything that the response should hold parses."""
        return (
            self.status == "ok"
            and not self.problems
            and all(answer.status == "ok" for answer in self.answers)
        )


@dataclass
class _State:
    """The scanner's place: the open answer, its parts, and the open part."""

    document: str | None
    answers: list[Answer] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    empty_answers: int = 0
    open: bool = False
    evidence: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    part: str = ""
    part_start: int = 0
    answer_start: int = 0
    seen: dict[str, bool] = field(default_factory=dict)  # whether a text with entities is verbatim


def parse_response(text: str, document: str | None = None) -> ParsedResponse:
    """Find every answer of a response; one pass over the tags, linear in the text.

    Closed thinking blocks are passed over, and so is all before a lone ``</think>``; an
    unclosed one hides nothing. Markdown fences and prose around answers are ignored. The
    content of a tag is kept as written but for blanks at its ends; character references
    (``&amp;``) are resolved unless the text as written is verbatim in ``document``.
    ``<answer></answer>`` says that there is no inconsistency: status "ok", no answer.

    >>> parsed = parse_response("<answer><evidence>a</evidence><evidence>b</evidence>"
    ...                         "<description>a is not b</description></answer>")
    >>> parsed.valid, parsed.answers[0].evidence
    (True, ['a', 'b'])
    """
    if not text.strip():
        return ParsedResponse([], ("no text",), "empty")
    state = _State(document)
    for tag in _outside_thinking(text):
        _step(state, text, tag)
    if state.open:
        state.faults.append("not closed")
        _close_answer(state)
    found_any = bool(state.answers or state.empty_answers)
    if not found_any:
        state.problems.append("no answer tag")
    gradable = any(answer.status == "ok" for answer in state.answers)
    status = "ok" if gradable or (state.empty_answers and not state.answers) else "malformed"
    return ParsedResponse(state.answers, tuple(state.problems), status)


def _outside_thinking(text: str) -> list[re.Match[str]]:
    """The format's tags that lie outside thinking blocks."""
    kept: list[re.Match[str]] = []
    opened: int | None = None  # how many tags were kept when the open block began
    for tag in _TAG.finditer(text):
        if tag[2].lower() not in _THINKING:
            kept.append(tag)
        elif not tag[1]:
            opened = len(kept) if opened is None else opened
        else:
            del kept[opened or 0 :]
            opened = None
    return kept


def _step(state: _State, text: str, tag: re.Match[str]) -> None:
    closing, name = bool(tag[1]), tag[2].lower()
    if name == "answer":
        _step_answer(state, text, tag, closing)
    elif not state.open:
        state.problems.append(f"{name} outside an answer")
    elif not closing:
        if state.part:
            state.faults.append(f"{state.part} not closed")
        state.part, state.part_start = name, tag.end()
    elif state.part != name:
        state.faults.append(f"{name} closed but not open")
    else:
        content = _content(text[state.part_start : tag.start()], state)
        (state.evidence if name == "evidence" else state.descriptions).append(content)
        state.part = ""


def _step_answer(state: _State, text: str, tag: re.Match[str], closing: bool) -> None:
    if closing and not state.open:
        state.problems.append("answer closed but not open")
    elif closing:
        bare = not (state.evidence or state.descriptions or state.faults or state.part)
        if bare and not text[state.answer_start : tag.start()].strip():
            state.empty_answers += 1
            state.open = False
        else:
            _close_answer(state)
    else:
        if state.open:
            state.faults.append("another answer begins inside")
            _close_answer(state)
        state.open, state.answer_start = True, tag.end()


def _close_answer(state: _State) -> None:
    """Judge the open answer, append it, and be ready for the next."""
    faults = list(state.faults)
    if state.part:
        faults.append(f"{state.part} not closed")
    if not state.evidence:
        faults.append("no evidence")
    if not all(state.evidence):
        faults.append("empty evidence")
    if len(state.descriptions) != 1:
        faults.append(f"{len(state.descriptions)} descriptions")
    elif not state.descriptions[0]:
        faults.append("empty description")
    status = "malformed" if faults else "ok"
    description = state.descriptions[0] if state.descriptions else ""
    state.answers.append(Answer(state.evidence, description, status, "; ".join(faults)))
    state.open, state.part = False, ""
    state.evidence, state.descriptions, state.faults = [], [], []


def _content(raw: str, state: _State) -> str:
    raw = raw.strip()
    if not _ENTITY.search(raw):
        return raw
    if state.document is not None and len(state.seen) < _MOST_LOOKUPS and raw not in state.seen:
        state.seen[raw] = raw in state.document
    if state.seen.get(raw):
        return raw
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), raw).strip()
