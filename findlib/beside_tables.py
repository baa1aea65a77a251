"""Published, this run, difference within error? For each kind of table that a run makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import published, stats
from .documents import parts_of, rows_of
from .records import METRICS, SOURCES, Document
from .tables import Table, number

COLUMNS = ("printed_in", "quantity", "source", "model", "this_run", "this_se", "n_scored", "n",
           "published_model", "published", "published_se", "difference", "within",
           "compares")  # fmt: skip
_SCORES = {"test": "H.4", "dev": "H.9", "MFR": "H.2"}
_DOCUMENTS = {"table_2": "2", "table_H_7": "H.7"}
_RESPONSES = {"table_3": "3", "table_H_8": "H.8"}
_NAMES = {"ktok": "kTok/D", "spans": "eps/D", "tok_span": "Tok/eps", "position": "epsPos%"}
_RESPONSE_NAMES = {"valid": "Valid", "ktok": "kTok/D", "answers": "I/D", "spans": "eps/I",
                   "tok_span": "Tok/eps"}  # fmt: skip


def table(
    documents: Sequence[Document],
    scores: pd.DataFrame,
    made: Sequence[Table],
    signature: str,
    same_documents: bool = False,
) -> Table:
    """Every number of a run's tables beside the printed ones, with the difference.

    ``scores`` is `find.scores` with failures as misses; ``made`` are the run's document and
    response tables. Within error: |difference| is at most 1.96 times the root of the summed
    squared standard errors; "not told" where print gives no spread (all of Table 3).
    ``same_documents``: whether the run's documents are the paper's own. Shown are the rows
    over all sources; the CSV holds all.
    """
    parts = [_of_scores(documents, scores, same_documents)]
    for one in made:
        if one.name in _DOCUMENTS:
            parts.append(_of_documents(one.values, _DOCUMENTS[one.name], same_documents))
        if one.name in _RESPONSES:
            parts.append(_of_responses(one.values, _RESPONSES[one.name], same_documents))
    values = pd.concat([p for p in parts if len(p)], ignore_index=True)[list(COLUMNS)]
    shown = [_shown(row) for row in values.itertuples() if row.source in ("AVG", "all", "")]
    note = (
        "Within: |difference| <= 1.96 standard errors of both. Other documents or another model: "
        "the difference says nothing about either's correctness."
    )
    title = "Published, this run, and whether the difference is within error."
    return Table("table_beside", title, pd.DataFrame(shown), values, signature, (note,))


def _of_scores(
    documents: Sequence[Document], scores: pd.DataFrame, same_documents: bool
) -> pd.DataFrame:
    found = [pd.DataFrame(columns=list(COLUMNS))]
    for part, mine in parts_of(documents).items():
        for metric in METRICS if part in _SCORES else ():
            ours = stats.summary(rows_of(scores, mine), metric)
            theirs = published.scores(_SCORES[part], metric)
            both = published.beside(ours, theirs, same_documents)
            percent = ["mean", "se", "published", "published_se", "difference"]
            both[percent] = 100 * both[percent]
            both = both.rename(columns={"mean": "this_run", "se": "this_se"})
            found.append(both.assign(printed_in=f"Table {_SCORES[part]}", quantity=metric))
    return pd.concat(found, ignore_index=True)


def _of_documents(values: pd.DataFrame, name: str, same_documents: bool) -> pd.DataFrame:
    """Means over documents (kTok, spans) and over spans, each with sd over root n."""
    cells = published.table(name).set_index(["row", "column"])
    rows = []
    for row in values.to_dict("records"):
        twin = "FIND" if row["source"] == "all" else SOURCES[row["source"]][1]
        twin = "PGS" if (twin, name) == ("PG", "H.7") else twin
        for key, column in _NAMES.items():
            if (twin, column) in cells.index and not pd.isna(cells.sd[twin, column]):
                cell = cells.loc[(twin, column)]
                count = float(cells.value[twin, "docs"])
                spans = float(cells.value[twin, "eps/D"]) if key in ("tok_span", "position") else 1
                own = row["documents"] * (row["spans"] if spans != 1 else 1)
                rows.append({
                    "printed_in": f"Table {name}", "quantity": column, "source": row["source"],
                    "model": "", "this_run": row[key], "this_se": row[f"{key}_sd"] / np.sqrt(own),
                    "n": row["documents"], "n_scored": row["documents"], "published_model": "",
                    "published": float(cell.value),
                    "published_se": cell.sd / np.sqrt(count * spans),
                    "compares": _compared("", "", same_documents),
                })  # fmt: skip
    return _with_difference(pd.DataFrame(rows, columns=list(COLUMNS)))


def _of_responses(values: pd.DataFrame, name: str, same_documents: bool) -> pd.DataFrame:
    rows = []
    printed = published.table(name)
    known = set(printed.row)
    for row in values.to_dict("records"):
        for key, column in _RESPONSE_NAMES.items():
            for cell in printed[printed.column == column].itertuples():
                if row["model"] in known and row["model"] != cell.row:
                    continue
                rows.append({
                    "printed_in": f"Table {name}", "quantity": column, "source": "",
                    "model": row["model"], "this_run": row[key],
                    "this_se": row.get(f"{key}_se", float("nan")), "n_scored": row["n_ok"],
                    "n": row["n"], "published_model": cell.row, "published": float(cell.value),
                    "published_se": float(cell.sd), "compares": _compared(
                        row["model"], cell.row, same_documents),
                })  # fmt: skip
    return _with_difference(pd.DataFrame(rows, columns=list(COLUMNS)))


def _compared(model: str, printed: str, same_documents: bool) -> str:
    documents = "the same documents" if same_documents else "other documents"
    return (
        documents
        if not model
        else f"{'same' if model == printed else 'another'} model, {documents}"
    )


def _with_difference(found: pd.DataFrame) -> pd.DataFrame:
    difference = (found.this_run - found.published).astype(float)
    error = np.hypot(found.this_se.astype(float), found.published_se.astype(float))
    inside = (difference.abs() <= published.Z * error).astype(object)
    return found.assign(difference=difference, within=inside.where(error.notna(), None))


def _shown(row: Any) -> dict[str, str]:
    told = {True: "yes", False: "no"}
    return {
        "printed in": row.printed_in, "quantity": row.quantity, "model": row.model,
        "this run": _with_error(row.this_run, row.this_se),
        "n scored": f"{row.n_scored} of {row.n}",
        "published for": row.published_model,
        "published": _with_error(row.published, row.published_se),
        "difference": number(row.difference, "+.1f"),
        "within error": told.get(row.within, "not told"), "compares": row.compares,
    }  # fmt: skip


def _with_error(value: float, error: float) -> str:
    return number(value, ".1f") + ("" if pd.isna(error) else f" ({error:.1f})")
