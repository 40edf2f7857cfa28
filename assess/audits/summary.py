"""The one-screen summary of an audit: main findings, systems compared with people, and omissions.

Systems come first; people, whose captions are the references, are what they are compared with. The full
report is printed by `assess audit --full` and shown on the page.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from assess.audits import highlights
from assess.audits.differences import Differences
from assess.audits.highlights import MOST_SYSTEMS, Omission, Relation, value_words
from assess.audits.result import AuditResult
from assess.audits.sections import further_sections
from assess.errors import some, visible
from assess.measures.bias.result import ContrastCell
from assess.measures.coverage.compute import SystemCoverage
from assess.report.section import Cell, Column, Table, tables_of, words
from assess.report.terminal import (
    bullet,
    fitted,
    horizontal_bar,
    note_lines,
    short_name,
    terminal_table,
)
from assess.report.text import UNDEFINED, count, first_few, listed, percent, rate, share, shortened

LESS, MORE = "dark_orange3", "dark_cyan"  # readable on light and dark backgrounds; words say the same
_STYLES: dict[Relation, str] = {"less": LESS, "alike": "", "more": MORE}
_MOST_NAMED, _MOST_NAMED_TOGETHER, _MOST_SELDOM = 6, 4, 3
_MOST_NOTES = 3
_SHORT, _BAR = 24, 10


def audit_screen(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the screen from top to bottom, including brief tables of registered sections."""
    yield findings(audit, width)
    yield from _systems(audit, width)
    yield from _left_out(audit, width)
    for group in audit.groups.values():
        said = value_words(audit.domain, group.name)
        yield from Differences(group.name, _of_systems(audit, group.cells), said, width).forest()
    for table in tables_of(further_sections(audit), "terminal"):
        yield from terminal_table(table, width=width) if table.brief else ()
    yield from _closing(audit)


def summary_line(audit: AuditResult) -> Text:
    """Return the last line: the number of findings, and the amount of data."""
    cells = [cell for group in audit.groups.values() for cell in _of_systems(audit, group.cells)]
    found = sum(cell.verdict == "disparity" for cell in cells)
    reversals = sum(cell.verdict == "reversal" for cell in cells)
    style = "bold red" if found or reversals else "bold green"
    line = Text()
    if cells:
        told = some(found, "disparity")
        told += f" and {some(reversals, 'reversal')}" if reversals else ""
        line.append(f"{told} in {some(len(cells), 'contrast')}", style=style).append("; ")
    return line.append("; ".join(highlights.caption_counts(audit)))


def _of_systems(audit: AuditResult, cells: Iterable[ContrastCell]) -> list[ContrastCell]:
    return [cell for cell in cells if cell.system in audit.machines]


# Main findings.


def findings(audit: AuditResult, width: int, *, in_full: bool = False) -> RenderableType:
    """Return the main findings as sentences; in the full report, also comparisons with human captions."""
    parts: list[RenderableType] = [Text("What stands out", style="bold"), _how_much(audit, width)]
    lines: list[str] = []
    for group in audit.groups.values():
        found = _of_systems(audit, group.cells)
        parts += Differences(group.name, found, value_words(audit.domain, group.name), width).findings()
        cautions = highlights.warnings(found)
        lines += cautions if in_full else _first(cautions, 1 if len(audit.machines) > MOST_SYSTEMS else 3)
        if in_full:
            lines += highlights.cancelling(found)
            lines += highlights.reference_highlights(found, group.name)
            lines += highlights.stated_shares(group)
    lines += highlights.error_highlights(audit)
    lines += highlights.delicate_highlights(audit.markedness, list(audit.machines))
    return Group(*parts, *map(bullet, lines))


def _first(cautions: list[str], most: int) -> list[str]:
    """Return the first cautions, the last of which states how many more there are."""
    *others, last = cautions[:most] or [""]
    more = f"; {some(len(cautions) - most, 'more caution')}" if len(cautions) > most else ""
    return [*others, f"{last}{more}"] if last else []


def _how_much(audit: AuditResult, width: int) -> RenderableType:
    """Return how much systems say: each compared with people, or the ones that say least and most."""
    people = highlights.peoples_rate(audit)
    known = {name: system for name, system in audit.machines.items() if system.labels}
    if math.isnan(people) or not known:
        return Group(*map(bullet, highlights.variety(audit)))
    rates = {name: system.best.modifiers_per_label for name, system in known.items()}
    chosen = sorted(rates, key=lambda name: rates[name])
    together = (lambda name: highlights.relation(rates[name], people)) if len(chosen) > MOST_SYSTEMS else str
    groups = [list(group) for _, group in groupby(chosen, together)]
    lines = [
        _against_people(_names(group, len(chosen), width), [rates[name] for name in group], people)
        for group in groups
    ]
    return Group(*map(bullet, lines))


