"""The most important findings, as a few sentences generated from the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assess.audits.result import AuditResult
from assess.errors import some, visible
from assess.measures.bias.references import GapVerdict
from assess.measures.bias.result import ContrastCell, GroupResult
from assess.measures.bias.tables import Estimate
from assess.measures.bias.verdict import FEWEST, VERDICTS
from assess.measures.bias.words import DelicateCategory
from assess.measures.coverage.compute import SystemCoverage
from assess.report.text import count, first_few, percent, rate, share

MOST_SYSTEMS = 4  # that are described one by one
_NAMED = 3
_SERIOUS = ("reverses", "vanishes", "images", "reading")
DOMINANT_SHARE = 0.5
"""A text with more than this share of a category accounts for most of its difference."""
_SPOKEN = {
    ("people", "gender"): {"female": "women", "male": "men"},
    ("people", "age"): {"child": "children", "teenager": "teenagers", "adult": "adults"},
}
ValueWords = Callable[[str], str]
"""What sentences call a group's value: women, if the data say female."""


def value_words(domain: str, group: str) -> ValueWords:
    """Return words for the values of a group; a value without one is used as it is."""
    words = _SPOKEN.get((domain, group), {})
    return lambda value: words.get(value, value)


def variety(audit: AuditResult) -> list[str]:
    """Name the systems with the fewest and most modifiers per label in the best reading."""
    known = {name: found for name, found in audit.machines.items() if found.labels}
    categories = len(modifier_keys(audit))
    if not known:
        return [f"No caption contains a phrase about {visible(audit.domain)}"]
    order = sorted(known, key=lambda name: (known[name].best.modifiers_per_label, name))
    if len(order) == 1:
        return [f"{order[0]} has {_modifiers_per_label(known[order[0]], categories)}"]
    least, most = order[0], order[-1]
    return [
        f"{least} says least: {_modifiers_per_label(known[least], categories)}",
        f"{most} says most: {_modifiers_per_label(known[most], categories)}",
    ]


def _modifiers_per_label(coverage: SystemCoverage, categories: int) -> str:
    counts = coverage.best
    return (
        f"{counts.modifiers_per_label:.2f} modifiers per label, from"
        f" {counts.modifier_categories} of {categories} categories"
    )


def disparities_by_system(found: Iterable[ContrastCell]) -> dict[str, list[ContrastCell]]:
    """Return the disparities of each system that has any, largest first."""
    by_system: dict[str, list[ContrastCell]] = {}
    for contrast in sorted(found, key=by_size):
        if contrast.verdict == "disparity":
            by_system.setdefault(contrast.system, []).append(contrast)
    return by_system


NOTABLE_VERDICTS = ("disparity", "reversal")
"""The verdicts that readers see first."""


def by_size(contrast: ContrastCell) -> tuple[float, str, str]:
    """Return a sort key: largest difference first."""
    return -abs(contrast.risk_difference.value), contrast.system, contrast.category


def by_verdict(cell: ContrastCell) -> tuple[int, float, str, str]:
    """Return a sort key: disparities first, then no disparity, then insufficient; largest first."""
    size = abs(cell.risk_difference.value)
    place = list(VERDICTS).index(cell.verdict)
    return place, -size if math.isfinite(size) else 0.0, cell.system, cell.category


def difference_of(cell: ContrastCell) -> Estimate:
    """Return a cell's risk difference in percentage points."""
    return Estimate(*(100 * bound for bound in cell.risk_difference))


def short_shares(shares: Sequence[float]) -> list[str]:
    """Return shares with just enough digits to distinguish them: whole percents, unless some are small."""
    digits = 0 if all(round(share, 3) >= 0.01 or share == 0 for share in shares) else 1
    return [percent(share, digits) for share in shares]


def peoples_rates(contrast: ContrastCell) -> list[str]:
    """Return both rates in human captions of the same images; empty if unknown."""
    if contrast.amplification is None:
        return []
    people = contrast.amplification.reference
    sides = ((people.yes, people.labels), (people.other_yes, people.other_labels))
    return short_shares([share(yes, labels) for yes, labels in sides])


def one_text(contrast: ContrastCell) -> str:
    """Return a warning about a difference that is due to a single text; otherwise nothing."""
    texts = contrast.texts
    if texts is None or not texts.share > DOMINANT_SHARE:
        return ""
    return f" ({percent(texts.share, 0)} of it is one text)"


def warnings(found: Sequence[ContrastCell]) -> list[str]:
    """Name the contrasts that must not be quoted without care, reversals first."""
    several = len({contrast.pair for contrast in found}) > 1
    serious = [
        (_SERIOUS.index(caution.kind), f"{_place(contrast, several)}: {caution.text}")
        for contrast in found
        for caution in contrast.cautions
        if caution.kind in _SERIOUS and contrast.verdict in ("disparity", "reversal")
    ]
    return [text for _, text in sorted(serious)]


def _place(contrast: ContrastCell, several: bool) -> str:
    pair = f" ({contrast.group}, {contrast.against})" if several else ""
    return f"{contrast.name} in {contrast.system}{pair}"


