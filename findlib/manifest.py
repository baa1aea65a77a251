"""The manifest of a run: where every number came from; and the signature that tables carry."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from . import __version__, models
from .data import corpus_sha256
from .models import ModelSpec
from .paths import package, root, sha256, write_text
from .records import STATUSES, Document
from .runner import Response


def build(
    documents: Sequence[Document],
    specs: Sequence[ModelSpec],
    responses: Sequence[Response],
    merged: pd.DataFrame,
    prompts: Sequence[str],
    settings: dict[str, Any],
) -> dict[str, Any]:
    """What a run was made of: code version, data and prompt hashes, models with the settings
    sent and refused, counts by status, by layer, tokens and cost per model.

    ``merged`` is `find.responses_table`, for the counts of documents by status.
    ``settings`` are the notebook's own parameters. No key, no path of the machine.
    """
    return {
        "findlib": __version__,
        "code": code_version(),
        "documents": len(documents),
        "data_sha256": corpus_sha256(documents),
        "prompts_sha256": {name: _prompt_hash(name) for name in prompts},
        "parameters": settings,
        "models": [_model(spec, responses, merged, settings.get("settings", {})) for spec in specs],
    }


def _model(
    spec: ModelSpec,
    responses: Sequence[Response],
    merged: pd.DataFrame,
    requested: dict[str, Any],
) -> dict[str, Any]:
    mine = [response for response in responses if response.model == spec.name]
    sent, refused = models.settings(spec, requested)
    documents = merged.status[merged.model == spec.name]
    return {
        **models.describe([spec])[0],
        "settings_sent": sent,
        "settings_refused": refused,
        "requests": len(mine),
        "requests_by_status": _counts([response.status for response in mine]),
        "documents": len(documents),
        "documents_by_status": _counts(list(documents)),
        "by_layer": dict(sorted(Counter(r.layer or "failed" for r in mine).items())),
        "prompt_tokens": sum(r.prompt_tokens for r in mine),
        "completion_tokens": sum(r.completion_tokens for r in mine),
        "cost_usd": round(sum(r.cost_usd for r in mine), 6),
    }


def _counts(statuses: Sequence[str]) -> dict[str, int]:
    counts = Counter(statuses)
    return {status: counts[status] for status in STATUSES if counts[status]}


def write(folder: Path, content: dict[str, Any]) -> Path:
    """Write manifest.json."""
    return write_text(
        folder / "manifest.json", json.dumps(content, indent=1, sort_keys=True) + "\n"
    )


def read(folder: Path) -> dict[str, Any]:
    """Read manifest.json."""
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def signature(documents: Sequence[Document], *parts: str) -> str:
    """One line that says what a table was computed from, in sacrebleu's manner.

    >>> from findlib import data
    >>> signature(data.load_find("data/sample"), "judge:none").split("|")[1]
    'judge:none'
    """
    corpus = f"data:{corpus_sha256(documents)[:12]} ({len(documents)} documents)"
    return "|".join([corpus, *parts, f"findlib:{__version__}"])


def run_signature(documents: Sequence[Document], content: dict[str, Any]) -> str:
    """The signature of a graded run, from its manifest."""
    names = " ".join(
        model["name"] + (f" (grammar: {model['constraint']})" if model["constraint"] else "")
        for model in content["models"]
    )
    names = " ".join([names, *content.get("derived", [])])
    grading = content["grading"]
    return signature(
        documents, f"models:{names}", f"reading:{content['parameters']['reading']}",
        f"evidence:{grading['evidence']}", f"description:{grading['description']}",
        f"judge:{grading['judge']}",
    )  # fmt: skip


def code_version() -> str:
    """The git commit of the code, with "+" where tracked files were changed; else the version."""
    try:
        text = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
            cwd=root(), capture_output=True, text=True, timeout=20, check=True,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return __version__
    return text or __version__


def _prompt_hash(name: str) -> str:
    return sha256(package(f"prompts/{name}").read_bytes())
