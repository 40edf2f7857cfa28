"""What was found of groups, as it is saved and given to Python: the contract that scripts rely on."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from pydantic import Field

from assess.measures.bias import compute
from assess.measures.bias.compute import Design, GroupAudit, Nouns
from assess.measures.bias.contrasts import Caution, Contrast, Texts, shown_name
from assess.measures.bias.crossed import CrossedEffect
from assess.measures.bias.references import (
    Amplification,
    Counts,
    EstimateField,
    counts_of,
)
from assess.measures.bias.strata import Heterogeneity, Stratified
from assess.measures.bias.verdict import Verdict
from assess.measures.bias.words import PRIOR, CategoryWords, WordScore
from assess.measures.bias.words import WordTest as TestedWord
from assess.measures.measure import Model, Number
from assess.records import Role


class ValueRate(Model):
    """The labels of one value of a group, those with a category, and their share."""

    if_known: ClassVar[tuple[str, ...]] = ("design_effect",)

    yes: int
    labels: int
    rate: Number
    design_effect: Number | None = None  # of the two values that are contrasted


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


class StratumCounts(Counts):
    """A contrast in one stratum."""

    odds_ratio: EstimateField


class Strata(Model):
    """A contrast among labels that are alike in something else."""

    change: str
    crude: EstimateField
    common: EstimateField
    pooled: EstimateField | None
    breslow_day: Heterogeneity
    opposed: tuple[str, ...]  # strata that go the other way
    strata: dict[str, StratumCounts]


class _Contrasted(Model):
    role: Role
    category: str
    group: str
    against: str


class PooledContrast(Strata, _Contrasted):
    """A contrast in all systems together."""

    @property
    def name(self) -> str:
        """The category as reports show it."""
        return shown_name(self.role, self.category)


class WordTest(Counts):
    """A word of a category, tested like a category among all words of its system and pair."""

    word: str
    risk_difference: EstimateField
    p: Number
    q: Number
    more_of: str | None  # the value of which it is said more, beyond chance


class Words(Model):
    """The words behind a difference.

    Scores show where to look, and are no findings. Tests are, in a family of their own: a category without a
    disparity whose words go opposite ways beyond chance cancels.
    """

    exploratory: bool = True
    prior: float | str = PRIOR
    scores: tuple[WordScore, ...] = ()
    tests: tuple[WordTest, ...] = ()
    cancels: bool = False


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


def group_result(group: GroupAudit) -> GroupResult:
    """Return the results for one group."""
    return GroupResult(
        name=group.name,
        told_by="words" if group.file is None else "images",
        values=group.values,
        columns=group.columns,
        pairs=group.pairs,
        labels={name: dict(sorted(counts.items())) for name, counts in group.labels.items()},
        told={name: group.stated_share(name) for name in group.labels},
        nouns=group.nouns,
        designs=dict(group.designs),
        cells=tuple(contrast_cell(contrast) for found in group.contrasts.values() for contrast in found),
        across=tuple(_pooled_contrast(pooled) for pooled in group.pooled),
        crossed=group.crossed,
        members=dict(group.members),
    )


def contrast_cell(contrast: Contrast) -> ContrastCell:
    """Return a contrast as a result."""
    association, evidence = contrast.association, contrast.evidence
    union = contrast.union.evidence
    return ContrastCell(
        system=contrast.system,
        by=contrast.by,
        category=contrast.category,
        role=contrast.role,
        group=contrast.group,
        against=contrast.against,
        **counts_of(association.table),
        rate=association.rate.value,
        other_rate=association.other_rate.value,
        risk_difference=evidence.risk_difference,
        odds_ratio=evidence.odds_ratio,
        haldane=evidence.haldane,
        share=evidence.share,
        base_rate=association.base_rate,
        p=evidence.p,
        q=contrast.finding.q,
        smallest_p=association.smallest_p,
        verdict=contrast.finding.verdict,
        reason=contrast.finding.reason,
        margin=contrast.finding.margin,
        method=evidence.method,
        design_effect=evidence.design_effect,
        images=evidence.images,
        uncorrected=Uncorrected(
            risk_difference=association.risk_difference,
            odds_ratio=association.odds_ratio,
            p=association.p,
            q=contrast.finding.label_q,
        ),
        texts=contrast.texts,
        rates={
            value: ValueRate(
                yes=tally.yes,
                labels=tally.total,
                rate=tally.rate,
                design_effect=contrast.rate_effects.get(value),
            )
            for value, tally in contrast.rates.items()
        },
        readings=Readings(
            yes=(contrast.certain.yes, union.table.yes),
            rate=(contrast.certain.group.rate, union.table.group.rate),
            other_yes=(contrast.certain.other_yes, union.table.other_yes),
            other_rate=(contrast.certain.other.rate, union.table.other.rate),
            risk_difference=union.risk_difference,
            q=contrast.union.q,
            verdict=contrast.union.verdict,
        ),
        bootstrap=OverImages(
            risk_difference=contrast.bootstrap.estimate,
            samples=contrast.bootstrap.samples,
            defined=contrast.bootstrap.defined,
        ),
        stratified={name: Strata(**_strata(strata)) for name, strata in contrast.stratified.items()},
        amplification=contrast.references,
        words=Words(
            scores=contrast.words,
            tests=tuple(_word_test(test, contrast.opposed) for test in contrast.opposed.tests),
            cancels=contrast.cancels,
        ),
        cautions=contrast.cautions,
        extra=dict(contrast.extra),
    )


def _word_test(test: TestedWord, among: CategoryWords) -> WordTest:
    return WordTest(
        **counts_of(test.table),
        word=test.word,
        risk_difference=test.difference,
        p=test.p,
        q=test.q,
        more_of=among.more_of(test.word),
    )


def _strata(strata: Stratified) -> dict[str, Any]:
    return {
        "change": strata.change,
        "crude": strata.crude,
        "common": strata.common,
        "pooled": strata.pooled,
        "breslow_day": strata.heterogeneity,
        "opposed": strata.opposed,
        "strata": {
            stratum.name: StratumCounts(**counts_of(stratum.table), odds_ratio=stratum.odds_ratio)
            for stratum in strata.strata
        },
    }


def _pooled_contrast(pooled: compute.PooledContrast) -> PooledContrast:
    return PooledContrast(
        role=pooled.role,
        category=pooled.category,
        group=pooled.group,
        against=pooled.against,
        **_strata(pooled.by_system),
    )
