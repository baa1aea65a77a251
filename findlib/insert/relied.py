"""Insertions that remove what other text relies on: a list item, a definition, a heading."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .edit import Edit, Maker, Place
from .numbering import STRUCTURAL, Heading, number_of, references, runs, span_of
from .source import Source, Span

_ITEM = re.compile(r"^[ \t]*(?P<mark>[-*•●▪–]|\(?(?P<n>\d{1,2}|[a-z])[.)])[ \t\u00a0]+(?=\S)", re.M)
_COUNTS = re.findall(r"\w+", "two three four five six seven eight nine ten eleven twelve")
_LONGEST = 1_500  # characters of a list item
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS)})\b", re.I)
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "SEC GAAP EPS US USA USD CEO CFO LLC INC IRS FASB ASU ASC EU UK FDA IT NYSE EBITDA "
        "SG&A R&D PDF FAQ AM PM ID OK",
    )
)
_DEFINED = re.compile(
    r"\((?:(?:the|each|collectively|together)?,?\s*(?:an?|the)?\s*"
    r"[“\"](?P<term>[A-Z][\w&’' -]{1,40}?),?[”\"]|(?P<short>[A-Z][A-Z&]{1,7}s?))\)"
)


@dataclass(frozen=True)
class Listing:
    """A list: the start of each item, where its last one ends, marks, and its counted lead."""

    items: tuple[int, ...]
    end: int
    marks: tuple[str, ...]
    lead: Span | None


@lru_cache(maxsize=4)
def listings(found: Source) -> tuple[Listing, ...]:
    """Lists of three items or more: numbered or lettered in order, or counted by their lead."""
    made: list[Listing] = []
    run: list[re.Match[str]] = []
    for m in [*_ITEM.finditer(found.text), None]:
        if m and found.doc.in_table(m.start()):
            continue
        if m and run and _continues(found, run[-1], m):
            run.append(m)
            continue
        if len(run) >= 3:
            made.append(_listing(found, run))
        run = [m] if m else []
    return tuple(made)


def _continues(found: Source, a: re.Match[str], b: re.Match[str]) -> bool:
    """Whether an item follows another: the same kind of mark, the next number, nothing between."""
    if b.start() - a.start() > _LONGEST or re.search(
        r"^(?:#|\|)", found.text[a.end() : b.start()], re.M
    ):
        return False
    if a["n"] is None or b["n"] is None:
        return a["mark"] == b["mark"]
    if a["n"].isdigit() != b["n"].isdigit() or a["mark"][-1] != b["mark"][-1]:
        return False
    return _order(b["n"]) == _order(a["n"]) + 1


def _order(mark: str) -> int:
    return int(mark) if mark.isdigit() else ord(mark)


def _listing(found: Source, run: list[re.Match[str]]) -> Listing:
    first = run[0].start()
    last = run[-1].end()
    high = min(last + _LONGEST, len(found.text))
    blank = re.compile(r"\n\s*\n|\n(?=[#|])").search(found.text, last, high)
    end = blank.start() if blank else high
    marks = tuple(m["n"] or "" for m in run)
    return Listing(tuple(m.start() for m in run), end, marks, _lead(found.text, first, len(run)))


def _lead(text: str, first: int, n: int) -> Span | None:
    """Where the words above a list announce as many items as it has ("the following three:")."""
    low = max(0, first - 400)
    low = max(low, *(text.rfind(mark, low, first) + 1 for mark in ".!?"))
    above = text[low:first]
    counts = list(_COUNT.finditer(above))
    announces = above.rstrip().endswith(":") or re.search(r"following|below", above)
    if not counts or not announces or _COUNTS.index(counts[-1][0].lower()) + 2 != n:
        return None
    return low + counts[-1].start(), first


def list_item(found: Source) -> Iterator[Place]:
    """An item of a list whose numbering or whose count then shows a gap."""
    for listing in listings(found):
        numbered = all(listing.marks)
        for i in range(1, len(listing.items) - 1):
            if numbered or listing.lead:
                yield Place(listing.items[i], _without_item(found, listing, i))


def _without_item(found: Source, listing: Listing, i: int) -> Maker:
    text, starts = found.text, [*listing.items, listing.end]

    def item(k: int) -> Span:
        return starts[k], min(starts[k] + 120, starts[k + 1])

    def make(rng: random.Random) -> Edit | None:
        if all(listing.marks):
            about = f"Item {listing.marks[i - 1]} is followed by {listing.marks[i + 1]}."
        else:
            about = ""
        places = [item(i - 1), item(i + 1)]
        if listing.lead:
            count = re.match(r"\w+", text[listing.lead[0] :])
            n = len(listing.items)
            about = f"'{count[0] if count else n}' are announced, {n - 1} follow. {about}".strip()
            places = [listing.lead, *(item(k) for k in range(n) if k != i)]
        return Edit(starts[i], starts[i + 1], "", tuple(places), about, STRUCTURAL)

    return make


def sentence(found: Source) -> Iterator[Place]:
    """The sentence that defines a term used later, or the heading that a reference names."""
    for span in found.sentences:
        defined = list(_DEFINED.finditer(found.text, *span))
        if len(defined) == 1:
            yield Place(span[0], _undefined(found, span, defined[0]))
    named: dict[Heading, list[Span]] = defaultdict(list)
    for span, _, heading in references(found):
        named[heading].append(span)
    for run in runs(found):
        for before, h, after in zip(run, run[1:], run[2:], strict=False):
            if h in named:
                yield Place(h.start, _headless(found, h, (before, after), named[h][0]))


def _undefined(found: Source, span: Span, m: re.Match[str]) -> Maker:
    term = m["term"] or m["short"]

    def make(rng: random.Random) -> Edit | None:
        text = found.text
        if term in _COMMON or text.find(term) < span[0] or span[1] - span[0] > 800:
            return None
        after = [
            u.start() for u in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", text[span[1] :])
        ]
        if len(after) < 3 or re.search(rf"[“\"(]{re.escape(term)}[”\")]", text[span[1] :]):
            return None
        uses = [span[1] + u for u in after[:2]]
        places = [_sentence_at(found, u) for u in uses]
        about = f"{term} is used {len(after)} times and defined nowhere."
        start = span[0]
        while start and text[start - 1] in " \t":
            start -= 1
        whole = tuple(dict.fromkeys(p for p in places if p))
        return Edit(start, span[1], "", whole, about, STRUCTURAL) if whole else None

    return make


def _sentence_at(found: Source, at: int) -> Span | None:
    return next((s for s in found.sentences if s[0] <= at < s[1]), None)


def _headless(found: Source, h: Heading, around: tuple[Heading, Heading], referring: Span) -> Maker:
    def make(rng: random.Random) -> Edit | None:
        before, after = around
        start = found.text.rfind("\n", 0, h.start) + 1
        name = f"{h.word.capitalize()} {number_of(h)}"
        about = f"{name} is referred to, but {number_of(before)} is followed by {number_of(after)}."
        places = (span_of(found, before), span_of(found, after), referring)
        return Edit(start, h.end + 1, "", places, about, STRUCTURAL)

    return make
