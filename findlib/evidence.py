"""Locate evidence spans in a document, and the evidence metric of FIND, Appendix E."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

Mode = Literal["strict", "lenient"]


class Location(NamedTuple):
    """Characters [start, end) of the document; ``exact`` is False for a folded match."""

    start: int
    end: int
    exact: bool


def locate(span: str, document: str) -> Location | None:
    """Where a span first stands in a document, or None.

    An exact occurrence wins; else one that agrees after an explicit fold (runs of white
    space as one blank, NBSP, curly quotes, dashes), with offsets into the original text.

    >>> locate("“net  income", 'the "net income" line')
    Location(start=4, end=15, exact=False)
    """
    places = _locate(span, document, most=1)
    return places[0] if places else None


def locate_all(span: str, document: str) -> list[Location]:
    """Every occurrence of a span: the exact ones, or where there is none the folded ones."""
    return _locate(span, document, most=len(document))


def _locate(span: str, document: str, most: int) -> list[Location]:
    if not span.strip():
        return []
    exact = _occurrences(span, document, most)
    if exact:
        return [Location(start, start + len(span), True) for start in exact]
    folded, offsets = _fold(document)
    needle = _fold(span)[0].strip()
    return [
        Location(int(offsets[start]), int(offsets[start + len(needle) - 1]) + 1, False)
        for start in _occurrences(needle, folded, most)
    ]


def verbatim(span: str, document: str) -> bool:
    """Whether the span stands in the document exactly (the paper's rule)."""
    return bool(span) and span in document


def verbatim_folded(span: str, document: str) -> bool:
    """Whether the span stands in the document after the fold of `locate`."""
    return locate(span, document) is not None


def _occurrences(needle: str, text: str, most: int) -> list[int]:
    found: list[int] = []
    at = text.find(needle) if needle else -1
    while at >= 0 and len(found) < most:
        found.append(at)
        at = text.find(needle, at + len(needle))
    return found


_QUOTES_AND_DASHES = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
}
_BLANKS = "\t\n\v\f\r\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"  # noqa: E501


@lru_cache(maxsize=1)
def _fold_table() -> np.ndarray:
    table = np.arange(0x3001, dtype=np.uint32)
    for char, plain in [*_QUOTES_AND_DASHES.items(), *((b, " ") for b in _BLANKS)]:
        table[ord(char)] = ord(plain)
    return table


