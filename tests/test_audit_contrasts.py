"""Strata, verdicts, references and words, with expected values from STATISTICS or statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests

from assess.errors import UsageError
from assess.measures.bias.association import (
    associate,
    odds_ratio,
)
from assess.measures.bias.clustering import independent, mcnemar_p
from assess.measures.bias.references import direction_of
from assess.measures.bias.strata import breslow_day, mantel_haenszel, stratify
from assess.measures.bias.tables import (
    CountTable,
    Tally,
)
from assess.measures.bias.verdict import Verdict, decide, judge, margin_at
from assess.measures.bias.words import log_odds
from assess.measures.group_settings import VerdictSettings
from assess.measures.intervals import benjamini_hochberg

CHILDREN = CountTable(3049, 4143, 4104, 5327)
ADULTS = CountTable(168, 25414, 892, 69717)
STRATA = st.lists(st.builds(CountTable.from_cells, *[st.integers(0, 80)] * 4), min_size=1, max_size=6)
FILLED_STRATA = st.lists(st.builds(CountTable.from_cells, *[st.integers(1, 80)] * 4), min_size=2, max_size=6)


def _theirs(tables: list[CountTable]) -> StratifiedTable:
    return StratifiedTable([np.array(table.cells, dtype=float).reshape(2, 2) for table in tables])


def test_age_by_child_and_adult_heads_reverses() -> None:
    ours = stratify({"child": CHILDREN, "adult": ADULTS})
    assert ours.crude.low > 1
    assert ours.common.high < 1
    assert ours.change == "reverses"
    assert (
        f"{ours.common.value:.3f} [{ours.common.low:.3f}, {ours.common.high:.3f}]" == "0.725 [0.669, 0.786]"
    )
    assert ours.breslow_day.p < 0.05
    assert ours.pooled is None
    assert ours.opposed == ("child", "adult")


def test_strata_that_agree_are_pooled() -> None:
    ours = stratify({"one": CountTable(20, 100, 10, 100), "two": CountTable(40, 200, 20, 200)})
    assert ours.pooled is not None
    assert (
        ours.pooled
        == ours.common
        == mantel_haenszel([CountTable(20, 100, 10, 100), CountTable(40, 200, 20, 200)])
    )
    assert ours.change == "stays"
    assert not ours.opposed


@pytest.mark.parametrize(
    ("strata", "change"),
    [
        # Within each stratum the rates are equal; the groups only differ in their shares of the strata.
        ((CountTable(720, 900, 80, 100), CountTable(10, 100, 90, 900)), "vanishes"),
        # A difference within both strata that is hidden when they are combined.
        ((CountTable(180, 200, 274, 343), CountTable(160, 800, 66, 657)), "emerges"),
        ((CountTable(5, 10, 5, 10), CountTable(1, 10, 1, 10)), "none"),
    ],
)
def test_other_changes_are_named(strata: tuple[CountTable, CountTable], change: str) -> None:
    ours = stratify({"one": strata[0], "two": strata[1]})
    assert ours.change == change


def test_a_reversal_within_chance_is_no_reversal() -> None:
    small = {"child": CountTable(15, 20, 20, 26), "adult": CountTable(1, 127, 4, 348)}
    ours = stratify(small)
    assert ours.crude.value > 1 > ours.common.value
    assert ours.change != "reverses"


@given(tables=STRATA)
def test_mantel_haenszel_equals_statsmodels(tables: list[CountTable]) -> None:
    assume(sum(table.yes * table.cells[3] for table in tables))
    assume(sum(table.cells[1] * table.other_yes for table in tables))
    full = [table for table in tables if table.total]
    ours, theirs = mantel_haenszel(tables), _theirs(full)
    low, high = theirs.oddsratio_pooled_confint(0.05)
    assert ours.value == pytest.approx(float(theirs.oddsratio_pooled), rel=1e-9)
    assert (ours.low, ours.high) == pytest.approx((float(low), float(high)), rel=1e-9)


@given(tables=FILLED_STRATA)
def test_breslow_day_equals_statsmodels(tables: list[CountTable]) -> None:
    common = mantel_haenszel(tables).value
    # At an odds ratio of exactly 1 the quadratic of statsmodels has no square term and no answer.
    assume(abs(common - 1) > 1e-4)
    theirs = _theirs(tables).test_equal_odds(adjust=False)
    ours = breslow_day(tables)
    assert ours.degrees == len(tables) - 1
    assert ours.statistic == pytest.approx(float(theirs.statistic), rel=1e-6, abs=1e-8)
    assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-5, abs=1e-12)


def test_breslow_day_is_defined_at_an_odds_ratio_of_exactly_1() -> None:
    tables = [CountTable(10, 30, 20, 60), CountTable(5, 50, 10, 100)]
    ours = breslow_day(tables)
    assert (ours.statistic, ours.p) == pytest.approx((0, 1), abs=1e-9)


def test_strata_with_zero_cells_only_keep_an_exact_bound() -> None:
    tables = [CountTable.from_cells(32, 3794, 0, 6482), CountTable.from_cells(5, 100, 0, 300)]
    ours = mantel_haenszel(tables)
    assert ours.value == ours.high == math.inf
    # With more evidence of the same kind, the bound is above that of the first stratum alone.
    assert ours.low > odds_ratio(tables[0]).low
    turned = mantel_haenszel([table.swapped for table in tables])
    assert (turned.value, turned.low) == (0, 0)
    assert turned.high == pytest.approx(1 / ours.low)
    assert stratify({"one": tables[0], "two": tables[1]}).change == "stays"


def test_the_exact_bound_of_one_stratum_is_that_of_its_odds_ratio() -> None:
    table = CountTable.from_cells(32, 3794, 0, 6482)
    assert mantel_haenszel([table]).low == pytest.approx(odds_ratio(table).low, rel=1e-9)
    assert mantel_haenszel([table, CountTable(0, 0, 0, 0), CountTable(0, 5, 0, 7)]).low == pytest.approx(
        odds_ratio(table).low
    )


def test_strata_that_say_nothing_change_nothing() -> None:
    telling, silent = (
        [CHILDREN, ADULTS],
        [CountTable(0, 0, 0, 0), CountTable(0, 10, 0, 20), CountTable(7, 7, 3, 3), CountTable(1, 3, 0, 0)],
    )
    assert mantel_haenszel(telling + silent).value == pytest.approx(mantel_haenszel(telling).value)
    assert breslow_day(telling + silent).degrees == 1
    assert breslow_day(telling + silent).statistic == pytest.approx(breslow_day(telling).statistic)


@pytest.mark.parametrize("tables", [[], [CountTable(0, 0, 0, 0)], [CountTable(0, 10, 0, 20)]])
def test_no_evidence_gives_no_odds_ratio(tables: list[CountTable]) -> None:
    assert math.isnan(mantel_haenszel(tables).value)
    ours = stratify({str(place): table for place, table in enumerate(tables)})
    assert ours.change == "none"
    assert ours.pooled is not None


# ---- families and verdicts


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(p_values=P_VALUES)
def test_benjamini_hochberg_equals_statsmodels(p_values: list[float]) -> None:
    theirs = multipletests(p_values, method="fdr_bh")[1]
    assert benjamini_hochberg(p_values) == pytest.approx(tuple(theirs), abs=1e-12)


@given(p_values=P_VALUES, place=st.integers(0, 40))
def test_an_undefined_p_is_no_member_of_the_family(p_values: list[float], place: int) -> None:
    with_gap = [*p_values[:place], math.nan, *p_values[place:]]
    q_values = benjamini_hochberg(with_gap)
    place = min(place, len(p_values))
    assert math.isnan(q_values[place])
    assert (*q_values[:place], *q_values[place + 1 :]) == benjamini_hochberg(p_values)


# The rule of the verdict, case by case: table, verdict, part of the reason.
CASES: list[tuple[str, CountTable, Verdict, str]] = [
    (
        "a rare category, almost only of one group",
        CountTable.from_cells(28, 3716, 1, 7080),
        "disparity",
        "q =",
    ),
    ("a zero cell", CountTable.from_cells(32, 3794, 0, 6482), "disparity", "q ="),
    (
        "a difference within any absolute margin, but a hundredfold",
        CountTable(64, 29557, 1, 75044),
        "disparity",
        "q =",
    ),
    ("two labels", CountTable(2, 29557, 0, 75044), "insufficient", "2 labels of this category"),
    ("one label", CountTable(1, 3744, 0, 7081), "insufficient", "1 label of this category"),
    (
        "never said",
        CountTable(0, 3744, 0, 7081),
        "insufficient",
        "smallest attainable p 1",
    ),
    ("always said", CountTable(3744, 3744, 7081, 7081), "insufficient", "smallest attainable p 1"),
    ("a group without labels", CountTable(3, 10, 0, 0), "insufficient", "no labels"),
    ("one label of a rare group", CountTable(1, 1, 0, 717), "insufficient", "a group has only 1 label"),
    ("all but one of a rare group", CountTable(708, 717, 0, 1), "insufficient", "a group has only 1 label"),
    (
        "two labels of a rare group",
        CountTable(2, 20, 0, 5000),
        "insufficient",
        "the category has only 2 labels, fewer than 5",
    ),
    (
        "two labels without",
        CountTable(18, 20, 5000, 5000),
        "insufficient",
        "the rest, without the category, has",
    ),
    ("four labels, 4:0", CountTable(4, 2865, 0, 8912), "insufficient", "the category has only 4 labels"),
    (
        "four labels of a rare group",
        CountTable(4, 20, 0, 5000),
        "insufficient",
        "only 4 labels, fewer than 5",
    ),
    ("five labels of a rare group", CountTable(5, 20, 0, 5000), "disparity", "q = "),
    (
        "equal rates of many labels",
        CountTable(3000, 30_000, 7500, 75_000),
        "none",
        "within the margin of ±1.5",
    ),
    (
        "significant ones, but too small to matter",
        CountTable(50_700, 1_000_000, 50_000, 1_000_000),
        "small",
        "but the difference is within the margin of ±1.1 points",
    ),
    ("a common category", CountTable(5200, 10_000, 5000, 10_000), "small", "±2.5 points"),
    ("a common category, further apart", CountTable(5300, 10_000, 5000, 10_000), "disparity", "±2.5 points"),
    # At 10,000 labels `none` can be reached at every base rate: the margin shrinks with the standard error.
    ("equal rates of 50%, 10,000 labels", CountTable(2500, 5000, 2500, 5000), "none", "±2.5 points"),
    ("equal rates of 10%, 10,000 labels", CountTable(500, 5000, 500, 5000), "none", "±1.5 points"),
    ("equal rates of 1%, 10,000 labels", CountTable(50, 5000, 50, 5000), "none", "±0.5 points"),
    ("equal rates of 0.1%, 10,000 labels", CountTable(5, 5000, 5, 5000), "none", "±0.16 points"),
    ("equal rates of few labels", CountTable(10, 100, 25, 250), "insufficient", "beyond the margin"),
    ("equal rates of a rare category", CountTable(4, 3744, 8, 7081), "insufficient", "beyond the margin"),
]


@pytest.mark.parametrize(
    ("table", "verdict", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_verdicts_follow_the_rule(table: CountTable, verdict: Verdict, reason: str) -> None:
    (finding,) = judge([independent(associate(table))])
    assert finding.verdict == verdict
    assert reason in finding.reason


def test_five_labels_of_one_group_can_be_a_finding_alone_but_not_in_a_large_family() -> None:
    five = independent(associate(CountTable(5, 3744, 0, 7081)))
    others = [independent(associate(CountTable(40, 1000, 41, 1000)))] * 99
    assert judge([five])[0].verdict == "disparity"
    assert judge([five, *others])[0].verdict == "insufficient"
    assert judge([five, *others])[0].q == pytest.approx(100 * five.p)


def test_the_margin_decides_what_is_too_small_to_matter() -> None:
    found = independent(associate(CountTable(50_700, 1_000_000, 50_000, 1_000_000)))
    assert decide(found, q=found.p)[0] == "small"
    assert decide(found, q=found.p, rules=VerdictSettings(margin=0.0015))[0] == "disparity"


def test_the_margin_is_the_same_on_the_scale_of_cohens_h() -> None:
    for base_rate in (0.5, 0.1, 0.01, 0.001):
        margin = margin_at(0.025, base_rate)
        first, second = (math.asin(math.sqrt(base_rate + sign * margin / 2)) for sign in (1, -1))
        assert 2 * (first - second) == pytest.approx(0.05, rel=0.15)
    assert (margin_at(0.025, 0.5), margin_at(0.025, 0.04)) == pytest.approx((0.025, 0.0098), rel=1e-3)
    assert margin_at(0.025, 0.3) == pytest.approx(margin_at(0.025, 0.7))


@given(
    table=st.builds(CountTable.from_cells, *[st.integers(0, 200)] * 4),
    alpha=st.sampled_from([0.01, 0.05, 0.1]),
)
def test_a_disparity_is_always_significant_and_never_thin(table: CountTable, alpha: float) -> None:
    association = associate(table)
    (finding,) = judge([independent(association)], VerdictSettings(alpha=alpha))
    if finding.verdict in ("disparity", "small"):
        assert finding.q <= alpha
        assert association.smallest_p <= alpha * (1 + 1e-9)
        assert table.carrying >= 5
        assert (abs(table.difference) > finding.margin) == (finding.verdict == "disparity")
    if finding.verdict == "none":
        assert association.risk_difference.within(-finding.margin, finding.margin)
        assert finding.q > alpha


@pytest.mark.parametrize("margin", [-0.1, 2, math.nan])
def test_a_margin_that_makes_no_sense_is_refused(margin: float) -> None:
    with pytest.raises(UsageError, match="is not valid"):
        VerdictSettings(margin=margin)


# ---- references


REFERENCE = {"women": Tally(4, 40), "men": Tally(2, 60)}


def test_a_direction_is_that_of_more_than_the_share() -> None:
    assert (direction_of("women", REFERENCE), direction_of("men", REFERENCE)) == (1, -1)


def test_independence_in_the_references_has_no_direction() -> None:
    # 3 of 5 in each group: 3/15 and 5/15 * 9/15 differ as floats, which must not create a direction.
    assert 3 / 15 - (5 / 15) * (9 / 15) != 0
    reference = {"women": Tally(3, 5), "men": Tally(6, 10)}
    assert [direction_of(value, reference) for value in reference] == [0, 0]


@given(first=st.integers(0, 200), second=st.integers(0, 200))
def test_mcnemar_equals_statsmodels(first: int, second: int) -> None:
    theirs = 1.0 if first == second else float(their_mcnemar([[3, first], [second, 5]], exact=True).pvalue)
    assert mcnemar_p(first, second) == pytest.approx(theirs, rel=1e-9)


def test_no_discordant_images_are_no_evidence() -> None:
    assert mcnemar_p(0, 0) == 1
    with pytest.raises(UsageError, match="not numbers of images"):
        mcnemar_p(-1, 2)


# ---- words


WORDS = {"first": 30, "second": 200, "third": 270}
OTHER_WORDS = {"first": 2, "second": 300, "third": 698}
BAGS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 300), min_size=2)


def test_three_words_give_the_known_values() -> None:
    scores = {score.word: score.z for score in log_odds(WORDS, OTHER_WORDS, prior=0.1)}
    assert [f"{scores[word]:.3f}" for word in WORDS] == ["4.785", "4.839", "-9.454"]


@given(counts=BAGS, other=BAGS)
def test_exchanging_the_groups_turns_the_signs(counts: dict[str, int], other: dict[str, int]) -> None:
    one, two = (
        {score.word: score.z for score in log_odds(*pair)} for pair in ((counts, other), (other, counts))
    )
    assert one == pytest.approx({word: -z for word, z in two.items()}, abs=1e-12)


def test_a_strong_prior_draws_scores_towards_0() -> None:
    weak, strong = (
        max(abs(score.log_odds) for score in log_odds(WORDS, OTHER_WORDS, prior=prior))
        for prior in (0.1, 1000.0)
    )
    assert strong < weak


def test_a_vocabulary_of_one_word_has_no_odds() -> None:
    (score,) = log_odds({"only": 5}, {"only": 7})
    assert math.isnan(score.z)
    assert log_odds({}, {}) == ()


@pytest.mark.parametrize("prior", [0.0, -1.0, math.nan, math.inf])
def test_a_prior_must_be_positive(prior: float) -> None:
    with pytest.raises(UsageError, match="positive"):
        log_odds({"a": 1, "b": 2}, {"a": 2}, prior=prior)
