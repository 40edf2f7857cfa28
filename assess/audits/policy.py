"""The rules of a gate, read from YAML, and the numbers of an audit that they select.

All mistakes are reported at once. `assess.audits.gate` applies the rules.

```yaml
min_labels: 200
forbid:
  - category: ethnicity
  - sensitivity: offensive
limits:
  - {category: attractiveness, max_rate: 0.02}
  - {category: [age, mood], system: v2, by: gender, max_abs_risk_difference: 0.05, min_labels: 1000}
  - {category: attractiveness, by: gender, no_verdict: [disparity, reversal]}
errors:
  - {max_error: 0.1, max_abs_error_difference: 0.05}
baseline: {file: last-release.json, allowed_change: 0.01}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from assess.audits.saved import SavedAudit
from assess.errors import InputError, Place, Problem, in_order
from assess.measures.bias.compute import ALL as ALL  # the pseudo-group for rates over all labels of a system
from assess.measures.bias.result import GroupResult, ValueRate
from assess.measures.bias.tables import CountTable, Estimate, Tally
from assess.measures.bias.verdict import Verdict
from assess.taxonomy.model import Sensitivity, Trail
from assess.taxonomy.phrases import closest
from assess.taxonomy.strict_yaml import Document, MisreadScalar, describe, parse_document, read_text


@dataclass(frozen=True, slots=True)
class Cell:
    """The counts of a category in a system, for one value of a group versus another.

    Without a contrast, `against` is None and the counts of the other value are 0 of 0. `by` is the group of
    the two values; for a rate over all labels, it is empty and the value is `all`.
    """

    system: str
    category: str
    group: str
    against: str | None
    table: CountTable
    sensitivity: Sensitivity = "none"
    by: str = ""
    effects: tuple[float, float] = (1.0, 1.0)  # design effects of the two rates
    difference: Estimate | None = None  # as in the audit, over images; None if the category does not occur
    level: float = 0.95  # confidence level of that interval
    verdict: Verdict = "insufficient"  # as in the audit


def _names(value: object) -> object:
    """Turn a single name into a list. An empty list is refused, because it would select everything."""
    if value in ([], ()):
        raise ValueError("needs at least one name")
    return (value,) if isinstance(value, str) else _listed(value)


def _listed(value: object) -> object:
    """Turn a YAML list into the tuple of a frozen model."""
    if not isinstance(value, list | tuple):
        raise ValueError("must be a list")  # noqa: TRY004 - pydantic reports ValueError only
    return tuple(value)


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_names)]
Sensitivities = Annotated[tuple[Sensitivity, ...], BeforeValidator(_names)]
Verdicts = Annotated[tuple[Literal["disparity", "reversal", "small"], ...], BeforeValidator(_names)]
Rate = Annotated[float, Field(ge=0, le=1)]
Labels = Annotated[int, Field(ge=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Selector(_Part):
    """The cells that a rule applies to. Missing conditions always hold: an empty selector selects all."""

    system: Names = ()
    category: Names = ()
    sensitivity: Sensitivities = ()
    by: Names = ()
    group: Names = ()

    def selects(self, cell: Cell, *groups: str) -> bool:
        """Whether a cell is selected, given that it concerns any of these groups."""
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
    """A category, or all categories of a sensitivity, that must not occur at all."""

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if not (self.category or self.sensitivity):
            raise ValueError("name what is forbidden: a category or a sensitivity")
        return self


class Limit(Selector):
    """The maximum rate per label, the maximum difference, or the verdicts that are not allowed."""

    max_rate: Rate | None = None
    max_abs_risk_difference: Rate | None = None
    no_verdict: Verdicts = ()
    min_labels: Labels | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.max_rate is None and self.max_abs_risk_difference is None and not self.no_verdict:
            raise ValueError("a limit needs max_rate, max_abs_risk_difference or no_verdict")
        return self


class ErrorLimit(_Part):
    """How often captions may state a group that differs from the annotated one, by their 95% intervals."""

    system: Names = ()
    max_error: Rate | None = None
    max_abs_error_difference: Rate | None = None  # between two groups' shares of incorrect captions
    max_abs_ratio_gap: Annotated[float, Field(ge=0)] | None = None
    max_outcome_divergence: Rate | None = None
    min_images: Labels | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        limits = [name for name in type(self).model_fields if name.startswith("max_")]
        if all(getattr(self, name) is None for name in limits):
            raise ValueError(f"a limit for errors needs {', '.join(limits[:-1])} or {limits[-1]}")
        return self


class Baseline(_Part):
    """An earlier audit, and how much each rate may differ from it."""

    file: Name
    allowed_change: Rate


class Policy(_Part):
    """The rules of a gate.

    `min_labels` is the number of labels that a group needs for a rule to pass. `level` is the confidence
    level of the intervals. With `allow_insufficient`, a gate passes even if some rules could not be decided;
    otherwise, every rule must clearly pass.
    """

    min_labels: Labels = 100
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    allow_insufficient: bool = False
    forbid: Annotated[tuple[Forbidden, ...], BeforeValidator(_listed)] = ()
    limits: Annotated[tuple[Limit, ...], BeforeValidator(_listed)] = ()
    errors: Annotated[tuple[ErrorLimit, ...], BeforeValidator(_listed)] = ()
    baseline: Baseline | None = None

    @model_validator(mode="after")
    def _has_rules(self) -> Self:
        if not (self.forbid or self.limits or self.errors or self.baseline):
            rules = "forbid, limits, errors or baseline"
            raise ValueError(f"a policy without rules would pass every audit: add {rules}")
        return self


_PARTS: dict[str, type[BaseModel]] = {
    "forbid": Forbidden,
    "limits": Limit,
    "errors": ErrorLimit,
    "baseline": Baseline,
}
_EMPTY = "a policy needs rules under forbid, limits, errors or baseline; see docs/gates-in-ci.md"


def load_policy(path: str) -> Policy:
    """Return the policy in a YAML file; raises one error with all of its mistakes."""
    return parse_policy(read_text(Path(path)), path)


def parse_policy(text: str, file: str) -> Policy:
    """Return the policy in a text."""
    document = parse_document(text, file)
    if document.value is None:
        syntax = [problem for problem in document.problems if problem.place and problem.place.line]
        raise InputError(syntax or [Problem("the policy is empty", Place(file), _EMPTY)])
    problems = list(document.problems)
    try:
        policy = Policy.model_validate(_numbers(document.value))
    except ValidationError as error:
        problems += [_problem(details, document) for details in error.errors()]
    if problems:
        raise InputError(in_order(problems))
    return policy


def baseline_path(policy: Policy, path: str) -> str | None:
    """Return the path of a policy's baseline, which is relative to the policy's folder."""
    return str(Path(path).parent / policy.baseline.file) if policy.baseline else None


def _numbers(value: Any) -> Any:
    """Convert numbers, which the strict reader keeps as written."""
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, MisreadScalar) and value.read_as in ("int", "float"):
        return _number(value)
    return value


def _number(written: MisreadScalar) -> Any:
    for kind in (int, float):
        try:
            return kind(written.written)
        except ValueError:
            continue
    return written  # 0x1f or 1:30, which nobody means as a rate


def _problem(details: ErrorDetails, document: Document) -> Problem:
    trail: Trail = tuple(part for part in details["loc"] if part != "[key]")
    name = str(trail[-1]) if trail else "the policy"
    value = details["input"]
    if details["type"] == "extra_forbidden":
        hint = closest(name, _known_keys(trail))
        return document.problem(f"unknown key `{name}`", trail, key=True, hint=hint)
    if details["type"] == "missing":
        return document.problem(f"`{name}` is missing", trail[:-1], hint=f"add `{name}:`")
    if isinstance(value, MisreadScalar):
        message = f"YAML reads {value.written} as {describe(value)}"
        return document.problem(message, trail, hint=f'put it in quotes: "{value.written}"')
    message = details["msg"].removeprefix("Value error, ")
    if isinstance(value, str | int | float):
        message += f", found {value!r}"
    if details["type"] == "model_type":
        return document.problem(f"expected keys and values, found {describe(value)}", trail, hint=_EMPTY)
    in_words = (
        "write it like this: 0.001" if details["type"] == "float_type" and isinstance(value, str) else None
    )
    return document.problem(message[0].lower() + message[1:], trail, hint=in_words)


def _known_keys(trail: Trail) -> list[str]:
    part = _PARTS.get(str(trail[0])) if len(trail) > 1 else None
    return list((part or Policy).model_fields)


# The numbers of an audit that rules apply to.


def gate_cells(audit: SavedAudit) -> list[Cell]:
    """Return a cell for every modifier category of the taxonomy, including unused ones.

    Each system has a rate over all labels and a cell for each pair of values. References are not gated.
    """
    cells = [cell for system in audit.systems for cell in _overall_cells(audit, system)]
    for by, group in audit.groups.items():
        cells += _contrast_cells(audit, by, group)
    return cells


def _overall_cells(audit: SavedAudit, system: str) -> Iterator[Cell]:
    counts = audit.results.systems[system]
    design = next((group.designs.get(system) for group in audit.groups.values()), None)
    for category, known in audit.modifiers.items():
        count = counts.categories.get(f"modifier.{category}")
        table = CountTable(count.best_labels if count else 0, counts.labels, 0, 0)
        crowding = design.crowding.get(ALL, 1.0) if design else 1.0
        effect = design.effects.get(category, crowding) if design and table.yes else crowding
        sensitivity = known.sensitivity or "none"
        yield Cell(system, category, ALL, None, table, sensitivity, effects=(effect, 1.0))


_UNSAID = ValueRate(yes=0, labels=0, rate=0)


def _contrast_cells(audit: SavedAudit, by: str, group: GroupResult) -> Iterator[Cell]:
    found = {(cell.system, cell.category, cell.pair): cell for cell in group.cells if cell.role == "modifier"}
    level = float(str(audit.results.signature.settings.get("level", 0.95)))
    said = _said(group)
    for system in audit.systems:
        crowding = group.designs[system].crowding if system in group.designs else {}
        labels = group.labels.get(system, {})
        for pair in group.pairs:
            for category, known in audit.modifiers.items():
                both = [(value, said.get((system, category, value), _UNSAID)) for value in pair]
                tallies = [Tally(rate.yes, labels.get(value, 0)) for value, rate in both]
                first, second = (
                    (rate.design_effect or 1.0) if rate.yes else crowding.get(value, 1.0)
                    for value, rate in both
                )
                table, sensitivity = CountTable.of(*tallies), known.sensitivity or "none"
                audited = found.get((system, category, pair))
                judged = (audited.risk_difference, level, audited.verdict) if audited else ()
                yield Cell(system, category, *pair, table, sensitivity, by, (first, second), *judged)


def _said(group: GroupResult) -> dict[tuple[str, str, str], ValueRate]:
    """Return rates by system, category and value.

    A category may only be in the cells of one pair, so counts are taken from any cell; the design effect
    comes from a cell that contrasts the value.
    """
    said: dict[tuple[str, str, str], ValueRate] = {}
    for cell in group.cells:
        if cell.role == "modifier":
            for value, rate in cell.rates.items():
                key = cell.system, cell.category, value
                if key not in said or said[key].design_effect is None:
                    said[key] = rate
    return said
