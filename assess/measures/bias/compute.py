"""The contrasts between groups for all systems, pooled over systems and compared with references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import chdtrc

from assess.errors import UsageError, visible
from assess.grammar import Grammar
from assess.measures.bias.clustering import design_effect, image_variance
from assess.measures.bias.contrasts import ContrastFamily, SystemLabels
from assess.measures.bias.groups import CrossedGroups, Grouping, Pair, WordGroups, pairs_of, same_attribute
from assess.measures.bias.labels import CategoryKey, LabelArrays, LabelFacts, LabelValues, MentionTable
from assess.measures.bias.references import PairedImages, PooledReferences, ReferenceSums
from assess.measures.bias.result import (
    ContrastCell,
    CrossedCell,
    CrossedEffect,
    Design,
    GroupResult,
    Nouns,
    PooledContrast,
)
from assess.measures.bias.strata import stratify
from assess.measures.bias.tables import (
    CountTable,
    Estimate,
    label_floor,
    normal_quantile,
    ratio,
    risk_difference,
    wilson,
)
from assess.measures.group_settings import VerdictSettings
from assess.measures.intervals import benjamini_hochberg
from assess.records import Analysis, Role
from assess.taxonomy.phrases import closest

ALL = "all"
"""The value of every label, for rates over all labels."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupQuestion:
    """The groups to contrast, from words or files, with pairs of values and rules for verdicts."""

    grammar: Grammar
    groupings: Sequence[Grouping]
    pairs: tuple[Pair, ...]
    settings: VerdictSettings

    def audit(
        self,
        mentions: Mapping[str, MentionTable],
        analyses: Mapping[str, Analysis],
        references: frozenset[str],
    ) -> dict[str, GroupResult]:
        """Return the results of each group by name."""
        if not self.groupings:
            return {}
        # Groups that were not requested are still used for stratification.
        asked = {grouping.name for grouping in self.groupings}
        others = [WordGroups(self.grammar, name) for name in self.grammar.groups if name not in asked]
        everything = [*self.groupings, *others]
        facts = LabelFacts(analyses, everything)
        arrays = {name: facts.arrays(table) for name, table in mentions.items()}
        paired = self._paired(mentions, arrays, facts, references)
        systems = [
            SystemLabels(name, labels, mentions[name].texts, analyses, paired.get(name))
            for name, labels in arrays.items()
        ]
        self._check_pairs(systems)
        return {
            grouping.name: self._group(grouping, systems, references, _same(grouping, everything))
            for grouping in self.groupings
        }

    def _paired(
        self,
        mentions: Mapping[str, MentionTable],
        arrays: Mapping[str, LabelArrays],
        facts: LabelFacts,
        references: frozenset[str],
    ) -> dict[str, PairedImages]:
        """Pair each system with the references; several reference files count as one."""
        if not references:
            return {}
        pool = MentionTable()
        for name, table in mentions.items():
            if name in references:
                pool.add_table(table)
        pooled = PooledReferences(pool, facts.arrays(pool), self.settings.seed)
        return {
            name: pooled.paired(name, mentions[name], labels)
            for name, labels in arrays.items()
            if name not in references
        }

    def _check_pairs(self, systems: Sequence[SystemLabels]) -> None:
        """Raise an error for a contrast of values that no group has."""
        known: dict[str, set[str]] = {
            grouping.name: {*grouping.values, *_columns(grouping, systems)} for grouping in self.groupings
        }
        for pair in self.pairs:
            if not any(values.issuperset(pair) for values in known.values()):
                named = ", ".join(f"`{name}`" for name in known)
                unknown = [value for value in pair if not any(value in values for values in known.values())]
                raise UsageError(
                    f"the values {visible(', '.join(pair))} are not both in one group ({named})",
                    hint=closest((unknown or list(pair))[0], set[str]().union(*known.values())),
                )

    def _group(
        self,
        grouping: Grouping,
        systems: Sequence[SystemLabels],
        references: frozenset[str],
        same: frozenset[str],
    ) -> GroupResult:
        columns = _columns(grouping, systems)
        pairs = pairs_of(grouping, self.pairs, columns=columns)
        contrasts = {system.name: list(self._contrasts(grouping, system, pairs, same)) for system in systems}
        values = {system.name: system.labels.values[grouping.name].counts() for system in systems}
        machines = {name: cells for name, cells in contrasts.items() if name not in references}
        return GroupResult(
            name=grouping.name,
            told_by="words" if grouping.file is None else "images",
            values=grouping.values,
            columns=columns,
            pairs=tuple(pairs),
            labels={name: dict(sorted(counts.items())) for name, counts in values.items()},
            # A system that says only "person" states no value.
            told={
                name: wilson(sum(counts[value] for value in grouping.values), counts.total())
                for name, counts in values.items()
            },
            nouns=self._nouns(grouping, systems),
            designs={system.name: _design(system.labels, grouping.name) for system in systems},
            cells=tuple(cell for cells in contrasts.values() for cell in cells),
            across=tuple(self._pooled(machines)),
            crossed=tuple(self._crossed(grouping, systems)),
            members=_members(grouping, systems),
        )

    def _crossed(self, grouping: Grouping, systems: Sequence[SystemLabels]) -> Iterator[CrossedEffect]:
        if isinstance(grouping, CrossedGroups):
            for system in systems:
                yield from crossed_effects(system.name, system.labels, grouping, self.settings)

    def _nouns(self, grouping: Grouping, systems: Sequence[SystemLabels]) -> Nouns | None:
        """Count the values that nouns state of the taxonomy's first group, such as gender."""
        by = next(iter(self.grammar.groups), None)
        if grouping.file is None or by is None:
            return None
        return Nouns(
            by=by, labels={system.name: _by_both(system.labels, grouping.name, by) for system in systems}
        )

    def _contrasts(
        self, grouping: Grouping, system: SystemLabels, pairs: Sequence[Pair], same: frozenset[str]
    ) -> Iterator[ContrastCell]:
        # Head words state the values of a taxonomy's group, so they are only tested if values come from a
        # file.
        roles: tuple[Role, ...] = ("modifier",) if grouping.file is None else ("modifier", "head")
        labels = system.labels.values[grouping.name].counts()
        sums = self._sums(grouping, system, pairs, roles)
        for pair in pairs:
            if not all(labels[value] for value in pair):
                continue  # no labels of one of the values, so there is no contrast
            for role in roles:
                yield from ContrastFamily(
                    system,
                    grouping.name,
                    pair,
                    role,
                    sums,
                    grouping.file is not None,
                    same,
                    grouping.told_in,
                    self.settings,
                ).contrasts()

    def _sums(
        self, grouping: Grouping, system: SystemLabels, pairs: Sequence[Pair], roles: Sequence[Role]
    ) -> ReferenceSums | None:
        if system.paired is None:
            return None
        values = [*grouping.values, *(value for pair in pairs for value in pair)]
        return ReferenceSums(system.paired, grouping.name, values, roles, self.settings)

    def _pooled(self, contrasts: Mapping[str, list[ContrastCell]]) -> Iterator[PooledContrast]:
        """Yield the contrasts that several systems have, stratified by system."""
        found: dict[tuple[str, ...], list[ContrastCell]] = {}
        for listed in contrasts.values():
            for cell in listed:
                found.setdefault((cell.role, cell.category, *cell.pair), []).append(cell)
        for same in found.values():
            if len(same) > 1:
                tables = {cell.system: cell.table for cell in same}
                strata = stratify(tables, level=self.settings.level, alpha=self.settings.alpha)
                first = same[0].model_dump(include={"role", "category", "group", "against"})
                yield PooledContrast(**first, **dict(strata))


