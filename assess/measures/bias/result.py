"""What was found of groups, as it is saved and given to Python: the contract that scripts rely on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from assess.measures.bias.references import Amplification
from assess.measures.bias.strata import Strata
from assess.measures.bias.tables import CountTable, EstimateField, Tally
from assess.measures.bias.verdict import Verdict
from assess.measures.bias.words import Words
from assess.measures.measure import Model, Number
from assess.records import Role

CautionKind = Literal["reverses", "vanishes", "emerges", "opposed", "cancels", "reading", "images"]

ALWAYS = (
    "The words of a caption show how it describes a person, not who that person is.",
    "A system that never states a group cannot show a gap: one that only says “person” looks"
    " perfect. First check how many labels state a group.",
    "Equal rates are not always the goal: some screen reader users want captions to describe"
    " appearance, as long as they do so for everyone. People have to judge whether a"
    " difference does harm, ideally the people affected.",
)
"""What holds for every contrast, and belongs beside all of them."""


@dataclass(frozen=True, slots=True)
class Caution:
    """One reason not to take a contrast at its face value."""

    kind: CautionKind
    text: str


def shown_name(role: Role, category: str) -> str:
    """Return a category as reports show it: age, and head.age."""
    return category if role == "modifier" else f"{role}.{category}"


@dataclass(frozen=True, slots=True)
class Texts:
    """How many different texts carry a category: a difference of one text says little of the others."""

    distinct: int
    commonest: str
    share: Number  # of the labels with the category that have the commonest text


class ValueRate(Model):
    """The labels of one value of a group, those with a category, and their share."""

    if_known: ClassVar[tuple[str, ...]] = ("design_effect",)

    yes: int
    labels: int
    rate: Number
    design_effect: Number | None = None  # of the two values that are contrasted

    @classmethod
    def of(cls, tally: Tally, effect: float | None = None) -> ValueRate:
        """Return the rate of a tally."""
        return cls(yes=tally.yes, labels=tally.total, rate=tally.rate, design_effect=effect)


class Readings(Model):
    """The bounds that ambiguity leaves: what no reading says otherwise, and what any reading says."""

    yes: tuple[int, int]
    rate: tuple[Number, Number]
    other_yes: tuple[int, int]
    other_rate: tuple[Number, Number]
    risk_difference: EstimateField
    q: Number
    verdict: Verdict


class OverImages(Model):
    """The difference with an interval by resampling images."""

    risk_difference: EstimateField
    samples: int
    defined: int


class Uncorrected(Model):
    """What the same labels would say if none of them shared an image: to compare with, not to quote."""

    risk_difference: EstimateField
    odds_ratio: EstimateField
    p: Number
    q: Number


class _Contrasted(Model):
    role: Role
    category: str
    group: str
    against: str


class PooledContrast(Strata, _Contrasted):
    """A contrast in all systems that have it. References are no systems.

    Systems that describe the same images are not independent, so the interval is too narrow; the test of
    heterogeneity and the direction are what to read.
    """

    @property
    def name(self) -> str:
        """The category as reports show it."""
        return shown_name(self.role, self.category)


class ContrastCell(Model):
    """A category of a system, for one value of a group against another."""

    if_known: ClassVar[tuple[str, ...]] = ("extra", "uncorrected", "texts")

    system: str
    by: str  # the group, such as gender
    category: str
    role: Role
    group: str  # the value, such as female
    against: str
    yes: int
    labels: int
    other_yes: int
    other_labels: int
    rate: Number
    other_rate: Number
    risk_difference: EstimateField
    odds_ratio: EstimateField
    haldane: EstimateField
    share: EstimateField
    base_rate: Number
    p: Number
    q: Number
    smallest_p: Number
    verdict: Verdict
    reason: str
    margin: Number = math.nan  # the difference up to which none matters, at this base rate
    method: str = ""  # how p accounts for several labels per image
    design_effect: Number = 1.0
    images: tuple[int, int] | None = None  # that have labels of the one value and of the other
    uncorrected: Uncorrected | None = None
    texts: Texts | None = None
    rates: dict[str, ValueRate]  # of all values
    readings: Readings
    bootstrap: OverImages
    stratified: dict[str, Strata]  # by the name of another group or of a head category
    amplification: Amplification | None  # beside human references
    words: Words
    cautions: tuple[Caution, ...]
    extra: dict[str, Any] = Field(default_factory=dict)  # statistics that were registered

    @property
    def name(self) -> str:
        """The category as reports show it."""
        return shown_name(self.role, self.category)

    @property
    def higher(self) -> str:
        """The value of which the category is said more often."""
        return self.group if self.risk_difference.value >= 0 else self.against

    @property
    def pair(self) -> tuple[str, str]:
        """The two values."""
        return self.group, self.against

    @property
    def table(self) -> CountTable:
        """The counts of the best reading."""
        return CountTable(self.yes, self.labels, self.other_yes, self.other_labels)


@dataclass(frozen=True, slots=True)
class CrossedCell(CountTable):
    """A difference within one value of the other group: by itself, and drawn towards the mean of all."""

    risk_difference: EstimateField
    shrunk: EstimateField


class CrossedEffect(Model):
    """A category for two values of one group: over all labels, and within each value of the others."""

    system: str
    category: str
    by: str  # the group of the two values, such as gender
    within: str  # the other, such as age
    group: str
    against: str
    marginal: EstimateField
    mean: EstimateField  # of the cells
    deviation: Number  # between cells, beyond chance
    p: Number  # of one difference in all cells
    q: Number  # among all categories
    cells: dict[str, CrossedCell]


class Nouns(Model):
    """What the nouns of labels tell by themselves, for each value that a file tells of their images."""

    by: str  # a group of the taxonomy
    labels: dict[str, dict[str, dict[str, int]]]  # by system, by the file's value, by that of the nouns


@dataclass(frozen=True, slots=True)
class Design:
    """How the labels of a system crowd in images, which makes rates less sure than their labels are many.

    `crowding` is the design effect that a rate would have if all labels of an image were alike: the number
    of labels in the image of an average label. It stands in where a category is never said.
    """

    crowding: Mapping[str, Number]  # by value, and of all labels
    effects: Mapping[str, Number]  # by modifier category, of the rate over all labels


class GroupResult(Model):
    """All results for one group, such as gender."""

    if_known: ClassVar[tuple[str, ...]] = ("nouns", "designs", "crossed")

    told_by: Literal["words", "images"]
    values: tuple[str, ...]
    columns: tuple[str, ...]  # the values, and what else occurs: mixed, neutral
    pairs: tuple[tuple[str, str], ...]
    labels: dict[str, dict[str, int]]  # by system and value
    told: dict[str, EstimateField]  # the share of a system's labels that tell a value
    nouns: Nouns | None = None  # where a file tells the values: what the nouns tell beside it
    designs: dict[str, Design] = Field(default_factory=dict)  # by system
    cells: tuple[ContrastCell, ...]
    across: tuple[PooledContrast, ...]
    crossed: tuple[CrossedEffect, ...] = ()
    # Whom each label, or each image, is about: what leads from a cell back to its captions.
    members: dict[str, str] = Field(default_factory=dict, exclude=True)

    name: str = Field("", exclude=True)  # the key of the group, wherever groups stand by name

    @property
    def contrasts(self) -> dict[str, list[ContrastCell]]:
        """The contrasts of each system."""
        return {name: [cell for cell in self.cells if cell.system == name] for name in self.labels}
