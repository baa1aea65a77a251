"""Numbers in sequence: headings, list items, identifiers under their parent, labels of rows."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .headings import Target, roman, targets
from .prose import Span, paragraphs

_FAMILIES = (
    "note",
    "chapter",
    "table",
    "figure",
    "article",
    "appendix",
    "annex",
    "step",
    "section",
    "box",
)


def heading_sequence(doc: Doc) -> list[Answer]:
    """A heading whose number breaks the sequence: 4, 9, 6 or 4, 6 or 4, 4.

    Headings of one family in the body of the text, a sequence beginning anew at its first
    number. A gap counts only if no line begins with the missing number in any other form.
    """
    found: list[Answer] = []
    for family in _FAMILIES:
        for run in _runs([t for t in targets(doc) if t.family == family and t.order]):
            found += _breaks(doc, family, run)
    return found


def _runs(headings: list[Target]) -> Iterator[list[Target]]:
    """Sequences of headings, each without repeats such as "(continued)"."""
    for contents in (True, False):
        run: list[Target] = []
        for t in (t for t in headings if t.contents is contents):
            if run and t.number == run[-1].number and (t.title == run[-1].title or not t.title):
                continue
            if run and t.order == 1 and (run[-1].order or 0) > 1:
                yield run
                run = []
            run.append(t)
        if run:
            yield run


def _breaks(doc: Doc, family: str, run: list[Target]) -> Iterator[Answer]:
    numbers = [t.order or 0 for t in run]
    steps = sum(b == a + 1 for a, b in itertools.pairwise(numbers))
    steps += sum(
        c == a + 2 and b != a + 1
        for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False)
    )
    if len(run) < 3 or steps < 0.6 * (len(run) - 1) - 1 or steps < 1:
        return
    name = family.capitalize()
    for i in range(1, len(run)):
        before, here = numbers[i - 1], numbers[i]
        after = numbers[i + 1] if i + 1 < len(run) else None
        if here == before + 1:
            continue
        places = [run[i - 1], run[i], *run[i + 1 : i + 2]]
        spans = [(t.start, t.end) for t in places]
        if after == before + 2 and run[i].number != run[i - 1].number:
            told = f"{name} {run[i].number} stands between {name} {before} and {after}: {before + 1} is due"
            yield finding(doc, "heading_sequence", spans, told, 0.85)
        elif here == before + 2 and after in (None, here + 1, here + 2):
            misplaced = i + 1 < len(run) and after == here + 2
            if not misplaced and _is_somewhere(doc, family, before + 1, run):
                continue
            told = f"{name} {before} is followed by {name} {here}: {before + 1} is missing"
            yield finding(doc, "heading_sequence", spans[:2], told, 0.6)
        elif here == before and run[i].title != run[i - 1].title:
            told = f"two headings are {name} {here}"
            yield finding(doc, "heading_sequence", spans[:2], told, 0.7)


def _is_somewhere(doc: Doc, family: str, number: int, run: list[Target]) -> bool:
    """Whether a line, cell or paragraph begins with a number in any form a heading can take."""
    name = "" if family == "section" else rf"{family[:3]}\w*\.?\s*"
    letters = run[0].number.isalpha()
    shown = chr(64 + number) if letters else str(number)
    pattern = rf"(?:^|[|>*#(]|\n)\s*(?:[*_#|\s]|<[^>\n]*>)*{name}{shown}\b(?!\s*(?:%|million|\d|,\d|\.\d))"
    start, end = run[0].start, run[-1].end + 20_000
    return any(
        not (t.start <= m.start() < t.end)
        for m in re.finditer(pattern, doc.text[start:end], re.I)
        for t in run[:1]
    )


def heading_titles(doc: Doc) -> list[Answer]:
    """One title under two numbers, as in the table of contents and over the text.

    The titles agree word for word; the number reported is the one that occurs once.
    """
    found = []
    by_title: dict[tuple[str, str], list[Target]] = defaultdict(list)
    for t in targets(doc):
        if t.family in (*_FAMILIES, "item", "exhibit") and len(t.title) > 7:
            by_title[t.family, t.title].append(t)
    for (family, _), group in by_title.items():
        numbers = Counter(t.number for t in group)
        if len(numbers) != 2 or min(numbers.values()) != 1:
            continue
        if family == "section" and len({t.contents for t in group}) == 1:
            continue  # sections of two chapters may share a title
        rare = min(numbers, key=lambda n: (numbers[n], -_last(group, n)))
        odd = next(t for t in group if t.number == rare)
        other = next(t for t in group if t.number != rare)
        told = f"the same title is {family} {other.number} in one place and {family} {odd.number} in another"
        spans = [(odd.start, odd.end), (other.start, other.end)]
        found.append(finding(doc, "heading_titles", spans, told, 0.65))
    return found


def _last(group: list[Target], number: str) -> int:
    return max(t.start for t in group if t.number == number)


# ------------------------------------------------------------------ list items


@dataclass(frozen=True)
class _Item:
    style: str
    number: int
    start: int
    end: int


@cache
def _enumerator() -> re.Pattern[str]:
    return re.compile(
        r"^(?P<indent>[ \t]{0,12}(?:[|>*_]+[ \t]*)?)(?P<open>\()?(?P<num>\d{1,2}|[a-z]|[ivx]{2,5})(?P<close>[.)])"
        r"[*_]*[ \t]+(?=\S)|^\\item\[\(?(?P<num2>\d{1,2}|[a-z])\)?\.?\]",
        re.M,
    )


def list_sequence(doc: Doc) -> list[Answer]:
    """A numbered or lettered list in which one item is missing, doubled or misnumbered.

    Items begin a line. The list must run in sequence for two items before the break, and the
    missing number must not stand anywhere between the two items.
    """
    open_runs: dict[str, list[_Item]] = {}
    found: list[Answer] = []
    for match in _enumerator().finditer(doc.text):
        for style, number in _readings(match):
            run = open_runs.get(style)
            item = _Item(style, number, match.start(), _line_end(doc.text, match.end()))
            if run and number == run[-1].number + 1:
                run.append(item)
            elif number == 1:
                open_runs[style] = [item]
            elif run:
                found += _list_break(doc, run, item)
                if number == run[-1].number + 2:
                    run.append(item)
    return found


def _readings(match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The styles an enumerator can belong to: (i) is a letter or a roman number."""
    mark = match["num"] or match["num2"]
    style = (
        f"{len((match['indent'] or '').expandtabs())}{match['open'] or ''}{match['close'] or '['}"
    )
    if mark.isdigit():
        yield style + "1", int(mark)
        return
    value = roman(mark)
    if value is not None:
        yield style + "i", value
    if len(mark) == 1:
        yield style + "a", ord(mark) - 96


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return min(end, at + 300)


