"""Diversity measures on captions small enough to compute by hand."""

from __future__ import annotations

from itertools import combinations
from math import comb, isnan

import numpy as np
import pytest

import assess
from assess.errors import UsageError
from assess.measures.diversity.compute import (
    basic,
    curve_types,
    diversity,
    diversity_notes,
    mtld,
    order_effects,
    order_free_mtld,
    windowed_ttr,
)
from assess.measures.diversity.rarefaction import expected_ttr, expected_types, hdd, spread, type_token_curve
from assess.measures.diversity.tokens import TokenCorpus, encode, ngram_codes, parallel
from assess.measures.image_sets import novelty, paper_key, token_key
from assess.measures.settings import DiversitySettings, Mode


def corpus(*texts: str) -> TokenCorpus:
    return encode([text.split() for text in texts])


def test_words_are_counted_in_lower_case() -> None:
    assert corpus("A dog", "a DOG").vocabulary == ("a", "dog")


def test_white_space_is_a_word_in_the_paper_and_none_of_ours() -> None:
    captions = [["a", "  ", "dog"], ["\n"], ["cat"]]
    assert encode(captions, mode="paper").lengths.tolist() == [3, 1, 1]
    ours = encode(captions, mode="assess")
    assert ours.lengths.tolist() == [2, 0, 1]
    assert [ours.words(caption) for caption in range(3)] == [("a", "dog"), (), ("cat",)]


def test_lengths_have_their_mean_and_population_deviation() -> None:
    measures = basic(corpus("a b", "a b c d"))
    assert (measures["captions"], measures["tokens"], measures["types"]) == (2, 6, 4)
    assert (measures["asl"], measures["sdsl"]) == (3.0, 1.0)


def test_bigrams_of_the_paper_cross_captions_and_ours_do_not() -> None:
    captions = corpus("a b", "a b")
    assert ngram_codes(captions, 2, across_captions=True)[1].tolist() == [0, 1, 2]
    assert ngram_codes(captions, 2, across_captions=False)[1].tolist() == [0, 2]
    assert windowed_ttr(captions, length=2, window=3) == pytest.approx(2 / 3)  # ab, ba, ab
    assert expected_ttr(spread(captions, length=2), 2) == pytest.approx(1 / 2)  # ab, ab


def test_long_ngrams_of_a_large_vocabulary_stay_distinct() -> None:
    words = [str(number) for number in range(3000)]
    captions = encode([words, words, words[1:]])
    codes, _ = ngram_codes(captions, 9, across_captions=False)
    assert np.unique(codes).size == 3000 - 8


@pytest.mark.parametrize("sample", [0, 1, 2, 3, 4])
def test_expected_types_are_the_mean_over_all_samples_of_captions(sample: int) -> None:
    texts = ["a dog runs", "a dog", "the cat", "a a cat sits here"]
    samples = [
        len({word for text in chosen for word in text.split()}) for chosen in combinations(texts, sample)
    ]
    assert expected_types(spread(corpus(*texts)), sample) == pytest.approx(np.mean(samples))


def test_expected_types_between_two_sample_sizes_are_in_between() -> None:
    found = spread(corpus("a b", "b c", "c d"))
    two, three = expected_types(found, 2), expected_types(found, 3)
    assert expected_types(found, 2.25) == pytest.approx(0.75 * two + 0.25 * three)
    assert isnan(expected_types(found, 3.01))


def test_expected_ttr_of_the_whole_is_types_by_tokens() -> None:
    captions = corpus("a dog runs", "a dog", "the cat")
    assert expected_ttr(spread(captions), 7) == pytest.approx(5 / 7)


def test_expected_ttr_agrees_with_windows_of_many_shuffles() -> None:
    generator = np.random.default_rng(5)
    words = [f"w{number}" for number in range(60)]
    captions = [
        [words[min(59, int(place))] for place in generator.exponential(8, size=generator.integers(5, 15))]
        for _ in range(3000)
    ]
    found = encode(captions)
    effect = order_effects(found, window=200, count=20)["ttr1"]
    assert expected_ttr(spread(found), 200) == pytest.approx(effect.shuffled, abs=0.002)


def test_type_token_curve_starts_at_nothing_and_ends_at_all_types() -> None:
    captions = corpus("a dog runs", "a dog", "the cat")
    curve = type_token_curve(spread(captions), [0, 3, 7, 8])
    assert curve[0] == 0
    assert curve[2] == pytest.approx(5)
    assert isnan(curve[3])
    assert curve[0] < curve[1] < curve[2]


def test_the_curve_of_ten_shuffles_is_near_the_expected_one() -> None:
    captions = corpus(*(f"a w{n % 7} w{n % 13} w{n}" for n in range(60)))
    exact, shuffled = (
        curve_types(captions, [0, 40, 120, 240, 241], DiversitySettings(curve=curve))
        for curve in ("exact", "shuffles")
    )
    assert shuffled[0] == 0
    assert shuffled[3] == exact[3] == len(captions.vocabulary)
    assert shuffled[1:3] == pytest.approx(exact[1:3], rel=0.05)
    assert isnan(shuffled[4])


def test_hdd_is_the_expected_ratio_of_a_sample_of_tokens() -> None:
    counts = np.array([30, 15, 5])
    expected = sum(1 - comb(50 - count, 42) / comb(50, 42) for count in counts.tolist()) / 42
    assert hdd(counts) == pytest.approx(expected)
    assert isnan(hdd(np.array([41])))


