"""How well a group can be predicted from captions in which its words are masked, and from which words.

A caption is the set of its n-grams. A logistic regression is trained on the groups of four fifths of the
images and predicts the others, five times, so that every image is predicted by a classifier that has not seen
it. The decision for a caption is a sum over its n-grams, which can be divided among its words exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse import csr_array, hstack
from scipy.special import expit

from assess.measures.group_captions import GroupText
from assess.report.quantity import Quantity, by_key, defined
from assess.report.text import count, decimals, percent, signed

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Item = TypeVar("Item", bound=Hashable)

FOLDS = 5
FEWEST_CAPTIONS = 2  # that contain an n-gram; an n-gram of a single caption cannot help to predict others
_NEWTON_STEPS, _GRADIENTS = 50, 200
_TOLERANCE, _EXACT, _SHORTEST, _TINY = 1e-6, 1e-3, 1e-8, 1e-12
_STEEPEST = 50.0


# N-grams of captions, and the words that they consist of.


@dataclass(frozen=True, slots=True, eq=False)
class Ngrams:
    """The n-grams of captions, for classification and for dividing their weights among words."""

    captions: csr_array  # captions x n-grams: 1 if the caption contains the n-gram
    positions: csr_array  # words x n-grams: the fraction of its caption's n-gram that belongs to the word
    caption: Integers  # index of each word's caption
    word: Integers  # index of each word in the vocabulary
    kind: Integers  # index of each word's categories
    vocabulary: tuple[str, ...]
    kinds: tuple[tuple[str, ...], ...]  # the combinations of categories that words have
    parts: Integers  # n-grams x longest: the words of each, padded with -1

    def known(self, vocabulary: Collection[str]) -> Integers:
        """Return the n-grams whose words are all in a vocabulary."""
        inside = np.array([*(word in vocabulary for word in self.vocabulary), True])
        return np.flatnonzero(inside[self.parts].all(axis=1))


def ngrams(texts: Sequence[GroupText], *, longest: int) -> Ngrams:
    """Return all n-grams of up to `longest` words that occur in at least two captions."""
    vocabulary, word = _coded(one for text in texts for one in text.words)
    kinds, kind = _coded(one for text in texts for one in text.categories)
    caption = np.repeat(np.arange(len(texts)), [len(text.words) for text in texts])
    start, length, code = _occurrences(word, caption, longest, base=len(vocabulary) + 1)
    codes, ngram = np.unique(code, return_inverse=True)
    pairs, pair, times = np.unique(
        caption[start] * len(codes) + ngram, return_inverse=True, return_counts=True
    )
    owner, which = np.divmod(pairs, max(1, len(codes)))
    shared = np.bincount(which, minlength=len(codes)) >= FEWEST_CAPTIONS
    # Repetitions in a caption do not count again; they share the n-gram's weight equally, as do its words.
    weight = np.repeat(1 / (times[pair] * length), length)
    place = np.repeat(start, length) + _counted(length)
    return Ngrams(
        _cut(np.ones(len(pairs)), owner, which, len(texts), shared),
        _cut(weight, place, np.repeat(ngram, length), len(word), shared),
        caption,
        word,
        kind,
        vocabulary,
        kinds,
        _digits(codes[shared], longest, base=len(vocabulary) + 1),
    )


def _coded(items: Iterable[Item]) -> tuple[tuple[Item, ...], Integers]:
    """Return the distinct items in order of first use, and the index of each item among them."""
    places: dict[Item, int] = {}
    codes = [places.setdefault(item, len(places)) for item in items]
    return tuple(places), np.array(codes, dtype=np.int64)


def _occurrences(word: Integers, caption: Integers, longest: int, *, base: int) -> tuple[Integers, ...]:
    """Return the start of each n-gram in a caption, its length, and its words as digits of a number."""
    starts, lengths, codes = [], [], []
    code = np.zeros(len(word), dtype=np.int64)
    for length in range(1, longest + 1):
        last = np.arange(length - 1, len(word))
        first = last - length + 1
        code = code[: len(last)] * base + word[last] + 1
        inside = caption[first] == caption[last]
        starts.append(first[inside])
        codes.append(code[inside])
        lengths.append(np.full(int(inside.sum()), length))
    return np.concatenate(starts), np.concatenate(lengths), np.concatenate(codes)


def _digits(codes: Integers, longest: int, *, base: int) -> Integers:
    """Return the words of n-grams, padded with -1 up to the longest."""
    found = np.empty((len(codes), longest), dtype=np.int64)
    for place in range(longest):
        codes, found[:, place] = np.divmod(codes, base)
    return found - 1


def _counted(lengths: Integers) -> Integers:
    """Return 0, 1, ... up to each length, concatenated."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _cut(values: Floats, rows: Integers, columns: Integers, height: int, kept: Booleans) -> csr_array:
    """Return a sparse matrix with the selected columns."""
    inside = kept[columns]
    renumbered = np.cumsum(kept) - 1
    where = (rows[inside], renumbered[columns[inside]])
    return csr_array((values[inside], where), shape=(height, int(kept.sum())))


