"""FIND's Table H.6 and what is said of document lengths, recomputed from their other cells."""

from __future__ import annotations

import pandas as pd

from .. import published
from .consistency import counts, counts_of_fewer, fits, weighted
from .verdict import (
    CONSISTENT,
    READING,
    REPRODUCED,
    ROUNDING,
    UNDERIVABLE,
    Claim,
    hits,
    holds,
    listed,
    sizes,
    sources,
)

K = "k"  # thousands of tokens


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim on Table H.6 and on lengths in sections 1, 5 and 6."""
    single = (_length_counts, _length_empty, _median, _longest_quarter, _truncated, _jump,
              _jump_explained)  # fmt: skip
    return [*_lengths(find), *(claim(find) for claim in single)]


def _length_cells(find: pd.DataFrame) -> pd.DataFrame:
    """Table H.6's cells, a row a bin and source: documents, text ("–" for none)."""
    texts, docs = published.cells("H.6", "score", find), published.cells("H.6", "count", find)
    rows = [(b, s, int(docs.loc[b, s]), texts.loc[b, s]) for b in docs.index for s in docs.columns]
    found = pd.DataFrame(rows, columns=["bin", "source", "documents", "text"])
    return found.assign(shown=[str(t)[:1].isdigit() for t in found.text])


def _lengths(find: pd.DataFrame) -> list[Claim]:
    cells, docs, ones = _length_cells(find), sizes(find), hits(find)
    sums = cells.groupby("source", sort=False).documents.sum()
    found = [Claim("H6.counts", "Table H.6", "documents add to each source's", "column sums",
                   listed(docs[s] for s in sums.index), listed(sums),
                   holds(all(sums[s] == docs[s] for s in sums.index)))]  # fmt: skip
    for source in sources(find):
        own = cells[(cells.source == source) & (cells.documents > 0) & cells.shown]
        low, mean, high = weighted(list(own.text), list(own.documents))
        trials = len(ones) * docs[source]
        rate = ones[source].sum() / trials
        verdict = holds(low <= rate <= high, so=ROUNDING)
        verdict = REPRODUCED if f"{mean:.2f}" == f"{rate:.2f}" else verdict
        found.append(Claim(
            f"H6.w.{source}", "Table H.6 vs Table 4", f"{source}: score by bin, weighted by "
            "documents, is the mean over models of Table 4's task score", "sum n m / sum n",
            f"{rate:.4f} (= {ones[source].sum():.0f}/{trials})",
            f"{mean:.4f} ({low:.4f} to {high:.4f})", verdict,
        ))  # fmt: skip
    return found


def length_grim(find: pd.DataFrame) -> pd.DataFrame:
    """Cells of Table H.6 that no count of hits gives: the documents of the bin times the
    models are the answers scored. Columns: bin, source, documents, responses, printed,
    below, above (the two nearest possible), fewer (a count that fits when some responses
    have no score, as hits/scored, or "none")."""
    models, rows = len(hits(find)), []
    for cell in _length_cells(find).query("documents > 0 and shown").itertuples():
        n = models * cell.documents
        if not counts(cell.text, n, 1):
            k = int(float(cell.text) * n)
            fewer = counts_of_fewer(cell.text, n, 1)
            rows.append({"bin": cell.bin, "source": cell.source, "documents": cell.documents,
                         "responses": n, "printed": cell.text, "below": f"{k}/{n} = {k / n:.3f}",
                         "above": f"{k + 1}/{n} = {(k + 1) / n:.3f}",
                         "fewer": "{}/{}".format(*fewer[0]) if fewer else "none"})  # fmt: skip
    return pd.DataFrame(rows)


def _length_counts(find: pd.DataFrame) -> Claim:
    off, cells = length_grim(find), _length_cells(find).query("documents > 0 and shown")
    words = [f"{r.bin} {r.source} {r.printed} (n {r.documents}): {r.below} or {r.above}"
             for r in off.itertuples()]  # fmt: skip
    never = [f"{r.bin} {r.source}" for r in off.itertuples() if r.fewer == "none"]
    return Claim(
        "H6.grim", "Table H.6", "a score is a share of the bin's documents times the models",
        "hits / (models x documents) prints as the score for a whole number of hits",
        f"{len(cells)} values", f"{len(cells) - len(off)} possible, {len(off)} not",
        holds(off.empty),
        f"{listed(words)}. Failed responses are no way out: they count as misses (SE.failures), "
        f"and {listed(never)} fit no number of scored responses. The scores seem to "
        "be binned otherwise (by each model's own tokens?) than the documents counted."
        if len(off) else "",
    )  # fmt: skip


def _length_empty(find: pd.DataFrame) -> Claim:
    cells = _length_cells(find)
    off = cells[(cells.documents == 0) & cells.shown]
    words = [f"{r.bin} {r.source}: n {r.documents}, score {r.text}"
             for r in off.itertuples()]  # fmt: skip
    return Claim(
        "H6.empty", "Table H.6", "a bin without documents has no score", "a dash for no documents",
        f"{(cells.documents == 0).sum()} bins without documents", f"{len(off)} have a score",
        holds(off.empty),
        f"{listed(words)}. The other bins without documents show a dash." if len(off) else "",
    )  # fmt: skip


