"""The main findings as cards: group differences, and the systems that say least and most."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from assess.audits.highlights import (
    NOTABLE_VERDICTS,
    RELATIONS,
    Omission,
    Relation,
    ValueWords,
    by_size,
    modifier_keys,
    omissions,
    peoples_rate,
    peoples_rates,
    peoples_shares,
    relation,
    short_shares,
    value_words,
)
from assess.audits.html.captions import Captions
from assess.audits.result import AuditResult
from assess.errors import some
from assess.measures.bias.result import ContrastCell
from assess.measures.coverage.compute import SystemCoverage
from assess.report.html.parts import anchor, captions_link
from assess.report.section import Cell
from assess.report.section import cell as number_cell
from assess.report.svg import marked_bar, round_up, small_bar
from assess.report.text import Form, count, listed, percent, rate, shortened, signed

_MOST_CARDS, _NAMED = 3, 3


Line = tuple[str, Markup, Cell]
"""A number on a card: label, drawing and text."""


@dataclass(frozen=True, slots=True)
class Block:
    """Numbers to compare with each other."""

    title: str
    lines: tuple[Line, ...]
    cautions: tuple[str, ...] = ()  # cautions for quoting this
    beside: str = ""  # what the numbers are compared with


@dataclass(frozen=True, slots=True)
class Card:
    """A finding."""

    kind: str  # disparity, least, most or calm (no disparities)
    kicker: str
    system: str
    claim: str
    sentence: str
    scale: str = ""  # what the bars show, and the value of a full bar
    blocks: tuple[Block, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()  # labels, and links to their captions
    more: str = ""
    href: str = ""
    group: str = ""


def cards(audit: AuditResult, captions: Captions | None = None) -> list[Card]:
    """Return at most three cards, disparities first.

    Without `captions`, they have no examples. The page has captions, and compares systems with people
    elsewhere.
    """
    variety = [] if captions and audit.references else _variety(audit, captions)
    found = _disparities(audit)[: _MOST_CARDS - bool(variety)] or _no_disparities(audit)
    return (found + variety)[:_MOST_CARDS]


def cards_heading(audit: AuditResult, shown: Sequence[Card]) -> str:
    """Return the heading of the cards, which states how many systems differ if not all have a card."""
    differing = len(_disparities(audit))
    carded = sum(card.kind == "disparity" for card in shown)
    if 0 < carded < differing:
        return f"What differs: the {carded} most uneven of {differing} systems with disparities"
    return ""


def _disparities(audit: AuditResult) -> list[Card]:
    """Return one card for each system with disparities, for the requested group that comes first.

    Some groups differ by nature (children are called young), so the order in which users request groups
    matters.
    """
    by_place: dict[tuple[str, str], list[ContrastCell]] = {}
    machines = audit.machines
    for group, part in audit.groups.items():
        for cell in part.cells:
            if cell.system in machines:
                by_place.setdefault((cell.system, group), []).append(cell)
    found = [
        (place, sorted((c for c in cells if c.verdict in NOTABLE_VERDICTS), key=by_size), len(cells))
        for place, cells in by_place.items()
    ]
    order = list(audit.groups)
    found = sorted(
        (item for item in found if item[1]),
        key=lambda item: (order.index(item[0][1]), by_size(item[1][0])),
    )
    by_system: dict[str, list[Card]] = {}
    for (system, group), cells, judged in found:
        said = value_words(audit.domain, group)
        by_system.setdefault(system, []).append(_disparity_card(system, (group, said), cells, judged))
    return [_together(same) for same in by_system.values()]


def _together(same: list[Card]) -> Card:
    """Return one card for a system that differs by several groups: the first card, which names the others."""
    others = listed([card.group for card in same[1:]])
    return replace(same[0], more=f"{same[0].more}; it also differs by {others}") if others else same[0]


def _disparity_card(
    system: str, by: tuple[str, ValueWords], cells: Sequence[ContrastCell], judged: int
) -> Card:
    group, said = by
    more = len(cells) - _NAMED
    sides = dict.fromkeys(said(value) for cell in cells for value in cell.pair)
    return Card(
        kind="disparity",
        kicker=f"Disparity by {group}",
        system=system,
        claim=f"describes {listed(list(sides))} differently",
        sentence=f"{len(cells)} of {some(judged, 'contrast')} {_show(cells)}.",
        scale="Share of labels that have the category; a full bar is 100%.",
        blocks=tuple(_disparity_block(cell, by) for cell in cells[:_NAMED]),
        more=f"and {more} more" if more > 0 else "all contrasts",
        href=f"#{anchor(group)}",
        group=group,
    )


def _show(cells: Sequence[ContrastCell]) -> str:
    turned = any(cell.verdict == "reversal" for cell in cells)
    verb = "shows" if len(cells) == 1 else "show"
    return f"{verb} a disparity or a reversal" if turned else f"{verb} a disparity"


def _disparity_block(cell: ContrastCell, by: tuple[str, ValueWords]) -> Block:
    group, said = by
    rates = (cell.rate, cell.other_rate)
    category = f"{cell.role}.{cell.category}"
    sides = zip(cell.pair, rates, short_shares(rates), (cell.yes, cell.other_yes), strict=True)
    lines = []
    for value, found, shown, yes in sides:
        link = captions_link(system=cell.system, category=category, by=(group, value)) if yes else ""
        bar = small_bar(found, class_="strong" if found == max(rates) else "")
        lines.append((said(value), bar, Cell(shown, found, link=link)))
    cautions = tuple(caution.text for caution in cell.cautions)
    return Block(cell.category, tuple(lines), cautions, _peoples(cell, said))


def _peoples(cell: ContrastCell, said: ValueWords) -> str:
    """Return the same rates in human captions of the same images, if they are known."""
    rates = peoples_rates(cell)
    told = (f"{said(value)} {rate}" for value, rate in zip(cell.pair, rates, strict=True)) if rates else ()
    return f"people: {', '.join(told)}" if rates else ""


def _no_disparities(audit: AuditResult) -> list[Card]:
    """Return a card that states that no disparity was found, and how conclusive that is."""
    cells = [cell for part in audit.groups.values() for cell in part.cells if cell.system in audit.machines]
    if not cells:
        return []
    verdicts = Counter(cell.verdict for cell in cells)
    groups = list(audit.groups)
    return [
        Card(
            kind="calm",
            kicker="No disparity found",
            system="",
            claim=f"No system is shown to differ by {listed(groups)}",
            sentence=f"Of {some(len(cells), 'contrast')}, {verdicts['none']} show that any difference is too"
            f" small to matter, {verdicts['small']} show a significant difference within the margin,"
            f" and {verdicts['insufficient']} have too little evidence.",
            more="all contrasts",
            href=f"#{anchor(groups[0])}",
        )
    ]


def _variety(audit: AuditResult, captions: Captions | None) -> list[Card]:
    """Return the cards of the systems with the fewest and most modifiers per label in the best reading."""
    known = {name: system for name, system in _with_labels(audit).items() if name in audit.machines}
    order = sorted(known, key=lambda name: (known[name].best.modifiers_per_label, name))
    if not order:
        return []
    kinds = [
        ("least", "Little variety", f"says least about {audit.domain}", order[0]),
        ("most", "Much variety", f"says most about {audit.domain}", order[-1]),
    ]
    if len(order) == 1:
        kinds = [("least", "Variety", f"about {audit.domain}", order[0])]
    return [_variety_card(audit, captions, *kind) for kind in kinds]


def _variety_card(
    audit: AuditResult, captions: Captions | None, kind: str, kicker: str, claim: str, system: str
) -> Card:
    best = audit.systems[system].best
    total = len(modifier_keys(audit))
    most = max(found.best.modifiers_per_label for found in _with_labels(audit).values()) or 1.0
    return Card(
        kind=kind,
        kicker=kicker,
        system=system,
        claim=claim,
        sentence=f"It uses {best.modifier_categories} of {total} modifier categories.",
        blocks=(
            Block(
                f"modifiers per label; a full bar is {rate(most)}, the highest value",
                tuple(_compared(audit, system, "modifiers_per_label", rate, most)),
            ),
            Block(
                f"modifier categories, of {total}",
                tuple(_compared(audit, system, "modifier_categories", count, total)),
            ),
        ),
        examples=tuple(typical_labels(captions, system)) if captions else (),
        more="all systems",
        href="#systems",
    )


def _compared(audit: AuditResult, system: str, key: str, form: Form, whole: float) -> Iterator[Line]:
    """Yield a number of a system next to those of the most similar systems."""
    values = {name: float(getattr(found.best, key)) for name, found in _with_labels(audit).items()}
    for name in _beside(audit, system):
        yield (
            shortened(name, 13),
            small_bar(values[name] / whole, class_="strong" if name == system else ""),
            number_cell(values[name], form, link=captions_link(system=name, modified="yes")),
        )


def _with_labels(audit: AuditResult) -> dict[str, SystemCoverage]:
    return {name: found for name, found in audit.systems.items() if found.labels}


def _beside(audit: AuditResult, system: str) -> list[str]:
    """Return a system and the two most similar to it."""
    rates = {name: found.best.modifiers_per_label for name, found in _with_labels(audit).items()}
    others = sorted((name for name in rates if name != system), key=lambda n: abs(rates[n] - rates[system]))
    return [system, *others[: _NAMED - 1]]


# Systems compared with people: what each omits, and how far each category is from the people's share.

_TYPICAL = 1  # labels per system
_SOON_SHOWN = 5  # omissions per system that are visible initially; the others need a click
_STEPS = (1.0, 3.0, 10.0, 25.0)
"""Percentage points at which the next colour for a gap begins."""
GAP_LEGEND = tuple(
    [(-place, f"−{step:g} or less") for place, step in reversed([*enumerate(_STEPS, start=1)])]
    + [(0, "within 1 point")]
    + [(place, f"+{step:g} or more") for place, step in enumerate(_STEPS, start=1)]
)
_RARE = 0.01  # share of labels; rows that are rarer for people and all systems are shown on request


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """One system compared with people."""

    system: str
    relation: Relation
    told: str
    rate: Cell
    bar: Markup
    typical: tuple[tuple[str, str], ...]  # labels, and links to their captions
    never: tuple[Cell, ...]  # categories, with the people's share and a link to their captions
    seldom: tuple[Cell, ...]


GapCell = tuple[Cell, int]
"""A system's difference from people, its share, and its colour level, which is negative if it says less."""


