"""The corpora that lines are searched in: the paper's, other public indexes, the user's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ..paths import FindlibError, output, root
from . import infinigram, localindex, portrait
from .lookup import Count, Service

# the paper's corpora: name here -> (the paper's name, public Infini-gram index)
CORPORA = {
    "olmo-2-32b": ("OLMo-2-0325-32B-Instruct", "v4_olmo-2-0325-32b-instruct_llama"),
    "dolma-1.7": ("Dolma-v1.7", "v4_dolma-v1_7_llama"),
    "redpajama": ("RedPajama", "v4_rpj_llama_s4"),
    "pile": ("Pile", "v4_piletrain_llama"),  # by its hosted portrait where that answers
}


@dataclass(frozen=True)
class Corpus:
    """A corpus that can be searched: ``count`` answers for one line. ``substitute`` is
    searched in its place, for all lines, when it cannot be searched at all."""

    name: str
    index: str
    backend: str
    count: Callable[[str], Count]
    substitute: Corpus | None = None


def open_corpora(
    names: Iterable[str | Path],
    tokenizer: str = "",
    interval: float = 0.5,
    timeout: float = 30.0,
) -> list[Corpus]:
    """Corpora by name: one of CORPORA, a public Infini-gram index (``v4_...``), the folder
    of a local index (searched by its suffix array and by its portrait), a portrait's file.

    Only hosted corpora use the network, and they are sent the sampled lines' text (or token
    ids with a ``tokenizer``, a name for `infinigram.load_ids`). ``interval``: least seconds
    between two requests. Raises FindlibError for a name that is none of these.
    """
    services = [Service(url, None, interval, timeout) for url in (infinigram.URL, portrait.PILE)]
    found: list[Corpus] = []
    for name in dict.fromkeys(map(str, names)):
        if name in CORPORA or re.match(r"v\d+_\w", name):
            found.append(_public(name, tokenizer, *services))
        else:
            found += _local(name)
    called = [(corpus.name, corpus.index) for corpus in found]
    twice = sorted({name for name, index in called if called.count((name, index)) > 1})
    if twice:
        raise FindlibError(f"two corpora are called {twice[0]!r}; rename a folder")
    if not found:
        raise FindlibError(f"name a corpus to search: {', '.join(CORPORA)}, or a local index")
    return found


def _public(name: str, tokenizer: str, api: Service, pile: Service) -> Corpus:
    label, index = CORPORA.get(name, (name, name))
    ids = infinigram.load_ids(tokenizer, index) if tokenizer else None
    if ids:
        infinigram.check_ids(index, api, ids)
    count = partial(infinigram.count, index=index, service=api, ids=ids)
    found = Corpus(label, index, "Infini-gram API", count)
    if name != "pile":
        return found
    other = replace(found, name=f"{label} (index, a substitute for the portrait)")
    by_portrait = partial(portrait.hosted, service=pile)
    return Corpus(label, "hosted portrait", "Data Portraits", by_portrait, substitute=other)


def _local(name: str) -> list[Corpus]:
    path = next((p for p in (output() / name, root() / name) if p.exists()), None)
    if path is None:
        raise FindlibError(
            f"no corpus {name!r}: it is no folder or file here, and none of {', '.join(CORPORA)}"
        )
    if path.is_file():
        return [_portrayed(path, path.name)]
    index = localindex.open_index(path)
    by_index = Corpus(path.name, "suffix array", index.by, index.count)
    return [by_index, _portrayed(path / "corpus.portrait", path.name)]


def _portrayed(file: Path, name: str) -> Corpus:
    found = portrait.load(file)
    made = f"portrait ({found.width} characters, stride {found.stride}, {found.rate:g})"
    return Corpus(name, "portrait", made, partial(portrait.presence, portrait=found))
