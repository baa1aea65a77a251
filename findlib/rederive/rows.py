"""Which model is a row of FIND's Table 4? Types, duplicates and rank correlations, recomputed.

The description and task panels of Tables 4, H.4 and H.9 print no model names (in the text
read here), so that a name there is a name by position; Tables H.1, H.2 and H.5 print them."""

from __future__ import annotations

from itertools import combinations, product

import pandas as pd

from .. import published, stats
from .consistency import counts, fits, interval, weighted
from .spread import share_between
from .verdict import (
    CONSISTENT,
    FOLLOWS_NOT,
    REPRODUCED,
    Claim,
    hits,
    holds,
    listed,
    sizes,
    sources,
    worst,
)

Ways = dict[str, dict[str, list[tuple[int, ...]]]]


def claims(find: pd.DataFrame) -> list[Claim]:
    """Type means and R2 of Table H.5, Table H.1 and the rank correlations beside Table 4."""
    ways = solutions(find)
    own = row_of(ways)
    return [_type_means(find, ways, own), _explained(find, own), _more_than_hits(find, own),
            _correlations(find, own)]  # fmt: skip


def type_sizes(find: pd.DataFrame) -> pd.DataFrame:
    """Documents by type and source (Table 1)."""
    return published.cells("1", "counts", find)[sources(find)].astype(int)


def solutions(find: pd.DataFrame) -> Ways:
    """For each model of Table H.5 and each task row of Table 4 (named by position) the whole
    numbers of hits by type that print as the model's means and add to the row's hits."""
    n, total, found = type_sizes(find).sum(axis=1), hits(find).sum(axis=1, skipna=False), {}
    for model, means in published.cells("H.5", "score", find)[list(n.index)].iterrows():
        ways = list(product(*(counts(t, size, 1) for t, size in zip(means, n, strict=True))))
        found[str(model)] = {
            str(row): [way for way in ways if sum(way) == number] for row, number in total.items()
        }
    return found


def row_of(ways: Ways) -> dict[str, str]:
    """For each model of Table H.5 the row of Table 4's task panel that it fits: its own
    where that is possible, else the only other one; left out where none or several are.

    The task panel prints no model names, so that a name there is a name by position.
    """
    found = {}
    for model, rows in ways.items():
        fitting = [row for row, some in rows.items() if some]
        if model in fitting or len(fitting) == 1:
            found[model] = model if model in fitting else fitting[0]
    return found


def _moved(own: dict[str, str]) -> str:
    moved = [f"{model} fits {row}'s row" for model, row in own.items() if model != row]
    return listed(moved)


def _type_means(find: pd.DataFrame, ways: Ways, own: dict[str, str]) -> Claim:
    means, n = published.cells("H.5", "score", find), type_sizes(find).sum(axis=1)
    average, ones = published.cells("4", "task", find)["AVG"], hits(find).sum(axis=1)
    verdicts, off = [], []
    for model, row in means.iterrows():
        low, value, high = (100 * end for end in weighted(list(row[n.index]), list(n)))
        whole = bool(ways[str(model)].get(str(model)))
        verdicts.append(holds(whole and fits(average[model], low, high)))
        if verdicts[-1] == FOLLOWS_NOT:
            off.append(f"{model}: {value:.1f} ({low:.1f} to {high:.1f}), Table 4 prints "
                       f"{average[model]} ({ones[model]:.0f} hits)")  # fmt: skip
    note = f"{listed(off)}. Of Table 4's unnamed task rows, each fits one: {_moved(own)}."
    return Claim(
        "H5.avg", "Table H.5 vs Tables 1, 4",
        "type means weighted by Table 1's counts are Table 4's task AVG",
        "sum n m / sum n; whole numbers of hits by type that add to the row's hits",
        f"{len(means)} values", f"{verdicts.count(REPRODUCED)} agree", worst(verdicts),
        note if off else "",
    )  # fmt: skip


def _explained(find: pd.DataFrame, own: dict[str, str]) -> Claim:
    r2, ones = published.cells("H.5", "R2", find).iloc[:, 0], hits(find)
    n, off, moved = [sizes(find)[s] for s in ones.columns], [], []
    for model, text in r2.items():
        share = share_between(list(ones.loc[model]), n)
        if share > interval(text)[1]:
            off.append(f"{model}: R2 {text} < {share:.3f}")
        if model in own:
            share = share_between(list(ones.loc[own[str(model)]]), n)
            moved.append(share <= interval(text)[1])
    note = f"{listed(off)}. With the rows that H5.avg finds, {sum(moved)} of {len(r2)} are possible"
    return Claim(
        "H5.R2", "Table H.5 vs Table 4",
        "the regression explains at least what its source controls explain",
        "R2 >= sum n (m - mean)^2 / (N mean (1 - mean)) over Table 4's sources",
        f"{len(r2)} values", f"{len(r2) - len(off)} possible", holds(not off, so=CONSISTENT),
        note if off else "",
    )  # fmt: skip


