"""Lists and enumerations against the count that announces them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .prose import WORDS, Span, paragraphs

COUNT = rf"(?<![\w.,$-])(?P<n>[2-9]|[1-9]\d|{'|'.join(WORDS[2:])})"
_ASIDE = frozenset(
    [
        "first",
        "last",
        "next",
        "main",
        "other",
        "few",
        "several",
        "more",
        "most",
        "only",
        "primary",
        "key",
    ]
)
TIME = frozenset(["month", "months", "year", "years", "week", "weeks", "quarter", "quarters", "day", "days", "hour", "hours", "fiscal", "period", "periods", "minute", "minutes", "times", "percent", "decades", "seconds", "points"])  # fmt: skip


def number_of(word: str) -> int:
    """The number a word or digits stand for.

    >>> number_of("Seven"), number_of("12")
    (7, 12)
    """
    return int(word) if word.isdigit() else WORDS.index(word.lower())


@cache
def _lead() -> re.Pattern[str]:
    what = r"(?P<what>(?:[a-z][\w-]*\s+){0,4}?[a-z][\w-]*s)"
    return re.compile(
        rf"(?:\b(?:the|these|those)\s+following\s+{COUNT}\s+{what}|{COUNT.replace('?P<n>', '?P<n2>')}\s+of\s+the\s+following\b"
        rf"|{COUNT.replace('?P<n>', '?P<n3>')}\s+(?:[a-z][\w-]*\s+){{0,4}}?(?:[a-z][\w-]*s|criteria|data)\b[^.;:\n]{{0,60}}?)"
        r"(?P<tail>[^.;:\n]{0,90}):[*_]*[ \t]*$",
        re.I | re.M,
    )


@cache
def _colon() -> re.Pattern[str]:
    return re.compile(r":[*_]*[ \t]*$", re.M)


@cache
def _item() -> re.Pattern[str]:
    return re.compile(
        r"^(?P<indent>[ \t]*)(?:>[ \t]?)?(?P<mark>[-*•·●▪◦+–]|\.{1,5}|\*{2,5}|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]|\\item\b)(?:[ \t]+|(?<=[•·●▪◦}]))(?=\S)",
        re.M,
    )


def list_length(doc: Doc) -> list[Answer]:
    """ "The following three steps:" before a list of four.

    The sentence ends in a colon and the list follows at once; items of its first level are
    counted up to the next line that is neither an item nor the rest of one.
    """
    found = []
    colons = ((max(0, c.start() - 240), c.end()) for c in _colon().finditer(doc.text))
    leads = (m for low, high in colons for m in _lead().finditer(doc.text, low, high))
    for match in leads:
        if match["n2"] and not re.search(
            r"\b(?:are|all|each|both|includes?|comprises?)\b", match.group(), re.I
        ):
            continue  # "two of the following" may choose among more
        stated = number_of(match["n"] or match["n2"] or match["n3"])
        if TIME & set(re.findall(r"[a-z]+", match.group().lower())[:5]) or _is_named(
            doc.text, match.start()
        ):
            continue
        if match["n3"] and not re.search(
            r"\b(?:following|these|are|as follows|below|namely|includ|:)", match.group(), re.I
        ):
            continue
        items, reliable = _items(doc.text, match.end())
        if len(items) >= 2 and len(items) != stated and reliable and abs(len(items) - stated) <= 3:
            told = f"{stated} are announced, {len(items)} items follow"
            spans = [match.span(), *((a, b) for a, b in items[-2:])]
            found.append(finding(doc, "list_length", spans, told, 0.6))
    return found


def _items(text: str, at: int) -> tuple[list[Span], bool]:
    """The items of the list that begins after ``at``, and whether its end is beyond doubt."""
    items: list[Span] = []
    style = ""
    position, blank = at + 1, 0
    environment = re.compile(r"\s*\\begin\{(?:itemize|enumerate|description)\}[^\n]*\n?").match(
        text, at
    )
    if environment:
        return _latex_items(text, environment.end())
    while position < len(text) and len(items) < 40:
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        mark = _item().match(text, position)
        if not line.strip() or _page_break().fullmatch(line):
            blank += 1
        elif mark and mark.end() <= end:
            here = _style(mark)
            if not style:
                style = here
            if here == style:
                items.append((position, end))
            elif len(mark["indent"]) < int(style.split("|")[0]):
                break
            blank = 0
        elif not items:
            return [], False
        elif (blank and not line.startswith((" ", "\t"))) or re.match(r"#|=|\||<", line):
            return items, _is_end(line)
        else:
            blank = 0
        position = end + 1
    return items, True


@cache
def _page_break() -> re.Pattern[str]:
    return re.compile(r"\s*(?:\d{1,3}|-{3,}|\*{3,}|_{3,}|table of contents)\s*", re.I)


def _is_named(text: str, at: int) -> bool:
    """Whether a number is part of a name or a condition: Level 3, N >= 3."""
    return bool(
        re.search(
            r"(?:[Ll]evels?|[Nn]otes?|[Tt]ier|[<>=]=?|[Nn]o\.?|[Cc]lass|[Pp]art|[Ii]tems?|[Ss]teps?)\s*$",
            text[max(0, at - 10) : at],
        )
    )


def _style(mark: re.Match[str]) -> str:
    body = mark["mark"]
    kind = re.sub(r"\d+", "1", body)
    kind = kind if not kind[:2].strip("().").isalpha() else "a" + kind[-1]
    return f"{len(mark['indent'].expandtabs())}|{kind}"


def _is_end(line: str) -> bool:
    """Whether a line after a list begins a new paragraph: a capital, a heading, a table."""
    return bool(re.match(r"[\"“(*_]*[A-Z#=|<\[]", line))


def _latex_items(text: str, at: int) -> tuple[list[Span], bool]:
    depth, items = 0, list[Span]()
    for match in re.compile(
        r"\\(begin|end)\{(?:itemize|enumerate|description|parts)\}|\\item\b"
    ).finditer(text, at):
        if match[1] == "begin":
            depth += 1
        elif match[1] == "end":
            depth -= 1
            if depth < 0:
                return items, True
        elif depth == 0:
            end = text.find("\n", match.end())
            items.append((match.start(), end if end >= 0 else len(text)))
    return items, False


# ------------------------------------------------------------------ enumerations in a sentence


@cache
def _enumerated() -> re.Pattern[str]:
    return re.compile(
        rf"{COUNT}\s+(?P<what>(?:[a-z][\w-]*\s+){{0,3}}?(?:[a-z][\w-]*s|criteria|people|children))\b"
        r"(?P<tail>[^.;:()\n]{0,60}?)(?::|,\s+namely|,\s+i\.e\.,?|\s+\()\s*(?P<list>[^.;:()\n]{8,400}?)(?=[.;)\n])",
        re.I,
    )


def enumeration(doc: Doc) -> list[Answer]:
    """ "Four regions: North, South and East" and "three factors: (1) ..., (2) ...".

    Names only: every part begins with a capital or is one to three words, the last is joined
    by "and"; or parts that are numbered.
    """
    found = []
    for start, end in paragraphs(doc):
        for match in _enumerated().finditer(doc.text, start, end):
            stated = number_of(match["n"])
            parts = _parts(match["list"])
            what = set(match["what"].lower().split())
            if stated < 2 or (_ASIDE | TIME) & what or _is_named(doc.text, match.start()):
                continue
            if (
                parts
                and len(parts) != stated
                and 2 <= len(parts) <= 30
                and _is_whole(match, parts, stated)
            ):
                told = f"{stated} {match['what']} are announced, {len(parts)} are named"
                found.append(finding(doc, "enumeration", [match.span()], told, 0.45))
        found += _numbered(doc, start, end)
    return found


def _parts(listed: str) -> list[str]:
    """The members of a plain enumeration, [] where it is not one."""
    if not re.search(r",?\s+(?:and|&)\s+[^,]+$", listed) or re.search(
        r"\b(?:e\.g|such as|among|etc|including|or)\b", listed
    ):
        return []
    pieces = re.split(r",\s+and\s+|,\s+|\s+and\s+(?=[^,]*$)", listed.strip())
    named = [p for p in pieces if re.match(r"[\"“_*]*[A-Z]", p.strip())]
    short = all(len(p.split()) <= 4 for p in pieces)
    return pieces if short and len(named) == len(pieces) else []


def _is_whole(match: re.Match[str], parts: list[str], stated: int) -> bool:
    joined = sum(" and " in p or "/" in p for p in parts)
    return abs(len(parts) - stated) <= 2 and len(parts) + joined != stated


def _numbered(doc: Doc, start: int, end: int) -> Iterator[Answer]:
    """A count before a colon and the numbered parts of the same paragraph."""
    pattern = re.compile(
        rf"{COUNT}\s+(?P<what>(?:[a-z][\w-]*\s+){{0,3}}?[a-z][\w-]*s)\b[^.;:()\n]{{0,80}}:\s*\(?(?:1|i|a)\)",
        re.I,
    )
    for match in pattern.finditer(doc.text, start, end):
        marks = re.findall(
            r"(?<![\w)])\(?(\d{1,2}|[a-z]|[ivx]{1,4})\)\s", doc.text[match.start() : end]
        )
        first = marks[0] if marks else ""
        digits = [m for m in marks if m.isdigit() == first.isdigit()]
        run = _sequence(digits)
        stated = number_of(match["n"])
        if TIME & set(match["what"].lower().split()) or _is_named(doc.text, match.start()):
            continue
        if len(run) >= 2 and len(run) != stated and abs(len(run) - stated) <= 2:
            told = f"{stated} {match['what']} are announced, {len(run)} are numbered"
            yield finding(doc, "enumeration", [match.span()], told, 0.55)


def _sequence(marks: list[str]) -> list[str]:
    romans = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]
    letters = [chr(97 + i) for i in range(26)]
    order = (
        [str(i) for i in range(1, 30)]
        if marks[:1] == ["1"]
        else romans
        if marks[:1] == ["i"]
        else letters
    )
    run: list[str] = []
    for mark in marks:
        if len(run) < len(order) and mark == order[len(run)]:
            run.append(mark)
    return run


KINDS = {
    "list_length": Kind(list_length, "structural"),
    "enumeration": Kind(enumeration, "structural"),
}
