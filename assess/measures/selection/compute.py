"""Content selection: whether systems mention the boxes that people mention (Wang and Gaizauskas 2015).

For each image, precision and recall are averaged over its gold descriptions, and F is computed from these two
means; the scores of a system are means over images. The treatment of empty sets is configurable: with `zero`
(the default, and the rule behind our reference values), a ratio with an empty denominator is 0; with `skip`,
images with an empty selection and empty descriptions are skipped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from statistics import fmean, pstdev
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from assess.measures.intervals import RESAMPLES, Resampled, pair, resample, tally_statistic
from assess.measures.measure import Number
from assess.measures.metric import Counts, ratio
from assess.measures.selection.input import Box, GoldImage
from assess.measures.settings import Empty
from assess.report.quantity import Quantity, defined
from assess.report.text import count, decimals

MEASURES = ("P", "R", "F")


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and F."""

    P: Number
    R: Number
    F: Number

    @property
    def defined(self) -> bool:
        """Whether the score is a number; it is not if `skip` leaves nothing to compare."""
        return not math.isnan(self.F)


UNDEFINED = Scores(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class SelectionSummary:
    """Scores over images: means and standard deviations (population), and each image's own score."""

    images: int  # images with a defined score
    mean: Scores
    sd: Scores
    scores: Mapping[str, Scores]  # of every image, including undefined scores


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F of precision and recall; 0 if both are 0, since nothing was correct."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def selection_score(
    selected: Collection[str], descriptions: Sequence[Collection[str]], *, empty: Empty = "zero"
) -> Scores:
    """Score one image's selection against its gold descriptions."""
    chosen = set(selected)
    golds = [set(description) for description in descriptions if description or empty == "zero"]
    if not golds or (empty == "skip" and not chosen):
        return UNDEFINED
    shared = [len(chosen & gold) for gold in golds]
    precision = fmean([_share(common, len(chosen)) for common in shared])
    recall = fmean([_share(common, len(gold)) for common, gold in zip(shared, golds, strict=True)])
    return Scores(precision, recall, harmonic_mean(precision, recall))


def leave_one_out(descriptions: Sequence[Collection[str]], *, empty: Empty = "zero") -> tuple[Scores, ...]:
    """Score each description of an image against the others; undefined if there are no others."""
    return tuple(
        selection_score(description, [*descriptions[:at], *descriptions[at + 1 :]], empty=empty)
        for at, description in enumerate(descriptions)
    )


def evaluate_selections(
    gold: Iterable[GoldImage], selections: Mapping[str, Collection[str]], *, empty: Empty = "zero"
) -> SelectionSummary:
    """Score a system's selections, paired by image id (see `input.pair_selections`)."""
    return summarise(
        {
            image.image: selection_score(selections[image.image], image.descriptions, empty=empty)
            for image in gold
        }
    )


def human_upper_bound(gold: Iterable[GoldImage], *, empty: Empty = "zero") -> SelectionSummary:
    """Score people against each other: leave-one-out, averaged within each image, then over images.

    An image with a single description has no score, because there is nothing to compare it with.
    """
    return summarise(
        {image.image: mean_score(leave_one_out(image.descriptions, empty=empty)) for image in gold}
    )


def summarise(scores: Mapping[str, Scores]) -> SelectionSummary:
    """Return means and population standard deviations over the images with a defined score."""
    defined = [score for score in scores.values() if score.defined]
    return SelectionSummary(len(defined), mean_score(defined), _of_each(pstdev, defined), scores)


def mean_score(scores: Iterable[Scores]) -> Scores:
    """Return the mean of each measure over the defined scores; undefined if there are none."""
    return _of_each(fmean, [score for score in scores if score.defined])


def _of_each(value: Callable[[list[float]], float], defined: Sequence[Scores]) -> Scores:
    if not defined:
        return UNDEFINED
    return Scores(*(value([getattr(score, name) for score in defined]) for name in MEASURES))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# Content ordering: whether the shared boxes are mentioned in the same order as by people.


@dataclass(frozen=True, slots=True)
class Ordering:
    """Kendall's tau of the order of mention, averaged within images, then over images that have one."""

    tau: Number
    images: int  # images with a defined tau
    # Of every image; nan if no description shares two boxes.
    taus: Annotated[Mapping[str, float], Field(exclude=True)] = field(default_factory=dict)


def kendall_tau(first: Sequence[str], second: Sequence[str]) -> float:
    """Return Kendall's tau of two orders over the boxes that they share; `nan` with fewer than two.

    Boxes in an order are distinct, so there are no ties and all variants of tau agree.
    """
    place = {box: at for at, box in enumerate(second)}
    shared = [place[box] for box in first if box in place]
    pairs = list(combinations(shared, 2))
    if not pairs:
        return math.nan
    return fmean(1.0 if before < after else -1.0 for before, after in pairs)


def ordering_score(gold: Iterable[GoldImage], orders: Mapping[str, Sequence[str]]) -> Ordering:
    """Score the order of a system's mentions, paired by image id."""
    return _ordering(
        {image.image: [(orders[image.image], one) for one in image.descriptions] for image in gold}
    )


def human_ordering(gold: Iterable[GoldImage]) -> Ordering:
    """Score how similarly people order their mentions, over all pairs of an image's descriptions."""
    return _ordering({image.image: list(combinations(image.descriptions, 2)) for image in gold})


