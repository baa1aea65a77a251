"""The figures, in one style, with one colour a model; each written with data and caption."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from .paths import package, whole, write_text

WIDTH = 6.3  # inches, a text block
EPOCH = "1767225600"  # 2026-01-01: the date written into every figure

# one colour and marker a model, everywhere; the rest take the last one
COLOURS = {
    "smollm2-135m": ("#000000", "o"),
    "rules": ("#cc3311", "D"),
    "gpt-5": ("#4477aa", "s"),
    "gpt-5-mini": ("#88bbee", "s"),
    "gpt-oss-20b": ("#bbaa44", "P"),
    "gpt-oss-120b": ("#887722", "P"),
    "o3": ("#aa3377", "v"),
    "o3-mini": ("#dd88bb", "v"),
    "sonnet-v4": ("#ee7733", "X"),
    "gemini-2.5-pro": ("#228833", "^"),
    "gemini-2.5-flash": ("#77cc88", "^"),
    "gemma-3-12b-it": ("#66ccee", "<"),
    "gemma-3-27b-it": ("#118899", "<"),
    "claude-3.5-sonnet": ("#ffaa77", "X"),
    "claude-3.7-sonnet": ("#bb5511", "X"),
    "gpt-4o": ("#004488", "s"),
    "": ("#999999", "."),
}
TYPE_COLOURS = {"numeric": "#4477aa", "non-numeric": "#ee7733", "structural": "#228833"}
TYPE_MARKERS = {"numeric": "s", "non-numeric": "o", "structural": "^"}
MARK, FOUND = "#ffdd88", "#4477aa"


@dataclass(frozen=True)
class Figure:
    """A drawn figure: its file name, matplotlib figure, caption and the data behind it."""

    name: str
    drawn: Any
    caption: str
    values: pd.DataFrame

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        with style():
            self.drawn.savefig(image, format="png", dpi=100)
        return image.getvalue()


@contextmanager
def style() -> Iterator[Any]:
    """Matplotlib with the project's style, whatever the user has set."""
    from matplotlib import pyplot, rc_context, rcdefaults

    with rc_context():
        rcdefaults()
        pyplot.style.use(str(package("findlib.mplstyle")))
        yield pyplot


def write(figure: Figure, folder: Path) -> Path:
    """Write ``<name>.pdf``, ``.png``, ``.csv`` and the caption ``.md``; same figure, same
    bytes: the date is SOURCE_DATE_EPOCH, or EPOCH where that is not set."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH)
    with style() as pyplot:
        for ending in ("pdf", "png"):
            with whole(folder / f"{figure.name}.{ending}") as partial:
                figure.drawn.savefig(partial, format=ending)
        pyplot.close(figure.drawn)
    write_text(
        folder / f"{figure.name}.csv", figure.values.to_csv(index=False, lineterminator="\n")
    )
    return write_text(folder / f"{figure.name}.md", figure.caption + "\n")
