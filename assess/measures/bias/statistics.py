"""Statistics that are added to every contrast: each is one value, registered in one place.

```python
from assess.measures.bias.statistics import ContrastInput, ContrastStatistic, register_statistic
from assess.measures.bias.tables import ratio
from assess.report.quantity import Direction, Quantity, defined
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
from assess.measures.bias.bootstrap import Floats
from assess.measures.bias.tables import CountTable, Tally
from assess.measures.bias.verdict import BiasSettings
from assess.records import Role
from assess.report.quantity import Direction, Quantity, defined
from assess.report.text import UNDEFINED, Form

StatisticValue = float | tuple[float, float, float] | None
"""A number, or an `Estimate` with its interval. None and nan: undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class ContrastInput:
    """What a statistic is computed from: a category of a system, for one value of a group against another."""

    system: str
    by: str  # the group, such as gender
    role: Role
    category: str
    group: str  # the value, such as female
    against: str
    association: Association  # of the best reading
    union: CountTable  # of all readings together
    certain: CountTable  # of what no reading says otherwise
    rates: Mapping[str, Tally]  # of every value, also of those that tell nothing (neutral)
    images: Floats  # images x (group, against) x (labels with the category, labels)
    settings: BiasSettings

    @property
    def table(self) -> CountTable:
        """The counts of the best reading."""
        return self.association.table


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastStatistic:
    """A number about a contrast: how it is computed, and all that a reader has to be told about it."""

    key: str  # as in JSON and CSV
    heading: str  # as in tables
    form: Form  # with an interval, all three of its numbers are written alike
    compute: Callable[[ContrastInput], StatisticValue]
    formula: str
    reference: str = ""  # a key in docs/references.bib; empty where it needs none
    direction: Direction = "neither"
    undefined: str = ""  # when it has no value; empty where it always has one

    @property
    def definition(self) -> Quantity[Any]:
        """What the statistic means, without how it is computed."""
        return defined(self.key, self.formula, self.reference, self.direction, self.undefined)

    def text(self, value: StatisticValue) -> str:
        """Return a value as reports write it."""
        if value is None:
            return UNDEFINED
        if isinstance(value, tuple | list):
            estimate, low, high = map(self.form, value)
            return f"{estimate} ({low} to {high})"
        return self.form(value)


STATISTICS: dict[str, ContrastStatistic] = {}
"""The statistics that were registered, by key, in that order."""


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


def compute_statistics(contrast: ContrastInput) -> dict[str, StatisticValue]:
    """Return what the registered statistics say about a contrast, by key."""
    return {key: statistic.compute(contrast) for key, statistic in STATISTICS.items()}
