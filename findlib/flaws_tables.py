"""FindTheFlaws' tables for the run at hand: 3, 5, 7 to 10, Python650's match, agreement, judges."""

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
_INTERVALS = (
    "Percent, with 95% intervals of a bootstrap that draws questions with all their rows "
    f"({stats.RESAMPLES:,} resamples; a dash: fewer than two questions or no spread)."
)
_POSITIVE = "CORRECT is the positive class."
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
    """Every table that the run's sets fill: 5 and 7, Python650's and 8, 9, 10 and 3.

    ``graded``: `flaws_grading.grade` of the models' samples; ``proxied`` the same of the
    proxy's, possibly empty; ``notes``: what could not be read (`flaws_grading.notes`).
    """
    there = [name for name in SETS if name in set(graded.dataset)]
    found: list[Table] = []
    for name, title, sets, make in _TABLES:
        mine = [s for s in sets if s in there]
        if mine:
            part = graded[graded.dataset.isin(mine)]
            beside = proxied[proxied.dataset.isin(mine)]
            found.append(make(name, title, part, beside, items, signature, notes))
    if any(item.sentences for item in items):
        found.append(experts(items, signature))
    return found


def match(
    name: str, title: str, graded: pd.DataFrame, _: pd.DataFrame, items: Sequence[Item],
    signature: str, notes: Sequence[str] = (),
) -> Table:  # fmt: skip
    """A table of match metrics, both readings; CELS' sentences and whole arguments apart."""
    values = _both(lambda reading: stats.match_scores(graded, reading))
    rows = [_row(key, part) for key, part in _by_cell(values)]
    lines = (_INTERVALS, _POSITIVE, _RULES, *_baselines(values), *notes)
    return Table(name, title, pd.DataFrame(rows), values, signature, lines)


def errors(
    name: str, title: str, graded: pd.DataFrame, proxied: pd.DataFrame, items: Sequence[Item],
    signature: str, notes: Sequence[str] = (),
) -> Table:  # fmt: skip
    """A table of error grading: EQUIVALENT and DIFFERENT in percent; the proxy's rows below."""
    every = pd.concat([part for part in (graded, proxied) if len(part)], ignore_index=True)
    values = _both(lambda reading: stats.grade_scores(every, reading))
    rows = [_row(key, part) for key, part in _by_cell(values)]
    for row, value in zip(rows, values.value, strict=True):
        row[GRADES[1]] = number(100 * (1 - value), ".1f")
    if len(proxied):
        steps = stats.step_scores(proxied).assign(reading="left out")
        rows += [_row(key, part) for key, part in _by_cell(steps)]
        values = pd.concat([values, steps], ignore_index=True)
    lines = (_INTERVALS, _RULES, *_found(items, list(graded.dataset.unique())), *_proxy(proxied))
    shown = pd.DataFrame([{**{k: v for k, v in row.items() if k != "n"}, "n": row["n"]}
                          for row in rows]).fillna("")  # fmt: skip
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


def _by_cell(values: pd.DataFrame) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    keys = ["dataset", "model", "unit", "reading"]
    return [(tuple(map(str, key)), part) for key, part in values.groupby(keys, sort=False)]


def _row(key: tuple[str, ...], part: pd.DataFrame) -> dict[str, str]:
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


def _said(name: str) -> str:
    return published.said(name, PAPER)


