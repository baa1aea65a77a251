"""Tables of manual grading, each beside the published values: Table 5, agreement, recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from .. import published
from ..agreement import Agreement, agreement
from ..records import SOURCES
from ..tables import FIND_SOURCES, PRINTED, Table, number
from . import Settled, scoring, useful
from .gradesheet import GRADES, Row

# FIND, section 7.1: Cohen's kappa, percent agreement; section 7.2: recovered, documents
PRINTED_AGREEMENT = {"financial experts (five sources, MFR)": (0.31, 58.8),
                     "two authors (cs.CL)": (0.38, 67.8)}  # fmt: skip
PRINTED_IDENTIFIED = (12, 25)
NATURAL = ("MFR", "cs.CL-Idnt", "WILD")  # sources whose known inconsistency was not inserted
RATES = {"Î/D": "per_document", "P (%)": "precision", "U (%)": "usefulness"}


def averaged(sources: Sequence[str]) -> list[str]:
    """The sources whose mean is AVG: those of FIND's five that are there, else all."""
    return [s for s in sources if s in FIND_SOURCES] or list(sources)


def with_average(rates: pd.DataFrame) -> pd.DataFrame:
    """`scoring.precision` with a row "AVG" for each model: counts are sums over the
    sources of `averaged`, rates the means of theirs."""
    parts = []
    for model, part in rates.groupby("model", sort=False):
        within = part[part.source.isin(averaged(part.source))]
        counts = within.loc[:, "documents":"useful"].sum().to_dict()
        row = {"model": model, "source": "AVG", **counts}
        for name in RATES.values():
            row |= scoring.macro(within, name)
        parts += [part, pd.DataFrame([row])]
    return pd.concat(parts, ignore_index=True)


def precision(
    rates: pd.DataFrame, signature: str, include_expected: bool = True, notes: Sequence[str] = ()
) -> Table:
    """Table 5: answers a document, precision and usefulness by source, with 95% intervals.

    ``rates``: `scoring.precision` of the same choice ``include_expected``.
    """
    values = with_average(rates)
    shown = []
    for row in values.to_dict("records"):
        cells = {"Î/D": number(row["per_document"], ".1f")}
        for label in ("P (%)", "U (%)"):
            cells[label] = _rate(*(row[f"{RATES[label]}{end}"] for end in ("", "_low", "_high")))
        shown.append({
            "model": row["model"], "source": row["source"], "origin": "this run",
            "Docs": str(row["documents"]), **cells,
            "graded": f"{row['graded']} of {row['answers']}",
            "undeliberated": str(row["undeliberated"]),
        })  # fmt: skip
    sources = averaged(list(dict.fromkeys(rates.source)))
    choice = "in" if include_expected else "out"
    notes = (
        "P: judged real; U: real or helpful; of the answers with a final grade (unsure is not "
        "real; ungraded and undeliberated ones are left out). "
        "95% intervals in brackets: Wilson, answers taken as independent; AVG's is combined.",
        f"AVG: the mean of {', '.join(sources)}, each weighing the same.",
        f"Answers that the judge matched to the expected inconsistency: {choice}.",
        *_unjudged(rates, include_expected), *notes, _BESIDE,
    )  # fmt: skip
    title = "Table 5. Manual grading: answers a document, precision, usefulness."
    return Table("table_5", title, pd.DataFrame([*shown, *_printed()]), values, signature, notes)


_BESIDE = (
    f"Printed rows ({published.CITATION}): gpt-5 on other documents, graded by financial experts "
    "and two authors; beside this run for orientation."
)


def _unjudged(rates: pd.DataFrame, include_expected: bool) -> list[str]:
    unknown = int(rates.unjudged.sum())
    if include_expected or not unknown:
        return []
    return [f"{unknown} answer(s) without a judge's verdict are in: they may match."]


def _rate(share: float, low: float, high: float) -> str:
    if pd.isna(share):
        return "–"
    return f"{100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _printed() -> list[dict[str, str]]:
    printed = published.table("5").pivot(index="column", columns="metric", values="value")
    order = published.table("5").column.unique()
    return [
        {"model": "gpt-5", "source": source, "origin": PRINTED,
         "Docs": "125" if source == "AVG" else "25", "Î/D": printed.loc[source, "I/D"],
         "P (%)": printed.loc[source, "P"], "U (%)": printed.loc[source, "U"],
         "graded": "–", "undeliberated": "–"}
        for source in order
    ]  # fmt: skip


