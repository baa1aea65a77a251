"""FIND's regression (Table H.5), recomputed from the counts and hits that other tables print."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pandas as pd

from .. import published
from .consistency import Interval, interval, one_value
from .rows import row_of, solutions, type_sizes
from .spread import additive_fit, binned_squares
from .verdict import CONSISTENT, READING, Claim, hits, holds, listed, sizes

LENGTH, FACTOR = "Len", " factor"


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim on the coefficients, stars and R2 of Table H.5.

    Rows of Table 4 are those that the type means fit (`rows.row_of`).
    """
    return [*_regression(find), _significant(find), _slopes(find)]


def _regressions(find: pd.DataFrame) -> pd.DataFrame:
    """The regression on source and type alone behind each model's row of Table H.5.

    A row a solution: model, r2, the types' effects against the last in points, gain (R2 of
    length: least, most by the rounding of the printed R2), total (sum of squares).
    """
    rows, n, ways, found = [], type_sizes(find), solutions(find), hits(find)
    size, printed = float(n.to_numpy().sum()), published.cells("H.5", "R2", find).iloc[:, 0]
    for model, row in row_of(ways).items():
        ones = list(found.loc[row])
        mean = sum(ones) / size
        low, high = interval(printed[model])
        for way in ways[model][row]:
            r2, effects, factors = additive_fit(n, way, ones)
            rows.append({"model": model, "r2": r2, "gain": (max(low - r2, 0.0), high - r2),
                         "total": size * mean * (1 - mean),
                         **dict(zip(n.index[:-1], 100 * effects, strict=True)),
                         **dict(zip(n.index[:-1] + FACTOR, factors, strict=True))})  # fmt: skip
    columns = ["model", "r2", "gain", "total", *n.index[:-1], *(n.index[:-1] + FACTOR)]
    return pd.DataFrame(rows, columns=columns)


def _regression(find: pd.DataFrame) -> list[Claim]:
    """What Table H.5's printed coefficients, stars and R2 say of the length they share."""
    fit, printed = _regressions(find), published.cells("H.5", "coef", find)
    kinds = list(type_sizes(find).index[:-1])
    every = set(fit.model) == set(printed.index)
    possible = fit.groupby("model").gain.apply(lambda gains: any(high >= 0 for _, high in gains))
    found = [Claim(
        "H5.R2.types", "Table H.5", "R2 is at least that of source and type alone",
        "additive regression from Table 1's counts and the hits by source and by type",
        f"{len(printed)} values", f"{possible.sum()} possible",
        holds(every and bool(possible.all()), so=CONSISTENT),
    )]  # fmt: skip
    shared = {LENGTH: one_value(_ways(fit, _length_spread, printed)) if every else None}
    for kind in kinds:
        shared[kind] = one_value(_ways(fit, partial(_shift, kind=kind), printed)) if every else None
    formulas = {
        LENGTH: "R2 gained by length x N p (1 - p) / coefficient^2: its sum of squares, given the "
        "rest, in (10k tokens)^2",
        **dict.fromkeys(kinds, "(coefficient - effect without length) / length coefficient: "
                        "difference in length, given source, from Structural, in 10k tokens"),
    }  # fmt: skip
    for column, value in shared.items():
        computed = f"{value[0]:.4g} to {value[1]:.4g} fits all" if value else "no value fits all"
        found.append(Claim(
            f"H5.{column}", "Table H.5", f"all {column} coefficients are of one length variable",
            formulas[column], f"{len(printed)} values", computed,
            holds(value is not None, so=CONSISTENT),
        ))  # fmt: skip
    return [*found, _clipped(find, shared[LENGTH]), _stars(find, fit, shared)]


def _ways(
    fit: pd.DataFrame, ends: Callable[..., Interval], printed: pd.DataFrame
) -> list[list[Interval]]:
    return [[ends(way, printed.loc[model]) for way in ways.to_dict("records")]
            for model, ways in fit.groupby("model")]  # fmt: skip


def _length_spread(way: dict[str, Any], printed: pd.Series) -> Interval:
    least, most = sorted(abs(end) / 100 for end in interval(printed[LENGTH]))
    return way["gain"][0] * way["total"] / most**2, way["gain"][1] * way["total"] / least**2


