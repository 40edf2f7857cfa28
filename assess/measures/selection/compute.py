"""Content selection: do systems mention the boxes that people mention? (Wang and Gaizauskas 2015)

Per image, precision and recall are averaged over its gold descriptions, and F comes from these two
means; the scores of a system are means over images. What an empty set counts for is a choice:
`zero` (the default, and the rule of our reference values) lets a ratio with nothing below the line
count 0; `skip` leaves an image with an empty selection, and an empty description, out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from assess.measures.intervals import RESAMPLES, Resampled, Triple, pair, resample, tally_statistic
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.metric import Counts, ratio
from assess.measures.selection.input import Box, GoldImage
from assess.measures.settings import Empty

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
    """Score a system's selections, paired by image id (`assess.measures.selection.input.pair_selections`)."""
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
    return SelectionSummary(len(defined), mean_score(defined), _of_each(pstdev, defined), scores)


def mean_score(scores: Iterable[SelectionScore]) -> SelectionScore:
    """Return the mean of each measure over the defined scores; undefined where there are none."""
    return _of_each(fmean, [score for score in scores if score.defined])


def _of_each(value: Callable[[list[float]], float], defined: Sequence[SelectionScore]) -> SelectionScore:
    if not defined:
        return UNDEFINED
    return SelectionScore(*(value([getattr(score, name) for score in defined]) for name in MEASURES))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# Content ordering: are the shared boxes mentioned in the order that people mention them in?


@dataclass(frozen=True, slots=True)
class OrderingScore:
    """Kendall's tau of mention order, averaged within images, then over the images that have one."""

    images: int  # with a defined tau
    tau: float
    taus: Mapping[str, float]  # of every image; nan where no description shares two boxes


def kendall_tau(first: Sequence[str], second: Sequence[str]) -> float:
    """Return Kendall's tau of two orders on the boxes that they share; `nan` with fewer than two.

    Boxes in an order are distinct, so there are no ties and all variants of tau agree.
    """
    place = {box: at for at, box in enumerate(second)}
    shared = [place[box] for box in first if box in place]
    pairs = list(combinations(shared, 2))
    if not pairs:
        return math.nan
    return fmean(1.0 if before < after else -1.0 for before, after in pairs)


def ordering_score(gold: Iterable[GoldImage], orders: Mapping[str, Sequence[str]]) -> OrderingScore:
    """Score the order of a system's mentions, paired by image id."""
    return _ordering(
        {image.image: [(orders[image.image], one) for one in image.descriptions] for image in gold}
    )


def human_ordering(gold: Iterable[GoldImage]) -> OrderingScore:
    """Score how alike people order their mentions: every two descriptions of an image."""
    return _ordering({image.image: list(combinations(image.descriptions, 2)) for image in gold})


def _ordering(pairs: Mapping[str, Iterable[tuple[Sequence[str], Sequence[str]]]]) -> OrderingScore:
    taus = {image: _mean(kendall_tau(*pair) for pair in found) for image, found in pairs.items()}
    return OrderingScore(sum(not math.isnan(tau) for tau in taus.values()), _mean(taus.values()), taus)


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the values that are defined."""
    defined = [value for value in values if not math.isnan(value)]
    return fmean(defined) if defined else math.nan


# Referring expressions: are boxes called what people call them, by the categories that a grammar finds?

PhraseCategories = Callable[[str], frozenset[str]]


def referring_summary(
    gold: Iterable[GoldImage], said: Mapping[str, Mapping[str, str]], categories: PhraseCategories
) -> SelectionSummary:
    """Score the categories of each phrase against those of the gold phrases for the same box.

    `said` has a system's phrases by image and box. Boxes of which no gold phrase has a category are left out.
    Scores are those of content selection, with the categories of phrases in place of the boxes of images.
    """
    scores = {}
    for image in gold:
        for box, phrase in said[image.image].items():
            golds = _gold_categories(image, box, categories)
            if any(golds):
                scores[f"{image.image}/{box}"] = selection_score(categories(phrase), golds)
    return summarise(scores)


def human_referring(gold: Iterable[GoldImage], categories: PhraseCategories) -> SelectionSummary:
    """Score people's phrases for a box against each other: leave-one-out, averaged within each box."""
    scores = {}
    for image in gold:
        for box in image.boxes:
            golds = _gold_categories(image, box.id, categories)
            if any(golds):
                scores[f"{image.image}/{box.id}"] = mean_score(leave_one_out(golds))
    return summarise(scores)


def _gold_categories(image: GoldImage, box: str, categories: PhraseCategories) -> list[frozenset[str]]:
    return [categories(phrases[box]) for phrases in image.phrases if box in phrases]


# Recall by category: which kinds of boxes people mention, and a system leaves out.

CategoriesOf = Callable[[Box], Iterable[str]]


@dataclass(frozen=True, slots=True)
class CategoryRecall:
    """How a system treats the boxes of one category. A mention is a box in one gold description."""

    category: str
    boxes: int
    mentioned_boxes: int  # in some gold description
    selected_boxes: int  # by the system
    mentions: int
    recalled: int  # mentions whose box the system selected

    @property
    def recall(self) -> float:
        """The share of gold mentions that the system makes; `nan` where people make none."""
        return self.recalled / self.mentions if self.mentions else math.nan


def source_categories(box: Box) -> tuple[str, ...]:
    """Return the categories that the box's source gave it, such as those of Flickr30k Entities."""
    return box.categories


