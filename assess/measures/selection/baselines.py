"""Baselines of content selection: each ranks an image's boxes, of which the first k are selected.

From Wang and Gaizauskas (2015); position is the distance of centroids, as in the errata. Boxes with equal
ranks are ordered at random (seeded): their order in the file often follows the gold descriptions and would
reveal the answer.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from statistics import fmean
from typing import NamedTuple

from assess.errors import InputError, UsageError, visible
from assess.measures.measure import Model
from assess.measures.selection.compute import SelectionSummary, evaluate_selections, mean_score, summarise
from assess.measures.selection.input import Box, GoldImage
from assess.measures.settings import Empty, SelectionSettings

# How often the descriptions of a development set mention concepts, and in which order.

START = ""  # stands before the first mention; no concept is empty


@dataclass(frozen=True, slots=True)
class TextPriors:
    """How often a concept is mentioned, directly follows another one, or shares a description with it."""

    unigrams: Mapping[str, int] = field(default_factory=dict)
    bigrams: Mapping[tuple[str, str], int] = field(default_factory=dict)
    together: Mapping[tuple[str, str], int] = field(default_factory=dict)


def text_priors(development: Iterable[GoldImage]) -> TextPriors:
    """Count concepts, and pairs of concepts, in the gold descriptions of a development set."""
    unigrams: Counter[str] = Counter()
    bigrams: Counter[tuple[str, str]] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for image in development:
        concepts = {box.id: box.concept for box in image.boxes}
        for description in image.descriptions:
            sequence = [concepts[box] for box in description]
            unigrams.update(sequence)
            bigrams.update(zip([START, *sequence], sequence, strict=False))
            together.update(permutations(sequence, 2))
    return TextPriors(unigrams, bigrams, together)


MOST_BOXES = 15  # the largest k in the paper's curves

Ranks = dict[str, float]  # box id -> rank; smaller ranks are selected first
Curves = dict[str, dict[int, SelectionSummary]]  # baseline -> k -> scores


@dataclass(frozen=True, slots=True)
class Scene:
    """An image as a baseline sees it: its boxes, the statistics of texts, and a seeded random order."""

    image: GoldImage
    priors: TextPriors
    chance: Mapping[str, int]

    def ordered(self, ranks: Ranks) -> tuple[str, ...]:
        """Return ranked box ids, best first; ties are in random order."""
        return tuple(sorted(ranks, key=lambda box: (ranks[box], self.chance[box])))


def scene(image: GoldImage, priors: TextPriors, *, seed: int = 0) -> Scene:
    """Return an image for the baselines. Its random order depends only on the seed and the image id."""
    boxes = sorted(box.id for box in image.boxes)
    generator = random.Random(f"{seed}/{image.image}")  # noqa: S311 - a baseline, not a secret
    generator.shuffle(boxes)
    return Scene(image, priors, {box: place for place, box in enumerate(boxes)})


def random_ranks(found: Scene) -> Ranks:
    """Rank at random."""
    return _ranked(found, lambda box: found.chance[box.id])


def position_ranks(found: Scene) -> Ranks:
    """Rank by the distance between a box's centroid and the image's centre, nearest first.

    If the image's size is unknown, the smallest image that contains all boxes is used.
    """
    width, height = _image_size(found.image)
    return _ranked(found, lambda box: _distance(_geometry(found.image, box), width / 2, height / 2))


def size_ranks(found: Scene) -> Ranks:
    """Rank by area, largest first."""
    return _ranked(found, lambda box: -_area(_geometry(found.image, box)))


def unigram_ranks(found: Scene) -> Ranks:
    """Rank by how often the development set mentions the box's concept."""
    return _ranked(found, lambda box: -found.priors.unigrams.get(box.concept, 0))


def bigram_ranks(found: Scene) -> Ranks:
    """Rank by a walk that always goes to the concept that most often follows the previous one."""

    def follows(walked: Sequence[Box], box: Box) -> float:
        return found.priors.bigrams.get((walked[-1].concept if walked else START, box.concept), 0)

    return _walk(found, follows)


