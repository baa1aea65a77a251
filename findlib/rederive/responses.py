"""FIND's response statistics, duplicates and times (Tables 3, D.1, H.1, H.3, H.8), recomputed."""

from __future__ import annotations

import pandas as pd

from .. import published
from .consistency import counts, fits, interval, rounds_up
from .spread import least_count_deviation
from .verdict import (
    CONSISTENT,
    REPRODUCED,
    ROUNDING,
    Claim,
    holds,
    is_open,
    listed,
    sizes,
    sources,
    whole,
)

MFR = "MFR"


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim on Tables 3, D.1, H.1, H.3 and H.8."""
    made = (_valid_counts, _valid_pooled, _pooled, _valid_models, _worst_valid, _budget, _most_used,
            _development_valid, _deviations, _times, _closed, _closed_share, _gpt_oss, _gemma,
            _manual)  # fmt: skip
    return [claim(find) for claim in made]


def _valid(find: pd.DataFrame) -> pd.DataFrame:
    """Whole numbers of valid responses by model and source (Table H.3)."""
    n, cells = sizes(find), published.cells("H.3", "Valid", find)
    found = {s: [whole(text, n[s]) for text in cells[s]] for s in sources(find)}
    return pd.DataFrame(found, index=cells.index)


def _valid_counts(find: pd.DataFrame) -> Claim:
    found = _valid(find)
    good = int(found.notna().to_numpy().sum())
    return Claim("H3.valid", "Table H.3", "validity is a whole number of each source's documents",
                 "k / n", f"{found.size} values", f"{good} are",
                 holds(good == found.size))  # fmt: skip


def _valid_pooled(find: pd.DataFrame) -> Claim:
    printed, valid, n = published.cells("3", "response", find)["Valid"], _valid(find), sizes(find)
    test = sum(n[s] for s in sources(find))
    needed, alone = {}, 0
    for model, text in printed.items():
        wanted = counts(text, test + n[MFR])
        needed[model] = [k - valid.loc[model].sum() for k in wanted]
        needed[model] = [int(j) for j in needed[model] if 0 <= j <= n[MFR]]
        alone += int(valid.loc[model].sum()) in counts(text, test)
    good = sum(map(bool, needed.values()))
    return Claim(
        "T3.valid420", "Table 3 vs Table H.3",
        f"validity is pooled over {test} + {n[MFR]} documents (with MFR)",
        "(Table H.3's valid + j) / documents for a whole j of MFR", f"{len(printed)} values",
        f"{good} are (MFR valid: {listed(f'{m} {j}' for m, j in needed.items())}); "
        f"{alone} would be of {test} alone", holds(good == len(printed)),
        "The table itself does not say that MFR is pooled in.",
    )  # fmt: skip


def _pooled(find: pd.DataFrame) -> Claim:
    """Do Table 3's means leave MFR a possible one?"""
    n, limit = sizes(find), float(published.said("output limit", find))
    names, off, tried = sources(find), [], 0
    weights = sum(n[s] for s in names)
    for column, most in (("kTok/D", limit), ("I/D", float("inf"))):
        by_source = published.cells("H.3", column, find)
        for model, text in published.cells("3", "response", find)[column].items():
            ends = [interval(by_source.loc[model, s]) for s in names]
            sums = [sum(n[s] * e[i] for s, e in zip(names, ends, strict=True)) for i in (1, 0)]
            total = [end * (weights + n[MFR]) for end in interval(text)]
            low, high = ((t - s) / n[MFR] for t, s in zip(total, sums, strict=True))
            tried += 1
            if high < 0 or low > most:
                off.append(f"{model} {column} {text}: MFR {low:.2f} to {high:.2f}")
    return Claim(
        "T3.pooled", "Table 3 vs Table H.3", "means of tokens and answers leave MFR a possible one",
        "(total of all documents - the sources' totals) / MFR's documents", f"{tried} values",
        f"{tried - len(off)} do", holds(not off, so=CONSISTENT), listed(off) if off else "",
    )  # fmt: skip


