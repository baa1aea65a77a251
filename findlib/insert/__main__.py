"""``python -m findlib.insert DOCS OUT.jsonl --n 200 --seed 7``: a data set from documents."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from ..paths import FindlibError
from . import KINDS
from .dataset import Dataset, dataset, report, texts, write


def main(words: list[str] | None = None) -> int:
    """Make and write the data set; prints what was made and refused. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m findlib.insert", description=__doc__)
    parser.add_argument("documents", help="a folder of text files, or one file")
    parser.add_argument("out", help="the .jsonl file to write; controls go to *.controls.jsonl")
    parser.add_argument("--n", type=int, default=200, help="documents, controls included")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), help=", ".join(KINDS))
    parser.add_argument("--controls", type=float, default=0.0, help="share left unchanged, 0 to 1")
    parser.add_argument("--writer", default="", help="a model that writes non-numeric ones instead")
    parser.add_argument("--checker", default="", help="the model that checks them, not the writer")
    parser.add_argument("--model-file", default=None, help="a YAML file of models")
    parser.add_argument("--budget-usd", type=float, default=None, help="for paid models")
    asked = parser.parse_args(words)
    try:
        found = _written(asked) if asked.writer else _inserted(asked)
        paths = write(found, asked.out)
    except FindlibError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(report(found))
    for path in paths:
        print(path)
    return 0


def _inserted(asked: argparse.Namespace) -> Dataset:
    return dataset(asked.documents, asked.n, asked.seed, asked.kinds, asked.controls)


def _written(asked: argparse.Namespace) -> Dataset:
    """One document a text, by a writing and a checking model, of at most ``n`` texts."""
    from .. import models
    from .by_model import by_model

    if asked.checker in ("", asked.writer):
        raise FindlibError("insert: name a --checker that is not the writer")
    writer, checker = (models.get(m, asked.model_file) for m in (asked.writer, asked.checker))
    chosen = dict(list(texts(asked.documents).items())[: asked.n])
    found = by_model(chosen, writer, checker, asked.seed, budget_usd=asked.budget_usd)
    if not found.documents:
        raise FindlibError(f"insert: nothing passed: {next(iter(found.refused.values()))}")
    refused = Counter(("written", why) for why in found.refused.values())
    return Dataset(found.documents, (), {"written": len(found.documents)}, refused)


if __name__ == "__main__":
    sys.exit(main())
