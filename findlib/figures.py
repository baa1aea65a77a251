"""The figures, in one style, with one colour a model; each written with data and caption."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from . import published, stats
from .documents import evidence_places, sources_of, tokenizer
from .evidence import EvidenceScore
from .paths import package, whole, write_text
from .records import METRICS, SOURCES, Answer, Document
from .show import Passage, passages

WIDTH = 6.3  # inches, a text block
EPOCH = "1767225600"  # 2026-01-01: the date written into every figure

# one colour and marker a model, everywhere; the rest take the last one
COLOURS = {
    "smollm2-135m": ("#000000", "o"),
    "rules": ("#cc3311", "D"),
    "gpt-5": ("#4477aa", "s"),
    "gemini-2.5-pro": ("#228833", "^"),
    "": ("#999999", "."),
}
TYPE_COLOURS = {"numeric": "#4477aa", "non-numeric": "#ee7733", "structural": "#228833"}
MARK, FOUND = "#ffdd88", "#4477aa"


@dataclass(frozen=True)
class Figure:
    """A drawn figure: its file name, matplotlib figure, caption and the data behind it."""

    name: str
    drawn: Any
    caption: str
    values: pd.DataFrame

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        with _style():
            self.drawn.savefig(image, format="png", dpi=100)
        return image.getvalue()


@contextmanager
def _style() -> Iterator[Any]:
    """Matplotlib with the project's style, whatever the user has set."""
    from matplotlib import pyplot, rc_context, rcdefaults

    with rc_context():
        rcdefaults()
        pyplot.style.use(str(package("findlib.mplstyle")))
        yield pyplot


