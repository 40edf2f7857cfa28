"""Content selection: do systems mention the boxes that people mention? (Wang and Gaizauskas 2015)

Per image, precision and recall are averaged over its gold descriptions, and F comes from these two
means; the scores of a system are means over images. What an empty set counts for is a choice:
`zero` (the default, and the rule of our reference values) lets a ratio with nothing below the line
count 0; `skip` leaves an image with an empty selection, and an empty description, out.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev
from typing import NamedTuple

import numpy as np

from assess.measures.intervals import RESAMPLES, Paired, Resampled, pair, resample, tally_statistic
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
    taus = {image.image: _mean_tau(orders[image.image], image.descriptions) for image in gold}
    defined = [tau for tau in taus.values() if not math.isnan(tau)]
    return OrderingScore(len(defined), fmean(defined) if defined else math.nan, taus)


def _mean_tau(order: Sequence[str], descriptions: Iterable[Sequence[str]]) -> float:
    taus = [kendall_tau(order, description) for description in descriptions]
    defined = [tau for tau in taus if not math.isnan(tau)]
    return fmean(defined) if defined else math.nan


# Sentences from selected boxes: concepts joined by function words (Wang and Gaizauskas 2015, section 4.3).
#
# A selection alone cannot be scored by metrics that compare sentences. These sentences can, and show how
# far the choice of content gets without any skill in saying it.

FUNCTION_WORDS = ("among", "and", "by", "in", "near", "on", "underneath", "with")


class MadeSentence(NamedTuple):
    """A sentence as a reader sees it, and with the box behind each concept: `The [woman]2 by [car]3.`"""

    caption: str
    marked: str


def concept_term(concept: str) -> str:
    """Return a concept as words: `fire_engine.n.01` is "fire engine"."""
    head, dot, rest = concept.partition(".")
    return (head if dot and rest[:1].isalpha() else concept).replace("_", " ").strip()


def baseline_sentence(terms: Mapping[str, str], *, image: str, seed: int = 0) -> MadeSentence:
    """Return a sentence of terms by box, in order; chance chooses what joins them, and which have a "the".

    Chance depends on the seed and the image id alone. No terms give an empty sentence.
    """
    generator = random.Random(f"{seed}/{image}")  # noqa: S311 - a baseline, not a secret
    before: list[str] = []
    for at in range(len(terms)):
        joined = [generator.choice(FUNCTION_WORDS)] if at else []
        before.append("".join(f"{word} " for word in (*joined, *generator.choice((("the",), ())))))
    plain = (f"{words}{term}" for words, term in zip(before, terms.values(), strict=True))
    marked = (f"{words}[{term}]{box}" for words, (box, term) in zip(before, terms.items(), strict=True))
    return MadeSentence(_as_sentence(plain), _as_sentence(marked))


def _as_sentence(phrases: Iterable[str]) -> str:
    text = " ".join(phrases)
    first = 1 if text.startswith("[") else 0
    return f"{text[:first]}{text[first : first + 1].upper()}{text[first + 1 :]}." if text else ""


def baseline_sentences(
    gold: Iterable[GoldImage], orders: Mapping[str, Sequence[str]], *, most: int, seed: int = 0
) -> dict[str, MadeSentence]:
    """Return a sentence per image from the first `most` boxes of an order."""
    sentences = {}
    for image in gold:
        concepts = {box.id: box.concept for box in image.boxes}
        terms = {box: concept_term(concepts[box]) for box in orders[image.image][:most]}
        sentences[image.image] = baseline_sentence(terms, image=image.image, seed=seed)
    return sentences


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

    @property
    def never_mentioned(self) -> bool:
        """Whether people mention no box of the category."""
        return self.mentions == 0

    @property
    def never_selected(self) -> bool:
        """Whether the system selects no box of the category."""
        return self.selected_boxes == 0


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
            for category in sorted(set(categories_of(box))):
                counts.setdefault(category, Counter()).update(_counts(mentions[box.id], box.id in chosen))
    return tuple(
        CategoryRecall(category, **{name: counts[category][name] for name in _COUNTED})
        for category in sorted(counts)
    )


_COUNTED = ("boxes", "mentioned_boxes", "selected_boxes", "mentions", "recalled")


def _counts(mentions: int, selected: bool) -> dict[str, int]:
    values = (1, int(mentions > 0), int(selected), mentions, mentions if selected else 0)
    return dict(zip(_COUNTED, values, strict=True))


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
    return {
        measure: resample(len(paired.images), _statistics(paired, at), resamples=resamples, seed=seed)
        for at, measure in enumerate(MEASURES, start=1)
    }


def _tallies(summary: SelectionSummary) -> dict[str, Counts]:
    """Return (1, precision, recall, f) of each image: a mean is a sum over the sum of the ones."""
    return {
        image: np.array([1.0, score.precision, score.recall, score.f]) if score.defined else np.zeros(4)
        for image, score in summary.scores.items()
    }


def _statistics(paired: Paired, at: int) -> dict[str, Callable[[Counts], Counts]]:
    return {name: tally_statistic(tallies, _mean_of(at)) for name, tallies in paired.tallies.items()}


def _mean_of(at: int) -> Callable[[Counts], Counts]:
    def mean(sums: Counts) -> Counts:
        means: Counts = ratio(sums[:, at], sums[:, 0])
        return means

    return mean
