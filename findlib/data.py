"""Load documents: the FIND format, the released FIND set, and folders with an items.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .evidence import locate
from .paths import FindlibError, sha256, source
from .records import ERROR_TYPES, SOURCES, Document

HUB_NAME = "kensho/FIND"
SPAN_KEYS = ("text", "evidence_text", "content", "token")
MAX_BYTES = 64_000_000


class _Line(BaseModel):
    """One document in the FIND format, as it comes from outside."""

    model_config = ConfigDict(extra="forbid", strict=True)
    doc_id: str
    text: str
    description: str
    evidence: list[str]
    error_type: str
    source: str = "OWN"
    modality: str = ""
    scope: str = ""
    split: str = "test"
    corrected: str = ""


class _Item(BaseModel):
    """One entry of an items.json, as it comes from outside."""

    id: str
    document: str
    type: str
    description: str
    evidence: list[str]
    corrected: str | None = None


def load_find(path: str | Path, sources: str | Path | None = None) -> list[Document]:
    """Load and validate documents; the form is told by what the path holds.

    ``path``: a JSONL file in the FIND format; a folder with ``find.jsonl``; a folder with
    ``items.json`` (one folder a document); a parquet file, or a folder of parquet or JSONL
    files, of the released FIND set; or ``kensho/FIND`` for the gated hub set (needs a
    login). ``sources``: JSON file that maps doc_id to a source code, for a set without a
    ``source`` column. Returns the documents in the order of the file.

    Raises FindlibError naming file, line, document, field and the mend.

    >>> documents = load_find("data/sample")
    >>> documents[0].doc_id, documents[0].error_type, documents[0].trigger in documents[0].text
    ('emp-01', 'numeric', True)
    """
    if str(path) == HUB_NAME:
        found = _released(_hub_rows(), HUB_NAME)
    else:
        where = source(path)
        found = _load_folder(where) if where.is_dir() else _load_file(where)
    if sources is not None:
        found = _with_sources(found, source(sources))
    return _checked(found, str(path))


def select(documents: list[Document], only: list[str], limit: int = 0) -> list[Document]:
    """The documents of these ids (all for none), at most ``limit`` (0 for no limit), in order.

    Raises FindlibError for an id that is not there.
    """
    if limit < 0:
        raise FindlibError(f"limit {limit} is negative; use 0 for all documents")
    unknown = set(only) - {document.doc_id for document in documents}
    if unknown:
        raise FindlibError(f"no document {sorted(unknown)}; check ONLY against the doc_id's")
    kept = [document for document in documents if not only or document.doc_id in only]
    return kept[: limit or None]


def corpus_sha256(documents: Iterable[Document]) -> str:
    """SHA-256 over all documents and their references, in order: what a signature names."""
    rows = [[d.doc_id, d.source, d.sha256, list(d.evidence), d.description, d.error_type]
            for d in documents]  # fmt: skip
    return sha256(json.dumps(rows, ensure_ascii=False))


def read_text(path: Path) -> str:
    """Decode a file strictly as UTF-8 (a BOM is accepted and dropped), changing nothing else."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FindlibError(f"{path}: larger than {MAX_BYTES:,} bytes; split it")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FindlibError(
            f"{path}: byte {error.start} is not UTF-8 ({error.reason}); convert the file to UTF-8"
        ) from None
    except OSError as error:
        raise FindlibError(f"{path}: cannot be read ({error.strerror})") from None


def _load_folder(folder: Path) -> list[Document]:
    if (folder / "items.json").is_file():
        return _load_items(folder)
    if (folder / "find.jsonl").is_file():
        return _load_file(folder / "find.jsonl")
    files = sorted([*folder.rglob("*.parquet"), *folder.rglob("*.jsonl")])
    if not files:
        raise FindlibError(
            f"{folder}: holds no find.jsonl, items.json, .parquet or .jsonl file; "
            "see data/README.md for the formats"
        )
    if all(file.suffix == ".parquet" for file in files):
        return _released([row for file in files for row in _parquet_rows(file)], str(folder))
    return [document for file in files for document in _load_file(file)]


