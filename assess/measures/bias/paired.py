"""A system paired with references by image: all counts that comparisons need, observed and resampled."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from assess.corpus import unlike_ids
from assess.errors import InputError, some, visible
from assess.measures.bias.labels import CategoryKey, Integers, LabelArrays, MentionTable
from assess.measures.bias.tables import Floats, Tally, resampled_sums
from assess.measures.bias.verdict import BiasSettings

MOST_FOLDS = 5
IMAGE_FOLDS = 2
"""Where every image has one reference only."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedImages:
    """All labels of a system and of the references on the images that both have."""

    system: LabelArrays
    reference: LabelArrays
    folds: int
    fold: Integers  # of each label of the references
    system_fold: Integers | None  # of each label of the system, where images are what is dealt into folds
    drawn: tuple[LabelArrays, LabelArrays]  # one caption of each image, by the system and by a reference


def pair_images(
    system: tuple[MentionTable, LabelArrays],
    reference: tuple[MentionTable, LabelArrays],
    *,
    name: str,
    seed: int,
) -> PairedImages:
    """Pair a system with references by image id."""
    check_references(system[0].images, reference[0].images, name=name)
    common = sorted(set(system[0].images) & set(reference[0].images))
    here, there = system[1].on_images(common), reference[1].on_images(common)
    mentions, rows = reference[0], _rows_of(*reference, common)
    image, caption, _ = mentions.columns
    turn = mentions.draw(seed=seed)
    folds = min(MOST_FOLDS, int(mentions.captions[image[rows]].max(initial=1)))
    several = folds > 1
    return PairedImages(
        here,
        there,
        folds if several else IMAGE_FOLDS,
        # Turned by the draw, so that the first reference of a file is not always in the first fold.
        (caption + turn[image])[rows] % folds if several else there.image % IMAGE_FOLDS,
        None if several else here.image % IMAGE_FOLDS,
        (
            _one_caption(*system, common, system[0].draw(seed=seed)),
            _one_caption(*reference, common, turn),
        ),
    )


def _rows_of(mentions: MentionTable, labels: LabelArrays, common: Sequence[str]) -> Integers:
    """Return the places of the labels that are about some images."""
    known = set(common)
    kept = np.array([image in known for image in mentions.images], dtype=np.bool_)
    return np.flatnonzero(kept[labels.image])


def check_references(
    images: Collection[str], references: Collection[str], *, name: str, other: str = "the references"
) -> str | None:
    """Compare the images of a system with those of the references, by id.

    Raise `InputError` where none is in both; return a note where some have no reference.
    """
    known = set(references)
    missing = sum(image not in known for image in images)
    if missing == len(images):
        raise InputError(
            f"no image id is in both: '{visible(name)}' has {some(len(images), 'image')},"
            f" {visible(other)} {len(known)}",
            hint=unlike_ids(images, references),
        )
    if not missing:
        return None
    which = f"{missing:,} of {some(len(images), 'image')} of '{visible(name)}'"
    return f"not compared, for lack of a reference: {which}"


def _one_caption(
    mentions: MentionTable, labels: LabelArrays, common: Sequence[str], drawn: Integers
) -> LabelArrays:
    """Return the labels of one caption of each of these images."""
    image, caption, _ = mentions.columns
    return labels.chosen(drawn[image] == caption).on_images(common)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Counts of one source: what was observed, and then every resample of the images."""

    yes: Floats  # samples x folds x categories x values
    labels: Floats  # samples x folds x values

    @classmethod
    def of(cls, counts: Floats) -> _Sums:
        """Take the counts apart: behind the categories stand all labels."""
        return cls(counts[:, :, :-1], counts[:, :, -1])

    @property
    def rates(self) -> Floats:
        """Samples x categories x values, over all folds; nan where a value has no labels."""
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


def _divided(yes: Floats, labels: Floats) -> Floats:
    shape = np.broadcast_shapes(yes.shape, labels.shape)
    divided: Floats = np.divide(yes, labels, out=np.full(shape, math.nan), where=labels > 0)
    return divided


class ReferenceSums:
    """What all comparisons by one group are made from, worked out once for all categories and values."""

    def __init__(self, pairs: PairedImages, by: str, values: Sequence[str], settings: BiasSettings) -> None:
        self.pairs, self.by, self.settings = pairs, by, settings
        self.values = tuple(dict.fromkeys(values))
        sources = (pairs.system, pairs.reference)
        self.keys = sorted({key for source in sources for key in source.carrying["best"]})
        here = np.zeros_like(pairs.system.image) if pairs.system_fold is None else pairs.system_fold
        shapes = [
            (folds, len(self.keys) + 1, len(self.values))
            for folds in (1 if pairs.system_fold is None else pairs.folds, pairs.folds)
        ]
        columns = self._columns(pairs.system, here), self._columns(pairs.reference, pairs.fold)
        sums = resampled_sums(
            columns,
            [math.prod(shape) for shape in shapes],
            len(pairs.system.images),
            samples=settings.samples,
            seed=settings.seed,
        )
        system, reference = (
            _Sums.of(found.reshape(-1, *shape)) for found, shape in zip(sums, shapes, strict=True)
        )
        self._changes = system.rates - reference.rates
        self._amplified = _amplified(system, reference)
        self._observed = system.observed, reference.observed

    def _columns(self, labels: LabelArrays, fold: Integers) -> tuple[Integers, Integers]:
        """Return a column (fold, category and value) and an image for everything that counts."""
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
        """Return the place of a category, if the best reading of some label has it."""
        return self.keys.index(key) if key in self.keys else None

    def changes(self, place: int, value: str) -> Floats:
        """Return how much more often the system says a category of a value: observed, and resampled."""
        changes: Floats = self._changes[:, place, self.values.index(value)]
        return changes

    def amplifications(self, place: int, value: str) -> Floats:
        """Return the amplification of a category for a value: observed, and resampled."""
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

    Folds count by their labels, so that with equal directions everywhere the sum is y times the plain Δ.
    """
    yes, labels = reference.yes, reference.labels[:, :, np.newaxis]
    others, other_labels = (each.sum(axis=1, keepdims=True) - each for each in (yes, labels))
    expected = other_labels * others.sum(axis=-1, keepdims=True)
    direction = np.sign(others * other_labels.sum(axis=-1, keepdims=True) - expected)
    change = system.fold_rates - reference.fold_rates
    defined = ~np.isnan(change)
    weights = np.where(defined, np.broadcast_to(labels, change.shape), 0.0)
    return _divided(np.where(defined, weights * direction * change, 0.0).sum(axis=1), weights.sum(axis=1))
