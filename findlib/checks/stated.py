"""Arithmetic that a text states: equations, multiples, shares."""

from __future__ import annotations

import itertools
import re
from functools import cache

from ..records import Answer
from .arithmetic import Interval, Member, chains
from .doc import Doc, Kind, finding
from .prose import (
    SCALES,
    WORDS,
    Quantity,
    around,
    quantities,
    written,
)

NUMBER = r"(?:(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|(?<![\w.,])\.\d+)"


def equation(doc: Doc) -> list[Answer]:
    """Equations written out, plain or in LaTeX, that do not hold within their rounding.

    ``3 x .0173 = .519``: the left side is .0519. Each member of a chain is compared with the
    next that can be worked out. A factor of 100 (a percent sign left out) is no finding.
    """
    found = []
    for chain in chains(doc.text):
        for left, right in itertools.pairwise(chain):
            if left and right and (left.operators or right.operators) and _differ(doc, left, right):
                found.append(_unequal(doc, left, right))
    return found


def _differ(doc: Doc, left: Member, right: Member) -> bool:
    between = doc.text[left.end : right.start]
    about = "approx" in between or "≈" in between
    slack = _slack(left, right, about)
    if _apart(left.worth, right.worth, slack) <= 0:
        return False
    if _looks_like_a_scale(doc.text, left, right):
        return False
    for factor in (100.0, 0.01, 1e3, 1e-3, 1e6, 1e-6):
        scaled = Interval(left.worth.low * factor, left.worth.high * factor)
        if {"/", "*", "c"} & set(left.operators + right.operators) and (
            _apart(scaled, right.worth, slack * max(1.0, factor)) <= 0
        ):
            return False
    return True


def _slack(left: Member, right: Member, about: bool) -> float:
    """What the stated number may be off beyond its own rounding.

    A whole last digit, as for a number cut off instead of rounded; half of one where the other
    side comes out even and there is nothing to round.
    """
    number, other = (left, right) if left.is_number else (right, left)
    if not number.is_number:
        return 0.0
    even = abs(other.worth.middle / number.step - round(other.worth.middle / number.step)) < 1e-6
    half = (number.worth.high - number.worth.low) / 2
    slack = (0.55 if even else 1.0) * number.step - half
    return slack + (0.5 * number.step + 0.02 * abs(number.worth.middle) if about else 0.0)


def _apart(a: Interval, b: Interval, slack: float) -> float:
    """How far two intervals lie apart beyond ``slack`` and what floating point loses."""
    gap = max(a.low - b.high, b.low - a.high)
    return gap - slack - 1e-9 * max(abs(a.high), abs(b.high), 1e-9)


def _looks_like_a_scale(text: str, left: Member, right: Member) -> bool:
    """ "1 - 3 = 5 points", "7 + 8 = 3 (mod 12)", codes in another base."""
    after = text[right.end : right.end + 25].lower()
    if "mod" in after or re.match(r"\s*\(?(?:binary|base|hex|octal)", after):
        return True
    is_range = set(left.operators) == {"-"} and re.fullmatch(
        r"\W?\d+\s*[-–]\s*\d+", text[left.start : left.end].strip()
    )
    return bool(is_range) and left.worth.middle < 0 < right.worth.middle


def _unequal(doc: Doc, left: Member, right: Member) -> Answer:
    shown = (left, right) if left.operators else (right, left)
    text = re.sub(r"\s+", " ", doc.text[shown[0].start : shown[0].end])
    stated = re.sub(r"\s+", " ", doc.text[shown[1].start : shown[1].end])
    value = f"{shown[0].worth.middle:.6g}"
    near = abs(left.worth.middle - right.worth.middle) <= 0.3 * abs(left.worth.middle)
    return finding(doc, "equation", [(left.start, right.end)],
                   f"{text} is {value}, but {stated} is stated", 0.85 if near else 0.75)  # fmt: skip


# ------------------------------------------------------------------ multiples


@cache
def _multiple() -> re.Pattern[str]:
    return re.compile(
        r"\b(?P<word>twice|double(?:d|s)?|doubling|half|halving|halved|triple(?:d|s)?|tripling|"
        r"(?:two|three|four|five|ten)\s+times|one[- ](?:half|third|quarter)\s+of)\b"
        r"(?P<mid>[^.;=\d]{0,90}?)(?:[:=,(]|\bis|\bor|\bto|\bgives|\bequals|\byields)\s*"
        r"(?:about|approximately|or|is|i\.e\.,?|that is,?|\$|\\approx|≈|=|\s)*(?P<num>"
        + NUMBER + r")(?P<pct>\s?\\?%)?",
        re.I | re.S,
    )  # fmt: skip


