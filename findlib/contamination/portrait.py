"""A corpus portrait: a Bloom filter of a corpus's character windows (Data Portraits).

Marone and Van Durme (2023): the corpus is cut into windows of 50 characters, 50 apart, and
only their hashes are kept; every window of a query is looked up, and windows found one
stride apart make a chain. A portrait can be shared where the corpus cannot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from ..paths import FindlibError, sha256, whole
from .lookup import Count, LookupFailed, Service, failed

PILE = "https://pile.dataportraits.org/q"  # the authors' portrait of the Pile
WIDTH = 50  # characters of a window, as in Data Portraits


_Positive = Annotated[int, Field(ge=1)]


class _Head(BaseModel):
    """First line of a portrait file."""

    format: Literal["findlib portrait 1"] = "findlib portrait 1"
    width: _Positive
    stride: _Positive
    rate: float
    windows: _Positive
    sha256: str


class _Report(BaseModel):
    """The hosted service's answer for one text; other fields are not used."""

    is_member: list[bool]
    width: _Positive


@dataclass(frozen=True)
class Portrait:
    """A Bloom filter of windows of ``width`` characters, ``stride`` apart.

    ``rate``: false positives per window that is not in the corpus, as stated when it was
    made; ``windows``: how many were added.
    """

    bloom: Any
    width: int
    stride: int
    rate: float
    windows: int

    def __contains__(self, window: str) -> bool:
        return window in self.bloom


def normal(text: str) -> str:
    """A text as portraits hold it: white space collapsed, blank lines left out.

    >>> normal("  one   two \\r\\n\\r\\n three")
    'one two\\nthree'
    """
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def build(
    texts: Callable[[], Iterable[str]], width: int = WIDTH, stride: int = 1, rate: float = 1e-3
) -> Portrait:
    """The portrait of a corpus; ``texts`` gives its documents and is called twice.

    ``stride`` 1 keeps every window, so that any line of ``width`` characters or more can be
    told; 50, as in Data Portraits, takes a fiftieth of the space (2 bytes a character at
    ``rate`` .001) and can miss lines shorter than width + stride - 1 characters. Raises
    FindlibError for parameters out of range and a corpus without a window.
    """
    if not (1 <= stride <= width and 0 < rate < 1):
        raise FindlibError(
            f"portrait: width {width}, stride {stride}, rate {rate}; 1 <= stride <= width and "
            "0 < rate < 1 are needed"
        )
    total = sum(len(range(0, len(normal(text)) - width + 1, stride)) for text in texts())
    if not total:
        raise FindlibError(f"portrait: no document of the corpus has {width} characters")
    bloom = _bloom()(total, rate, _hash)
    for text in texts():
        bloom.update(_windows(normal(text), width, stride))
    return Portrait(bloom, width, stride, rate, total)


def _windows(text: str, width: int, stride: int = 1) -> Iterable[str]:
    return (text[i : i + width] for i in range(0, len(text) - width + 1, stride))


def _bloom() -> Any:
    """The filter's class, from rbloom."""
    try:
        from rbloom import Bloom
    except ImportError:
        raise FindlibError(
            "rbloom is not installed; make install, or pip install 'findlib[contamination]'"
        ) from None
    return Bloom


def _hash(window: str) -> int:
    """128 bits that are the same in every process, which Python's own hash is not."""
    digest = hashlib.blake2b(window.encode("utf-8", "replace"), digest_size=16).digest()
    return int.from_bytes(digest, "big", signed=True)


def save(portrait: Portrait, path: Path) -> Path:
    """Write a portrait: a line of JSON with its parameters, then the filter."""
    content = portrait.bloom.save_bytes()
    head = _Head(
        width=portrait.width, stride=portrait.stride, rate=portrait.rate,
        windows=portrait.windows, sha256=sha256(content),
    )  # fmt: skip
    with whole(path) as partial:
        partial.write_bytes(head.model_dump_json().encode() + b"\n" + content)
    return path


def load(path: Path) -> Portrait:
    """Read a portrait; raises FindlibError for a file that is none or is damaged."""
    kind = _bloom()
    try:
        first, _, content = path.read_bytes().partition(b"\n")
        head = _Head.model_validate_json(first)
        if sha256(content) != head.sha256:
            raise ValueError("damaged or cut off")
        bloom = kind.load_bytes(content, _hash)
    except (OSError, ValidationError, ValueError) as error:
        reason = "no portrait" if isinstance(error, ValidationError) else error
        raise FindlibError(f"{path}: {reason}; make it again with make index CORPUS=...") from None
    return Portrait(bloom, head.width, head.stride, head.rate, head.windows)


def presence(line: str, portrait: Portrait) -> Count:
    """Whether a line stands in the portrait's corpus, as 1 or 0; see `judged`."""
    text = normal(line)
    members = [window in portrait for window in _windows(text, portrait.width)]
    return judged(line, members, portrait.width, portrait.stride)


def hosted(line: str, service: Service) -> Count:
    """Whether a line stands in the Pile, by the hosted portrait (stride 50).

    What leaves the machine: the line's text, which the service logs. Raises CannotContinue
    as `Service.ask` does.
    """
    text = normal(line)
    try:
        answer = service.ask({"document": text, "seq_id": 0}, _Report)
    except LookupFailed as error:
        return failed(line, "characters", error)
    if len(answer.is_member) != max(0, len(text) - answer.width + 1):
        return failed(line, "characters", "unexpected answer (another number of windows)")
    return judged(line, answer.is_member, answer.width, WIDTH)


def judged(line: str, members: Sequence[bool], width: int, stride: int) -> Count:
    """1 when the longest chain has as many windows as any copy of the line must leave.

    ``members``: for each window of the line, whether the portrait holds it. A copy of m
    windows leaves m // stride or one more, wherever it stands; of fewer than ``stride``
    windows it leaves one or none, and ``miss`` is the chance of none.

    >>> judged("x" * 120, [i % 50 == 7 for i in range(71)], 50, 50).count
    1.0
    """
    if not members:
        return failed(line, "characters", f"shorter than a window of {width} characters")
    chain = longest_chain(members, stride)
    return Count(
        count=float(chain >= max(1, len(members) // stride)),
        asked=len(line),
        tokenizer="characters",
        overlap=float(chain and width + (chain - 1) * stride),
        miss=max(0.0, 1 - len(members) / stride),
    )


def longest_chain(members: Sequence[bool], stride: int) -> int:
    """Most windows in a row, each one stride after the last, that are all members.

    >>> longest_chain([True, False, True, True, True, False], 2)
    3
    """
    ends = [0] * len(members)  # length of the chain that ends at each window
    for i, member in enumerate(members):
        ends[i] = (ends[i - stride] + 1 if i >= stride else 1) if member else 0
    return max(ends, default=0)
