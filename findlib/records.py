"""The records that pass between stages, and every name they are called by."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from .paths import sha256

STATUSES = (
    "ok",
    "refused",
    "truncated",
    "empty",
    "malformed",
    "provider_error",
    "judge_unparsed",
)
ERROR_TYPES = ("numeric", "non-numeric", "structural")
METRICS = ("evidence", "description", "task")

# source code -> (label, published counterpart in the FIND tables or "")
SOURCES = {
    "BLS": ("employment and economic releases (FIND)", "BLS"),
    "PRE": ("bond presale reports (FIND)", "PRE"),
    "SEC": ("10-Q reports (FIND)", "SEC"),
    "EMM": ("municipal bond disclosures (FIND)", "EMM"),
    "PG": ("non-fiction books (FIND)", "PG"),
    "PGS": ("non-fiction books, development set, possibly seen (FIND)", "PGS"),
    "MFR": ("miscellaneous financial reports, natural inconsistencies", "MFR"),
    "cs.CL-Ctrl": ("cs.CL papers, controls", "cs.CL Ctrl"),
    "cs.CL-Idnt": ("cs.CL papers, identified inconsistencies", "cs.CL Idnt"),
    "FIND": ("released FIND set without source labels", "FIND"),
    "S-EMP": ("employment releases (sample)", "BLS"),
    "S-PRE": ("bond presale reports (sample)", "PRE"),
    "S-QTR": ("quarterly reports (sample)", "SEC"),
    "S-MUN": ("municipal disclosures (sample)", "EMM"),
    "S-BOOK": ("non-fiction chapters (sample)", "PG"),
    "WILD": ("documents whose authors later fixed the inconsistency", ""),
    "OWN": ("the user's own documents", ""),
}

# columns of the tables between stages; ANSWERS and GRADES are parquet, a row an answer
ANSWERS = ("doc_id", "source", "model", "sample", "answer", "window", "evidence", "description",
           "status", "reason")  # fmt: skip
GRADES = ("doc_id", "source", "model", "sample", "answer", "status", "n_spans", "n_verbatim",
          "n_verbatim_folded", "evidence_precision", "evidence", "evidence_recall",
          "evidence_lenient", "description", "task", "judge_status")  # fmt: skip
# RESPONSES is a row a document and model, windows merged
RESPONSES = ("doc_id", "source", "model", "sample", "status", "valid", "n_windows",
             "prompt_tokens", "completion_tokens", "seconds", "cost_usd",
             "input_tokens_cut", "evidence_cut", "windows_failed", "layer")  # fmt: skip


@dataclass(frozen=True)
class Document:
    """One document with its expected (reference) inconsistency, FIND section 3.1.

    ``evidence`` holds verbatim spans of ``text`` in reading order; the last is the trigger.
    ``error_type`` is one of ERROR_TYPES. ``corrected`` is the same document without the
    inconsistency, "" where there is none.
    """

    doc_id: str
    text: str
    source: str = "OWN"
    description: str = ""
    evidence: tuple[str, ...] = ()
    error_type: str = ""
    modality: str = ""
    scope: str = ""
    split: str = "test"
    corrected: str = field(default="", repr=False)

    @property
    def trigger(self) -> str:
        """The span at which a reader can first notice the inconsistency."""
        return self.evidence[-1] if self.evidence else ""

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the text."""
        return sha256(self.text)


@dataclass(frozen=True)
class Answer:
    """One predicted inconsistency: verbatim evidence spans and a description.

    ``status`` is "ok" or "malformed", ``reason`` says why it is malformed; ``score`` (0 to 1)
    ranks the answers of a reader that ranks them. A reader that knows where its evidence
    stands gives ``places``, the character range of each span, and the ``kind`` of its check.
    """

    evidence: list[str]
    description: str
    status: str = "ok"
    reason: str = ""
    score: float | None = None
    kind: str = ""
    places: tuple[tuple[int, int], ...] = ()


def reference(document: Document) -> Answer:
    """The expected inconsistency of a document as an Answer."""
    return Answer(list(document.evidence), document.description)
