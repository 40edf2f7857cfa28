"""Contrasts: how often each category is said of one group and of another, and whether that differs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from assess.measures.bias.association import Association, associate
from assess.measures.bias.clustering import ImageEvidence, design_effect, over_images
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import CategoryKey, LabelArrays, ReadingRule
from assess.measures.bias.paired import PairedImages, ReferenceSums
from assess.measures.bias.references import Amplification, ReferenceFamily
from assess.measures.bias.statistics import ContrastInput, StatisticValue, compute_statistics
from assess.measures.bias.strata import Stratified, stratified, stratifiers
from assess.measures.bias.tables import BootstrapInterval, CountTable, Estimate, Floats, Tally, ratio
from assess.measures.bias.verdict import BEYOND_CHANCE, BiasSettings, Finding, judge
from assess.measures.bias.words import NO_WORDS, CategoryWords, WordScore, category_words, words_by_category
from assess.measures.measure import Number
from assess.records import Analysis, Role

CautionKind = Literal["reverses", "vanishes", "emerges", "opposed", "cancels", "reading", "images"]
OFTEN_MISSING = 0.05
"""So many samples without a group make an interval over the others worthless."""

ALWAYS = (
    "The words of a caption tell how it speaks of somebody, not who that person is.",
    "Systems that never state a group cannot show a gap: one that only says “person” looks perfect. Check"
    " first how many labels state one.",
    "Equal rates are not always the goal: some people who use screen readers want looks described, as long as"
    " everyone's are. Whether a difference does harm is for people to judge, ideally those it concerns.",
)
"""What holds for every contrast, and belongs beside all of them."""

_WITHIN: dict[CautionKind, str] = {
    "reverses": "the sign reverses",
    "vanishes": "the difference vanishes",
    "emerges": "a difference emerges",
}


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


@dataclass(frozen=True, slots=True)
class Contrast:
    """A category of a system, for one value of a group against another."""

    system: str
    by: str  # the group, such as gender
    role: Role
    category: str
    group: str  # the value, such as female
    against: str
    finding: Finding  # of the best reading
    union: Finding  # of all readings together: the most that can have been said
    certain: CountTable  # what no reading says otherwise: the least that can have been said
    rates: Mapping[str, Tally]  # of every value, also of those that tell nothing (neutral)
    bootstrap: BootstrapInterval  # the risk difference over images
    stratified: Mapping[str, Stratified]  # by the name of another group or of a head category
    references: Amplification | None  # beside human references of the same images
    words: tuple[WordScore, ...]  # exploratory
    opposed: CategoryWords  # the words of the category, tested in a family of their own
    texts: Texts
    rate_effects: Mapping[str, float]  # the design effect of each of the two rates
    extra: Mapping[str, StatisticValue] = field(default_factory=dict)  # by key, those that were registered

    @property
    def association(self) -> Association:
        """The statistics of the best reading, as if labels were independent."""
        return self.finding.association

    @property
    def evidence(self) -> ImageEvidence:
        """The statistics of the best reading, with images as the unit."""
        return self.finding.evidence

    @property
    def cancels(self) -> bool:
        """Whether words go opposite ways in a category that by itself shows no difference that matters."""
        return self.opposed.opposite and self.finding.verdict in ("small", "none", "insufficient")

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What must be known before this contrast is quoted."""
        return tuple(_cautions(self))

    @property
    def name(self) -> str:
        """The category as reports show it."""
        return shown_name(self.role, self.category)

    @property
    def higher(self) -> str:
        """The value of which the category is said more often."""
        return self.group if self.association.risk_difference.value >= 0 else self.against


