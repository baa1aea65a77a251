"""FIND's manual grading (section 7, Table 5) and its appendices A, E, F, G, recomputed."""

from __future__ import annotations

import pandas as pd

from .. import published
from .consistency import SLACK, adds_up, counts, fits, interval, weighted
from .verdict import (
    CONSISTENT,
    READING,
    ROUNDING,
    Claim,
    holds,
    judge,
    listed,
    sizes,
    sources,
    worst,
)

KNOWN, CONTROL, IDENTIFIED = "known and found", "cs.CL Ctrl", "cs.CL Idnt"
PART = "gpt-5 graded"


def claims(find: pd.DataFrame) -> list[Claim]:
    """Every claim on Table 5, section 7 and the numbers of Appendices A, E, F and G."""
    made = (_whole, _average_rates, _graded, _range, _halves, _cs_cl, _unmatched, _abstract,
            _known, _agreement, _papers, _novel, _responses, _order, _releases)  # fmt: skip
    found = [claim(find) for claim in made]
    return [claim for each in found for claim in (each if isinstance(each, list) else [each])]


def gradings(find: pd.DataFrame) -> dict[str, list[tuple[int, int, int]]]:
    """Answers, real ones and useful ones (real or helpful) behind each column of Table 5:
    all whole numbers that print so, over the documents graded of a source."""
    cells, n = published.cells("5", PART, find), int(published.said(
        "graded documents a source", find))  # fmt: skip
    found = {}
    for column in cells.columns.drop("AVG"):
        low, high = (end * n for end in interval(cells.loc["I/D", column]))
        tries = range(int(low - SLACK), int(high + SLACK) + 1)
        found[column] = [
            (k, real, useful)
            for k in tries if k and fits(cells.loc["I/D", column], k / n)
            for real in counts(cells.loc["P", column], k)
            for useful in counts(cells.loc["U", column], k) if useful >= real
        ]  # fmt: skip
    return found


def _only(find: pd.DataFrame, column: str) -> tuple[float, float, float]:
    found = gradings(find)[column]
    return found[0] if len(found) == 1 else (float("nan"),) * 3


def _whole(find: pd.DataFrame) -> Claim:
    found = gradings(find)
    unique = [len(ways) == 1 for ways in found.values()]
    verdict = holds(all(unique), holds(all(found.values()), so=CONSISTENT))
    return Claim("T5.int", "Table 5", "answers, real and useful ones are whole numbers",
                 "k / documents, a / k, b / k with b >= a", f"{len(found)} columns",
                 listed(f"{c} {ways}" for c, ways in found.items()), verdict)  # fmt: skip


def _average_rates(find: pd.DataFrame) -> list[Claim]:
    cells, five, found = published.cells("5", PART, find), sources(find), []
    names = {"P": "T5.avgP", "U": "T5.avgU", "I/D": "T5.avgI"}
    numbers = [_only(find, s) for s in five]
    for row, name in names.items():
        low, mean, high = weighted(list(cells.loc[row, five]), [1] * len(five))
        pooled = ""
        if row != "I/D":
            at = 1 if row == "P" else 2
            share = 100 * sum(k[at] for k in numbers) / sum(k[0] for k in numbers)
            pooled = f" (all answers pooled: {share:.2f})"
        found.append(Claim(name, "Table 5", f"{row} AVG", "mean of the five sources",
                           cells.loc[row, "AVG"], f"{mean:.2f}{pooled}",
                           judge(cells.loc[row, "AVG"], mean, low, high)))  # fmt: skip
    return found


def _graded(find: pd.DataFrame) -> Claim:
    said, each = (published.said(name, find) for name in
                  ("graded documents", "graded documents a source"))  # fmt: skip
    columns = len(gradings(find))
    return Claim("S71.200", "Section 7.1 vs Table 5", "graded documents", "sources x documents",
                 said, f"{columns} x {each} = {columns * int(each)}",
                 judge(said, columns * int(each)))  # fmt: skip


