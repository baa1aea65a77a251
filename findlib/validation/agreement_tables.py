"""The tables of the metric validation: areas under ROC curves, and how far the judge agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from .. import description, published, validation
from ..agreement import Agreement, agreement
from ..description import Metric
from ..tables import PRINTED, Table, number
from . import roc

FEW = 10  # right or wrong answers: with fewer of either DeLong's interval is rough
_RULE = (
    "Judged is the answer with the highest strict evidence score, the first of equals. Set "
    "aside as auto-gradable: responses without a well-formed answer (wrong) and answers with "
    "exactly the reference's spans (right)."
)


def printed(where: str) -> pd.DataFrame:
    """The values printed in one place of FIND ("figure E.1", "figure F.1", "appendix E",
    "appendix H.1"), a row each: columns as in `published.table`, the index its label."""
    return published.table(where).set_index("row")


def evidence(table: pd.DataFrame, signature: str) -> Table:
    """Figure E.1's numbers: areas of the strict and the lenient evidence metric.

    ``table``: of `validation.responses_judged`. The truth is evidence_ok.
    """
    rows = [{"metric": name, "column": column, "signature": f"evidence, {name}"}
            for name, column in validation.EVIDENCE.items()]  # fmt: skip
    title = "Figure E.1 in numbers. Evidence metrics against evidence_ok."
    return _areas("table_validation_evidence", title, "figure E.1", rows, table, signature)


def descriptions(table: pd.DataFrame, metrics: Sequence[Metric], signature: str) -> Table:
    """Figure F.1's numbers: areas of all description metrics; those not at hand say so.

    ``table``: of `validation.add_descriptions` with these ``metrics``. The truth is
    description_ok.
    """
    at_hand = {metric.name: metric.signature for metric in metrics}
    rows = [{"metric": name, "column": name if name in at_hand else "",
             "signature": at_hand.get(name, "")} for name in description.METRICS]  # fmt: skip
    title = "Figure F.1 in numbers. Description metrics against description_ok."
    found = _areas("table_validation_description", title, "figure F.1", rows, table, signature)
    cut = [f"{metric.name}: {metric.long_pairs} texts or pairs cut to the model's maximum length."
           for metric in metrics if metric.long_pairs]  # fmt: skip
    absent = ", ".join(row["metric"] for row in rows if not row["column"])
    how = [f"Not at hand: {absent}; `make bleurt` and a checkpoint (README.md)."] if absent else []
    return replace(found, notes=(*found.notes, *cut, *how))


def _areas(
    name: str, title: str, where: str, rows: list[dict[str, Any]], table: pd.DataFrame,
    signature: str,
) -> Table:  # fmt: skip
    """``rows``: metric, its column in ``table`` ("" where it is not at hand), its signature."""
    truth = {"figure E.1": "evidence_ok", "figure F.1": "description_ok"}[where]
    part = validation.to_score(table)
    first = next(row["column"] for row in rows if row["column"])
    values = pd.DataFrame([_area(row, first, part, truth) for row in rows])
    shown = [_cells(row) for _, row in values.iterrows()]
    for label, cell in printed(where).iterrows():
        shown.append(dict.fromkeys(shown[0], "–") | {
            "metric": label, "origin": PRINTED, "AUC": cell.value,
            "n scored": f"{cell.denom:.0f} of {cell.denom:.0f}"})  # fmt: skip
    against = f"p: DeLong's paired test against {values.metric[values.column == first].item()}."
    return Table(name, title, pd.DataFrame(shown), values.drop(columns="column"), signature,
                 (*notes(table, truth), against + " Two-sided, not adjusted."))  # fmt: skip


def _area(row: dict[str, Any], first: str, part: pd.DataFrame, truth: str) -> dict[str, Any]:
    nan = float("nan")
    scores = part[row["column"]] if row["column"] else pd.Series(nan, part.index)
    found = roc.auc(scores, part[truth], part.doc_id)
    _, p = (
        (nan, nan)
        if row["column"] in ("", first)
        else roc.compare(scores, part[first], part[truth], part.doc_id)
    )
    means = [float(scores[part[truth] == side].mean()) for side in (1, 0)]
    return {**row, "at_hand": bool(row["column"]), "auc": found.area, "se": found.se,
            "low": found.low, "high": found.high, "p": p,
            "mean_right": means[0], "mean_wrong": means[1], "right": found.right,
            "wrong": found.wrong, "n_scored": found.right + found.wrong,
            "n": len(part)}  # fmt: skip


def _cells(row: pd.Series) -> dict[str, str]:
    interval = "–" if pd.isna(row.low) else f"[{row.low:.3f}, {row.high:.3f}]"
    undefined = "not defined" if row.at_hand else "not at hand"
    return {
        "metric": row.metric, "origin": "this run",
        "AUC": undefined if pd.isna(row.auc) else f"{row.auc:.3f}",
        "95% interval": interval, "p": number(row.p, ".3f"),
        "mean right": number(row.mean_right, ".3f"), "mean wrong": number(row.mean_wrong, ".3f"),
        "right / wrong": f"{row.right} / {row.wrong}" if row.at_hand else "–",
        "n scored": f"{row.n_scored} of {row.n}",
    }  # fmt: skip


def notes(table: pd.DataFrame, truth: str) -> tuple[str, ...]:
    """What was set aside and why, whether areas are defined, and what the printed rows are."""
    n, part = validation.counts(table), validation.to_score(table)
    counted = (
        f"{n['responses']} responses: {n['no answer']} without an answer, {n['exact']} exact, "
        f"{n['failed']} failed (not graded), {n['scored']} left to the metrics; of these "
        f"{n['judged']} judged, {n['not judged']} not judged, {n['stale']} with a judgment of "
        "another answer."
    )
    told = printed("appendix E").value
    origin = (
        f"Printed rows: {told['scored']} of {told['all']} responses on other documents "
        f"({told['auto-gradable']} auto-gradable); beside this run for orientation."
    )
    found = [_RULE, counted, *classes(part, truth), origin]
    if part.doc_id.duplicated().any():
        found.append("Several answers a document: errors are clustered by document.")
    wrong = validation.against_rule(table)
    if wrong:
        found.append(f"{wrong} exact answers were judged wrong by hand, against the rule.")
    return tuple(found)


def classes(part: pd.DataFrame, truth: str) -> list[str]:
    """What the judged answers allow: no curve, a rough one, or (an empty list) a good one."""
    right, wrong = int((part[truth] == 1).sum()), int((part[truth] == 0).sum())
    if not right + wrong:
        return ["Areas and curves are not defined: no answer is judged."]
    if not right or not wrong:
        said = "right" if right else "wrong"
        return [f"Areas and curves are not defined: all {right + wrong} judged answers are {said}."]
    if min(right, wrong) < FEW:
        return [f"{right} right and {wrong} wrong answers: areas and intervals are rough, and "
                "an interval without width is not given."]  # fmt: skip
    return []


def judge(table: pd.DataFrame, judge_signature: str, signature: str) -> Table:
    """Agreement of the judge with the judgments by hand (FIND, Appendix H.1), by model.

    Over all judged answers with a verdict, auto-gradable or not. By hand an answer is right
    as `validation.responses_judged` says.
    """
    part = table[table.judged == "yes"]
    groups = [(str(model), some) for model, some in part.groupby("model", sort=False)]
    groups = groups if len(groups) == 1 else [*groups, ("all", part)]
    found = [(name, _agreement(some), len(some)) for name, some in groups]
    values = pd.DataFrame([_agreed(name, result, n) for name, result, n in found])
    shown = [_agreed_cells(row) for _, row in values.iterrows()]
    for label, cell in printed("appendix H.1").iterrows():
        shown.append(dict.fromkeys(shown[0], "–") | {
            "answers of": "not named", "judge": label, "Cohen's kappa": cell.value,
            "origin": PRINTED})  # fmt: skip
    said = [f"Judge of this run: {judge_signature}."]
    said.append("By hand right: judge_ok, or where that is empty evidence_ok and description_ok.")
    if values.kappa.isna().any():
        said.append("Kappa is not defined where both say the same of every answer.")
    return Table("table_judge_agreement", "Agreement of the judge with judgments by hand.",
                 pd.DataFrame(shown), values, signature, tuple(said))  # fmt: skip


def _agreement(part: pd.DataFrame) -> Agreement:
    first, second = (part[c].map({1.0: "right", 0.0: "wrong"}) for c in ("task", "right"))
    return agreement(list(first), list(second), ["right", "wrong"])


def _agreed(name: str, found: Agreement, n: int) -> dict[str, Any]:
    cells = found.table.to_numpy()
    low, high = (found.low, found.high) if not pd.isna(found.kappa) else (float("nan"),) * 2
    return {"answers of": name, "n": found.n, "n_judged": n, "agreed": found.agreed,
            "kappa": found.kappa, "low": low, "high": high,
            "both_right": int(cells[0, 0]), "judge_only": int(cells[0, 1]),
            "hand_only": int(cells[1, 0]), "both_wrong": int(cells[1, 1])}  # fmt: skip


def _agreed_cells(row: pd.Series) -> dict[str, str]:
    interval = "–" if pd.isna(row.low) else f"[{row.low:.2f}, {row.high:.2f}]"
    return {
        "answers of": row["answers of"], "judge": "this run's", "origin": "this run",
        "n": f"{row.n} of {row.n_judged}", "agreed": str(row.agreed),
        "Cohen's kappa": "not defined" if pd.isna(row.kappa) else f"{row.kappa:.2f}",
        "95% interval": interval, "both right": str(row.both_right),
        "judge only": str(row.judge_only), "hand only": str(row.hand_only),
        "both wrong": str(row.both_wrong),
    }  # fmt: skip


def numbers(table: pd.DataFrame, *areas: Table) -> dict[str, float]:
    """The numbers to state: counts, and of every metric at hand what is defined."""
    found: dict[str, float] = dict(validation.counts(table))
    for row in pd.concat([area.values for area in areas]).itertuples():
        each = {"auc": row.auc, "mean_right": row.mean_right, "mean_wrong": row.mean_wrong}
        found |= {f"{row.metric}.{k}": float(v) for k, v in each.items() if not pd.isna(v)}
    return found
