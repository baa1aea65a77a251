"""One quantity or date that a document states twice, differently."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .linked import Line, Value, lines, words
from .prose import MONTHS, Quantity, Span, _with_numbers, one_digit, with_numbers

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
    short = va.quantity is not None and len(_significant(va.quantity.printed)) < 3
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
        return len(_significant(a.quantity.printed)) >= 3 and not same
    least = 2 if a.quantity.kind == "percent" and "." in a.quantity.printed else 3
    if len(_significant(a.quantity.printed)) < least or not same:
        return False
    return one_digit(abs(a.quantity.value), b.quantity)


# ------------------------------------------------------------------ sentence and row


@dataclass(frozen=True)
class _Cells:
    """A row with its numbers as printed."""

    line: Line
    printed: tuple[str, ...]


def level_row(doc: Doc) -> list[Answer]:
    """A level in a sentence that is one digit off the row that the sentence names.

    All words of the row's label stand in the sentence. The number stands nowhere else, and a
    cell of the row, in the same form, differs from it by one digit or a swapped pair. Another
    number of the sentence stands in the same row, or the sentence says of the label alone that
    it is the number.
    """
    by: dict[str, list[_Cells]] = defaultdict(list)
    for line in lines(doc):
        if line.words <= _GENERAL:
            continue
        held = _Cells(line, tuple(_printed(doc, v.start, v.end) for v in line.values))
        for word in line.words:
            by[word].append(held)
    counts = Counter(_number().findall(doc.text))
    found = []
    for sentence, numbers in with_numbers(doc):
        levels = [q for q in numbers if q.kind in ("money", "plain", "percent")]
        if len(levels) > _MOST:
            continue
        for q in levels:
            if len(_significant(q.printed)) >= 2 and not _in_formula(doc, q):
                best = _row_of(doc, sentence, q, levels, by, counts[q.printed] == 1)
                if best:
                    found.append(best)
    return found


_GENERAL = frozenset(
    (*MONTHS, "fiscal", "year", "quarter", "balance", "thereafter", "month", "week")
)
_BETWEEN = frozenset(
    [
        "million",
        "billion",
        "thousand",
        "three",
        "six",
        "nine",
        "twelve",
        "month",
        "months",
        "year",
        "fiscal",
        "quarter",
        "first",
        "second",
        "third",
        "fourth",
        "ended",
        "ending",
        "compared",
        "versus",
        "vs",
        "increase",
        "increased",
        "decrease",
        "decreased",
        "respectively",
        "prior",
        "period",
        "same",
        "current",
        "last",
        "previous",
        "approximately",
        "about",
        "while",
        "up",
        "down",
        "higher",
        "lower",
        "only",
        "both",
        "benefit",
        "expense",
        "income",
        "loss",
        "inflow",
        "outflow",
        "gain",
        "charge",
        "sale",
        "revenue",
    ]
) | frozenset(MONTHS)
_BASIS = frozenset(
    ["non", "adjusted", "organic", "underlying", "core", "comparable", "constant", "neutral", "pro"]
)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?|\.\d+")


def _in_formula(doc: Doc, q: Quantity) -> bool:
    around = doc.text[max(0, q.start - 1) : q.start] + doc.text[q.end : q.end + 1]
    return bool(set(around) & set("{}/^_=\\"))


def _significant(printed: str) -> str:
    return re.sub(r"\D", "", printed).lstrip("0")


def _printed(doc: Doc, start: int, end: int) -> str:
    match = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", doc.text[start:end])
    return match.group() if match else ""


def _row_of(doc: Doc, sentence: Span, q: Quantity, levels: list[Quantity],
            by: dict[str, list[_Cells]], once: bool) -> Answer | None:  # fmt: skip
    near = words(doc.text[max(sentence[0], q.start - 200) : min(sentence[1], q.end + 120)])
    options = {
        held.line.start: held for w in near for held in by.get(w, ())
        if held.line.words <= near and not sentence[0] <= held.line.start < sentence[1]
    }  # fmt: skip
    known = [held.line.words for held in options.values() if q.printed in held.printed]
    said = {a.printed for a in levels}
    best: tuple[float, _Cells, str] | None = None
    for held in options.values():
        slips = [p for v, p in zip(held.line.values, held.printed, strict=True)
                 if _same_unit(q, v, p) and p not in said and _is_slip(p, q)]  # fmt: skip
        if (
            not slips
            or (near & _BASIS) - held.line.words
            or any(w >= held.line.words for w in known)
        ):
            continue
        partners = [a for a in levels if a is not q and a.printed in held.printed
                    and _is_beside(doc, a, q)]  # fmt: skip
        digits = sum(len(_significant(p)) for p in {a.printed for a in partners})
        alone = (
            once and _is_said_of(doc, sentence, q, held.line) and len(_significant(q.printed)) >= 3
        )
        if digits < 3 and not alone and not (digits == 2 and len(held.line.words - _GENERAL) >= 3):
            continue
        weight = 0.1 * min(digits, 6) + (0.3 if alone else 0.0) + 0.05 * len(held.line.words)
        if best is None or weight > best[0]:
            best = (weight, held, slips[0])
    if best is None:
        return None
    weight, held, printed = best
    told = f"{q.printed} is stated, but the row {held.line.label} has {printed}"
    places = [sentence, (held.line.start, held.line.end)]
    return finding(doc, "level_row", places, told, min(0.3 + 0.5 * weight, 0.75))


def _same_unit(q: Quantity, v: Value, printed: str) -> bool:
    if q.kind == "percent":
        return v.percent or "." in printed
    return not v.percent and len(_significant(printed)) >= 3


def _is_beside(doc: Doc, a: Quantity, b: Quantity) -> bool:
    """Whether two numbers are said of one thing: only periods and comparing words between."""
    first, last = sorted((a, b), key=lambda q: q.start)
    between = doc.text[first.end : last.start]
    return len(between) < 160 and not words(between) - _BETWEEN and ";" not in between


@cache
def _is() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:was|were|is|are|of|totall?ed|reached|amounted\s+to|at)\s+(?:approximately\s+|about\s+|a\s+)?$",
        re.I,
    )


def _is_said_of(doc: Doc, sentence: Span, q: Quantity, line: Line) -> bool:
    """Whether the words from the start of the sentence to the number are the label's."""
    before = doc.text[sentence[0] : q.start]
    verb = _is().search(before)
    if not verb:
        return False
    tail = words(" ".join(before[: verb.start()].split()[-len(line.words) - 1 :]))
    if verb.group().lower().startswith("of") and len(line.words) >= 2 and line.words <= tail:
        return True
    if len(before) > 120:
        return False
    said = words(re.sub(r"\([^)]*\)", "", before[: verb.start()]))
    return bool(line.words) and len(line.words & said) >= 0.75 * len(said | line.words)


