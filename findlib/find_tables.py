"""FIND's tables for the run at hand, each beside the published values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import published, stats
from .documents import Tokenizer, evidence_places, sources_of, tokenizer
from .records import ERROR_TYPES, METRICS, SOURCES, Document
from .tables import Table, duration, number, whole_number

READINGS = {"miss": "failures as misses", "unscored": "scored only"}
PRINTED = "FIND, as printed"
_PRINTED_NOTE = (
    "Standard errors in brackets; AVG's is clustered over sources. Printed rows "
    f"({published.CITATION}): 375 other documents, BLEURT, gpt-4.1 as judge; beside this run "
    "for orientation, not one ranking."
)
FIND_SOURCES = ("BLS", "PRE", "SEC", "EMM", "PG")


def _header(source: str) -> str:
    twin = SOURCES[source][1]
    return f"{source} / {twin}" if twin and twin != source else source


def inconsistency_types(documents: Sequence[Document], signature: str) -> Table:
    """Table 1: number of documents by inconsistency type and source."""
    sources = sources_of(documents)
    counts = pd.crosstab(
        pd.Categorical([d.error_type for d in documents], ERROR_TYPES),
        pd.Categorical([d.source for d in documents], sources),
        dropna=False,
    )
    printed = published.values("1", "counts")
    printed.index = printed.index.str.lower()
    shown = []
    for kind in ERROR_TYPES:
        own = {_header(s): str(counts.loc[kind, s]) for s in sources}
        shown.append(
            {"type": kind, "origin": "this run", **own, "Total": str(counts.loc[kind].sum())}
        )
    for kind in ERROR_TYPES:
        row = printed.loc[kind]
        own = {_header(s): whole_number(row.get(SOURCES[s][1])) for s in sources}
        shown.append({"type": kind, "origin": PRINTED, **own, "Total": whole_number(row["Total"])})
    tidy = counts.stack().rename_axis(["error_type", "source"]).rename("documents").reset_index()
    title = "Table 1. Documents by inconsistency type and source."
    return Table("table_1", title, pd.DataFrame(shown), tidy, signature)


def document_statistics(documents: Sequence[Document], signature: str) -> Table:
    """Table 2: documents, lengths and evidence by source, and pooled.

    Tokens are the gpt-5 tokenizer's; spreads are standard deviations with ddof 0, over
    documents for kTok and spans per document, over spans for the other two. A span's
    position is its first character's share of the document, in percent.
    """
    by = tokenizer()
    groups = [(s, [d for d in documents if d.source == s]) for s in sources_of(documents)]
    rows: list[dict[str, Any]] = [{"source": s, **_statistics(part, by)} for s, part in groups]
    rows.append({"source": "all", **_statistics(documents, by)})
    values = pd.DataFrame(rows)
    columns = {"kTok/D": "ktok", "ε/D": "spans", "Tok/ε": "tok_span", "ε Pos%": "position"}
    shown = []
    for row in rows:
        cells = {"source": row["source"], "origin": "this run", "Docs": str(row["documents"])}
        for label, key in columns.items():
            cells[label] = f"{row[key]:.1f}±{row[key + '_sd']:.1f}"
        shown.append(cells)
    printed = published.table("2")
    twins = [SOURCES[source][1] for source, _ in groups]
    for source in [*dict.fromkeys(twins), "FIND"]:
        cells = printed[printed.row == source].set_index("column")
        if len(cells):
            shown.append({"source": source, "origin": PRINTED, **_printed_statistics(cells)})
    title = "Table 2. Documents, lengths and evidence by source (mean±standard deviation)."
    note = "kTok: thousands of o200k_base tokens; standard deviations with ddof 0."
    return Table("table_2", title, pd.DataFrame(shown), values, signature, (note,))


def _printed_statistics(cells: pd.DataFrame) -> dict[str, str]:
    names = {"Docs": "docs", "kTok/D": "kTok/D", "ε/D": "eps/D", "Tok/ε": "Tok/eps",
             "ε Pos%": "epsPos%"}  # fmt: skip
    out = {}
    for name, column in names.items():
        known = column in cells.index and isinstance(cells.value[column], str)
        spread = f"±{cells.sd[column]}" if known and not pd.isna(cells.sd[column]) else ""
        out[name] = f"{cells.value[column]}{spread}" if known else "–"
    return out


def _statistics(documents: Sequence[Document], by: Tokenizer) -> dict[str, float]:
    lengths = [by.count(d.text) / 1000 for d in documents]
    counts = [len(d.evidence) for d in documents]
    spans = [by.count(span) for d in documents for span in d.evidence]
    positions = [100 * at / len(d.text) for d in documents for at, _ in evidence_places(d)]
    out: dict[str, float] = {"documents": len(documents)}
    parts: dict[str, list[Any]] = {
        "ktok": lengths,
        "spans": counts,
        "tok_span": spans,
        "position": positions,
    }
    for name, values in parts.items():
        out[name], out[f"{name}_sd"] = float(np.mean(values)), float(np.std(values))
    return out


def response_statistics(
    responses: pd.DataFrame, answers: pd.DataFrame, signature: str, by_source: bool = False
) -> Table:
    """Tables 3 and H.3: validity, output tokens, answers, spans, and span lengths.

    Means over responses (valid, kTok/D, Î/D), over well-formed answers (ε/Î), and over
    their spans (Tok/ε, o200k_base tokens). kTok/D are the output tokens that the provider
    counted, reasoning included.
    """
    name = "table_H_3" if by_source else "table_3"
    groups = ["model", "source"] if by_source else ["model"]
    rows = []
    for key, part in responses.groupby(groups, sort=False):
        mine = answers[(answers[groups] == list(key)).all(axis=1) & (answers.status == "ok")]
        rows.append({**dict(zip(groups, key, strict=True)), **_response_statistics(part, mine)})
    values = pd.DataFrame(rows)
    labels = {"valid": ("Valid %", ".1f"), "ktok": ("kTok/D", ".1f"), "answers": ("Î/D", ".1f"),
              "spans": ("ε/Î", ".1f"), "tok_span": ("Tok/ε", ".1f")}  # fmt: skip
    shown = [
        {**{g: r[g] for g in groups}, "origin": "this run", "n": f"{r['n_ok']} of {r['n']}",
         **{label: number(r[k], form) for k, (label, form) in labels.items()}}
        for r in rows
    ]  # fmt: skip
    shown += _printed_responses(by_source, labels, list(responses.source.unique()))
    title = (
        "Table H.3. Response statistics by source."
        if by_source
        else "Table 3. Response statistics."
    )
    notes = ["n: responses with status ok, of all."]
    if not by_source:
        notes.append("The printed table pools the MFR set (420 documents).")
    return Table(name, title, pd.DataFrame(shown), values, signature, tuple(notes))


def _response_statistics(part: pd.DataFrame, answers: pd.DataFrame) -> dict[str, float]:
    spans = [span for evidence in answers.evidence for span in evidence]
    by = tokenizer()
    return {
        "n_ok": int((part.status == "ok").sum()),
        "n": len(part),
        "valid": 100 * float(part.valid.mean()),
        "ktok": float(part.completion_tokens.mean()) / 1000,
        "answers": len(answers) / len(part),
        "spans": len(spans) / len(answers) if len(answers) else float("nan"),
        "tok_span": float(np.mean([by.count(s) for s in spans])) if spans else float("nan"),
    }


def _printed_responses(
    by_source: bool, labels: dict[str, tuple[str, str]], sources: Sequence[str]
) -> list[dict[str, str]]:
    names = dict(zip(labels, ("Valid", "kTok/D", "I/D", "eps/I", "Tok/eps"), strict=True))
    if not by_source:
        printed = published.cells("3", "response")
        return [
            {"model": model, "origin": PRINTED, "n": "–",
             **{labels[k][0]: printed.loc[model, names[k]] for k in labels}}
            for model in printed.index
        ]  # fmt: skip
    twins = [t for t in dict.fromkeys(SOURCES[s][1] for s in sources) if t in FIND_SOURCES]
    parts = {k: published.cells("H.3", names[k]) for k in labels}
    return [
        {"model": model, "source": twin, "origin": PRINTED, "n": "–",
         **{labels[k][0]: parts[k].loc[model, twin] for k in labels}}
        for model in parts["valid"].index for twin in twins
    ]  # fmt: skip


def result_scores(
    readings: dict[str, pd.DataFrame], signature: str, notes: Sequence[str] = ()
) -> Table:
    """Table 4 with the standard errors of Table H.4: percent, both readings of failures.

    ``readings``: "miss" and "unscored" -> `find.scores`. Bold: the top model and all not
    significantly different from it, per column and reading.
    """
    values, shown = [], []
    for metric in METRICS:
        for reading, table in readings.items():
            summary = stats.summary(table, metric)
            strong = {
                source: stats.bold(_of(table, source), metric, clustered=source == "AVG")
                for source in summary.source.unique()
            }
            for model, part in summary.groupby("model", sort=False):
                shown.append(_score_row(metric, str(model), reading, part, strong))
            values.append(summary.assign(metric=metric, reading=reading))
        shown += _printed_scores(metric, list(readings["miss"].source.unique()))
    title = "Table 4. Response-level scores in percent, with standard errors."
    several = readings["miss"].model.nunique() > 1
    bold = "Bold: top model and those not significantly different (paired t-test, alpha .05; AVG: clustered over sources)."  # noqa: E501
    alone = "One model: there is nothing to set in bold."
    return Table("table_4", title, pd.DataFrame(shown), pd.concat(values, ignore_index=True),
                 signature, (bold if several else alone, _PRINTED_NOTE, *notes))  # fmt: skip


def _of(table: pd.DataFrame, source: str) -> pd.DataFrame:
    return table if source == "AVG" else table[table.source == source]


def _score_row(
    metric: str, model: str, reading: str, part: pd.DataFrame, strong: dict[str, set[str]]
) -> dict[str, str]:
    alone = all(len(names) <= 1 for names in strong.values())
    row = {"metric": metric, "model": model, "reading": READINGS[reading]}
    for cell in part.itertuples():
        text = number(100 * cell.mean, ".0f")
        text = f"**{text}**" if model in strong[cell.source] and not alone else text
        header = "AVG" if cell.source == "AVG" else _header(cell.source)
        row[header] = f"{text} ({number(100 * cell.se, '.1f')})"
        if cell.source == "AVG":
            row["n scored"] = f"{cell.n_scored} of {cell.n}"
    return row


def _printed_scores(metric: str, sources: Sequence[str]) -> list[dict[str, str]]:
    printed = published.table("H.4")
    printed = printed[printed.part == metric]
    rows = []
    for model, cells in printed.groupby("row", sort=False):
        cell = {c.column: f"{c.value} ({c.stderr})" for c in cells.itertuples()}
        own = {_header(s): cell.get(SOURCES[s][1], "–") for s in sources}
        rows.append({"metric": metric, "model": str(model), "reading": PRINTED, **own,
                     "AVG": cell["AVG"], "n scored": "375 of 375"})  # fmt: skip
    return rows


def duplicate_hits(responses: pd.DataFrame, grades: pd.DataFrame, signature: str) -> Table:
    """Table H.1: responses in which the judge accepted more than one answer."""
    hits = grades.groupby(["model", "doc_id"]).task.sum()
    rows = []
    for model, part in responses.groupby("model", sort=False):
        mine = hits[hits.index.get_level_values("model") == model]
        rows.append({"model": model, "duplicates": int((mine > 1).sum()), "responses": len(part)})
    shown = [{"model": r["model"], "origin": "this run",
              "Duplicates": f"{r['duplicates']} / {r['responses']}"} for r in rows]  # fmt: skip
    for cell in published.table("H.1").itertuples():
        text = f"{cell.value} / {int(cell.denom)}"
        shown.append({"model": cell.row, "origin": PRINTED, "Duplicates": text})
    title = (
        "Table H.1. Responses with more than one answer judged to be the expected inconsistency."
    )
    return Table("table_H_1", title, pd.DataFrame(shown), pd.DataFrame(rows), signature)


def runtimes(responses: pd.DataFrame, signature: str) -> Table:
    """Table D.1: time of all requests of a model, summed, and per document.

    Seconds as measured when each response was made, so that a run from stored responses
    tells the time of the real one. Failed requests have no time.
    """
    rows = [
        {"model": model, "seconds": round(float(part.seconds.sum()), 3), "documents": len(part)}
        for model, part in responses.groupby("model", sort=False)
    ]
    shown = [
        {"model": r["model"], "origin": "this run", "Total": duration(float(r["seconds"])),
         "Per document": duration(float(r["seconds"]) / int(r["documents"]))}
        for r in rows
    ]  # fmt: skip
    printed = published.table("D.1").pivot(index="row", columns="column", values="value")
    for model in published.table("D.1").row.unique():
        shown.append({"model": model, "origin": PRINTED, "Total": printed.loc[model, "Total"],
                      "Per document": printed.loc[model, "Per Doc"]})  # fmt: skip
    title = "Table D.1. Time per model, all requests summed, and per document."
    note = "Printed times: 420 documents, wall clock, eight A100 GPUs or the provider's service."
    return Table("table_D_1", title, pd.DataFrame(shown), pd.DataFrame(rows), signature, (note,))
