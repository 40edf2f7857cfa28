"""A declared family of tests: the categories of one system for one pair of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assess.audit.association import Association, associate
from assess.audit.bootstrap import Bootstrapped, bootstrap_risk_difference
from assess.audit.coded import CodedLabels, How, Key
from assess.audit.contrasts import Contrast
from assess.audit.groups import Pair
from assess.audit.logodds import WordScore
from assess.audit.referenced import PairedImages, Referenced, ReferenceFamily
from assess.audit.rules import Rules
from assess.audit.strata import Stratified
from assess.audit.stratifying import stratified, stratifiers
from assess.audit.tables import Table
from assess.audit.verdict import Finding, judge
from assess.audit.words import words_by_category
from assess.records import Analysis, Role


@dataclass(frozen=True, slots=True, eq=False)
class SystemLabels:
    """All that the contrasts of one system are made from."""

    name: str
    labels: CodedLabels
    texts: Sequence[str]  # the distinct labels
    analyses: Mapping[str, Analysis]
    paired: PairedImages | None  # with references, where there are some


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """All categories of one role that some reading of a system's labels uses for one of two values."""

    system: SystemLabels
    by: str
    pair: Pair
    role: Role
    values: tuple[str, ...]  # all values of the group
    rules: Rules

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
                fewest=self._table(key, "certain"),
                rates=self.system.labels.tallies(self.by, key),
                bootstrap=self._bootstrap(key),
                stratified=within[place],
                referenced=beside[place],
                words=words.get(key[1], ()),
            )
            for place, key in enumerate(keys)
        ]

    def _table(self, key: Key, how: How) -> Table:
        return self.system.labels.table(self.by, key, self.pair, how)

    def _used(self, key: Key) -> bool:
        table = self._table(key, "union")
        return bool(table.yes or table.other_yes)

    def _judged(self, keys: Sequence[Key]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the findings of the best reading, and those of all readings together."""
        known: dict[Table, Association] = {}

        def family(how: How) -> tuple[Finding, ...]:
            tables = [self._table(key, how) for key in keys]
            for table in tables:
                if table not in known:
                    known[table] = associate(table, level=self.rules.level)
            found = [known[table] for table in tables]
            return judge(found, margin=self.rules.margin, alpha=self.rules.alpha)

        return family("best"), family("union")

    def _within(self, keys: Sequence[Key], findings: Sequence[Finding]) -> list[dict[str, Stratified]]:
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
                splits=splits if finding.association.smallest_p <= self.rules.alpha else {},
                rules=self.rules,
            )
            for key, finding in zip(keys, findings, strict=True)
        ]

    def _beside(self, keys: Sequence[Key]) -> Sequence[Referenced | None]:
        if self.system.paired is None:
            return [None] * len(keys)
        family = ReferenceFamily(self.system.paired, self.by, self.pair, self.values, self.rules)
        return family.compare(keys)

    def _bootstrap(self, key: Key) -> Bootstrapped:
        return bootstrap_risk_difference(
            self.system.labels.image_tallies(self.by, key, self.pair),
            samples=self.rules.samples,
            level=self.rules.level,
            seed=self.rules.seed,
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
