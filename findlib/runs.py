"""The files of a run folder: documents, responses, answers and grades, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pandas as pd

from .cache import Cache, write_recorded
from .data import load_find
from .paths import FindlibError, root, run_folder, whole, write_text
from .records import Document
from .runner import Response

STAGES = {
    "documents.jsonl": "00_data",
    "responses.jsonl": "20_inference",
    "responses.parquet": "20_inference",
    "answers.parquet": "20_inference",
    "grades.parquet": "30_grading",
    "manifest.json": "20_inference",
}


def file(run: str, name: str) -> Path:
    """A file of a run that an earlier stage wrote; raises FindlibError naming that stage."""
    path = run_folder(run) / name
    if not path.is_file():
        raise FindlibError(
            f"run {run!r} has no {name}; run the stage before first: "
            f"make notebook NB={STAGES[name]} RUN={run}"
        )
    return path


def save_documents(run: str, documents: Sequence[Document]) -> Path:
    """Write documents.jsonl in the FIND format."""
    return _write_lines(run, "documents.jsonl", [_plain(document) for document in documents])


def documents(run: str) -> list[Document]:
    """The documents of a run."""
    return load_find(file(run, "documents.jsonl"))


def save_responses(run: str, responses: Sequence[Response]) -> Path:
    """Write responses.jsonl, a line a request in order."""
    return _write_lines(run, "responses.jsonl", [asdict(response) for response in responses])


def responses(run: str) -> list[Response]:
    """The responses of a run, in order."""
    lines = file(run, "responses.jsonl").read_text(encoding="utf-8").split("\n")
    return [Response(**json.loads(line)) for line in lines if line]


def mark_failed(run: str, stage: str, failed: int) -> None:
    """Leave (or take away) the mark by which make runs a stage with failed requests again."""
    mark = run_folder(run) / f".failed-{stage}"
    if failed:
        mark.touch()
        print(f"{failed} request(s) failed and are not stored; the next run sends them again")
    else:
        mark.unlink(missing_ok=True)


def save_table(run: str, name: str, table: pd.DataFrame) -> Path:
    """Write a table between stages as ``<name>.parquet``."""
    path = run_folder(run) / f"{name}.parquet"
    with whole(path) as partial:
        table.to_parquet(partial, index=False)
    return path


def table(run: str, name: str) -> pd.DataFrame:
    """A table between stages: "responses", "answers" or "grades"."""
    return pd.read_parquet(file(run, f"{name}.parquet"))


def _plain(document: Document) -> dict[str, Any]:
    row = {field.name: getattr(document, field.name) for field in fields(document)}
    return {**row, "evidence": list(document.evidence)}


def _write_lines(run: str, name: str, rows: Sequence[dict[str, Any]]) -> Path:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return write_text(run_folder(run) / name, "".join(lines))


def record(run: str) -> Path:
    """Write a run's stored responses to data/recorded/<run>.jsonl.gz, where others' runs find
    them; paid models' responses are recorded as well. Returns the path."""
    known = Cache()
    stored = {r.key: known.get(r.key) for r in responses(run) if not r.about.get("private")}
    rows = {key: found[0] for key, found in stored.items() if found}
    return write_recorded(root() / "data" / "recorded" / f"{run}.jsonl.gz", rows)