def _more_than_hits(find: pd.DataFrame, own: dict[str, str]) -> Claim:
    doubles = published.table("H.1", find).set_index("row").value.astype(int)
    test, mfr = hits(find).sum(axis=1), hits(find, "H.2").sum(axis=1)
    off = []
    for model, many in doubles.items():
        if many > test[model] + mfr[model]:
            other = test[own.get(str(model), model)]
            off.append(f"{model}: {many} responses with several hits, {test[model]:.0f} + "
                       f"{mfr[model]:.0f} with any; {other:.0f} + {mfr[model]:.0f} with the row "
                       "that H5.avg finds")  # fmt: skip
    return Claim(
        "H1.hits", "Table H.1 vs Tables 4, H.2",
        "a response with several matching answers is one with a match",
        "duplicates <= hits on the test set + hits on MFR", f"{len(doubles)} values",
        f"{len(doubles) - len(off)} possible", holds(not off, so=CONSISTENT),
        f"{listed(off)}." if off else "",
    )  # fmt: skip


def _rank(find: pd.DataFrame, own: dict[str, str], moved: tuple[str, ...]) -> list[float]:
    parts = {}
    for metric in ("evidence", "description", "task"):
        cells = published.values("4", metric, find)[sources(find)]
        order = [own.get(str(m), m) if metric in moved else m for m in cells.index]
        parts[metric] = cells.loc[order].to_numpy().ravel()
    return sorted(stats.spearman(pd.DataFrame(parts), list(parts)).rho)


def _raised(find: pd.DataFrame) -> float:
    """The largest correlation of values that print so, no two of them equal: rounding keeps
    the order of different prints, and ties are broken in the other metric's order."""
    from scipy.stats import rankdata, spearmanr

    names, best = sources(find), []
    for metrics in combinations(("evidence", "description", "task"), 2):
        x, y = (published.values("4", m, find)[names].to_numpy().ravel() for m in metrics)
        a, b = x, y
        for _ in range(len(names)):
            a = x + rankdata(b) / len(b) / 2
            b = y + rankdata(a) / len(a) / 2
        best.append(float(spearmanr(a, b).statistic))
    return max(best)


def _correlations(find: pd.DataFrame, own: dict[str, str]) -> Claim:
    ends = [published.said(f"rank correlation, {end}", find) for end in ("lowest", "highest")]
    rho, task, both = (_rank(find, own, moved) for moved in
                       ((), ("task",), ("description", "task")))  # fmt: skip
    verdict = holds(fits(ends[0], rho[0]) and fits(ends[1], rho[-1]))
    printed = fits(ends[0], both[0]) and fits(ends[1], both[-1])
    note = (
        f"Table 4 by position: {_ranges(rho)}; ties broken in its favour raise the largest to "
        f"{_raised(find):.3f}. With the task rows that H5.avg finds: {_ranges(task)}; with "
        f"description rows in that order too: {_ranges(both)}{', as printed' if printed else ''}. "
        f"{_description_errors(find, own)}"
    )
    return Claim(
        "S6.spearman", "Section 6 vs Table 4", "rank correlations of the three metrics",
        "Spearman over model x source", " to ".join(ends), f"{rho[0]:.3f} to {rho[-1]:.3f}",
        verdict, "" if verdict == REPRODUCED else note,
    )  # fmt: skip


def _ranges(rho: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in rho)


def _description_errors(find: pd.DataFrame, own: dict[str, str]) -> str:
    """Where description rows in the order of H5.avg have errors too small for their failures.

    q of n responses failed and score 0: the error is at least m sqrt(q / (n - q) / n).
    """
    valid, n = published.cells("H.3", "Valid", find), sizes(find)
    cells = published.table("H.4", find)
    cells = cells[(cells.part == "description") & (cells.column != "AVG")]
    cells = cells.set_index(["row", "column"])
    found = []
    for model, row in own.items():
        for source in sources(find):
            q = n[source] - max(counts(valid.loc[model, source], n[source]), default=n[source])
            mean, error = (cells.loc[(row, source), name] for name in ("value", "stderr"))
            least = interval(mean)[0] * (q / (n[source] - q) / n[source]) ** 0.5
            if model != row and least > interval(error)[1]:
                found.append(f"{model} {source} ({q} failed): {error} < {least:.2f}")
    return (
        "Against that order of description rows: errors below what failed responses scored 0 "
        f"allow, {listed(found)}." if found else ""
    )  # fmt: skip
