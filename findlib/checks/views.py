"""A table as integer arrays, seen down its columns and across its rows."""

from __future__ import annotations

import re

import numpy as np

from .grid import Table
from .relations import View

TOTAL = re.compile(r"\b(?:sub)?-?totals?\b|^sum\b", re.I)
_LIKELY = re.compile(
    r"\b(?:net|gross|income|loss|earnings|profit|balances?|end(?:ing)?|closing|consolidated|overall"
    r"|combined|worldwide|all|comprehensive|provided|used|generated|equity|margin|ebitda?|adjusted"
    r"|increase|decrease|change|variance|company)\b", re.I,
)  # fmt: skip
_MINUS = re.compile(r"^(?:less|deduct|minus)\b|\bless:", re.I)
_SKIP = re.compile(
    r"%|\bper\s+(?:\w+\s+){0,3}(?:share|unit|ads|sq|square|ton|barrel|day|person|capita|store)"
    r"|\bpercent|\brates?$|\bratios?\b|basis points|\bbps\b|\byield$|\bmultiple$|\bEPS\b",
    re.I,
)
_NOT_ADDED = re.compile(
    r"%|\bpercent|\baverages?\b|\bprices?\b|\brates?\b|\bratio\b|\byield\b|per share|\bper unit"
    r"|\bterm\b|\blife\b|\bpage\b", re.I,
)  # fmt: skip
_NOTE = re.compile(r"\([^()]*\)")  # "dividends ($1.20 per share)" is an amount
_WORDS = re.compile(r"[a-z]+")
_MOST = 4  # decimals of numbers that are added