@dataclass(frozen=True, slots=True)
class GapRow:
    """One category in all systems, compared with people."""

    name: str
    people: Cell
    bar: Markup
    cells: tuple[GapCell, ...]
    rare: bool


@dataclass(frozen=True, slots=True)
class PeopleComparison:
    """All systems compared with people."""

    people: Cell  # their modifiers per label
    end: str  # maximum of the bars' scale
    rows: tuple[SystemComparison, ...]
    gaps: tuple[GapRow, ...]
    soon_shown: int = _SOON_SHOWN


def beside_people(audit: AuditResult, captions: Captions) -> PeopleComparison | None:
    """Return the comparison with people; None if there are no references or they contain nothing."""
    people, shares = peoples_rate(audit), peoples_shares(audit)
    systems = {name: system for name, system in audit.machines.items() if system.labels}
    if math.isnan(people) or not systems:
        return None
    end = round_up(max(people, *(system.best.modifiers_per_label for system in systems.values())))
    rows = [_row(audit, captions, name, shares, end) for name in systems]
    link = captions_link(system=_reference(audit), modified="yes")
    return PeopleComparison(
        number_cell(people, rate, link=link),
        f"{end:g}",
        tuple(sorted(rows, key=lambda row: row.rate.value)),
        tuple(_gap_rows(audit, shares)),
    )


