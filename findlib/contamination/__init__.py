"""Were documents possibly seen in pre-training? FIND's procedure, Appendix G.

From each document a few long lines are sampled; each is searched in each corpus, through
Infini-gram or a corpus portrait. A document with a line that occurs is "potentially seen".
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from ..client import CannotContinue
from ..paths import FindlibError
from ..records import Document
from ..tables import Table
from .corpora import Corpus
from .lookup import Count, failed

SEEN, NOT_SEEN, UNKNOWN = "potentially seen", "not seen", "unknown"
MISS = 0.05  # a document is "not seen" if a copy of all its lines is missed no more often
REPORT = ("doc_id", "source", "n_lines_found", "line", "offset", "length", "corpus", "index",
          "backend", "count", "approx", "tokenizer", "asked", "overlap", "miss", "status",
          "error")  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line of a document without white space around it: its number from 1, the character
    at which it begins, its text."""

    number: int
    offset: int
    text: str


def long_lines(text: str, longer_than: int = 50) -> list[Line]:
    """The different lines of more than so many characters that hold a letter or digit.

    >>> [line.number for line in long_lines("short\\n" + "a long line " * 9 + "\\n" + "-" * 80)]
    [2]
    """
    found: dict[str, Line] = {}
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        bare = line.strip()
        if len(bare) > longer_than and re.search(r"[^\W_]", bare):
            found.setdefault(bare, Line(number, offset + line.index(bare), bare))
        offset += len(line)
    return list(found.values())


def lines(text: str, seed: int, n: int = 5, longer_than: int = 50) -> list[Line]:
    """``n`` of a document's long lines, drawn with a seed, in reading order; all if fewer."""
    found = long_lines(text, longer_than)
    drawn = random.Random(seed).sample(range(len(found)), min(n, len(found)))
    return [found[i] for i in sorted(drawn)]


def check(
    documents: Sequence[Document],
    corpora: Sequence[Corpus],
    seed: int,
    n: int = 5,
    longer_than: int = 50,
    progress: bool = False,
) -> pd.DataFrame:
    """Search ``n`` lines of each document in each corpus: a row a document, line and corpus.

    Columns REPORT: where the line stands (``text[offset:offset + length]``), how many lines
    the document has to draw from, and what `lookup.Count` holds. ``status`` is "ok",
    "failed" (``count`` is NaN, ``error`` says why) or "no line". Raises FindlibError when a
    corpus cannot be searched at all; answers so far are kept.
    """
    if n < 1 or longer_than < 0:
        raise FindlibError(f"{n} lines of more than {longer_than} characters: nothing to search")
    drawn: list[tuple[Document, Line | None]] = []
    for document in documents:
        sampled = lines(document.text, seed, n, longer_than)
        drawn += [(document, line) for line in sampled]
        if not sampled:
            drawn.append((document, None))
    found = {d.doc_id: len(long_lines(d.text, longer_than)) for d in documents}
    rows = []
    for first in corpora:
        corpus, counts = _search(first, [line for _, line in drawn], longer_than, progress)
        for (document, line), count in zip(drawn, counts, strict=True):
            rows.append(_row(document, found[document.doc_id], line, corpus, count))
    return pd.DataFrame(rows, columns=list(REPORT))


def _search(
    corpus: Corpus, asked: Sequence[Line | None], longer_than: int, progress: bool
) -> tuple[Corpus, list[Count]]:
    """What a corpus says of each line; its substitute's word where it cannot be searched."""
    from tqdm import tqdm

    nothing = failed("", "", f"no line of more than {longer_than} characters")
    bar = tqdm(asked, desc=corpus.name, disable=not progress)
    try:
        return corpus, [corpus.count(line.text) if line else nothing for line in bar]
    except CannotContinue:
        if corpus.substitute is None:
            raise
        return _search(corpus.substitute, asked, longer_than, progress)


def _row(
    document: Document, found: int, line: Line | None, corpus: Corpus, count: Count
) -> tuple[object, ...]:
    place = (line.number, line.offset, len(line.text)) if line else (None, None, None)
    status = "no line" if line is None else "failed" if count.error else "ok"
    return (
        document.doc_id, document.source, found, *place, corpus.name, corpus.index,
        corpus.backend, count.count, count.approx, count.tokenizer, count.asked, count.overlap,
        count.miss, status, count.error,
    )  # fmt: skip


