"""Figures E.1 and F.1: the ROC curves of the evidence and description metrics."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from .. import validation
from ..description import METRICS, Metric
from ..figures import WIDTH, Figure, style
from . import agreement_tables, roc

# one colour and line a metric, everywhere (colours that colour-blind readers tell apart)
LINES = {
    "strict": ("#4477aa", "-"), "lenient": ("#ee7733", "--"),
    **dict(zip(METRICS, [
        ("#000000", "-"), ("#cc3311", "-"), ("#33bbee", ":"), ("#4477aa", "-"), ("#0077bb", "--"),
        ("#228833", "-"), ("#999933", "--"), ("#aa3377", "-"), ("#ee7733", "--"),
    ], strict=True)),
}  # fmt: skip


def evidence_curves(table: pd.DataFrame, signature: str) -> Figure:
    """Figure E.1: ROC curves of the strict and the lenient evidence metric.

    ``table``: of `validation.responses_judged`; the curves are over `validation.to_score`.
    """
    caption = "**Figure E.1.** ROC curves of the evidence metrics against judgments by hand"
    return _curves("figure_E_1", caption, validation.EVIDENCE, "evidence_ok", table, signature)


def description_curves(table: pd.DataFrame, metrics: Sequence[Metric], signature: str) -> Figure:
    """Figure F.1: ROC curves of the description metrics at hand.

    ``table``: of `validation.add_descriptions` with these ``metrics``.
    """
    caption = "**Figure F.1.** ROC curves of the description metrics against judgments by hand"
    columns = {metric.name: metric.name for metric in metrics}
    return _curves("figure_F_1", caption, columns, "description_ok", table, signature)


def _curves(
    name: str,
    caption: str,
    columns: dict[str, str],
    truth: str,
    table: pd.DataFrame,
    signature: str,
) -> Figure:
    part = validation.to_score(table)
    curves = {label: roc.curve(part[column], part[truth]) for label, column in columns.items()}
    areas = {label: roc.auc(part[column], part[truth]).area for label, column in columns.items()}
    with style() as pyplot:
        drawn, axis = pyplot.subplots(figsize=(WIDTH * 0.6, WIDTH * 0.6), layout="constrained")
        axis.plot([0, 1], [0, 1], color="#cccccc", linewidth=0.8, zorder=1)
        for label, points in curves.items():
            if len(points):
                colour, line = LINES[label]
                axis.plot(points.fpr, points.tpr, line, color=colour, linewidth=1.3,
                          label=f"{label} ({areas[label]:.3f})")  # fmt: skip
        axis.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        axis.set_xlabel("share of wrong answers above the threshold")
        axis.set_ylabel("share of right answers above the threshold")
        if axis.get_legend_handles_labels()[0]:
            axis.legend(loc="lower right", title="metric (area)")
        else:
            axis.text(0.7, 0.3, "no curve is defined", ha="center", va="center")
    points = [curve.assign(metric=label) for label, curve in curves.items()]
    values = pd.concat(points, ignore_index=True)[["metric", "threshold", "fpr", "tpr"]]
    right, wrong = int((part[truth] == 1).sum()), int((part[truth] == 0).sum())
    text = f"{caption} ({right} right, {wrong} wrong answers; auto-gradable ones set aside)."
    said = [text, *agreement_tables.classes(part, truth), f"`{signature}`"]
    return Figure(name, drawn, " ".join(said), values)
