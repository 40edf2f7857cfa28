"""Leakage in caption files: how well a group can be predicted from them, and from which words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from pydantic import Field
from scipy.stats import t

from assess.measures.group_captions import GroupedImages, GroupText, read_grouped
from assess.measures.group_settings import LeakageSettings
from assess.measures.intervals import Intervals, Statistic, Triple, column_bounds, resampled_values
from assess.measures.leakage import compute
from assess.measures.leakage.compute import FOLDS, QUANTITIES, Floats, Guesses, Integers, Ngrams, ngrams
from assess.measures.measure import Inputs, Model, Number, Result, Row
from assess.measures.metric import Counts, ratio
from assess.report.quantity import values_of

LEAST = 4 * FOLDS  # minimum number of images of each group, so that every fold has several
WORDS = 100  # words kept for each system
OTHER = "other"
"""The category of words outside the domain."""
_CAPTIONS, _MOST, _FEWEST = 50_000, 20, 5
_DIGITS = 6  # further digits differ between machines


class CategoryShare(Model):
    """How much one category of words contributes to the prediction."""

    category: str  # `modifier.age`, `masked`, `other`
    share: Number
    low: Number  # ends of the share's interval
    high: Number
    log_odds: Number
    reference_log_odds: Number | None


class WordShare(Model):
    """How much one word contributes to the prediction, including the n-grams that contain it."""

    word: str
    category: str
    toward: str  # the group that it indicates
    share: Number
    log_odds: Number


class SystemLeakage(Row):
    """The leakage of one system."""

    per_category: tuple[CategoryShare, ...]  # largest first; their shares sum to 1
    per_word: tuple[WordShare, ...]
    notes: tuple[str, ...] = ()


class LeakageResult(Result):
    """The leakage of all systems."""

    measure: ClassVar[str] = "leakage"

    group: str | None  # the domain's group whose words are masked
    contrast: tuple[str, str]
    repeats: int
    systems: dict[str, SystemLeakage]
    notes: tuple[str, ...]
    intervals: Intervals | None = None
    top: int = Field(LeakageSettings.top, exclude=True)  # number of words shown for each system


def run_leakage(inputs: Inputs, settings: LeakageSettings) -> LeakageResult:
    """Measure how well the groups of images can be predicted from captions."""
    images = read_grouped(inputs, settings, least=LEAST)
    group = np.array([1.0 if value == images.pair[0] else -1.0 for value in images.groups.values()])
    repeats = settings.repeats or _repeats(2 * int(min((group > 0).sum(), (group < 0).sum())))
    humans = _source(images, images.references, settings) if images.references else None
    told = {
        name: _measured(_source(images, captions, settings), humans, group, repeats, settings)
        for name, captions in images.systems.items()
    }
    own = {"mode": settings.mode, "ngrams": settings.ngrams, "penalty": settings.penalty}
    return LeakageResult(
        **images.described(inputs.model, settings, **own, repeats=repeats),
        repeats=repeats,
        systems={name: _row(one, images, settings) for name, one in told.items()},
        intervals=_intervals(told, images, settings),
        top=settings.top,
    )


def _repeats(drawn: int) -> int:
    """Return how many draws are needed to average out chance: fewer with many images."""
    return max(_FEWEST, min(_MOST, _CAPTIONS // max(1, drawn)))


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """The n-grams of a source's captions, and which captions each image has."""

    ngrams: Ngrams
    first: Integers  # first caption of each image, followed by the number of captions

    def chosen(self, images: Integers, generator: np.random.Generator) -> Integers:
        """Return one caption for each image."""
        counts = self.first[images + 1] - self.first[images]
        rows: Integers = self.first[images] + generator.integers(counts)
        return rows


def _source(
    images: GroupedImages, captions: Mapping[str, Sequence[GroupText]], settings: LeakageSettings
) -> _Source:
    texts = [captions[image] for image in images.groups]
    return _Source(
        ngrams([text for each in texts for text in each], longest=settings.ngrams),
        np.cumsum([0, *map(len, texts)]),
    )


# The sums from which all numbers are computed, with one row per image.

_SUMS = ("score", "chance", "accuracy", "reference_score", "reference_chance", "reference_accuracy")