def _is_slip(printed: str, q: Quantity) -> bool:
    if not printed or len(printed) != len(q.printed):
        return False
    decimals = len(q.printed.partition(".")[2])
    if len(printed.partition(".")[2]) != decimals:
        return False
    return one_digit(float(printed.replace(",", "")) * q.step * 10**decimals, q)


# ------------------------------------------------------------------ swapped digits


def swapped(doc: Doc) -> list[Answer]:
    """Two numbers of four digits or more, close by, of which one is the other with two swapped.

    "If 97.54% lived ... 100% - 97.45%": the same unit and form within 400 characters in running
    text; the one stands once in the document, and the other is not in its sentence's list.
    """
    counts = Counter(_number().findall(doc.text))
    recent: list[Quantity] = []
    found = []
    for _, numbers in with_numbers(doc):
        for q in numbers:
            if q.kind not in ("percent", "plain", "money") or len(_significant(q.printed)) < 4:
                continue
            recent = [r for r in recent if q.start - r.end < 400]
            for r in recent:
                once = counts[q.printed] == 1 or counts[r.printed] == 1
                if r.kind == q.kind and once and _is_swap(r.printed, q.printed):
                    told = f"{r.printed} and then {q.printed}: the same digits, two of them swapped"
                    spans = [_about(doc, r), _about(doc, q)]
                    found.append(finding(doc, "swapped", spans, told, 0.55))
            recent.append(q)
    return found


