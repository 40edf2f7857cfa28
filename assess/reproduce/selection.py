"""Content selection: the worked example, people, and baselines on real boxes (Wang and Gaizauskas 2015)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assess.measures.selection.baselines import BASELINES
from assess.measures.selection.compute import (
    MEASURES,
    SelectionScore,
    human_upper_bound,
    leave_one_out,
    mean_score,
    selection_score,
)
from assess.measures.selection.input import GoldImage
from assess.measures.selection.markup import read_flickr30k
from assess.measures.selection.result import Curve
from assess.measures.selection.run import Ground, baseline_scores
from assess.measures.settings import SelectionSettings
from assess.reproduce.parts import ComparedCell, Part, Reproduced, ResearchData

_SOURCE = "wang2015generating"
_GOLDEN = "golden/content_selection.json"
_SENTENCES = "flickr30k_entities/sentences.tsv.gz"
_BOXED = "flickr30k_entities/sentences_of_boxes.tsv.gz"
_BOXES = "flickr30k_entities/boxes.json.gz"
_LETTERS = dict(zip(MEASURES, "PRF", strict=True))
_FIRST = 1000  # images of the smaller golden set


def _golden(data: ResearchData) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data.folder / _GOLDEN).read_text(encoding="utf-8"))
    return found


def _compared(row: str, published: Mapping[str, float], score: SelectionScore) -> list[ComparedCell]:
    return [
        ComparedCell(row, letter, published[letter], getattr(score, measure), 6)
        for measure, letter in _LETTERS.items()
    ]


def example(data: ResearchData) -> Reproduced:
    """Compute the selections of Figure 2, and people by leave-one-out."""
    figure = _golden(data)["figure2"]
    gold = [[str(box) for box in description] for description in figure["gold"]]
    cells = []
    for name, selection in figure["selections"].items():
        published = selection if "P" in selection else selection["zero"]
        score = selection_score([str(box) for box in selection["selection"]], gold)
        cells += _compared(name, {letter: published[letter][1] for letter in "PRF"}, score)
    people = dict(zip("PRF", figure["leave_one_out"]["mean"], strict=True))
    cells += _compared("people", people, mean_score(leave_one_out(gold)))
    return Reproduced(
        tuple(cells),
        (
            "published: worked out as exact fractions from the figure's descriptions",
            "An empty selection counts 0",
        ),
    )


def people(data: ResearchData) -> Reproduced:
    """Compute people against each other on Flickr30k Entities."""
    golden = _golden(data)["flickr30k_entities"]
    images = read_flickr30k(data.folder / _SENTENCES)
    first = sorted(images, key=lambda image: image.image)[:_FIRST]
    cells = []
    for key, part in (("all_images", images), ("first_1000_in_sorted_order", first)):
        bound, row = human_upper_bound(part), f"{len(part):,} images"
        cells += _compared(f"{row}: mean", golden[key]["mean_over_images"], bound.mean)
        cells += _compared(f"{row}: sd", golden[key]["sd_over_images"], bound.sd)
    return Reproduced(
        tuple(cells),
        (
            "The paper's own images (ImageCLEF) are not among the data; there people reach F .74 ± .12,"
            " P and R .77 ± .11. published here: computed once before, with other code",
        ),
    )


def baselines(data: ResearchData) -> Reproduced:
    """Compute the baselines on the images with boxes; words are counted in all other images."""
    gold = read_flickr30k(data.folder / _BOXED, boxes=data.folder / _BOXES)
    scored = {image.image for image in gold}
    others = [image for image in read_flickr30k(data.folder / _SENTENCES) if image.image not in scored]
    settings = SelectionSettings()
    curves = baseline_scores(Ground(gold, others), tuple(BASELINES), settings)
    why = (
        f"{len(gold)} images with boxes; words counted in {len(others):,} others; random: the mean of"
        f" {settings.draws} draws. The paper's own table is on other images, so its findings are compared",
        "Every box here is mentioned by someone, so large selections look better than people do",
    )
    tables = (line for measure in ("f", "precision", "recall") for line in _grid_lines(gold, curves, measure))
    return Reproduced(_findings(curves), (*why, *tables))


def _findings(curves: Mapping[str, Curve]) -> tuple[ComparedCell, ...]:
    ks = list(curves["size"])
    wins = sum(curves["size"][k].mean.f > curves["random"][k].mean.f for k in ks)
    best = max(curves, key=lambda name: curves[name][1].mean.precision)
    return (
        ComparedCell(
            "size beats random", "finding", f"at {len(ks)} of {len(ks)} k", f"at {wins} of {len(ks)} k"
        ),
        ComparedCell("best P at k = 1", "finding", "bigram", best),
    )


def _grid_lines(gold: Sequence[GoldImage], curves: Mapping[str, Curve], measure: str) -> Iterator[str]:
    """Yield a measure of all baselines as lines of text, one a k: there is no published table to compare."""
    bound = getattr(human_upper_bound(gold).mean, measure)
    order = ", ".join(curves)
    yield f"{_LETTERS[measure]} of the first k boxes (people {bound:.3f}), in the order {order}:"
    for k in next(iter(curves.values())):
        values = (f"{getattr(curve[k].mean, measure):.3f}".removeprefix("0") for curve in curves.values())
        yield f"k={k:>2}: {' '.join(values)}"


SELECTION_PARTS = (
    Part("selection-example", "Figure 2: content selection", _SOURCE, (_GOLDEN,), example, sampled=False),
    Part(
        "selection-people",
        "Content selection: people on Flickr30k Entities",
        _SOURCE,
        (_GOLDEN, _SENTENCES),
        people,
        sampled=False,
    ),
    Part(
        "selection-baselines",
        "Content selection: baselines on real boxes",
        _SOURCE,
        (_SENTENCES, _BOXED, _BOXES),
        baselines,
        sampled=False,
    ),
)
