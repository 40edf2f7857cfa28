"""Comparison of a contrast with the same contrast in human captions of the same images.

All references count: rates are per label, so five captions per image make the rate more precise, but not
higher. Images are resampled together with everything that the system and the references say about them.
References are not the truth; they are another source of captions.

*Amplification* needs a direction, and taking it from the same references as the rate is biased: if the rate
is high by chance, so is the direction, and the system seems to fall short. Therefore references are divided
into folds: the rate comes from one fold and the direction from the others, for each fold in turn. If every
image has only one reference, the folds consist of images.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from assess.measures.bias import tables
from assess.measures.bias.association import log_fisher_p
from assess.measures.bias.clustering import corrected_p, effect_of, label_variance, mcnemar_p
from assess.measures.bias.groups import Pair, check_references
from assess.measures.bias.labels import CategoryKey, Integers, LabelArrays, MentionTable
from assess.measures.bias.tables import UNDEFINED, CountTable, Estimate, EstimateField, Floats, Tally
from assess.measures.bias.verdict import margin_of
from assess.measures.group_settings import VerdictSettings
from assess.measures.intervals import benjamini_hochberg
from assess.measures.measure import Model, Number
from assess.records import Role

MOST_FOLDS = 5
IMAGE_FOLDS = 2
"""For images with only one reference each."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedImages:
    """All labels of a system and of the references, on the images that both describe."""

    system: LabelArrays
    reference: LabelArrays
    folds: int
    fold: Integers  # of each label of the references
    system_fold: Integers | None  # of each label of the system, if folds consist of images
    drawn: tuple[LabelArrays, LabelArrays]  # one caption for each image, from the system and from a reference


@dataclass(frozen=True, slots=True, eq=False)
class _References:
    """The labels of the references on some images."""

    images: list[str]
    labels: LabelArrays
    folds: int
    fold: Integers
    drawn: LabelArrays


class PooledReferences:
    """The labels of all references, pooled, to be paired with one system after another."""

    def __init__(self, mentions: MentionTable, labels: LabelArrays, seed: int) -> None:
        self._mentions, self._labels, self._seed = mentions, labels, seed
        self._drawn = mentions.draw(seed=seed)
        self._latest: _References | None = None  # most systems have the same images

    def paired(self, name: str, mentions: MentionTable, labels: LabelArrays) -> PairedImages:
        """Pair a system with the references by image id."""
        check_references(mentions.images, self._mentions.images, name=name)
        common = sorted(set(mentions.images) & set(self._mentions.images))
        if self._latest is None or self._latest.images != common:
            self._latest = self._on(common)
        there, here = self._latest, labels.on_images(common)
        drawn = _one_caption(mentions, labels, common, mentions.draw(seed=self._seed)), there.drawn
        several = there.folds > 1
        return PairedImages(
            here,
            there.labels,
            there.folds if several else IMAGE_FOLDS,
            there.fold if several else there.labels.image % IMAGE_FOLDS,
            None if several else here.image % IMAGE_FOLDS,
            drawn,
        )

    def _on(self, images: list[str]) -> _References:
        image, caption, _ = self._mentions.columns
        rows = _rows_of(self._mentions, self._labels, images)
        folds = min(MOST_FOLDS, int(self._mentions.captions[image[rows]].max(initial=1)))
        # Rotated by the draw, so that the first reference in a file is not always in the first fold.
        fold = (caption + self._drawn[image])[rows] % folds
        one = _one_caption(self._mentions, self._labels, images, self._drawn)
        return _References(images, self._labels.on_images(images), folds, fold, one)


def _rows_of(mentions: MentionTable, labels: LabelArrays, common: Sequence[str]) -> Integers:
    """Return the indices of the labels that belong to some images."""
    known = set(common)
    kept = np.array([image in known for image in mentions.images], dtype=np.bool_)
    return np.flatnonzero(kept[labels.image])


