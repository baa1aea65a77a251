"""Bootstrap intervals by resampling documents, the same whatever the order or worker count."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import pandas as pd


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
        name = zlib.crc32("\0".join((model, source, value)).encode())
        low, high = interval(scores, documents, np.random.default_rng([seed, name]), resamples)
        return {"model": model, "source": source, "metric": value, "low": low, "high": high}

    with ThreadPoolExecutor(max(1, workers)) as pool:
        return pd.DataFrame(list(pool.map(one, cells)))
