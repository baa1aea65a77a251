"""Numbers tied to others far from them: averages, remainders, sums said "in all"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .linked import lines, words
from .prose import WORDS, Quantity, around, one_digit, paragraphs, quantities, with_numbers, written

_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
         "eighty": 80, "ninety": 90}  # fmt: skip


@dataclass(frozen=True)
class _Stated:
    """A labelled number: the words that name it, its bounds with rounding, its place."""

    words: frozenset[str]
    value: float
    step: float
    printed: str
    start: int
    end: int

    @property
    def bounds(self) -> tuple[float, float]:
        rounded = "." in self.printed or self.step > 1
        half = self.step / 2 if rounded else 0.0
        return abs(self.value) - half, abs(self.value) + half


@cache
def _totals() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:aggregate|total|combined|overall)\s+(?P<what>(?:[a-z-]+\s+){0,4}?)(?:of|was|were|is|at|:)\s+(?:approximately\s+)?(?=[$€£]?\d)",
        re.I,
    )


def _average_labels(doc: Doc) -> list[_Stated]:
    """Averages that a row or a sentence states."""
    found = []
    for line in lines(doc):
        if not {"average", "mean"} & line.words or "weighted" in line.words or len(line.values) > 3:
            continue
        for v in line.values:
            printed = doc.text[v.start : v.end].strip("$€£ ")
            label = line.words - {"average", "mean"}
            found.append(_Stated(label, v.value, v.step, printed, line.start, line.end))
    for sentence, numbers in with_numbers(doc):
        for q in numbers:
            before = doc.text[max(sentence[0], q.start - 70) : q.start]
            named = re.search(
                r"\b(?:average|mean)\s+((?:[a-z-]+\s+){1,4})(?:of|was|is)\s+(?:about\s+)?$",
                before,
                re.I,
            )
            if named and q.kind in ("money", "plain") and "weighted" not in before:
                found.append(_Stated(words(named[1]), q.value, q.step, q.printed, q.start, q.end))
    return found


def average(doc: Doc) -> list[Answer]:
    """An average beside the total and the count that it is made of.

    "24,874 contracts", "an aggregate balance of $520.00 million" and "Average contract balance
    20,095": 520,000,000 / 24,874 = 20,905. Reported only if the quotient, rounded as the
    average is, differs from it by one digit or a swapped pair.
    """
    averages = [a for a in _average_labels(doc) if a.words and len(a.printed) >= 3]
    if not averages:
        return []
    counts, totals = list(_counted(doc)), list(_total_values(doc))
    found = []
    for mean in averages:
        options = [
            (total, count) for total in totals for count in counts
            if total.words & mean.words and count.words & mean.words and count.value > 9
        ]  # fmt: skip
        if any(_gives(total, count, mean) for total, count in options):
            continue
        for total, count in options:
            exact = total.value / count.value
            if (
                _is_slip(exact, mean)
                and total.bounds[1] / count.value - total.bounds[0] / count.value <= mean.step
            ):
                told = f"{written(total.value)} / {written(count.value)} = {exact:,.2f}, but {mean.printed} is stated"
                spans = [(x.start, x.end) for x in (mean, total, count)]
                found.append(finding(doc, "average", spans, told, 0.65))
                break
    return found


def _counted(doc: Doc) -> Iterator[_Stated]:
    for _, numbers in with_numbers(doc):
        for q in numbers:
            if q.kind == "plain" and q.value == int(q.value) and q.value > 9:
                after = re.match(
                    r"\s+((?:[\w-]+\s+){0,4}?[a-z-]+s)\b", doc.text[q.end : q.end + 60]
                )
                if after:
                    yield _Stated(
                        words(after[1]), q.value, q.step, q.printed, q.start, q.end + after.end()
                    )
    for line in lines(doc):
        if "number" in line.words and len(line.values) == 1:
            v = line.values[0]
            yield _Stated(
                line.words, v.value, v.step, doc.text[v.start : v.end], line.start, line.end
            )


def _total_values(doc: Doc) -> Iterator[_Stated]:
    for match in _totals().finditer(doc.text):
        amounts = quantities(doc.text, match.end(), min(match.end() + 40, len(doc.text)))
        if amounts and amounts[0].kind in ("money", "plain"):
            q = amounts[0]
            yield _Stated(words(match["what"]), q.value, q.step, q.printed, match.start(), q.end)


def _gives(total: _Stated, count: _Stated, mean: _Stated) -> bool:
    low, high = (b / count.value for b in total.bounds)
    return low - mean.step <= abs(mean.value) <= high + mean.step


def _is_slip(value: float, mean: _Stated) -> bool:
    q = Quantity(0, 0, mean.value, mean.step, "plain", mean.printed)
    return one_digit(round(value / mean.step) * mean.step, q)


# ------------------------------------------------------------------ the remaining part of a row


@cache
def _rest_of() -> re.Pattern[str]:
    return re.compile(
        r"\bremaining\s+(?P<b>[$€£]?\d[\d,]*(?:\.\d+)?(?:\s(?:million|billion|thousand))?)\s+of\s+(?:the\s+|our\s+|its\s+)?(?P<what>[^.;,\n]{3,70})",
        re.I,
    )


def remaining_of(doc: Doc) -> list[Answer]:
    """ "Interest on the loan was $480 ... the remaining $192 of interest expense" against a row.

    The part and the rest must give a number of the row whose label they name; reported if they
    miss each and one by a slip.
    """
    found = []
    rows = lines(doc)
    for match in _rest_of().finditer(doc.text):
        rest = quantities(doc.text, *match.span("b"))
        paragraph = next(((a, b) for a, b in paragraphs(doc) if a <= match.start() < b), None)
        if not rest or paragraph is None:
            continue
        named = words(match["what"])
        parts = [q for q in quantities(doc.text, max(paragraph[0], match.start() - 400), match.start())
                 if q.kind == rest[0].kind and q.step == rest[0].step]  # fmt: skip
        values = [v for line in rows if line.words <= named for v in line.values]
        held = [abs(v.value) for v in values]
        sums = [(part, part.value + rest[0].value) for part in parts[-6:]]
        if any(abs(h - sum_) < rest[0].step for h in held for _, sum_ in sums):
            continue
        for part, sum_ in reversed(sums):
            near = [v for v in values if _slip(sum_, abs(v.value))]
            if near:
                stated = written(abs(near[0].value))
                told = f"{part.printed} + {rest[0].printed} = {written(sum_)}, but the table has {stated}"
                spans = [(part.start, part.end), match.span(), (near[0].start, near[0].end)]
                found.append(finding(doc, "remaining_of", spans, told, 0.6))
                break
    return found


def _slip(a: float, b: float) -> bool:
    printed = f"{b:.0f}"
    return len(printed) >= 3 and one_digit(a, Quantity(0, 0, b, 1.0, "plain", printed))


# ------------------------------------------------------------------ sums in words


@cache
def _in_all() -> re.Pattern[str]:
    number = rf"(?:(?<![\d,.])\d[\d,]{{0,12}}(?![\d,])|(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(WORDS[1:10])}))?|\b(?:{'|'.join(WORDS[1:])}))"
    return re.compile(
        rf"\b(?P<n>{number})\s+(?:[a-z]+\s+){{0,3}}?(?:in\s+all|altogether|all\s+told)\b", re.I
    )


@cache
def _spelled() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(WORDS[1:10])}))?|{'|'.join(WORDS[1:])})\b|(?<![\w.,$])\d{{1,3}}(?![\w.,%]|-\w)",
        re.I,
    )


def in_all(doc: Doc) -> list[Answer]:
    """ "Three in October, two in November, ... nine in March: twenty-four in all."

    Four numbers or more, in the same paragraph and joined as a list, against the sum said after
    them; reported if the whole list misses it by one or two and no shorter end of it gives it.
    """
    found = []
    said = re.compile(r"\b(?:in\s+all|altogether|all\s+told)\b", re.I)
    windows = around(doc.text, said, 90, 1)
    for match in (m for low, high in windows for m in _in_all().finditer(doc.text, low, high)):
        total = _number(match["n"])
        start = max(doc.text.rfind("\n\n", 0, match.start()), match.start() - 700, 0)
        run = _run(doc.text, start, match.start())
        values = [_number(m.group()) for m in run]
        sums = {sum(values[i:]) for i in range(len(values) - 1)}
        if len(values) >= 4 and total not in sums and 0 < abs(sum(values) - total) <= 2:
            told = f"{' + '.join(map(str, values))} = {sum(values)}, but {total} in all is stated"
            found.append(
                finding(doc, "in_all", [(run[0].start(), run[-1].end()), match.span()], told, 0.5)
            )
    return found


def _number(word: str) -> int:
    word = word.lower().replace(",", "")
    if word.isdigit():
        return int(word)
    tens, _, ones = word.partition("-")
    return _TENS.get(tens, WORDS.index(tens) if tens in WORDS else 0) + (
        WORDS.index(ones) if ones else 0
    )


def _run(text: str, start: int, end: int) -> list[re.Match[str]]:
    """The numbers before a sum, as far back as they are joined as a list."""
    marks = list(_spelled().finditer(text, start, end))
    run: list[re.Match[str]] = []
    for mark in reversed(marks):
        between = text[mark.end() : run[-1].start()] if run else text[mark.end() : end]
        limit = 250 if not run else 60
        if len(between) > limit or (run and not re.search(r"[,;]|\band\b|\bthen\b", between)):
            break
        run.append(mark)
    return run[::-1]


KINDS = {
    "average": Kind(average, "numeric"),
    "remaining_of": Kind(remaining_of, "numeric"),
    "in_all": Kind(in_all, "numeric"),
}