@lru_cache(maxsize=4)
def _fold(text: str) -> tuple[str, np.ndarray]:
    """The folded text and, for each of its characters, the offset in the original.

    Not NFKC, which would read 10² as 102.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    table = _fold_table()
    known = codes < len(table)
    codes = np.where(known, table[np.where(known, codes, 0)], codes)
    blank = codes == ord(" ")
    keep = ~(blank & np.concatenate(([False], blank[:-1])))
    folded = codes[keep].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return folded, np.flatnonzero(keep)


class Match(NamedTuple):
    """A predicted element paired with a reference element, by index, with their overlap."""

    predicted: int
    reference: int
    overlap: int


@dataclass(frozen=True)
class EvidenceScore:
    """The evidence metric of one answer.

    ``similarity`` and ``overlaps`` have shape (predicted elements, reference elements);
    ``predicted_length`` and ``reference_length`` are in characters. A strict span that is
    not verbatim has similarity -inf and overlap 0.
    """

    precision: float
    recall: float
    f1: float
    matches: tuple[Match, ...]
    overlap: int
    predicted_length: int
    reference_length: int
    similarity: np.ndarray
    overlaps: np.ndarray


def score_evidence(
    predicted: Sequence[str], reference: Sequence[str], document: str, mode: Mode = "strict"
) -> EvidenceScore:
    """Score predicted against reference evidence spans (FIND, Algorithm E.1).

    ``mode="strict"`` compares spans by longest common substring; a span that is not
    verbatim in ``document`` cannot match but counts in the predicted length.
    ``mode="lenient"`` compares the words of all spans by longest common subsequence,
    without the verbatim rule. Elements are paired so that the summed similarity (F1 of
    each overlap) is largest; where pairings tie, the one with more overlap is taken, so
    that the score does not depend on the order of spans. Zero denominators give 0.

    Raises ValueError for an unknown mode.

    >>> text = "this is evidence, and this is more evidence"
    >>> expected = ["this is evidence", "this is some more evidence"]
    >>> score = score_evidence(["this is evidence", "this is more evidence"], expected, text)
    >>> score.overlap, score.predicted_length, score.reference_length
    (30, 37, 42)
    """
    if mode not in ("strict", "lenient"):
        raise ValueError(f"mode must be 'strict' or 'lenient', not {mode!r}")
    if mode == "lenient":
        predicted, reference = _words(predicted), _words(reference)
        overlaps = _subsequences(predicted, reference)
        eligible = np.ones(len(predicted), dtype=bool)
    else:
        eligible = np.array([verbatim(span, document) for span in predicted], dtype=bool)
        overlaps = _substrings(predicted, reference, eligible)
    lengths = _lengths(predicted), _lengths(reference)
    similarity = _f1(overlaps, lengths[0][:, None], lengths[1][None, :])
    matches = _assign(similarity, overlaps, eligible)
    total = sum(match.overlap for match in matches)
    n_predicted, n_reference = int(lengths[0].sum()), int(lengths[1].sum())
    precision = total / n_predicted if n_predicted else 0.0
    recall = total / n_reference if n_reference else 0.0
    f1 = 2 * total / (n_predicted + n_reference) if total else 0.0
    similarity[~eligible] = -np.inf
    return EvidenceScore(
        precision, recall, f1, matches, total, n_predicted, n_reference, similarity, overlaps
    )


def longest_common_substring(x: str, y: str) -> int:
    """Length of the longest run of characters that both strings hold.

    Grows one window over the shorter string, so that the search itself is C code.

    >>> longest_common_substring("this is more evidence", "this is some more evidence")
    14
    """
    short, long = sorted((x, y), key=len)
    best = 0
    for start in range(len(short)):
        while start + best < len(short) and short[start : start + best + 1] in long:
            best += 1
    return best


def _words(spans: Sequence[str]) -> list[str]:
    return [word for span in spans for word in span.split()]


def _lengths(elements: Sequence[str]) -> np.ndarray:
    return np.array([len(element) for element in elements], dtype=np.int64)


def _substrings(
    predicted: Sequence[str], reference: Sequence[str], eligible: np.ndarray
) -> np.ndarray:
    overlaps = np.zeros((len(predicted), len(reference)), dtype=np.int64)
    for i in map(int, np.flatnonzero(eligible)):
        for j, expected in enumerate(reference):
            overlaps[i, j] = longest_common_substring(predicted[i], expected)
    return overlaps


def _subsequences(predicted: Sequence[str], reference: Sequence[str]) -> np.ndarray:
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cdist

    if not predicted or not reference:
        return np.zeros((len(predicted), len(reference)), dtype=np.int64)
    return cdist(predicted, reference, scorer=LCSseq.similarity, dtype=np.int64)


def _f1(overlap: np.ndarray, n_predicted: np.ndarray, n_reference: np.ndarray) -> np.ndarray:
    total = np.broadcast_to(n_predicted + n_reference, overlap.shape)
    return np.divide(2 * overlap, total, out=np.zeros(overlap.shape), where=total > 0)


def _assign(
    similarity: np.ndarray, overlaps: np.ndarray, eligible: np.ndarray
) -> tuple[Match, ...]:
    """Pair elements; rows that cannot match are left out, for scipy refuses -inf rows."""
    from scipy.optimize import linear_sum_assignment

    rows = np.flatnonzero(eligible)
    if not rows.size or not overlaps.size or not overlaps.any():
        return ()
    tie_break = 1e-9 * overlaps / overlaps.max()
    pairs = zip(*linear_sum_assignment((similarity + tie_break)[rows], maximize=True), strict=True)
    found = (Match(int(rows[i]), int(j), int(overlaps[rows[i], j])) for i, j in pairs)
    return tuple(match for match in found if match.overlap)
