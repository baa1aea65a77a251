"""Rows and physical cells of pipe tables, HTML tables and LaTeX tabulars."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise

from .grid import Raw, RawRow, is_separator
from .numbers import FILLER, parse

_MOST_CELLS = 400  # a row with more is not a table
_TAG = re.compile(r"<[/!a-zA-Z][^<>]{0,400}>")
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|[a-zA-Z]{2,8});")
_HTML = re.compile(r"<(/?)(table|tr|td|th)(?![a-zA-Z])([^<>]{0,2000})>", re.IGNORECASE)
_SPAN = re.compile(r"(col|row)span\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
_GROUP = r"\s*\{[^{}\n]{0,80}(?:\{[^{}\n]{0,40}\}[^{}\n]{0,80}){0,12}\}"
_BEGIN = re.compile(
    r"\\(begin|end)\{(tabular[x*]?|tabulary|longtable|array|tabu)\*?\}"
    rf"(?:\[[^\]\n]{{0,20}}\])?(?:{_GROUP}){{0,2}}"
)
_COMMAND = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering"
    r"|(?:cline|cmidrule(?:\([a-z]{1,2}\))?|rule|vspace|hspace|addlinespace|label|footnotemark)"
    r"(?:\[[^\]\n]{0,20}\])?\{[^{}\n]{0,60}\}|[a-zA-Z]+\*?\{|[a-zA-Z]+\b|[,;:! ])"
)
_MULTI = re.compile(r"\\multi(column|row)(?:\[[^\]]{0,9}\])?\{\s*(\d{1,3})\s*\}\s*\{[^{}]{0,40}"
                    r"(?:\{[^{}]{0,40}\}[^{}]{0,40}){0,3}\}\s*\{")  # fmt: skip

RawTable = tuple[str, list[RawRow]]


def raw_tables(text: str) -> Iterator[RawTable]:
    """The rows of every pipe table, HTML table and LaTeX tabular of a text."""
    if "|" in text:
        yield from _pipe_tables(text)
    if "<t" in text or "<T" in text:
        yield from _html_tables(text)
    if "\\begin{" in text:
        yield from _latex_tables(text)


def blocked(text: str) -> list[tuple[int, int]]:
    """Where no plain-text table can stand: lines of pipes and marked-up tables without rows."""
    return [(s, e) for s, e in lines(text) if text.startswith("|", s) and e > s + 1]


def lines(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every line, without its line break.

    >>> list(lines("ab\\n\\nc"))
    [(0, 2), (3, 3), (4, 5)]
    """
    start = 0
    while True:
        end = text.find("\n", start)
        if end < 0:
            yield start, len(text)
            return
        yield start, end
        start = end + 1


def _pipe_tables(text: str) -> Iterator[RawTable]:
    """Runs of lines that begin with a pipe, or of lines with inner pipes only."""
    run: list[tuple[int, int]] = []
    bare = False
    for start, end in [*lines(text), (len(text), len(text))]:
        at = text.find("|", start, end)
        lead = text[start:at].strip() if at >= 0 else ""
        is_row = at >= 0 and (not lead or (at - start < 200 and (bare or not run)))
        if run and (not is_row or bare != bool(lead)):
            yield from _pipe_rows(text, run, bare)
            run = []
        if is_row:
            bare = bool(lead)
            run.append((start, end))


def _pipe_rows(text: str, run: list[tuple[int, int]], bare: bool) -> Iterator[RawTable]:
    rows: list[RawRow] = []
    for start, end in run:
        if is_separator(text[start:end]):
            continue
        cells = _pipe_cells(text, start, end)
        if cells is None:
            continue
        rows.append(RawRow(tuple(cells), start, end))
    if bare:
        if len(rows) < 2:
            return
        rows = _split_labels(rows)
    if any(row.cells for row in rows):
        yield "pipe", rows


def _pipe_cells(text: str, start: int, end: int) -> list[Raw] | None:
    """The cells of one line that are not blank, or None where there are too many."""
    line = text[start:end]
    if line.count("|") > _MOST_CELLS:
        return None
    cuts = [i for i, c in enumerate(line) if c == "|" and not (i and line[i - 1] == "\\")]
    if not cuts:
        return []
    if line[: cuts[0]].strip():
        cuts.insert(0, -1)
    if line[cuts[-1] + 1 :].strip():
        cuts.append(len(line))
    cells = []
    for column, (a, b) in enumerate(pairwise(cuts)):
        inner = line[a + 1 : b]
        if inner and not inner.isspace():
            cells.append(Raw(column, 1, plain(inner), start + a + 1, start + b))
    return cells


def _split_labels(rows: list[RawRow]) -> list[RawRow]:
    """Rows such as ``Goods 9,115|9,045|70``, whose first cell is a label and a number."""
    firsts = [row.cells[0] for row in rows if row.cells and row.cells[0].column == 0]
    ends = [c for c in firsts if _label_and_number(c) is not None]
    if len(ends) < 2 or 2 * len(ends) < len(firsts):
        return rows
    split = []
    for row in rows:
        cells: list[Raw] = []
        for cell in row.cells:
            at = _label_and_number(cell) if cell.column == 0 else None
            if at is not None:
                label, rest = cell.text[:at], cell.text[at:]
                cells.append(Raw(0, 1, label, cell.start, cell.start + at))
                cells.append(Raw(1, 1, rest, cell.start + at, cell.end))
            else:
                shifted = cell.column + 1 if cell.column else 0
                cells.append(Raw(shifted, cell.span, cell.text, cell.start, cell.end))
        split.append(RawRow(tuple(cells), row.start, row.end, row.header, row.indent))
    return split


