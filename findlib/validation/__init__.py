"""Do the metrics tell right answers from wrong ones? Against judgments made by hand."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..data import read_text
from ..description import Metric
from ..paths import FindlibError, sha256, source
from ..records import Answer, Document

COLUMNS = ("doc_id", "model", "evidence_ok", "description_ok")
OPTIONAL = ("digest", "judge_ok", "note")
VERDICTS = ("evidence_ok", "description_ok", "judge_ok")
# what a response is to the validation (FIND, Appendices E and F: 61 of 202 auto-gradable)
KINDS = {
    "no answer": "without a well-formed answer: wrong without a reader",
    "exact": "exactly the reference's spans: right without a reader",
    "failed": "refused, cut off or not delivered without a well-formed answer: not graded",
    "scored": "left to the metrics",
}
EVIDENCE = {"strict": "evidence", "lenient": "evidence_lenient"}  # -> column of the grades


def load_judgments(path: str | Path) -> pd.DataFrame:
    """Judgments made by hand, a row an answer: columns COLUMNS and OPTIONAL.

    ``path``: a CSV file, UTF-8, with the columns doc_id, model, evidence_ok, description_ok
    (1 or 0), and as far as given digest (see `digest`), judge_ok (1, 0 or empty) and note.
    Verdicts come back as 1.0, 0.0 or NaN; no path ("") is none. Raises FindlibError naming
    file, line and the mend.

    >>> load_judgments("data/judgments/sample.csv").evidence_ok.isin([0, 1]).all()
    np.True_
    """
    if not str(path):
        return pd.DataFrame(columns=[*COLUMNS, *OPTIONAL])
    file = source(path)
    reader = csv.DictReader(io.StringIO(read_text(file), newline=""), strict=True)
    rows: list[dict[str, Any]] = []
    first: dict[tuple[str, str], int] = {}
    try:
        _check_columns(reader.fieldnames or [], file)
        for row in reader:
            where = f"{file}, line {reader.line_num}"
            rows.append(_judgment(row, where))
            key = rows[-1]["doc_id"], rows[-1]["model"]
            if key in first:
                raise FindlibError(
                    f"{where}: {key[0]!r} of {key[1]!r} was judged in line {first[key]}; keep one"
                )
            first[key] = reader.line_num
    except csv.Error as error:
        raise FindlibError(
            f"{file}, line {reader.line_num}: not CSV ({error}); quote cells with commas"
        ) from None
    table = pd.DataFrame(rows, columns=[*COLUMNS, *OPTIONAL])
    return table.astype(dict.fromkeys(VERDICTS, float))


def _check_columns(names: Sequence[str], file: Path) -> None:
    missing = [name for name in COLUMNS if name not in names]
    unknown = [name for name in names if name not in COLUMNS + OPTIONAL]
    if missing or unknown or len(set(names)) < len(names):
        what = f"lacks {missing}" if missing else f"has {unknown or 'a column twice'}"
        raise FindlibError(
            f"{file}, line 1: {what}; the columns are {', '.join(COLUMNS)} and, optional, "
            f"{', '.join(OPTIONAL)}"
        )


def _judgment(row: dict[str, Any], where: str) -> dict[str, Any]:
    if None in row or None in row.values():
        raise FindlibError(f"{where}: another number of cells than columns; mend the line")
    found: dict[str, Any] = {name: row.get(name, "").strip() for name in COLUMNS + OPTIONAL}
    for name in ("doc_id", "model"):
        if not found[name]:
            raise FindlibError(f"{where}: {name} is empty; name the answer that was judged")
    for name in VERDICTS:
        allowed = {"1": 1.0, "0": 0.0} | ({"": float("nan")} if name in OPTIONAL else {})
        if found[name] not in allowed:
            raise FindlibError(f"{where}: {name} is {found[name]!r}; write 1 or 0")
        found[name] = allowed[found[name]]
    return found


def digest(answer: Answer) -> str:
    """Twelve hex digits that change when an answer's spans or description do."""
    content = [list(answer.evidence), answer.description]
    return sha256(json.dumps(content, ensure_ascii=False))[:12]


def signature(judgments: pd.DataFrame) -> str:
    """What tables say of the judgments: a hash and their number."""
    return f"judgments:{sha256(judgments.to_csv(index=False))[:12]} ({len(judgments)} rows)"


