"""FIND's tables of scores, beside the published values: 4, H.4, H.2, H.9, and the tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from . import published, stats
from .documents import parts_of, rows_of
from .records import METRICS, SOURCES, Document
from .tables import PRINTED, Table, header, number

READINGS = {"miss": "failures as misses", "unscored": "scored only"}
# part -> (file, number and title, printed table, documents of the printed set)
_TABLES = {
    "test": ("table_4", "Table 4. Response-level scores", "H.4", 375),
    "dev": ("table_H_9", "Table H.9. Response-level scores, development set", "H.9", 125),
    "MFR": ("table_H_2", "Table H.2. Response-level scores, natural inconsistencies (MFR)",
            "H.2", 45),
    "cs.CL": ("table_4_cs_CL", "Response-level scores, cs.CL papers", "", 0),
}  # fmt: skip
_BOLD = (
    "Bold: top model and those not significantly different (paired t-test, alpha .05; AVG: "
    "clustered over sources), unadjusted as printed; ° marks those that Holm's adjustment adds."
)


def by_part(
    documents: Sequence[Document],
    readings: dict[str, pd.DataFrame],
    signature: str,
    notes: Sequence[str] = (),
) -> list[Table]:
    """Table 4 with H.4, H.9 for a development set, H.2 for MFR, and seen against unseen books:
    those the run fills. ``readings`` as for `result_scores`, of all documents."""
    parts = parts_of(documents)
    of = {
        part: {reading: rows_of(table, mine) for reading, table in readings.items()}
        for part, mine in parts.items()
    }
    found = [result_scores(of[part], signature, notes, part) for part in parts]
    if {"test", "dev"} <= set(parts):
        found.append(seen_books(of["dev"]["miss"], of["test"]["miss"], signature))
    return found


def result_scores(
    readings: dict[str, pd.DataFrame],
    signature: str,
    notes: Sequence[str] = (),
    part: str = "test",
) -> Table:
    """Tables 4 and H.4 (test), H.9 (dev), H.2 (MFR): percent, both readings of failures.

    ``readings``: "miss" and "unscored" -> `find.scores` of the part's documents. Bold: the
    top model and all not significantly different from it, per column and reading.
    """
    name, title, printed, size = _TABLES[part]
    values, shown = [], []
    for metric in METRICS:
        for reading, table in readings.items():
            summary = stats.summary(table, metric)
            marks = comparisons(table, [metric])
            for model, mine in summary.groupby("model", sort=False):
                own = marks[marks.model == model].set_index("source")
                shown.append(_score_row(metric, reading, mine, own))
            values.append(summary.assign(metric=metric, reading=reading))
        sources = list(readings["miss"].source.unique())
        shown += _printed_scores(metric, sources, printed, size)
    several = readings["miss"].model.nunique() > 1
    kept = (_BOLD if several else "One model: there is nothing to set in bold.",)
    beside = (_beside(size),) if printed else ()
    every = pd.concat(values, ignore_index=True)
    title = f"{title} in percent, with standard errors."
    return Table(name, title, pd.DataFrame(shown), every, signature, (*kept, *beside, *notes))


def _beside(size: int) -> str:
    return (
        "Standard errors in brackets; AVG's is clustered over sources. Printed rows "
        f"({published.CITATION}): {size} other documents, BLEURT, gpt-4.1 as judge; beside this "
        "run for orientation, not one ranking."
    )


def _parts(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each source, and all of them as AVG where there are several sources."""
    found = [(str(source), rows) for source, rows in table.groupby("source", sort=False)]
    return [*found, ("AVG", table)] if len(found) > 1 else found


def _score_row(
    metric: str, reading: str, summary: pd.DataFrame, marks: pd.DataFrame
) -> dict[str, str]:
    row = {"metric": metric, "model": str(summary.model.iloc[0]), "reading": READINGS[reading]}
    several = summary.source.nunique() > 2
    for cell in summary.itertuples():
        if cell.source == "AVG":
            row["n scored"] = f"{cell.n_scored} of {cell.n}"
        if cell.source == "AVG" and not several:
            continue  # one source: its column says the same
        mark = marks.loc[cell.source]
        text = _marked(number(100 * cell.mean, ".0f"), mark)
        label = "AVG" if cell.source == "AVG" else header(str(cell.source))
        row[label] = f"{text} ({number(100 * cell.se, '.1f')})"
    return {**{k: v for k, v in row.items() if k != "n scored"}, "n scored": row["n scored"]}


def _marked(text: str, mark: pd.Series) -> str:
    if mark.alone:
        return text
    return f"**{text}**" if mark.bold else text + "°" * bool(mark.bold_holm)


def comparisons(scores: pd.DataFrame, values: Sequence[str] = METRICS) -> pd.DataFrame:
    """Every model against the top one, per metric and source, as `stats.against_top` has it.

    AVG (where there are several sources) is tested clustered over sources. Columns: metric,
    source, those of `stats.against_top`, and ``alone``: no other model to compare with.
    """
    found = [
        stats.against_top(rows, metric, clustered=source == "AVG").assign(
            metric=metric, source=source, alone=rows.model.nunique() < 2
        )
        for metric in values for source, rows in _parts(scores)
    ]  # fmt: skip
    both = pd.concat(found, ignore_index=True)
    return both[["metric", "source", *both.columns.drop(["metric", "source"])]]