def _names(group: Sequence[str], systems: int, width: int) -> str:
    if len(group) == systems > 1:
        return f"All {some(systems, 'system')}"
    return listed([short_name(name, width) for name in group], _MOST_SELDOM)


def _against_people(names: str, rates: Sequence[float], people: float) -> Text:
    """Return how much one system, or several from the lowest rate to the highest, say beside people."""
    how = highlights.relation(rates[0], people)
    says = " says " if len(rates) == 1 else " say "
    told = f": {highlights.rates_beside(rates, people)}"
    return Text.assemble((names, "bold"), says, (highlights.RELATIONS[how], _STYLES[how]), told)


# The systems, followed by people.


def _systems(audit: AuditResult, width: int) -> Iterator[RenderableType]:
    names = highlights.people_last(audit)
    columns = dict(_columns(audit, names, width))
    title = f"What the captions say about {audit.domain}"
    rows = tuple(zip(*columns.values(), strict=True))
    table = fitted(Table("systems", title, tuple(columns), rows, apart=len(audit.references)), width=width)
    notes = "; ".join(_table_notes(audit, {column.name for column in table.columns}))
    yield from terminal_table(replace(table, notes=(f"{notes}.",)), width=width, compact=True)


def _columns(audit: AuditResult, names: Sequence[str], width: int) -> Iterator[tuple[Column, Sequence[Cell]]]:
    """Yield the columns with a cell for each system; the last columns are dropped in a narrow terminal."""
    systems = [audit.systems[name] for name in names]
    modifiers = len(highlights.modifier_keys(audit))
    yield Column("system", "system", words=True), [words(_row_name(audit, name, width)) for name in names]
    yield Column("captions", "captions", rank=2), [words(count(system.captions)) for system in systems]
    yield Column("labels", "labels"), [words(count(system.labels)) for system in systems]
    rates = [words(rate(system.best.modifiers_per_label)) for system in systems]
    yield Column("rate", "modifiers per label"), rates
    yield Column("bar", "", words=True, rank=4), _bars(audit, systems)
    used = [words(f"{system.best.modifier_categories} of {modifiers}") for system in systems]
    yield Column("categories", "categories", rank=1), used
    yield from _values(audit, names)
    yield from _measured(audit, names)


def _table_notes(audit: AuditResult, headings: set[str]) -> Iterator[str]:
    """Yield explanations of the table's columns that are not self-explanatory."""
    yield f"labels: phrases about {visible(audit.domain)}"
    if any(not system.labels for system in audit.systems.values()):
        yield f"{UNDEFINED}: no labels"
    if "categories" in headings:
        yield "categories: modifier categories in use"
    if values := [value for value in _value_headings(audit).values() if value in headings]:
        yield f"{', '.join(values)}: share of labels"
    if "new" in headings:
        yield "new: captions that are not in the training data"
    if "recall" in headings:
        yield "recall: share of learnable reference words"


def _row_name(audit: AuditResult, name: str, width: int) -> str:
    human = name in audit.references and name != "references"
    return short_name(f"{name} (people)" if human else name, width)


def _bars(audit: AuditResult, systems: Sequence[SystemCoverage]) -> list[Cell]:
    if len(systems) == 1:
        return [words("")]  # nothing to compare it with
    people = highlights.peoples_rate(audit)
    most = max((system.best.modifiers_per_label for system in systems if system.labels), default=math.nan)
    bars = []
    for system in systems:
        here = system.best.modifiers_per_label
        plain = system.reference or math.isnan(people)
        style = "" if plain else _STYLES[highlights.relation(here, people)]
        bars.append(words(horizontal_bar(here, most, _BAR), style=style))
    return bars


def _values(audit: AuditResult, names: Sequence[str]) -> Iterator[tuple[Column, Sequence[Cell]]]:
    """Yield the number of labels about each value of the first group, if it comes from the captions."""
    group = next(iter(audit.groups.values()), None)
    if group is None or group.told_by != "words":
        return
    for value, heading in _value_headings(audit).items():
        found = [(group.labels[name].get(value, 0), sum(group.labels[name].values())) for name in names]
        shares = [words(percent(share(part, total), 0)) for part, total in found]
        yield Column(value, heading, rank=3), shares


