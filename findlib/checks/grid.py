"""Tables of a document as grids of cells with offsets: what every check of tables reads.

`tables` finds pipe tables, HTML tables, LaTeX tabulars and plain-text columns. Each becomes a
`Table`: a label column, logical columns (``$``, number, ``)`` and ``%`` in separate physical
cells are one), header text by column, and the title lines above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .numbers import CURRENCY, DASHES, FILLER, Number, Pair, parse, parse_pair

TRIM = " \t\r\n\v\f\u00a0\u2002\u2003\u2009\u200b\u200c\u200d\u202f\u2060\ufeff*_`\\"
_OPENERS = frozenset(CURRENCY.split("|")[1:]) | set("$€£¥(") | {"US$", "($", "(€", "(£", "C$"}
_CLOSERS = frozenset((")", "%", ")%", "%)", ") %", "pts", "pp", "x"))
_NOTE = re.compile(r"\(\d{1,2}\)")


@dataclass(frozen=True)
class Cell:
    """A cell that is not blank; ``document[start:end] == text``; a dash is a number too.

    ``text`` of a number has no currency sign and no bracket that stands in another cell. A
    ``pair`` is two numbers in one cell, counted from ``start``.
    """

    text: str
    start: int
    end: int
    number: Number | None = None
    pair: Pair | None = None


@dataclass(frozen=True)
class Row:
    """A row: its label, how far that is indented, and a cell or None for each column.

    ``loose`` are the numbers of a plain-text row whose column could not be told.
    """

    label: str
    start: int
    end: int
    cells: tuple[Cell | None, ...] = ()
    label_start: int = 0
    label_end: int = 0
    indent: int = 0
    loose: tuple[Cell, ...] = ()

    @property
    def numbers(self) -> dict[int, Cell]:
        """The numeric cells by column."""
        return {i: c for i, c in enumerate(self.cells) if c is not None and c.number is not None}


@dataclass(frozen=True)
class Table:
    """A table. ``headers[i]`` is the header text of column i, ``title`` the lines above."""

    kind: str  # "pipe", "html", "latex" or "text"
    start: int
    end: int
    rows: tuple[Row, ...]
    headers: tuple[str, ...] = ()
    header_rows: tuple[Row, ...] = ()
    title: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns, without the label."""
        return len(self.headers)

    def number(self, row: int, column: int) -> Number | None:
        """The number in a cell, or None where it is blank or text."""
        cell = self.rows[row].cells[column]
        return cell.number if cell else None


@dataclass(frozen=True)
class Raw:
    """A cell as a reader found it: physical column and span, text free of markup, offsets."""

    column: int
    span: int
    text: str
    start: int
    end: int


@dataclass
class _Unit:
    """A number with the currency sign and closing bracket beside it."""

    first: int
    last: int
    anchor: int
    cell: Cell


@dataclass(frozen=True)
class RawRow:
    """The cells of a row that are not blank, and where the row stands."""

    cells: tuple[Raw, ...]
    start: int
    end: int
    header: bool = False
    indent: int = 0


def tables(text: str) -> list[Table]:
    """Every table of a document, in reading order, without overlaps."""
    from . import columns, markup

    found = [t for kind, rows in markup.raw_tables(text) for t in build(text, kind, rows)]
    taken = [(t.start, t.end) for t in found] + markup.blocked(text)
    found += columns.tables(text, taken)
    found.sort(key=lambda t: (t.start, t.end))
    return [replace(t, title=titles(text, t.start, taken)) for t in found]


def titles(text: str, start: int, taken: Sequence[tuple[int, int]] = (), most: int = 3) -> tuple:
    """Up to ``most`` short lines directly above a table, nearest last."""
    lines: list[str] = []
    for line in reversed(text[max(0, start - 600) : start].split("\n")[:-1]):
        line = line.strip(TRIM + "#")
        if line.startswith("|") or "</t" in line or "\\end{" in line:
            break
        if line and len(line) <= 200 and not line.startswith("begin{"):
            lines.append(line)
        if len(lines) == most:
            break
    return tuple(reversed(lines))


