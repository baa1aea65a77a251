"""Changes that sentences state, against the table row that holds the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations

from ..records import Answer
from .changes import Change, changes
from .doc import Doc, Kind, finding
from .prose import Quantity, Span, one_digit, written

_SKIP = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "into",
        "its",
        "net",
        "of",
        "on",
        "or",
        "our",
        "per",
        "than",
        "that",
        "the",
        "their",
        "these",
        "this",
        "to",
        "was",
        "were",
        "which",
        "with",
        "we",
        "us",
        "total",
        "other",
        "all",
        "each",
        "including",
        "less",
        "excluding",
    ]
)
_OTHER_BASIS = re.compile(
    r"currency|constant|comparable|organic|operational|adjusted|excluding|non-gaap|pro forma|"
    r"like-for-like|underlying|basis|per share|same.store|exclud|percentage of|rate|annuali[sz]ed",
    re.I,
)
_ASIDE = re.compile(
    r",\s+which\s[^,]{0,120},|,\s+(?:including|excluding)\s[^,]{0,120},|\([^)]{0,120}\)"
)
_NO_SIGN = ("improved", "exceeded", "gain", "gained", "widened")  # say nothing of the number's sign
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MONTHS = {m: i for i, m in enumerate(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A number in a table row: column, value and step as printed, place."""

    column: int
    value: float
    step: float
    percent: bool
    start: int
    end: int


