"""Insert an inconsistency with a known answer into any document.

Each kind looks for a place where the document bears a statement out (a sum that holds, an
amount that stands twice, numbering without a gap), changes or removes it in one place, and
gives the reference: evidence spans, trigger last, and a description with the arithmetic.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import lru_cache

from ..paths import FindlibError
from ..records import SOURCES, Document
from . import edit, names, numbering, relied, tables, texts
from .edit import Place, changed
from .source import Source
from .source import source as read

_KINDS: dict[str, Callable[[Source], Iterator[Place]]] = {
    "leaf": tables.leaf,
    "total": tables.total,
    "table_number": tables.table_number,
    "percent_table": tables.percent_table,
    "percent_text": texts.percent_text,
    "amount_text": texts.amount_text,
    "direction": texts.direction,
    "date": names.date,
    "name": names.name,
    "reference": numbering.reference,
    "renumbered": numbering.renumbered,
    "list_item": relied.list_item,
    "table_row": tables.table_row,
    "sentence": relied.sentence,
    "scale": texts.scale,
}
KINDS = tuple(_KINDS)
_MOST_TRIES = 60

__all__ = ["KINDS", "changed", "inconsistency"]


@lru_cache(maxsize=32)
def _places(text: str, kind: str) -> tuple[Place, ...]:
    return tuple(_KINDS[kind](read(text)))


def inconsistency(
    text: str, kind: str, seed: int, source: str = "OWN", doc_id: str = ""
) -> Document:
    """The text with one inconsistency of a kind, and its reference.

    ``kind`` is one of `KINDS`, ``seed`` chooses the place (every tenth of the text that has one
    is equally likely) and the change; the same arguments give the same document.
    ``source`` is one of `records.SOURCES`; ``doc_id`` is by default kind and seed. In the
    document returned ``corrected`` is the text given, and `changed` tells what differs.

    Raises FindlibError for a kind or source that is unknown, and with the reason where the
    text has no place for the kind.

    >>> made = inconsistency("|a|120|\\n|b|230|\\n|c|41|\\n|Total|391|\\n", "total", seed=1)
    >>> made.description
    'Total: 891 is stated, but 120 + 230 + 41 = 391.'
    """
    if kind not in _KINDS:
        raise FindlibError(f"insert: no kind {kind!r}; there are {', '.join(KINDS)}")
    if source not in SOURCES:
        raise FindlibError(f"insert: no source {source!r}; there are {', '.join(SOURCES)}")
    rng = random.Random(f"{kind} {seed}")
    places = _places(text, kind)
    found = read(text)
    for place in edit.spread(rng, places, len(text))[:_MOST_TRIES]:
        change = place.make(rng)
        made = change and edit.document(found, change, source, doc_id or f"{kind}-{seed}")
        if made:
            return made
    raise FindlibError(f"insert: {_reason(kind, len(places))}")


_LACKS = {
    "leaf": "no table sum that holds",
    "total": "no table sum that holds",
    "table_number": "no table number that a sum, a percentage, another row or a sentence repeats",
    "percent_table": "no table percentage that follows from amounts beside it",
    "percent_text": "no percentage in a sentence that follows from amounts there or in a table",
    "amount_text": "no amount in a sentence that is stated again",
    "direction": "no direction word whose levels are stated",
    "date": "no date that is stated again beside the same words or has its weekday",
    "name": "no name that stands two to six times",
    "reference": "no reference to a numbered heading that is there",
    "renumbered": "no three numbered headings in sequence",
    "list_item": "no list that is numbered or counted",
    "table_row": "no table sum of three rows or more that holds",
    "sentence": "no sentence or heading that later text relies on",
    "scale": "no amount with its unit that is stated again",
}


def _reason(kind: str, n: int) -> str:
    if not n:
        return f"{kind}: the document has {_LACKS[kind]}; take another kind or document"
    return (
        f"{kind}: none of {n} places in the document shows the conflict by evidence that stands "
        "only once; take another kind or document"
    )
