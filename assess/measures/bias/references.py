"""A contrast beside the same contrast in human captions of the same images.

One reference is drawn for each image, by a seed: a word in 4% of captions is in 18.5% of images when any
of five captions counts. Where a system has several captions of an image, one is drawn too.
References are not ground truth; they are another source of captions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from assess.corpus import Source
from assess.errors import InputError, UsageError, visible
from assess.measures.bias.bootstrap import Floats
from assess.measures.bias.groups import ImageGroups, Pair, check_images, unlike_ids
from assess.measures.bias.labels import CategoryKey, LabelArrays, MentionTable
from assess.measures.bias.tables import CountTable, Estimate, Tally
from assess.measures.bias.verdict import BiasSettings
from assess.measures.intervals import benjamini_hochberg


@dataclass(frozen=True, slots=True)
class Amplification:
    """Directional bias amplification of one category for one group.

    `direction` is 1 where the references say the category of this group more than its share, -1 where they
    say it less, 0 where group and category are independent. `value` is positive where the system goes
    further in that direction.
    """

    group: str
    reference_rate: float
    system_rate: float
    direction: int
    value: float


def amplify(*, system: Mapping[str, Tally], reference: Mapping[str, Tally]) -> tuple[Amplification, ...]:
    """Return y·Δ for each group of one category (after Wang & Russakovsky 2021).

    Δ = P(C|g) in the system less that in the references; y = sign(P(g,C) - P(g)P(C)) in the references.
    The order is that of the references.
    """
    if system.keys() != reference.keys():
        raise UsageError(
            f"the groups of the system ({', '.join(sorted(system))})"
            f" are not those of the references ({', '.join(sorted(reference))})",
            hint="give every group a tally in both, also where it is 0 of 0",
        )
    return tuple(_amplification(group, system[group], reference) for group in reference)


def _amplification(group: str, system: Tally, reference: Mapping[str, Tally]) -> Amplification:
    tally = reference[group]
    yes = sum(other.yes for other in reference.values())
    total = sum(other.total for other in reference.values())
    # The sign of P(g,C) - P(g)P(C), from whole numbers: no rounding can make up a direction.
    excess = tally.yes * total - tally.total * yes
    direction = (excess > 0) - (excess < 0)
    return Amplification(group, tally.rate, system.rate, direction, direction * (system.rate - tally.rate))


@dataclass(frozen=True, slots=True)
class McNemarTest:
    """Exact McNemar test on paired images: only the images that differ count."""

    only_first: int
    only_second: int
    p: float
    smallest_p: float


def mcnemar(only_first: int, only_second: int) -> McNemarTest:
    """Test images where only one of two sources says a category (exact, two-sided)."""
    if min(only_first, only_second) < 0:
        raise UsageError(f"{only_first} and {only_second} are not numbers of images")
    discordant = only_first + only_second
    p = 2 * float(bdtr(min(only_first, only_second), discordant, 0.5))
    return McNemarTest(only_first, only_second, min(1.0, p), min(1.0, 2 * 0.5**discordant))


def mcnemar_of_images(first: Floats, second: Floats) -> McNemarTest:
    """Test how many labels with a category each image has in two sources, by whether it has any."""
    return mcnemar(int(((first > 0) & (second == 0)).sum()), int(((second > 0) & (first == 0)).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class PairedImages:
    """One caption of a system and one reference of each image that both have."""

    system: LabelArrays
    reference: LabelArrays


@dataclass(frozen=True, slots=True)
class ReferenceChange:
    """One value of a group: how its rate and its images differ from the references'."""

    amplification: Amplification
    change: Estimate  # system's rate less the references', bootstrap over images
    paired: McNemarTest  # images where only the system, or only the reference, says it
    q: float  # of the paired test, in the contrast's family


