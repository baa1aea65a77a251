"""Score against document length and type, beside the published values: H.5, H.6, Figure 6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import published, regression
from .figures import COLOURS, WIDTH, Figure, style
from .records import ERROR_TYPES, SOURCES
from .tables import PRINTED, Table, header, number

_PRINTED_TYPES = {"numeric": "Numeric", "non-numeric": "Non-numeric", "structural": "Structural"}
_SHORT = {"numeric": "Num", "non-numeric": "Non", "structural": "Struc"}


def regression_table(readings: dict[str, pd.DataFrame], signature: str) -> Table:
    """Table H.5: mean task score by type, and the coefficients with their stars and R2.

    ``readings``: "miss" and "unscored" -> `regression.frame`. Stars are those of the printed
    (non-robust) errors.
    """
    shown, values = [], []
    for reading, rows in readings.items():
        fits = regression.all_models(rows).assign(reading=reading)
        means = regression.type_means(rows)
        for model in dict.fromkeys(rows.model):
            own = fits[(fits.model == model) & (fits.covariance == "nonrobust")]
            shown.append(_row(str(model), reading, means[means.model == model], own))
        values.append(fits)
    shown += _printed_rows()
    title = "Table H.5. Task score by type; change in percentage points by length and type."
    notes = (
        "Len: per 10k tokens, lengths clipped at the input limit; Num, Non: against structural; "
        "sources as controls; ordinary least squares. *** p<.001, ** p<.01, * p<.05.",
        "A dash: the data cannot tell (no spread in the score, or too few documents).",
    )
    every = pd.concat(values, ignore_index=True)
    return Table("table_H_5", title, pd.DataFrame(shown), every, signature, notes)


def _row(model: str, reading: str, means: pd.DataFrame, fits: pd.DataFrame) -> dict[str, str]:
    by_type = means.set_index("error_type")["mean"]
    coefficient = fits.set_index("term")
    reading_name = {"miss": "failures as misses", "unscored": "scored only"}[reading]
    return {
        "model": model, "reading": reading_name,
        **{_SHORT[k]: number(by_type.get(k, float("nan")), ".2f") for k in ERROR_TYPES},
        **{label: _starred(coefficient.loc[term])
           for label, term in (("Len", "length"), ("Num ", "numeric"), ("Non ", "non-numeric"))},
        "R²": number(fits.r2.iloc[0], ".2f"), "n": str(fits.n.iloc[0]),
    }  # fmt: skip


def _starred(row: Any) -> str:
    return number(row.coefficient, "+.1f") + row.stars


def _printed_rows() -> list[dict[str, str]]:
    printed = published.table("H.5")
    rows = []
    for model, cells in printed.groupby("row", sort=False):
        score = cells[cells.part == "score"].set_index("column").value
        coefficient = cells[cells.part == "coef"].set_index("column")
        told = [f"{c.value}{'' if pd.isna(c.stars) else c.stars}" for c in coefficient.itertuples()]
        rows.append({
            "model": str(model), "reading": PRINTED,
            **{_SHORT[k]: score[name] for k, name in _PRINTED_TYPES.items()},
            **dict(zip(("Len", "Num ", "Non "), told, strict=True)),
            "R²": cells[cells.part == "R2"].value.iloc[0], "n": "375",
        })  # fmt: skip
    return rows


def robust_table(rows: pd.DataFrame, signature: str) -> Table:
    """The coefficients of Table H.5 under three covariances: printed first, the others second.

    Not in the paper: HC3 errors allow for unequal spread, clustered ones for documents of a
    source being alike (t with sources - 1 degrees of freedom).
    """
    values = regression.all_models(rows)
    names = {"nonrobust": "OLS (printed)", "HC3": "HC3", "cluster": "clustered by source"}
    wide: dict[tuple[str, str], dict[str, str]] = {}
    for r in values.itertuples():
        row = wide.setdefault((str(r.model), str(r.term)), {
            "model": str(r.model), "term": str(r.term),
            "coefficient": number(r.coefficient, "+.1f")})  # fmt: skip
        told = "–" if np.isnan(r.se) else f"{r.se:.1f}, p {r.p:.3f}"
        row[f"se, p: {names[str(r.covariance)]}"] = told
    title = "Coefficients of Table H.5 with robust and clustered errors."
    note = "Failures as misses. Percentage points, length per 10k tokens."
    shown = pd.DataFrame(wide.values())
    return Table("table_H_5_robust", title, shown, values, signature, (note,))


def bins_table(rows: pd.DataFrame, signature: str) -> Table:
    """Table H.6: documents and task score over all models, by length and source."""
    values = regression.by_length(rows)
    sources = [s for s in SOURCES if s in set(values.source)]
    shown = []
    for number_ in range(regression.LAST_BIN + 1):
        mine = values[values.bin == number_].set_index("source")
        cells = {s: _bin_cell(mine, s) for s in sources}
        shown.append(_bin_row(regression.bin_label(number_), "this run", cells))
    shown += _printed_bins(sources)
    title = "Table H.6. Documents and mean task score over all models, by length and source."
    notes = (
        "Each cell: documents, then the mean task score of all models on them. Lengths of whole "
        "documents in gpt-5 tokens; failures as misses.",
    )
    return Table("table_H_6", title, pd.DataFrame(shown), values, signature, notes)


def _bin_cell(mine: pd.DataFrame, source: str) -> str:
    if source not in mine.index:
        return "0"
    return f"{mine.documents[source]}: {number(mine.task[source], '.2f')}"


def _bin_row(label: str, origin: str, cells: dict[str, str]) -> dict[str, str]:
    return {"length": label, "origin": origin, **{header(s): c for s, c in cells.items()}}


def _printed_bins(sources: Sequence[str]) -> list[dict[str, str]]:
    counts, scores = published.cells("H.6", "count"), published.cells("H.6", "score")
    rows = []
    for length in counts.index:
        cells = {}
        for source in sources:
            twin = SOURCES[source][1]
            known = twin in counts.columns
            count = counts.loc[length, twin] if known else "–"
            score = scores.loc[length, twin] if known else None
            none = score is None or pd.isna(score) or score == "–"
            cells[source] = count if none else f"{count}: {score}"
        label = "≥100k" if length == "100k" else length
        rows.append(_bin_row(label, PRINTED, cells))
    return rows


def score_by_length(rows: pd.DataFrame, signature: str, models: Sequence[str] = ()) -> Figure:
    """Figure 6: task score against input length, with the fitted lines of Table H.5.

    ``rows`` is `regression.frame`; ``models``: those to show, all where none is named.
    Points are means of documents of similar length: bins of 10k tokens, or fifths of the
    documents where the longest has under 30k. A line has the coefficient of length and goes
    through the mean of all documents; dashed where p < .05, dotted otherwise.
    """
    shown = [m for m in dict.fromkeys(rows.model) if not models or m in models]
    values = pd.concat([_points(rows[rows.model == m]).assign(model=m) for m in shown])
    with style() as pyplot:
        drawn, axis = pyplot.subplots(figsize=(WIDTH, 3.0), layout="constrained")
        for model in shown:
            colour, marker = COLOURS.get(model, COLOURS[""])
            mine = values[values.model == model]
            axis.errorbar(
                mine.tokens / 1000, mine.task, yerr=mine.se, fmt=marker, color=colour,
                markersize=4, elinewidth=0.7, label=model.replace("$", r"\$"),
            )  # fmt: skip
            _draw_line(axis, rows[rows.model == model], colour)
        axis.set_xlabel("input length read, thousand tokens")
        axis.set_ylabel("task score")
        axis.set_ylim(-0.05, 1.05)
        axis.set_xlim(left=0)
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    caption = (
        "**Figure 6.** Task score against input length: means of documents of similar length "
        "with one standard error; lines have Table H.5's coefficient of length (dashed where "
        "p < .05, dotted otherwise, none where the data cannot tell) and go through the mean. "
        f"Failures as misses. `{signature}`"
    )
    return Figure("figure_6", drawn, caption, values[["model", "tokens", "task", "se", "n"]])


def _points(mine: pd.DataFrame) -> pd.DataFrame:
    """Means by length; one row a group of documents."""
    mine = mine.dropna(subset="task").sort_values(["tokens_read", "doc_id"])
    if mine.tokens_read.max() >= 3 * regression.BIN:
        group = mine.tokens_read // regression.BIN
    else:
        group = pd.Series(np.arange(len(mine)) * 5 // max(1, len(mine)), index=mine.index)
    groups = mine.groupby(group)
    return pd.DataFrame({
        "tokens": groups.tokens_read.mean(), "task": groups.task.mean(),
        "se": groups.task.std(ddof=0) / np.sqrt(groups.task.size()), "n": groups.task.size(),
    })  # fmt: skip


def _draw_line(axis: Any, mine: pd.DataFrame, colour: str) -> None:
    fit = regression.regress(mine).set_index("term").loc["length"]
    if np.isnan(fit.coefficient):
        return
    mine = mine.dropna(subset="task")
    ends = np.array([mine.tokens_read.min(), mine.tokens_read.max()])
    slope = fit.coefficient / 100 / 10_000
    heights = mine.task.mean() + slope * (ends - mine.tokens_read.mean())
    line = "--" if fit.p < 0.05 else ":"
    axis.plot(ends / 1000, heights, line, color=colour, linewidth=1.0)
