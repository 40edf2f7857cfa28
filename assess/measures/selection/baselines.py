"""Baselines of content selection: each puts an image's boxes in order; the first k are selected.

After Wang and Gaizauskas (2015); position is the distance of centroids, as in its errata. Boxes
that are alike to a baseline are ordered by chance (seeded): their order in the file often follows
the gold descriptions and would give the answer away.
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

# What the descriptions of a development set say about which concepts are mentioned, and in what order.

START = ""  # stands before the first mention; no concept is empty


@dataclass(frozen=True, slots=True)
class TextPriors:
    """How often a concept is mentioned, directly follows another one, or shares a description with it."""

    unigrams: Mapping[str, int] = field(default_factory=dict)
    bigrams: Mapping[tuple[str, str], int] = field(default_factory=dict)
    together: Mapping[tuple[str, str], int] = field(default_factory=dict)


def text_priors(development: Iterable[GoldImage]) -> TextPriors:
    """Count concepts, and pairs of them, in the gold descriptions of a development set."""
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


MOST_BOXES = 15  # the largest k of the paper's curves

Ranks = dict[str, float]  # of box ids; the smaller, the sooner selected
Curves = dict[str, dict[int, SelectionSummary]]  # by baseline, and by k


@dataclass(frozen=True, slots=True)
class Scene:
    """An image as a baseline sees it: its boxes, what is known from text, and a seeded order by chance."""

    image: GoldImage
    priors: TextPriors
    chance: Mapping[str, int]

    def ordered(self, ranks: Ranks) -> tuple[str, ...]:
        """Return ranked box ids, the best first; chance decides between equals."""
        return tuple(sorted(ranks, key=lambda box: (ranks[box], self.chance[box])))


def scene(image: GoldImage, priors: TextPriors, *, seed: int = 0) -> Scene:
    """Return an image for the baselines. Chance depends on the seed and the image id, on nothing else."""
    boxes = sorted(box.id for box in image.boxes)
    generator = random.Random(f"{seed}/{image.image}")  # noqa: S311 - a baseline, not a secret
    generator.shuffle(boxes)
    return Scene(image, priors, {box: place for place, box in enumerate(boxes)})


def random_ranks(found: Scene) -> Ranks:
    """Rank by chance."""
    return _ranked(found, lambda box: found.chance[box.id])


def position_ranks(found: Scene) -> Ranks:
    """Rank by how near a box's centroid is to the image's centre, the nearest first.

    Where the image's size is not known, the smallest image that holds all boxes stands in for it.
    """
    width, height = _image_size(found.image)
    return _ranked(found, lambda box: _distance(_geometry(found.image, box), width / 2, height / 2))


def size_ranks(found: Scene) -> Ranks:
    """Rank by area, the largest first."""
    return _ranked(found, lambda box: -_area(_geometry(found.image, box)))


def unigram_ranks(found: Scene) -> Ranks:
    """Rank by how often the development set mentions the box's concept."""
    return _ranked(found, lambda box: -found.priors.unigrams.get(box.concept, 0))


def bigram_ranks(found: Scene) -> Ranks:
    """Rank by a walk to the concept that most often follows the last one, from the start on."""

    def follows(walked: Sequence[Box], box: Box) -> float:
        return found.priors.bigrams.get((walked[-1].concept if walked else START, box.concept), 0)

    return _walk(found, follows)


def cooccurrence_ranks(found: Scene) -> Ranks:
    """Rank by a walk to the concept that descriptions most often join with those walked to so far.

    It begins with the concept that is mentioned most often. What counts is the share of descriptions with a
    concept walked to that have the next one too, added up over the concepts walked to.
    """
    priors = found.priors

    def company(walked: Sequence[Box], box: Box) -> float:
        if not walked:
            return priors.unigrams.get(box.concept, 0)
        pairs = ((seen.concept, priors.together.get((seen.concept, box.concept), 0)) for seen in walked)
        return sum(joint / priors.unigrams[concept] for concept, joint in pairs if joint)

    return _walk(found, company)


def spatial_ranks(found: Scene) -> Ranks:
    """Rank by a walk from the largest box to the one whose centroid is nearest to any walked to so far."""
    shapes = {box.id: _geometry(found.image, box) for box in found.image.boxes}
    middles = {box: (x + width / 2, y + height / 2) for box, (x, y, width, height) in shapes.items()}

    def nearness(walked: Sequence[Box], box: Box) -> float:
        if not walked:
            return 1 + _area(shapes[box.id])  # every box can be walked to
        return 1 / (1 + min(math.dist(middles[seen.id], middles[box.id]) for seen in walked))

    return _walk(found, nearness)