def _list_break(doc: Doc, run: list[_Item], item: _Item) -> Iterator[Answer]:
    last = run[-1]
    if len(run) < 1 or item.start - last.end > 2500 or item.number != last.number + 2:
        return
    between = doc.text[last.start : item.start]
    missing = last.number + 1
    shown = {"1": str(missing), "a": chr(96 + missing), "i": _small(missing)}[item.style[-1]]
    if re.search(rf"(?<![\w.]){shown}\s?[).]|\({shown}\)", between[3:]):
        return
    told = f"item {doc.text[last.start : last.end][:12].split()[0]} is followed by {doc.text[item.start : item.end].split()[0]}: {shown} is missing"
    yield finding(doc, "list_sequence", [(last.start, last.end), (item.start, item.end)], told, 0.6)


def _small(number: int) -> str:
    return ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"][
        min(number, 12)
    ]


@cache
def _inline() -> re.Pattern[str]:
    return re.compile(r"(?P<before>[^\s(]?[ \n]?)\((?P<num>\d{1,2}|[a-z]|[ivx]{2,4})\)[ \n]?(?=\S)")


def inline_sequence(doc: Doc) -> list[Answer]:
    """ "(1) ..., (2) ..., and (4) ...": an enumeration inside a paragraph that skips a number."""
    found: list[Answer] = []
    for start, end in paragraphs(doc):
        marks = list(_inline().finditer(doc.text, start, end))
        if len(marks) < 2:
            continue
        for style in ("1", "a", "i"):
            found += _inline_breaks(doc, marks, style)
    return found


def _value(mark: str, style: str) -> int | None:
    if style == "1":
        return int(mark) if mark.isdigit() else None
    if style == "i":
        return roman(mark) if mark.isalpha() else None
    return ord(mark) - 96 if len(mark) == 1 and mark.isalpha() else None


