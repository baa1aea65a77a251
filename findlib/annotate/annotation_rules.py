"""What can be checked of one annotated document by a program (see data/ANNOTATING.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..records import Document

MODALITIES = ("text", "table", "both")
SCOPES = ("short", "long")
SPLITS = ("test", "validation", "dev")
LONGEST = 500  # characters of a span
SHORT_RANGE = 1_500  # characters from the first span to the trigger's end, about half a page
NEAR = 1_500  # characters between an inserted change and a span
MOST_CHANGED = 300  # characters that the insertion changes in all
SHORT_DESCRIPTION = 6  # words
_MOST_PAIRS = 400_000_000  # of lines that are compared: 50 MB

Place = tuple[int, int]  # characters [start, end) of the text


class Finding(NamedTuple):
    """A rule that a document breaks: how grave, what is wrong, and the mend."""

    level: str  # "error" or "warning"
    what: str
    mend: str


def findings(document: Document, original: str = "", longest: int = LONGEST) -> Iterator[Finding]:
    """Everything wrong with one document that `data.load_find` accepts, in a fixed order.

    ``original``: the document without the inconsistency where ``corrected`` is empty;
    ``longest``: characters of a span. Errors break a rule of the annotation guide; warnings
    are labels and places that do not look as they should and may be right.
    """
    places = _earliest(document.evidence, document.text)
    yield from _spans(document, places, longest)
    yield from _description(document)
    yield from _labels(document)
    if places:
        yield from _modality(document, places)
        yield from _scope(document, places)
        yield from _correction(document, document.corrected or original, places)


def _earliest(spans: Sequence[str], text: str) -> list[Place]:
    """Each span where it first stands after the one before; [] where they would overlap."""
    places: list[Place] = []
    for span in spans:
        start = text.find(span, places[-1][1] if places else 0)
        if start < 0:
            return []
        places.append((start, start + len(span)))
    return places


def _latest(spans: Sequence[str], text: str) -> list[Place]:
    """Each span where it last stands before the one after."""
    places: list[Place] = []
    for span in reversed(spans):
        start = text.rfind(span, 0, places[-1][0] if places else len(text))
        places.append((start, start + len(span)))
    return places[::-1]


def _spans(document: Document, places: list[Place], longest: int) -> Iterator[Finding]:
    if not places:
        yield Finding("error", "evidence spans overlap or repeat one another",
                      "join them or cut them apart")  # fmt: skip
    latest = _latest(document.evidence, document.text) if places else []
    for span, first, last in zip(document.evidence, places, latest, strict=bool(places)):
        if first != last:
            count = document.text.count(span)
            yield Finding("error", f"span {_short(span)} stands {count} times in the text and "
                          "reading order does not tell which is meant",
                          "widen it until it stands once")  # fmt: skip
    for span in document.evidence:
        if len(span) > longest:
            yield Finding("error", f"span {_short(span)} has {len(span)} characters, more than "
                          f"{longest}", "keep the words that are needed")  # fmt: skip
        if span != span.strip():
            yield Finding("warning", f"span {_short(span)} begins or ends with white space",
                          "trim it")  # fmt: skip


def _description(document: Document) -> Iterator[Finding]:
    said = _words(document.description)
    if not said:
        yield Finding("error", "description is empty", "say what does not agree, and how")
        return
    spans = [_words(span) for span in document.evidence]
    if any(f" {said} " in f" {span} " for span in [*spans, " ".join(spans)]):
        yield Finding("error", "description only repeats evidence",
                      "say what does not agree, and how")  # fmt: skip
    elif len(said.split()) < SHORT_DESCRIPTION:
        yield Finding("warning", f"description has only {len(said.split())} words",
                      "name both sides and why they cannot both hold")  # fmt: skip


def _labels(document: Document) -> Iterator[Finding]:
    menus = {"modality": MODALITIES, "scope": SCOPES, "split": SPLITS}
    for name, menu in menus.items():
        value = getattr(document, name)
        if not value:
            yield Finding("warning", f"{name} is not labelled", f"use one of {menu}")
        elif value not in menu:
            yield Finding("error", f"{name} {value!r} is unknown", f"use one of {menu}")


def _modality(document: Document, places: list[Place]) -> Iterator[Finding]:
    """Against where spans stand; only Markdown tables are known as such."""
    if document.modality not in MODALITIES or not re.search(r"^\s*\|", document.text, re.M):
        return
    lines = (document.text.rfind("\n", 0, start) + 1 for start, _ in places)
    inside = [document.text[line:].lstrip()[:1] == "|" for line in lines]
    found = "table" if all(inside) else "both" if any(inside) else "text"
    if found != document.modality:
        yield Finding("warning", f"modality is {document.modality!r}, but {sum(inside)} of "
                      f"{len(inside)} spans stand in a table", f"is it {found!r}?")  # fmt: skip


def _scope(document: Document, places: list[Place]) -> Iterator[Finding]:
    reach = places[-1][1] - places[0][0]
    found = "short" if reach <= SHORT_RANGE else "long"
    if document.scope in SCOPES and found != document.scope:
        yield Finding("warning", f"scope is {document.scope!r}, but the spans reach over "
                      f"{reach} characters (short: at most {SHORT_RANGE})",
                      f"is it {found!r}?")  # fmt: skip


def _correction(document: Document, original: str, places: list[Place]) -> Iterator[Finding]:
    """The text may differ from its corrected version in a small place near the evidence."""
    if not original:
        return
    changed = changes(original, document.text)
    if not changed:
        yield Finding("error", "the corrected version is the text itself",
                      "give the document as it was, or none")  # fmt: skip
    size = sum(size for *_, size in changed)
    if size > MOST_CHANGED:
        yield Finding("warning", f"the corrected version differs in {size} characters (more than "
                      f"{MOST_CHANGED})", "change only what the inconsistency needs")  # fmt: skip
    far = [start for start, end, _ in changed
           if min(max(first - end, start - last, 0) for first, last in places) > NEAR]  # fmt: skip
    if far:
        yield Finding("warning", f"{len(far)} of {len(changed)} changes to the corrected version "
                      f"lie over {NEAR} characters from any span, the first at character {far[0]}",
                      "undo them, or name the span that is missing")  # fmt: skip


def changes(original: str, text: str) -> list[tuple[int, int, int]]:
    """Where a text differs from its original, by words: (start, end) in the text, and how many
    characters were taken or put there, whichever is more.

    >>> changes("a\\nprofit was 7.\\nb\\n", "a\\nprofit was 12.\\nb\\n")
    [(13, 15, 2)]
    """
    from rapidfuzz.distance import Postfix, Prefix

    found = []
    lines = original.splitlines(keepends=True), text.splitlines(keepends=True)
    for line, old, new in _differences(lines[0], lines[1], 0):
        words = re.findall(r"\s+|\S+", old), re.findall(r"\s+|\S+", new)
        for word, before, after in _differences(words[0], words[1], line):
            head = Prefix.similarity(before, after)
            tail = min(Postfix.similarity(before, after), min(len(before), len(after)) - head)
            start, length = word + head, len(after) - head - tail
            found.append((start, start + length, max(len(before) - head - tail, length)))
    return found


def _differences(old: list[str], new: list[str], start: int) -> Iterator[tuple[int, str, str]]:
    """Where pieces differ: the character in the new text, the old and the new pieces joined."""
    from rapidfuzz.distance import Levenshtein

    if len(old) * len(new) > _MOST_PAIRS:  # another text altogether
        yield start, "".join(old), "".join(new)
        return
    for step in Levenshtein.opcodes(old, new):
        if step.tag != "equal":
            before, after = old[step.src_start : step.src_end], new[step.dest_start : step.dest_end]
            at = start + sum(map(len, new[: step.dest_start]))
            yield at, "".join(before), "".join(after)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
