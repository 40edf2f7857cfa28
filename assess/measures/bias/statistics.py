"""Definitions of the numbers about contrasts, and a registry for additional statistics.

A test compares the definitions with the keys of `assess bias --json`. To add a statistic, register it:

```python
from assess.measures.bias.statistics import ContrastInput, ContrastStatistic, register_statistic
from assess.measures.bias.tables import ratio
from assess.report.text import decimals


def relative_risk(contrast: ContrastInput) -> float:
    return ratio(contrast.table.group.rate, contrast.table.other.rate)


register_statistic(
    ContrastStatistic(
        key="relative_risk",
        heading="relative risk",
        form=decimals(2),
        compute=relative_risk,
        formula="rate / other_rate",
        undefined="neither group has the category",
    )
)
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from assess.errors import UsageError, visible
from assess.measures.bias.association import Association
from assess.measures.bias.tables import CountTable, Floats, Tally
from assess.measures.group_settings import VerdictSettings
from assess.records import Role
from assess.report.quantity import Direction, Quantity, defined
from assess.report.text import UNDEFINED, Form

StatisticValue = float | tuple[float, float, float] | None
"""A number, or an `Estimate` with its interval. None and nan mean undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class ContrastInput:
    """The input of a statistic: a category in a system, for one value of a group versus another."""

    system: str
    by: str  # the group, such as gender
    role: Role
    category: str
    group: str  # the value, such as female
    against: str
    association: Association  # for the best reading
    union: CountTable  # counts for all readings together
    certain: CountTable  # counts of what no other reading contradicts
    rates: Mapping[str, Tally]  # for every value, including those that state no group (neutral)
    images: Floats  # images x (group, against) x (labels with the category, labels)
    settings: VerdictSettings

    @property
    def table(self) -> CountTable:
        """The counts of the best reading."""
        return self.association.table


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastStatistic:
    """A number about a contrast: how to compute it, and everything that readers need to know about it."""

    key: str  # as in JSON and CSV
    heading: str  # as in tables
    form: Form  # also used for both ends of an interval
    compute: Callable[[ContrastInput], StatisticValue]
    formula: str
    reference: str = ""  # key in docs/references.bib; empty if none is needed
    direction: Direction = "neither"
    undefined: str = ""  # when it has no value; empty if it always has one

    @property
    def definition(self) -> Quantity[Any]:
        """The definition of the statistic, without its computation."""
        return defined(self.key, self.formula, self.reference, self.direction, self.undefined)

    def text(self, value: StatisticValue) -> str:
        """Return a value as shown in reports."""
        if value is None:
            return UNDEFINED
        if isinstance(value, tuple | list):
            estimate, low, high = map(self.form, value)
            return f"{estimate} ({low} to {high})"
        return self.form(value)


STATISTICS: dict[str, ContrastStatistic] = {}
"""The registered statistics by key, in order of registration."""


def register_statistic(statistic: ContrastStatistic) -> None:
    """Add a statistic to every contrast that is computed from now on."""
    built_in = {field.name for field in fields(Association)}
    if not statistic.key.isidentifier():
        raise UsageError(
            f"'{visible(statistic.key)}' cannot be the key of a statistic",
            hint="write it as in relative_risk",
        )
    if statistic.key in built_in | STATISTICS.keys():
        raise UsageError(f"a contrast already has a statistic called `{statistic.key}`")
    STATISTICS[statistic.key] = statistic


# Definitions of the built-in numbers.

_NO_LABELS = "a group without labels"

