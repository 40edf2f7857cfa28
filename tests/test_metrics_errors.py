"""Errors in naming groups: outcomes, intervals over images, divergence, ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from assess.measures.errors.compute import (
    ListedCaption,
    Outcome,
    Tallies,
    divergence,
    error_numbers,
    outcome_of,
    share,
)
from assess.measures.errors.run import SystemErrors
from assess.measures.intervals import Resampling

VALUES = ("female", "male")
FEW = Resampling(200)


def captions(counts: Mapping[Any, int], *, each: int = 1) -> list[ListedCaption]:
    """Return captions by annotated value and named values, with several captions per image."""
    found = []
    for (annotated, named), number in counts.items():
        for place in range(number):
            image = f"{annotated} {named} {place}"
            caption = ListedCaption(
                image_id=image,
                record=1,
                annotated=annotated,
                outcome=outcome_of(annotated, named),
                named=named,
                words=(),
                caption="",
            )
            found += [caption] * each
    return found


def numbers(captions: list[ListedCaption], values: tuple[str, ...] = VALUES) -> SystemErrors:
    return SystemErrors(wrong_words=(), **error_numbers(Tallies.of(captions, values), FEW))


@pytest.mark.parametrize(
    ("named", "outcome"),
    [
        (("female",), "correct"),
        (("male",), "incorrect"),
        (("other",), "incorrect"),
        ((), "neither"),
        (("female", "male"), "neither"),
    ],
)
def test_a_caption_is_right_wrong_or_neither(named: tuple[str, ...], outcome: Outcome) -> None:
    assert outcome_of("female", named) == outcome


def test_numbers_of_a_few_captions_by_hand() -> None:
    counts = {
        ("female", ("female",)): 6,
        ("female", ("male",)): 3,
        ("female", ()): 1,
        ("male", ("male",)): 8,
        ("male", ("female", "male")): 2,
    }
    found = numbers(captions(counts))
    assert (found["images"], found["captions"]) == (20, 20)
    assert found["error"] == pytest.approx(3 / 20)
    assert found.groups["female"]["correct"] == pytest.approx(0.6)
    assert found.groups["male"]["neither"] == pytest.approx(0.2)
    assert found["ratio"] == pytest.approx(6 / 11)
    assert found["annotated_ratio"] == 1
    assert found["ratio_gap"] == pytest.approx(1 - 6 / 11)
    assert found.pairs[0].differences["incorrect"][0] == pytest.approx(0.3)
    expected = jensenshannon([0.6, 0.3, 0.1], [0.8, 0, 0.2], base=2) ** 2
    assert found["outcome_divergence"] == pytest.approx(expected)


def test_divergence_is_that_of_scipy_and_between_0_and_1() -> None:
    generator = np.random.default_rng(3)
    for _ in range(50):
        first, second = generator.integers(0, 30, size=(2, 3)) + np.array([1, 0, 0])
        expected = jensenshannon(first / first.sum(), second / second.sum(), base=2) ** 2
        assert divergence(first.astype(float), second.astype(float)) == pytest.approx(expected, abs=1e-12)
    assert divergence(np.array([2.0, 0, 0]), np.array([0, 3.0, 0])) == 1
    assert divergence(np.array([1.0, 2, 3]), np.array([2.0, 4, 6])) == 0
    assert math.isnan(divergence(np.zeros(3), np.ones(3)))


def test_one_caption_per_image_has_the_intervals_of_wilson_and_newcombe() -> None:
    counts = {
        ("female", ("male",)): 174,
        ("female", ("female",)): 326,
        ("male", ("female",)): 19,
        ("male", ("male",)): 481,
    }
    found = numbers(captions(counts))
    interval = found.groups["female"]["incorrect_interval"]
    assert interval == pytest.approx(proportion_confint(174, 500, method="wilson"))
    difference = found.pairs[0].differences["incorrect"]
    expected = confint_proportions_2indep(174, 500, 19, 500, method="newcomb")
    assert difference[1:] == pytest.approx(expected)


def test_equal_captions_of_an_image_count_as_one() -> None:
    """Five identical captions are worth one: the interval is that of the images."""
    counts = {("female", ("male",)): 30, ("female", ("female",)): 70, ("male", ("male",)): 100}
    one, five = (numbers(captions(counts, each=each)) for each in (1, 5))
    assert (five["images"], five["captions"]) == (200, 1000)
    for value in VALUES:
        for outcome in ("correct", "incorrect", "neither"):
            for key in (outcome, f"{outcome}_interval"):
                assert five.groups[value][key] == pytest.approx(one.groups[value][key])
    for key in ("ratio", "ratio_interval"):
        assert five[key] == pytest.approx(one[key])


def test_independent_captions_of_an_image_count_each() -> None:
    # Every image has the outcomes of all: no more alike than captions of different images, and less.
    hits, sizes = np.full(100, 2.0), np.full(100, 5.0)
    expected = proportion_confint(200, 500, method="wilson")
    assert tuple(share(hits, sizes))[1:] == pytest.approx(expected)


def test_intervals_over_images_hold_what_they_should() -> None:
    """If captions of an image are correlated, 95% intervals of shares contain the truth in at least 93%."""
    generator = np.random.default_rng(5)
    sizes = np.full(150, 5.0)
    rates = generator.beta(0.3 * 7 / 3, 0.7 * 7 / 3, size=(400, 150))  # correlation .3 within an image
    hits = generator.binomial(5, rates)
    held = [found.low <= 0.3 <= found.high for found in (share(row.astype(float), sizes) for row in hits)]
    assert np.mean(held) >= 0.93


def test_the_divergence_of_equal_groups_has_an_interval_from_0() -> None:
    """It is never negative, so a plain percentile interval would exclude 0 in nearly every audit."""
    generator = np.random.default_rng(7)
    held = 0
    for _ in range(40):
        counts = {}
        for value, other in (VALUES, VALUES[::-1]):
            drawn = generator.multinomial(250, [0.7, 0.1, 0.2])
            for named, number in zip(((value,), (other,), ()), drawn, strict=True):
                counts[value, named] = int(number)
        found = numbers(captions(counts))
        held += found["outcome_divergence_interval"][0] == 0
    assert held >= 37


def test_a_group_with_three_values_has_pairs_and_no_ratio_of_its_own() -> None:
    values = ("adult", "child", "teenager")
    counts = {(value, (value,)): number for number, value in enumerate(values, start=11)}
    found = numbers(captions(counts), values)
    assert [(pair.group, pair.against) for pair in found.pairs] == [
        ("adult", "child"),
        ("adult", "teenager"),
        ("child", "teenager"),
    ]
    assert math.isnan(found["ratio"])
    assert found.pairs[0]["ratio"] == pytest.approx(11 / 12)
    assert (found["error"], found["error_interval"][0]) == (0, 0)
    assert found["error_interval"][1] > 0


def test_what_is_not_there_is_undefined() -> None:
    nothing = numbers([])
    assert nothing["images"] == 0
    assert math.isnan(nothing["error"])
    only = numbers(captions({("female", ("female",)): 20}))
    assert math.isnan(only["ratio"])
    assert math.isnan(only["outcome_divergence"])
    assert only["error"] == 0


def test_few_images_and_what_never_varies_have_no_bootstrap_interval() -> None:
    few = {("female", ("female",)): 3, ("male", ("female",)): 2, ("male", ("male",)): 2}
    found = numbers(captions(few))
    assert math.isnan(found["ratio_interval"][0])
    perfect = {("female", ("female",)): 50, ("male", ("male",)): 50}
    found = numbers(captions(perfect))
    assert found["outcome_divergence"] == 0
    assert math.isnan(found["outcome_divergence_interval"][1])


def test_numbers_do_not_depend_on_the_order_of_captions() -> None:
    counts = {("female", ("female",)): 30, ("female", ("male",)): 9, ("male", ("male",)): 33, ("male", ()): 8}
    rows = captions(counts)
    assert numbers(rows) == numbers(rows[::-1])
