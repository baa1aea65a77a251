"""Measure a reader of documents: insertions found, findings on unchanged documents, real cases.

Rule of a hit: a finding that the unchanged document does not give and that overlaps the changed
characters or a reference span. Its rank counts all findings of the changed document, false
alarms included. Business documents are split by company (`data/checks/split.csv`): checks are
tuned on one part and reported on the other.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from . import checks_judged, checks_tables
from .checks_judged import Find, Span, extent, places
from .data import load_find, read_text
from .documents import evidence_places, tokenizer
from .insert import KINDS, changed
from .insert.dataset import dataset, kind_of
from .insert.source import source
from .paths import FindlibError, figures_folder, write_text
from .paths import source as input_path
from .records import Answer, Document
from .tables import markdown, write

PARTS = ("tune", "held-out")


def texts(part: str, folder: str | Path, split: str | Path = "data/checks/split.csv") -> dict:
    """The documents of a part of the split by file name, from ``folder``; of equal ones the first.

    Raises FindlibError for an unknown part, and for a file of the split that is not there.
    """
    table = pd.read_csv(input_path(split))
    if part not in PARTS:
        raise FindlibError(f"checks_eval: no part {part!r}; use one of {', '.join(PARTS)}")
    where = input_path(folder)
    files = [where / name for name in table.file[table.part == part]]
    if missing := [file.name for file in files if not file.is_file()]:
        raise FindlibError(f"{folder}: lacks {missing[0]} of {split}; name the documents' folder")
    found = {file.name: read_text(file) for file in files}
    first = {text: name for name, text in reversed(found.items())}
    return {name: text for name, text in found.items() if first[text] == name}


def inserted(
    documents: Mapping[str, str], n: int, seed: int, kinds: Sequence[str] = KINDS
) -> list[Document]:
    """At most ``n`` documents of each kind, each with one insertion, spread over the documents."""
    made = dataset(documents, n * len(kinds), seed, kinds).documents
    order = sorted(made, key=lambda d: d.doc_id)
    random.Random(f"inserted {seed}").shuffle(order)
    kept: list[Document] = []
    for kind in kinds:
        kept += [d for d in order if kind_of(d) == kind][:n]
    return kept


def rank(
    findings: Sequence[Answer], text: str, targets: Sequence[Span], before: Sequence[Answer] = ()
) -> float:
    """Rank of the first finding that overlaps a target, from 1; NaN for none.

    ``before``: what the reader finds in the unchanged document; none of these is a hit.
    """
    old = {(a.kind, tuple(a.evidence)) for a in before}
    for i, answer in enumerate(findings, start=1):
        if (answer.kind, tuple(answer.evidence)) not in old and any(
            start < high and low < end
            for start, end in places(answer, text)
            for low, high in targets
        ):
            return float(i)
    return float("nan")


def measure(made: Sequence[Document], find: Find) -> pd.DataFrame:
    """A row an insertion: doc_id, kind, layout, rank (NaN: missed), by (the kind of the check).

    ``layout`` is the form of the table that was changed ("pipe", "html", "latex", "text" for
    lines without marked columns), "" outside tables.
    """
    before: dict[str, list[Answer]] = {}
    rows = []
    for document in sorted(made, key=lambda d: (d.corrected, d.doc_id)):
        if document.corrected not in before:
            before = {document.corrected: find(document.corrected)}
        findings = find(document.text)
        targets = [changed(document), *evidence_places(document)]
        at = rank(findings, document.text, targets, before[document.corrected])
        by = findings[int(at) - 1].kind if at == at else ""
        rows.append((document.doc_id, kind_of(document), _layout(document), at, by))
    table = pd.DataFrame(rows, columns=["doc_id", "kind", "layout", "rank", "by"])
    return table.sort_values(["kind", "doc_id"], ignore_index=True)


def _layout(document: Document) -> str:
    at = changed(document)[0]
    tables = source(document.corrected).doc.tables
    return next((t.kind for t in tables if t.start <= at < t.end), "")


def unchanged(documents: Mapping[str, str], find: Find) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Findings on unchanged documents: (a row a finding, a row a document).

    Findings: doc_id, rank, kind, start, end (first and last character of its evidence), score.
    Documents: doc_id, findings, tokens (o200k_base), seconds.
    """
    rows, totals = [], []
    for doc_id, text in sorted(documents.items()):
        begun = time.perf_counter()
        findings = find(text)
        seconds = time.perf_counter() - begun
        totals.append((doc_id, len(findings), tokenizer().count(text), seconds))
        for i, answer in enumerate(findings, start=1):
            rows.append((doc_id, i, answer.kind, *extent(answer, text), answer.score))
    return (
        pd.DataFrame(rows, columns=["doc_id", "rank", "kind", "start", "end", "score"]),
        pd.DataFrame(totals, columns=["doc_id", "findings", "tokens", "seconds"]),
    )


