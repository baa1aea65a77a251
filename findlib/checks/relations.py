"""Find which lines of a table add up to which, from the numbers alone.

A *line* is a row (or, across, a column) and a *position* a column (or a row). A relation says
that at each position the parts add up to the total; it is accepted when the digits that agree
over the positions outweigh the hypotheses tried (log10 of both), labels such as "Total" lowering
the bar and positions that fail raising it. Subtotals consume their parts, position by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

_WINDOW = 60  # lines that may add up to one total
_FLIPS = 14  # lines among which a single one may count negative, or not at all
_ACCEPT = 1.0
_INEXACT = 1.2  # of sums that hold, about 1 in 25 does so within rounding only
_NAMED = 1.0  # digits that speak for a sum from the section that the total is named after
_FAIL = 2.0  # digits of evidence that a failing position takes away: about 1 in 250 fail


@dataclass(frozen=True)
class View:
    """A table seen along one axis, as integers: ``scale`` stands for 1.

    ``values``, ``present`` and ``step`` have shape (lines, positions). By line, ``usable`` says
    which may take part, ``prior`` how many digits of evidence the label is worth as a total,
    ``minus`` whose label says "less", ``start`` what speaks for a sum that begins there, ``home``
    where the section a total is named after begins (or -1). By position, ``counted`` says where
    sums are looked at, ``firm`` where one that fails speaks against it (not "average price").
    """

    values: np.ndarray
    present: np.ndarray
    step: np.ndarray
    usable: np.ndarray
    counted: np.ndarray
    firm: np.ndarray
    prior: np.ndarray
    minus: np.ndarray
    start: np.ndarray
    home: np.ndarray
    scale: int = 1

    @cached_property
    def zeros(self) -> list[np.ndarray]:
        """At which positions most numbers end in one zero, in two, three and four."""
        given = self.present & (self.values != 0)
        often = []
        for k in range(1, 5):
            round_ = given & (self.values % (self.step * 10**k) == 0)
            often.append(round_.sum(0) > 0.85 * np.maximum(given.sum(0), 1))
        return often


@dataclass(frozen=True)
class Relation:
    """``total`` is the sum of ``parts[p]`` (line, sign) at position p; ``differ[p]`` if it holds.

    ``differ`` is stated minus computed, ``slack`` what rounding explains, both in the units of
    the view. ``holds`` and ``fails`` are positions with two parts or more; ``weight`` is the
    evidence in digits without the penalty of the failing positions.
    """

    total: int
    parts: dict[int, tuple[tuple[int, int], ...]]
    differ: dict[int, int]
    slack: dict[int, int]
    holds: tuple[int, ...]
    fails: tuple[int, ...]
    weight: float
    form: str


def relations(view: View, plain_only: bool = False, across: bool = False) -> list[Relation]:
    """The relations of a view, in the order of their totals.

    Plain sums (and lines marked "less") are looked for first; then, among what these left over
    and not with ``plain_only``, differences too; ``across`` the rows only of two lines.
    """
    active = np.where(view.usable[:, None] & view.present, view.values, 0)
    found = _pass(view, active, set(), True, across)
    if not plain_only:
        found += _pass(view, active, {r.total for r in found}, False, across)
    return sorted(found, key=lambda r: r.total)


def _pass(
    view: View, active: np.ndarray, done: set[int], plain: bool, across: bool
) -> list[Relation]:
    """Walk the lines once; what is part of a sum is taken out of ``active``."""
    found = []
    for t in np.flatnonzero(view.usable).tolist():
        at = view.present[t] & view.counted
        if t < 2 or t in done or not at.any():
            continue
        relation = _best(view, active, t, at, plain, across)
        if relation is not None:
            found.append(relation)
            for p, parts in relation.parts.items():
                active[[line for line, _ in parts], p] = 0
    return found


def reversed_view(view: View) -> View:
    """The same lines from last to first, for totals that come first."""
    return View(
        view.values[::-1],
        view.present[::-1],
        view.step[::-1],
        view.usable[::-1],
        view.counted,
        view.firm,
        view.prior[::-1],
        view.minus[::-1],
        np.zeros(len(view.values)),
        np.full(len(view.values), -1),
        view.scale,
    )


def turned(relation: Relation, lines: int) -> Relation:
    """A relation of a reversed view in the numbering of the view itself."""
    parts = {p: tuple(sorted((lines - 1 - i, s) for i, s in q)) for p, q in relation.parts.items()}
    return Relation(
        lines - 1 - relation.total,
        parts,
        relation.differ,
        relation.slack,
        relation.holds,
        relation.fails,
        relation.weight,
        relation.form,
    )


@dataclass
class _Try:
    """One family of hypotheses: for each first line, what is left over and of how many parts."""

    form: str
    left: np.ndarray
    count: np.ndarray
    penalty: np.ndarray
    flip: int = -1


def _best(
    view: View, active: np.ndarray, t: int, at: np.ndarray, plain_only: bool, across: bool
) -> Relation | None:
    first = max(0, t - _WINDOW)
    part = active[first:t]
    mask = part != 0
    if not mask[:, at].any():
        return None
    total = view.values[t]
    seen = view.present[first : t + 1] & view.usable[first : t + 1, None]
    unit = np.where(seen, view.step[first : t + 1], 1).max(0)
    begin = view.start[first:t].copy()
    if first <= view.home[t] < t:
        begin[view.home[t] - first] += _NAMED
    tries = np.log10(1 + (view.usable[first:t] & mask[:, at].any(1)).sum())
    info = _info(view, t, unit)
    best: tuple[float, int, _Try] | None = None
    for tried in _tries(view, part, mask, total, first, t, plain_only, across):
        score = _scores(tried, info, unit, at, view)
        if score is None:
            continue
        score = score - tried.penalty + begin
        i = len(score) - 1 - int(np.argmax(score[::-1]))  # of equals the shortest
        if best is None or score[i] > best[0]:
            best = float(score[i]), i, tried
    if best is None:
        return None
    reached, i, tried = best
    if reached + float(view.prior[t]) - tries < _ACCEPT:
        return None
    return _relation(view, part, t, first, i, tried, info, at)


def _tries(
    view: View,
    part: np.ndarray,
    mask: np.ndarray,
    total: np.ndarray,
    first: int,
    t: int,
    plain_only: bool,
    across: bool,
) -> Iterator[_Try]:
    n = len(part)
    sums = part[::-1].cumsum(0)[::-1]
    count = mask[::-1].cumsum(0)[::-1]
    zero = np.zeros(n)
    yield _Try("sum", total - sums, count, zero)
    minus = view.minus[first:t]
    if minus.any():
        signed = np.where(minus[:, None], -part, part)
        yield _Try("less", total - signed[::-1].cumsum(0)[::-1], count, zero + 0.2)
    if plain_only:
        return
    left = total - 2 * part + sums
    two = np.where(count.max(1) == 2, 0.0, 99.0)
    yield _Try("first", left, count, two + 0.4 if across else zero + 0.4)  # less all others
    yield _Try("last", total - sums + 2 * part, count, two + 0.6)
    if across:
        return
    low = max(0, n - _FLIPS)
    for j in range(n - 1, low - 1, -1):
        if not mask[j].any():
            continue
        penalty = np.where((np.arange(n) <= j) & (np.arange(n) >= low), 0.9, 99.0)
        yield _Try("flip", total - sums + 2 * part[j], count, penalty, j)
        without = count - mask[j]
        yield _Try("skip", total - sums + part[j], without, penalty + 0.3, j)


def _scores(
    tried: _Try, info: np.ndarray, unit: np.ndarray, at: np.ndarray, view: View
) -> np.ndarray | None:
    """Evidence in digits of each hypothesis of a family, or None where nothing holds."""
    size = np.abs(tried.left)
    slack = (rounding(tried.count + 1) * unit).astype(np.int64)
    agree = (size <= (0 if tried.flip >= 0 else slack)) & at
    holds = agree & (tried.count >= 2)
    if not holds.any():
        return None
    loss = np.where(size > 0, np.log10(1 + 2 * slack / unit) + _INEXACT, 0.0)
    gain = np.where(holds, np.maximum(info - loss, 0), 0.0)
    trivial = np.where(agree & (tried.count == 1), 0.2 * info, 0.0)
    fails = (~agree & at & view.firm & (tried.count >= 1)).sum(1)
    absent = (at & (tried.count == 0) & (info > 0)).sum(1)
    return (gain + trivial).sum(1) - _FAIL * fails - 0.5 * absent


def _info(view: View, t: int, unit: np.ndarray) -> np.ndarray:
    """Digits of a total, less the zeros usual in its column; the same total again counts less."""
    total = np.abs(view.values[t])
    info = np.log10(np.maximum(total // unit, 1))
    hundred = total == 100 * view.scale
    for k, often in enumerate(view.zeros, 1):
        info -= often & (total % (unit * 10**k) == 0) & ~hundred
    seen: dict[int, int] = {}
    for p, value in enumerate(total.tolist()):
        if value in seen and not hundred[p]:
            same = np.array_equal(view.values[:, p], view.values[:, seen[value]])
            info[p] *= 0.2 if same else 0.7
        seen.setdefault(value, p)
    return np.clip(info, 0.0, 6.0)


def _cancels(values: np.ndarray, sign: np.ndarray, lines: list[int]) -> bool:
    """Whether a part counted negative only takes away another: a = b, c = d make a - b + c = d."""
    plus = {int(values[k]) for k in lines if sign[k] > 0}
    return any(int(values[k]) in plus for k in lines if sign[k] < 0)


def rounding(k: np.ndarray) -> np.ndarray:
    """What k rounded numbers explain, in steps: at most k / 2, or three standard deviations."""
    return np.minimum(k / 2, 3 * np.sqrt(k / 12))


def _relation(
    view: View,
    part: np.ndarray,
    t: int,
    first: int,
    i: int,
    tried: _Try,
    info: np.ndarray,
    at: np.ndarray,
) -> Relation | None:
    mask = part != 0
    sign = np.ones(len(mask), dtype=int)
    if tried.form == "less":
        sign[view.minus[first:t]] = -1
    elif tried.form == "first":
        sign[:] = -1
        sign[i] = 1
    elif tried.form == "last":
        sign[i] = -1
    elif tried.form in ("flip", "skip"):
        sign[tried.flip] = -1 if tried.form == "flip" else 0
    parts, differ, slack, holds, fails = {}, {}, {}, [], []
    for p in np.flatnonzero(at).tolist():
        lines = [k for k in range(i, len(mask)) if mask[k, p] and sign[k]]
        if not lines:
            continue
        parts[p] = tuple((first + k, int(sign[k])) for k in lines)
        differ[p] = int(tried.left[i, p])
        step = view.step[[*(first + k for k in lines), t], p].max()
        slack[p] = int(rounding(np.array(len(lines) + 1)) * step)
        if abs(differ[p]) > slack[p]:
            fails.append(p)
        elif len(lines) >= 2 and not _cancels(part[:, p], sign, lines):
            holds.append(p)
    if not holds:
        return None
    weight = float(info[holds].sum())
    return Relation(t, parts, differ, slack, tuple(holds), tuple(fails), weight, tried.form)