def cooccurrence_ranks(found: Scene) -> Ranks:
    """Rank by a walk to the concept that most often shares descriptions with the concepts visited so far.

    It starts with the most frequent concept. The criterion is the share of descriptions with a visited
    concept that also contain the next one, summed over the visited concepts.
    """
    priors = found.priors

    def company(walked: Sequence[Box], box: Box) -> float:
        if not walked:
            return priors.unigrams.get(box.concept, 0)
        pairs = ((seen.concept, priors.together.get((seen.concept, box.concept), 0)) for seen in walked)
        return sum(joint / priors.unigrams[concept] for concept, joint in pairs if joint)

    return _walk(found, company)


def spatial_ranks(found: Scene) -> Ranks:
    """Rank by a walk from the largest box to the box whose centroid is nearest to any visited one."""
    shapes = {box.id: _geometry(found.image, box) for box in found.image.boxes}
    middles = {box: (x + width / 2, y + height / 2) for box, (x, y, width, height) in shapes.items()}

    def nearness(walked: Sequence[Box], box: Box) -> float:
        if not walked:
            return 1 + _area(shapes[box.id])  # every box can be reached
        return 1 / (1 + min(math.dist(middles[seen.id], middles[box.id]) for seen in walked))

    return _walk(found, nearness)


def _walk(found: Scene, attraction: Callable[[Sequence[Box], Box], float]) -> Ranks:
    """Rank by a greedy walk to the most attractive box, given the boxes visited so far.

    It stops if nothing that is left attracts; boxes that were not visited have no rank.
    """
    left, walked = list(found.image.boxes), list[Box]()
    while left:
        attracted = {box.id: attraction(walked, box) for box in left}
        best = min(left, key=lambda box: (-attracted[box.id], found.chance[box.id]))
        if not attracted[best.id]:
            break
        walked.append(best)
        left.remove(best)
    return {box.id: float(place) for place, box in enumerate(walked, start=1)}


def averaged_ranks(*rankings: Callable[[Scene], Ranks]) -> Callable[[Scene], Ranks]:
    """Return a baseline with the mean of several ranks; unranked boxes share the mean remaining rank."""

    def ranks(found: Scene) -> Ranks:
        parts = [_completed(found, ranking(found)) for ranking in rankings]
        return {box.id: sum(part[box.id] for part in parts) / len(parts) for box in found.image.boxes}

    return ranks


BASELINES: Mapping[str, Callable[[Scene], Ranks]] = {
    "random": random_ranks,
    "position": position_ranks,
    "size": size_ranks,
    "spatial": spatial_ranks,
    "unigram": unigram_ranks,
    "bigram": bigram_ranks,
    "cooccurrence": cooccurrence_ranks,
    "unigram+position": averaged_ranks(unigram_ranks, position_ranks),
    "unigram+size": averaged_ranks(unigram_ranks, size_ranks),
    "bigram+position": averaged_ranks(bigram_ranks, position_ranks),
    "bigram+size": averaged_ranks(bigram_ranks, size_ranks),
}


def baseline_orders(
    gold: Iterable[GoldImage], priors: TextPriors, *, baseline: str, seed: int = 0
) -> dict[str, tuple[str, ...]]:
    """Return each image's boxes in a baseline's order; the bigram walk may omit boxes."""
    orders = {}
    for image in gold:
        found = scene(image, priors, seed=seed)
        orders[image.image] = found.ordered(BASELINES[baseline](found))
    return orders


def baseline_curves(
    gold: Sequence[GoldImage],
    priors: TextPriors,
    *,
    seed: int = 0,
    most: int = MOST_BOXES,
    baselines: Iterable[str] = tuple(BASELINES),
    empty: Empty = "zero",
) -> Curves:
    """Score baselines for k = 1 to `most`. If an image has fewer than k boxes, all are selected."""
    curves = {}
    for name in baselines:
        orders = baseline_orders(gold, priors, baseline=name, seed=seed)
        curves[name] = {k: _at(gold, orders, k, empty) for k in range(1, most + 1)}
    return curves


