"""What FIND's text says of natural inconsistencies (MFR) and the development set, recomputed."""

from __future__ import annotations

import pandas as pd

from .. import published
from .consistency import fits, interval, weighted
from .scores import METRICS
from .verdict import READING, Claim, hits, holds, is_open, listed, sizes, sources


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim of section 7.2 and Appendix H.1 on Tables H.2, H.7 and H.9."""
    made = (_natural, _natural_lower, _seen, _seen_different, _seen_sizes)
    return [claim(find) for claim in made]


def _natural(find: pd.DataFrame) -> Claim:
    task = published.values("H.2", "task", find)["MFR"]
    said = {f"{kind} {end}": published.said(f"{kind} MFR recalls, {end}", find)
            for kind in ("open", "highest") for end in ("lowest", "highest")}  # fmt: skip
    mine = task[[is_open(m) for m in task.index]]
    best = task[task >= float(said["highest lowest"])]
    found = [mine.min(), mine.max(), best.min(), best.max()]
    good = all(fits(text, value) for text, value in zip(said.values(), found, strict=True))
    return Claim("S72.7to11", "Section 7.2 vs Table H.2", "recalls on MFR: open models, highest",
                 "minimum, maximum", listed(said.values()), listed(f"{v:.0f}" for v in found),
                 holds(good and len(best) > 1))  # fmt: skip


def _natural_lower(find: pd.DataFrame) -> Claim:
    """All three metrics lower on MFR than on FIND?"""
    off, means, n = [], [], [sizes(find)[s] for s in sources(find)]
    for metric in METRICS:
        mfr, cells = published.cells("H.2", metric, find)["MFR"], published.cells("4", metric, find)
        for model, text in mfr.items():
            low, _, high = weighted(list(cells.loc[model, sources(find)]), n)
            ends = interval(cells.loc[model, "AVG"])
            if interval(text)[0] >= min(high, ends[1]):
                off.append(f"{metric} {model}: MFR {text}, FIND {cells.loc[model, 'AVG']} "
                           f"({low:.1f} to {high:.1f} from its sources)")  # fmt: skip
        means.append(mfr.astype(float).mean() < cells["AVG"].astype(float).mean())
    return Claim(
        "S72.lower", "Section 7.2 vs Tables 4, H.2",
        "all three metrics are lower on MFR than on FIND",
        "cells of both tables", "all", f"{len(off)} of the models' scores are not",
        holds(not off, READING),
        f"{listed(off)} (rows named by position). Lower on means over models: {sum(means)} of "
        f"{len(means)} metrics." if off else "",
    )  # fmt: skip


def _pairs(find: pd.DataFrame) -> pd.DataFrame:
    """Hits of PG (test) and PGS (development) by model: the models of Table H.9."""
    seen = hits(find, "H.9")["PGS"]
    return pd.DataFrame({"test": hits(find)["PG"][seen.index], "seen": seen})


def _seen(find: pd.DataFrame) -> Claim:
    pairs, n = _pairs(find), (sizes(find)["PG"], sizes(find, "H.7")["PGS"])
    worse = pairs.test / n[0] > pairs.seen / n[1]
    return Claim("H1.most", "Appendix H.1 vs Tables 4, H.9", "most models are worse on seen books",
                 "task score of PGS < PG", "most", f"{worse.sum()} of {len(worse)}",
                 holds(bool(worse.mean() > 1 / 2)))  # fmt: skip


def _seen_different(find: pd.DataFrame) -> Claim:
    from scipy.stats import fisher_exact

    pairs, n = _pairs(find), (sizes(find)["PG"], sizes(find, "H.7")["PGS"])
    level, off = float(published.said("significance level", find)), []
    for model, row in pairs.dropna().iterrows():
        p = float(fisher_exact([[k, m - k] for k, m in zip(row, n, strict=True)]).pvalue)
        if p < level:
            off.append(f"{model} {row.test:.0f}/{n[0]} vs {row.seen:.0f}/{n[1]}: p {p:.4f} "
                       f"({min(1.0, p * len(pairs)):.3f} by Bonferroni)")  # fmt: skip
    test, seen = (100 * pairs[c].mean() / m for c, m in zip(("test", "seen"), n, strict=True))
    return Claim(
        "H1.different", "Appendix H.1 vs Tables 4, H.9",
        "the task score on seen books is not statistically different",
        "two-sided Fisher exact test by model", "not different",
        f"{len(off)} of {len(pairs)} models differ", holds(not off, READING),
        f"{listed(off)}. On the mean over models ({test:.1f}% against {seen:.1f}%) nothing follows."
        if off else "",
    )  # fmt: skip


def _seen_sizes(find: pd.DataFrame) -> Claim:
    said, documents = published.said("development size a source", find), sizes(find, "H.7")
    off = [f"{s} {k}" for s, k in documents.items() if s != "FIND" and str(k) != said]
    note = f"Table H.7 prints {listed(off)}; {said} is the mean of all." if off else ""
    return Claim("H1.sizes", "Appendix H.1 vs Table H.7", "development documents a source",
                 "cells", said, listed(off), holds(not off, READING), note)  # fmt: skip
