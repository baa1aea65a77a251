"""Check an annotated data set: ``python -m findlib.annotate check FILE``."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .. import data
from ..paths import FindlibError, source
from ..records import Document
from . import annotation_rules as rules

LONG_LINE = 50  # characters: shorter lines do not tell documents apart
SHARED = 0.5  # of a document's long lines that stand in another one, too


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where (file, line, document), how grave, what, and the mend."""

    file: str
    line: int
    doc_id: str
    level: str
    what: str
    mend: str

    def __str__(self) -> str:
        told = f"{self.file}:{self.line}: {self.doc_id}: {self.level}: {self.what}; {self.mend}"
        return " ".join(told.split()).encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True)
class Checked:
    """What a check found: the documents that load, and every problem in the order of lines."""

    documents: list[Document]
    problems: list[Problem]

    @property
    def errors(self) -> int:
        """How many problems break a rule; the others are warnings."""
        return sum(problem.level == "error" for problem in self.problems)


def check(path: str | Path, longest: int = rules.LONGEST) -> Checked:
    """Check a data set against the format and the annotation guide (data/ANNOTATING.md).

    ``path``: as for `data.load_find`. Every line of a JSONL file in the FIND format is
    checked by itself; of other forms the loader's first complaint is given, and when it has
    none their documents are checked, numbered from 1. A document's corrected version is its
    own, or ``originals/<doc_id>.md`` beside the file. ``longest``: characters of a span.
    Raises FindlibError for a path that is not there or a file that is not UTF-8.

    >>> found = check("data/sample")
    >>> len(found.documents), found.errors
    (20, 0)
    """
    file, name = source(path), str(path)
    if (file / "find.jsonl").is_file() and not (file / "items.json").is_file():
        file, name = file / "find.jsonl", str(Path(path) / "find.jsonl")
    if file.suffix in (".jsonl", ".json") and file.is_file() and not _released(file):
        numbered, problems = _lines(file, name)
    else:
        numbered, problems = _loaded(file, name)
    for line, document in numbered:
        for found in rules.findings(document, _original(file, document.doc_id), longest):
            problems.append(Problem(name, line, document.doc_id, *found))
    problems += _duplicates(name, numbered)
    problems.sort(key=lambda problem: problem.line)
    return Checked([document for _, document in numbered], problems)


def _released(file: Path) -> bool:
    return '"problem_text"' in data.read_text(file).partition("\n")[0]


def _loaded(file: Path, name: str) -> tuple[list[tuple[int, Document]], list[Problem]]:
    try:
        return list(enumerate(data.load_find(file), start=1)), []
    except FindlibError as error:
        what, _, mend = str(error).rpartition("; ")
        return [], [Problem(name, 0, "?", "error", what or mend, mend)]


