"""References to steps and to labels of the source (LaTeX, AsciiDoc, Markdown)."""

from __future__ import annotations

import re
from functools import cache

from rapidfuzz import fuzz

from ..records import Answer
from .doc import Doc, Kind, finding
from .headings import targets
from .prose import Span
from .references import Reference, references


@cache
def _ordered() -> re.Pattern[str]:
    return re.compile(
        r"^(?P<mark>\. |\d{1,2}[.)] |[ \t]*\\item\b|[ \t]*(?:\*\*)?Step \d{1,2}\b)", re.M
    )


def missing_step(doc: Doc) -> list[Answer]:
    """ "step 0" or "step 12" where no list of steps has such an item.

    Ordered lists are Markdown, AsciiDoc (". item") or LaTeX ones, numbered from 1.
    """
    mentions = [r for r in references(doc) if r.family == "step" and r.number.isdigit()]
    if not mentions:
        return []
    lists = _ordered_lists(doc.text)
    longest = max(lists, default=0)
    if longest < 3:
        return []
    named = {t.number for t in targets(doc) if t.family == "step"}
    named |= set(
        re.findall(r"(?:^|[\[|>*#])[ \t]*[Ss]tep[ \t](\d{1,3})[:.)\]\s*|-]", doc.text, re.M)
    )
    resolved = sum(1 <= int(r.number) <= longest for r in mentions)
    found = []
    for ref in mentions:
        number = int(ref.number)
        if ref.number in named:
            continue
        zero = number == 0 and not re.search(r"^\s*0[.)] ", doc.text, re.M)
        if zero or (longest < number <= longest + 3 and resolved >= 3):
            told = f"step {number} is not there: the steps run from 1 to {longest}"
            found.append(
                finding(
                    doc, "missing_step", [_sentence_about(doc, ref)], told, 0.75 if zero else 0.4
                )
            )
    return found


def _ordered_lists(text: str) -> list[int]:
    """The number of items of each ordered list; blank lines and nested text do not end one."""
    lists: list[int] = []
    last, kind = -10_000, ""
    for match in _ordered().finditer(text):
        mark = re.sub(r"\d+", "1", match["mark"]).strip()
        number = re.search(r"\d+", match["mark"])
        fresh = mark != kind or match.start() - last > 2500 or (number and int(number.group()) == 1)
        if re.search(r"^(?:=+ |#+ )", text[max(last, 0) : match.start()], re.M):
            fresh = True
        if fresh:
            lists.append(0)
        lists[-1] = max(lists[-1] + 1, int(number.group()) if number else 0)
        last, kind = match.end(), mark
    return lists


def _sentence_about(doc: Doc, ref: Reference) -> Span:
    start = max(doc.text.rfind("\n", 0, ref.start) + 1, ref.start - 80)
    end = doc.text.find("\n", ref.end)
    return start, min(end if end >= 0 else len(doc.text), ref.end + 80)


# ------------------------------------------------------------------ anchors


@cache
def _anchors() -> re.Pattern[str]:
    return re.compile(
        r"\\label\{(?P<tex>[^}\n]{1,120})\}|\[\[(?P<adoc>[\w:.-]{1,120})(?:,[^\]\n]{0,200})?\]\](?!\()|^\[#(?P<adoc2>[\w:.-]{1,120})[^\]\n]*\]"
        r"|\b(?:id|name)=[\"'](?P<html>[^\"'\n]{1,120})[\"']|\{#(?P<md>[\w:.-]{1,120})[^}\n]*\}|^#{1,6}[ \t]+(?P<head>[^\n]{1,200})",
        re.M,
    )


@cache
def _links() -> re.Pattern[str]:
    return re.compile(
        r"\\(?:ref|eqref|autoref|cref|Cref|pageref|nameref)\{(?P<tex>[^}\n]{1,200})\}|<<(?P<adoc>[\w:.-]{1,120})(?:,[^>\n]*)?>>"
        r"|\]\(#(?P<md>[^)\s]{1,120})\)|(?<![\w/])@(?P<pandoc>(?:fig|tbl|eq|sec|tab):[\w-]{1,80})",
    )


def missing_anchor(doc: Doc) -> list[Answer]:
    r"""A link to a label that the document does not define, though it defines most of the others.

    LaTeX ``\ref``, AsciiDoc ``<<anchor>>``, Markdown ``(#anchor)``, ``@fig:name``. A document
    in several files leaves many links open: reported only if nine in ten resolve and a label
    that is there differs from the missing one by a slip.
    """
    there: set[str] = set()
    for match in _anchors().finditer(doc.text):
        name = next(g for g in match.groups() if g)
        there.add(_slug(name) if match["head"] else name)
    links = [(m, next(g for g in m.groups() if g)) for m in _links().finditer(doc.text)]
    wanted = [(m, part.strip()) for m, names in links for part in names.split(",")]
    open_ = [(m, name) for m, name in wanted if name not in there]
    if not there or len(open_) > 0.1 * len(wanted) or len(open_) > 3:
        return []
    found = []
    for match, name in open_:
        near = max(there, key=lambda t: fuzz.ratio(t, name))
        if fuzz.ratio(near, name) >= 80:
            told = f"no label {name!r} is defined; {near!r} is"
            found.append(finding(doc, "missing_anchor", [match.span()], told, 0.6))
    return found


def _slug(heading: str) -> str:
    heading = re.sub(r"<[^>]*>|\{[^}]*\}", "", heading)
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def duplicate_label(doc: Doc) -> list[Answer]:
    r"""One ``\label`` or anchor defined twice."""
    first: dict[str, re.Match[str]] = {}
    found = []
    for match in _anchors().finditer(doc.text):
        name = match["tex"] or match["adoc"] or match["md"]
        if name and name in first and _is_comment(doc.text, match.start()) is False:
            told = f"the label {name!r} is defined twice"
            found.append(
                finding(doc, "duplicate_label", [first[name].span(), match.span()], told, 0.4)
            )
        elif name:
            first[name] = match
    return found


def _is_comment(text: str, at: int) -> bool:
    return "%" in text[text.rfind("\n", 0, at) + 1 : at]


KINDS = {
    "missing_step": Kind(missing_step, "structural"),
    "missing_anchor": Kind(missing_anchor, "structural"),
    "duplicate_label": Kind(duplicate_label, "structural", default_on=False),
}
