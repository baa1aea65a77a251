"""Insertions into tables: a part of a sum, a total, any number, a percentage, a row."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from ..checks.grid import Table
from ..checks.numbers import written
from .edit import Edit, Maker, Place, cell_edit
from .source import Source, Span
from .sums import Rate, Site, Sum, cell, number, rate, room
from .twins import numbers_twice, printed

NUMERIC = "numeric"


def leaf(found: Source) -> Iterator[Place]:
    """A cell that takes part in a sum and is itself no sum."""
    totals = {(s.table, s.total) for s in found.all_sums}
    for s in found.all_sums:
        for site in s.parts:
            if (s.table, site) not in totals:
                yield Place(_at(found, s.table, site), _changed_sum(found, s, site))


def total(found: Source) -> Iterator[Place]:
    """A cell that is the sum of others."""
    for s in found.all_sums:
        yield Place(_at(found, s.table, s.total), _changed_sum(found, s, s.total))


def table_number(found: Source) -> Iterator[Place]:
    """Any table number that the document states or implies a second time.

    By a sum, a percentage of its row, the same row of another table, or a sentence.
    """
    ways: dict[tuple[int, Site], list[Maker]] = defaultdict(list)
    for s in found.all_sums:
        for site in (*s.parts, s.total):
            ways[s.table, site].append(_changed_sum(found, s, site))
    for r in found.all_rates:
        for site in {r.site, r.new, r.old}:
            ways[r.table, site].append(_changed_rate(found, r, site))
    for table, site, places in numbers_twice(found):
        ways[table, site].append(_changed_twin(found, table, site, places))
    for table, site in sorted(ways):
        makers = ways[table, site]
        yield Place(_at(found, table, site), _any_of(makers))


def _any_of(makers: list[Maker]) -> Maker:
    return lambda rng: rng.choice(makers)(rng)


def percent_table(found: Source) -> Iterator[Place]:
    """A percentage that follows from amounts of its row, or one of several that add up to 100."""
    for r in found.all_rates:
        yield Place(_at(found, r.table, r.site), _changed_rate(found, r, r.site))
    for s in found.all_sums:
        for site in (*s.parts, s.total):
            if number(found.doc.tables[s.table], site).percent:
                yield Place(_at(found, s.table, site), _changed_sum(found, s, site))


def table_row(found: Source) -> Iterator[Place]:
    """A row without which a total does not follow from its parts."""
    for s in found.all_sums:
        if s.axis != "column" or len(s.parts) < 3:
            continue
        for site in s.parts:
            if found.doc.tables[s.table].rows[site[0]].label:
                yield Place(_at(found, s.table, site), _without_row(found, s, site))


def _at(found: Source, table: int, site: Site) -> int:
    return cell(found.doc.tables[table], site).start


def _changed_sum(found: Source, s: Sum, site: Site) -> Maker:
    table = found.doc.tables[s.table]

    def make(rng: random.Random) -> Edit | None:
        old, slack = number(table, site).value, s.slack(table)
        least = max(2 * slack, 0.002 * abs(number(table, s.total).value))
        made = _edit_cell(rng, table, site, lambda v: abs(v - old) > least)
        if made is None:
            return None
        start, end, new, value = made
        places = _sum_places(found, s)
        stated = number(table, s.total)
        shown = written(value if site == s.total else stated.value, stated.decimals)
        label = table.rows[s.total[0]].label or "the total"
        computed = s.arithmetic(table, {site: value})
        text = f"{label}: {shown} is stated, but {computed}."
        return Edit(start, end, new, places, text, NUMERIC)

    return make


def _edit_cell(
    rng: random.Random, table: Table, site: Site, accept: Callable[[float], bool]
) -> tuple[int, int, str, float] | None:
    """An edit of a cell's digits that other numbers of its row and column do not hide."""
    r, c = site
    others = {n.value for i in range(len(table.rows)) if i != r and (n := table.number(i, c))}
    others |= {n.value for i in range(table.width) if i != c and (n := table.number(r, i))}
    target = cell(table, site)
    return cell_edit(rng, target, lambda v: v not in others and accept(v))