def cancelling(found: Iterable[ContrastCell]) -> list[str]:
    """Name the categories whose words have opposite differences that cancel each other."""
    named = [
        f"{contrast.name} in {contrast.system}: {caution.text}"
        for contrast in found
        for caution in contrast.cautions
        if caution.kind == "cancels"
    ]
    return named[:_NAMED] + (
        [f"{count(len(named) - _NAMED)} more in which words cancel out"] if len(named) > _NAMED else []
    )


CHANGED: tuple[GapVerdict, GapVerdict] = ("wider", "narrower")


def beside_references(found: Iterable[ContrastCell]) -> dict[str, dict[GapVerdict, list[ContrastCell]]]:
    """Return each system's contrasts by their verdict versus the references, largest changes first."""
    sorted_out: dict[str, dict[GapVerdict, list[ContrastCell]]] = {}
    for contrast in found:
        if contrast.amplification is not None:
            verdicts = sorted_out.setdefault(
                contrast.system, {"wider": [], "narrower": [], "same": [], "insufficient": []}
            )
            verdicts[contrast.amplification.verdict].append(contrast)
    for verdicts in sorted_out.values():
        for contrasts in verdicts.values():
            contrasts.sort(key=_by_change)
    return sorted_out


def _by_change(contrast: ContrastCell) -> tuple[float, str]:
    change = contrast.amplification.risk_difference_change.value if contrast.amplification else 0.0
    return (-abs(change) if change == change else 0.0), contrast.category


def reference_highlights(found: Iterable[ContrastCell], group: str) -> list[str]:
    """State, for each system, where its gaps are wider than in human captions, the same, or narrower."""
    systems = beside_references(found)
    changed = {name: v for name, v in systems.items() if v["wider"] or v["narrower"]}
    lines = [
        f"{system}'s gaps by {group} compared with people's: wider in {_few(verdicts['wider'])};"
        f" narrower in {_few(verdicts['narrower'])}; the same in {len(verdicts['same'])};"
        f" open in {len(verdicts['insufficient'])}"
        for system, verdicts in changed.items()
    ]
    alike = [name for name in systems if name not in changed]
    if alike:
        lines.append(f"No gap by {group} is shown to differ from people's: {', '.join(alike)}")
    return lines


def _few(contrasts: Sequence[ContrastCell]) -> str:
    return first_few(list(dict.fromkeys(contrast.name for contrast in contrasts)), _NAMED) or "none"


def stated_shares(group: GroupResult) -> list[str]:
    """State how many of each system's labels express a value of the group at all."""
    if group.told_by == "images":
        return []
    shares = ", ".join(f"{name} {group.told[name].value:.0%}" for name in group.labels)
    return [f"Labels that state {group.name}: {shares}; systems that never state it cannot show a gap"]


def delicate_highlights(marked: Sequence[DelicateCategory], systems: Sequence[str]) -> list[str]:
    """Name categories that systems use although images cannot show them or although they are offensive."""
    offensive = [each for each in marked if each.sensitivity == "offensive"]
    hidden = [each for each in marked if each.sensitivity == "protected" and each.evidence != "visible"]
    lines = []
    for what, chosen in (
        ("Offensive words", offensive),
        ("Mentioned although protected and not visible in an image", hidden),
    ):
        counted = [(each.category, sum(each.labels.get(name, 0) for name in systems)) for each in chosen]
        said = [(name, number) for name, number in counted if number]
        if said:
            said.sort(key=lambda item: (-item[1], item[0]))
            numbers = [some(said[0][1], "label"), *(count(number) for _, number in said[1:_NAMED])]
            named = zip(said, numbers, strict=False)
            lines.append(f"{what}: {', '.join(f'{name} ({number})' for (name, _), number in named)}")
    return lines


def error_highlights(audit: AuditResult) -> list[str]:
    """Name the systems that misname one group of images more often than another."""
    if "errors" not in audit.measures:
        return []
    found = audit.measures["errors"]
    said = value_words(audit.domain, found.group)
    systems = {name: system for name, system in found.systems.items() if not system.reference}
    uneven = {
        name: system
        for name, system in systems.items()
        if any(Estimate(*pair.differences["incorrect"]).excludes(0) for pair in system.pairs)
    }
    if len(uneven) > MOST_SYSTEMS:
        who = f"{number_of(len(uneven), len(systems))} name"
        return [_named_wrongly(who, list(uneven.values()), found.group, said)]
    return [_named_wrongly(f"{name} names", [system], found.group, said) for name, system in uneven.items()]


def _named_wrongly(who: str, systems: Sequence[Any], group: str, said: ValueWords) -> str:
    """State how often one system, or several together, name the wrong group, and for which images."""
    errors: dict[str, list[float]] = {}
    for system in systems:
        for value, shares in system.groups.items():
            errors.setdefault(value, []).append(shares["incorrect"])
    ordered = sorted(errors, key=lambda value: (-max(errors[value]), value))
    # A value without a word of its own can be anything: `dark`, or a number.
    shown = {value: f"of {said(value)}" if said(value) != value else f"annotated {value}" for value in errors}
    told = ", ".join(f"{_range(errors[value])} for images {shown[value]}" for value in ordered)
    return f"{who} the wrong {group} in {_range([system['error'] for system in systems])} of captions: {told}"


