"""What FIND's text says of its tables of documents and scores, recomputed from the tables."""

from __future__ import annotations

import pandas as pd

from .. import published
from .consistency import SLACK, fits, same, weighted
from .scores import METRICS
from .verdict import (
    READING,
    REPRODUCED,
    ROUNDING,
    Claim,
    hits,
    holds,
    is_open,
    judge,
    listed,
    sizes,
    sources,
    worst,
)

SERIES = (("gemma-3-12b-it", "gemma-3-27b-it"), ("gpt-oss-20b", "gpt-oss-120b"),
          ("gpt-5-mini", "gpt-5"), ("o3-mini", "o3"),
          ("gemini-2.5-flash", "gemini-2.5-pro"))  # fmt: skip


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim of the text on Tables 1, 2, 4 and H.5."""
    made = (_problems, _source_lengths, _source_spans, _descriptions, _middle, _open_closed,
            _series, _best, _best_two, _almost_half, _order, _easy, _structural)  # fmt: skip
    return [claim(find) for claim in made]


def _problems(find: pd.DataFrame) -> Claim:
    said = [published.said(f"{kind} problems", find) for kind in ("test", "development")]
    each, n = published.said("test documents a source", find), sizes(find)
    found = [str(sizes(find, table)["FIND"]) for table in ("2", "H.7")]
    good = said == found and all(str(n[s]) == each for s in sources(find))
    return Claim("S1.problems", "Section 1 vs Tables 2, H.7", "test and development problems",
                 "FIND rows; each source's documents", listed(said), listed(found),
                 holds(good))  # fmt: skip


def _source_lengths(find: pd.DataFrame) -> Claim:
    cells = published.cells("2", "stats", find)["kTok/D"]
    own = cells[sources(find)].astype(float)
    said = {name: published.said(name, find) for name in
            ("shortest source", "longest source", "MFR mean length")}  # fmt: skip
    found = [cells[own.idxmin()], cells[own.idxmax()], cells["MFR"]]
    return Claim("S45.lengths", "Section 4.5, Appendix G vs Table 2",
                 "mean length of the shortest and longest source, and of MFR", "cells",
                 listed(said.values()), listed(found),
                 holds(all(map(same, said.values(), found))))  # fmt: skip


def _source_spans(find: pd.DataFrame) -> Claim:
    cells = published.cells("2", "stats", find)
    names = ("spans a document", "tokens a span", "mean position", "spans a document in MFR")
    said = [published.said(name, find) for name in names]
    found = [*cells.loc["FIND", ["eps/D", "Tok/eps", "epsPos%"]], cells.loc["MFR", "eps/D"]]
    return Claim("S45.spans", "Section 4.5 vs Table 2",
                 "spans a document, tokens a span, position, and spans a document of MFR", "cells",
                 listed(said), listed(found), holds(all(map(same, said, found))))  # fmt: skip


def _average(find: pd.DataFrame, metric: str) -> pd.Series:
    return published.values("4", metric, find)["AVG"]


def _descriptions(find: pd.DataFrame) -> Claim:
    ends = [published.said(f"description average, {end}", find) for end in ("lowest", "highest")]
    printed = _average(find, "description")
    return Claim("S6.range", "Section 6 vs Table 4", "range of the description AVG",
                 "minimum, maximum", listed(ends), f"{printed.min():.0f}; {printed.max():.0f}",
                 holds(fits(ends[0], printed.min()) and fits(ends[1], printed.max())))  # fmt: skip


def _middle(find: pd.DataFrame) -> Claim:
    said = published.said("models in the middle range", find)
    low, high = (float(published.said(f"middle range, {end}", find)) for end in
                 ("lowest", "highest"))  # fmt: skip
    count = int(_average(find, "description").between(low, high).sum())
    return Claim("S6.desc", "Section 6 vs Table 4",
                 f"models with a description AVG of {low:.0f} to {high:.0f}", "count", said,
                 str(count), judge(said, count))  # fmt: skip


def _open_closed(find: pd.DataFrame) -> Claim:
    """All closed models but o3-mini above all open ones, by each metric's AVG."""
    found, good = {}, []
    for metric in METRICS:
        printed = _average(find, metric).drop("o3-mini")
        mine = [is_open(model) for model in printed.index]
        closed, others = printed[[not m for m in mine]].min(), printed[mine].max()
        found[metric] = f"{metric} {closed:.0f} > {others:.0f}"
        good.append(closed > others)
    return Claim("S6.open", "Section 6 vs Table 4", "closed models but o3-mini beat open ones",
                 "least closed AVG > largest open AVG", "all", listed(found.values()),
                 holds(all(good)))  # fmt: skip


