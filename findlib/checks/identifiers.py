"""Identifiers under their parent (3.2.4 under 3.2) and labels in sequence (KX1, KX2, KX3)."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from ..records import Answer
from .doc import Doc, Kind, finding
from .headings import Target, targets
from .numbering import line_end
from .prose import Span


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
        span = (match.start("id") - len(match["pre"]), line_end(doc.text, match.end()))
        places.append((match.start(), _path(match["id"]), span, False))
    for _, path, span, is_head in sorted(places):
        yield path, span, is_head


def _path(number: str) -> tuple[int, ...]:
    return tuple(int(x) for x in re.findall(r"\d+", number))


def _span_at(doc: Doc, start: int) -> Span:
    return start, line_end(doc.text, start)


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
        spans = [(m.start("name"), line_end(doc.text, m.end("num"))) for m in run[i - 1 : i + 1]]
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
    "parent": Kind(parent, "structural"),
    "label_sequence": Kind(label_sequence, "structural"),
}
