"""What the released annotations of FindTheFlaws say of its experts: Table 3 and agreement."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from . import flaws_stats as stats
from . import flaws_tables as tables
from .flaws_items import CELS_SETS, SETS, Item
from .tables import Table, number


def by_part(items: Sequence[Item], every: Sequence[Item], signature: str) -> list[Table]:
    """Table 3 and the reviewers' agreement, where CELS is among the sets; ``every``: unreliable
    items included."""
    if not any(item.sentences for item in items):
        return []
    return [experts(items, signature), reviewer_agreement(every, signature)]


def experts(items: Sequence[Item], signature: str) -> Table:
    """Table 3 from the released comments: each CELS reviewer against the other(s)."""
    values = stats.expert_scores(items).assign(reading="left out")
    rows = [tables.row(key, part) for key, part in tables.by_cell(values)]
    shown = pd.DataFrame(rows).drop(columns="reading", errors="ignore")
    note = (
        "The paper's validators are not released: here each reviewer is scored against the label "
        "on which the others agree (law), or the other's (Lojban, surgery)."
    )
    return Table("table_flaws_3", "Table 3. Expert reference, CELS.", shown, values, signature,
                 (tables.INTERVALS, tables.POSITIVE, note))  # fmt: skip


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
            name = "pairwise kappa {1}, {0}" if pair else _AGREEMENT[measure]
            printed = float(tables.said(name.format(domain, _PAIRS.get(measure))))
            scale = 100 if measure in ("agreement", "within argument") else 1
            rows.append((SETS[dataset][1], measure, value, printed / scale))
    values = pd.DataFrame(rows, columns=["set", "measure", "value", "published"])
    shown = values.assign(value=[number(v, ".4f") for v in values.value])
    shown["published"] = [number(v, ".3f") for v in values.published]
    whole = sum(item.dataset in CELS_SETS and item.released for item in items) == 452
    note = "The same 452 arguments." if whole else "Other arguments: shown for orientation."
    return Table("table_flaws_agreement", "Agreement of the CELS reviewers, by sentence.", shown,
                 values, signature, (note,))  # fmt: skip
