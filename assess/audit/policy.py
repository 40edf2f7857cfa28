"""What a policy file may say. `assess.audit.policy_file` loads one, `assess.audit.gate` applies it.

```yaml
min_labels: 200
forbid:
  - category: ethnicity
  - sensitivity: offensive
limits:
  - {category: attractiveness, max_rate: 0.02}
  - {category: [age, mood], system: v2, by: gender, max_abs_risk_difference: 0.05, min_labels: 1000}
baseline: {file: last-release.json, allowed_change: 0.01}
```
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from assess.audit.cells import Cell
from assess.taxonomy.model import Sensitivity


def _names(value: object) -> object:
    """Let one name stand for a list of one; no name at all would select everything, which nobody means."""
    if value in ([], ()):
        raise ValueError("should have at least one name")
    return (value,) if isinstance(value, str) else _listed(value)


def _listed(value: object) -> object:
    """Take a list, as YAML gives it, for the tuple that a frozen model holds."""
    if not isinstance(value, list | tuple):
        raise ValueError("should be a list")  # noqa: TRY004 - pydantic reports ValueError only
    return tuple(value)


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_names)]
Sensitivities = Annotated[tuple[Sensitivity, ...], BeforeValidator(_names)]
Rate = Annotated[float, Field(ge=0, le=1)]
Labels = Annotated[int, Field(ge=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Selector(_Part):
    """Which cells a rule is about. What is not given is not asked: an empty selector selects all."""

    system: Names = ()
    category: Names = ()
    sensitivity: Sensitivities = ()
    by: Names = ()
    group: Names = ()

    def selects(self, cell: Cell, *groups: str) -> bool:
        """Whether a cell is meant, seen for any of these groups of it."""
        return (
            (not self.system or cell.system in self.system)
            and (not self.category or cell.category in self.category)
            and (not self.sensitivity or cell.sensitivity in self.sensitivity)
            and (not self.by or cell.by in self.by)
            and (not self.group or any(group in self.group for group in groups))
        )

    def __str__(self) -> str:
        given = self.model_dump(include=set(Selector.model_fields))
        named = [f"{key} {' or '.join(names)}" for key, names in given.items() if names]
        return ", ".join(named) or "all cells"


class Forbidden(Selector):
    """A category, or all of a sensitivity, that must not be said at all."""

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if not (self.category or self.sensitivity):
            raise ValueError("say what is forbidden: a category or a sensitivity")
        return self


class Limit(Selector):
    """The highest rate per label, or the largest difference between two groups, that is allowed."""

    max_rate: Rate | None = None
    max_abs_risk_difference: Rate | None = None
    min_labels: Labels | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.max_rate is None and self.max_abs_risk_difference is None:
            raise ValueError("a limit needs max_rate or max_abs_risk_difference")
        return self


class Baseline(_Part):
    """An earlier audit, and how far each rate may move away from it."""

    file: Name
    allowed_change: Rate


class Policy(_Part):
    """The rules of a gate.

    `min_labels` is how many labels a group needs before a rule can be passed. `level` is the confidence
    level of the intervals. `allow_insufficient` lets a gate pass although some rules could not be decided;
    otherwise only a decided pass is a pass.
    """

    min_labels: Labels = 100
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    allow_insufficient: bool = False
    forbid: Annotated[tuple[Forbidden, ...], BeforeValidator(_listed)] = ()
    limits: Annotated[tuple[Limit, ...], BeforeValidator(_listed)] = ()
    baseline: Baseline | None = None

    @model_validator(mode="after")
    def _has_rules(self) -> Self:
        if not (self.forbid or self.limits or self.baseline):
            raise ValueError("a policy without rules would pass everything: add forbid, limits or baseline")
        return self
