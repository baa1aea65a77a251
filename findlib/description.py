"""Description metrics: how well a predicted description says what the reference says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import description_scorers as scorers
from . import description_torch as neural
from .paths import FindlibError

METRICS = ("bleurt", "minilm", "rouge1", "rouge2", "rougeL", "bleu", "chrf", "bertscore",
           "bertscore-minilm")  # fmt: skip
AUTO = ("bleurt", "minilm", "rouge2", "bleu")  # "auto" is the first of these that is at hand
FLOOR = 0.0


@dataclass(frozen=True)
class Metric:
    """One description metric, ready to score.

    ``signature`` goes into every table. ``floor`` is what a response without a valid answer
    scores. ``score`` counts in ``long_pairs`` the pairs that did not fit the model whole.
    """

    name: str
    signature: str
    floor: float
    _scorer: Any

    def score(self, predicted: Sequence[str], reference: Sequence[str]) -> list[float]:
        """One score a pair, in order. Raises ValueError when the lengths differ."""
        if len(predicted) != len(reference):
            raise ValueError(f"{len(predicted)} predictions for {len(reference)} references")
        return self._scorer.score(list(predicted), list(reference)) if predicted else []

    @property
    def long_pairs(self) -> int:
        """How many pairs scored so far were cut to the model's maximum length."""
        return int(getattr(self._scorer, "long_pairs", 0))


def available() -> list[str]:
    """The metrics that can run here, the headline one first (BLEURT where it is at hand)."""
    return [name for name in METRICS if scorers.at_hand(name)]


def metric(name: str = "auto", checkpoint: str = "") -> Metric:
    """A description metric by name, or the best that is installed for "auto".

    The candidates of FIND, Appendix F, and the embedded sentence model: BLEURT, BERTScore,
    ROUGE-1/2/L, BLEU, chrF; "minilm" is the cosine of sentence embeddings and
    "bertscore-minilm" BERTScore's matching over the same model's token vectors.
    ``checkpoint``: for BLEURT and BERTScore a local folder or hub name, else
    FINDLIB_BLEURT_CHECKPOINT or FINDLIB_BERTSCORE_CHECKPOINT, else BLEURT-20 or
    roberta-large; BERTScore's layer as in "folder@17", else the one its authors recommend.
    Raises FindlibError for an unknown name or one that is not installed.

    >>> metric("rouge2").score(["sales fell by 3"], ["sales fell by 4"])
    [0.6666666666666666]
    """
    name = next(m for m in AUTO if scorers.at_hand(m)) if name == "auto" else name
    if name not in METRICS:
        raise FindlibError(f"description metric {name!r} is unknown; use auto or one of {METRICS}")
    scorer = _scorer(name, checkpoint)
    return Metric(name, f"{scorer.signature}|floor {FLOOR:g}", FLOOR, scorer)


def _scorer(name: str, checkpoint: str) -> Any:
    if name.startswith("rouge"):
        return scorers.Rouge(name)
    if name in ("bleu", "chrf"):
        return scorers.Sacrebleu(name)
    if name == "minilm":
        return scorers.MiniLM()
    if name == "bertscore-minilm":
        return scorers.MiniLMTokens()
    kind = neural.Bleurt if name == "bleurt" else neural.BertScore
    return kind(checkpoint or neural.checkpoint(name))
