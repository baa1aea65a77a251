"""Responses on disk: a sqlite cache that is written to, over recorded files that are not."""

from __future__ import annotations

import gzip
import json
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .paths import FindlibError, output, root, sha256, whole


def request_key(request: Mapping[str, Any]) -> str:
    """SHA-256 of the whole request as canonical JSON: two requests share it only if equal.

    >>> request_key({"a": 1, "b": 2}) == request_key({"b": 2, "a": 1})
    True
    """
    return sha256(json.dumps(request, sort_keys=True, ensure_ascii=False, allow_nan=False))


def default_path() -> Path:
    """Where responses are kept when no other file is named."""
    return output() / "cache" / "responses.sqlite"


class Cache:
    """Responses by request key; safe for threads and for several processes at once.

    A response is committed before `put` returns. ``recorded`` files are read first and
    never written.
    """

    def __init__(self, path: Path | None = None, recorded: Iterable[Path] | None = None) -> None:
        self.path = path or default_path()
        self._lock = threading.Lock()
        self._recorded: dict[str, dict[str, Any]] = {}
        for file in recorded_files() if recorded is None else recorded:
            self._recorded.update(read_recorded(file))
        self._connection = _open(self.path)

    def get(self, key: str) -> tuple[dict[str, Any], str] | None:
        """The stored response and its layer ("recorded" or "cache"), or None."""
        if key in self._recorded:
            return self._recorded[key], "recorded"
        with self._lock:
            row = self._connection.execute(
                "SELECT response FROM responses WHERE key = ?", (key,)
            ).fetchone()
        return (json.loads(row[0]), "cache") if row else None

    def put(self, key: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        """Store a response for good; a second one for the same key is ignored."""
        row = (key, json.dumps(request, ensure_ascii=False), json.dumps(response, default=str))
        with self._lock, self._connection:
            self._connection.execute("INSERT OR IGNORE INTO responses VALUES (?, ?, ?)", row)

    def spent(self) -> float:
        """USD paid for all responses in the cache."""
        with self._lock:
            rows = self._connection.execute("SELECT response FROM responses").fetchall()
        return sum(json.loads(row[0]).get("cost_usd") or 0.0 for row in rows)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS responses "
            "(key TEXT PRIMARY KEY, request TEXT NOT NULL, response TEXT NOT NULL)"
        )
        connection.commit()
    except (sqlite3.Error, OSError) as error:
        raise FindlibError(
            f"{path}: the response cache cannot be opened ({error}); move the file away, or "
            "point FINDLIB_OUTPUT at a folder you can write to"
        ) from None
    return connection


def recorded_files() -> list[Path]:
    """The recorded layer that ships with the repository."""
    return sorted((root() / "data" / "recorded").glob("*.jsonl.gz"))


def read_recorded(file: Path) -> dict[str, dict[str, Any]]:
    """Responses by key from one recorded file."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return {row["key"]: row["response"] for row in rows}
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise FindlibError(f"{file}: not a recorded file ({error}); restore it with git") from None


def write_recorded(file: Path, rows: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write a recorded file: sorted by key, same rows same bytes."""
    lines = [
        json.dumps({"key": key, "response": rows[key]}, sort_keys=True) + "\n"
        for key in sorted(rows)
    ]
    with whole(file) as partial:
        partial.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    return file