# The classifier.


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """A logistic regression: the log-odds of the first group are a sum over a caption's n-grams."""

    weights: Floats
    intercept: float

    def log_odds(self, captions: csr_array) -> Floats:
        """Return the log-odds of the first group for each caption."""
        found: Floats = captions @ self.weights + self.intercept
        return found


def fit(captions: csr_array, group: Floats, *, penalty: float) -> Classifier:
    """Fit a logistic regression with an L2 penalty; `group` is 1 or -1.

    It minimises sum log(1 + exp(-group * log-odds)) + penalty/2 * |weights|^2; the intercept is not
    penalised. This is scikit-learn's objective with C = 1/penalty. Newton's method with conjugate gradients
    only needs sparse products; a general optimiser spends most of its time on threads that wait for each
    other.
    """
    problem = _Problem(captions, group, penalty)
    point = np.zeros(captions.shape[1] + 1)
    value, gradient, curvature = problem.at(point)
    for _ in range(_NEWTON_STEPS):
        if np.abs(gradient).max() <= _TOLERANCE:
            break
        step = problem.solve(curvature, -gradient)
        slope = float((step * gradient).sum())
        length = 1.0
        while (found := problem.at(point + length * step))[0] > value + 1e-4 * length * slope:
            length /= 2
            if length < _SHORTEST:  # only rounding errors are left
                return Classifier(point[:-1], float(point[-1]))
        point = point + length * step
        value, gradient, curvature = found
    return Classifier(point[:-1], float(point[-1]))


class _Problem:
    """The objective of a logistic regression, with its gradient and curvature."""

    def __init__(self, captions: csr_array, group: Floats, penalty: float) -> None:
        self._captions = hstack([captions, np.ones((captions.shape[0], 1))], format="csr")
        self._turned = csr_array(self._captions.T)
        self._group = group
        self._penalties = np.full(self._captions.shape[1], penalty)
        self._penalties[-1] = 0.0

    def at(self, point: Floats) -> tuple[float, Floats, Floats]:
        """Return the value and the gradient at a point, and the curvature of each caption."""
        margins = self._group * (self._captions @ point)
        doubt = expit(-margins)
        value = np.logaddexp(0, -margins).sum() + (self._penalties * point * point).sum() / 2
        gradient = self._penalties * point - self._turned @ (self._group * doubt)
        return float(value), gradient, doubt * (1 - doubt)

    def solve(self, curvature: Floats, target: Floats) -> Floats:
        """Return the Newton step, by conjugate gradients with diagonal preconditioning."""
        scale = self._turned @ curvature + self._penalties + _TINY
        step, left = np.zeros_like(target), target.copy()
        scaled = left / scale
        direction, size = scaled, float((left * scaled).sum())
        goal = size * _EXACT
        for _ in range(_GRADIENTS):
            if size <= goal:
                break
            image = self._turned @ (curvature * (self._captions @ direction)) + self._penalties * direction
            length = size / float((direction * image).sum())
            step = step + length * direction
            left = left - length * image
            scaled = left / scale
            before, size = size, float((left * scaled).sum())
            direction = scaled + size / before * direction
        return step


# Balanced samples of images, and predictions by classifiers that have not seen the image.


@dataclass(frozen=True, slots=True, eq=False)
class BalancedDraw:
    """Equal numbers of images of both groups, each with the fold in which it is predicted."""

    images: Integers
    group: Floats  # 1 for the first group, -1 for the second
    fold: Integers

    def permuted(self, generator: np.random.Generator) -> BalancedDraw:
        """Return the same images with their groups shuffled; every fold stays balanced."""
        group = self.group.copy()
        for fold in range(FOLDS):
            inside = np.flatnonzero(self.fold == fold)
            group[inside] = generator.permutation(group[inside])
        return replace(self, group=group)


