"""What notes and sections are about, against the sentences that refer to them."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .grid import Table
from .headings import Target, targets
from .linked import _MONTHS, words
from .references import Reference, points_away, references, targets_by_number

_LONGEST = 40_000
_GENERIC = frozenset(
    [
        "note",
        "information",
        "summary",
        "additional",
        "discussion",
        "detail",
        "financial",
        "statement",
        "related",
        "consolidated",
        "condensed",
        "other",
        "certain",
        "basis",
        "significant",
        "accounting",
        "policy",
        "general",
        "supplementary",
        "data",
        "reporting",
    ]
)


@dataclass(frozen=True)
class _Topic:
    """A note or section: its heading, where its text ends, its words and those of its title."""

    head: Target
    end: int
    title: frozenset[str]
    names: frozenset[str]  # of every heading with this number: items begin anew in each part
    bag: Counter[str]
    last: bool


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[a-z]{4,}")


def _topics(doc: Doc, there: dict[str, list[Target]]) -> dict[str, _Topic]:
    body = [next((t for t in ts if not t.contents), ts[0]) for ts in there.values()]
    body = sorted((t for t in body if t.title), key=lambda t: t.start)
    found = {}
    for i, head in enumerate(body):
        last = i + 1 == len(body)
        end = min(len(doc.text) if last else body[i + 1].start, head.start + _LONGEST)
        bag = Counter(_word().findall(doc.text[head.start : end].lower()))
        general = frozenset() if head.family == "item" else _GENERIC
        names = frozenset().union(*(words(t.title) for t in there[head.number])) - general
        found[head.number] = _Topic(head, end, words(head.title) - general, names, bag, last)
    return found


def own_number(doc: Doc) -> list[Answer]:
    """A note that refers to itself by number, and "this Section 8" within Section 7.

    The last heading of a family is left out: where its text ends is not known.
    """
    found = []
    heads: dict[str, list[Target]] = defaultdict(list)
    for t in targets(doc):
        if not t.contents:
            heads[t.family].append(t)
    for ref in references(doc):
        known = heads[ref.family]
        i = bisect_right([t.end for t in known], ref.start) - 1
        if len(known) < 3 or not 0 <= i < len(known) - 1:
            continue
        own, told = known[i], ""
        says_this = bool(
            re.search(r"\bthis\s+$", doc.text[max(0, ref.start - 8) : ref.start], re.I)
        )
        if (
            says_this
            and not _same(own.number, ref.number)
            and ref.family in ("section", "item", "note")
        ):
            told = f"'this {ref.family} {ref.number}' stands in {ref.family} {own.number}"
        elif ref.family == "note" and not says_this and own.number == ref.number:
            told = f"{ref.family} {ref.number} refers to itself"
        if told and not points_away(doc, ref):
            spans = [(own.start, own.end), (ref.start, ref.end)]
            found.append(finding(doc, "own_number", spans, told, 0.5))
    return found


def _same(a: str, b: str) -> bool:
    return a == b or a.startswith(b + ".") or b.startswith(a + ".")


def _by_family(doc: Doc) -> list[tuple[str, dict[str, _Topic], list[Reference]]]:
    there = targets_by_number(doc)
    refs: dict[str, list[Reference]] = defaultdict(list)
    for ref in references(doc):
        if (
            ref.family in ("note", "section", "chapter", "item")
            and ref.number in there.get(ref.family, {})
            and not points_away(doc, ref)
        ):
            refs[ref.family].append(ref)
    return [
        (family, _topics(doc, there[family]), found) for family, found in refs.items()
        if family != "section" or there["note"] is not there["section"] or "note" not in refs
    ]  # fmt: skip


def other_topic(doc: Doc) -> list[Answer]:
    """A reference whose sentence is about another note: "dividends, see Note 7 (Leases)".

    All words of the other title stand in the sentence or row and none of the title referred to,
    and the sentence shares clearly more rare words with the text of the other note.
    """
    found = []
    for family, topics, refs in doc.once(_by_family):
        if len(topics) < 3:
            continue
        shared = Counter(w for t in topics.values() for w in t.bag)
        for ref in refs:
            better = _better(doc, ref, topics, shared)
            if better:
                told = (f"the sentence is about {family} {better.head.number} ({better.head.title}), "
                        f"but refers to {family} {ref.number}")  # fmt: skip
                spans = [(better.head.start, better.head.end), _place(doc, ref)]
                found.append(finding(doc, "other_topic", spans, told, 0.55))
    return found


def _better(
    doc: Doc, ref: Reference, topics: dict[str, _Topic], shared: Counter[str]
) -> _Topic | None:
    own = topics.get(ref.number)
    start, end = _place(doc, ref)
    context = doc.text[start:end]
    if own is None or ref.title or (ref.family != "item" and _names_several(context)):
        return None
    said = words(context)
    if own.names & said or not own.title:
        return None
    hits = [
        t
        for t in topics.values()
        if t.title and t.title <= said and not t.head.start <= ref.start < t.end
    ]
    if len(hits) != 1:
        return None
    rare = set(_word().findall(context.lower()))
    mine, theirs = (_alike(rare, t, shared, len(topics)) for t in (own, hits[0]))
    return hits[0] if theirs > 1.5 * mine and _strength(hits[0], said) else None


def _strength(topic: _Topic, said: frozenset[str]) -> bool:
    return len(topic.title) >= 2 or len(said) <= 14


def _alike(said: set[str], topic: _Topic, shared: Counter[str], n: int) -> float:
    total = sum(
        math.log((n + 1) / shared[w]) * (1 + math.log(topic.bag[w])) for w in said if w in topic.bag
    )
    return total / math.sqrt(sum(topic.bag.values()) + 50)


def _names_several(context: str) -> bool:
    return len(re.findall(r"\b[Nn]otes?\s+\d|\b[Ss]ections?\s+\d", context)) > 1 or bool(
        re.search(r"\b[Nn]otes\s+\d", context)
    )


def _place(doc: Doc, ref: Reference) -> tuple[int, int]:
    """The sentence, or the row of a table, that holds a reference."""
    text = doc.text
    if doc.in_table(ref.start):
        start = text.rfind("\n", 0, ref.start) + 1
        end = text.find("\n", ref.end)
        return start, end if end >= 0 else len(text)
    start = max(
        text.rfind(". ", 0, ref.start) + 1, text.rfind("\n\n", 0, ref.start) + 1, ref.start - 250, 0
    )
    if len(text[start : ref.start].split()) < 4:  # "See Note 5": the sentence or heading before
        before = max(start - 3, 0)
        start = max(
            text.rfind(". ", 0, before) + 1, text.rfind("\n", 0, before) + 1, ref.start - 350, 0
        )
    stops = [text.find(stop, ref.end, ref.end + 200) for stop in (". ", ".\n", "\n\n")]
    end = min([s for s in stops if s >= 0], default=min(ref.end + 200, len(text)))
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end


def two_numbers(doc: Doc) -> list[Answer]:
    """The same words before two references that bear different numbers."""
    by_words: dict[str, list[Reference]] = defaultdict(list)
    for family, _, refs in doc.once(_by_family):
        for ref in refs if family != "item" else ():
            if re.search(r"[\d\s](?:and|or|to)\s|,", doc.text[ref.start : ref.end]):
                continue
            before = re.findall(r"\w+", doc.text[max(0, ref.start - 160) : ref.start].lower())[-9:]
            plain = [w for w in before if w.isalpha() and w[:3] not in _MONTHS]
            if len(plain) >= 8 and ref.number not in before:
                by_words[family + " " + " ".join(before)].append(ref)
    found = []
    for group in by_words.values():
        numbers = Counter(r.number for r in group)
        if len(numbers) == 2:
            a = group[0]
            b = next(r for r in group if r.number != a.number)
            told = f"the same words lead to {a.family} {a.number} and to {b.family} {b.number}"
            spans = [(max(0, r.start - 60), r.end) for r in (a, b)]
            found.append(finding(doc, "two_numbers", spans, told, 0.5))
    return found


_BRACKETS = re.compile(r"\([^)]{0,60}\)")


@cache
def _caption() -> re.Pattern[str]:
    return re.compile(r"\btable\s+(?P<num>\d{1,3}(?:[.-]\d{1,3})?)\b", re.I)


def other_table(doc: Doc) -> list[Answer]:
    """A sentence that seeks a row or column in a table, where another has it.

    "the capitalized interest in Table 1": a label of two words or more, all in the sentence,
    that one captioned table has, and of which the table named has no word.
    """
    labels: dict[str, list[frozenset[str]]] = {}
    places: dict[str, list[tuple[frozenset[str], tuple[int, int]]]] = {}
    for table in doc.tables:
        number = _number_of(doc, table)
        if number is None:
            continue
        rows = [(words(_BRACKETS.sub(" ", r.label)), (r.start, r.end)) for r in table.rows]
        heads = [(words(_BRACKETS.sub(" ", h)), (table.header_rows[0].start, table.header_rows[-1].end))
                 for h in table.headers if table.header_rows]  # fmt: skip
        labels.setdefault(number, []).extend(w for w, _ in rows + heads)
        places.setdefault(number, []).extend(rows + heads)
    found = []
    for ref in references(doc) if len(labels) > 1 else ():
        if (
            ref.family != "table"
            or ref.number not in labels
            or doc.in_table(ref.start)
            or ref.title
        ):
            continue
        start, end = _place(doc, ref)
        if len(re.findall(r"\b[Tt]ables?\s+\d", doc.text[start:end])) > 1:
            continue
        near = words(doc.text[max(start, ref.start - 110) : ref.start])
        own = frozenset().union(*labels[ref.number]) | words(_heading(doc, ref.number))
        hits = [
            (number, label, span) for number, held in places.items() if number != ref.number
            for label, span in held if len(label - _GENERIC - own) >= 2 and label <= near
        ]  # fmt: skip
        if hits and len({number for number, _, _ in hits}) == 1:
            number, _label, span = max(hits, key=lambda h: len(h[1]))
            told = f"table {ref.number} is referred to, but the words are a label of table {number}"
            found.append(finding(doc, "other_table", [span, (start, end)], told, 0.55))
    return found


def _number_of(doc: Doc, table: Table) -> str | None:
    """The number of the caption above a table, or directly below it."""
    for line in reversed(table.title):
        if match := _caption().match(line.strip("*_# ")):
            return match["num"]
    below = _caption().match(doc.text[table.end : table.end + 60].lstrip().lstrip("*_#: "))
    return below["num"] if below else None


def _heading(doc: Doc, number: str) -> str:
    return " ".join(t.title for t in targets(doc) if t.family == "table" and t.number == number)


KINDS = {
    "other_table": Kind(other_table, "structural"),
    "own_number": Kind(own_number, "structural"),
    "other_topic": Kind(other_topic, "structural"),
    "two_numbers": Kind(two_numbers, "structural"),
}
