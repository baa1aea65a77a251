"""The tables and the figure of the published numbers, re-derived."""

from __future__ import annotations

import pandas as pd

from .. import published
from ..figures import WIDTH, Figure, style
from ..paths import package, sha256
from ..tables import Table
from . import contradictions
from .consistency import interval, weighted
from .rows import type_sizes
from .verdict import hits


def signature() -> str:
    """What the verdicts rest on: the printed cells of each paper."""
    files = (f"reference/{name}.csv" for name in published.PAPERS)
    hashes = [sha256(package(file).read_bytes())[:12] for file in files]
    return " ".join(f"{n} {h}" for n, h in zip(published.PAPERS, hashes, strict=True))


def claims_table(found: pd.DataFrame) -> Table:
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
        "FIND's task and description rows carry no model name (Tables 4, H.4, H.9, in the text "
        "read); a name there is one by position. FindTheFlaws is read in outline only.",
    )
    title = "Where printed values cannot all be true, and where they need a reading."
    return Table("table_contradictions", title, kept[columns], kept, signature(), notes)


def figure(find: pd.DataFrame | None = None) -> Figure:
    """The task AVG of each model as two tables print it: Table 4, by position, and the type
    means of Table H.5 weighted by Table 1's counts, with all that their rounding allows."""
    find = published.printed() if find is None else find
    sizes = type_sizes(find).sum(axis=1)
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
    agree = (values.types_low <= values.table_4_high) & (values.types_high >= values.table_4_low)
    caption = (
        "**Result.** FIND's average task score by model as two of its tables print it: Table 4's "
        "AVG (rows named by position, the panel prints no names) and the mean of Table H.5's type "
        "means weighted by Table 1's counts, with the range that rounding allows. They agree for "
        f"{agree.sum()} of {len(agree)} models; the others fit each other's rows, as do Table "
        f"H.1's duplicates and Table H.5's R2 (table_contradictions). `{signature()}`"
    )
    return Figure("figure_published", drawn, caption, values)
