"""How the invented systems and the references describe people: how they call them and what they say.

Every number is a percentage of the labels of that group. They are dealt exactly, not by coin flips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from scenes import Age, Gender

HeadKind = Literal["plain", "casual", "neutral", "job", "neutral-job"]
GENDERED_KINDS: frozenset[HeadKind] = frozenset({"plain", "casual", "job"})
GARMENT = "garment"  # "in a red coat": said after the head, so no modifier of the person


@dataclass(frozen=True, slots=True)
class Percent:
    """How many percent of the labels of women and girls, and of men and boys, say something."""

    female: int
    male: int

    def of(self, gender: Gender) -> int:
        """Return the percentage of one group."""
        return self.female if gender == "female" else self.male


def alike(percent: int) -> Percent:
    """Return the same percentage for both."""
    return Percent(percent, percent)


@dataclass(frozen=True, slots=True)
class Style:
    """The habits of one source of captions."""

    name: str
    seed: int
    heads: Mapping[Age, Mapping[HeadKind, int]]  # percent of single persons; the rest is plain
    says: Mapping[str, Percent]


NO_OTHER_HEADS: Mapping[Age, Mapping[HeadKind, int]] = MappingProxyType({"adult": {}, "child": {}})

BLAND = Style(
    name="bland",
    seed=11,
    heads={"adult": {"neutral": 10}, "child": {"neutral": 10}},
    says={"age": alike(5)},
)

RICH = Style(
    name="rich",
    seed=12,
    heads={"adult": {"casual": 6, "job": 9, "neutral-job": 9}, "child": {"neutral": 6}},
    says={
        "age": alike(24),
        "mood": alike(16),
        "ethnicity": alike(14),
        "occupation-or-social-group": alike(10),
        "hair-color": alike(9),
        "hair-length": alike(8),
        "height": alike(8),
        "clothing-color": alike(7),
        "clothing-other": alike(7),
        "hair-style": alike(6),
        "kind-of-clothing": alike(5),
        "fitness": alike(5),
        "accessories": alike(5),
        "attractiveness": alike(4),
        "weight": alike(4),
        "skin-other": alike(4),
        GARMENT: alike(50),
    },
)

SKEWED = Style(
    name="skewed",
    seed=13,
    heads=NO_OTHER_HEADS,
    says={
        "attractiveness": Percent(female=26, male=3),
        "hair-color": Percent(female=20, male=3),
        "hair-length": Percent(female=14, male=2),
        "occupation-or-social-group": Percent(female=3, male=25),
        "age": alike(14),
        "mood": alike(12),
        "clothing-color": alike(8),
        "clothing-other": alike(8),
        "ethnicity": alike(6),
        "height": alike(4),
    },
)

# Where the references lean at all they lean by a point, which is within chance. The lean gives
# measures of bias amplification a sign to start from.
REFERENCES = Style(
    name="references",
    seed=14,
    heads={"adult": {"casual": 10, "neutral": 10}, "child": {"neutral": 20}},
    says={
        "age": alike(18),
        "mood": alike(7),
        "hair-color": Percent(female=5, male=4),
        "hair-length": Percent(female=4, male=3),
        "attractiveness": Percent(female=4, male=3),
        "occupation-or-social-group": Percent(female=3, male=4),
        "clothing-color": alike(3),
        "clothing-other": alike(3),
        "ethnicity": alike(4),
        "height": alike(3),
        "kind-of-clothing": alike(2),
        GARMENT: alike(25),
    },
)

SYSTEMS = (BLAND, RICH, SKEWED)
EFFECTS = ("attractiveness", "hair-color", "hair-length", "occupation-or-social-group")  # of `skewed`
