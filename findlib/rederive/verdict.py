"""A printed number beside what follows from other printed numbers, and the verdict on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .. import published, stats
from .consistency import Printed, counts, fits

REPRODUCED = "reproduced"  # the computed value prints as the paper prints it
ROUNDING = "within rounding"  # it does for some values that the printed parts stand for
FOLLOWS_NOT = "does not follow"  # it does for none: as printed, not all can be true
READING = "needs a reading"  # false or unlikely as it stands; another reading mends it
CONSISTENT = "consistent"  # only bounds follow, and the print lies within them
UNDERIVABLE = "not derivable"
VERDICTS = (REPRODUCED, ROUNDING, CONSISTENT, UNDERIVABLE, READING, FOLLOWS_NOT)


@dataclass(frozen=True)
class Claim:
    """One printed claim: where it stands, how it is computed from other printed numbers,
    both values, the verdict, and where that is not a plain yes the arithmetic in words."""

    id: str
    where: str
    claim: str
    formula: str
    printed: str
    computed: str
    verdict: str
    arithmetic: str = ""


def judge(text: Printed, value: float, low: float | None = None, high: float | None = None) -> str:
    """Verdict on a printed text: does it print ``value``, or else one in low to high?"""
    if fits(text, value):
        return REPRODUCED
    possible = low is not None and fits(text, low, high)
    return ROUNDING if possible else FOLLOWS_NOT


def worst(verdicts: Iterable[str]) -> str:
    """The verdict of several together: the last of VERDICTS that occurs."""
    return max(verdicts, key=VERDICTS.index, default=UNDERIVABLE)


def holds(condition: bool, otherwise: str = FOLLOWS_NOT, so: str = REPRODUCED) -> str:
    """The verdict on a claim that holds or does not."""
    return so if condition else otherwise


def tally(verdicts: Sequence[str]) -> str:
    """How many of several values got each verdict, in words."""
    parts = [f"{list(verdicts).count(v)} {v}" for v in VERDICTS if v in verdicts]
    return f"{len(verdicts)} values: " + ", ".join(parts)


def listed(items: Iterable[object], most: int = 20) -> str:
    """Items in one line, "none" for none."""
    found = [str(item) for item in items]
    more = f"; and {len(found) - most} more" if len(found) > most else ""
    return ("; ".join(found[:most]) + more) or "none"


def sources(find: pd.DataFrame) -> list[str]:
    """The five sources, in Table 1's order."""
    return [c for c in published.cells("1", "counts", find).columns if c != "Total"]


def sizes(find: pd.DataFrame, table: str = "2") -> dict[str, int]:
    """Documents by source: Table 2 (test and analysis), "H.7" for development."""
    return published.cells(table, "stats", find)["docs"].astype(int).to_dict()


def is_open(model: str) -> bool:
    """Is it one of FIND's open models (section 5)?"""
    return model.startswith(("gemma", "gpt-oss"))


def hits(find: pd.DataFrame, table: str = "4") -> pd.DataFrame:
    """The whole numbers of found inconsistencies behind a table's task percentages, a row a
    model (named by position, see `rows`), a column a source; NaN where no whole
    number prints so."""
    documents = sizes(find, published.SIZES[table])
    cells = published.cells(table, "task", find)
    columns = [c for c in cells.columns if c != "AVG"]
    found = {c: [whole(text, documents[c]) for text in cells[c]] for c in columns}
    return pd.DataFrame(found, index=cells.index)


def whole(text: str, n: int) -> float:
    """The whole number of n that prints as this percentage, NaN for none (for n < 100 there
    is no second; the larger of several)."""
    return float(max(counts(text, n), default=float("nan")))


def clustered(ones: Sequence[float], n: Sequence[int]) -> tuple[float, float]:
    """Mean and clustered standard error, in percent, of 0/1 values from counts by group."""
    if np.isnan(np.asarray(ones, dtype=float)).any():
        return float("nan"), float("nan")
    values = [np.repeat([1.0, 0.0], [int(k), int(m - k)]) for k, m in zip(ones, n, strict=True)]
    groups = np.repeat(np.arange(len(n)), n)
    flat = np.concatenate(values)
    return 100 * float(flat.mean()), 100 * stats.clustered_standard_error(flat, groups)
