"""Plain-text tables: lines that end in numbers, with dot leaders or aligned blanks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .grid import Cell, Row, Table
from .markup import lines
from .numbers import CURRENCY, Number, parse

_LINE = 400  # longer lines are prose
_GAP = 4  # lines without numbers inside a table
_DOTS = re.compile(r"(?:\.\s?){3,}|…+")
_TOKEN = re.compile(r"\S+")
_SIGN = re.compile(rf"(?:{CURRENCY})\(?|\(")
_PROSE = re.compile(
    r"\b(?:the|was|were|is|are|to|of|and|or|in|for|by|from|than|with|that|page|note|item)$", re.I
)
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"(?:(?:{_MONTHS}|fy|q[1-4]|fiscal|year)\s*)?(?:\d{{1,2}},?\s+)?(?:19|20)\d\d\b", re.I
)
_PLACEHOLDER = re.compile(r"\(?(?:n/?a|n\.a\.|n/?m|n\.m\.)\)?", re.I)
_GLUE = re.compile(r"[-\d)%]\s{2,}(?=[A-Za-z])")  # a number, a gap, the next label
_DATED = re.compile(rf"(?:{_MONTHS}\s+\d{{1,2}},?|fiscal|fy|ended|ending)\W*$", re.I)


@dataclass(frozen=True)
class Line:
    """A line of a plain-text table: its label, the numbers at its end, whether it is a header."""

    start: int
    end: int
    label: str
    label_start: int
    cells: tuple[Cell, ...]
    header: bool = False


def tables(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Table]:
    """The plain-text tables of a document outside the ``taken`` ranges."""
    found: list[Table] = []
    block: list[Line] = []
    gap = 0
    stops = iter(sorted(taken))
    stop = next(stops, None)
    for start, end in lines(text):
        while stop and stop[1] <= start:
            stop = next(stops, None)
        inside = stop is not None and stop[0] < end and start < stop[1]
        row = None if inside or end - start > _LINE else read_line(text, start, end)
        if row is not None and row.cells and not row.header:
            block += _unglued(text, row)
            gap = 0
        elif row is not None and (not row.label or (row.end - row.start <= 110 and gap < _GAP)):
            if row.label or row.cells:  # a header or the label of a section
                block.append(row)
                gap += 1
        else:
            found += _close(text, block)
            block, gap = [], 0
    return found + _close(text, block)


def read_line(text: str, start: int, end: int) -> Line:
    """A line as label and numbers; dates and years over columns make it a header."""
    line = text[start:end]
    masked = _DOTS.sub(lambda m: " " * len(m[0]), line) if ".." in line or ". ." in line else line
    masked = masked.replace("…", " ").replace("*", " ").replace("_", " ").replace("#", " ")
    tokens = [(m.start(), m.end()) for m in _TOKEN.finditer(masked)]
    cells: list[Cell] = []
    i = len(tokens)
    while i > 0:
        a, b = tokens[i - 1]
        if _PLACEHOLDER.fullmatch(masked[a:b]):
            cells.append(Cell(line[a:b], start + a, start + b))
            i -= 1
        elif (taken := _number_before(masked, tokens, i)) is not None:
            i, (a, b), number = taken
            cells.append(Cell(line[a:b], start + a, start + b, number))
        else:
            break
    if not any(c.number for c in cells):
        cells, i = [], len(tokens)
    cells.reverse()
    label = masked[tokens[0][0] : tokens[i - 1][1]].strip(" :") if i else ""
    years = [c for c in cells if c.number is not None and c.number.year]
    header = bool(cells) and len(years) == len(cells)
    header = header and (not label or len(cells) > 1 or bool(_DATED.search(label)))
    at = start + (tokens[0][0] if tokens else 0)
    return Line(start, end, label, at, tuple(cells), header)


def _unglued(text: str, row: Line) -> list[Line]:
    """The two rows that a converter put on one line: ``Gain 21   Other, net 7 (8)``."""
    label = text[row.start : row.cells[0].start]
    glue = list(_GLUE.finditer(label))
    if not glue:
        return [row]
    at = row.start + glue[-1].end()
    first, second = read_line(text, row.start, at), read_line(text, at, row.end)
    return [first, second] if first.cells and second.label else [row]


def _number_before(
    line: str, tokens: list[tuple[int, int]], i: int
) -> tuple[int, tuple[int, int], Number] | None:
    """The number that ends at token i - 1: (its first token, its place, the number)."""
    first = i - 1
    end = tokens[first][1]
    if line[slice(*tokens[first])] in (")", "%", ")%") and first:
        first -= 1
        if line[slice(*tokens[first])] == ")" and first:
            first -= 1
    begin = tokens[first][0]
    number = parse(line[begin:end])
    if number is None:
        return None
    if first and _SIGN.fullmatch(before := line[slice(*tokens[first - 1])]):
        joined = parse(line[tokens[first - 1][0] : end])
        if joined is not None:
            first, number = first - 1, joined
            begin = tokens[first][0] if before.endswith("(") else begin
    while begin < end and line[begin] in "$€£¥ ":
        begin += 1
    return first, (begin, end), number


def _close(text: str, block: list[Line]) -> list[Table]:
    """The tables of one run of lines, cut where the number of columns changes for good."""
    if sum(1 for r in block if r.cells and not r.header) < 3:
        return []
    found = []
    for part in _cut(block):
        counts = Counter(len(r.cells) for r in part if r.cells and not r.header)
        width = max(counts, key=lambda k: (counts[k], k), default=0)
        if counts.total() < 3 or counts[width] < 2 or (width == 1 and not _amounts(part)):
            continue
        found.append(_table(text, part, width))
    return found


def _amounts(part: list[Line]) -> bool:
    """Whether lines with one number each look like a column of amounts, not like prose."""
    rows = [r for r in part if r.cells and not r.header]
    marked = [
        r for r in rows
        if (n := r.cells[0].number) and ("," in n.digits or n.currency or n.bracketed or n.decimals)
    ]  # fmt: skip
    prose = [r for r in rows if len(r.label) > 80 or _PROSE.search(r.label)]
    return 2 * len(marked) >= len(rows) and 4 * len(prose) < len(rows)


def _cut(block: list[Line]) -> list[list[Line]]:
    """Parts that begin at a header line, or where three rows on end have another width."""
    parts: list[list[Line]] = [[]]
    width = 0
    widths = [len(r.cells) for r in block if r.cells and not r.header]
    at = 0
    for row in block:
        if row.header:
            if width:
                parts.append([])
                width = 0
        elif row.cells:
            ahead = widths[at : at + 3]
            at += 1
            if not width:
                width = max(set(ahead), key=lambda k: (ahead.count(k), k))
            elif len(ahead) == 3 and len(set(ahead)) == 1 and ahead[0] != width:
                parts.append([])
                width = ahead[0]
        parts[-1].append(row)
    return [p for p in parts if p]


def _table(text: str, part: list[Line], width: int) -> Table:
    edges = _edges([r for r in part if len(r.cells) == width and not r.header], width)
    rows: list[Row] = []
    header: list[Row] = []
    for line in part:
        placed, loose = _place(line, width, edges)
        end = line.label_start + len(line.label)
        row = Row(line.label, line.start, line.end, placed, line.label_start, end,
                  line.label_start - line.start, loose)  # fmt: skip
        (header if line.header and not any(r.numbers for r in rows) else rows).append(row)
    start, end = part[0].start, part[-1].end
    return Table(
        "text", start, end, tuple(rows), _headers(text, start, header, width), tuple(header)
    )


def _headers(text: str, start: int, header: list[Row], width: int) -> tuple[str, ...]:
    """A date for each column from the header lines, or from the lines above the table."""
    above = [r for r in text[max(0, start - 300) : start].split("\n") if len(r) < 200]
    inside = [text[r.start : r.end] for r in header]
    for line in [*reversed(inside), *reversed(above)]:
        dates = [m[0] for m in _DATE.finditer(line.replace("*", " "))]
        if len(dates) == width:
            return tuple(dates)
    return ("",) * width


def _edges(full: list[Line], width: int) -> list[tuple[int, int]] | None:
    """The character range of each column, or None where the columns are not aligned."""
    if width < 2 or not full:
        return None
    edges = [
        (
            min(r.cells[k].start - r.start for r in full),
            max(r.cells[k].end - r.start for r in full),
        )
        for k in range(width)
    ]
    return edges if all(a[1] < b[0] for a, b in pairwise(edges)) else None


def _place(
    line: Line, width: int, edges: list[tuple[int, int]] | None
) -> tuple[tuple[Cell | None, ...], tuple[Cell, ...]]:
    """The numbers of a line by column, and those whose column cannot be told."""
    if len(line.cells) == width:
        return line.cells, ()
    placed: list[Cell | None] = [None] * width
    for cell in line.cells if edges is not None and len(line.cells) < width else ():
        left, right = cell.start - line.start, cell.end - line.start
        at = [k for k, (a, b) in enumerate(edges or ()) if left < b and a < right]
        if len(at) != 1 or placed[at[0]] is not None:
            break
        placed[at[0]] = cell
    else:
        if edges is not None and len(line.cells) < width:
            return tuple(placed), ()
    return (None,) * width, line.cells
