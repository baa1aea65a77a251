"""Precision, usefulness and recall from manual grades (FIND, sections 7.1 and 7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from ..agreement import Agreement
from . import FINAL, Settled


def interval(successes: int, n: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share; NaN for no trials.

    >>> [round(x, 3) for x in interval(28, 43)]
    [0.502, 0.776]
    """
    from statsmodels.stats.proportion import proportion_confint

    if not n:
        return float("nan"), float("nan")
    low, high = proportion_confint(successes, n, method="wilson")
    return max(0.0, float(low)), min(1.0, float(high))


def precision(settled: Settled, include_expected: bool = True) -> pd.DataFrame:
    """Precision and usefulness by model and source (section 7.1).

    ``include_expected`` False leaves out answers that the judge matched to the expected
    inconsistency; those without a verdict (``unjudged``) stay in. Columns: model, source,
    documents, answers, graded, undeliberated, ungraded, unjudged, real, useful,
    per_document (answers a document, graded or not), and of the graded ones precision and
    usefulness (fractions) with _se, _low, _high (Wilson).
    """
    answers = settled.answers
    if not include_expected:
        answers = answers[answers.matches_expected != "true"]
    rows = []
    for (model, source), part in settled.drawn.documents.groupby(["model", "source"], sort=False):
        mine = answers[(answers.model == model) & (answers.source == source)]
        final = mine[mine.state.isin(FINAL)]
        counts = {
            "documents": len(part), "answers": len(mine), "graded": len(final),
            "undeliberated": int((mine.state == "undeliberated").sum()),
            "ungraded": int(mine.state.isin(("once", "ungraded")).sum()),
            "unjudged": int((mine.matches_expected == "").sum()),
            "real": int((final.grade == "real").sum()), "useful": int(final.useful.eq(True).sum()),
        }  # fmt: skip
        rows.append({"model": model, "source": source, **counts, **rates(**counts)})
    return pd.DataFrame(rows)


def rates(
    documents: int, answers: int, graded: int, real: int, useful: int, **_: int
) -> dict[str, float]:
    """The rates of Table 5 from counts.

    >>> found = rates(documents=25, answers=43, graded=43, real=28, useful=30)
    >>> f"{found['per_document']:.1f} {100 * found['precision']:.1f}"  # BLS, Table 5
    '1.7 65.1'
    """
    out = {"per_document": answers / documents if documents else float("nan")}
    for name, count in (("precision", real), ("usefulness", useful)):
        share = count / graded if graded else float("nan")
        low, high = interval(count, graded)
        error = float(np.sqrt(share * (1 - share) / graded)) if graded > 1 else float("nan")
        out |= {name: share, f"{name}_se": error, f"{name}_low": low, f"{name}_high": high}
    return out


def macro(rows: pd.DataFrame, name: str) -> dict[str, float]:
    """The mean of the sources' rates, each source weighing the same (Table 5, AVG).

    Sources without a value are left out. The standard error is that of a mean of
    independent shares; the interval combines the sources' own (square-and-add: Newcombe,
    1998; Zou and Donner, 2008), so that it is not empty where every share is 0 or 1.
    """
    kept = rows[rows[name].notna()]
    if kept.empty:
        return {name: float("nan")}
    mean, k = float(kept[name].mean()), len(kept)
    if f"{name}_low" not in rows:
        return {name: mean}
    error, down, up = (
        float(np.sqrt((distance**2).sum(skipna=False)) / k)
        for distance in (
            kept[f"{name}_se"], kept[name] - kept[f"{name}_low"], kept[f"{name}_high"] - kept[name]
        )
    )  # fmt: skip
    low, high = max(0.0, mean - down), min(1.0, mean + up)
    return {name: mean, f"{name}_se": error, f"{name}_low": low, f"{name}_high": high}


def recall(settled: Settled, scores: pd.DataFrame) -> pd.DataFrame:
    """How many documents' known inconsistency was recovered (section 7.2), by model and source.

    Two readings: "task", the judge's verdict on every scored document of the run
    (``scores``: `find.scores`), which the paper has for MFR; "manual", the graders' (the
    column ``known``) on the sample's documents whose answers are all settled, which it has
    for cs.CL-Idnt. A document without an answer is not recovered. Columns: model, source,
    reading, documents, settled, recovered, recall, low, high.
    """
    rows = []
    for (model, source), part in settled.drawn.documents.groupby(["model", "source"], sort=False):
        task = scores[(scores.model == model) & (scores.source == source)].task
        rows.append([model, source, "task", len(task), *_share(task.dropna() == 1)])
        mine = settled.answers[
            (settled.answers.model == model) & (settled.answers.source == source)
        ]
        unsettled = {*mine.doc_id[~mine.state.isin(FINAL)], *part.doc_id[part.status != "ok"]}
        hit = set(mine.doc_id[mine.known.eq(True)])  # one is enough, whatever else is open
        known = [doc_id for doc_id in part.doc_id if doc_id in hit or doc_id not in unsettled]
        rows.append(
            [model, source, "manual", len(part), *_share(doc_id in hit for doc_id in known)]
        )
    columns = ["model", "source", "reading", "documents", "settled", "recovered", "recall",
               "low", "high"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _share(hits: Iterable[bool]) -> list[float]:
    values = [bool(hit) for hit in hits]
    n, found = len(values), sum(values)
    return [n, found, found / n if n else float("nan"), *interval(found, n)]


def numbers(table: pd.DataFrame, agreements: Mapping[str, Agreement]) -> dict[str, float]:
    """The numbers that the stage states: of the averages of Table 5 and of two graders."""
    out: dict[str, float] = {}
    for row in table[table.source == "AVG"].to_dict("records"):
        for name in ("answers", "graded", "real", "useful", "precision", "usefulness"):
            out[f"{row['model']}.{name}"] = row[name]
    for question, found in agreements.items():
        out[f"kappa.{question}"], out[f"agreed.{question}"] = found.kappa, found.agreed
    return {name: value for name, value in out.items() if not pd.isna(value)}
