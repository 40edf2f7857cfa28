"""Content selection on Flickr30k Entities: the golden upper bound and the paper's findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assess.measures.selection.baselines import baseline_curves, expected_random_curve, text_priors
from assess.measures.selection.compute import MEASURES, human_upper_bound, leave_one_out
from assess.measures.selection.input import GoldImage
from assess.measures.selection.markup import read_flickr30k


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
        for measure, key in zip(MEASURES, "PRF", strict=True):
            assert getattr(bound.mean, measure) == pytest.approx(expected["mean_over_images"][key], abs=1e-9)
            assert getattr(bound.sd, measure) == pytest.approx(expected["sd_over_images"][key], abs=1e-9)
    one = next(found for found in sentences if found.image == golden["first_image"]["id"])
    scores = [(score.precision, score.recall, score.f) for score in leave_one_out(one.descriptions)]
    for found, wanted in zip(scores, golden["first_image"]["PRF"], strict=True):
        assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.data
def test_the_papers_findings_hold_on_real_boxes(shared_data: Path, sentences: tuple[GoldImage, ...]) -> None:
    folder = shared_data / "flickr30k_entities"
    gold = read_flickr30k(folder / "sentences_of_boxes.tsv.gz", boxes=folder / "boxes.json.gz")
    assert len(gold) == 500
    names = {image.image for image in gold}
    others = [image for image in sentences if image.image not in names]
    curves = baseline_curves(gold, text_priors(others))
    chance = expected_random_curve(gold)
    # Only two images have more than 13 boxes, so a single draw ties there; the expectation does not.
    assert all(curves["size"][k].mean.f > chance[k].mean.f for k in range(1, 16))
    assert all(curves["size"][k].mean.f >= curves["random"][k].mean.f for k in range(1, 16))
    assert all(curves["size"][k].mean.f > curves["random"][k].mean.f for k in range(1, 13))
    precisions = {name: curve[1].mean.precision for name, curve in curves.items()}
    assert max(precisions, key=lambda name: precisions[name]) == "bigram"