def expected_random_curve(
    gold: Sequence[GoldImage],
    *,
    draws: int = 20,
    seed: int = 0,
    most: int = MOST_BOXES,
    empty: Empty = "zero",
) -> dict[int, SelectionSummary]:
    """Score the random baseline as the mean over several draws, which reduces the influence of chance.

    With a single draw, differences to random are unreliable if few images have more than k boxes. The
    deviation is that of a single draw over images, as in the paper (the mean over all draws): a deviation
    over means of draws would be smaller and not comparable with that of other baselines.
    """
    orders = [
        baseline_orders(gold, TextPriors(), baseline="random", seed=seed + draw) for draw in range(draws)
    ]
    curve = {}
    for k in range(1, most + 1):
        drawn = [_at(gold, order, k, empty) for order in orders]
        means = summarise(
            {image.image: mean_score(one.scores[image.image] for one in drawn) for image in gold}
        )
        curve[k] = replace(means, sd=mean_score(one.sd for one in drawn))
    return curve


def _at(
    gold: Sequence[GoldImage], orders: Mapping[str, tuple[str, ...]], k: int, empty: Empty
) -> SelectionSummary:
    return evaluate_selections(gold, {image: order[:k] for image, order in orders.items()}, empty=empty)


def _ranked(found: Scene, key: Callable[[Box], float]) -> Ranks:
    """Rank boxes from 1 by a key, smallest first; boxes with equal keys share their mean rank."""
    keys = {box.id: key(box) for box in found.image.boxes}
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(keys.values()), start=1):
        places.setdefault(value, []).append(place)
    return {box: sum(places[value]) / len(places[value]) for box, value in keys.items()}


def _completed(found: Scene, ranks: Ranks) -> Ranks:
    """Give every unranked box the mean of the remaining ranks."""
    boxes, first = len(found.image.boxes), len(ranks) + 1
    return {box.id: ranks.get(box.id, (first + boxes) / 2) for box in found.image.boxes}


def _geometry(image: GoldImage, box: Box) -> tuple[float, float, float, float]:
    if box.geometry is None:
        message = f"box {box.id} of image {image.image} has no coordinates"
        hint = (
            "the position and size baselines need them: choose other baselines, or give x, y, width, height"
        )
        raise InputError(message, place=image.place, hint=hint)
    return box.geometry


def _area(geometry: tuple[float, float, float, float]) -> float:
    return geometry[2] * geometry[3]


def _distance(geometry: tuple[float, float, float, float], x: float, y: float) -> float:
    return math.hypot(geometry[0] + geometry[2] / 2 - x, geometry[1] + geometry[3] / 2 - y)


def _image_size(image: GoldImage) -> tuple[float, float]:
    shapes = [_geometry(image, box) for box in image.boxes]
    width = image.width or max((shape[0] + shape[2] for shape in shapes), default=0.0)
    height = image.height or max((shape[1] + shape[3] for shape in shapes), default=0.0)
    return width, height


# Which baselines are possible with an input, and their curves.

_VISUAL = frozenset({"position", "size", "spatial"})
_TEXTUAL = frozenset({"unigram", "bigram", "cooccurrence"})


@dataclass(frozen=True, slots=True)
class Ground:
    """The data for baselines: the gold images, and a development set without images of the gold set."""

    gold: Sequence[GoldImage]
    development: Sequence[GoldImage]

    @property
    def priors(self) -> TextPriors:
        """Statistics of concepts in the development set."""
        return text_priors(self.development)