def _sum_places(found: Source, s: Sum) -> tuple[Span, ...]:
    """The rows of a sum, each from its label to the number; a row sum is one row."""
    table = found.doc.tables[s.table]
    if s.axis == "row":
        last = max((cell(table, site) for site in (*s.parts, s.total)), key=lambda c: c.end)
        return (found.row_span(s.table, s.total[0], last),)
    sites = (*s.parts, s.total)
    return tuple(found.row_span(s.table, site[0], cell(table, site)) for site in sites)


def _changed_rate(found: Source, r: Rate, site: Site) -> Maker:
    table = found.doc.tables[r.table]

    def fails(value: float) -> bool:
        """Whether the row no longer agrees, by twice what rounding explains."""
        new, old = number(table, r.new).value, number(table, r.old).value
        new, old = value if site == r.new else new, value if site == r.old else old
        stated = value if site == r.site else number(table, r.site).value
        return abs(rate(new, old, r.form) - stated) > 2 * room(table, r) + 0.3

    def make(rng: random.Random) -> Edit | None:
        made = _edit_cell(rng, table, site, fails)
        if made is None:
            return None
        start, end, digits, value = made
        values = {s: number(table, s).value for s in (r.site, r.new, r.old)} | {site: value}
        new, old, stated = (values[s] for s in (r.new, r.old, r.site))
        a, b = (written(v, number(table, s).decimals) for v, s in ((new, r.new), (old, r.old)))
        exact = f"{rate(new, old, r.form):.1f}%"
        term = f"({a} - {b}) / {b.lstrip('-')}" if r.form == "change" else f"{a} / {b}"
        shown = written(stated, number(table, r.site).decimals)
        label = table.rows[r.site[0]].label
        text = f"{label}: {shown}% is stated, but {term} = {exact}."
        rows = sorted({r.site[0], r.new[0], r.old[0]})
        places = tuple(found.row_span(r.table, row) for row in rows)
        return Edit(start, end, digits, places, text, NUMERIC)

    return make


def _changed_twin(found: Source, i: int, site: Site, others: tuple[Span, ...]) -> Maker:
    table = found.doc.tables[i]

    def make(rng: random.Random) -> Edit | None:
        held = cell(table, site)
        old = number(table, site).value
        made = _edit_cell(rng, table, site, lambda v: abs(v - old) > 0.002 * abs(old))
        if made is None or printed(held) == made[2] or made[2] in found.text:
            return None
        start, end, new, _ = made
        label = table.rows[site[0]].label
        text = f"{label}: {new} in the table, but {printed(held)} where it is stated again."
        places = (*others, found.row_span(i, site[0], held))
        return Edit(start, end, new, places, text, NUMERIC)

    return make


def _without_row(found: Source, s: Sum, site: Site) -> Maker:
    table = found.doc.tables[s.table]
    row = table.rows[site[0]]

    def make(rng: random.Random) -> Edit | None:
        if abs(number(table, site).value) <= 2 * s.slack(table):
            return None
        cut = removed_row(found.text, table.kind, row.start, row.end)
        if cut is None:
            return None
        kept = [i for i, part in enumerate(s.parts) if part != site]
        rest = Sum(
            s.table,
            tuple(s.parts[i] for i in kept),
            tuple(s.signs[i] for i in kept),
            s.total,
            s.axis,
        )
        stated = number(table, s.total)
        label = table.rows[s.total[0]].label or "the total"
        text = (
            f"{label}: {written(stated.value, stated.decimals)} is stated, but the rows give "
            f"{rest.arithmetic(table, {})}; a row of "
            f"{written(number(table, site).value, stated.decimals)} is missing."
        )
        return Edit(*cut, "", _sum_places(found, rest), text, NUMERIC)

    return make


def removed_row(text: str, kind: str, start: int, end: int) -> Span | None:
    """What to cut so that a table row is gone and the table around it stays whole.

    >>> text = "| a | 1 |\\n| b | 2 |\\n"
    >>> removed_row(text, "pipe", 10, 19)
    (10, 20)
    """
    if kind == "html":
        close = re.compile(r"</tr\s*>\s*", re.I).match(text, end)
        opened = text[start : start + 3].lower() == "<tr"
        return (start, close.end()) if close and opened else None
    if kind == "latex":
        close = re.compile(r"\\\\(?:\[[^\]\n]{0,12}\])?[ \t]*\n?").match(text, end)
        return (start, close.end()) if close else None
    start = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    if stop < 0 or text[end:stop].strip(" \t|*_"):
        return None
    return start, stop + 1
