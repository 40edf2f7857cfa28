"""Stratified contrasts, by system, by another group, or by head category.

A crude odds ratio mixes the contrast with other differences between the groups (girls are called young more
often than women). The strata reveal this; the pooled estimate is only given if they agree.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import chdtrc

from assess.measures.bias import association
from assess.measures.bias.association import Margins, ValueAndSlope, odds_ratio
from assess.measures.bias.clustering import ImageEvidence
from assess.measures.bias.groups import NOT_CONTRASTED, UNLISTED, Pair
from assess.measures.bias.labels import Booleans, CategoryKey, Integers, LabelArrays, LabelValues
from assess.measures.bias.tables import (
    UNDEFINED,
    CountTable,
    Estimate,
    EstimateField,
    check_level,
    collapse,
    normal_quantile,
    ratio,
    widened_ratio,
)
from assess.measures.group_settings import VerdictSettings
from assess.measures.measure import Model, Number

Change = Literal["stays", "reverses", "vanishes", "emerges", "none"]
"""How stratifying changes the crude association."""
MOVED = 0.10
"""Strata matter if they change the odds ratio by this share (change-in-estimate; Greenland 1989)."""
SAME_ATTRIBUTE = 0.9
"""Groups whose values are this strongly associated (Cramér's V) describe the same attribute."""
TELLING = frozenset({"reverses", "vanishes", "emerges"})
"""Changes that an auditor must know about."""


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """A test of whether the strata share one odds ratio."""

    statistic: Number
    degrees: int
    p: Number


@dataclass(frozen=True, slots=True)
class Stratum(CountTable):
    """One stratum with its own odds ratio (conditional, exact interval)."""

    odds_ratio: EstimateField


class Strata(Model):
    """A stratified contrast, next to the crude one.

    `common` is the Mantel-Haenszel estimate, which is always given and shows the direction. `pooled` is the
    same number, but None if the strata differ by more than chance, so that no single number represents them.
    `change` is the effect of stratifying on the crude association; "reverses" is Simpson's paradox.
    """

    change: str
    crude: EstimateField
    common: EstimateField
    pooled: EstimateField | None
    breslow_day: Heterogeneity
    opposed: tuple[str, ...]  # strata whose interval lies entirely on the other side of 1
    strata: dict[str, Stratum]

    @property
    def moved(self) -> bool:
        """Whether the strata change the odds ratio, rather than only widen its interval."""
        crude, common = self.crude.value, self.common.value
        if not (0 < crude < math.inf and 0 < common < math.inf):
            return crude != common
        return abs(common / crude - 1) >= MOVED


def stratify(
    strata: Mapping[str, CountTable],
    *,
    crude: Estimate | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
    design_effect: float = 1.0,
) -> Strata:
    """Compare a stratified contrast with the crude one over the same labels.

    The crude odds ratio can be passed if it is known. Intervals and the test of heterogeneity account for a
    design effect of several labels per image.
    """
    tables = tuple(strata.values())
    test = breslow_day(tables)
    if design_effect > 1:
        statistic = test.statistic / design_effect
        test = Heterogeneity(statistic, test.degrees, float(chdtrc(test.degrees, statistic)))
    own = {name: _allowing(odds_ratio(t, level=level), t, design_effect) for name, t in strata.items()}
    crude = odds_ratio(collapse(tables), level=level) if crude is None else crude
    common = widened_ratio(mantel_haenszel(tables, level=level), design_effect)
    side = _direction(crude)
    return Strata(
        change=change_of(crude, common),
        crude=crude,
        common=common,
        pooled=None if test.p <= alpha else common,
        breslow_day=test,
        opposed=tuple(name for name in own if side and _direction(own[name]) == -side),
        strata={name: Stratum(**t.counts, odds_ratio=own[name]) for name, t in strata.items()},
    )


def _allowing(estimate: Estimate, table: CountTable, design_effect: float) -> Estimate:
    return widened_ratio(estimate, design_effect, centre=association.haldane(table).value)


def change_of(crude: Estimate, common: Estimate) -> Change:
    """Return how the common odds ratio of the strata changes the crude one."""
    before, within = _direction(crude), _direction(common)
    if before == within:
        return "stays" if before else "none"
    if before and within:
        return "reverses"
    return "vanishes" if before else "emerges"


def _direction(estimate: Estimate) -> int:
    """Return 1 or -1 if the whole interval of an odds ratio is above or below 1, otherwise 0."""
    if not estimate.excludes(1.0):
        return 0
    return 1 if estimate.low > 1 else -1


def mantel_haenszel(tables: Sequence[CountTable], *, level: float = 0.95) -> Estimate:
    """Return the pooled odds ratio Σ(ad/n)/Σ(bc/n) (Mantel & Haenszel 1959).

    The interval is that of Robins, Breslow & Greenland (1986). It does not exist if all strata have zero
    cells on one side; the exact conditional bound is used then, so that the finding is not lost.
    """
    check_level(level)
    for_group, against = _evidence(tables)
    if for_group > 0 and against > 0:
        log_odds = math.log(for_group / against)
        half = normal_quantile(level) * math.sqrt(_log_variance(tables, for_group, against))
        return Estimate(math.exp(log_odds), math.exp(log_odds - half), math.exp(log_odds + half))
    if for_group > 0:
        return Estimate(math.inf, _exact_lower_bound(tables, level), math.inf)
    if against > 0:
        return Estimate(0.0, 0.0, 1 / _exact_lower_bound([table.swapped for table in tables], level))
    return UNDEFINED


def _evidence(tables: Sequence[CountTable]) -> tuple[float, float]:
    """Return Σ(ad/n) and Σ(bc/n) over the strata that have labels."""
    products = [(table.cells, table.total) for table in tables if table.total]
    return (
        math.fsum(yes * other_no / total for (yes, _, _, other_no), total in products),
        math.fsum(no * other_yes / total for (_, no, other_yes, _), total in products),
    )


def _log_variance(tables: Sequence[CountTable], for_group: float, against: float) -> float:
    """Return the variance of the log pooled odds ratio (Robins, Breslow & Greenland 1986)."""
    first = mixed = last = 0.0
    for table in tables:
        if not table.total:
            continue
        yes, no, other_yes, other_no = table.cells
        agreeing, crossing = (yes + other_no) / table.total, (no + other_yes) / table.total
        ad, bc = yes * other_no / table.total, no * other_yes / table.total
        first += agreeing * ad
        mixed += agreeing * bc + crossing * ad
        last += crossing * bc
    return first / (2 * for_group**2) + mixed / (2 * for_group * against) + last / (2 * against**2)


def _exact_lower_bound(tables: Sequence[CountTable], level: float) -> float:
    """Return the exact lower bound of a common odds ratio if the first cell of every stratum is maximal."""
    log_tail = math.log((1 - level) / 2)
    tops = [(Margins.of(table), table.yes) for table in tables]

    def rising(log_odds: float) -> ValueAndSlope:
        found = [association.log_probability(top, log_odds, yes) for top, yes in tops]
        return ValueAndSlope(math.fsum(f.value for f in found) - log_tail, math.fsum(f.slope for f in found))

    return math.exp(association.solve(rising, start=0.0))


def breslow_day(tables: Sequence[CountTable]) -> Heterogeneity:
    """Test whether strata share one odds ratio (Breslow & Day 1980).

    A stratum whose margins allow only one table is uninformative and has no degree of freedom. The statistic
    is undefined if the common odds ratio is not a positive number or if fewer than two strata are
    informative.
    """
    informative = [table for table in tables if Margins.of(table).low < Margins.of(table).high]
    degrees = max(0, len(informative) - 1)
    common = ratio(*_evidence(informative))
    if not degrees or not 0 < common < math.inf:
        return Heterogeneity(math.nan, degrees, math.nan)
    statistic = _breslow_day_statistic(informative, math.log(common))
    return Heterogeneity(statistic, degrees, float(chdtrc(degrees, statistic)))


def _breslow_day_statistic(tables: Sequence[CountTable], log_odds: float) -> float:
    margins = [Margins.of(table) for table in tables]
    expected = [association.fitted(each, log_odds) for each in margins]
    return math.fsum(
        (table.yes - first) ** 2 / association.spread(each, first)
        for table, each, first in zip(tables, margins, expected, strict=True)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A split of the labels of two values into strata, for all categories of a contrast."""

    names: tuple[str, ...]
    places: tuple[Integers, Integers]  # of each label of the one value, and of the other
    labels: tuple[list[int], list[int]]  # of the one value and of the other, in each stratum

    @classmethod
    def of(cls, split: LabelValues, rows: tuple[Integers, Integers]) -> Split:
        """Split the labels of two values."""
        group, other = (split.places[each] for each in rows)
        counts = (np.bincount(each, minlength=len(split.names)).tolist() for each in (group, other))
        return cls(split.names, (group, other), (next(counts), next(counts)))

    def tables(self, has: tuple[Booleans, Booleans]) -> dict[str, CountTable]:
        """Return the table of each stratum in which both values have labels."""
        group, other = (
            zip(np.bincount(places[yes], minlength=len(self.names)).tolist(), labels, strict=True)
            for places, yes, labels in zip(self.places, has, self.labels, strict=True)
        )
        tables = {
            name: CountTable(*one, *two) for name, one, two in zip(self.names, group, other, strict=True)
        }
        return {name: table for name, table in tables.items() if table.comparable}


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """All splits of the labels of a contrast, and the places of the labels of its two values."""

    rows: tuple[Integers, Integers]
    by_name: Mapping[str, Split]

    @classmethod
    def of(cls, labels: LabelArrays, by: str, pair: Pair, same: Collection[str] = ()) -> Splits:
        """Split the labels of a contrast in all the ways that `stratifiers` returns."""
        one, other = (np.flatnonzero(labels.values[by].are(value)) for value in pair)
        found = stratifiers(labels, by, same)
        return cls((one, other), {name: Split.of(split, (one, other)) for name, split in found.items()})

    def tables(self, labels: LabelArrays, key: CategoryKey) -> Iterator[tuple[str, dict[str, CountTable]]]:
        """Yield the name of each split with the tables of a category."""
        has = labels.has(key)
        of_values = has[self.rows[0]], has[self.rows[1]]
        return ((name, split.tables(of_values)) for name, split in self.by_name.items())


NO_SPLITS = Splits((np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)), {})


def stratifiers(labels: LabelArrays, by: str, same: Collection[str] = ()) -> dict[str, LabelValues]:
    """Return what the labels of a contrast by one group can be stratified by, by name.

    Other groups are named as they are (age); head categories are present or absent (head.plural-or-mass).
    Groups in `same` describe the same attribute and are excluded: stratifying gender from words by gender
    from a file compares correctly named people with misnamed ones. Groups that nearly determine each other
    are excluded as well.
    """
    groups = {
        name: values
        for name, values in labels.values.items()
        if name != by and name not in same and _cramers_v(labels.values[by], values) < SAME_ATTRIBUTE
    }
    heads = {
        f"head.{category}": LabelValues(
            (f"not {category}", category), labels.has(("head", category)).astype(np.int64)
        )
        for _, category in labels.keys("head")
    }
    return groups | heads


def _cramers_v(first: LabelValues, second: LabelValues) -> float:
    """Return Cramér's V of two groups, over labels that have a value of both: 0 to 1."""
    sides = [[name not in {*NOT_CONTRASTED, UNLISTED} for name in values.names] for values in (first, second)]
    crossed = np.bincount(
        first.places * len(second.names) + second.places, minlength=len(first.names) * len(second.names)
    ).reshape(len(first.names), len(second.names))[np.ix_(*sides)]
    crossed = crossed[crossed.sum(axis=1) > 0][:, crossed.sum(axis=0) > 0]
    if min(crossed.shape) < 2:
        return 0.0
    shares = crossed / crossed.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    chi_square = float(((shares - expected) ** 2 / expected).sum())
    return math.sqrt(chi_square / (min(crossed.shape) - 1))


def stratified(
    labels: LabelArrays,
    key: CategoryKey,
    *,
    evidence: ImageEvidence,
    splits: Splits,
    settings: VerdictSettings,
) -> dict[str, Strata]:
    """Return a contrast stratified by other groups, and by head categories if these are more informative.

    A stratification needs two strata with labels of both values.
    """
    found: dict[str, Strata] = {}
    crude, effect = evidence.odds_ratio, evidence.design_effect
    for name, tables in splits.tables(labels, key):
        if len(tables) < 2:
            continue
        common = widened_ratio(mantel_haenszel(tuple(tables.values()), level=settings.level), effect)
        if not name.startswith("head.") or change_of(crude, common) in TELLING:
            found[name] = stratify(
                tables, crude=crude, level=settings.level, alpha=settings.alpha, design_effect=effect
            )
    return found
