"""FindTheFlaws' tables of models for the run at hand: 5, 7 to 10, Python650's match, judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from . import flaws_grading as grading
from . import flaws_stats as stats
from . import published
from .flaws_items import CELS_SETS, PYTHON_SETS, SETS, SOLUTION_SETS, Item
from .flaws_parse import GRADES
from .tables import Table, number

PAPER = "findtheflaws"
READINGS = {"left out": "scored only", "wrong": "unscored as wrong"}
INTERVALS = (
    "Percent, with 95% intervals of a bootstrap that draws questions with all their rows "
    f"({stats.RESAMPLES:,} resamples; a dash: fewer than two questions or no spread)."
)
POSITIVE = "CORRECT is the positive class."
_RULES = (
    "Scored only: answers and grades that cannot be read are left out, and n says how many "
    "remain. Unscored as wrong: the released scorers' reading."
)


def by_part(
    items: Sequence[Item],
    graded: pd.DataFrame,
    proxied: pd.DataFrame,
    signature: str,
    notes: Sequence[str] = (),
) -> list[Table]:
    """Every table that the run's sets fill: 5, 7, Python650's match, 8, 9, 10.

    ``graded``: `flaws_grading.grade` of the models' samples; ``proxied`` the same of the
    proxy's, possibly empty; ``notes``: what could not be read (`flaws_grading.notes`).
    """
    there = [name for name in SETS if name in set(graded.dataset)]
    found: list[Table] = []
    for name, title, sets, make in _TABLES:
        mine = [s for s in sets if s in there]
        part = graded[graded.dataset.isin(mine)]
        if part.gradable.any() if make is errors else len(part):
            beside = proxied[proxied.dataset.isin(mine)]
            found.append(make(name, title, part, beside, items, signature, notes))
    return found


def match(
    name: str, title: str, graded: pd.DataFrame, _: pd.DataFrame, items: Sequence[Item],
    signature: str, notes: Sequence[str] = (),
) -> Table:  # fmt: skip
    """A table of match metrics, both readings; CELS' sentences and whole arguments apart."""
    values = _both(lambda reading: stats.match_scores(graded, reading))
    rows = [row(key, part) for key, part in by_cell(values)]
    lines = (INTERVALS, POSITIVE, _RULES, *_baselines(values), *notes)
    return Table(name, title, pd.DataFrame(rows), values, signature, lines)


def errors(
    name: str, title: str, graded: pd.DataFrame, proxied: pd.DataFrame, items: Sequence[Item],
    signature: str, notes: Sequence[str] = (),
) -> Table:  # fmt: skip
    """A table of error grading: EQUIVALENT and DIFFERENT in percent; the proxy's rows below."""
    every = pd.concat([part for part in (graded, proxied) if len(part)], ignore_index=True)
    values = _both(lambda reading: stats.grade_scores(every, reading))
    rows = [row(key, part) for key, part in by_cell(values)]
    for cells, value in zip(rows, values.value, strict=True):
        cells[GRADES[1]] = number(100 * (1 - value), ".1f")
    if len(proxied):
        steps = stats.step_scores(proxied).assign(reading="left out")
        rows += [row(key, part) for key, part in by_cell(steps)]
        values = pd.concat([values, steps], ignore_index=True)
    lines = (INTERVALS, _RULES, *_found(items, list(graded.dataset.unique())), *_proxy(proxied))
    shown = pd.DataFrame(rows).fillna("")
    shown.insert(len(shown.columns) - 1, "n", shown.pop("n"))
    return Table(name, title, shown, values, signature, (*lines, *notes))


Maker = Callable[..., Table]
_TABLES: tuple[tuple[str, str, tuple[str, ...], Maker], ...] = (
    ("table_flaws_5", "Table 5. Match, solution-level sets.", SOLUTION_SETS, match),
    ("table_flaws_python", "Match, Python650.", PYTHON_SETS[:2], match),
    ("table_flaws_7", "Table 7. Error grading, solution-level sets.", SOLUTION_SETS, errors),
    ("table_flaws_8", "Table 8. Error grading, Python650.", PYTHON_SETS[1:], errors),
    ("table_flaws_9", "Table 9. Match-all by sentence, CELS.", CELS_SETS, match),
    ("table_flaws_10", "Table 10. Grade-all by sentence, CELS.", CELS_SETS, errors),
)  # fmt: skip


