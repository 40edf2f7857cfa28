"""Contrasts: how often two groups have each category, and whether the rates differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assess.measures.bias.association import Association, associate
from assess.measures.bias.clustering import ImageEvidence, design_effect, over_images
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import CategoryKey, LabelArrays, ReadingRule
from assess.measures.bias.references import Amplification, PairedImages, ReferenceFamily, ReferenceSums
from assess.measures.bias.result import (
    Caution,
    CautionKind,
    ContrastCell,
    OverImages,
    Readings,
    Texts,
    Uncorrected,
    ValueRate,
)
from assess.measures.bias.statistics import STATISTICS, ContrastInput, StatisticValue
from assess.measures.bias.strata import NO_SPLITS, Splits, Strata, stratified
from assess.measures.bias.tables import BootstrapInterval, CountTable, Estimate, Floats, ratio
from assess.measures.bias.verdict import BEYOND_CHANCE, Finding, Verdict, bootstrap, judge
from assess.measures.bias.words import Words, WordScore, WordTest, category_words, words_by_category
from assess.measures.group_settings import VerdictSettings
from assess.records import Analysis, Role
from assess.report.text import first_few


@dataclass(frozen=True, slots=True, eq=False)
class SystemLabels:
    """The data for the contrasts of one system."""

    name: str
    labels: LabelArrays
    texts: Sequence[str]  # the distinct labels
    analyses: Mapping[str, Analysis]
    paired: PairedImages | None  # None without references


@dataclass(frozen=True, slots=True, eq=False)
class ContrastFamily:
    """A declared family of tests: the categories of one role in one system, for one pair of values.

    A category is in the family if any reading of a label about either value uses it.
    """

    system: SystemLabels
    by: str
    pair: Pair
    role: Role
    sums: ReferenceSums | None  # comparison with references; None without references
    by_image: bool  # whether values come from a file of images
    same: frozenset[str]  # other groups that describe the same attribute
    told_in: frozenset[str]  # modifier categories whose words state the group
    settings: VerdictSettings

    def contrasts(self) -> list[ContrastCell]:
        """Judge every category of the family."""
        keys = [
            key
            for key in self.system.labels.keys(self.role)
            if not (self.role == "modifier" and key[1] in self.told_in) and self._table(key, "union").carrying
        ]
        images = {key: self.system.labels.image_tallies(self.by, key, self.pair) for key in keys}
        resampled = {key: bootstrap(images[key], self.settings) for key in keys}
        best, union = self._findings(keys, images, resampled)
        within, references = self._stratified(keys, best), self._references(keys)
        decided = [_reversed(finding, strata) for finding, strata in zip(best, within, strict=True)]
        scores, tests = self._scores(), self._tests()
        cells = (
            self._cell(
                key,
                decided[place],
                union[place],
                images[key],
                resampled[key],
                stratified=within[place],
                amplification=references[place],
                words=self._words(scores.get(key[1], ()), tests.get(key[1], ()), decided[place].verdict),
            )
            for place, key in enumerate(keys)
        )
        return [cell.model_copy(update={"cautions": tuple(_cautions(cell))}) for cell in cells]

    def _cell(
        self,
        key: CategoryKey,
        finding: Finding,
        union: Finding,
        images: Floats,
        bootstrap: BootstrapInterval,
        **beside: Any,
    ) -> ContrastCell:
        association, evidence = finding.association, finding.evidence
        return ContrastCell(
            **self._names(key),
            **association.table.counts,
            rate=association.rate.value,
            other_rate=association.other_rate.value,
            risk_difference=evidence.risk_difference,
            odds_ratio=evidence.odds_ratio,
            haldane=evidence.haldane,
            share=evidence.share,
            base_rate=association.base_rate,
            p=evidence.p,
            q=finding.q,
            smallest_p=association.smallest_p,
            verdict=finding.verdict,
            reason=finding.reason,
            margin=finding.margin,
            method=evidence.method,
            design_effect=evidence.design_effect,
            images=evidence.images,
            uncorrected=Uncorrected(
                risk_difference=association.risk_difference,
                odds_ratio=association.odds_ratio,
                p=association.p,
                q=finding.label_q,
            ),
            texts=self._texts(key),
            rates=self._rates(key, images),
            readings=self._readings(key, union),
            bootstrap=OverImages(
                risk_difference=bootstrap.estimate, samples=bootstrap.samples, defined=bootstrap.defined
            ),
            cautions=(),
            extra=self._extra(key, association, union.association.table, images),
            **beside,
        )

    def _names(self, key: CategoryKey) -> dict[str, Any]:
        role, category = key
        group, against = self.pair
        return {
            "system": self.system.name,
            "by": self.by,
            "role": role,
            "category": category,
            "group": group,
            "against": against,
        }

    def _extra(
        self, key: CategoryKey, association: Association, union: CountTable, images: Floats
    ) -> dict[str, StatisticValue]:
        if not STATISTICS:
            return {}
        contrast = ContrastInput(
            **self._names(key),
            association=association,
            union=union,
            certain=self._table(key, "certain"),
            rates=self.system.labels.tallies(self.by, key),
            images=images,
            settings=self.settings,
        )
        return {name: statistic.compute(contrast) for name, statistic in STATISTICS.items()}

    def _rates(self, key: CategoryKey, images: Floats) -> dict[str, ValueRate]:
        """Return the rate of every value; the two contrasted values also have design effects."""
        effects = {value: design_effect(images[:, [place]], (1.0,)) for place, value in enumerate(self.pair)}
        tallies = self.system.labels.tallies(self.by, key)
        return {value: ValueRate.of(tally, effects.get(value)) for value, tally in tallies.items()}

    def _readings(self, key: CategoryKey, union: Finding) -> Readings:
        bounds = (self._table(key, "certain"), union.evidence.table)
        return Readings(
            yes=tuple(table.yes for table in bounds),
            rate=tuple(table.group.rate for table in bounds),
            other_yes=tuple(table.other_yes for table in bounds),
            other_rate=tuple(table.other.rate for table in bounds),
            risk_difference=union.evidence.risk_difference,
            q=union.q,
            verdict=union.verdict,
        )

    def _words(self, scores: Sequence[WordScore], tests: Sequence[WordTest], verdict: Verdict) -> Words:
        """Return the words of a category, which may cancel each other if it shows no relevant difference."""
        opposite = {test.more_of for test in tests}.issuperset(self.pair)
        unshown = verdict in ("small", "none", "insufficient")
        return Words(scores=tuple(scores), tests=tuple(tests), cancels=opposite and unshown)

    def _table(self, key: CategoryKey, rule: ReadingRule) -> CountTable:
        return self.system.labels.table(self.by, key, self.pair, rule)

    def _findings(
        self,
        keys: Sequence[CategoryKey],
        images: Mapping[CategoryKey, Floats],
        resampled: Mapping[CategoryKey, BootstrapInterval],
    ) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the findings for the best reading, and those for all readings together."""
        known: dict[CountTable, Association] = {}

        def evidence(table: CountTable, tallies: Floats, resampled: BootstrapInterval) -> ImageEvidence:
            if table not in known:
                known[table] = associate(table, level=self.settings.level)
            permuted = (self.settings.samples, self.settings.seed) if self.by_image else None
            return over_images(known[table], tallies, resampled, permuted=permuted)

        best = [evidence(self._table(key, "best"), images[key], resampled[key]) for key in keys]
        union = []
        for key, found in zip(keys, best, strict=True):
            if (table := self._table(key, "union")) != found.table:
                tallies = self.system.labels.image_tallies(self.by, key, self.pair, "union")
                union.append(evidence(table, tallies, bootstrap(tallies, self.settings)))
            else:
                union.append(found)
        return judge(best, self.settings), judge(union, self.settings)

    def _stratified(
        self, keys: Sequence[CategoryKey], findings: Sequence[Finding]
    ) -> list[dict[str, Strata]]:
        """Stratify contrasts with enough evidence: with too few labels, strata show nothing either.

        A head category is not stratified by head categories.
        """
        labels = self.system.labels
        modifiers = self.role == "modifier"
        splits = Splits.of(labels, self.by, self.pair, self.same) if modifiers else NO_SPLITS
        return [
            stratified(
                labels,
                key,
                evidence=finding.evidence,
                splits=splits if finding.association.smallest_p <= self.settings.alpha else NO_SPLITS,
                settings=self.settings,
            )
            for key, finding in zip(keys, findings, strict=True)
        ]

    def _references(self, keys: Sequence[CategoryKey]) -> Sequence[Amplification | None]:
        if self.sums is None:
            return [None] * len(keys)
        return ReferenceFamily(self.sums, self.pair).compare(keys)

    def _scores(self) -> Mapping[str, tuple[WordScore, ...]]:
        """Return the words of each modifier category. Words of heads are not scored: they state the group."""
        if self.role == "head":
            return {}
        values, text = self.system.labels.values[self.by], self.system.labels.text
        counted = {
            value: Counter(self.system.texts[place] for place in text[values.are(value)].tolist())
            for value in self.pair
        }
        return words_by_category(counted, self.system.analyses, self.pair)

    def _tests(self) -> Mapping[str, Sequence[WordTest]]:
        if self.role == "head":
            return {}
        labels, texts = self.system.labels, self.system.texts
        return category_words(
            labels, texts, self.system.analyses, by=self.by, pair=self.pair, settings=self.settings
        )

    def _texts(self, key: CategoryKey) -> Texts:
        """Count the distinct texts of the two values that have a category."""
        labels = self.system.labels
        about = labels.values[self.by]
        rows = labels.has(key) & (about.are(self.pair[0]) | about.are(self.pair[1]))
        counts = np.bincount(labels.text[rows], minlength=1)
        most = int(counts.argmax())
        said = int(counts[most])
        name = self.system.texts[most] if said else ""
        return Texts(int(np.count_nonzero(counts)), name, ratio(said, int(counts.sum())))