def _lines(file: Path, name: str) -> tuple[list[tuple[int, Document]], list[Problem]]:
    """The documents of a JSONL file that load, with their lines, and what is wrong with others."""
    good: list[tuple[int, Document]] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for number, line in enumerate(data.read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        row, document, found = _read(line)
        doc_id = str(row.get("doc_id", "?"))
        if document and document.doc_id in seen:
            found += _refused([replace(_FINE, doc_id=document.doc_id)] * 2)
        seen.add(doc_id)
        problems += [Problem(name, number, doc_id, "error", *each) for each in found]
        if document and not found:
            good.append((number, document))
    if not good and not problems:
        problems.append(Problem(name, 0, "?", "error", "holds no document", "add one a line"))
    return good, problems


_Complaint = tuple[str, str]  # what, mend
_FINE = Document("fine", "fine", "OWN", "", ("fine",), "numeric")


def _read(line: str) -> tuple[dict[str, Any], Document | None, list[_Complaint]]:
    """A line's row, its document where it has the columns, and what the loader says of it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {}, None, [(f"not JSON ({error})", "write one JSON object a line")]
    if not isinstance(row, dict):
        return {}, None, [("not a JSON object", "write one JSON object a line")]
    try:
        values = data._Line.model_validate(row).model_dump()
    except ValidationError as error:
        mend = "the format is in data/README.md"
        return row, None, [(f"{_at(e['loc'])}: {e['msg']}", mend) for e in error.errors()]
    document = Document(**{**values, "evidence": tuple(values["evidence"])})
    return row, document, list(_complaints(document))


def _at(place: Sequence[int | str]) -> str:
    return ".".join(map(str, place))


def _complaints(document: Document) -> Iterator[_Complaint]:
    """All that the loader has against a document: each field by itself in a fine document."""
    for name in ("doc_id", "source", "description", "error_type", "modality", "scope", "split",
                 "corrected"):  # fmt: skip
        yield from _refused([replace(_FINE, **{name: getattr(document, name)})])
    text = _refused([replace(_FINE, text=document.text, evidence=(document.text,))])
    yield from text
    if text:
        return
    alone = []
    for span in document.evidence:
        alone += _refused([replace(_FINE, text=document.text, evidence=(span,))])
    yield from alone or _refused([replace(_FINE, text=document.text, evidence=document.evidence)])


def _refused(documents: list[Document]) -> list[_Complaint]:
    """The loader's complaint about these documents, if any."""
    try:
        data._checked(documents, "")
    except FindlibError as error:
        what, _, mend = str(error).partition(", field ")[2].rpartition("; ")
        return [(what, mend)]
    return []


def _original(file: Path, doc_id: str) -> str:
    folder = file if file.is_dir() else file.parent
    path = folder / "originals" / f"{doc_id}.md"
    plain = Path(path.name).stem == doc_id
    return data.read_text(path) if plain and path.is_file() else ""


def _duplicates(name: str, numbered: list[tuple[int, Document]]) -> Iterator[Problem]:
    """Documents that are others again, or share most of their long lines with one."""
    texts: dict[str, Document] = {}
    lines: dict[str, list[str]] = {}
    for number, document in numbered:
        long = {line.strip() for line in document.text.split("\n") if len(line) >= LONG_LINE}
        shared = Counter(other for line in long for other in lines.get(line, ()))
        other, count = shared.most_common(1)[0] if shared else ("", 0)
        same = texts.setdefault(" ".join(document.text.split()).lower(), document)
        told: tuple[str, str, str] | None = None
        if same is not document and same.evidence == document.evidence:
            told = "error", f"text and evidence are those of {same.doc_id!r}", "keep one"
        elif same is not document:
            told = "warning", f"the text is that of {same.doc_id!r}", "is it meant twice?"
        elif count > SHARED * len(long):
            told = ("warning", f"{count} of {len(long)} long lines stand in {other!r}, too",
                    "is it the same document twice?")  # fmt: skip
        if told:
            yield Problem(name, number, document.doc_id, *told)
        for line in long:
            lines.setdefault(line, []).append(document.doc_id)


def main(words: list[str] | None = None) -> int:
    """The command line; 1 where anything breaks a rule (with --strict, on a warning, too)."""
    parser = argparse.ArgumentParser(prog="python -m findlib.annotate", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    wanted = commands.add_parser("check", help="list every problem, a line each")
    wanted.add_argument("path", help="a file or folder, as for DATASET")
    wanted.add_argument("--longest", type=int, default=rules.LONGEST, metavar="N",
                        help=f"most characters of a span ({rules.LONGEST})")  # fmt: skip
    wanted.add_argument("--strict", action="store_true", help="warnings count, too")
    asked = parser.parse_args(words)
    try:
        found = check(asked.path, asked.longest)
    except FindlibError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for problem in found.problems:
        print(problem)
    if found.documents:
        print(f"\n{_distribution(found.documents)}")
    warnings = len(found.problems) - found.errors
    print(f"{len(found.documents)} documents checked: {found.errors} errors, {warnings} warnings")
    return int(bool(found.errors or (asked.strict and warnings)))


def _distribution(documents: Sequence[Document]) -> str:
    """Table 1 of these documents, the printed counts below."""
    from ..document_tables import inconsistency_types
    from ..manifest import signature
    from ..tables import markdown

    return markdown(inconsistency_types(documents, signature(documents)))
