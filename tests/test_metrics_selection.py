"""The content-selection metric: the paper's worked figure, bounds, and what an empty set counts for."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.measures.selection.compute import (
    SelectionScore,
    evaluate_selections,
    harmonic_mean,
    human_upper_bound,
    leave_one_out,
    selection_score,
)
from assess.measures.selection.input import Box, GoldImage

# Box ids of figure 2: dress 0, woman 2, car 3, boots 5.
FIGURE_2 = (
    ("0", "2", "3", "5"),
    ("2", "3"),
    ("2", "3", "5"),
    ("2", "3"),
    ("2", "3"),
    ("2", "3", "5"),
    ("0", "2", "3", "5"),
)
BOXES = "0235"


def image(name: str, *descriptions: str) -> GoldImage:
    boxes = sorted(set("".join(descriptions)) | set(BOXES))
    made = tuple(Box(box, f"concept {box}") for box in boxes)
    return GoldImage(name, made, tuple(map(tuple, descriptions)))


@pytest.mark.parametrize(
    ("selected", "f"),
    [
        ("23", Fraction(32, 37)),
        ("02", Fraction(171, 322)),
        ("2", Fraction(16, 29)),
        ("235", Fraction(156, 175)),
        ("0235", Fraction(5, 6)),
        ("9", Fraction(0)),
    ],
)
def test_figure_2_has_the_papers_scores(selected: str, f: Fraction) -> None:
    assert selection_score(selected, FIGURE_2).f == pytest.approx(float(f), abs=1e-15)


def test_leave_one_out_of_figure_2() -> None:
    bound = human_upper_bound([GoldImage("1", (), FIGURE_2)])
    assert bound.mean.precision == pytest.approx(6 / 7)
    assert bound.mean.recall == pytest.approx(6 / 7)
    assert bound.mean.f == pytest.approx(57244 / 68355)
    assert round(bound.mean.f, 4) == 0.8375


def test_an_empty_selection_counts_zero_or_is_skipped() -> None:
    assert selection_score("", FIGURE_2) == SelectionScore(0.0, 0.0, 0.0)
    assert not selection_score("", FIGURE_2, empty="skip").defined


def test_an_empty_description_counts_zero_or_is_skipped() -> None:
    zero = selection_score("2", ["2", ""])
    skip = selection_score("2", ["2", ""], empty="skip")
    assert (zero.precision, zero.recall) == (0.5, 0.5)
    assert (skip.precision, skip.recall) == (1.0, 1.0)


def test_only_empty_descriptions_leave_nothing_when_skipped() -> None:
    assert not selection_score("2", ["", ""], empty="skip").defined


def test_an_image_with_one_description_has_no_upper_bound() -> None:
    bound = human_upper_bound([image("1", "23"), image("2", "23", "2")])
    assert bound.images == 1
    assert not bound.scores["1"].defined
    assert bound.mean.f == pytest.approx(2 / 3)  # 1 and .5 both ways round


def test_scores_of_no_images_are_undefined() -> None:
    summary = evaluate_selections([], {})
    assert summary.images == 0
    assert math.isnan(summary.mean.f)
    assert math.isnan(summary.sd.f)


def test_means_and_deviations_are_over_images() -> None:
    summary = evaluate_selections([image("1", "23"), image("2", "23")], {"1": "23", "2": "05"})
    assert summary.mean == SelectionScore(0.5, 0.5, 0.5)
    assert summary.sd == SelectionScore(0.5, 0.5, 0.5)


descriptions = st.lists(st.frozensets(st.sampled_from("abcdef")), min_size=1, max_size=5)


@given(st.frozensets(st.sampled_from("abcdef")), descriptions)
def test_scores_are_shares_and_f_is_between_precision_and_recall(
    selected: frozenset[str], golds: list[frozenset[str]]
) -> None:
    score = selection_score(selected, golds)
    low, high = sorted((score.precision, score.recall))
    assert 0 <= low <= high <= 1
    assert score.f <= high + 1e-12
    assert score.f >= low - 1e-12 or low == 0
    assert score.f == pytest.approx(harmonic_mean(score.precision, score.recall))


@given(descriptions)
def test_every_pair_counts_once_as_precision_and_once_as_recall(golds: list[frozenset[str]]) -> None:
    scores = leave_one_out(golds)
    if len(golds) > 1:
        precision = sum(score.precision for score in scores)
        assert precision == pytest.approx(sum(score.recall for score in scores))


@pytest.mark.data
def test_figure_2_agrees_with_the_golden_values_on_every_selection(shared_data: Path) -> None:
    golden = json.loads((shared_data / "golden" / "content_selection.json").read_text())["figure2"]
    golds = [tuple(map(str, gold)) for gold in golden["gold"]]
    for name, case in golden["selections"].items():
        expected = case.get("zero", case)
        score = selection_score([str(box) for box in case["selection"]], golds)
        found = (score.precision, score.recall, score.f)
        assert found == pytest.approx(tuple(expected[key][1] for key in "PRF"), abs=1e-12), name
    for score, expected in zip(leave_one_out(golds), golden["leave_one_out"]["per_description"], strict=True):
        assert (score.precision, score.recall, score.f) == pytest.approx(expected, abs=1e-12)
