"""Counts that a text states, against the list, range or parts that it gives."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .grid import Table
from .linked import words
from .prose import WORDS, Quantity, Span, one_digit, paragraphs, with_numbers

_COUNT = rf"(?<![\w.,$-])(?P<n>[2-9]|[1-9]\d|{'|'.join(WORDS[2:])})"
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
_TIME = frozenset(["month", "months", "year", "years", "week", "weeks", "quarter", "quarters", "day", "days", "hour", "hours", "fiscal", "period", "periods", "minute", "minutes", "times", "percent", "decades", "seconds", "points"])  # fmt: skip


def number_of(word: str) -> int:
    """The number a word or digits stand for.

    >>> number_of("Seven"), number_of("12")
    (7, 12)
    """
    return int(word) if word.isdigit() else WORDS.index(word.lower())


# ------------------------------------------------------------------ lists


@cache
def _lead() -> re.Pattern[str]:
    what = r"(?P<what>(?:[a-z][\w-]*\s+){0,4}?[a-z][\w-]*s)"
    return re.compile(
        rf"(?:\b(?:the|these|those)\s+following\s+{_COUNT}\s+{what}|{_COUNT.replace('?P<n>', '?P<n2>')}\s+of\s+the\s+following\b"
        rf"|{_COUNT.replace('?P<n>', '?P<n3>')}\s+(?:[a-z][\w-]*\s+){{0,4}}?(?:[a-z][\w-]*s|criteria|data)\b[^.;:\n]{{0,60}}?)"
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
        if _TIME & set(re.findall(r"[a-z]+", match.group().lower())[:5]) or _is_named(
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
        rf"{_COUNT}\s+(?P<what>(?:[a-z][\w-]*\s+){{0,3}}?(?:[a-z][\w-]*s|criteria|people|children))\b"
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
            if stated < 2 or (_ASIDE | _TIME) & what or _is_named(doc.text, match.start()):
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
        rf"{_COUNT}\s+(?P<what>(?:[a-z][\w-]*\s+){{0,3}}?[a-z][\w-]*s)\b[^.;:()\n]{{0,80}}:\s*\(?(?:1|i|a)\)",
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
        if _TIME & set(match["what"].lower().split()) or _is_named(doc.text, match.start()):
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


# ------------------------------------------------------------------ ranges of identifiers


@cache
def _range() -> re.Pattern[str]:
    return re.compile(
        rf"{_COUNT}\s+(?:[\w-]+\s+){{0,4}}?\(?(?P<a>[A-Za-z][A-Za-z_]{{1,20}}?)_*(?P<from>\d{{1,3}})_*\)?\s*(?:-|–|—|to|through|\.\.\.?|…)\s*"
        r"(?P<b>[A-Za-z][A-Za-z_]{1,20}?)_*(?P<to>\d{1,3})\b", re.I)  # fmt: skip


def range_count(doc: Doc) -> list[Answer]:
    """ "The 29 registers (x3 - x31)": a count and the range of identifiers it is of."""
    found = []
    for match in _range().finditer(doc.text):
        stated, low, high = number_of(match["n"]), int(match["from"]), int(match["to"])
        if match["a"].lower() != match["b"].lower() or high <= low:
            continue
        if high - low + 1 != stated and abs(high - low + 1 - stated) <= 4:
            told = f"{match['a']}{low} to {match['b']}{high} are {high - low + 1}, but {stated} are stated"
            found.append(finding(doc, "range_count", [match.span()], told, 0.7))
    return found


# ------------------------------------------------------------------ all N of a thing


@cache
def _all_of() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:all(?:\s+of)?(?:\s+the)?|each\s+of\s+the|the|these|our|its)\s+(?P<n>\d{{1,4}}|{'|'.join(WORDS[2:])})\s+"
        r"(?P<what>[a-z_][\w-]{2,30})(?:\s+(?P<next>[A-Za-z][\w-]{2,30}))?",
    )


def all_of(doc: Doc) -> list[Answer]:
    """ "All 32 such registers" in one place, "the 29 such registers" in another.

    The thing is named by a rare word (an identifier, a term that occurs but a few times), both
    counts are said of all of it.
    """
    words = Counter(re.findall(r"[^\W\d]{3,}", doc.text.lower()))
    by: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in _all_of().finditer(doc.text):
        what = match["what"].lower()
        if _is_term(what, words):
            by[what].append(match)
    found = []
    for what, group in by.items():
        counts = Counter(number_of(m["n"]) for m in group)
        if len(counts) != 2 or min(counts) < 2:
            continue
        rare = min(counts, key=lambda n: (counts[n], -_last(group, n)))
        odd = next(m for m in group if number_of(m["n"]) == rare)
        other = next(m for m in group if number_of(m["n"]) != rare)
        if not any(
            "all" in m.group().lower()[:4] or "each" in m.group().lower()[:5] for m in group
        ):
            continue
        told = f"{rare} {what} in one place, {number_of(other['n'])} in another"
        found.append(finding(doc, "all_of", [odd.span(), other.span()], told, 0.6))
    return found


def _last(group: list[re.Match[str]], number: int) -> int:
    return max(m.start() for m in group if number_of(m["n"]) == number)


def _is_term(word: str, words: Counter[str]) -> bool:
    """A word that is no everyday one: with an underscore or digit, or hardly pronounceable."""
    if "_" in word or any(c.isdigit() for c in word):
        return True
    return bool(re.search(r"[bcdfghjklmnpqrstvwxz]{4,}", word)) and words[word] >= 2


# ------------------------------------------------------------------ sizes of samples


@cache
def _defined() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.])[Nn]\s*=\s*\$?(?P<n>\d[\d,]*\d)(?![\d.]|,\d)")


@cache
def _over() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w./,])(?P<k>\d[\d,]*)\s*(?:/|\bof\b(?:\s+the)?)\s*(?P<n>\d[\d,]*\d)(?![\w./]|,\d)"
    )


def sample_size(doc: Doc) -> list[Answer]:
    """Shares of a sample whose size is a slip of the one defined: 58/668 after N = 688.

    The size used is defined nowhere and differs from one defined before it in a digit or by a
    swapped pair; both have three digits or more.
    """
    defined = [(m.start(), m["n"].replace(",", ""), m) for m in _defined().finditer(doc.text)]
    sizes = {n for _, n, _ in defined if len(n) >= 3}
    if not sizes:
        return []
    used: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in _over().finditer(doc.text):
        n = match["n"].replace(",", "")
        if len(n) >= 3 and n not in sizes and int(match["k"].replace(",", "")) <= int(n):
            used[n].append(match)
    found = []
    for n, group in used.items():
        before = [(at, m) for at, size, m in defined if at < group[0].start() and _slip(size, n)]
        if before and not _stated_otherwise(doc, n, group):
            _at, m = before[-1]
            told = f"N = {m['n']} is defined, but shares are taken of {group[0]['n']}"
            spans = [m.span(), *(g.span() for g in group[:3])]
            found.append(finding(doc, "sample_size", spans, told, 0.7))
    return found


def _slip(a: str, b: str) -> bool:
    return (
        a != b
        and len(a) == len(b)
        and one_digit(float(a), Quantity(0, 0, float(b), 1.0, "plain", b))
    )


def _stated_otherwise(doc: Doc, n: str, group: list[re.Match[str]]) -> bool:
    """Whether the size stands anywhere but as the whole of a share."""
    with_comma = f"{int(n):,}"
    places = [m.start() for form in {n, with_comma}
              for m in re.finditer(rf"(?<![\d.,]){re.escape(form)}(?![\d.]|,\d)", doc.text)]  # fmt: skip
    return any(not any(g.start() <= at < g.end() for g in group) for at in places)


# ------------------------------------------------------------------ the rest


@cache
def _remaining() -> re.Pattern[str]:
    return re.compile(
        r"\bof\s+(?:the|these|those|our|its|a\s+total\s+of)?\s*(?=\$?\d)|\bof\s+(?:the|these)\s+\w+\s+(?=\w)",
        re.I,
    )


def remainder(doc: Doc) -> list[Answer]:
    """ "Of the 426 sites, 4 were woods, 16 ..., and the remaining 407 ...": parts and the rest.

    Reported only if one changed digit would make the parts the whole.
    """
    found = []
    for sentence, numbers in with_numbers(doc):
        counted = [q for q in numbers if q.kind in ("plain", "money")]
        text = doc.text[slice(*sentence)]
        rest = re.search(
            r"\b(?:remaining|the\s+rest|the\s+other)\s+(?:of\s+the\s+)?\$?(?=\d)", text, re.I
        )
        if not rest or len(counted) < 3:
            continue
        whole = counted[0]
        lead = doc.text[sentence[0] : whole.start]
        if not re.search(r"\b(?:[Oo]f|total|all|comprises?|includes?)\b[^.;]{0,30}$", lead):
            continue
        last = next(
            (i for i, q in enumerate(counted) if q.start >= sentence[0] + rest.end() - 1), None
        )
        if last is None or last < 2 or any(q.kind != whole.kind for q in counted[: last + 1]):
            continue
        parts = counted[1 : last + 1]
        sum_ = sum(q.value for q in parts)
        if sum_ != whole.value and any(one_digit(whole.value - sum_ + q.value, q) for q in parts):
            told = f"{' + '.join(q.printed for q in parts)} = {sum_:g}, but {whole.printed} is the whole"
            found.append(finding(doc, "remainder", [(whole.start, parts[-1].end)], told, 0.55))
    return found


# ------------------------------------------------------------------ numbers of a row, in a sentence


def row_in_text(doc: Doc) -> list[Answer]:
    """Numbers of a sentence that are those of a table row beside it, but for one digit of one.

    Three of them at least agree, or two where the words beside the odd one are in the header or
    label of its cell; the sentence stands within 1,500 characters of the table, and the odd
    number in no cell of it.
    """
    found = []
    sentences = [
        (s, [q for q in n if q.kind in ("plain", "money", "percent")]) for s, n in with_numbers(doc)
    ]
    for table in doc.tables:
        near = [
            (s, n)
            for s, n in sentences
            if table.start - 1500 < s[0] < table.end + 1500 and len(n) >= 3
        ]
        lines = _number_lines(table) if near else []
        printed = {cell.text for line in lines for cell in line}
        for _, numbers in near:
            for line in lines:
                odd = _odd_number(doc, line, numbers, printed)
                if odd:
                    q, cell = odd
                    told = f"{q.printed} is stated, but the table has {cell.text} among the same numbers"
                    spans = [_with_words(doc, q), (cell.start, cell.end)]
                    found.append(finding(doc, "row_in_text", spans, told, 0.6))
                    break
    return found


@dataclass(frozen=True)
class _Number:
    """A number in a table as printed, its place, and the words of its header and label."""

    text: str
    start: int
    end: int
    words: frozenset[str]


def _number_lines(table: Table) -> list[list[_Number]]:
    """The rows and columns of a table; a label that is a number is a cell too."""
    rows: list[list[_Number]] = []
    columns: dict[int, list[_Number]] = defaultdict(list)
    corner = " ".join(r.label for r in table.header_rows)
    for row in table.rows:
        line = []
        if row.label.strip().replace(",", "").isdigit():
            line.append(_Number(row.label.strip(), row.label_start, row.label_end, words(corner)))
        for i, cell in row.numbers.items():
            said = words(table.headers[i] if i < len(table.headers) else "") | words(row.label)
            number = _Number(cell.text.strip("$ %"), cell.start, cell.end, said)
            line.append(number)
            columns[i].append(number)
        rows.append(line)
    return [line for line in (*rows, *columns.values()) if 3 <= len(line) <= 15]


def _odd_number(doc: Doc, line: list[_Number], numbers: list[Quantity],
                printed: set[str]) -> tuple[Quantity, _Number] | None:  # fmt: skip
    texts = {cell.text for cell in line}
    said = {q.printed for q in numbers}
    agree = texts & said
    if len(agree) < 2 or sum(map(len, agree)) < 4 or len(numbers) > 15:
        return None
    slips = []
    for q in numbers:
        if q.printed in printed or len(q.printed) < 2:
            continue
        beside = words(doc.text[max(0, q.start - 40) : q.end + 40])
        for cell in line:
            named = bool(cell.words & beside)
            if (
                cell.text not in said
                and (len(agree) >= 3 or named)
                and _is_slip(cell.text, q.printed)
            ):
                slips.append((q, cell))
    return slips[0] if len(slips) == 1 else None


def _is_slip(a: str, b: str) -> bool:
    a, b = a.replace(",", ""), b.replace(",", "")
    return a.isdigit() and b.isdigit() and _slip(a, b)


def _with_words(doc: Doc, q: Quantity) -> Span:
    """A number with the words beside it, up to the next comma or the line's end."""
    start = max(doc.text.rfind(c, 0, q.start) for c in ",.\n(") + 1
    end = min((e for c in ",.\n" if (e := doc.text.find(c, q.end)) >= 0), default=q.end)
    start, end = max(start, q.start - 60), min(end, q.end + 60)
    piece = doc.text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