def responses_judged(
    documents: Sequence[Document],
    responses: pd.DataFrame,
    answers: pd.DataFrame,
    grades: pd.DataFrame,
    judgments: pd.DataFrame,
) -> pd.DataFrame:
    """Every response with the answer that is judged, its scores and its judgment.

    The judged answer is the one with the highest strict evidence score, the first of equals
    (`find.best_answer`), for every metric alike: a reader judges one answer. ``kind`` is
    one of KINDS; ``judged`` is "yes", "no", or "stale" for a judgment whose digest is not
    the answer's (its verdicts are left out, as are those on a response without an answer).
    ``right`` is what a judge should say: judge_ok, or where that is empty evidence_ok and
    description_ok. Returns a row a response; judgments of other runs are not used.
    """
    by_id = {document.doc_id: document for document in documents}
    ok = grades[(grades.status == "ok").to_numpy()]
    best = ok.groupby(["doc_id", "model"]).evidence.idxmax()
    marks = judgments.set_index(["doc_id", "model"])
    rows = []
    for response in responses.itertuples():
        key = (response.doc_id, response.model)
        place = best.get(key)
        found = None if place is None else _answer_row(answers, grades, place)
        row = {"doc_id": key[0], "model": key[1], **(found or {})}
        row["reference"] = by_id[key[0]].description
        row["kind"] = _kind(found, by_id[key[0]], response.status)
        rows.append(row | _verdicts(marks, key, row.get("digest", "")))
    names = ["doc_id", "model", "kind", *EVIDENCE.values(), "task", "judge_status",
             "predicted", "reference", "digest", "judged", *VERDICTS, "right"]  # fmt: skip
    return pd.DataFrame(rows).reindex(columns=names)


def _answer_row(answers: pd.DataFrame, grades: pd.DataFrame, place: Any) -> dict[str, Any]:
    given, grade = answers.loc[place], grades.loc[place]
    found = Answer(list(given.evidence), given.description)
    scores = {name: grade[name] for name in (*EVIDENCE.values(), "task", "judge_status")}
    return {"spans": found.evidence, "predicted": given.description, "digest": digest(found),
            **scores}  # fmt: skip


def _kind(found: dict[str, Any] | None, document: Document, status: str) -> str:
    if found is None:
        return "failed" if status in ("refused", "truncated", "provider_error") else "no answer"
    return "exact" if sorted(found["spans"]) == sorted(document.evidence) else "scored"


def _verdicts(marks: pd.DataFrame, key: tuple[str, str], current: str) -> dict[str, Any]:
    if key not in marks.index:
        return {"judged": "no"}
    mark = marks.loc[key]
    if not current or (mark.digest and mark.digest != current):
        return {"judged": "stale"}
    both = float(mark.evidence_ok and mark.description_ok)
    right = both if np.isnan(mark.judge_ok) else mark.judge_ok
    return {"judged": "yes", **{name: mark[name] for name in VERDICTS}, "right": right}


def add_descriptions(table: pd.DataFrame, metrics: Sequence[Metric]) -> pd.DataFrame:
    """The table of `responses_judged` with a column a description metric, by its name.

    Scores the judged answer's description against the reference's; NaN without an answer.
    """
    there = table.predicted.notna()
    for metric in metrics:
        scores = metric.score(list(table.predicted[there]), list(table.reference[there]))
        table = table.assign(**{metric.name: pd.Series(scores, table.index[there], dtype=float)})
    return table


def counts(table: pd.DataFrame) -> dict[str, int]:
    """How many responses there are of each of KINDS, and how many of those left to the
    metrics are judged, not judged, or judged as they no longer are ("stale")."""
    kinds = {kind: int((table.kind == kind).sum()) for kind in KINDS}
    scored = table.judged[table.kind == "scored"]
    states = {"judged": "yes", "not judged": "no", "stale": "stale"}
    found = {name: int((scored == state).sum()) for name, state in states.items()}
    return {"responses": len(table), **kinds, **found}


def to_score(table: pd.DataFrame) -> pd.DataFrame:
    """The responses that ROC curves are drawn over: left to the metrics, and judged."""
    return table[(table.kind == "scored") & (table.judged == "yes")]


def against_rule(table: pd.DataFrame) -> int:
    """How many answers with exactly the reference's spans were judged wrong by a reader."""
    return int(((table.kind == "exact") & (table.evidence_ok == 0)).sum())
