"""Read one printed number: its value, the step it is rounded to, and its signs and units."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

BLANKS = " \t\r\n\v\f\u00a0\u2000-\u200f\u202f\u205f\u2060\u3000\ufeff"
FILLER = "\ue001"  # stands for the rest of an entity or command, so that offsets stay
CURRENCY = r"(?:US|CA?|AU?|HK|NZ|R)?[$€£¥]|USD|EUR|GBP"
DASHES = "-–—−‐‑‒―"
_NUMBER = re.compile(
    rf"(?P<cur>{CURRENCY})?\s*(?P<open>\()?\s*(?P<sign>[{DASHES}+])?\s*(?P<cur2>{CURRENCY})?\s*"
    r"(?P<open2>\()?\s*(?P<digits>\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+)?(?P<frac>\.\d+)?"
    r"\s*(?P<pct>%|percent\b|per cent\b)?\s*(?P<close>\))?\s*(?P<pct2>%)?"
    r"(?P<note>\s*(?:\([a-z]{1,2}\)|\[\w{1,3}\]|[*†‡§¹²³]|(?<=[\d)%])[a-z](?![a-z])){0,3})"
)
_DASH = re.compile(rf"(?:{CURRENCY})?\s*[{DASHES}]+\s*%?")
_SPACES = re.compile(f"[{BLANKS}]+")


@dataclass(frozen=True)
class Number:
    """A printed number: ``value`` with its sign, ``step`` the unit of its last digit.

    ``dash`` is True for a dash that stands for nothing (value 0); ``bracketed`` for a number
    in parentheses, which counts as negative.
    """

    value: float
    decimals: int = 0
    percent: bool = False
    currency: bool = False
    bracketed: bool = False
    dash: bool = False
    digits: str = ""

    @property
    def step(self) -> float:
        """The unit the number is rounded to: 0.1 for 12.3."""
        return 10.0**-self.decimals

    @property
    def year(self) -> bool:
        """Whether it may be a calendar year: four digits, no comma, 1900 to 2100."""
        plain = len(self.digits) == 4 and not (self.bracketed or self.percent or self.currency)
        return plain and self.digits.isdigit() and 1900 <= self.value <= 2100


def parse(text: str) -> Number | None:
    """The number that a whole cell or token holds, or None if it holds anything else.

    >>> parse("$ (1,234.5 )").value
    -1234.5
    >>> parse("12.5%").percent, parse("—").dash, parse("up 3")
    (True, True, None)
    """
    text = _SPACES.sub(" ", text.replace(FILLER, "")).strip()
    if not text or len(text) > 40:
        return None
    if _DASH.fullmatch(text):
        return Number(0.0, dash=True, percent="%" in text)
    found = _NUMBER.fullmatch(text)
    if not found or not (found["digits"] or found["frac"]):
        return None
    return _number(found)


def _number(found: re.Match[str]) -> Number:
    digits, frac = found["digits"] or "", found["frac"] or ""
    bracketed = bool(found["open"] or found["open2"])
    negative = bracketed or (found["sign"] or "+") in DASHES
    value = float((digits or "0").replace(",", "").replace(" ", "") + frac)
    return Number(
        value=-value if negative and value else value,
        decimals=max(len(frac) - 1, 0),
        percent=bool(found["pct"] or found["pct2"]),
        currency=bool(found["cur"] or found["cur2"]),
        bracketed=bracketed,
        digits=digits + frac,
    )


_FRACTION = re.compile(
    r"\s*(?P<a>\d[\d,]*)\s*/\s*(?P<b>\d[\d,]*)(?:\s*=\s*(?P<p>\d*\.?\d+)\s*(?P<pct>%)?)?\s*"
)
_COUNT = re.compile(r"\s*(?P<a>\d[\d,]*)\s*\(\s*(?P<p>\d{1,3}(?:\.\d+)?)\s*(?P<pct>%)?\s*\)\s*")


@dataclass(frozen=True)
class Pair:
    """Two numbers in one cell: ``149/367 = 0.406`` or ``12 (34%)``; places are within the text.

    ``whole`` is None without a denominator, ``share`` without a quotient, which is a fraction
    of 1 or, with its ``percent`` set, of 100.
    """

    part: tuple[int, int, int]  # value, start, end
    whole: tuple[int, int, int] | None
    share: Number | None


def parse_pair(text: str) -> Pair | None:
    """The fraction, or the count with its percentage, that a whole cell holds.

    >>> pair = parse_pair("149/367 = 0.406")
    >>> pair.part, pair.whole, pair.share.value
    ((149, 0, 3), (367, 4, 7), 0.406)
    """
    if len(text) > 60 or not ("/" in text or "(" in text):
        return None
    found = _FRACTION.fullmatch(text) or _COUNT.fullmatch(text)
    if not found:
        return None
    share = parse(found["p"] or "")
    if share is not None and (found["pct"] or found.re is _COUNT):
        share = replace(share, percent=True)

    def place(group: str) -> tuple[int, int, int]:
        return int(found[group].replace(",", "")), *found.span(group)

    return Pair(place("a"), place("b") if found.re is _FRACTION else None, share)


def written(value: float, decimals: int = 0) -> str:
    """A value as it is printed in a description: 1,234.5, with a minus sign.

    >>> written(-1579.0), written(0.5, 1)
    ('-1,579', '0.5')
    """
    return f"{value:,.{decimals}f}"
