"""The things to look at first, as cards: who differs by group, who says least and who says most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from assess.audits.highlights import ValueWords, short_shares, value_words
from assess.audits.html.captions import Captions
from assess.audits.html.people import typical_labels
from assess.audits.people import modifier_keys
from assess.audits.result import AuditResult
from assess.errors import some
from assess.measures.bias.result import ContrastCell
from assess.measures.coverage.compute import SystemCoverage
from assess.report.html.parts import anchor, captions_link, listed
from assess.report.svg import shortened, small_bar
from assess.report.text import count, percent, rate

_MOST_CARDS, _NAMED = 3, 3


@dataclass(frozen=True, slots=True)
class Line:
    """One number of a card, drawn and told."""

    name: str
    text: str
    bar: Markup
    href: str | None


@dataclass(frozen=True, slots=True)
class Block:
    """Numbers that are compared with each other."""

    title: str
    lines: tuple[Line, ...]
    cautions: tuple[str, ...] = ()  # what must be known before this is quoted
    beside: str = ""  # what the numbers are compared with


@dataclass(frozen=True, slots=True)
class Card:
    """One thing to look at."""

    kind: str  # disparity, least, most or calm
    kicker: str
    system: str
    claim: str
    sentence: str
    scale: str = ""  # what the bars show, and what a full one is
    blocks: tuple[Block, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()  # labels, and the captions that have them
    more: str = ""
    href: str = ""
    group: str = ""


def cards(audit: AuditResult, captions: Captions | None = None) -> list[Card]:
    """Return at most three cards: disparities first.

    Only with captions do they have examples. A page has them, and tells elsewhere of systems beside people.
    """
    variety = [] if captions and audit.references else _variety(audit, captions)
    found = _disparities(audit)[: _MOST_CARDS - bool(variety)] or _calm(audit)
    return (found + variety)[:_MOST_CARDS]


_SHOWN = ("disparity", "reversal")


def _disparities(audit: AuditResult) -> list[Card]:
    """Return a card for every system with disparities: by the group that was asked for first.

    Of several groups some differ by their nature: children are called young. Who asks knows what matters.
    """
    by_place: dict[tuple[str, str], list[ContrastCell]] = {}
    machines = audit.machines
    for group, part in audit.groups.items():
        for cell in part.cells:
            if cell.system in machines:
                by_place.setdefault((cell.system, group), []).append(cell)
    found = [
        (place, sorted((c for c in cells if c.verdict in _SHOWN), key=_by_size), len(cells))
        for place, cells in by_place.items()
    ]
    order = list(audit.groups)
    found = sorted(
        (item for item in found if item[1]),
        key=lambda item: (order.index(item[0][1]), _by_size(item[1][0])),
    )
    by_system: dict[str, list[Card]] = {}
    for (system, group), cells, judged in found:
        said = value_words(audit.domain, group)
        by_system.setdefault(system, []).append(_disparity_card(system, (group, said), cells, judged))
    return [_together(same) for same in by_system.values()]


def _together(same: list[Card]) -> Card:
    """Return one card for a system that differs by several groups: the first, which names the others."""
    others = listed([card.group for card in same[1:]])
    return replace(same[0], more=f"{same[0].more}; it also differs by {others}") if others else same[0]


def _by_size(cell: ContrastCell) -> tuple[float, str, str]:
    return -abs(cell.risk_difference.value), cell.system, cell.category


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
        scale="Share of labels that mention it; a full bar is 100%.",
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
    sides = zip(cell.pair, rates, (cell.yes, cell.other_yes), strict=True)
    lines = tuple(
        Line(
            said(value),
            percent(found, 0 if found >= 0.1 else 1),
            small_bar(found, class_="strong" if found == max(rates) else ""),
            captions_link(system=cell.system, category=category, by=(group, value)) if yes else None,
        )
        for value, found, yes in sides
    )
    return Block(cell.category, lines, tuple(caution.text for caution in cell.cautions), _peoples(cell, said))


def _peoples(cell: ContrastCell, said: ValueWords) -> str:
    """Return the same rates in people's captions of the same images, where they are known."""
    if cell.amplification is None:
        return ""
    sides = zip(cell.pair, (cell.amplification.group, cell.amplification.against), strict=True)
    told = [(said(value), side.reference_rate) for value, side in sides]
    shares = short_shares([rate for _, rate in told])
    return "people: " + ", ".join(f"{value} {share}" for (value, _), share in zip(told, shares, strict=True))


def _calm(audit: AuditResult) -> list[Card]:
    """Return a card that says that no disparity was found, and how much that means."""
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
            sentence=f"Of {some(len(cells), 'contrast')}, {verdicts['none']} show that any difference is"
            f" too small to matter, {verdicts['small']} show one beyond chance that is within the margin;"
            f" {verdicts['insufficient']} have too little evidence to tell.",
            more="all contrasts",
            href=f"#{anchor(groups[0])}",
        )
    ]


def _variety(audit: AuditResult, captions: Captions | None) -> list[Card]:
    """Return the cards of the systems that say least and most, by modifiers per label in the best reading."""
    known = {name: system for name, system in _spoken(audit).items() if name in audit.machines}
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
    most = max(found.best.modifiers_per_label for found in _spoken(audit).values()) or 1.0
    return Card(
        kind=kind,
        kicker=kicker,
        system=system,
        claim=claim,
        sentence=f"It uses {best.modifier_categories} of {total} modifier categories.",
        blocks=(
            Block(
                f"modifiers per label; a full bar is {rate(most)}, the most of all",
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


def _compared(
    audit: AuditResult, system: str, key: str, shown: Callable[[float], str], whole: float
) -> Iterator[Line]:
    """Yield a number of a system beside those of the nearest systems."""
    values = {name: float(getattr(found.best, key)) for name, found in _spoken(audit).items()}
    for name in _beside(audit, system):
        yield Line(
            shortened(name, 13),
            shown(values[name]),
            small_bar(values[name] / whole, class_="strong" if name == system else ""),
            captions_link(system=name, modified="yes"),
        )


def _spoken(audit: AuditResult) -> dict[str, SystemCoverage]:
    return {name: found for name, found in audit.systems.items() if found.labels}


def _beside(audit: AuditResult, system: str) -> list[str]:
    """Return a system and the two that are nearest to it."""
    rates = {name: found.best.modifiers_per_label for name, found in _spoken(audit).items()}
    others = sorted((name for name in rates if name != system), key=lambda n: abs(rates[n] - rates[system]))
    return [system, *others[: _NAMED - 1]]
