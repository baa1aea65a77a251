"""A document as the checks read it: text, lines, tables and what lies inside them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..records import Answer
from . import grid, markup

if TYPE_CHECKING:
    from .sums import Sums

Found = TypeVar("Found")


@dataclass(frozen=True)
class Doc:
    """A text with its tables in reading order and the (start, end) of its lines."""

    text: str
    tables: tuple[grid.Table, ...] = ()

    @cached_property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """(start, end) of every line, without its line break."""
        return tuple(markup.lines(self.text))

    @cached_property
    def mask(self) -> tuple[tuple[int, int], ...]:
        """The character ranges of the tables, sorted."""
        return tuple((t.start, t.end) for t in self.tables)

    def once(self, function: Callable[[Doc], Found]) -> Found:
        """What a function finds in this document, computed once for the kinds that share it."""
        if function not in self._found:
            self._found[function] = function(self)
        return self._found[function]

    @cached_property
    def _found(self) -> dict[Callable[[Doc], Any], Any]:
        return {}

    @cached_property
    def sums(self) -> tuple[Sums, ...]:
        """Which lines of each table add up, see `sums.analyse`."""
        from .sums import analyse

        return analyse(self)

    def in_table(self, at: int) -> bool:
        """Whether a character stands inside a table."""
        i = bisect_right(self.mask, (at, len(self.text) + 1)) - 1
        return i >= 0 and self.mask[i][0] <= at < self.mask[i][1]


def read(text: str) -> Doc:
    """Read a document for the checks.

    >>> doc = read("|a|1|\\n|b|2|\\n|Total|3|")
    >>> [row.label for row in doc.tables[0].rows], doc.in_table(0)
    (['a', 'b', 'Total'], True)
    """
    return Doc(text, tuple(grid.tables(text)))


class Kind(NamedTuple):
    """A check: its function, what type of error it finds, how precise it was, whether it is on.

    ``precision`` is the share of its findings on unchanged documents that were real, None
    where that was not measured.
    """

    check: Callable[[Doc], list[Answer]]
    error_type: str
    precision: float | None = None
    default_on: bool = True


def finding(
    doc: Doc, kind: str, places: Iterable[tuple[int, int]], description: str, score: float
) -> Answer:
    """An answer whose evidence is the text at ``places``, in reading order."""
    ordered = tuple(sorted(set(places)))
    spans = [doc.text[start:end] for start, end in ordered]
    return Answer(spans, description, score=round(score, 4), kind=kind, places=ordered)
