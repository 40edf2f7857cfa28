"""Properties for any captions: order, partitions and empty captions do not change what they should not."""

from __future__ import annotations

import bz2
from itertools import pairwise
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.engine import columns
from assess.engine.columns import DistinctTexts, PackedStrings, numbered, sorted_once
from assess.measures.diversity import compute, rarefaction, tokens
from assess.measures.diversity.compute import (
    THRESHOLD,
    basic,
    diversity,
    mtld,
    order_free_mtld,
    windowed_ttr,
)
from assess.measures.diversity.rarefaction import (
    expected_found,
    expected_ttr,
    expected_types,
    log_factorials,
    spread,
    ttr_statistics,
)
from assess.measures.diversity.repetition import compression_ratio, moving_average_ttr, self_repetition
from assess.measures.diversity.tokens import encode, encode_columns, ngram_codes
from assess.measures.image_sets import Novelty, novelty
from assess.measures.settings import Mode
from assess.records import Annotation, Depth

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


@given(captions_of_few_words, st.integers(1, 3), st.integers(1, 5))
def test_working_in_parts_changes_no_number(captions: Captions, length: int, size: int) -> None:
    def found() -> str:
        corpus = encode(captions)
        numbers = spread(corpus, length=length), self_repetition(corpus, length=length)
        free = order_free_mtld(corpus), moving_average_ttr(corpus.codes, window=2)
        places = np.arange(len(corpus))
        statistics = ttr_statistics(corpus, places, images=len(corpus), lengths=[length], window=2)
        drawn = statistics[length](np.asarray(1.0 + places[None] % 3, dtype=np.float64)).tolist()
        return repr((*numbers, windowed_ttr(corpus, length=length, window=2), free, drawn))

    whole = found()
    with pytest.MonkeyPatch.context() as patch:
        for module in (columns, tokens, compute):
            patch.setattr(module, "AT_ONCE", size)
        assert found() == whole


@given(captions_of_few_words, st.sampled_from(["assess", "paper"]), st.randoms(use_true_random=False))
def test_columns_are_coded_as_words_are(captions: Captions, mode: Mode, random) -> None:  # type: ignore[no-untyped-def]
    store = DistinctTexts(Depth.WORDS)
    numbers = [store.append(Annotation(tuple(words), (), (), ())) for words in captions]
    random.shuffle(numbers)
    coded = encode_columns(store.columns(np.array(numbers, dtype=np.int32)), mode=mode)
    plain = encode([captions[number] for number in numbers], mode=mode)
    assert coded.vocabulary == plain.vocabulary
    assert (coded.codes.tolist(), coded.starts.tolist()) == (plain.codes.tolist(), plain.starts.tolist())


@given(st.lists(st.text()), st.lists(st.text()))
def test_packed_strings_are_those_that_were_added(first: list[str], second: list[str]) -> None:
    packed = PackedStrings(first)
    packed.extend(second)
    assert (list(packed), len(packed)) == ([*first, *second], len(first) + len(second))
    assert [packed[place] for place in range(-len(packed), len(packed))] == 2 * [*first, *second]
    assert packed.lengths.tolist() == [len(string.encode("utf-8", "surrogatepass")) for string in packed]


@given(
    st.lists(st.text(st.sampled_from("\0\1aé\ud800\uffff😀"), max_size=20)),
    st.lists(st.text()),
    st.sampled_from(["", "x" * 128, "x" * 129]),
)
def test_strings_are_numbered_in_order(first: list[str], second: list[str], other: str) -> None:
    lists = {"one": PackedStrings([*first, *second]), "other": [*second, other], "none": []}
    ordered = sorted({*first, *second, other})
    number, places = numbered(lists)
    assert number == len(ordered)
    assert {name: [ordered[place] for place in found.tolist()] for name, found in places.items()} == {
        name: list(strings) for name, strings in lists.items()
    }
    assert numbered({}) == (0, {})


def test_more_words_than_two_bytes_can_number() -> None:
    words = [f"w{number}" for number in range(70_000)]
    store = DistinctTexts(Depth.WORDS)
    numbers = [store.append(Annotation((word, "w1"), (), (), ())) for word in words]
    assert store.words(numbers[-1]) == ("w69999", "w1")
    corpus = encode_columns(store.columns(np.array(numbers)))
    assert (corpus.words(0), corpus.words(69_999)) == (("w0", "w1"), ("w69999", "w1"))
    assert corpus.codes.dtype == np.int32


@given(st.lists(st.integers(0, 50)))
def test_numbers_are_sorted_and_each_is_there_once(numbers: list[int]) -> None:
    assert sorted_once(np.array(numbers, dtype=np.int64)).tolist() == sorted(set(numbers))


@given(st.lists(st.integers(0, 60), min_size=1), st.integers(1, 7))
def test_logarithms_of_factorials_are_the_same_to_the_last_digit(numbers: list[int], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "AT_ONCE", size)
        found = log_factorials(np.array(numbers))
    assert found.tolist() == rarefaction._log_factorials(60)[numbers].tolist()
    assert expected_found(np.array([1, 2]), 4, 2) == pytest.approx([1 / 2, 5 / 6])


@given(captions_of_few_words)
def test_captions_are_sorted_by_their_words_and_equal_ones_are_one(captions: Captions) -> None:
    corpus = encode(captions, mode="paper")
    written = [corpus.words(number) for number in range(len(corpus))]
    order = sorted(range(len(corpus)), key=written.__getitem__)
    assert corpus.canonical_order.tolist() == order
    once, numbers = corpus.distinct
    assert [once.words(number) for number in numbers.tolist()] == written
    assert corpus.unique == len(set(written))
    assert len(once) in (corpus.unique, len(corpus))


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.sampled_from([THRESHOLD, 0.2, 0.9]))
def test_mtld_is_that_of_reading_word_by_word(codes: list[int], threshold: float) -> None:
    stretches = [_stretches(words, threshold) for words in (codes, codes[::-1])]
    expected = np.mean([len(codes) / each if each else np.nan for each in stretches])
    for longest in (4, 512):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compute._factors, "__kwdefaults__", {"longest": longest})
            assert mtld(np.array(codes), threshold=threshold) == pytest.approx(expected, nan_ok=True)


def _stretches(words: list[int], threshold: float) -> float:
    stretches, seen, count = 0.0, set[int](), 0
    for word in words:
        seen.add(word)
        count += 1
        if len(seen) / count <= threshold:
            stretches, count = stretches + 1, 0
            seen.clear()
    return stretches + ((1 - len(seen) / count) / (1 - threshold) if count else 0)


@given(captions_of_few_words)
def test_compression_is_that_of_the_captions_as_lines(captions: Captions) -> None:
    corpus = encode(captions)
    lines = "\n".join(" ".join(corpus.words(number)) for number in range(len(corpus))).encode()
    expected = len(lines) / len(bz2.compress(lines)) if lines.strip() else float("nan")
    assert compression_ratio(corpus) == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


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
        assert measures["asl"] == pytest.approx(np.mean(lengths))
        assert measures["sdsl"] == pytest.approx(np.std(lengths), abs=1e-12)


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")))
def test_novelty_of_parts_adds(first: list[str], second: list[str], known: set[str]) -> None:
    whole = novelty(first + second, known)
    assert novelty(first, known) + novelty(second, known) == whole
    assert novelty(first, first) == Novelty(len(first), 0)
