"""A local index of a corpus that the user names, opened and searched.

Tokens are the bytes of the texts' UTF-8, so that no tokenizer is needed and a line is found
wherever its characters stand. A folder holds ``tokenized.0`` and ``offset.0`` (the texts),
``table.0`` (their suffix array), ``corpus.portrait`` and, written last, ``index.json``.
"""

from __future__ import annotations

import importlib.util
import mmap
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from ..paths import FindlibError
from .lookup import Count, failed


class About(BaseModel):
    """index.json: what an index holds, and the sizes of its files."""

    format: Literal["findlib index 1"] = "findlib index 1"
    corpus: str
    texts: Annotated[int, Field(ge=1)]
    bytes: Annotated[int, Field(ge=1)]
    counted_by: str
    sizes: dict[str, int]


@dataclass(frozen=True)
class Index:
    """An index that is open: by infini-gram's engine, else by reading the texts through."""

    about: About
    by: str
    engine: Any
    content: Any

    def count(self, line: str) -> Count:
        """Exact number of occurrences of a line, those that overlap included."""
        wanted = line.encode("utf-8", "replace")
        if self.engine is None:
            return Count(float(_occurrences(self.content, wanted)), len(line), "bytes")
        answer = self.engine.count(input_ids=list(wanted))
        if "error" in answer:
            return failed(line, "bytes", answer["error"])
        return Count(float(answer["count"]), len(line), "bytes", bool(answer["approx"]))


def open_index(folder: Path) -> Index:
    """Open a local index; raises FindlibError for a folder that is none or is damaged."""
    about = read_about(folder)
    if about is None:
        raise FindlibError(
            f"{folder}: holds no index; make one with make index CORPUS=... INDEX={folder}"
        )
    for name, size in about.sizes.items():
        file = folder / name
        if not file.is_file() or file.stat().st_size != size:
            raise FindlibError(f"{file}: missing or cut off; make the index again")
    if "table.0" in about.sizes and importlib.util.find_spec("infini_gram"):
        from infini_gram.engine import InfiniGramEngine

        engine = InfiniGramEngine(
            index_dir=str(folder.resolve()), eos_token_id=254, vocab_size=255, version=4,
            token_dtype="u8",
        )  # fmt: skip
        return Index(about, f"infini-gram {version('infini-gram')}", engine, None)
    with (folder / "tokenized.0").open("rb") as read:
        content = mmap.mmap(read.fileno(), 0, access=mmap.ACCESS_READ)
    return Index(about, "scan (no infini-gram here)", None, content)


def read_about(folder: Path) -> About | None:
    """index.json, None where there is none or it is another thing."""
    try:
        return About.model_validate_json((folder / "index.json").read_bytes())
    except (OSError, ValidationError):
        return None


def _occurrences(content: Any, wanted: bytes) -> int:
    found, at = 0, content.find(wanted)
    while at >= 0:
        found, at = found + 1, content.find(wanted, at + 1)
    return found
