"""FIND's tables of the responses, beside the published values: 3, H.3, H.8, H.1 and D.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import published, stats
from .documents import parts_of, rows_of, tokenizer
from .records import SOURCES, Document
from .tables import FIND_SOURCES, PRINTED, Table, duration, number


def by_part(
    documents: Sequence[Document],
    responses: pd.DataFrame,
    answers: pd.DataFrame,
    grades: pd.DataFrame,
    signature: str,
    pool_mfr: bool = True,
) -> list[Table]:
    """Tables 3, H.3, H.1 and D.1, and H.8 for a development set: those the run fills.

    ``pool_mfr``: count the MFR documents in Tables 3, H.1 and D.1, as print does.
    """
    parts = parts_of(documents)
    main = [d for part, mine in parts.items() if part not in ("dev", "MFR") for d in mine]
    natural = parts.get("MFR", [])
    pooled = [*main, *natural] if pool_mfr or not main else main
    found = []
    if pooled:
        own, given = rows_of(responses, pooled), rows_of(answers, pooled)
        mfr = bool(natural) and len(pooled) > len(main)
        found.append(response_statistics(own, given, signature, pooled_mfr=mfr))
        found.append(duplicate_hits(own, rows_of(grades, pooled), signature))
        found.append(runtimes(own, signature))
    if main:
        own, given = rows_of(responses, main), rows_of(answers, main)
        found.append(response_statistics(own, given, signature, by_source=True))
    if "dev" in parts:
        own, given = rows_of(responses, parts["dev"]), rows_of(answers, parts["dev"])
        found.append(response_statistics(own, given, signature, "dev"))
    return found


def response_statistics(
    responses: pd.DataFrame,
    answers: pd.DataFrame,
    signature: str,
    part: str = "test",
    by_source: bool = False,
    pooled_mfr: bool = False,
) -> Table:
    """Tables 3, H.3 (by source) and H.8 (dev): validity, output tokens, answers, spans.

    ``responses`` and ``answers`` are those of the documents to count; ``pooled_mfr`` says
    that the MFR documents are among them, as in the printed Table 3. Means over responses
    (valid, kTok/D, Î/D), over well-formed answers (ε/Î) and over their spans (Tok/ε,
    o200k_base tokens), each ± its standard error with documents as clusters. kTok/D are the
    output tokens that the provider counted, reasoning included.
    """
    groups = ["model", "source"] if by_source else ["model"]
    rows = []
    for key, mine in responses.groupby(groups, sort=False):
        own = answers[(answers[groups] == list(key)).all(axis=1) & (answers.status == "ok")]
        rows.append({**dict(zip(groups, key, strict=True)), **_response_statistics(mine, own)})
    labels = {"valid": ("Valid %", ".1f"), "ktok": ("kTok/D", ".1f"), "answers": ("Î/D", ".1f"),
              "spans": ("ε/Î", ".1f"), "tok_span": ("Tok/ε", ".1f")}  # fmt: skip
    shown = [
        {**{g: r[g] for g in groups}, "origin": "this run", "n": f"{r['n_ok']} of {r['n']}",
         **{label: _with_error(r, k, form) for k, (label, form) in labels.items()}}
        for r in rows
    ]  # fmt: skip
    shown += _printed_responses(part, by_source, labels, list(responses.source.unique()))
    name, number_ = {("test", False): ("table_3", "3"), ("test", True): ("table_H_3", "H.3"),
                     ("dev", False): ("table_H_8", "H.8")}[part, by_source]  # fmt: skip
    title = f"Table {number_}. Response statistics{' by source' if by_source else ''}."
    notes = ["n: responses with status ok, of all. ±: standard error, documents as clusters."]
    if name == "table_3":
        own_pool = "pooled in here too" if pooled_mfr else "not in this run's rows"
        notes.append(f"The printed table pools the MFR set (420 documents); {own_pool}.")
    if name == "table_H_8":
        notes.append("Print calls its ± standard deviations; their size is that of errors.")
    return Table(name, title, pd.DataFrame(shown), pd.DataFrame(rows), signature, tuple(notes))


def _with_error(row: dict[str, Any], key: str, form: str) -> str:
    error = row.get(f"{key}_se", float("nan"))
    return number(row[key], form) + ("" if pd.isna(error) else f"±{number(error, form)}")


def _response_statistics(part: pd.DataFrame, answers: pd.DataFrame) -> dict[str, Any]:
    by = tokenizer()
    spans = [(doc, by.count(s)) for doc, some in zip(answers.doc_id, answers.evidence, strict=True)
             for s in some]  # fmt: skip
    per_response = answers.groupby("doc_id").size().reindex(part.doc_id).fillna(0)
    columns: dict[str, tuple[Any, Any]] = {
        "ktok": (part.completion_tokens / 1000, part.doc_id),
        "answers": (per_response, part.doc_id),
        "spans": (answers.evidence.map(len), answers.doc_id),
        "tok_span": ([n for _, n in spans], [doc for doc, _ in spans]),
    }
    out: dict[str, Any] = {
        "n_ok": int((part.status == "ok").sum()),
        "n": len(part),
        "valid": 100 * float(part.valid.mean()),
    }
    for name, (values, documents) in columns.items():
        array = np.asarray(values, dtype=float)
        out[name] = float(array.mean()) if len(array) else float("nan")
        out[f"{name}_se"] = stats.clustered_standard_error(array, list(documents))
    return out


def _printed_responses(
    part: str, by_source: bool, labels: dict[str, tuple[str, str]], sources: Sequence[str]
) -> list[dict[str, str]]:
    names = dict(zip(labels, ("Valid", "kTok/D", "I/D", "eps/I", "Tok/eps"), strict=True))
    if not by_source:
        cells = published.table("H.8" if part == "dev" else "3").set_index(["row", "column"])
        return [
            {"model": model, "origin": PRINTED, "n": "–",
             **{labels[k][0]: _printed_spread(cells.loc[model, names[k]]) for k in labels}}
            for model in cells.index.unique("row")
        ]  # fmt: skip
    twins = [t for t in dict.fromkeys(SOURCES[s][1] for s in sources) if t in FIND_SOURCES]
    printed = {k: published.cells("H.3", names[k]) for k in labels}
    return [
        {"model": model, "source": twin, "origin": PRINTED, "n": "–",
         **{labels[k][0]: printed[k].loc[model, twin] for k in labels}}
        for model in printed["valid"].index for twin in twins
    ]  # fmt: skip


def _printed_spread(cell: pd.Series) -> str:
    spread = next((cell[c] for c in ("pm", "sd") if not pd.isna(cell[c])), None)
    return f"{cell.value}" if spread is None else f"{cell.value}±{spread}"


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
