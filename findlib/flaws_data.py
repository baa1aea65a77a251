"""FindTheFlaws' sets: from the authors' archive, in memory, or from files of the same shape."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import flaws_rows
from .data import jsonl_rows
from .flaws_items import SETS, Item, expert_error
from .flaws_rows import Rows
from .paths import FindlibError, output, source
from .records import Document

PASSWORD = b"findtheflaws"  # published by the authors, to keep the texts out of training corpora
URL = "https://github.com/modulo-research/findtheflaws/raw/main/datasets.zip"
SHA256 = "710bc9b9d0b99226372062592d2072b39b0b7bc7ecfabc6698f334c6342fafd0"
MOST_BYTES = 200_000_000  # unpacked


def load(path: str | Path, sets: Sequence[str] = (), reliable: bool = True) -> list[Item]:
    """The items of the named sets (all that are there for none), in the order of SETS and file.

    ``path``: the authors' archive (.zip, decrypted in memory only), or a folder with the
    same files as .csv or .jsonl. ``reliable``: without the items flagged unreliable
    (sections 4.1.2 to 4.1.4). Raises FindlibError naming file, row, column and the mend.

    >>> items = load("data/sample/flaws", ["medqa"])
    >>> items[0].item_id, items[0].gold
    ('medqa/s-med-1', 'FLAWED')
    """
    unknown = [name for name in sets if name not in SETS]
    if unknown:
        raise FindlibError(f"unknown set(s) {unknown}; known: {', '.join(SETS)}")
    where = source(path)
    files = _archive(where) if where.is_file() else _folder(where)
    wanted = [name for name in SETS if name in sets or not sets]
    missing = [name for name in sets if SETS[name][0] not in files]
    if missing or not files:
        raise FindlibError(f"{path}: holds no {SETS[missing[0]][0] if missing else 'known set'}; "
                           "see data/README.md for the files")  # fmt: skip
    items = [item for name in wanted if SETS[name][0] in files
             for item in flaws_rows.items(name, files[SETS[name][0]])]  # fmt: skip
    name, times = Counter(item.item_id for item in items).most_common(1)[0] if items else ("", 0)
    if times > 1:
        raise FindlibError(f"{path}: {name!r} stands there {times} times; ids must be unique")
    kept = [item for item in items if item.reliable or not reliable]
    if not kept:
        raise FindlibError(f"{path}: no item in {', '.join(wanted)}; name other sets or rows")
    return kept


def origin(items: Sequence[Item]) -> str:
    """What signatures say of where items are from, beside their hash."""
    released = sum(item.released for item in items)
    if released == len(items) and items:
        return "the released sets"
    return "not the released sets" if not released else f"{released} of the released sets"


def download(folder: str | Path = "data/raw", url: str = URL, sha256: str = SHA256) -> Path:
    """Fetch the authors' archive once and check its checksum (pooch); returns its path.

    It stays encrypted on disk. Raises FindlibError when it cannot be had or differs.
    """
    import pooch

    target = output() / folder
    pooch.get_logger().setLevel("ERROR")
    try:
        return Path(pooch.retrieve(url, f"sha256:{sha256}", "findtheflaws.zip", target))
    except Exception as error:
        raise FindlibError(
            f"{url}: not fetched ({type(error).__name__}: {' '.join(str(error).split())[:200]}); "
            f"put the authors' datasets.zip at {folder}/findtheflaws.zip yourself"
        ) from None


def _archive(path: Path) -> dict[str, Rows]:
    """File stem -> its rows, from an encrypted archive; nothing is written anywhere."""
    import pyzipper

    try:
        with pyzipper.AESZipFile(path) as archive:
            archive.setpassword(PASSWORD)
            names = {_stem(name): name for name in archive.namelist() if name.endswith(".csv")}
            if sum(info.file_size for info in archive.infolist()) > MOST_BYTES:
                raise FindlibError(f"{path}: unpacks to over {MOST_BYTES:,} bytes")
            texts = {stem: archive.read(name) for stem, name in names.items() if _known(stem)}
    except (pyzipper.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
        raise FindlibError(
            f"{path}: not the authors' archive of FindTheFlaws ({error}); download it again"
        ) from None
    return {stem: _csv(f"{path}, {names[stem]}", content) for stem, content in texts.items()}


def _folder(path: Path) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    for file in sorted(path.glob("*")):
        if file.suffix == ".csv" and _known(_stem(file.name)):
            found[_stem(file.name)] = _csv(str(file), file.read_bytes())
        elif file.suffix == ".jsonl" and _known(_stem(file.name)):
            found[_stem(file.name)] = _jsonl(file)
    return found


def _stem(name: str) -> str:
    return Path(name).stem.removesuffix("_final")


def _known(stem: str) -> bool:
    return stem in {file for file, _ in SETS.values()}


def _csv(where: str, content: bytes) -> Rows:
    def rows() -> Iterator[tuple[str, Mapping[str, Any]]]:
        try:
            text = content.decode("utf-8-sig")
            for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), start=1):
                yield f"{where}, row {number}", row
        except (UnicodeDecodeError, csv.Error) as error:
            raise FindlibError(f"{where}: not a CSV file in UTF-8 ({error})") from None

    return rows


def _jsonl(file: Path) -> Rows:
    def rows() -> Iterator[tuple[str, Mapping[str, Any]]]:
        for number, row in jsonl_rows(file):
            yield f"{file}, line {number}", row

    return rows


def select(items: Sequence[Item], limit: int = 0) -> list[Item]:
    """The items of the first ``limit`` questions of each set (0 for all), in order.

    Raises FindlibError for a negative limit.
    """
    if limit < 0:
        raise FindlibError(f"limit {limit} is negative; use 0 for all questions")
    place: dict[str, dict[str, int]] = {}
    for item in items:
        questions = place.setdefault(item.dataset, {})
        questions.setdefault(item.question_id, len(questions))
    return [i for i in items if not limit or place[i.dataset][i.question_id] < limit]


def as_documents(items: Iterable[Item]) -> list[Document]:
    """The items as Documents, for the data hash of manifests and signatures."""
    return [
        Document(i.item_id, f"{i.question}\n{i.code}\n{i.solution}", i.dataset,
                 i.error or "\n".join(f"{s.label} {expert_error(s)}" for s in i.sentences),
                 error_type=i.gold)
        for i in items
    ]  # fmt: skip
