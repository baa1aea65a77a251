"""Statistics of FindTheFlaws: scores with cluster intervals, and the experts' own agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import agreement as agreeing
from . import bootstrap
from .flaws import outcomes
from .flaws_grading import equivalents, step_agreement
from .flaws_items import AMBIGUOUS, CORRECT, FLAWED, SETS, Item, no_flaw
from .flaws_parse import LABELS

METRICS = ("accuracy", "specificity", "precision", "recall", "f1")
COUNTS = ("tp", "fp", "tn", "fn")
SEED, RESAMPLES = 1, 10_000


def match_metrics(counts: np.ndarray) -> np.ndarray:
    """METRICS from (tp, fp, tn, fn), CORRECT being positive; the last axis is replaced.

    NaN where a metric has no denominator.

    >>> match_metrics(np.array([3, 1, 4, 2])).round(3).tolist()
    [0.7, 0.8, 0.75, 0.6, 0.667]
    """
    tp, fp, tn, fn = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = [(tp + tn) / (tp + fp + tn + fn), tn / (tn + fp), tp / (tp + fp), tp / (tp + fn),
                 2 * tp / (2 * tp + fp + fn)]  # fmt: skip
    return np.stack(found, axis=-1)


def _share(counts: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return (counts[..., 0] / counts.sum(axis=-1))[..., None]


def match_scores(
    frame: pd.DataFrame, unscored: str = "left out", resamples: int = RESAMPLES
) -> pd.DataFrame:
    """METRICS of the match task per set and model, with 95% cluster intervals over questions.

    Sentences and whole arguments of CELS are apart: ``unit`` is "sentence", "whole" or
    "item". Columns: dataset, model, unit, metric, value, low, high, n_scored, n.
    """
    counts = outcomes(frame, unscored)
    rows = [row for key, part in _groups(counts)
            for row in _scored(key, part, COUNTS, METRICS, match_metrics, resamples)]  # fmt: skip
    return pd.DataFrame(rows, columns=list(ROWS))


def grade_scores(
    graded: pd.DataFrame, unscored: str = "left out", resamples: int = RESAMPLES
) -> pd.DataFrame:
    """The share EQUIVALENT per set and model, as `match_scores`; the metric is "equivalent"."""
    return _hits(equivalents(graded, unscored), "equivalent", resamples)


def step_scores(proxied: pd.DataFrame, resamples: int = RESAMPLES) -> pd.DataFrame:
    """How often the proxy names the experts' step, as `match_scores`; the metric is "step"."""
    return _hits(step_agreement(proxied), "step", resamples)


ROWS = ("dataset", "model", "unit", "metric", "value", "low", "high", "n_scored", "n")


def _hits(table: pd.DataFrame, metric: str, resamples: int) -> pd.DataFrame:
    table = table.assign(no=1 - table.hit)
    rows = [row for key, part in _groups(table)
            for row in _scored(key, part, ("hit", "no"), (metric,), _share, resamples)]  # fmt: skip
    return pd.DataFrame(rows, columns=list(ROWS))


def _groups(table: pd.DataFrame) -> list[tuple[tuple[str, str, str], pd.DataFrame]]:
    cels = table.dataset.str.startswith("cels_")
    unit = np.where(~cels, "item", np.where(table.sentence > 0, "sentence", "whole"))
    parts = table.assign(unit=unit).groupby(["dataset", "model", "unit"], sort=False)
    return [((str(a), str(b), str(c)), part) for (a, b, c), part in parts]


def _scored(
    key: tuple[str, str, str], part: pd.DataFrame, columns: Sequence[str], metrics: Sequence[str],
    statistic: Any, resamples: int,
) -> list[dict[str, Any]]:  # fmt: skip
    counts = part[list(columns)].to_numpy(float)
    scored = ~np.isnan(counts).any(axis=1)
    values = statistic(counts[scored].sum(axis=0))
    low, high = bootstrap.cluster_interval(
        counts[scored], list(part.question_id[scored]), statistic,
        bootstrap.generator(SEED, *key), resamples,
    )  # fmt: skip
    return [
        dict(zip(ROWS, (*key, metric, value, lo, hi, int(scored.sum()), len(part)), strict=True))
        for metric, value, lo, hi in zip(metrics, values, low, high, strict=True)
    ]


