"""Measure, cut and divide a document's text: tokens, truncation, windows, sentences."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from .evidence import locate
from .records import SOURCES, Document

LENGTHS = "o200k_base"  # the gpt-5 tokenizer: what lengths in tables are counted with
_CHARS_A_STEP = 200_000  # tokenizers slow down on very long inputs without white space


@dataclass(frozen=True)
class Tokenizer:
    """A way to count tokens: a name for signatures, an encoding, and a factor on its count.

    The factor is 1 for the model's own tokenizer and a stated estimate otherwise.
    """

    name: str
    encoding: Any
    factor: float = 1.0

    def count(self, text: str) -> int:
        """Number of tokens of a text."""
        steps = range(0, len(text), _CHARS_A_STEP)
        total = sum(len(_ids(self.encoding, text[i : i + _CHARS_A_STEP])) for i in steps)
        return round(total * self.factor)

    def fit(self, text: str, limit: int) -> int:
        """Number of leading characters of a text that hold at most ``limit`` tokens."""
        if self.count(text) <= limit:
            return len(text)
        low, high = 0, len(text)
        while low < high:  # counts grow with length, but for a token or two at the cut
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.count(text[:middle]) <= limit else (low, middle - 1)
        return low


def _ids(encoding: Any, text: str) -> list[int]:
    found = encoding.encode(text, **_plain(encoding))
    return found if isinstance(found, list) else found.ids


def _plain(encoding: Any) -> dict[str, Any]:
    """tiktoken refuses texts that hold a special token unless told to read it as text."""
    is_tiktoken = type(encoding).__module__.startswith("tiktoken")
    return {"disallowed_special": ()} if is_tiktoken else {"add_special_tokens": False}


@cache
def tokenizer(name: str = LENGTHS) -> Tokenizer:
    """The tokenizer of that name where it is at hand, else an estimate that says so.

    ``name``: a tiktoken encoding ("o200k_base", "o200k_harmony", "cl100k_base"), a path of
    a tokenizer.json, a hub repository whose tokenizer.json lies in the local hub cache, or
    "o200k_base*1.4" for an estimate by a factor. Nothing is fetched.

    >>> tokenizer().count("one two three")
    3
    """
    base, _, factor = name.partition("*")
    if factor:
        return Tokenizer(f"{base} times {factor} (estimate)", _tiktoken(base), float(factor))
    if re.fullmatch(r"o200k_base|o200k_harmony|cl100k_base", name):
        return Tokenizer(name, _tiktoken(name))
    file = Path(name) if name.endswith(".json") else _in_hub_cache(name)
    if file and file.is_file():
        from tokenizers import Tokenizer as FastTokenizer

        return Tokenizer(name, FastTokenizer.from_file(str(file)))
    return Tokenizer(f"{LENGTHS} times 1.1 (estimate for {name})", _tiktoken(LENGTHS), 1.1)


def _tiktoken(name: str) -> Any:
    """A tiktoken encoding from the files that ship with LiteLLM (no network)."""
    package = importlib.util.find_spec("litellm")
    if package and package.origin:
        folder = Path(package.origin).parent / "litellm_core_utils" / "tokenizers"
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    import tiktoken

    return tiktoken.get_encoding(name)


def _in_hub_cache(repository: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(repository, "tokenizer.json")
    except HFValidationError:
        return None
    return Path(found) if isinstance(found, str) else None


@dataclass(frozen=True)
class Window:
    """A part of a document that is read in one request: characters [start, end)."""

    start: int
    end: int


def truncated(text: str, limit: int, by: Tokenizer) -> list[Window]:
    """The document's beginning, at most ``limit`` tokens (the paper's reading, section 5)."""
    return [Window(0, by.fit(text, limit))]


def windows(text: str, limit: int, overlap: int, by: Tokenizer) -> list[Window]:
    """Overlapping windows of at most ``limit`` tokens that cover the whole text.

    ``overlap``: tokens shared with the window before, less than half of ``limit``. Windows
    begin and end at line ends where one lies in the last third of the window.
    """
    if not 0 <= overlap * 2 < limit:
        raise ValueError("overlap must be less than half of limit")
    found = [Window(0, _line_end(text, 0, _reach(text, 0, limit, by)))]
    while found[-1].end < len(text):
        last = found[-1]
        back = max(last.start + 1, last.end - _reach(text[::-1], len(text) - last.end, overlap, by))
        start = min(text.find("\n", back, last.end) + 1 or back, last.end)
        end = max(_line_end(text, start, _reach(text, start, limit, by)), last.end + 1)
        found.append(Window(start, min(end, len(text))))
    return found


def _reach(text: str, start: int, limit: int, by: Tokenizer) -> int:
    """Where ``limit`` tokens from ``start`` end (when ``text`` is reversed: how many back)."""
    ahead = text[start : start + limit * 12]
    return by.fit(ahead, limit) if limit else 0


def _line_end(text: str, start: int, length: int) -> int:
    end = start + length
    if end >= len(text):
        return len(text)
    line = text.rfind("\n", start + length * 2 // 3, end)
    return line + 1 if line >= 0 else end


def sentences(text: str, longest: int = 160) -> list[str]:
    """The sentences and table rows of a text, verbatim, each once, in reading order.

    Pieces longer than ``longest`` characters are left out.
    """
    pieces: dict[str, None] = {}
    for line in text.splitlines():
        parts = [line] if line.lstrip().startswith("|") else re.split(r"(?<=[.!?;])\s+", line)
        for part in map(str.strip, parts):
            if 3 < len(part) <= longest and re.search(r"\w", part):
                pieces[part] = None
    return list(pieces)


def spans_cut(document: Document, end: int) -> int:
    """How many reference spans a reading that ends at character ``end`` cannot see."""
    return sum(stop > end for _, stop in evidence_places(document))


def evidence_places(document: Document) -> list[tuple[int, int]]:
    """Character ranges of a document's reference spans, in the order given."""
    found = (locate(span, document.text) for span in document.evidence)
    return [(place.start, place.end) for place in found if place]


PARTS = ("test", "dev", "MFR", "cs.CL")


def part_of(document: Document) -> str:
    """The part of a FIND collection that a document is counted in, one of PARTS.

    The development set (split "dev" or "validation", or books that models may have seen,
    PGS), the natural inconsistencies (MFR), the papers (cs.CL-...), and the test set: all
    others.
    """
    if document.source == "MFR":
        return "MFR"
    if document.source.startswith("cs.CL"):
        return "cs.CL"
    seen = document.source == "PGS"
    return "dev" if seen or document.split in ("dev", "validation") else "test"


def parts_of(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """The documents by part, in the order of PARTS; parts without documents are left out."""
    found = {part: [d for d in documents if part_of(d) == part] for part in PARTS}
    return {part: some for part, some in found.items() if some}


def rows_of(table: pd.DataFrame, documents: Sequence[Document]) -> pd.DataFrame:
    """The rows of a table (with a column doc_id) that belong to these documents."""
    return table[table.doc_id.isin([document.doc_id for document in documents])]


def sources_of(documents: Sequence[Document]) -> list[str]:
    """The source codes of these documents, in the order of `records.SOURCES`."""
    present = {document.source for document in documents}
    return [source for source in SOURCES if source in present]
