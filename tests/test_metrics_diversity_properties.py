"""What holds for any captions: no order, no partition and no empty caption changes what should not change."""

from __future__ import annotations

from itertools import pairwise
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.measures.diversity.compute import basic, diversity, windowed_ttr
from assess.measures.diversity.tokens import encode, expected_ttr, expected_types, ngram_codes, spread
from assess.measures.image_sets import Novelty, novelty

Captions = list[list[str]]
captions_of_few_words = st.lists(st.lists(st.sampled_from(["a", "A", "dog", "cat", "runs", " "]), max_size=7))


@given(captions_of_few_words, st.randoms(use_true_random=False), st.integers(1, 12))
def test_shuffling_captions_changes_no_order_free_measure(captions: Captions, random, window: int) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(captions, len(captions))
    first, second = (diversity(encode(texts), window=window) for texts in (captions, shuffled))
    assert repr(first) == repr(second)  # repr, because nan is not equal to itself


@given(captions_of_few_words, st.integers(1, 3), st.integers(1, 8))
def test_windows_agree_with_slices_of_a_list(captions: Captions, length: int, window: int) -> None:
    words = [word.lower() for caption in captions for word in caption]
    grams = list(zip(*(words[start:] for start in range(length)), strict=False))
    slices = [grams[start : start + window] for start in range(0, len(grams) - window + 1, window)]
    value = windowed_ttr(encode(captions, mode="paper"), length=length, window=window)
    if slices:
        assert value == pytest.approx(np.mean([len(set(part)) / window for part in slices]))
    else:
        assert isnan(value)


@given(captions_of_few_words, st.integers(1, 4))
def test_ngrams_within_captions_are_those_of_each_caption_alone(captions: Captions, length: int) -> None:
    corpus = encode(captions, mode="paper")
    codes, places = ngram_codes(corpus, length, across_captions=False)
    expected = [
        tuple(word.lower() for word in caption[start : start + length])
        for caption in captions
        for start in range(len(caption) - length + 1)
    ]
    found = [tuple(corpus.vocabulary[code] for code in corpus.codes[at : at + length]) for at in places]
    assert found == expected
    assert len(set(codes.tolist())) == len(set(expected))


@given(captions_of_few_words)
def test_expected_types_never_fall_with_more_captions(captions: Captions) -> None:
    found = spread(encode(captions))
    curve = [expected_types(found, sample) for sample in range(len(captions) + 1)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(curve))
    assert curve[-1] == pytest.approx(found.types)


@given(captions_of_few_words, st.integers(1, 12))
def test_expected_ttr_is_a_share(captions: Captions, window: int) -> None:
    value = expected_ttr(spread(encode(captions)), window)
    assert isnan(value) or 0 < value <= 1 + 1e-12


@given(captions_of_few_words)
def test_lengths_agree_with_numpy(captions: Captions) -> None:
    measures = basic(encode(captions, mode="paper"), mode="paper")
    if captions:
        lengths = [len(caption) for caption in captions]
        assert measures.asl == pytest.approx(np.mean(lengths))
        assert measures.sdsl == pytest.approx(np.std(lengths), abs=1e-12)


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")))
def test_novelty_of_parts_adds(first: list[str], second: list[str], known: set[str]) -> None:
    whole = novelty(first + second, known)
    assert novelty(first, known) + novelty(second, known) == whole
    assert novelty(first, first) == Novelty(len(first), 0)
