"""Show an answer in a notebook: the document's passages with the spans highlighted."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .evidence import locate
from .records import Answer, Document, reference

CONTEXT = 160  # characters shown on each side of a span


@dataclass(frozen=True)
class Passage:
    """Characters [start, end) of a document and the highlighted ranges within them."""

    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


def passages(text: str, spans: Iterable[str], context: int = CONTEXT) -> list[Passage]:
    """The parts of a text around its spans, in reading order, overlapping ones joined.

    A span is marked where it first stands; spans that do not occur are left out. Passages
    are widened to the line where that is near, else to a word's edge.
    """
    places = (locate(span, text) for span in dict.fromkeys(spans))
    marks = sorted((place.start, place.end) for place in places if place)
    found: list[Passage] = []
    for start, end in marks:
        left, right = _widen(text, start, end, context)
        if found and left <= found[-1].end:
            last = found.pop()
            right = max(right, last.end)
            found.append(Passage(last.start, right, (*last.marks, (start, end))))
        else:
            found.append(Passage(left, right, ((start, end),)))
    return found


def _widen(text: str, start: int, end: int, context: int) -> tuple[int, int]:
    left, right = max(0, start - context), min(len(text), end + context)
    line = text.rfind("\n", left, start)
    blank = text.find(" ", left, start)
    left = line + 1 if line >= 0 else (blank + 1 if left and blank >= 0 else left)
    line = text.find("\n", end, right)
    blank = text.rfind(" ", end, right)
    right = line if line >= 0 else (blank if right < len(text) and blank >= 0 else right)
    return left, right


@dataclass(frozen=True)
class Shown:
    """What a notebook renders; hostile content is escaped, nothing is loaded from outside."""

    title: str
    answer: Answer
    text: str
    whole: bool = False

    def _repr_html_(self) -> str:
        shown = passages(self.text, self.answer.evidence)
        if self.whole:
            marks = tuple(mark for passage in shown for mark in passage.marks)
            shown = [Passage(0, len(self.text), marks)]
        missing = [span for span in self.answer.evidence if not locate(span, self.text)]
        blocks = [_block(self.text, passage) for passage in shown]
        blocks += [
            f'<p style="color:#a00">not in the document: <code>{html.escape(span)}</code></p>'
            for span in missing
        ]
        style = "border-left:4px solid #4477aa;padding:2px 10px;margin:8px 0;max-width:60em"
        return (
            f'<div style="{style}"><b>{html.escape(self.title)}</b>'
            f"<p><i>{html.escape(self.answer.description) or 'no description'}</i></p>"
            f"{''.join(blocks)}</div>"
        )

    def __repr__(self) -> str:
        spans = "\n".join(f"  - {span}" for span in self.answer.evidence)
        return f"{self.title}\n{self.answer.description}\n{spans}"


def answer(found: Answer, document: Document, title: str = "", whole: bool = False) -> Shown:
    """An answer over its document, for display as the last line of a cell.

    ``whole`` shows all of the document, not just the passages around the spans.

    >>> from findlib import data
    >>> document = data.load_find("data/sample")[0]
    >>> "<mark" in answer(reference(document), document)._repr_html_()
    True
    """
    return Shown(title or document.doc_id, found, document.text, whole)


def expected(document: Document) -> Shown:
    """The expected inconsistency of a document, for display."""
    return answer(reference(document), document, f"{document.doc_id}: expected inconsistency")


def _block(text: str, passage: Passage) -> str:
    pieces, at = [], passage.start
    for start, end in _disjoint(passage.marks):
        pieces += [html.escape(text[at:start]), _mark(text[start:end])]
        at = end
    pieces.append(html.escape(text[at : passage.end]))
    style = "white-space:pre-wrap;font-family:monospace;font-size:90%;margin:6px 0"
    return f'<div style="{style}">…{"".join(pieces)}…</div>'


def _mark(text: str) -> str:
    return f'<mark style="background:#ffdd88">{html.escape(text)}</mark>'


def _disjoint(marks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
