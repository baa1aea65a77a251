"""Index a corpus for local search: its texts, their suffix array by infini-gram, a portrait."""

from __future__ import annotations

import argparse
import codecs
import importlib.util
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from ..client import clean
from ..data import read_text
from ..paths import FindlibError, output, source, write_text
from . import portrait
from .localindex import About, read_about

SUFFIXES = (".txt", ".md", ".jsonl")
_SEPARATOR = b"\xff"  # before each text; no byte of UTF-8
_BYTES_A_BYTE = 12  # memory that sorting takes, by the package's own rule
Corpus = Path | Sequence[str]


class _Row(BaseModel):
    """One line of a corpus in JSONL."""

    text: str


def texts(corpus: Path) -> Iterator[str]:
    """The texts of a .txt, .md or .jsonl file, or of all in a folder, in order of path.

    A .jsonl file holds an object with a ``text`` a line. Empty texts are left out. Raises
    FindlibError naming file and line for what is not UTF-8 or has no text.
    """
    found = [corpus] if corpus.is_file() else sorted(p for p in corpus.rglob("*") if p.is_file())
    files = [file for file in found if file.suffix in SUFFIXES]
    if not files:
        raise FindlibError(f"{corpus}: holds no {', '.join(SUFFIXES)} file to index")
    for file in files:
        for text in _rows(file) if file.suffix == ".jsonl" else [read_text(file)]:
            if text.strip():
                yield text


def _rows(file: Path) -> Iterator[str]:
    number = 0
    try:
        with file.open("rb") as lines:
            for line in lines:
                number += 1
                if line.strip():
                    yield _Row.model_validate_json(line.removeprefix(codecs.BOM_UTF8)).text
    except ValidationError as error:
        raise FindlibError(
            f"{file}, line {number}: {error.errors()[0]['msg']}; a JSON object with a text in "
            "UTF-8 is expected on each line"
        ) from None
    except OSError as error:
        raise FindlibError(f"{file}: cannot be read ({error.strerror})") from None


def build(
    corpus: Corpus,
    out: Path,
    mem: int = 4,
    width: int = portrait.WIDTH,
    stride: int = 1,
    rate: float = 1e-3,
) -> About:
    """Index a corpus (a path, or its texts) into the folder ``out``, whole or not at all.

    ``mem``: GiB of memory for sorting. ``width``, ``stride``, ``rate``: of the portrait. An
    earlier index of the same corpus is replaced at the end. Raises FindlibError for a folder
    that holds something else, a corpus without text, a second build into the same folder, and
    with the package's words when it fails.
    """
    if mem < 1:
        raise FindlibError(f"{mem} GiB of memory are not enough to sort; give 1 or more")
    name = corpus.name if isinstance(corpus, Path) else "texts"
    there = read_about(out)
    if there is None and out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise FindlibError(f"{out}: is not empty and holds no index; name another folder")
    if there and there.corpus != name:
        raise FindlibError(f"{out}: holds an index of {there.corpus!r}; name another folder")

    def read() -> Iterator[str]:
        return texts(corpus) if isinstance(corpus, Path) else iter(corpus)

    with _partial(out) as folder:
        try:
            count, size = _write_texts(read(), folder)
            made = portrait.build(read, width, stride, rate)
            portrait.save(made, folder / "corpus.portrait")
            by = _sort(folder, size, mem)
            sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
            about = About(corpus=name, texts=count, bytes=size, counted_by=by, sizes=sizes)
            write_text(folder / "index.json", about.model_dump_json(indent=1) + "\n")
        except OSError as error:
            raise FindlibError(f"{out}: cannot be written ({error.strerror or error})") from None
    return about