def _same(grouping: Grouping, others: Sequence[Grouping]) -> frozenset[str]:
    """Return the names of other groups that describe the same attribute, such as gender from a file."""
    return frozenset(
        other.name for other in others if other.name != grouping.name and same_attribute(grouping, other)
    )


def _by_both(labels: LabelArrays, by: str, other: str) -> dict[str, dict[str, int]]:
    """Count labels by the values of two groups."""
    first, second = labels.values[by], labels.values[other]
    crossed: dict[str, Counter[str]] = {}
    for value, noun in zip(first.places.tolist(), second.places.tolist(), strict=True):
        crossed.setdefault(first.names[value], Counter())[second.names[noun]] += 1
    return {value: dict(sorted(nouns.items())) for value, nouns in sorted(crossed.items())}


def _design(labels: LabelArrays, by: str) -> Design:
    everyone = LabelValues((ALL,), np.zeros_like(labels.text))
    whole = replace(labels, values={ALL: everyone})
    shares = {value: labels.image_shares(by, value)[:, 0] for value in labels.values[by].names}
    shares[ALL] = np.bincount(labels.image, minlength=len(labels.images)).astype(np.float64)
    return Design(
        {name: ratio(float(each @ each), float(each.sum())) for name, each in shares.items() if each.any()},
        {
            category: design_effect(whole.image_tallies(ALL, (role, category), [ALL]), (1.0,))
            for role, category in labels.keys("modifier")
        },
    )