def _reversed(finding: Finding, within: Mapping[str, Strata]) -> Finding:
    """Return the finding with the verdict `reversal` if its strata reverse the contrast."""
    turned = {name: s for name, s in within.items() if s.change == "reverses" and s.moved}
    if finding.verdict not in BEYOND_CHANCE or not turned:
        return finding
    return finding.reversed(_within("reverses", finding.association.odds_ratio.value, turned))


# Cautions for quoting a contrast.

OFTEN_MISSING = 0.05
"""If this share of samples lacks a group, the interval over the remaining samples is unreliable."""

_WITHIN: dict[CautionKind, str] = {
    "reverses": "the difference reverses",
    "vanishes": "the difference is no longer significant",
    "emerges": "a difference appears",
}


def _cautions(cell: ContrastCell) -> Iterator[Caution]:
    """Yield cautions from strata, other readings and the bootstrap."""
    within = cell.stratified
    for kind in _WITHIN:
        strata = {name: s for name, s in within.items() if s.change == kind and s.moved}
        if strata:
            yield Caution(kind, _within(kind, next(iter(strata.values())).crude.value, strata))
    opposed = {name: s.opposed for name, s in within.items() if s.change == "stays" and s.opposed}
    if opposed:
        named = "; ".join(f"{', '.join(values)} ({name})" for name, values in opposed.items())
        yield Caution("opposed", f"some strata show the opposite of the overall difference: {named}")
    if cell.words.cancels:
        told = (f"more for {value}: {first_few(cell.words.more_of(value), 3)}" for value in cell.pair)
        yield Caution("cancels", f"words differ in opposite directions ({'; '.join(told)})")
    if (union := cell.readings.verdict) != cell.verdict and cell.verdict != "reversal":
        yield Caution("reading", f"the verdict is {union} if all readings count, not only the best")
    if cell.verdict in BEYOND_CHANCE and (fragile := _fragile(cell.risk_difference, cell.bootstrap)):
        yield Caution("images", f"{fragile}: the difference rests on few images")


def _fragile(difference: Estimate, bootstrap: OverImages) -> str | None:
    """Return why the bootstrap over images casts doubt on a difference; None if it does not."""
    if not difference.excludes(0.0):
        return "the interval over images includes 0"
    missing = 1 - bootstrap.defined / bootstrap.samples
    # A percentile interval covers the samples that have both groups, and is overconfident with few images.
    return f"a group is missing in {missing:.0%} of the resamples" if missing > OFTEN_MISSING else None


def _within(kind: CautionKind, overall: float, within: Mapping[str, Strata]) -> str:
    """Say how a contrast changes within strata, with the odds ratios overall and within each of them."""
    ratios = ", ".join(f"{_odds(strata.common.value)} within {name}" for name, strata in within.items())
    told = f"{_WITHIN[kind]} once {' or '.join(within)} is taken into account"
    return f"{told} (odds ratio {_odds(overall)} overall, {ratios})"


def _odds(value: float) -> str:
    if math.isnan(value):
        return "undefined"
    return "infinite" if math.isinf(value) else f"{value:.2g}"
