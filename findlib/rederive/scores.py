"""FIND's tables of documents and scores, recomputed from their other cells."""

from __future__ import annotations

import pandas as pd

from .. import published
from .consistency import adds_up, between, counts, error_counts, interval, weighted
from .spread import clustered_error, most_deviation, pooled_deviation
from .verdict import (
    CONSISTENT,
    REPRODUCED,
    Claim,
    clustered,
    hits,
    holds,
    judge,
    listed,
    sizes,
    sources,
    tally,
    worst,
)

STATISTICS = ("kTok/D", "eps/D", "Tok/eps", "epsPos%")
METRICS = ("evidence", "description", "task")


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim on Tables 1, 2, 4, H.2, H.4, H.7 and H.9."""
    return [
        *_types(find),
        *(claim for table in ("2", "H.7") for claim in _documents(find, table)),
        _both_tables(find),
        *(claim for table in ("4", "H.9") for claim in _averages(find, table)),
        _within_parts(find),
        *(_errors(find, table) for table in ("H.4", "H.9", "H.2")),
        _failures(find),
        *(_average_errors(find, t, m) for t in ("H.4", "H.9") for m in METRICS),
        _possible_errors(find),
    ]


def _parts(find: pd.DataFrame, table: str) -> list[str]:
    documents = published.cells(table, "stats", find).index
    return list(documents[: list(documents).index("FIND")])


def _types(find: pd.DataFrame) -> list[Claim]:
    cells, five = published.cells("1", "counts", find), sources(find)
    docs = published.cells("2", "stats", find)["docs"]
    rows = [adds_up(list(row[five]), row["Total"]) for _, row in cells.iterrows()]
    columns = [adds_up(list(cells[s]), docs[s]) for s in five]
    totals = cells[five].astype(int)
    return [
        Claim("T1", "Table 1", "row totals, and column totals as in Table 2", "sums",
              f"{listed(cells['Total'])}; {listed(docs[five])}",
              f"{listed(totals.sum(axis=1))}; {listed(totals.sum())}",
              holds(all(rows) and all(columns))),
    ]  # fmt: skip


def _documents(find: pd.DataFrame, table: str) -> list[Claim]:
    cells, names = published.cells(table, "stats", find), _parts(find, table)
    spread = published.table(table, find).pivot(index="row", columns="column", values="sd")
    weights = [int(cells.docs[s]) for s in names]
    label, found = f"Table {table}", []
    for column in STATISTICS:
        low, mean, high = weighted(list(cells.loc[names, column]), weights)
        least, sd, most = pooled_deviation(
            list(cells.loc[names, column]), list(spread.loc[names, column]), weights
        )
        verdict = worst([judge(cells.loc["FIND", column], mean, low, high),
                         judge(spread.loc["FIND", column], sd, least, most)])  # fmt: skip
        found.append(Claim(
            f"T{table}.{column}", f"{label}, FIND row", f"{column}: mean and standard deviation",
            "mean weighted by documents; root of within plus between variance (ddof 0)",
            f"{cells.loc['FIND', column]}±{spread.loc['FIND', column]}",
            f"{mean:.2f}±{sd:.2f} ({least:.2f} to {most:.2f} over rounding)", verdict,
        ))  # fmt: skip
    total = cells.docs["FIND"]
    return [*found, Claim(f"T{table.replace('.', '')}.docs", label, "documents in all", "sum",
            total, str(sum(weights)), holds(adds_up(list(cells.docs[names]), total)))]  # fmt: skip


def _both_tables(find: pd.DataFrame) -> Claim:
    pairs = [
        (one, other) for metric in METRICS
        for one, other in zip(published.cells("4", metric, find).to_numpy().ravel(),
                              published.cells("H.4", metric, find).to_numpy().ravel(), strict=True)
    ]  # fmt: skip
    equal = [one == other for one, other in pairs]
    return Claim("T4.H4", "Tables 4, H.4", "both print the same scores", "cell by cell",
                 f"{len(pairs)} values", f"{sum(equal)} the same", holds(all(equal)))  # fmt: skip


def _averages(find: pd.DataFrame, table: str) -> list[Claim]:
    documents, ones, found = sizes(find, published.SIZES[table]), hits(find, table), []
    for metric in METRICS:
        cells = published.cells(table, metric, find)
        columns = [c for c in cells.columns if c != "AVG"]
        n, verdicts, off = [documents[c] for c in columns], [], []
        for model, row in cells.iterrows():
            low, mean, high = weighted(list(row[columns]), n)
            if metric == "task":  # whole numbers are known: nothing is left to rounding
                low = mean = high = clustered(list(ones.loc[model]), n)[0]
            verdicts.append(judge(row["AVG"], mean, low, high))
            if verdicts[-1] != REPRODUCED:
                off.append(f"{model} {row['AVG']}: {mean:.2f} ({low:.2f} to {high:.2f})")
        found.append(Claim(
            f"AVG.{table}.{metric}", f"Table {table}", f"{metric} AVG weighs sources by documents",
            "sum n m / sum n", f"{len(cells)} values", tally(verdicts), worst(verdicts),
            listed(off) if off else "",
        ))  # fmt: skip
    return found


def _within_parts(find: pd.DataFrame) -> Claim:
    off, tried = [], 0
    for table in ("4", "H.9"):
        for metric in METRICS:
            for model, row in published.cells(table, metric, find).iterrows():
                tried += 1
                if not between(row["AVG"], list(row.drop("AVG"))):
                    off.append(f"Table {table} {metric} {model} {row['AVG']}")
    return Claim("AVG.between", "Tables 4, H.9", "each AVG lies between its sources' values",
                 "minimum, maximum", f"{tried} values", f"{tried - len(off)} do",
                 holds(not off, so=CONSISTENT), listed(off) if off else "")  # fmt: skip


def _errors(find: pd.DataFrame, table: str) -> Claim:
    documents = sizes(find, published.SIZES[table])
    cells = published.table(table, find)
    cells = cells[(cells.part == "task") & (cells.column != "AVG")]
    fit = {ddof: [bool(error_counts(c.value, c.stderr, documents[c.column], ddof))
                  for c in cells.itertuples()] for ddof in (0, 1)}  # fmt: skip
    off = [f"{c.row} {c.column} {c.value} ({c.stderr})"
           for c, good in zip(cells.itertuples(), fit[0], strict=True) if not good]  # fmt: skip
    return Claim(
        f"SE.{table}.task", f"Table {table}", "standard errors of the task scores",
        "sqrt(p (1 - p) / n) with p a whole number of the source's documents",
        f"{len(cells)} values",
        f"{sum(fit[0])} reproduced with ddof 0 ({sum(fit[1])} with ddof 1)",
        holds(all(fit[0])), listed(off) if off else "",
    )  # fmt: skip


def _failures(find: pd.DataFrame) -> Claim:
    """Are failed responses misses, or left out? The errors tell the number scored."""
    valid, documents = published.cells("H.3", "Valid", find), sizes(find)
    cells = published.table("H.4", find)
    cells = cells[(cells.part == "task") & (cells.column != "AVG")]
    every, only, tried = 0, 0, 0
    for cell in cells.itertuples():
        n = documents[cell.column]
        kept = counts(valid.loc[cell.row, cell.column], n)
        if n not in kept:
            tried += 1
            every += bool(error_counts(cell.value, cell.stderr, n))
            only += any(error_counts(cell.value, cell.stderr, m) for m in kept)
    return Claim(
        "SE.failures", "Tables H.3, H.4", "failed responses count as misses in the task score",
        "errors with n all documents, and n the valid responses alone", f"{tried} values",
        f"{every} fit all documents, {only} valid responses alone",
        holds(every == tried, so=CONSISTENT),
    )  # fmt: skip


def _average_errors(find: pd.DataFrame, table: str, metric: str) -> Claim:
    documents = sizes(find, published.SIZES[table])
    cells = published.cells(table, metric, find)
    columns = [c for c in cells.columns if c != "AVG"]
    n = [documents[c] for c in columns]
    printed = published.table(table, find)
    printed = printed[(printed.part == metric) & (printed.column == "AVG")]
    ones, verdicts, off = hits(find, table) if metric == "task" else None, [], []
    for error, (model, row) in zip(printed.stderr, cells.iterrows(), strict=True):
        low, value, high = clustered_error(list(row[columns]), n)
        if ones is not None:
            low = value = high = clustered(list(ones.loc[model]), n)[1]
        verdicts.append(judge(error, value, low, high))
        if verdicts[-1] != REPRODUCED:
            off.append(f"{model} {error}: {value:.2f} ({low:.2f} to {high:.2f})")
    return Claim(
        f"SE.AVG.{table}.{metric}", f"Table {table}", f"standard errors of the {metric} AVG",
        "clustered over sources: sqrt(sum n^2 (m - mean)^2) / sum n", f"{len(cells)} values",
        tally(verdicts), worst(verdicts), listed(off) if off else "",
    )  # fmt: skip


def _possible_errors(find: pd.DataFrame) -> Claim:
    off, tried = [], 0
    for table in ("H.4", "H.9", "H.2"):
        documents, cells = sizes(find, published.SIZES[table]), published.table(table, find)
        for cell in cells[(cells.part != "task") & (cells.column != "AVG")].itertuples():
            n, tried = documents[cell.column], tried + 1
            most = most_deviation(cell.value, 0, 100) / (n - 1) ** 0.5
            if interval(cell.stderr)[0] > most:
                off.append(f"{cell.row} {cell.column} {cell.value} ({cell.stderr}) > {most:.2f}")
    return Claim(
        "SE.bound", "Tables H.2, H.4, H.9", "evidence and description errors are possible",
        "scores from 0 to 1: at most sqrt(m (1 - m) / (n - 1))", f"{tried} values",
        f"{tried - len(off)} possible", holds(not off, so=CONSISTENT), listed(off) if off else "",
    )  # fmt: skip
