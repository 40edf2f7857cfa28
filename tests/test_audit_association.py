"""What is said about one 2x2 table; expected values are from STATISTICS, scipy or exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from scipy.stats.contingency import odds_ratio as scipy_odds_ratio

from assess.measures.bias.association import (
    Margins,
    associate,
    excess,
    fisher_p,
    fitted,
    haldane,
    log_chance,
    log_probability,
    log_tail_from,
    odds_ratio,
    sample_odds_ratio,
    smallest_p,
    smallest_p_at,
)
from assess.measures.bias.tables import CountTable

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
    """The probability of a first cell as large or larger, in whole numbers."""
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
    assert f"{sample_odds_ratio(ATTRACTIVENESS):.2f}" == "53.35"
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


def test_a_zero_cell_on_the_other_side_is_kept_too() -> None:
    ours = odds_ratio(ZERO_CELL.swapped)
    assert (ours.value, ours.low) == (0, 0)
    assert 1 / ours.high == pytest.approx(odds_ratio(ZERO_CELL).low)


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


@given(table=TABLES)
def test_the_interval_holds_the_estimate_and_turns_round_with_the_groups(table: CountTable) -> None:
    assume(not _undetermined(table))
    ours, turned = odds_ratio(table), odds_ratio(table.swapped)
    assert ours.low <= ours.value <= ours.high
    if 0 < ours.value < math.inf:
        assert turned.value == pytest.approx(1 / ours.value)
    if ours.low > 0:
        assert turned.high == pytest.approx(1 / ours.low)


@pytest.mark.parametrize("log_odds", [-2.0, 0.0, 0.7])
def test_the_part_that_carries_weight_is_as_good_as_the_whole(log_odds: float) -> None:
    margins, value = Margins(20_000, 30_000, 25_000), 13_000 if log_odds > 0 else 8_000
    logs = [log_chance(margins, first) + first * log_odds for first in range(20_001)]
    top = max(logs)
    whole = [math.exp(log - top) for log in logs]
    mean = math.fsum(first * weight for first, weight in enumerate(whole)) / math.fsum(whole)
    assert excess(margins, log_odds, value).value == pytest.approx(mean - value, rel=1e-9)
    middle = round(mean) + 90
    tail = math.fsum(whole[middle:]) / math.fsum(whole)
    assert 1e-6 < tail < 0.2
    assert math.exp(log_tail_from(margins, log_odds, middle).value) == pytest.approx(tail, rel=1e-8)


@given(TABLES, st.floats(-3, 3), st.data())
def test_slopes_are_those_of_the_functions(table: CountTable, log_odds: float, data: st.DataObject) -> None:
    margins = Margins.of(table)
    value, step = data.draw(st.integers(margins.low, margins.high)), 1e-5
    for function in (excess, log_tail_from, log_probability):
        after, before = (function(margins, log_odds + side * step, value).value for side in (1, -1))
        assert function(margins, log_odds, value).slope == pytest.approx(
            (after - before) / (2 * step), rel=1e-4, abs=1e-4
        )


def test_few_tokens_among_millions_keep_their_digits() -> None:
    table = CountTable.from_cells(3, 1_000_000, 1, 1_000_000)
    margins, psi = Margins.of(table), Fraction(odds_ratio(table).value)
    weights = [
        math.comb(margins.labels, first) * math.comb(margins.other_labels, 4 - first) * psi**first
        for first in range(5)
    ]
    mean = sum(first * weight for first, weight in enumerate(weights)) / sum(weights)
    assert float(mean) == pytest.approx(3, rel=1e-12)


@pytest.mark.parametrize(
    "cells",
    [(500_000, 500_000, 499_000, 501_000), (900_000, 100_000, 1_000, 999_000), (999_999, 1, 1, 999_999)],
)
def test_a_million_labels_are_near_the_large_sample_interval(cells: tuple[int, int, int, int]) -> None:
    table = CountTable.from_cells(*cells)
    ours = odds_ratio(table)
    assert ours.low < ours.value < ours.high
    if min(cells) > 100:
        woolf = haldane(table)
        assert (ours.value, ours.low, ours.high) == pytest.approx(
            (woolf.value, woolf.low, woolf.high), rel=2e-3
        )


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
    # Below this scipy's own sum underflows in places; both agree that it is nothing.
    assert fisher_p(table) == pytest.approx(theirs, rel=1e-5, abs=1e-200)


def test_fisher_counts_the_other_tail() -> None:
    # Margins 10, 10, 10: the table with 8 is as rare as the one with 2.
    table = CountTable(8, 10, 2, 10)
    one_tail = sum(math.comb(10, first) * math.comb(10, 10 - first) for first in (8, 9, 10)) / math.comb(
        20, 10
    )
    assert fisher_p(table) == pytest.approx(2 * one_tail)


def test_the_smallest_attainable_p_of_two_and_three_tokens() -> None:
    two, three = (CountTable(tokens, 3744, 0, 7081) for tokens in (2, 3))
    assert [f"{smallest_p(table):.4f}" for table in (two, three)] == ["0.1196", "0.0414"]
    assert [f"{smallest_p_at(3744 / 10825, tokens):.4f}" for tokens in (2, 3)] == ["0.1196", "0.0414"]


@given(table=st.builds(CountTable.from_cells, *[st.integers(0, 25)] * 4))
def test_the_smallest_p_is_the_least_of_all_tables_with_these_margins(table: CountTable) -> None:
    assume(table.comparable)
    margins = Margins.of(table)
    attainable = [
        fisher_p(CountTable(first, table.labels, margins.yes - first, table.other_labels))
        for first in range(margins.low, margins.high + 1)
    ]
    assert smallest_p(table) == pytest.approx(min(attainable), rel=1e-9)


@pytest.mark.parametrize(
    ("base_rate", "tokens", "expected"), [(0.5, 3, 0.25), (0.9, 2, 0.01), (0.5, 0, 1), (1, 4, 1)]
)
def test_smallest_p_from_a_base_rate(base_rate: float, tokens: int, expected: float) -> None:
    assert smallest_p_at(base_rate, tokens) == pytest.approx(expected)


def test_a_category_that_nobody_gets_has_no_odds_ratio_and_no_evidence() -> None:
    ours = associate(CountTable(0, 100, 0, 200))
    assert math.isnan(ours.odds_ratio.value)
    assert math.isnan(ours.share.value)
    assert math.isnan(sample_odds_ratio(CountTable(0, 100, 0, 200)))
    assert (ours.p, ours.smallest_p, ours.risk_difference.value) == (1, 1, 0)


def test_a_contrast_with_a_group_without_labels_is_undefined() -> None:
    ours = associate(CountTable(3, 10, 0, 0))
    undefined = (ours.p, ours.smallest_p, ours.odds_ratio.value, ours.haldane.value, ours.other_rate.value)
    assert all(map(math.isnan, undefined))
    assert math.isnan(associate(CountTable(0, 0, 0, 0)).base_rate)


@given(table=st.builds(CountTable.from_cells, *[st.integers(1, 500)] * 4))
def test_fitting_the_sample_odds_ratio_gives_back_the_table(table: CountTable) -> None:
    log_odds = math.log(sample_odds_ratio(table))
    assert fitted(Margins.of(table), log_odds) == pytest.approx(table.yes, rel=1e-9)


def test_probabilities_far_from_the_mode_do_not_underflow() -> None:
    margins = Margins(1000, 1000, 1000)
    exact = 2 * math.lgamma(1001) - math.lgamma(2001)
    assert log_probability(margins, 0.0, 1000).value == pytest.approx(exact, rel=1e-9)
    assert log_tail_from(margins, 0.0, 0).value == pytest.approx(0, abs=1e-9)
