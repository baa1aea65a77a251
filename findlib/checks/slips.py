"""Slips of writing: two digits swapped, a wrong word for the scale, one cell copied wrongly."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from ..records import Answer
from .counts import is_slip
from .doc import Doc, Kind, finding
from .grid import Table
from .levels import GENERAL, number_pattern, printed_in, significant
from .linked import Line, lines, words
from .prose import Quantity, Span, with_numbers


def swapped(doc: Doc) -> list[Answer]:
    """Two numbers of four digits or more, close by, of which one is the other with two swapped.

    "If 97.54% lived ... 100% - 97.45%": the same unit and form within 400 characters in running
    text; the one stands once in the document, and the other is not in its sentence's list.
    """
    counts = Counter(number_pattern().findall(doc.text))
    recent: list[Quantity] = []
    found = []
    for _, numbers in with_numbers(doc):
        for q in numbers:
            if q.kind not in ("percent", "plain", "money") or len(significant(q.printed)) < 4:
                continue
            recent = [r for r in recent if q.start - r.end < 400]
            for r in recent:
                once = counts[q.printed] == 1 or counts[r.printed] == 1
                if r.kind == q.kind and once and _is_swap(r.printed, q.printed):
                    told = f"{r.printed} and then {q.printed}: the same digits, two of them swapped"
                    spans = [_about(doc, r), _about(doc, q)]
                    found.append(finding(doc, "swapped", spans, told, 0.55))
            recent.append(q)
    return found


def _is_swap(a: str, b: str) -> bool:
    if a == b or len(a) != len(b):
        return False
    wrong = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if len(wrong) != 2 or not (a[wrong[0]] + a[wrong[1]]).isdigit():
        return False
    beside = not any(c.isdigit() for c in a[wrong[0] + 1 : wrong[1]])
    return beside and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]]


def _about(doc: Doc, q: Quantity) -> Span:
    """A number with three words on each side, on its line."""
    before = doc.text[max(0, q.start - 40) : q.start].rpartition("\n")[2].split(" ")[-4:]
    after = doc.text[q.end : q.end + 40].partition("\n")[0].split(" ")[:4]
    return q.start - len(" ".join(before)), q.end + len(" ".join(after))


def other_scale(doc: Doc) -> list[Answer]:
    """An amount in billions that stands in millions elsewhere, of the same thing.

    The same digits, three at least, once with this scale; elsewhere in a sentence that shares
    half its words, or in a row of a table of known scale whose label stands in the sentence.
    """
    by_digits: dict[str, list[tuple[Span, Quantity]]] = defaultdict(list)
    for sentence, numbers in with_numbers(doc):
        for q in numbers:
            if (
                q.kind in ("money", "plain")
                and len(significant(q.printed)) >= 3
                and _scale_of(q) > 1
            ):
                by_digits[q.printed].append((sentence, q))
    rows: dict[str, list[Line]] = defaultdict(list)
    for line in lines(doc):
        if line.scale and not line.words <= GENERAL:
            for v in line.values:
                rows[printed_in(doc, v.start, v.end)].append(line)
    found = []
    for printed, group in by_digits.items():
        for sentence, q in group:
            if sum(_scale_of(x) == _scale_of(q) for _, x in group) > 1:
                continue
            other = _with_scale(doc, sentence, q, group) or _row_with_scale(
                doc, sentence, q, rows[printed]
            )
            if other:
                shown = re.sub(r"\s+", " ", doc.text[q.start : q.end])
                told = f"{shown} here, but {other[1]} where the same is stated again"
                found.append(finding(doc, "other_scale", [sentence, other[0]], told, 0.65))
    return found


def _scale_of(q: Quantity) -> float:
    return q.step * 10 ** len(q.printed.partition(".")[2])


def _with_scale(doc: Doc, sentence: Span, q: Quantity, group: list) -> tuple[Span, str] | None:
    mine = words(doc.text[slice(*sentence)])
    for span, other in group:
        if abs(_scale_of(other) - _scale_of(q)) < 1:
            continue
        theirs = words(doc.text[slice(*span)])
        if len(mine & theirs) >= max(3, 0.5 * min(len(mine), len(theirs))):
            return span, re.sub(r"\s+", " ", doc.text[other.start : other.end])
    return None


def _row_with_scale(
    doc: Doc, sentence: Span, q: Quantity, rows: list[Line]
) -> tuple[Span, str] | None:
    if any(abs(line.scale - _scale_of(q)) < 1 for line in rows):
        return None
    said = words(doc.text[slice(*sentence)])
    for line in rows:
        ratio = line.scale / _scale_of(q)
        if line.words <= said and (ratio > 900 or ratio < 1 / 900):
            return (line.start, line.end), f"in a table in {line.scale:,.0f}s"
    return None


def row_in_text(doc: Doc) -> list[Answer]:
    """Numbers of a sentence that are those of a table row beside it, but for one digit of one.

    Three of them at least agree, or two where the words beside the odd one are in the header or
    label of its cell; the sentence stands within 1,500 characters of the table, and the odd
    number in no cell of it.
    """
    found = []
    sentences = [
        (s, [q for q in n if q.kind in ("plain", "money", "percent")]) for s, n in with_numbers(doc)
    ]
    for table in doc.tables:
        near = [
            (s, n)
            for s, n in sentences
            if table.start - 1500 < s[0] < table.end + 1500 and len(n) >= 3
        ]
        lines = _number_lines(table) if near else []
        printed = {cell.text for line in lines for cell in line}
        for _, numbers in near:
            for line in lines:
                odd = _odd_number(doc, line, numbers, printed)
                if odd:
                    q, cell = odd
                    told = f"{q.printed} is stated, but the table has {cell.text} among the same numbers"
                    spans = [_with_words(doc, q), (cell.start, cell.end)]
                    found.append(finding(doc, "row_in_text", spans, told, 0.6))
                    break
    return found


@dataclass(frozen=True)
class _Number:
    """A number in a table as printed, its place, and the words of its header and label."""

    text: str
    start: int
    end: int
    words: frozenset[str]


def _number_lines(table: Table) -> list[list[_Number]]:
    """The rows and columns of a table; a label that is a number is a cell too."""
    rows: list[list[_Number]] = []
    columns: dict[int, list[_Number]] = defaultdict(list)
    corner = " ".join(r.label for r in table.header_rows)
    for row in table.rows:
        line = []
        if row.label.strip().replace(",", "").isdigit():
            line.append(_Number(row.label.strip(), row.label_start, row.label_end, words(corner)))
        for i, cell in row.numbers.items():
            said = words(table.headers[i] if i < len(table.headers) else "") | words(row.label)
            number = _Number(cell.text.strip("$ %"), cell.start, cell.end, said)
            line.append(number)
            columns[i].append(number)
        rows.append(line)
    return [line for line in (*rows, *columns.values()) if 3 <= len(line) <= 15]


def _odd_number(doc: Doc, line: list[_Number], numbers: list[Quantity],
                printed: set[str]) -> tuple[Quantity, _Number] | None:  # fmt: skip
    texts = {cell.text for cell in line}
    said = {q.printed for q in numbers}
    agree = texts & said
    if len(agree) < 2 or sum(map(len, agree)) < 4 or len(numbers) > 15:
        return None
    slips = []
    for q in numbers:
        if q.printed in printed or len(q.printed) < 2:
            continue
        beside = words(doc.text[max(0, q.start - 40) : q.end + 40])
        for cell in line:
            named = bool(cell.words & beside)
            if (
                cell.text not in said
                and (len(agree) >= 3 or named)
                and _cell_slip(cell.text, q.printed)
            ):
                slips.append((q, cell))
    return slips[0] if len(slips) == 1 else None


def _cell_slip(a: str, b: str) -> bool:
    a, b = a.replace(",", ""), b.replace(",", "")
    return a.isdigit() and b.isdigit() and is_slip(a, b)


def _with_words(doc: Doc, q: Quantity) -> Span:
    """A number with the words beside it, up to the next comma or the line's end."""
    start = max(doc.text.rfind(c, 0, q.start) for c in ",.\n(") + 1
    end = min((e for c in ",.\n" if (e := doc.text.find(c, q.end)) >= 0), default=q.end)
    start, end = max(start, q.start - 60), min(end, q.end + 60)
    piece = doc.text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


KINDS = {
    "swapped": Kind(swapped, "numeric"),
    "other_scale": Kind(other_scale, "numeric"),
    "row_in_text": Kind(row_in_text, "numeric"),
}