def _ordering(pairs: Mapping[str, Iterable[tuple[Sequence[str], Sequence[str]]]]) -> Ordering:
    taus = {image: _mean(kendall_tau(*pair) for pair in found) for image, found in pairs.items()}
    return Ordering(_mean(taus.values()), sum(not math.isnan(tau) for tau in taus.values()), taus)


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the defined values."""
    defined = [value for value in values if not math.isnan(value)]
    return fmean(defined) if defined else math.nan


# Referring expressions: whether boxes are described with the same categories of a grammar as people use.

PhraseCategories = Callable[[str], frozenset[str]]


def referring_summary(
    gold: Iterable[GoldImage], said: Mapping[str, Mapping[str, str]], categories: PhraseCategories
) -> SelectionSummary:
    """Score the categories of each phrase against those of the gold phrases for the same box.

    `said` has a system's phrases by image and box. Boxes without a category in any gold phrase are skipped.
    Scores are those of content selection, with categories of phrases instead of boxes of images.
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


# Recall by category: which kinds of boxes people mention and a system omits.

CategoriesOf = Callable[[Box], Iterable[str]]


@dataclass(frozen=True, slots=True)
class CategoryRecall:
    """How a system treats the boxes of one category. A mention is a box in one gold description."""

    category: str
    boxes: int
    mentioned_boxes: int  # in any gold description
    selected_boxes: int  # by the system
    mentions: int
    recalled: int  # mentions whose box the system selected

    @property
    def recall(self) -> float:
        """The share of gold mentions that the system makes; `nan` if people make none."""
        return self.recalled / self.mentions if self.mentions else math.nan


def source_categories(box: Box) -> tuple[str, ...]:
    """Return the categories that the box has in its source, such as those of Flickr30k Entities."""
    return box.categories


def category_recall(
    gold: Iterable[GoldImage],
    selections: Mapping[str, Collection[str]],
    *,
    categories_of: CategoriesOf = source_categories,
) -> tuple[CategoryRecall, ...]:
    """Count boxes, mentions and selections by category, in alphabetical order.

    `categories_of` returns the categories of a box: those of the source, or of any function, such as a
    taxonomy's analysis of the box's concept.
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


# Bootstrap intervals of content selection over images, with the same resamples for all systems.


def selection_intervals(
    systems: Mapping[str, SelectionSummary], *, resamples: int = RESAMPLES, seed: int = 1
) -> dict[str, Resampled]:
    """Resample each measure (P, R and F) of several systems.

    In a result, `interval(system)` is a system's mean with its interval, and `difference(first, second)` the
    paired difference. Images for which a system has no defined score do not count in its mean.
    """
    paired = pair({name: _tallies(summary) for name, summary in systems.items()})
    return {
        measure: resample(
            paired.images,
            {
                name: tally_statistic(tallies, partial(_mean_at, at))
                for name, tallies in paired.tallies.items()
            },
            resamples=resamples,
            seed=seed,
        )
        for at, measure in enumerate(MEASURES, start=1)
    }


def _mean_at(at: int, sums: Counts) -> Counts:
    return np.asarray(ratio(sums[:, at], sums[:, 0]))


def _tallies(summary: SelectionSummary) -> dict[str, Counts]:
    """Return (1, P, R, F) of each image: a mean is a sum divided by the sum of the ones."""
    return {
        image: np.array([1.0, score.P, score.R, score.F]) if score.defined else np.zeros(4)
        for image, score in summary.scores.items()
    }


# Reported numbers.

_PAPER = "wang2015generating"
_SCORE = decimals(3)

_EMPTY = "no image; with --empty skip also an empty "
_PRECISION = "mean over images of the mean over descriptions of right boxes / selected boxes"
_RECALL = "the same with right boxes / mentioned boxes"
_score = partial(Quantity, form=_SCORE, reference=_PAPER, direction="higher", highest=1)
QUANTITIES: list[Quantity[SelectionSummary]] = [
    Quantity("images", "images", lambda found: found.images, count, "images with a defined score"),
    _score("P", "P", lambda found: found.mean.P, formula=_PRECISION, undefined=f"{_EMPTY}selection"),
    _score("R", "R", lambda found: found.mean.R, formula=_RECALL, undefined=f"{_EMPTY}description"),
    _score(
        "F",
        "F",
        lambda found: found.mean.F,
        formula="mean over images of 2PR / (P + R), of the image's means; 0 where both are 0",
        undefined="as P",
        chart="F score",
        meaning="For the selected boxes, against each description.",
    ),
]
SCORES = {quantity.key: quantity for quantity in QUANTITIES if quantity.key in MEASURES}
DESCRIBED: list[Quantity[Any]] = [
    defined("sd", "population standard deviation over images", _PAPER, undefined="as P"),
    defined(
        "upper_bound",
        "each description against the others of its image; mean within images, then over them",
        _PAPER,
        undefined="no image with several descriptions",
    ),
    defined(
        "referring",
        "P, R and F of the categories of a phrase against those of people's phrases for the same"
        " box; mean over boxes; for people, each phrase against the others",
        _PAPER,
        "higher",
        "no phrase for a box that people describe with words of the domain",
    ),
    defined(
        "tau",
        "Kendall's tau of the order of mention, on the boxes that both mention; mean as above",
        "kendall1938new",
        "higher",
        "fewer than two shared boxes in every image",
    ),
]
