"""FIND's tables of the documents, beside the published values: Tables 1, 2 and H.7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import published
from .documents import evidence_places, parts_of, sources_of, tokenizer
from .records import ERROR_TYPES, SOURCES, Document
from .tables import PRINTED, Table, header, number, whole_number


def by_part(documents: Sequence[Document], signature: str) -> list[Table]:
    """Tables 1 and 2, and H.7 for a development set: those that these documents fill."""
    parts = parts_of(documents)
    typed = [p for p, mine in parts.items() if any(d.error_type for d in mine)]
    found = [inconsistency_types(parts[part], signature, part) for part in typed]
    if set(parts) - {"dev"}:
        found.append(document_statistics(documents, signature))
    if "dev" in parts:
        found.append(document_statistics(documents, signature, "dev"))
    return found


def inconsistency_types(documents: Sequence[Document], signature: str, part: str = "test") -> Table:
    """Table 1: number of documents by inconsistency type and source.

    ``part`` other than "test" gives the same of that part as ``table_1_<part>``; the printed
    counts are the test set's.
    """
    sources = sources_of(documents)
    counts = pd.crosstab(
        pd.Categorical([d.error_type for d in documents], ERROR_TYPES),
        pd.Categorical([d.source for d in documents], sources),
        dropna=False,
    )
    printed = published.values("1", "counts")
    printed.index = printed.index.str.lower()
    shown = []
    for kind in ERROR_TYPES:
        own = {header(s): str(counts.loc[kind, s]) for s in sources}
        shown.append(
            {"type": kind, "origin": "this run", **own, "Total": str(counts.loc[kind].sum())}
        )
    for kind in ERROR_TYPES if part == "test" else ():
        row = printed.loc[kind]
        own = {header(s): whole_number(row.get(SOURCES[s][1])) for s in sources}
        shown.append({"type": kind, "origin": PRINTED, **own, "Total": whole_number(row["Total"])})
    tidy = counts.stack().rename_axis(["error_type", "source"]).rename("documents").reset_index()
    title = f"Table 1. Documents by inconsistency type and source{_named(part)}."
    return Table(f"table_1{_suffix(part)}", title, pd.DataFrame(shown), tidy, signature)


def _named(part: str) -> str:
    return "" if part == "test" else f" ({part})"


def _suffix(part: str) -> str:
    return "" if part == "test" else f"_{part.replace('.', '_')}"


def document_statistics(documents: Sequence[Document], signature: str, part: str = "test") -> Table:
    """Tables 2 (test, with the sets used for analysis below) and H.7 (dev).

    Documents, lengths and evidence by source, and pooled over the part's own documents.
    ``documents``: all of the collection; ``part``: "test" or "dev".

    Tokens are the gpt-5 tokenizer's; spreads are standard deviations with ddof 0, over
    documents for kTok and spans per document, over spans for the other two. A span's
    position is its first character's share of the document, in percent.
    """
    name, number_, printed_name = _DOCUMENT_TABLES[part]
    kinds = parts_of(documents)
    own = kinds.get(part, [])
    others = [d for kind in ("MFR", "cs.CL") for d in kinds.get(kind, [])] * (part == "test")
    pooled = [{"source": "all", **_statistics(own)}] if own else []
    rows = [*_by_source(own), *pooled, *_by_source(others)]
    values = pd.DataFrame(rows)
    columns = {"kTok/D": "ktok", "ε/D": "spans", "Tok/ε": "tok_span", "ε Pos%": "position"}
    shown = []
    for row in rows:
        cells = {"source": row["source"], "origin": "this run", "Docs": str(row["documents"])}
        for label, key in columns.items():
            cells[label] = f"{number(row[key], '.1f')}±{number(row[key + '_sd'], '.1f')}"
        shown.append(cells)
    printed = published.table(printed_name)
    for source in _printed_sources(values.source, part):
        cells = printed[printed.row == source].set_index("column")
        if len(cells):
            shown.append({"source": source, "origin": PRINTED, **_printed_statistics(cells)})
    title = f"Table {number_}. Documents, lengths and evidence by source (mean±standard deviation)."
    note = "kTok: thousands of o200k_base tokens; standard deviations with ddof 0."
    return Table(name, title, pd.DataFrame(shown), values, signature, (note,))


_DOCUMENT_TABLES = {"test": ("table_2", "2", "2"), "dev": ("table_H_7", "H.7", "H.7")}


def _by_source(documents: Sequence[Document]) -> list[dict[str, Any]]:
    return [
        {"source": source, **_statistics([d for d in documents if d.source == source])}
        for source in sources_of(documents)
    ]


def _printed_sources(sources: Sequence[str], part: str) -> list[str]:
    """Printed rows to show: the twins of what is there, the development set's books as PGS."""
    twins = [SOURCES[source][1] if source in SOURCES else "FIND" for source in sources]
    return list(dict.fromkeys("PGS" if (twin, part) == ("PG", "dev") else twin for twin in twins))


def _printed_statistics(cells: pd.DataFrame) -> dict[str, str]:
    names = {"Docs": "docs", "kTok/D": "kTok/D", "ε/D": "eps/D", "Tok/ε": "Tok/eps",
             "ε Pos%": "epsPos%"}  # fmt: skip
    out = {}
    for name, column in names.items():
        known = column in cells.index and isinstance(cells.value[column], str)
        spread = f"±{cells.sd[column]}" if known and not pd.isna(cells.sd[column]) else ""
        out[name] = f"{cells.value[column]}{spread}" if known else "–"
    return out


def _statistics(documents: Sequence[Document]) -> dict[str, Any]:
    by = tokenizer()
    lengths = [by.count(d.text) / 1000 for d in documents]
    counts = [len(d.evidence) for d in documents]
    spans = [by.count(span) for d in documents for span in d.evidence]
    positions = [100 * at / len(d.text) for d in documents for at, _ in evidence_places(d)]
    out: dict[str, Any] = {"documents": len(documents)}
    parts: dict[str, list[Any]] = {
        "ktok": lengths,
        "spans": counts,
        "tok_span": spans,
        "position": positions,
    }
    for name, values in parts.items():
        known = len(values) > 0
        out[name] = float(np.mean(values)) if known else float("nan")
        out[f"{name}_sd"] = float(np.std(values)) if known else float("nan")
    return out