def wild(folder: str | Path, find: Find) -> pd.DataFrame:
    """Documents whose authors fixed an inconsistency: rank of the first finding that touches it.

    Columns: doc_id, error_type, rank (NaN: none), findings, by (the kind of the check) and its
    description, by which a person tells whether the finding is the case.
    """
    rows = []
    for document in load_find(folder):
        findings = find(document.text)
        at = rank(findings, document.text, evidence_places(document))
        hit = findings[int(at) - 1] if at == at else Answer([], "")
        rows.append((document.doc_id, document.error_type, at, len(findings), hit.kind,
                     hit.description))  # fmt: skip
    columns = ["doc_id", "error_type", "rank", "findings", "by", "description"]
    return pd.DataFrame(rows, columns=columns)


def main(words: list[str] | None = None) -> int:
    """Measure the checks on a part of the business documents; prints and writes the tables."""
    parser = argparse.ArgumentParser(prog="python -m findlib.checks_eval", description=__doc__)
    parser.add_argument("--part", choices=PARTS, default="held-out")
    parser.add_argument("--documents", default=_default(), help="folder of the split's files")
    parser.add_argument("--wild", default="", help="a folder with items.json: real cases")
    parser.add_argument("--n", type=int, default=20, help="insertions a kind; 0: none")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), help="of insertions")
    parser.add_argument("--checks", nargs="+", default=None, help="by default those that are on")
    parser.add_argument("--sheet", type=int, default=0, help="findings to draw for judgment")
    parser.add_argument("--judgments", default="", help="a filled sheet: precision by kind")
    parser.add_argument("--out", default="checks", help="folder below the output folder")
    asked = parser.parse_args(words)
    try:
        for path in report(asked):
            print(path)
    except FindlibError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _default() -> str:
    """The business documents where the shared data are, else the project's place for them."""
    shared = os.environ.get("FINDLIB_SHARED")
    return f"{shared}/data/documents/business" if shared else "data/raw/business"


def report(asked: argparse.Namespace) -> list[Path]:
    """Run what the command asks for, print its tables, and return the files written."""
    from . import checks

    def find(text: str) -> list[Answer]:
        return checks.find(text, asked.checks)

    out, about = figures_folder(asked.out), f"{asked.part} part, seed {asked.seed}"
    documents = texts(asked.part, asked.documents)
    made = inserted(documents, asked.n, asked.seed, asked.kinds) if asked.n else []
    found, totals = unchanged(documents, find)
    tables = [checks_tables.unchanged_table(found, totals, about)]
    paths = [_csv(found, out / "findings.csv")]
    if made:
        measured = measure(made, find)
        tables.append(checks_tables.recall_table(measured, about))
        paths.append(_csv(measured, out / "inserted.csv"))
    if asked.wild:
        cases = wild(asked.wild, find)
        print(cases.to_string(index=False))
        paths.append(_csv(cases, out / "wild.csv"))
    if asked.sheet:
        drawn = checks_judged.sheet(found, asked.sheet, asked.seed)
        paths.append(_csv(drawn, out / "judgments.csv"))
        view = checks_judged.shown(drawn, documents, find)
        paths.append(write_text(out / "judgments.md", view))
    if asked.judgments:
        judged = checks_judged.judgments(asked.judgments)
        tables.append(checks_tables.precision_table(*checks_judged.still(judged, found), about))
    for table in tables:
        print(markdown(table))
    return paths + [write(table, out) for table in tables]


def _csv(table: pd.DataFrame, path: Path) -> Path:
    return write_text(path, table.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    sys.exit(main())