def _both(score: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
    parts = [score(reading).assign(reading=reading) for reading in READINGS]
    return pd.concat(parts, ignore_index=True)


def by_cell(values: pd.DataFrame) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    """The rows of each set, model, unit and reading."""
    keys = ["dataset", "model", "unit", "reading"]
    return [(tuple(map(str, key)), part) for key, part in values.groupby(keys, sort=False)]


def row(key: tuple[str, ...], part: pd.DataFrame) -> dict[str, str]:
    """One shown row of scores with their intervals."""
    dataset, model, unit, reading = key
    label = SETS[dataset][1] + (" (whole arguments)" if unit == "whole" else "")
    cells = {str(c.metric): interval(c.value, c.low, c.high) for c in part.itertuples()}
    named = {"equivalent": GRADES[0], "step": "same step"}
    first = part.iloc[0]
    return {
        "set": label, "model": model, "reading": READINGS[reading],
        **{named.get(metric, metric): text for metric, text in cells.items()},
        "n": f"{first.n_scored} of {first.n}",
    }  # fmt: skip


def interval(value: float, low: float, high: float) -> str:
    """A share as percent with its interval: "66.7 [40.0, 90.0]".

    >>> interval(2 / 3, .4, .9), interval(1.0, float("nan"), float("nan"))
    ('66.7 [40.0, 90.0]', '100.0 [–, –]')
    """
    return f"{number(100 * value, '.1f')} [{number(100 * low, '.1f')}, {number(100 * high, '.1f')}]"


def said(name: str) -> str:
    """A number that the paper prints, by its name."""
    return published.said(name, PAPER)


def _baselines(values: pd.DataFrame) -> list[str]:
    """Published agreement where the labels behind it are not released (Appendices B.1.1, B.1.2)."""
    there, found = set(values.dataset), []
    if "medqa" in there:
        found.append(
            f"MedQA as published, labels not released: clinicians agree on "
            f"{said('clinician agreement')}% of 319 (kappa {said('clinician kappa')}), on "
            f"{said('clinician agreement, reliable')}% of the reliable "
            f"({said('clinician kappa, reliable')}); validators with them on "
            f"{said('validator agreement, reliable')}% ({said('validator kappa, reliable')}). "
            f"Clinician 1 with the key, told that the model does poorly: "
            f"{said('key agreement, final questions')}% of {said('final questions')}, before: "
            f"{said('key agreement, first questions')}% (p = {said('p of the difference')})."
        )
    if "python" in there:
        found.append(
            f"Python650 as published, labels not released: annotators agree on "
            f"{said('annotator agreement')}% of {said('Python650 questions')} "
            f"(kappa {said('annotator kappa')})."
        )
    if "cels_surgery" in there:
        found.append(
            f"Surgery as published, labels not released: validators agree with the reviewers on "
            f"{said('validators with agreed sentences')}% of "
            f"{said('agreed Surgery sentences')} sentences on which the reviewers agree, of "
            f"{said('Surgery sentences')}."
        )
    return found


def _found(items: Sequence[Item], datasets: Sequence[str]) -> list[str]:
    """Who of the experts found the flaw, from the released comments."""
    found = []
    for dataset in datasets:
        if dataset in ("python_meta", "python_alt"):
            seen = stats.commented(items, dataset)
            found.append(
                f"{SETS[dataset][1]}, released annotations: of {seen['n']} flawed arguments "
                f"annotator 1 remarked a flaw in {seen['annotator 1']}, annotator 2 in "
                f"{seen['annotator 2']}, both in {seen['both']}."
            )
    return found


def _proxy(proxied: pd.DataFrame) -> list[str]:
    if proxied.empty:
        return []
    return [
        "proxy: the model sees the correct solution as well and names the first error (sections "
        "5.1, B.1.3); its own explanation is graded like the others', and 'same step' is how "
        "often it names the experts' step."
    ]


def side_by_side(graded: pd.DataFrame, signature: str) -> Table:
    """Match against error grading per set and model: detecting is not explaining (6.1)."""
    values = stats.skills(graded)
    shown = pd.DataFrame([
        {"set": SETS[r.dataset][1], "model": r.model,
         "match F1": interval(r.f1, r.f1_low, r.f1_high), "n match": f"{r.n_match:.0f}",
         "error grading": interval(r.equivalent, r.equivalent_low, r.equivalent_high),
         "n graded": f"{r.n_graded:.0f}"}
        for r in values.itertuples()
    ])  # fmt: skip
    return Table("table_flaws_match_grading", "Match (F1) beside error grading (EQUIVALENT).",
                 shown, values, signature, (INTERVALS, POSITIVE))  # fmt: skip


def judges(
    first: pd.DataFrame, second: pd.DataFrame, names: tuple[str, str], signature: str
) -> Table:
    """The same explanations under two judges, per set and over all."""
    rows = []
    for dataset in [*[s for s in SETS if s in set(first.dataset)], ""]:
        part = first[first.dataset == dataset] if dataset else first
        found = grading.cross_check(part, second)
        if dataset and not found.n:
            continue  # nothing that both could grade
        said = {f"{a} / {b}": int(found.table.loc[a, b]) for a in GRADES for b in GRADES}
        rows.append({"set": SETS[dataset][1] if dataset else "all", "n": found.n,
                     "agreed": found.agreed, "kappa": found.kappa, "low": found.low,
                     "high": found.high, **said})  # fmt: skip
    values = pd.DataFrame(rows)
    shown = values.drop(columns=["low", "high"]).assign(kappa=[
        f"{number(r.kappa, '.2f')} [{number(r.low, '.2f')}, {number(r.high, '.2f')}]"
        for r in values.itertuples()])  # fmt: skip
    note = f"First judge: {names[0]}. Second judge: {names[1]}. Explanations that both graded; " \
           "what the rule decides without a judge is left out."  # fmt: skip
    return Table("table_flaws_judges", "Two judges over the same explanations.", shown, values,
                 signature, (note,))  # fmt: skip