def _value_headings(audit: AuditResult) -> dict[str, str]:
    """Return the headings of the first group's values."""
    group = next(iter(audit.groups.values()), None)
    said = value_words(audit.domain, group.name) if group else str
    return {value: shortened(said(value), 16) for value in group.values} if group else {}


def _measured(audit: AuditResult, names: Sequence[str]) -> Iterator[tuple[Column, Sequence[Cell]]]:
    """Yield the shares of novel captions and of recalled words, if known."""
    for heading, measure, key, rank in (
        ("new", "diversity", "novel", 5),
        ("recall", "recall", "coverage", 6),
    ):
        systems = audit.measures[measure].systems if measure in audit.measures else {}
        found = [systems[name][key] if name in systems else None for name in names]
        shares = ["" if share is None or math.isnan(share) else percent(share, 0) for share in found]
        yield Column(heading, heading, rank=rank), [words(text) for text in shares]


# What people say and systems omit.


def _left_out(audit: AuditResult, width: int) -> Iterator[RenderableType]:
    """Yield, for each system, the categories that people use and that it never or hardly ever uses."""
    shares = highlights.peoples_shares(audit)
    machines = {name: system for name, system in audit.machines.items() if system.labels}
    many = len(machines) > MOST_SYSTEMS
    rows = _left_out_by_many(machines, shares) if many else _left_out_by_each(machines, shares, width)
    if not rows:
        return
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    for name, text in rows:
        grid.add_row(Text(f" {name}", style="bold"), text)
    never = "systems never or hardly ever do" if many else "the systems leave out"
    what = f"What people say and {never}"
    yield Group(Text.assemble((what, "bold"), " (share of people's labels)"), grid)


def _left_out_by_each(
    machines: dict[str, SystemCoverage], shares: dict[str, float], width: int
) -> list[tuple[str, Text]]:
    """Return each system's omissions; nothing if none has any."""
    told = {name: _omissions(system, shares) for name, system in machines.items()}
    nothing = Text("mentions everything that people mention often", style="dim")
    return (
        [(short_name(name, width), text or nothing) for name, text in told.items()]
        if any(told.values())
        else []
    )


def _left_out_by_many(
    machines: dict[str, SystemCoverage], shares: dict[str, float]
) -> list[tuple[str, Text]]:
    """Return the categories that many systems never or hardly ever use, with the number of these systems."""
    left_out = Counter(
        item for system in machines.values() for item in _names_of(highlights.omissions(system, shares))
    )
    ranked = sorted(left_out.items(), key=lambda item: (-item[1], -item[0][1]))
    rows = []
    for systems, group in groupby(ranked, lambda item: item[1]):
        told = [f"{name} ({highlights.short_shares([people])[0]})" for (name, people), _ in group]
        rows.append((some(systems, "system"), Text(first_few(told, _MOST_NAMED_TOGETHER))))
    return rows[:_MOST_SELDOM]


def _names_of(omitted: tuple[list[Omission], list[Omission]]) -> Iterator[tuple[str, float]]:
    for item in chain(*omitted):
        yield item.name, item.people


def _omissions(system: SystemCoverage, people: dict[str, float]) -> Text:
    never, seldom = highlights.omissions(system, people)
    parts = []
    if never:
        told = [_told_of(item, item.people) for item in never]
        parts.append(Text.assemble(("never mentions ", LESS), first_few(told, _MOST_NAMED)))
    if seldom:
        told = [_told_of(item, item.here, item.people) for item in seldom]
        parts.append(Text.assemble(("hardly ever mentions ", LESS), first_few(told, _MOST_SELDOM)))
    return Text("; ").join(parts)


def _told_of(item: Omission, *shares: float) -> str:
    return f"{item.name} ({' against '.join(highlights.short_shares(shares))})"


# Cautions for quoting results.


def _closing(audit: AuditResult) -> Iterator[RenderableType]:
    notes = list(audit.notes[:_MOST_NOTES])
    if len(audit.notes) > _MOST_NOTES:
        notes.append(f"{some(len(audit.notes) - _MOST_NOTES, 'more note')}: see --full")
    caveats = "Before you quote a difference, read the cautions: --full, or the page written by --out."
    everything = "--full prints the whole report: all categories, all measures and the signature."
    contrasted = any(group.cells for group in audit.groups.values())
    yield Group(
        *note_lines(list(highlights.different_images(audit, _short)), kind="warning"),
        *note_lines(notes),
        Text(caveats if contrasted else everything, style="dim"),
    )


def _short(name: str) -> str:
    return shortened(name, _SHORT)
