"""Content selection: do systems mention the boxes that people mention? (Wang and Gaizauskas 2015)

Per image, precision and recall are averaged over its gold descriptions, and F comes from these two
means; the scores of a system are means over images. What an empty set counts for is a choice:
`zero` (the default, and the rule of our reference values) lets a ratio with nothing below the line
count 0; `skip` leaves an image with an empty selection, and an empty description, out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Literal

from assess.corpus.selection_input import GoldImage

Empty = Literal["zero", "skip"]
MEASURES = ("precision", "recall", "f")


@dataclass(frozen=True, slots=True)
class SelectionScore:
    """Precision, recall and F of a selection of boxes."""

    precision: float
    recall: float
    f: float

    @property
    def defined(self) -> bool:
        """Whether the score is a number: it is not where `skip` leaves nothing to compare."""
        return not math.isnan(self.f)


UNDEFINED = SelectionScore(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class SelectionSummary:
    """Scores over images: means and standard deviations (population), and each image's own score."""

    images: int  # with a defined score
    mean: SelectionScore
    sd: SelectionScore
    scores: Mapping[str, SelectionScore]  # of every image, also the undefined ones


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F of precision and recall; 0 where both are 0, which says that nothing was right."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def selection_score(
    selected: Collection[str], descriptions: Sequence[Collection[str]], *, empty: Empty = "zero"
) -> SelectionScore:
    """Score one image's selection against its gold descriptions."""
    chosen = set(selected)
    golds = [set(description) for description in descriptions if description or empty == "zero"]
    if not golds or (empty == "skip" and not chosen):
        return UNDEFINED
    shared = [len(chosen & gold) for gold in golds]
    precision = fmean([_share(common, len(chosen)) for common in shared])
    recall = fmean([_share(common, len(gold)) for common, gold in zip(shared, golds, strict=True)])
    return SelectionScore(precision, recall, harmonic_mean(precision, recall))


def leave_one_out(
    descriptions: Sequence[Collection[str]], *, empty: Empty = "zero"
) -> tuple[SelectionScore, ...]:
    """Score each description of an image against the others; undefined where there are no others."""
    return tuple(
        selection_score(description, [*descriptions[:at], *descriptions[at + 1 :]], empty=empty)
        for at, description in enumerate(descriptions)
    )


def evaluate_selections(
    gold: Iterable[GoldImage], selections: Mapping[str, Collection[str]], *, empty: Empty = "zero"
) -> SelectionSummary:
    """Score a system's selections, paired by image id (`assess.corpus.selection_input.pair_selections`)."""
    return summarise(
        {
            image.image: selection_score(selections[image.image], image.descriptions, empty=empty)
            for image in gold
        }
    )


def human_upper_bound(gold: Iterable[GoldImage], *, empty: Empty = "zero") -> SelectionSummary:
    """Score people against each other: leave-one-out, averaged within each image, then over images.

    An image with a single description has no score: there is nobody to compare with.
    """
    return summarise(
        {image.image: mean_score(leave_one_out(image.descriptions, empty=empty)) for image in gold}
    )


def summarise(scores: Mapping[str, SelectionScore]) -> SelectionSummary:
    """Return means and population standard deviations over the images with a defined score."""
    defined = [score for score in scores.values() if score.defined]
    return SelectionSummary(len(defined), mean_score(defined), _spread(defined), scores)


def mean_score(scores: Iterable[SelectionScore]) -> SelectionScore:
    """Return the mean of each measure over the defined scores; undefined where there are none."""
    defined = [score for score in scores if score.defined]
    if not defined:
        return UNDEFINED
    return SelectionScore(*(fmean(getattr(score, name) for score in defined) for name in MEASURES))


def _spread(defined: Sequence[SelectionScore]) -> SelectionScore:
    if not defined:
        return UNDEFINED
    return SelectionScore(*(pstdev(getattr(score, name) for score in defined) for name in MEASURES))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