def _reference(audit: AuditResult) -> str:
    """Return the references whose captions are linked: the first, if there are several."""
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
        rate=number_cell(here, rate, link=captions_link(system=name, modified="yes")),
        bar=marked_bar(here / end, people / end, class_=how),
        typical=tuple(typical_labels(captions, name)),
        never=tuple(_omitted(item, [item.people], reference) for item in never),
        seldom=tuple(_omitted(item, [item.here, item.people], reference) for item in seldom),
    )


def _omitted(item: Omission, shares: Sequence[float], reference: str) -> Cell:
    told, link = " against ".join(short_shares(shares)), captions_link(system=reference, category=item.key)
    return Cell(item.name, item.people, bounds=told, link=link)


def typical_labels(captions: Captions, system: str) -> Iterator[tuple[str, str]]:
    """Yield a system's most common labels with about its average number of modifiers."""
    modifiers, said = captions.modifiers, captions.labels[system]
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
        yield GapRow(
            key.partition(".")[2],
            _number(people, captions_link(system=reference, category=key) if people else ""),
            small_bar(people, class_="human"),
            tuple(_gap_cell(name, key, share, people) for name, share in zip(machines, found, strict=True)),
            max(people, *found) < _RARE,
        )


def _share(system: SystemCoverage, key: str) -> float:
    return system.categories[key].best_labels / system.labels


def _percent(share: float) -> str:
    return percent(share, 0 if share == 0 or share >= 0.1 else 1)


def _number(share: float, link: str) -> Cell:
    return number_cell(share, _percent, link=link)


def _gap_cell(system: str, key: str, share: float, people: float) -> GapCell:
    gap = (share - people) * 100
    text = _gap_text(gap) if share else "never" if people else "·"
    link = captions_link(system=system, category=key) if share else ""
    level = sum(abs(gap) >= step for step in _STEPS) * (1 if gap > 0 else -1)
    return Cell(text, gap, link=link, bounds=_percent(share) if share else ""), level


def _gap_text(points: float) -> str:
    if abs(points) < 0.05:
        return "0"
    return signed(0 if abs(points) >= 10 else 1)(points)
