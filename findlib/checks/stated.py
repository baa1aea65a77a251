"""Arithmetic that a text states: equations, multiples, shares, intervals, sums of named parts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache

from ..records import Answer
from .arithmetic import Interval, Member, chains
from .doc import Doc, Kind, finding
from .prose import (
    SCALES,
    WORDS,
    Quantity,
    Span,
    around,
    one_digit,
    quantities,
    with_numbers,
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
        stated = _as_quantity(match["num"], *match.span("num"), bool(match["pct"]))
        before = [q for q in quantities(doc.text, max(0, match.start() - 250), match.start())
                  if q.kind in ("plain", "percent", "money")][-4:]  # fmt: skip
        factor = _factor(match["word"])
        worth = [(q, factor * q.value) for q in before if q.value]
        if doc.in_table(at) or _digits(stated.printed) < 2 or not worth:
            continue
        if any(abs(v - stated.value) <= factor * q.step / 2 + stated.step for q, v in worth):
            continue
        near = [(q, v) for q, v in worth
                if abs(v - stated.value) <= 0.12 * abs(v) and _digits(q.printed) >= 2]  # fmt: skip
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
        if "about" in match.group() or _digits(num) < 2:
            continue
        stated, factor = (
            _as_quantity(num, *match.span("num" + two), False),
            _factor(match["word" + two]),
        )
        meant = _as_quantity(base, *match.span("base" + two), False)
        room = factor * (meant.step / 2 if "." in base else 0.0) + stated.step * 0.5
        if room < abs(factor * meant.value - stated.value) < 0.3 * stated.value:
            told = f"{match['word' + two]} {base} makes {written(factor * meant.value)}, but {num} is stated"
            found.append(finding(doc, "multiple", [match.span()], told, 0.7))
    return found


def _as_quantity(printed: str, start: int, end: int, percent: bool) -> Quantity:
    step = 10.0 ** -len(printed.partition(".")[2])
    kind = "percent" if percent else "plain"
    return Quantity(start, end, float(printed.replace(",", "")), step, kind, printed)


def _digits(printed: str) -> int:
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


# ------------------------------------------------------------------ whole people


@cache
def _of_people() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<p>{NUMBER})\s*(?:\\?%|percent)\s+of\s+(?:the|all|these|those|our)\s+(?P<n>\d{{1,3}})\s+"
        r"(?P<who>(?:[a-z-]+\s+){0,2}?(?:participants|patients|respondents|students|subjects|women|men|"
        r"children|people|adults|schools|sites|states|countries|households|employees|cases|samples|"
        r"users|studies|firms|teachers|countries|villages|farms|trees|animals|mice))\b",
        re.I,
    )


def whole_people(doc: Doc) -> list[Answer]:
    """A percentage of n people must be a whole number of them (GRIM; Brown and Heathers, 2017)."""
    found = []
    for match in _of_people().finditer(doc.text):
        n, stated = int(match["n"]), float(match["p"].replace(",", ""))
        step = 10.0 ** -len(match["p"].partition(".")[2])
        if n == 0 or 100 / n <= 2 * step or stated > 100 or (step == 1 and n > 40):
            continue
        k = round(stated * n / 100)
        if min(abs(100 * x / n - stated) for x in (k - 1, k, k + 1)) > step:
            told = (f"{match['p']}% of {n} is {stated * n / 100:.2f}, no whole number: "
                    f"{k} of {n} is {100 * k / n:.2f}%")  # fmt: skip
            found.append(finding(doc, "whole_people", [match.span()], told, 0.6))
    return found


# ------------------------------------------------------------------ intervals


@cache
def _intervals() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<what>OR|RR|HR|IRR|aOR|aHR|odds ratio|risk ratio|hazard ratio|mean|median|estimate[d]?|"
        rf"difference|effect|slope|proportion|average|β|b)\s*(?:of|was|is|were|=|:|,)?\s*"
        rf"(?:about\s+)?(?P<x>[-−]?{NUMBER})\s?(?P<u>\\?%)?\s*[,;]?\s*[(\[,;]?\s*(?:with\s+an?\s+)?(?P<level>9[059](?:\.\d)?)\\?%\s*"
        rf"(?:CI|confidence\s+interval|credible\s+interval|CrI)\s*[:=,]?\s*(?:of|from)?\s*[(\[]?\s*"
        rf"(?P<low>[-−]?{NUMBER}(?:e[-+]?\d+)?)\s?\\?%?\s*(?:to|[-–—−,;])\s*(?P<high>[-−]?{NUMBER}(?:e[-+]?\d+)?)\s?\\?%?"
        rf"(?:[)\]]?\s*[,;]?\s*[pP]\s*(?P<sign>[=<>])\s*(?P<pv>{NUMBER}))?",
        re.I,
    )


def interval(doc: Doc) -> list[Answer]:
    """An estimate outside its confidence interval, ends the wrong way round, p beside them.

    A 95% interval of a ratio that holds 1 goes with p > .05, and one that does not with p < .05.
    """
    found = []
    level = re.compile(r"\bCI\b|confidence\s+interval|credible\s+interval|\bCrI\b", re.I)
    windows = around(doc.text, level, 120, 90)
    for match in (m for low, high in windows for m in _intervals().finditer(doc.text, low, high)):
        x, low, high = (
            float(match[g].replace(",", "").replace("−", "-")) for g in ("x", "low", "high")
        )
        problem = None
        if low > high:
            problem = f"the interval runs from {match['low']} to {match['high']}"
        elif not low <= x <= high:
            problem = f"the estimate {match['x']} lies outside its interval {match['low']} to {match['high']}"
        elif match["pv"] and match["level"] == "95" and match["what"].lower() in (
            "or", "rr", "hr", "irr", "aor", "ahr", "odds ratio", "risk ratio", "hazard ratio"
        ):  # fmt: skip
            problem = _p_against(match, low, high)
        if problem:
            found.append(finding(doc, "interval", [match.span()], problem, 0.7))
    return found


def _p_against(match: re.Match[str], low: float, high: float) -> str | None:
    p, sign = float(match["pv"]), match["sign"]
    if low < 0.98 and high > 1.02 and ((sign == "<" and p <= 0.05) or (sign == "=" and p < 0.03)):
        return f"p {sign} {match['pv']}, but the 95% interval {match['low']} to {match['high']} holds 1"
    if (low > 1.02 or high < 0.98) and sign in "=>" and p > 0.07:
        return f"p {sign} {match['pv']}, but the 95% interval {match['low']} to {match['high']} does not hold 1"
    return None


@cache
def _plus_minus() -> re.Pattern[str]:
    n = rf"[-−]?{NUMBER}"
    return re.compile(
        rf"(?P<x>{n})\s*\\?%?\s*(?:\\pm\b|±|\+/-)\s*(?P<m>{NUMBER})\s*\\?%?(?:\s*(?:\\times|\\cdot|×|\*)\s*(?P<m2>{NUMBER})\s*\\?%?)?"
        rf"(?P<mid>[^\d.;]{{0,60}}?)[(\[]\s*(?P<low>{n})\s*\\?%?\s*(?:,|to|[-–])\s*(?P<high>{n})\s*\\?%?\s*[)\]]",
        re.I | re.S,
    )


@cache
def _midpoint() -> re.Pattern[str]:
    def n(name: str) -> str:
        return rf"(?:\$|\\\$)?(?P<{name}>{NUMBER})\s?(?:\\?%|million|billion)?"

    return re.compile(
        rf"\bmid-?point\s+(?:of|is|was|at|=)?\s*(?:about\s+)?{n('x')}[^.;\d]{{0,60}}?\b(?:range|between|interval|from|of)\b"
        rf"[^.;\d]{{0,30}}?{n('low')}\s*(?:to|and|[-–])\s*{n('high')}"
        rf"|(?:between|range\s+of|from|interval)\s+{n('low2')}\s*(?:to|and|[-–])\s*{n('high2')}"
        rf"[^.;\d]{{0,60}}?\bmid-?point\s+(?:of|is|was|at|=|being)?\s*(?:about\s+)?{n('x2')}",
        re.I,
    )


def midpoint(doc: Doc) -> list[Answer]:
    """``x ± m`` beside the interval it gives, and a midpoint beside its range."""
    found = []
    signs = re.compile(r"\\pm\b|±|\+/-")
    windows = around(doc.text, signs, 30, 160)
    for match in (m for low, high in windows for m in _plus_minus().finditer(doc.text, low, high)):
        get = {
            g: float(match[g].replace(",", "").replace("−", "-")) for g in ("x", "m", "low", "high")
        }
        margin = get["m"] * float(match["m2"] or 1)
        steps = sum(10.0 ** -len(match[g].partition(".")[2]) for g in ("x", "m", "low"))
        room = 0.5 * steps + margin * 0.02
        off = max(abs(get["x"] - margin - get["low"]), abs(get["x"] + margin - get["high"]))
        if room < off < 0.5 * max(abs(get["high"] - get["low"]), margin):
            told = (f"{match['x']} ± {margin:.4g} is ({get['x'] - margin:.4g}, {get['x'] + margin:.4g}), "
                    f"but ({match['low']}, {match['high']}) is stated")  # fmt: skip
            found.append(finding(doc, "midpoint", [match.span()], told, 0.75))
    windows = around(doc.text, re.compile(r"\bmid-?point\b", re.I), 160, 160)
    for match in (m for low, high in windows for m in _midpoint().finditer(doc.text, low, high)):
        two = "" if match["x"] else "2"
        x, low, high = (float(match[g + two].replace(",", "")) for g in ("x", "low", "high"))
        step = max(10.0 ** -len(match[g + two].partition(".")[2]) for g in ("x", "low", "high"))
        if low < high and abs((low + high) / 2 - x) > step:
            told = (
                f"the middle of {low:g} and {high:g} is {(low + high) / 2:g}, but {x:g} is stated"
            )
            found.append(finding(doc, "midpoint", [match.span()], told, 0.75))
    return found


# ------------------------------------------------------------------ parts of a whole


def fractions(doc: Doc) -> list[Answer]:
    """Counts over one whole that are all of it, yet do not add up to it: 400/3554, 2657/3554 ...

    Three or more fractions of one denominator in a line or paragraph; reported if they miss
    the denominator by a slip of one digit, so that they seem meant to exhaust it.
    """
    found = []
    by_line: dict[tuple[int, str], list[re.Match[str]]] = {}
    group, last = 0, -1
    pattern = re.compile(rf"(?P<k>{NUMBER})\s*/\s*(?P<n>\d[\d,]*\d)(?![\d/])")
    for match in pattern.finditer(doc.text):
        gap = doc.text[last : match.start()] if last >= 0 else ""
        if (
            last < 0
            or len(gap) > 150
            or "\n\n" in gap
            or "\\\\" in gap
            or re.search(r"\|\s*\n", gap)
        ):
            group += 1
        last = match.end()
        by_line.setdefault((group, match["n"].replace(",", "")), []).append(match)
    for (_, whole), matches in by_line.items():
        parts_ = [_as_quantity(m["k"], *m.span("k"), False) for m in matches]
        sum_, n = sum(q.value for q in parts_), float(whole)
        if len(matches) < 3 or sum_ == n or abs(sum_ - n) > 0.03 * n or n < 20:
            continue
        if any(one_digit(n - sum_ + q.value, q) for q in parts_):
            told = (
                f"{' + '.join(q.printed for q in parts_)} = {sum_:g}, but they are parts of {n:g}"
            )
            found.append(finding(doc, "fractions", [m.span() for m in matches], told, 0.7))
    return found


@cache
def _joint() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:consist(?:s|ed|ing)\s+of|compris(?:es|ed|ing)|including|included|made\s+up\s+of|through|"
        r"of\s+which|respectively|as\s+follows|composed\s+of|namely|:|\()", re.I)  # fmt: skip


def parts(doc: Doc) -> list[Answer]:
    """A total in a sentence against the parts named after it.

    "$279 million through dividends of $200 million and repurchases of $79 million". Reported
    only if the parts miss the total by a slip: less than a tenth, or a digit of one of them.
    """
    found = []
    for sentence, numbers in with_numbers(doc):
        for total, group in _totals(doc.text, sentence, numbers):
            sum_ = sum(q.value for q in group)
            room = (total.step + sum(q.step for q in group)) / 2
            if abs(sum_ - total.value) <= room or not _is_slip(total, group, sum_):
                continue
            added = " + ".join(q.printed for q in group)
            told = f"{added} = {written(sum_, min(q.step for q in group))}, but {total.printed} is stated"
            found.append(finding(doc, "parts", [(total.start, group[-1].end)], told, 0.55))
    return found


def _totals(
    text: str, sentence: Span, numbers: list[Quantity]
) -> Iterator[tuple[Quantity, list[Quantity]]]:
    counted = [q for q in numbers if q.kind in ("money", "plain")]
    for i, total in enumerate(counted):
        before = text[max(sentence[0], total.start - 40) : total.start]
        if not re.search(
            r"\b(?:total|totaling|totalling|totaled|aggregate|sum|combined|all|altogether)\b",
            before,
            re.I,
        ):
            continue
        rest = [q for q in counted[i + 1 :] if q.kind == total.kind and _digits(q.printed) >= 1]
        gap = text[total.end : rest[0].start] if rest else ""
        if len(rest) < 2 or not _joint().search(gap):
            continue
        group = [rest[0]]
        for q in rest[1:]:
            if not re.fullmatch(
                r"[^.;$\d]{0,70}?(?:,|\band\b|\bplus\b)[^.;$\d]{0,40}",
                text[group[-1].end : q.start],
            ):
                break
            group.append(q)
        if len(group) >= 2 and all(q.value < total.value for q in group):
            yield total, group


def _is_slip(total: Quantity, group: list[Quantity], sum_: float) -> bool:
    """Whether one changed digit somewhere explains the difference, or it is small."""
    return abs(sum_ - total.value) <= 0.1 * total.value or any(
        one_digit(total.value - sum_ + q.value, q) for q in group
    ) or one_digit(sum_, total)  # fmt: skip


KINDS = {
    "equation": Kind(equation, "numeric"),
    "multiple": Kind(multiple, "numeric"),
    "stated_share": Kind(share, "numeric"),
    "whole_people": Kind(whole_people, "numeric"),
    "interval": Kind(interval, "numeric"),
    "midpoint": Kind(midpoint, "numeric"),
    "fractions": Kind(fractions, "numeric"),
    "parts": Kind(parts, "numeric"),
}
