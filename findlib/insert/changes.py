"""Changes that sentences state and that arithmetic bears out: what percentage, which way."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..checks.grid import Cell
from ..checks.prose import Quantity, quantities, written
from .source import Source, Span, words
from .twins import labelled, printed

_PAIRS = (("increased", "decreased"), ("increase", "decrease"), ("increases", "decreases"),
          ("increasing", "decreasing"), ("rose", "fell"), ("higher", "lower"), ("grew", "declined"),
          ("growth", "decline"), ("up", "down"))  # fmt: skip
RISES = frozenset(rise for rise, _ in _PAIRS)
OPPOSITE = {**dict(_PAIRS), **{fall: rise for rise, fall in _PAIRS}}
_DIRECTION = re.compile(rf"\b(?:an? )?({'|'.join(OPPOSITE)})\b", re.I)
_LEVEL = re.compile(r"\b(?P<to>to|compared (?:to|with)|versus|from)\s+$", re.I)
_MOST_ROWS = 200  # rows of one label word that are compared with a sentence
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_BASIS = re.compile(r"comparable|organic|constant|currenc|adjusted|exclud|non-gaap", re.I)


@dataclass(frozen=True)
class Change:
    """A stated change: its levels, the percentage and the direction word that agree with them.

    ``ordered`` says that the levels tell the direction by themselves. ``row`` is the table row
    that holds them, None where they stand in the sentence.
    """

    sentence: Span
    new: float
    old: float
    step: float
    percent: Quantity | None
    word: Span
    ordered: bool = True
    row: Span | None = None

    @property
    def places(self) -> tuple[Span, ...]:
        """Where the evidence stands."""
        return (self.sentence,) if self.row is None else (self.sentence, self.row)

    @property
    def course(self) -> str:
        """The levels in words."""
        return f"from {written(self.old, self.step)} to {written(self.new, self.step)}"

    @property
    def exact(self) -> float:
        """The size of the change in percent."""
        return 100 * abs(self.new - self.old) / abs(self.old)

    @property
    def room(self) -> float:
        """What rounding of the levels and of the percentage explains, in percentage points."""
        stated = self.percent.step * 0.51 if self.percent else 0.0
        return stated + 50 * self.step * (1 + abs(self.new / self.old)) / abs(self.old)

    @property
    def agrees(self) -> bool:
        """Whether the percentage, if there is one, follows from the levels."""
        return self.percent is None or abs(abs(self.percent.value) - self.exact) <= self.room


@dataclass(frozen=True)
class _Stated:
    """The first change of a sentence: its word, the percentage and amounts that belong to it."""

    sentence: Span
    word: Span
    rises: bool
    percent: Quantity | None
    amounts: tuple[Quantity, ...]


@lru_cache(maxsize=4)
def changes(found: Source) -> tuple[Change, ...]:
    """The stated changes whose numbers agree, at most one a sentence, in reading order."""
    rows = _row_index(found)
    made = (
        _in_sentence(found, stated) or _by_row(found, stated, rows) for stated in _stated(found)
    )
    return tuple(change for change in made if change)


def _stated(found: Source) -> Iterator[_Stated]:
    for sentence in found.sentences:
        marks = list(_DIRECTION.finditer(found.text, *sentence))
        if not marks or "respective" in found.text[slice(*sentence)]:
            continue
        word = marks[0]
        end = marks[1].start() if len(marks) > 1 else sentence[1]
        held = quantities(found.text, *sentence)
        inside = [q for q in held if word.start() - 15 <= q.start and q.end <= end]
        percents = [q for q in inside if q.kind == "percent"]
        amounts = [q for q in inside if q.kind in ("money", "plain") and q.value > 0]
        percent = percents[0] if percents else None
        rises = word[1].lower() in RISES
        yield _Stated(sentence, word.span(), rises, percent, tuple(amounts))


def _in_sentence(found: Source, stated: _Stated) -> Change | None:
    """ "to A from B", "from B to A", "to A compared to B", "by C, or p%, to A"."""
    marked = []
    for q in stated.amounts:
        before = found.text[max(stated.word[1], q.start - 16) : q.start]
        if q.start >= stated.word[1] and (m := _LEVEL.search(before)):
            marked.append((q, m["to"].lower()))
    kinds = [role if role in ("to", "from") else "from" for _, role in marked]
    if sorted(kinds) == ["from", "to"]:
        new, old = (marked[kinds.index(role)][0] for role in ("to", "from"))
        step = max(new.step, old.step)
        change = Change(stated.sentence, new.value, old.value, step, stated.percent, stated.word)
        fits = new.kind == old.kind and (new.value > old.value) == stated.rises
        return change if fits and change.agrees and new.value != old.value else None
    if kinds == ["to"] and stated.percent:
        return _by_amount(found, stated, marked[0][0])
    return None


def _by_amount(found: Source, stated: _Stated, new: Quantity) -> Change | None:
    """ "increased $135 million, or 5%, to $2,791 million": the old level follows."""
    percent = stated.percent
    for q in stated.amounts:
        between = found.text[q.end : percent.start] if percent else ""
        if percent and q.kind == new.kind and re.fullmatch(r",?\s+(?:or|\()\s*", between):
            old = new.value - q.value if stated.rises else new.value + q.value
            step = max(new.step, q.step)
            if old > 0:
                change = Change(
                    stated.sentence, new.value, old, step, percent, stated.word, ordered=False
                )
                return change if change.agrees else None
    return None


_Row = tuple[int, int, list[Cell]]


def _row_index(found: Source) -> dict[str, list[_Row]]:
    """Labelled rows with two positive numbers or more, by each word of the label."""
    by: dict[str, list[_Row]] = defaultdict(list)
    for i, table in enumerate(found.doc.tables):
        for r, row in enumerate(table.rows):
            held = [c for c in row.numbers.values() if c.number and c.number.value > 0]
            if len(held) > 1:
                for word in words(row.label):
                    by[word].append((i, r, held))
    return by


def _by_row(found: Source, stated: _Stated, rows: dict[str, list[_Row]]) -> Change | None:
    """A change that two columns of a row named in the sentence, a year apart, bear out."""
    text = found.text[slice(*stated.sentence)]
    other_basis = bool(_BASIS.search(text))
    candidates = {row[:2]: row for w in sorted(words(text)) for row in rows.get(w, [])[:_MOST_ROWS]}
    for i, r, held in candidates.values():
        label = found.doc.tables[i].rows[r].label
        if labelled(found, i, r, text) and (not other_basis or _BASIS.search(label)):
            change = _row_change(found, stated, (i, r, held))
            if change:
                return change
    return None


def _row_change(found: Source, stated: _Stated, row: _Row) -> Change | None:
    """The change of two columns that agrees with three digits of what is stated, or more."""
    i, r, held = row
    table = found.doc.tables[i]
    dated = [(y, c) for c in held if (y := _year(table.headers[table.rows[r].cells.index(c)]))]
    amounts = {q.printed for q in stated.amounts}
    for y, new in dated:
        for z, old in dated:
            a, b = new.number, old.number
            if y != z + 1 or not a or not b or a.percent or b.percent or a.value == b.value:
                continue
            difference = f"{abs(a.value - b.value):,.{max(a.decimals, b.decimals)}f}"
            agreed = amounts & {difference, printed(new), printed(old)}
            digits = max((len(re.sub(r"\D", "", x).strip("0")) for x in agreed), default=0)
            digits += len(re.sub(r"\D", "", stated.percent.printed)) if stated.percent else 0
            change = Change(
                stated.sentence, a.value, b.value, max(a.step, b.step), stated.percent,
                stated.word, row=found.row_span(i, r),
            )  # fmt: skip
            if digits >= 3 and change.agrees and (a.value > b.value) == stated.rises:
                return change
    return None


def _year(header: str) -> int:
    years = set(_YEAR.findall(header))
    return int(years.pop()) if len(years) == 1 else 0