def category_recall(
    gold: Iterable[GoldImage],
    selections: Mapping[str, Collection[str]],
    *,
    categories_of: CategoriesOf = source_categories,
) -> tuple[CategoryRecall, ...]:
    """Count boxes, mentions and selections by category, in alphabetical order.

    `categories_of` says which categories a box has: the source's own, or any function, such as a taxonomy's
    analysis of the box's concept.
    """
    counts: dict[str, Counter[str]] = {}
    for image in gold:
        chosen = set(selections[image.image])
        mentions = Counter(box for description in image.descriptions for box in set(description))
        for box in image.boxes:
            said, selected = mentions[box.id], box.id in chosen
            for category in set(categories_of(box)):
                counts.setdefault(category, Counter()).update(
                    boxes=1,
                    mentioned_boxes=said > 0,
                    selected_boxes=selected,
                    mentions=said,
                    recalled=said * selected,
                )
    return tuple(CategoryRecall(category, **counts[category]) for category in sorted(counts))


# Bootstrap intervals of content selection: resampled images, the same ones for every system.


def selection_intervals(
    systems: Mapping[str, SelectionSummary], *, resamples: int = RESAMPLES, seed: int = 1
) -> dict[str, Resampled]:
    """Resample each measure of several systems: precision, recall and f.

    Of a result, `interval(system)` is a system's mean with its interval, and
    `difference(first, second)` the paired difference. Images where a system has no defined score
    are left out of its mean.
    """
    paired = pair({name: _tallies(summary) for name, summary in systems.items()})

    def statistics(at: int) -> dict[str, Callable[[Counts], Counts]]:
        def mean(sums: Counts) -> Counts:
            means: Counts = ratio(sums[:, at], sums[:, 0])
            return means

        return {name: tally_statistic(tallies, mean) for name, tallies in paired.tallies.items()}

    return {
        measure: resample(len(paired.images), statistics(at), resamples=resamples, seed=seed)
        for at, measure in enumerate(MEASURES, start=1)
    }


def _tallies(summary: SelectionSummary) -> dict[str, Counts]:
    """Return (1, precision, recall, f) of each image: a mean is a sum over the sum of the ones."""
    return {
        image: np.array([1.0, score.precision, score.recall, score.f]) if score.defined else np.zeros(4)
        for image, score in summary.scores.items()
    }


# What is found, as it is saved.


class Scores(Model):
    """Precision, recall and F."""

    P: Number
    R: Number
    F: Number


class BaselineScores(Scores):
    """Means over images of a baseline that selects so many boxes, and their deviations."""

    sd: Scores


class Ordering(Model):
    """Kendall's tau of the order of mention."""

    tau: Number
    images: int


class CategorySelection(Model):
    """What a system does with the boxes of one category."""

    selected_boxes: int
    recalled: int
    recall: Number


class SelectionRow(Row):
    """How people select and order, or one system."""

    sd: Scores
    intervals: dict[str, Triple] = Field(default_factory=dict)  # by measure; none of few images
    ordering: Ordering


class SystemSelection(SelectionRow):
    """How one system selects and orders, and what it does with each category of boxes."""

    categories: dict[str, CategorySelection]
    never_selected: tuple[str, ...]


class Comparison(Model):
    """The first system's value of a measure minus the second's."""

    first: str
    second: str
    measure: str
    difference: Triple
    p: Number


class CategoryBoxes(Model):
    """The boxes of one category, and how often people mention them."""

    boxes: int
    mentioned_boxes: int  # in some description
    mentions: int


class BoxCategories(Model):
    """What people mention by category of boxes, and where the categories come from."""

    source: str  # a domain's name, or "the input's own"
    boxes: dict[str, CategoryBoxes]
    without_category: int  # boxes
    never_mentioned: tuple[str, ...]
    without_boxes: tuple[str, ...]  # categories of the taxonomy that no box has


class Referring(Scores):
    """How the categories of phrases agree with those of people's phrases for the same boxes."""

    boxes: int
    sd: Scores


class Sentences(Model):
    """The sentences of one baseline by image."""

    k: int
    captions: dict[str, str]
    marked: dict[str, str]  # the same, with the box behind each concept: "The [woman]2 by [car]3."


class ImageScores(Scores):
    """The scores of one image."""

    tau: Number


class SelectionResult(Result):
    """Content selection of systems, baselines and people on the same images."""

    measure: ClassVar[str] = "selection"

    images: int
    descriptions: int
    boxes: int
    development_images: int
    P: Number  # of the first system, as R, F and sd
    R: Number
    F: Number
    sd: Scores | None
    systems: dict[str, SystemSelection]
    comparisons: tuple[Comparison, ...]
    baselines: dict[str, dict[int, BaselineScores]]  # by k
    upper_bound: SelectionRow
    categories: BoxCategories | None
    referring: dict[str, Referring]  # by system, and people; empty without a domain, or without phrases
    sentences: dict[str, Sentences]
    notes: tuple[str, ...]
    shown: tuple[str, ...] = Field(default=("F",), exclude=True)  # measures whose baselines a terminal shows
    by_image: dict[str, dict[str, ImageScores]] = Field(default_factory=dict, exclude=True)

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with `--json`: all keys, also those without a value."""
        return self.model_dump()

    def urgent_notes(self) -> tuple[str, ...]:
        """Return all notes."""
        return self.notes

    @property
    def rows(self) -> dict[str, SelectionRow]:
        """The systems, and people against people."""
        return {**self.systems, self.people: self.upper_bound}

    @property
    def people(self) -> str:
        """The name of people, which no system has."""
        return "people" if "people" not in self.systems else "people (upper bound)"