class _Shares:
    """What the words of a source's captions add to the log-odds of their images' own groups."""

    def __init__(self, source: _Source, images: int, *, by_word: bool) -> None:
        self.source = source
        kinds, words = len(source.ngrams.kinds), len(source.ngrams.vocabulary)
        self.kinds = np.zeros((images, kinds))  # by image and kind of words
        self.words = np.zeros((kinds, words)) if by_word else None  # over all images
        self.toward = np.zeros((kinds, words)) if by_word else None  # the same for the first group

    def add(self, told: Guesses) -> None:
        """Add the contribution of each word in a draw."""
        grams = self.source.ngrams
        image = np.full(grams.captions.shape[0], -1)
        image[told.rows] = told.draw.images
        own, first = told.contributions(grams)
        drawn = np.flatnonzero(image[grams.caption] >= 0)
        np.add.at(self.kinds, (image[grams.caption[drawn]], grams.kind[drawn]), own[drawn])
        if self.words is not None and self.toward is not None:
            np.add.at(self.words, (grams.kind, grams.word), own)
            np.add.at(self.toward, (grams.kind, grams.word), first)


class _Sums:
    """Sums over the draws of a system's captions."""

    def __init__(self, source: _Source, humans: _Source | None, group: Floats) -> None:
        self._group = group
        self.times = np.zeros(len(group))  # how often each image was drawn
        self.sums = np.zeros((len(group), len(_SUMS)))
        self.system = _Shares(source, len(group), by_word=True)
        self.humans = _Shares(humans, len(group), by_word=False) if humans else None
        self.shuffled: list[tuple[float, float]] = []  # scores of system and references with shuffled groups

    def sides(self, sums: Counts) -> Counts:
        """Return sums and times of both groups side by side, one row per image, which can be added."""
        both = np.column_stack([sums, self.times])
        return np.concatenate([both * (self._group == value)[:, np.newaxis] for value in (1, -1)], axis=1)

    def means(self, sums: Counts) -> Counts:
        """Return the mean of each sum over all images."""
        return _means(self.sides(sums).sum(axis=0))


def _means(counts: Counts) -> Counts:
    """Return the mean of each sum, with equal weights for both groups."""
    width = counts.shape[-1] // 2
    first, second = counts[..., :width], counts[..., width:]
    means = [ratio(side[..., :-1], side[..., -1:]) for side in (first, second)]
    return np.asarray((means[0] + means[1]) / 2)


def _measured(
    source: _Source, humans: _Source | None, group: Floats, repeats: int, settings: LeakageSettings
) -> _Sums:
    found = _Sums(source, humans, group)
    known = humans.ngrams.known(set(source.ngrams.vocabulary)) if humans else None
    for draw, generator in compute.balanced_draws(group, repeats=repeats, seed=settings.seed):
        found.times[draw.images] += 1
        shuffled = draw.permuted(generator)
        scores = []
        # The references come first, so that all systems are compared with the same predictions.
        sources = [(3, found.humans)] if found.humans else []
        chosen = [
            (*one, one[1].source.chosen(draw.images, generator)) for one in (*sources, (0, found.system))
        ]
        for place, shares, rows in reversed(chosen):
            telling = partial(
                compute.guess_groups,
                shares.source.ngrams,
                rows,
                penalty=settings.penalty,
                known=known if place else None,
            )
            true, chance = telling(draw), telling(shuffled)
            shares.add(true)
            if settings.mode == "assess":
                true, chance = true.calibrated(), chance.calibrated()
            for further, sums in enumerate((true.scores, chance.scores, true.right)):
                found.sums[draw.images, place + further] += sums
            scores.append(float(chance.scores.mean()))
        found.shuffled.append((scores[0], scores[-1]))
    return found


