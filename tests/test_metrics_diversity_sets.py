"""Diversity within an image: mBLEU versus NLTK's BLEU, and distinct-n by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from assess.errors import UsageError
from assess.measures.diversity.compute import distinct, mutual_bleu
from assess.measures.diversity.repetition import lowered, within_images

IMAGES = [
    ["a man rides a brown horse", "a man on a brown horse rides", "the man rides a brown horse slowly"],
    ["two dogs run on the wet sand", "two dogs run on the sand", "dogs run on the wet sand today"],
]


def split(images: list[list[str]]) -> list[list[list[str]]]:
    return [[caption.split() for caption in captions] for captions in images]


def test_mutual_bleu_is_the_mean_of_nltks_corpus_bleu_of_each_caption_against_the_others() -> None:
    from nltk.translate.bleu_score import corpus_bleu

    images = split(IMAGES)
    scores = []
    for number in range(3):
        others = [[other for place, other in enumerate(image) if place != number] for image in images]
        scores.append(corpus_bleu(others, [image[number] for image in images]))
    assert mutual_bleu(images, captions_per_image=3) == pytest.approx(np.mean(scores))


def test_mutual_bleu_of_equal_captions_is_one_and_of_unrelated_ones_nought() -> None:
    assert mutual_bleu(split([["a man rides a horse"] * 2]), captions_per_image=2) == pytest.approx(1.0)
    assert mutual_bleu(split([["a man rides a horse", "two dogs run on sand"]]), captions_per_image=2) == 0.0


def test_mutual_bleu_ignores_case() -> None:
    found = within_images(lowered(split([["A man rides a horse", "a man rides a Horse"]])))
    assert found["mbleu4"] == pytest.approx(1.0)


def test_mutual_bleu_of_one_caption_an_image_or_of_short_ones_is_undefined() -> None:
    assert isnan(mutual_bleu(split([["a man rides a horse"]]), captions_per_image=2))
    assert isnan(mutual_bleu(split([["a man", "a man"]]), captions_per_image=2))
    assert isnan(mutual_bleu([], captions_per_image=2))


def test_an_image_with_one_caption_does_not_change_mutual_bleu() -> None:
    assert mutual_bleu(split([*IMAGES, ["alone here"]]), captions_per_image=3) == mutual_bleu(
        split(IMAGES), captions_per_image=3
    )


def test_mutual_bleu_needs_room_for_a_caption() -> None:
    with pytest.raises(UsageError, match="at least one caption"):
        mutual_bleu(split(IMAGES), captions_per_image=0)


def test_distinct_ngrams_are_shares_of_an_images_words_averaged_over_images() -> None:
    images = split([["a dog", "a dog"], ["a cat sits"]])
    assert distinct(images, length=1) == pytest.approx((2 / 4 + 3 / 3) / 2)
    assert distinct(images, length=2) == pytest.approx((1 / 4 + 2 / 3) / 2)


def test_an_image_whose_captions_are_empty_has_no_distinct_ngrams_to_average() -> None:
    assert distinct(split([["", ""], ["a a"]]), length=1) == pytest.approx(1 / 2)
    assert isnan(distinct(split([["", ""]]), length=1))
