"""Contrasts: how often each category is said of one group and of another, and whether that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from assess.audit.association import Association
from assess.audit.bootstrap import Bootstrapped
from assess.audit.cautions import Caution, cautions
from assess.audit.coded import CodedLabels, Key
from assess.audit.logodds import WordScore
from assess.audit.referenced import Referenced
from assess.audit.strata import Stratified
from assess.audit.tables import Table, Tally
from assess.audit.verdict import Finding
from assess.records import Role


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Labels by group value, and those that carry each category. Counts add."""

    labels: Counter[str]
    carrying: Counter[tuple[str, Role, str]]  # (value, role, category)

    def table(self, key: Key, value: str, against: str) -> Table:
        """Return the counts of one category for two values."""
        return Table(
            self.carrying[value, *key], self.labels[value], self.carrying[against, *key], self.labels[against]
        )


def shown_name(role: Role, category: str) -> str:
    """Return a category as reports show it: age, and head.age."""
    return category if role == "modifier" else f"{role}.{category}"


def count_groups(labels: CodedLabels, by: str) -> GroupCounts:
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
    fewest: Table  # what no reading says otherwise: the least that can have been said
    rates: Mapping[str, Tally]  # of every value, also of those that tell nothing (neutral)
    bootstrap: Bootstrapped  # the risk difference over images
    stratified: Mapping[str, Stratified]  # by the name of another group or of a head category
    referenced: Referenced | None  # beside human references of the same images
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