def _baselines(values: pd.DataFrame) -> list[str]:
    """Published agreement where the labels behind it are not released (Appendices B.1.1, B.1.2)."""
    there, found = set(values.dataset), []
    if "medqa" in there:
        found.append(
            f"MedQA as published, labels not released: clinicians agree on "
            f"{_said('clinician agreement')}% of 319 (kappa {_said('clinician kappa')}), on "
            f"{_said('clinician agreement, reliable')}% of the reliable "
            f"({_said('clinician kappa, reliable')}); validators with them on "
            f"{_said('validator agreement, reliable')}% ({_said('validator kappa, reliable')}). "
            f"Clinician 1 with the key, told that the model does poorly: "
            f"{_said('key agreement, final questions')}% of {_said('final questions')}, before: "
            f"{_said('key agreement, first questions')}% (p = {_said('p of the difference')})."
        )
    if "python" in there:
        found.append(
            f"Python650 as published, labels not released: annotators agree on "
            f"{_said('annotator agreement')}% of {_said('Python650 questions')} "
            f"(kappa {_said('annotator kappa')})."
        )
    if "cels_surgery" in there:
        found.append(
            f"Surgery as published, labels not released: validators agree with the reviewers on "
            f"{_said('validators with agreed sentences')}% of "
            f"{_said('agreed Surgery sentences')} sentences on which the reviewers agree, of "
            f"{_said('Surgery sentences')}."
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


def experts(items: Sequence[Item], signature: str) -> Table:
    """Table 3 from the released comments: each CELS reviewer against the other(s)."""
    values = stats.expert_scores(items).assign(reading="left out")
    rows = [_row(key, part) for key, part in _by_cell(values)]
    shown = pd.DataFrame(rows).drop(columns="reading", errors="ignore")
    note = (
        "The paper's validators are not released: here each reviewer is scored against the label "
        "on which the others agree (law), or the other's (Lojban, surgery)."
    )
    return Table("table_flaws_3", "Table 3. Expert reference, CELS.", shown, values, signature,
                 (_INTERVALS, _POSITIVE, note))  # fmt: skip


_AGREEMENT = {
    "agreement": "agreement, {}", "within argument": "agreement within arguments, {}",
    "kappa 1-2": "kappa, {}", "Fleiss": "Fleiss kappa, {}",
}  # fmt: skip
_PAIRS = {"kappa 1-2": 1, "kappa 1-3": 2, "kappa 2-3": 3}


def reviewer_agreement(items: Sequence[Item], signature: str) -> Table:
    """Appendix B.1: the reviewers' agreement over all arguments, beside the published.

    ``items``: unreliable ones included, as in the paper.
    """
    rows = []
    for dataset in CELS_SETS:
        mine = [item for item in items if item.dataset == dataset]
        domain = SETS[dataset][1].removeprefix("CELS ")
        for measure, value in stats.sentence_agreement(mine).items() if mine else ():
            pair = dataset == "cels_law" and measure in _PAIRS
            name = (
                f"pairwise kappa {_PAIRS[measure]}, Law"
                if pair
                else _AGREEMENT[measure].format(domain)
            )
            printed = _said(name)
            percent = measure in ("agreement", "within argument")
            rows.append(
                (SETS[dataset][1], measure, value, float(printed) / (100 if percent else 1))
            )
    values = pd.DataFrame(rows, columns=["set", "measure", "value", "published"])
    shown = values.assign(value=[number(v, ".4f") for v in values.value])
    shown["published"] = [number(v, ".3f") for v in values.published]
    whole = sum(item.dataset in CELS_SETS and item.released for item in items) == 452
    note = "The same 452 arguments." if whole else "Other arguments: shown for orientation."
    return Table("table_flaws_agreement", "Agreement of the CELS reviewers, by sentence.", shown,
                 values, signature, (note,))  # fmt: skip


def side_by_side(graded: pd.DataFrame, signature: str) -> Table:
    """Match against error grading per set and model: detecting is not explaining (6.1)."""
    values = skills(graded)
    shown = pd.DataFrame([
        {"set": SETS[r.dataset][1], "model": r.model,
         "match F1": interval(r.f1, r.f1_low, r.f1_high), "n match": f"{r.n_match:.0f}",
         "error grading": interval(r.equivalent, r.equivalent_low, r.equivalent_high),
         "n graded": f"{r.n_graded:.0f}"}
        for r in values.itertuples()
    ])  # fmt: skip
    return Table("table_flaws_match_grading", "Match (F1) beside error grading (EQUIVALENT).",
                 shown, values, signature, (_INTERVALS, _POSITIVE))  # fmt: skip


def skills(graded: pd.DataFrame) -> pd.DataFrame:
    """F1 of match and share EQUIVALENT, a row a set and model: dataset, model, f1, f1_low,
    f1_high, n_match, equivalent, equivalent_low, equivalent_high, n_graded; NaN and 0 where a
    set has no such task."""
    matched = stats.match_scores(graded)
    matched = matched[(matched.metric == "f1") & (matched.unit != "whole")]
    explained = stats.grade_scores(graded)
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


def judges(
    first: pd.DataFrame, second: pd.DataFrame, names: tuple[str, str], signature: str
) -> Table:
    """The same explanations under two judges, per set and over all."""
    rows = []
    for dataset in [*[s for s in SETS if s in set(first.dataset)], ""]:
        part = first[first.dataset == dataset] if dataset else first
        found = grading.cross_check(part, second)
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