def _label_and_number(cell: Raw) -> int | None:
    """Where the number at the end of a label begins."""
    trimmed = cell.text.rstrip()
    at = max(trimmed.rfind(" "), trimmed.rfind("\u00a0")) + 1
    number = parse(trimmed[at:]) if at else None
    return at if number and trimmed[:at].strip() and not number.year else None


def plain(text: str) -> str:
    """The same text with tags and entities replaced, at the same length.

    >>> plain("<b>1</b> 2")
    '   1     2'
    """
    if "<" in text:
        text = _TAG.sub(lambda m: " " * len(m[0]), text)
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    return text


def _character(entity: re.Match[str]) -> str:
    char = html.unescape(entity[0])[:1]
    return char.ljust(len(entity[0]), " " if char.isspace() or char == "\u200b" else FILLER)


def _html_tables(text: str) -> Iterator[RawTable]:
    """A scan of the tags; an unclosed cell, row or table ends where the next begins."""
    rows: list[RawRow] = []
    row: list[tuple[Raw, int]] = []
    busy: dict[int, int] = {}  # column -> rows still covered by a rowspan
    opened: tuple[int, str, str] | None = None  # where the open cell begins, its tag, attributes
    row_start, header = 0, False

    def close_cell(end: int) -> None:
        nonlocal opened
        if opened is not None and len(row) < _MOST_CELLS:
            row.append(_html_cell(text, opened, end, row, busy))
        opened = None

    def close_row(end: int) -> None:
        nonlocal row, header
        if row:
            cells = tuple(c for c, _ in row if c.text.strip())
            rows.append(RawRow(cells, row_start, end, header))
            for column in list(busy):
                busy[column] -= 1
                if busy[column] <= 0:
                    del busy[column]
            for cell, down in row:
                for column in range(cell.column, cell.column + cell.span):
                    if down > 1:
                        busy[column] = down - 1
        row, header = [], False

    for tag in _HTML.finditer(text):
        close, name = tag[1], tag[2].lower()
        close_cell(tag.start())
        if name in ("tr", "table"):
            close_row(tag.start())
            row_start = tag.start()
            if name == "table":
                if rows:
                    yield "html", rows
                rows, busy = [], {}
        elif not close:
            opened = (tag.end(), name, tag[3])
            header = name == "th" and (header or not row)
        elif name == "td":
            header = False
    close_cell(min(len(text), opened[0] + 200) if opened else len(text))
    close_row(len(text))
    if rows:
        yield "html", rows


def _html_cell(
    text: str, opened: tuple[int, str, str], end: int, row: list, busy: dict[int, int]
) -> tuple[Raw, int]:
    start, _, attributes = opened
    spans = {m[1].lower(): max(1, int(m[2])) for m in _SPAN.finditer(attributes)}
    column = row[-1][0].column + row[-1][0].span if row else 0
    while column in busy:
        column += 1
    inner = plain(text[start:end]) if end - start < 20_000 else ""
    return Raw(column, min(spans.get("col", 1), 100), inner, start, end), spans.get("row", 1)


def _latex_tables(text: str) -> Iterator[RawTable]:
    """The bodies of innermost tabular environments."""
    begin = None
    for mark in _BEGIN.finditer(text):
        if mark[1] == "begin":
            begin = mark.end()
        elif begin is not None:
            rows = list(_latex_rows(text, begin, mark.start()))
            if rows:
                yield "latex", rows
            begin = None


def _latex_rows(text: str, start: int, end: int) -> Iterator[RawRow]:
    body = re.sub(r"(?<!\\)%[^\n]*", lambda m: " " * len(m[0]), text[start:end])
    at = 0
    for line in re.finditer(r"\\\\(?:\[[^\]\n]{0,12}\])?|\Z", body):
        cells: list[Raw] = []
        column = 0
        first = at
        for stop in [*(m.start() for m in re.finditer(r"(?<!\\)&", body[at : line.start()])), None]:
            last = at + stop if stop is not None else line.start()
            inner = body[first:last]
            multi = _MULTI.search(inner)
            span = int(multi[2]) if multi and multi[1] == "column" else 1
            if clean := _latex_plain(inner):
                cells.append(Raw(column, span, clean, start + first, start + last))
            column += span
            first = last + 1
            if len(cells) > _MOST_CELLS:
                break
        if cells:
            lead = len(body[at:]) - len(body[at:].lstrip()) if at < len(body) else 0
            yield RawRow(tuple(cells), start + at + lead, start + line.start())
        at = line.end()


def _latex_plain(inner: str) -> str:
    """A cell without commands, at the same length; "" where nothing is left."""
    inner = _MULTI.sub(lambda m: " " * len(m[0]), inner)
    inner = inner.replace("\\$", " \ue000").replace("\\%", " %").replace("\\&", " &")
    inner = inner.replace("{,}", f"{FILLER},{FILLER}")
    inner = _COMMAND.sub(lambda m: " " * len(m[0]), inner)
    inner = re.sub(r"[{}$~]", " ", inner).replace("\ue000", "$")
    return inner if inner.strip() else ""