def _cautions(contrast: Contrast) -> Iterator[Caution]:
    """Yield what stratifying, other readings and the bootstrap say against a contrast."""
    verdict, within = contrast.finding.verdict, contrast.stratified
    for kind, what in _WITHIN.items():
        strata = {name: s for name, s in within.items() if s.change == kind and s.moved}
        if strata:
            named = ", ".join(f"{name} ({_odds(s.common.value)})" for name, s in strata.items())
            overall = _odds(next(iter(strata.values())).crude.value)
            yield Caution(kind, f"odds ratio {overall} overall, but {what} within {named}")
    opposed = {name: s.opposed for name, s in within.items() if s.change == "stays" and s.opposed}
    if opposed:
        named = "; ".join(f"{', '.join(values)} ({name})" for name, values in opposed.items())
        yield Caution("opposed", f"some strata show the opposite of the whole: {named}")
    if contrast.cancels:
        first, second = map(contrast.opposed.more, (contrast.group, contrast.against))
        yield Caution(
            "cancels",
            f"words go opposite ways (more for {contrast.group}: {_some(first)};"
            f" more for {contrast.against}: {_some(second)})",
        )
    if (union := contrast.union.verdict) != verdict and verdict != "reversal":
        yield Caution("reading", f"the verdict is {union} when all readings count, not only the best")
    if verdict in BEYOND_CHANCE and (
        fragile := _fragile(contrast.evidence.risk_difference, contrast.bootstrap)
    ):
        yield Caution("images", f"{fragile}: few images carry the difference")


def _fragile(difference: Estimate, bootstrap: BootstrapInterval) -> str | None:
    """Return what the bootstrap over images says against a difference, if anything."""
    if not difference.excludes(0.0):
        return "the interval over images holds 0"
    missing = 1 - bootstrap.defined / bootstrap.samples
    # A percentile interval is over the samples that have both groups, and sure of itself if few images do.
    return (
        f"a group is missing in {missing:.0%} of the samples of images" if missing > OFTEN_MISSING else None
    )


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - 3} more" if len(words) > 3 else ""
    return ", ".join(words[:3]) + more


def _odds(value: float) -> str:
    return "nothing left to compare" if math.isnan(value) else f"{value:.2g}"


@dataclass(frozen=True, slots=True, eq=False)
class SystemLabels:
    """All that the contrasts of one system are made from."""

    name: str
    labels: LabelArrays
    texts: Sequence[str]  # the distinct labels
    analyses: Mapping[str, Analysis]
    paired: PairedImages | None  # with references, where there are some


