"""Percentages, changes in percent, averages and ratios beside the numbers they come from.

A line (a column, or a row) is explained by two others where one formula holds at most of its
positions within rounding; the position at which it clearly does not is reported.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..records import Answer
from .doc import Doc, Kind, finding
from .numbers import written
from .sums import Place, Sums

_LOOSE = 1.25  # of worst-case rounding, within which a formula holds
_WIDE = 1.5  # beyond which, and half a unit, it fails
_REPORT = 0.4  # least score of a finding
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
    for a in near:
        b = [i for i in lines if i != a]
        if not b:
            continue
        ok = grid.given[a] & grid.given[b]
        for form in ("share", "change") if percent else ("ratio",):
            want, slack = compute(form, v[a], v[b], h[a], h[b])
            far = np.array([form == "change" and grid.axis == "down" and abs(a - i) > 3 for i in b])
            want[~ok | far[:, None]] = np.nan
            yield _Family(form, a, b, want, slack + h[t])
        full = grid.given[t] & (np.abs(v[t] - 100) <= 2 * h[t]) & grid.given[a]
        if percent and full.any():
            base = np.flatnonzero(full).tolist()[:4]
            want, slack = compute("share", v[a], v[a, base][:, None], h[a], h[a, base][:, None])
            want[:, ~grid.given[a]] = np.nan
            yield _Family("of total", a, base, want, slack + h[t])


def compute(form: str, a: Any, b: Any, half_a: Any, half_b: Any) -> tuple[Any, Any]:
    """What a formula gives for numbers or arrays, and what their rounding does to it.

    A change across a change of sign is not a number; nor is anything divided by zero.

    >>> [round(float(x), 3) for x in compute("change", 120.0, 100.0, 0.5, 0.5)]
    [20.0, 1.1]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(np.asarray(b) != 0, np.divide(a, b), np.nan)
        slack = (half_a + np.abs(quotient) * half_b) / np.abs(b)
    if form == "ratio":
        return quotient, slack
    if form == "change":
        quotient = np.where(quotient > 0, quotient - 1, np.nan)
    return 100 * quotient, 100 * slack


def _answers(doc: Doc, sums: Sums, grid: _Grid, formula: Formula) -> Iterator[Answer]:
    fails = len(formula.fails)
    if not fails or fails > max(1, len(formula.holds) // 4):
        return
    rows = sums.table.rows
    for p in formula.fails:
        odds = _odds(sums, grid, formula, p)
        if (score := 1 / (1 + math.exp(-odds))) >= _REPORT:
            found = [rows[r].cells[c] for r, c in _cells(grid, formula, p)]
            places = [(c.start, c.end) for c in found if c is not None]
            yield finding(doc, _KIND[formula.form], places, _words(sums, grid, formula, p), score)


def _odds(sums: Sums, grid: _Grid, formula: Formula, p: int) -> float:
    """Log-odds that a position at which a formula fails is an error."""
    holds = len(formula.holds)
    odds = -1.5 + 0.35 * min(formula.weight, 8.0) + 0.3 * min(holds, 6)
    odds -= 0.8 * (len(formula.fails) - 1)
    if formula.form in ("ratio", "share") and holds < 3:
        odds -= 1.0
    miss = abs(abs(grid.values[formula.target, p]) - abs(formula.want[p]))
    if miss < 5 * grid.half[formula.target, p]:
        odds -= 1.0
    if not _one_slip(grid, formula, p):
        odds -= 2.5
    if _other_base(grid, formula, p):
        odds -= 2.0
    if _is_difference(sums, grid, p):
        odds -= 9.0  # the change of a percentage, not the percentage of a change
    return odds


def _one_slip(grid: _Grid, formula: Formula, p: int) -> bool:
    """Whether one digit, changed in one of the three numbers, would mend the formula."""
    places = ((formula.target, p), (formula.a, p), _second(formula, p))
    numbers = [(float(grid.values[x]), float(grid.half[x])) for x in places]
    form = "share" if formula.form == "of total" else formula.form
    for k, (value, half) in enumerate(numbers):
        for other in _slips(value, 2 * half):
            t, a, b = (other if i == k else v for i, (v, _) in enumerate(numbers))
            want, slack = compute(form, a, b, numbers[1][1], numbers[2][1])
            if abs(abs(t) - abs(want)) <= _LOOSE * (slack + numbers[0][1]) + 1e-9:
                return True
    return False


def _slips(value: float, step: float) -> Iterator[float]:
    """The numbers that differ from one by a digit, by two digits exchanged, or by a sign."""
    digits = str(round(abs(value) / step))
    sign = -1.0 if value < 0 else 1.0
    for k, old in enumerate(digits):
        for new in "0123456789":
            if new != old:
                yield sign * int(digits[:k] + new + digits[k + 1 :]) * step
        if k:
            yield sign * int(digits[: k - 1] + old + digits[k - 1] + digits[k + 1 :]) * step
    yield -value


def _other_base(grid: _Grid, formula: Formula, p: int) -> bool:
    """Whether a percentage is right for another total: "40% of product revenue"."""
    if formula.form not in ("share", "of total"):
        return False
    v, h = grid.values, grid.half
    places = [(formula.a, q) for q in range(v.shape[1])] if formula.base >= 0 else [
        (i, p) for i in range(max(0, formula.a - _LINES), min(len(v), formula.a + 6))
    ]  # fmt: skip
    at = tuple(np.array(places).T)
    want, slack = compute("share", v[formula.a, p], v[at], h[formula.a, p], h[at])
    miss = np.abs(np.abs(want) - abs(v[formula.target, p]))
    return bool((miss <= slack + h[formula.target, p]).any())


def _is_difference(sums: Sums, grid: _Grid, p: int) -> bool:
    """Whether a position holds the difference of two others, by its name or by the numbers."""
    if grid.axis != "down":
        return bool(_DIFFERENCE.search(sums.table.rows[p].label))
    lines = [
        {r.total, *(i for q in r.parts.values() for i, _ in q)} for r in sums.across if r.holds
    ]
    name = sums.table.headers[p]
    return bool(_DIFFERENCE.search(name)) or any(p in x and len(x) == 3 for x in lines)


def _second(formula: Formula, p: int) -> tuple[int, int]:
    """Line and position of the denominator."""
    return (formula.a, formula.base) if formula.base >= 0 else (formula.b, p)


def _cells(grid: _Grid, formula: Formula, p: int) -> list[Place]:
    return [
        grid.place(formula.a, p),
        grid.place(*_second(formula, p)),
        grid.place(formula.target, p),
    ]


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
