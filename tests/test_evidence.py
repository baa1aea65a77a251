"""The evidence metric. Golden values: worked by hand from FIND, Appendix E's example."""

import difflib
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from findlib.evidence import (
    locate,
    locate_all,
    longest_common_substring,
    score_evidence,
    verbatim,
    verbatim_folded,
)

PREDICTED = ["this is evidence", "this is more evidence"]
REFERENCE = ["this is evidence", "this is some more evidence"]
TEXT = "this is evidence. this is more evidence. this is some more evidence."
spans = st.lists(st.text("ab c", min_size=1, max_size=8), max_size=4)


def test_strict_golden_values():
    score = score_evidence(PREDICTED, REFERENCE, TEXT, "strict")
    assert (score.overlap, score.predicted_length, score.reference_length) == (30, 37, 42)
    assert score.precision == pytest.approx(30 / 37)
    assert score.recall == pytest.approx(30 / 42)
    assert score.f1 == pytest.approx(60 / 79)
    assert score.similarity.round(3).tolist() == [[1.0, 0.429], [0.486, 0.596]]
    assert [(m.predicted, m.reference, m.overlap) for m in score.matches] == [
        (0, 0, 16),
        (1, 1, 14),
    ]


def test_lenient_golden_values():
    score = score_evidence(PREDICTED, REFERENCE, TEXT, "lenient")
    assert (score.overlap, score.predicted_length, score.reference_length) == (32, 32, 36)
    assert score.f1 == pytest.approx(64 / 68)


def test_span_not_in_the_document_cannot_match_but_counts():
    """By hand: 10 of 10 + 7 predicted characters, 10 reference."""
    score = score_evidence(["absent!", "0123456789"], ["0123456789"], "x 0123456789 y")
    assert score.precision == pytest.approx(10 / 17)
    assert score.recall == 1
    assert np.isneginf(score.similarity[0]).all()
    assert [m.predicted for m in score.matches] == [1]


def test_all_spans_absent_scores_zero_where_scipy_would_refuse_the_matrix():
    score = score_evidence(["q", "r"], ["this is evidence"], TEXT)
    assert (score.f1, score.precision, score.recall, score.matches) == (0, 0, 0, ())


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize(
    ("predicted", "reference"), [([], ["a"]), (["a"], []), ([], []), ([""], [""])]
)
def test_zero_denominators_give_zero(predicted, reference, mode):
    score = score_evidence(predicted, reference, "a", mode)
    assert (score.precision, score.recall, score.f1) == (0, 0, 0)


def test_unknown_mode():
    with pytest.raises(ValueError, match="strict"):
        score_evidence([], [], "", "exact")


@given(spans, spans)
@settings(max_examples=150, deadline=None)
def test_range_order_and_swap(predicted, reference):
    """Properties: within [0, 1], order of spans is no matter, precision and recall swap."""
    document = " | ".join([*predicted, *reference])
    for mode in ("strict", "lenient"):
        score = score_evidence(predicted, reference, document, mode)
        assert 0 <= score.f1 <= 1
        assert 0 <= score.precision <= 1
        assert 0 <= score.recall <= 1
        turned = score_evidence(predicted[::-1], reference[::-1], document, mode)
        assert turned.f1 == pytest.approx(score.f1)
        swapped = score_evidence(reference, predicted, document, mode)
        assert swapped.precision == pytest.approx(score.recall)


@given(st.lists(st.text("abcd", min_size=1, max_size=8), min_size=1, max_size=4))
@settings(deadline=None)
def test_perfect_is_one_and_disjoint_is_zero(some):
    document = " ".join(some)
    for mode in ("strict", "lenient"):
        assert score_evidence(some, some, document, mode).f1 == pytest.approx(1)
        assert score_evidence(some, ["XYZ"], document + " XYZ", mode).f1 == 0


@given(st.text("abc ", max_size=30), st.text("abc ", max_size=30))
@settings(deadline=None)
def test_longest_common_substring_against_difflib(x, y):
    """Another implementation: difflib's longest match (exact with autojunk off)."""
    match = difflib.SequenceMatcher(None, x, y, autojunk=False).find_longest_match()
    assert longest_common_substring(x, y) == match.size


@given(spans.filter(len), spans.filter(len))
@settings(max_examples=60, deadline=None)
def test_assignment_is_the_best_of_all_pairings(predicted, reference):
    """Brute force over every pairing: no other has a larger sum of similarities."""
    score = score_evidence(predicted, reference, " | ".join(predicted), "strict")
    rows, columns = score.similarity.shape
    best = max(
        sum(score.similarity[i, j] for i, j in zip(rs, cs, strict=True))
        for rs in itertools.combinations(range(rows), min(rows, columns))
        for cs in itertools.permutations(range(columns), min(rows, columns))
    )
    got = sum(score.similarity[m.predicted, m.reference] for m in score.matches)
    assert got == pytest.approx(best)


def test_locate_gives_offsets_into_the_original():
    text = "a\u00a0 b “quoted”  —  10² and 10²"
    place = locate('b "quoted" -', text)
    assert text[place.start : place.end] == "b “quoted”  —"
    assert not place.exact
    assert locate("102", text) is None  # NFKC would have made 10² of it
    assert [text[s:e] for s, e, _ in locate_all("10²", text)] == ["10²", "10²"]
    assert locate("  ", text) is None
    assert locate("", text) is None


def test_verbatim_is_exact_and_the_folded_column_is_not():
    assert verbatim("“a”", "say “a”")
    assert not verbatim('"a"', "say “a”")
    assert verbatim_folded('"a"', "say “a”")


def test_surrogates_and_astral_characters_keep_their_offsets():
    text = "😀😀 net  income \ud800 end"
    place = locate("net income", text)
    assert text[place.start : place.end] == "net  income"
