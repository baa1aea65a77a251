"""Numbers in sequence: headings and list items."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .headings import Target, roman, targets
from .prose import Span, paragraphs

_FAMILIES = (
    "note",
    "chapter",
    "table",
    "figure",
    "article",
    "appendix",
    "annex",
    "step",
    "section",
    "box",
)


def heading_sequence(doc: Doc) -> list[Answer]:
    """A heading whose number breaks the sequence: 4, 9, 6 or 4, 6 or 4, 4.

    Headings of one family in the body of the text, a sequence beginning anew at its first
    number. A gap counts only if no line begins with the missing number in any other form.
    """
    found: list[Answer] = []
    for family in _FAMILIES:
        for run in _runs([t for t in targets(doc) if t.family == family and t.order]):
            found += _breaks(doc, family, run)
    return found


def _runs(headings: list[Target]) -> Iterator[list[Target]]:
    """Sequences of headings, each without repeats such as "(continued)"."""
    for contents in (True, False):
        run: list[Target] = []
        for t in (t for t in headings if t.contents is contents):
            if run and t.number == run[-1].number and (t.title == run[-1].title or not t.title):
                continue
            if run and t.order == 1 and (run[-1].order or 0) > 1:
                yield run
                run = []
            run.append(t)
        if run:
            yield run


def _breaks(doc: Doc, family: str, run: list[Target]) -> Iterator[Answer]:
    numbers = [t.order or 0 for t in run]
    steps = sum(b == a + 1 for a, b in itertools.pairwise(numbers))
    steps += sum(
        c == a + 2 and b != a + 1
        for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False)
    )
    if len(run) < 3 or steps < 0.6 * (len(run) - 1) - 1 or steps < 1:
        return
    name = family.capitalize()
    for i in range(1, len(run)):
        before, here = numbers[i - 1], numbers[i]
        after = numbers[i + 1] if i + 1 < len(run) else None
        if here == before + 1:
            continue
        places = [run[i - 1], run[i], *run[i + 1 : i + 2]]
        spans = [(t.start, t.end) for t in places]
        if after == before + 2 and run[i].number != run[i - 1].number:
            told = f"{name} {run[i].number} stands between {name} {before} and {after}: {before + 1} is due"
            yield finding(doc, "heading_sequence", spans, told, 0.85)
        elif here == before + 2 and after in (None, here + 1, here + 2):
            misplaced = i + 1 < len(run) and after == here + 2
            if not misplaced and _is_somewhere(doc, family, before + 1, run):
                continue
            told = f"{name} {before} is followed by {name} {here}: {before + 1} is missing"
            yield finding(doc, "heading_sequence", spans[:2], told, 0.6)
        elif here == before and run[i].title != run[i - 1].title:
            told = f"two headings are {name} {here}"
            yield finding(doc, "heading_sequence", spans[:2], told, 0.7)


def _is_somewhere(doc: Doc, family: str, number: int, run: list[Target]) -> bool:
    """Whether a line, cell or paragraph begins with a number in any form a heading can take."""
    name = "" if family == "section" else rf"{family[:3]}\w*\.?\s*"
    letters = run[0].number.isalpha()
    shown = chr(64 + number) if letters else str(number)
    pattern = rf"(?:^|[|>*#(]|\n)\s*(?:[*_#|\s]|<[^>\n]*>)*{name}{shown}\b(?!\s*(?:%|million|\d|,\d|\.\d))"
    start, end = run[0].start, run[-1].end + 20_000
    return any(
        not (t.start <= m.start() < t.end)
        for m in re.finditer(pattern, doc.text[start:end], re.I)
        for t in run[:1]
    )


def heading_titles(doc: Doc) -> list[Answer]:
    """One title under two numbers, as in the table of contents and over the text.

    The titles agree word for word; the number reported is the one that occurs once.
    """
    found = []
    by_title: dict[tuple[str, str], list[Target]] = defaultdict(list)
    for t in targets(doc):
        if t.family in (*_FAMILIES, "item", "exhibit") and len(t.title) > 7:
            by_title[t.family, t.title].append(t)
    for (family, _), group in by_title.items():
        numbers = Counter(t.number for t in group)
        if len(numbers) != 2 or min(numbers.values()) != 1:
            continue
        if family == "section" and len({t.contents for t in group}) == 1:
            continue  # sections of two chapters may share a title
        rare = min(numbers, key=lambda n: (numbers[n], -_last(group, n)))
        odd = next(t for t in group if t.number == rare)
        other = next(t for t in group if t.number != rare)
        told = f"the same title is {family} {other.number} in one place and {family} {odd.number} in another"
        spans = [(odd.start, odd.end), (other.start, other.end)]
        found.append(finding(doc, "heading_titles", spans, told, 0.65))
    return found


def _last(group: list[Target], number: str) -> int:
    return max(t.start for t in group if t.number == number)


# ------------------------------------------------------------------ list items


@dataclass(frozen=True)
class _Item:
    style: str
    number: int
    start: int
    end: int


@cache
def _enumerator() -> re.Pattern[str]:
    return re.compile(
        r"^(?P<indent>[ \t]{0,12}(?:[|>*_]+[ \t]*)?)(?P<open>\()?(?P<num>\d{1,2}|[a-z]|[ivx]{2,5})(?P<close>[.)])"
        r"[*_]*[ \t]+(?=\S)|^\\item\[\(?(?P<num2>\d{1,2}|[a-z])\)?\.?\]",
        re.M,
    )


def list_sequence(doc: Doc) -> list[Answer]:
    """A numbered or lettered list in which one item is missing, doubled or misnumbered.

    Items begin a line. The list must run in sequence for two items before the break, and the
    missing number must not stand anywhere between the two items.
    """
    open_runs: dict[str, list[_Item]] = {}
    found: list[Answer] = []
    for match in _enumerator().finditer(doc.text):
        for style, number in _readings(match):
            run = open_runs.get(style)
            item = _Item(style, number, match.start(), line_end(doc.text, match.end()))
            if run and number == run[-1].number + 1:
                run.append(item)
            elif number == 1:
                open_runs[style] = [item]
            elif run:
                found += _list_break(doc, run, item)
                if number == run[-1].number + 2:
                    run.append(item)
    return found


def _readings(match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The styles an enumerator can belong to: (i) is a letter or a roman number."""
    mark = match["num"] or match["num2"]
    style = (
        f"{len((match['indent'] or '').expandtabs())}{match['open'] or ''}{match['close'] or '['}"
    )
    if mark.isdigit():
        yield style + "1", int(mark)
        return
    value = roman(mark)
    if value is not None:
        yield style + "i", value
    if len(mark) == 1:
        yield style + "a", ord(mark) - 96


