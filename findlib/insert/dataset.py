"""A data set in the FIND format from anyone's documents: insertions and unchanged controls."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..data import MAX_BYTES, load_find, read_text
from ..paths import FindlibError, write_text
from ..paths import source as input_path
from ..records import Document
from . import KINDS, inconsistency

SUFFIXES = (".md", ".markdown", ".txt", ".tex", ".adoc", ".rst", ".html", ".htm")


@dataclass(frozen=True)
class Dataset:
    """What was made: documents with one insertion each, unchanged controls, and refusals.

    ``kinds`` counts the documents of each kind; ``refused`` counts the documents that had no
    place, by kind and reason.
    """

    documents: tuple[Document, ...]
    controls: tuple[Document, ...]
    kinds: Mapping[str, int]
    refused: Mapping[tuple[str, str], int]


def texts(folder: str | Path) -> dict[str, str]:
    """The documents of a folder (all its text files) or one file, by name, sorted.

    Raises FindlibError where there is none, and for a file that is not UTF-8.
    """
    where = input_path(folder)
    files = [where] if where.is_file() else sorted(where.rglob("*"))
    found = {f: read_text(f) for f in files if f.suffix.lower() in SUFFIXES and f.is_file()}
    base = where.parent if where.is_file() else where
    named = {f.relative_to(base).as_posix(): t for f, t in found.items() if t.strip()}
    if not named:
        raise FindlibError(f"{folder}: holds no text file ({', '.join(SUFFIXES)})")
    return named


def dataset(
    documents: Mapping[str, str] | str | Path,
    n: int,
    seed: int,
    kinds: Iterable[str] = KINDS,
    controls: float = 0.0,
) -> Dataset:
    """``n`` documents, of which a share are unchanged controls and each other has one insertion.

    ``documents``: texts by name, or a folder. The kinds share the insertions equally as far as
    the documents have places; every document is used about equally often, each control once.
    The same arguments give the same data set.

    Raises FindlibError for a kind that is not there, an ``n`` below 1, a share outside 0 to 1,
    and where no document has a place for any of the kinds.
    """
    wanted = list(dict.fromkeys(kinds))
    if unknown := sorted(set(wanted) - set(KINDS)):
        raise FindlibError(f"insert: no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    if n < 1 or not 0 <= controls < 1 or not wanted:
        raise FindlibError(
            f"insert: n={n}, controls={controls}, {len(wanted)} kind(s): n must be 1 or more, the "
            "share of controls from 0 to below 1, and there must be a kind"
        )
    named = documents if isinstance(documents, Mapping) else texts(documents)
    rng = random.Random(f"dataset {seed}")
    order = sorted(named)
    rng.shuffle(order)
    unchanged = min(round(n * controls), len(order))
    made, refused = _insertions(named, order, n - unchanged, seed, wanted)
    kept = tuple(Document(f"{name}-control", named[name]) for name in sorted(order[:unchanged]))
    counts = Counter(kind for kind, _ in made)
    found = tuple(sorted((d for _, d in made), key=lambda d: d.doc_id))
    return Dataset(found, kept, {k: counts[k] for k in wanted}, refused)


def _insertions(
    named: Mapping[str, str], order: Sequence[str], n: int, seed: int, kinds: Sequence[str]
) -> tuple[list[tuple[str, Document]], dict[tuple[str, str], int]]:
    """Rounds over the documents: each gives its share, of the kinds that lack most first."""
    made: list[tuple[str, Document]] = []
    refusals: dict[tuple[str, str], str] = {}
    need = {kind: n / len(kinds) for kind in kinds}
    seen: set[str] = set()
    for number in range(n):
        before = len(made)
        for i, name in enumerate(order):
            share = -(-(n - len(made)) // (len(order) - i))
            for kind in sorted(need, key=lambda k: (-need[k], kinds.index(k))):
                if share and len(made) < n and (name, kind) not in refusals:
                    document = _one(named, name, kind, seed + number, refusals)
                    if document and document.sha256 not in seen:
                        seen.add(document.sha256)
                        doc_id = f"{name}-{kind}-{len(made) + 1:04d}"
                        made.append((kind, replace(document, doc_id=doc_id)))
                        need[kind] -= 1
                        share -= 1
        if len(made) in (before, n):
            break
    if not made and n:
        raise FindlibError(f"insert: no document has a place: {next(iter(refusals.values()), '')}")
    reasons = Counter((kind, reason) for (_, kind), reason in sorted(refusals.items()))
    return made, dict(reasons)


def _one(
    named: Mapping[str, str], name: str, kind: str, seed: int, refusals: dict[tuple[str, str], str]
) -> Document | None:
    try:
        return inconsistency(named[name], kind, seed)
    except FindlibError as error:
        refusals[name, kind] = str(error).removeprefix(f"insert: {kind}: ")
        return None


def kind_of(document: Document) -> str:
    """The kind of an insertion that `dataset` made, by its id."""
    return document.doc_id.rsplit("-", 2)[1]


def write(found: Dataset, out: str | Path) -> list[Path]:
    """Write the insertions to ``out`` (JSONL, the FIND format), controls to ``*.controls.jsonl``.

    Controls lie apart because the FIND format asks for evidence. Where the file would be larger
    than the loader reads, ``corrected`` is left out. The file is loaded once to be sure of it.
    Raises FindlibError where even that is too large.
    """
    path = Path(out)
    if path.suffix != ".jsonl":
        raise FindlibError(f"{out}: name a .jsonl file for the data set")
    content = _lines(found.documents)
    if len(content.encode()) > MAX_BYTES:
        content = _lines(replace(d, corrected="") for d in found.documents)
    if (size := len(content.encode())) > MAX_BYTES:
        fits = len(found.documents) * MAX_BYTES // size
        raise FindlibError(
            f"{out}: would be {size:,} bytes, of which {MAX_BYTES:,} can be read; take N={fits} "
            "or shorter documents"
        )
    written = [write_text(path, content)]
    load_find(path.resolve())
    if found.controls:
        written.append(write_text(path.with_suffix(".controls.jsonl"), _lines(found.controls)))
    return written


def _lines(documents: Iterable[Document]) -> str:
    rows = ({**asdict(d), "evidence": list(d.evidence)} for d in documents)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def report(found: Dataset) -> str:
    """What was made and refused, as lines of text."""
    lines = [f"{len(found.documents)} with an insertion, {len(found.controls)} unchanged"]
    lines += [f"  {kind}: {count}" for kind, count in found.kinds.items()]
    if found.refused:
        lines.append("refused (documents)")
        lines += [f"  {n:4d}  {kind}: {why}" for (kind, why), n in sorted(found.refused.items())]
    return "\n".join(lines)