class Numbers:
    """The numbers of a table: integer ``values`` in units of 10 ** -``decimals``."""

    def __init__(self, table: Table) -> None:
        shape = (len(table.rows), table.width)
        self.table = table
        self.decimals = 0
        self.values = np.zeros(shape, dtype=np.int64)
        self.step = np.ones(shape, dtype=np.int64)
        self.present = np.zeros(shape, dtype=bool)
        self.percent = np.zeros(shape, dtype=bool)
        places = np.zeros(shape, dtype=int)
        cells = [(r, c, cell.number) for r, row in enumerate(table.rows)
                 for c, cell in row.numbers.items() if cell.number]  # fmt: skip
        kept = [x for x in cells if x[2].decimals <= _MOST and abs(x[2].value) < 1e12]
        self.decimals = max((n.decimals for _, _, n in kept), default=0)
        scale = 10**self.decimals
        for r, c, n in kept:
            self.values[r, c] = round(n.value * scale)
            self.present[r, c] = True
            self.percent[r, c] = n.percent
            places[r, c] = n.decimals
            self.step[r, c] = 1 if n.dash else 10 ** (self.decimals - n.decimals)
        self.dash = np.zeros(shape, dtype=bool)
        for r, c, n in kept:
            self.dash[r, c] = n.dash
        self.mark_units(places)

    def mark_units(self, places: np.ndarray) -> None:
        """Which rows and columns hold percentages or other numbers that are not added."""
        numbers = self.present & ~self.dash
        percent = numbers & self.percent
        large = numbers & ~percent & (np.abs(self.values) >= 1000 * 10**self.decimals)
        mostly = percent.sum() > 0.6 * max(numbers.sum(), 1)
        self.percent_table = bool(mostly and large.any(1).sum() < 2)
        heads = self.table.headers
        labels = [_NOTE.sub("", r.label) for r in self.table.rows]
        self.fine_column: np.ndarray = np.zeros(len(heads), dtype=bool)
        self.percent_column: np.ndarray = np.zeros(len(heads), dtype=bool)
        self.skip_row: np.ndarray = ~np.asarray(self.present.any(1))
        self.skip_column = self.percent_column.copy()
        self.doubtful = self.percent_column.copy()
        if self.percent_table:
            return
        named = np.array(["%" in h or "percent" in h.lower() for h in heads], dtype=bool)
        clear = named | (_share(percent, numbers, 0) > 0.5)
        self.skip_row |= _share(percent & ~clear, numbers & ~clear, 1) > 0.5
        self.skip_row |= np.array([bool(_SKIP.search(x)) for x in labels], dtype=bool)
        self._mark_fine(numbers, places)
        self.percent_column = clear | (percent & ~self.skip_row[:, None]).any(0)
        self.skip_column = self.percent_column | self.fine_column
        plain = [_NOTE.sub("", h) for h in heads]
        self.doubtful = np.array([bool(_NOT_ADDED.search(h)) for h in plain], dtype=bool)

    def _mark_fine(self, numbers: np.ndarray, places: np.ndarray) -> None:
        """Rows and columns of small numbers with decimals among large whole ones."""
        large = np.abs(self.values) >= 1000 * 10**self.decimals
        whole = numbers & (places == 0)
        for axis, marked in ((0, self.fine_column), (1, self.skip_row)):
            counted = numbers if axis == 0 else numbers & ~self.fine_column
            small = ~(counted & large).any(axis)
            fine = small & (_share(counted & (places >= 1 + axis), counted, axis) > 0.5)
            rough = ((whole & large).sum(axis) > 0) & (_share(whole, counted, axis) > 0.5)
            if rough.any():
                marked |= fine

    def down(self) -> View:
        """Lines are rows, positions columns."""
        labels = [r.label for r in self.table.rows]
        return View(
            self.values,
            self.present,
            self.step,
            np.asarray(~self.skip_row),
            ~self.skip_column,
            ~self.doubtful,
            np.array([prior(x) for x in labels]),
            np.array([bool(_MINUS.search(x)) for x in labels]),
            self._starts(labels),
            self._homes(labels),
            10**self.decimals,
        )

    def across(self) -> View:
        """Lines are columns, positions rows."""
        heads = self.table.headers
        rows = np.asarray(self.present.any(1) if self.percent_table else ~self.skip_row)
        return View(
            self.values.T,
            self.present.T,
            self.step.T,
            self.present.any(0) & ~(self.percent_column | self.fine_column),
            rows,
            rows,
            np.array([prior(x) for x in heads]),
            np.array([bool(_MINUS.search(x)) for x in heads]),
            np.zeros(len(heads)),
            np.full(len(heads), -1),
            10**self.decimals,
        )

    def _starts(self, labels: list[str]) -> np.ndarray:
        """What speaks for a sum that begins at a row, in digits: a heading or a total above."""
        first = np.flatnonzero(~self.skip_row)
        starts = np.zeros(len(labels))
        for i in range(1, len(labels)):
            head = bool(labels[i - 1]) and not self.present[i - 1].any()
            starts[i] = 0.5 if head or TOTAL.search(labels[i - 1]) else 0.0
        starts[first[:1]] = 0.5
        return starts

    def _homes(self, labels: list[str]) -> np.ndarray:
        """For each "Total X" the row after the heading "X", or -1."""
        homes = np.full(len(labels), -1)
        heads: dict[str, int] = {}
        for i, label in enumerate(labels):
            words = " ".join(_WORDS.findall(label.lower()))
            if not self.present[i].any():
                heads[words] = i + 1
            elif TOTAL.search(label):
                name = " ".join(w for w in words.split() if not TOTAL.search(w))
                homes[i] = heads.get(name, -1)
        return homes


def _share(part: np.ndarray, whole: np.ndarray, axis: int) -> np.ndarray:
    """Share of ``whole`` that is ``part`` along an axis; 0 where there is nothing."""
    return part.sum(axis) / np.maximum(whole.sum(axis), 1)


def prior(label: str) -> float:
    """Digits of evidence that a label is worth: a total 1.5, "net", "income" or none 0.8."""
    if TOTAL.search(label):
        return 1.5
    return 0.8 if not label.strip() or _LIKELY.search(label) else 0.0