def _inline_breaks(doc: Doc, marks: list[re.Match[str]], style: str) -> Iterator[Answer]:
    run: list[tuple[int, re.Match[str]]] = []
    for mark in marks:
        value = _value(mark["num"], style)
        if value is None or _is_cited(doc.text, mark):
            continue
        if value == 1:
            run = [(1, mark)]
        elif run and value == run[-1][0] + 1:
            run.append((value, mark))
        elif run and value == run[-1][0] + 2:
            last = run[-1][1]
            missing = {"1": str(value - 1), "a": chr(95 + value), "i": _small(value - 1)}[style]
            if f"({missing})" in doc.text[last.end() : mark.start()]:
                continue
            told = f"({last['num']}) is followed by ({mark['num']})"
            yield finding(
                doc, "inline_sequence", [_around(doc, last), _around(doc, mark)], told, 0.55
            )
            run.append((value, mark))


def _is_cited(text: str, mark: re.Match[str]) -> bool:
    """Whether an enumerator is part of a citation: Rule 13a-14(a), clauses (i) and (iii)."""
    at = mark.start("num") - 1
    if text[at - 1 : at].isalnum() or text[at - 1 : at] == ")":
        return True
    before = text[max(0, at - 30) : at]
    return bool(re.search(r"(?:clauses?|sections?|items?|rules?|paragraphs?|notes?|footnotes?|§+|subsections?|"
                          r"parts?|in|under|to|see)\s+(?:\(\w+\)(?:,|\s|and|or|through|to)*)*$", before, re.I))  # fmt: skip


def _around(doc: Doc, mark: re.Match[str]) -> Span:
    start = mark.start("num") - 1
    end = doc.text.find("(", start + 1, start + 120)
    stop = end if end > 0 else start + 80
    piece = doc.text[start:stop].rstrip(" \n")
    return start, start + len(piece)


# ------------------------------------------------------------------ identifiers


@cache
def _identifier() -> re.Pattern[str]:
    return re.compile(
        r"^(?P<mark>[ \t]{0,12}(?:[-*•+|]|\\item)?[ \t|*_`]{0,12})(?P<pre>[A-Z]{0,4}[-.]?)"
        r"(?P<id>\d{1,3}(?:\.\d{1,3}){1,4})\.?(?=[*_`]{0,3}[ \t]{0,4}[|:)–-]|[*_]{0,3}[ \t]{1,8}[*_“\"]{0,3}[A-Z])",
        re.M,
    )


def parent(doc: Doc) -> list[Answer]:
    """Identifiers under the wrong parent: item 3.2.4 listed under 3.3, 16.5.1 under V16.6.

    An identifier that begins a line or the first cell of a row belongs to the heading above it
    whose number has one part less. Reported where a following group or a single one among
    siblings has another parent, and where an identifier occurs twice in one list.
    """
    found: list[Answer] = []
    heads: dict[int, tuple[tuple[int, ...], Span]] = {}
    members: dict[tuple[int, ...], list[tuple[tuple[int, ...], Span, int]]] = defaultdict(list)
    numbered = {t.start: t for t in targets(doc) if t.family == "section" and not t.contents}
    group = 0
    all_heads = {_path(t.number) for t in numbered.values()}
    for match in _lines_with_ids(doc, numbered):
        path, span, is_head = match
        if is_head:
            group += 1
            heads[len(path)] = (path, span)
            for depth in [d for d in heads if d > len(path)]:
                del heads[depth]
            above = heads.get(len(path) - 1)
            if above and path[:-1] != above[0] and path[:-1] in all_heads:
                found += _wrong_parent(doc, path, span, above)
            continue
        above = heads.get(len(path) - 1)
        if above:
            members[(*above[0], -1, group)].append((path, span, above[1][0]))
    for key, items in members.items():
        owner = key[: key.index(-1)]
        head = next(span for path, span, _ in [(owner, _span_at(doc, items[0][2]), 0)])
        found += _misfiled(doc, owner, head, items)
    return found


def _lines_with_ids(
    doc: Doc, heads: dict[int, Target]
) -> Iterator[tuple[tuple[int, ...], Span, bool]]:
    places: list[tuple[int, tuple[int, ...], Span, bool]] = []
    for t in heads.values():
        places.append((t.start, _path(t.number), (t.start, t.end), True))
    taken = {t.start for t in heads.values()}
    for match in _identifier().finditer(doc.text):
        if match.start() in taken:
            continue
        span = (match.start("id") - len(match["pre"]), _line_end(doc.text, match.end()))
        places.append((match.start(), _path(match["id"]), span, False))
    for _, path, span, is_head in sorted(places):
        yield path, span, is_head


def _path(number: str) -> tuple[int, ...]:
    return tuple(int(x) for x in re.findall(r"\d+", number))


