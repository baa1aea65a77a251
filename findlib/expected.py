"""The numbers a stage states, and their check against figures/expected.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .paths import FindlibError, root, run_folder, write_text

Numbers = Mapping[str, float | int | str]


def file() -> Path:
    """The expected numbers of the default run, by stage."""
    return root() / "figures" / "expected.json"


def state(run: str, stage: str, numbers: Numbers) -> Path:
    """Write a stage's numbers into the run folder: numbers/<stage>.json."""
    return write_text(run_folder(run) / "numbers" / f"{stage}.json", as_text(numbers))


def stated(run: str) -> dict[str, dict[str, Any]]:
    """All numbers stated in a run, by stage."""
    files = sorted((run_folder(run) / "numbers").glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files}


def check(run: str, stage: str, numbers: Numbers, tolerance: float = 1e-6) -> str:
    """State the numbers and compare them with the expected ones of the default run.

    Texts (hashes, signatures) say whether the run is the default one: where they differ,
    nothing is compared. Returns one line on the outcome. Raises FindlibError naming every
    number that is off by more than ``tolerance`` (relative, and absolute near 0).
    """
    state(run, stage, numbers)
    try:
        wanted = json.loads(file().read_text(encoding="utf-8")).get(stage, {})
    except FileNotFoundError:
        wanted = {}
    other = [k for k, v in wanted.items() if isinstance(v, str) and numbers.get(k) != v]
    if not wanted or other:
        why = f"{', '.join(other)} differ(s) from the default run" if other else "none are kept"
        return f"{stage}: {len(numbers)} numbers, not compared with expected.json ({why})"
    off = [
        f"{name}: {numbers.get(name)} where {value} is expected"
        for name, value in wanted.items()
        if not isinstance(value, str) and not _close(numbers.get(name), value, tolerance)
    ]
    if off:
        raise FindlibError(
            f"{stage}: {len(off)} number(s) differ from figures/expected.json: {'; '.join(off)}; "
            "if the change is meant, run `make expected` and say so in CHANGELOG.md"
        )
    return f"{stage}: all {len(wanted)} numbers as in figures/expected.json"


def keep(*runs: str) -> Path:
    """Make the numbers of these runs, whose stages differ, the expected ones."""
    numbers = {stage: known for run in runs for stage, known in stated(run).items()}
    return write_text(file(), json.dumps(numbers, indent=1, sort_keys=True) + "\n")


def _close(value: Any, wanted: float, tolerance: float) -> bool:
    if value is None or isinstance(value, str):
        return False
    both_nan = math.isnan(value) and math.isnan(wanted)
    return both_nan or math.isclose(value, wanted, rel_tol=tolerance, abs_tol=tolerance)


def as_text(numbers: Mapping[str, Any]) -> str:
    """Numbers as JSON, sorted."""
    return json.dumps(dict(numbers), indent=1, sort_keys=True) + "\n"
