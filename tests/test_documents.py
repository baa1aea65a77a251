"""Token counts, truncation and windows: properties that must hold for any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from findlib.documents import sentences, spans_cut, tokenizer, truncated, windows

BY = tokenizer()
prose = st.lists(st.sampled_from(["alpha ", "1,234 ", "beta\n", "x" * 30, "\n\n", "é 😀 "]),
                 min_size=1, max_size=300).map("".join)  # fmt: skip


@given(prose, st.integers(12, 60))
@settings(max_examples=60, deadline=None)
def test_windows_cover_the_text_overlap_and_fit(text, limit):
    found = windows(text, limit, limit // 10, BY)
    assert found[0].start == 0
    assert found[-1].end == len(text)
    assert all(BY.count(text[w.start : w.end]) <= limit + 2 for w in found)
    for before, after in zip(found, found[1:], strict=False):
        assert before.start < after.start <= before.end < after.end


@given(prose, st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_truncation_keeps_the_longest_beginning_that_fits(text, limit):
    end = truncated(text, limit, BY)[0].end
    assert BY.count(text[:end]) <= limit
    assert end == len(text) or BY.count(text[: end + 40]) >= limit - 1


def test_token_counts_against_tiktoken():
    """Another implementation: tiktoken itself, on text that holds a special token."""
    import tiktoken

    text = "net income of 1,234 <|endoftext|> é"
    expected = len(tiktoken.get_encoding("o200k_base").encode(text, disallowed_special=()))
    assert BY.count(text) == expected
    assert tokenizer("o200k_base*2").count(text) == 2 * expected
    assert "estimate" in tokenizer("google/gemma-3-12b-it").name


def test_an_overlap_of_half_a_window_is_refused():
    with pytest.raises(ValueError, match="half"):
        windows("text", 10, 5, BY)


def test_sentences_are_verbatim_and_once():
    text = "One is here. Two is there.\n| a | 1 |\nOne is here.\n---\n" + "long " * 50
    assert sentences(text) == ["One is here.", "Two is there.", "| a | 1 |"]


def test_spans_cut(document):
    assert spans_cut(document, len(document.text)) == 0
    assert spans_cut(document, document.text.find("profit")) == 1
    assert spans_cut(document, 0) == 2
