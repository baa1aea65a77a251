"""Can these printed spreads all be true? Deviations, errors and explained variance that follow
from rounded means and counts; beside `consistency`, usable on any table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import floor, sqrt

import numpy as np
import pandas as pd

from .consistency import Interval, Printed, ends_of, interval


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
    share = np.asarray(weights, dtype=float) / np.sum(weights)
    return _spread(ends_of(texts), weights, np.sqrt(share))


def clustered_error(texts: Sequence[Printed], sizes: Sequence[float]) -> tuple[float, float, float]:
    """Standard error of an average, clustered over groups, from the groups' printed means:
    sqrt(sum n^2 (m - mean)^2) / sum n (Miller, 2024; as `stats.clustered_standard_error`);
    least, as printed, most over the means' rounding."""
    return _spread(ends_of(texts), sizes, np.asarray(sizes, dtype=float) / np.sum(sizes))


def _spread(
    ends: np.ndarray, sizes: Sequence[float], scale: np.ndarray
) -> tuple[float, float, float]:
    """Least, middle and largest length of scale * (m - weighted mean) for m within its ends."""
    from scipy.optimize import lsq_linear

    share = np.asarray(sizes, dtype=float) / np.sum(sizes)
    centre = scale[:, None] * (np.eye(len(share)) - share[None, :])
    least = lsq_linear(centre, np.zeros(len(share)), (ends[:, 0], ends[:, 1])).x
    corners = [float(np.linalg.norm(centre @ np.array(corner))) for corner in product(*ends)]
    middle = float(np.linalg.norm(centre @ ends.mean(axis=1)))
    return float(np.linalg.norm(centre @ least)), middle, max(corners)


def binned_squares(bins: Sequence[Interval], sizes: Sequence[int]) -> tuple[float, float, float]:
    """Sum of squares around their mean of values told by bins: at least, with every value in
    the middle of its bin, at most (a bound: squares around that middle mean).

    >>> [round(x, 3) for x in binned_squares([(0, 1), (1, 2)], [1, 1])]
    [0.0, 0.5, 2.0]
    """
    n, ends = np.asarray(sizes, dtype=float), np.asarray(bins, dtype=float)
    least, middle, _ = _spread(ends, sizes, np.sqrt(n))
    around = ends - ends.mean(axis=1) @ n / n.sum()
    return least**2, middle**2, float(n @ (around**2).max(axis=1))


def pooled_deviation(
    means: Sequence[Printed], deviations: Sequence[Printed], sizes: Sequence[float]
) -> tuple[float, float, float]:
    """Standard deviation (ddof 0) of pooled groups: within plus between variance; least, as
    printed, most over the rounding of both."""
    ends = ends_of(deviations)
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
) -> tuple[float, np.ndarray, np.ndarray]:
    """The regression of 0/1 values on two crossed groupings, from the margins alone.

    ``sizes``: how many values in each row group and column group; ``row_ones`` and
    ``column_ones``: how many of each group's are 1. Returns R2 (the least R2 of every
    regression that includes both groupings), the effects of the rows against the last, and
    what the residual variance is multiplied with for the effects' variances.
    """
    n = sizes.to_numpy(dtype=float)
    rows, columns = n.shape
    design = np.array([
        [*(float(i == r) for r in range(rows - 1)), *(float(j == c) for c in range(columns))]
        for i in range(rows) for j in range(columns)
    ])  # fmt: skip
    target = np.array([*row_ones[:-1], *column_ones], dtype=float)
    inverse = np.linalg.pinv(design.T @ (design * n.reshape(-1, 1)))
    effects = inverse @ target
    mean = sum(column_ones) / n.sum()
    explained = float(effects @ target) - n.sum() * mean**2
    r2 = explained / (n.sum() * mean * (1 - mean))
    return r2, effects[: rows - 1], np.diag(inverse)[: rows - 1]