def _one_caption(
    mentions: MentionTable, labels: LabelArrays, common: Sequence[str], drawn: Integers
) -> LabelArrays:
    """Return the labels of one caption for each of these images."""
    image, caption, _ = mentions.columns
    return labels.chosen(drawn[image] == caption).on_images(common)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Counts of one source: the observed ones, followed by every resample of the images."""

    yes: Floats  # samples x folds x categories x values
    labels: Floats  # samples x folds x values

    @classmethod
    def of(cls, counts: Floats) -> _Sums:
        """Split the counts; the totals of all labels follow the categories."""
        return cls(counts[:, :, :-1], counts[:, :, -1])

    @property
    def rates(self) -> Floats:
        """Samples x categories x values, over all folds; nan if a value has no labels."""
        return _divided(self.yes.sum(axis=1), self.labels.sum(axis=1)[:, np.newaxis])

    @property
    def fold_rates(self) -> Floats:
        """Samples x folds x categories x values."""
        return _divided(self.yes, self.labels[:, :, np.newaxis])

    @property
    def observed(self) -> Floats:
        """Categories x values x (labels with the category, labels)."""
        yes, labels = self.yes[0].sum(axis=0), self.labels[0].sum(axis=0)
        return np.stack([yes, np.broadcast_to(labels, yes.shape)], axis=-1)


_AT_ONCE = 64
"""Resamples that are processed at once, so that the intermediate arrays fit into the processor's cache."""


def _divided(yes: Floats, labels: Floats) -> Floats:
    shape = np.broadcast_shapes(yes.shape, labels.shape)
    divided: Floats = np.divide(yes, labels, out=np.full(shape, math.nan), where=labels > 0)
    return divided


class ReferenceSums:
    """The sums for all comparisons by one group, for all values and the categories of some roles."""

    def __init__(
        self,
        pairs: PairedImages,
        by: str,
        values: Sequence[str],
        roles: Sequence[Role],
        settings: VerdictSettings,
    ) -> None:
        self.pairs, self.by, self.settings = pairs, by, settings
        self.values = tuple(dict.fromkeys(values))
        sources = (pairs.system, pairs.reference)
        self.keys = sorted({key for source in sources for key in source.carrying["best"] if key[0] in roles})
        here = np.zeros_like(pairs.system.image) if pairs.system_fold is None else pairs.system_fold
        shapes = [
            (folds, len(self.keys) + 1, len(self.values))
            for folds in (1 if pairs.system_fold is None else pairs.folds, pairs.folds)
        ]
        columns = self._columns(pairs.system, here), self._columns(pairs.reference, pairs.fold)
        sums = tables.resampled_sums(
            columns,
            [math.prod(shape) for shape in shapes],
            len(pairs.system.images),
            samples=settings.samples,
            seed=settings.seed,
        )
        counts = [found.reshape(-1, *shape) for found, shape in zip(sums, shapes, strict=True)]
        changes, amplified = [], []
        for start in range(0, len(counts[0]), _AT_ONCE):
            system, reference = (_Sums.of(found[start : start + _AT_ONCE]) for found in counts)
            changes.append(system.rates - reference.rates)
            amplified.append(_amplified(system, reference))
            if not start:
                self._observed = system.observed, reference.observed
        self._changes, self._amplified = np.concatenate(changes), np.concatenate(amplified)

    def _columns(self, labels: LabelArrays, fold: Integers) -> tuple[Integers, Integers]:
        """Return the column (fold, category and value) and the image of everything that counts."""
        known = labels.values[self.by]
        order = {value: place for place, value in enumerate(self.values)}
        values = np.array([order.get(name, -1) for name in known.names], dtype=np.int64)[known.places]
        rows = [np.flatnonzero(labels.has(key) & (values >= 0)) for key in self.keys]
        rows.append(np.flatnonzero(values >= 0))
        columns = [
            (fold[chosen] * len(rows) + place) * len(self.values) + values[chosen]
            for place, chosen in enumerate(rows)
        ]
        return np.concatenate(columns), labels.image[np.concatenate(rows)]

    def place(self, key: CategoryKey) -> int | None:
        """Return the index of a category, if the best reading of any label has it."""
        return self.keys.index(key) if key in self.keys else None

    def changes(self, place: int, value: str) -> Floats:
        """Return how much more often the system uses a category for a value: observed and resampled."""
        changes: Floats = self._changes[:, place, self.values.index(value)]
        return changes

    def amplifications(self, place: int, value: str) -> Floats:
        """Return the amplification of a category for a value: observed and resampled."""
        found: Floats = self._amplified[:, place, self.values.index(value)]
        return found

    def tallies(self, place: int) -> tuple[dict[str, Tally], dict[str, Tally]]:
        """Return the counts of a category in the system and in the references, by value."""
        system, reference = (
            {
                value: Tally(int(yes), int(labels))
                for value, (yes, labels) in zip(self.values, observed[place], strict=True)
            }
            for observed in self._observed
        )
        return system, reference