def _series(find: pd.DataFrame) -> Claim:
    n, verdicts, ties = [sizes(find)[s] for s in sources(find)], [], []
    for metric in METRICS:
        cells = published.cells("4", metric, find)[sources(find)]
        for small, large in SERIES:
            (low, value, _), (_, other, high) = (weighted(list(cells.loc[m]), n)
                                                 for m in (small, large))  # fmt: skip
            verdicts.append(holds(other > value + SLACK, holds(high >= low, so=ROUNDING)))
            if verdicts[-1] != REPRODUCED:
                ties.append(f"{metric} {small} {value:.1f}, {large} {other:.1f}")
    return Claim("S6.series", "Section 6 vs Table 4", "larger models beat smaller of a series",
                 "weighted means of the sources", f"{len(verdicts)} pairs",
                 f"{verdicts.count(REPRODUCED)} do; {listed(ties)}", worst(verdicts))  # fmt: skip


def _best(find: pd.DataFrame) -> Claim:
    text, ones, n = published.said("best recall", find), hits(find), sizes(find)["FIND"]
    most = ones.sum(axis=1).max()
    return Claim("abs.64", "Abstract vs Table 4", "the best recall", "hits / documents",
                 f"{text}%", f"{most:.0f}/{n} = {100 * most / n:.2f}%",
                 judge(text, 100 * most / n))  # fmt: skip


def _two_best(find: pd.DataFrame) -> pd.Series:
    total = hits(find).sum(axis=1).sort_values(ascending=False)
    return 100 * total.iloc[:2] / sizes(find)["FIND"]


def _best_two(find: pd.DataFrame) -> Claim:
    over, best = published.said("best two recalls", find), _two_best(find)
    return Claim("intro.60", "Sections 1, 6 vs Table 4", "recall of the two best models",
                 "hits / documents", f"over {over}%",
                 listed(f"{m} {share:.1f}" for m, share in best.items()),
                 holds(bool((best > float(over)).all())))  # fmt: skip


def _almost_half(find: pd.DataFrame) -> Claim:
    said = float(published.said("missed by the best", find))
    missed = 100 - _two_best(find)
    words = listed(f"{m} {share:.1f}%" for m, share in missed.items())
    near = bool((missed.round(-1) == said).all())
    return Claim(
        "abs.half", "Abstract, section 8 vs Table 4", "the best miss almost half",
        "1 - recall, to the nearest ten percent", "almost half", words, holds(near, READING),
        "" if near else f"Missed: {words}; the paper's Figure A.4 defends the words.",
    )  # fmt: skip


def _order(find: pd.DataFrame) -> Claim:
    """Does the order of scores largely match the order of lengths? At most one pair is out."""
    lengths = published.cells("2", "stats", find)["kTok/D"][sources(find)].astype(float)
    order, words, out = list(lengths.sort_values().index), [], []
    for model in _two_best(find).index:
        row = published.values("4", "task", find).loc[model, order]
        out.append(sum(later > earlier for i, earlier in enumerate(row) for later in row[i + 1 :]))
        words.append(f"{model}: {out[-1]} of {len(order) * (len(order) - 1) // 2} pairs out")
    return Claim("S6.order", "Section 6 vs Tables 2, 4",
                 "scores of the two best by source largely follow length", "pairs out of order",
                 "largely", listed(words), holds(max(out) <= 1))  # fmt: skip


def _easy(find: pd.DataFrame) -> Claim:
    verdicts, lowest = [], []
    for metric in METRICS:
        cells = published.values("4", metric, find)[sources(find)]
        means = cells.mean().sort_values()
        verdicts.append(means.index[-1] == "BLS" and set(means.index[:2]) == {"EMM", "PG"})
        least = cells.idxmin(axis=1)
        lowest += [f"{metric} {m} {s}" for m, s in least.items() if s not in ("EMM", "PG")]
    return Claim(
        "S6.easy", "Section 6 vs Table 4", "BLS scores highest, EMM and PG lowest",
        "means over models", "all metrics", f"{sum(verdicts)} of {len(verdicts)} metrics",
        holds(all(verdicts)),
        f"On means over models. Single models lowest elsewhere: {listed(lowest)}.",
    )  # fmt: skip


def _structural(find: pd.DataFrame) -> Claim:
    cells = published.values("H.5", "score", find)
    worse = cells.idxmin(axis=1) == "Structural"
    return Claim("S6.struct", "Section 6 vs Table H.5", "models are worse on structural examples",
                 "lowest of the three means", f"{len(cells)} models", f"{worse.sum()} are",
                 holds(bool(worse.all())))  # fmt: skip
