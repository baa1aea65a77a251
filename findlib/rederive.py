"""Every printed number of three papers that other printed numbers bear on, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from . import (
    published,
    rederive_construct,
    rederive_findtheflaws,
    rederive_grading,
    rederive_lengths,
    rederive_regression,
    rederive_responses,
    rederive_scores,
    rederive_sets,
    rederive_text,
    rederive_types,
)
from .claims import FOLLOWS_NOT, READING, VERDICTS, hits
from .consistency import interval, weighted
from .figures import WIDTH, Figure, style
from .paths import package, sha256
from .tables import Table

MODULES = {
    "find": (rederive_scores, rederive_lengths, rederive_responses, rederive_text, rederive_types,
             rederive_regression, rederive_sets, rederive_grading),
    "findtheflaws": (rederive_findtheflaws,),
    "construct": (rederive_construct,),
}  # fmt: skip


def claims(papers: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
    """Every claim, a row each: id, paper, where, claim, formula, printed, computed, verdict
    (one of claims.VERDICTS), arithmetic (in words, where the verdict is no plain yes).

    ``papers``: frames as `published.printed` gives them, by name; all three as printed by
    default. Each value is computed from other printed cells, none is written in the code.

    >>> found = claims({"construct": published.printed("construct")})
    >>> found.set_index("id").verdict["C.automated"]
    'reproduced'
    """
    papers = papers or {name: published.printed(name) for name in published.PAPERS}
    rows = [
        {"id": claim.id, "paper": name, **asdict(claim)}
        for name, cells in papers.items()
        for module in MODULES[name]
        for claim in module.claims(cells)
    ]
    return pd.DataFrame(rows)


def contradictions(found: pd.DataFrame) -> pd.DataFrame:
    """The claims that cannot be true as printed ("does not follow": under no rounding, either
    half convention, ddof 0 or 1), then those that need a reading."""
    kept = found[found.verdict.isin([FOLLOWS_NOT, READING])]
    return kept.sort_values("verdict", kind="stable", ignore_index=True)


def by_verdict(found: pd.DataFrame) -> pd.DataFrame:
    """Number of claims by paper and verdict."""
    counted = pd.crosstab(found.paper, found.verdict).reindex(columns=VERDICTS, fill_value=0)
    return counted.reindex(list(dict.fromkeys(found.paper)))


def signature() -> str:
    """What the verdicts rest on: the printed cells of each paper."""
    files = (f"reference/{name}.csv" for name in published.PAPERS)
    hashes = [sha256(package(file).read_bytes())[:12] for file in files]
    return " ".join(f"{n} {h}" for n, h in zip(published.PAPERS, hashes, strict=True))


def table(found: pd.DataFrame) -> Table:
    """All claims with their verdicts, for tables.write."""
    columns = ["id", "paper", "where", "claim", "printed", "computed", "verdict"]
    notes = (
        "Reproduced: the value computed from other printed cells prints as the paper prints it. "
        "Within rounding: it does for some values that the rounded cells stand for. Consistent: "
        "only bounds follow, and the print lies within them. Each printed value is in "
        "reference/*.csv with its table; formulas are in the CSV of this table.",
    )
    title = "Published numbers recomputed from other published numbers."
    return Table("table_published", title, found[columns], found, signature(), notes)


def contradictions_table(found: pd.DataFrame) -> Table:
    """The places where printed values cannot all be true, for tables.write."""
    kept = contradictions(found)
    columns = ["id", "paper", "where", "claim", "printed", "computed", "verdict", "arithmetic"]
    notes = (
        "Does not follow: under no rounding of the printed cells, neither half convention, ddof 0 "
        "or 1. Needs a reading: false or unlikely as it stands, possible in another sense.",
        "FIND's task and description rows carry no model name in print (Tables 4, H.4, H.9); a "
        "name there is one by position. FindTheFlaws is read in outline only.",
    )
    title = "Where printed values cannot all be true, and where they need a reading."
    return Table("table_contradictions", title, kept[columns], kept, signature(), notes)


def rows_figure(find: pd.DataFrame | None = None) -> Figure:
    """The task AVG of each model as two tables print it: Table 4, by position, and the type
    means of Table H.5 weighted by Table 1's counts, with all that their rounding allows."""
    find = published.printed() if find is None else find
    sizes = rederive_types.type_sizes(find).sum(axis=1)
    total, rows = hits(find).sum(axis=1), []
    for model, means in published.cells("H.5", "score", find).iterrows():
        low, mean, high = (100 * end for end in weighted(list(means[sizes.index]), list(sizes)))
        printed = published.cells("4", "task", find).loc[model, "AVG"]
        least, most = interval(printed)
        rows.append((model, printed, least, most, total[model], low, mean, high))
    names = ["model", "table_4", "table_4_low", "table_4_high", "hits", "types_low", "types",
             "types_high"]  # fmt: skip
    values = pd.DataFrame(rows, columns=names).astype({"table_4": float})
    with style() as pyplot:
        drawn, axis = pyplot.subplots(figsize=(WIDTH, 0.4 * WIDTH), layout="constrained")
        places = range(len(values))
        axis.errorbar(
            values.types, places, xerr=[values.types - values.types_low,
            values.types_high - values.types], fmt="o", color="#4477aa", markersize=4,
            label="Table H.5's type means, weighted",
        )  # fmt: skip
        axis.plot(
            values.table_4, places, "|", color="#cc3311", markersize=10, label="Table 4's AVG"
        )
        axis.set_yticks(places, values.model)
        axis.set_ylim(len(values) - 0.5, -0.5)
        axis.set_xlabel("task score, percent")
        axis.legend(loc="upper right")
    caption = (
        "**Result.** FIND's average task score by model as two of its tables print it: Table 4's "
        "AVG (rows named by position, the panel prints no names) and the mean of Table H.5's type "
        "means weighted by Table 1's counts, with the range that rounding allows. They agree for "
        "seven models; the four open ones agree in each other's rows, and Table H.1's duplicates "
        f"and Table H.5's R2 fit those. `{signature()}`"
    )
    return Figure("figure_published", drawn, caption, values)