def test_mtld_counts_stretches_and_the_part_of_the_last_one() -> None:
    # Forwards: a a ends at .5; b c a b: ratio .75 goes (1-.75)/(1-.72) of the way. Backwards likewise.
    codes = np.array([0, 0, 1, 2, 0, 1])
    forwards = 6 / (1 + 0.25 / 0.28)
    backwards = 6 / (1 + 0.0 / 0.28)  # b a c b a a: 5 of 3 types is .6, then a alone
    assert mtld(codes) == pytest.approx((forwards + backwards) / 2)


def test_mtld_of_words_that_never_repeat_is_undefined() -> None:
    assert isnan(mtld(np.arange(5)))
    assert isnan(mtld(np.array([], dtype=np.int64)))


def test_mtld_refuses_a_threshold_that_no_ratio_can_have() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        mtld(np.arange(3), threshold=1.0)


def test_novelty_by_the_papers_rule_misses_a_spaced_full_stop_and_ours_does_not() -> None:
    training, text = ["A dog runs."], "a dog runs ."
    assert novelty([paper_key(text)], map(paper_key, training)).share == 1.0
    tokens = novelty([token_key(text.split())], [token_key(["A", "dog", "runs", "."])])
    assert tokens.share == 0.0


def test_order_shows_where_neighbours_are_alike() -> None:
    sorted_by_topic = corpus(*[f"the {word} is {word}" for word in "abcdefghijklmnopqrst" for _ in range(40)])
    effect = order_effects(sorted_by_topic, window=40)["ttr1"]
    assert effect.file < effect.shuffled - 0.1
    assert effect.distorts


def test_order_does_not_show_where_captions_are_in_random_order() -> None:
    generator = np.random.default_rng(0)
    texts = [f"the {generator.choice(list('abcdefgh'))} is here" for _ in range(800)]
    effect = order_effects(corpus(*texts), window=40)["ttr1"]
    assert not effect.distorts


def test_no_captions_have_no_ratio_and_a_note() -> None:
    measured = diversity(corpus())
    assert (measured["captions"], measured["types"], measured["unique"]) == (0, 0, 0)
    undefined = (measured["asl"], measured["sdsl"], measured["ttr1"], measured["ttr3"], measured["hdd"])
    assert all(map(isnan, undefined))
    assert isnan(measured["mtld"])
    assert "no captions: every ratio is undefined" in diversity_notes(measured, window=1000, trained=False)


def test_empty_captions_count_with_length_nought_and_are_noted() -> None:
    measured = diversity(corpus("a b", "", ""))
    assert measured["asl"] == pytest.approx(2 / 3)
    assert measured["empty_captions"] == 2
    notes = diversity_notes(measured, window=1000, trained=False)
    assert "2 empty captions count as captions of length 0" in notes


@pytest.mark.parametrize("mode", ["paper", "assess"])
def test_fewer_tokens_than_a_window_leave_the_ratio_undefined(mode: Mode) -> None:
    measured = diversity(corpus("a dog"), mode=mode)
    assert isnan(measured["ttr1"])
    notes = diversity_notes(measured, window=1000, trained=False)
    assert any(note.startswith("TTR1, TTR2, TTR3 undefined: fewer than 1000") for note in notes)


@pytest.mark.parametrize("mode", ["paper", "assess"])
def test_a_window_without_a_token_is_refused(mode: Mode) -> None:
    with pytest.raises(UsageError, match="at least one token"):
        basic(corpus("a"), mode=mode, window=0)


def test_one_caption_is_measured() -> None:
    measured = diversity(corpus("a dog sees a dog"), window=3)
    assert measured["sdsl"] == 0
    assert measured["unique"] == 1
    assert measured["hapaxes"] == 1
    assert measured["ttr1"] == pytest.approx(3 * 3 / 5 / 3)  # three fifths of a caption


def test_file_order_and_no_order_are_two_numbers() -> None:
    captions = corpus("a a", "a a", "b c", "d e")
    assert basic(captions, mode="paper", window=4)["ttr1"] == pytest.approx((1 / 4 + 4 / 4) / 2)
    pairs = (1 + 3 + 3 + 3 + 3 + 4) / 6
    assert basic(captions, mode="assess", window=4)["ttr1"] == pytest.approx(pairs / 4)


@pytest.mark.model
def test_references_are_measured_set_by_set_and_averaged() -> None:
    references = {"people": {"1": ["a b", "a"], "2": ["a b c d", "x", "extra"]}}
    measured = assess.diversity({"system": {"1": "a", "2": "b"}}, references=references)["people"]
    assert (measured["asl"], measured["types"], measured.sets) == (2.0, 3.0, 2)
    assert (measured.total_types, measured.total_tokens) == (5, 8)


def test_more_sets_than_an_image_has_leave_it_out_of_the_later_ones() -> None:
    references = {"1": [["a"]], "2": [["b"], ["c"]]}
    assert [found.vocabulary for found in parallel(references, sets=2)] == [("a", "b"), ("c",)]


def test_order_free_mtld_forgets_the_files_order() -> None:
    captions, reversed_captions = corpus("a b a", "c d c", "e e e"), corpus("e e e", "c d c", "a b a")
    assert mtld(captions.codes) != mtld(corpus("a b a", "e e e", "c d c").codes)
    assert order_free_mtld(captions) == order_free_mtld(reversed_captions)