def _range(find: pd.DataFrame) -> Claim:
    ends = [published.said(f"answers a response, {end}", find) for end in ("lowest", "highest")]
    cells = published.cells("5", PART, find).loc["I/D"].astype(float)
    return Claim("S71.range", "Section 7.1 vs Table 5", "answers a response", "minimum, maximum",
                 listed(ends), f"{cells.min()}; {cells.max()}",
                 holds(fits(ends[0], cells.min()) and fits(ends[1], cells.max())))  # fmt: skip


def _halves(find: pd.DataFrame) -> Claim:
    over, almost, mfr = (published.said(name, find) for name in
                         ("average precision", "average usefulness", "precision, MFR"))  # fmt: skip
    cells = published.values("5", PART, find)
    real, useful, other = cells.loc["P", "AVG"], cells.loc["U", "AVG"], cells.loc["P", "MFR"]
    near = useful < float(almost) and round(useful, -1) == float(almost)
    return Claim("S71.50", "Sections 1, 7 vs Table 5",
                 "average precision, average usefulness, MFR's precision", "cells",
                 f"over {over}; almost {almost}; over {mfr}", f"{real}; {useful}; {other}",
                 holds(real > float(over) and other > float(mfr),
                       so=holds(bool(near), so=ROUNDING)))  # fmt: skip


def _cs_cl(find: pd.DataFrame) -> Claim:
    over = [published.said(f"{name}, cs.CL", find) for name in ("precision", "usefulness")]
    cells = published.values("5", PART, find)[[CONTROL, IDENTIFIED]]
    low = cells.min(axis=1)
    return Claim("S71.csCL", "Section 7.1 vs Table 5", "precision and usefulness on cs.CL",
                 "the lower of both kinds", listed(f"over {o}" for o in over),
                 f"{low['P']}; {low['U']}",
                 holds(low["P"] > float(over[0]) and low["U"] > float(over[1])))  # fmt: skip


def _unmatched(find: pd.DataFrame) -> Claim:
    """Section 7.1 says that answers matched to the expected inconsistency are left out."""
    known, over = int(published.said(KNOWN, find)), published.said("precision, cs.CL", find)
    total = int(published.said("predictions in all", find))
    (answers, real, _), (control, _, _) = (_only(find, c) for c in (IDENTIFIED, CONTROL))
    left = 100 * (real - known) / (answers - known)
    included = answers + control == total
    return Claim(
        "S71.unmatched", "Section 7.1 vs Table 5, Figure A.11",
        "answers that match the known inconsistency are not graded", "answers in Table 5",
        f"not among {total}", f"{control:.0f} + {answers:.0f}, {known} of them known",
        holds(not included, READING),
        f"{IDENTIFIED}: {real:.0f}/{answers:.0f} = {100 * real / answers:.1f}% holds the {known} "
        f"known ones; without them {real - known:.0f}/{answers - known:.0f} = {left:.1f}%, "
        f"{'still' if left > float(over) else 'not'} over the {over}% of section 7.1."
        if included else "",
    )  # fmt: skip


def _abstract(find: pd.DataFrame) -> Claim:
    said = [published.said(f"{kind} cs.CL answers", find) for kind in ("real", "graded")]
    total, known = (published.said(name, find) for name in ("predictions in all", KNOWN))
    numbers = [_only(find, c) for c in (CONTROL, IDENTIFIED)]
    answers, real = sum(k[0] for k in numbers), sum(k[1] for k in numbers)
    found = (real - int(known), answers - int(known), answers)
    good = all(fits(t, v) for t, v in zip((*said, total), found, strict=True))
    return Claim("abs.136", "Abstract, Figure A.11 vs Table 5",
                 "real and graded answers on cs.CL without the known ones, and all", "sums",
                 f"{said[0]}/{said[1]}; {total}",
                 f"{real}-{known}={found[0]} of {answers}-{known}={found[1]}; {answers}",
                 holds(good))  # fmt: skip


def _known(find: pd.DataFrame) -> Claim:
    one, other = (published.said(name, find) for name in
                  (KNOWN, "known cs.CL inconsistencies found"))  # fmt: skip
    return Claim("S72.known", "Section 7.2, Figure A.11", "known inconsistencies found",
                 "the same twice", one, other, holds(one == other))  # fmt: skip


