"""Cells that hold two numbers: ``149/367 = 0.406``, ``12 (34%)``.

`counts` is the table of the first numbers, with the denominators as totals, so that its sums
can be checked like those of any table; `share` compares each quotient with its numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..records import Answer
from .doc import Doc, Kind, finding
from .grid import Cell, Row, Table
from .numbers import Number, Pair, written

_FEW = 4  # pairs from which a table is one of pairs
_N = re.compile(r"\bn\s*=\s*(\d[\d,]*)", re.I)


def counts(table: Table) -> Table | None:
    """The first number of every pair as a table of its own, or None with few pairs.

    Where all fractions of a row (column) have one denominator, that is its total.
    """
    pairs = {
        (r, c): cell
        for r, row in enumerate(table.rows)
        for c, cell in enumerate(row.cells)
        if cell is not None and cell.pair is not None
    }
    if len(pairs) < _FEW:
        return None
    rows = []
    for r, row in enumerate(table.rows):
        mine = [pairs[r, c] for c in range(table.width) if (r, c) in pairs]
        cells = [_part(pairs[r, c]) if (r, c) in pairs else None for c in range(table.width)]
        rows.append(replace(row, cells=(*cells, _denominator(mine)), loose=()))
    columns = [[pairs[r, c] for r in range(len(rows)) if (r, c) in pairs]
               for c in range(table.width)]  # fmt: skip
    below = [_denominator(column) for column in columns]
    if sum(c is not None for c in below) >= 2:
        end = rows[-1].end
        rows.append(Row("Total (denominators)", end, end, (*below, None), end, end))
    heads = (*table.headers, "Total (denominators)")
    return Table(table.kind, table.start, table.end, tuple(rows), heads, (), table.title)


def _part(cell: Cell) -> Cell | None:
    return _inner(cell, cell.pair.part) if cell.pair else None


def _inner(cell: Cell, place: tuple[int, int, int]) -> Cell:
    value, start, end = place
    text = cell.text[start:end]
    return Cell(text, cell.start + start, cell.start + end, Number(float(value), digits=text))


def _denominator(cells: list[Cell]) -> Cell | None:
    """The denominator that two cells or more share, at its last place."""
    wholes = [c.pair.whole for c in cells if c.pair and c.pair.whole]
    if len(wholes) < 2 or len({w[0] for w in wholes}) > 1:
        return None
    return _inner(cells[-1], wholes[-1])


def share(doc: Doc) -> list[Answer]:
    """Cells whose percentage or quotient is not that of their numbers."""
    return [a for table in doc.tables for a in _shares(doc, table)]


def _shares(doc: Doc, table: Table) -> Iterator[Answer]:
    for c in range(table.width):
        cells = [row.cells[c] for row in table.rows]
        pairs = [(cell, cell.pair) for cell in cells if cell and cell.pair and cell.pair.share]
        named = _N.search(table.headers[c])
        base = int(named[1].replace(",", "")) if named else 0
        checked = [(cell, *_quotient(pair, base)) for cell, pair in pairs if _whole(pair, base)]
        wrong = [x for x in checked if x[3] > 1.5 * x[4]]
        right = [x for x in checked if x[3] <= 1.1 * x[4]]
        fractions = all(pair.whole for _, pair in pairs)
        if not wrong or len(wrong) > max(1, len(right) // 4) or not (right or fractions):
            continue
        for cell, words, stated, _, _ in wrong:
            places = [(cell.start, cell.end)]
            odds = 0.6 + 0.05 * min(len(right), 5) + (0.1 if fractions else 0.0)
            yield finding(doc, "share", places, f"{words}, but {stated} is stated", min(odds, 0.9))


def _whole(pair: Pair, base: int) -> int:
    return pair.whole[0] if pair.whole else base


def _quotient(pair: Pair, base: int) -> tuple[str, str, float, float]:
    """(arithmetic, stated quotient, how far it is off, half a unit of its last digit)."""
    whole, share = _whole(pair, base), pair.share
    assert share is not None
    scale, sign = (100, "%") if share.percent else (1, "")
    want = scale * pair.part[0] / whole
    words = f"{pair.part[0]:,} / {whole:,} = {written(want, share.decimals + 1)}{sign}"
    return words, f"{share.digits}{sign}", abs(want - share.value), share.step / 2


KINDS: dict[str, Kind] = {"share": Kind(share, "numeric")}
