"""The scorers behind BLEURT and BERTScore, which need torch and a checkpoint (make bleurt).

As in `description_scorers`: ``score(predicted, reference)``, ``signature``, ``long_pairs``.
"""

from __future__ import annotations

import importlib.util
import os
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

from .paths import FindlibError

# package, variable that names a checkpoint, and the checkpoint where that is not set
CHECKPOINTS = {
    "bleurt": ("bleurt_pytorch", "FINDLIB_BLEURT_CHECKPOINT", "lucadiliello/BLEURT-20"),
    "bertscore": ("bert_score", "FINDLIB_BERTSCORE_CHECKPOINT", "roberta-large"),
}
MAX_TOKENS = 512
BLEURT_BATCH = 16


def checkpoint(metric: str) -> str:
    """The checkpoint of "bleurt" or "bertscore" that the environment names, or the default."""
    _, variable, default = CHECKPOINTS[metric]
    return os.environ.get(variable) or default


def checkpoint_at_hand(metric: str) -> bool:
    """Whether package and checkpoint are here: a local folder, or weights in the hub cache."""
    if importlib.util.find_spec(CHECKPOINTS[metric][0]) is None:
        return False
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    name, _ = _split(checkpoint(metric))
    if Path(name).is_dir():
        return True
    weights = ("model.safetensors", "pytorch_model.bin")
    try:
        return any(isinstance(try_to_load_from_cache(name, file), str) for file in weights)
    except HFValidationError:
        return False


def _split(name: str) -> tuple[str, int]:
    """A checkpoint and the layer named with it, as in "folder@17"; 0 for none named."""
    folder, _, layer = name.rpartition("@")
    return (folder, int(layer)) if folder and layer.isdecimal() else (name, 0)


def _unloadable(name: str, metric: str, error: Exception) -> FindlibError:
    first = str(error).split("\n")[0][:200]
    variable = CHECKPOINTS[metric][1]
    return FindlibError(
        f"{metric} checkpoint {name!r} cannot be loaded ({first}); name a local folder in "
        f"{variable}"
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

        folder, layer = _split(name)
        layer = layer or model2layers.get(folder) or model2layers.get(Path(folder).name) or 0
        if not layer:
            raise FindlibError(
                f"bertscore checkpoint {name!r}: no layer is recommended for it; name one, as in "
                "FINDLIB_BERTSCORE_CHECKPOINT=folder@17"
            )
        return folder, layer

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
