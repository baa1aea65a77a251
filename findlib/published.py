"""The numbers that three papers print, cell by cell, as tidy data; a run's values beside them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .paths import FindlibError, package
from .records import SOURCES

CITATION = "On Finding Inconsistencies in Documents (FIND), tables as printed"
PAPERS = {
    "find": "On Finding Inconsistencies in Documents (FIND)",
    "findtheflaws": "FindTheFlaws: Annotated Errors for Detecting Flawed Reasoning (its outline)",
    "construct": "Real-Time Trustworthiness Scoring for LLM Structured Outputs (CONSTRUCT)",
}
TEXT = "text"  # the table that holds what is printed in running text
Z = 1.96  # half-width of a 95% interval in standard errors
SIZES = {"4": "2", "H.2": "2", "H.4": "2", "H.9": "H.7"}  # a table of scores -> of documents


def printed(paper: str = "find") -> pd.DataFrame:
    """Everything a paper prints, a row a number, in print order.

    Columns: table, part, row, column, metric, value (text, as printed), unit, stderr, sd,
    pm, stars, denom. Rows of the table "text" are numbers in running text: ``part`` is the
    section, ``row`` a name, ``metric`` how it is said ("value", "over", "below", "about",
    "almost", "at most"). Raises FindlibError for a paper that is not known.

    >>> printed("construct").query("table == '1'").shape[0]
    40
    """
    if paper not in PAPERS:
        raise FindlibError(f"no published paper {paper!r}; known: {', '.join(PAPERS)}")
    text = dict.fromkeys(("table", "part", "row", "column", "metric", "value", "unit"), str)
    return pd.read_csv(package(f"reference/{paper}.csv"), dtype=text)


def table(name: str, paper: str | pd.DataFrame = "find") -> pd.DataFrame:
    """One printed table, e.g. "1", "D.1", "H.9" of FIND, "text" for running text.

    ``paper`` is a name or a frame that `printed` gave (changed at will). Columns as there.
    Raises FindlibError that lists the known tables.

    >>> table("H.1").value.astype(int).sum()
    np.int64(51)
    """
    everything = printed(paper) if isinstance(paper, str) else paper
    found = everything[everything.table == name].reset_index(drop=True)
    if found.empty:
        known = ", ".join(everything.table.unique())
        raise FindlibError(f"no published table {name!r}; known: {known}")
    return found


def values(name: str, part: str, paper: str | pd.DataFrame = "find") -> pd.DataFrame:
    """One part of a printed table as numbers: rows, columns in print order."""
    return cells(name, part, paper).astype(float)


def cells(name: str, part: str, paper: str | pd.DataFrame = "find") -> pd.DataFrame:
    """One part of a printed table as printed text: rows, columns in print order."""
    found = table(name, paper)
    found = found[found.part == part]
    wide = found.pivot(index="row", columns="column", values="value")
    return wide.reindex(index=found.row.unique(), columns=found.column.unique())


def said(name: str, paper: str | pd.DataFrame = "find") -> str:
    """A number of the running text by its name, as printed.

    >>> said("truncated documents")
    '83'
    """
    found = table(TEXT, paper)
    found = found[found.row == name]
    if len(found) != 1:
        raise FindlibError(f"{len(found)} numbers in the text are named {name!r}, not one")
    return str(found.value.iloc[0])


def where(cell: pd.Series) -> str:
    """Where a cell is printed: "Table H.4", "Section 6".

    >>> where(table("H.1").iloc[0])
    'Table H.1'
    """
    if cell.table == TEXT:
        return str(cell.part)
    name = str(cell.table)
    named = name.split()[0].lower() in ("section", "appendix", "figure")
    return name[0].upper() + name[1:] if named else f"Table {name}"


def scores(name: str, part: str, paper: str | pd.DataFrame = "find") -> pd.DataFrame:
    """A part of a printed table of scores as fractions, a row a model and source.

    Columns: published_model, published_source, published, published_se (NaN where none is
    printed), published_n (documents, by Tables 2 and H.7; NaN where none are told).
    """
    found = table(name, paper)
    found = found[found.part == part]
    unit = np.where(found.unit == "percent", 100.0, 1.0)
    sizes: dict[str, float] = {}
    if name in SIZES:
        docs = cells(SIZES[name], "stats", paper)["docs"].astype(float)
        sizes = {**docs.to_dict(), "AVG": float(docs["FIND"])}
    return pd.DataFrame({
        "published_model": found.row.to_numpy(), "published_source": found.column.to_numpy(),
        "published": found.value.astype(float).to_numpy() / unit,
        "published_se": found.stderr.to_numpy(dtype=float) / unit,
        "published_n": found.column.map(sizes).to_numpy(dtype=float),
    })  # fmt: skip


def beside(ours: pd.DataFrame, theirs: pd.DataFrame, same_documents: bool = False) -> pd.DataFrame:
    """A run's values beside printed ones: published, this run, is the difference within error?

    ``ours`` is `stats.summary` (model, source, mean, se, n_scored, n; fractions), ``theirs``
    `scores`. Sources are paired with their published counterpart (records.SOURCES), "AVG"
    with "AVG"; a model with its own printed row, one that is not printed with every row.
    ``same_documents`` says whether the run's documents are the paper's; a difference
    between other documents says nothing about either's correctness, and ``compares`` says
    so in each row.

    Columns: model, source, mean, se, n_scored, n, those of `scores`, difference (this run
    minus published), error (root of the two squared standard errors), within (|difference|
    <= 1.96 error; None where an error is not told), compares.

    >>> ours = pd.DataFrame([("gpt-5", "S-EMP", .80, .05, 60, 75)],
    ...     columns=["model", "source", "mean", "se", "n_scored", "n"])
    >>> beside(ours, scores("H.4", "task")).iloc[0][["published", "within", "compares"]].tolist()
    [np.float64(0.87), True, 'same model, other documents']
    """
    known = set(theirs.published_model)
    left = ours.assign(
        published_source=[s if s == "AVG" else SOURCES.get(s, ("", ""))[1] for s in ours.source],
        known=[m in known for m in ours.model],
    )
    found = left.merge(theirs, on="published_source", how="inner")
    same = found.model == found.published_model
    found = found[same | ~found.known].drop(columns="known").reset_index(drop=True)
    found["difference"] = found["mean"] - found.published
    found["error"] = np.hypot(found.se, found.published_se)
    told = found.difference.notna() & found.error.notna()
    inside = found.difference.abs() <= Z * found.error
    found["within"] = inside.astype(object).where(told, None)
    documents = "the same documents" if same_documents else "other documents"
    found["compares"] = [
        f"{'same' if m == p else 'another'} model, {documents}"
        for m, p in zip(found.model, found.published_model, strict=True)
    ]
    return found
