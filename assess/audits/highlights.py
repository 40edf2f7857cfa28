"""What to look at first: a few sentences, made from the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assess.measures.bias.result import Amplification, ContrastCell, GroupResult, MarkedCategory
from assess.measures.bias.tables import Estimate
from assess.measures.coverage.result import SystemCoverage
from assess.report.text import percent

_NAMED = 3
_SERIOUS = ("reverses", "vanishes", "images", "reading")


def variety(coverages: dict[str, SystemCoverage], categories: int) -> list[str]:
    """Name the systems that say least and most, by modifiers a label in the best reading."""
    known = {name: found for name, found in coverages.items() if found.labels}
    if not known:
        return ["no caption has a label of this domain"]
    order = sorted(known, key=lambda name: (known[name].best.modifiers_per_label, name))
    if len(order) == 1:
        return [f"{order[0]} has {_said(known[order[0]], categories)}"]
    least, most = order[0], order[-1]
    return [
        f"{least} says least: {_said(known[least], categories)}",
        f"{most} says most: {_said(known[most], categories)}",
    ]


def _said(coverage: SystemCoverage, categories: int) -> str:
    counts = coverage.best
    return (
        f"{counts.modifiers_per_label:.2f} modifiers a label,"
        f" {counts.modifier_categories} of {categories} modifier categories"
    )


def disparities(found: Sequence[ContrastCell], group: str) -> list[str]:
    """Name, for each system with disparities, the largest ones."""
    by_system: dict[str, list[ContrastCell]] = {}
    for contrast in found:
        if contrast.verdict == "disparity":
            by_system.setdefault(contrast.system, []).append(contrast)
    return [
        f"{system} differs by {group}: {_named(_disparity(c) for c in sorted(contrasts, key=_by_size))}"
        for system, contrasts in by_system.items()
    ]


def _by_size(contrast: ContrastCell) -> tuple[float, str]:
    return -abs(contrast.risk_difference.value), contrast.category


def _disparity(contrast: ContrastCell) -> str:
    return f"more {contrast.name} of {contrast.higher} ({_points(contrast.risk_difference)})"


def _points(estimate: Estimate) -> str:
    size = abs(estimate.value)
    return f"+{size * 100:.{0 if size >= 0.01 else 2}f} points"


def _named(parts: Iterable[str]) -> str:
    """Name the first few of a list, and how many more there are."""
    listed = list(parts)
    more = [f"and {len(listed) - _NAMED} more"] if len(listed) > _NAMED else []
    return "; ".join([*listed[:_NAMED], *more])


def warnings(found: Iterable[ContrastCell]) -> list[str]:
    """Name the contrasts that must not be quoted as they are: reversals first."""
    serious = [
        (_SERIOUS.index(caution.kind), f"{contrast.name} in {contrast.system}: {caution.text}")
        for contrast in found
        for caution in contrast.cautions
        if caution.kind in _SERIOUS and contrast.verdict == "disparity"
    ]
    lines = [text for _, text in sorted(serious)]
    more = len(lines) - _NAMED
    care = [f"contrasts that need care too, see their cautions: {more}"] if more > 0 else []
    return lines[:_NAMED] + care


def wider_than_references(found: Iterable[ContrastCell]) -> list[str]:
    """Name the gaps that systems widen most, compared with human references of the same images."""
    wider = [(contrast, contrast.amplification) for contrast in found if contrast.amplification]
    wider = [pair for pair in wider if _widens(*pair)]
    wider.sort(key=lambda item: -abs(item[1].risk_difference_change.value))
    named = _named(
        f"{contrast.name} of {contrast.higher} in {contrast.system}"
        f" ({_points(references.risk_difference_change)})"
        for contrast, references in wider
    )
    return [f"wider than in the references: {named}"] if wider else []


def _widens(contrast: ContrastCell, references: Amplification) -> bool:
    """Whether the gap is wider than that of the references, beyond chance.

    A gap of 5 points beside one of 20 the other way has changed by 25, and is narrower.
    """
    here, there = references.system.difference, references.reference.difference
    beyond_chance = contrast.verdict == "disparity" and references.risk_difference_change.excludes(0.0)
    return beyond_chance and abs(here) > abs(there)


def stated_shares(group: GroupResult) -> list[str]:
    """Tell how often each system's labels state a value of the group at all."""
    if group.told_by == "images":
        return []
    shares = ", ".join(f"{name} {group.told[name].value:.0%}" for name in group.labels)
    return [f"labels whose noun tells {group.name}: {shares}; who tells none has no gap to show"]


def delicate_highlights(marked: Sequence[MarkedCategory], systems: Sequence[str]) -> list[str]:
    """Name what systems say although an image cannot show it, or although it offends."""
    lines = []
    for what, chosen in (
        ("offensive", [m for m in marked if m.sensitivity == "offensive"]),
        ("protected and not visible in an image", [m for m in marked if _hidden(m)]),
    ):
        counted = [(m.category, sum(m.labels.get(name, 0) for name in systems)) for m in chosen]
        said = [(name, number) for name, number in counted if number]
        if said:
            said.sort(key=lambda item: (-item[1], item[0]))
            listed = ", ".join(f"{name} ({number})" for name, number in said[:_NAMED])
            lines.append(f"said although {what}: {listed}")
    return lines


def _hidden(marked: MarkedCategory) -> bool:
    return marked.evidence != "visible" and marked.sensitivity == "protected"


def error_highlights(measures: Mapping[str, Any]) -> list[str]:
    """Name the systems that name the wrong group for one group of images more often than for another."""
    if "errors" not in measures:
        return []
    found = measures["errors"]
    return [
        f"{name} names the wrong {found.group} in {percent(system['error'])} of captions:"
        f" {_named_wrongly(system.groups)}"
        for name, system in found.systems.items()
        if not system.reference
        and any(Estimate(*pair.differences["incorrect"]).excludes(0) for pair in system.pairs)
    ]


def _named_wrongly(groups: Mapping[str, Any]) -> str:
    ordered = sorted(groups.items(), key=lambda item: (-item[1]["incorrect"], item[0]))
    return ", ".join(f"{percent(shares['incorrect'])} of {value}" for value, shares in ordered)


def undecided(found: Sequence[ContrastCell], group: str) -> list[str]:
    """Tell how much the data cannot decide."""
    open_ones = sum(contrast.verdict == "insufficient" for contrast in found)
    if not open_ones:
        return []
    return [
        f"{open_ones} of {len(found)} contrasts by {group} have insufficient evidence: not seeing a"
        " difference is not having shown that there is none"
    ]


def group_highlights(group: GroupResult, references: frozenset[str]) -> Iterator[str]:
    """Yield what an auditor of one group should look at, most telling first."""
    found = [
        contrast
        for name, contrasts in group.contrasts.items()
        if name not in references
        for contrast in contrasts
    ]
    differing = disparities(found, group.name)
    yield from differing or [f"no system differs by {group.name} beyond chance and margin"]
    yield from warnings(found)
    yield from wider_than_references(found)
    yield from stated_shares(group)
    yield from undecided(found, group.name)