@cache
def _multiple_of() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<word>twice|double|half(?:\s+of)?|(?:two|three|four|five|ten)\s+times|one[- ](?:half|third|quarter)\s+of)\s+"
        rf"\$?(?P<base>{NUMBER})\s*\\?%?\s*(?:is|=|gives|makes|equals|,\s+or|,\s+that\s+is,?)\s+(?:about\s+)?\$?(?P<num>{NUMBER})"
        rf"|\$?(?P<base2>{NUMBER})\s*\\?%?\s+(?P<word2>doubled|halved|tripled)\s+to\s+(?:about\s+)?\$?(?P<num2>{NUMBER})",
        re.I,
    )


def _factor(word: str) -> float:
    low = word.lower()
    table = {"twice": 2, "doubl": 2, "half": 0.5, "halv": 0.5, "tripl": 3, "two": 2, "three": 3,
             "four": 4, "five": 5, "ten": 10, "one-half": 0.5, "one half": 0.5,
             "one-third": 1 / 3, "one third": 1 / 3, "one-quarter": 0.25, "one quarter": 0.25}  # fmt: skip
    return next(
        float(table[key]) for key in sorted(table, key=len, reverse=True) if low.startswith(key)
    )


def multiple(doc: Doc) -> list[Answer]:
    """ "Twice the tail area: 0.176" after "an area of 0.0853": the multiple of a number nearby.

    The number meant is one of the four before it within 250 characters; reported if none of
    them gives the stated one and one comes within 12% of it, both with two digits or more.
    """
    found = []
    for match in _multiple().finditer(doc.text):
        at = match.start("num")
        stated = as_quantity(match["num"], *match.span("num"), bool(match["pct"]))
        before = [q for q in quantities(doc.text, max(0, match.start() - 250), match.start())
                  if q.kind in ("plain", "percent", "money")][-4:]  # fmt: skip
        factor = _factor(match["word"])
        worth = [(q, factor * q.value) for q in before if q.value]
        if doc.in_table(at) or digits_of(stated.printed) < 2 or not worth:
            continue
        if any(abs(v - stated.value) <= factor * q.step / 2 + stated.step for q, v in worth):
            continue
        near = [(q, v) for q, v in worth
                if abs(v - stated.value) <= 0.12 * abs(v) and digits_of(q.printed) >= 2]  # fmt: skip
        if near:
            q, value = min(near, key=lambda x: abs(x[1] - stated.value))
            told = (
                f"{match['word']} {q.printed} is {written(value)}, but {stated.printed} is stated"
            )
            found.append(finding(doc, "multiple", [(q.start, q.end), match.span()], told, 0.7))
    said = re.compile(
        r"\b(?:twice|doubled?|half|halved|tripled|times|one[- ](?:half|third|quarter))\b", re.I
    )
    windows = around(doc.text, said, 30, 60)
    for match in (m for low, high in windows for m in _multiple_of().finditer(doc.text, low, high)):
        two = "" if match["word"] else "2"
        base, num = match["base" + two], match["num" + two]
        if "about" in match.group() or digits_of(num) < 2:
            continue
        stated, factor = (
            as_quantity(num, *match.span("num" + two), False),
            _factor(match["word" + two]),
        )
        meant = as_quantity(base, *match.span("base" + two), False)
        room = factor * (meant.step / 2 if "." in base else 0.0) + stated.step * 0.5
        if room < abs(factor * meant.value - stated.value) < 0.3 * stated.value:
            told = f"{match['word' + two]} {base} makes {written(factor * meant.value)}, but {num} is stated"
            found.append(finding(doc, "multiple", [match.span()], told, 0.7))
    return found


def as_quantity(printed: str, start: int, end: int, percent: bool) -> Quantity:
    step = 10.0 ** -len(printed.partition(".")[2])
    kind = "percent" if percent else "plain"
    return Quantity(start, end, float(printed.replace(",", "")), step, kind, printed)


def digits_of(printed: str) -> int:
    return len(printed.replace(",", "").replace(".", "").lstrip("0"))


# ------------------------------------------------------------------ shares


