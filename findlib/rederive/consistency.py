"""Can these printed numbers all be true? Checks of rounded values, usable on any table.

A printed text such as "0.14" stands for every value that rounds to it by either half
convention: the closed interval from .135 to .145. A check that fails fails for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from math import ceil, floor, sqrt

import numpy as np

from ..paths import FindlibError

SLACK = 1e-9  # of floating-point arithmetic, relative to values near one hundred
Interval = tuple[float, float]
Printed = str | float


def interval(text: Printed) -> Interval:
    """All values that print as this text (or as this number's shortest form).

    Raises FindlibError for a text that is no finite number.

    >>> [round(end, 4) for end in interval("2.50")]
    [2.495, 2.505]
    """
    try:
        number = Decimal(str(text).strip().replace("−", "-"))
        half = (Decimal(1) / 2).scaleb(int(number.as_tuple().exponent))
    except (InvalidOperation, ValueError):
        raise FindlibError(f"{text!r} is no printed number, such as '64' or '0.14'") from None
    return float(number - half), float(number + half)


def fits(text: Printed, low: float, high: float | None = None) -> bool:
    """Can a value (in low to high) print as this text?

    >>> fits("53", 52.5), fits("53", 51.0, 52.4)
    (True, False)
    """
    least, most = interval(text)
    return least <= (low if high is None else high) + SLACK and low - SLACK <= most


def counts(text: Printed, n: int, scale: float = 100.0) -> list[int]:
    """The whole numbers k of n for which scale * k / n prints as this text (GRIM test;
    Brown and Heathers, 2017). Empty: no mean of n values that are 0 or 1 prints so.

    >>> counts("44", 75), counts("0.67", 11, scale=1)
    ([33], [])
    """
    low, high = (end * n / scale for end in interval(text))
    first, last = max(0, ceil(low - SLACK)), min(n, floor(high + SLACK))
    return list(range(first, last + 1))


def counts_of_fewer(text: Printed, n: int, scale: float = 100.0) -> list[tuple[int, int]]:
    """All (k, m), m from n down to 1: as `counts` when any number of the n has no value."""
    return [(k, m) for m in range(n, 0, -1) for k in counts(text, m, scale)]


def binary_error(k: int, n: int, ddof: int = 0) -> float:
    """Standard error of the mean of n values of which k are 1 and the rest 0."""
    return sqrt(k * (n - k) / n / (n - ddof) / n)


def error_counts(mean: Printed, error: Printed, n: int, ddof: int = 0) -> list[int]:
    """The counts behind a printed percentage of n whose standard error prints as ``error``.

    >>> error_counts("87", "3.9", 75)
    [65]
    """
    return [k for k in counts(mean, n) if fits(error, 100 * binary_error(k, n, ddof))]


def weighted(texts: Sequence[Printed], weights: Sequence[float]) -> tuple[float, float, float]:
    """Weighted mean of printed values: least, as printed, most over their rounding.

    >>> [round(x, 2) for x in weighted(["57", "25"], [1, 3])]
    [32.5, 33.0, 33.5]
    """
    share = np.asarray(weights, dtype=float) / np.sum(weights)
    ends = ends_of(texts)
    middle = ends.mean(axis=1)
    return float(share @ ends[:, 0]), float(share @ middle), float(share @ ends[:, 1])


def ends_of(texts: Sequence[Printed]) -> np.ndarray:
    """The intervals of several texts, a row each."""
    return np.array([interval(text) for text in texts])


def between(text: Printed, parts: Sequence[Printed]) -> bool:
    """Can a mean lie between its parts? Where not, no weighting makes it of them."""
    ends = [interval(part) for part in parts]
    return fits(text, min(low for low, _ in ends), max(high for _, high in ends))


def adds_up(parts: Sequence[Printed], total: Printed) -> bool:
    """Can these parts sum to this total? Whole counts are taken as exact."""
    ends = [_exact(part) for part in parts]
    low, high = (sum(end[i] for end in ends) for i in (0, 1))
    least, most = _exact(total)
    return least <= high + SLACK and low - SLACK <= most


def _exact(text: Printed) -> Interval:
    whole = str(text).lstrip("+-").isdigit()
    return (float(text), float(text)) if whole else interval(text)


def same(one: Printed, other: Printed) -> bool:
    """Can two prints be of one value?

    >>> same("0.6", "0.57"), same("0.6", "0.45")
    (True, False)
    """
    return fits(one, *interval(other))


def one_value(options: Sequence[Sequence[Interval]]) -> Interval | None:
    """Can one value lie in some interval of every row? Returns the least stretch of such
    values, None where there is none.

    >>> one_value([[(0, 2)], [(1, 5), (7, 8)]]), one_value([[(0, 1)], [(2, 3)]])
    ((1, 2), None)
    """
    for start in sorted(low for row in options for low, _ in row):
        around = [[high for low, high in row if low <= start <= high] for row in options]
        if all(around):
            return start, min(max(highs) for highs in around)
    return None


def rounds_up(text: Printed, low: float, high: float) -> bool:
    """Can a value in (low, high] give this text when rounded up to its last digit?

    >>> rounds_up("1.5", 1.2, 1.4), rounds_up("1.5", 1.2, 1.41)
    (False, True)
    """
    least, most = interval(text)
    unit, printed = most - least, (least + most) / 2
    return high > printed - unit + SLACK and low < printed