def _amplified(system: _Sums, reference: _Sums) -> Floats:
    """Return y·Δ with rates from one fold and directions from the others: samples x categories x values.

    Folds are weighted by their labels, so that the sum is y times the plain Δ if all directions are equal.
    """
    yes, labels = reference.yes, reference.labels[:, :, np.newaxis]
    others, other_labels = (each.sum(axis=1, keepdims=True) - each for each in (yes, labels))
    expected = other_labels * others.sum(axis=-1, keepdims=True)
    direction = np.sign(others * other_labels.sum(axis=-1, keepdims=True) - expected)
    change = system.fold_rates - reference.fold_rates
    defined = ~np.isnan(change)
    weights = np.where(defined, np.broadcast_to(labels, change.shape), 0.0)
    return _divided(np.where(defined, weights * direction * change, 0.0).sum(axis=1), weights.sum(axis=1))


GapVerdict = Literal["wider", "narrower", "same", "insufficient"]
"""A system's gap compared with the gap in the references."""


class McNemar(Model):
    """Images in which both captions name the value, but only one of them uses the category."""

    only_system: int
    only_reference: int
    p: Number


class ReferenceSide(Model):
    """How often a category is used for one value, in a system and in references of the same images."""

    system_rate: Number
    reference_rate: Number
    direction: int
    value: Number
    interval: EstimateField = UNDEFINED  # of the amplification, over images
    change: EstimateField
    p: Number  # of the change, with images as the unit
    q: Number
    only_system: int
    only_reference: int
    mcnemar: McNemar | None = None  # None in older files


class Amplification(Model):
    """A contrast compared with all human references of the same images."""

    images: int
    system: CountTable
    reference: CountTable
    risk_difference_change: EstimateField
    p: Number = math.nan
    q: Number = math.nan
    verdict: GapVerdict = "insufficient"
    group: ReferenceSide
    against: ReferenceSide


def direction_of(value: str, tallies: Mapping[str, Tally]) -> int:
    """Return y of directional bias amplification (Wang & Russakovsky 2021): sign(P(g,C) - P(g)P(C)).

    It is 1 if a category is used more for a value than expected by independence, -1 if less, and otherwise 0.
    It is computed with integers, so that rounding cannot produce a direction.
    """
    yes = sum(tally.yes for tally in tallies.values())
    total = sum(tally.total for tally in tallies.values())
    excess = tallies[value].yes * total - tallies[value].total * yes
    return (excess > 0) - (excess < 0)


