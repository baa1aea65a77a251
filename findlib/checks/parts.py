"""Parts that a text names, against the whole it names with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .prose import Quantity, Span, one_digit, with_numbers, written
from .stated import NUMBER, as_quantity, digits_of


def fractions(doc: Doc) -> list[Answer]:
    """Counts over one whole that are all of it, yet do not add up to it: 400/3554, 2657/3554 ...

    Three or more fractions of one denominator in a line or paragraph; reported if they miss
    the denominator by a slip of one digit, so that they seem meant to exhaust it.
    """
    found = []
    by_line: dict[tuple[int, str], list[re.Match[str]]] = {}
    group, last = 0, -1
    pattern = re.compile(rf"(?P<k>{NUMBER})\s*/\s*(?P<n>\d[\d,]*\d)(?![\d/])")
    for match in pattern.finditer(doc.text):
        gap = doc.text[last : match.start()] if last >= 0 else ""
        if (
            last < 0
            or len(gap) > 150
            or "\n\n" in gap
            or "\\\\" in gap
            or re.search(r"\|\s*\n", gap)
        ):
            group += 1
        last = match.end()
        by_line.setdefault((group, match["n"].replace(",", "")), []).append(match)
    for (_, whole), matches in by_line.items():
        parts_ = [as_quantity(m["k"], *m.span("k"), False) for m in matches]
        sum_, n = sum(q.value for q in parts_), float(whole)
        if len(matches) < 3 or sum_ == n or abs(sum_ - n) > 0.03 * n or n < 20:
            continue
        if any(one_digit(n - sum_ + q.value, q) for q in parts_):
            told = (
                f"{' + '.join(q.printed for q in parts_)} = {sum_:g}, but they are parts of {n:g}"
            )
            found.append(finding(doc, "fractions", [m.span() for m in matches], told, 0.7))
    return found


@cache
def _joint() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:consist(?:s|ed|ing)\s+of|compris(?:es|ed|ing)|including|included|made\s+up\s+of|through|"
        r"of\s+which|respectively|as\s+follows|composed\s+of|namely|:|\()", re.I)  # fmt: skip


def parts(doc: Doc) -> list[Answer]:
    """A total in a sentence against the parts named after it.

    "$279 million through dividends of $200 million and repurchases of $79 million". Reported
    only if the parts miss the total by a slip: less than a tenth, or a digit of one of them.
    """
    found = []
    for sentence, numbers in with_numbers(doc):
        for total, group in _totals(doc.text, sentence, numbers):
            sum_ = sum(q.value for q in group)
            room = (total.step + sum(q.step for q in group)) / 2
            if abs(sum_ - total.value) <= room or not _is_slip(total, group, sum_):
                continue
            added = " + ".join(q.printed for q in group)
            told = f"{added} = {written(sum_, min(q.step for q in group))}, but {total.printed} is stated"
            found.append(finding(doc, "parts", [(total.start, group[-1].end)], told, 0.55))
    return found


def _totals(
    text: str, sentence: Span, numbers: list[Quantity]
) -> Iterator[tuple[Quantity, list[Quantity]]]:
    counted = [q for q in numbers if q.kind in ("money", "plain")]
    for i, total in enumerate(counted):
        before = text[max(sentence[0], total.start - 40) : total.start]
        if not re.search(
            r"\b(?:total|totaling|totalling|totaled|aggregate|sum|combined|all|altogether)\b",
            before,
            re.I,
        ):
            continue
        rest = [q for q in counted[i + 1 :] if q.kind == total.kind and digits_of(q.printed) >= 1]
        gap = text[total.end : rest[0].start] if rest else ""
        if len(rest) < 2 or not _joint().search(gap):
            continue
        group = [rest[0]]
        for q in rest[1:]:
            if not re.fullmatch(
                r"[^.;$\d]{0,70}?(?:,|\band\b|\bplus\b)[^.;$\d]{0,40}",
                text[group[-1].end : q.start],
            ):
                break
            group.append(q)
        if len(group) >= 2 and all(q.value < total.value for q in group):
            yield total, group


def _is_slip(total: Quantity, group: list[Quantity], sum_: float) -> bool:
    """Whether one changed digit somewhere explains the difference, or it is small."""
    return abs(sum_ - total.value) <= 0.1 * total.value or any(
        one_digit(total.value - sum_ + q.value, q) for q in group
    ) or one_digit(sum_, total)  # fmt: skip


KINDS = {"fractions": Kind(fractions, "numeric"), "parts": Kind(parts, "numeric")}
