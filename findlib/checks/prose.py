"""The running text of a document for the checks: sentences, and the quantities they state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from .doc import Doc

Span = tuple[int, int]
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]  # fmt: skip
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "m": 1e6, "bn": 1e9}
MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]  # fmt: skip
_MONTH = "|".join([*(m.capitalize() for m in MONTHS), "Jan", "Feb", "Mar", "Apr", "Jun", "Jul",
                   "Aug", "Sept?", "Oct", "Nov", "Dec"])  # fmt: skip


@dataclass(frozen=True)
class Quantity:
    """A number in running text, scaled by its word ("million"), percent kept as printed.

    ``kind``: money, percent, points (of a percentage), bps, plain, year, date, glued (part of a
    name or code) or reference ("Note 5"). ``step``: the size of its last digit, scaled.
    """

    start: int
    end: int
    value: float
    step: float
    kind: str
    printed: str

    def can_be(self, value: float, slack: float = 0.5) -> bool:
        """Whether a value, rounded as this is printed, gives it (``slack`` in last digits)."""
        return abs(self.value - value) <= self.step * slack + abs(value) * 1e-9


@cache
def _quantity() -> re.Pattern[str]:
    return re.compile(
        r"(?P<num>(?<![\w.,/])(?:\d{1,3}(?:,\d{3})+(?!\d|,\d)|\d+)(?:\.\d+)?|(?<![\w.,])\.\d+)(?P<close>\))?"
        r"(?:[\s\u00a0]?(?P<scale>[Tt]housand|[MmBb]illion|[Tt]rillion|bn|m)\b)?"
        r"(?:[\s\u00a0]?(?P<unit>\\?%|[Pp]er\s?cent(?!age)\b|percentage[\s-]points?\b|pp\b|"
        r"basis\spoints?\b|bps\b|pts\b))?"
    )


@cache
def _before() -> re.Pattern[str]:
    """What stands directly before a number: a currency, a sign, a bracket."""
    return re.compile(
        r"(?:(?P<cur>(?:US|CA?|A|HK|NZ)?[$€£¥]|\b(?:EUR|USD|GBP|CHF)\s)\s?)?(?P<sign>[-−–])?(?P<open>\()?$"
    )


@cache
def _dates() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{_MONTH})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:\s*,?\s*(?:19|20)\d\d)?\b"
        rf"|\b\d{{1,2}}\s+(?:{_MONTH})\.?,?(?:\s+(?:19|20)\d\d)?\b"
        r"|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}/(?:19|20)?\d\d\b|\b\d{1,2}:\d\d\b"
    )


@cache
def _named() -> re.Pattern[str]:
    return re.compile(
        r"(?:\b(?:notes?|items?|sections?|tables?|figures?|exhibits?|steps?|parts?|chapters?|pages?|"
        r"schedules?|articles?|rules?|forms?|topics?|level|tier|tranche|series|class|no|nos|phase|"
        r"appendix|equations?|fiscal|fy|quarter|asu|asc|version|ver|v|volume|vol|form|cohort|arm|"
        r"step|equation|paragraph|clause|act|title)\.?\s*\(?|[#§]\s?)$",
        re.I,
    )


def quantities(text: str, start: int, end: int) -> list[Quantity]:
    """The numbers of a stretch of text in reading order.

    >>> [(q.value, q.kind) for q in quantities("rose 5.0% to $1.2 billion in 2023 (Note 5)", 0, 42)]
    [(5.0, 'percent'), (1200000000.0, 'money'), (2023.0, 'year'), (5.0, 'reference')]
    """
    dates = [d.span() for d in _dates().finditer(text, start, end)]
    found: list[Quantity] = []
    for match in _quantity().finditer(text, start, end):
        lead = _before().search(text, max(start, match.start() - 6), match.start())
        printed = match["num"]
        value = float(printed.replace(",", "")) if len(printed) < 40 else 0.0
        scale = SCALES.get((match["scale"] or "").lower(), 1.0)
        decimals = len(printed.partition(".")[2])
        at, stop = match.span("num")
        has_sign = bool(lead and lead["sign"]) and not text[at - 2 : at - 1].isalnum()
        in_brackets = bool(lead and lead["open"] and match["close"])
        kind = _kind(text, match, bool(lead and lead["cur"]), dates)
        negative = has_sign or (
            in_brackets and kind != "plain"
        )  # "(5)" counts, it does not subtract
        stop = max(stop, match.end("scale"), match.end("unit"))
        at = lead.start("cur") if lead and lead["cur"] else at
        value = -value if negative else value
        found.append(Quantity(at, stop, value * scale, 10.0**-decimals * scale, kind, printed))
    return found


def _kind(text: str, match: re.Match[str], is_money: bool, dates: list[Span]) -> str:
    at, _stop = match.span("num")
    if any(low <= at < high for low, high in dates):
        return "date"
    unit = re.sub(r"\s", " ", (match["unit"] or "").lower().strip("\\"))
    if unit.startswith(("%", "per")) and "point" not in unit:
        return "percent"
    if unit:
        return "bps" if unit.startswith(("b", "bps")) else "points"
    if is_money:
        return "money"
    after = text[match.end() : match.end() + 1]
    if after.isalpha() or (
        after and after in "-/–._" and text[match.end() + 1 : match.end() + 2].isalnum()
    ):
        return "glued"
    if _named().search(text[max(0, at - 14) : at]):
        return "reference"
    value = match["num"]
    if match["scale"]:
        return "plain"
    return "year" if len(value) == 4 and value.isdigit() and "1899" < value < "2101" else "plain"


@lru_cache(maxsize=4)
def _paragraphs(text: str, mask: tuple[Span, ...]) -> tuple[Span, ...]:
    found: list[Span] = []
    begin = -1
    stop = 0
    blocks = iter([*mask, (len(text) + 1, len(text) + 1)])
    low, high = next(blocks)
    for line in _lines().finditer(text):
        start, end = line.span(1)
        while start >= high:
            low, high = next(blocks)
        body = line.group(1)
        fresh = bool(_starts_block().match(body))
        if low <= start < high or not body.strip() or body.lstrip()[:1] == "|":
            if begin >= 0:
                found.append((begin, stop))
            begin = -1
            continue
        if begin >= 0 and fresh:
            found.append((begin, stop))
            begin = -1
        begin = start if begin < 0 else begin
        stop = end
        if body.startswith("#") or body.startswith("="):
            found.append((begin, stop))
            begin = -1
    if begin >= 0:
        found.append((begin, stop))
    return tuple(found)


@cache
def _lines() -> re.Pattern[str]:
    return re.compile(r"([^\n]*)(?:\n|\Z)")


@cache
def _starts_block() -> re.Pattern[str]:
    return re.compile(
        r"\s*(?:#|={2,}|[-*•·●▪◦–]\s|\.{1,5}\s|\(?[a-zA-Z0-9ivx]{1,4}[.)]\s|\\(?:item|begin|end|section|"
        r"subsection|label|caption)|>|</?(?:p|div|li|br|h\d)\b)"
    )


def around(text: str, pattern: re.Pattern[str], before: int, after: int) -> Iterator[Span]:
    """Windows about the matches of a pattern, in order; those that overlap are one.

    >>> list(around("aaaXaaaaaXaaaaaaaaaaaaX", re.compile("X"), 3, 3))
    [(0, 13), (19, 23)]
    """
    low = high = -1
    for found in pattern.finditer(text):
        start, end = max(0, found.start() - before), min(len(text), found.end() + after)
        if start > high:
            if high >= 0:
                yield low, high
            low = start
        high = end
    if high >= 0:
        yield low, high


def paragraphs(doc: Doc) -> tuple[Span, ...]:
    """(start, end) of the blocks of running text: list items, headings, paragraphs."""
    return _paragraphs(doc.text, doc.mask)


@cache
def _sentence_end() -> re.Pattern[str]:
    return re.compile(
        r"[.!?][”\"’)\]*_]{0,3}(?=\s+(?:[\"“(*_\[]{0,3}[A-Z\\]|[•●]|\(?[a-z0-9]\)))|\n\n"
    )


_ABBREVIATED = re.compile(
    r"(?:(?<![\w])[A-Z]|\b(?:vs|No|Nos|Inc|Co|U\.S|approx|al|e\.g|i\.e|Fig|Figs|Eq|Dr|Mr|Mrs|St|Corp|Ltd|Ms|Sec|Jr))$"
)


@lru_cache(maxsize=4)
def _sentences(text: str, mask: tuple[Span, ...]) -> tuple[Span, ...]:
    found: list[Span] = []
    for start, end in _paragraphs(text, mask):
        at = start
        if text[start] == "#":
            found.append((start, end))
            continue
        for stop in _sentence_end().finditer(text, start, end):
            if text[stop.start()] == "." and _ABBREVIATED.search(
                text, max(at, stop.start() - 7), stop.start()
            ):
                continue
            found.append((at, stop.end()))
            at = stop.end()
        if at < end:
            found.append((at, end))
    return tuple(_trimmed(text, low, high) for low, high in found if text[low:high].strip())


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def sentences(doc: Doc) -> tuple[Span, ...]:
    """(start, end) of the sentences of a document, outside its tables, in reading order.

    >>> from findlib.checks.doc import read
    >>> text = "Sales rose 5%. Costs of U.S. stores fell."
    >>> [text[a:b] for a, b in sentences(read(text))]
    ['Sales rose 5%.', 'Costs of U.S. stores fell.']
    """
    return _sentences(doc.text, doc.mask)


def with_numbers(doc: Doc) -> Iterator[tuple[Span, list[Quantity]]]:
    """The sentences that hold numbers, each with its quantities."""
    yield from _with_numbers(doc.text, doc.mask)


@lru_cache(maxsize=4)
def _with_numbers(text: str, mask: tuple[Span, ...]) -> tuple[tuple[Span, list[Quantity]], ...]:
    found = ((span, quantities(text, *span)) for span in _sentences(text, mask))
    return tuple((span, numbers) for span, numbers in found if numbers)


def one_digit(value: float, q: Quantity) -> bool:
    """Whether a value, printed as ``q`` is, differs from it in one digit or a swapped pair.

    >>> q = quantities("$1,234", 0, 6)[0]
    >>> one_digit(1284, q), one_digit(1324, q), one_digit(1274.5, q), one_digit(1299, q)
    (True, True, False, False)
    """
    decimals = len(q.printed.partition(".")[2])
    scale = q.step * 10**decimals
    shown = f"{value / scale:.{decimals}f}"
    if abs(float(shown) * scale - value) > 1e-6 * max(abs(value), 1) or value < 0:
        return False
    mine = q.printed.replace(",", "")
    if len(shown) != len(mine):
        return False
    shown, mine = shown.replace(".", ""), mine.replace(".", "")
    wrong = [i for i, (a, b) in enumerate(zip(shown, mine, strict=True)) if a != b]
    if len(wrong) == 2 and wrong[1] == wrong[0] + 1:
        return shown[wrong[0]] == mine[wrong[1]] and shown[wrong[1]] == mine[wrong[0]]
    return len(wrong) == 1


def written(value: float, step: float = 0.0) -> str:
    """A value for a description, with as many decimals as its last digit is small.

    >>> written(0.17060000001), written(1234.5, 0.1), written(3e9)
    ('0.1706', '1,234.5', '3 billion')
    """
    for word, scale in (("billion", 1e9), ("million", 1e6)):
        if abs(value) >= scale and step >= scale / 1000:
            return f"{value / scale:,.10g} {word}"
    if abs(value) >= 1e9 and step == 0:
        return f"{value / 1e9:,.10g} billion"
    decimals = min(max(0, -_exponent(step)), 12) if step else 12
    shown = f"{value:,.{decimals}f}" if step else f"{value:,.10g}"
    return shown


def _exponent(step: float) -> int:
    return len(f"{step:.12f}".rstrip("0").partition(".")[2]) * -1