def balanced_draw(group: Floats, generator: np.random.Generator) -> BalancedDraw:
    """Draw equal numbers of images of both groups, and assign them to folds."""
    sides = [np.flatnonzero(group == value) for value in (1, -1)]
    # With folds of equal size, what both groups have in common cancels exactly in each.
    size = min(map(len, sides)) // FOLDS * FOLDS
    images = np.concatenate([generator.permutation(side)[:size] for side in sides])
    return BalancedDraw(images, group[images], np.tile(np.arange(size) % FOLDS, 2))


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Predictions for the images of a draw, each by a classifier that has not seen the image."""

    draw: BalancedDraw
    rows: Integers  # index of each image's caption
    log_odds: Floats  # for the image's own group
    classifiers: tuple[Classifier, ...]  # one for each fold, with weights of all n-grams

    def calibrated(self) -> Guesses:
        """Return calibrated predictions: each fold is scaled by the slope that fits the other folds best.

        A classifier with many rare n-grams is overconfident, especially with a rich vocabulary: with random
        groups, references would seem to leak more than systems.
        """
        log_odds = self.log_odds.copy()
        for fold in range(FOLDS):
            inside = self.draw.fold == fold
            log_odds[inside] *= _slope(self.log_odds[~inside])
        return replace(self, log_odds=log_odds)

    @property
    def right(self) -> Floats:
        """1 for correct predictions, 0 for incorrect ones, and a half if nothing was predicted."""
        found: Floats = (np.sign(self.log_odds) + 1) / 2
        return found

    @property
    def scores(self) -> Floats:
        """The confidence of correct predictions, otherwise 0 (Hirota et al. 2022)."""
        found: Floats = self.right * expit(np.abs(self.log_odds))
        return found

    def contributions(self, ngrams: Ngrams) -> tuple[Floats, Floats]:
        """Return what each word adds to the log-odds of its image's group, and of the first group.

        Words of captions that were not drawn add nothing. The intercept is omitted: over equal numbers of
        images of both groups, it adds nothing.
        """
        fold = np.full(ngrams.captions.shape[0], -1)
        sign = np.zeros(ngrams.captions.shape[0])
        fold[self.rows], sign[self.rows] = self.draw.fold, self.draw.group
        added = np.zeros(len(ngrams.caption))
        for number, classifier in enumerate(self.classifiers):
            inside = fold[ngrams.caption] == number
            added[inside] = (ngrams.positions @ classifier.weights)[inside]
        return added * sign[ngrams.caption], added


def guess_groups(
    ngrams: Ngrams, rows: Integers, draw: BalancedDraw, *, penalty: float, known: Integers | None = None
) -> Guesses:
    """Predict the group of each drawn image from its caption; if `known` is given, from these n-grams."""
    captions = ngrams.captions[rows]
    captions = captions if known is None else captions[:, known]
    log_odds = np.empty(len(rows))
    classifiers = []
    for fold in range(FOLDS):
        learnt, asked = np.flatnonzero(draw.fold != fold), np.flatnonzero(draw.fold == fold)
        classifier = fit(captions[learnt], draw.group[learnt], penalty=penalty)
        log_odds[asked] = classifier.log_odds(captions[asked]) * draw.group[asked]
        weights = classifier.weights
        if known is not None:
            weights = np.zeros(ngrams.captions.shape[1])
            weights[known] = classifier.weights
        classifiers.append(Classifier(weights, classifier.intercept))
    return Guesses(draw, rows, log_odds, tuple(classifiers))


def _slope(log_odds: Floats) -> float:
    """Return the non-negative factor that maximises the likelihood of the true groups' log-odds."""

    def rise(slope: float) -> float:
        return float((log_odds * expit(-slope * log_odds)).sum())

    if rise(0.0) <= 0:
        return 0.0
    return float(brentq(rise, 0.0, _STEEPEST)) if rise(_STEEPEST) < 0 else _STEEPEST


def balanced_draws(
    group: Floats, *, repeats: int, seed: int
) -> Iterator[tuple[BalancedDraw, np.random.Generator]]:
    """Yield balanced draws, each with its random generator."""
    for repeat in range(repeats):
        generator = np.random.default_rng([seed, repeat])
        yield balanced_draw(group, generator), generator


# Reported numbers of a system. To add one, add it to `QUANTITIES`.

LIC = "hirota2022quantifying"
_THREE, _SIGNED = decimals(3), signed(3)
_NO_REFERENCES = "no references"
_number = partial(by_key, table="leakage")
QUANTITIES: list[Quantity[Any]] = [
    _number("images", "images", count, "images of a balanced set"),
    _number(
        "score",
        "score",
        _THREE,
        "mean over images of 1[group predicted correctly] x confidence, by a classifier that was"
        " not trained on the image",
        LIC,
        highest=1,
    ),
    _number(
        "reference_score",
        "references",
        _THREE,
        "score of one reference per image, by the n-grams whose words the system uses",
        LIC,
        undefined=_NO_REFERENCES,
        highest=1,
    ),
    _number(
        "leakage",
        "leakage",
        _SIGNED,
        "score - reference_score",
        LIC,
        "lower",
        _NO_REFERENCES,
        chart="Leakage beyond the references",
        meaning="How much better the group can be predicted from the system's captions than from people's.",
    ),
    _number(
        "permuted",
        "permuted",
        _SIGNED,
        "leakage with permuted groups, mean over draws; its interval covers the leakage of"
        " another permutation",
        undefined=_NO_REFERENCES,
    ),
    _number("chance", "chance", _THREE, "score with permuted groups"),
    _number(
        "accuracy",
        "guessed right",
        percent,
        "share of images whose group is predicted correctly; 50% by chance",
        chart="Groups predicted correctly",
        meaning="Share of images whose group can be predicted from the rest of the caption; 50% by chance.",
        highest=1,
    ),
    _number(
        "reference_accuracy",
        "of references",
        percent,
        "the same for one reference per image",
        undefined=_NO_REFERENCES,
    ),
    _number(
        "log_odds",
        "log-odds",
        _THREE,
        "mean over images of the classifier's log-odds of the true group",
    ),
]


SHARE: Quantity[Any] = defined(
    "share",
    "log-odds that a word or category contributes to the true group / log_odds; the shares sum to 1",
    undefined="log_odds is not above 0: nothing leaks",
)
