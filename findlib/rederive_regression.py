"""FIND's regression (Table H.5), recomputed from the counts and hits that other tables print."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from . import published
from .claims import CONSISTENT, READING, Claim, hits, holds, listed
from .consistency import Interval, additive_fit, interval, one_value
from .rederive_types import row_of, solutions, type_sizes

LENGTH = "Len"


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim on the coefficients, stars and R2 of Table H.5.

    Rows of Table 4 are those that the type means fit (`rederive_types.row_of`).
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
            r2, effects = additive_fit(n, way, ones)
            rows.append({"model": model, "r2": r2, "gain": (max(low - r2, 0.0), high - r2),
                         "total": size * mean * (1 - mean),
                         **dict(zip(n.index[:-1], 100 * effects, strict=True))})  # fmt: skip
    return pd.DataFrame(rows, columns=["model", "r2", "gain", "total", *n.index[:-1]])


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
    length = _ways(fit, _length_spread, printed)
    found.append(_shared(
        "H5.length", "all length coefficients are of one length variable",
        "R2 gained by length x N p (1 - p) / coefficient^2: its sum of squares, given the rest",
        length, every, "(10k tokens)^2",
    ))  # fmt: skip
    for kind in kinds:
        moved = _ways(fit, partial(_shift, kind=kind), printed)
        found.append(_shared(
            f"H5.{kind}", f"all coefficients of {kind} are of one length variable",
            "(coefficient - effect without length) / length coefficient: difference in length, "
            "given source, from Structural", moved, every, "10k tokens",
        ))  # fmt: skip
    return [*found, _stars(find, fit)]


def _ways(
    fit: pd.DataFrame, ends: Callable[..., Interval], printed: pd.DataFrame
) -> list[list[Interval]]:
    return [[ends(way, printed.loc[model]) for way in ways.to_dict("records")]
            for model, ways in fit.groupby("model")]  # fmt: skip


def _length_spread(way: dict[str, Any], printed: pd.Series) -> Interval:
    least, most = sorted(abs(end) / 100 for end in interval(printed[LENGTH]))
    return way["gain"][0] * way["total"] / most**2, way["gain"][1] * way["total"] / least**2


def _shift(way: dict[str, Any], printed: pd.Series, kind: str) -> Interval:
    ends = [(coefficient - way[kind]) / length for coefficient in interval(printed[kind])
            for length in interval(printed[LENGTH])]  # fmt: skip
    return min(ends), max(ends)


def _shared(
    name: str, claim: str, formula: str, options: list[list[Interval]], every: bool, unit: str
) -> Claim:
    found = one_value(options) if every else None
    computed = f"{found[0]:.4g} to {found[1]:.4g} {unit} fits all" if found else "no value fits all"
    return Claim(name, "Table H.5", claim, formula, f"{len(options)} values", computed,
                 holds(found is not None, so=CONSISTENT))  # fmt: skip


def _stars(find: pd.DataFrame, fit: pd.DataFrame) -> Claim:
    """Do the length coefficients' stars fit the F test of the R2 that length adds?"""
    from scipy.stats import f as distribution

    n, r2 = type_sizes(find), published.cells("H.5", "R2", find).iloc[:, 0]
    free = n.to_numpy().sum() - sum(n.shape)
    stars = published.table("H.5", find)
    stars = stars[stars.column == LENGTH].set_index("row").stars
    off = []
    for model, ways in fit.groupby("model", sort=False):
        most = max(high for _, high in ways.gain) / (1 - interval(r2[model])[1])
        least = min(low for low, _ in ways.gain) / (1 - interval(r2[model])[0])
        p = [float(distribution.sf(gain * free, 1, free)) for gain in (most, least)]
        marks = {mark for mark in ("*", "**", "***") if _band(find, mark, p)}
        if stars[model] not in marks:
            off.append(f"{model} {stars[model]}: p {p[0]:.4f} to {p[1]:.4f}")
    return Claim(
        "H5.stars", "Table H.5", "stars of the length coefficients",
        "F test of the R2 that length adds, given source and type", f"{len(stars)} values",
        f"{fit.model.nunique() - len(off)} possible",
        holds(not off and fit.model.nunique() == len(stars), so=CONSISTENT),
        listed(off) if off else "",
    )  # fmt: skip


def _band(find: pd.DataFrame, mark: str, p: list[float]) -> bool:
    """Can a p in this range carry the mark?"""
    below = float(published.said(f"p for {mark}", find))
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
