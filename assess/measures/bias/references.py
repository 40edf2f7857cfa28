"""A contrast beside the same contrast in human captions of the same images.

All references count: rates are per label, so that five captions of an image make the rate surer and not
higher. Images are resampled, with everything that the system and the references say of them. References are
not ground truth; they are another source of captions.

*Amplification* needs a direction, and a direction taken from the same references as the rate is biased: where
chance made the rate high, it also made the direction positive, and the system seems to fall short of it. So
references are dealt into folds; the rate comes from one fold, the direction from the others, and all folds
take their turn. Where every image has one reference only, the folds are of images.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from assess.corpus import Source
from assess.errors import UsageError
from assess.measures.bias.association import log_fisher_p
from assess.measures.bias.clustering import McNemarTest, corrected_p, effect_of, label_variance, mcnemar
from assess.measures.bias.groups import ImageGroups, Pair, check_images
from assess.measures.bias.labels import CategoryKey
from assess.measures.bias.paired import ReferenceSums, check_references
from assess.measures.bias.tables import (
    UNDEFINED,
    CountTable,
    Estimate,
    EstimateField,
    Floats,
    Tally,
    percentiles,
)
from assess.measures.bias.verdict import BiasSettings
from assess.measures.intervals import benjamini_hochberg
from assess.measures.measure import Model, Number

GapVerdict = Literal["wider", "narrower", "same", "insufficient"]
"""What a system's gap is beside the gap in the references."""
MOST_FOLDS = 5
IMAGE_FOLDS = 2


class McNemar(Model):
    """Images where both name the value, and only one of system and drawn reference says the category."""

    only_system: int
    only_reference: int
    p: Number


class ReferenceSide(Model):
    """How often a category is said of one value, in a system and in references of the same images."""

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
    mcnemar: McNemar | None = None  # older files have none


class Amplification(Model):
    """A contrast beside all human references of the same images."""

    images: int
    system: CountTable
    reference: CountTable
    risk_difference_change: EstimateField
    p: Number = math.nan
    q: Number = math.nan
    verdict: GapVerdict = "insufficient"
    group: ReferenceSide
    against: ReferenceSide


@dataclass(frozen=True, slots=True)
class DirectedAmplification:
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


def amplify(
    *, system: Mapping[str, Tally], reference: Mapping[str, Tally]
) -> tuple[DirectedAmplification, ...]:
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


def _amplification(group: str, system: Tally, reference: Mapping[str, Tally]) -> DirectedAmplification:
    tally = reference[group]
    yes = sum(other.yes for other in reference.values())
    total = sum(other.total for other in reference.values())
    # The sign of P(g,C) - P(g)P(C), from whole numbers: no rounding can make up a direction.
    excess = tally.yes * total - tally.total * yes
    direction = (excess > 0) - (excess < 0)
    change = system.rate - tally.rate
    return DirectedAmplification(group, tally.rate, system.rate, direction, direction * change)


def mcnemar_of_images(first: Floats, second: Floats) -> McNemarTest:
    """Test two sources by whether an image has a label with a category, where both speak of the group.

    Both are images x (labels with the category, labels).
    """
    both = (first[:, 1] > 0) & (second[:, 1] > 0)
    here, there = first[both, 0] > 0, second[both, 0] > 0
    return mcnemar(int((here & ~there).sum()), int((there & ~here).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceFamily:
    """The contrasts of one pair of values that are compared with the references together."""

    sums: ReferenceSums
    pair: Pair

    def compare(self, keys: Sequence[CategoryKey]) -> list[Amplification | None]:
        """Compare each category of the family with the references; None where only other readings have it."""
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
        """Return the p of a change: exact over labels, with the variance over images."""
        system, reference = self.sums.tallies(place)
        table = CountTable.of(system[value], reference[value])
        return changed_p(table, self.sums.changes(place, value)[1:])

    def _side(self, place: int, value: str, p: float, q: float) -> ReferenceSide:
        system, reference = self.sums.tallies(place)
        directed = {item.group: item for item in amplify(system=system, reference=reference)}[value]
        amplified = self._estimate(self.sums.amplifications(place, value))
        paired = self._mcnemar(place, value)
        only = {"only_system": paired.only_first, "only_reference": paired.only_second}
        return ReferenceSide(
            system_rate=directed.system_rate,
            reference_rate=directed.reference_rate,
            direction=directed.direction,
            value=amplified.value,
            interval=amplified,
            change=self._estimate(self.sums.changes(place, value)),
            p=p,
            q=q,
            **only,
            mcnemar=McNemar(**only, p=paired.p),
        )

    def _mcnemar(self, place: int, value: str) -> McNemarTest:
        key, pairs = self.sums.keys[place], self.sums.pairs
        first, second = (source.image_tallies(self.sums.by, key, [value])[:, 0] for source in pairs.drawn)
        return mcnemar_of_images(first, second)

    def _estimate(self, samples: Floats) -> Estimate:
        return percentiles(samples[0], samples[1:], level=self.sums.settings.level)

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
    """Return the p of a rate against another on the same images, whose difference was resampled."""
    totals = np.array([[table.yes, table.labels], [table.other_yes, table.other_labels]], dtype=np.float64)
    effect = effect_of(_variance(samples), label_variance(totals, (1.0, -1.0)))
    return corrected_p(log_fisher_p(table), effect)


def gap_p(gap: float, variance: float, tallies: Sequence[Tally]) -> float:
    """Return the p of the difference between two differences, from its variance over images.

    That variance is never taken to be below the one of independent labels with one more label of each
    kind (Agresti & Caffo 2000): a bootstrap of a few labels is too sure of itself.
    """
    floor = math.fsum((t.yes + 1) * (t.no + 1) / (t.total + 2) ** 3 for t in tallies)
    deviation = math.sqrt(max(variance, floor))
    return math.nan if math.isnan(gap) else float(2 * ndtr(-abs(gap) / deviation))


def _variance(samples: Floats) -> float:
    defined = samples[~np.isnan(samples)]
    return float(defined.var()) if defined.size else 0.0


def gap_verdict(
    system: CountTable, reference: CountTable, gap: Estimate, q: float, settings: BiasSettings
) -> GapVerdict:
    """Return whether the system's gap is wider than the references', narrower, or the same within the margin.

    A gap of 5 points beside one of 20 the other way has changed by 25, and is narrower.
    """
    margin = settings.margin.of(system, reference)
    if q <= settings.alpha and abs(gap.value) > margin:
        return "wider" if abs(system.difference) > abs(reference.difference) else "narrower"
    return "same" if gap.within(-margin, margin) else "insufficient"


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
