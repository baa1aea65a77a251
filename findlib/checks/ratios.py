"""Percentages, changes in percent, averages and ratios beside the numbers they come from.

A line (a column, or a row) is explained by two others where one formula holds at most of its
positions within rounding; the position at which it clearly does not is reported.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..records import Answer
from .doc import Doc, Kind, finding
from .numbers import written
from .sums import Place, Sums

_LOOSE = 1.25  # of worst-case rounding, within which a formula holds
_WIDE = 1.5  # beyond which, and half a unit, it fails
_LINES = 40  # lines from which a formula may take its numbers
_ACCEPT = 2.0  # digits of evidence beyond the hypotheses tried
_DIFFERENCE = re.compile(
    r"change|increase|decrease|favou?rable|variance|\binc\b|\bdec\b|\bvs\b|better|worse", re.I
)


@dataclass(frozen=True)
class Formula:
    """``target[p]`` is a formula of ``a[p]`` and ``b[p]`` (``base`` given: of a at that position).

    ``want`` holds the computed values by position, ``holds`` and ``fails`` the positions.
    """

    form: str  # "change", "share", "ratio" or "of total"
    target: int
    a: int
    b: int
    base: int
    want: dict[int, float]
    holds: tuple[int, ...]
    fails: tuple[int, ...]
    weight: float


@dataclass(frozen=True)
class _Grid:
    """Values, half a rounding step and presence by line and position, as floats."""

    values: np.ndarray
    half: np.ndarray
    given: np.ndarray  # a number that is not a dash
    axis: str

    def place(self, line: int, position: int) -> Place:
        """Row and column."""
        return (line, position) if self.axis == "down" else (position, line)


def percent_change(doc: Doc) -> list[Answer]:
    """Columns of changes in percent that one row contradicts."""
    return [a for a in doc.once(findings) if a.kind == "percent change"]


def percent_of_total(doc: Doc) -> list[Answer]:
    """Percentages of a total or of another line that one position contradicts."""
    return [a for a in doc.once(findings) if a.kind == "percent of total"]


def ratio(doc: Doc) -> list[Answer]:
    """Averages and amounts per unit that one position contradicts."""
    return [a for a in doc.once(findings) if a.kind == "ratio"]


_KIND = {
    "change": "percent change",
    "share": "percent of total",
    "of total": "percent of total",
    "ratio": "ratio",
}


def findings(doc: Doc) -> list[Answer]:
    """What contradicts the formula that explains the rest of its line, in every table."""
    return [a for sums in doc.sums for f in formulas(sums) for a in _answers(doc, sums, *f)]


def formulas(sums: Sums) -> Iterator[tuple[_Grid, Formula]]:
    """The formula of each line of a table that one explains at all but a few positions."""
    n = sums.numbers
    scale = 10.0**n.decimals
    values, half = n.values / scale, n.step / scale / 2
    given = n.present & ~n.dash
    labels = [r.label.lower() for r in n.table.rows]
    heads = [h.lower() for h in n.table.headers]
    if n.table.width >= 3:
        grid = _Grid(values.T, half.T, given.T, "across")
        for c in range(n.table.width):
            if n.percent_column[c] or n.fine_column[c] or _named(heads[c]):
                best = _explain(grid, c, n.percent_column[c], heads)
                if best:
                    yield grid, best
    grid = _Grid(values, half, given, "down")
    percent_row: np.ndarray = (n.percent & given).sum(1) > 0.5 * given.sum(1)
    for r in np.flatnonzero(given.sum(1) >= 2).tolist():
        if n.percent_table:
            break
        if percent_row[r] or n.skip_row[r] or _named(labels[r]):
            best = _explain(grid, r, percent_row[r], labels)
            if best:
                yield grid, best


def _named(label: str) -> bool:
    words = ("%", "percent", "change", "growth", "average", "per ", "rate", "margin", "ratio")
    return any(w in label for w in words)


def _explain(grid: _Grid, t: int, percent: bool, labels: list[str]) -> Formula | None:
    """The formula with the most evidence for a line."""
    if grid.given[t].sum() < 2:
        return None
    best: Formula | None = None
    count = 0
    for family in _families(grid, t, percent):
        count += len(family.b)
        found = _best(grid, t, family, labels)
        if found is not None and (best is None or found.weight > best.weight):
            best = found
    if best is None or best.weight - math.log10(count) < _ACCEPT:
        return None
    return best


@dataclass(frozen=True)
class _Family:
    """One form and first line with many second lines (or base positions): rows of ``want``."""

    form: str
    a: int
    b: list[int]
    want: np.ndarray
    slack: np.ndarray


def _best(grid: _Grid, t: int, family: _Family, labels: list[str]) -> Formula | None:
    """The second line of a family with the most evidence, where two positions hold."""
    stated, unit = grid.values[t], 2 * grid.half[t]
    usable = grid.given[t] & (np.abs(family.want) < 1000)  # False for NaN
    if family.form == "of total":
        usable[np.arange(len(family.b)), family.b] = False
    miss = np.abs(np.abs(stated) - np.abs(family.want))
    holds = usable & (miss <= _LOOSE * family.slack + 1e-9)
    if (holds.sum(1) < 2).all():
        return None
    fails = usable & (miss > _WIDE * family.slack + 0.5 * unit)
    spread = np.maximum(np.abs(stated), 5 * unit) / (2 * _LOOSE * family.slack)
    info = np.where(holds, np.log10(np.maximum(spread, 1.0)), 0.0)
    rough = np.where(holds.sum(1) >= 2, info.sum(1), -99.0) - 1.5 * fails.sum(1)
    k = int(np.argmax(rough))
    weight = _distinct(info[k], family.want[k], holds[k]) - 1.5 * float(fails[k].sum())
    named = labels[family.a] != "" and labels[family.a] in labels[t]
    beside = family.a == t - 1 and labels[t].startswith(("%", "percent", "as a"))
    weight += 2.0 * (named or beside) - 0.02 * abs(t - family.a)
    total = family.form == "of total"
    return Formula(
        family.form,
        t,
        family.a,
        family.a if total else family.b[k],
        family.b[k] if total else -1,
        {p: float(family.want[k, p]) for p in np.flatnonzero(usable[k]).tolist()},
        tuple(np.flatnonzero(holds[k]).tolist()),
        tuple(np.flatnonzero(fails[k]).tolist()),
        weight,
    )


def _distinct(info: np.ndarray, want: np.ndarray, holds: np.ndarray) -> float:
    """Evidence over positions, the same value again and trivial ones (0, 100) counted little."""
    total, seen = 0.0, set()
    for p in np.flatnonzero(holds).tolist():
        value = round(float(want[p]), 3)
        again = value in seen or value in (0.0, 100.0, 1.0)
        total += float(info[p]) * (0.2 if again else 1.0)
        seen.add(value)
    return total


def _families(grid: _Grid, t: int, percent: bool) -> Iterator[_Family]:
    """Every formula to try for line t."""
    v, h = grid.values, grid.half
    span = range(max(0, t - _LINES), min(len(v), t + 6))
    lines = [i for i in span if i != t and (grid.given[i] & grid.given[t]).sum() >= 2]
    near = lines if len(lines) <= 16 else [i for i in lines if abs(i - t) <= 12]
    with np.errstate(divide="ignore", invalid="ignore"):
        for a in near:
            b = [i for i in lines if i != a]
            ok = grid.given[a] & grid.given[b] & (v[b] != 0)
            quotient = np.where(ok, v[a] / v[b], np.nan)
            slack = (h[a] + np.abs(quotient) * h[b]) / np.abs(v[b])
            if not percent:
                yield _Family("ratio", a, b, quotient, slack + h[t])
                continue
            yield _Family("share", a, b, 100 * quotient, 100 * slack + h[t])
            growth = np.where(v[a] * v[b] > 0, quotient - 1, np.nan)
            if grid.axis == "down":
                growth[[abs(a - i) > 3 for i in b]] = np.nan
            yield _Family("change", a, b, 100 * growth, 100 * slack + h[t])
            full = grid.given[t] & (np.abs(v[t] - 100) <= 2 * h[t]) & grid.given[a] & (v[a] != 0)
            base = np.flatnonzero(full).tolist()[:4]
            if base:
                whole = v[a, base][:, None]
                quotient = np.where(grid.given[a], v[a] / whole, np.nan)
                slack = (h[a] + np.abs(quotient) * h[a, base][:, None]) / np.abs(whole)
                yield _Family("of total", a, base, 100 * quotient, 100 * slack + h[t])


def _answers(doc: Doc, sums: Sums, grid: _Grid, formula: Formula) -> Iterator[Answer]:
    holds, fails = len(formula.holds), len(formula.fails)
    if not fails or fails > max(1, holds // 4):
        return
    labels = sums.table.headers if grid.axis == "down" else ()
    for p in formula.fails:
        if labels and _DIFFERENCE.search(labels[p]):
            continue  # the change of a percentage, not the percentage of a change
        stated, want = grid.values[formula.target, p], formula.want[p]
        odds = -1.5 + 0.35 * min(formula.weight, 8.0) + 0.3 * min(holds, 6) - 0.8 * (fails - 1)
        if formula.form in ("ratio", "share") and holds < 3:
            odds -= 1.0
        unit = 2 * grid.half[formula.target, p]
        if abs(abs(stated) - abs(want)) < 2.5 * unit:
            odds -= 1.0
        cells = _cells(grid, formula, p)
        rows = sums.table.rows
        found = [rows[r].cells[c] for r, c in cells]
        places = [(c.start, c.end) for c in found if c is not None]
        score = 1 / (1 + math.exp(-odds))
        if score >= 0.3:
            yield finding(doc, _KIND[formula.form], places, _words(sums, grid, formula, p), score)


def _cells(grid: _Grid, formula: Formula, p: int) -> list[Place]:
    other = (formula.a, formula.base) if formula.base >= 0 else (formula.b, p)
    return [grid.place(formula.a, p), grid.place(*other), grid.place(formula.target, p)]


def _words(sums: Sums, grid: _Grid, formula: Formula, p: int) -> str:
    """The arithmetic: (4,120 - 4,000) / 4,000 = 3.0%, but 5% is stated."""
    n = sums.numbers
    a, b, t = (sums.table.rows[r].cells[c] for r, c in _cells(grid, formula, p))
    assert a is not None
    assert b is not None
    assert t is not None
    first, second = a.text.strip("()"), b.text.strip("()")
    decimals = t.number.decimals if t.number else 0
    sign = "" if formula.form == "ratio" else "%"
    want = written(formula.want[p], decimals + 1)
    left = f"({first} - {second}) / {second}" if formula.form == "change" else f"{first} / {second}"
    row, column = grid.place(formula.target, p)
    names = (n.table.rows[row].label.strip(), n.table.headers[column].strip())
    name = ", ".join(x for x in names if x)
    stated = t.text.rstrip("% ")
    return f"{left} = {want}{sign}, but {stated}{sign} is stated" + (f" ({name})" if name else "")


KINDS: dict[str, Kind] = {
    "percent change": Kind(percent_change, "numeric"),
    "percent of total": Kind(percent_of_total, "numeric"),
    "ratio": Kind(ratio, "numeric"),
}