def _is_swap(a: str, b: str) -> bool:
    if a == b or len(a) != len(b):
        return False
    wrong = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if len(wrong) != 2 or not (a[wrong[0]] + a[wrong[1]]).isdigit():
        return False
    beside = not any(c.isdigit() for c in a[wrong[0] + 1 : wrong[1]])
    return beside and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]]


def _about(doc: Doc, q: Quantity) -> Span:
    """A number with three words on each side, on its line."""
    before = doc.text[max(0, q.start - 40) : q.start].rpartition("\n")[2].split(" ")[-4:]
    after = doc.text[q.end : q.end + 40].partition("\n")[0].split(" ")[:4]
    return q.start - len(" ".join(before)), q.end + len(" ".join(after))


# ------------------------------------------------------------------ scale


def other_scale(doc: Doc) -> list[Answer]:
    """An amount in billions that stands in millions elsewhere, of the same thing.

    The same digits, three at least, once with this scale; elsewhere in a sentence that shares
    half its words, or in a row of a table of known scale whose label stands in the sentence.
    """
    by_digits: dict[str, list[tuple[Span, Quantity]]] = defaultdict(list)
    for sentence, numbers in with_numbers(doc):
        for q in numbers:
            if (
                q.kind in ("money", "plain")
                and len(_significant(q.printed)) >= 3
                and _scale_of(q) > 1
            ):
                by_digits[q.printed].append((sentence, q))
    rows: dict[str, list[Line]] = defaultdict(list)
    for line in lines(doc):
        if line.scale and not line.words <= _GENERAL:
            for v in line.values:
                rows[_printed(doc, v.start, v.end)].append(line)
    found = []
    for printed, group in by_digits.items():
        for sentence, q in group:
            if sum(_scale_of(x) == _scale_of(q) for _, x in group) > 1:
                continue
            other = _with_scale(doc, sentence, q, group) or _row_with_scale(
                doc, sentence, q, rows[printed]
            )
            if other:
                shown = re.sub(r"\s+", " ", doc.text[q.start : q.end])
                told = f"{shown} here, but {other[1]} where the same is stated again"
                found.append(finding(doc, "other_scale", [sentence, other[0]], told, 0.65))
    return found


def _scale_of(q: Quantity) -> float:
    return q.step * 10 ** len(q.printed.partition(".")[2])


def _with_scale(doc: Doc, sentence: Span, q: Quantity, group: list) -> tuple[Span, str] | None:
    mine = words(doc.text[slice(*sentence)])
    for span, other in group:
        if abs(_scale_of(other) - _scale_of(q)) < 1:
            continue
        theirs = words(doc.text[slice(*span)])
        if len(mine & theirs) >= max(3, 0.5 * min(len(mine), len(theirs))):
            return span, re.sub(r"\s+", " ", doc.text[other.start : other.end])
    return None


def _row_with_scale(
    doc: Doc, sentence: Span, q: Quantity, rows: list[Line]
) -> tuple[Span, str] | None:
    if any(abs(line.scale - _scale_of(q)) < 1 for line in rows):
        return None
    said = words(doc.text[slice(*sentence)])
    for line in rows:
        ratio = line.scale / _scale_of(q)
        if line.words <= said and (ratio > 900 or ratio < 1 / 900):
            return (line.start, line.end), f"in a table in {line.scale:,.0f}s"
    return None


KINDS = {
    "swapped": Kind(swapped, "numeric"),
    "other_scale": Kind(other_scale, "numeric"),
    "same_event": Kind(same_event, "numeric"),
    "same_event_date": Kind(same_event_date, "non-numeric"),
    "level_row": Kind(level_row, "numeric"),
}