def skills(graded: pd.DataFrame) -> pd.DataFrame:
    """F1 of match and share EQUIVALENT, a row a set and model: dataset, model, f1, f1_low,
    f1_high, n_match, equivalent, equivalent_low, equivalent_high, n_graded; NaN and 0 where a
    set has no such task."""
    matched = match_scores(graded)
    matched = matched[(matched.metric == "f1") & (matched.unit != "whole")]
    explained = grade_scores(graded)
    keys = ["dataset", "model"]

    def named(table: pd.DataFrame, name: str, n: str) -> pd.DataFrame:
        columns = {"value": name, "low": f"{name}_low", "high": f"{name}_high", "n_scored": n}
        return table[[*keys, *columns]].rename(columns=columns)

    left, right = named(matched, "f1", "n_match"), named(explained, "equivalent", "n_graded")
    both = left.merge(right, on=keys, how="outer")
    both[["n_match", "n_graded"]] = both[["n_match", "n_graded"]].fillna(0)
    order = {name: place for place, name in enumerate(SETS)}
    return both.sort_values(["dataset", "model"], key=lambda c: c.map(order) if c.name == "dataset"
                            else c).reset_index(drop=True)  # fmt: skip


def reviewers(items: Sequence[Item]) -> pd.DataFrame:
    """What each reviewer says of each sentence, a row a sentence: question_id, item_id,
    sentence, label, and r1, r2 (r3): FLAWED or CORRECT, by the rule of `flaws_items.no_flaw`."""
    rows = [
        {"question_id": i.question_id, "item_id": i.item_id, "sentence": s.number,
         "label": s.label}
        | {f"r{k}": CORRECT if no_flaw(c) else FLAWED for k, c in enumerate(s.comments, 1)}
        for i in items for s in i.sentences
    ]  # fmt: skip
    return pd.DataFrame(rows)


def sentence_agreement(items: Sequence[Item]) -> dict[str, float]:
    """Agreement of the reviewers of one CELS set (Appendix B.1), over all of its arguments.

    "agreement": share of sentences that are not AMBIGUOUS; "within argument": its mean over
    arguments; "kappa a-b": Cohen's, for each pair; "Fleiss" for three reviewers. NaN for a
    set without sentences.
    """
    from itertools import combinations

    table = reviewers(items)
    if table.empty:
        return {"agreement": float("nan"), "within argument": float("nan")}
    agreed = (table.label != AMBIGUOUS).astype(float)
    found = {
        "agreement": float(agreed.mean()),
        "within argument": float(agreed.groupby(table.item_id).mean().mean()),
    }
    names = [column for column in table if column in ("r1", "r2", "r3")]
    for a, b in combinations(names, 2):
        pair = agreeing.agreement(list(table[a]), list(table[b]), LABELS)
        found[f"kappa {a[1]}-{b[1]}"] = pair.kappa
    if len(names) > 2:
        found["Fleiss"] = agreeing.fleiss(table[names].to_numpy(), LABELS)
    return found


def expert_scores(items: Sequence[Item], resamples: int = RESAMPLES) -> pd.DataFrame:
    """Each reviewer scored against the others of the same CELS sets, as `match_scores` does.

    The reference of a reviewer is the label the others agree on (with two reviewers: the
    other's), since the validators' labels behind the paper's baseline are not released.
    """
    rows = []
    for dataset in dict.fromkeys(i.dataset for i in items if i.sentences):
        table = reviewers([i for i in items if i.dataset == dataset])
        names = [column for column in table if column in ("r1", "r2", "r3")]
        for name in names:
            others = table[[n for n in names if n != name]]
            alike = others.nunique(axis=1) == 1
            kept = table[alike].assign(
                dataset=dataset, model=f"reviewer {name[1]} against the other(s)",
                gold=others[alike].iloc[:, 0], predicted=table[name][alike], status="ok",
            )  # fmt: skip
            rows.append(match_scores(kept, resamples=resamples))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=list(ROWS))


def commented(items: Sequence[Item], dataset: str) -> dict[str, int]:
    """On how many items each annotator's, and both's, comments are released, of n.

    MedQA shows the comments of the clinicians who agree with the key (section 4.1.2), so for
    its reliable items this is the agreement with the key; for Python650's flawed arguments it
    is who found a flaw.
    """
    mine = [i for i in items if i.dataset == dataset and i.reliable
            and (i.error or dataset == "medqa")]  # fmt: skip
    return {
        "annotator 1": sum(1 in i.reviewers for i in mine),
        "annotator 2": sum(2 in i.reviewers for i in mine),
        "both": sum({1, 2} <= set(i.reviewers) for i in mine),
        "n": len(mine),
    }
