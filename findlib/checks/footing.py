"""Footing and cross-footing: which sums that fail are errors, and of which cell.

A failing position counts where the same relation holds at others. Two failing relations that
one correction of one cell mends name that cell. What else could explain a difference (a part
missing in one column, a column of averages, rounding) lowers the odds or rules it out.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable

from ..records import Answer
from .doc import Doc, Kind, finding
from .grid import Table
from .numbers import written
from .sums import Fail, Place, Sums, exactness, layout_digits, slip

_AMOUNT = re.compile(r"(?<![\w.,$])\d{1,3}(?:,\d{3})*(?![\w.,%])")
_SURE = 5.0  # digits of evidence from which a difference within rounding may be an error
_SHOWN = 40  # terms written out in a description
_REPORT = 0.4  # least score of a finding
_EXACT = 15  # sums from which a document shows that its sums are exact


def footing(doc: Doc) -> list[Answer]:
    """Columns whose total is not the sum of its parts while other columns hold."""
    return [a for a in doc.once(findings) if a.kind == "footing"]


def cross_footing(doc: Doc) -> list[Answer]:
    """Rows whose total is not the sum (or difference) of other columns while other rows hold."""
    return [a for a in doc.once(findings) if a.kind == "cross-footing"]


def findings(doc: Doc) -> list[Answer]:
    """What does not add up in the tables of a document."""
    exact, rounded = exactness(doc.sums)
    strict = exact >= _EXACT and rounded <= 1 + exact / 100
    return [a for sums in doc.sums for a in table_findings(doc, sums, strict)]


def table_findings(doc: Doc, sums: Sums, strict: bool) -> list[Answer]:
    """What does not add up in one table; ``strict`` where the document never rounds sums."""
    strict = strict and not sums.numbers.percent_table
    fails = [f for f in sums.fails() if (strict or not f.rounding) and not _ruled_out(sums, f)]
    answers = []
    done: set[int] = set()
    for cell, cure, members in _culprits(fails, strict):
        if not done & set(members):
            done |= set(members)
            answers.append(_culprit_answer(doc, sums, cell, cure, [fails[i] for i in members]))
    for i, fail in enumerate(fails):
        if i not in done:
            pair = _offset(fails, i, done)
            done |= {i, *pair}
            answers.append(_answer(doc, sums, fail, [fails[j] for j in pair]))
    return [a for a in answers if (a.score or 0) >= _REPORT]


def _ruled_out(sums: Sums, fail: Fail) -> bool:
    """Whether a cell between the parts could not be read, or many positions fail alike."""
    r, rows = fail.relation, sums.table.rows
    fails = [q for q, d in r.differ.items() if abs(d) > r.slack[q]]
    alike = [q for q in fails if r.differ[q] == fail.differ]
    if len(alike) > 1 or (len(fails) > 2 and len(r.holds) < 3 * len(fails)):
        return True
    for line in fail.lines:
        row, column = fail.cell(line)
        cell = rows[row].cells[column]
        if cell is not None and cell.number is None:
            return True
        if fail.axis == "down" and rows[row].loose:
            return True
    return False


def _culprits(fails: list[Fail], strict: bool) -> list[tuple[Place, int, list[int]]]:
    """Cells whose one correction mends two or more failing relations, most relations first."""
    by_cell: dict[Place, list[tuple[int, int]]] = defaultdict(list)
    for i, fail in enumerate(fails):
        for cell, cure in fail.cures():
            by_cell[cell].append((cure, i))
    found = []
    for cell, cures in by_cell.items():
        by_cure: dict[int, list[int]] = defaultdict(list)
        for cure, i in cures:
            by_cure[cure].append(i)
        for cure, members in by_cure.items():
            if len(members) > 1 and (strict or any(not fails[i].rounding for i in members)):
                found.append((cell, cure, members))
    return sorted(found, key=lambda g: (-len(g[2]), g[0], g[1]))


def _offset(fails: list[Fail], i: int, done: set[int]) -> list[int]:
    """The failing position of the same relation that is off by as much the other way."""
    for j in range(i + 1, len(fails)):
        same = fails[j].relation is fails[i].relation
        if j not in done and same and fails[j].differ == -fails[i].differ:
            return [j]
    return []


def odds_of(sums: Sums, fail: Fail) -> float:
    """Log-odds that a failing relation is an error of the document."""
    r = fail.relation
    digits = slip(sums.numbers, fail)
    if r.form == "presumed":
        group = sums.down if fail.axis == "down" else sums.across
        elsewhere = any(fail.position in other.holds for other in group)
        odds = (
            2.0 * layout_digits(sums.numbers, fail)
            - 3.4
            + elsewhere
            + 0.8 * (fail.axis == "across")
        )
        return odds - _other_reasons(sums, fail)
    if not r.holds or _present(sums, fail) < 2:
        return -9.0
    fails = [q for q, d in r.differ.items() if abs(d) > r.slack[q] and q != fail.position]
    holds = len([q for q in r.holds if r.differ[q] == 0])
    odds = -1.2 + 0.6 * min(holds, 3) + 0.15 * min(r.weight, 12)
    telling = digits + 0.3 - math.log10(len(fail.cells))  # any of the cells may be the one
    odds += 0.7 * min(max(telling, 0.0), 3.0) if digits else -0.8
    odds -= 0.8 * len(fails) + 1.0 * (len(r.holds) - holds)
    if r.form in ("flip", "skip"):
        odds -= 1.0 + 3.0 * (holds < 2)
    elif r.form not in ("sum", "less"):
        odds -= 0.5
    if fail.rounding:
        odds = min(odds - 1.5, 0.4 if abs(fail.differ) > 1 else 0.0)
        others = [q for q in r.holds if r.differ[q] != 0 and q != fail.position]
        odds -= 2.0 * (len(others) + len(fails)) + 3.0 * (
            holds + (abs(fail.differ) > 1) < 2 or r.weight < _SURE
        )
    elif abs(fail.differ) <= 2 * fail.slack:
        odds -= 0.5
    if all(sums.supported.get(c, 0) for c in fail.cells):
        odds -= 1.0
    return odds - _other_reasons(sums, fail)


def _present(sums: Sums, fail: Fail) -> int:
    """How many parts are not blank at this position: a dash counts."""
    lines = {i for q in fail.relation.parts.values() for i, _ in q}
    return sum(bool(sums.numbers.present[fail.cell(i)]) for i in lines)


def _other_reasons(sums: Sums, fail: Fail) -> float:
    """Log-odds taken off for what could explain a difference other than an error."""
    n, unit = sums.numbers, 10**sums.numbers.decimals
    off = _component(sums, fail) + _other_start(sums, fail)
    if fail.axis == "down" and n.doubtful[fail.position]:
        off += 2.0
    if n.percent_table and n.values[fail.total] != 100 * unit:
        off += 3.0  # shares add up to 100, changes to nothing
    group = sums.down if fail.axis == "down" else sums.across
    if not _vouched(sums, fail):
        off += _not_additive(sums, fail)
    fails = sum(abs(r.differ.get(fail.position, 0)) > r.slack.get(fail.position, 0) for r in group)
    return off + 1.0 * max(fails - 1, 0)


def _component(sums: Sums, fail: Fail) -> float:
    """For a difference that is one number near by, or twice one: a part left out or turned."""
    n, size, off = sums.numbers, abs(fail.differ), 0.0
    unit = 10**n.decimals
    lines = fail.lines
    near = []
    for line in range(max(0, lines.start - 2), lines.stop + 1):
        row, column = fail.cell(line)
        if row < len(n.values) and column < n.table.width:
            near.append(abs(int(n.values[row, column])))
            words = n.table.rows[row].label if fail.axis == "down" else ""
            near += [int(w.replace(",", "")) * unit for w in _AMOUNT.findall(words)]
    if size in near or (size % 2 == 0 and size // 2 in near):
        off += 1.0 + 1.2 * math.log10(max(size / unit, 1.0))
    parts = [(c, abs(int(n.values[c]))) for c, _ in fail.terms]
    if any(v * k == size and _untold(sums, fail, c) for c, v in parts for k in (1, 2)):
        off += 4.0
    return off


def _other_start(sums: Sums, fail: Fail) -> float:
    """For a sum that holds if it began a few lines earlier or later at this position."""
    n = sums.numbers
    more = fewer = 0
    first = fail.lines.start
    for line in range(first - 1, max(-1, first - 16), -1):
        row, column = fail.cell(line)
        more += int(n.values[row, column])
        if more and abs(fail.differ - more) <= fail.slack:
            return 5.0
    for cell, sign in fail.terms[:-1]:
        fewer += int(n.values[cell]) * sign
        if fewer and abs(fail.differ + fewer) <= fail.slack:
            return 5.0
    return 0.0


def _vouched(sums: Sums, fail: Fail) -> bool:
    """Whether other sums show that the numbers at this position are amounts that add up."""
    same = sums.down if fail.axis == "down" else sums.across
    cross = sums.across if fail.axis == "down" else sums.down
    if any(fail.position in r.holds for r in same):
        return True
    return any(
        len(r.holds) > 1
        and any(fail.position in (r.total, i) for q in r.parts.values() for i, _ in q)
        for r in cross
    )


def _not_additive(sums: Sums, fail: Fail) -> float:
    """For a position without a sum that holds: it may hold averages, changes or balances."""
    n = sums.numbers
    parts = [int(n.values[c]) * s for c, s in fail.terms]
    total = int(n.values[fail.total])
    telling = slip(n, fail)
    off = 0.0 if telling >= 1.0 else 1.0
    if total in parts:
        off += 5.0
    one_sign = min(parts) >= 0 or max(parts) <= 0
    if one_sign and min(parts) <= total <= max(parts):
        off += 1.0 if telling else 3.0
    lines = [fail.relation.total] if fail.relation.holds else []
    usual = [abs(int(n.values[(i, q) if fail.axis == "down" else (q, i)]))
             for i in lines for q in fail.relation.holds]  # fmt: skip
    if usual and abs(total) * 50 < sorted(usual)[len(usual) // 2]:
        off += 2.5  # numbers of another size: percentages without their sign
    return off


def _untold(sums: Sums, fail: Fail, cell: Place) -> bool:
    """Whether no position that holds tells if, and with what sign, the line of a part counts."""
    line = cell[0] if fail.axis == "down" else cell[1]
    return all(line not in [i for i, _ in fail.relation.parts[q]] for q in fail.relation.holds)


def _answer(doc: Doc, sums: Sums, fail: Fail, pair: list[Fail]) -> Answer:
    odds = odds_of(sums, fail) + (1.5 if pair else 0.0)
    words = "; ".join(sentence(sums, f) for f in (fail, *pair))
    if pair:
        size = written(abs(fail.differ) / 10**sums.numbers.decimals, sums.numbers.decimals)
        words += f"; the two differences of {size} offset each other"
    cells = [c for f in (fail, *pair) for c in f.cells]
    kind = "footing" if fail.axis == "down" else "cross-footing"
    return finding(doc, kind, places(sums, cells), words, _probability(odds))


def _culprit_answer(doc: Doc, sums: Sums, cell: Place, cure: int, members: list[Fail]) -> Answer:
    """One finding for the relations that one cell spoils."""
    members = sorted(members, key=lambda f: (len(f.cells), f.axis, f.position))
    odds = max(odds_of(sums, f) for f in members)
    if _apart(members) and odds > -2.0:
        odds = max(odds, 0.0) + 1.5
    n = sums.numbers
    value = n.values[cell] / 10**n.decimals
    right = (int(n.values[cell]) + cure) / 10**n.decimals
    words = "; ".join(sentence(sums, f) for f in members[:3])
    words += (
        f"; all of this holds with {written(right, n.decimals)} for "
        f"{_name(n.table, cell)} instead of {written(value, n.decimals)}"
    )
    cells = list(members[0].cells)
    for other in members[1:]:
        if len(other.cells) <= 8:
            cells += other.cells
    kind = "footing" if any(f.axis == "down" for f in members) else "cross-footing"
    return finding(doc, kind, places(sums, cells), words, _probability(odds))


def _apart(members: list[Fail]) -> bool:
    """Whether two of the relations share one cell only: then it is the one that is wrong."""
    return any(
        len(set(a.cells) & set(b.cells)) == 1
        for k, a in enumerate(members)
        for b in members[k + 1 :]
    )


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def places(sums: Sums, cells: Iterable[Place]) -> list[tuple[int, int]]:
    """Where cells stand in the document."""
    rows = sums.table.rows
    found = [rows[r].cells[c] for r, c in cells]
    return [(c.start, c.end) for c in found if c is not None]


def sentence(sums: Sums, fail: Fail) -> str:
    """The arithmetic of a failing relation, written out."""
    n = sums.numbers
    scale = 10**n.decimals
    stated = int(n.values[fail.total])
    terms = [int(n.values[c]) * s for c, s in fail.terms]
    if stated < 0 and terms[0] < 0:  # losses read better as positive numbers
        stated, terms = -stated, [-t for t in terms]
    shown = [written(abs(t) / scale, n.decimals) for t in terms]
    text = ("-" if terms[0] < 0 else "") + shown[0]
    for term, word in list(zip(terms, shown, strict=True))[1:_SHOWN]:
        text += f" {'-' if term < 0 else '+'} {word}"
    if len(terms) > _SHOWN:
        text += " + ..."
    result = written(sum(terms) / scale, n.decimals)
    parts = ", ".join(_line(n.table, fail, c) for c, _ in fail.terms[:_SHOWN])
    names = f"{parts}; {_line(n.table, fail, fail.total)}{_where(n.table, fail)}"
    return f"{text} = {result}, but {written(stated / scale, n.decimals)} is stated ({names})"


def _line(table: Table, fail: Fail, cell: Place) -> str:
    row, column = cell
    if fail.axis == "down":
        return table.rows[row].label.strip() or f"row {row + 1}"
    return table.headers[column].strip() or f"column {column + 1}"


def _where(table: Table, fail: Fail) -> str:
    labels = table.headers if fail.axis == "down" else [r.label for r in table.rows]
    label = labels[fail.position].strip()
    return f"; {label}" if label else ""


def _name(table: Table, cell: Place) -> str:
    row, column = cell
    words = [table.rows[row].label.strip(), table.headers[column].strip()]
    return ", ".join(w for w in words if w) or f"row {row + 1}, column {column + 1}"


KINDS: dict[str, Kind] = {
    "footing": Kind(footing, "numeric"),
    "cross-footing": Kind(cross_footing, "numeric"),
}
