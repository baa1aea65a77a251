"""A result table with its signature, and how it is written: CSV, Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from .paths import write_text
from .records import SOURCES

PRINTED = "FIND, as printed"
FIND_SOURCES = ("BLS", "PRE", "SEC", "EMM", "PG")


@dataclass(frozen=True)
class Table:
    """One table: what is shown (text cells), the numbers behind it, and where it is from."""

    name: str
    title: str
    shown: pd.DataFrame
    values: pd.DataFrame
    signature: str
    notes: tuple[str, ...] = ()

    def _repr_markdown_(self) -> str:
        return markdown(self)


def write(table: Table, folder: Path) -> Path:
    """Write ``<name>.csv`` (the numbers), ``.md`` and ``.tex``; returns the .md path."""
    write_text(folder / f"{table.name}.csv", table.values.to_csv(index=False, lineterminator="\n"))
    write_text(folder / f"{table.name}.tex", latex(table))
    return write_text(folder / f"{table.name}.md", markdown(table))


def markdown(table: Table) -> str:
    """The table in Markdown: title, cells, notes, signature."""

    def line(cells: Sequence[object]) -> str:
        return (
            "| " + " | ".join(str(c).replace("|", "\\|").replace("\n", " ") for c in cells) + " |"
        )

    head = [line(table.shown.columns), line(["---"] * len(table.shown.columns))]
    rows = [line(row) for row in table.shown.itertuples(index=False)]
    notes = [f"- {note}" for note in table.notes]
    parts = [f"**{table.title}**", "", *head, *rows, "", *notes, "", f"`{table.signature}`", ""]
    return "\n".join(parts)


def latex(table: Table) -> str:
    """The table in LaTeX (booktabs)."""

    def line(cells: Sequence[object]) -> str:
        return " & ".join(_tex(str(cell)) for cell in cells) + r" \\"

    columns = "l" * len(table.shown.columns)
    return "\n".join([
        r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{columns}}}", r"\toprule",
        line(table.shown.columns), r"\midrule",
        *(line(row) for row in table.shown.itertuples(index=False)),
        r"\bottomrule", r"\end{tabular}",
        rf"\caption{{{_tex(table.title)} {' '.join(map(_tex, table.notes))}}}",
        rf"% {table.signature}", r"\end{table}", "",
    ])  # fmt: skip


_TEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "±": r"$\pm$", "–": "--", "ε": r"$\varepsilon$", "Î": r"$\hat{\mathcal{I}}$"}  # fmt: skip


def _tex(text: str) -> str:
    bold = text.startswith("**") and "**" in text[2:]
    inner, _, rest = text[2:].partition("**") if bold else (text, "", "")
    inner, rest = ("".join(_TEX.get(c, c) for c in part) for part in (inner, rest))
    return rf"\textbf{{{inner}}}{rest}" if bold else inner


def header(source: str) -> str:
    """A source's column header, with its published twin where that has another name.

    >>> header("S-MUN"), header("SEC")
    ('S-MUN / EMM', 'SEC')
    """
    twin = SOURCES[source][1]
    return f"{source} / {twin}" if twin and twin != source else source


def duration(seconds: float) -> str:
    """Seconds as "4.2s", "3.1m" or "1.5h"."""
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, hours = seconds / 60, seconds / 3600
    return f"{minutes:.1f}m" if minutes < 60 else f"{hours:.1f}h"


def number(value: float, form: str) -> str:
    """A number in a format, a dash for NaN."""
    return "–" if pd.isna(value) else f"{value:{form}}"


def whole_number(value: Any) -> str:
    """A count, a dash for none."""
    return "–" if value is None or pd.isna(value) else str(int(value))