@dataclass(frozen=True, slots=True)
class ReferenceComparison:
    """A contrast in a system and in one reference an image."""

    images: int
    system: CountTable
    reference: CountTable
    group: ReferenceChange
    against: ReferenceChange
    gap: Estimate  # the system's risk difference less the references', bootstrap over images


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
    return PairedImages(_one_caption(*system, common, seed), _one_caption(*reference, common, seed))


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
            f"no image id is in both: '{visible(name)}' has {len(images)} images,"
            f" {visible(other)} {len(known)}",
            hint=unlike_ids(images, references)
            if images and references
            else "a file without captions has nothing to compare",
        )
    if not missing:
        return None
    return f"{missing} of the {len(images)} images of '{visible(name)}' have no reference: not compared"


def _one_caption(
    mentions: MentionTable, labels: LabelArrays, common: Sequence[str], seed: int
) -> LabelArrays:
    """Return the labels of one caption of each of these images."""
    image, caption, _ = mentions.columns
    return labels.chosen(mentions.draw(seed=seed)[image] == caption).on_images(common)


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceFamily:
    """The contrasts of one pair of values that are compared with the references together."""

    pairs: PairedImages
    by: str
    pair: Pair
    values: tuple[str, ...]  # all values of the group
    settings: BiasSettings

    def compare(self, keys: Sequence[CategoryKey]) -> list[ReferenceComparison]:
        """Compare each category of the family with the references."""
        tallies = [self._tallies(key) for key in keys]
        tests = [
            tuple(mcnemar_of_images(tally[:, column, 0], tally[:, column + 2, 0]) for column in (0, 1))
            for tally in tallies
        ]
        q_values = zip(*(benjamini_hochberg([test[i].p for test in tests]) for i in (0, 1)), strict=True)
        return [
            self._referenced(key, tally, test, q)
            for key, tally, test, q in zip(keys, tallies, tests, q_values, strict=True)
        ]

    def _tallies(self, key: CategoryKey) -> Floats:
        """Return images x (system's group, system's other, reference's group, reference's other) x 2."""
        sources = (self.pairs.system, self.pairs.reference)
        return np.concatenate([source.image_tallies(self.by, key, self.pair) for source in sources], axis=1)

    def _referenced(
        self,
        key: CategoryKey,
        tallies: Floats,
        tests: Sequence[McNemarTest],
        q: Sequence[float],
    ) -> ReferenceComparison:
        contrasts = [(1, -1, -1, 1), (1, 0, -1, 0), (0, 1, 0, -1)]
        gap, *changes = (found.estimate for found in self.settings.bootstrap(tallies, contrasts))
        amplified = self._amplified(key)
        return ReferenceComparison(
            images=len(self.pairs.system.images),
            system=self.pairs.system.table(self.by, key, self.pair),
            reference=self.pairs.reference.table(self.by, key, self.pair),
            group=ReferenceChange(amplified[self.pair[0]], changes[0], tests[0], q[0]),
            against=ReferenceChange(amplified[self.pair[1]], changes[1], tests[1], q[1]),
            gap=gap,
        )

    def _amplified(self, key: CategoryKey) -> Mapping[str, Amplification]:
        values = dict.fromkeys((*self.values, *self.pair))
        system, reference = (
            {value: tallies.get(value, Tally(0, 0)) for value in values}
            for tallies in (
                source.tallies(self.by, key) for source in (self.pairs.system, self.pairs.reference)
            )
        )
        return {item.group: item for item in amplify(system=system, reference=reference)}


Images = Mapping[Source, Collection[str]]
"""The image ids of each input."""


def check_pairs(
    images: Images, references: Collection[Source], groups: Sequence[ImageGroups], *, partial: bool
) -> Iterator[str]:
    """Raise `InputError` where ids do not match, and yield notes about what is passed over."""
    human = {image for source in references for image in images[source]}
    files = " and ".join(f"'{source.file}'" for source in references)
    for source, found in images.items():
        if source in references:
            continue  # references may describe more images than anybody asks about
        notes = [check_images(group, found, file=source.file, partial=partial) for group in groups]
        if human:
            notes.append(check_references(found, human, name=source.file, other=files))
        yield from (note for note in notes if note)
