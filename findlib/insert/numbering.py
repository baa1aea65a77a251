"""Insertions into numbering: a heading or caption gets another number, a reference too."""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .edit import Edit, Maker, Place
from .source import Source, Span

STRUCTURAL = "structural"
_WORDS = "note|item|table|figure|section|step|chapter|part|appendix|exhibit|article|schedule"
_LABEL = re.compile(
    r"^(?P<lead>[\s#*_|=.>]*)(?:(?P<word>" + _WORDS + r")s?\s+)?(?P<num>\d{1,3}(?:\.\d{1,3})*)"
    r"(?P<sep>[\s.:)|*_—–-]+)(?P<title>[A-Z][^|\n]{2,150})",
    re.I,
)
_REFERENCE = re.compile(
    r"(?<![\w-])(?P<word>" + _WORDS + r")\s+(?P<num>\d{1,3}(?:\.\d{1,3})*)(?![\w]|\.\d)", re.I
)
_ELSEWHERE = re.compile(
    r"^[^.;]{0,160}?(?<!this )\b(?:annual report|form 10-[kq]|prospectus|20\d\d form|indenture|"
    r"agreement|act\b|regulation|code\b|rules?\b)",
    re.I,
)


@dataclass(frozen=True)
class Heading:
    """A numbered heading or caption: its line, its number's place, its family and title."""

    start: int
    end: int
    number: Span
    word: str
    parent: str
    value: int
    title: str


@lru_cache(maxsize=4)
def headings(found: Source) -> tuple[Heading, ...]:
    """Lines that begin with a number, or such as "Note 5" and a title, outside contents lists."""
    made = []
    for start, end in found.doc.lines:
        m = _LABEL.match(found.text[start : min(end, start + 260)])
        if not m or _listed(found.text[start:end]):
            continue
        marked = "#" in m["lead"] or "*" in m["lead"] or "==" in m["lead"] or "|" in m["lead"]
        title = m["title"].strip(" *_#|")
        if not (m["word"] or marked) or (title.endswith(".") and len(title) > 60):
            continue
        if len(title) > 110 and not m["word"]:
            continue
        parent, _, last = m["num"].rpartition(".")
        at = start + m.end("num")
        made.append(
            Heading(
                start + len(m["lead"]), end, (at - len(last), at), (m["word"] or "").lower(),
                f"{parent}/{'' if m['word'] else m['lead'].strip()}", int(last), title,
            )
        )  # fmt: skip
    return tuple(made)


def _listed(line: str) -> bool:
    """Whether a line is of a contents list: dot leaders, or a page number at its end."""
    return bool(re.search(r"\.{4,}|[\s|]\d{1,3}$", line.rstrip("*_ |\t\u00a0")))


@lru_cache(maxsize=4)
def runs(found: Source) -> tuple[tuple[Heading, ...], ...]:
    """Headings of a family numbered one after the other, three at least."""
    open_: dict[tuple[str, str], list[Heading]] = {}
    closed: list[tuple[Heading, ...]] = []
    for h in headings(found):
        run = open_.get((h.word, h.parent))
        if run and h.value == run[-1].value + 1:
            run.append(h)
        elif not (run and h.value == run[-1].value):
            closed.append(tuple(run or ()))
            open_[h.word, h.parent] = [h]
    closed += [tuple(run) for run in open_.values()]
    return tuple(sorted((r for r in closed if len(r) >= 3), key=lambda r: r[0].start))


def span_of(found: Source, h: Heading) -> Span:
    return h.start, min(h.end, h.start + 160)


def renumbered(found: Source) -> Iterator[Place]:
    """A heading or caption amid a sequence gets its neighbour's number, or one past the end."""
    for run in runs(found):
        for before, h, after in zip(run, run[1:], run[2:], strict=False):
            yield Place(h.number[0], _other_number(found, run[-1].value, before, h, after))


def _other_number(found: Source, last: int, before: Heading, h: Heading, after: Heading) -> Maker:
    def make(rng: random.Random) -> Edit | None:
        new = rng.choice((before.value, after.value, last + rng.randint(1, 3)))
        name = f"{h.word.capitalize()} " if h.word else ""
        text = (
            f"{name}{before.value} is followed by {name}{new} ({h.title}) and {name}{after.value}."
        )
        places = tuple(span_of(found, x) for x in (before, h, after))
        return Edit(*h.number, str(new), places, text, STRUCTURAL)

    return make


@lru_cache(maxsize=4)
def _families(found: Source) -> dict[str, dict[str, Heading]]:
    """Headings that bear a word ("Note"), by their number, of words that have a whole run."""
    made: dict[str, dict[str, Heading]] = defaultdict(dict)
    whole = {run[0].word for run in runs(found)} - {""}
    for h in headings(found):
        if h.word in whole:
            made[h.word].setdefault(number_of(h), h)
    return made


def number_of(h: Heading) -> str:
    parent = h.parent.partition("/")[0]
    return f"{parent}.{h.value}" if parent else str(h.value)


def references(found: Source) -> Iterator[tuple[Span, re.Match[str], Heading]]:
    """The sentences' references to headings that are there, with sentence and heading.

    Not those that begin a line, nor those to another document ("of our annual report").
    """
    families, text = _families(found), found.text
    starts = sorted(h.start for family in families.values() for h in family.values())
    for sentence in found.sentences:
        if bisect_left(starts, sentence[0]) < bisect_left(starts, sentence[1]):
            continue
        for m in _REFERENCE.finditer(text, *sentence):
            heading = families.get(m["word"].lower(), {}).get(m["num"])
            line = text[text.rfind("\n", 0, m.start()) + 1 : m.start()]
            away = not line.strip(" \t*_#|") or _ELSEWHERE.match(text[m.end() : sentence[1]])
            if heading and not away and m["word"][0].isupper():
                yield sentence, m, heading


def reference(found: Source) -> Iterator[Place]:
    """A reference to a numbered heading, to one that is not there or bears another title."""
    for sentence, m, heading in references(found):
        yield Place(m.start(), _misdirected(found, sentence, m, heading))


def _misdirected(found: Source, sentence: Span, m: re.Match[str], heading: Heading) -> Maker:
    family = _families(found)[heading.word]
    siblings = [h for h in family.values() if h.parent == heading.parent]

    def make(rng: random.Random) -> Edit | None:
        last = max(siblings, key=lambda h: h.value)
        others = [h for h in siblings if h.title.lower() != heading.title.lower()]
        after = found.text[m.end() : m.end() + len(heading.title) + 8].lower()
        place, whole = m.end("num") - len(str(heading.value)), m.end("num")
        name = m["word"].capitalize()
        if others and heading.title.lower() in after:
            target = rng.choice(others)
            text = f"{name} {number_of(target)} is {target.title}, not {heading.title}."
            places = (sentence, span_of(found, target))
            return Edit(place, whole, str(target.value), places, text, STRUCTURAL)
        new = last.value + rng.randint(1, 3)
        text = (
            f"There is no {name} {m['num'].rpartition('.')[0]}{new}; the last is {number_of(last)}."
        )
        if re.search(rf"\b{name}\s+{new}\b", found.text, re.I):
            return None
        return Edit(place, whole, str(new), (sentence, span_of(found, last)), text, STRUCTURAL)

    return make