def _printed_scores(
    metric: str, sources: Sequence[str], name: str, size: int
) -> list[dict[str, str]]:
    if not name:
        return []
    printed = published.table(name)
    rows = []
    for model, cells in printed[printed.part == metric].groupby("row", sort=False):
        cell = {c.column: f"{c.value} ({c.stderr})" for c in cells.itertuples()}
        cell |= {"PG": cell["PGS"]} if "PGS" in cell else {}
        own = {header(s): cell.get(SOURCES[s][1], "–") for s in sources}
        average = {"AVG": cell["AVG"]} if "AVG" in cell and len(sources) > 1 else {}
        rows.append({"metric": metric, "model": str(model), "reading": PRINTED, **own,
                     **average, "n scored": f"{size} of {size}"})  # fmt: skip
    return rows


def significance(scores: pd.DataFrame, signature: str) -> Table:
    """Every comparison behind the bold cells: difference to the top model, p, Holm's p.

    ``scores`` is `find.scores` with failures as misses. A row a metric, source and model.
    """
    values = comparisons(scores)
    kept = values[values.model != values.top]
    shown = pd.DataFrame([
        {"metric": r.metric, "source": r.source, "top model": r.top, "model": r.model,
         "difference (pp)": number(100 * r.difference, ".1f"), "pairs": str(r.n_pairs),
         "p": number(r.p, ".4f"), "p (Holm)": number(r.p_holm, ".4f")}
        for r in kept.itertuples()
    ], columns=["metric", "source", "top model", "model", "difference (pp)", "pairs", "p",
                "p (Holm)"])  # fmt: skip
    note = (
        "Paired t-test by document; AVG clustered over sources (Miller, 2024). Failures as misses."
    )
    title = "Tests behind the bold cells of Table 4."
    return Table("table_4_tests", title, shown, kept, signature, (note,))


def interval_table(found: pd.DataFrame, scores: pd.DataFrame, signature: str) -> Table:
    """Means with 95% intervals by resampling documents; ``found`` is `bootstrap.intervals`."""
    means = pd.concat([stats.summary(scores, m).assign(metric=m) for m in METRICS])
    both = means.merge(found, on=["model", "source", "metric"], how="left")
    shown = [
        {"metric": metric, "model": model,
         **{("AVG" if r.source == "AVG" else header(str(r.source))): _interval(r)
            for r in rows.itertuples()}}
        for (metric, model), rows in both.groupby(["metric", "model"], sort=False)
    ]  # fmt: skip
    title = "Response-level scores in percent with 95% bootstrap intervals over documents."
    note = "BCa intervals (scipy.stats.bootstrap), failures as misses; none where all values agree."
    return Table("table_4_intervals", title, pd.DataFrame(shown), both, signature, (note,))


def _interval(row: object) -> str:
    mean, low, high = (getattr(row, name) for name in ("mean", "low", "high"))
    told = number(100 * mean, ".0f")
    return told if np.isnan(low) else f"{told} [{100 * low:.0f}, {100 * high:.0f}]"


def correlations(scores: pd.DataFrame, signature: str) -> Table:
    """Spearman correlations between the three metrics over model x source (section 6).

    Beside this run's, those of the printed cells of Table 4.
    """
    means = scores.groupby(["model", "source"], sort=False)[list(METRICS)].mean()
    printed = pd.concat(
        [published.values("4", m).drop(columns="AVG").stack().rename(m) for m in METRICS], axis=1
    )
    parts = [("this run", means), (f"{PRINTED} (cells of Table 4)", printed)]
    values = pd.concat(
        [stats.spearman(found, METRICS).assign(origin=o) for o, found in parts], ignore_index=True
    )
    shown = pd.DataFrame([
        {"metrics": f"{r.first} and {r.second}", "origin": r.origin, "rho": number(r.rho, ".2f"),
         "p": "–" if np.isnan(r.p) else ("<.001" if r.p < 0.001 else f"{r.p:.3f}"), "n": str(r.n)}
        for r in values.itertuples()
    ])  # fmt: skip
    title = "Spearman correlations between the metrics over model and source."
    note = "A dash: fewer than three values, or a metric that is the same everywhere."
    return Table("table_correlations", title, shown, values, signature, (note,))


def seen_books(
    dev: pd.DataFrame, test: pd.DataFrame, signature: str, sources: Sequence[str] = ("PG", "PGS")
) -> Table:
    """Books of the development set, possibly seen by models, against those of the test set.

    Appendix H.1: two-sample (Welch) per model and metric, with Holm's adjustment over all.
    ``dev`` and ``test`` are `find.scores` of the two parts.
    """
    rows = []
    for model in dict.fromkeys(dev.model):
        for metric in METRICS:
            a, b = (t[(t.model == model) & t.source.isin(sources)][metric] for t in (dev, test))
            difference, p = stats.two_sample(a.to_list(), b.to_list())
            rows.append({
                "model": model, "metric": metric, "dev": a.mean(), "n_dev": a.count(),
                "test": b.mean(), "n_test": b.count(), "difference": difference, "p": p,
            })  # fmt: skip
    values = pd.DataFrame(rows).assign(p_holm=lambda t: stats.holm(t.p))
    shown = pd.DataFrame([
        {"model": r.model, "metric": r.metric,
         "dev (seen)": f"{number(100 * r.dev, '.0f')} (n {r.n_dev})",
         "test": f"{number(100 * r.test, '.0f')} (n {r.n_test})",
         "difference (pp)": number(100 * r.difference, "+.1f"), "p": number(r.p, ".3f"),
         "p (Holm)": number(r.p_holm, ".3f")}
        for r in values.itertuples()
    ])  # fmt: skip
    title = "Books possibly seen in training (development set) against the test set's books."
    return Table("table_seen_books", title, shown, values, signature, ("Welch's t-test.",))
