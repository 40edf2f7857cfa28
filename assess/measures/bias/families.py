"""A declared family of tests: the categories of one system for one pair of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.measures.bias.association import Association, associate
from assess.measures.bias.bootstrap import BootstrapInterval, bootstrap_risk_difference
from assess.measures.bias.contrasts import Contrast
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import CategoryKey, LabelArrays, LabelValues, ReadingRule
from assess.measures.bias.references import PairedImages, ReferenceComparison, ReferenceFamily
from assess.measures.bias.strata import Stratified, change_of, mantel_haenszel, stratify
from assess.measures.bias.tables import CountTable, Estimate
from assess.measures.bias.verdict import BiasSettings, Finding, judge
from assess.measures.bias.words import WordScore, words_by_category
from assess.records import Analysis, Role

# Strata that an audit chooses by itself: the other groups, and the other head categories, of a taxonomy.

TELLING = frozenset({"reverses", "vanishes", "emerges"})
"""What stratifying can do that an auditor has to know."""


def stratifiers(labels: LabelArrays, by: str) -> dict[str, LabelValues]:
    """Return what the labels of a contrast by one group can be split by, by name.

    Other groups go by their names (age), head categories are either there or not (head.plural-or-mass).
    """
    groups = {name: codes for name, codes in labels.values.items() if name != by}
    heads = {
        f"head.{category}": LabelValues(
            (f"not {category}", category), labels.has(("head", category)).astype(np.int64)
        )
        for _, category in labels.keys("head")
    }
    return groups | heads


def stratified(
    labels: LabelArrays,
    by: str,
    key: CategoryKey,
    pair: Pair,
    *,
    crude: Estimate,
    splits: Mapping[str, LabelValues],
    settings: BiasSettings,
) -> dict[str, Stratified]:
    """Return a contrast within the strata of other groups, and within head categories where that tells more.

    A split needs two strata that have labels of both values.
    """
    found: dict[str, Stratified] = {}
    for name, codes in splits.items():
        tables = strata_tables(labels, by, key, pair, codes)
        if len(tables) < 2:
            continue
        common = mantel_haenszel(tuple(tables.values()), level=settings.level)
        if not name.startswith("head.") or change_of(crude, common) in TELLING:
            found[name] = stratify(tables, crude=crude, level=settings.level, alpha=settings.alpha)
    return found


def strata_tables(
    labels: LabelArrays, by: str, key: CategoryKey, pair: Pair, split: LabelValues
) -> dict[str, CountTable]:
    """Return the table of each stratum in which both values have labels."""
    codes, has = labels.values[by], labels.has(key)
    size = len(split.names)
    group, other = (
        (
            np.bincount(split.places[rows & has], minlength=size),
            np.bincount(split.places[rows], minlength=size),
        )
        for rows in (codes.places == codes.place(value) for value in pair)
    )
    tables = {
        name: CountTable(int(group[0][i]), int(group[1][i]), int(other[0][i]), int(other[1][i]))
        for i, name in enumerate(split.names)
    }
    return {name: table for name, table in tables.items() if table.comparable}


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
    """All categories of one role that some reading of a system's labels uses for one of two values."""

    system: SystemLabels
    by: str
    pair: Pair
    role: Role
    values: tuple[str, ...]  # all values of the group
    settings: BiasSettings

    def contrasts(self) -> list[Contrast]:
        """Judge every category of the family."""
        keys = [key for key in self.system.labels.keys(self.role) if self._used(key)]
        best, union = self._judged(keys)
        within, beside, words = self._within(keys, best), self._beside(keys), self._words()
        return [
            Contrast(
                self.system.name,
                self.by,
                *key,
                *self.pair,
                finding=best[place],
                union=union[place],
                certain=self._table(key, "certain"),
                rates=self.system.labels.tallies(self.by, key),
                bootstrap=self._bootstrap(key),
                stratified=within[place],
                references=beside[place],
                words=words.get(key[1], ()),
            )
            for place, key in enumerate(keys)
        ]

    def _table(self, key: CategoryKey, how: ReadingRule) -> CountTable:
        return self.system.labels.table(self.by, key, self.pair, how)

    def _used(self, key: CategoryKey) -> bool:
        table = self._table(key, "union")
        return bool(table.yes or table.other_yes)

    def _judged(self, keys: Sequence[CategoryKey]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the findings of the best reading, and those of all readings together."""
        known: dict[CountTable, Association] = {}

        def family(how: ReadingRule) -> tuple[Finding, ...]:
            tables = [self._table(key, how) for key in keys]
            for table in tables:
                if table not in known:
                    known[table] = associate(table, level=self.settings.level)
            found = [known[table] for table in tables]
            return judge(found, margin=self.settings.margin, alpha=self.settings.alpha)

        return family("best"), family("union")

    def _within(
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

    def _beside(self, keys: Sequence[CategoryKey]) -> Sequence[ReferenceComparison | None]:
        if self.system.paired is None:
            return [None] * len(keys)
        family = ReferenceFamily(self.system.paired, self.by, self.pair, self.values, self.settings)
        return family.compare(keys)

    def _bootstrap(self, key: CategoryKey) -> BootstrapInterval:
        return bootstrap_risk_difference(
            self.system.labels.image_tallies(self.by, key, self.pair),
            samples=self.settings.samples,
            level=self.settings.level,
            seed=self.settings.seed,
        )

    def _words(self) -> Mapping[str, tuple[WordScore, ...]]:
        """Return the words behind each category; the words of heads are what tells the group."""
        if self.role == "head":
            return {}
        codes, text = self.system.labels.values[self.by], self.system.labels.text
        counted = {
            value: Counter(self.system.texts[i] for i in text[codes.places == codes.place(value)].tolist())
            for value in self.pair
        }
        return words_by_category(counted, self.system.analyses, self.pair)