@dataclass(frozen=True)
class Line:
    """A row of a table: the words of its label, its numbers, when each column is."""

    words: frozenset[str]
    label: str
    start: int
    end: int
    values: tuple[Value, ...]
    when: tuple[int, ...]
    scale: float
    table: int


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+(?:[.’'&][^\W\d_]+)*")


def words(text: str) -> frozenset[str]:
    """The words of a label or a stretch of text that carry meaning, in one form.

    >>> sorted(words("Sales of the U.S. stores (1)"))
    ['sale', 'store', 'u.s']
    """
    return _words(text) - _SKIP


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    found = (w.group().lower().rstrip(".") for w in _word().finditer(text.replace("’", "'")))
    return frozenset(_stem(w.removesuffix("'s")) for w in found if len(w) > 1)


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _when(header: str) -> int:
    """A number that grows with the date a column header names; 0 if it names none."""
    years = _YEAR.findall(header)
    if not years:
        return 0
    month = re.findall(r"\b([A-Za-z]{3})[a-z]*\.?\s+\d", header)
    return int(years[-1]) * 12 + (_MONTHS.get(month[-1].lower(), 0) if month else 0)


def _scale(text: str) -> float:
    low = text.lower()
    for word, factor in (("in millions", 1e6), ("in thousands", 1e3), ("in billions", 1e9),
                         ("of dollars", 1.0), ("(millions", 1e6), ("($ in millions", 1e6),
                         ("dollars in millions", 1e6), ("$000", 1e3), ("000s", 1e3)):  # fmt: skip
        if word in low:
            return factor
    return 0.0


def lines(doc: Doc) -> list[Line]:
    """The labelled rows with at least one number of all tables, in reading order.

    Rows of plain text whose columns are not told, and lines of a label and two numbers or more
    that lie in no table, count too: their columns are numbered from left to right.
    """
    return doc.once(_lines)


def _lines(doc: Doc) -> list[Line]:
    found: list[Line] = []
    for t, table in enumerate(doc.tables):
        when = tuple(_when(h) for h in table.headers)
        head = doc.text[
            max(0, table.start - 500) : table.rows[0].start if table.rows else table.end
        ]
        scale = _scale(head)
        for row in table.rows:
            held = list(row.numbers.items()) or list(enumerate(row.loose))
            values = tuple(
                Value(i, c.number.value, c.number.step, c.number.percent, c.start, c.end)
                for i, c in held
                if c.number and not c.number.dash
            )
            label = words(row.label)
            if label and values and len(values) <= 16:
                found.append(Line(label, row.label, row.start, row.end, values, when, scale, t))
    found += _text_lines(doc)
    found.sort(key=lambda line: line.start)
    return found


@cache
def _bare_row() -> re.Pattern[str]:
    number = r"(?:\$ ?)?\(?\$?\d[\d,]*(?:\.\d+)?\)?(?: ?%)?"
    return re.compile(
        rf"^[ \t]*(?P<label>[A-Z][^\n|\d$]{{2,70}}?)[ \t.]+(?P<values>(?:\[?\$\]?[ ]?)?{number}(?:[ \t]+{number}){{1,9}})[ \t]*$",
        re.M,
    )


def _text_lines(doc: Doc) -> list[Line]:
    found = []
    for match in _bare_row().finditer(doc.text):
        if doc.in_table(match.start("label")):
            continue
        values = []
        for i, part in enumerate(
            re.finditer(r"\(?\$? ?\(?(\d[\d,]*(?:\.\d+)?)\)?(?: ?%)?", match["values"])
        ):
            digits = part[1]
            value = float(digits.replace(",", ""))
            at = match.start("values") + part.start(1)
            sign = -1.0 if "(" in part[0] else 1.0
            step = 10.0 ** -len(digits.partition(".")[2])
            values.append(Value(i, sign * value, step, "%" in part[0], at, at + len(digits)))
        label = words(match["label"])
        if label:
            found.append(Line(label, match["label"].strip(), match.start("label"), match.end(),
                              tuple(values), (), 0.0, -1))  # fmt: skip
    return found


def index(found: list[Line]) -> dict[str, list[Line]]:
    """Lines by each of their words."""
    by: dict[str, list[Line]] = {}
    for line in found:
        for word in line.words:
            by.setdefault(word, []).append(line)
    return by


@dataclass(frozen=True)
class _Fit:
    """How the parts of a change agree with two columns of a row."""

    line: Line
    new: Value
    old: Value
    agree: tuple[str, ...]
    differ: tuple[str, ...]
    digits: int
    sign: int
    scale: float


def _digits(printed: str) -> int:
    return len(printed.replace(",", "").replace(".", "").lstrip("0").rstrip("0") or "0")


def _fits(change: Change, line: Line) -> Iterator[_Fit]:
    """Every pair of columns of a row, tried as (new, old) of a change."""
    levels = [v for v in line.values if not v.percent]
    scales = (line.scale,) if line.scale else (1.0, 1e3, 1e6)
    for new, old in permutations(levels[:8], 2):
        for scale in scales:
            yield _fit(change, line, new, old, scale)


def _fit(change: Change, line: Line, new: Value, old: Value, scale: float) -> _Fit:
    a, b = abs(new.value), abs(old.value)
    agree, differ, digits = [], [], 0
    difference = abs(a - b) if new.value * old.value >= 0 else a + b
    room = (new.step + old.step) / 2
    for role, stated in (("new", change.new), ("old", change.old), ("amount", change.amount)):
        if stated is None or stated.kind not in ("money", "plain"):
            continue
        value = {"new": a, "old": b, "amount": difference}[role] * scale
        slack = stated.step * 0.5 + (room * scale if role == "amount" else 0.0)
        if abs(abs(stated.value) - value) <= slack * 1.001 + value * 1e-9:
            agree.append(role)
            digits += _digits(stated.printed)
        else:
            differ.append(role)
    stated = change.percent
    if stated is not None and stated.kind == "percent":
        if _percent_agrees(stated, line, new, old):
            agree.append("percent")
            digits += _digits(stated.printed)
        else:
            differ.append("percent")
    rises = new.value - old.value if new.value >= 0 and old.value >= 0 else a - b
    sign = (rises > 0) - (rises < 0)
    return _Fit(line, new, old, tuple(agree), tuple(differ), digits, sign, scale)


def _percent_agrees(stated: Quantity, line: Line, new: Value, old: Value) -> bool:
    for printed in line.values:
        if (printed.percent or printed.column not in (new.column, old.column)) and abs(
            abs(printed.value) - abs(stated.value)
        ) <= 0.5 * max(stated.step, printed.step) + 1e-9:
            return True
    if old.value == 0:
        return False
    b = abs(old.value)
    exact = 100 * (new.value - old.value) / b
    room = 100 * (new.step / 2 + old.step / 2 * abs(new.value) / b) / b
    return abs(abs(stated.value) - abs(exact)) <= 1.25 * (room + stated.step / 2) + stated.step / 4


def _candidates(doc: Doc, change: Change, by: dict[str, list[Line]]) -> list[Line]:
    """Rows whose label's words all stand in the subject of a change, longest label first."""
    subject = words(_ASIDE.sub(" ", doc.text[slice(*change.subject)]))
    found: dict[int, Line] = {}
    for word in subject:
        for line in by.get(word, ()):
            if line.words <= subject:
                found[line.start] = line
    return sorted(found.values(), key=lambda x: (-len(x.words), x.start))


def table_change(doc: Doc) -> list[Answer]:
    """Amount, percent and levels of a stated change against its table row.

    A row whose label stands in the subject of the sentence must agree with one part (three
    digits at least) and contradict another, while no such row agrees with all of them.
    """
    return [a for a in doc.once(_against_tables) if a.kind == "table_change"]


def table_direction(doc: Doc) -> list[Answer]:
    """A direction word against the row whose columns give all numbers of the change."""
    return [a for a in doc.once(_against_tables) if a.kind == "table_direction"]


def _against_tables(doc: Doc) -> list[Answer]:
    by = index(lines(doc))
    judged = (_judge(doc, change, _candidates(doc, change, by)) for change in changes(doc))
    return [answer for answer in judged if answer]


def _judge(doc: Doc, change: Change, rows: list[Line]) -> Answer | None:
    last = max([change.verb[1], *(q.end for q in change.parts)])
    tail = (
        doc.text[change.verb[1] : last]
        + re.split(r"[(;,.]", doc.text[last : min(last + 60, change.sentence[1])])[0]
    )
    other_basis = bool(_OTHER_BASIS.search(tail))
    fits = [fit for line in rows[:60] for fit in _fits(change, line) if fit.agree]
    whole = [fit for fit in fits if not fit.differ]
    if whole:
        return _direction(doc, change, whole)
    if other_basis:
        return None
    part = [
        fit for fit in fits
        if len(fit.differ) == 1 and fit.digits >= (2 if _is_slip(change, fit) else 3)
    ]  # fmt: skip
    if not part:
        return None
    best = max(part, key=lambda f: (f.digits, len(f.line.words)))
    return _contradiction(doc, change, best)


def _is_slip(change: Change, fit: _Fit) -> bool:
    """Whether the part that differs is one digit off what the row gives."""
    role = fit.differ[0]
    stated: Quantity = getattr(change, role)
    if role == "percent":
        exact = 100 * (fit.new.value - fit.old.value) / abs(fit.old.value) if fit.old.value else 0.0
        shown = round(abs(exact) / stated.step) * stated.step
        return one_digit(shown, stated)
    value = {"new": fit.new.value, "old": fit.old.value, "amount": fit.new.value - fit.old.value}[
        role
    ]
    return one_digit(round(abs(value) * fit.scale / stated.step) * stated.step, stated)


def _direction(doc: Doc, change: Change, whole: list[_Fit]) -> Answer | None:
    """All numbers agree with a row, and the direction with none."""
    dated: list[_Fit] = []
    if doc.text[slice(*change.verb)].lower() in _NO_SIGN:
        return None
    for fit in whole:
        if "new" in fit.agree and "old" in fit.agree:
            dated.append(fit)
        elif fit.new.column < len(fit.line.when) and fit.old.column < len(fit.line.when):
            new, old = fit.line.when[fit.new.column], fit.line.when[fit.old.column]
            if new > old > 0:
                dated.append(fit)
    if not dated or any(fit.sign == change.sign for fit in dated):
        return None
    best = max(dated, key=lambda f: (f.digits, len(f.line.words)))
    only_percent = best.agree == ("percent",)
    if only_percent and _is_printed(change, best):
        return None  # the row gives the percentage itself, with a sign of its own
    if best.digits < (3 if only_percent else 2):
        return None
    word = doc.text[slice(*change.verb)]
    values = f"{written(best.old.value, best.old.step)} to {written(best.new.value, best.new.step)}"
    description = f"'{word}', but {best.line.label} went from {values}"
    places = [_stated(change), (best.line.start, best.line.end)]
    return finding(doc, "table_direction", places, description, 0.6 if best.digits > 2 else 0.4)


def _is_printed(change: Change, fit: _Fit) -> bool:
    stated = change.percent
    return stated is not None and any(
        abs(abs(v.value) - abs(stated.value)) <= 0.5 * max(stated.step, v.step) + 1e-9
        for v in fit.line.values
    )


def _contradiction(doc: Doc, change: Change, fit: _Fit) -> Answer:
    role = fit.differ[0]
    stated = getattr(change, role)
    new, old = written(fit.new.value, fit.new.step), written(fit.old.value, fit.old.step)
    step = min(fit.new.step, fit.old.step)
    if role == "percent":
        exact = f"({new} - {old}) / {old} = {100 * (fit.new.value - fit.old.value) / abs(fit.old.value):+.2f}%"
    elif role == "amount":
        exact = f"{new} - {old} = {written(fit.new.value - fit.old.value, step)}"
    else:
        exact = f"the table has {new if role == 'new' else old}"
    shown = doc.text[stated.start : stated.end].replace("\n", " ")
    description = f"stated {shown}, but by {fit.line.label}: {exact}"
    places = [_stated(change), (fit.line.start, fit.line.end)]
    return finding(doc, "table_change", places, description, 0.55)


def _stated(change: Change) -> Span:
    ends = [q.end for q in change.parts]
    starts = [q.start for q in change.parts]
    return min([change.verb[0], *starts]), max([change.verb[1], *ends])


KINDS = {
    "table_change": Kind(table_change, "numeric"),
    "table_direction": Kind(table_direction, "non-numeric"),
}
