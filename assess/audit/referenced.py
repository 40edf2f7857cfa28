"""A contrast beside the same contrast in human captions of the same images.

One reference is drawn for each image, by a seed: a word in 4% of captions is in 18.5% of images when any
of five captions counts. Where a system has several captions of an image, one is drawn too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.audit.amplification import Amplification, Paired, amplify, mcnemar
from assess.audit.bootstrap import Floats, bootstrap_contrasts
from assess.audit.coded import CodedLabels, Key
from assess.audit.groups import Pair
from assess.audit.intervals import Estimate
from assess.audit.mentions import MentionTable
from assess.audit.multiplicity import benjamini_hochberg
from assess.audit.rules import Rules
from assess.audit.tables import Table, Tally
from assess.errors import InputError, visible


@dataclass(frozen=True, slots=True, eq=False)
class PairedImages:
    """One caption of a system and one reference of each image that both have."""

    system: CodedLabels
    reference: CodedLabels


@dataclass(frozen=True, slots=True)
class Beside:
    """One value of a group: how its rate and its images differ from the references'."""

    amplification: Amplification
    change: Estimate  # system's rate less the references', bootstrap over images
    paired: Paired  # images where only the system, or only the reference, says it
    q: float  # of the paired test, in the contrast's family


@dataclass(frozen=True, slots=True)
class Referenced:
    """A contrast in a system and in one reference an image."""

    images: int
    system: Table
    reference: Table
    group: Beside
    against: Beside
    gap: Estimate  # the system's risk difference less the references', bootstrap over images


def pair_images(
    system: tuple[MentionTable, CodedLabels],
    reference: tuple[MentionTable, CodedLabels],
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
            hint=f"the ids look like '{_first(images)}' here and '{_first(references)}' there"
            if images and references
            else "a file without captions has nothing to compare",
        )
    if not missing:
        return None
    return f"{missing} of the {len(images)} images of '{visible(name)}' have no reference: not compared"


def _first(images: Collection[str]) -> str:
    return visible(min(images, default=""), 40)


def _one_caption(
    mentions: MentionTable, labels: CodedLabels, common: Sequence[str], seed: int
) -> CodedLabels:
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
    rules: Rules

    def compare(self, keys: Sequence[Key]) -> list[Referenced]:
        """Compare each category of the family with the references."""
        tallies = [self._tallies(key) for key in keys]
        tests = [(_mcnemar(tally, 0), _mcnemar(tally, 1)) for tally in tallies]
        q_values = zip(*(benjamini_hochberg([test[i].p for test in tests]) for i in (0, 1)), strict=True)
        return [
            self._referenced(key, tally, test, q)
            for key, tally, test, q in zip(keys, tallies, tests, q_values, strict=True)
        ]

    def _tallies(self, key: Key) -> Floats:
        """Return images x (system's group, system's other, reference's group, reference's other) x 2."""
        sources = (self.pairs.system, self.pairs.reference)
        return np.concatenate([source.image_tallies(self.by, key, self.pair) for source in sources], axis=1)

    def _referenced(
        self, key: Key, tallies: Floats, tests: tuple[Paired, Paired], q: tuple[float, float]
    ) -> Referenced:
        gap, change, other_change = self._bootstrapped(tallies)
        amplified = self._amplified(key)
        return Referenced(
            images=len(self.pairs.system.images),
            system=self.pairs.system.table(self.by, key, self.pair),
            reference=self.pairs.reference.table(self.by, key, self.pair),
            group=Beside(amplified[self.pair[0]], change, tests[0], q[0]),
            against=Beside(amplified[self.pair[1]], other_change, tests[1], q[1]),
            gap=gap,
        )

    def _bootstrapped(self, tallies: Floats) -> tuple[Estimate, ...]:
        """Return the change of the gap, and those of both rates, with paired intervals."""
        found = bootstrap_contrasts(
            tallies,
            [(1, -1, -1, 1), (1, 0, -1, 0), (0, 1, 0, -1)],
            samples=self.rules.samples,
            level=self.rules.level,
            seed=self.rules.seed,
        )
        return tuple(contrast.estimate for contrast in found)

    def _amplified(self, key: Key) -> Mapping[str, Amplification]:
        values = dict.fromkeys((*self.values, *self.pair))
        system, reference = (
            {value: tallies.get(value, Tally(0, 0)) for value in values}
            for tallies in (
                source.tallies(self.by, key) for source in (self.pairs.system, self.pairs.reference)
            )
        )
        return {item.group: item for item in amplify(system=system, reference=reference)}


def _mcnemar(tallies: Floats, column: int) -> Paired:
    """Test the images where only one of the two says the category of a value."""
    said, expected = tallies[:, column, 0] > 0, tallies[:, column + 2, 0] > 0
    return mcnemar(int((said & ~expected).sum()), int((expected & ~said).sum()))