def _walk(found: Scene, attraction: Callable[[Sequence[Box], Box], float]) -> Ranks:
    """Rank by a greedy walk to the box that attracts most, given those walked to so far.

    It stops where nothing left attracts; boxes not walked to have no rank.
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
    """Return a baseline by the mean of several ranks; boxes that one leaves out share its mean rank left."""

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
    """Return each image's boxes in a baseline's order; the bigram walk may leave boxes out."""
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
    """Score baselines for k = 1 to `most`. An image with fewer than k boxes has all of them selected."""
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
    """Score the random baseline as the mean over several draws, which takes most chance out of it.

    With a single draw, a difference to random rests on luck where few images have more than k boxes. The
    deviation stays that of one draw over images, as the paper has it (the mean of all draws' deviations):
    over means of draws it would be smaller, and not compare with that of other baselines.
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
    """Rank boxes from 1 by a key, the smallest first; boxes with equal keys share their mean rank."""
    keys = {box.id: key(box) for box in found.image.boxes}
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(keys.values()), start=1):
        places.setdefault(value, []).append(place)
    return {box: sum(places[value]) / len(places[value]) for box, value in keys.items()}


def _completed(found: Scene, ranks: Ranks) -> Ranks:
    """Give every box without a rank the mean of the ranks that are left."""
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


# Which baselines an input allows, and their curves.

_VISUAL = frozenset({"position", "size", "spatial"})
_TEXTUAL = frozenset({"unigram", "bigram", "cooccurrence"})


@dataclass(frozen=True, slots=True)
class Ground:
    """What baselines stand on: the gold images, and a development set that shares none with them."""

    gold: Sequence[GoldImage]
    development: Sequence[GoldImage]

    @property
    def priors(self) -> TextPriors:
        """What the development set says about concepts."""
        return text_priors(self.development)


def chosen_baselines(ground: Ground, wanted: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the baselines to run, and notes on what the input lacks for them."""
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
    """Raise `UsageError` where there is no such baseline, or it lacks a development set."""
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
        # All that is left is chance over the boxes that people mention, which nobody could draw from.
        return (), tuple(notes)
    missing = (frozenset() if shapes else _VISUAL) | (frozenset() if ground.development else _TEXTUAL)
    return tuple(name for name in BASELINES if not _parts(name) & missing), tuple(notes)


def _parts(name: str) -> frozenset[str]:
    return frozenset(name.split("+"))


def baseline_scores(ground: Ground, names: Sequence[str], settings: SelectionSettings) -> Curves:
    """Score baselines for each k; the random one is the mean over several draws."""
    sure = [name for name in names if name != "random"]
    gold, seed, most, empty = ground.gold, settings.seed, settings.most, settings.empty
    curves = baseline_curves(gold, ground.priors, baselines=sure, seed=seed, most=most, empty=empty)
    if "random" in names:
        chance = expected_random_curve(gold, draws=settings.draws, seed=seed, most=most, empty=empty)
        curves = {**curves, "random": chance}
    return {name: curves[name] for name in names}


# Sentences from selected boxes: concepts joined by function words (Wang and Gaizauskas 2015, section 4.3).
#
# A selection alone cannot be scored by metrics that compare sentences. These sentences can, and show how
# far the choice of content gets without any skill in saying it.

FUNCTION_WORDS = ("among", "and", "by", "in", "near", "on", "underneath", "with")


class Sentences(Model):
    """The sentences of one baseline by image."""

    k: int
    captions: dict[str, str]
    marked: dict[str, str]  # the same, with the box behind each concept: "The [woman]2 by [car]3."


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


def generated_sentences(ground: Ground, baseline: str, most: int | None, seed: int) -> Sentences:
    """Make the sentences of one baseline; of as many boxes as a description mentions where none is told."""
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
    """Make all sentences that are wanted; where one baseline is wanted again, its name tells of how many."""
    found: dict[str, Sentences] = {}
    for name, most in settings.sentence_requests:
        made = generated_sentences(ground, name, most, settings.seed)
        found[f"{name}:{made.k}" if name in found else name] = made
    return found


def mean_mentions(images: Sequence[GoldImage]) -> int:
    """Return how many boxes a description mentions on average, rounded, and at least one."""
    return max(1, round(fmean(len(description) for image in images for description in image.descriptions)))
