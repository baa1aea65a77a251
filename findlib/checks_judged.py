"""Findings on unchanged documents judged by hand: the sheet, the verdicts, what they still say.

A judgment is a fact: document, kind of check, place, verdict and why. It holds no text of the
document, and stays true as long as the same check gives the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from .evidence import locate_all
from .paths import FindlibError, source
from .records import Answer

Find = Callable[[str], list[Answer]]
Span = tuple[int, int]
VERDICTS = ("real", "not", "unsure")
_PLACE = ["doc_id", "kind", "start", "end"]
JUDGMENTS = (*_PLACE, "verdict", "why")


def places(answer: Answer, text: str) -> list[Span]:
    """Where an answer's evidence stands: its own places, else every occurrence of its spans."""
    if answer.places:
        return list(answer.places)
    return [(at.start, at.end) for span in answer.evidence for at in locate_all(span, text)]


def extent(answer: Answer, text: str) -> Span:
    """The first and last character of an answer's evidence; (0, 0) where none is found."""
    spans = places(answer, text) or [(0, 0)]
    return min(start for start, _ in spans), max(end for _, end in spans)


def sheet(findings: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """``n`` findings drawn at random for judgment by hand: columns JUDGMENTS, verdict empty."""
    drawn = findings.sample(min(n, len(findings)), random_state=seed).assign(verdict="", why="")
    ordered = drawn.sort_values(["doc_id", "start", "end", "kind"], ignore_index=True)
    return ordered[list(JUDGMENTS)]


def judgments(path: str | Path = "data/checks/judgments.csv") -> pd.DataFrame:
    """The judged findings; raises FindlibError for a verdict or place that is none."""
    table = pd.read_csv(source(path), dtype=str, keep_default_na=False)
    if missing := [c for c in JUDGMENTS if c not in table]:
        raise FindlibError(
            f"{path}: lacks the column {missing[0]}; it needs {', '.join(JUDGMENTS)}"
        )
    for i, row in enumerate(table.itertuples(index=False), start=2):
        if row.verdict not in VERDICTS:
            raise FindlibError(f"{path}, line {i}: verdict {row.verdict!r} is none of {VERDICTS}")
        if not (row.start.isdigit() and row.end.isdigit()):
            raise FindlibError(f"{path}, line {i}: start and end must be character offsets")
    return table.astype({"start": int, "end": int})


def shown(drawn: pd.DataFrame, documents: Mapping[str, str], find: Find) -> str:
    """The drawn findings with their evidence, to judge by; holds text of the documents."""
    parts = []
    for doc_id, group in drawn.groupby("doc_id", sort=True):
        text = documents[doc_id]
        for answer in find(text):
            spans = places(answer, text)
            place = (answer.kind, *extent(answer, text))
            if place in set(zip(group.kind, group.start, group.end, strict=True)):
                lines = [f"## {doc_id} {place}", "", answer.description, ""]
                lines += [f"    {text[s:e]!r} at {s}" for s, e in spans]
                parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def still(judged: pd.DataFrame, findings: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The judgments of findings that are still given, and how many findings have none."""
    known = judged[_PLACE].drop_duplicates()
    kept = judged.merge(findings[_PLACE].drop_duplicates(), on=_PLACE)
    return kept, len(findings) - len(findings.merge(known, on=_PLACE))
