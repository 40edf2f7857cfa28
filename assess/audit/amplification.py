"""Against human references: does a system say a category more unevenly than people do?

References are not ground truth; they are another source of captions. Compare one reference an image:
a word in 4% of captions is in 18.5% of images when any of five captions counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.special import bdtr

from assess.audit.tables import Tally, ratio
from assess.errors import UsageError


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

    @property
    def change(self) -> float:
        """The rate of the system less the rate of the references, whatever the direction."""
        return self.system_rate - self.reference_rate


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
    direction = _direction(tally, reference)
    change = system.rate - tally.rate
    return Amplification(group, tally.rate, system.rate, direction, direction * change)


def _direction(tally: Tally, reference: Mapping[str, Tally]) -> int:
    """Return the sign of P(g,C) - P(g)P(C), from whole numbers: no rounding can make up a direction."""
    yes = sum(other.yes for other in reference.values())
    total = sum(other.total for other in reference.values())
    excess = tally.yes * total - tally.total * yes
    return (excess > 0) - (excess < 0)


def mean_amplification(cells: Sequence[Amplification]) -> float:
    """Return the mean over cells. Show it beside the cells, never alone: their signs cancel.

    One undefined cell makes the mean undefined.
    """
    return ratio(math.fsum(cell.value for cell in cells), len(cells))


@dataclass(frozen=True, slots=True)
class Paired:
    """Exact McNemar test on paired images: only the images that differ count."""

    only_first: int
    only_second: int
    p: float
    smallest_p: float


def mcnemar(only_first: int, only_second: int) -> Paired:
    """Test images where only one of two sources says a category (exact, two-sided)."""
    if min(only_first, only_second) < 0:
        raise UsageError(f"{only_first} and {only_second} are not numbers of images")
    discordant = only_first + only_second
    p = 2 * float(bdtr(min(only_first, only_second), discordant, 0.5))
    return Paired(only_first, only_second, min(1.0, p), min(1.0, 2 * 0.5**discordant))


def rate_in_any_of(rate: float, captions: int) -> float:
    """Return how often at least one of several independent captions says what each says at this rate."""
    return float(1 - (1 - rate) ** captions)
