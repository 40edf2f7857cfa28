"""Baselines of content selection: orders, priors, combinations and curves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.errors import InputError
from assess.measures.selection.baselines import (
    BASELINES,
    START,
    TextPriors,
    averaged_ranks,
    baseline_curves,
    baseline_orders,
    bigram_ranks,
    expected_random_curve,
    position_ranks,
    scene,
    size_ranks,
    text_priors,
    unigram_ranks,
)
from assess.measures.selection.input import Box, GoldImage

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


def test_all_textual_and_visual_priors_are_combined() -> None:
    assert set(BASELINES) == {
        "random", "position", "size", "unigram", "bigram",
        "unigram+position", "unigram+size", "bigram+position", "bigram+size",
    }  # fmt: skip


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


def test_another_seed_gives_another_random_order() -> None:
    assert len({order("random", seed=seed) for seed in range(20)}) > 1


def test_boxes_without_geometry_are_an_error_for_visual_baselines_only() -> None:
    image = GoldImage("1", (Box("a", "woman"),), (("a",),))
    with pytest.raises(InputError, match="box a of image 1 has no geometry"):
        position_ranks(scene(image, PRIORS))
    curves = baseline_curves([image], PRIORS, baselines=["random", "unigram", "bigram"])
    assert curves["unigram"][1].mean.f == 1.0


def test_curves_go_from_one_to_most_and_stay_where_boxes_end() -> None:
    curves = baseline_curves([IMAGE], PRIORS)
    assert list(curves["size"]) == list(range(1, 16))
    assert curves["size"][3].mean == curves["size"][15].mean
    assert curves["size"][1].mean.precision == 1.0
    assert curves["size"][1].mean.recall == pytest.approx(0.75)


def test_expected_random_is_the_mean_over_draws() -> None:
    curve = expected_random_curve([IMAGE], draws=400, most=3)
    # One of three boxes, mentioned by 2, 1 and 0 of two descriptions: precision is 1.5 / 3.
    assert curve[1].mean.precision == pytest.approx(0.5, abs=0.05)
    assert curve[3].mean.recall == 1.0
