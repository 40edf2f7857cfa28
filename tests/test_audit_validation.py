"""Human validation: corrected rates, agreement, how many to rate."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from assess.audits.validation import corrected_by_strata, kappa, labels_per_group, more_to_rate, rogan_gladen
from assess.errors import UsageError
from assess.measures.bias.tables import Estimate, Tally, wilson

PERFECT = Tally(10**9, 10**9)


def test_rogan_gladen_gives_the_known_value() -> None:
    ours = rogan_gladen(Tally(10, 100), sensitivity=Tally(90, 100), specificity=Tally(98, 100))
    assert f"{ours.value:.4f}" == "0.0909"
    assert 0 <= ours.low < ours.value < ours.high < 1


def test_rogan_gladen_gives_the_interval_of_lang_and_reiczigel() -> None:
    # The first example of their paper, with large samples.
    large = rogan_gladen(Tally(4060, 11284), sensitivity=Tally(178, 179), specificity=Tally(358, 359))
    assert f"{large.low:.3f} {large.high:.3f}" == "0.349 0.372"
    # Small ones, where the shift of the centre counts; by hand.
    small = rogan_gladen(Tally(60, 100), sensitivity=Tally(17, 20), specificity=Tally(27, 30))
    assert f"{small.low:.4f} {small.high:.4f}" == "0.4916 0.9221"


def test_a_faultless_tool_needs_no_correction() -> None:
    ours = rogan_gladen(Tally(30, 200), sensitivity=PERFECT, specificity=PERFECT)
    assert ours.value == pytest.approx(0.15)
    # With nothing to correct this is the Agresti-Coull interval, which has the centre of Wilson's.
    plain = wilson(30, 200)
    assert (ours.low + ours.high) / 2 == pytest.approx((plain.low + plain.high) / 2, abs=1e-6)
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), abs=0.003)


def test_doubt_about_the_tool_widens_the_interval() -> None:
    well, badly = (
        rogan_gladen(
            Tally(1000, 10_000),
            sensitivity=Tally(9 * size, 10 * size),
            specificity=Tally(98 * size, 100 * size),
        )
        for size in (1000, 2)
    )
    assert badly.high - badly.low > 2 * (well.high - well.low)


def test_a_corrected_rate_stays_between_0_and_1() -> None:
    few = rogan_gladen(Tally(1, 100), sensitivity=Tally(90, 100), specificity=Tally(90, 100))
    many = rogan_gladen(Tally(99, 100), sensitivity=Tally(90, 100), specificity=Tally(90, 100))
    assert (few.value, few.low, many.value, many.high) == (0, 0, 1, 1)
    assert few.high < 0.1
    assert many.low > 0.9


@pytest.mark.parametrize(
    ("apparent", "sensitivity", "specificity"),
    [
        (Tally(1, 10), Tally(5, 10), Tally(5, 10)),
        (Tally(1, 10), Tally(2, 10), Tally(3, 10)),
        (Tally(0, 0), Tally(9, 10), Tally(9, 10)),
        (Tally(1, 10), Tally(0, 0), Tally(9, 10)),
        (Tally(1, 10), Tally(9, 10), Tally(0, 0)),
    ],
)
def test_a_tool_no_better_than_chance_or_never_rated_cannot_be_corrected(
    apparent: Tally, sensitivity: Tally, specificity: Tally
) -> None:
    ours = rogan_gladen(apparent, sensitivity=sensitivity, specificity=specificity)
    assert all(map(math.isnan, (ours.value, ours.low, ours.high)))


def _covered(draw: Callable[[np.random.Generator], Estimate], truth: float, *, times: int = 1500) -> float:
    generator = np.random.default_rng(17)
    estimates = [draw(generator) for _ in range(times)]
    return sum(estimate.low <= truth <= estimate.high for estimate in estimates) / times


@pytest.mark.parametrize(
    ("truth", "hit", "rejection"), [(0.1, 0.9, 0.95), (0.02, 0.8, 0.99), (0.5, 0.7, 0.8)]
)
def test_rogan_gladen_intervals_hold_the_truth_as_often_as_they_say(
    truth: float, hit: float, rejection: float
) -> None:
    apparent = truth * hit + (1 - truth) * (1 - rejection)

    def draw(generator: np.random.Generator) -> Estimate:
        return rogan_gladen(
            Tally(int(generator.binomial(800, apparent)), 800),
            sensitivity=Tally(int(generator.binomial(100, hit)), 100),
            specificity=Tally(int(generator.binomial(200, rejection)), 200),
        )

    assert _covered(draw, truth) >= 0.935


def test_ratings_sampled_by_what_the_tool_said_correct_the_rate() -> None:
    ours = corrected_by_strata(Tally(200, 1000), confirmed=Tally(45, 50), missed=Tally(1, 100))
    assert ours.value == pytest.approx(0.2 * 0.9 + 0.8 * 0.01)
    assert ours.low < ours.value < ours.high


def test_it_does_not_matter_which_answer_of_the_tool_is_called_yes() -> None:
    ours = corrected_by_strata(Tally(200, 1000), confirmed=Tally(45, 50), missed=Tally(1, 100))
    turned = corrected_by_strata(Tally(800, 1000), confirmed=Tally(1, 100), missed=Tally(45, 50))
    assert (ours.value, ours.low, ours.high) == pytest.approx((turned.value, turned.low, turned.high))


@pytest.mark.parametrize(("said", "precision", "omission"), [(0.1, 0.9, 0.02), (0.3, 0.6, 0.1)])
def test_stratified_corrections_hold_the_truth_as_often_as_they_say(
    said: float, precision: float, omission: float
) -> None:
    def draw(generator: np.random.Generator) -> Estimate:
        return corrected_by_strata(
            Tally(int(generator.binomial(2000, said)), 2000),
            confirmed=Tally(int(generator.binomial(100, precision)), 100),
            missed=Tally(int(generator.binomial(150, omission)), 150),
        )

    assert _covered(draw, said * precision + (1 - said) * omission) >= 0.935


def test_without_ratings_of_what_was_not_said_nothing_is_known_about_it() -> None:
    ours = corrected_by_strata(Tally(200, 1000), confirmed=Tally(45, 50), missed=Tally(0, 0))
    assert all(map(math.isnan, (ours.value, ours.low, ours.high)))


def test_kappa_gives_the_known_value() -> None:
    assert f"{kappa([[45, 5], [10, 40]]).value:.2f}" == "0.70"


@given(
    counts=st.integers(2, 4).flatmap(
        lambda size: st.lists(
            st.lists(st.integers(0, 40), min_size=size, max_size=size), min_size=size, max_size=size
        )
    )
)
def test_kappa_equals_statsmodels(counts: list[list[int]]) -> None:
    ours = kappa(counts)
    assume(not math.isnan(ours.low))
    with np.errstate(divide="ignore", invalid="ignore"):  # in its test statistics, which are not compared
        theirs = cohens_kappa(np.array(counts))
    assert ours.value == pytest.approx(float(theirs.kappa), abs=1e-9)
    # A variance of 0 is rounding noise in both; in statsmodels it may be negative and have no root.
    half = 1.959963984540054 * math.sqrt(max(0.0, float(theirs.var_kappa)))
    bounds = max(-1.0, theirs.kappa - half), min(1.0, theirs.kappa + half)
    assert (ours.low, ours.high) == pytest.approx(bounds, abs=1e-6)


@pytest.mark.parametrize("counts", [[], [[0, 0], [0, 0]], [[7]], [[7, 0], [0, 0]]])
def test_kappa_of_raters_who_said_one_thing_only_is_undefined(counts: list[list[int]]) -> None:
    assert math.isnan(kappa(counts).value)


@pytest.mark.parametrize("counts", [[[0, 7], [0, 0]], [[0, 0], [1, 2]], [[3, 0, 0], [4, 0, 0], [3, 0, 0]]])
def test_kappa_with_a_rater_who_said_one_thing_only_is_0_without_an_interval(counts: list[list[int]]) -> None:
    ours = kappa(counts)
    assert ours.value == 0
    assert math.isnan(ours.low)
    assert math.isnan(ours.high)


def test_kappa_of_full_agreement_is_1() -> None:
    assert kappa([[5, 0], [0, 9]]).value == 1


@pytest.mark.parametrize("counts", [[[1, 2]], [[1], [2]], [[1, -1], [0, 2]]])
def test_kappa_needs_a_square_table_of_counts(counts: list[list[int]]) -> None:
    with pytest.raises(UsageError, match="square table"):
        kappa(counts)


def test_labels_to_see_two_percent_against_one() -> None:
    assert labels_per_group(0.02, 0.01) == 2319
    assert labels_per_group(0.01, 0.02) == 2319


def test_the_labels_asked_for_have_the_power_promised() -> None:
    labels, generator = labels_per_group(0.3, 0.2), np.random.default_rng(1)
    first, second = (generator.binomial(labels, rate, size=20_000) / labels for rate in (0.3, 0.2))
    pooled = (first + second) / 2
    z = (first - second) / np.sqrt(2 * pooled * (1 - pooled) / labels)
    assert float((np.abs(z) > 1.959964).mean()) == pytest.approx(0.8, abs=0.015)


@pytest.mark.parametrize(("rate", "other"), [(0.1, 0.1), (-0.1, 0.2), (0.1, 1.2)])
def test_rates_that_no_sample_can_tell_apart_are_refused(rate: float, other: float) -> None:
    with pytest.raises(UsageError, match="told apart"):
        labels_per_group(rate, other)


@given(total=st.integers(0, 400), share=st.floats(0, 1), half_width=st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_more_to_rate_is_just_enough(total: int, share: float, half_width: float) -> None:
    rated = Tally(round(total * share), total)
    more = more_to_rate(rated, half_width=half_width)
    rate = rated.rate if total else 0.5

    def half(size: int) -> float:
        z = 1.959963984540054
        return z / (size + z * z) * math.sqrt(size * rate * (1 - rate) + z * z / 4)

    assert half(total + more) <= half_width + 1e-12
    if more > 1:
        assert half(total + more - 1) > half_width - 1e-12


def test_nothing_more_is_needed_once_the_interval_is_narrow() -> None:
    assert more_to_rate(Tally(950, 1000), half_width=0.05) == 0
    assert more_to_rate(Tally(0, 0), half_width=0.05) == 381


@pytest.mark.parametrize("half_width", [0, 1, -1, math.nan])
def test_a_half_width_must_be_a_part_of_1(half_width: float) -> None:
    with pytest.raises(UsageError, match="half width"):
        more_to_rate(Tally(1, 2), half_width=half_width)