@cache
def _shares() -> list[re.Pattern[str]]:
    count = rf"(?P<k>{NUMBER}|\b(?:{'|'.join(WORDS[1:])})\b)(?P<ks>\s(?:thousand|million|billion))?"
    whole = rf"(?P<n>{NUMBER}|\b(?:{'|'.join(WORDS[1:])})\b)(?P<ns>\s(?:thousand|million|billion))?"
    of = r"\s*(?P<of>/|(?:out\s+)?of\s+(?:the\s+|all\s+|a\s+total\s+of\s+|our\s+|its\s+|their\s+|these\s+|those\s+)*)\s*"
    about = (r"(?P<about>less\s+than|fewer\s+than|under|below|at\s+most|&lt;|<|more\s+than|over|at\s+least|"
             r"above|greater\s+than|&gt;|>|about|approximately|approx\.?|nearly|almost|roughly|around|~|"
             r"≈|\bi\.e\.,?|=|or)?")  # fmt: skip
    share = rf"\$?(?P<p>{NUMBER})\s*(?:\\?%|percent\b|per\s+cent\b)"
    return [
        re.compile(rf"{count}{of}{whole}(?P<mid>[^.;:()\[\]\d%]{{0,60}}?)[(\[]\s*(?:about\s+)?{about}\s*{share}", re.I),
        re.compile(rf"{count}{of}{whole}(?P<mid>[^.;:()\[\]\d%]{{0,40}}?),\s*(?:or|i\.e\.,?|which\s+is|that\s+is,?)\s+{about}\s*{share}", re.I),
        re.compile(rf"{about}\s*{share}(?P<mid>[^.;:()\[\]\d%]{{0,40}}?)[(\[]\s*(?:n\s*=\s*)?{count}{of}{whole}\s*[)\];,]", re.I),
        re.compile(rf"[(\[]\s*{about}\s*{share}[,;]\s*(?P<mid>)(?:n\s*=\s*)?{count}{of}{whole}", re.I),
        re.compile(rf"{count}(?P<mid>[^.;:()\[\]\d%]{{0,30}}?)[(\[]\s*{about}\s*{share}\s*[)\]]{of}{whole}", re.I),
    ]  # fmt: skip


@cache
def _percent() -> re.Pattern[str]:
    return re.compile(r"\d\s?\\?%|\d\s(?:percent|per cent)\b", re.I)


def share(doc: Doc) -> list[Answer]:
    """k of N (p%): the percentage against the count and the whole it is stated of.

    "46 of 184 sites (25%)", "8.7%, 58/668", "17 of 3,140 (less than 0.05%)". The percentage
    may be off by one in its last digit; "about" and its like allow a twentieth more.
    """
    found: dict[int, Answer] = {}
    windows = list(around(doc.text, _percent(), 150, 90))
    for pattern in _shares():
        for match in (m for low, high in windows for m in pattern.finditer(doc.text, low, high)):
            problem = _wrong_share(match)
            if problem and match.start("k") not in found:
                span = (min(match.start("k"), match.start("p")), max(match.end("n"), match.end()))
                found[match.start("k")] = finding(doc, "stated_share", [span], problem, 0.8)
    return [found[at] for at in sorted(found)]


def _count(printed: str, scale: str | None) -> tuple[float, float]:
    low = printed.lower()
    if low in WORDS:
        return float(WORDS.index(low)), 0.0
    factor = SCALES.get((scale or "").strip().lower(), 1.0)
    decimals = len(low.partition(".")[2])
    half = 0.5 * 10.0**-decimals * factor if decimals or factor > 1 else 0.0
    return float(low.replace(",", "")) * factor, half


def _wrong_share(match: re.Match[str]) -> str | None:
    (k, k_half), (n, n_half) = _count(match["k"], match["ks"]), _count(match["n"], match["ns"])
    stated = float(match["p"].replace(",", ""))
    step = 10.0 ** -len(match["p"].partition(".")[2])
    if n <= 0 or k > n or n - n_half <= 0 or (match["of"] == "/" and _is_date(k, n, match)):
        return None
    low, high = 100 * (k - k_half) / (n + n_half), 100 * (k + k_half) / (n - n_half)
    how = re.sub(r"\s+", " ", (match["about"] or "").lower())
    shown = f"{match['k']} of {match['n']} is {100 * k / n:.3g}%, but {how + ' ' if how else ''}{match['p']}% is stated"
    if how in ("less than", "fewer than", "under", "below", "at most", "<", "&lt;"):
        return shown if low > stated + step / 2 else None
    if how in ("more than", "over", "at least", "above", "greater than", ">", "&gt;"):
        return shown if high < stated - step / 2 else None
    slack = step
    if how not in ("", "or", "=", "i.e.", "i.e.,"):
        slack += 0.05 * stated + step
    outside = stated > high + slack + 1e-9 or stated < low - slack - 1e-9
    return shown if outside and not _is_other_base(k, n, stated, step) else None


def _is_date(k: float, n: float, match: re.Match[str]) -> bool:
    return k <= 12 and n <= 31 and not match["mid"].strip(" ,") and match["k"].startswith("0")


def _is_other_base(k: float, n: float, stated: float, step: float) -> bool:
    """The percentage of the rest, or a rate of "x of y" that compares: k / (n - k)."""
    return n > k > 0 and abs(100 * k / (n - k) - stated) <= step / 2


KINDS = {
    "equation": Kind(equation, "numeric"),
    "multiple": Kind(multiple, "numeric"),
    "stated_share": Kind(share, "numeric"),
}
