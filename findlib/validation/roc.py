"""How well scores tell right from wrong: ROC curves, their areas, intervals, paired tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

Z = 1.959963984540054  # of a 95% interval


@dataclass(frozen=True)
class Auc:
    """An area under a ROC curve over ``right`` and ``wrong`` items.

    ``se`` is DeLong's standard error and [``low``, ``high``] the 95% interval, within
    [0, 1]. NaN where not defined: the area with one class only, the error with fewer than two
    clusters of either class, the interval also where the error is 0, for an interval without
    width would claim certainty.
    """

    area: float
    se: float
    low: float
    high: float
    right: int
    wrong: int


def curve(scores: Sequence[float], right: Sequence[object]) -> pd.DataFrame:
    """The ROC curve: columns threshold, fpr, tpr, from (0, 0) to (1, 1) (scikit-learn).

    Items with a NaN score are left out; no row where there is one class only.
    """
    from sklearn.metrics import roc_curve

    values, truth, _ = _kept([scores], right, None)
    columns = ["threshold", "fpr", "tpr"]
    if len(set(truth)) < 2:
        return pd.DataFrame(columns=columns, dtype=float)
    fpr, tpr, threshold = roc_curve(truth, values[0], drop_intermediate=False)
    return pd.DataFrame(dict(zip(columns, (threshold, fpr, tpr), strict=True)))


def auc(
    scores: Sequence[float], right: Sequence[object], clusters: Sequence[object] | None = None
) -> Auc:
    """Area under the ROC curve with DeLong's interval (DeLong et al., 1988).

    The share of (right, wrong) pairs that the scores order as they should, ties one half.
    ``right``: 1 or True for right items, 0 or False for wrong ones. ``clusters``: what items
    belong together (several models' answers on one document); the error is then Obuchowski's
    (1997), which is DeLong's where every item stands alone. Items with a NaN score are left
    out. Raises ValueError when lengths differ.

    >>> found = auc([0.9, 0.6, 0.6, 0.1], [1, 1, 0, 0])
    >>> found.area, round(found.se, 3)
    (0.875, 0.177)
    """
    values, truth, groups = _kept([scores], right, clusters)
    n_right, n_wrong = int(truth.sum()), int((~truth).sum())
    nan = float("nan")
    if not n_right or not n_wrong:
        return Auc(nan, nan, nan, nan, n_right, n_wrong)
    areas, covariance = _covariance(values, truth, groups)
    area, se = float(areas[0]), float(np.sqrt(max(covariance[0, 0], 0.0)))
    if np.isnan(covariance[0, 0]) or not se:
        return Auc(area, nan if np.isnan(covariance[0, 0]) else se, nan, nan, n_right, n_wrong)
    low, high = max(0.0, area - Z * se), min(1.0, area + Z * se)
    return Auc(area, se, low, high, n_right, n_wrong)


def compare(
    first: Sequence[float],
    second: Sequence[float],
    right: Sequence[object],
    clusters: Sequence[object] | None = None,
) -> tuple[float, float]:
    """Difference of two scores' areas on the same items, and its two-sided p (DeLong).

    Items that either did not score are left out. NaN where the areas are not defined or the
    difference has no spread to be judged by; p is 1.0 for two scores that order all pairs
    alike.

    >>> compare([0.9, 0.6, 0.6, 0.1], [9, 6, 6, 1], [1, 1, 0, 0])
    (0.0, 1.0)
    """
    from scipy.stats import norm

    values, truth, groups = _kept([first, second], right, clusters)
    if len(set(truth)) < 2:
        return float("nan"), float("nan")
    areas, covariance = _covariance(values, truth, groups)
    difference = float(areas[0] - areas[1])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    if np.isnan(variance) or variance < 1e-15:
        return difference, 1.0 if abs(difference) < 1e-12 and variance < 1e-15 else float("nan")
    return difference, float(2 * norm.sf(abs(difference) / np.sqrt(variance)))


def _kept(
    scores: Sequence[Sequence[float]], right: Sequence[object], clusters: Sequence[object] | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of shape (metrics, items), truth and cluster numbers of the items all scored."""
    values = np.asarray(scores, dtype=float)
    groups = range(len(right)) if clusters is None else clusters
    if len({values.shape[1], len(right), len(groups)}) > 1:
        raise ValueError(
            f"{values.shape[1]} scores, {len(right)} judgments, {len(groups)} clusters"
        )
    keep = ~np.isnan(values).any(axis=0)
    numbers = pd.factorize(pd.Series(list(groups), dtype=object)[keep])[0]
    return values[:, keep], np.asarray(right).astype(bool)[keep], numbers


def _covariance(
    values: np.ndarray, truth: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Areas of shape (metrics,) and their covariance, shape (metrics, metrics)."""
    placed = np.array([_placements(row, truth) for row in values])
    areas = placed[:, truth].mean(axis=1)
    residuals = placed - areas[:, None]
    n_groups = int(groups.max()) + 1
    sums, factors = [], []
    for side in (truth, ~truth):
        total = [np.bincount(groups[side], r[side], n_groups) / side.sum() for r in residuals]
        sums.append(np.array(total))
        factors.append(_small_sample(len(set(groups[side]))))
    right, wrong = sums
    both = _small_sample(n_groups) * (right @ wrong.T + wrong @ right.T)
    return areas, factors[0] * right @ right.T + factors[1] * wrong @ wrong.T + both


def _placements(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """For each item the share of the other class that it is ordered against as it should."""
    from scipy.stats import rankdata

    ranks = rankdata(scores)
    below = np.empty(len(scores))
    for side in (truth, ~truth):
        below[side] = (ranks[side] - rankdata(scores[side])) / (~side).sum()
    return np.where(truth, below, 1 - below)


def _small_sample(count: int) -> float:
    return count / (count - 1) if count > 1 else float("nan")
