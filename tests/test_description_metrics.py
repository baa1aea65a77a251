"""The description metrics of Appendix F: each against a hand computation or another program."""

import re

import numpy as np
import pytest
from rapidfuzz.distance import LCSseq

from findlib import description
from findlib import description_scorers as scorers
from findlib import description_torch as neural
from findlib.paths import FindlibError

SAID = "Table 3 says revenue was 12 million but the text says 15 million."
PAIRS = [
    ("The revenue in the text (15 million) disagrees with the 12 million of Table 3.", SAID),
    ("Section 4 refers to an exhibit that is not in the filing.", SAID),
    (SAID, SAID),
    ("Net income: 7, not 8.", "12 - 5 is 7, not 8."),
]
PREDICTED, REFERENCE = map(list, zip(*PAIRS, strict=True))


@pytest.mark.parametrize(("name", "predicted", "reference", "by_hand"), [
    ("rouge1", "a b c d", "a b c e", 3 / 4),  # 3 of 4 words each way
    ("rouge2", "a b c d", "a b c e", 2 / 3),  # ab bc of ab bc cd / ab bc ce
    ("rougeL", "the cat sat on mats", "the mat cat sat", 2 * 3 / (5 + 4)),  # the cat sat
    ("bleu", "a b c d e", "a b c d f", (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
    ("bleu", "a b c d", "a b c d e f", np.exp(1 - 6 / 4)),  # brevity penalty only
    ("chrf", "abc", "abd", (2 / 3 + 1 / 2 + 0) / 3),  # orders 1 to 3; precision = recall
    ("chrf", "ab", "abcd",  # orders 1, 2: precision 1, recall 2/4 and 1/3; beta 2
     5 * 1 * (5 / 12) / (4 * 1 + 5 / 12)),
])  # fmt: skip
def test_overlap_metrics_by_hand(name, predicted, reference, by_hand):
    assert description.metric(name).score([predicted], [reference]) == pytest.approx([by_hand])


def test_rouge_l_is_the_longest_common_subsequence_of_rapidfuzz():
    for predicted, reference in PAIRS:
        words = [re.findall(r"[a-z0-9]+", text.lower()) for text in (predicted, reference)]
        expected = 2 * LCSseq.similarity(*words) / sum(map(len, words))
        assert description.metric("rougeL").score([predicted], [reference]) == pytest.approx(
            [expected]
        )


def test_every_metric_at_hand_has_its_signature_its_floor_and_scores_itself_highest():
    found = [description.metric(name) for name in description.available()]
    assert len({metric.signature for metric in found}) == len(found)
    for metric in found:
        assert metric.signature.endswith("|floor 0")
        assert metric.floor == 0
        scores = metric.score(PREDICTED, REFERENCE)
        assert scores[2] == max(scores[:3]), metric.name
        assert scores[2] == pytest.approx(1, abs=1e-5) or metric.name == "bleurt"


def test_auto_is_bleurt_then_the_sentence_model_then_rouge2(monkeypatch):
    """The order that tables state, whatever else is at hand."""
    monkeypatch.setattr(scorers, "at_hand", lambda name: name not in ("bleurt", "minilm"))
    assert description.metric("auto").name == "rouge2"
    assert description.available()[0] == "rouge1"


def test_greedy_matching_by_hand():
    """Vectors on two axes between [CLS] and [SEP] on two others.

    Predicted x, y; reference x, (x+y)/sqrt 2. Best matches: x 1, y 1/sqrt 2, and back x 1,
    the diagonal 1/sqrt 2: precision = recall = (1 + 1/sqrt 2) / 2.
    """
    first, x, y, last = np.eye(4)
    predicted = np.array([first, x, 3 * y, last])  # lengths do not matter
    reference = np.array([first, x, x + y, last])
    expected = (1 + 0.5**0.5) / 2
    assert scorers.greedy_f1(predicted, reference) == pytest.approx(expected)
    assert scorers.greedy_f1(predicted, reference[[0, -1]]) == 0  # an empty text
    opposite = np.array([first, -x, last])
    assert scorers.greedy_f1(opposite, np.array([first, x, last])) == 0


def needs_minilm():
    if not scorers.at_hand("minilm"):
        pytest.skip("the sentence model is not installed")


def test_greedy_matching_is_that_of_the_bert_score_package():
    """bert_score.utils.greedy_cos_idf on the same vectors, [CLS] and [SEP] weighing nothing."""
    needs_minilm()
    torch = pytest.importorskip("torch", reason="the extra [bleurt] is not installed")
    theirs = pytest.importorskip("bert_score.utils", reason="bert-score is not installed")
    ours = description.metric("bertscore-minilm").score(PREDICTED, REFERENCE)
    for (predicted, reference), score in zip(PAIRS, ours, strict=True):
        given = []
        for text in (reference, predicted):
            vectors = torch.tensor(scorers._encoder()(text)[0])[None]
            weights = torch.ones(1, vectors.shape[1])
            weights[0, 0] = weights[0, -1] = 0
            given += [vectors, torch.ones(1, vectors.shape[1], dtype=torch.bool), weights]
        assert theirs.greedy_cos_idf(*given)[2].item() == pytest.approx(score, abs=1e-6)


def test_texts_longer_than_the_sentence_model_reads_are_counted():
    needs_minilm()
    for name in ("minilm", "bertscore-minilm"):
        metric = description.metric(name)
        assert metric.score(["word " * 300, "a"], ["a", "a"])[1] == pytest.approx(1, abs=1e-6)
        assert metric.long_pairs == 1
        assert description.metric(name).long_pairs == 0  # its own count
        assert metric.score([""], [""]) == pytest.approx([0 if "bert" in name else 1], abs=1e-6)


@pytest.fixture
def checkpoint(tmp_path):
    """A tiny BERT made here: random weights, the real classes and files."""
    torch = pytest.importorskip("torch", reason="the extra [bleurt] is not installed")
    pytest.importorskip("bert_score", reason="bert-score is not installed")
    from transformers import BertConfig, BertModel, BertTokenizer

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcde123", "the", "sum", "is", "not"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(words), hidden_size=16, num_hidden_layers=3,
                        num_attention_heads=2, intermediate_size=16,
                        max_position_embeddings=32)  # fmt: skip
    BertTokenizer(str(tmp_path / "vocab.txt"), model_max_length=32).save_pretrained(tmp_path)
    BertModel(config).save_pretrained(tmp_path)
    return tmp_path


def test_bertscore_is_the_packages_own(checkpoint, monkeypatch):
    """bert_score.score on the same checkpoint and layer, in its own batches."""
    import bert_score

    monkeypatch.setenv("FINDLIB_BERTSCORE_CHECKPOINT", f"{checkpoint}@2")
    assert "bertscore" in description.available()
    metric = description.metric("bertscore")
    predicted = ["the sum is 3", "a b", "not the sum", "c " * 60]
    reference = ["the sum is not 3", "a b c", "a", "d " * 60]
    ours = metric.score(predicted, reference)
    assert metric.long_pairs == 1
    assert f"({checkpoint.name}, layer 2, bert-score 0.3.13" in metric.signature
    theirs = bert_score.score(predicted, reference, model_type=str(checkpoint), num_layers=2,
                              device="cpu")[2].tolist()  # fmt: skip
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert metric.score(predicted[::-1], reference[::-1]) == ours[::-1]  # to the bit
    assert metric.score(predicted[:1], reference[:1]) == ours[:1]


def test_bertscore_layers_and_their_absence(checkpoint, monkeypatch):
    """roberta-large's layer 17 is the one that Zhang et al. recommend."""
    assert neural.BertScore._layer("roberta-large") == ("roberta-large", 17)
    assert neural.BertScore._layer("FacebookAI/roberta-large") == ("FacebookAI/roberta-large", 17)
    for name, said in [(f"{checkpoint}", "folder@17"), (f"{checkpoint}@x", "folder@17"),
                       (f"{checkpoint}@9", "cannot be loaded"),
                       ("/no/such/folder@2", "FINDLIB_BERTSCORE_CHECKPOINT")]:  # fmt: skip
        with pytest.raises(FindlibError, match=said):
            description.metric("bertscore", name)
        monkeypatch.setenv("FINDLIB_BERTSCORE_CHECKPOINT", "/no/such/folder@2")
        assert "bertscore" not in description.available()
