"""Content selection: the paper's figure, baselines, order, categories, intervals, and real boxes."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assess.errors import InputError
from assess.measures.selection.baselines import (
    BASELINES,
    FUNCTION_WORDS,
    START,
    TextPriors,
    averaged_ranks,
    baseline_curves,
    baseline_orders,
    baseline_sentence,
    baseline_sentences,
    bigram_ranks,
    concept_term,
    expected_random_curve,
    position_ranks,
    scene,
    size_ranks,
    text_priors,
    unigram_ranks,
)
from assess.measures.selection.compute import (
    MEASURES,
    CategoryRecall,
    Scores,
    category_recall,
    evaluate_selections,
    harmonic_mean,
    human_referring,
    human_upper_bound,
    kendall_tau,
    leave_one_out,
    ordering_score,
    referring_summary,
    selection_intervals,
    selection_score,
)
from assess.measures.selection.files import read_flickr30k
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


def test_an_empty_selection_counts_zero_or_is_skipped() -> None:
    assert selection_score("", FIGURE_2) == Scores(0.0, 0.0, 0.0)
    assert not selection_score("", FIGURE_2, empty="skip").defined


def test_an_empty_description_counts_zero_or_is_skipped() -> None:
    zero = selection_score("2", ["2", ""])
    skip = selection_score("2", ["2", ""], empty="skip")
    assert (zero.P, zero.R) == (0.5, 0.5)
    assert (skip.P, skip.R) == (1.0, 1.0)


def test_an_image_with_one_description_has_no_upper_bound() -> None:
    bound = human_upper_bound([image("1", "23"), image("2", "23", "2")])
    assert bound.images == 1
    assert not bound.scores["1"].defined
    assert pytest.approx(2 / 3) == bound.mean.F  # 1 and .5 both ways round


def test_scores_of_no_images_are_undefined() -> None:
    summary = evaluate_selections([], {})
    assert summary.images == 0
    assert math.isnan(summary.mean.F)
    assert math.isnan(summary.sd.F)


def test_means_and_deviations_are_over_images() -> None:
    summary = evaluate_selections([image("1", "23"), image("2", "23")], {"1": "23", "2": "05"})
    assert summary.mean == Scores(0.5, 0.5, 0.5)
    assert summary.sd == Scores(0.5, 0.5, 0.5)


descriptions = st.lists(st.frozensets(st.sampled_from("abcdef")), min_size=1, max_size=5)


@given(st.frozensets(st.sampled_from("abcdef")), descriptions)
def test_scores_are_shares_and_f_is_between_precision_and_recall(
    selected: frozenset[str], golds: list[frozenset[str]]
) -> None:
    score = selection_score(selected, golds)
    low, high = sorted((score.P, score.R))
    assert 0 <= low <= high <= 1
    assert high + 1e-12 >= score.F
    assert low - 1e-12 <= score.F or low == 0
    assert pytest.approx(harmonic_mean(score.P, score.R)) == score.F


@given(descriptions)
def test_every_pair_counts_once_as_precision_and_once_as_recall(golds: list[frozenset[str]]) -> None:
    scores = leave_one_out(golds)
    if len(golds) > 1:
        precision = sum(score.P for score in scores)
        assert precision == pytest.approx(sum(score.R for score in scores))


@pytest.mark.data
def test_figure_2_agrees_with_the_golden_values_on_every_selection(shared_data: Path) -> None:
    golden = json.loads((shared_data / "golden" / "content_selection.json").read_text())["figure2"]
    golds = [tuple(map(str, gold)) for gold in golden["gold"]]
    for name, case in golden["selections"].items():
        expected = case.get("zero", case)
        score = selection_score([str(box) for box in case["selection"]], golds)
        found = (score.P, score.R, score.F)
        assert found == pytest.approx(tuple(expected[key][1] for key in "PRF"), abs=1e-12), name
    for score, expected in zip(leave_one_out(golds), golden["leave_one_out"]["per_description"], strict=True):
        assert pytest.approx(expected, abs=1e-12) == (score.P, score.R, score.F)


# A 100 x 100 image: the cup is in the centre, the woman is largest, the dog in a corner.
WOMAN = Box("w", "woman", (0, 0, 60, 90))
CUP = Box("c", "cup", (45, 45, 10, 10))
DOG = Box("d", "dog", (80, 80, 20, 20))
IMAGE = GoldImage("1", (DOG, CUP, WOMAN), (("w", "c"), ("w",)), 100, 100)
PRIORS = TextPriors({"woman": 5, "dog": 3}, {(START, "dog"): 2, ("dog", "woman"): 1, (START, "woman"): 1})


def order(
    baseline: str, image: GoldImage = IMAGE, priors: TextPriors = PRIORS, seed: int = 0
) -> tuple[str, ...]:
    return baseline_orders([image], priors, baseline=baseline, seed=seed)[image.image]


def test_priors_count_concepts_and_their_neighbours() -> None:
    priors = text_priors([IMAGE])
    assert priors.unigrams == {"woman": 2, "cup": 1}
    assert priors.bigrams == {(START, "woman"): 2, ("woman", "cup"): 1}
    assert priors.together == {("woman", "cup"): 1, ("cup", "woman"): 1}


def test_position_prefers_the_centre() -> None:
    assert order("position") == ("c", "w", "d")


def test_without_the_images_size_the_boxes_extent_stands_in() -> None:
    boxes = (Box("a", "x", (0, 0, 10, 10)), Box("b", "x", (40, 40, 20, 20)), Box("c", "x", (90, 90, 10, 10)))
    assert order("position", GoldImage("1", boxes, ((),)))[0] == "b"


def test_size_prefers_the_largest_area() -> None:
    assert order("size") == ("w", "d", "c")


def test_unigram_prefers_the_most_mentioned_concept() -> None:
    assert order("unigram") == ("w", "d", "c")


def test_bigram_walks_greedily_and_stops_where_nothing_followed() -> None:
    assert order("bigram") == ("d", "w")


def test_cooccurrence_walks_to_what_is_said_together_and_stops_where_nothing_is() -> None:
    together = {("woman", "dog"): 2, ("dog", "woman"): 2, ("dog", "cup"): 0}
    priors = TextPriors({"woman": 5, "dog": 3, "cup": 9}, {}, together)
    assert order("cooccurrence", priors=priors) == ("c",)
    # The dog shares two of five descriptions with the woman, the cup three: it comes first.
    more = TextPriors({"woman": 5, "dog": 3, "cup": 4}, {}, together | {("woman", "cup"): 3})
    assert order("cooccurrence", priors=more) == ("w", "c", "d")


def test_spatial_walks_from_the_largest_box_to_the_nearest() -> None:
    assert order("spatial") == ("w", "c", "d")


def test_bigram_selects_nothing_where_no_concept_ever_came_first() -> None:
    assert order("bigram", priors=TextPriors()) == ()


def test_combined_ranks_are_means_and_unselected_boxes_share_the_rest() -> None:
    found = scene(IMAGE, PRIORS)
    assert bigram_ranks(found) == {"d": 1.0, "w": 2.0}
    assert size_ranks(found) == {"w": 1.0, "d": 2.0, "c": 3.0}
    assert averaged_ranks(bigram_ranks, size_ranks)(found) == {"d": 1.5, "c": 3.0, "w": 1.5}
    nothing = scene(IMAGE, TextPriors())
    assert averaged_ranks(bigram_ranks, size_ranks)(nothing) == {"d": 2.0, "c": 2.5, "w": 1.5}


def test_boxes_that_are_alike_share_their_mean_rank() -> None:
    found = scene(IMAGE, TextPriors({"woman": 1}))
    assert unigram_ranks(found) == {"w": 1.0, "d": 2.5, "c": 2.5}


def test_equals_are_not_ordered_as_in_the_file() -> None:
    boxes = tuple(Box(str(number), "man") for number in range(8))
    firsts = {order("unigram", GoldImage(str(name), boxes, ((),)))[0] for name in range(30)}
    assert len(firsts) > 3


@given(st.integers(0, 5), st.permutations(["a", "b", "c", "d", "e"]))
def test_orders_depend_on_the_seed_and_not_on_the_files_order(seed: int, names: list[str]) -> None:
    boxes = tuple(Box(name, "man", (0, 0, 5, 5)) for name in names)
    image = GoldImage("9", boxes, ((),))
    reference = GoldImage("9", tuple(sorted(boxes, key=lambda box: box.id)), ((),))
    for baseline in BASELINES:
        assert order(baseline, image, seed=seed) == order(baseline, reference, seed=seed)


def test_boxes_without_geometry_are_an_error_for_visual_baselines_only() -> None:
    image = GoldImage("1", (Box("a", "woman"),), (("a",),))
    with pytest.raises(InputError, match="box a of image 1 has no coordinates"):
        position_ranks(scene(image, PRIORS))
    curves = baseline_curves([image], PRIORS, baselines=["random", "unigram", "bigram"])
    assert curves["unigram"][1].mean.F == 1.0


def test_curves_go_from_one_to_most_and_stay_where_boxes_end() -> None:
    curves = baseline_curves([IMAGE], PRIORS)
    assert list(curves["size"]) == list(range(1, 16))
    assert curves["size"][3].mean == curves["size"][15].mean
    assert curves["size"][1].mean.P == 1.0
    assert pytest.approx(0.75) == curves["size"][1].mean.R


def test_expected_random_is_the_mean_over_draws() -> None:
    curve = expected_random_curve([IMAGE], draws=400, most=3)
    # One of three boxes, mentioned by 2, 1 and 0 of two descriptions: precision is 1.5 / 3.
    assert pytest.approx(0.5, abs=0.05) == curve[1].mean.P
    assert curve[3].mean.R == 1.0


def test_the_deviation_of_random_is_that_of_a_single_draw() -> None:
    images = [gold(str(number), "a", "b", "c") for number in range(50)]
    curve = expected_random_curve(images, draws=30, most=1)
    single = [
        baseline_curves(images, TextPriors(), baselines=["random"], seed=seed, most=1) for seed in range(30)
    ]
    assert pytest.approx(np.mean([one["random"][1].sd.F for one in single])) == curve[1].sd.F
    assert pytest.approx(np.mean([one["random"][1].mean.F for one in single])) == curve[1].mean.F


def test_phrases_are_scored_by_the_categories_that_people_use_for_the_same_box() -> None:
    phrases = ({"a": "tall man"}, {"a": "man", "b": "cup"})
    image = GoldImage("1", (Box("a", "man"), Box("b", "cup")), (("a",), ("a", "b")), phrases=phrases)
    read = {"tall man": "height man", "man": "man", "old man": "age man", "cup": "", "red cup": "color"}

    def categories(phrase: str) -> frozenset[str]:
        return frozenset(read[phrase].split())

    found = referring_summary([image], {"1": {"a": "old man", "b": "red cup"}}, categories)
    # One of two categories is right for both people; the first has two of them, the second one.
    assert list(found.scores) == ["1/a"]  # nobody uses a category for the cup
    assert (found.mean.P, found.mean.R) == (0.5, 0.75)
    people = human_referring([image], categories)
    assert (people.images, people.mean.P, people.mean.R) == (1, 0.75, 0.75)


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


PLACED = GoldImage(
    "1",
    (
        Box("w", "woman", categories=("people",)),
        Box("d", "dress", categories=("clothing", "personal")),
        Box("t", "tree", categories=("plants",)),
        Box("x", "rock"),
    ),
    (("w", "d"), ("w",), ("x",)),
)


def test_recall_by_category_counts_mentions_and_shows_what_is_never_said() -> None:
    found = {row.category: row for row in category_recall([PLACED], {"1": "wt"})}
    assert list(found) == ["clothing", "people", "personal", "plants"]
    assert found["people"] == CategoryRecall("people", 1, 1, 1, 2, 2)
    assert found["people"].recall == 1.0
    assert found["clothing"].recall == 0.0
    assert found["clothing"].selected_boxes == 0
    assert found["plants"].mentions == 0
    assert math.isnan(found["plants"].recall)


def test_intervals_are_paired_and_seeded() -> None:
    images = [gold(str(number), "ab", "a") for number in range(40)]
    better = evaluate_selections(images, {image.image: "a" for image in images})
    chosen = {image.image: "b" if int(image.image) % 2 else "a" for image in images}
    worse = evaluate_selections(images, chosen)
    first = selection_intervals({"better": better, "worse": worse}, resamples=200, seed=3)
    again = selection_intervals({"better": better, "worse": worse}, resamples=200, seed=3)
    difference, _ = first["F"].difference("better", "worse")
    assert difference.value == pytest.approx(better.mean.F - worse.mean.F)
    assert 0 < difference.low < difference.high
    assert np.array_equal(first["F"].values["worse"], again["F"].values["worse"])
    assert first["P"].interval("better").value == pytest.approx(better.mean.P)


def test_intervals_leave_undefined_scores_out() -> None:
    images = [gold("1", "ab"), gold("2", "ab")]
    summary = evaluate_selections(images, {"1": "ab", "2": ""}, empty="skip")
    result = selection_intervals({"only": summary}, resamples=50)
    assert result["F"].interval("only").value == 1.0


@pytest.mark.parametrize(
    ("concept", "term"),
    [("woman.n.01", "woman"), ("fire_engine.n.01", "fire engine"), ("dog", "dog"), ("no. 7", "no. 7")],
)
def test_a_concept_becomes_words(concept: str, term: str) -> None:
    assert concept_term(concept) == term


def test_a_sentence_joins_terms_by_function_words_and_names_their_boxes() -> None:
    caption, marked = baseline_sentence({"2": "woman", "7": "fire engine"}, image="1")
    joined = "|".join(FUNCTION_WORDS)
    assert re.fullmatch(rf"(The w|W)oman ({joined}) (the )?fire engine\.", caption)
    assert re.fullmatch(rf"(The \[w|\[W)oman\]2 ({joined}) (the )?\[fire engine\]7\.", marked)
    assert re.sub(r"\[([^]]*)\]\d", r"\1", marked) == caption
    assert baseline_sentence({}, image="1").caption == ""


def test_sentences_keep_the_order_and_depend_on_seed_and_image_alone() -> None:
    images = [gold("1", "abc"), gold("2", "abc")]
    orders = {"1": "cab", "2": "cab"}
    first = baseline_sentences(images, orders, most=2, seed=5)
    assert first == baseline_sentences(reversed(images), orders, most=2, seed=5)
    for sentence, _ in first.values():
        assert 0 <= sentence.lower().index("concept c") < sentence.index("concept a")
        assert "concept b" not in sentence
    terms = {"1": "cat", "2": "dog", "3": "cow"}
    seeds = {baseline_sentence(terms, image="1", seed=seed) for seed in range(20)}
    assert len(seeds) > 5


@pytest.fixture(scope="module")
def sentences(shared_data: Path) -> tuple[GoldImage, ...]:
    """Return all images by their sentences, which have no boxes."""
    return read_flickr30k(shared_data / "flickr30k_entities" / "sentences.tsv.gz")


@pytest.mark.data
def test_upper_bound_on_flickr30k_entities_agrees_with_the_golden_values(
    shared_data: Path, sentences: tuple[GoldImage, ...]
) -> None:
    golden = json.loads((shared_data / "golden" / "content_selection.json").read_text())["flickr30k_entities"]
    first = sorted(sentences, key=lambda found: found.image)[:1000]
    for part, expected in ((sentences, golden["all_images"]), (first, golden["first_1000_in_sorted_order"])):
        bound = human_upper_bound(part)
        assert bound.images == expected["images"]
        for key in MEASURES:
            assert getattr(bound.mean, key) == pytest.approx(expected["mean_over_images"][key], abs=1e-9)
            assert getattr(bound.sd, key) == pytest.approx(expected["sd_over_images"][key], abs=1e-9)
    one = next(found for found in sentences if found.image == golden["first_image"]["id"])
    scores = [(score.P, score.R, score.F) for score in leave_one_out(one.descriptions)]
    for found, wanted in zip(scores, golden["first_image"]["PRF"], strict=True):
        assert found == pytest.approx(wanted, abs=1e-9)
