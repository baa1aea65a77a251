"""Sums and percentages that hold in a table, by a plain reading of its labels and numbers.

This is what insertion verifies against. It is kept apart from the checks, which find structure
by weighing hypotheses: a place is not chosen because a check would see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from ..checks.grid import Cell, Table
from ..checks.numbers import Number, written

TOTAL = re.compile(
    r"\b(?:sub)?totals?\b|\bsum\b|\ball (?:items|groups)\b|\bnet (?:income|cash)\b", re.I
)
_LESS = re.compile(r"^\W*(?:less|deduct)\b", re.I)
_WINDOW, _MOST_PARTS, _MOST_ACROSS = 40, 25, 12
Site = tuple[int, int]  # row, column


@dataclass(frozen=True)
class Sum:
    """Parts (row, column) with signs that add up to a total, in one table."""

    table: int
    parts: tuple[Site, ...]
    signs: tuple[int, ...]
    total: Site
    axis: str  # "column" or "row"

    def slack(self, table: Table) -> float:
        """The most that rounding explains: half a step for each number."""
        step = max(number(table, site).step for site in (*self.parts, self.total))
        return (len(self.parts) + 1) * step / 2

    def arithmetic(self, table: Table, values: dict[Site, float]) -> str:
        """The sum written out, with some values replaced."""
        decimals = max(number(table, site).decimals for site in (*self.parts, self.total))
        shown, result = [], 0.0
        for site, sign in zip(self.parts, self.signs, strict=True):
            value = sign * values.get(site, number(table, site).value)
            result += value
            shown.append(f"{'-' if value < 0 else '+'} {written(abs(value), decimals)}")
        first = shown[0].replace("- ", "-").removeprefix("+ ")
        terms = " ".join([first, *shown[1:]])
        return f"{terms} = {written(round(result, 9), decimals)}"


@dataclass(frozen=True)
class Rate:
    """A percentage cell that follows from two amounts: their change, or their share."""

    table: int
    site: Site
    new: Site
    old: Site
    form: str  # "change" or "share"

    def exact(self, table: Table) -> float:
        """The percentage computed from the amounts."""
        return rate(number(table, self.new).value, number(table, self.old).value, self.form)


def number(table: Table, site: Site) -> Number:
    """The number at a site that is known to hold one."""
    found = table.number(*site)
    assert found is not None
    return found


def cell(table: Table, site: Site) -> Cell:
    """The cell at a site that is known to hold one."""
    found = table.rows[site[0]].cells[site[1]]
    assert found is not None
    return found


def rate(new: float, old: float, form: str) -> float:
    """Change of new on old, or new as a share of old, in percent."""
    return 100 * (new - old if form == "change" else new) / abs(old)


def sums(table: Table, index: int = 0) -> list[Sum]:
    """The sums that hold in a table: down its columns, up (total first), and along its rows.

    Down: a row labelled as a total whose column adds up, or any row where two columns or more
    do and none fails. Along: a column that is the sum of those beside it in three rows or more.
    """
    order = list(range(len(table.rows)))
    found = list(_columns(table, index, order, set(), False))
    taken = {site for s in found for site in s.parts}
    totals = {s.total for s in found}
    for s in _columns(table, index, order[::-1], set(), True):
        if s.total not in totals and taken.isdisjoint(s.parts):
            found.append(s)
    return found + list(_rows(table, index))


def _columns(
    table: Table, index: int, order: list[int], spent: set[Site], labelled: bool
) -> Iterator[Sum]:
    for at, t in enumerate(order):
        named = bool(TOTAL.search(table.rows[t].label))
        if labelled and not named:
            continue
        for s in _best(table, index, order[max(0, at - _WINDOW) : at], t, spent, named):
            spent.update(s.parts)
            yield s


def _best(
    table: Table, index: int, before: list[int], t: int, spent: set[Site], named: bool
) -> list[Sum]:
    """The sums of one total row: the beginning of its parts at which most columns add up."""
    totals = {c: n.number for c, n in table.rows[t].numbers.items() if n.number and n.number.value}
    parts: dict[int, list[Site]] = {c: [] for c in totals}
    left = {c: n.value for c, n in totals.items()}
    best: tuple[float, list[Sum]] = (0.0, [])
    for r in reversed(before):
        sign = -1 if _LESS.match(table.rows[r].label) else 1
        for c, stated in totals.items():
            n = table.number(r, c)
            if n and n.value and (r, c) not in spent and n.percent == stated.percent:
                parts[c].append((r, c))
                left[c] -= sign * n.value
        holds = [c for c in totals if len(parts[c]) > 1 and _close(left[c], totals[c])]
        fails = [c for c in totals if len(parts[c]) > 0 and c not in holds]
        score = sum(_digits(totals[c]) for c in holds) - 2.0 * len(fails)
        enough = len(holds) >= len(fails) if named else len(holds) > 1 and not fails
        least = min((_digits(totals[c]) for c in holds), default=0)
        if holds and enough and least >= (2 if named else 3) and score > best[0]:
            best = score, [_sum(table, index, parts[c], (t, c)) for c in holds]
    return [s for s in best[1] if len(s.parts) <= _MOST_PARTS]


def _sum(table: Table, index: int, parts: list[Site], total: Site) -> Sum:
    ordered = tuple(sorted(parts))
    signs = tuple(-1 if _LESS.match(table.rows[r].label) else 1 for r, _ in ordered)
    return Sum(index, ordered, signs, total, "column")


def _close(left: float, stated: Number) -> bool:
    return abs(left) <= 1.01 * stated.step


def _digits(n: Number) -> int:
    return len(re.sub(r"\D", "", n.digits).lstrip("0"))


def _rows(table: Table, index: int) -> Iterator[Sum]:
    for t in range(table.width):
        tried = [range(t - k, t) for k in range(2, min(t, _MOST_ACROSS) + 1)]
        after = min(table.width - t - 1, _MOST_ACROSS)
        tried += [range(t + 1, t + 1 + k) for k in range(2, after + 1)]
        best: list[Sum] = []
        for columns in tried:
            holds, fails = _along(table, index, t, columns)
            if len(holds) >= 3 and 4 * fails <= len(holds) and len(holds) > len(best):
                best = holds
        yield from best


def _along(table: Table, index: int, t: int, columns: range) -> tuple[list[Sum], int]:
    """The rows whose numbers in ``columns`` add up to column t, and how many rows do not."""
    holds, fails = [], 0
    for r in range(len(table.rows)):
        stated = table.number(r, t)
        known = [(r, c) for c in columns if (n := table.number(r, c)) and n.value]
        if not stated or not stated.value or len(known) < 2 or stated.year:
            continue
        same = all(number(table, s).percent == stated.percent for s in known)
        left = stated.value - sum(number(table, s).value for s in known)
        if same and _close(left, stated) and _digits(stated) > 1:
            holds.append(Sum(index, tuple(known), (1,) * len(known), (r, t), "row"))
        else:
            fails += 1
    return holds, fails


def rates(table: Table, index: int = 0) -> list[Rate]:
    """The percentages of a table that follow from two amounts of their row or column.

    A column is taken where at least three of its rows and four in five agree.
    """
    found: list[Rate] = []
    for p in range(table.width):
        marked = re.search(r"%|percent", table.headers[p], re.I)
        rows = [
            r for r in range(len(table.rows))
            if (n := table.number(r, p)) and not n.dash and (n.percent or marked)
        ]  # fmt: skip
        if len(rows) >= 3:
            ways = sorted(_ways(table, index, p, rows), key=lambda way: -len(way))
            found += ways[0] if ways else []
    return found


def _ways(table: Table, index: int, p: int, rows: list[int]) -> Iterator[list[Rate]]:
    """Each way to read a percent column that holds."""
    others = list(range(max(0, p - 6), p))
    tried = [("change", pair) for pair in permutations(others, 2)]
    tried += [("share", (a, a)) for a in others]
    for form, (a, b) in tried:
        made = [r for r in (_rate(table, index, form, p, a, b, row) for row in rows) if r]
        holds = [
            r for r in made if abs(r.exact(table) - number(table, r.site).value) <= room(table, r)
        ]
        if len(holds) >= 3 and 5 * len(holds) >= 4 * len(made):
            yield holds


def _rate(table: Table, index: int, form: str, p: int, a: int, b: int, row: int) -> Rate | None:
    """The percentage of a row as a change of two of its cells, or a share of the column's total."""
    base = row
    if form == "share":
        whole = [r for r in range(len(table.rows)) if (n := table.number(r, p)) and n.value == 100]
        if len(whole) != 1 or whole[0] == row:
            return None
        base = whole[0]
    new, old = table.number(row, a), table.number(base, b)
    if not new or not old or new.percent or old.percent or not old.value or new.dash:
        return None
    return Rate(index, (row, p), (row, a), (base, b), form)


def room(table: Table, r: Rate) -> float:
    """What rounding of the amounts and of the percentage explains, in percentage points."""
    new, old = number(table, r.new), number(table, r.old)
    size = 100 / abs(old.value)
    spread = old.step / 2 * abs(new.value / old.value) + new.step / 2
    return size * spread + number(table, r.site).step * 0.51
