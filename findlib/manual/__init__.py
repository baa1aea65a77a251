"""Manual grading (FIND, section 7.1): which answers to grade, and what the graders settled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import pandas as pd

from ..paths import FindlibError, root, run_folder, sha256
from ..records import SOURCES, Document
from .gradesheet import AGREED, Row, digest, read

# how an answer stands: one grader is all there is; both said the same; settled together;
# they differ; one of two has graded it; nobody has
STATES = ("single", "both", "deliberated", "undeliberated", "once", "ungraded")
FINAL = STATES[:3]


@dataclass(frozen=True)
class Sample:
    """The documents drawn for grading and every well-formed answer on them.

    ``documents`` has a row a document and model (source, model, doc_id, status: of the
    response); ``answers`` holds rows of a sheet without a grader, by source, document, model
    and number; ``notes`` say what was left out or short.
    """

    documents: pd.DataFrame
    answers: tuple[Row, ...]
    notes: tuple[str, ...]


def best_model(scores: pd.DataFrame) -> str:
    """The model with the best mean task score (`find.scores`), as section 7.1 takes gpt-5;
    of equals the best by evidence, then the first by name."""
    means = scores.groupby("model")[["task", "evidence"]].mean().fillna(-1)
    return str(min(means.index, key=lambda m: (-means.task[m], -means.evidence[m], m)))


def sample(
    documents: Sequence[Document], answers: pd.DataFrame, responses: pd.DataFrame,
    grades: pd.DataFrame, models: Sequence[str], per_source: int = 25, seed: int = 0,
) -> Sample:  # fmt: skip
    """Draw ``per_source`` documents of each source (section 7.1: 25), all where there are fewer.

    The same documents for every model, whatever the order of the rows: those that come
    first by the SHA-256 of seed, source and id. ``answers``, ``responses`` and ``grades``
    are the run's tables. Raises FindlibError for a model that the run lacks.
    """
    if per_source < 1:
        raise FindlibError(f"per_source {per_source} is no sample; take 1 or more documents")
    unknown = sorted(set(models) - set(responses.model))
    if unknown or not models:
        known = ", ".join(dict.fromkeys(responses.model))
        raise FindlibError(f"the run holds no model {', '.join(unknown)!r}; it holds: {known}")
    by_id = {document.doc_id: document for document in documents}
    asked = responses[responses.model.isin(models) & (responses["sample"] == 0)]
    chosen, notes = _drawn(by_id, set(asked.doc_id), per_source, seed)
    drawn = asked[asked.doc_id.isin(chosen)][["source", "model", "doc_id", "status"]]
    place = {source: i for i, source in enumerate(SOURCES)}
    drawn = drawn.sort_values(
        ["model", "source", "doc_id"], ignore_index=True,
        key=lambda column: column.map(place) if column.name == "source" else column,
    )  # fmt: skip
    mine = answers[
        answers.model.isin(models) & answers.doc_id.isin(chosen) & (answers["sample"] == 0)
    ]
    rows = _answer_rows(mine[mine.status == "ok"], grades, by_id)
    return Sample(drawn, tuple(rows), (*notes, *_lost(drawn, mine)))


def _drawn(
    by_id: dict[str, Document], asked: set[str], per_source: int, seed: int
) -> tuple[list[str], list[str]]:
    chosen: list[str] = []
    short = []
    for source in dict.fromkeys(d.source for d in by_id.values()):
        ids = [i for i in asked if by_id[i].source == source]
        order = sorted(ids, key=lambda i: (sha256(f"{seed}|{source}|{i}"), i))
        chosen += order[:per_source]
        if len(ids) < per_source:
            short.append(f"{source} {len(ids)}")
    if not short:
        return chosen, []
    return chosen, [f"Fewer than {per_source} documents, all taken: {', '.join(short)}."]


def _lost(drawn: pd.DataFrame, answers: pd.DataFrame) -> list[str]:
    notes = []
    for model, part in drawn.groupby("model"):
        failed = int((part.status != "ok").sum())
        malformed = int(((answers.model == model) & (answers.status != "ok")).sum())
        if failed or malformed:
            notes.append(
                f"{model}: {failed} of {len(part)} responses failed, {malformed} malformed "
                "answers cannot be graded."
            )
    return notes


def _answer_rows(
    answers: pd.DataFrame, grades: pd.DataFrame, by_id: dict[str, Document]
) -> list[Row]:
    keys = ["doc_id", "model", "sample", "answer"]
    verdicts = grades.set_index(keys).task.to_dict()
    said = {1.0: "true", 0.0: "false"}
    rows = []
    for row in answers.sort_values(["source", "doc_id", "model", "answer"]).itertuples():
        verdict = verdicts.get((row.doc_id, row.model, 0, row.answer), float("nan"))
        spans = [str(span) for span in row.evidence]
        rows.append(Row(
            row.doc_id, row.source, row.model, int(row.answer),
            digest(spans, row.description, by_id[row.doc_id]), said.get(float(verdict), ""),
            json.dumps(spans, ensure_ascii=False), row.description, "",
        ))  # fmt: skip
    return rows


def blank(drawn: Sample, grader: str, seed: int = 0) -> list[Row]:
    """The rows that a grader fills in: documents in an order of the grader's own, the
    answers of a document together."""
    grader = grader.strip()
    if not grader:
        raise FindlibError("no grader is named; give the name that goes into the sheet")
    groups = [list(rows) for _, rows in groupby(drawn.answers, key=lambda row: row.doc_id)]
    groups.sort(key=lambda rows: sha256(f"{seed}|{grader}|{rows[0].doc_id}"))
    return [replace(row, grader=grader) for rows in groups for row in rows]


# ---- what the sheet says about the sample


@dataclass(frozen=True)
class Settled:
    """A sample with the grades of a sheet.

    ``graders``: the two (or the one, or none) whose grades count. ``answers``: a row an
    answer with doc_id, source, model, answer, matches_expected, state (one of STATES) and,
    where the state is in FINAL, grade, useful, known. ``by_grader``: name -> grades of the
    answers, in their order (None for none). ``notes`` say what did not count.
    """

    drawn: Sample
    graders: tuple[str, ...]
    answers: pd.DataFrame
    by_grader: dict[str, list[Row | None]]
    notes: tuple[str, ...]

    @property
    def disputed(self) -> list[int]:
        """Places of the answers on which the two graders differ, settled or not."""
        if len(self.graders) < 2:
            return []
        pairs = zip(*(self.by_grader[name] for name in self.graders), strict=True)
        return [i for i, (a, b) in enumerate(pairs) if a and b and verdict(a) != verdict(b)]


def useful(row: Row) -> bool:
    """Real, or helpful to a user if not (Table 5)."""
    return row.grade == "real" or row.helpful


def verdict(row: Row) -> tuple[str, bool, bool]:
    """What two graders must agree on: grade, usefulness, whether it is the known one."""
    return row.grade, useful(row), row.known


def settle(drawn: Sample, rows: Iterable[Row], graders: Sequence[str] = ()) -> Settled:
    """What a sheet says about a sample.

    A row counts when it has a grade and its answer is, digest and all, in the sample. One
    grader's grades are final; two graders' are where they agree, else where a row of
    AGREED settles it. Raises FindlibError for more than two graders that are not named, or
    one who graded nothing of this sample.
    """
    place = {row.key: i for i, row in enumerate(drawn.answers)}
    placed = [(place.get(replace(row, grader="").key), row) for row in rows if row.grade]
    names = _graders({row.grader for at, row in placed if at is not None}, graders)
    found: dict[str, list[Row | None]] = {n: [None] * len(place) for n in (*names, AGREED)}
    for at, row in placed:
        if at is not None and row.grader in found:
            found[row.grader][at] = row
    lost = [row for at, row in placed if at is None]
    answers = [
        _final(row, [found[n][i] for n in names], found[AGREED][i])
        for i, row in enumerate(drawn.answers)
    ]
    return Settled(drawn, names, pd.DataFrame(answers, columns=_ANSWER_COLUMNS), found,
                  tuple(_uncounted(drawn, lost)))  # fmt: skip


def deliberation(settled: Settled) -> list[Row]:
    """The rows on which two graders differ, for AGREED to settle; the note says who said what.

    Raises FindlibError where the sheet has no two graders.
    """
    if len(settled.graders) < 2:
        raise FindlibError("a deliberation needs the grades of two graders in the sheet")
    rows = []
    for i in settled.disputed:
        given = [row for name in settled.graders if (row := settled.by_grader[name][i])]
        note = " | ".join(_said(row) for row in given)
        rows.append(replace(settled.drawn.answers[i], grader=AGREED, note=note))
    return rows


def _said(row: Row) -> str:
    ticks = [name for name in ("helpful", "known") if getattr(row, name)]
    words = ", ".join([row.grade, *ticks])
    return f"{row.grader}: {words}" + (f" ({row.note})" if row.note else "")


def _graders(found: set[str], asked: Sequence[str]) -> tuple[str, ...]:
    there = tuple(sorted(found - {AGREED}))
    missing = [name for name in asked if name not in there]
    names = tuple(asked) or there
    if missing or len(names) > 2:
        raise FindlibError(
            f"graders {', '.join(missing or names)}: name one or two of those who graded this: "
            f"{', '.join(there) or 'none'}"
        )
    return names


_ANSWER_COLUMNS = ["doc_id", "source", "model", "answer", "matches_expected", "state", "grade",
                   "useful", "known"]  # fmt: skip


def _final(row: Row, own: Sequence[Row | None], agreed: Row | None) -> list[object]:
    given = [grade for grade in own if grade]
    state = "ungraded" if not given else "once" if len(given) < len(own) else "undeliberated"
    if len(given) == len(own) > 0 and len({verdict(grade) for grade in given}) == 1:
        state = "both" if len(own) == 2 else "single"
    if agreed:
        state, given = "deliberated", [agreed]
    final = verdict(given[0]) if state in FINAL else ("", None, None)
    return [row.doc_id, row.source, row.model, row.answer, row.matches_expected, state, *final]


def _uncounted(drawn: Sample, lost: Sequence[Row]) -> list[str]:
    there = set(zip(drawn.documents.doc_id, drawn.documents.model, strict=True))
    stale = [row for row in lost if (row.doc_id, row.model) in there]
    notes = []
    if stale:
        places = dict.fromkeys(f"{r.model} {r.doc_id} answer {r.answer}" for r in stale)
        notes.append(
            f"{len(stale)} grade(s) not counted, of answers that changed or are gone: "
            f"{_some(list(places))}."
        )
    if len(lost) > len(stale):
        notes.append(
            f"{len(lost) - len(stale)} grade(s) not counted, of documents or models outside "
            "this sample."
        )
    return notes


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def own_sheet(run: str, named: str = "") -> Path:
    """The sheet that takes a run's grades: the one named (relative: from the root), else
    ``runs/<run>/grading/sheet.csv``."""
    return root() / Path(named).expanduser() if named else run_folder(run) / "grading/sheet.csv"


def sheets_of(run: str, own: Path, named: Sequence[str] = ()) -> list[Path]:
    """The sheets that tables are made from: those named (relative: from the root), else the
    run's own where it holds a grade, else the one committed for the run, if any."""
    if named:
        return [root() / Path(name).expanduser() for name in named]
    if own.exists() and any(row.grade for row in read(own)):
        return [own]
    kept = root() / "data" / "judgments" / f"{run}_manual.csv"
    return [kept] if kept.exists() else []


def models_graded(rows: Iterable[Row], responses: pd.DataFrame, chosen: str) -> list[str]:
    """The chosen model and every other one of the run that has a grade, by name."""
    there = {row.model for row in rows if row.grade} & set(responses.model)
    return sorted({chosen, *there})


def signature(settled: Settled, sheets: Sequence[Path], per_source: int, seed: int) -> str:
    """What names the grades in a table's signature: the sheets' hash, the graders, the draw."""
    names = " ".join(path.name for path in sheets) or "none"
    content = sha256(b"".join(path.read_bytes() for path in sheets))[:12]
    who = " ".join(settled.graders) or "nobody"
    return f"grades:{names} {content} by {who}|drawn:{per_source} a source, seed {seed}"
