"""Intervals for rates and differences; expected values are from STATISTICS or from statsmodels."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from assess.errors import UsageError
from assess.measures.bias import bootstrap
from assess.measures.bias.bootstrap import (
    bootstrap_contrasts,
    bootstrap_risk_difference,
    distinct_rows,
    pairwise,
)
from assess.measures.bias.tables import (
    CountTable,
    Estimate,
    Tally,
    collapse,
    risk_difference,
    upper_bound_of_none,
    wilson,
)

LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.99])


@st.composite
def tallies(draw: st.DrawFn, *, most: int = 5000) -> Tally:
    total = draw(st.integers(1, most))
    return Tally(draw(st.integers(0, total)), total)


def test_wilson_gives_the_share_of_attractiveness_labels() -> None:
    share = wilson(28, 29)
    assert f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]" == "0.966 [0.828, 0.994]"


@given(tally=tallies(), level=LEVELS)
def test_wilson_equals_statsmodels(tally: Tally, level: float) -> None:
    ours = wilson(tally.yes, tally.total, level=level)
    low, high = proportion_confint(tally.yes, tally.total, alpha=1 - level, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-12)


@given(tally=tallies())
def test_wilson_holds_its_rate_and_stays_between_0_and_1(tally: Tally) -> None:
    ours = wilson(tally.yes, tally.total)
    assert 0 <= ours.low <= ours.value <= ours.high <= 1


def test_a_rate_of_no_labels_is_undefined() -> None:
    assert all(map(math.isnan, (Tally(0, 0).rate, *_parts(wilson(0, 0)))))


def test_newcombe_gives_the_value_of_the_attractiveness_table() -> None:
    ours = risk_difference(CountTable.from_cells(28, 3716, 1, 7080))
    assert f"{ours.value:.6f} [{ours.low:.6f}, {ours.high:.6f}]" == "0.007337 [0.004946, 0.010648]"


@given(group=tallies(), other=tallies(), level=LEVELS)
def test_newcombe_equals_statsmodels(group: Tally, other: Tally, level: float) -> None:
    ours = risk_difference(CountTable(group.yes, group.total, other.yes, other.total), level=level)
    low, high = confint_proportions_2indep(
        group.yes, group.total, other.yes, other.total, method="newcomb", compare="diff", alpha=1 - level
    )
    assert ours.value == pytest.approx(group.yes / group.total - other.yes / other.total)
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-10)


def test_a_difference_to_a_group_without_labels_is_undefined() -> None:
    assert all(map(math.isnan, _parts(risk_difference(CountTable(3, 10, 0, 0)))))


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
    with pytest.raises(UsageError, match="is not a count"):
        Tally(yes, total)
    with pytest.raises(UsageError, match="is not a count"):
        CountTable(1, 2, yes, total)


def test_collapsing_adds_tables_cell_by_cell() -> None:
    tables = [CountTable.from_cells(1, 2, 3, 4), CountTable.from_cells(10, 20, 30, 40)]
    assert collapse(tables).cells == (11, 22, 33, 44)
    assert collapse([]).cells == (0, 0, 0, 0)


def _parts(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


# ---- resampling images


def _images(
    *, groups: int = 2, images: int = 400, seed: int = 5
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 4, size=(images, groups))
    return np.stack([generator.binomial(labels, 0.3), labels], axis=2)


def test_bootstrap_is_the_same_for_the_same_seed_and_differs_for_another() -> None:
    images = _images()
    assert bootstrap_risk_difference(images, seed=1) == bootstrap_risk_difference(images, seed=1)
    assert bootstrap_risk_difference(images, seed=1) != bootstrap_risk_difference(images, seed=2)


@given(order=st.randoms(use_true_random=False))
def test_bootstrap_does_not_depend_on_the_order_of_images(order: object) -> None:
    images = _images(images=30)
    shuffled = images[np.random.default_rng(order.randint(0, 10**6)).permutation(30)]  # type: ignore[attr-defined]
    assert bootstrap_risk_difference(images, samples=50) == bootstrap_risk_difference(shuffled, samples=50)


def test_bootstrap_estimates_the_difference_of_the_summed_rates() -> None:
    images = _images()
    (yes, labels), (other_yes, other_labels) = images.sum(axis=0)
    ours = bootstrap_risk_difference(images)
    assert ours.estimate.value == pytest.approx(yes / labels - other_yes / other_labels)
    assert ours.estimate.low < ours.estimate.value < ours.estimate.high
    assert (ours.samples, ours.defined) == (2000, 2000)


def test_bootstrap_is_near_newcombe_where_every_image_has_one_label_a_group() -> None:
    generator = np.random.default_rng(3)
    yes = generator.binomial(1, [0.3, 0.2], size=(4000, 2))
    images = np.stack([yes, np.ones_like(yes)], axis=2)
    table = CountTable(int(yes[:, 0].sum()), 4000, int(yes[:, 1].sum()), 4000)
    ours, newcombe = bootstrap_risk_difference(images, samples=4000).estimate, risk_difference(table)
    assert (ours.low, ours.high) == pytest.approx((newcombe.low, newcombe.high), abs=0.002)


def test_bootstrap_agrees_with_drawing_images_one_by_one() -> None:
    images = _images(images=150)
    generator = np.random.default_rng(9)
    drawn = images[generator.integers(0, 150, size=(4000, 150))].sum(axis=1)
    rates = drawn[..., 0] / drawn[..., 1]
    naive = np.quantile(rates[:, 0] - rates[:, 1], [0.025, 0.975])
    ours = bootstrap_risk_difference(images, samples=4000).estimate
    width = float(naive[1] - naive[0])
    assert (ours.low, ours.high) == pytest.approx(tuple(naive), abs=0.05 * width)


def test_repeating_the_labels_of_an_image_adds_no_certainty() -> None:
    images = _images()
    assert bootstrap_risk_difference(images * 4) == bootstrap_risk_difference(images)
    once, often = (
        risk_difference(CountTable(*(int(count) for count in counts.sum(axis=0).ravel())))
        for counts in (images, images * 4)
    )
    assert often.high - often.low < 0.6 * (once.high - once.low)


def test_bootstrap_of_a_missing_group_is_undefined() -> None:
    images = [[[1, 2], [0, 0]], [[0, 1], [0, 0]]]
    ours = bootstrap_risk_difference(images)
    assert math.isnan(ours.estimate.value)
    assert math.isnan(ours.estimate.low)
    assert ours.defined == 0


def test_a_group_that_a_contrast_leaves_out_may_be_missing() -> None:
    images = np.concatenate([_images(), np.zeros((400, 1, 2), dtype=np.int64)], axis=1)
    first, second = bootstrap_contrasts(images, [(1, -1, 0), (1, 0, -1)])
    assert first == bootstrap_risk_difference(_images())
    assert math.isnan(second.estimate.value)


def test_samples_in_which_a_rare_group_is_missing_are_counted() -> None:
    images = [[[0, 1], [1, 1]]] + [[[1, 1], [0, 0]]] * 3
    ours = bootstrap_risk_difference(images, samples=1000)
    # The one image with the group misses in (3/4)^4 = 31.6% of the samples.
    assert ours.defined == pytest.approx(1000 * (1 - 0.75**4), abs=60)
    assert not math.isnan(ours.estimate.low)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap_risk_difference(_images(), samples=500)
    monkeypatch.setattr(bootstrap, "BLOCK", 40)
    assert bootstrap_risk_difference(_images(), samples=500) == whole


def test_pairwise_contrasts_cover_0_where_the_largest_less_the_smallest_never_does() -> None:
    images = _images(groups=3, images=600, seed=11)
    contrasts = bootstrap_contrasts(images, pairwise(3))
    assert len(contrasts) == 3
    assert not any(contrast.estimate.excludes(0) for contrast in contrasts)
    generator = np.random.default_rng(0)
    drawn = images[generator.integers(0, 600, size=(500, 600))].sum(axis=1)
    rates = drawn[..., 0] / drawn[..., 1]
    assert np.quantile(rates.max(axis=1) - rates.min(axis=1), 0.025) > 0


def test_pairwise_contrasts_name_each_pair_once() -> None:
    assert pairwise(3) == ((1.0, -1.0, 0.0), (1.0, 0.0, -1.0), (0.0, 1.0, -1.0))
    assert pairwise(1) == ()


def test_a_difference_of_differences_is_one_contrast() -> None:
    images = _images(groups=4)
    rates = [yes / labels for yes, labels in images.sum(axis=0)]
    (ours,) = bootstrap_contrasts(images, [(1, -1, -1, 1)])
    assert ours.estimate.value == pytest.approx(rates[0] - rates[1] - rates[2] + rates[3])


def test_two_identical_systems_on_the_same_images_do_not_differ_at_all() -> None:
    one = _images(groups=1)
    (ours,) = bootstrap_contrasts(np.concatenate([one, one], axis=1), [(1, -1)])
    assert _parts(ours.estimate) == (0.0, 0.0, 0.0)


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
        bootstrap_contrasts(np.array(images), [contrast])


def test_importing_the_package_does_not_import_the_heavy_parts() -> None:
    code = "import sys, assess.measures.bias; sys.exit('scipy' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(
    rows=st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=30),
    large=st.booleans(),
)
def test_distinct_rows_are_found_in_order_however_they_are_compared(
    rows: list[list[int]], large: bool
) -> None:
    counts = np.array(rows, dtype=np.float64) * (10_000.0 if large else 1.0)
    distinct, frequencies = distinct_rows(counts)
    expected, expected_frequencies = np.unique(counts, axis=0, return_counts=True)
    assert distinct.tolist() == expected.tolist()
    assert frequencies.tolist() == expected_frequencies.tolist()