def by_corpus(report: pd.DataFrame) -> pd.DataFrame:
    """A row a document and corpus: lines checked, answered and found, and the verdict.

    "potentially seen" when a line occurs; else "unknown" where a line has no answer, an
    estimate says 0, there is no line, or copies of all lines together could be missed with
    a chance (``miss``) above MISS; else "not seen".
    """
    estimate = report.approx.eq(True) & report["count"].eq(0)
    marked = report.assign(
        checked=report.line.notna(),
        answered=report["count"].notna() & ~estimate,
        hit=report["count"] > 0,
    )
    keys = ["doc_id", "source", "n_lines_found", "corpus", "index", "backend"]
    table = marked.groupby(keys, sort=False, as_index=False).agg(
        checked=("checked", "sum"), answered=("answered", "sum"), found=("hit", "sum"),
        occurrences=("count", lambda counts: counts.sum(skipna=False)), miss=("miss", "prod"),
    )  # fmt: skip
    sure = table.checked.gt(0) & table.answered.eq(table.checked) & table.miss.le(MISS)
    verdict = sure.map({True: NOT_SEEN, False: UNKNOWN}).mask(table.found.gt(0), SEEN)
    return table.assign(verdict=verdict)


def verdicts(report: pd.DataFrame) -> pd.DataFrame:
    """A row a document: seen when any corpus has a line, unknown when any leaves it open."""
    worst = {SEEN: 0, UNKNOWN: 1, NOT_SEEN: 2}
    parts = by_corpus(report)
    where = parts.corpus.where(parts.found.gt(0))
    table = parts.assign(where=where, order=parts.verdict.map(worst)).groupby(
        ["doc_id", "source", "n_lines_found"], sort=False, as_index=False
    ).agg(checked=("checked", "max"), corpora=("corpus", "size"), order=("order", "min"),
          seen_in=("where", lambda names: ", ".join(dict.fromkeys(names.dropna()))))  # fmt: skip
    return table.assign(verdict=table.order.map({v: k for k, v in worst.items()})).drop(
        columns="order"
    )


def altered(text: str) -> str:
    """A text with one character changed in the middle of each line.

    >>> altered("abc\\n\\nxxxx")
    'axc\\n\\nxxyx'
    """
    changed = []
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        at = len(body) // 2
        other = "y" if body[at : at + 1] == "x" else "x"
        changed.append(line if not body else line[:at] + other + line[at + 1 :])
    return "".join(changed)


def known_cases(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """Documents whose verdicts are known once the texts of "in it" are indexed: every other
    document, the same with each line altered (not to be found), and the rest (nor those)."""
    inside, outside = list(documents[::2]), list(documents[1::2])
    changed = [replace(d, doc_id=f"{d.doc_id} altered", text=altered(d.text)) for d in inside]
    return {"in it": inside, "altered": changed, "not in it": outside}


EXPECTED = {"in it": SEEN, "altered": NOT_SEEN, "not in it": NOT_SEEN}


def check_cases(
    cases: dict[str, list[Document]], corpora: Sequence[Corpus], seed: int
) -> pd.DataFrame:
    """The verdict on each of the known cases by each search, beside the expected one."""
    found = [
        by_corpus(check(documents, corpora, seed)).assign(case=case, expected=EXPECTED[case])
        for case, documents in cases.items()
    ]
    columns = ["case", "doc_id", "index", "checked", "found", "verdict", "expected"]
    return pd.concat(found, ignore_index=True)[columns]


def table(report: pd.DataFrame, signature: str) -> Table:
    """Lines found of lines answered, by document and corpus, and the verdict."""
    parts, whole = by_corpus(report), verdicts(report)
    columns = list(dict.fromkeys(zip(parts.corpus, parts.backend, strict=True)))
    rows = {key: part.set_index("doc_id") for key, part in parts.groupby(["corpus", "backend"])}
    shown = pd.DataFrame({
        "document": whole.doc_id, "source": whole.source, "long lines": whole.n_lines_found,
        "drawn": whole.checked,
        **{f"{name}, {how}": [f"{rows[name, how].found[d]}/{rows[name, how].answered[d]}"
                              for d in whole.doc_id] for name, how in columns},
        "verdict": whole.verdict,
    })  # fmt: skip
    return Table(
        "table_contamination", "Documents possibly seen in pre-training.", shown, parts,
        signature, tuple(_notes(report, whole)),
    )  # fmt: skip


def _notes(report: pd.DataFrame, whole: pd.DataFrame) -> list[str]:
    tally = whole.verdict.value_counts()
    said = ", ".join(f"{tally.get(v, 0)} {v}" for v in (SEEN, NOT_SEEN, UNKNOWN))
    notes = [f"Cells: lines that occur / lines with an answer. Of {len(whole)} documents {said}."]
    asked = report[report.line.notna()]
    for (name, index), part in asked.groupby(["corpus", "index"], sort=False):
        estimates, cut = int(part.approx.eq(True).sum()), int((part.asked < part.length).sum())
        notes.append(
            f"{name} ({index}): {len(part)} lines, {int(part['count'].isna().sum())} without an "
            f"answer, {estimates} estimated, {cut} searched in part."
        )
    return notes
