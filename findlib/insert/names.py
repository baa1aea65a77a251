"""Insertions into what is said twice: a date, a name."""

from __future__ import annotations

import calendar
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date as day

from ..documents import tokenizer
from .edit import Edit, Maker, Place
from .source import Source, Span

_MONTHS = [m for m in calendar.month_name if m]
_DATE = re.compile(
    rf"(?:(?P<week>{'|'.join(calendar.day_name)}),\s+)?(?P<month>{'|'.join(_MONTHS)})\s+"
    r"(?P<day>\d{1,2}),\s+(?P<year>(?:19|20)\d\d)(?!\d)"
)
_NAME = re.compile(r"(?<![\w.])[A-Z][a-z]{2,}(?:(?: |-)[A-Z][a-z]{2,})+(?!\w)")
_MOST_MENTIONS = 6
_NEVER = frozenset((*_MONTHS, *calendar.day_name))
_VOWELS = {"a": "e", "e": "a", "i": "e", "o": "a", "u": "o"}


def date(found: Source) -> Iterator[Place]:
    """A date that stands again beside the same words, or that has its weekday."""
    by: dict[str, list[tuple[Span, re.Match[str]]]] = defaultdict(list)
    for sentence in found.sentences:
        for m in _DATE.finditer(found.text, *sentence):
            by[f"{m['month']} {int(m['day'])} {m['year']}"].append((sentence, m))
    for mentions in by.values():
        for sentence, m in mentions:
            if _on_weekday(m):
                yield Place(m.start(), _other_date(found, m, (sentence,)))
                continue
            for other, _ in mentions if len(mentions) <= _MOST_MENTIONS else ():
                if other != sentence and found.same_event(sentence, other, m[0]):
                    yield Place(m.start(), _other_date(found, m, (sentence, other)))
                    break


def _on_weekday(m: re.Match[str]) -> bool:
    if not m["week"]:
        return False
    made = _day(m["year"], m["month"], m["day"])
    return made is not None and calendar.day_name[made.weekday()] == m["week"]


def _day(year: str, month: str, number: str) -> day | None:
    try:
        return day(int(year), _MONTHS.index(month) + 1, int(number))
    except ValueError:
        return None


def _other_date(found: Source, m: re.Match[str], places: tuple[Span, ...]) -> Maker:
    def make(rng: random.Random) -> Edit | None:
        part = rng.choice(("day", "month", "year")) if not m["week"] else "day"
        new = _replaced(rng, m, part)
        start, end = m.span(part)
        whole = m[0][: start - m.start()] + new + m[0][end - m.start() :]
        values = {**m.groupdict(), part: new}
        made = _day(values["year"], values["month"], values["day"])
        if made is None or whole in found.text:
            return None
        if m["week"]:
            text = f"{whole}: that day is a {calendar.day_name[made.weekday()]}."
        else:
            text = f"{whole} is stated, but {m[0]} where the same is dated again."
        return Edit(start, end, new, places, text, "non-numeric")

    return make


def _replaced(rng: random.Random, m: re.Match[str], part: str) -> str:
    """Another day, month or year near the one that stands there."""
    if part == "month":
        at = _MONTHS.index(m["month"]) + rng.choice((-2, -1, 1, 2))
        return _MONTHS[at % 12]
    old = int(m[part])
    if part == "year":
        return str(old + rng.choice((-2, -1, 1)))
    days = [d for d in range(1, 29) if d != old and len(str(d)) == len(m["day"])]
    return str(rng.choice([d for d in days if abs(d - old) > 1 and (d - old) % 7]))


def name(found: Source) -> Iterator[Place]:
    """A name of two words or more, in one of its two to six mentions, gets another letter.

    A name stands amid a sentence; the word that changes is no ordinary one, is never written in
    lower case and stands at most six times.
    """
    mentions: dict[str, list[tuple[Span, int]]] = defaultdict(list)
    for sentence in found.sentences:
        for m in _NAME.finditer(found.text, *sentence):
            if _amid(found.text, sentence, m):
                mentions[m[0]].append((sentence, m.start()))
    plain = {_root(w) for w in re.findall(r"(?<!\w)[a-z]{3,}(?!\w)", found.text)}
    counts = Counter(re.findall(r"(?<!\w)[A-Z][a-z]{4,}(?!\w)", found.text))
    for whole, held in mentions.items():
        places = list(dict.fromkeys(held))
        if not 2 <= len(places) <= _MOST_MENTIONS:
            continue
        rare = [
            word for word in re.findall(r"[A-Z][a-z]{4,}", whole)
            if _root(word.lower()) not in plain and counts[word] <= _MOST_MENTIONS
            and word not in _NEVER and not _ordinary(word)
        ]  # fmt: skip
        if not rare:
            continue
        for i, (sentence, start) in enumerate(places):
            other, at = places[i - 1]
            if other != sentence:
                yield Place(start, _respelled(found, whole, rare, start, (at, at + len(whole))))


def _ordinary(word: str) -> bool:
    """Whether a word is common in lower case: one token of a large vocabulary."""
    return tokenizer().count(" " + word.lower()) == 1


def _root(word: str) -> str:
    return re.sub(r"(?:ly|ed|ing|e?s)$", "", word)


def _amid(text: str, sentence: Span, m: re.Match[str]) -> bool:
    """Whether lower-case words stand before and after a name, so that it is no heading."""
    before = text[max(sentence[0], m.start() - 4) : m.start()]
    after = text[m.end() : min(sentence[1], m.end() + 4)]
    return bool(re.search(r"[a-z,]\s+[(“\"]?$", before) and re.match(r"[,.;)”’]|\s+[a-z(]", after))


def _respelled(found: Source, whole: str, rare: list[str], start: int, other: Span) -> Maker:
    def make(rng: random.Random) -> Edit | None:
        word = rng.choice(rare)
        new = rng.choice(respellings(word))
        if re.search(rf"\b{new}\b", found.text):
            return None
        at = start + whole.index(word)
        changed = whole.replace(word, new, 1)
        text = f"The name is {changed} here and {whole} elsewhere."
        places = (_line(found.text, *other), _line(found.text, start, start + len(whole)))
        return Edit(at, at + len(word), new, places, text, "non-numeric")

    return make


def _line(text: str, start: int, end: int, around: int = 40) -> Span:
    """A mention with the words around it, within its line."""
    low = max(text.rfind("\n", 0, start) + 1, start - around)
    stop = text.find("\n", end)
    high = min(len(text) if stop < 0 else stop, end + around)
    while low > 0 and low < start and not text[low - 1].isspace():
        low += 1
    while high < len(text) and high > end and not text[high].isspace():
        high -= 1
    return low, high


def respellings(word: str) -> list[str]:
    """Spellings that differ by one letter inside: a vowel, a doubled or a single consonant.

    >>> respellings("Miller")
    ['Meller', 'Miler', 'Millar']
    """
    made = set()
    for i in range(1, len(word) - 1):
        if word[i] in _VOWELS and word[i - 1] not in _VOWELS and word[i + 1] not in _VOWELS:
            made.add(word[:i] + _VOWELS[word[i]] + word[i + 1 :])
        if word[i] == word[i + 1]:
            made.add(word[:i] + word[i + 1 :])
    return sorted(made) or [word[:-2] + word[-1] + word[-2]]
