"""The published tables of FIND, cell by cell, as tidy data with their citation."""

from __future__ import annotations

import pandas as pd

from .paths import FindlibError, package

CITATION = "On Finding Inconsistencies in Documents (FIND), tables as printed"


def table(name: str) -> pd.DataFrame:
    """One printed table ("1", "2", "3", "4", "D.1", "H.1" ... "H.9").

    Columns: table, part, row, column, metric, value (as printed), unit, stderr, sd, pm,
    stars, denom. Raises FindlibError that lists the known tables.

    >>> table("H.1").value.astype(int).sum()
    np.int64(51)
    """
    everything = pd.read_csv(package("reference/find.csv"), dtype={"table": str, "value": str})
    found = everything[everything.table == name].reset_index(drop=True)
    if found.empty:
        known = ", ".join(everything.table.unique())
        raise FindlibError(f"no published table {name!r}; known: {known}")
    return found


def values(name: str, part: str) -> pd.DataFrame:
    """One part of a printed table as numbers: rows, columns in print order."""
    return cells(name, part).astype(float)


def cells(name: str, part: str) -> pd.DataFrame:
    """One part of a printed table as printed text: rows, columns in print order."""
    found = table(name)
    found = found[found.part == part]
    wide = found.pivot(index="row", columns="column", values="value")
    return wide.reindex(index=found.row.unique(), columns=found.column.unique())