def discordant_images(first: Floats, second: Floats) -> tuple[int, int]:
    """Return the number of images for which only the first source uses a category, and only the second.

    Both are images x (labels with the category, labels). An image counts if both sources name the group.
    """
    both = (first[:, 1] > 0) & (second[:, 1] > 0)
    here, there = first[both, 0] > 0, second[both, 0] > 0
    return int((here & ~there).sum()), int((there & ~here).sum())


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceFamily:
    """The contrasts of one pair of values, which are compared with the references as one family."""

    sums: ReferenceSums
    pair: Pair

    def compare(self, keys: Sequence[CategoryKey]) -> list[Amplification | None]:
        """Compare each category with the references; None if only other readings have it."""
        places = [self.sums.place(key) for key in keys]
        used = [place for place in places if place is not None]
        sides = [[self._p(place, value) for place in used] for value in self.pair]
        gaps = [self._gap(place) for place in used]
        q_values = [benjamini_hochberg(p_values) for p_values in sides]
        gap_q = benjamini_hochberg([gap[1] for gap in gaps])
        found = {
            place: self._compared(
                place,
                [self._side(place, v, sides[i][n], q_values[i][n]) for i, v in enumerate(self.pair)],
                *gaps[n],
                gap_q[n],
            )
            for n, place in enumerate(used)
        }
        return [None if place is None else found[place] for place in places]

    def _p(self, place: int, value: str) -> float:
        """Return the p of a change: exact over labels, corrected by the variance over images."""
        system, reference = self.sums.tallies(place)
        table = CountTable.of(system[value], reference[value])
        return changed_p(table, self.sums.changes(place, value)[1:])

    def _side(self, place: int, value: str, p: float, q: float) -> ReferenceSide:
        system, reference = self.sums.tallies(place)
        amplified = self._estimate(self.sums.amplifications(place, value))
        key, drawn = self.sums.keys[place], self.sums.pairs.drawn
        said = (source.image_tallies(self.sums.by, key, [value])[:, 0] for source in drawn)
        only = dict(zip(("only_system", "only_reference"), discordant_images(*said), strict=True))
        return ReferenceSide(
            system_rate=system[value].rate,
            reference_rate=reference[value].rate,
            direction=direction_of(value, reference),
            value=amplified.value,
            interval=amplified,
            change=self._estimate(self.sums.changes(place, value)),
            p=p,
            q=q,
            **only,
            mcnemar=McNemar(**only, p=mcnemar_p(*only.values())),
        )

    def _estimate(self, samples: Floats) -> Estimate:
        return tables.percentiles(samples[0], samples[1:], level=self.sums.settings.level)

    def _gap(self, place: int) -> tuple[Estimate, float]:
        """Return the change of the gap between the two values, with its p."""
        first, second = (self.sums.changes(place, value) for value in self.pair)
        gap = self._estimate(first - second)
        system, reference = self.sums.tallies(place)
        tallies = [source[value] for source in (system, reference) for value in self.pair]
        return gap, gap_p(gap.value, _variance((first - second)[1:]), tallies)

    def _compared(
        self, place: int, sides: Sequence[ReferenceSide], gap: Estimate, p: float, q: float
    ) -> Amplification:
        system, reference = (
            CountTable.of(*(tallies[value] for value in self.pair)) for tallies in self.sums.tallies(place)
        )
        return Amplification(
            images=len(self.sums.pairs.system.images),
            system=system,
            reference=reference,
            group=sides[0],
            against=sides[1],
            risk_difference_change=gap,
            p=p,
            q=q,
            verdict=gap_verdict(system, reference, gap, q, self.sums.settings),
        )


def changed_p(table: CountTable, samples: Floats) -> float:
    """Return the p of the difference between two rates on the same images, given its resamples."""
    totals = np.array([[table.yes, table.labels], [table.other_yes, table.other_labels]], dtype=np.float64)
    effect = effect_of(_variance(samples), label_variance(totals, (1.0, -1.0)))
    return corrected_p(log_fisher_p(table), effect)


def gap_p(gap: float, variance: float, tallies: Sequence[Tally]) -> float:
    """Return the p of the difference between two differences, from its variance over images.

    The variance has a lower bound, because a bootstrap of few labels is overconfident.
    """
    deviation = math.sqrt(max(variance, tables.label_floor(*tallies)))
    return math.nan if math.isnan(gap) else float(2 * ndtr(-abs(gap) / deviation))


def _variance(samples: Floats) -> float:
    defined = samples[~np.isnan(samples)]
    return float(defined.var()) if defined.size else 0.0


def gap_verdict(
    system: CountTable, reference: CountTable, gap: Estimate, q: float, settings: VerdictSettings
) -> GapVerdict:
    """Return whether the system's gap is wider or narrower than the references', or within the margin.

    A gap of 5 points, if references have 20 in the other direction, has changed by 25 and is narrower.
    """
    margin = margin_of(settings.margin, system, reference)
    if q <= settings.alpha and abs(gap.value) > margin:
        return "wider" if abs(system.difference) > abs(reference.difference) else "narrower"
    return "same" if gap.within(-margin, margin) else "insufficient"