CELL = (
    defined("yes", "labels of the group whose best reading has the category"),
    defined("labels", "labels of the group"),
    defined("rate", "yes / labels; Wilson interval", "wilson1927probable", undefined=_NO_LABELS),
    defined(
        "risk_difference",
        "rate of the group - rate of the other group; interval of `bootstrap`, but never narrower"
        " than Newcombe's (method 10) for labels / design_effect",
        "newcombe1998interval",
        undefined=_NO_LABELS,
    ),
    defined(
        "odds_ratio",
        "conditional maximum likelihood; exact interval, wider by √design_effect on the log"
        " scale; infinite if only the other group has no labels with the category",
        "cornfield1956statistical",
        undefined=f"{_NO_LABELS}, or a category that no label or every label has",
    ),
    defined(
        "haldane",
        "odds ratio with ½ added to every cell; Woolf's interval, wider by √design_effect",
        "haldane1956estimation",
        undefined=_NO_LABELS,
    ),
    defined("share", "yes / labels with the category, of both groups", undefined="no label has it"),
    defined("base_rate", "labels / labels of both groups", undefined="no labels"),
    defined(
        "p",
        "Fisher's exact test, two-sided, with its z divided by √design_effect; for groups from a"
        " file, a permutation test over images (`method` tells which)",
        "fisher1922interpretation",
        undefined=_NO_LABELS,
    ),
    defined(
        "design_effect",
        "variance of the difference of rates over images / that of independent labels, at least 1",
        "kish1965survey",
    ),
    defined("images", "images that have labels of the group, and of the other"),
    defined(
        "margin",
        "the largest negligible difference: m · 2√(r(1-r)); r: labels of both groups that have"
        " the category / all labels of both groups; m: `--margin`",
        "cohen1988statistical",
        undefined="no labels",
    ),
    defined(
        "uncorrected",
        "risk_difference (Newcombe), odds_ratio, p and q as if labels were independent",
        "newcombe1998interval",
        undefined=_NO_LABELS,
    ),
    defined(
        "texts",
        "distinct texts of both groups' labels with the category, and the share of the most common one",
        undefined="no label has it",
    ),
    defined(
        "smallest_p",
        "the smallest p that any table with these marginal totals could reach",
        undefined=_NO_LABELS,
    ),
    defined(
        "q",
        "p by Benjamini and Hochberg, over all categories of one system and pair of values",
        "benjamini1995controlling",
        undefined="as p",
    ),
    defined(
        "verdict",
        "disparity: q ≤ alpha, and the difference is beyond the margin; small: q ≤ alpha, but"
        " within the margin; reversal: either of these, but the difference reverses within strata;"
        " none: the whole interval is within the margin; insufficient: none of these, smallest_p"
        " > alpha, or fewer than five labels or images",
    ),
    defined(
        "bootstrap",
        "risk difference; percentile interval over images drawn with replacement",
        "efron1993introduction",
        undefined=_NO_LABELS,
    ),
)

BESIDE = (
    defined(
        "common",
        "Mantel-Haenszel odds ratio over strata, Σ(ad/n) / Σ(bc/n)",
        "mantel1959statistical",
        undefined="no informative stratum",
    ),
    defined(
        "breslow_day",
        "Breslow-Day test of equal odds ratios in all strata, divided by design_effect; strata"
        " with p ≤ .05 are not pooled",
        "breslow1980statistical",
        undefined="fewer than two informative strata",
    ),
    defined(
        "risk_difference_change",
        "risk difference of the system - that of all references of the same images; interval over"
        " images; q corrected over all categories",
        "efron1993introduction",
        undefined="a group without labels on either side",
    ),
    defined(
        "amplification",
        "y·Δ; Δ: rate in the system - rate in one fold of the references; y: sign of P(g,C) -"
        " P(g)P(C) in the other folds; mean over folds; interval over images",
        "wang2021directional",
        "lower",
        "a group without labels on either side",
    ),
    defined(
        "mcnemar",
        "among images where both name the group: images where only the system, and only one drawn"
        " reference, has the category; exact McNemar test",
        "mcnemar1947note",
    ),
    defined(
        "words.tests",
        "each word of the category with at least ten labels, tested like a category; the family is all words",
        "benjamini1995controlling",
    ),
    defined(
        "log_odds", "of the words behind a category, with a Dirichlet prior; exploratory", "monroe2008fightin"
    ),
)

VALIDATION = (
    defined(
        "precision",
        "confirmed / rated, among labels with the category",
        direction="higher",
        undefined="none rated",
    ),
    defined(
        "missed",
        "labels that have the category according to raters / rated, among labels without the category",
        direction="lower",
        undefined="none rated",
    ),
    defined(
        "corrected",
        "rate · precision + (1 - rate) · missed; interval from the Wilson intervals of the three (MOVER)",
        "zou2008construction",
        undefined="a stratum without ratings",
    ),
    defined(
        "kappa",
        "agreement of two raters beyond chance",
        "cohen1960coefficient",
        "higher",
        "no rows by both, or one answer only",
    ),
    defined("more_to_rate", "ratings still needed for the requested half-width"),
)