def _by_start(find: pd.DataFrame) -> pd.Series:
    """Documents by the start of their length bin, in thousands of tokens."""
    docs = published.cells("H.6", "count", find).astype(int).sum(axis=1)
    return docs.rename(lambda label: int(label.split("–")[0].removesuffix(K)))


def _median(find: pd.DataFrame) -> Claim:
    docs, text = _by_start(find), published.said("median length", find)
    middle = (docs.sum() + 1) // 2
    start = docs.index[int((docs.cumsum() >= middle).to_numpy().argmax())]
    end = min((s for s in docs.index if s > start), default=float("inf"))
    return Claim("S1.median", "Section 1 vs Table H.6", "median length in thousands of tokens",
                 "bin of the middle document", text,
                 f"document {middle} of {docs.sum()} has {start} to {end}",
                 holds(fits(text, start, end), so=CONSISTENT))  # fmt: skip


def _longest_quarter(find: pd.DataFrame) -> Claim:
    docs = _by_start(find)
    over, share = (published.said(f"long documents{word}", find) for word in (" over", ""))
    below = max(s for s in docs.index if s <= float(over))
    above = min(s for s in docs.index if s >= float(over))
    few, many = (int(docs[docs.index >= s].sum()) for s in (above, below))
    low, high = (100 * k / docs.sum() for k in (few, many))
    return Claim("S1.q75", "Section 1 vs Table H.6", f"share of documents over {over}k tokens",
                 "documents in the bins above", f"{share}%",
                 f"{few} to {many} of {docs.sum()} = {low:.1f}% to {high:.1f}%",
                 holds(fits(share, low, high), so=CONSISTENT))  # fmt: skip


def _truncated(find: pd.DataFrame) -> Claim:
    docs, limit = _by_start(find), float(published.said("input limit", find))
    said, most = published.said("truncated documents", find), int(docs[docs.index[-1]])
    rest, start = int(said) - most, float(limit)
    for start in reversed(docs.index[:-1]):
        rest -= int(docs[start])
        if rest <= 0:
            break
    factor = limit / (start + docs.index[1])
    return Claim(
        "S5.trunc", "Section 5 vs Table H.6", f"documents over the input limit of {limit:.0f}k",
        "documents in the last bin (gpt-5 tokenizer), at most", f"at most {said}", str(most),
        UNDERIVABLE,
        f"At most {most} documents exceed the limit by gpt-5's tokenizer; {said} need one that "
        f"makes {100 * (factor - 1):.0f}% more tokens or over of one of {start:.0f}k to "
        f"{start + docs.index[1]:.0f}k.",
    )  # fmt: skip


def _bin_scores(find: pd.DataFrame, names: list[str]) -> tuple[list[str], pd.DataFrame]:
    """Of the bins before and after the jump: labels, and documents and score by source."""
    cells = _length_cells(find).query("shown and documents > 0")
    cells = cells[cells.source.isin(names)].assign(score=lambda t: t.text.astype(float))
    jump = int(published.said("jump at", find))
    labels = list(published.cells("H.6", "count", find).index)
    after = next(i for i, label in enumerate(labels) if label.startswith(f"{jump}–"))
    return labels[after - 1 : after + 1], cells


def _pooled(cells: pd.DataFrame, label: str) -> float:
    own = cells[cells.bin == label]
    return float((own.documents * own.score).sum() / own.documents.sum())


def _jump(find: pd.DataFrame) -> Claim:
    labels, cells = _bin_scores(find, sources(find))
    low, high = (_pooled(cells, label) for label in labels)
    return Claim(
        "S6.jump50", "Section 6 vs Table H.6",
        f"the score jumps at {published.said('jump at', find)}k tokens",
        "score by bin, sources weighted by documents", "a jump",
        f"{labels[0]}: {low:.3f}, {labels[1]}: {high:.3f}", holds(high > low, so=CONSISTENT),
    )  # fmt: skip


def _jump_explained(find: pd.DataFrame) -> Claim:
    """Is the jump explained by the uneven counts and PG, as section 6 says?"""
    labels, cells = _bin_scores(find, sources(find))
    without = [_pooled(cells[cells.source != "PG"], label) for label in labels]
    wide = cells[cells.bin.isin(labels)].pivot(index="source", columns="bin")
    weights = wide["documents"][labels[0]].where(wide["score"][labels[1]].notna())
    fixed = [float((weights * wide["score"][label]).sum() / weights.sum()) for label in labels]
    rises = (wide["score"][labels[1]] > wide["score"][labels[0]]).sum()
    stays = without[1] > without[0] and fixed[1] > fixed[0]
    return Claim(
        "S6.jumpPG", "Section 6 vs Table H.6", "uneven counts and PG's scores explain the jump",
        "the same without PG, and with the counts of the lower bin in both", "no jump is left",
        f"without PG {without[0]:.3f} to {without[1]:.3f}; with the lower bin's counts "
        f"{fixed[0]:.3f} to {fixed[1]:.3f}", holds(not stays, READING),
        f"Without PG the score goes from {without[0]:.3f} to {without[1]:.3f}; with the lower "
        f"bin's counts in both from {fixed[0]:.3f} to {fixed[1]:.3f}; it rises in {rises} "
        f"of the {weights.notna().sum()} sources with documents in both. The scores themselves "
        "are in question: H6.grim."
        if stays else "",
    )  # fmt: skip
