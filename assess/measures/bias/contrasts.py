"""Contrasts: how often each category is said of one group and of another, and whether that differs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from assess.measures.bias.association import Association, associate
from assess.measures.bias.bootstrap import BootstrapInterval
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import CategoryKey, LabelArrays, ReadingRule
from assess.measures.bias.references import PairedImages, ReferenceComparison, ReferenceFamily
from assess.measures.bias.statistics import ContrastInput, StatisticValue, compute_statistics
from assess.measures.bias.strata import Stratified, stratified, stratifiers
from assess.measures.bias.tables import CountTable, Tally
from assess.measures.bias.verdict import BiasSettings, Finding, judge
from assess.measures.bias.words import WordScore, words_by_category
from assess.records import Analysis, Role

CautionKind = Literal["reverses", "vanishes", "emerges", "opposed", "reading", "images"]
OFTEN_MISSING = 0.05
"""So many samples without a group make an interval over the others worthless."""
MOVED = 0.10
"""Strata matter where they move the odds ratio by this share (change-in-estimate; Greenland 1989)."""

ALWAYS = (
    "Words for groups are words of a text, not the identity of a person.",
    "Who tells no group has no gap: a system that only says “person” looks perfect. Read first how many"
    " labels tell a value.",
    "Equal rates are not always the goal: some people who use screen readers want looks described, if they"
    " are described of everyone. Whether a difference harms is for people to judge, best those concerned.",
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
    references: ReferenceComparison | None  # beside human references of the same images
    words: tuple[WordScore, ...]  # exploratory
    extra: Mapping[str, StatisticValue] = field(default_factory=dict)  # by key, those that were registered

    @property
    def association(self) -> Association:
        """The statistics of the best reading."""
        return self.finding.association

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
        strata = {name: s for name, s in within.items() if s.change == kind and _moved(s)}
        if strata:
            named = ", ".join(f"{name} ({_odds(s.common.value)})" for name, s in strata.items())
            overall = _odds(next(iter(strata.values())).crude.value)
            yield Caution(kind, f"{what} within {named}; odds ratio {overall} overall")
    opposed = {name: s.opposed for name, s in within.items() if s.change == "stays" and s.opposed}
    if opposed:
        named = "; ".join(f"{', '.join(values)} ({name})" for name, values in opposed.items())
        yield Caution("opposed", f"some strata show the opposite of the whole: {named}")
    if (union := contrast.union.verdict) != verdict:
        yield Caution("reading", f"the verdict is {union} when all readings count, not only the best")
    if verdict == "disparity" and (fragile := _fragile(contrast.bootstrap)):
        yield Caution("images", f"{fragile}: few images carry the difference")


def _fragile(bootstrap: BootstrapInterval) -> str | None:
    """Return what the bootstrap over images says against a disparity, if anything."""
    if not bootstrap.estimate.excludes(0.0):
        return "the interval over images holds 0"
    missing = 1 - bootstrap.defined / bootstrap.samples
    # A percentile interval is over the samples that have both groups, and sure of itself if few images do.
    return (
        f"a group is missing in {missing:.0%} of the samples of images" if missing > OFTEN_MISSING else None
    )


def _moved(strata: Stratified) -> bool:
    """Whether the strata move the odds ratio, rather than only make its interval wider."""
    crude, common = strata.crude.value, strata.common.value
    if not (0 < crude < math.inf and 0 < common < math.inf):
        return crude != common
    return abs(common / crude - 1) >= MOVED


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
    values: tuple[str, ...]  # all values of the group
    settings: BiasSettings

    def contrasts(self) -> list[Contrast]:
        """Judge every category of the family."""
        keys = [key for key in self.system.labels.keys(self.role) if self._table(key, "union").carrying]
        best, union = self._findings(keys)
        within, references, words = self._stratified(keys, best), self._references(keys), self._words()
        return [
            self._contrast(key, best[place], union[place], within[place], references[place], words)
            for place, key in enumerate(keys)
        ]

    def _contrast(
        self,
        key: CategoryKey,
        finding: Finding,
        union: Finding,
        within: Mapping[str, Stratified],
        references: ReferenceComparison | None,
        words: Mapping[str, tuple[WordScore, ...]],
    ) -> Contrast:
        labels, certain = self.system.labels, self._table(key, "certain")
        rates, images = labels.tallies(self.by, key), labels.image_tallies(self.by, key, self.pair)
        names = (self.system.name, self.by, *key, *self.pair)
        found = ContrastInput(
            *names, finding.association, union.association.table, certain, rates, images, self.settings
        )
        return Contrast(
            *names,
            finding=finding,
            union=union,
            certain=certain,
            rates=rates,
            bootstrap=self.settings.bootstrap(images, [(1, -1)])[0],
            stratified=within,
            references=references,
            words=words.get(key[1], ()),
            extra=compute_statistics(found),
        )

    def _table(self, key: CategoryKey, rule: ReadingRule) -> CountTable:
        return self.system.labels.table(self.by, key, self.pair, rule)

    def _findings(self, keys: Sequence[CategoryKey]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the findings of the best reading, and those of all readings together."""
        known: dict[CountTable, Association] = {}

        def judged(rule: ReadingRule) -> tuple[Finding, ...]:
            tables = [self._table(key, rule) for key in keys]
            for table in tables:
                if table not in known:
                    known[table] = associate(table, level=self.settings.level)
            family = [known[table] for table in tables]
            return judge(family, margin=self.settings.margin, alpha=self.settings.alpha)

        return judged("best"), judged("union")

    def _stratified(
        self, keys: Sequence[CategoryKey], findings: Sequence[Finding]
    ) -> list[dict[str, Stratified]]:
        """Stratify what has evidence to be stratified: too few labels say nothing within strata either.

        A head category is not split by heads: they are what it is.
        """
        splits = stratifiers(self.system.labels, self.by) if self.role == "modifier" else {}
        return [
            stratified(
                self.system.labels,
                self.by,
                key,
                self.pair,
                crude=finding.association.odds_ratio,
                splits=splits if finding.association.smallest_p <= self.settings.alpha else {},
                settings=self.settings,
            )
            for key, finding in zip(keys, findings, strict=True)
        ]

    def _references(self, keys: Sequence[CategoryKey]) -> Sequence[ReferenceComparison | None]:
        if self.system.paired is None:
            return [None] * len(keys)
        family = ReferenceFamily(self.system.paired, self.by, self.pair, self.values, self.settings)
        return family.compare(keys)

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
