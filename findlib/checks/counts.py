"""Counts of one thing: over a range, of all of it, of a sample and its parts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .linked import words
from .lists import COUNT, TIME, number_of
from .prose import WORDS, Quantity, one_digit, with_numbers


@cache
def _range() -> re.Pattern[str]:
    return re.compile(
        rf"{COUNT}\s+(?:[\w-]+\s+){{0,4}}?\(?(?P<a>[A-Za-z][A-Za-z_]{{1,20}}?)_*(?P<from>\d{{1,3}})_*\)?\s*(?:-|–|—|to|through|\.\.\.?|…)\s*"
        r"(?P<b>[A-Za-z][A-Za-z_]{1,20}?)_*(?P<to>\d{1,3})\b", re.I)  # fmt: skip


def range_count(doc: Doc) -> list[Answer]:
    """ "The 29 registers (x3 - x31)": a count and the range of identifiers it is of."""
    found = []
    for match in _range().finditer(doc.text):
        stated, low, high = number_of(match["n"]), int(match["from"]), int(match["to"])
        if match["a"].lower() != match["b"].lower() or high <= low:
            continue
        if high - low + 1 != stated and abs(high - low + 1 - stated) <= 4:
            told = f"{match['a']}{low} to {match['b']}{high} are {high - low + 1}, but {stated} are stated"
            found.append(finding(doc, "range_count", [match.span()], told, 0.7))
    return found


# ------------------------------------------------------------------ all N of a thing


@cache
def _all_of() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:all(?:\s+of)?(?:\s+the)?|each\s+of\s+the|the|these|our|its)\s+(?P<n>\d{{1,4}}|{'|'.join(WORDS[2:])})\s+"
        r"(?P<what>[a-z_][\w-]{2,30})(?:\s+(?P<next>[A-Za-z][\w-]{2,30}))?",
    )


def all_of(doc: Doc) -> list[Answer]:
    """ "All 32 such registers" in one place, "the 29 such registers" in another.

    The thing is named by a rare word (an identifier, a term that occurs but a few times), both
    counts are said of all of it.
    """
    words = Counter(re.findall(r"[^\W\d]{3,}", doc.text.lower()))
    by: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in _all_of().finditer(doc.text):
        what = match["what"].lower()
        if _is_term(what, words):
            by[what].append(match)
    found = []
    for what, group in by.items():
        counts = Counter(number_of(m["n"]) for m in group)
        if len(counts) != 2 or min(counts) < 2:
            continue
        rare = min(counts, key=lambda n: (counts[n], -_last(group, n)))
        odd = next(m for m in group if number_of(m["n"]) == rare)
        other = next(m for m in group if number_of(m["n"]) != rare)
        if not any(
            "all" in m.group().lower()[:4] or "each" in m.group().lower()[:5] for m in group
        ):
            continue
        told = f"{rare} {what} in one place, {number_of(other['n'])} in another"
        found.append(finding(doc, "all_of", [odd.span(), other.span()], told, 0.6))
    return found


def _last(group: list[re.Match[str]], number: int) -> int:
    return max(m.start() for m in group if number_of(m["n"]) == number)


def _is_term(word: str, words: Counter[str]) -> bool:
    """A word that is no everyday one: with an underscore or digit, or hardly pronounceable."""
    if "_" in word or any(c.isdigit() for c in word):
        return True
    return bool(re.search(r"[bcdfghjklmnpqrstvwxz]{4,}", word)) and words[word] >= 2


@cache
def _defined() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.])[Nn]\s*=\s*\$?(?P<n>\d[\d,]*\d)(?![\d.]|,\d)")


@cache
def _over() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w./,])(?P<k>\d[\d,]*)\s*(?:/|\bof\b(?:\s+the)?)\s*(?P<n>\d[\d,]*\d)(?![\w./]|,\d)"
    )


def sample_size(doc: Doc) -> list[Answer]:
    """Shares of a sample whose size is a slip of the one defined: 58/668 after N = 688.

    The size used is defined nowhere and differs from one defined before it in a digit or by a
    swapped pair; both have three digits or more.
    """
    defined = [(m.start(), m["n"].replace(",", ""), m) for m in _defined().finditer(doc.text)]
    sizes = {n for _, n, _ in defined if len(n) >= 3}
    if not sizes:
        return []
    used: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in _over().finditer(doc.text):
        n = match["n"].replace(",", "")
        if len(n) >= 3 and n not in sizes and int(match["k"].replace(",", "")) <= int(n):
            used[n].append(match)
    found = []
    for n, group in used.items():
        before = [(at, m) for at, size, m in defined if at < group[0].start() and is_slip(size, n)]
        if before and not _stated_otherwise(doc, n, group):
            _at, m = before[-1]
            told = f"N = {m['n']} is defined, but shares are taken of {group[0]['n']}"
            spans = [m.span(), *(g.span() for g in group[:3])]
            found.append(finding(doc, "sample_size", spans, told, 0.7))
    return found


def is_slip(a: str, b: str) -> bool:
    return (
        a != b
        and len(a) == len(b)
        and one_digit(float(a), Quantity(0, 0, float(b), 1.0, "plain", b))
    )


def _stated_otherwise(doc: Doc, n: str, group: list[re.Match[str]]) -> bool:
    """Whether the size stands anywhere but as the whole of a share."""
    with_comma = f"{int(n):,}"
    places = [m.start() for form in {n, with_comma}
              for m in re.finditer(rf"(?<![\d.,]){re.escape(form)}(?![\d.]|,\d)", doc.text)]  # fmt: skip
    return any(not any(g.start() <= at < g.end() for g in group) for at in places)


# ------------------------------------------------------------------ the rest


@cache
def _remaining() -> re.Pattern[str]:
    return re.compile(
        r"\bof\s+(?:the|these|those|our|its|a\s+total\s+of)?\s*(?=\$?\d)|\bof\s+(?:the|these)\s+\w+\s+(?=\w)",
        re.I,
    )


def remainder(doc: Doc) -> list[Answer]:
    """ "Of the 426 sites, 4 were woods, 16 ..., and the remaining 407 ...": parts and the rest.

    Reported only if one changed digit would make the parts the whole.
    """
    found = []
    for sentence, numbers in with_numbers(doc):
        counted = [q for q in numbers if q.kind in ("plain", "money")]
        text = doc.text[slice(*sentence)]
        rest = re.search(
            r"\b(?:remaining|the\s+rest|the\s+other)\s+(?:of\s+the\s+)?\$?(?=\d)", text, re.I
        )
        if not rest or len(counted) < 3:
            continue
        whole = counted[0]
        lead = doc.text[sentence[0] : whole.start]
        if not re.search(r"\b(?:[Oo]f|total|all|comprises?|includes?)\b[^.;]{0,30}$", lead):
            continue
        last = next(
            (i for i, q in enumerate(counted) if q.start >= sentence[0] + rest.end() - 1), None
        )
        if last is None or last < 2 or any(q.kind != whole.kind for q in counted[: last + 1]):
            continue
        parts = counted[1 : last + 1]
        sum_ = sum(q.value for q in parts)
        if sum_ != whole.value and any(one_digit(whole.value - sum_ + q.value, q) for q in parts):
            told = f"{' + '.join(q.printed for q in parts)} = {sum_:g}, but {whole.printed} is the whole"
            found.append(finding(doc, "remainder", [(whole.start, parts[-1].end)], told, 0.55))
    return found


@cache
def _total() -> re.Pattern[str]:
    return re.compile(
        r"\b(?P<cue>across|compris(?:es|ed|ing)|total\s+of|all|entire|cohort\s+of|set\s+of|resource\s+(?:for|of)|"
        r"analy[sz]ed|included|contains?|consist(?:s|ed|ing)\s+of|of)\s+(?:the\s+|our\s+|more\s+than\s+)?"
        r"(?P<n>\d{1,3}(?:,\d{3})+|\d{3,5}|\d{2})\s+(?P<what>(?:[a-z][a-z-]+\s+){0,3}?[a-z]{3,}s)\b"
        r"|\d/(?P<n2>\d{3,5})\)?\s+of\s+(?:the\s+|all\s+)?(?P<what2>(?:[a-z][a-z-]+\s+){0,2}?[a-z]{3,}s)\b",
    )


def total_of(doc: Doc) -> list[Answer]:
    """Two totals of one thing that lie close together: across 1,043 tumors, of 1,074 tumors.

    The two largest counts of the thing, each said of all of it ("across", "comprising", "of"),
    of three digits or more and within a twentieth of one another, never in one sentence, and no date or
    year beside them. Each must be stated twice, or both with a second thing that differs too.
    """
    by: dict[str, list[_Count]] = defaultdict(list)
    for match in _total().finditer(doc.text):
        what = words(match["what"] or match["what2"])
        if what & _NO_TOTAL or doc.in_table(match.start()) or _dated(doc.text, match):
            continue
        number = int((match["n"] or match["n2"]).replace(",", ""))
        strong = match["cue"] is not None and match["cue"].lower() != "of"
        for word in what:
            by[word].append(_Count(number, strong, match.start(), match.end()))
    found: dict[tuple[int, int], Answer] = {}
    for word in sorted(by):
        group = by[word]
        numbers = {c.number for c in group}
        top = sorted(numbers)[-2:]
        if len(top) < 2 or top[0] < 100 or top[1] > 1.05 * top[0] or len(numbers) > 6:
            continue
        a, b = (next(c for c in group if c.number == n) for n in top)
        if abs(a.start - b.start) < 300 or not (a.strong or b.strong):
            continue
        told = f"{a.number:,} {word}s in one place, {b.number:,} in another"
        spans = [(a.start, a.end), (b.start, b.end)]
        found[a.start, b.start] = finding(
            doc, "total_of", spans, told, 0.35 + 0.05 * (a.strong + b.strong)
        )
    return list(found.values())


@dataclass(frozen=True)
class _Count:
    """A count of a thing; ``strong`` where a word says that it is of all of it."""

    number: int
    strong: bool
    start: int
    end: int


_NO_TOTAL = TIME | frozenset(
    [
        "share",
        "dollar",
        "employee",
        "store",
        "month",
        "year",
        "week",
        "quarter",
        "day",
        "hour",
        "minute",
        "point",
        "page",
    ]
)


def _dated(text: str, match: re.Match[str]) -> bool:
    near = text[max(0, match.start() - 120) : match.end() + 80]
    return bool(re.search(r"\b(?:19|20)\d\d\b|\b(?:quarter|fiscal|year|month)", near))


KINDS = {
    "range_count": Kind(range_count, "numeric"),
    "all_of": Kind(all_of, "numeric"),
    "sample_size": Kind(sample_size, "numeric"),
    "remainder": Kind(remainder, "numeric"),
    "total_of": Kind(total_of, "numeric"),
}
