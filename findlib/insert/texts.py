"""Insertions into sentences: a percentage, an amount, a unit, a direction word."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from ..checks.prose import Quantity
from .changes import OPPOSITE, Change, changes
from .edit import Edit, Maker, Place, altered
from .source import Source, Span, value_of
from .twins import Twice, stated_twice

_SHARE = re.compile(
    r"(?<![\w.,])(?P<k>\d[\d,]*) of (?:the |our |its |all )?(?P<n>\d[\d,]*)(?![\d.]*\d?%)"
    r"[^.;()]{0,40}\((?P<p>\d+(?:\.\d+)?) ?\\?(?:%|percent)"
)
_SCALE = re.compile(r"million|billion|thousand", re.I)
_NEXT = {"thousand": ("million",), "million": ("billion", "thousand"), "billion": ("million",)}


def direction(found: Source) -> Iterator[Place]:
    """A word such as "increased" where the levels are in the sentence or in a dated row."""
    for change in changes(found):
        if change.ordered:
            yield Place(change.word[0], _turned(found, change))


def _turned(found: Source, change: Change) -> Maker:
    def make(rng: random.Random) -> Edit | None:
        new = opposite(found.text[slice(*change.word)])
        text = f"'{new}' is stated, but the value went {change.course}."
        return Edit(*change.word, new, change.places, text, "non-numeric")

    return make


def opposite(phrase: str) -> str:
    """The opposite of a direction word, with its article and capital.

    >>> opposite("an increase"), opposite("Higher"), opposite("A decrease")
    ('a decrease', 'Lower', 'An increase')
    """
    *article, word = phrase.split(" ")
    turned = OPPOSITE[word.lower()]
    turned = turned.capitalize() if word[0].isupper() else turned
    if not article:
        return turned
    vowel = "n" if turned[0].lower() in "aeiou" else ""
    return f"{article[0][0]}{vowel} {turned}"


def percent_text(found: Source) -> Iterator[Place]:
    """A percentage in a sentence that follows from amounts there or in a row, or stands twice."""
    for change in changes(found):
        if change.percent:
            yield Place(change.percent.start, _other_change(found, change, change.percent))
    for sentence in found.sentences:
        for m in _SHARE.finditer(found.text, *sentence):
            k, n = value_of(m["k"]), value_of(m["n"])
            step = 10.0 ** -len(m["p"].partition(".")[2])
            if 0 < k < n and abs(100 * k / n - value_of(m["p"])) <= step * 0.51:
                yield Place(m.start("p"), _other_share(sentence, m, k, n))
    for twice in stated_twice(found):
        if twice.quantity.kind == "percent":
            yield Place(twice.quantity.start, _other_amount(found, twice))


def _other_change(found: Source, change: Change, percent: Quantity) -> Maker:
    exact, least = change.exact, 2 * change.room + 0.3

    def make(rng: random.Random) -> Edit | None:
        new = altered(rng, percent.printed, lambda v: least < abs(v - exact) < 9 * exact + 10)
        if new is None:
            return None
        start = found.text.index(percent.printed, percent.start)
        text = f"{new}% is stated, but {change.course} is {exact:.1f}%."
        end = start + len(percent.printed)
        return Edit(start, end, new, change.places, text, "numeric")

    return make


def _other_share(sentence: Span, m: re.Match[str], k: float, n: float) -> Maker:
    exact = 100 * k / n

    def make(rng: random.Random) -> Edit | None:
        new = altered(rng, m["p"], lambda v: abs(v - exact) > 2 and v <= 100)
        if new is None:
            return None
        text = f"{new}% is stated, but {k:,.0f} of {n:,.0f} is {exact:.1f}%."
        return Edit(*m.span("p"), new, (sentence,), text, "numeric")

    return make


def amount_text(found: Source) -> Iterator[Place]:
    """An amount in a sentence that is stated again elsewhere."""
    for twice in stated_twice(found):
        if twice.quantity.kind != "percent":
            yield Place(twice.quantity.start, _other_amount(found, twice))


def _other_amount(found: Source, twice: Twice) -> Maker:
    token = twice.quantity.printed
    unit = "%" if twice.quantity.kind == "percent" else ""

    def make(rng: random.Random) -> Edit | None:
        old = value_of(token)
        new = altered(rng, token, lambda v: abs(v - old) > 0.01 * old and (not unit or v < 3 * old))
        if new is None or re.search(rf"(?<![\d.,]){re.escape(new)}(?![\d.,]*\d)", found.text):
            return None
        start = found.text.index(token, twice.quantity.start)
        text = f"{new}{unit} is stated, but {token}{unit} where the same is stated again."
        places = (twice.sentence, twice.other)
        return Edit(start, start + len(token), new, places, text, "numeric")

    return make


def scale(found: Source) -> Iterator[Place]:
    """The word million, billion or thousand after an amount that is stated again elsewhere."""
    for twice in stated_twice(found):
        word = _SCALE.search(found.text, twice.quantity.start, twice.quantity.end)
        if word and (twice.scaled or f"in {word[0].lower()}s" in _heading(found, twice.other)):
            yield Place(word.start(), _other_scale(twice, word))


def _heading(found: Source, row: Span) -> str:
    """The 500 characters above a table and its header, where its unit is named."""
    table = next(t for t in found.doc.tables if t.start <= row[0] < t.end)
    first = table.rows[0].start if table.rows else table.end
    return found.text[max(0, table.start - 500) : first].lower()


def _other_scale(twice: Twice, word: re.Match[str]) -> Maker:
    def make(rng: random.Random) -> Edit | None:
        new = rng.choice(_NEXT[word[0].lower()])
        new = new.capitalize() if word[0][0].isupper() else new
        token = twice.quantity.printed
        text = f"{token} {new} is stated, but {token} {word[0]} where the same is stated again."
        return Edit(*word.span(), new, (twice.sentence, twice.other), text, "numeric")

    return make