def _agreement(find: pd.DataFrame) -> Claim:
    """Whole numbers of agreed items, and the chance agreement that kappa then implies."""
    groups = {"experts": [*sources(find), "MFR"], "cs.CL": [CONTROL, IDENTIFIED]}
    words, good = [], []
    for name, columns in groups.items():
        share, kappa = (published.said(f"{what}, {name}", find) for what in ("agreement", "kappa"))
        total = sum(_only(find, c)[0] for c in columns)
        agreed = counts(share, int(total)) if total == total else []
        chance = [(k / total - float(kappa)) / (1 - float(kappa)) for k in agreed]
        words.append(f"{name} {agreed} of {total}, chance {listed(f'{c:.3f}' for c in chance)}")
        good.append(bool(agreed) and all(0 <= c < 1 for c in chance))
    return Claim("S71.kappa", "Section 7.1 vs Table 5", "agreement and kappa of the graders",
                 "k / answers; chance = (agreement - kappa) / (1 - kappa)", "two groups",
                 listed(words) + "; kappa itself is not derivable",
                 holds(all(good), so=CONSISTENT))  # fmt: skip


def _papers(find: pd.DataFrame) -> Claim:
    said, documents = published.said("arXiv papers", find), sizes(find)
    total = sum(documents[name] for name in (CONTROL, IDENTIFIED))
    return Claim("abs.50", "Abstract vs Table 2", "arXiv papers", "sum of both kinds", said,
                 str(total), judge(said, total))  # fmt: skip


def _novel(find: pd.DataFrame) -> Claim:
    said = {n: published.said(n, find) for n in
            ("inconsistencies in drafts", "novel inconsistencies", "novel in all")}  # fmt: skip
    number = {n: int(published.said(n, find)) for n in
              ("gpt-5 real", "gemini-2.5-pro real", "gpt-5 second round", "intentional",
               "overlapping placeholder")}  # fmt: skip
    twice = 2 * number["overlapping placeholder"]
    found = (number["gpt-5 real"] + number["gemini-2.5-pro real"] + number["gpt-5 second round"]
             - number["intentional"] - twice)  # fmt: skip
    return Claim("AppA.five", "Sections 1, 8, Appendix A", "novel inconsistencies in drafts",
                 "real ones, without the intentional one and the placeholder both models found",
                 listed(said.values()), str(found),
                 worst(judge(text, found) for text in said.values()))  # fmt: skip


def _responses(find: pd.DataFrame) -> Claim:
    told = published.cells("appendix E", "responses", find)["count"]
    graded, auto, rest = told["all"], told["auto-gradable"], told["scored"]
    examples, models = (int(published.said(name, find)) for name in
                        ("internal examples", "models with graded responses"))  # fmt: skip
    product, left = examples * models, int(graded) - int(auto)
    return Claim("AppE.141", "Appendices E, F", "graded responses, and those scored by the metric",
                 "models x examples; difference", f"{graded}; {rest}", f"{product}; {left}",
                 worst((judge(graded, product), judge(rest, left))))  # fmt: skip


def _order(find: pd.DataFrame) -> Claim:
    values = list(published.values("figure F.1", "description", find)["AUC"]
                  .loc[["bleurt", "rouge2", "bleu"]])  # fmt: skip
    return Claim("AppF.order", "Appendix F", "BLEURT best, ROUGE-2 second, BLEU lowest AUC",
                 "order", "order", listed(values),
                 holds(sorted(values, reverse=True) == values))  # fmt: skip


def _releases(find: pd.DataFrame) -> Claim:
    parts = [published.said(f"BLS {when} releases", find) for when in ("early", "late")]
    total = sizes(find)["BLS"] + sizes(find, "H.7")["BLS"]
    return Claim("AppG.bls", "Appendix G vs Tables 2, H.7", "BLS documents, test and development",
                 "sum", " + ".join(parts), str(total),
                 holds(adds_up(parts, str(total))))  # fmt: skip
