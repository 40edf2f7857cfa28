"""Systems against human references."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from assess.errors import UsageError
from assess.measures.bias.references import amplify, mcnemar, mean_amplification, rate_in_any_of
from assess.measures.bias.tables import Tally

REFERENCE = {"women": Tally(4, 40), "men": Tally(2, 60)}
SYSTEM = {"women": Tally(10, 40), "men": Tally(1, 60)}

GROUPS = st.lists(
    st.integers(1, 50).flatmap(lambda total: st.builds(Tally, st.integers(0, total), st.just(total))),
    min_size=2,
    max_size=4,
).map(lambda tallies: {f"group {place}": tally for place, tally in enumerate(tallies)})


def test_women_and_men_give_the_known_values() -> None:
    women, men = amplify(system=SYSTEM, reference=REFERENCE)
    assert (women.group, women.direction, men.group, men.direction) == ("women", 1, "men", -1)
    assert f"{women.value:.2f}" == "0.15"
    assert f"{men.value:.4f}" == "0.0167"
    assert men.change == pytest.approx(-1 / 60)
    assert f"{mean_amplification([women, men]):.4f}" == "0.0833"


@given(reference=GROUPS)
def test_references_do_not_amplify_themselves(reference: dict[str, Tally]) -> None:
    assert [cell.value for cell in amplify(system=reference, reference=reference)] == [0.0] * len(reference)


def test_signs_cancel_in_the_mean_but_not_in_the_cells() -> None:
    # Both groups get the category more often: the favoured group amplified, the other one relieved.
    cells = amplify(
        system={"women": Tally(8, 40), "men": Tally(8, 60)},
        reference={"women": Tally(4, 40), "men": Tally(2, 60)},
    )
    assert [cell.value for cell in cells] == pytest.approx([0.1, -0.1])
    assert mean_amplification(cells) == pytest.approx(0)


def test_independence_in_the_references_has_no_direction() -> None:
    # 3 in 5 of each group: 3/15 and 5/15 * 9/15 differ in floating point, which must not make up a direction.
    assert 3 / 15 - (5 / 15) * (9 / 15) != 0
    cells = amplify(
        system={"women": Tally(4, 5), "men": Tally(0, 10)},
        reference={"women": Tally(3, 5), "men": Tally(6, 10)},
    )
    assert [(cell.direction, cell.value) for cell in cells] == [(0, 0.0), (0, 0.0)]


def test_a_group_without_labels_is_undefined_and_so_is_the_mean() -> None:
    cells = amplify(system=SYSTEM | {"men": Tally(0, 0)}, reference=REFERENCE)
    assert cells[0].value == pytest.approx(0.15)
    assert math.isnan(cells[1].value)
    assert math.isnan(mean_amplification(cells))
    assert math.isnan(mean_amplification([]))


def test_groups_must_be_the_same_in_both() -> None:
    with pytest.raises(UsageError, match=r"men, women.* not those of the references"):
        amplify(system=SYSTEM, reference={"women": Tally(4, 40)})


def test_discordant_images_8_against_2() -> None:
    ours = mcnemar(8, 2)
    assert f"{ours.p:.3f}" == "0.109"
    assert ours.p == mcnemar(2, 8).p
    assert ours.smallest_p == pytest.approx(2 / 1024)


@given(first=st.integers(0, 200), second=st.integers(0, 200))
def test_mcnemar_equals_statsmodels(first: int, second: int) -> None:
    theirs = 1.0 if first == second else float(their_mcnemar([[3, first], [second, 5]], exact=True).pvalue)
    assert mcnemar(first, second).p == pytest.approx(theirs, rel=1e-9)


def test_no_discordant_images_are_no_evidence() -> None:
    assert (mcnemar(0, 0).p, mcnemar(0, 0).smallest_p) == (1, 1)
    with pytest.raises(UsageError, match="not numbers of images"):
        mcnemar(-1, 2)


def test_any_of_five_references_is_another_rate() -> None:
    assert f"{rate_in_any_of(0.04, 5):.1%}" == "18.5%"
    assert (rate_in_any_of(1, 5), rate_in_any_of(0, 5), rate_in_any_of(0.3, 0)) == (1, 0, 0)
    assert rate_in_any_of(0.3, 1) == pytest.approx(0.3)