def _valid_models(find: pd.DataFrame) -> Claim:
    said, over = (published.said(name, find) for name in
                  ("models with valid output", "valid output threshold"))  # fmt: skip
    printed, n = published.cells("3", "response", find)["Valid"], sizes(find)
    every = sum(n[s] for s in sources(find)) + n[MFR]
    plain = sum(float(text) > float(over) for text in printed)
    most = sum(any(100 * k / every > float(over) for k in counts(t, every)) for t in printed)
    verdict = REPRODUCED if plain == int(said) else holds(plain <= int(said) <= most, so=ROUNDING)
    return Claim("S6.8of11", "Section 6 vs Table 3", f"models with over {over}% valid output",
                 "count", said, f"{plain} as printed, {most} as whole numbers of {every}",
                 verdict)  # fmt: skip


def _worst_valid(find: pd.DataFrame) -> Claim:
    over = published.said("worst valid output", find)
    least = published.values("3", "response", find)["Valid"].min()
    return Claim("S6.worst94", "Section 6 vs Table 3", "worst validity", "minimum", f"over {over}",
                 f"{least}", holds(least > float(over)))  # fmt: skip


def _budget(find: pd.DataFrame) -> Claim:
    limit = published.said("output budget", find)
    most = max(published.values(t, p, find)["kTok/D"].max() if t == "3" else
               published.values(t, p, find).to_numpy().max()
               for t, p in (("3", "response"), ("H.3", "kTok/D")))  # fmt: skip
    return Claim("S6.budget", "Section 6 vs Tables 3, H.3", "mean output is below the budget",
                 "maximum", f"{limit}k tokens", f"{most}k", holds(most < float(limit)))  # fmt: skip


def _most_used(find: pd.DataFrame) -> Claim:
    """Are the two best models among those with most tokens and answers, of the closed ones?"""
    cells, task = published.values("3", "response", find), published.values("4", "task", find)
    best = list(task["AVG"].sort_values(ascending=False).index[:2])
    closed = cells[[not is_open(m) for m in cells.index]]
    ranks = {c: closed[c].rank(ascending=False)[best].astype(int) for c in ("kTok/D", "I/D")}
    words = listed(
        f"{c}: {listed(f'{m} {r}' for m, r in rank.items())}" for c, rank in ranks.items()
    )
    half = all((rank <= len(closed) / 2).all() for rank in ranks.values())
    return Claim("S6.most", "Section 6 vs Table 3",
                 "the two best used among the most tokens and gave among the most answers",
                 "rank among closed models, in the upper half", "among the most", words,
                 holds(half))  # fmt: skip


def _development_valid(find: pd.DataFrame) -> Claim:
    cells = published.cells("H.8", "response", find)["Valid"]
    n = sizes(find, "H.7")["FIND"]
    found = {model: counts(text, n) for model, text in cells.items()}
    return Claim("H8.valid", "Table H.8", f"validity is a whole number of {n} documents", "k / n",
                 f"{len(cells)} values", listed(f"{m} {k}" for m, k in found.items()),
                 holds(all(len(k) == 1 for k in found.values())))  # fmt: skip


def _deviations(find: pd.DataFrame) -> Claim:
    """Can Table H.8's subscripts be standard deviations of the number of answers?"""
    cells = published.table("H.8", find)
    cells = cells.assign(least=[least_count_deviation(v) for v in cells.value],
                         most=[interval(v)[1] for v in cells.pm.fillna(0)])  # fmt: skip
    n, answers = sizes(find, "H.7")["FIND"], cells[cells.column == "I/D"]
    off = [f"{r.row} {r.value}±{r.pm}: at least {r.least:.2f}"
           for r in answers.itertuples() if r.least > r.most]  # fmt: skip
    spans = cells[cells.column == "eps/I"]
    spread = [f"{most * n**0.5:.1f}" for most in answers.most]
    return Claim(
        "H8.sd", "Table H.8", "subscripts are standard deviations (answers a document)",
        "whole numbers with fraction f of their mean deviate by sqrt(f (1 - f)) or more",
        f"{len(answers)} values", f"{len(answers) - len(off)} possible",
        holds(not off),
        f"{listed(off)}. Over single answers {(spans.least > spans.most).sum()} of the values "
        "for spans an answer are impossible too. As standard errors they are possible, of "
        f"deviations up to {listed(spread)}." if off else "",
    )  # fmt: skip