# ------------------------------------------------------------------ totals of one thing


@cache
def _total() -> re.Pattern[str]:
    return re.compile(
        r"\b(?P<cue>across|compris(?:es|ed|ing)|total\s+of|all|entire|cohort\s+of|set\s+of|resource\s+(?:for|of)|"
        r"analy[sz]ed|included|contains?|consist(?:s|ed|ing)\s+of|of)\s+(?:the\s+|our\s+|more\s+than\s+)?"
        r"(?P<n>\d{1,3}(?:,\d{3})+|\d{3,5}|\d{2})\s+(?P<what>(?:[a-z][a-z-]+\s+){0,3}?[a-z]{3,}s)\b"
        r"|\d/(?P<n2>\d{3,5})\)?\s+of\s+(?:the\s+|all\s+)?(?P<what2>(?:[a-z][a-z-]+\s+){0,2}?[a-z]{3,}s)\b",
    )


def total_of(doc: Doc) -> list[Answer]:
    """Two totals of one thing that lie close together: across 1,043 tumors, of 1,074 tumors.

    The two largest counts of the thing, each said of all of it ("across", "comprising", "of"),
    of three digits or more and within a twentieth of one another, never in one sentence, and no date or
    year beside them. Each must be stated twice, or both with a second thing that differs too.
    """
    by: dict[str, list[_Count]] = defaultdict(list)
    for match in _total().finditer(doc.text):
        what = words(match["what"] or match["what2"])
        if what & _NO_TOTAL or doc.in_table(match.start()) or _dated(doc.text, match):
            continue
        number = int((match["n"] or match["n2"]).replace(",", ""))
        strong = match["cue"] is not None and match["cue"].lower() != "of"
        for word in what:
            by[word].append(_Count(number, strong, match.start(), match.end()))
    found: dict[tuple[int, int], Answer] = {}
    for word in sorted(by):
        group = by[word]
        numbers = {c.number for c in group}
        top = sorted(numbers)[-2:]
        if len(top) < 2 or top[0] < 100 or top[1] > 1.05 * top[0] or len(numbers) > 6:
            continue
        a, b = (next(c for c in group if c.number == n) for n in top)
        if abs(a.start - b.start) < 300 or not (a.strong or b.strong):
            continue
        told = f"{a.number:,} {word}s in one place, {b.number:,} in another"
        spans = [(a.start, a.end), (b.start, b.end)]
        found[a.start, b.start] = finding(
            doc, "total_of", spans, told, 0.35 + 0.05 * (a.strong + b.strong)
        )
    return list(found.values())


@dataclass(frozen=True)
class _Count:
    """A count of a thing; ``strong`` where a word says that it is of all of it."""

    number: int
    strong: bool
    start: int
    end: int


_NO_TOTAL = _TIME | frozenset(
    [
        "share",
        "dollar",
        "employee",
        "store",
        "month",
        "year",
        "week",
        "quarter",
        "day",
        "hour",
        "minute",
        "point",
        "page",
    ]
)


def _dated(text: str, match: re.Match[str]) -> bool:
    near = text[max(0, match.start() - 120) : match.end() + 80]
    return bool(re.search(r"\b(?:19|20)\d\d\b|\b(?:quarter|fiscal|year|month)", near))


KINDS = {
    "list_length": Kind(list_length, "structural"),
    "enumeration": Kind(enumeration, "structural"),
    "range_count": Kind(range_count, "numeric"),
    "all_of": Kind(all_of, "numeric"),
    "sample_size": Kind(sample_size, "numeric"),
    "remainder": Kind(remainder, "numeric"),
    "row_in_text": Kind(row_in_text, "numeric"),
    "total_of": Kind(total_of, "numeric"),
}
