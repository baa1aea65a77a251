"""Deterministic checks of documents: arithmetic decides, no model and no key.

`find` reads a document and returns what does not agree, best first, as the `Answer` type of a
model. `KINDS` names each check with its type of error, its precision measured on unchanged
business documents, and whether it is on by default.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..paths import FindlibError
from ..records import Answer
from . import doc, footing, pairs, ratios, rows, text_kinds
from .doc import Kind

KINDS: dict[str, Kind] = {
    **footing.KINDS,
    **ratios.KINDS,
    **pairs.KINDS,
    **rows.KINDS,
    **text_kinds.KINDS_TEXT,
}
_SAME = 0.5  # share of the shorter evidence that makes two findings one


def find(text: str, kinds: Iterable[str] | None = None) -> list[Answer]:
    """The inconsistencies of a document, best first; each with verbatim spans and places.

    ``kinds`` names the checks to run, keys of `KINDS`; by default those that are on. The order
    is by score, then by place. Raises `FindlibError` for a kind that is not there.

    >>> table = "|A|309|72|512|\\n|B|148|61|274|\\n|All|455|133|786|"
    >>> [answer.description for answer in find(table)]
    ['309 + 148 = 457, but 455 is stated (A, B; All)']
    """
    named = list(KINDS) if kinds is None else list(dict.fromkeys(kinds))
    if unknown := sorted(set(named) - set(KINDS)):
        raise FindlibError(f"checks: no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    read = doc.read(text)
    found: list[Answer] = []
    for name in named:
        if kinds is not None or KINDS[name].default_on:
            found += KINDS[name].check(read)
    return merge(found)


def merge(found: Iterable[Answer]) -> list[Answer]:
    """Findings by falling score, each once: of those that share half their places, the best."""
    ranked = sorted(found, key=lambda a: (-(a.score or 0.0), a.places, a.kind, a.description))
    kept: list[Answer] = []
    owners: dict[tuple[int, int], list[int]] = {}
    for answer in ranked:
        shared: dict[int, int] = {}
        for place in set(answer.places):
            for i in owners.get(place, ()):
                shared[i] = shared.get(i, 0) + 1
        if any(
            n >= _SAME * min(len(set(answer.places)), len(set(kept[i].places)))
            for i, n in shared.items()
        ):
            continue
        for place in set(answer.places):
            owners.setdefault(place, []).append(len(kept))
        kept.append(answer)
    return kept