def _clipped(find: pd.DataFrame, needed: Interval | None) -> Claim:
    """Are the lengths behind the coefficients cut at the input limit (section 5)?"""
    limit = float(published.said("input limit", find))
    counted = published.cells("H.6", "count", find)
    starts = [float(label.split("–")[0].removesuffix("k")) for label in counted.index]
    unit = starts[1]
    bins = [(low / unit, high / unit) for low, high in pairwise([*starts, limit])]
    ends = [binned_squares(bins, list(counted[s].astype(int))) for s in counted.columns]
    least, middle, most = (sum(end[i] for end in ends) for i in range(3))
    deviations = published.table("2", find).query("column == 'kTok/D'").set_index("row").sd
    whole = sum(n * (deviations[s] / unit) ** 2 for s, n in sizes(find).items() if s in counted)
    good = needed is not None and needed[0] <= most and needed[1] < whole
    return Claim(
        "H5.clip", "Table H.5 vs Tables 2, H.6",
        f"length is cut at the input limit of {limit:.0f}k",
        "sum of squares of length within sources: from Table H.6's bins, cut; from Table 2, whole",
        "not said", f"cut {middle:.0f} ({least:.0f} to {most:.0f}), whole {whole:.0f}; needed "
        f"(H5.Len): {f'{needed[0]:.0f} to {needed[1]:.0f}' if needed else 'none'}",
        holds(good, so=CONSISTENT),
    )  # fmt: skip


def _shift(way: dict[str, Any], printed: pd.Series, kind: str) -> Interval:
    ends = [(coefficient - way[kind]) / length for coefficient in interval(printed[kind])
            for length in interval(printed[LENGTH])]  # fmt: skip
    return min(ends), max(ends)


def _stars(find: pd.DataFrame, fit: pd.DataFrame, shared: dict[str, Interval | None]) -> Claim:
    """Do all stars fit the coefficients and errors that the shared values imply?

    The residual variance is (1 - R2) N p (1 - p) / freedom; a length coefficient's is divided
    by the sum of squares of length, a type's multiplied with its own factor plus shift^2 over
    that sum (the inverse of a partitioned matrix).
    """
    from scipy.stats import t as distribution

    n, r2 = type_sizes(find), published.cells("H.5", "R2", find).iloc[:, 0]
    free = n.to_numpy().sum() - sum(n.shape)
    cells, off, tried = published.table("H.5", find).query("part == 'coef'"), [], 0
    known = {column: value for column, value in shared.items() if value}
    ways = {model: part.iloc[0] for model, part in fit.groupby("model")}
    ways = ways if len(known) == len(shared) else {}
    for cell in cells[cells.row.isin(list(ways))].itertuples():
        way, tried = ways[cell.row], tried + 1
        factors = [1 / s if cell.column == LENGTH else
                   way[cell.column + FACTOR] + shift**2 / s
                   for s in known[LENGTH] for shift in known[cell.column]]  # fmt: skip
        errors = [100 * ((1 - end) * way["total"] / free * factor) ** 0.5
                  for end in interval(r2[cell.row]) for factor in factors]  # fmt: skip
        size = sorted(abs(end) for end in interval(cell.value))
        p = [2 * float(distribution.sf(t, free))
             for t in (size[1] / min(errors), size[0] / max(errors))]  # fmt: skip
        mark = "" if pd.isna(cell.stars) else str(cell.stars)
        if not _band(find, mark, p):
            off.append(f"{cell.row} {cell.column} {cell.value}{mark}: p {p[0]:.4f} to {p[1]:.4f}")
    return Claim(
        "H5.stars", "Table H.5", "stars of all coefficients",
        "t test with the errors that R2 and the shared values imply (non-robust)",
        f"{len(cells)} values", f"{tried - len(off)} possible",
        holds(not off and tried == len(cells), so=CONSISTENT), listed(off) if off else "",
    )  # fmt: skip


def _band(find: pd.DataFrame, mark: str, p: list[float]) -> bool:
    """Can a p in this range carry the mark ("" for none)?"""
    below = float(published.said(f"p for {mark}", find)) if mark else float("inf")
    above = 0.0 if mark == "***" else float(published.said(f"p for {mark}*", find))
    return p[0] < below and p[1] >= above


def _significant(find: pd.DataFrame) -> Claim:
    cells = published.table("H.5", find)
    cells = cells[cells.part == "coef"]
    length, types = cells[cells.column == LENGTH].stars, cells[cells.column != LENGTH].stars
    computed = (f"{length.notna().sum()} of {len(length)} length coefficients have a star, "
                f"{types.notna().sum()} of {len(types)} of the types")  # fmt: skip
    every = bool(length.notna().all() and types.notna().all())
    return Claim(
        "S6.significant", "Section 6 vs Table H.5", "all effects of the regression are significant",
        "stars", "all", computed, holds(every, READING),
        "" if every else f"{computed}: true of the length effects only.",
    )  # fmt: skip


def _slopes(find: pd.DataFrame) -> Claim:
    text, printed = (
        published.said("loss per 10k tokens", find),
        published.cells("H.5", "coef", find),
    )
    task = published.values("4", "task", find)["AVG"]
    best = list(task.sort_values(ascending=False).index[:2])
    found = [printed.loc[model, LENGTH] for model in best]
    return Claim(
        "S6.slope", "Section 6 vs Table H.5", "points lost per 10k tokens, the two best models",
        "Table H.5's length coefficients", text, f"{listed(best)}: {listed(found)}",
        holds(all(value == f"-{text}" for value in found)),
    )  # fmt: skip