def _members(grouping: Grouping, systems: Sequence[SystemLabels]) -> dict[str, str]:
    if grouping.file is not None:
        images = {image for system in systems for image in system.labels.images}
        return {image: grouping.value(Analysis(""), image) for image in sorted(images)}
    texts = {text: system.analyses[text] for system in systems for text in system.texts}
    return {text: grouping.value(texts[text], "") for text in sorted(texts)}


def _columns(grouping: Grouping, systems: Sequence[SystemLabels]) -> tuple[str, ...]:
    """Return the values of a group, followed by other values that occur among the labels."""
    seen = {name for system in systems for name in system.labels.values[grouping.name].counts()}
    return (*grouping.values, *sorted(seen.difference(grouping.values)))


# Crossed groups: the difference between women and men among children and among adults, next to the overall
# one.
#
# Some cells of a crossing are small, so that their own differences are mostly noise. Therefore they are
# partially pooled: each cell's difference is shrunk towards the mean of all cells, more strongly if it is
# uncertain or if the cells hardly differ beyond chance (random effects, DerSimonian & Laird 1986; the
# shrunken estimates are empirical Bayes). If cells agree, all get the common mean; if they clearly differ,
# each keeps its own difference.


@dataclass(frozen=True, slots=True)
class PartialPooling:
    """Differences of several cells, shrunk towards their mean."""

    mean: Estimate
    deviation: float  # standard deviation between cells, beyond chance: τ
    heterogeneity: float  # p for the hypothesis that all cells have the same difference
    shrunk: tuple[Estimate, ...]


def pool_partially(
    differences: Sequence[float], variances: Sequence[float], *, level: float = 0.95
) -> PartialPooling:
    """Shrink differences towards their mean, given their certainty and how much they differ beyond chance."""
    weights = [1 / variance for variance in variances]
    total = math.fsum(weights)
    fixed = math.fsum(w * d for w, d in zip(weights, differences, strict=True)) / total
    spread = math.fsum(w * (d - fixed) ** 2 for w, d in zip(weights, differences, strict=True))
    degrees = len(differences) - 1
    scale = total - math.fsum(w * w for w in weights) / total
    between = max(0.0, ratio(spread - degrees, scale)) if degrees else 0.0
    own = [1 / (variance + between) for variance in variances]
    mean = math.fsum(w * d for w, d in zip(own, differences, strict=True)) / math.fsum(own)
    error, z = 1 / math.fsum(own), normal_quantile(level)
    shrunk = []
    for difference, variance in zip(differences, variances, strict=True):
        # A single cell is not shrunk.
        kept = between / (between + variance) if degrees else 1.0
        value = kept * difference + (1 - kept) * mean
        shrunk.append(_around(value, kept * variance + (1 - kept) ** 2 * error, z))
    p = float(chdtrc(degrees, spread)) if degrees else math.nan
    return PartialPooling(_around(mean, error, z), math.sqrt(between), p, tuple(shrunk))