def _range(shares: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(percent(each) for each in (min(shares), max(shares))))


def number_of(systems: int, total: int) -> str:
    """Return how many of the systems: all 9 systems, or 8 of 9 systems."""
    return (
        f"All {some(total, 'system')}" if systems == total > 1 else f"{systems:,} of {some(total, 'system')}"
    )


# Systems compared with people, i.e. all references together: how much they say and what they omit.

_ALIKE = 0.1  # relative to human captions; within this, a system says about as much
_SELDOM = 0.25  # relative to human captions; below this, a system hardly ever says something

Relation = Literal["less", "alike", "more"]
RELATIONS: dict[Relation, str] = {
    "less": "less than people",
    "alike": "about as much as people",
    "more": "more than people",
}


@dataclass(frozen=True, slots=True)
class Omission:
    """A category that people use but a system never or hardly ever uses."""

    key: str
    here: float  # share of the system's labels
    people: float  # share of the references' labels

    @property
    def name(self) -> str:
        """The category without its role."""
        return self.key.partition(".")[2]


def caption_counts(audit: AuditResult) -> Iterator[str]:
    """Yield the numbers of captions by systems and by people."""
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
    """Return all systems of the audit, followed by the references."""
    return [*audit.machines, *(name for name in audit.systems if name in audit.references)]


def never_said(audit: AuditResult) -> Iterator[tuple[str, list[str]]]:
    """Yield the keys of categories that nobody uses, modifiers first, without empty roles."""
    for role in ("modifier", "head"):
        if keys := [key for key in audit.categories_never_used if key.startswith(f"{role}.")]:
            yield f"{role}s", keys


def modifier_keys(audit: AuditResult) -> list[str]:
    """Return the modifier categories of the domain."""
    return [key for key in audit.categories if key.startswith("modifier.")]


def peoples_rate(audit: AuditResult) -> float:
    """Return the modifiers per label of all references together; undefined without references."""
    found = [audit.systems[name].best for name in audit.references]
    labels = sum(system.labels for system in found)
    return sum(system.modifiers for system in found) / labels if labels else math.nan


def peoples_shares(audit: AuditResult) -> dict[str, float]:
    """Return the share of each modifier category in the references' labels, most common first."""
    people = [audit.systems[name] for name in audit.references]
    labels = sum(system.labels for system in people)
    used = {key: sum(system.categories[key].best_labels for system in people) for key in modifier_keys(audit)}
    return {key: used[key] / labels for key in sorted(used, key=lambda k: (-used[k], k)) if used[key]}


def relation(here: float, people: float) -> Relation:
    """Return whether a system says less than people, about as much, or more."""
    if abs(here - people) <= _ALIKE * people:
        return "alike"
    return "less" if here < people else "more"


def rates_beside(here: Sequence[float], people: float) -> str:
    """Return the rates of systems, from the lowest to the highest, next to the rate of people."""
    digits = 1 if min(*here, people) >= 1 else 2
    extremes = dict.fromkeys(rate(each, digits) for each in (here[0], here[-1]))
    return f"{' to '.join(extremes)} against {rate(people, digits)} modifiers per label"


def omissions(system: SystemCoverage, people: dict[str, float]) -> tuple[list[Omission], list[Omission]]:
    """Return the categories that people use and that a system never uses, and those it hardly ever uses."""
    # At the rate of people, a few uses would be expected, so their absence is not by chance.
    expected = {key: share for key, share in people.items() if share * system.labels >= FEWEST}
    found = [
        Omission(key, system.categories[key].best_labels / system.labels, share)
        for key, share in expected.items()
    ]
    never = [item for item in found if not item.here]
    return never, [item for item in found if 0 < item.here < _SELDOM * item.people]


def different_images(audit: AuditResult, named: Callable[[str], str] = str) -> Iterator[str]:
    """Yield a warning if not all captions describe the same images."""
    owners: dict[tuple[int, str | None], list[str]] = {}
    for name, system in audit.systems.items():
        owners.setdefault((system.images, system.images_digest), []).append(name)
    if len(owners) > 1:
        yield f"{_who_describes_what(audit, owners, named)}, which may explain differences"


def _who_describes_what(
    audit: AuditResult, owners: Mapping[tuple[int, str | None], Sequence[str]], named: Callable[[str], str]
) -> str:
    numbers = [images for images, _ in owners]
    sides = [{name in audit.machines for name in names} for names in owners.values()]
    if sides == [{True}, {False}] and numbers[0] != numbers[1]:
        who = "the system describes" if len(audit.machines) == 1 else "the systems describe"
        return f"{who} {some(numbers[0], 'image')} and the references {count(numbers[1])}"
    sets = "; ".join(
        f"{', '.join(map(named, names))}: {some(images, 'image')}" for (images, _), names in owners.items()
    )
    return f"the captions describe different images ({sets})"
