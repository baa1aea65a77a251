"""Standard errors and tests, as plain functions on arrays and data frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

ALPHA = 0.05


def standard_error(values: Sequence[float] | np.ndarray) -> float:
    """Standard error of a mean with ddof 0: sqrt(p(1-p)/n) for 0/1 values (FIND, Table H.4).

    NaN values are left out; NaN for fewer than two values, which have no spread to tell.

    >>> round(100 * standard_error([1] * 43 + [0] * 32), 1)
    5.7
    """
    kept = _kept(values)
    return float(np.std(kept) / np.sqrt(len(kept))) if len(kept) > 1 else float("nan")


def clustered_standard_error(
    values: Sequence[float] | np.ndarray, clusters: Sequence[object] | np.ndarray
) -> float:
    """Standard error of a mean over clustered values, Miller (2024), without a
    small-sample factor: sqrt(sum over clusters of (sum of residuals) squared) / n.

    NaN values are left out; NaN for fewer than two clusters, whose residuals tell nothing.
    Raises ValueError when lengths differ.

    >>> clustered_standard_error([1, 1, 0, 0], ["a", "a", "b", "b"])
    0.3535533905932738
    """
    array = np.asarray(values, dtype=float)
    if len(array) != len(clusters):
        raise ValueError(f"{len(array)} values but {len(clusters)} clusters")
    keep = ~np.isnan(array)
    groups = pd.factorize(pd.Series(list(clusters))[keep])[0]
    if len(set(groups)) < 2:
        return float("nan")
    residuals = pd.Series(array[keep] - array[keep].mean())
    return float(np.sqrt((residuals.groupby(groups).sum() ** 2).sum()) / keep.sum())


def paired_t_test(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p of a paired t-test; pairs with a NaN are left out.

    1.0 when all differences are zero, NaN for fewer than two pairs, 0.0 when all
    differences are the same and not zero.
    """
    differences = _kept(np.asarray(a, dtype=float) - np.asarray(b, dtype=float))
    if len(differences) < 2:
        return float("nan")
    if not np.ptp(differences):
        return 0.0 if differences[0] else 1.0
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(differences, 0.0).pvalue)


def clustered_paired_test(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[object]
) -> float:
    """Two-sided p of a paired test over clusters (Miller, 2024).

    The mean difference over its clustered standard error against t with (clusters - 1)
    degrees of freedom. 1.0 when all differences are zero, NaN for fewer than two clusters.
    """
    from scipy.stats import t

    differences = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    keep = ~np.isnan(differences)
    names = pd.Series(list(clusters))[keep]
    if names.nunique() < 2:
        return float("nan")
    error = clustered_standard_error(differences[keep], names.to_numpy())
    mean = float(differences[keep].mean())
    if abs(mean) < 1e-12:
        return 1.0
    if error < 1e-12:
        return 0.0
    return float(2 * t.sf(abs(mean) / error, names.nunique() - 1))


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Holm's adjustment of several p values; NaN stays NaN and is no comparison.

    >>> holm([0.01, 0.04, float("nan")]).tolist()
    [0.02, 0.04, nan]
    """
    from statsmodels.stats.multitest import multipletests

    found = np.asarray(p, dtype=float).copy()
    made = ~np.isnan(found)
    if made.any():
        found[made] = multipletests(found[made], method="holm")[1]
    return found


def against_top(table: pd.DataFrame, value: str, clustered: bool = False) -> pd.DataFrame:
    """Every model against the top one (FIND, section 6), a row a model, in order.

    ``table`` has the columns model, doc_id, source and ``value``, a row a document and
    model. Columns: model, mean, n (scored documents), difference to the top model over the
    documents both have, n_pairs, p (paired t-test by document, or the clustered test over
    sources; NaN for the top model), p_holm over all comparisons made, and bold, bold_holm:
    the top model and those not different from it at ALPHA, by p and by p_holm. A model
    without a scored document is never bold; a comparison that cannot be made (too few
    pairs) does not tell models apart.
    """
    wide = table.pivot(index=["source", "doc_id"], columns="model", values=value)
    means = wide.mean()
    order = list(dict.fromkeys(table.model))
    scored = [model for model in order if not np.isnan(means[model])]
    top = max(scored, key=lambda model: means[model]) if scored else None
    sources = list(wide.index.get_level_values("source"))
    rows = [_compared(wide, model, top, sources if clustered else None) for model in order]
    found = pd.DataFrame(rows).assign(p_holm=lambda t: holm(t.p))
    has = ~found["mean"].isna()
    return found.assign(bold=has & ~(found.p < ALPHA), bold_holm=has & ~(found.p_holm < ALPHA))


def _compared(
    wide: pd.DataFrame, model: str, top: str | None, sources: list[str] | None
) -> dict[str, object]:
    p, pairs, difference = float("nan"), 0, float("nan")
    if top is not None and model != top:
        gap = wide[top] - wide[model]
        pairs, difference = int(gap.notna().sum()), float(gap.mean())
        p = (
            paired_t_test(wide[top], wide[model])
            if sources is None
            else clustered_paired_test(wide[top], wide[model], sources)
        )
    return {"model": model, "mean": float(wide[model].mean()), "n": int(wide[model].count()),
            "top": top, "difference": difference, "n_pairs": pairs, "p": p}  # fmt: skip


def summary(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """Mean, standard error and n per model and source, and over all sources ("AVG").

    The AVG row weighs documents equally and its standard error is clustered over sources.
    Columns: model, source, mean, se, n_scored, n.
    """
    rows = []
    for model, of_model in table.groupby("model", sort=False):
        for source, part in [*of_model.groupby("source", sort=False), ("AVG", of_model)]:
            values = part[value].to_numpy(dtype=float)
            error = (
                clustered_standard_error(values, part.source.to_numpy())
                if source == "AVG"
                else standard_error(values)
            )
            rows.append({
                "model": model, "source": source,
                "mean": float(np.nanmean(values)) if (~np.isnan(values)).any() else float("nan"),
                "se": error, "n_scored": int((~np.isnan(values)).sum()), "n": len(values),
            })  # fmt: skip
    return pd.DataFrame(rows)


def spearman(means: pd.DataFrame, values: Sequence[str]) -> pd.DataFrame:
    """Spearman correlation of each pair of columns, two-sided p (FIND, section 6).

    ``means``: a row a model and source. Columns: first, second, rho, p, n. NaN for fewer
    than three rows or a column without spread.
    """
    from itertools import combinations

    from scipy.stats import spearmanr

    rows = []
    for first, second in combinations(values, 2):
        both = means[[first, second]].dropna()
        told = len(both) > 2 and (both.nunique() > 1).all()
        rho, p = spearmanr(both[first], both[second]) if told else (float("nan"), float("nan"))
        rows.append({"first": first, "second": second, "rho": float(rho), "p": float(p),
                     "n": len(both)})  # fmt: skip
    return pd.DataFrame(rows)


def two_sample(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Difference of two means (first - second) of different documents, two-sided p (Welch).

    NaN p for fewer than two values in a group or no spread in either.
    """
    from scipy.stats import ttest_ind

    a, b = _kept(first), _kept(second)
    if not len(a) or not len(b):
        return float("nan"), float("nan")
    difference = float(a.mean() - b.mean())
    told = min(len(a), len(b)) > 1 and (np.ptp(a) or np.ptp(b))
    p = float(ttest_ind(a, b, equal_var=False).pvalue) if told else float("nan")
    return difference, p


def _kept(values: Sequence[float] | np.ndarray) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    return array[~np.isnan(array)]
