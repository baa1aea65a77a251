"""FindTheFlaws' figures for the run at hand: 1, 2, 3, and match against error grading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .figures import COLOURS, WIDTH, Figure, style
from .flaws_items import CELS_SETS, PYTHON_SETS, SETS, SOLUTION_SETS
from .flaws_stats import skills

_FIGURES = (
    ("figure_flaws_1", "Figure 1. Solution-level sets", SOLUTION_SETS),
    ("figure_flaws_2", "Figure 2. Python650", PYTHON_SETS),
    ("figure_flaws_3", "Figure 3. CELS, by sentence", CELS_SETS),
)
_TASKS = (("f1", "match (F1)"), ("equivalent", "error grading (EQUIVALENT)"))


def by_part(graded: pd.DataFrame, signature: str) -> list[Figure]:
    """Figures 1, 2 and 3 for the sets that the run holds."""
    values = skills(graded)
    found = []
    for name, title, sets in _FIGURES:
        mine = values[values.dataset.isin(sets)].reset_index(drop=True)
        if len(mine):
            found.append(bars(name, title, mine, signature))
    return found


def bars(name: str, title: str, values: pd.DataFrame, signature: str) -> Figure:
    """Bars of match F1 and of error grading, a group a set, a bar a model, 95% intervals.

    ``values``: `flaws_stats.skills`.
    """
    models = list(dict.fromkeys(values.model))
    sets = list(dict.fromkeys(values.dataset))
    with style() as pyplot:
        drawn, axes = pyplot.subplots(1, 2, figsize=(WIDTH, 2.6), sharey=True, layout="constrained")
        for axis, (metric, label) in zip(axes, _TASKS, strict=True):
            _draw_bars(axis, values, metric, sets, models)
            axis.set_title(label)
        axes[0].set_ylabel("percent")
        handles = axes[0].get_legend_handles_labels()
        drawn.legend(*handles, loc="outside lower center", ncols=min(4, len(models)), fontsize=7)
    caption = (
        f"**{title}.** Match (F1, CORRECT positive) and error grading (share EQUIVALENT), percent, "
        "with 95% intervals of a bootstrap over questions; scored answers only. A set without a "
        f"bar has no such task. `{signature}`"
    )
    return Figure(name, drawn, caption, values)


def _draw_bars(
    axis: Any, values: pd.DataFrame, metric: str, sets: Sequence[str], models: Sequence[str]
) -> None:
    width = 0.8 / len(models)
    for number, model in enumerate(models):
        mine = values[values.model == model].set_index("dataset").reindex(sets)
        heights, low, high = (100 * mine[c].to_numpy(float)
                              for c in (metric, f"{metric}_low", f"{metric}_high"))  # fmt: skip
        places = np.arange(len(sets)) + (number - (len(models) - 1) / 2) * width
        spread = np.nan_to_num([heights - low, high - heights]).clip(min=0)
        axis.bar(places, np.nan_to_num(heights), width * 0.92, yerr=spread, label=model,
                 color=COLOURS.get(model, COLOURS[""])[0], alpha=0.75,
                 error_kw={"elinewidth": 0.8})  # fmt: skip
        axis.plot(places, heights, ".", color=COLOURS.get(model, COLOURS[""])[0])
    axis.set_xticks(range(len(sets)), [SETS[name][1].replace(" ", "\n", 1) for name in sets],
                    fontsize=7)  # fmt: skip
    axis.set_ylim(0, 100)


def match_against_grading(graded: pd.DataFrame, signature: str) -> Figure:
    """A panel a set with both tasks: share EQUIVALENT over match F1, a mark a model.

    On the dotted line both are the same number; detecting that something is wrong and saying
    what are different skills (section 6.1).
    """
    values = skills(graded).dropna(subset=["f1", "equivalent"]).reset_index(drop=True)
    sets = list(dict.fromkeys(values.dataset))
    columns = min(4, max(1, len(sets)))
    rows = max(1, -(-len(sets) // columns))
    with style() as pyplot:
        drawn, axes = pyplot.subplots(
            rows, columns, figsize=(WIDTH, 0.4 + 1.7 * rows), sharex=True, sharey=True,
            squeeze=False, layout="constrained",
        )  # fmt: skip
        for axis, name in zip(axes.flat, sets, strict=False):
            _draw_marks(axis, values[values.dataset == name])
            axis.set_title(SETS[name][1], fontsize=8)
        for axis in axes.flat[len(sets) :]:
            axis.set_visible(False)
        drawn.supxlabel("match F1, percent", fontsize=9)
        drawn.supylabel("error grading, percent EQUIVALENT", fontsize=9)
    caption = (
        "**Match against error grading.** A mark a model with 95% intervals over questions: "
        f"{', '.join(dict.fromkeys(values.model)) or 'none'}; dotted: the same in both. "
        f"`{signature}`"
    )
    return Figure("figure_flaws_match_grading", drawn, caption, values)


def _draw_marks(axis: Any, values: pd.DataFrame) -> None:
    axis.plot([0, 100], [0, 100], color="#999999", linewidth=0.6, linestyle=":")
    for row in values.itertuples():
        colour, marker = COLOURS.get(str(row.model), COLOURS[""])
        across = np.nan_to_num([[row.f1 - row.f1_low], [row.f1_high - row.f1]]).clip(min=0)
        up = np.nan_to_num(
            [[row.equivalent - row.equivalent_low], [row.equivalent_high - row.equivalent]]
        ).clip(min=0)
        axis.errorbar(100 * row.f1, 100 * row.equivalent, xerr=100 * across, yerr=100 * up,
                      fmt=marker, color=colour, markersize=4, elinewidth=0.6)  # fmt: skip
    axis.set_xlim(-3, 103)
    axis.set_ylim(-3, 103)
