"""Statistics that a text states: whole people, confidence intervals, midpoints."""

from __future__ import annotations

import re
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .prose import around
from .stated import NUMBER


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


KINDS = {
    "whole_people": Kind(whole_people, "numeric"),
    "interval": Kind(interval, "numeric"),
    "midpoint": Kind(midpoint, "numeric"),
}
