"""Read arithmetic that a text writes out, plain or in LaTeX, and work it out with its rounding.

``3 x .0173 = .052``, ``\\frac{205 - 198}{\\sqrt{198}} = 0.50``, ``12 (= 5 + 7)``: a chain of
members joined by equals signs. A member is worth an interval: decimals stand for everything
that rounds to them, whole numbers for themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from .terms import Interval, Member, Token, evaluate

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_OPERATORS = {
    "\\times": "*", "\\cdot": "*", "×": "*", "·": "*", "*": "*", "times": "*", "x": "*",
    "multiplied by": "*", "/": "/", "÷": "/", "\\div": "/", "divided by": "/", "∕": "/",
    "+": "+", "plus": "+", "-": "-", "−": "-", "–": "-", "minus": "-", "^": "^", "!": "!",
    "\\choose": "C", "±": "±", "\\pm": "±",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_FUNCTIONS = {"log", "sin", "cos", "tan", "exp", "ln", "max", "min", "mod", "abs", "var", "det"}
_SHORT_WORDS = {"is", "of", "to", "or", "by", "as", "in", "we", "at", "on", "an", "if", "so",
                "be", "it", "up"}  # fmt: skip


@cache
def _scanner() -> re.Pattern[str]:
    number = r"(?:\d{1,3}(?:(?:,|\{,\})\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\d.\w])\.\d+"
    return re.compile(
        rf"(?P<num>(?:\\?\$)?(?:{number})(?:e[-+−]?\d+\b)?(?:\s?\\?%|\s?percent\b)?"
        rf"(?:\s(?:thousand|million|billion|trillion)\b)?)"
        r"|(?P<eq>\(=(?!=)|(?<![=<>!:])=(?![=>])|\\approx\b|≈|\bis equal to\b|\bequals?\b)"
        r"|(?P<op>\\times\b|\\cdot\b|\\div\b|\\pm\b|\\choose\b|[-×·*÷∕+−–^!±/]"
        r"|\b(?:multiplied by|divided by|times|plus|minus)\b|(?<=[\d)}\s])x(?=[\s\d(.]))"
        r"|(?P<sup>[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
        r"|(?P<func>\\sqrt\b|√)|(?P<frac>\\[dt]?(?:frac|binom)\b)"
        r"|(?P<textnum>\\(?:text|mathrm|textbf|mathbf|mbox)\{\s*(?=[\d.,]+\s*\}))"
        r"|(?P<line>\\\\(?:\[[^\]\n]{0,9}\])?)"
        r"|(?P<skip>\\(?:left|right|[bB]ig+[lr]?|displaystyle|hspace\{[^}]{0,9}\})(?![a-zA-Z])"
        r"|\\[,;:! ]|[$~\s]|\*\*)"
        r"|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<amp>&)"
        r"|(?P<word>\\?[^\W\d]+\*?|.)",
        re.I,
    )


@cache
def _equals() -> re.Pattern[str]:
    return re.compile(r"=|\\approx|≈|\bequals?\b|\bis equal to\b", re.I)


def _read_number(text: str) -> tuple[Interval, float]:
    """A printed number as an interval, and the size of its last digit."""
    scale, body = 1.0, text.lower()
    for word, factor in _SCALES.items():
        if body.endswith(word):
            scale, body = factor, body[: -len(word)]
    if body.rstrip().endswith(("%", "percent")):
        scale /= 100
    digits = re.sub(r"\{,\}|[\\$,%\s]|percent", "", body).replace("−", "-")
    mantissa, _, exponent = digits.partition("e")
    scale *= (
        10.0 ** int(exponent or 0)
        if len(exponent) < 4 and abs(int(exponent or 0)) < 200
        else math.nan
    )
    value = float(mantissa) * scale if len(mantissa) < 200 else math.nan
    step = 10.0 ** -len(mantissa.partition(".")[2]) * scale
    is_rounded = "." in mantissa or scale != 1.0
    half = step / 2 if is_rounded else 0.0
    return Interval(value - half, value + half), step


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    depth_of_text = 0
    for found in _scanner().finditer(text, start, end):
        kind, body = found.lastgroup or "word", found.group()
        at, stop = found.span()
        if kind == "skip":
            continue
        if kind == "num":
            worth, step = _read_number(body)
            yield Token("num", body, at, stop, worth, step)
        elif kind == "eq" and body == "(=":
            yield Token("eq", "=", at + 1, stop)
        elif kind in ("op", "sup"):
            if kind == "sup":
                yield Token("op", "^", at, at)
                worth, step = _read_number(body.translate(_SUPERSCRIPTS).lstrip("-"))
                sign = -1 if body[0] == "⁻" else 1
                worth = Interval(sign * worth.low, sign * worth.high)
                yield Token("num", body, at, stop, worth, step)
            else:
                yield Token("op", _OPERATORS[body.lower()], at, stop)
        elif kind == "textnum":
            depth_of_text += 1
            yield Token("open", "{", at, stop)
        else:
            yield Token(kind, body, at, stop)


def _runs(text: str, start: int, end: int) -> Iterator[tuple[Token | None, list[Token], Token]]:
    """Stretches of arithmetic: the token before, the stretch, the token after."""
    before: Token | None = None
    run: list[Token] = []
    stop = Token("end", "", end, end)
    for token in _tokens(text, start, end):
        if token.kind in ("line", "amp"):
            run.append(token)
        elif token.kind == "word":
            if any(x.kind == "eq" for x in run):
                yield before, run, token
            before, run = token, []
        else:
            run.append(token)
    if any(x.kind == "eq" for x in run):
        yield before, run, stop


def chains(text: str, start: int = 0, end: int | None = None) -> Iterator[list[Member | None]]:
    """Equations in a text: the members of each, None for one that cannot be worked out.

    ``text[start:end]`` is read. A member next to a letter, an unknown command or an operator
    that leads out of the arithmetic is None: it is only part of something.

    >>> [[m and (m.worth.low, m.operators) for m in c] for c in chains("so 3 x 4 = 13 for n = 5")]
    [[(12.0, '*'), (13.0, '')], [None, (5.0, '')]]
    """
    for low, high in _windows(text, start, len(text) if end is None else end):
        yield from _chains(text, low, high)


def _windows(text: str, start: int, end: int, reach: int = 400) -> Iterator[tuple[int, int]]:
    """The lines around each equals sign: from the line before to the line after."""
    low = high = -1
    for found in _equals().finditer(text, start, end):
        at = found.start()
        before = max(text.rfind("\n", max(at - reach, start), at), max(at - reach, start))
        first = max(text.rfind("\n", max(at - reach, start), before), max(at - reach, start))
        last = text.find("\n", at, min(at + reach, end))
        line = text.find("\n", last + 1, min(at + reach, end)) if last >= 0 else -1
        until = line if line >= 0 else min(at + reach, end)
        if low < 0:
            low, high = first, until
        elif first <= high:
            high = until
        else:
            yield low, high
            low, high = first, until
    if low >= 0:
        yield low, high


def _chains(text: str, start: int, end: int) -> Iterator[list[Member | None]]:
    for before, run, after in _runs(text, start, end):
        for piece, is_first, is_last in _at_breaks(run):
            members = _members(piece)
            if not _is_clean_before(text, before if is_first else None, members[0]):
                members[0] = []
            if not _is_clean_after(text, after if is_last else None, members[-1]):
                members[-1] = []
            yield [evaluate(member) for member in members]


def _at_breaks(run: list[Token]) -> list[tuple[list[Token], bool, bool]]:
    """A run cut at the line ends and column marks that no equals sign stands beside."""
    pieces: list[list[Token]] = [[]]
    kept = [i for i, x in enumerate(run) if x.kind not in ("line", "amp")]
    last = -1
    starts_fresh = bool(kept) and kept[0] > 0
    ends_fresh = bool(kept) and kept[-1] < len(run) - 1
    for i in kept:
        between = run[last + 1 : i]
        joins = run[i].kind == "eq" or (last >= 0 and run[last].kind == "eq")
        if between and last >= 0 and not joins:
            pieces.append([])
            if run[i].kind == "op":  # the line goes on: neither part is whole
                pieces[-2].append(replace(run[i], kind="op", text="+"))
        pieces[-1].append(run[i])
        last = i
    whole = range(len(pieces))
    flags = [(i == 0 and not starts_fresh, i == len(pieces) - 1 and not ends_fresh) for i in whole]
    return [
        (piece, *flag) for piece, flag in zip(pieces, flags, strict=True)
        if any(x.kind == "eq" for x in piece)
    ]  # fmt: skip


def _members(run: list[Token]) -> list[list[Token]]:
    members: list[list[Token]] = [[]]
    for token in run:
        if token.kind == "eq":
            members.append([])
        else:
            members[-1].append(token)
    members[0] = _without_open(members[0])
    members[-1] = _until_closed(members[-1])
    return members


def _without_open(member: list[Token]) -> list[Token]:
    """The member after its last bracket that nothing in it closes."""
    depth, cut = 0, 0
    for i in range(len(member) - 1, -1, -1):
        depth += {"close": 1, "open": -1}.get(member[i].kind, 0)
        if depth < 0:
            cut, depth = i + 1, 0
            break
    opens = member[: max(cut - 1, 0)]
    return member[cut:] if all(x.kind == "open" for x in opens) else member


def _until_closed(member: list[Token]) -> list[Token]:
    """The member up to the first bracket that nothing in it opened."""
    depth = 0
    for i, token in enumerate(member):
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth < 0:
            rest = member[i + 1 :]
            goes_on = rest and rest[0].kind == "op"
            return [] if goes_on else member[:i]
    return member


def _is_clean_before(text: str, before: Token | None, member: list[Token]) -> bool:
    if not member or (member[0].kind == "op" and member[0].text != "-"):
        return False
    if before is None:
        return True
    if member[0].kind == "op" and before.text[-1].isalnum():
        return False
    at = member[0].start
    touches = not text[before.end : at].strip("${") or before.text[0] == "\\"
    word = before.text.lower()
    if before.text[-1].isalpha():
        is_word = len(word) > 2 or word in _SHORT_WORDS
        gap = any(c.isspace() for c in text[before.end : at])
        return is_word and gap and word not in _FUNCTIONS and word[0] != "\\"
    return before.text in ",.;:?|\"“”‘'’•" or not touches


def _is_clean_after(text: str, after: Token | None, member: list[Token]) -> bool:
    if not member or (member[-1].kind == "op" and member[-1].text != "!"):
        return False
    if after is None:
        return True
    word = after.text.lower()
    gap = text[member[-1].end : after.start]
    if not word or word[0].isspace():
        return True
    if word[0] == "\\":
        return not word.startswith(("\\sqrt", "\\frac", "\\sigma", "\\pi", "\\bar", "\\hat"))
    if word[-1].isalpha():
        is_word = len(word) > 2 or word in _SHORT_WORDS
        return is_word and any(c.isspace() or c in "{$" for c in gap) and word not in _FUNCTIONS
    return word in ",.;:?|\"”’'•%<@#"
