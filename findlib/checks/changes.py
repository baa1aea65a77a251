"""Changes that sentences state: what rose or fell, by how much, to what, from what."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ..records import Answer
from .doc import Doc, Kind, finding
from .prose import Quantity, Span, with_numbers, written

UP = ("increased", "increase", "increasing", "increases", "rose", "risen", "rise", "grew", "grow",
      "grown", "growth", "climbed", "advanced", "gained", "expanded", "up", "higher", "widened",
      "jumped", "surged", "climb", "gain", "exceeded", "improved", "growing", "rising")  # fmt: skip
DOWN = ("decreased", "decrease", "decreasing", "decreases", "declined", "decline", "declining",
        "declines", "fell", "fall", "fallen", "dropped", "drop", "down", "lower", "reduced",
        "reduction", "contracted", "shrank", "slipped", "dipped", "falling")  # fmt: skip
_NOUNS = frozenset(["increase", "rise", "growth", "climb", "gain", "decrease", "decline", "fall", "drop", "reduction", "increases", "decreases", "declines"])  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One stated change: ``sign`` +1 or -1 (0: none said), by ``amount`` and ``percent``.

    ``new`` and ``old`` are the levels after and before; ``subject`` is the stretch of text that
    names what changed; ``verb`` the place of the direction word.
    """

    sentence: Span
    subject: Span
    verb: Span
    sign: int
    amount: Quantity | None = None
    percent: Quantity | None = None
    new: Quantity | None = None
    old: Quantity | None = None
    is_noun: bool = False

    @property
    def parts(self) -> list[Quantity]:
        """The quantities stated, in reading order."""
        found = [q for q in (self.amount, self.percent, self.new, self.old) if q]
        return sorted(found, key=lambda q: q.start)


@cache
def _verb() -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(sorted({*UP, *DOWN}, key=len, reverse=True))})\b", re.I)


