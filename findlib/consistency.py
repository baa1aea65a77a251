"""Can these printed numbers all be true? Checks of rounded values, usable on any table.

A printed text such as "0.14" stands for every value that rounds to it by either half
convention: the closed interval from .135 to .145. A check that fails fails for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from itertools import product
from math import ceil, floor, sqrt

import numpy as np
import pandas as pd

from .paths import FindlibError

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
        half = Decimal("0.5").scaleb(int(number.as_tuple().exponent))
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
    ends = np.array([interval(text) for text in texts])
    middle = ends.mean(axis=1)
    return float(share @ ends[:, 0]), float(share @ middle), float(share @ ends[:, 1])


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


def least_count_deviation(mean: Printed) -> float:
    """Least standard deviation (ddof 0) of whole numbers with this mean: sqrt(f (1 - f))
    with f the fraction of the mean, least over its rounding (0 where that holds an integer).

    >>> round(least_count_deviation("1.50"), 3), least_count_deviation("3.00")
    (0.5, 0.0)
    """
    low, high = interval(mean)
    if floor(high) > floor(low) or low == floor(low):
        return 0.0
    return min(sqrt((end - floor(low)) * (1 - (end - floor(low)))) for end in (low, high))


def most_deviation(mean: Printed, low: float, high: float) -> float:
    """Largest standard deviation (ddof 0) of values from low to high with this mean, over
    its rounding: sqrt((high - mean)(mean - low)) (Bhatia and Davis, 2000)."""
    least, most = (min(max(end, low), high) for end in interval(mean))
    middle = min(max((low + high) / 2, least), most)
    return sqrt((high - middle) * (middle - low))


def between_deviation(
    texts: Sequence[Printed], weights: Sequence[float]
) -> tuple[float, float, float]:
    """Deviation of weighted parts around their mean, sqrt(sum w (m - mean)^2 / sum w):
    least, as printed, most over the parts' rounding."""
    return _spread(texts, weights, np.sqrt(np.asarray(weights, dtype=float) / np.sum(weights)))


def clustered_error(texts: Sequence[Printed], sizes: Sequence[float]) -> tuple[float, float, float]:
    """Standard error of an average, clustered over groups, from the groups' printed means:
    sqrt(sum n^2 (m - mean)^2) / sum n (Miller, 2024; as `stats.clustered_standard_error`);
    least, as printed, most over the means' rounding."""
    return _spread(texts, sizes, np.asarray(sizes, dtype=float) / np.sum(sizes))


def _spread(
    texts: Sequence[Printed], sizes: Sequence[float], scale: np.ndarray
) -> tuple[float, float, float]:
    from scipy.optimize import lsq_linear

    share = np.asarray(sizes, dtype=float) / np.sum(sizes)
    centre = scale[:, None] * (np.eye(len(share)) - share[None, :])
    ends = np.array([interval(text) for text in texts])
    least = lsq_linear(centre, np.zeros(len(share)), (ends[:, 0], ends[:, 1])).x
    corners = [float(np.linalg.norm(centre @ np.array(corner))) for corner in product(*ends)]
    as_printed = float(np.linalg.norm(centre @ ends.mean(axis=1)))
    return float(np.linalg.norm(centre @ least)), as_printed, max(corners)


def pooled_deviation(
    means: Sequence[Printed], deviations: Sequence[Printed], sizes: Sequence[float]
) -> tuple[float, float, float]:
    """Standard deviation (ddof 0) of pooled groups: within plus between variance; least, as
    printed, most over the rounding of both."""
    ends = np.array([interval(text) for text in deviations])
    spreads = (ends[:, 0], ends.mean(axis=1), ends[:, 1])
    share = np.asarray(sizes, dtype=float) / np.sum(sizes)
    parts = zip(spreads, between_deviation(means, sizes), strict=True)
    least, middle, most = (sqrt(float(share @ within**2) + apart**2) for within, apart in parts)
    return least, middle, most


def share_between(ones: Sequence[int], sizes: Sequence[int]) -> float:
    """Share of the variance of 0/1 values that lies between groups: the R2 of a regression
    on the groups, and the least R2 of every one that includes them.

    >>> share_between([3, 0], [3, 3])
    1.0
    """
    k, n = np.asarray(ones, dtype=float), np.asarray(sizes, dtype=float)
    mean = k.sum() / n.sum()
    total = n.sum() * mean * (1 - mean)
    return float((n * (k / n - mean) ** 2).sum() / total) if total else float("nan")


def additive_fit(
    sizes: pd.DataFrame, row_ones: Sequence[int], column_ones: Sequence[int]
) -> tuple[float, np.ndarray]:
    """The regression of 0/1 values on two crossed groupings, from the margins alone.

    ``sizes``: how many values in each row group and column group; ``row_ones`` and
    ``column_ones``: how many of each group's are 1. Returns R2 (the least R2 of every
    regression that includes both groupings) and the effects of the rows against the last.
    """
    n = sizes.to_numpy(dtype=float)
    rows, columns = n.shape
    design = np.array([
        [*(float(i == r) for r in range(rows - 1)), *(float(j == c) for c in range(columns))]
        for i in range(rows) for j in range(columns)
    ])  # fmt: skip
    target = np.array([*row_ones[:-1], *column_ones], dtype=float)
    effects = np.linalg.lstsq(design.T @ (design * n.reshape(-1, 1)), target, rcond=None)[0]
    mean = sum(column_ones) / n.sum()
    explained = float(effects @ target) - n.sum() * mean**2
    return explained / (n.sum() * mean * (1 - mean)), effects[: rows - 1]


def rounds_up(text: Printed, low: float, high: float) -> bool:
    """Can a value in (low, high] give this text when rounded up to its last digit?

    >>> rounds_up("1.5", 1.2, 1.4), rounds_up("1.5", 1.2, 1.41)
    (False, True)
    """
    least, most = interval(text)
    unit, printed = most - least, (least + most) / 2
    return high > printed - unit + SLACK and low < printed
