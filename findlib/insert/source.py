"""A document as insertion reads it: tables, sentences, common words, printed numbers."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..checks import doc as reading
from ..checks import grid, prose
from .sums import Rate, Sum, rates, sums

Span = tuple[int, int]
_MONTHS = frozenset(month for month in calendar.month_name if month)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATES = re.compile(rf"(?:{'|'.join(sorted(_MONTHS))}) \d{{1,2}}, (?:19|20)\d\d")
_STOP = frozenset(
    re.findall(
        r"[a-z]+",
        "the and for was were with from that this our its which are has have had not but into than "
        "net total other all each per due primarily million billion thousand compared ended "
        "respectively months year quarter during includes including related increase decrease "
        "increased decreased company",
    )
)


@dataclass(frozen=True)
class Source:
    """A text with what the kinds read of it, each read once."""

    text: str

    @cached_property
    def doc(self) -> reading.Doc:
        """The text with its tables."""
        return reading.read(self.text)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """The sentences of the running text, without those that a converter garbled."""
        broken = re.compile("[\x00-\x08\x0e-\x1f\ufffd]")
        return tuple(s for s in prose.sentences(self.doc) if not broken.search(self.text, *s))

    @cached_property
    def all_sums(self) -> tuple[Sum, ...]:
        """The sums that hold in the tables."""
        return tuple(s for i, t in enumerate(self.doc.tables) for s in sums(t, i))

    @cached_property
    def all_rates(self) -> tuple[Rate, ...]:
        """The percentages that follow from other cells of their row."""
        return tuple(r for i, t in enumerate(self.doc.tables) for r in rates(t, i))

    @cached_property
    def frequency(self) -> dict[str, int]:
        """In how many sentences each word stands."""
        counts: dict[str, int] = {}
        for start, end in self.sentences:
            for word in words(self.text[start:end]):
                counts[word] = counts.get(word, 0) + 1
        return counts

    def same_event(self, a: Span, b: Span, apart: str) -> bool:
        """Whether two sentences that both hold ``apart`` speak of the same thing.

        They have two uncommon words and, besides ``apart``, a name, number or date in common;
        names, or numbers, that both have are not all different.
        """
        first, second = self.text[slice(*a)], self.text[slice(*b)]
        shared = words(first) & words(second)
        if sum(self.frequency.get(w, 0) <= 12 for w in shared) < 2:
            return False
        common = False
        for found in (self._names, _numbers):
            x, y = found(first.replace(apart, "")), found(second.replace(apart, ""))
            if x and y and not x & y:
                return False
            common |= bool(x & y)
        return common

    def _names(self, sentence: str) -> set[str]:
        """Uncommon capitalised words that do not begin the sentence."""
        found = re.findall(r"(?<=[\w,;)”\"] )[(“\"]?([A-Z][a-zA-Z]{2,})", sentence)
        return {n for n in found if self.frequency.get(_stem(n.lower()), 0) <= 12} - _MONTHS

    def row_span(self, table: int, row: int, cell: grid.Cell | None = None) -> Span:
        """A row from its label to its end, or to one of its cells."""
        found = self.doc.tables[table].rows[row]
        start = found.label_start if found.label else found.start
        if cell is not None and cell.start >= start:
            return start, cell.end
        cells = [c.end for c in (*found.cells, *found.loose) if c]
        return start, max([found.label_end, *cells])


@lru_cache(maxsize=4)
def source(text: str) -> Source:
    """The same source for the same text, so that many insertions read it once."""
    return Source(text)


@lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, lower case, without a plural s.

    >>> sorted(words("Sales of the stores were $5 million"))
    ['sale', 'store']
    """
    found = (w.lower() for w in re.findall(r"[^\W\d_]{3,}", text))
    return frozenset(_stem(w) for w in found if w not in _STOP)


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _numbers(sentence: str) -> set[str]:
    """Printed numbers of two digits or more that are no years, and whole dates."""
    dates = {d[0] for d in _DATES.finditer(sentence)}
    found = re.findall(r"(?<![\w.,])\d[\d,]*\.?\d+(?!\w)", _DATES.sub("", sentence))
    return dates | {n for n in found if not _YEAR.fullmatch(n)}


TOKEN = re.compile(r"\d(?:\d|\{?,\}?(?=\d)|[ \u00a0](?=\d{3}(?!\d)))*(?:\.\d+)?|\.\d+")


def value_of(token: str) -> float:
    """The value of a printed number without sign and unit.

    >>> value_of("1{,}234.5")
    1234.5
    """
    return float(re.sub(r"[^\d.]", "", token))