def build(text: str, kind: str, rows: Sequence[RawRow]) -> list[Table]:
    """Tables with logical columns from the physical cells of one table.

    A header row amid the numbers begins a new table with other columns.
    """
    units = [_units(text, row.cells) for row in rows]
    first = min((c.column for row in rows for c in row.cells), default=0)
    if any(u.anchor > first for row in units for u in row) and not _no_labels(rows, units, first):
        units = [[u for u in row if u.first > first] for row in units]
    groups = _groups(units)
    if notes := _note_columns(rows, units, groups):
        units = [[u for u in row if u.anchor not in notes] for row in units]
        groups = _groups(units)
    if not groups:
        return []
    label_end = min(min(g) for g in groups)
    built = [
        _row(text, row, row_units, groups, label_end)
        for row, row_units in zip(rows, units, strict=True)
    ]
    is_header = [_is_header(r, raw, label_end) for r, raw in zip(built, rows, strict=True)]
    tables: list[Table] = []
    for first, body, last in _parts(is_header, built):
        head = range(first, body)
        headers = _headers([rows[i] for i in head], groups, kind == "pipe")
        tables.append(
            Table(
                kind,
                rows[first].start,
                rows[last - 1].end,
                tuple(built[body:last]),
                headers,
                tuple(built[i] for i in head),
            )
        )
    return tables


def _no_labels(rows: Sequence[RawRow], units: list[list[_Unit]], first: int) -> bool:
    """Whether the first column holds amounts: one or two rows of numbers under full headers."""
    body = [row for row in units if row]
    if not 1 <= len(body) <= 2 or any(row[0].anchor != first for row in body):
        return False
    if any(row[0].cell.number is None or row[0].cell.number.year for row in body):
        return False
    heads = [row.cells for row, found in zip(rows, units, strict=True) if not found and row.cells]
    return bool(heads) and heads[-1][0].column == first and len(heads[-1]) == len(body[0])


def _parts(is_header: list[bool], rows: list[Row]) -> list[tuple[int, int, int]]:
    """(first header row, first body row, end) of each part of a stacked table."""
    parts: list[tuple[int, int, int]] = []
    i, n = 0, len(rows)
    while i < n:
        body = i
        while body < n and (is_header[body] or not (_filled(rows[body]) or parts)):
            body += 1
        while body > i and rows[body - 1].label and not _texts(rows[body - 1]):
            body -= 1  # section labels directly above the numbers are rows, not header
        end = max(body, i)
        while end < n and not is_header[end]:
            end += 1
        if end == i:
            break
        parts.append((i, body, end))
        i = end
    return parts


def _texts(row: Row) -> bool:
    return any(row.cells)


def _filled(row: Row) -> bool:
    return any(c is not None and (c.number or c.pair) for c in row.cells)


def _is_header(row: Row, raw: RawRow, label_end: int) -> bool:
    """Text or years over the columns, no amount. Labelled rows of years count if marked."""
    if raw.header:
        return True
    cells = [c for c in row.cells if c]
    if not cells:
        return False
    if not all(c.number is None or c.number.year for c in cells) or any(c.pair for c in cells):
        return False
    numbers = [c for c in cells if c.number]
    beside = row.label.lower().startswith(("(in ", "(dollars", "(amounts", "in millions", "$ in"))
    if row.label and not beside and not numbers:
        return False
    words = [c for c in cells if c.number is None]
    placeholders = ("n/a", "nm", "n.m.", "na", "n/m", "*", "**", "nil", "none", "not meaningful")
    if not numbers and all(w.text.lower().strip("() ") in placeholders for w in words):
        return False
    return not row.label or beside or len(numbers) >= 2 or _date_label(row.label)


def _date_label(label: str) -> bool:
    low = label.lower()
    return any(w in low for w in ("ended", "ending", "december", "june", "march", "september",
                                  "fiscal", "year", "as of", "at "))  # fmt: skip


def _units(document: str, cells: Sequence[Raw]) -> list[_Unit]:
    """The numbers of a row, each joined with the signs in the cells beside it."""
    found: list[_Unit] = []
    for i, raw in enumerate(cells):
        text = raw.text.strip(TRIM)
        if not text or text in _OPENERS or text in _CLOSERS:
            continue
        first, last, whole = raw.column, raw.column + raw.span - 1, text
        if i and (before := cells[i - 1].text.strip(TRIM)) in _OPENERS:
            first, whole = cells[i - 1].column, before + whole
        closer = cells[i + 1] if i + 1 < len(cells) else None
        if closer and (after := closer.text.strip(TRIM)) in _CLOSERS and after not in ("x", "pp"):
            if after == ")" and i + 2 < len(cells) and cells[i + 2].text.strip(TRIM) == "%":
                closer, after = cells[i + 2], ")%"
            last, whole = closer.column, whole + after
        number = parse(whole) or parse(text)
        if number is not None:
            found.append(_Unit(first, last, raw.column, _cell(document, raw, number)))
        elif raw.column and (pair := parse_pair(raw.text.strip(TRIM).strip("$ "))):
            found.append(_Unit(first, last, raw.column, _pair_cell(document, raw, pair)))
    return found