def line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return min(end, at + 300)


def _list_break(doc: Doc, run: list[_Item], item: _Item) -> Iterator[Answer]:
    last = run[-1]
    if len(run) < 1 or item.start - last.end > 2500 or item.number != last.number + 2:
        return
    between = doc.text[last.start : item.start]
    missing = last.number + 1
    shown = {"1": str(missing), "a": chr(96 + missing), "i": _small(missing)}[item.style[-1]]
    if re.search(rf"(?<![\w.]){shown}\s?[).]|\({shown}\)", between[3:]):
        return
    told = f"item {doc.text[last.start : last.end][:12].split()[0]} is followed by {doc.text[item.start : item.end].split()[0]}: {shown} is missing"
    yield finding(doc, "list_sequence", [(last.start, last.end), (item.start, item.end)], told, 0.6)


def _small(number: int) -> str:
    return ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"][
        min(number, 12)
    ]


@cache
def _inline() -> re.Pattern[str]:
    return re.compile(r"(?P<before>[^\s(]?[ \n]?)\((?P<num>\d{1,2}|[a-z]|[ivx]{2,4})\)[ \n]?(?=\S)")


def inline_sequence(doc: Doc) -> list[Answer]:
    """ "(1) ..., (2) ..., and (4) ...": an enumeration inside a paragraph that skips a number."""
    found: list[Answer] = []
    for start, end in paragraphs(doc):
        marks = list(_inline().finditer(doc.text, start, end))
        if len(marks) < 2:
            continue
        for style in ("1", "a", "i"):
            found += _inline_breaks(doc, marks, style)
    return found


def _value(mark: str, style: str) -> int | None:
    if style == "1":
        return int(mark) if mark.isdigit() else None
    if style == "i":
        return roman(mark) if mark.isalpha() else None
    return ord(mark) - 96 if len(mark) == 1 and mark.isalpha() else None


def _inline_breaks(doc: Doc, marks: list[re.Match[str]], style: str) -> Iterator[Answer]:
    run: list[tuple[int, re.Match[str]]] = []
    for mark in marks:
        value = _value(mark["num"], style)
        if value is None or _is_cited(doc.text, mark):
            continue
        if value == 1:
            run = [(1, mark)]
        elif run and value == run[-1][0] + 1:
            run.append((value, mark))
        elif run and value == run[-1][0] + 2:
            last = run[-1][1]
            missing = {"1": str(value - 1), "a": chr(95 + value), "i": _small(value - 1)}[style]
            if f"({missing})" in doc.text[last.end() : mark.start()]:
                continue
            told = f"({last['num']}) is followed by ({mark['num']})"
            yield finding(
                doc, "inline_sequence", [_around(doc, last), _around(doc, mark)], told, 0.55
            )
            run.append((value, mark))


def _is_cited(text: str, mark: re.Match[str]) -> bool:
    """Whether an enumerator is part of a citation: Rule 13a-14(a), clauses (i) and (iii)."""
    at = mark.start("num") - 1
    if text[at - 1 : at].isalnum() or text[at - 1 : at] == ")":
        return True
    before = text[max(0, at - 30) : at]
    return bool(re.search(r"(?:clauses?|sections?|items?|rules?|paragraphs?|notes?|footnotes?|§+|subsections?|"
                          r"parts?|in|under|to|see)\s+(?:\(\w+\)(?:,|\s|and|or|through|to)*)*$", before, re.I))  # fmt: skip


def _around(doc: Doc, mark: re.Match[str]) -> Span:
    start = mark.start("num") - 1
    end = doc.text.find("(", start + 1, start + 120)
    stop = end if end > 0 else start + 80
    piece = doc.text[start:stop].rstrip(" \n")
    return start, start + len(piece)


KINDS = {
    "heading_sequence": Kind(heading_sequence, "structural"),
    "heading_titles": Kind(heading_titles, "structural"),
    "list_sequence": Kind(list_sequence, "structural"),
    "inline_sequence": Kind(inline_sequence, "structural"),
}
