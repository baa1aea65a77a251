"""Bootstrap intervals by resampling documents, the same whatever the order or worker count."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

BATCH = 1_000  # resamples drawn at once


def interval(
    values: Sequence[float] | np.ndarray,
    documents: Sequence[object],
    generator: np.random.Generator,
    resamples: int = 9_999,
) -> tuple[float, float]:
    """95% interval of a mean by resampling documents (BCa, scipy.stats.bootstrap).

    ``values``: one or more per document, NaN left out; ``documents``: which document each
    belongs to. A document is drawn with all of its values. NaN, NaN for fewer than two
    documents or values that are all the same, whose spread cannot be told.

    >>> low, high = interval([1, 0, 1, 1, 0, 1], list("abcdef"), np.random.default_rng(1))
    >>> low < 4 / 6 < high
    True
    """
    from scipy.stats import bootstrap

    array = np.asarray(values, dtype=float)
    if len(array) != len(documents):
        raise ValueError(f"{len(array)} values but {len(documents)} documents")
    keep = ~np.isnan(array)
    groups = pd.Series(array[keep]).groupby(pd.factorize(pd.Series(list(documents))[keep])[0])
    sums, counts = groups.sum().to_numpy(), groups.size().to_numpy(dtype=float)
    if len(sums) < 2 or not np.ptp(sums / counts):
        return float("nan"), float("nan")
    found = bootstrap(
        (sums, counts), lambda s, c, axis: s.sum(axis) / c.sum(axis), paired=True, vectorized=True,
        n_resamples=resamples, rng=generator, method="BCa", batch=1_000,
    ).confidence_interval  # fmt: skip
    return float(found.low), float(found.high)


def cluster_interval(
    counts: np.ndarray,
    clusters: Sequence[object],
    statistic: Callable[[np.ndarray], np.ndarray],
    generator: np.random.Generator,
    resamples: int = 10_000,
) -> tuple[np.ndarray, np.ndarray]:
    """95% percentile intervals of any statistics of summed counts, by resampling clusters.

    ``counts``: units x k; a cluster is drawn with all of its units (FindTheFlaws, Tables 9 and
    10: the block bootstrap). ``statistic`` maps sums (..., k) to values (..., m) for all
    resamples at once. Returns low and high, m values each; NaN for fewer than two clusters,
    and for a statistic without spread or denominator. Resamples in which a statistic has no
    denominator are left out for it.

    >>> share = lambda c: c[..., :1] / c.sum(axis=-1, keepdims=True)
    >>> counts = np.array([[1, 0], [1, 0], [0, 1], [1, 0], [0, 1], [1, 0]])
    >>> low, high = cluster_interval(counts, list("aabbcd"), share, np.random.default_rng(1))
    >>> bool(low[0] < 4 / 6 < high[0])
    True
    """
    counts = np.asarray(counts, dtype=float)
    if len(counts) != len(clusters):
        raise ValueError(f"{len(counts)} units but {len(clusters)} clusters")
    place = pd.factorize(pd.Series(list(clusters), dtype=object))[0]
    n = int(place.max()) + 1 if len(place) else 0
    nothing = np.full(statistic(counts.sum(axis=0)).shape, np.nan)
    if n < 2:
        return nothing, nothing
    sums = np.zeros((n, counts.shape[1]))
    np.add.at(sums, place, counts)
    draws = [
        generator.multinomial(n, np.full(n, 1 / n), size=min(BATCH, resamples - start)) @ sums
        for start in range(0, resamples, BATCH)
    ]
    values = statistic(np.concatenate(draws))
    with warnings.catch_warnings():  # a statistic without a denominator in any resample
        warnings.simplefilter("ignore", RuntimeWarning)
        low, high = np.nanquantile(values, [0.025, 0.975], axis=0)
        told = np.nanmax(values, axis=0) > np.nanmin(values, axis=0)
    return np.where(told, low, np.nan), np.where(told, high, np.nan)


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each named cell: its draws depend on no other cell."""
    return np.random.default_rng([seed, zlib.crc32("\0".join(names).encode())])


def intervals(
    table: pd.DataFrame, values: Sequence[str], seed: int, workers: int = 1, resamples: int = 9_999
) -> pd.DataFrame:
    """Bootstrap intervals per model, source (and "AVG") and value column.

    ``table`` as for `stats.against_top`. Every cell has a generator of its own, made of ``seed``
    and the cell's name: the same intervals whatever the order or the number of workers.
    Columns: model, source, metric, low, high.
    """
    from concurrent.futures import ThreadPoolExecutor

    cells = [
        (str(model), str(source), value, part[value].to_numpy(float), list(part.doc_id))
        for model, mine in table.groupby("model", sort=False)
        for source, part in [*mine.groupby("source", sort=False), ("AVG", mine)]
        for value in values
    ]

    def one(cell: tuple[str, str, str, np.ndarray, list[str]]) -> dict[str, object]:
        model, source, value, scores, documents = cell
        own = generator(seed, model, source, value)
        low, high = interval(scores, documents, own, resamples)
        return {"model": model, "source": source, "metric": value, "low": low, "high": high}

    with ThreadPoolExecutor(max(1, workers)) as pool:
        return pd.DataFrame(list(pool.map(one, cells)))
