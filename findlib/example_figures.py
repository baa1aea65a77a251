"""Pages that show single cases: the evidence metric's matrices, inconsistencies in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from .evidence import EvidenceScore
from .figures import FOUND, MARK, WIDTH, Figure, style
from .records import SOURCES, Answer, Document
from .show import Passage, passages


def overlap_matrices(
    score: EvidenceScore, predicted: Sequence[str], reference: Sequence[str], mode: str
) -> Figure:
    """Figures E.2 (strict) and E.3 (lenient): similarity and overlap, matches outlined.

    ``predicted`` and ``reference`` label the rows and columns of ``score``'s matrices.
    """
    import seaborn

    name = {"strict": "figure_E_2", "lenient": "figure_E_3"}[mode]
    with style() as pyplot:
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


def examples(shown: Sequence[tuple[Document, str, Answer | None]], signature: str) -> Figure:
    """A page of highlighted inconsistencies (in the place of the paper's Figures 1-4).

    For each (document, model, answer): the passages that hold the expected evidence,
    shaded, with the spans of the model's best answer underlined where they fall there, and
    both descriptions.
    """
    blocks = [_lines_of(*item) for item in shown]
    total = sum(len(lines) for lines in blocks) + 2 * len(blocks)
    step = 0.135  # inches a line
    with style() as pyplot:
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
