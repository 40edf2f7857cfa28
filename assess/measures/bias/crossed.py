"""Crossed groups: the difference between women and men among children and among adults, beside the whole.

Some cells of a crossing are small, and their own differences mostly noise. They are pooled in part: every
cell's difference is drawn towards the mean of all cells, the more the less sure it is and the less the cells
differ beyond chance (random effects, DerSimonian & Laird 1986; the shrunken estimates are empirical Bayes).
With cells that agree, all come to the common mean; with cells that clearly differ, each keeps its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from scipy.special import chdtrc

from assess.measures.bias.clustering import design_effect, image_variance
from assess.measures.bias.groups import CrossedGroups, Pair, WordGroups
from assess.measures.bias.labels import CategoryKey, LabelArrays
from assess.measures.bias.tables import (
    Counts,
    CountTable,
    Estimate,
    EstimateField,
    counts_of,
    normal_quantile,
    ratio,
    risk_difference,
)
from assess.measures.bias.verdict import BiasSettings
from assess.measures.intervals import benjamini_hochberg
from assess.measures.measure import Model, Number


@dataclass(frozen=True, slots=True)
class PartialPooling:
    """Differences of several cells, drawn towards their mean."""

    mean: Estimate
    deviation: float  # between cells, beyond chance: τ
    heterogeneity: float  # p of one difference in all cells
    shrunk: tuple[Estimate, ...]


def pool_partially(
    differences: Sequence[float], variances: Sequence[float], *, level: float = 0.95
) -> PartialPooling:
    """Draw differences towards their mean, by how sure each is and how much they differ beyond chance."""
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
        # A single cell has nothing to be drawn towards.
        kept = between / (between + variance) if degrees else 1.0
        value = kept * difference + (1 - kept) * mean
        shrunk.append(_around(value, kept * variance + (1 - kept) ** 2 * error, z))
    p = float(chdtrc(degrees, spread)) if degrees else math.nan
    return PartialPooling(_around(mean, error, z), math.sqrt(between), p, tuple(shrunk))


def _around(value: float, variance: float, z: float) -> Estimate:
    half = z * math.sqrt(variance)
    return Estimate(value, value - half, value + half)


class CrossedCell(Counts):
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


def crossed_effects(
    system: str, labels: LabelArrays, crossing: CrossedGroups, settings: BiasSettings
) -> Iterator[CrossedEffect]:
    """Yield marginal and crossed effects of every modifier category, one family for each pair of values."""
    for place, part in enumerate(crossing.parts):
        for pair in combinations(part.values, 2):
            yield from _Family(system, labels, crossing, place, pair, settings).effects()


@dataclass(frozen=True, slots=True, eq=False)
class _Family:
    system: str
    labels: LabelArrays
    crossing: CrossedGroups
    place: int  # of the group that is contrasted, among the crossed ones
    pair: Pair
    settings: BiasSettings

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
                cells[within] = table, max(image_variance(tallies, (1.0, -1.0)), _floor(table))
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
                    **counts_of(cells[within][0]),
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


def _floor(table: CountTable) -> float:
    """Return the variance of independent labels with one more of each kind (Agresti & Caffo 2000)."""
    return math.fsum((t.yes + 1) * (t.no + 1) / (t.total + 2) ** 3 for t in (table.group, table.other))
