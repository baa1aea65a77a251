"""Data sets for scalable oversight: each item with its gold verdict and error, and critiques."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .flaws import WHOLE
from .flaws_data import PASSWORD
from .flaws_items import Item, expert_error
from .paths import FindlibError, whole, write_text


def rows(items: Sequence[Item], graded: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """A row an item, for training or testing judges and verifiers, in the items' order.

    Keys: item_id, question_id, dataset, question, code, solution, gold ("CORRECT", "FLAWED" or
    ""), gold_error, gold_step, sentences (number, text, label, error; CELS) and critiques: a
    model's status, verdict, explanation and grade, and the same by sentence. What could not be
    read has the verdict "" and its status says why.
    """
    by_item = dict(list(graded.groupby("item_id", sort=False)))
    for item in items:
        mine = by_item.get(item.item_id)
        yield {
            "item_id": item.item_id, "question_id": item.question_id, "dataset": item.dataset,
            "question": item.question, "code": item.code, "solution": item.solution,
            "gold": item.gold, "gold_error": item.error, "gold_step": item.error_step,
            "sentences": [
                {"number": s.number, "text": s.text, "label": s.label, "error": expert_error(s)}
                for s in item.sentences
            ],
            "critiques": [] if mine is None else [
                _critique(str(model), part) for model, part in mine.groupby("model", sort=False)
            ],
        }  # fmt: skip


def _critique(model: str, part: pd.DataFrame) -> dict[str, Any]:
    said = {int(row.sentence): _said(row) for row in part.itertuples()}
    sentences = [{"number": n, **row} for n, row in said.items() if n != WHOLE]
    return {"model": model, **said[WHOLE], "sentences": sentences}


def _said(row: Any) -> dict[str, str]:
    return {"status": row.status, "verdict": row.predicted, "explanation": row.explanation,
            "grade": row.grade}  # fmt: skip


def export(items: Sequence[Item], graded: pd.DataFrame, path: Path) -> Path:
    """Write `rows` as JSONL; text of the released sets only into an encrypted archive.

    ``path``: .jsonl, or .zip for an AES archive with the authors' password that holds
    ``oversight.jsonl``. Raises FindlibError for released items and a plain file: the authors
    ask that their texts lie about in such archives only.
    """
    if path.suffix not in (".jsonl", ".zip"):
        raise FindlibError(f"{path.name}: name a .jsonl file, or a .zip for the released sets")
    if path.suffix == ".jsonl" and any(item.released for item in items):
        raise FindlibError(
            f"{path.name}: holds text of the released sets, which is passed on in encrypted "
            "archives only; name a .zip file"
        )
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(items, graded)]
    if path.suffix == ".jsonl":
        return write_text(path, "".join(lines))
    _archive(path, "".join(lines))
    return path


def _archive(path: Path, text: str) -> None:
    import pyzipper

    with (
        whole(path) as partial,
        pyzipper.AESZipFile(
            partial, "w", compression=pyzipper.ZIP_DEFLATED, encryption=pyzipper.WZ_AES
        ) as archive,
    ):
        archive.setpassword(PASSWORD)
        archive.writestr("oversight.jsonl", text)