@contextmanager
def _partial(out: Path) -> Iterator[Path]:
    """A folder beside ``out`` that takes its place at the end, and is gone on an error; what
    a killed build has left there is cleared."""
    import fcntl

    folder, old = (out.with_name(f".{out.name}.{end}") for end in ("partial", "old"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise FindlibError(f"{out}: cannot be written ({error.strerror})") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FindlibError(f"{out}: is being built by another process; wait for it") from None
        _clear(folder)
        try:
            yield folder
            shutil.rmtree(old, ignore_errors=True)
            if out.exists():
                out.rename(old)
            folder.rename(out)
            shutil.rmtree(old, ignore_errors=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _write_texts(found: Iterator[str], folder: Path) -> tuple[int, int]:
    """Write tokenized.0 and offset.0; the number of texts and of bytes."""
    offsets, size = [], 0
    with (folder / "tokenized.0").open("wb") as file:
        for text in found:
            offsets.append(size)
            size += file.write(_SEPARATOR + text.encode("utf-8", "replace"))
    if not offsets:
        raise FindlibError("the corpus holds no text to index")
    np.array(offsets, dtype="<u8").tofile(folder / "offset.0")
    return len(offsets), size


def _sort(folder: Path, size: int, mem: int) -> str:
    """Write table.0, the suffix array, and name who did; without the package there is none.

    A corpus that fits into memory is one part, and the package's sorted part is the table:
    its merge step is left out, which takes hours where texts repeat.
    """
    package = importlib.util.find_spec("infini_gram")
    if package is None or not package.origin:
        return "scan"
    width = math.ceil(math.log2(size) / 8)  # bytes of a place in the table
    program = Path(package.origin).with_name("rust_indexing")
    if size * _BYTES_A_BYTE <= mem * 1024**3 and program.is_file():
        parts = folder / "parts"
        parts.mkdir()
        _call([str(program), "make-part", "--data-file", str(folder / "tokenized.0"),
               "--parts-dir", str(parts), "--start-byte", "0", "--end-byte", str(size),
               "--ratio", str(width), "--token-width", "1"])  # fmt: skip
        (parts / f"0-{size}").rename(folder / "table.0")
        parts.rmdir()
    else:
        _index_in_parts(folder, mem)
    if (folder / "table.0").stat().st_size != size * width:
        raise FindlibError("infini-gram left an incomplete table; is the disk full?")
    return f"infini-gram {version('infini-gram')}"


def _index_in_parts(folder: Path, mem: int) -> None:
    """The package's own indexing; through a link, for its shell commands quote no path."""
    import resource

    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with tempfile.TemporaryDirectory(prefix="findlib-") as plain:
        link = Path(plain) / "index"
        if re.search(r"[^\w./+-]", str(link)):
            raise FindlibError(f"{plain}: TMPDIR must be a path of letters and digits")
        link.symlink_to(folder.resolve(), target_is_directory=True)
        _call([sys.executable, "-m", "infini_gram.indexing", "--data_dir", str(link),
               "--save_dir", str(link), "--token_dtype", "u8", "--cpus", "1", "--mem", str(mem),
               "--ulimit", str(files if 0 < files < 2**20 else 2**16)])  # fmt: skip


def _call(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = clean((done.stderr or done.stdout)[-300:])
        raise FindlibError(
            f"infini-gram could not sort the corpus (exit {done.returncode}): {said}"
        )


def main(words: list[str] | None = None) -> int:
    """The command line, ``python -m findlib.indexing CORPUS OUT``; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m findlib.indexing", description=__doc__)
    parser.add_argument("corpus", help=f"a {', '.join(SUFFIXES)} file, or a folder of them")
    parser.add_argument("out", help="folder for the index")
    parser.add_argument("--mem", type=int, default=4, help="GiB of memory for sorting")
    parser.add_argument("--stride", type=int, default=1, help="of the portrait: 1 to 50")
    parser.add_argument("--rate", type=float, default=1e-3, help="the portrait's false positives")
    asked = parser.parse_args(words)
    try:
        out = output() / Path(asked.out).expanduser()
        about = build(source(asked.corpus), out, asked.mem, stride=asked.stride, rate=asked.rate)
    except FindlibError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{out}: {about.texts} texts, {about.bytes:,} bytes, counted by {about.counted_by}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
