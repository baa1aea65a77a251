"""Levels that sentences state, against the table row that holds them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .linked import Line, Value, lines, words
from .prose import MONTHS, Quantity, Span, one_digit, with_numbers

_MOST = 60  # numbers of one sentence: more make a list, not statements


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
        if line.words <= GENERAL:
            continue
        held = _Cells(line, tuple(printed_in(doc, v.start, v.end) for v in line.values))
        for word in line.words:
            by[word].append(held)
    counts = Counter(number_pattern().findall(doc.text))
    found = []
    for sentence, numbers in with_numbers(doc):
        levels = [q for q in numbers if q.kind in ("money", "plain", "percent")]
        if len(levels) > _MOST:
            continue
        for q in levels:
            if len(significant(q.printed)) >= 2 and not _in_formula(doc, q):
                best = _row_of(doc, sentence, q, levels, by, counts[q.printed] == 1)
                if best:
                    found.append(best)
    return found


GENERAL = frozenset(
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
def number_pattern() -> re.Pattern[str]:
    return re.compile(r"\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?|\.\d+")


def _in_formula(doc: Doc, q: Quantity) -> bool:
    around = doc.text[max(0, q.start - 1) : q.start] + doc.text[q.end : q.end + 1]
    return bool(set(around) & set("{}/^_=\\"))


def significant(printed: str) -> str:
    return re.sub(r"\D", "", printed).lstrip("0")


def printed_in(doc: Doc, start: int, end: int) -> str:
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
        digits = sum(len(significant(p)) for p in {a.printed for a in partners})
        alone = (
            once and _is_said_of(doc, sentence, q, held.line) and len(significant(q.printed)) >= 3
        )
        if digits < 3 and not alone and not (digits == 2 and len(held.line.words - GENERAL) >= 3):
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
    return not v.percent and len(significant(printed)) >= 3


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


KINDS = {"level_row": Kind(level_row, "numeric")}
