"""The worth of written-out arithmetic: intervals, and terms worked out on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Interval:
    """The values a rounded number or an expression of such numbers can stand for."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class Member:
    """One side of an equation: its place, the interval it is worth, whether it is one number.

    ``step`` is the size of the last digit printed of a lone number, ``operators`` the operators.
    """

    start: int
    end: int
    worth: Interval
    step: float = 0.0
    operators: str = ""

    @property
    def is_number(self) -> bool:
        return not self.operators


@dataclass(frozen=True)
class Token:
    kind: str  # num op open close eq func frac break
    text: str
    start: int
    end: int
    value: Interval | None = None
    step: float = 0.0


def evaluate(member: list[Token]) -> Member | None:
    if not member or len(member) > 200:
        return None
    try:
        worth, at = _sum(member, 0)
    except (ArithmeticError, ValueError, IndexError, RecursionError):
        return None
    if at != len(member) or not all(map(math.isfinite, (worth.low, worth.high))):
        return None
    operators = "".join(x.text[-1] for x in member if x.kind in ("op", "func", "frac"))
    if len(member) > 1 and not operators and sum(x.kind == "num" for x in member) > 1:
        operators = "*"
    is_negative = member[0].text == "-" and operators == "-"
    step = max((x.step for x in member if x.kind == "num"), default=0.0)
    return Member(member[0].start, member[-1].end, worth, step, "" if is_negative else operators)


def _sum(tokens: list[Token], at: int) -> tuple[Interval, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at].text in ("+", "-") and tokens[at].kind == "op":
        other, after = _product(tokens, at + 1)
        if tokens[at].text == "+":
            value = Interval(value.low + other.low, value.high + other.high)
        else:
            value = Interval(value.low - other.high, value.high - other.low)
        at = after
    return value, at


def _product(tokens: list[Token], at: int) -> tuple[Interval, int]:
    value, at = _power(tokens, at)
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "op" and token.text in ("*", "/", "C"):
            other, after = _power(tokens, at + 1)
        elif token.kind == "open" or (
            token.kind in ("func", "frac") and tokens[at - 1].kind == "close"
        ):
            token, (other, after) = replace(token, text="*"), _power(tokens, at)
        else:
            break
        if token.text == "C":
            value = _exactly(float(math.comb(_whole(value), _whole(other))))
        else:
            value = _times(value, other) if token.text == "*" else _over(value, other)
        at = after
    return value, at


def _power(tokens: list[Token], at: int) -> tuple[Interval, int]:
    if tokens[at].kind == "op" and tokens[at].text == "-":
        value, at = _power(tokens, at + 1)
        return Interval(-value.high, -value.low), at
    value, at = _atom(tokens, at)
    while at < len(tokens) and tokens[at].kind == "op" and tokens[at].text in ("^", "!"):
        if tokens[at].text == "!":
            value, at = _exactly(float(math.factorial(min(_whole(value), 171)))), at + 1
        else:
            exponent, at = _power(tokens, at + 1)
            value = _raised(value, exponent)
    return value, at


def _atom(tokens: list[Token], at: int) -> tuple[Interval, int]:
    token = tokens[at]
    if token.value is not None:
        return token.value, at + 1
    if token.kind == "open":
        value, at = _sum(tokens, at + 1)
        if tokens[at].kind != "close":
            raise ValueError
        return value, at + 1
    if token.kind == "func":
        value, at = _atom(tokens, at + 1)
        if value.low < 0:
            raise ValueError
        return Interval(math.sqrt(value.low), math.sqrt(value.high)), at
    if token.kind == "frac":
        if tokens[at + 1].kind != "open":
            raise ValueError
        over, at = _atom(tokens, at + 1)
        under, at = _atom(tokens, at)
        if token.text.endswith("binom"):
            return _exactly(float(math.comb(_whole(over), _whole(under)))), at
        return _over(over, under), at
    raise ValueError


def _exactly(value: float) -> Interval:
    return Interval(value, value)


def _whole(value: Interval) -> int:
    if value.low != value.high or value.low != int(value.low) or not 0 <= value.low < 10_000:
        raise ValueError
    return int(value.low)


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(ends), max(ends))


def _over(a: Interval, b: Interval) -> Interval:
    if b.low <= 0 <= b.high:
        raise ZeroDivisionError
    return _times(a, Interval(1 / b.high, 1 / b.low))


def _raised(a: Interval, b: Interval) -> Interval:
    if b.low != b.high or abs(b.low) > 1000 or (a.low < 0 and b.low != int(b.low)):
        raise ValueError
    ends = [a.low**b.low, a.high**b.low]
    if a.low < 0 < a.high and b.low > 0 and b.low % 2 == 0:
        ends.append(0.0)
    return Interval(min(ends), max(ends))
