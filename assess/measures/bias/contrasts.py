"""Contrasts: how often each category is said of one group and of another, and whether that differs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from assess.measures.bias.association import Association
from assess.measures.bias.bootstrap import BootstrapInterval
from assess.measures.bias.labels import CategoryKey, LabelArrays
from assess.measures.bias.references import ReferenceComparison
from assess.measures.bias.strata import Stratified
from assess.measures.bias.tables import CountTable, Tally
from assess.measures.bias.verdict import Finding
from assess.measures.bias.words import WordScore
from assess.records import Role

# What an auditor must know before a contrast is quoted.

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


def cautions(
    finding: Finding, union: Finding, bootstrap: BootstrapInterval, stratified: Mapping[str, Stratified]
) -> Iterator[Caution]:
    """Yield what stratifying, other readings and the bootstrap say against a contrast."""
    for kind, what in _WITHIN.items():
        strata = {name: s for name, s in stratified.items() if s.change == kind and _moved(s)}
        if strata:
            yield Caution(kind, f"{what} within {_listed(strata)}; odds ratio {_overall(strata)} overall")
    opposed = {name: s.opposed for name, s in stratified.items() if s.change == "stays" and s.opposed}
    if opposed:
        named = "; ".join(f"{', '.join(values)} ({name})" for name, values in opposed.items())
        yield Caution("opposed", f"some strata show the opposite of the whole: {named}")
    if union.verdict != finding.verdict:
        yield Caution("reading", f"the verdict is {union.verdict} when all readings count, not only the best")
    if finding.verdict == "disparity" and (fragile := _fragile(bootstrap)):
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


def _listed(stratified: Mapping[str, Stratified]) -> str:
    return ", ".join(f"{name} ({_odds(strata.common.value)})" for name, strata in stratified.items())


def _odds(value: float) -> str:
    return "nothing left to compare" if math.isnan(value) else f"{value:.2g}"


def _overall(stratified: Mapping[str, Stratified]) -> str:
    return _odds(next(iter(stratified.values())).crude.value)


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Labels by group value, and those that carry each category. Counts add."""

    labels: Counter[str]
    carrying: Counter[tuple[str, Role, str]]  # (value, role, category)

    def table(self, key: CategoryKey, value: str, against: str) -> CountTable:
        """Return the counts of one category for two values."""
        return CountTable(
            self.carrying[value, *key], self.labels[value], self.carrying[against, *key], self.labels[against]
        )


def shown_name(role: Role, category: str) -> str:
    """Return a category as reports show it: age, and head.age."""
    return category if role == "modifier" else f"{role}.{category}"


def count_groups(labels: LabelArrays, by: str) -> GroupCounts:
    """Count a system's labels by group value and category, in the best reading."""
    codes = labels.values[by]
    totals = Counter(codes.names[place] for place in codes.places.tolist())
    carrying: Counter[tuple[str, Role, str]] = Counter()
    for key in labels.carrying["best"]:
        for value, tally in labels.tallies(by, key).items():
            if tally.yes:
                carrying[value, *key] = tally.yes
    return GroupCounts(totals, carrying)


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

    @property
    def association(self) -> Association:
        """The statistics of the best reading."""
        return self.finding.association

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What must be known before this contrast is quoted."""
        return tuple(cautions(self.finding, self.union, self.bootstrap, self.stratified))

    @property
    def name(self) -> str:
        """The category as reports show it."""
        return shown_name(self.role, self.category)

    @property
    def higher(self) -> str:
        """The value of which the category is said more often."""
        return self.group if self.association.risk_difference.value >= 0 else self.against