def write(figure: Figure, folder: Path) -> Path:
    """Write ``<name>.pdf``, ``.png``, ``.csv`` and the caption ``.md``; same figure, same
    bytes: the date is SOURCE_DATE_EPOCH, or EPOCH where that is not set."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH)
    with _style() as pyplot:
        for ending in ("pdf", "png"):
            with whole(folder / f"{figure.name}.{ending}") as partial:
                figure.drawn.savefig(partial, format=ending)
        pyplot.close(figure.drawn)
    write_text(
        folder / f"{figure.name}.csv", figure.values.to_csv(index=False, lineterminator="\n")
    )
    return write_text(folder / f"{figure.name}.md", figure.caption + "\n")


def evidence_positions(documents: Sequence[Document], signature: str) -> Figure:
    """Figure 5: where the evidence stands in each document, and how long documents are.

    A row a document, sorted by length within its source; positions and lengths in
    thousands of gpt-5 tokens; coloured by inconsistency type, the trigger filled.
    """
    sources = sources_of(documents)
    values = pd.DataFrame([row for s in sources for row in _positions(documents, s)])
    with _style() as pyplot:
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
        "square is its end, squares are evidence spans, the filled one the trigger. "
        f"Blue numeric, orange non-numeric, green structural. `{signature}`"
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
                some.position / 1000, some.row, s=size, marker="s", linewidths=0.7, zorder=3,
                facecolors=colour if trigger else "white", edgecolors=colour,
            )  # fmt: skip
    axis.set_xlim(left=0)
    axis.set_ylim(len(ends) - 0.4, -0.6)
    axis.set_yticks([])


def overlap_matrices(
    score: EvidenceScore, predicted: Sequence[str], reference: Sequence[str], mode: str
) -> Figure:
    """Figures E.2 (strict) and E.3 (lenient): similarity and overlap, matches outlined.

    ``predicted`` and ``reference`` label the rows and columns of ``score``'s matrices.
    """
    import seaborn

    name = {"strict": "figure_E_2", "lenient": "figure_E_3"}[mode]
    with _style() as pyplot:
        drawn, axes = pyplot.subplots(
            1, 2, figsize=(WIDTH, 0.9 + 0.36 * len(predicted)), sharey=True, layout="constrained"
        )
        similarity = score.similarity.clip(min=0)  # -inf: not verbatim, cannot match
        parts = [("similarity (F1)", similarity, ".2f"), ("overlap", score.overlaps, "d")]
        for axis, (title, matrix, form) in zip(axes, parts, strict=True):
            seaborn.heatmap(
                matrix, ax=axis, annot=True, fmt=form, cmap="Greys", cbar=False, linewidths=0.5,
                linecolor="white", xticklabels=list(reference), yticklabels=list(predicted),
                vmin=0, vmax=matrix.max() * 1.4 or 1,
            )  # fmt: skip
            axis.set_title(title)
            axis.tick_params(length=0)
            axis.tick_params(axis="x", rotation=18 if mode == "strict" else 0)
            for match in score.matches:
                corner = (match.reference, match.predicted)
                axis.add_patch(
                    pyplot.Rectangle(corner, 1, 1, fill=False, edgecolor="#cc3311", linewidth=1.6)
                )
    letter = name[-1]
    caption = (
        f"**Figure E.{letter}.** The {mode} evidence metric on the worked example of FIND, "
        "Appendix E: rows are predicted, columns reference elements; matched pairs are "
        f"outlined. Overlap {score.overlap} characters of {score.predicted_length} predicted and "
        f"{score.reference_length} reference: precision {score.precision:.3f}, recall "
        f"{score.recall:.3f}, F1 {score.f1:.3f}."
    )
    values = pd.DataFrame([
        {"predicted": p, "reference": r, "similarity": score.similarity[i, j],
         "overlap": int(score.overlaps[i, j]),
         "matched": any((m.predicted, m.reference) == (i, j) for m in score.matches)}
        for i, p in enumerate(predicted) for j, r in enumerate(reference)
    ])  # fmt: skip
    return Figure(name, drawn, caption, values)


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
    with _style() as pyplot:
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


def examples(shown: Sequence[tuple[Document, str, Answer | None]], signature: str) -> Figure:
    """A page of highlighted inconsistencies (in the place of the paper's Figures 1-4).

    For each (document, model, answer): the passages that hold the expected evidence,
    shaded, with the spans of the model's best answer underlined where they fall there, and
    both descriptions.
    """
    blocks = [_lines_of(*item) for item in shown]
    total = sum(len(lines) for lines in blocks) + 2 * len(blocks)
    step = 0.135  # inches a line
    with _style() as pyplot:
        drawn = pyplot.figure(figsize=(WIDTH, step * (total + 1)))
        axis = drawn.add_axes((0, 0, 1, 1))
        axis.set_xlim(0, _COLUMNS)
        axis.set_ylim(total + 1, 0)
        axis.axis("off")
        at = 0.5
        for lines in blocks:
            for line in lines:
                _draw_line(axis, at, *line)
                at += 1
            axis.hlines(at + 0.6, 0, _COLUMNS, color="#bbbbbb", linewidth=0.5)
            at += 2
    caption = (
        "**Examples.** Passages with the expected evidence (shaded) and the evidence of the "
        f"model's best answer (underlined where it falls in these passages). `{signature}`"
    )
    values = pd.DataFrame([
        {"doc_id": d.doc_id, "error_type": d.error_type, "model": model,
         "expected": d.description, "predicted": a.description if a else ""}
        for d, model, a in shown
    ])  # fmt: skip
    return Figure("figure_examples", drawn, caption, values)


_COLUMNS = 105
_MOST_LINES = 12  # of a passage
_MONO_SIZE = WIDTH * 72 / _COLUMNS / 0.602  # points: a character's advance is a column's width
_Line = tuple[str, str, list[tuple[int, int, str]]]  # text, style, marked columns


def _lines_of(document: Document, model: str, answer: Answer | None) -> list[_Line]:
    label = SOURCES[document.source][0]
    lines: list[_Line] = [(f"{document.doc_id} · {document.error_type} · {label}", "bold", [])]
    own = passages(document.text, answer.evidence) if answer else []
    found = [mark for passage in own for mark in passage.marks]
    for passage in passages(document.text, document.evidence):
        lines += _wrapped(document.text, passage, found)[:_MOST_LINES]
    lines += [(text, "italic", []) for text in _fold("expected: " + document.description)]
    told = answer.description if answer else "no answer"
    return lines + [(text, "plain", []) for text in _fold(f"{model}: {told}")]


def _fold(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(textwrap.shorten(text, 500, placeholder=" …"), _COLUMNS + 25) or [""]


def _wrapped(text: str, passage: Passage, found: Sequence[tuple[int, int]]) -> list[_Line]:
    """A passage as lines of at most _COLUMNS characters with their marks."""
    lines: list[_Line] = []
    start = passage.start
    while start < passage.end and len(lines) < _MOST_LINES:
        stop = min(start + _COLUMNS - 2, passage.end)
        line_end = text.find("\n", start, stop)
        blank = text.rfind(" ", start + 1, stop) if stop < passage.end else -1
        stop = line_end if line_end >= 0 else (blank if blank > start else stop)
        marks = [
            (max(s, start) - start, min(e, stop) - start, kind)
            for kind, ranges in (("expected", passage.marks), ("found", found))
            for s, e in ranges if s < stop and e > start
        ]  # fmt: skip
        if text[start:stop].strip():
            lines.append((text[start:stop], "mono", marks))
        start = stop + (text[stop : stop + 1] in ("\n", " "))
    return [*lines, ("", "plain", [])]


def _draw_line(axis: Any, at: float, text: str, style: str, marks: Sequence[Any]) -> None:
    from matplotlib.patches import Rectangle

    safe = text.replace("$", r"\$")
    if style != "mono":
        weight = {"bold": "bold"}.get(style, "normal")
        slant = "italic" if style == "italic" else "normal"
        axis.text(1, at, safe, va="center", fontsize=7.4, weight=weight, style=slant)
        return
    for start, end, kind in marks:
        if kind == "expected":
            axis.add_patch(Rectangle((start + 1, at - 0.5), end - start, 1, color=MARK, lw=0))
        else:
            axis.hlines(at + 0.46, start + 1, end + 1, color=FOUND, linewidth=1.4)
    axis.text(1, at, safe, va="center", fontsize=_MONO_SIZE, family="DejaVu Sans Mono")