def _cell(document: str, raw: Raw, number: Number | None = None) -> Cell:
    """The cell with white space, emphasis and currency signs trimmed off its span."""
    off = TRIM + "$€£¥" if number is not None and not number.dash else TRIM
    lead = len(raw.text) - len(raw.text.lstrip(off))
    start, end = raw.start + lead, raw.start + max(lead, len(raw.text.rstrip(TRIM)))
    return Cell(document[start:end], start, end, number)


def _pair_cell(document: str, raw: Raw, pair: Pair) -> Cell:
    off = TRIM + "$"
    start = raw.start + len(raw.text) - len(raw.text.lstrip(off))
    end = raw.start + len(raw.text.rstrip(off))
    return Cell(document[start:end], start, end, None, pair)


def _groups(units: list[list[_Unit]]) -> list[set[int]]:
    """Physical columns that are one logical column, left to right.

    Columns that a number and its signs share are one, unless some row has a number in both.
    """
    rows_of: dict[int, set[int]] = {}
    links: dict[tuple[int, int], int] = {}
    for i, row in enumerate(units):
        for u in row:
            rows_of.setdefault(u.anchor, set()).add(i)
            for other in range(u.first, min(u.last, u.first + 8) + 1):
                if other != u.anchor:
                    key = (u.anchor, other)
                    links[key] = links.get(key, 0) + 1
    group = {c: {c} for c in rows_of}
    for anchor, other in sorted(links, key=lambda k: (-links[k], k)):
        mine, theirs = group[anchor], group.get(other)
        if theirs is None:
            group[other] = mine
            mine.add(other)
        elif theirs is not mine and _apart(mine, theirs, rows_of):
            mine |= theirs
            for c in theirs:
                group[c] = mine
    unique = {id(g): g for g in group.values() if any(c in rows_of for c in g)}
    return sorted(unique.values(), key=min)


def _note_columns(
    rows: Sequence[RawRow], units: list[list[_Unit]], groups: list[set[int]]
) -> set[int]:
    """Columns without a header that only hold note marks such as (2), each beside a number."""
    body = next((i for i, row in enumerate(units) if row), 0)
    headed = {c.column for row in rows[:body] for c in row.cells}
    marks: set[int] = set()
    for before, group in pairwise(groups):
        cells = [(row, u) for row in units for u in row if u.anchor in group]
        noted = all(_NOTE.fullmatch(u.cell.text) for _, u in cells) and not group & headed
        if noted and all(
            any(v.anchor in before and u.first - v.last <= 3 for v in row) for row, u in cells
        ):
            marks |= group
    return marks


def _apart(a: set[int], b: set[int], rows_of: dict[int, set[int]]) -> bool:
    left = set().union(*(rows_of.get(c, set()) for c in a))
    return all(left.isdisjoint(rows_of.get(c, ())) for c in b)


def _row(
    document: str, raw: RawRow, units: list[_Unit], groups: list[set[int]], label_end: int
) -> Row:
    """A row with its cells in logical columns; what stands left of them is the label."""
    index = {c: i for i, g in enumerate(groups) for c in g}
    cells: list[Cell | None] = [None] * len(groups)
    anchors = {u.anchor for u in units}
    for u in units:
        cells[index[u.anchor]] = u.cell
    label: list[Cell] = []
    words: list[str] = []
    for r in raw.cells:
        text = r.text.strip(TRIM)
        if r.column in anchors or not text or text in _OPENERS or text in _CLOSERS:
            continue
        if r.column < label_end:
            label.append(_cell(document, r))
            words.append(text.replace(FILLER, ""))
        elif (i := index.get(r.column)) is not None and cells[i] is None:
            cells[i] = _cell(document, r)
    if not label:
        return Row("", raw.start, raw.end, tuple(cells), raw.start, raw.start, raw.indent)
    first, last = label[0], label[-1]
    return Row(" ".join(words), raw.start, raw.end, tuple(cells), first.start, last.end, raw.indent)


def _headers(rows: Sequence[RawRow], groups: list[set[int]], stretch: bool) -> tuple[str, ...]:
    """Header text of each logical column: every header cell that stands over it.

    With ``stretch`` a cell covers the blank ones to its right: Markdown has no spans.
    """
    parts: list[list[str]] = [[] for _ in groups]
    for row in rows:
        cells = [c for c in row.cells if c.text.strip(TRIM)]
        begins = [c.column for c in cells[1:]] + [10**6]
        for cell, after in zip(cells, begins, strict=False):
            last = after - 1 if stretch else cell.column + cell.span - 1
            for i, group in enumerate(groups):
                if any(cell.column <= c <= last for c in group):
                    parts[i].append(cell.text.strip(TRIM).replace(FILLER, ""))
    return tuple(" ".join(p) for p in parts)


def is_separator(text: str) -> bool:
    """Whether a Markdown row only holds dashes and colons."""
    return not text.strip(f"|:{DASHES} \t") and "-" in text
