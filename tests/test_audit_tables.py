"""Counts and 2x2 tables, with expected values from STATISTICS, scipy, statsmodels or exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import fisher_exact
from scipy.stats.contingency import odds_ratio as scipy_odds_ratio
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from assess.errors import UsageError
from assess.measures.bias import tables
from assess.measures.bias.association import (
    Margins,
    associate,
    fisher_p,
    odds_ratio,
    smallest_p,
)
from assess.measures.bias.tables import (
    BootstrapInterval,
    CountTable,
    Estimate,
    Tally,
    bootstrap_contrast,
    risk_difference,
    upper_bound_of_none,
    wilson,
)

ATTRACTIVENESS = CountTable.from_cells(28, 3716, 1, 7080)
ZERO_CELL = CountTable.from_cells(32, 3794, 0, 6482)
TABLES = st.builds(CountTable.from_cells, *[st.integers(0, 60)] * 4)
LARGE_TABLES = st.builds(CountTable.from_cells, *[st.integers(0, 1_000_000)] * 4)


def _rows(table: CountTable) -> list[list[int]]:
    yes, no, other_yes, other_no = table.cells
    return [[yes, no], [other_yes, other_no]]


def _undetermined(table: CountTable) -> bool:
    margins = Margins.of(table)
    return margins.low == margins.high


def _exact_tail(table: CountTable, odds: float) -> Fraction:
    """The probability that the first cell is this large or larger, in exact arithmetic."""
    margins, psi = Margins.of(table), Fraction(odds)
    weights = {
        first: math.comb(margins.labels, first)
        * math.comb(margins.other_labels, margins.yes - first)
        * psi**first
        for first in range(margins.low, margins.high + 1)
    }
    return sum((weight for first, weight in weights.items() if first >= table.yes), Fraction()) / sum(
        weights.values()
    )


def test_the_attractiveness_table_has_its_known_values() -> None:
    ours = associate(ATTRACTIVENESS)
    assert f"{ours.risk_difference.value:.6f}" == "0.007337"
    assert f"{ours.odds_ratio.value:.2f}" == "53.33"
    assert (
        f"{ours.haldane.value:.2f} [{ours.haldane.low:.2f}, {ours.haldane.high:.1f}]" == "36.20 [7.01, 187.0]"
    )
    assert f"{ours.p:.2e}" == "2.23e-12"
    assert f"{ours.share.value:.3f} [{ours.share.low:.3f}, {ours.share.high:.3f}]" == "0.966 [0.828, 0.994]"
    assert f"{ours.base_rate:.3f}" == "0.346"
    assert ours.rate.value == 28 / 3744
    assert ours.other_rate.value == 1 / 7081


def test_a_zero_cell_is_kept_with_a_finite_bound() -> None:
    ours = associate(ZERO_CELL)
    assert ours.odds_ratio.value == ours.odds_ratio.high == math.inf
    assert f"{ours.odds_ratio.low:.2f}" == "13.97"
    assert (
        f"{ours.haldane.value:.1f} [{ours.haldane.low:.2f}, {ours.haldane.high:.0f}]" == "111.0 [6.80, 1814]"
    )
    assert ours.p < 1e-13


@given(table=TABLES)
def test_conditional_odds_ratio_equals_scipy(table: CountTable) -> None:
    assume(not _undetermined(table))
    ours, theirs = odds_ratio(table), scipy_odds_ratio(_rows(table))
    interval = theirs.confidence_interval(0.95)
    assert ours.value == pytest.approx(theirs.statistic, rel=1e-6)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), rel=1e-6)


@given(table=TABLES, level=st.sampled_from([0.8, 0.95, 0.999]))
def test_exact_bounds_have_exactly_their_tails(table: CountTable, level: float) -> None:
    assume(not _undetermined(table))
    ours, tail = odds_ratio(table, level=level), (1 - level) / 2
    if ours.low > 0:
        assert float(_exact_tail(table, ours.low)) == pytest.approx(tail, rel=1e-9)
    if ours.high < math.inf:
        assert float(_exact_tail(table.swapped, 1 / ours.high)) == pytest.approx(tail, rel=1e-9)


def test_few_tokens_among_millions_keep_their_digits() -> None:
    table = CountTable.from_cells(3, 1_000_000, 1, 1_000_000)
    margins, psi = Margins.of(table), Fraction(odds_ratio(table).value)
    weights = [
        math.comb(margins.labels, first) * math.comb(margins.other_labels, 4 - first) * psi**first
        for first in range(5)
    ]
    mean = sum(first * weight for first, weight in enumerate(weights)) / sum(weights)
    assert float(mean) == pytest.approx(3, rel=1e-12)


@example(table=CountTable(1, 1, 0, 1))
@given(table=LARGE_TABLES)
def test_large_tables_never_fail(table: CountTable) -> None:
    ours = associate(table)
    if table.comparable:
        assert 0 <= ours.smallest_p <= 1
        assert 0 <= ours.p <= 1
    if not _undetermined(table):
        assert 0 <= ours.odds_ratio.low <= ours.odds_ratio.value <= ours.odds_ratio.high


@given(table=TABLES)
def test_fisher_equals_scipy(table: CountTable) -> None:
    assume(table.comparable)
    assert fisher_p(table) == pytest.approx(fisher_exact(_rows(table)).pvalue, rel=1e-7)


@given(table=LARGE_TABLES)
def test_fisher_equals_scipy_for_large_counts(table: CountTable) -> None:
    assume(table.comparable)
    theirs = float(fisher_exact(_rows(table)).pvalue)
    # Below this, scipy's own sum underflows in places; both results are practically zero.
    assert fisher_p(table) == pytest.approx(theirs, rel=1e-5, abs=1e-200)


@given(table=st.builds(CountTable.from_cells, *[st.integers(0, 25)] * 4))
def test_the_smallest_p_is_the_least_of_all_tables_with_these_margins(table: CountTable) -> None:
    assume(table.comparable)
    margins = Margins.of(table)
    attainable = [
        fisher_p(CountTable(first, table.labels, margins.yes - first, table.other_labels))
        for first in range(margins.low, margins.high + 1)
    ]
    assert smallest_p(table) == pytest.approx(min(attainable), rel=1e-9)


def test_a_category_that_nobody_gets_has_no_odds_ratio_and_no_evidence() -> None:
    ours = associate(CountTable(0, 100, 0, 200))
    assert math.isnan(ours.odds_ratio.value)
    assert math.isnan(ours.share.value)
    assert (ours.p, ours.smallest_p, ours.risk_difference.value) == (1, 1, 0)


def test_a_contrast_with_a_group_without_labels_is_undefined() -> None:
    ours = associate(CountTable(3, 10, 0, 0))
    undefined = (ours.p, ours.smallest_p, ours.odds_ratio.value, ours.haldane.value, ours.other_rate.value)
    assert all(map(math.isnan, undefined))
    assert math.isnan(associate(CountTable(0, 0, 0, 0)).base_rate)


# ---- intervals of rates and differences, and resampling images


LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.99])


@st.composite
def tallies(draw: st.DrawFn, *, most: int = 5000) -> Tally:
    total = draw(st.integers(1, most))
    return Tally(draw(st.integers(0, total)), total)


@given(tally=tallies(), level=LEVELS)
def test_wilson_equals_statsmodels(tally: Tally, level: float) -> None:
    ours = wilson(tally.yes, tally.total, level=level)
    low, high = proportion_confint(tally.yes, tally.total, alpha=1 - level, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-12)


def test_a_rate_of_no_labels_is_undefined() -> None:
    assert all(map(math.isnan, (Tally(0, 0).rate, *wilson(0, 0))))


@given(group=tallies(), other=tallies(), level=LEVELS)
def test_newcombe_equals_statsmodels(group: Tally, other: Tally, level: float) -> None:
    ours = risk_difference(CountTable(group.yes, group.total, other.yes, other.total), level=level)
    low, high = confint_proportions_2indep(
        group.yes, group.total, other.yes, other.total, method="newcomb", compare="diff", alpha=1 - level
    )
    assert ours.value == pytest.approx(group.yes / group.total - other.yes / other.total)
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-10)


def test_a_difference_to_a_group_without_labels_is_undefined() -> None:
    assert all(map(math.isnan, risk_difference(CountTable(3, 10, 0, 0))))


def test_nothing_seen_in_many_labels_still_allows_a_small_rate() -> None:
    assert f"{upper_bound_of_none(75_044):.2e}" == "3.99e-05"
    assert math.isnan(upper_bound_of_none(0))


@given(total=st.integers(1, 10_000), level=LEVELS)
def test_the_bound_of_none_is_where_seeing_none_has_the_remaining_probability(
    total: int, level: float
) -> None:
    assert (1 - upper_bound_of_none(total, level=level)) ** total == pytest.approx(1 - level)


def test_an_undefined_interval_neither_excludes_nor_lies_within() -> None:
    undefined = Estimate(math.nan, math.nan, math.nan)
    assert not undefined.excludes(0)
    assert not undefined.within(-1, 1)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan])
def test_a_level_that_is_no_probability_is_refused(level: float) -> None:
    with pytest.raises(UsageError, match="confidence level"):
        wilson(1, 2, level=level)


@pytest.mark.parametrize(("yes", "total"), [(-1, 3), (4, 3), (0, -1)])
def test_counts_that_cannot_be_are_refused(yes: int, total: int) -> None:
    with pytest.raises(UsageError, match="is not a valid count"):
        Tally(yes, total)
    with pytest.raises(UsageError, match="is not a valid count"):
        CountTable(1, 2, yes, total)


def resampled(images: ArrayLike, **settings: Any) -> BootstrapInterval:
    """Return the risk difference of two groups."""
    return bootstrap_contrast(images, **settings)


def _images(
    *, groups: int = 2, images: int = 400, seed: int = 5
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 4, size=(images, groups))
    return np.stack([generator.binomial(labels, 0.3), labels], axis=2)


def test_bootstrap_is_the_same_for_the_same_seed_and_differs_for_another() -> None:
    images = _images()
    assert resampled(images, seed=1) == resampled(images, seed=1)
    assert resampled(images, seed=1) != resampled(images, seed=2)


@given(order=st.randoms(use_true_random=False))
def test_bootstrap_does_not_depend_on_the_order_of_images(order: object) -> None:
    images = _images(images=30)
    shuffled = images[np.random.default_rng(order.randint(0, 10**6)).permutation(30)]  # type: ignore[attr-defined]
    assert resampled(images, samples=50) == resampled(shuffled, samples=50)


def test_bootstrap_agrees_with_drawing_images_one_by_one() -> None:
    images = _images(images=150)
    generator = np.random.default_rng(9)
    drawn = images[generator.integers(0, 150, size=(4000, 150))].sum(axis=1)
    rates = drawn[..., 0] / drawn[..., 1]
    naive = np.quantile(rates[:, 0] - rates[:, 1], [0.025, 0.975])
    ours = resampled(images, samples=4000).estimate
    width = float(naive[1] - naive[0])
    assert (ours.low, ours.high) == pytest.approx(tuple(naive), abs=0.05 * width)


def test_repeating_the_labels_of_an_image_adds_no_certainty() -> None:
    images = _images()
    assert resampled(images * 4) == resampled(images)
    once, often = (
        risk_difference(CountTable(*(int(count) for count in counts.sum(axis=0).ravel())))
        for counts in (images, images * 4)
    )
    assert often.high - often.low < 0.6 * (once.high - once.low)


def test_bootstrap_of_a_missing_group_is_undefined() -> None:
    images = [[[1, 2], [0, 0]], [[0, 1], [0, 0]]]
    ours = resampled(images)
    assert math.isnan(ours.estimate.value)
    assert math.isnan(ours.estimate.low)
    assert ours.defined == 0


def test_a_group_that_a_contrast_leaves_out_may_be_missing() -> None:
    images = np.concatenate([_images(), np.zeros((400, 1, 2), dtype=np.int64)], axis=1)
    first, second = (bootstrap_contrast(images, contrast) for contrast in [(1, -1, 0), (1, 0, -1)])
    assert first == resampled(_images())
    assert math.isnan(second.estimate.value)


def test_samples_in_which_a_rare_group_is_missing_are_counted() -> None:
    images = [[[0, 1], [1, 1]]] + [[[1, 1], [0, 0]]] * 3
    ours = resampled(images, samples=1000)
    # The only image with the group is missing from (3/4)^4 = 31.6% of the samples.
    assert ours.defined == pytest.approx(1000 * (1 - 0.75**4), abs=60)
    assert not math.isnan(ours.estimate.low)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resampled(_images(), samples=500)
    monkeypatch.setattr(tables, "BLOCK", 40)
    assert resampled(_images(), samples=500) == whole


def test_a_difference_of_differences_is_one_contrast() -> None:
    images = _images(groups=4)
    rates = [yes / labels for yes, labels in images.sum(axis=0)]
    ours = bootstrap_contrast(images, (1, -1, -1, 1))
    assert ours.estimate.value == pytest.approx(rates[0] - rates[1] - rates[2] + rates[3])


def test_two_identical_systems_on_the_same_images_do_not_differ_at_all() -> None:
    one = _images(groups=1)
    ours = bootstrap_contrast(np.concatenate([one, one], axis=1))
    assert ours.estimate == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("images", "contrast", "message"),
    [
        ([[1, 2]], (1, -1), "are not images x groups"),
        ([], (1, -1), "are not images x groups"),
        ([[[2, 1], [0, 1]]], (1, -1), "more labels with the category"),
        ([[[-1, 1], [0, 1]]], (1, -1), "fewer than none"),
        ([[[0, 1], [0, 1]]], (1,), "needs as many weights"),
    ],
)
def test_tallies_that_cannot_be_are_refused(
    images: list[object], contrast: tuple[float], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        bootstrap_contrast(np.array(images), contrast)