_ABOUT = (
    r"(?:(?:approximately|about|nearly|almost|roughly|around|over|some|an?|the|net|total of|just|"
    r"only|more than|less than|slightly|further|income of|gains? of|benefit of|earnings of|~)\s+)*"
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    slow = r"(?:(?:slightly|modestly|significantly|sharply|sequentially|year[- ]over[- ]year|again),?\s+)?"
    return {
        name: re.compile(body, re.I | re.S)
        for name, body in {
            "by": rf"\s*{slow}(?:(?:by|of)\s+)?{_ABOUT}\(?",
            "to": rf"\s*{slow}to\s+{_ABOUT}\(?",
            "from": rf"\s*{slow}from\s+{_ABOUT}\(?",
            "or": rf"\s*[,;]?\s*(?:\(|or\s+(?:by\s+)?|and\s+|representing\s+(?:an?\s+\w+\s+of\s+)?)?{_ABOUT}",
            "then_to": rf"[\s,)]*to\s+{_ABOUT}\(?",
            "then_from": rf"[^.;$%()]{{0,110}}?(?:\bcompared\s+(?:to|with)|\bversus|\bvs\.?|\bfrom|"
            rf"\bas\s+against|\bagainst)\s+(?:[^\W\d][^.;$%()\d]{{0,50}}?\bof\s+)?{_ABOUT}\(?",
            "aside": r",?\s+or\s+",
            "until_to": rf"[^.;$%()]{{0,90}}?\bto\s+{_ABOUT}\(?",
            "level": r"[^.;$%()]{0,60}?,\s*(?:which\s+(?:is|was)\s+|representing\s+)?(?:an?\s+)?",
            "and": rf"\s*,?\s*and\s+(?:(?:increased|decreased|declined|rose|fell|grew)\s+)?(?:by\s+)?{_ABOUT}",
        }.items()
    }


def _fits(name: str, text: str, start: int, end: int) -> bool:
    return end >= start and _patterns()[name].fullmatch(text, start, end) is not None


def changes(doc: Doc) -> list[Change]:
    """Every change that a sentence outside the tables states with at least one quantity."""
    return doc.once(_changes)


def _changes(doc: Doc) -> list[Change]:
    return list(_read_changes(doc))


def _read_changes(doc: Doc) -> Iterator[Change]:
    for sentence, numbers in with_numbers(doc):
        levels = [q for q in numbers if q.kind in ("money", "percent", "plain", "points", "bps")]
        if levels:
            yield from _of_sentence(doc.text, sentence, levels)


def _of_sentence(text: str, sentence: Span, numbers: list[Quantity]) -> Iterator[Change]:
    begin = sentence[0]
    starts = [q.start for q in numbers]
    for verb in _verb().finditer(text, *sentence):
        i = bisect_left(starts, verb.end())
        after = numbers[i : i + 5]
        word = verb.group().lower()
        sign = 1 if word in UP else -1
        if word in ("up", "down") and text[verb.end() : verb.end() + 3].lower() == " to":
            continue
        is_noun = word in _NOUNS
        found = _after_verb(text, verb.end(), after, sentence[1])
        if is_noun and not found.get("amount") and not found.get("percent"):
            continue
        if i and "new" not in found and numbers[i - 1].end <= verb.start():
            level = numbers[i - 1]
            joined = text[level.end : verb.start()]
            if re.fullmatch(r"[\s,]+", joined) or _fits("level", text, level.end, verb.start()):
                found["new"] = level
        if not found:
            continue
        if word in ("higher", "lower", "exceeded", "improved") and not (
            found.get("amount") or found.get("percent")
        ):
            continue
        subject = (_clause_start(text, begin, verb.start()), verb.start())
        yield Change(sentence, subject, verb.span(), sign, is_noun=is_noun, **found)
        yield from _and_more(text, sentence, subject, verb, sign, found, after)


def _after_verb(text: str, at: int, after: list[Quantity], end: int) -> dict[str, Quantity]:
    """Roles of the quantities that follow a direction word."""
    found: dict[str, Quantity] = {}
    i = 0
    while i < len(after):
        q = after[i]
        if not found and _fits("by", text, at, q.start):
            found["percent" if q.kind in ("percent", "points", "bps") else "amount"] = q
        elif (
            len(found) == 1
            and ("amount" in found) != ("percent" in found)
            and _fits("or", text, at, q.start)
        ):
            role = "percent" if q.kind in ("percent", "points", "bps") else "amount"
            if role in found:
                break
            found[role] = q
        elif (
            "new" not in found
            and "old" not in found
            and (_fits("to", text, at, q.start) or (found and _fits("then_to", text, at, q.start)))
        ):
            found["new"] = q
        elif "old" not in found and _fits("from" if not found else "then_from", text, at, q.start):
            found["old"] = q
        elif "old" in found and "new" not in found and _fits("until_to", text, at, q.start):
            found["new"] = q
        elif "new" in found and q.kind == "percent" and _fits("aside", text, at, q.start):
            aside = re.match(r"\s+of\s[^,.;$%()\d]{0,60},?", text[q.end : q.end + 80])
            at = q.end + (aside.end() if aside else 0)
            i += 1
            continue
        else:
            break
        at, i = q.end, i + 1
    return found


def _and_more(text: str, sentence: Span, subject: Span, verb: re.Match[str], sign: int,
              found: dict[str, Quantity], after: list[Quantity]) -> Iterator[Change]:  # fmt: skip
    """The second of two changes: "rose $3 million or 5% and $6 million or 6%, respectively"."""
    if "new" in found or "old" in found:
        return
    last = max((q.end for q in found.values()), default=0)
    rest = [q for q in after if q.start >= last]
    if not rest or not _fits("and", text, last, rest[0].start):
        return
    other = _verb().search(text, last, rest[0].start)
    if other:
        return  # has a verb of its own
    more = _after_verb(text, rest[0].start, rest, sentence[1])
    if more and set(more) == set(found):
        yield replace(Change(sentence, subject, verb.span(), sign), **dict[str, Any](more))


def _clause_start(text: str, begin: int, verb: int) -> int:
    low = max(begin, verb - 250)
    cut = max(
        (m.end() for m in re.finditer(r"[;:]\s|,\s(?:and|while|but)\s", text[low:verb])), default=0
    )
    return low + cut


def percent_change(new: Quantity, old: Quantity) -> tuple[float, float] | None:
    """Least and greatest percent change between two rounded levels of one sign."""
    if old.value == 0 or new.value * old.value < 0:
        return None
    new_low, new_high = abs(new.value) - new.step / 2, abs(new.value) + new.step / 2
    old_low, old_high = abs(old.value) - old.step / 2, abs(old.value) + old.step / 2
    if old_low <= 0:
        return None
    return 100 * (new_low / old_high - 1), 100 * (new_high / old_low - 1)


def _is_loss(text: str, q: Quantity) -> bool:
    return bool(
        re.search(
            r"\b(?:loss|deficit|negative|outflows?|used)\b",
            text[max(0, q.start - 40) : q.start],
            re.I,
        )
    )


def from_to(doc: Doc) -> list[Answer]:
    """Percent and amount of a change against the two levels stated with it.

    "rose 12% to $63 million from $60 million": 63 / 60 - 1 = 5%. Tolerance: 1.25 times the
    worst case of the rounding of all numbers printed.
    """
    found = []
    for change, new, old in doc.once(_with_levels):
        problem = _wrong_size(change, new, old)
        if problem:
            found.append(finding(doc, "from_to", [_place(change)], problem, 0.85))
    return found


def direction(doc: Doc) -> list[Answer]:
    """A direction word against the two levels stated with it: "decreased to $61 from $58"."""
    found = []
    for change, new, old in doc.once(_with_levels):
        difference = new.value - old.value
        alike = max(abs(new.value), abs(old.value)) < 10 * min(abs(new.value), abs(old.value))
        beyond = abs(difference) > (new.step + old.step) / 2
        if beyond and alike and (difference > 0) != (change.sign > 0):
            word = doc.text[slice(*change.verb)]
            told = f"'{word}', but {_course(new, old)} is a change of {written(difference, min(new.step, old.step))}"
            found.append(finding(doc, "direction", [_place(change)], told, 0.85))
    return found


def _with_levels(doc: Doc) -> list[tuple[Change, Quantity, Quantity]]:
    """Changes with both levels, of one kind and sign."""
    return [
        (c, c.new, c.old) for c in changes(doc)
        if c.new and c.old and c.new.kind == c.old.kind
        and _is_loss(doc.text, c.new) == _is_loss(doc.text, c.old)
    ]  # fmt: skip


def _place(change: Change) -> Span:
    starts = [change.verb[0], *(q.start for q in change.parts)]
    return min(starts), max([change.verb[1], *(q.end for q in change.parts)])


def _course(new: Quantity, old: Quantity) -> str:
    return f"{written(old.value, old.step)} to {written(new.value, new.step)}"


def _wrong_size(change: Change, new: Quantity, old: Quantity) -> str | None:
    difference = new.value - old.value
    room = (new.step + old.step) / 2
    percent, amount = change.percent, change.amount
    if percent and percent.kind == "percent" and new.kind != "percent":
        bounds = percent_change(new, old)
        if bounds and not _within(abs(percent.value), percent.step, bounds):
            exact = 100 * (new.value / old.value - 1)
            return f"{percent.printed}% is stated, but {_course(new, old)} is {exact:+.2f}%"
    if percent and percent.kind in ("points", "bps") and new.kind == "percent":
        unit = 100.0 if percent.kind == "bps" else 1.0
        off = abs(abs(difference) * unit - abs(percent.value))
        if off > 1.25 * (room * unit + percent.step / 2):
            return f"{percent.printed} is stated, but {_course(new, old)} is {abs(difference) * unit:g}"
    if amount and amount.kind == new.kind:
        off = abs(abs(difference) - abs(amount.value))
        if off > 1.25 * (room + amount.step / 2):
            shown = written(difference, min(new.step, old.step))
            return f"{amount.printed} is stated, but {_course(new, old)} is {shown}"
    return None


def _within(stated: float, step: float, bounds: tuple[float, float]) -> bool:
    low, high = (
        sorted(abs(b) for b in bounds)
        if bounds[0] * bounds[1] > 0
        else (0.0, max(map(abs, bounds)))
    )
    half = (high - low) / 2 + step / 2
    return abs(stated - (low + high) / 2) <= 1.25 * half


KINDS = {"from_to": Kind(from_to, "numeric"), "direction": Kind(direction, "non-numeric")}
