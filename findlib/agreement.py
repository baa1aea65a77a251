"""Agreement of two raters: share of items, Cohen's kappa with its interval, who said what."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Agreement:
    """How far two raters agree over the items both rated.

    ``n`` items, ``agreed`` of them alike; ``kappa`` is Cohen's, [``low``, ``high``] its 95%
    interval (asymptotic); NaN where it is not defined. ``table`` counts items: rows are the
    first rater's labels, columns the second's.
    """

    n: int
    agreed: int
    kappa: float
    low: float
    high: float
    table: pd.DataFrame

    def __str__(self) -> str:
        share = f"{self.agreed} of {self.n}"
        share += f" ({100 * self.agreed / self.n:.1f}%)" if self.n else ""
        interval = f"[{self.low:.2f}, {self.high:.2f}]"
        return f"agreement {share}, Cohen's kappa {self.kappa:.2f} {interval}"


def agreement(
    first: Sequence[object], second: Sequence[object], labels: Sequence[object]
) -> Agreement:
    """Agreement of two raters over paired items (FIND, section 7.1 and Appendix H.1).

    Items that either rater left without a label (None, NaN, "") are left out. ``labels``: the
    menu, in the order of the table. Kappa is NaN when both raters use one and the same label
    throughout: chance alone explains that. Raises ValueError for lengths that differ or a
    label off the menu.

    >>> str(agreement(["real"] * 3 + ["not"], ["real"] * 2 + ["not"] * 2, ["real", "not"]))
    "agreement 3 of 4 (75.0%), Cohen's kappa 0.50 [-0.23, 1.00]"
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} items by the first rater, {len(second)} by the second")
    pairs = pd.DataFrame({"first": list(first), "second": list(second)}, dtype=object)
    pairs = pairs[~(pairs.isna() | (pairs == "")).any(axis=1)]
    unknown = sorted({str(x) for x in pairs.to_numpy().ravel()} - {str(x) for x in labels})
    if unknown:
        raise ValueError(f"labels not in {list(labels)}: {', '.join(unknown)}")
    table = pd.crosstab(
        pd.Categorical(pairs["first"], labels), pd.Categorical(pairs["second"], labels),
        dropna=False, rownames=["first"], colnames=["second"],
    )  # fmt: skip
    agreed = sum(int(table.iloc[i, i]) for i in range(len(labels)))
    return Agreement(len(pairs), agreed, *_kappa(table), table)


def _kappa(table: pd.DataFrame) -> tuple[float, float, float]:
    """Kappa with its 95% interval, from statsmodels (Fleiss, Cohen and Everitt, 1969)."""
    from statsmodels.stats.inter_rater import cohens_kappa

    if table.to_numpy().sum() == 0:
        return float("nan"), float("nan"), float("nan")
    with warnings.catch_warnings():  # one label throughout: 0/0
        warnings.simplefilter("ignore", RuntimeWarning)
        found = cohens_kappa(table.to_numpy())
    low, high = np.clip([found.kappa_low, found.kappa_upp], -1.0, 1.0)  # NaN stays NaN
    return float(found.kappa), float(low), float(high)


def fleiss(ratings: Sequence[Sequence[object]], labels: Sequence[object]) -> float:
    """Fleiss' kappa of three or more raters, a row an item, a column a rater (statsmodels).

    NaN without items, or when all raters use one and the same label throughout. Raises
    ValueError for a label off the menu.

    >>> round(fleiss([["a", "a", "a"], ["a", "a", "b"], ["b", "b", "b"]], ["a", "b"]), 3)
    0.55
    """
    from statsmodels.stats.inter_rater import fleiss_kappa

    table = pd.DataFrame([list(row) for row in ratings], dtype=object)
    unknown = sorted({str(x) for x in table.to_numpy().ravel()} - {str(x) for x in labels})
    if unknown:
        raise ValueError(f"labels not in {list(labels)}: {', '.join(unknown)}")
    counts = np.column_stack([(table == label).sum(axis=1) for label in labels]).astype(float)
    if (counts.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(fleiss_kappa(counts))
