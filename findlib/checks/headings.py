"""The numbered headings, captions and labels of a document: what references can point to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from .doc import Doc

FAMILIES = {"fig": "figure", "figs": "figure", "eq": "equation", "sec": "section", "ex": "exhibit"}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50}


@dataclass(frozen=True)
class Target:
    """A numbered heading or caption: family ("note"), number ("5", "3.2", "A"), title, place.

    ``contents`` is True for an entry of a table of contents.
    """

    family: str
    number: str
    title: str
    start: int
    end: int
    contents: bool = False

    @property
    def order(self) -> int | None:
        """The number as an integer, None for one such as 3.2 or 1A."""
        return order(self.number)


def order(number: str) -> int | None:
    """The place of a number in its sequence: 5, "A" as 1, "IV" as 4; None for "3.2" or "1A".

    >>> order("12"), order("C"), order("IV"), order("1A")
    (12, 3, 4, None)
    """
    if number.isdigit():
        return int(number) if len(number) < 5 else None
    if len(number) == 1 and number.isalpha() and number not in "IVX":
        return ord(number.upper()) - 64
    return roman(number)


def roman(number: str) -> int | None:
    """The value of a roman numeral, None if it is none.

    >>> roman("xiv"), roman("IIX"), roman("mix")
    (14, None, None)
    """
    values = [_ROMAN.get(c, 0) for c in number.upper()]
    if not values or 0 in values or len(values) > 6:
        return None
    total = sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    return total if total > 0 and _as_roman(total) == number.upper() else None


def _as_roman(value: int) -> str:
    parts = []
    for worth, sign in ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        parts.append(sign * (value // worth))
        value %= worth
    return "".join(parts)


@cache
def _named() -> re.Pattern[str]:
    return re.compile(
        r"^(?P<mark>[|#*_>= \t]{0,24})(?P<fam>note|item|section|chapter|part|appendix|article|schedule|"
        r"table|figure|fig|exhibit|step|annex|equation|box)\.?[ \t]+"
        r"(?P<num>\d{1,3}(?:[.-]\d{1,3}){0,4}[a-z]?|[a-z]|[ivx]{1,5})(?P<sep>[*_]{0,3}[.:)]?[*_]{0,3}[ \t|]{0,12}(?:[-–—:.|*_ \t]|$))"
        r"(?P<title>[^\n]{0,300})$",
        re.I | re.M,
    )


@cache
def _bare() -> re.Pattern[str]:
    return re.compile(
        r"^[ \t]{0,8}(?P<mark>#{1,6}[ \t*_]*|={2,6}[ \t]+|\*\*[ \t]*)(?:<a [^>\n]{0,60}>(?:</a>)?[ \t]*)?"
        r"(?P<fam>[A-Z])?(?P<num>\d{1,3}(?:\.\d{1,3}){0,4})(?P<sep>[.:)][*_]*[ \t]*[-–—*_ \t]*|[*_]*[ \t]+[-–—*_ \t]*)"
        r"(?P<title>[^\n]{1,160})$",
        re.M,
    )


@cache
def _page() -> re.Pattern[str]:
    return re.compile(r"[\s|.…_]+(?:\d{1,3}|[ivx]{1,5}|N/?A)[\s|*]*$", re.I)


def plain(title: str) -> str:
    """A title without markup, page number, case and punctuation, for comparison.

    >>> plain("**Income  Taxes** | | 12 |")
    'income taxes'
    """
    title = _page().sub("", title.replace("\u00a0", " "))
    title = re.sub(r"\(?(?:continued|unaudited|cont['’]?d)\)?\.?", " ", title, flags=re.I)
    return " ".join(re.findall(r"[^\W_]+(?:['’.&-][^\W_]+)*", title.lower().replace("’", "'")))


def targets(doc: Doc) -> tuple[Target, ...]:
    """The numbered headings and captions of a document in reading order."""
    return _targets(doc.text)


@lru_cache(maxsize=4)
def _targets(text: str) -> tuple[Target, ...]:
    found: list[Target] = []
    for match in _named().finditer(text):
        title = match["title"]
        family = match["fam"].lower()
        if _is_heading(family, match["mark"], title):
            has_page = bool(_page().search(title)) and bool(plain(title))
            found.append(Target(FAMILIES.get(family, family), match["num"].upper(), plain(title),
                                *match.span(), has_page))  # fmt: skip
    for match in _bare().finditer(text):
        title = match["title"].strip(" *_")
        whole = "*" not in match["sep"] or match["sep"].count("*") >= 4  # "**1.** **Title**"
        loose = match["mark"].startswith("*") and not (
            whole and ("." in match["num"] or match["sep"].strip(" *"))
        )
        if not loose and (title[:1].isupper() or title[:1] in '“"(<[`'):
            found.append(Target("section", match["num"], plain(title), *match.span()))
    found.sort(key=lambda t: t.start)
    return tuple(_with_contents(found))


def _is_heading(family: str, mark: str, title: str) -> bool:
    words = title.strip(" |*_#.:–—-\u00a0")
    if "|" in mark and family not in ("note", "item", "part"):
        return False
    if not words:
        return "#" in mark or "|" in mark or "*" in mark
    if words[0].islower() and not words.startswith(("iPhone", "iPad")):
        return False
    if words.startswith(("(", "of ")) or re.match(r"(?:and|or|to|in|of|for|the)\b", words):
        return False
    longest = 280 if family in ("table", "figure", "fig", "box", "exhibit") else 120
    is_sentence = len(words) > longest or re.search(r"[a-z]\.\s+[A-Z]", words)
    return not is_sentence and (words[0].isupper() or words[0] in "[“\"'‘0123456789$")


def _with_contents(found: list[Target]) -> list[Target]:
    """Entries that follow one another line by line are a table of contents too."""
    result = []
    for i, t in enumerate(found):
        near = [
            other for other in found[max(0, i - 3) : i + 4]
            if other is not t and other.family == t.family and abs(other.start - t.start) < 250
        ]  # fmt: skip
        close = len(near) >= 3 or (len(near) >= 2 and t.contents)
        result.append(Target(t.family, t.number, t.title, t.start, t.end,
                             (t.contents and len(near) >= 1) or close))  # fmt: skip
    return result
