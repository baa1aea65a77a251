"""Where files lie, how a file is written whole or not at all, and the error users see."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FindlibError(Exception):
    """Bad input or a step that cannot go on: one line that says what, where and the mend."""


def root() -> Path:
    """The repository's root folder (the current folder for an installed package)."""
    here = Path(__file__).resolve().parent.parent
    return here if (here / "notebooks").is_dir() else Path.cwd()


def output() -> Path:
    """The folder that takes runs, figures and the cache: ``FINDLIB_OUTPUT``, else the root."""
    return Path(os.environ.get("FINDLIB_OUTPUT") or root()).resolve()


def source(path: str | Path) -> Path:
    """An input path: absolute, or relative to the repository's root.

    Raises FindlibError when nothing is there.
    """
    try:
        found = (root() / Path(path).expanduser()).resolve()
        there = found.exists()
    except (OSError, ValueError, RuntimeError):
        there = False
    if not there:
        raise FindlibError(f"no such file or folder: {path} (relative paths start at {root()})")
    return found


def run_folder(run: str) -> Path:
    """The folder of one run, created when absent; its name is one plain path component."""
    if not run or run.startswith(".") or Path(run).name != run:
        raise FindlibError(f"run name {run!r} must be a plain folder name, such as 'sample'")
    folder = output() / "runs" / run
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def package(name: str) -> Path:
    """A file that ships inside the package, e.g. ``prompts/find.user.txt``."""
    return Path(__file__).resolve().parent / name


def sha256(content: bytes | str) -> str:
    """Hex SHA-256 of bytes, or of a text's UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Write to a temporary neighbour, then move it: a reader never sees half a file.

    >>> import tempfile; target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with whole(target) as partial: _ = partial.write_text("done")
    >>> target.read_text()
    'done'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> Path:
    """Write a UTF-8 text file whole, with line feeds as they are; returns the path."""
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="")
    return path


def figures_folder(folder: str) -> Path:
    """Where figures and tables of a run are written, created when absent."""
    path = output() / folder
    path.mkdir(parents=True, exist_ok=True)
    return path
