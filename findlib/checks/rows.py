"""The same line item and period in two tables (or twice in one) with another value.

Two rows with one label are the same item if they agree in all other periods they share; the
period in which they do not is reported, unless each value is part of a sum that holds.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from ..records import Answer
from .doc import Doc, Kind, finding
from .grid import Cell, Table
from .sums import Fail, slip_digits

_MOST = 40  # rows with one label that are compared with each other
_DIGITS = 5.0  # digits that must agree in the other periods
_REPORT = 0.5  # least score of a finding
_NOTE = re.compile(r"\([^()]{0,60}\)|\[[^\[\]]{0,20}\]|[^\w%&$]+|\d+$")
_HEADER = re.compile(r"\([^()]{0,80}\)|\bunaudited\b|[^\w]+", re.I)
_CONCEPT = re.compile(
    r"non-gaap|\bgaap\b|adjusted|pro forma|excluding|constant|diluted|basic|reported|restated", re.I
)
_NAME = re.compile(
    r"((?:[A-Z&][\w&.'’-]* ){1,6}(?:Inc|Corp|Corporation|Company|Co|LLC|Ltd|L\.P|PLC|Bank|Trust))\b"
)
_PERIOD = re.compile(r"(?:19|20)\d\d|\bq[1-4]\b|quarter", re.I)


@dataclass(frozen=True)
class Item:
    """A row of a table: its cells by period, or by column where no period is known.

    ``context`` are words that make it another concept (adjusted, diluted), ``names`` the
    companies in the lines above the table.
    """

    table: int
    row: int
    columns: dict[str, int]
    cells: dict[str, Cell]
    dated: bool
    context: frozenset[str]
    names: frozenset[str]


def same_row(doc: Doc) -> list[Answer]:
    """Line items that stand twice with the same values but one."""
    standing = _standing(doc)
    found = []
    for label, items in sorted(_items(doc).items()):
        for first, second in combinations(items[:_MOST], 2):
            found += list(_compare(doc, label, first, second, standing))
    return found


def _items(doc: Doc) -> dict[str, list[Item]]:
    """Rows with a label and two numbers or more, by label."""
    items: dict[str, list[Item]] = defaultdict(list)
    for t, table in enumerate(doc.tables):
        keys, dated = _keys(table)
        names = frozenset(" ".join(m.split()) for m in _NAME.findall("\n".join(table.title)))
        section = amount = " ".join(table.title)
        for r, row in enumerate(table.rows):
            label = " ".join(_NOTE.sub(" ", row.label).lower().split())
            if label and not row.numbers:
                section = f"{' '.join(table.title)} {row.label}"
            if label.startswith(("%", "percent", "as a", "per ")):
                label = f"{amount} {label}"  # of the row above
            elif row.numbers:
                amount = label
            columns = {keys[c]: c for c in row.numbers if keys[c]}
            if len(label) < 3 or len(columns) < 2:
                continue
            cells = {key: row.numbers[c] for key, c in columns.items()}
            context = frozenset(m.lower() for m in _CONCEPT.findall(f"{section} {row.label}"))
            items[label].append(Item(t, r, columns, cells, dated, context, names))
    return items


def _keys(table: Table) -> tuple[list[str], bool]:
    """What each column is known by: its period if that is unique ("" if not), or its number."""
    heads = [" ".join(_HEADER.sub(" ", h).lower().split()) for h in table.headers]
    dated = [h if _PERIOD.search(h) and heads.count(h) == 1 else "" for h in heads]
    if any(dated):
        return dated, True
    return [f"#{c}" for c in range(len(heads))], False


def _compare(
    doc: Doc, label: str, first: Item, second: Item, standing: dict[tuple[int, int, int], int]
) -> Iterator[Answer]:
    named = first.names and second.names and not first.names & second.names
    if first.context != second.context or named:
        return
    if first.dated != second.dated or (not first.dated and len(first.cells) != len(second.cells)):
        return
    shared = sorted(set(first.cells) & set(second.cells))
    unlike = [k for k in shared if _value(first.cells[k]) != _value(second.cells[k])]
    if len(unlike) != 1 or len(shared) < 2:
        return
    key = unlike[0]
    one, two = first.cells[key], second.cells[key]
    alike = {abs(_value(first.cells[k])): first.cells[k] for k in shared if k != key}
    digits = sum(_digits(c) for c in alike.values())
    if digits < (_DIGITS if first.dated else 1.6 * _DIGITS) or not _same_kind(one, two):
        return
    marks = [standing.get((i.table, i.row, i.columns[key]), 0) for i in (first, second)]
    telling = slip_digits(_whole(one), _whole(two))
    odds = -3.0 + 0.4 * min(digits, 10.0) + 0.9 * telling - 2.0 * (min(marks) > 0)
    odds += 1.5 * (min(marks) < 0 <= max(marks)) - 1.0 * (telling == 0)
    odds -= 0.7 * (not first.dated)
    if (score := 1 / (1 + math.exp(-odds))) < _REPORT:
        return
    places = [(one.start, one.end), (two.start, two.end)]
    names = doc.tables[first.table].rows[first.row].label.strip()
    period = "" if key.startswith("#") else f", {key}"
    others = len(shared) - 1
    words = (
        f"{names}{period}: {one.text} in one table but {two.text} in another; "
        f"the other {others} value{'s' * (others > 1)} of the row agree{'s' * (others == 1)}"
    )
    yield finding(doc, "same row", places, words, score)


def _standing(doc: Doc) -> dict[tuple[int, int, int], int]:
    """1 for a cell in a sum that holds, -1 for one in a sum that fails."""
    marks: dict[tuple[int, int, int], int] = {}
    for sums in doc.sums:
        for (r, c), weight in sums.supported.items():
            if weight >= 2.5:
                marks[sums.index, r, c] = 1
        for axis, relation in sums.groups:
            for p in relation.fails if relation.holds else ():
                for r, c in Fail(relation, axis, p, relation.differ[p]).cells:
                    marks[sums.index, r, c] = -1
    return marks


def _value(cell: Cell) -> float:
    return cell.number.value if cell.number else 0.0


def _whole(cell: Cell) -> int:
    number = cell.number
    return round(number.value * 10**number.decimals) if number else 0


def _digits(cell: Cell) -> float:
    """Digits of a value without zeros at its end."""
    whole = str(abs(_whole(cell))).rstrip("0")
    return float(len(whole)) if len(whole) > 1 else 0.0


def _same_kind(one: Cell, two: Cell) -> bool:
    a, b = one.number, two.number
    if a is None or b is None or a.dash or b.dash or not a.value or not b.value:
        return False
    return a.decimals == b.decimals and a.percent == b.percent and abs(a.value) != abs(b.value)


KINDS: dict[str, Kind] = {"same row": Kind(same_row, "numeric")}
