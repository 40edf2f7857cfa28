"""Systems beside people: how much each says, and what it leaves out that people say.

People are the references of an audit, all of them together. The terminal and the page show these values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from assess.audits.result import AuditResult
from assess.errors import some
from assess.measures.bias.verdict import FEWEST
from assess.measures.coverage.compute import SystemCoverage
from assess.report.text import count, rate

_ALIKE = 0.1  # of what people say: within it, a system says about as much
_SELDOM = 0.25  # of people's share: below it, a system hardly ever says it

Relation = Literal["less", "alike", "more"]
RELATIONS: dict[Relation, str] = {
    "less": "less than people",
    "alike": "about as much as people",
    "more": "more than people",
}


@dataclass(frozen=True, slots=True)
class Omission:
    """A category that people use, and a system never does, or hardly ever."""

    key: str
    here: float  # the share of the system's labels
    people: float  # the share of people's labels

    @property
    def name(self) -> str:
        """The category without its role."""
        return self.key.partition(".")[2]


def inputs_told(audit: AuditResult) -> Iterator[str]:
    """Yield how many captions there are: of systems, and of people."""
    yield f"{some(len(audit.machines), 'system')}, {_captions(audit.machines.values())}"
    if audit.references:
        yield f"{count(sum(audit.systems[name].captions for name in audit.references))} by people"


def _captions(systems: Iterable[SystemCoverage]) -> str:
    numbers = sorted(system.captions for system in systems)
    if len(numbers) < 2:
        return some(sum(numbers), "caption")
    least, most = numbers[0], numbers[-1]
    return (
        f"{some(least, 'caption')} each"
        if least == most
        else f"{count(least)} to {count(most)} captions each"
    )


def people_last(audit: AuditResult) -> list[str]:
    """Return all names of the audit: systems first, then references, which are their measure."""
    return [*audit.machines, *(name for name in audit.systems if name in audit.references)]


def modifier_keys(audit: AuditResult) -> list[str]:
    """Return the modifier categories of the domain."""
    return [key for key in audit.categories if key.startswith("modifier.")]


def peoples_rate(audit: AuditResult) -> float:
    """Return the modifiers per label of all references together; undefined where there are none."""
    found = [audit.systems[name].best for name in audit.references]
    labels = sum(system.labels for system in found)
    return sum(system.modifiers for system in found) / labels if labels else math.nan


def peoples_shares(audit: AuditResult) -> dict[str, float]:
    """Return the share of people's labels with each modifier category, commonest first."""
    people = [audit.systems[name] for name in audit.references]
    labels = sum(system.labels for system in people)
    used = {key: sum(system.categories[key].best_labels for system in people) for key in modifier_keys(audit)}
    return {key: used[key] / labels for key in sorted(used, key=lambda k: (-used[k], k)) if used[key]}


def relation(here: float, people: float) -> Relation:
    """Tell whether a system says less than people, about as much, or more."""
    if abs(here - people) <= _ALIKE * people:
        return "alike"
    return "less" if here < people else "more"


def rates_beside(here: float, people: float) -> str:
    """Return how much a system says beside how much people say."""
    digits = 1 if min(here, people) >= 1 else 2
    return f"{rate(here, digits)} against {rate(people, digits)} modifiers per label"


def omissions(system: SystemCoverage, people: dict[str, float]) -> tuple[list[Omission], list[Omission]]:
    """Return what a system never says, and what it hardly ever says, of what people say."""
    # At people's rate it would say these at least a few times: so none is no accident.
    expected = {key: share for key, share in people.items() if share * system.labels >= FEWEST}
    found = [
        Omission(key, system.categories[key].best_labels / system.labels, share)
        for key, share in expected.items()
    ]
    never = [item for item in found if not item.here]
    return never, [item for item in found if 0 < item.here < _SELDOM * item.people]


def different_images(audit: AuditResult, named: Callable[[str], str] = str) -> Iterator[str]:
    """Yield a warning where captions are not all of the same images."""
    owners: dict[tuple[int, str | None], list[str]] = {}
    for name, system in audit.systems.items():
        owners.setdefault((system.images, system.images_digest), []).append(named(name))
    if len(owners) > 1:
        sets = "; ".join(
            f"{', '.join(names)}: {some(images, 'image')}" for (images, _), names in owners.items()
        )
        yield f"these captions are not all of the same images ({sets}), which may explain differences"
