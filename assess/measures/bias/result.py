"""The results for groups, as they are saved and returned to Python users: scripts rely on this format."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from assess.measures.bias.references import Amplification
from assess.measures.bias.strata import Strata
from assess.measures.bias.tables import CountTable, EstimateField, Tally
from assess.measures.bias.verdict import Verdict
from assess.measures.bias.words import Words
from assess.measures.measure import Model, Number
from assess.records import Role


def _positive(effect: float) -> float:
    if effect <= 0:
        raise ValueError("a design effect must be positive")
    return effect


Effect = Annotated[Number, AfterValidator(_positive)]
"""A design effect, by which numbers of labels are divided."""
CautionKind = Literal["reverses", "vanishes", "emerges", "opposed", "cancels", "reading", "images"]

ALWAYS = (
    "The words of a caption show how it describes a person, not who that person is.",
    "A system that never states a group cannot show a gap: one that only says “person” looks"
    " perfect. First check how many labels state a group.",
    "Equal rates are not always the goal: some screen reader users want captions to describe"
    " appearance, as long as they do so for everyone. People have to judge whether a"
    " difference does harm, ideally the people affected.",
)
"""Notes that apply to every contrast and accompany all of them."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A reason to quote a contrast with care."""

    kind: CautionKind
    text: str


def shown_name(role: Role, category: str) -> str:
    """Return a category's name as shown in reports: age, or head.age."""
    return category if role == "modifier" else f"{role}.{category}"


@dataclass(frozen=True, slots=True)
class Texts:
    """How many distinct texts have a category: a difference due to one text does not generalise to others."""

    distinct: int
    commonest: str
    share: Number  # share of the most common text in the labels with the category


class ValueRate(Model):
    """The labels of one value of a group, those with a category, and their share."""

    if_known: ClassVar[tuple[str, ...]] = ("design_effect",)

    yes: int
    labels: int
    rate: Number
    design_effect: Effect | None = None  # for the two contrasted values

    @classmethod
    def of(cls, tally: Tally, effect: float | None = None) -> ValueRate:
        """Return the rate of a tally."""
        return cls(yes=tally.yes, labels=tally.total, rate=tally.rate, design_effect=effect)


class Readings(Model):
    """The bounds due to ambiguity: what no other reading contradicts, and what any reading has."""

    yes: tuple[int, int]
    rate: tuple[Number, Number]
    other_yes: tuple[int, int]
    other_rate: tuple[Number, Number]
    risk_difference: EstimateField
    q: Number
    verdict: Verdict


class OverImages(Model):
    """The difference with an interval from resampling images."""

    risk_difference: EstimateField
    samples: int
    defined: int


class Uncorrected(Model):
    """The statistics if no labels shared an image: for comparison, not for quoting."""

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
    """A contrast pooled over all systems that have it, without references.

    Systems that describe the same images are not independent, so the interval is too narrow; what matters is
    the test of heterogeneity and the direction.
    """

    @property
    def name(self) -> str:
        """The category's name as shown in reports."""
        return shown_name(self.role, self.category)


class ContrastCell(Model):
    """A category in a system, for one value of a group versus another."""

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
    margin: Number = math.nan  # the largest difference that is irrelevant, given this base rate
    method: str = ""  # how p accounts for several labels per image
    design_effect: Effect = 1.0
    images: tuple[int, int] | None = None  # number of images with labels of the one value, and of the other
    uncorrected: Uncorrected | None = None
    texts: Texts | None = None
    rates: dict[str, ValueRate]  # for all values
    readings: Readings
    bootstrap: OverImages
    stratified: dict[str, Strata]  # name of another group or of a head category -> strata
    amplification: Amplification | None  # comparison with human references
    words: Words
    cautions: tuple[Caution, ...]
    extra: dict[str, Any] = Field(default_factory=dict)  # registered statistics

    @property
    def name(self) -> str:
        """The category's name as shown in reports."""
        return shown_name(self.role, self.category)

    @property
    def higher(self) -> str:
        """The value for which the category is used more often."""
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
    """A difference within one value of the other group: unpooled, and shrunk towards the mean of all."""

    risk_difference: EstimateField
    shrunk: EstimateField


class CrossedEffect(Model):
    """A category for two values of one group: over all labels, and within each value of the other group."""

    system: str
    category: str
    by: str  # the group of the two values, such as gender
    within: str  # the other group, such as age
    group: str
    against: str
    marginal: EstimateField
    mean: EstimateField  # mean of the cells
    deviation: Number  # between cells, beyond chance
    p: Number  # for the hypothesis that all cells have the same difference
    q: Number  # over all categories
    cells: dict[str, CrossedCell]


class Nouns(Model):
    """What nouns alone state, for each value that a file assigns to images."""

    by: str  # a group of the taxonomy
    # system -> value in the file -> value of the nouns -> labels
    labels: dict[str, dict[str, dict[str, int]]]


@dataclass(frozen=True, slots=True)
class Design:
    """How labels are concentrated in images, which makes rates less precise than their counts suggest.

    `crowding` is the design effect that a rate would have if all labels of an image were identical: the
    number of labels in the image of an average label. It is used for categories that never occur.
    """

    crowding: Mapping[str, Effect]  # by value, and over all labels
    effects: Mapping[str, Effect]  # modifier category -> design effect of its rate over all labels


class GroupResult(Model):
    """All results for one group, such as gender."""

    if_known: ClassVar[tuple[str, ...]] = ("nouns", "designs", "crossed")

    told_by: Literal["words", "images"]
    values: tuple[str, ...]
    columns: tuple[str, ...]  # the values, followed by others that occur: mixed, neutral
    pairs: tuple[tuple[str, str], ...]
    labels: dict[str, dict[str, int]]  # system -> value -> labels
    told: dict[str, EstimateField]  # share of each system's labels that state a value
    nouns: Nouns | None = None  # if values come from a file: what nouns state
    designs: dict[str, Design] = Field(default_factory=dict)  # system -> design
    cells: tuple[ContrastCell, ...]
    across: tuple[PooledContrast, ...]
    crossed: tuple[CrossedEffect, ...] = ()
    # The value of each label or image, which leads from a cell to its captions.
    members: dict[str, str] = Field(default_factory=dict, exclude=True)

    name: str = Field("", exclude=True)  # name of the group, which is its key in mappings

    @property
    def origin(self) -> str:
        """Where the values come from, for readers."""
        if self.told_by == "images":
            return f"Groups come from the file '{self.name}', regardless of what the captions say."
        return (
            "Groups come from the words of the captions, which are not identities. Neutral: no word states"
            f" the {self.name}."
        )

    @property
    def contrasts(self) -> dict[str, list[ContrastCell]]:
        """The contrasts of each system."""
        return {name: [cell for cell in self.cells if cell.system == name] for name in self.labels}
