"""Beyond the paper: order of mention, recall by category, intervals, and sentences from selections."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assess.measures.selection.compute import (
    FUNCTION_WORDS,
    CategoryRecall,
    baseline_sentence,
    baseline_sentences,
    category_recall,
    concept_categories,
    concept_term,
    evaluate_selections,
    kendall_tau,
    ordering_score,
    selection_intervals,
)
from assess.measures.selection.input import Box, GoldImage


def gold(name: str, *descriptions: str) -> GoldImage:
    boxes = sorted(set("".join(descriptions)))
    made = tuple(Box(box, f"concept {box}") for box in boxes)
    return GoldImage(name, made, tuple(map(tuple, descriptions)))


@given(st.permutations("abcdef"), st.permutations("abcdef"))
def test_tau_agrees_with_scipy(first: list[str], second: list[str]) -> None:
    places = [second.index(box) for box in first]
    assert kendall_tau(first, second) == pytest.approx(kendalltau(range(6), places).statistic)


def test_tau_compares_only_shared_boxes() -> None:
    assert kendall_tau("axb", "ayb") == 1.0
    assert kendall_tau("ab", "ba") == -1.0
    assert math.isnan(kendall_tau("ab", "bc"))


def test_ordering_leaves_out_what_cannot_be_compared() -> None:
    images = [gold("1", "ab", "ba", "c"), gold("2", "ab", "a"), gold("3", "a", "b")]
    score = ordering_score(images, {"1": "ab", "2": "ba", "3": "ab"})
    assert score.taus["1"] == 0.0
    assert score.taus["2"] == -1.0
    assert math.isnan(score.taus["3"])
    assert (score.images, score.tau) == (2, -0.5)


def test_ordering_of_nothing_is_undefined() -> None:
    assert math.isnan(ordering_score([gold("3", "a", "b")], {"3": "ab"}).tau)


PLACED = GoldImage(
    "1",
    (Box("w", "woman"), Box("d", "dress"), Box("t", "tree"), Box("x", "rock")),
    (("w", "d"), ("w",), ("x",)),
)


def test_recall_by_category_counts_mentions_and_shows_what_is_never_said() -> None:
    rule = concept_categories({"woman": "people", "dress": ["clothing", "personal"], "tree": "plants"})
    found = {row.category: row for row in category_recall([PLACED], {"1": "wt"}, categories_of=rule)}
    assert list(found) == ["clothing", "people", "personal", "plants"]
    assert found["people"] == CategoryRecall("people", 1, 1, 1, 2, 2)
    assert found["people"].recall == 1.0
    assert found["clothing"].recall == 0.0
    assert found["clothing"].never_selected
    assert found["plants"].never_mentioned
    assert math.isnan(found["plants"].recall)


def test_a_category_can_be_any_function_of_a_box() -> None:
    rows = category_recall([PLACED], {"1": ""}, categories_of=lambda box: [f"{len(box.concept)} letters"])
    assert [(row.category, row.boxes) for row in rows] == [("4 letters", 2), ("5 letters", 2)]


def test_the_sources_categories_are_the_default() -> None:
    image = GoldImage("1", (Box("w", "woman", None, ("people",)),), (("w",),))
    assert category_recall([image], {"1": "w"})[0].category == "people"


def test_intervals_are_paired_and_seeded() -> None:
    images = [gold(str(number), "ab", "a") for number in range(40)]
    better = evaluate_selections(images, {image.image: "a" for image in images})
    chosen = {image.image: "b" if int(image.image) % 2 else "a" for image in images}
    worse = evaluate_selections(images, chosen)
    first = selection_intervals({"better": better, "worse": worse}, resamples=200, seed=3)
    again = selection_intervals({"better": better, "worse": worse}, resamples=200, seed=3)
    difference = first["f"].difference("better", "worse")
    assert difference.interval.estimate == pytest.approx(better.mean.f - worse.mean.f)
    assert 0 < difference.interval.low < difference.interval.high
    assert np.array_equal(first["f"].values["worse"], again["f"].values["worse"])
    assert first["precision"].interval("better").estimate == pytest.approx(better.mean.precision)


def test_intervals_leave_undefined_scores_out() -> None:
    images = [gold("1", "ab"), gold("2", "ab")]
    summary = evaluate_selections(images, {"1": "ab", "2": ""}, empty="skip")
    result = selection_intervals({"only": summary}, resamples=50)
    assert result["f"].interval("only").estimate == 1.0


@pytest.mark.parametrize(
    ("concept", "term"),
    [("woman.n.01", "woman"), ("fire_engine.n.01", "fire engine"), ("dog", "dog"), ("no. 7", "no. 7")],
)
def test_a_concept_becomes_words(concept: str, term: str) -> None:
    assert concept_term(concept) == term


def test_a_sentence_joins_terms_by_function_words() -> None:
    sentence = baseline_sentence(["woman", "apple"], image="1", function_words=["with"], articles=["a"])
    assert sentence == "a woman with an apple"
    assert baseline_sentence([], image="1") == ""


def test_sentences_keep_the_order_and_depend_on_seed_and_image_alone() -> None:
    images = [gold("1", "abc"), gold("2", "abc")]
    orders = {"1": "cab", "2": "cab"}
    first = baseline_sentences(images, orders, most=2, seed=5)
    assert first == baseline_sentences(reversed(images), orders, most=2, seed=5)
    for sentence in first.values():
        assert 0 <= sentence.index("concept c") < sentence.index("concept a")
        assert "concept b" not in sentence
        assert any(f" {word} " in sentence for word in FUNCTION_WORDS)
    seeds = {baseline_sentence(["cat", "dog", "cow"], image="1", seed=seed) for seed in range(20)}
    assert len(seeds) > 5
