"""Names that differ by a letter, identifiers that fit no series, names of two years."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache

from rapidfuzz.distance import OSA

from ..records import Answer
from .doc import Doc, Kind, finding
from .headings import targets
from .prose import MONTHS, Span
from .references import references


@cache
def _name() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.-])[A-Z][^\W\d_]{2,}(?:(?:[ \n]|-)[A-Z][^\W\d_]{2,}){1,5}(?![\w-])")


def name_slip(doc: Doc) -> list[Answer]:
    """A name of two words or more, one of them a letter off its form elsewhere.

    "Treadwey Commission" once, "Treadway Commission" elsewhere. The odd word occurs in no other
    name; plurals, endings and spellings such as s for z do not count.
    """
    words = Counter(w.lower() for w in re.findall(r"[^\W\d_]{4,}", doc.text))
    places: dict[tuple[str, ...], list[Span]] = defaultdict(list)
    for match in _name().finditer(doc.text):
        parts = tuple(re.split(r"[ \n-]", match.group()))
        for width in range(2, min(len(parts), 4) + 1):
            for i in range(len(parts) - width + 1):
                places[parts[i : i + width]].append(match.span())
    holes: dict[tuple, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for parts in places:
        for i, word in enumerate(parts):
            if len(word) >= 5:
                holes[(*parts[:i], "", *parts[i + 1 :])].append((word, parts))
    found: dict[str, Answer] = {}
    for group in holes.values():
        for (odd, odd_parts), (word, parts) in _slips(group, words):
            if odd.lower() in found or words[odd.lower()] > 1 or len(places[odd_parts]) > 1:
                continue
            told = f"{' '.join(odd_parts)} once, {' '.join(parts)} elsewhere"
            spans = [places[odd_parts][0], places[parts][0]]
            score = 0.75 if words[word.lower()] > 2 else 0.6
            found[odd.lower()] = finding(doc, "name_slip", spans, told, score)
    return list(found.values())


def _slips(group: list[tuple[str, tuple[str, ...]]], words: Counter[str]) -> Iterator[tuple]:
    if len(group) > 200:
        return
    for a in group:
        for b in group:
            x, y = a[0].lower(), b[0].lower()
            if (
                x != y
                and words[x] <= words[y]
                and (words[x] < words[y] or x < y)
                and abs(len(x) - len(y)) <= 1
                and OSA.distance(x, y) == 1
            ) and not _is_form(x, y):
                yield a, b


def _is_form(x: str, y: str) -> bool:
    """Two forms of one word: plural, tense, spelling, accent."""
    short, long = sorted((x, y), key=len)
    if long in (short + "s", short + "d", short + "n", short + "r", short + "e", short + "y"):
        return True
    at = next((i for i, (a, b) in enumerate(zip(x, y, strict=False)) if a != b), len(short))
    if len(x) == len(y):
        if {x[at], y[at]} <= {"s", "z"} or not (x[at] + y[at]).isascii():
            return True
        return at >= len(x) - 1 or (
            at >= len(x) - 2 and x[-1] == y[-1] and x[-1] in "srd" and len(x) < 7
        )
    return long[at] in "u'’" and long[at - 1 : at] == "o"


# ------------------------------------------------------------------ identifiers


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w.-])(?P<stem>[A-Z][A-Za-z]{1,9}|[a-z]{2,12}_?)(?P<num>\d{1,3})(?![\w%]|\.\d|-\d)"
    )


def odd_member(doc: Doc) -> list[Answer]:
    """An identifier that occurs once, in a list whose other members all occur often.

    "Sv39, Sv38, and Sv57": a family of identifiers (letters and a number), in a list of three
    or more of them, where another list has the same others and one that occurs often.
    """
    counts: Counter[str] = Counter()
    members: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in _code().finditer(doc.text):
        counts[match.group()] += 1
        members[match["stem"]].append(match)
    found = []
    for family in members.values():
        if len(family) < 8:
            continue
        lists = list(_lists(doc, family))
        for items in lists:
            odd = [m for m in items if counts[m.group()] == 1]
            usual = [m for m in items if counts[m.group()] >= 4]
            if len(odd) != 1 or len(usual) < 2 or len(usual) + 1 != len(items):
                continue
            names = {m.group() for m in usual}
            known = Counter(n.group() for other in lists if other is not items
                            for n in other if names & {o.group() for o in other})  # fmt: skip
            others = [n for n in known if n not in names and counts[n] >= 4]
            missing = min(
                others, key=lambda n: (OSA.distance(n, odd[0].group()), -counts[n]), default=""
            )
            if missing and len(missing) == len(odd[0].group()):
                told = f"{odd[0].group()} occurs only here; {missing} occurs {counts[missing]} times beside the others"
                elsewhere = next(m for m in family if m.group() == missing)
                spans = [(items[0].start(), items[-1].end()), elsewhere.span()]
                found.append(finding(doc, "odd_member", spans, told, 0.7))
    return found


def _lists(doc: Doc, family: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    run: list[re.Match[str]] = []
    for match in family:
        joined = run and re.fullmatch(r"[*_`\s]*(?:,|/|;|\band\b|\bor\b|&)+\s*(?:and|or)?\s*[*_`]*",
                                      doc.text[run[-1].end() : match.start()][:20])  # fmt: skip
        if not joined:
            if len(run) >= 2:
                yield run
            run = []
        run.append(match)
    if len(run) >= 2:
        yield run


# ------------------------------------------------------------------ names with a year


@cache
def _with_year() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w.-])(?P<name>[A-Z][\w&.-]*(?:[ \n](?:[A-Z0-9][\w&.-]*|of|for|the|and)){1,4})[ \n](?P<year>(?:19|20)\d\d)\b(?!\s*[-–/]\s*\d)"
    )


def name_year(doc: Doc) -> list[Answer]:
    """A named edition of one year, and of another within the next sentences.

    "the Top 10 2017 ... As the Top 10 2018": a name of two words or more ending in the same two
    words, each year once in the document with that name, no comparison of editions beside it.
    """
    by: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in _with_year().finditer(doc.text):
        parts = match["name"].split()
        if parts[-1].lower() in MONTHS or _is_period(parts):
            continue
        by[" ".join(parts[-2:]).lower()].append(match)
    found = []
    for name, group in by.items():
        years = Counter(m["year"] for m in group)
        if len(years) != 2 or len(group) > 6:
            continue
        for a, b in itertools.pairwise(group):
            between = doc.text[a.start() : b.end()]
            if (
                a["year"] != b["year"]
                and len(between) < 400
                and not _compares(between)
                and "|" not in between
            ):
                told = f"{name} {a['year']} and, just after, {name} {b['year']}"
                found.append(finding(doc, "name_year", [a.span(), b.span()], told, 0.45))
                break
    return found


def _is_period(parts: list[str]) -> bool:
    return bool({p.lower().strip(".") for p in parts[-2:]} & {
        *MONTHS, "fiscal", "year", "quarter", "fy", "q1", "q2", "q3", "q4", "since", "in", "of", "for",
        "and", "the", "due", "notes", "during", "by", "spring", "fall", "summer", "winter", "ended",
    })  # fmt: skip


def _compares(text: str) -> bool:
    return bool(re.search(r"\b(?:versus|vs|compared|replac|supersed|updat|revis|previous|earlier|later|newer|from|between|"
                          r"prior|former|edition|both|then|until|through|and its)\w*", text, re.I))  # fmt: skip


# ------------------------------------------------------------------ abbreviations


@cache
def _definition() -> re.Pattern[str]:
    return re.compile(r"[ \n]\([\"“]?(?:the[ ][\"“])?(?P<short>[A-Z][A-Za-z]?[A-Z]{1,5})s?[\"”]?\)")


def _expansions(doc: Doc) -> dict[str, list[tuple[tuple[str, ...], Span]]]:
    """The expansions of each abbreviation defined in brackets, whose initials it is."""
    found: dict[str, list[tuple[tuple[str, ...], Span]]] = defaultdict(list)
    for match in _definition().finditer(doc.text):
        short = match["short"].upper()
        before = doc.text[max(0, match.start() - 120) : match.start()]
        parts = list(re.finditer(r"[^\W\d_][\w'’]*", before))[-len(short) :]
        gaps = (before[a.end() : b.start()] for a, b in itertools.pairwise(parts))
        initials = [p.group()[0].upper() for p in parts]
        if initials == list(short) and all(len(g) < 3 for g in gaps):
            start = match.start() - len(before) + parts[0].start()
            found[short].append(
                (tuple(_stem(p.group().lower()) for p in parts), (start, match.end()))
            )
    return found


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def two_expansions(doc: Doc) -> list[Answer]:
    """An abbreviation defined twice, by other words of the same initials."""
    found = []
    for short, group in _expansions(doc).items():
        first = group[0]
        other = next((g for g in group[1:] if _differs(g[0], first[0])), None)
        if other and len({g[0] for g in group}) == 2:
            told = f"{short} is {' '.join(first[0])} in one place, {' '.join(other[0])} in another"
            found.append(finding(doc, "two_expansions", [first[1], other[1]], told, 0.45))
    return found


def _differs(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether one word or more differs by more than its ending."""
    return any(x[:4] != y[:4] for x, y in zip(a, b, strict=True))


