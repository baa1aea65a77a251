"""One insertion: what is replaced, where its evidence stands, and the document that results."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..checks.grid import Cell
from ..records import Document
from .source import TOKEN, Source, Span, value_of

LONG = 2_000  # characters between the first and the last evidence span of a long-range one
_MOST_SPAN = 900


@dataclass(frozen=True)
class Edit:
    """Characters [start, end) of a text become ``new``; ``places`` are the evidence in it."""

    start: int
    end: int
    new: str
    places: tuple[Span, ...]
    description: str
    error_type: str


Maker = Callable[[random.Random], Edit | None]


class Place(NamedTuple):
    """A place where a kind may go: its offset, and what makes the edit (None: no conflict)."""

    at: int
    make: Maker


def altered(rng: random.Random, token: str, accept: Callable[[float], bool]) -> str | None:
    """The number with two digits swapped or one replaced, in the same form; None if none fits.

    ``accept`` judges the new value. The first digit stays what it is where that is 0, and
    never becomes 0.

    >>> altered(random.Random(1), "1,234.50", lambda value: value > 1300)
    '1,324.50'
    """
    at = [i for i, c in enumerate(token) if c.isdigit()]
    swaps = [_put(token, {i: token[j], j: token[i]}) for i, j in pairwise(at)]
    singles = [_put(token, {i: d}) for i in at for d in "0123456789"]
    first = at[0]
    for options in (swaps, singles) if rng.random() < 0.4 else (singles,):
        fit = sorted(
            {o for o in options
             if o != token and (len(at) == 1 or (o[first] == "0") == (token[first] == "0"))
             and value_of(o) and accept(value_of(o))}
        )  # fmt: skip
        if fit:
            return rng.choice(fit)
    return None


def _put(token: str, chars: dict[int, str]) -> str:
    return "".join(chars.get(i, c) for i, c in enumerate(token))


def cell_edit(
    rng: random.Random, cell: Cell, accept: Callable[[float], bool]
) -> tuple[int, int, str, float] | None:
    """Where a cell's digits stand, what they become, and the new signed value."""
    token = TOKEN.search(cell.text)
    if token is None or cell.number is None:
        return None
    value = cell.number.value
    if value_of(token[0]) != abs(value):
        return None
    sign = -1.0 if value < 0 else 1.0
    new = altered(rng, token[0], lambda v: accept(sign * v))
    if new is None:
        return None
    start = cell.start + token.start()
    return start, start + len(token[0]), new, sign * value_of(new)


def spread(rng: random.Random, places: Iterable[Place], length: int, strata: int = 10) -> list:
    """Places in an order that begins in a random tenth of the text, then in another.

    Every tenth that has a place is as likely to come first as any other, so that kinds do not
    gather where documents are dense.
    """
    tenths: dict[int, list[Place]] = {}
    for place in sorted(places, key=lambda p: p.at):
        tenths.setdefault(min(strata - 1, place.at * strata // max(length, 1)), []).append(place)
    groups = [tenths[i] for i in sorted(tenths)]
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
    deepest = max(map(len, groups), default=0)
    return [group[i] for i in range(deepest) for group in groups if i < len(group)]


def document(found: Source, edit: Edit, source_code: str, doc_id: str) -> Document | None:
    """The document with the edit and its reference; None where evidence is not unique in it."""
    text = found.text[: edit.start] + edit.new + found.text[edit.end :]
    places = [_moved(place, edit) for place in edit.places]
    wide = [_unique(text, *place) if place else None for place in places]
    if not wide or any(place is None for place in wide) or text == found.text:
        return None
    spans = _merged([place for place in wide if place])
    inside = [found.doc.in_table(start) for start, _ in edit.places]
    modality = "table" if all(inside) else "both" if any(inside) else "text"
    scope = "long" if spans[-1][0] - spans[0][0] > LONG else "short"
    evidence = tuple(text[start:end] for start, end in spans)
    return Document(
        doc_id, text, source_code, edit.description, evidence, edit.error_type, modality, scope,
        corrected=found.text,
    )  # fmt: skip


def _moved(place: Span, edit: Edit) -> Span | None:
    """A place of the original in the new text; None where the edit cuts it."""
    start, end = place
    longer = len(edit.new) - (edit.end - edit.start)
    if end <= edit.start:
        return place
    if start >= edit.end:
        return start + longer, end + longer
    return (start, end + longer) if start <= edit.start and end >= edit.end else None


def _unique(text: str, start: int, end: int) -> Span | None:
    """The place without blanks at its ends, widened by lines until it stands only once."""
    for _ in range(5):
        piece = text[start:end]
        low, high = end - len(piece.lstrip()), start + len(piece.rstrip())
        if low >= high or high - low > _MOST_SPAN:
            return None
        if text.count(text[low:high]) == 1:
            return low, high
        line = text.rfind("\n", 0, start) + 1
        if line == start and start:
            line = text.rfind("\n", 0, start - 1) + 1
        stop = text.find("\n", end)
        start, end = line, len(text) if stop < 0 else stop
    return None


def _merged(places: list[Span]) -> list[Span]:
    """Places in reading order; those that overlap are one."""
    merged: list[Span] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def changed(found: Document) -> Span:
    """The characters of a document's text that differ from its ``corrected`` one.

    Empty (start == end) where something was removed.

    >>> changed(Document("d", "it rose by 12", corrected="it rose by 92"))
    (11, 12)
    """
    new, old = found.text, found.corrected
    start = _common(new, old)
    back = _common(new[: start - len(new) - 1 : -1], old[: start - len(old) - 1 : -1])
    return start, len(new) - back


def _common(a: str, b: str) -> int:
    """Length of the common beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low
