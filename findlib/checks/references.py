"""References to notes, sections, tables, figures: a target that is not there or another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rapidfuzz import fuzz

from ..records import Answer
from .doc import Doc, Kind, finding
from .headings import FAMILIES, Target, plain, targets
from .prose import Span

_CHECKED = (
    "note",
    "item",
    "table",
    "figure",
    "section",
    "chapter",
    "appendix",
    "annex",
    "box",
    "step",
)


@dataclass(frozen=True)
class Reference:
    """A reference in running text: "Note 5" with the title that follows it, "" if none."""

    family: str
    number: str
    title: str
    start: int
    end: int


@cache
def _reference() -> re.Pattern[str]:
    return re.compile(
        r"\b(?P<fam>notes?|items?|sections?|sec\.?|tables?|figures?|figs?\.?|chapters?|appendix|annex|box|steps?|equations?|eqs?\.?)"
        r"(?:(?<!\.)\n|[ \u00a0~]{1,2})\(?(?P<num>\d{1,3}(?:[.-]\d{1,3}){0,4}[a-z]?|[A-Z])\)?(?![\w%]|[.,]\d|\s*(?:million|billion|%|percent))"
        r"(?P<more>(?:(?:,|\s*&|,?\s+and|,?\s+or|,?\s+to|\s*[-–])\s+\d{1,3}(?:\.\d{1,3}){0,4}\b){0,6})",
        re.I,
    )


@cache
def _elsewhere() -> re.Pattern[str]:
    """Words that say a reference points into another document."""
    return re.compile(
        r"annual report|form\s+(?:10-?k|20-?f|8-?k|s-\d)|10-?k\b|\bact\b|\bcode\b|regulations?\b|\brules?\b|\bu\.?s\.?c\b|"
        r"statut|treaty|agreement|indenture|directive|constitution|bylaws|charter|\bcfr\b|\basc\b|\basu\b|topic\b|"
        r"\bet al|\bibid|\bproxy|prospectus|registration statement|supplement|policy|\bplan\b|guideline|"
        r"\blaw\b|ordinance|contract|\bsp \d|\brfc\b|\biso\b|\bieee\b|standard\b|manual\b|\bvolume\b|\bspec(?:ification)?\b",
        re.I,
    )


def references(doc: Doc) -> list[Reference]:
    """The references outside headings, in reading order, one for each number named."""
    return doc.once(_references)


def _references(doc: Doc) -> list[Reference]:
    return list(_read_references(doc))


def _read_references(doc: Doc) -> Iterator[Reference]:
    heads = {t.start for t in targets(doc)}
    ends = {t.start: t.end for t in targets(doc)}
    starts = sorted(heads)
    i = 0
    for match in _reference().finditer(doc.text):
        while i < len(starts) and ends[starts[i]] <= match.start():
            i += 1
        if i < len(starts) and starts[i] <= match.start():
            continue
        family = match["fam"].lower().rstrip(".").rstrip("s")
        family = FAMILIES.get(family, family)
        if match["num"].isalpha() and (
            match["num"].islower() or family not in ("note", "appendix", "annex", "table", "box")
        ):
            continue
        title = _title_after(doc.text, match.end()) if not match["more"] else ""
        yield Reference(family, match["num"].upper(), title, *match.span())
        for number in re.findall(r"\d{1,3}(?:\.\d{1,3})*", match["more"]):
            if number.count(".") != match["num"].count("."):
                break
            yield Reference(family, number, "", *match.span())


@cache
def _after() -> re.Pattern[str]:
    return re.compile(
        r"[ \n]*(?:,[ \n]*|[-–—:.][ \n]+|[ \n]+[-–—][ \n]+|\()?[_*]{0,2}(?P<quote>[“\"(]?)(?P<title>[A-Z][^\n.;”\")]{3,90})"
    )


def _title_after(text: str, at: int) -> str:
    """The title that follows a reference: quoted, in brackets, in italics or in capitals."""
    match = _after().match(text, at)
    if not match or match.end("title") - match.start("title") < 4:
        return ""
    title = text[match.start("title") : match.end("title")]
    return plain(
        re.split(
            r",?\s+(?:for|of|to|in|included|and the|within|which|that|as)\s+(?:the|a|our|this|that|more|further|additional|details?|its|information|Item|Part|\w+ing)\b",
            title,
        )[0]
    )


def _context(doc: Doc, ref: Reference) -> str:
    start = max(
        doc.text.rfind(". ", 0, ref.start), doc.text.rfind("\n\n", 0, ref.start), ref.start - 120
    )
    stops = [doc.text.find(stop, ref.end, ref.end + 220) for stop in (". ", ".\n", "\n\n")]
    end = min([s for s in stops if s >= 0], default=ref.end + 220)
    return doc.text[max(start, 0) : end]


def points_away(doc: Doc, ref: Reference) -> bool:
    after = doc.text[ref.end : ref.end + 160].split(". ")[0].split("\n\n")[0]
    if _here().match(after):
        return False
    if re.match(r"\s*(?:\([a-z0-9]+\))*\s*,?\s*(?:of|to|in|from|under)\b", after) and not re.match(
        r"\s*,?\s*(?:of|to|in)\s+(?:the|our|these|this)?\s*(?:accompanying\s+)?(?:notes|unaudited|condensed|consolidated|this|present|following|appendix|section|table)",
        after, re.I,
    ):  # fmt: skip
        return True
    return bool(_elsewhere().search(_this().sub(" ", _context(doc, ref))))


@cache
def _here() -> re.Pattern[str]:
    return re.compile(
        r"\s*,?\s*(?:of|in|to)\s+this\s+(?:form|quarterly|annual|report|document|filing)", re.I
    )


@cache
def _this() -> re.Pattern[str]:
    return re.compile(
        r"\bthis\s+(?:(?:quarterly|annual)\s+)?(?:report|form)(?:\s+on\s+form)?(?:\s+10-?[kq])?",
        re.I,
    )


def targets_by_number(doc: Doc) -> dict[str, dict[str, list[Target]]]:
    """Targets by family and number; bare numbered headings stand for notes where there are none."""
    by: dict[str, dict[str, list[Target]]] = defaultdict(lambda: defaultdict(list))
    for t in targets(doc):
        by[t.family][t.number].append(t)
    if not by.get("note") and by.get("section"):
        by["note"] = by["section"]
    return by


def missing_target(doc: Doc) -> list[Answer]:
    """A reference to a note, table, figure or section that the document does not have.

    The document must have two or more of the family, most references to it must resolve, and
    neither the sentence nor the words after it may name another document.
    """
    there = targets_by_number(doc)
    pending: dict[str, list[Reference]] = defaultdict(list)
    resolved: Counter[str] = Counter()
    for ref in references(doc):
        known = there.get(ref.family)
        if ref.family not in _CHECKED or ref.family == "step" or not known or len(known) < 2:
            continue
        if _is_known(ref.number, known):
            resolved[ref.family] += 1
        elif ref.family == "item" and not _here().match(doc.text, ref.end):
            continue
        elif not points_away(doc, ref) and (ref.family == "note" or not doc.in_table(ref.start)):
            pending[ref.family].append(ref)
    found = []
    for family, refs in pending.items():
        if len({r.number for r in refs}) > 2 or len(refs) > max(2, resolved[family]):
            continue
        numbers = sorted(there[family], key=_key)
        for ref in refs:
            on_row = doc.text[doc.text.rfind("\n", 0, ref.start) + 1 :][:1] == "|"
            if _mentioned_as_heading(doc, ref) or (on_row and family != "note"):
                continue
            told = (f"{family} {ref.number} is not there: the document has {family} "
                    f"{numbers[0]} to {numbers[-1]}")  # fmt: skip
            found.append(finding(doc, "missing_target", [(ref.start, ref.end)], told, 0.7))
    return found


def _key(number: str) -> tuple[int, ...]:
    return tuple(int(x) for x in re.findall(r"\d+", number)) or (ord(number[0]),)


def _is_known(number: str, known: dict[str, list[Target]]) -> bool:
    return number in known or number.rstrip("ABCDEFGHabcdefgh") in known or any(
        other.startswith((number + ".", number + "-")) for other in known
    )  # fmt: skip


def _mentioned_as_heading(doc: Doc, ref: Reference) -> bool:
    """Whether any line or cell begins with the number and family in another form."""
    number = re.escape(ref.number)
    name = rf"(?:{ref.family[:3]}\w*\.?[ \t]*){'?' if ref.family == 'section' else ''}"
    pattern = rf"(?:^|[|>*#{{(\]])[ \t*_#|]{{0,9}}{name}{number}(?:[.):]|[ \t]+[-–—]|[ \t]+[A-Z])"
    return any(
        not ref.start - 3 <= m.start() <= ref.end
        for m in re.finditer(pattern, doc.text, re.M | re.I)
    )


def other_title(doc: Doc) -> list[Answer]:
    """A reference that names a title which belongs to another number: Note 5, "Income Taxes"."""
    there = targets_by_number(doc)
    found = []
    for ref in references(doc):
        known = there.get(ref.family)
        if not known or not ref.title or len(ref.title) < 4 or _title_elsewhere(doc, ref):
            continue
        if ref.family == "item" and points_away(doc, ref):
            continue
        own = max((_alike(ref.title, t.title) for t in known.get(ref.number, ())), default=0.0)
        others = [
            (n, max(_alike(ref.title, t.title) for t in ts))
            for n, ts in known.items()
            if n != ref.number
        ]
        number, best = max(others, key=lambda x: x[1], default=("", 0.0))
        if best >= 92 and own < 70:
            told = f"{ref.family} {ref.number} is named by the title of {ref.family} {number}"
            spans = [
                (ref.start, min(ref.end + len(ref.title) + 6, len(doc.text))),
                *_place(known[number]),
            ]
            found.append(finding(doc, "other_title", spans, told, 0.85))
    return found


def _title_elsewhere(doc: Doc, ref: Reference) -> bool:
    at = ref.end + len(ref.title)
    after = doc.text[at : at + 160].split("\n\n")[0]
    after = re.split(r"(?<!Inc)(?<!Corp)(?<!Ltd)(?<!Co)\.\s+(?=[A-Z])", after)[0]
    after = re.split(r"\bthis\s+(?:form|quarterly|annual|report|document)", after, flags=re.I)[0]
    return bool(re.search(r"\b(?:annual report|10-?k|\d{4} form)\b", after, re.I))


def _alike(a: str, b: str) -> float:
    if not a or not b:
        return 0.0
    short, long = sorted((len(a), len(b)))
    if short >= max(6, 0.5 * long) and (a.startswith(b) or b.startswith(a)):
        return 95.0
    return float(fuzz.ratio(a, b))


def _place(group: list[Target]) -> list[Span]:
    body = [t for t in group if not t.contents] or group
    return [(body[0].start, body[0].end)]


KINDS = {
    "missing_target": Kind(missing_target, "structural"),
    "other_title": Kind(other_title, "structural"),
}
