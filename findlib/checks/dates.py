"""Dates that are not in the calendar, weekdays that do not fit, periods that run backwards."""

from __future__ import annotations

import calendar
import re
from datetime import date
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .prose import around

_MONTHS = [m for m in calendar.month_name if m]
_DAYS = list(calendar.day_name)
_SHORT = {m[:3].lower(): i for i, m in enumerate(_MONTHS, 1)}


@cache
def _date() -> re.Pattern[str]:
    months = "|".join([*_MONTHS, *(rf"{m[:3]}\." for m in _MONTHS if m != "May"), "Sept\\."])
    days = "|".join(_DAYS)
    return re.compile(
        rf"(?:\b(?P<week>{days}),?\s+(?:the\s+)?)?"
        rf"(?:\b(?P<m1>{months})\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|,\d|\.\d|%)(?:,?\s+(?P<y1>(?:19|20)\d\d)\b)?"
        rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{months})(?:,?\s+(?P<y2>(?:19|20)\d\d)\b)?"
        r"|\b(?P<y3>(?:19|20)\d\d)-(?P<m3>\d\d)-(?P<d3>\d\d)\b)(?:\s*\((?P<after>" + days + r")\))?"
    )


def _dates(doc: Doc) -> list[re.Match[str]]:
    """The dates of a document."""
    names = re.compile("|".join(m[:3] for m in _MONTHS) + r"|\b(?:19|20)\d\d-\d\d-")
    windows = around(doc.text, names, 30, 40)
    return [m for low, high in windows for m in _date().finditer(doc.text, low, high)]


def _parts(match: re.Match[str]) -> tuple[int | None, int, int]:
    """(year or None, month, day) of a date as printed."""
    year = match["y1"] or match["y2"] or match["y3"]
    word = match["m1"] or match["m2"]
    month = _SHORT[word[:3].lower()] if word else int(match["m3"])
    day = int(match["d1"] or match["d2"] or match["d3"])
    return (int(year) if year else None), month, day


def impossible_date(doc: Doc) -> list[Answer]:
    """A day that its month does not have: February 30, June 31, 2023-13-05."""
    found = []
    for match in doc.once(_dates):
        year, month, day = _parts(match)
        if match["y3"] and not 1 <= month <= 12:
            continue  # part of an identifier rather than a date
        last = calendar.monthrange(year or 2024, month)[1]
        if day == 0 or last < day <= 31:
            told = f"{_MONTHS[month - 1]}{f' {year}' if year else ''} has {last} days"
            found.append(finding(doc, "impossible_date", [match.span()], told, 0.85))
    return found


def weekday(doc: Doc) -> list[Answer]:
    """A weekday beside a full date that falls on another: "Monday, June 4, 2024" (a Tuesday)."""
    found = []
    for match in doc.once(_dates):
        said = match["week"] or match["after"]
        year, month, day = _parts(match)
        if (
            not said
            or year is None
            or not 1 <= month <= 12
            or not 1 <= day <= calendar.monthrange(year, month)[1]
        ):
            continue
        real = _DAYS[date(year, month, day).weekday()]
        if real != said:
            told = f"{_MONTHS[month - 1]} {day}, {year} is a {real}"
            found.append(finding(doc, "weekday", [match.span()], told, 0.85))
    return found


@cache
def _span() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:from|between)\s+(?:(?:fiscal(?:\s+year)?|the\s+year|FY)\s+)?(?P<a>(?:19|20)\d\d)\s+(?:to|through|until|and|-|–)\s+"
        r"(?:(?:fiscal(?:\s+year)?|FY)\s+)?(?P<b>(?:19|20)\d\d)\b(?!\s*(?:was|were|is|notes|and))", re.I)  # fmt: skip


@cache
def _dated_span() -> re.Pattern[str]:
    one = r"(?:{months})\s+\d{{1,2}},?\s+(?:19|20)\d\d".format(months="|".join(_MONTHS))
    return re.compile(
        rf"\b(?:from|period|beginning|commencing)\s+(?:on\s+)?(?P<a>{one})\s+(?:to|through|until|and\s+ending\s+(?:on\s+)?)\s*(?P<b>{one})"
    )


def backwards(doc: Doc) -> list[Answer]:
    """A period that ends before it begins: "from May 3, 2021 through April 30, 2021"."""
    found = []
    for match in _dated_span().finditer(doc.text):
        a, b = (_day(match[g]) for g in "ab")
        if a and b and b < a:
            told = f"{match['b']} is before {match['a']}"
            found.append(finding(doc, "backwards", [match.span()], told, 0.75))
    for match in _span().finditer(doc.text):
        turned = int(match["b"]) < int(match["a"]) and match.group().lower().startswith("from")
        around = doc.text[max(0, match.start() - 80) : match.end() + 40]
        compared = r"\b(?:compar|chang|increas|decreas|vs|declin|versus)"
        if turned and not re.search(compared, around, re.I):
            told = f"{match['b']} is before {match['a']}"
            found.append(finding(doc, "backwards", [match.span()], told, 0.5))
    return found


def _day(text: str) -> date | None:
    match = _date().search(text)
    if not match:
        return None
    year, month, day = _parts(match)
    try:
        return date(year or 0, month, day)
    except ValueError:
        return None


KINDS = {
    "impossible_date": Kind(impossible_date, "non-numeric"),
    "weekday": Kind(weekday, "non-numeric"),
    "backwards": Kind(backwards, "non-numeric"),
}
