"""How much a system repeats itself: against counts by brute force, NLTK and cases that are known."""

from __future__ import annotations

import bz2
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.measures.diversity.repetition import (
    SET_SIZE,
    Repetition,
    compression_ratio,
    moving_average_ttr,
    repetition,
    self_bleu,
    self_repetition,
    vendi_score,
)
from assess.measures.diversity.tokens import encode


def captions(number: int, *, vocabulary: int = 30, seed: int = 1) -> list[tuple[str, ...]]:
    draw = random.Random(seed)
    return [
        tuple(f"w{draw.randrange(vocabulary)}" for _ in range(draw.randrange(5, 12))) for _ in range(number)
    ]


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 12))
def test_the_moving_ratio_is_the_mean_of_all_windows(codes: list[int], window: int) -> None:
    ratios = [len(set(codes[place : place + window])) / window for place in range(len(codes) - window + 1)]
    found = moving_average_ttr(np.array(codes, dtype=np.int64), window=window)
    assert math.isnan(found) if not ratios else found == pytest.approx(np.mean(ratios))


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=8), min_size=2, max_size=8))
def test_self_bleu_is_nltks_against_all_others(texts: list[list[int]]) -> None:
    from nltk.translate.bleu_score import closest_ref_length, modified_precision

    matches, totals, length, reference = [0] * 4, [0] * 4, 0, 0
    for place, text in enumerate(texts):
        others = [*texts[:place], *texts[place + 1 :]]
        length, reference = length + len(text), reference + closest_ref_length(others, len(text))
        for order in range(4):
            if len(text) > order:
                matches[order] += modified_precision(others, text, order + 1).numerator
                totals[order] += len(text) - order
    expected = _bleu(matches, totals, length, reference)
    assert self_bleu([texts]) == pytest.approx(expected, nan_ok=True)


def _bleu(matches: Sequence[int], totals: Sequence[int], length: int, reference: int) -> float:
    if not all(totals):
        return math.nan
    if not all(matches):
        return 0.0
    logs = [math.log(match / total) for match, total in zip(matches, totals, strict=True)]
    return math.exp(sum(logs) / 4 + min(0.0, 1 - reference / length))


def test_the_effective_number_of_captions_lies_between_one_and_all() -> None:
    assert vendi_score([[1, 2, 3]] * 7) == pytest.approx(1)
    assert vendi_score([[n] for n in range(7)]) == pytest.approx(7)
    # Two kinds of captions, four of one and three of the other: exp of the entropy of 4/7 and 3/7.
    mixed = vendi_score([[1, 2]] * 4 + [[3, 4]] * 3)
    assert mixed == pytest.approx(math.exp(-(4 / 7) * math.log(4 / 7) - (3 / 7) * math.log(3 / 7)))
    assert vendi_score([[], []]) == pytest.approx(1)


def test_repeated_ngrams_are_those_that_another_caption_has_too() -> None:
    shared, alone = ("a", "b", "c", "d", "e"), ("f", "g", "h", "i")
    # Two 4-grams in two captions each, and one in a single caption.
    corpus = encode([shared, shared, alone])
    assert self_repetition(corpus) == pytest.approx(4 / 5)
    assert math.isnan(self_repetition(encode([("a", "b")])))


def test_compression_is_of_the_text_as_lines_of_words() -> None:
    corpus = encode([("a", "tall", "man"), ("two", "men")])
    text = b"a tall man\ntwo men"
    assert compression_ratio(corpus) == len(text) / len(bz2.compress(text))
    assert math.isnan(compression_ratio(encode([()])))


def test_no_measure_depends_on_the_order_of_the_file() -> None:
    texts = captions(3 * SET_SIZE)
    assert repetition(encode(texts)) == repetition(encode(texts[::-1]))


def test_a_system_that_repeats_itself_scores_so_in_every_measure() -> None:
    varied, bland = (repetition(encode(captions(2 * SET_SIZE, vocabulary=n))) for n in (500, 5))
    assert varied.mattr > bland.mattr
    assert varied.vendi > bland.vendi
    assert varied.compression < bland.compression
    assert varied.self_repetition < bland.self_repetition
    assert varied.self_bleu4 < bland.self_bleu4


def test_too_few_captions_for_a_set_leave_its_measures_undefined() -> None:
    found: Repetition = repetition(encode(captions(SET_SIZE - 1)))
    assert math.isnan(found.self_bleu4)
    assert math.isnan(found.vendi)
    assert not math.isnan(found.mattr)
