"""What adds up in the tables of a document, and where it does not.

`analyse` collects the relations of every table down its columns and across its rows, with a
presumed one for a column whose "Total" nothing explains; `Fail` is a place that disagrees.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from .grid import Cell, Table
from .pairs import counts
from .relations import Relation, View, relations, reversed_view, rounding, turned
from .views import TOTAL, Numbers

if TYPE_CHECKING:
    from .doc import Doc

Place = tuple[int, int]  # row and column
_MOST_CELLS = 40_000
_TRUSTED = 6.0  # digits of evidence from which a relation tells whether sums are exact
_JUST_TOTAL = re.compile(r"^(?:grand )?totals?$", re.I)
_GLUED = re.compile(r"\d[\d,]*\.\d|\d,\d{3}")  # amounts that were read as part of a label
_PERIOD = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\d+|\b(?:one|two|three|six|nine"
    r"|twelve|first|second|third|fourth|months?|weeks?|quarters?|years?|fiscal|ended|as of|at)\b"
    r"|[\W_]+",
    re.I,
)


@dataclass(frozen=True)
class Fail:
    """One position of a relation: ``differ`` is stated minus computed."""

    relation: Relation
    axis: str  # "down" a column or "across" a row
    position: int
    differ: int

    def cell(self, line: int) -> Place:
        """Row and column of a line at this position."""
        return (line, self.position) if self.axis == "down" else (self.position, line)

    @property
    def total(self) -> Place:
        """The cell of the total."""
        return self.cell(self.relation.total)

    @property
    def terms(self) -> list[tuple[Place, int]]:
        """The cells of the parts, with their signs."""
        return [(self.cell(i), s) for i, s in self.relation.parts[self.position]]

    @property
    def cells(self) -> list[Place]:
        """Parts and total."""
        return [c for c, _ in self.terms] + [self.total]

    @property
    def slack(self) -> int:
        """What rounding may explain."""
        return self.relation.slack[self.position]

    @property
    def rounding(self) -> bool:
        """Whether rounding may explain the difference."""
        return abs(self.differ) <= self.slack

    @property
    def lines(self) -> range:
        """The lines from the first to the last that take part."""
        lines = [i for i, _ in self.relation.parts[self.position]] + [self.relation.total]
        return range(min(lines), max(lines) + 1)

    def cures(self) -> Iterator[tuple[Place, int]]:
        """Each cell and what must be added to it for the relation to hold."""
        yield self.total, -self.differ
        for cell, sign in self.terms:
            yield cell, sign * self.differ


@dataclass(frozen=True)
class Sums:
    """The relations of one table: down its columns and across its rows."""

    index: int
    numbers: Numbers
    down: tuple[Relation, ...]
    across: tuple[Relation, ...]

    @property
    def table(self) -> Table:
        """The table itself."""
        return self.numbers.table

    @property
    def groups(self) -> Iterator[tuple[str, Relation]]:
        """Every relation with its axis."""
        yield from (("down", r) for r in self.down)
        yield from (("across", r) for r in self.across)

    def fails(self) -> list[Fail]:
        """The positions at which a relation does not hold exactly."""
        return [
            Fail(r, axis, p, d) for axis, r in self.groups for p, d in sorted(r.differ.items()) if d
        ]

    @cached_property
    def supported(self) -> dict[Place, float]:
        """Digits of evidence of the relations that each cell takes part in and that are exact."""
        counts: dict[Place, float] = defaultdict(float)
        for axis, r in self.groups:
            for p in (q for q in r.holds if r.differ[q] == 0):
                for cell in Fail(r, axis, p, 0).cells:
                    counts[cell] += r.weight / len(r.holds)
        return dict(counts)


def analyse(doc: Doc) -> tuple[Sums, ...]:
    """The relations of every table of a document, and of the counts in cells of two numbers."""
    found = []
    for i, table in enumerate(doc.tables):
        for one in (table, counts(table)):
            if one is not None and (sums := _of_table(i, one)) is not None:
                found.append(sums)
    return tuple(found)


def _of_table(index: int, table: Table) -> Sums | None:
    if len(table.rows) * table.width > _MOST_CELLS:
        return None
    numbers = Numbers(table)
    if not numbers.present.any():
        return None
    down = _all(numbers.down(), False) if len(table.rows) > 1 else []
    if any(row.loose for row in table.rows) and (settled := settle(numbers, down)):
        numbers = Numbers(settled)
        down = _all(numbers.down(), False)
    down += _presumed(numbers, numbers.down(), down, [r.label for r in table.rows])
    across = _all(numbers.across(), True) if table.width >= 3 else []
    across = [r for r in across if not _only_periods(table.headers, r)]
    if table.width >= 3:
        across += _presumed(numbers, numbers.across(), across, list(table.headers))
    return Sums(index, numbers, tuple(down), tuple(across))


def settle(numbers: Numbers, known: list[Relation]) -> Table | None:
    """The table with the loose numbers of a row in the columns whose sums lack just them.

    A row counts if it is the only loose one between the parts of a relation and its numbers,
    in their order, make up the differences of the columns that fail. None if there is none.
    """
    rows = list(numbers.table.rows)
    for r in known:
        if not r.holds or not r.fails:
            continue
        lines = [i for parts in r.parts.values() for i, _ in parts] + [r.total]
        loose = [i for i in range(min(lines), max(lines) + 1) if rows[i].loose]
        if len(loose) != 1:
            continue
        row = rows[loose[0]]
        cells = _columns(row.loose, numbers, {p: r.differ[p] for p in r.fails})
        if cells is not None:
            rows[loose[0]] = replace(row, cells=cells, loose=())
    if rows == list(numbers.table.rows):
        return None
    return replace(numbers.table, rows=tuple(rows))


def _columns(
    loose: Sequence[Cell], numbers: Numbers, wanted: dict[int, int]
) -> tuple[Cell | None, ...] | None:
    """Columns for loose numbers, in order, that make up most of the differences."""
    width, scale = numbers.table.width, 10**numbers.decimals
    values = [round(c.number.value * scale) if c.number else 0 for c in loose]
    if len(loose) >= width or width > 12:
        return None
    best: tuple[int, tuple[int, ...]] | None = None
    ties = 0
    for columns in combinations(range(width), len(loose)):
        given = dict(zip(columns, values, strict=True))
        right = sum(given.get(p, 0) == d for p, d in wanted.items())
        right -= sum(v != 0 and p not in wanted for p, v in given.items())
        if best is None or right > best[0]:
            best, ties = (right, columns), 0
        elif right == best[0]:
            ties += 1
    if best is None or ties or best[0] < max(1, len(wanted) - 1):
        return None
    cells: list[Cell | None] = [None] * width
    for column, cell in zip(best[1], loose, strict=True):
        cells[column] = cell
    return tuple(cells)


def exactness(sums: Iterable[Sums]) -> tuple[int, int]:
    """How many trusted sums of a document hold exactly, and how many within rounding only."""
    exact = rounded = 0
    for table in sums:
        for _, r in table.groups if not table.numbers.percent_table else ():
            if r.weight >= _TRUSTED and r.form in ("sum", "less", "first"):
                off = sum(r.differ[p] != 0 for p in r.holds)
                exact += len(r.holds) - off
                rounded += off
    return exact, rounded


def _all(view: View, across: bool) -> list[Relation]:
    """Relations of a view from either end, each set of lines once."""
    lines = len(view.values)
    backward = [turned(r, lines) for r in relations(reversed_view(view), plain_only=True)]
    kept: dict[frozenset[int], Relation] = {}
    for r in relations(view, across=across) + backward:
        key = frozenset({r.total, *(i for p in r.parts.values() for i, _ in p)})
        old = kept.get(key)
        if old is None or (old.form != "sum" and r.form == "sum"):
            kept[key] = r
    return sorted(kept.values(), key=lambda r: (r.total, r.form))


def _only_periods(headers: Sequence[str], relation: Relation) -> bool:
    """Whether two parts and their total are the same thing in three periods: no sum."""
    lines = {relation.total, *(i for p in relation.parts.values() for i, _ in p)}
    if len(lines) != 3 or not all(re.search(r"\d", headers[i]) for i in lines):
        return False
    return len({_PERIOD.sub("", headers[i]).lower() for i in lines}) == 1


def _presumed(
    numbers: Numbers, view: View, known: list[Relation], labels: list[str]
) -> list[Relation]:
    """Sums that only the layout suggests: "Total" and the lines since the section began.

    They hold at no position; each is close, or off by what one slip of the pen would explain.
    """
    open_ = view.present & view.usable[:, None]
    explained = np.zeros_like(open_)
    for r in known:
        for p, parts in r.parts.items() if r.form not in ("flip", "skip") else ():
            open_[[i for i, _ in parts], p] = False
            explained[r.total, p] = True
            explained[[i for i, _ in parts if i > r.total], p] = True
    axis = "down" if labels == [r.label for r in numbers.table.rows] else "across"
    named = TOTAL if axis == "down" else _JUST_TOTAL
    found = []
    for t in np.flatnonzero(view.usable).tolist():
        if not named.search(labels[t]):
            continue
        for p in np.flatnonzero(view.present[t] & view.counted & ~explained[t]).tolist():
            relation = _from_layout(numbers, view, open_, labels, t, p, axis)
            if relation is not None:
                found.append(relation)
    return found


def _from_layout(
    numbers: Numbers, view: View, open_: np.ndarray, labels: list[str], t: int, p: int, axis: str
) -> Relation | None:
    best: tuple[float, Relation] | None = None
    lines: list[int] = []
    for i in range(t - 1, max(-1, t - 61), -1):
        if open_[i, p]:
            lines.insert(0, i)
        if axis == "down" and _GLUED.search(labels[i]):
            break
        starts = i == 0 or (not view.present[i].any() and labels[i]) or TOTAL.search(labels[i])
        if not starts or len(lines) < 2:
            continue
        differ = int(view.values[t, p] - view.values[lines, p].sum())
        step = int(view.step[[*lines, t], p].max())
        slack = int(rounding(np.array(len(lines) + 1)) * step)
        if abs(differ) <= slack:
            return None
        parts = {p: tuple((k, 1) for k in lines)}
        relation = Relation(t, parts, {p: differ}, {p: slack}, (), (p,), 0.0, "presumed")
        telling = layout_digits(numbers, Fail(relation, axis, p, differ))
        if telling > 0.8 and (best is None or telling > best[0]):
            best = telling, relation
    return best[1] if best else None


def layout_digits(numbers: Numbers, fail: Fail) -> float:
    """Digits that speak for a sum which holds nowhere: how close it is, what slip explains it."""
    total = abs(int(numbers.values[fail.total]))
    close = float(np.log10(max(total / (2 * abs(fail.differ)), 1.0)))
    return max(slip(numbers, fail) - float(np.log10(len(fail.cells))), 0.0) + 0.8 * close


def slip(numbers: Numbers, fail: Fail) -> float:
    """The best slip (in digits) that would explain a failing relation by one of its cells."""
    unit = numbers.step
    return max(
        slip_digits(int(numbers.values[c] // unit[c]), int((numbers.values[c] + cure) // unit[c]))
        if cure % unit[c] == 0
        else 0.0
        for c, cure in fail.cures()
    )


def slip_digits(before: int, after: int) -> float:
    """How telling it is (in digits) that two numbers differ as by one slip of the pen.

    One digit changed, two neighbours exchanged, or the sign turned; 0 where it is none of these.

    >>> slip_digits(1579, 1597) > 1, slip_digits(1579, 1234)
    (True, 0.0)
    """
    a, b = str(abs(before)), str(abs(after))
    n = max(len(a), len(b))
    if before != -after and (len(a) != len(b) or (before < 0) != (after < 0)):
        return 0.0
    unlike = [k for k in range(n) if a[k] != b[k]]
    swap = len(unlike) == 2 and unlike[1] - unlike[0] == 1
    swap = swap and a[unlike[0]] == b[unlike[1]] and a[unlike[1]] == b[unlike[0]]
    if len(unlike) > 1 and not swap:
        return 0.0
    return max(0.0, n - 1 - float(np.log10(n)))