def _row(found: _Sums, images: GroupedImages, settings: LeakageSettings) -> SystemLeakage:
    kinds = found.means(found.system.kinds)
    numbers = dict(zip(_SUMS, map(_rounded, found.means(found.sums)), strict=True))
    if found.humans:
        numbers["leakage"] = numbers["score"] - numbers["reference_score"]
        numbers["permuted"] = numbers["chance"] - numbers["reference_chance"]
    else:  # nothing to sum
        numbers = {name: number for name, number in numbers.items() if not name.startswith("reference_")}
    numbers["images"] = 2 * (min(map(images.images_of, images.pair)) // FOLDS * FOLDS)
    numbers["log_odds"] = _rounded(kinds.sum())
    nothing = "the group cannot be predicted from the words, so there are no shares"
    return SystemLeakage(
        per_category=_categories(found, kinds, settings),
        per_word=tuple(_words(found.system, found.times.sum(), kinds.sum(), images.pair)),
        notes=() if numbers["log_odds"] > 0 else (nothing,),
        **values_of(QUANTITIES, numbers),
    )


def _rounded(value: float) -> float:
    return round(float(value), _DIGITS)


def _named(kinds: Sequence[tuple[str, ...]]) -> tuple[list[str], Counts]:
    """Return all categories, and how each kind of words is divided among them."""
    names = sorted({name for kind in kinds for name in kind} | {OTHER})
    shares = np.zeros((len(kinds), len(names)))
    for row, kind in enumerate(kinds):
        for name in kind or (OTHER,):
            shares[row, names.index(name)] = 1 / max(1, len(kind))
    return names, shares


def _categories(found: _Sums, kinds: Counts, settings: LeakageSettings) -> tuple[CategoryShare, ...]:
    names, shares = _named(found.system.source.ngrams.kinds)
    odds = kinds @ shares
    human: dict[str, float] = {}
    if found.humans is not None:
        others, parts = _named(found.humans.source.ngrams.kinds)
        human = dict(zip(others, found.means(found.humans.kinds @ parts).tolist(), strict=True))
    bounds = _share_bounds(found.sides(found.system.kinds @ shares), settings)
    rows = [
        CategoryShare(
            category=name,
            share=_share(value, odds.sum()),
            low=_rounded(low),
            high=_rounded(high),
            log_odds=_rounded(value),
            reference_log_odds=_rounded(human.get(name, 0.0)) if human else None,
        )
        for name, value, (low, high) in zip(names, odds.tolist(), bounds, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.log_odds, row.category)))


def _share(part: float, whole: float) -> float:
    return _rounded(part / whole) if whole > 0 else float("nan")


def _share_bounds(tallies: Counts, settings: LeakageSettings) -> list[tuple[float, float]]:
    """Return the interval of each category's share, by resampling images."""

    def shares(weights: Counts) -> Counts:
        means = _means(weights @ tallies)
        total = means.sum(axis=1, keepdims=True)
        # Without leakage, shares are meaningless.
        return np.asarray(ratio(means, np.where(total > 0, total, 0.0)))

    found = resampled_values(
        len(tallies), {"shares": shares}, resamples=settings.resamples, seed=settings.seed
    )
    return column_bounds(found["shares"])


def _words(shares: _Shares, drawn: float, total: float, pair: tuple[str, str]) -> Iterator[WordShare]:
    """Yield the words that contribute most, each with its categories."""
    assert shares.words is not None
    assert shares.toward is not None
    grams = shares.source.ngrams
    order = np.argsort(-shares.words, axis=None, kind="stable")
    for place in order[: WORDS if drawn else 0]:
        kind, word = np.unravel_index(place, shares.words.shape)
        odds = float(shares.words[kind, word] / drawn)
        if odds <= 0:
            return
        yield WordShare(
            word=grams.vocabulary[word],
            category=" + ".join(grams.kinds[kind]) or OTHER,
            toward=pair[0] if shares.toward[kind, word] > 0 else pair[1],
            share=_share(odds, total),
            log_odds=_rounded(odds),
        )


def _intervals(told: Mapping[str, _Sums], images: GroupedImages, settings: LeakageSettings) -> Intervals:
    """Return intervals by resampling images, and the range of leakage by chance, by shuffling groups."""
    found = images.intervals({name: _statistics(one) for name, one in told.items()}, settings)
    systems = {
        name: found.systems[name] | ({"permuted": _by_chance(one)} if one.humans else {})
        for name, one in told.items()
    }
    return found.model_copy(update={"systems": systems})


def _statistics(found: _Sums) -> dict[str, Statistic]:
    tallies = found.sides(found.sums)
    contrasts: dict[str, tuple[int, ...]] = {"score": (0,), "accuracy": (2,)}
    if found.humans is not None:
        contrasts |= {"reference_score": (3,), "leakage": (0, 3), "reference_accuracy": (5,)}
    return {name: partial(_contrast, tallies, places) for name, places in contrasts.items()}


def _contrast(tallies: Counts, places: Sequence[int], weights: Counts) -> Counts:
    """Return a mean, or the first mean minus the second."""
    means = _means(weights @ tallies)
    first, *second = (means[:, place] for place in places)
    return np.round(first - second[0] if second else first, _DIGITS)


def _by_chance(found: _Sums) -> Triple:
    """Return the mean leakage of shuffled groups, and the range expected for another shuffle."""
    values = np.array([system - human for system, human in found.shuffled])
    if len(values) < 2:
        return _rounded(values.mean()), float("nan"), float("nan")
    reach = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) * np.sqrt(1 + 1 / len(values))
    ends = (values.mean() - reach, values.mean() + reach)
    return _rounded(values.mean()), _rounded(ends[0]), _rounded(ends[1])