def chosen_baselines(ground: Ground, wanted: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the baselines to run, and notes on what the input lacks for others."""
    if wanted is None:
        names, notes = _allowed(ground)
    else:
        for name in wanted:
            check_baseline(name, ground)
        names, notes = tuple(name for name in BASELINES if name in wanted), ()
    unknown = sum(not (image.width and image.height) for image in ground.gold)
    if unknown and any("position" in _parts(name) for name in names):
        told = (
            f"Images without a size: {unknown} of {len(ground.gold)}. For positions, the bounding box"
            " of all boxes replaces the image."
        )
        notes = (*notes, told)
    return names, notes


def check_baseline(name: str, ground: Ground) -> None:
    """Raise `UsageError` if there is no such baseline, or if it needs a development set."""
    if name not in BASELINES:
        message = f"there is no baseline '{visible(name)}'"
        raise UsageError(message, hint=f"the baselines are {', '.join(BASELINES)}")
    if _parts(name) & _TEXTUAL and not ground.development:
        message = f"the baseline {name} needs the mentions of a development set"
        raise UsageError(message, hint="give other gold descriptions with --development FILE")


def _allowed(ground: Ground) -> tuple[tuple[str, ...], tuple[str, ...]]:
    shapes = any(box.geometry is not None for image in ground.gold for box in image.boxes)
    notes = []
    if not shapes:
        notes.append("No box has coordinates, so there are no baselines by position and size.")
    if not ground.development:
        notes.append("Without --development FILE there are no baselines by unigram and bigram.")
    if not shapes and not ground.development:
        # What is left is a random choice among the boxes that people mention, which no system could make.
        return (), tuple(notes)
    missing = (frozenset() if shapes else _VISUAL) | (frozenset() if ground.development else _TEXTUAL)
    return tuple(name for name in BASELINES if not _parts(name) & missing), tuple(notes)


def _parts(name: str) -> frozenset[str]:
    return frozenset(name.split("+"))


def baseline_scores(ground: Ground, names: Sequence[str], settings: SelectionSettings) -> Curves:
    """Score baselines for each k; the random baseline is the mean over several draws."""
    sure = [name for name in names if name != "random"]
    gold, seed, most, empty = ground.gold, settings.seed, settings.most, settings.empty
    curves = baseline_curves(gold, ground.priors, baselines=sure, seed=seed, most=most, empty=empty)
    if "random" in names:
        chance = expected_random_curve(gold, draws=settings.draws, seed=seed, most=most, empty=empty)
        curves = {**curves, "random": chance}
    return {name: curves[name] for name in names}


# Sentences from selected boxes: concepts joined by function words (Wang and Gaizauskas 2015, section 4.3).
#
# Metrics that compare sentences cannot score a selection. They can score these sentences, which show how far
# the choice of content gets without any skill in expressing it.

FUNCTION_WORDS = ("among", "and", "by", "in", "near", "on", "underneath", "with")


class Sentences(Model):
    """The sentences of one baseline by image."""

    k: int
    captions: dict[str, str]
    marked: dict[str, str]  # the same, with the box of each concept: "The [woman]2 by [car]3."


class MadeSentence(NamedTuple):
    """A sentence as plain text, and with the box of each concept: `The [woman]2 by [car]3.`"""

    caption: str
    marked: str


def concept_term(concept: str) -> str:
    """Return a concept as words: `fire_engine.n.01` is "fire engine"."""
    head, dot, rest = concept.partition(".")
    return (head if dot and rest[:1].isalpha() else concept).replace("_", " ").strip()


def baseline_sentence(terms: Mapping[str, str], *, image: str, seed: int = 0) -> MadeSentence:
    """Return a sentence of terms by box, in order; function words and articles are chosen at random.

    The choice depends only on the seed and the image id. Without terms, the sentence is empty.
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
    """Return a sentence for each image from the first `most` boxes of an order."""
    sentences = {}
    for image in gold:
        concepts = {box.id: box.concept for box in image.boxes}
        terms = {box: concept_term(concepts[box]) for box in orders[image.image][:most]}
        sentences[image.image] = baseline_sentence(terms, image=image.image, seed=seed)
    return sentences


def generated_sentences(ground: Ground, baseline: str, most: int | None, seed: int) -> Sentences:
    """Generate the sentences of one baseline; by default with as many boxes as an average description."""
    check_baseline(baseline, ground)
    most = most or mean_mentions(ground.development or ground.gold)
    orders = baseline_orders(ground.gold, ground.priors, baseline=baseline, seed=seed)
    made = baseline_sentences(ground.gold, orders, most=most, seed=seed)
    return Sentences(
        k=most,
        captions={image: sentence.caption for image, sentence in made.items()},
        marked={image: sentence.marked for image, sentence in made.items()},
    )


def wanted_sentences(ground: Ground, settings: SelectionSettings) -> dict[str, Sentences]:
    """Generate all requested sentences; names of repeated baselines include the number of boxes."""
    found: dict[str, Sentences] = {}
    for name, most in settings.sentence_requests:
        made = generated_sentences(ground, name, most, settings.seed)
        found[f"{name}:{made.k}" if name in found else name] = made
    return found


def mean_mentions(images: Sequence[GoldImage]) -> int:
    """Return how many boxes a description mentions on average, rounded, and at least one."""
    return max(1, round(fmean(len(description) for image in images for description in image.descriptions)))
