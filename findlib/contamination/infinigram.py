"""Occurrences of a line in a public corpus, through the Infini-gram API."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, StrictBool, StrictInt

from .. import documents as texts
from ..client import CannotContinue
from ..paths import FindlibError
from .lookup import Count, LookupFailed, Refused, Service, failed

URL = "https://api.infini-gram.io/"
MOST_TOKENS = 500  # the API refuses longer queries, and texts over 1000 characters
MOST_CHARACTERS = 500  # hold no more tokens than that, unless they are far from English
_LLAMA = "meta-llama/Llama-2-7b-hf"
# the API's indexes as documented in 2025, and the tokenizer of each
INDEXES = {
    "v4_olmo-2-0325-32b-instruct_llama": _LLAMA,
    "v4_olmo-2-1124-13b-instruct_llama": _LLAMA,
    "v4_olmoe-0125-1b-7b-instruct_llama": _LLAMA,
    "v4_dolma-v1_7_llama": _LLAMA,
    "v4_rpj_llama_s4": _LLAMA,
    "v4_piletrain_llama": _LLAMA,
    "v4_c4train_llama": _LLAMA,
    "v4_dolma-v1_6-sample_llama": _LLAMA,
    "v4_dolmasample_olmo": "allenai/OLMo-7B-hf",
    "v4_pileval_llama": _LLAMA,
    "v4_pileval_gpt2": "gpt2",
}
_LOGIC = re.compile(r"\s(?:AND|OR)\s")
_NO_INDEX = re.compile(r"(?:invalid|unknown|no such) index|deprecated|retired|no longer", re.I)
_PROBE = "the number of people who were employed"
_LONE_SPACE = 29871  # Llama-2's token for a space of its own, which the API leaves out in front


class _Answer(BaseModel):
    """The API's answer to a count of a plain n-gram."""

    count: Annotated[StrictInt, Field(ge=0)]
    approx: StrictBool | None = None
    token_ids: list[StrictInt] = []


@dataclass(frozen=True)
class Ids:
    """Token ids of a text as an index holds them."""

    name: str
    encoding: Any
    llama: bool

    def __call__(self, text: str) -> list[int]:
        """The ids, as the API makes them of a text query."""
        prefix = "" if self.llama else " "  # byte-level tokenizers: as in the middle of a text
        ids = list(self.encoding.encode(prefix + text, add_special_tokens=False).ids)
        return ids[1:] if self.llama and ids[:1] == [_LONE_SPACE] else ids


def load_ids(name: str, index: str) -> Ids:
    """The tokenizer of an index from this machine; nothing is fetched.

    ``name``: a folder with a tokenizer.json, that file, or a hub repository in the local
    cache. Raises FindlibError where it is not at hand.
    """
    from tokenizers import Tokenizer

    file = Path(name).expanduser() / "tokenizer.json"
    found = texts.tokenizer(str(file) if file.is_file() else name)
    if found.factor != 1 or not isinstance(found.encoding, Tokenizer):
        wanted = INDEXES.get(index, "the tokenizer of the index")
        raise FindlibError(
            f"tokenizer {name!r} is not at hand; name a folder with the tokenizer.json of "
            f"{wanted}, or none (lines that hold AND or OR then stay unknown)"
        )
    return Ids(name, found.encoding, index.endswith("_llama") or "_llama_" in index)


def asked(line: str, whole: bool = False) -> str:
    """The part of a line that is searched: from its second word on, within the API's limits.

    Indexes match at token boundaries, and the first word of a line has another token after
    a line feed than after a space, so that a whole line is not found where it is one in the
    corpus; from the second word on it is found in both places. A part occurs wherever the
    line does, so a count of 0 stands for the line. ``whole`` keeps the first word.

    >>> asked("Total nonfarm payroll employment rose by 12,000.")
    'nonfarm payroll employment rose by 12,000.'
    """
    _, _, rest = line.partition(" ")
    rest = rest.lstrip()
    text = rest if not whole and len(rest) > len(line) / 2 else line
    if len(text) <= MOST_CHARACTERS:
        return text
    cut = text[: MOST_CHARACTERS + 1].rfind(" ")
    return text[: cut if cut > MOST_CHARACTERS / 2 else MOST_CHARACTERS].rstrip()


def count(
    line: str, index: str, service: Service, ids: Ids | None = None, whole: bool = False
) -> Count:
    """Occurrences of a line in a public index.

    What leaves the machine: the part of the line that `asked` names, as text, or as token
    ids where ``ids`` is given. Text that the API would read as logic (AND, OR) is sent as
    ids or not at all. Raises CannotContinue for an index that is gone and as
    `Service.ask` does.
    """
    text = asked(line, whole)
    name = ids.name if ids else f"{INDEXES.get(index, 'own')} (by the API)"
    if ids is None and _LOGIC.search(text):
        return failed(line, name, "holds AND or OR, which the API reads as logic: name a tokenizer")
    query = {"query_ids": ids(text)[:MOST_TOKENS]} if ids else {"query": text}
    try:
        answer = _ask(service, index, query)
    except LookupFailed as error:
        return failed(line, name, error)
    return Count(float(answer.count), len(text), name, answer.approx)


def check_ids(index: str, service: Service, ids: Ids) -> None:
    """Raise FindlibError unless a tokenizer gives the ids that the index was made with.

    A wrong one would find nothing anywhere. Costs one request an index.
    """
    answer = _ask(service, index, {"query": _PROBE})
    if answer.token_ids != ids(_PROBE):
        raise FindlibError(
            f"tokenizer {ids.name!r} does not fit the index {index}: it is made with "
            f"{INDEXES.get(index, 'another one')}"
        )


def _ask(service: Service, index: str, query: dict[str, Any]) -> _Answer:
    try:
        return service.ask({"index": index, "query_type": "count", **query}, _Answer)
    except Refused as error:
        if not _NO_INDEX.search(str(error)):
            raise
        raise CannotContinue(
            f"index {index!r} is retired or unknown at {service.url} ({error}); known: "
            f"{', '.join(INDEXES)}"
        ) from None