def _span_at(doc: Doc, start: int) -> Span:
    return start, _line_end(doc.text, start)


def _wrong_parent(
    doc: Doc, path: tuple[int, ...], span: Span, above: tuple[tuple[int, ...], Span]
) -> Iterator[Answer]:
    if abs(path[-2] - above[0][-1]) > 2 or path[:-2] != above[0][:-1]:
        return
    told = f"{_dotted(path)} stands under {_dotted(above[0])}"
    yield finding(doc, "parent", [above[1], span], told, 0.6)


def _misfiled(doc: Doc, owner: tuple[int, ...], head: Span, items: list) -> Iterator[Answer]:
    wrong = [
        (path, span) for path, span, _ in items if path[:-1] != owner and path[:-2] == owner[:-1]
    ]
    right = [path for path, _, _ in items if path[:-1] == owner]
    if (
        wrong and (right or len(wrong) == len(items)) and len(wrong) <= max(1, len(right) // 3)
    ) or (wrong and not right and len({p[:-1] for p, _ in wrong}) == 1):
        told = f"{_dotted(wrong[0][0])} is listed under {_dotted(owner)}"
        yield finding(doc, "parent", [head, *(s for _, s in wrong[:3])], told, 0.8)
    seen: dict[tuple[int, ...], Span] = {}
    for path, span, _ in items:
        if (
            path in seen
            and path[:-1] == owner
            and doc.text[slice(*seen[path])] != doc.text[slice(*span)]
        ):
            told = f"{_dotted(path)} is given twice in one list"
            yield finding(doc, "parent", [seen[path], span], told, 0.75)
        seen.setdefault(path, span)


def _dotted(path: tuple[int, ...]) -> str:
    return ".".join(map(str, path))


# ------------------------------------------------------------------ labels of rows and items


@cache
def _label() -> re.Pattern[str]:
    return re.compile(
        r"^[-*•+|> \t]{0,20}(?:\d{1,2}\.[ \t]{1,4})?(?P<bold>[*_`]{0,3})(?P<name>[A-Z][A-Za-z]{0,14})(?P<gap>[ -]?)(?P<num>\d{1,2})(?![\d.,%/])"
        r"(?P<rest>[^\n]{0,80})",
        re.M,
    )


def label_sequence(doc: Doc) -> list[Answer]:
    """Row or item labels in sequence: FAL1, FAL2, FAL4; and "FAL4 - FAL 3 requires ..."."""
    found: list[Answer] = []
    run: list[re.Match[str]] = []
    for match in [*_label().finditer(doc.text), None]:
        follows = (
            match and run and match["name"] == run[-1]["name"]
            and match.start() - run[-1].end() < 1500 and int(match["num"]) > int(run[-1]["num"])
        )  # fmt: skip
        if not follows:
            found += _label_breaks(doc, run)
            run = []
        if match:
            run.append(match)
    return found


def _label_breaks(doc: Doc, run: list[re.Match[str]]) -> Iterator[Answer]:
    numbers = [int(m["num"]) for m in run]
    if len(run) < 3 or numbers[:2] != [1, 2]:
        return
    for i, here in enumerate(run[2:], 2):
        name, number = here["name"], int(here["num"])
        own = re.match(rf"[*_`]*\s*[-–—:|]+\s*{name}[ -]?(\d{{1,2}})\b", here["rest"])
        spans = [(m.start("name"), _line_end(doc.text, m.end("num"))) for m in run[i - 1 : i + 1]]
        if own and int(own[1]) != number:
            told = f"labelled {name}{number}, but its text is about {name} {own[1]}"
            yield finding(doc, "label_sequence", spans[1:], told, 0.85)
        elif number == numbers[i - 1] + 2 and _is_tight(doc, run):
            told = f"{name}{numbers[i - 1]} is followed by {name}{number}"
            yield finding(doc, "label_sequence", spans, told, 0.4)


def _is_tight(doc: Doc, run: list[re.Match[str]]) -> bool:
    """Whether the labels stand on lines that follow one another."""
    return all(doc.text.count("\n", a.end(), b.start()) <= 2 for a, b in itertools.pairwise(run))


KINDS = {
    "heading_sequence": Kind(heading_sequence, "structural"),
    "heading_titles": Kind(heading_titles, "structural"),
    "list_sequence": Kind(list_sequence, "structural"),
    "inline_sequence": Kind(inline_sequence, "structural"),
    "parent": Kind(parent, "structural"),
    "label_sequence": Kind(label_sequence, "structural"),
}
