"""Words behind a category: log-odds with a Dirichlet prior."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.errors import UsageError
from assess.measures.bias.words import log_odds

COUNTS = {"first": 30, "second": 200, "third": 270}
OTHER = {"first": 2, "second": 300, "third": 698}
BAGS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 300), min_size=2)


def test_three_words_give_the_known_values() -> None:
    scores = {score.word: score.z for score in log_odds(COUNTS, OTHER, prior=0.1)}
    assert [f"{scores[word]:.3f}" for word in COUNTS] == ["4.785", "4.839", "-9.454"]


def test_words_come_by_how_much_they_belong_to_the_first_group() -> None:
    scores = log_odds(COUNTS, OTHER)
    assert [score.word for score in scores] == ["second", "first", "third"]
    assert (scores[1].count, scores[1].other_count) == (30, 2)


@given(counts=BAGS, other=BAGS)
def test_exchanging_the_groups_turns_the_signs(counts: dict[str, int], other: dict[str, int]) -> None:
    one, two = (
        {score.word: score.z for score in log_odds(*pair)} for pair in ((counts, other), (other, counts))
    )
    assert one == pytest.approx({word: -z for word, z in two.items()}, abs=1e-12)


def test_a_word_of_one_group_only_has_a_finite_score() -> None:
    (top, *_rest) = log_odds({"cute": 9, "tall": 50}, {"tall": 80})
    assert top.word == "cute"
    assert 0 < top.z < math.inf


def test_a_strong_background_draws_scores_towards_0() -> None:
    weak, strong = (
        log_odds(COUNTS, OTHER, prior={"first": 0.1 * size, "second": 2.0 * size, "third": 4.0 * size})
        for size in (1, 1000)
    )
    assert abs(strong[0].z) < abs(weak[0].z)


def test_words_of_the_prior_alone_count_in_the_vocabulary() -> None:
    scores = log_odds({"a": 5}, {"a": 50, "b": 1}, prior={"a": 1.0, "b": 1.0, "unseen": 10.0})
    expected = math.log(6 / (5 + 12 - 6)) - math.log(51 / (51 + 12 - 51))
    assert {score.word: score.log_odds for score in scores}["a"] == pytest.approx(expected)
    assert {score.word for score in scores} == {"a", "b"}


def test_equal_scores_are_in_word_order() -> None:
    assert [score.word for score in log_odds({"b": 5, "a": 5}, {"a": 5, "b": 5})] == ["a", "b"]


def test_a_vocabulary_of_one_word_has_no_odds() -> None:
    (score,) = log_odds({"only": 5}, {"only": 7})
    assert math.isnan(score.z)
    assert log_odds({}, {}) == ()


@pytest.mark.parametrize("prior", [0.0, -1.0, math.nan, math.inf, {"a": 1.0, "b": 0.0}])
def test_a_prior_must_be_positive(prior: float | dict[str, float]) -> None:
    with pytest.raises(UsageError, match="positive"):
        log_odds({"a": 1, "b": 2}, {"a": 2}, prior=prior)


def test_a_prior_must_know_every_word() -> None:
    with pytest.raises(UsageError, match="no value for b"):
        log_odds({"a": 1, "b": 2}, {"a": 2}, prior={"a": 1.0})
