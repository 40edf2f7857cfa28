"""What was found of groups, as it is saved and given to Python: the contract that scripts rely on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from assess.measures.bias import compute
from assess.measures.bias.compute import GroupAudit
from assess.measures.bias.contrasts import Contrast, shown_name
from assess.measures.bias.references import ReferenceChange, ReferenceComparison
from assess.measures.bias.strata import Stratified
from assess.measures.bias.tables import CountTable, Estimate
from assess.measures.bias.words import PRIOR, DelicateCategory
from assess.measures.measure import Model, Number
from assess.records import Role
from assess.report.text import number
from assess.taxonomy.model import Evidence, Sensitivity

Verdict = Literal["disparity", "none", "insufficient"]


def _estimate(value: Any) -> Any:
    return Estimate(*map(number, value)) if isinstance(value, Sequence) else value


def triple(estimate: Estimate) -> list[float]:
    """Return a value and the ends of its interval, as JSON has them."""
    return [estimate.value, estimate.low, estimate.high]


EstimateField = Annotated[Estimate, BeforeValidator(_estimate), PlainSerializer(triple)]
"""A value and the ends of its interval; in JSON a list of three numbers."""


class Counts(Model):
    """Labels of two values of a group, and those of them that carry a category."""

    yes: int
    labels: int
    other_yes: int
    other_labels: int

    @property
    def difference(self) -> float:
        """The rate of the first minus that of the second; undefined where a value has no labels."""
        table = CountTable(self.yes, self.labels, self.other_yes, self.other_labels)
        return table.group.rate - table.other.rate


class ValueRate(Model):
    """The labels of one value of a group, those with a category, and their share."""

    yes: int
    labels: int
    rate: Number


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


class BreslowDay(Model):
    """Whether odds ratios differ between strata."""

    statistic: Number
    degrees: int
    p: Number


class StratumCounts(Counts):
    """A contrast in one stratum."""

    odds_ratio: EstimateField


class Strata(Model):
    """A contrast among labels that are alike in something else."""

    change: str
    crude: EstimateField
    common: EstimateField
    pooled: EstimateField | None
    breslow_day: BreslowDay
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


class ReferenceSide(Model):
    """How often a category is said of one value, in a system and in references of the same images."""

    system_rate: Number
    reference_rate: Number
    direction: int
    value: Number
    change: EstimateField
    only_system: int
    only_reference: int
    p: Number
    q: Number


class Amplification(Model):
    """A contrast beside human references of the same images, one drawn for each."""

    images: int
    system: Counts
    reference: Counts
    risk_difference_change: EstimateField
    group: ReferenceSide
    against: ReferenceSide


class WordScore(Model):
    """A word behind a difference."""

    word: str
    count: int
    other_count: int
    log_odds: Number
    z: Number


class Words(Model):
    """The words behind a difference: where to look, and no finding."""

    exploratory: bool = True
    prior: float | str = PRIOR
    scores: tuple[WordScore, ...] = ()


class Caution(Model):
    """What must be known before a contrast is quoted."""

    kind: str
    text: str


class ContrastCell(Model):
    """A category of a system, for one value of a group against another."""

    if_known: ClassVar[tuple[str, ...]] = ("extra",)

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


class Nouns(Model):
    """Where a file tells the values of images: what the nouns tell beside it."""

    by: str
    labels: dict[str, dict[str, dict[str, int]]]


class GroupResult(Model):
    """All results for one group, such as gender."""

    if_known: ClassVar[tuple[str, ...]] = ("nouns",)

    told_by: Literal["words", "images"]
    values: tuple[str, ...]
    columns: tuple[str, ...]  # the values, and what else occurs: mixed, neutral
    pairs: tuple[tuple[str, str], ...]
    labels: dict[str, dict[str, int]]  # by system and value
    told: dict[str, EstimateField]  # the share of a system's labels that tell a value
    nouns: Nouns | None = None
    cells: tuple[ContrastCell, ...]
    across: tuple[PooledContrast, ...]
    # Whom each label, or each image, is about: what leads from a cell back to its captions.
    members: dict[str, str] = Field(default_factory=dict, exclude=True)

    name: str = Field("", exclude=True)  # the key of the group, wherever groups stand by name

    @property
    def contrasts(self) -> dict[str, list[ContrastCell]]:
        """The contrasts of each system."""
        return {name: [cell for cell in self.cells if cell.system == name] for name in self.labels}


class MarkedCategory(Model):
    """A delicate category that is used at all: by whom, and with which of its words."""

    category: str
    evidence: Evidence
    sensitivity: Sensitivity
    labels: dict[str, int]  # by system, in the best reading
    most: dict[str, int]  # by system, in any reading
    words: dict[str, dict[str, int]]  # by system, commonest first
    never: tuple[str, ...]  # words of the taxonomy that no system says


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
        nouns=Nouns(by=group.nouns.by, labels=_sorted_counts(group.nouns.labels)) if group.nouns else None,
        cells=tuple(contrast_cell(contrast) for found in group.contrasts.values() for contrast in found),
        across=tuple(_pooled_contrast(pooled) for pooled in group.pooled),
        members=dict(group.members),
    )


def _sorted_counts(labels: Any) -> dict[str, dict[str, dict[str, int]]]:
    return {
        system: {value: dict(sorted(counts.items())) for value, counts in values.items()}
        for system, values in labels.items()
    }


def contrast_cell(contrast: Contrast) -> ContrastCell:
    """Return a contrast as a result."""
    association, union = contrast.association, contrast.union.association
    return ContrastCell(
        system=contrast.system,
        by=contrast.by,
        category=contrast.category,
        role=contrast.role,
        group=contrast.group,
        against=contrast.against,
        **_counts(association.table),
        rate=association.rate.value,
        other_rate=association.other_rate.value,
        risk_difference=association.risk_difference,
        odds_ratio=association.odds_ratio,
        haldane=association.haldane,
        share=association.share,
        base_rate=association.base_rate,
        p=association.p,
        q=contrast.finding.q,
        smallest_p=association.smallest_p,
        verdict=contrast.finding.verdict,
        reason=contrast.finding.reason,
        rates={
            value: ValueRate(yes=tally.yes, labels=tally.total, rate=tally.rate)
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
        amplification=_amplification(contrast.references) if contrast.references else None,
        words=Words(
            scores=tuple(
                WordScore(
                    word=score.word,
                    count=score.count,
                    other_count=score.other_count,
                    log_odds=score.log_odds,
                    z=score.z,
                )
                for score in contrast.words
            )
        ),
        cautions=tuple(Caution(kind=caution.kind, text=caution.text) for caution in contrast.cautions),
        extra=dict(contrast.extra),
    )


def _counts(table: CountTable) -> dict[str, int]:
    return {
        "yes": table.yes,
        "labels": table.labels,
        "other_yes": table.other_yes,
        "other_labels": table.other_labels,
    }


def _strata(strata: Stratified) -> dict[str, Any]:
    return {
        "change": strata.change,
        "crude": strata.crude,
        "common": strata.common,
        "pooled": strata.pooled,
        "breslow_day": BreslowDay(
            statistic=strata.heterogeneity.statistic,
            degrees=strata.heterogeneity.degrees,
            p=strata.heterogeneity.p,
        ),
        "opposed": strata.opposed,
        "strata": {
            stratum.name: StratumCounts(**_counts(stratum.table), odds_ratio=stratum.odds_ratio)
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


def _amplification(referenced: ReferenceComparison) -> Amplification:
    return Amplification(
        images=referenced.images,
        system=Counts(**_counts(referenced.system)),
        reference=Counts(**_counts(referenced.reference)),
        risk_difference_change=referenced.gap,
        group=_reference_side(referenced.group),
        against=_reference_side(referenced.against),
    )


def _reference_side(beside: ReferenceChange) -> ReferenceSide:
    return ReferenceSide(
        system_rate=beside.amplification.system_rate,
        reference_rate=beside.amplification.reference_rate,
        direction=beside.amplification.direction,
        value=beside.amplification.value,
        change=beside.change,
        only_system=beside.paired.only_first,
        only_reference=beside.paired.only_second,
        p=beside.paired.p,
        q=beside.q,
    )


def marked_category(marked: DelicateCategory) -> MarkedCategory:
    """Return a delicate category as a result."""
    return MarkedCategory(
        category=marked.category,
        evidence=marked.evidence,
        sensitivity=marked.sensitivity,
        labels=dict(marked.labels),
        most=dict(marked.most),
        words={system: dict(words) for system, words in marked.words.items()},
        never=marked.never,
    )