def _load_file(file: Path) -> list[Document]:
    if file.suffix == ".parquet":
        return _released(_parquet_rows(file), str(file))
    if file.suffix not in (".jsonl", ".json"):
        raise FindlibError(f"{file}: expected a .jsonl or .parquet file; see data/README.md")
    rows = jsonl_rows(file)
    if rows and "problem_text" in rows[0][1]:
        return _released([row for _, row in rows], str(file))
    return [_document(row, f"{file}, line {number}") for number, row in rows]


def jsonl_rows(file: Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with their line numbers; FindlibError for another line."""
    rows = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FindlibError(
                f"{file}, line {number}: not JSON ({error}); one JSON object a line is expected"
            ) from None
        if not isinstance(row, dict):
            raise FindlibError(f"{file}, line {number}: a JSON object is expected")
        rows.append((number, row))
    return rows


def _document(row: Mapping[str, Any], where: str) -> Document:
    try:
        line = _Line.model_validate(dict(row))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise FindlibError(
            f"{where}, document {row.get('doc_id', '?')!r}, field {field}: {first['msg']}; "
            "the format is in data/README.md"
        ) from None
    values = line.model_dump()
    return Document(**{**values, "evidence": tuple(values["evidence"])})


def _load_items(folder: Path) -> list[Document]:
    """A folder with an items.json; spans in any order, the corrected text where there is one."""
    file = folder / "items.json"
    try:
        items = TypeAdapter(list[_Item]).validate_json(read_text(file))
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"])) or "file"
        raise FindlibError(
            f"{file}, {at}: {first['msg']}; a list of objects with id, document, type, evidence, "
            "description is expected"
        ) from None
    documents = []
    for item in items:
        document = Document(
            item.id, read_text(_inside(folder, item.document)), "WILD", item.description,
            tuple(item.evidence), item.type,
            corrected=read_text(_inside(folder, item.corrected)) if item.corrected else "",
        )  # fmt: skip
        documents.append(_in_reading_order(document, str(file)))
    return documents


def _inside(folder: Path, name: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise FindlibError(f"{folder}/items.json: {name!r} leads out of the folder")
    return path


def _in_reading_order(document: Document, where: str) -> Document:
    places = {span: locate(span, document.text) for span in document.evidence}
    missing = [span for span, place in places.items() if place is None or not place.exact]
    if missing:
        raise _not_verbatim(where, document.doc_id, missing[0])
    ordered = sorted(document.evidence, key=lambda span: places[span])  # type: ignore[arg-type,return-value]
    return replace(document, evidence=tuple(ordered))


def _released(rows: Iterable[Mapping[str, Any]], where: str) -> list[Document]:
    """Rows with the columns of the released set: problem_text, description, evidence_dicts."""
    documents = []
    for number, row in enumerate(rows):
        missing = {"problem_text", "description", "evidence_dicts", "error_type"} - set(row)
        if missing:
            raise FindlibError(f"{where}, row {number}: lacks the column(s) {sorted(missing)}")
        given = next((row[k] for k in ("doc_id", "id") if row.get(k) is not None), None)
        doc_id = str(f"{row.get('split') or 'row'}-{number}" if given is None else given)
        items = row["evidence_dicts"]
        if not isinstance(items, list):
            raise FindlibError(f"{where}, row {number}, field evidence_dicts: a list is expected")
        spans = [_span(item, f"{where}, row {number}") for item in items]
        raw = {"doc_id": doc_id, "text": row["problem_text"], "description": row["description"],
               "evidence": spans, "error_type": _type_name(str(row["error_type"])),
               "source": str(row.get("source") or "FIND"),
               "split": str(row.get("split") or "test")}  # fmt: skip
        document = _document(raw, f"{where}, row {number}")
        documents.append(_in_reading_order(document, where))
    return documents


def _span(item: Any, where: str) -> str:
    if isinstance(item, str):
        return item
    for key in SPAN_KEYS:
        if isinstance(item, Mapping) and isinstance(item.get(key), str):
            return item[key]
    raise FindlibError(f"{where}, field evidence_dicts: no text under any of {SPAN_KEYS}")


def _type_name(name: str) -> str:
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    return {"nonnumeric": "non-numeric"}.get(plain, plain)


def _parquet_rows(file: Path) -> list[dict[str, Any]]:
    import pyarrow
    import pyarrow.parquet

    try:
        rows = pyarrow.parquet.ParquetFile(file).read().to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FindlibError(f"{file}: not a readable parquet file ({error})") from None
    split = next((s for s in ("validation", "test", "dev") if s in file.name), "test")
    return [{"split": split, **row} for row in rows]


def _hub_rows() -> list[dict[str, Any]]:
    """Every parquet file of the gated set; needs huggingface_hub and a logged-in user."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        folder = snapshot_download(HUB_NAME, repo_type="dataset", allow_patterns=["*.parquet"])
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise FindlibError(
            f"{HUB_NAME}: cannot be fetched ({type(error).__name__}); accept its terms on the "
            "hub and run `huggingface-cli login`, or pass a local parquet folder as DATASET"
        ) from None
    return [row for file in sorted(Path(folder).rglob("*.parquet")) for row in _parquet_rows(file)]


def _with_sources(documents: list[Document], file: Path) -> list[Document]:
    try:
        mapping = {key: str(code) for key, code in json.loads(read_text(file)).items()}
        return [replace(d, source=mapping.get(d.doc_id, d.source)) for d in documents]
    except (ValueError, AttributeError, RecursionError):
        raise FindlibError(f"{file}: a JSON object doc_id -> source code is expected") from None


def _not_verbatim(where: str, doc_id: str, span: str) -> FindlibError:
    return FindlibError(
        f"{where}, document {doc_id!r}, field evidence: span {span[:80]!r} is not verbatim in "
        "the text; copy it from the text, character by character"
    )


_TEXTS = ("doc_id", "text", "description", "modality", "scope", "split", "corrected")


def _is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _ordered(document: Document) -> bool:
    """Whether some choice of occurrences puts the spans in reading order."""
    at = 0
    for span in document.evidence:
        at = document.text.find(span, at)
        if at < 0:
            return False
    return True


def _checked(documents: list[Document], where: str) -> list[Document]:
    """Every rule of the format that spans fields or documents."""
    if not documents:
        raise FindlibError(f"{where}: holds no document")
    seen: set[str] = set()
    for document in documents:
        at = f"{where}, document {document.doc_id!r}, field"
        if not document.doc_id.strip():
            raise FindlibError(f"{at} doc_id: is empty; give every document an id")
        if document.doc_id in seen:
            raise FindlibError(f"{at} doc_id: occurs twice; make the ids unique")
        broken = next((f for f in _TEXTS if not _is_unicode(getattr(document, f))), "")
        if broken or not all(map(_is_unicode, document.evidence)):
            raise FindlibError(
                f"{at} {broken or 'evidence'}: holds half a surrogate pair; write whole characters"
            )
        if not document.text.strip():
            raise FindlibError(f"{at} text: is empty; remove the document or add its text")
        if document.error_type not in ERROR_TYPES:
            raise FindlibError(
                f"{at} error_type: {document.error_type!r} is unknown; use one of {ERROR_TYPES}"
            )
        if document.source not in SOURCES:
            raise FindlibError(
                f"{at} source: {document.source!r} is unknown; use one of {tuple(SOURCES)}"
            )
        if not document.evidence:
            raise FindlibError(f"{at} evidence: is empty; at least one span is needed")
        for span in document.evidence:
            if not span.strip() or span not in document.text:
                raise _not_verbatim(where, document.doc_id, span)
        if not _ordered(document):
            raise FindlibError(
                f"{at} evidence: spans are not in reading order; list them as they stand in "
                "the text, the trigger last"
            )
        seen.add(document.doc_id)
    return documents