def minutes(text: str) -> tuple[float, float]:
    """A printed time and the unit of its last part, in minutes.

    >>> minutes("1h 5m"), minutes("30s")
    ((65.0, 1.0), (0.5, 0.016666666666666666))
    """
    units = {"h": 60.0, "m": 1.0, "s": 1 / 60}
    parts = text.split()
    return sum(float(p[:-1]) * units[p[-1]] for p in parts), units[parts[-1][-1]]


def _times(find: pd.DataFrame) -> Claim:
    cells = published.table("D.1", find).pivot(index="row", columns="column", values="value")
    items, off = int(published.said("timed items", find)), []
    for model, row in cells.iterrows():
        total, unit = minutes(row["Total"])
        one = minutes("1" + row["Per Doc"][-1])[0]
        low, high = ((total - unit) / items / one, total / items / one)
        if not rounds_up(row["Per Doc"][:-1], low, high):
            least, most = interval(row["Per Doc"][:-1])
            needed = (least + most) / 2 - (most - least)
            off.append(
                f"{model}: {row['Total']} / {items} is at most {high:.3f}{row['Per Doc'][-1]}, "
                f"{row['Per Doc']} needs over {needed:.3f}"
            )
    return Claim(
        "D1.times", "Table D.1", f"time per document is the total over {items}, both rounded up",
        "total / items, rounded up to the printed digit", f"{len(cells)} values",
        f"{len(cells) - len(off)} possible", holds(not off),
        f"{listed(off)}." if off else "",
    )  # fmt: skip


def _duplicates(find: pd.DataFrame) -> pd.DataFrame:
    cells = published.table("H.1", find).set_index("row")
    return pd.DataFrame({"k": cells.value.astype(int), "n": cells.denom.astype(int)})


def _closed(find: pd.DataFrame) -> Claim:
    cells = _duplicates(find)
    k, n = cells[[not is_open(m) for m in cells.index]].sum()
    said = [published.said(name, find) for name in ("closed duplicates", "closed responses")]
    return Claim("H1.13", "Appendix H.3 vs Table H.1", "duplicates of the closed models", "sums",
                 "/".join(said), f"{k}/{n}", holds(said == [str(k), str(n)]))  # fmt: skip


def _closed_share(find: pd.DataFrame) -> Claim:
    k, n = (int(published.said(name, find)) for name in ("closed duplicates", "closed responses"))
    below = published.said("closed duplicates, share", find)
    share = 100 * k / n
    return Claim(
        "H3.share", "Appendix H.3", "share of duplicates of the closed models", "k / n",
        f"below {below}%", f"{share:.3f}%", holds(share < float(below)),
        f"{k}/{n} = {share:.3f}%, {share / float(below):.1f} times the printed bound; "
        f"{below}% of {n} are {float(below) * n / 100:.1f} responses."
        if share >= float(below) else "",
    )  # fmt: skip


def _gpt_oss(find: pd.DataFrame) -> Claim:
    cells = _duplicates(find)
    ends = [published.said(f"gpt-oss duplicates, {end}", find) for end in ("lowest", "highest")]
    own = cells[[m.startswith("gpt-oss") for m in cells.index]]
    share = sorted(100 * own.k / own.n)
    return Claim("H3.oss", "Appendix H.3 vs Table H.1", "shares of the two gpt-oss models", "k / n",
                 " to ".join(ends) + "%", f"{share[0]:.2f}% to {share[-1]:.2f}%",
                 holds(fits(ends[0], share[0]) and fits(ends[1], share[-1])))  # fmt: skip


def _gemma(find: pd.DataFrame) -> Claim:
    cells = _duplicates(find)
    own = cells[[m.startswith("gemma") for m in cells.index]]
    return Claim("H3.gemma", "Appendix H.3 vs Table H.1", "no duplicates of the two gemma models",
                 "sum", "none", str(own.k.sum()), holds(own.k.sum() == 0))  # fmt: skip


def _manual(find: pd.DataFrame) -> Claim:
    parts = [published.said(f"{kind} duplicates", find) for kind in ("legitimate", "borderline")]
    total = published.said("closed duplicates", find)
    return Claim("H3.manual", "Appendix H.3", "legitimate and borderline ones are all", "sum",
                 total, " + ".join(parts), holds(sum(map(int, parts)) == int(total)))  # fmt: skip
