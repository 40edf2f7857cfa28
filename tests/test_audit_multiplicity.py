"""Families of tests, and the verdicts on their members."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from assess.errors import UsageError
from assess.measures.bias.association import associate
from assess.measures.bias.tables import CountTable
from assess.measures.bias.verdict import Margin, Verdict, decide, judge
from assess.measures.intervals import benjamini_hochberg

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def test_benjamini_hochberg_gives_the_known_values() -> None:
    assert benjamini_hochberg([0.001, 0.008, 0.039, 0.041, 0.27]) == pytest.approx(
        (0.005, 0.02, 0.05125, 0.05125, 0.27), abs=1e-12
    )


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


def test_an_empty_family_has_no_q() -> None:
    assert benjamini_hochberg([]) == ()


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
    ("never said", CountTable(0, 3744, 0, 7081), "insufficient", "smallest attainable p 1"),
    ("always said", CountTable(3744, 3744, 7081, 7081), "insufficient", "smallest attainable p 1"),
    ("a group without labels", CountTable(3, 10, 0, 0), "insufficient", "no labels"),
    ("one label of a rare group", CountTable(1, 1, 0, 717), "insufficient", "a group has only 1 label"),
    ("all but one of a rare group", CountTable(708, 717, 0, 1), "insufficient", "a group has only 1 label"),
    (
        "two labels of a rare group",
        CountTable(2, 20, 0, 5000),
        "insufficient",
        "the category has only 2 labels",
    ),
    (
        "two labels without",
        CountTable(18, 20, 5000, 5000),
        "insufficient",
        "the rest, without the category, has",
    ),
    ("three labels of a rare group", CountTable(3, 20, 0, 5000), "disparity", "q = "),
    ("equal rates of many labels", CountTable(3000, 30_000, 7500, 75_000), "none", "within ±0.01"),
    (
        "significant, but too small to matter",
        CountTable(50_700, 1_000_000, 50_000, 1_000_000),
        "none",
        "within ±0.01",
    ),
    ("equal rates of few labels", CountTable(10, 100, 25, 250), "insufficient", "beyond the margin"),
    ("equal rates of a rare category", CountTable(4, 3744, 8, 7081), "insufficient", "beyond the margin"),
]


@pytest.mark.parametrize(
    ("table", "verdict", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_verdicts_follow_the_rule(table: CountTable, verdict: Verdict, reason: str) -> None:
    (finding,) = judge([associate(table)])
    assert finding.verdict == verdict
    assert reason in finding.reason


def test_three_labels_of_one_group_can_be_a_finding_alone_but_not_in_a_large_family() -> None:
    three = associate(CountTable(3, 3744, 0, 7081))
    others = [associate(CountTable(40, 1000, 41, 1000))] * 9
    assert judge([three])[0].verdict == "disparity"
    assert judge([three, *others])[0].verdict == "insufficient"
    assert judge([three, *others])[0].q == pytest.approx(10 * three.p)


def test_a_family_keeps_its_order() -> None:
    family = [associate(CountTable(40, 1000, 41, 1000)), associate(CountTable(28, 3744, 1, 7081))]
    assert [finding.association for finding in judge(family)] == family
    assert judge([]) == ()


def test_the_margin_decides_what_is_too_small_to_matter() -> None:
    association = associate(CountTable(50_700, 1_000_000, 50_000, 1_000_000))
    assert decide(association, q=association.p)[0] == "none"
    assert decide(association, q=association.p, margin=Margin(risk_difference=0.001))[0] == "disparity"
    assert decide(association, q=association.p, margin=Margin(odds_ratio=1.01))[0] == "disparity"


@given(
    table=st.builds(CountTable.from_cells, *[st.integers(0, 200)] * 4),
    alpha=st.sampled_from([0.01, 0.05, 0.1]),
)
def test_a_disparity_is_always_significant_and_never_thin(table: CountTable, alpha: float) -> None:
    association = associate(table)
    (finding,) = judge([association], alpha=alpha)
    if finding.verdict == "disparity":
        assert finding.q <= alpha
        assert association.smallest_p <= alpha * (1 + 1e-9)
    if finding.verdict == "none":
        assert association.risk_difference.within(-0.01, 0.01)


@pytest.mark.parametrize("margin", [(-0.1, 2), (2, 2), (0.1, 0.5), (math.nan, 2), (0.1, math.nan)])
def test_a_margin_that_makes_no_sense_is_refused(margin: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="does not make sense"):
        Margin(*margin)
