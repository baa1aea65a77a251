"""One event that a document tells twice, with another number or date."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .levels import significant
from .linked import words
from .prose import MONTHS, Quantity, Span, _with_numbers, one_digit

_MOST = 60  # statements with the same words around that are compared with one another
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True)
class _Value:
    """A number or date in a sentence, with the words on both sides."""

    start: int
    end: int
    text: str
    quantity: Quantity | None
    date: tuple[int, int, int] | None
    left: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True)
class _Said:
    """A sentence: its words that carry meaning, its numbers and dates, what periods it names."""

    span: Span
    words: frozenset[str]
    marks: Counter[str]
    periods: Counter[str]
    values: tuple[_Value, ...]


@cache
def _date() -> re.Pattern[str]:
    return re.compile(
        r"(?P<month>January|February|March|April|May|June|July|August|September|October|November|December)"
        r"\s+(?P<day>\d{1,2}),?\s+(?P<year>(?:19|20)\d\d)\b"
    )


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+(?:['’.&-][^\W\d_]+)*|\d[\d,.]*\d|\d|[%$€£]")


@cache
def _period() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:three|six|nine|twelve|thirteen|twenty-six|first|second|third|fourth|current|prior|previous|"
        r"comparable|respectively|annual|quarter(?:ly)?|months?|years?|weeks?|fiscal|domestic|international|"
        r"basic|diluted|gaap|non-gaap|adjusted|minimum|maximum|low|high|total|net|gross|increase[ds]?|decrease[ds]?|"
        r"higher|lower|reopened|additional|new|another|other|former|latter|expires?|matur\w+|issued|due)\b",
        re.I,
    )


@lru_cache(maxsize=2)
def _said(document: str, mask: tuple[Span, ...]) -> list[_Said]:
    result = []
    for span, quantities in _with_numbers(document, mask):
        if span[1] - span[0] > 1500:
            continue
        text = document[slice(*span)]
        if "://" in text or "`" in text:
            continue
        dates = [(m, _as_date(m)) for m in _date().finditer(document, *span)]
        places: list[tuple[int, int, Quantity | None, tuple[int, int, int] | None]] = [
            (m.start(), m.end(), None, d) for m, d in dates
        ]
        places += [
            (q.start, q.end, q, None) for q in quantities
            if q.kind in ("money", "percent", "plain", "points", "bps")
        ]  # fmt: skip
        if not places:
            continue
        values = tuple(
            _value(document, span, *place) for place in sorted(places, key=lambda p: p[0])
        )
        marks = Counter(_mark(v) for v in values)
        marks.update(f"y{int(q.value)}" for q in quantities if q.kind == "year")
        periods = Counter(w.lower() for w in _period().findall(text))
        result.append(_Said(span, words(text) - frozenset(MONTHS), marks, periods, values))
    return result


def _as_date(match: re.Match[str]) -> tuple[int, int, int]:
    month = MONTHS.index(match["month"].lower()) + 1
    return int(match["year"]), month, int(match["day"])


def _mark(value: _Value) -> str:
    if value.date:
        return "d{}-{}-{}".format(*value.date)
    assert value.quantity is not None
    return f"{value.quantity.kind}{value.quantity.value:g}"


def _value(text: str, span: Span, start: int, end: int, quantity: Quantity | None,
           date: tuple[int, int, int] | None) -> _Value:  # fmt: skip
    left = tuple(t.lower() for t in _token().findall(text, max(span[0], start - 70), start)[-4:])
    right = tuple(t.lower() for t in _token().findall(text, end, min(span[1], end + 70))[:4])
    return _Value(start, end, text[start:end], quantity, date, left, right)


def same_event(doc: Doc) -> list[Answer]:
    """Two sentences about one event that give one number differently.

    Four words on one side of the number agree, the words that carry meaning of the one are all
    but a few in the other, and so are all its other numbers and dates and the periods it
    names; the numbers, of three digits or more, differ by one digit or a swapped pair.
    """
    return _events(doc, "same_event", dates=False)


def same_event_date(doc: Doc) -> list[Answer]:
    """Two sentences about one event that date it differently, in one part of the date."""
    return _events(doc, "same_event_date", dates=True)


def _events(doc: Doc, name: str, dates: bool) -> list[Answer]:
    groups: dict[tuple, list[tuple[_Said, _Value]]] = defaultdict(list)
    for said in _said(doc.text, doc.mask):
        for value in said.values:
            if bool(value.date) is dates:
                kind = value.quantity.kind if value.quantity else ""
                for side, context in (("left", value.left), ("right", value.right)):
                    if len(context) == 4:
                        groups[side, kind, context].append((said, value))
    found: dict[tuple[int, int], Answer] = {}
    for group in groups.values():
        for a, b in _pairs(group):
            key = (a[1].start, b[1].start)
            if key not in found and _conflict(a, b):
                told = f"{a[1].text} in one place, {b[1].text} in another, in the same words"
                spans = [a[0].span, b[0].span]
                found[key] = finding(doc, name, spans, re.sub(r"\s+", " ", told), 0.6)
    return [found[key] for key in sorted(found)]


def _pairs(group: list) -> Iterator[tuple[tuple[_Said, _Value], tuple[_Said, _Value]]]:
    if len(group) > _MOST:
        return
    for i, a in enumerate(group):
        for b in group[i + 1 :]:
            if a[0].span != b[0].span:
                yield a, b


def _conflict(a: tuple[_Said, _Value], b: tuple[_Said, _Value]) -> bool:
    (sa, va), (sb, vb) = a, b
    if va.date and vb.date and _in_one_range(va, vb) and _slip_of_date(va.date, vb.date):
        return True
    if not _slip(va, vb) or _mark(vb) in sa.marks or _mark(va) in sb.marks:
        return False
    shared = sa.words & sb.words
    extra = sorted((len(sa.words - shared), len(sb.words - shared)))
    rest_a, rest_b = sa.marks - Counter([_mark(va)]), sb.marks - Counter([_mark(vb)])
    fewer, more = sorted((rest_a, rest_b), key=lambda c: sum(c.values()))
    anchors = sum((fewer & more).values())
    most = 0.4 if anchors >= 3 else 0.25 if anchors == 2 else 0.08
    if (
        len(shared) < (5 if anchors >= 3 else 7)
        or extra[0] > most * len(shared)
        or extra[1] > 1.5 * len(shared)
    ):
        return False
    short = va.quantity is not None and len(significant(va.quantity.printed)) < 3
    if short and anchors < 2:
        return False
    if fewer - more or (not va.date and not fewer and extra[1] > 0):
        return False
    fewer_p, more_p = sorted((sa.periods, sb.periods), key=lambda c: sum(c.values()))
    return not fewer_p - more_p and (extra[1] <= 2 or sum((more_p - fewer_p).values()) <= 2)


def _in_one_range(a: _Value, b: _Value) -> bool:
    """The first dates of two ranges that end alike: "from March 10, 2016 through December ..."."""
    return (
        a.right == b.right and a.right[:1] in (("through",), ("to",), ("until",))
        and a.right[-1][0].isdigit() and a.left[-2:] == b.left[-2:] and len(a.left) >= 2
    )  # fmt: skip


def _slip_of_date(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    return sum(x != y for x, y in zip(a, b, strict=True)) == 1


def _slip(a: _Value, b: _Value) -> bool:
    if a.date and b.date:
        if {a.left[-1:], b.left[-1:]} & {
            (w,) for w in ("ended", "at", "of", "and", "between", "through", "ending")
        }:
            return False
        return _slip_of_date(a.date, b.date)
    if a.quantity is None or b.quantity is None or a.quantity.value == b.quantity.value:
        return False
    same = abs(a.quantity.step - b.quantity.step) < 1e-9 * a.quantity.step
    if a.quantity.printed == b.quantity.printed:
        return len(significant(a.quantity.printed)) >= 3 and not same
    least = 2 if a.quantity.kind == "percent" and "." in a.quantity.printed else 3
    if len(significant(a.quantity.printed)) < least or not same:
        return False
    return one_digit(abs(a.quantity.value), b.quantity)


KINDS = {
    "same_event": Kind(same_event, "numeric"),
    "same_event_date": Kind(same_event_date, "non-numeric"),
}