def caption_term(doc: Doc) -> list[Answer]:
    """A sentence that names a table by another term than its caption.

    The caption has an abbreviation that the document expands; the sentence that refers to the
    table has all words of the expansion but one, in place, and neither the abbreviation nor the
    expansion itself.
    """
    expansions = _expansions(doc)
    captions = {(t.family, t.number): t for t in targets(doc) if t.family in ("table", "figure")}
    found = []
    for ref in references(doc) if expansions and captions else ():
        caption = captions.get((ref.family, ref.number))
        if not caption:
            continue
        start = max(doc.text.rfind("\n", 0, ref.start) + 1, doc.text.rfind(". ", 0, ref.start) + 1)
        end = min(
            (e for s in ("\n", ". ") if (e := doc.text.find(s, ref.end)) >= 0),
            default=len(doc.text),
        )
        said = [_stem(w) for w in re.findall(r"[a-z]+", doc.text[start:end].lower())]
        for short in re.findall(r"\b[A-Z]{2,6}\b", doc.text[caption.start : caption.end]):
            for words, _ in expansions.get(short, ())[:1]:
                other = _off_by_one(words, said)
                if other and short.lower() not in said:
                    told = f"the sentence says {' '.join(other)}, the caption {short}: {' '.join(words)}"
                    spans = [(start, end), (caption.start, caption.end)]
                    found.append(finding(doc, "caption_term", spans, told, 0.6))
    return found


def _off_by_one(words: tuple[str, ...], said: list[str]) -> list[str]:
    n = len(words)
    runs = [said[i : i + n] for i in range(len(said) - n + 1)]
    if n < 3 or list(words) in runs:
        return []
    common = frozenset(
        ["the", "a", "an", "of", "for", "and", "each", "all", "these", "to", "in", "is", "are"]
    )
    for run in runs:
        off = [i for i in range(n) if run[i] != words[i]]
        if len(off) == 1 and off[0] < n - 1 and run[off[0]] not in common and len(run[off[0]]) > 3:
            return run
    return []


KINDS = {
    "name_slip": Kind(name_slip, "non-numeric"),
    "odd_member": Kind(odd_member, "non-numeric"),
    "two_expansions": Kind(two_expansions, "non-numeric"),
    "caption_term": Kind(caption_term, "non-numeric"),
    "name_year": Kind(name_year, "non-numeric"),
}