def agreements(settled: Settled) -> dict[str, Agreement]:
    """Agreement of the two graders on the grade (section 7.1), on usefulness and on which
    answers are the known inconsistency; none for one grader."""
    if len(settled.graders) < 2:
        return {}
    first, second = (settled.by_grader[name] for name in settled.graders)

    def of(value: Callable[[Row], object], labels: Sequence[object]) -> Agreement:
        one, two = ([value(row) if row else None for row in rows] for rows in (first, second))
        return agreement(one, two, labels)

    return {
        "grade": of(lambda row: row.grade, GRADES),
        "useful": of(useful, [True, False]),
        "known": of(lambda row: row.known, [True, False]),
    }


def agreement_table(settled: Settled, signature: str) -> Table:
    """How far two graders agree before they deliberate, beside section 7.1."""
    disputed = len(settled.disputed)
    settled_now = sum(settled.answers.state.iloc[i] == "deliberated" for i in settled.disputed)
    rows, shown = [], []
    for question, found in agreements(settled).items():
        rows.append({"question": question, "graders": " + ".join(settled.graders), "n": found.n,
                     "agreed": found.agreed, "kappa": found.kappa, "low": found.low,
                     "high": found.high})  # fmt: skip
        kappa = number(found.kappa, ".2f")
        if not pd.isna(found.kappa):
            kappa += f" [{found.low:.2f}, {found.high:.2f}]"
        share = f" ({100 * found.agreed / found.n:.1f}%)" if found.n else ""
        shown.append({"question": question, "graders": " + ".join(settled.graders),
                      "origin": "this run", "agreed": f"{found.agreed} of {found.n}{share}",
                      "Cohen's kappa": kappa})  # fmt: skip
    for graders, (printed, percent) in PRINTED_AGREEMENT.items():
        shown.append({"question": "grade", "graders": graders, "origin": PRINTED,
                      "agreed": f"{percent}%", "Cohen's kappa": f"{printed:.2f}"})  # fmt: skip
    notes = (
        "grade: real, not, unsure; useful: real or helpful; known: the document's known "
        "inconsistency. Kappa is not defined where one answer is given throughout.",
        f"Answers on which the graders differ in any of the three: {disputed}; of these settled "
        f"by deliberation: {settled_now}.",
    )
    title = "Agreement of two graders before deliberation (FIND, section 7.1)."
    columns = ["question", "graders", "n", "agreed", "kappa", "low", "high"]
    return Table("table_manual_agreement", title, pd.DataFrame(shown),
                 pd.DataFrame(rows, columns=columns), signature, notes)  # fmt: skip


def recall_table(recall: pd.DataFrame, signature: str) -> Table:
    """Known inconsistencies recovered, by the judge and by the graders, beside section 7.2.

    ``recall``: `scoring.recall`.
    """
    shown = [
        {"model": row.model, "source": row.source, "kind": _kind(row.source),
         "reading": row.reading, "origin": "this run",
         "recovered": f"{row.recovered} of {row.settled}",
         "recall (%)": _rate(row.recall, row.low, row.high),
         "open": str(row.documents - row.settled)}
        for row in recall.itertuples()
    ]  # fmt: skip
    twins = {SOURCES[source][1] for source in NATURAL} - {""}
    task = published.table("H.2")
    for cell in task[(task.part == "task") & task.column.isin(twins)].itertuples():
        shown.append({"model": cell.row, "source": cell.column, "kind": "natural",
                      "reading": "task", "origin": PRINTED, "recovered": "–",
                      "recall (%)": f"{cell.value} (se {cell.stderr})", "open": "–"})  # fmt: skip
    found, n = PRINTED_IDENTIFIED
    shown.append({"model": "gpt-5", "source": "cs.CL Idnt", "kind": "natural", "reading": "manual",
                  "origin": PRINTED, "recovered": f"{found} of {n}",
                  "recall (%)": f"{100 * found / n:.1f}", "open": "–"})  # fmt: skip
    notes = (
        "task: the judge's verdicts on all documents of the run; manual: the graders' tick "
        "`known` on the documents drawn. open: responses that failed, verdicts or grades "
        "missing. 95% intervals in brackets (Wilson).",
    )
    title = "Known inconsistencies recovered (FIND, section 7.2)."
    return Table("table_known_recall", title, pd.DataFrame(shown), recall, signature, notes)


def _kind(source: str) -> str:
    return "natural" if source in NATURAL else "own" if source == "OWN" else "inserted"
