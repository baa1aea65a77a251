"""Grade sheets of manual grading: a CSV that works in a spreadsheet, read and written whole."""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import pandas as pd

from ..data import read_text
from ..paths import FindlibError, sha256, write_text
from ..records import Document

GRADES = ("real", "not", "unsure")
Key = tuple[str, str, int, str, str]
AGREED = "agreed"  # the grader of what two graders settled together


@dataclass(frozen=True)
class Row:
    """One answer as one grader sees it; its fields are the sheet's columns, in order.

    ``digest`` tells the answer as it was graded; ``matches_expected`` is the judge's verdict
    ("true", "false" or ""); ``evidence`` is a JSON list. The grader's own are ``grade`` (one
    of GRADES, "" for none yet), ``helpful``, ``known`` (it is the document's known
    inconsistency, FIND section 7.2) and ``note``.
    """

    doc_id: str
    source: str
    model: str
    answer: int
    digest: str
    matches_expected: str
    evidence: str
    description: str
    grader: str
    grade: str = ""
    helpful: bool = False
    known: bool = False
    note: str = ""

    @property
    def key(self) -> Key:
        """What a sheet holds once: a changed answer is another one, its old grade stays."""
        return self.doc_id, self.model, self.answer, self.digest, self.grader

    @property
    def judgment(self) -> tuple[str, bool, bool, str]:
        """What the grader put in."""
        return self.grade, self.helpful, self.known, self.note


COLUMNS = tuple(field.name for field in fields(Row))


class SheetChanged(FindlibError):
    """The sheet holds another judgment than the one that was shown."""


def digest(evidence: Sequence[str], description: str, document: Document) -> str:
    """What a grade is of: the answer's spans and description, and the document's text.

    "x" and 12 hexadecimal digits (a spreadsheet would read plain ones as a number).

    >>> digest(["a"], "b", Document("d", "a c")) == digest(["a "], "b", Document("d", "a c"))
    False
    """
    content = [list(evidence), description, document.sha256]
    return "x" + sha256(json.dumps(content, ensure_ascii=True))[:12]


def read(*paths: Path) -> list[Row]:
    """The rows of one sheet, or of several together.

    Raises FindlibError with file, row (counted as a spreadsheet does) and the mend: a file
    that is no CSV with COLUMNS, a cell off its menu, an answer twice for one grader.
    """
    seen: dict[Key, str] = {}
    rows = []
    for path in paths:
        for number, row in _parsed(path):
            where = f"{path.name}, row {number}"
            if row.key in seen:
                raise FindlibError(
                    f"{where}: {row.grader!r} has answer {row.answer} of {row.model} on "
                    f"{row.doc_id!r} already in {seen[row.key]}; keep one of the two rows"
                )
            seen[row.key] = where
            rows.append(row)
    return rows


def write(path: Path, rows: Iterable[Row]) -> Path:
    """Write a sheet whole (UTF-8 with a byte order mark, which spreadsheets need)."""
    table = pd.DataFrame([asdict(row) for row in rows], columns=list(COLUMNS))
    for column in table.columns:
        table[column] = [_cell(value) for value in table[column]]
    try:
        text = table.to_csv(index=False, lineterminator="\n")
        return write_text(path, "\ufeff" + text)
    except OSError as error:
        raise FindlibError(
            f"{path}: cannot be written ({error.strerror}); the grades before are as they were"
        ) from None


def record(path: Path, row: Row, shown: Row) -> list[Row]:
    """Put one judgment into the sheet on disk and return the whole sheet.

    Every other row stays as the disk has it now, whoever wrote it. ``shown`` is the row as
    the grader last saw it: raises SheetChanged, and writes nothing, where the disk holds
    another judgment in its place.
    """
    row = replace(row, note=_clean(row.note))
    with _locked(path):
        rows = {old.key: old for old in read(path)} if path.exists() else {}
        found = rows.get(row.key)
        if found and found.judgment != shown.judgment:
            raise SheetChanged(
                f"{path.name}: this answer was graded elsewhere meanwhile: "
                f"{found.grade or 'no grade'}; that is shown now, grade again to replace it"
            )
        rows[row.key] = row
        write(path, rows.values())
    return list(rows.values())


def add(path: Path, rows: Iterable[Row]) -> int:
    """Add rows that the sheet lacks; a row that it has stays. Returns how many were added."""
    with _locked(path):
        old = {row.key: row for row in read(path)} if path.exists() else {}
        new = {row.key: row for row in rows if row.key not in old}
        write(path, [*old.values(), *new.values()])
    return len(new)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone with the sheets of a folder, among all processes that write them through this
    module; the lock is on the folder, so that nothing is left in it."""
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            folder = os.open(path.parent, os.O_RDONLY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError as error:
            raise FindlibError(
                f"{path}: cannot be written ({error.strerror}); name another sheet"
            ) from None
        yield


# ---- cells


def _cell(value: object) -> object:
    """A cell as it is written: a text that a spreadsheet would run as a formula gets a quote."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    text = _clean(value)
    return f"'{text}" if re.match(r"'?[=+\-@\t']", text) else text


def _clean(text: str) -> str:
    """A text without what a CSV in UTF-8 cannot hold; line breaks as line feeds."""
    lines = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    return lines.encode("utf-8", "replace").decode()


def _text(cell: str) -> str:
    """A text as it was before `_cell`."""
    return cell[1:] if re.match(r"'['=+\-@\t]", cell) else cell


def _parsed(path: Path) -> list[tuple[int, Row]]:
    text = read_text(path)
    try:
        table = pd.read_csv(
            io.StringIO(text, newline=""), dtype=str, keep_default_na=False, skip_blank_lines=False
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise FindlibError(
            f"{path}: not a CSV ({str(error).splitlines()[0]}); start a new sheet"
        ) from None
    if list(table.columns) != list(COLUMNS) or not isinstance(table.index, pd.RangeIndex):
        raise FindlibError(
            f"{path}: the columns are not those of a grade sheet; save it as a comma-separated "
            f"UTF-8 CSV with the first line {','.join(COLUMNS)}"
        )
    numbered = enumerate(table.fillna("").itertuples(index=False), start=2)
    return [(n, _row(cells, f"{path.name}, row {n}")) for n, cells in numbered if any(cells)]


def _row(cells: Sequence[str], where: str) -> Row:
    values = {column: _text(cell) for column, cell in zip(COLUMNS, cells, strict=True)}
    for column in ("doc_id", "source", "model", "digest", "grader"):
        if not values[column].strip():
            raise FindlibError(f"{where}: {column} is empty; restore the cell")
    if not re.fullmatch(r"\d{1,9}", values["answer"]):
        raise FindlibError(
            f"{where}: answer {values['answer']!r} is no whole number; restore the cell"
        )
    grade = values["grade"].strip().lower()
    if grade not in ("", *GRADES):
        raise FindlibError(
            f"{where}: grade {values['grade']!r} is unknown; write {', '.join(GRADES)} or nothing"
        )
    return Row(
        values["doc_id"], values["source"], values["model"], int(values["answer"]),
        values["digest"], values["matches_expected"].strip().lower(), values["evidence"],
        values["description"], values["grader"].strip(), grade,
        _tick(values["helpful"], "helpful", where), _tick(values["known"], "known", where),
        values["note"],
    )  # fmt: skip


def _tick(cell: str, column: str, where: str) -> bool:
    found = cell.strip().lower()
    if found not in ("", "true", "false"):
        raise FindlibError(f"{where}: {column} {cell!r} is unknown; write true, false or nothing")
    return found == "true"
