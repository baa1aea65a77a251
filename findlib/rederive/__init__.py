"""Every printed number of three papers that other printed numbers bear on, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from .. import published
from ..paths import FindlibError
from . import (
    coefficients,
    construct,
    findtheflaws,
    gradings,
    lengths,
    responses,
    rows,
    scores,
    sets,
    statements,
)
from .verdict import FOLLOWS_NOT, READING, VERDICTS

MODULES = {
    "find": (scores, lengths, responses, statements, rows, coefficients, sets, gradings),
    "findtheflaws": (findtheflaws,),
    "construct": (construct,),
}


def claims(papers: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
    """Every claim, a row each: id, paper, where, claim, formula, printed, computed, verdict
    (one of verdict.VERDICTS), arithmetic (in words, where the verdict is no plain yes).

    ``papers``: frames as `published.printed` gives them, by name; all three as printed by
    default. Each value is computed from other printed cells, none is written in the code.
    Raises FindlibError for another paper, a table that is not there, a cell that is no number.

    >>> found = claims({"construct": published.printed("construct")})
    >>> found.set_index("id").verdict["C.automated"]
    'reproduced'
    """
    papers = papers or {name: published.printed(name) for name in published.PAPERS}
    for name in set(papers) - set(MODULES):
        raise FindlibError(f"no published paper {name!r}; known: {', '.join(MODULES)}")
    found = [
        {"id": claim.id, "paper": name, **asdict(claim)}
        for name, cells in papers.items()
        for module in MODULES[name]
        for claim in module.claims(cells)
    ]
    return pd.DataFrame(found)


def contradictions(found: pd.DataFrame) -> pd.DataFrame:
    """The claims that cannot be true as printed ("does not follow": under no rounding, either
    half convention, ddof 0 or 1), then those that need a reading."""
    kept = found[found.verdict.isin([FOLLOWS_NOT, READING])]
    return kept.sort_values("verdict", kind="stable", ignore_index=True)


def by_verdict(found: pd.DataFrame) -> pd.DataFrame:
    """Number of claims by paper and verdict."""
    counted = pd.crosstab(found.paper, found.verdict).reindex(columns=VERDICTS, fill_value=0)
    return counted.reindex(list(dict.fromkeys(found.paper)))
