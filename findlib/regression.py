"""Task score on document length and inconsistency type, with the sources as controls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .models import MAX_INPUT_TOKENS
from .records import ERROR_TYPES, Document

COVARIANCES = ("nonrobust", "HC3", "cluster")  # the printed stars of Table H.5 fit the first
REFERENCE = "structural"
TERMS = ("length", "numeric", "non-numeric")


def frame(
    scores: pd.DataFrame,
    documents: Sequence[Document],
    tokens: Sequence[int],
    limit: int = MAX_INPUT_TOKENS,
) -> pd.DataFrame:
    """What the regression and Table H.6 need, a row a document and model.

    ``scores`` is `find.scores`; ``tokens`` are the documents' lengths (gpt-5 tokenizer), in
    order; ``limit`` is where the input was cut. Columns: model, doc_id, source, error_type,
    task (0 to 1 or NaN), tokens, and tokens_read, the length clipped at the limit.
    """
    about = pd.DataFrame({
        "doc_id": [d.doc_id for d in documents],
        "error_type": [d.error_type for d in documents],
        "tokens": list(tokens),
    })  # fmt: skip
    found = scores[["model", "doc_id", "source", "task"]].merge(about, on="doc_id", how="left")
    return found.assign(tokens_read=found.tokens.clip(upper=limit))


def regress(
    rows: pd.DataFrame,
    covariance: str = "nonrobust",
    reference: str = REFERENCE,
    per_tokens: int = 10_000,
) -> pd.DataFrame:
    """One model's regression of Table H.5, in percentage points.

    ``task_pp ~ length + C(error_type, Treatment(reference)) + C(source)`` by ordinary least
    squares, length in units of ``per_tokens`` tokens, clipped at the input limit.
    ``covariance``: "nonrobust" (the printed one), "HC3", or "cluster" over the sources (t
    with sources - 1 degrees of freedom). ``rows`` is one model's part of `frame`; rows
    without a score or type are left out.

    Columns: term ("length" and the types other than the reference), coefficient, se, p,
    stars, r2, n. A term that the data cannot tell (no such type, no spread) is NaN, and all
    are where the score has no spread or no degree of freedom is left. Raises ValueError for
    an unknown covariance or reference.
    """
    if covariance not in COVARIANCES:
        raise ValueError(f"covariance {covariance!r}; known: {', '.join(COVARIANCES)}")
    if reference not in ERROR_TYPES:
        raise ValueError(f"reference {reference!r}; known: {', '.join(ERROR_TYPES)}")
    kept = rows[rows.task.notna() & rows.error_type.isin(ERROR_TYPES)]
    terms = ["length", *(kind for kind in ERROR_TYPES if kind != reference)]
    fit = _fit(kept, covariance, reference, per_tokens)
    values = [_term(fit, term) for term in terms]
    found = pd.DataFrame(values, columns=["coefficient", "se", "p"]).assign(term=terms)
    r2 = float(fit.rsquared) if fit is not None else float("nan")
    found = found.assign(stars=[stars(p) for p in found.p], r2=r2, n=len(kept))
    return found[["term", "coefficient", "se", "p", "stars", "r2", "n"]]


def _fit(kept: pd.DataFrame, covariance: str, reference: str, per_tokens: int) -> Any:
    """The fitted model, or None where there is nothing to tell."""
    import statsmodels.formula.api as smf

    data = kept.assign(pp=100 * kept.task, length=kept.tokens_read / per_tokens)
    parts = ["length"] if data.length.nunique() > 1 else []
    if data.error_type.nunique() > 1 and reference in set(data.error_type):
        parts.append(f"C(error_type, Treatment({reference!r}))")
    if data.source.nunique() > 1:
        parts.append("C(source)")
    if data.empty or not np.ptp(data.pp) or not parts:
        return None
    model = smf.ols("pp ~ " + " + ".join(parts), data)
    design = np.linalg.matrix_rank(model.exog)
    if design < model.exog.shape[1] or len(data) <= design:
        return None
    if covariance == "cluster":
        groups = pd.factorize(data.source)[0]
        if len(set(groups)) < 2:
            return None
        return model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    return model.fit(cov_type=covariance, use_t=True)


def _term(fit: Any, term: str) -> tuple[float, float, float]:
    name = next((n for n in fit.params.index if _named(n) == term), None) if fit else None
    if name is None:
        return float("nan"), float("nan"), float("nan")
    return float(fit.params[name]), float(fit.bse[name]), float(fit.pvalues[name])


def _named(parameter: str) -> str:
    level = re.search(r"error_type.*\[T\.(.*)\]", parameter)
    return level[1] if level else parameter


def stars(p: float) -> str:
    """The marks of Table H.5: *** for p < .001, ** for p < .01, * for p < .05.

    >>> [stars(p) for p in (0.0004, 0.004, 0.04, 0.4, float("nan"))]
    ['***', '**', '*', '', '']
    """
    return "*" * sum(p < level for level in (0.05, 0.01, 0.001))


def all_models(rows: pd.DataFrame) -> pd.DataFrame:
    """`regress` for every model and covariance: its columns with model and covariance."""
    parts = [
        regress(mine, covariance).assign(model=model, covariance=covariance)
        for model, mine in rows.groupby("model", sort=False)
        for covariance in COVARIANCES
    ]
    return pd.concat(parts, ignore_index=True)


def type_means(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean task score by model and inconsistency type, with n: the left part of Table H.5."""
    groups = rows.groupby(["model", "error_type"], sort=False).task
    return groups.agg(["mean", "count"]).reset_index().rename(columns={"count": "n"})


BIN = 10_000  # tokens, Table H.6
LAST_BIN = 10  # 100k tokens and more


def length_bin(tokens: int) -> int:
    """The bin of Table H.6: 0 for under 10k tokens ... 10 for 100k and more."""
    return min(tokens // BIN, LAST_BIN)


def bin_label(number: int) -> str:
    """
    >>> bin_label(0), bin_label(10)
    ('0–10k', '≥100k')
    """
    return f"{number * 10}–{number * 10 + 10}k" if number < LAST_BIN else "≥100k"


def by_length(rows: pd.DataFrame) -> pd.DataFrame:
    """Table H.6: documents and mean task score over all models, by length bin and source.

    Lengths are whole documents' (not clipped). Columns: bin (0 to 10), source, documents,
    task, n_scored.
    """
    binned = rows.assign(bin=[length_bin(int(t)) for t in rows.tokens])
    groups = binned.groupby(["bin", "source"], sort=True)
    return groups.agg(
        documents=("doc_id", "nunique"), task=("task", "mean"), n_scored=("task", "count")
    ).reset_index()
