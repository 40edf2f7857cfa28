"""Systems beside people: what each leaves out that people say, and how far each category is from theirs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assess.audits.highlights import short_shares
from assess.audits.html.captions import Captions
from assess.audits.people import (
    RELATIONS,
    Omission,
    Relation,
    modifier_keys,
    omissions,
    peoples_rate,
    peoples_shares,
    relation,
)
from assess.audits.result import AuditResult
from assess.measures.coverage.compute import SystemCoverage
from assess.report.html.parts import Number, captions_link
from assess.report.svg import marked_bar, round_up, small_bar
from assess.report.text import percent, rate, signed

_TYPICAL = 1  # labels per system
_SOON_SHOWN = 5  # omissions per system; the others are one click away
_STEPS = (1.0, 3.0, 10.0, 25.0)
"""Percentage points at which the next colour of a gap begins."""
GAP_LEGEND = tuple(
    [(-place, f"−{step:g} or less") for place, step in reversed([*enumerate(_STEPS, start=1)])]
    + [(0, "within 1 point")]
    + [(place, f"+{step:g} or more") for place, step in enumerate(_STEPS, start=1)]
)
_RARE = 0.01  # of the labels of people and of every system: such rows are shown only when asked for


@dataclass(frozen=True, slots=True)
class Omitted:
    """A category that people use and a system leaves out."""

    name: str
    shares: str  # people's share; before it the system's own, where it has one
    href: str  # to what people say


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """One system beside people."""

    system: str
    relation: Relation
    told: str
    rate: Number
    bar: Markup
    typical: tuple[tuple[str, str], ...]  # labels, and their captions
    never: tuple[Omitted, ...]
    seldom: tuple[Omitted, ...]


@dataclass(frozen=True, slots=True)
class GapCell:
    """One category of one system: its share, and how far that is from people's."""

    gap: Number
    share: str
    level: int  # of colour: below 0 where the system says it less


@dataclass(frozen=True, slots=True)
class GapRow:
    """One category in all systems, beside people."""

    name: str
    people: Number
    bar: Markup
    cells: tuple[GapCell, ...]
    rare: bool


@dataclass(frozen=True, slots=True)
class PeopleComparison:
    """All systems beside people."""

    people: Number  # their modifiers per label
    end: str  # of the scale of the bars
    rows: tuple[SystemComparison, ...]
    gaps: tuple[GapRow, ...]
    soon_shown: int = _SOON_SHOWN


def beside_people(audit: AuditResult, captions: Captions) -> PeopleComparison | None:
    """Return the systems beside people; nothing where there are no references, or they say nothing."""
    people, shares = peoples_rate(audit), peoples_shares(audit)
    systems = {name: system for name, system in audit.machines.items() if system.labels}
    if math.isnan(people) or not systems:
        return None
    end = round_up(max(people, *(system.best.modifiers_per_label for system in systems.values())))
    rows = [_row(audit, captions, name, shares, end) for name in systems]
    href = captions_link(system=_reference(audit), modified="yes")
    return PeopleComparison(
        Number(rate(people), people, href),
        f"{end:g}",
        tuple(sorted(rows, key=lambda row: row.rate.sort)),
        tuple(_gap_rows(audit, shares)),
    )


def _reference(audit: AuditResult) -> str:
    """Return the references whose captions links lead to; of several, the first."""
    return next(name for name in audit.systems if name in audit.references)


def _row(
    audit: AuditResult, captions: Captions, name: str, shares: dict[str, float], end: float
) -> SystemComparison:
    system, people = audit.systems[name], peoples_rate(audit)
    here = system.best.modifiers_per_label
    how = relation(here, people)
    never, seldom = omissions(system, shares)
    reference = _reference(audit)
    return SystemComparison(
        system=name,
        relation=how,
        told=f"says {RELATIONS[how]}",
        rate=Number(rate(here), here, captions_link(system=name, modified="yes")),
        bar=marked_bar(here / end, people / end, class_=how),
        typical=tuple(typical_labels(captions, name)),
        never=tuple(_omitted(item, [item.people], reference) for item in never),
        seldom=tuple(_omitted(item, [item.here, item.people], reference) for item in seldom),
    )


def _omitted(item: Omission, shares: Sequence[float], reference: str) -> Omitted:
    told = " against ".join(short_shares(shares))
    return Omitted(item.name, told, captions_link(system=reference, category=item.key))


def typical_labels(captions: Captions, system: str) -> Iterator[tuple[str, str]]:
    """Yield a system's commonest labels of those that say about as much as its labels do on average."""
    labels, categories = captions.columns["labels"], captions.columns["categories"]
    modifiers = {
        text: sum(categories[place].startswith("modifier.") for place in best)
        for text, best in zip(labels["text"], labels["best"], strict=True)
    }
    said = captions.labels[system]
    average = round(sum(modifiers.get(text, 0) * number for text, number in said.items()) / said.total())
    order = sorted(said.items(), key=lambda item: (-item[1], item[0]))
    chosen = [text for text, _ in order if modifiers.get(text) == average]
    for text in chosen[:_TYPICAL]:
        yield text, captions_link(system=system, label=text)


# The heat map of gaps.


def _gap_rows(audit: AuditResult, shares: dict[str, float]) -> Iterator[GapRow]:
    machines = {name: system for name, system in audit.machines.items() if system.labels}
    others = [key for key in modifier_keys(audit) if key not in shares]
    reference = _reference(audit)
    for key in [*shares, *others]:
        people = shares.get(key, 0.0)
        found = [_share(system, key) for system in machines.values()]
        if not people and not any(found):
            continue
        href = captions_link(system=reference, category=key) if people else None
        yield GapRow(
            key.partition(".")[2],
            Number(_percent(people), people, href),
            small_bar(people, class_="human"),
            tuple(_gap_cell(name, key, share, people) for name, share in zip(machines, found, strict=True)),
            max(people, *found) < _RARE,
        )


def _share(system: SystemCoverage, key: str) -> float:
    return system.categories[key].best_labels / system.labels


def _percent(share: float) -> str:
    return percent(share, 0 if share == 0 or share >= 0.1 else 1)


def _gap_cell(system: str, key: str, share: float, people: float) -> GapCell:
    gap = (share - people) * 100
    text = _gap_text(gap) if share else "never" if people else "·"
    href = captions_link(system=system, category=key) if share else None
    level = sum(abs(gap) >= step for step in _STEPS) * (1 if gap > 0 else -1)
    return GapCell(Number(text, gap, href), _percent(share) if share else "", level)


def _gap_text(points: float) -> str:
    if abs(points) < 0.05:
        return "0"
    return signed(0 if abs(points) >= 10 else 1, "−")(points)