def _around(value: float, variance: float, z: float) -> Estimate:
    half = z * math.sqrt(variance)
    return Estimate(value, value - half, value + half)


def crossed_effects(
    system: str, labels: LabelArrays, crossing: CrossedGroups, settings: VerdictSettings
) -> Iterator[CrossedEffect]:
    """Yield marginal and crossed effects of every modifier category, one family for each pair of values."""
    for place, part in enumerate(crossing.parts):
        for pair in combinations(part.values, 2):
            yield from _CrossedFamily(system, labels, crossing, place, pair, settings).effects()


@dataclass(frozen=True, slots=True, eq=False)
class _CrossedFamily:
    system: str
    labels: LabelArrays
    crossing: CrossedGroups
    place: int  # index of the contrasted group among the crossed ones
    pair: Pair
    settings: VerdictSettings

    @property
    def _part(self) -> WordGroups:
        return self.crossing.parts[self.place]

    def effects(self) -> list[CrossedEffect]:
        told_in = self.crossing.told_in
        keys = [key for key in self.labels.keys("modifier") if key[1] not in told_in and self._said(key)]
        found = [(key, cells) for key in keys if (cells := self._cells(key))]
        pooled = [
            pool_partially(
                [table.difference for table, _ in cells.values()],
                [variance for _, variance in cells.values()],
                level=self.settings.level,
            )
            for _, cells in found
        ]
        q_values = benjamini_hochberg([each.heterogeneity for each in pooled])
        return [
            self._effect(key, cells, pooling, q)
            for (key, cells), pooling, q in zip(found, pooled, q_values, strict=True)
        ]

    def _said(self, key: CategoryKey) -> bool:
        return bool(self.labels.table(self._part.name, key, self.pair).carrying)

    def _cells(self, key: CategoryKey) -> dict[str, tuple[CountTable, float]]:
        """Return the table and the variance of each cell in which both values have labels."""
        cells = {}
        for within, pair in self.crossing.within(self.place, self.pair):
            tallies = self.labels.image_tallies(self.crossing.name, key, pair)
            group, other = tallies.sum(axis=0).astype(int).tolist()
            table = CountTable(*group, *other)
            if table.comparable:
                floor = label_floor(table.group, table.other)
                cells[within] = table, max(image_variance(tallies, (1.0, -1.0)), floor)
        return cells

    def _effect(
        self,
        key: CategoryKey,
        cells: Mapping[str, tuple[CountTable, float]],
        pooling: PartialPooling,
        q: float,
    ) -> CrossedEffect:
        pairs = dict(self.crossing.within(self.place, self.pair))
        others = [part.name for place, part in enumerate(self.crossing.parts) if place != self.place]
        return CrossedEffect(
            system=self.system,
            category=key[1],
            by=self._part.name,
            within="*".join(others),
            group=self.pair[0],
            against=self.pair[1],
            marginal=self._difference(self._part.name, key, self.pair),
            mean=pooling.mean,
            deviation=pooling.deviation,
            p=pooling.heterogeneity,
            q=q,
            cells={
                within: CrossedCell(
                    **cells[within][0].counts,
                    risk_difference=self._difference(self.crossing.name, key, pairs[within]),
                    shrunk=shrunk,
                )
                for within, shrunk in zip(cells, pooling.shrunk, strict=True)
            },
        )

    def _difference(self, by: str, key: CategoryKey, pair: Pair) -> Estimate:
        tallies, table = self.labels.image_tallies(by, key, pair), self.labels.table(by, key, pair)
        effect = design_effect(tallies)
        return risk_difference(table, level=self.settings.level, design_effects=(effect, effect))
