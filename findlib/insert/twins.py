"""Numbers that a document states a second time: in another table, in a row, in a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..checks.grid import Cell
from ..checks.prose import Quantity, quantities
from .source import TOKEN, Source, Span, words
from .sums import Site, cell

_MOST_TWINS = 40  # places of one number that are compared with a sentence


def numbers_twice(found: Source) -> Iterator[tuple[int, Site, tuple[Span, ...]]]:
    """(table, site, places of the other statement) of numbers that stand a second time.

    A twin is the same printed number, three digits or more, in another table's row of the same
    label, or in a sentence that holds the label's words.
    """
    by: dict[tuple[str, str], list[tuple[int, Site]]] = defaultdict(list)
    by_digits: dict[str, list[tuple[int, Site]]] = defaultdict(list)
    for i, table in enumerate(found.doc.tables):
        for r, row in enumerate(table.rows):
            for c, held in row.numbers.items():
                digits = printed(held)
                if len(re.sub(r"\D", "", digits).lstrip("0")) >= 3 and row.label:
                    by[label_of(row.label), digits].append((i, (r, c)))
                    by_digits[digits].append((i, (r, c)))
    for sites in by.values():
        if len({i for i, _ in sites}) == 2 and len(sites) == 2:
            (i, a), (j, b) = sites
            yield i, a, (found.row_span(j, b[0], cell(found.doc.tables[j], b)),)
            yield j, b, (found.row_span(i, a[0], cell(found.doc.tables[i], a)),)
    for sentence in found.sentences:
        text = found.text[slice(*sentence)]
        for q in quantities(found.text, *sentence):
            sites = by_digits.get(q.printed, []) if q.kind in ("money", "plain") else []
            for i, site in sites[:_MOST_TWINS]:
                if labelled(found, i, site[0], text):
                    yield i, site, (sentence,)


def labelled(found: Source, table: int, row: int, sentence: str) -> bool:
    """Whether all words of a row's label, two at least or one rare one, are in a sentence."""
    label = words(found.doc.tables[table].rows[row].label)
    if not label or not label <= words(sentence):
        return False
    return len(label) > 1 or found.frequency.get(next(iter(label)), 0) <= 20


def printed(held: Cell) -> str:
    """The digits of a cell as printed, with separators and decimals."""
    token = TOKEN.search(held.text)
    return token[0] if token else ""


def label_of(label: str) -> str:
    """A label's words, in one form for comparison."""
    return " ".join(re.findall(r"\w+", label.lower()))


@dataclass(frozen=True)
class Twice:
    """A number in a sentence that stands again in another sentence or in a table row.

    ``scaled`` says that the other statement is a sentence, with the same word million.
    """

    sentence: Span
    quantity: Quantity
    other: Span
    scaled: bool


@lru_cache(maxsize=4)
def stated_twice(found: Source) -> tuple[Twice, ...]:
    """Amounts of three digits or more, percentages of two, that are stated again.

    In a sentence about the same event (`Source.same_event`), or in a row whose label's words
    are all in the sentence.
    """
    by: dict[tuple[str, str, float], list[tuple[Span, Quantity]]] = defaultdict(list)
    for sentence in found.sentences:
        for q in quantities(found.text, *sentence):
            kind = "money" if q.kind == "plain" else q.kind
            least = {"money": 3, "percent": 2}.get(kind, 99)
            if len(re.sub(r"\D", "", q.printed).strip("0")) >= least:
                by[kind, q.printed, round(q.step, 12)].append((sentence, q))
    cells: dict[tuple[str, bool], list[tuple[int, int, Cell]]] = defaultdict(list)
    for i, table in enumerate(found.doc.tables):
        for r, row in enumerate(table.rows):
            for c in row.numbers.values():
                cells[printed(c), bool(c.number and c.number.percent)].append((i, r, c))
    made = []
    for (kind, token, _), held in by.items():
        for sentence, q in held:
            text = found.text[slice(*sentence)]
            near = held[:_MOST_TWINS]
            others = (s for s, _ in near if s != sentence and found.same_event(sentence, s, token))
            if other := next(others, None):
                made.append(Twice(sentence, q, other, True))
                continue
            rows = cells.get((token, kind == "percent"), [])[:_MOST_TWINS]
            named = next((site for site in rows if labelled(found, *site[:2], text)), None)
            if named:
                made.append(Twice(sentence, q, found.row_span(*named), False))
    return tuple(sorted(made, key=lambda t: t.quantity.start))
