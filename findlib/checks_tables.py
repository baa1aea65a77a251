"""Tables of what a reader of documents finds: recall, findings a document, precision."""

from __future__ import annotations

import pandas as pd

from .insert import KINDS
from .tables import Table, number

_DEPTHS = (1, 3, 5)
_IN_TABLES = ("leaf", "total", "table_number", "percent_table", "table_row")


def recall_table(found: pd.DataFrame, about: str) -> Table:
    """Recall at 1, 3 and 5 by kind, tables by their layout, with the interval at 5 (Wilson)."""
    keys = [found.kind, found.layout.where(found.kind.isin(_IN_TABLES), "")]
    rows = []
    for (kind, layout), group in found.groupby(keys, sort=False):
        low, high = wilson(int((group["rank"] <= 5).sum()), len(group))
        share = {f"R@{k}": float((group["rank"] <= k).mean()) for k in _DEPTHS}
        rows.append({"kind": kind, "layout": layout, "n": len(group), **share,
                     "low": low, "high": high})  # fmt: skip
    values = pd.DataFrame(rows)
    values["kind"] = pd.Categorical(values.kind, KINDS)
    values = values.sort_values(["kind", "layout"], ignore_index=True).astype({"kind": str})
    shown = values[["kind", "layout", "n"]].assign(
        **{f"R@{k}": values[f"R@{k}"].map(lambda x: number(x, ".2f")) for k in _DEPTHS},
        **{"95%": [f"{a:.2f}–{b:.2f}" for a, b in zip(values.low, values.high, strict=True)]},
    )
    note = "A hit is a finding that the unchanged document does not give, at the change or a span"
    return Table("checks_recall", "Inserted inconsistencies found", shown, values, about, (note,))


def unchanged_table(findings: pd.DataFrame, documents: pd.DataFrame, about: str) -> Table:
    """Findings per unchanged document, by kind of check, and the time of 100k tokens."""
    n = len(documents)
    counts = findings.groupby("kind").size()
    values = pd.DataFrame({"kind": [*counts.index, "all"], "findings": [*counts, len(findings)]})
    values["a document"] = values.findings / max(n, 1)
    shown = values.assign(**{"a document": values["a document"].map(lambda x: f"{x:.2f}")})
    speed = 1e5 * documents.seconds.sum() / max(documents.tokens.sum(), 1)
    notes = (f"{n} documents, {documents.tokens.sum():,} tokens", f"{speed:.2f} s per 100k tokens")
    return Table("checks_unchanged", "Findings on unchanged documents", shown, values, about, notes)


def wilson(k: int, n: int) -> tuple[float, float]:
    """The 95% interval of a share k/n (Wilson); NaN for n = 0.

    >>> [round(x, 3) for x in wilson(1, 10)]
    [0.018, 0.404]
    """
    from statsmodels.stats.proportion import proportion_confint

    if not n:
        return float("nan"), float("nan")
    low, high = proportion_confint(k, n, method="wilson")
    return float(low), float(high)


def precision_table(judged: pd.DataFrame, unjudged: int, about: str) -> Table:
    """Share of judged findings that are real, by kind and over all; unsure counts as not real.

    ``unjudged``: how many other findings there are.
    """
    groups = [*judged.groupby("kind"), ("all", judged)]
    rows = []
    for kind, group in groups:
        real, n = int((group.verdict == "real").sum()), len(group)
        low, high = wilson(real, n)
        share = {"precision": real / n if n else float("nan"), "low": low, "high": high}
        unsure = int((group.verdict == "unsure").sum())
        rows.append({"kind": kind, "n": n, "real": real, "unsure": unsure, **share})
    values = pd.DataFrame(rows)
    shown = values[["kind", "n", "real", "unsure"]].assign(
        precision=values.precision.map(lambda x: number(x, ".2f")),
        **{"95%": [f"{a:.2f}–{b:.2f}" for a, b in zip(values.low, values.high, strict=True)]},
    )
    title = "Precision of findings on unchanged documents"
    note = "Judged by hand; unsure counts as not real; intervals: Wilson, 95%"
    return Table(
        "checks_precision", title, shown, values, about, (note, f"{unjudged} findings not judged")
    )
