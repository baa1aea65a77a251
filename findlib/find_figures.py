"""FIND's figures of a run: evidence positions, scores, scores by length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from . import published, stats
from .documents import evidence_places, sources_of, tokenizer
from .figures import COLOURS, TYPE_COLOURS, TYPE_MARKERS, WIDTH, Figure, style
from .records import METRICS, Document


def evidence_positions(documents: Sequence[Document], signature: str) -> Figure:
    """Figure 5: where the evidence stands in each document, and how long documents are.

    A row a document, sorted by length within its source; positions and lengths in
    thousands of gpt-5 tokens; coloured by inconsistency type, the trigger filled.
    """
    sources = sources_of(documents)
    values = pd.DataFrame([row for s in sources for row in _positions(documents, s)])
    with style() as pyplot:
        drawn, axes = pyplot.subplots(
            1, len(sources), figsize=(WIDTH, 2.4), squeeze=False, layout="constrained"
        )
        for axis, source in zip(axes[0], sources, strict=True):
            _draw_positions(axis, values[values.source == source])
            axis.set_title(source)
        axes[0][0].set_ylabel("document")
        drawn.supxlabel("position, thousand tokens", fontsize=9)
    caption = (
        "**Figure 5.** Evidence positions and document lengths. A row is a document; the grey "
        "square is its end; the marks are evidence spans, the filled one the trigger: blue squares "
        f"numeric, orange circles non-numeric, green triangles structural. `{signature}`"
    )
    return Figure("figure_5", drawn, caption, values)


def _positions(documents: Sequence[Document], source: str) -> Iterator[dict[str, Any]]:
    by = tokenizer()
    mine = sorted((by.count(d.text), d.doc_id, d) for d in documents if d.source == source)
    for row, (length, doc_id, document) in enumerate(mine):
        places = evidence_places(document)
        for number, (start, _) in enumerate(places):
            yield {
                "source": source, "row": row, "doc_id": doc_id, "length": length,
                "position": by.count(document.text[:start]),
                "trigger": number == len(places) - 1, "error_type": document.error_type,
            }  # fmt: skip


def _draw_positions(axis: Any, values: pd.DataFrame) -> None:
    ends = values.drop_duplicates("row")
    size = max(2.0, min(14.0, 160 / max(1, len(ends))))
    axis.hlines(ends.row, 0, ends.length / 1000, color="#dddddd", linewidth=0.6, zorder=1)
    axis.scatter(ends.length / 1000, ends.row, s=size * 1.4, marker="s", color="#888888", zorder=2)
    for kind, part in values.groupby("error_type"):
        for trigger, some in part.groupby("trigger"):
            colour = TYPE_COLOURS[str(kind)]
            axis.scatter(
                some.position / 1000, some.row, s=size, marker=TYPE_MARKERS[str(kind)],
                linewidths=0.7, zorder=3,
                facecolors=colour if trigger else "white", edgecolors=colour,
            )  # fmt: skip
    axis.set_xlim(left=0)
    axis.set_ylim(len(ends) - 0.4, -0.6)
    axis.set_yticks([])


def scores_beside_published(scores: pd.DataFrame, signature: str) -> Figure:
    """The three response-level scores of this run's models beside FIND's printed ones.

    A dot a model with one standard error (clustered over sources). Documents differ, so the
    two groups are not to be compared as one ranking.
    """
    rows = []
    for metric in METRICS:
        for cell in stats.summary(scores, metric).query("source == 'AVG'").itertuples():
            rows.append((metric, cell.model, "this run", 100 * cell.mean, 100 * cell.se))
        printed = published.table("H.4").query("part == @metric and column == 'AVG'")
        for cell in printed.itertuples():
            rows.append((metric, cell.row, "FIND, as printed", float(cell.value), cell.stderr))
    values = pd.DataFrame(rows, columns=["metric", "model", "origin", "percent", "se"])
    order = list(dict.fromkeys(zip(values.origin, values.model, strict=True)))
    with style() as pyplot:
        drawn, axes = pyplot.subplots(
            1, 3, figsize=(WIDTH, 0.6 + 0.19 * len(order)), sharey=True, layout="constrained"
        )
        for axis, metric in zip(axes, METRICS, strict=True):
            _draw_scores(axis, values[values.metric == metric], order)
            axis.set_title(metric)
        labels = [model.replace("$", r"\$") for _, model in order]
        axes[0].set_yticks(range(len(order)), labels)
        drawn.supxlabel("response-level score, percent", fontsize=9)
    caption = (
        "**Result.** Evidence, description and task scores, with one standard error. Above the "
        "line: this run, on its own documents. Below: the printed averages of FIND's test set "
        f"(375 other documents, BLEURT, gpt-4.1 as judge), for orientation. `{signature}`"
    )
    return Figure("figure_scores", drawn, caption, values)


def _draw_scores(axis: Any, values: pd.DataFrame, order: Sequence[tuple[str, str]]) -> None:
    for row in values.itertuples():
        colour, marker = COLOURS.get(str(row.model), COLOURS[""])
        fill = colour if row.origin == "this run" else "white"
        axis.errorbar(
            row.percent, order.index((row.origin, row.model)), xerr=row.se, fmt=marker,
            color=colour, markerfacecolor=fill, markersize=4, elinewidth=0.8,
        )  # fmt: skip
    own = sum(origin == "this run" for origin, _ in order)
    axis.axhline(own - 0.5, color="#888888", linewidth=0.5)
    axis.set_ylim(len(order) - 0.5, -0.5)
    axis.set_xlim(left=-2)