@dataclass(frozen=True, slots=True, eq=False)
class ContrastFamily:
    """A declared family of tests: the categories of one role in one system, for one pair of values.

    A category is in the family if some reading of a label about one of the two values uses it.
    """

    system: SystemLabels
    by: str
    pair: Pair
    role: Role
    sums: ReferenceSums | None  # beside references, where there are some
    by_image: bool  # a file tells the values of images
    same: frozenset[str]  # other groups of the same attribute
    told_in: frozenset[str]  # modifier categories whose words tell the group
    settings: BiasSettings

    def contrasts(self) -> list[Contrast]:
        """Judge every category of the family."""
        keys = [
            key
            for key in self.system.labels.keys(self.role)
            if not (self.role == "modifier" and key[1] in self.told_in) and self._table(key, "union").carrying
        ]
        images = {key: self.system.labels.image_tallies(self.by, key, self.pair) for key in keys}
        resampled = {key: self.settings.bootstrap(images[key], [(1, -1)])[0] for key in keys}
        best, union = self._findings(keys, images, resampled)
        within, references, words = self._stratified(keys, best), self._references(keys), self._words()
        opposed = self._opposed()
        return [
            Contrast(
                *self._names(key),
                finding=_reversed(best[place], within[place]),
                union=union[place],
                certain=self._table(key, "certain"),
                rates=self.system.labels.tallies(self.by, key),
                bootstrap=resampled[key],
                stratified=within[place],
                references=references[place],
                words=words.get(key[1], ()),
                opposed=opposed.get(key[1], NO_WORDS),
                texts=self._texts(key),
                rate_effects=_rate_effects(images[key], self.pair),
                extra=self._extra(key, best[place], union[place], images[key]),
            )
            for place, key in enumerate(keys)
        ]

    def _names(self, key: CategoryKey) -> tuple[str, str, Role, str, str, str]:
        return self.system.name, self.by, *key, *self.pair

    def _extra(
        self, key: CategoryKey, finding: Finding, union: Finding, images: Floats
    ) -> dict[str, StatisticValue]:
        return compute_statistics(
            ContrastInput(
                *self._names(key),
                finding.association,
                union.association.table,
                self._table(key, "certain"),
                self.system.labels.tallies(self.by, key),
                images,
                self.settings,
            )
        )

    def _table(self, key: CategoryKey, rule: ReadingRule) -> CountTable:
        return self.system.labels.table(self.by, key, self.pair, rule)

    def _findings(
        self,
        keys: Sequence[CategoryKey],
        images: Mapping[CategoryKey, Floats],
        resampled: Mapping[CategoryKey, BootstrapInterval],
    ) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the findings of the best reading, and those of all readings together."""
        known: dict[CountTable, Association] = {}

        def evidence(table: CountTable, tallies: Floats, bootstrap: BootstrapInterval) -> ImageEvidence:
            if table not in known:
                known[table] = associate(table, level=self.settings.level)
            permuted = (self.settings.samples, self.settings.seed) if self.by_image else None
            return over_images(known[table], tallies, bootstrap, permuted=permuted)

        best = [evidence(self._table(key, "best"), images[key], resampled[key]) for key in keys]
        union = []
        for key, found in zip(keys, best, strict=True):
            if (table := self._table(key, "union")) != found.table:
                tallies = self.system.labels.image_tallies(self.by, key, self.pair, "union")
                union.append(evidence(table, tallies, self.settings.bootstrap(tallies, [(1, -1)])[0]))
            else:
                union.append(found)
        margin, alpha = self.settings.margin, self.settings.alpha
        return judge(best, margin=margin, alpha=alpha), judge(union, margin=margin, alpha=alpha)

    def _stratified(
        self, keys: Sequence[CategoryKey], findings: Sequence[Finding]
    ) -> list[dict[str, Stratified]]:
        """Stratify what has evidence to be stratified: too few labels say nothing within strata either.

        A head category is not split by heads: they are what it is.
        """
        splits = stratifiers(self.system.labels, self.by, self.same) if self.role == "modifier" else {}
        return [
            stratified(
                self.system.labels,
                self.by,
                key,
                self.pair,
                evidence=finding.evidence,
                splits=splits if finding.association.smallest_p <= self.settings.alpha else {},
                settings=self.settings,
            )
            for key, finding in zip(keys, findings, strict=True)
        ]

    def _references(self, keys: Sequence[CategoryKey]) -> Sequence[Amplification | None]:
        if self.sums is None:
            return [None] * len(keys)
        return ReferenceFamily(self.sums, self.pair).compare(keys)

    def _words(self) -> Mapping[str, tuple[WordScore, ...]]:
        """Return the words behind each category; the words of heads are what tells the group."""
        if self.role == "head":
            return {}
        values, text = self.system.labels.values[self.by], self.system.labels.text
        counted = {
            value: Counter(self.system.texts[place] for place in text[values.are(value)].tolist())
            for value in self.pair
        }
        return words_by_category(counted, self.system.analyses, self.pair)

    def _opposed(self) -> Mapping[str, CategoryWords]:
        if self.role == "head":
            return {}
        labels, texts = self.system.labels, self.system.texts
        return category_words(
            labels, texts, self.system.analyses, by=self.by, pair=self.pair, settings=self.settings
        )

    def _texts(self, key: CategoryKey) -> Texts:
        """Count the different texts of the two values that carry a category."""
        labels = self.system.labels
        about = labels.values[self.by]
        rows = labels.has(key) & (about.are(self.pair[0]) | about.are(self.pair[1]))
        counts = np.bincount(labels.text[rows], minlength=1)
        most = int(counts.argmax())
        said = int(counts[most])
        name = self.system.texts[most] if said else ""
        return Texts(int(np.count_nonzero(counts)), name, ratio(said, int(counts.sum())))


def _reversed(finding: Finding, within: Mapping[str, Stratified]) -> Finding:
    """Return the verdict of its own that a contrast has where its strata turn it around."""
    turned = {name: s for name, s in within.items() if s.change == "reverses" and s.moved}
    if finding.verdict not in BEYOND_CHANCE or not turned:
        return finding
    named = ", ".join(f"{name} (odds ratio {_odds(s.common.value)})" for name, s in turned.items())
    overall = _odds(finding.association.odds_ratio.value)
    return finding.reversed(f"odds ratio {overall} overall, but the sign reverses within {named}")


def _rate_effects(images: Floats, pair: Pair) -> dict[str, float]:
    """Return the design effect of each rate by itself."""
    return {value: design_effect(images[:, [place]], (1.0,)) for place, value in enumerate(pair)}
