"""An audit in a terminal. On one screen: what stands out, the systems beside people, what they leave out.

Systems come first, and people, whose captions are the references, are the measure. `assess audit --full`
prints everything, and the page has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from assess.audits.bias_view import before_quoting, bias_report
from assess.audits.coverage_view import after_note, categories_report, systems_table
from assess.audits.forest import Gaps
from assess.audits.highlights import (
    RELATIONS,
    Omission,
    Relation,
    delicate_highlights,
    different_images,
    disparities,
    error_highlights,
    inputs_told,
    modifier_keys,
    omissions,
    people_last,
    peoples_rate,
    peoples_shares,
    rates_beside,
    relation,
    short_shares,
    value_words,
    variety,
    warnings,
)
from assess.audits.result import AuditResult
from assess.audits.sections import further_sections
from assess.errors import some, visible
from assess.measures.bias.result import ContrastCell
from assess.measures.coverage.compute import SystemCoverage
from assess.report.section import (
    tables_of,
)
from assess.report.terminal import (
    Aligned,
    aligned_table,
    bullet,
    bullets,
    fitting,
    horizontal_bar,
    note_lines,
    short_name,
    signature_line,
    terminal_table,
)
from assess.report.text import UNDEFINED, count, first_few, percent, rate, shortened

LESS, MORE = "dark_orange3", "dark_cyan"  # readable on light and on dark; the words say it too
_STYLES: dict[Relation, str] = {"less": LESS, "alike": "", "more": MORE}
_MOST_SYSTEMS = 4  # that are spoken of one by one
_MOST_NAMED, _MOST_SELDOM = 6, 3
_MOST_NOTES = 3
_SHORT, _BAR = 24, 10


def audit_summary(
    audit: AuditResult, *, width: int, further: Sequence[RenderableType] = ()
) -> Iterator[RenderableType]:
    """Yield the parts of the screen, from top to bottom; `further` stands before the notes."""
    yield findings(audit, width)
    yield _systems(audit, width)
    yield from _left_out(audit, width)
    for group in audit.groups.values():
        said = value_words(audit.domain, group.name)
        yield from Gaps(group.name, _of_systems(audit, group.cells), said, width).forest()
    yield from further
    yield from _closing(audit)


def summary_line(audit: AuditResult) -> Text:
    """Return the last line: what was found, in how much."""
    cells = [cell for group in audit.groups.values() for cell in _of_systems(audit, group.cells)]
    found = sum(cell.verdict == "disparity" for cell in cells)
    reversals = sum(cell.verdict == "reversal" for cell in cells)
    style = "bold red" if found or reversals else "bold green"
    line = Text()
    if cells:
        told = some(found, "disparity")
        told += f" and {some(reversals, 'reversal')}" if reversals else ""
        line.append(f"{told} in {some(len(cells), 'contrast')}", style=style).append("; ")
    return line.append("; ".join(inputs_told(audit)))


def _of_systems(audit: AuditResult, cells: Iterable[ContrastCell]) -> list[ContrastCell]:
    return [cell for cell in cells if cell.system in audit.machines]


# What stands out.


def findings(audit: AuditResult, width: int) -> RenderableType:
    """Return what to read first, in sentences."""
    parts: list[RenderableType] = [Text("What stands out", style="bold"), _how_much(audit, width)]
    lines: list[str] = []
    for group in audit.groups.values():
        found = _of_systems(audit, group.cells)
        parts += Gaps(group.name, found, value_words(audit.domain, group.name), width).findings()
        lines += warnings(found)
    lines += error_highlights(audit)
    lines += delicate_highlights(audit.markedness, list(audit.machines))
    return Group(*parts, *map(bullet, lines))


def _how_much(audit: AuditResult, width: int) -> RenderableType:
    """Return who says how much: each system against people, or those that say least and most."""
    people = peoples_rate(audit)
    known = {name: system for name, system in audit.machines.items() if system.labels}
    if math.isnan(people) or not known:
        return Group(*map(bullet, variety(audit.machines, len(modifier_keys(audit)))))
    chosen = sorted(known, key=lambda name: known[name].best.modifiers_per_label)
    left_out = len(chosen) - _MOST_SYSTEMS
    if left_out > 0:
        chosen = [*chosen[: _MOST_SYSTEMS // 2], *chosen[-_MOST_SYSTEMS // 2 :]]
    lines = [
        _against_people(short_name(name, width), known[name].best.modifiers_per_label, people)
        for name in chosen
    ]
    if left_out > 0:
        lines.append(Text(f"{some(left_out, 'more system')} in between"))
    return Group(*map(bullet, lines))


def _against_people(name: str, here: float, people: float) -> Text:
    how = relation(here, people)
    told = f": {rates_beside(here, people)}"
    return Text.assemble((name, "bold"), " says ", (RELATIONS[how], _STYLES[how]), told)


# The systems, with people as the last rows.


def _systems(audit: AuditResult, width: int) -> RenderableType:
    rows = people_last(audit)
    systems = [audit.systems[name] for name in rows]
    modifiers = len(modifier_keys(audit))
    columns = fitting(
        [
            Aligned("system", [Text(_row_name(audit, name, width)) for name in rows], right=False),
            _numbers("captions", [count(system.captions) for system in systems], rank=2),
            _numbers("labels", [count(system.labels) for system in systems]),
            _numbers("modifiers per label", [rate(system.best.modifiers_per_label) for system in systems]),
            Aligned("", _bars(audit, systems), rank=4, right=False),
            _numbers(
                "categories",
                [f"{system.best.modifier_categories} of {modifiers}" for system in systems],
                rank=1,
            ),
            *_values(audit, rows),
            *_measured(audit, rows),
        ],
        width,
    )
    table = aligned_table(f"What the captions say about {audit.domain}", columns, apart=len(audit.references))
    notes = "; ".join(_table_notes(audit, {column.heading for column in columns}))
    return Group(table, Text(f"{notes}.", style="dim"))


def _table_notes(audit: AuditResult, headings: set[str]) -> Iterator[str]:
    """Yield what the columns of the table mean that do not say it themselves, and no others."""
    yield f"labels: phrases for {visible(audit.domain)}"
    if any(not system.labels for system in audit.systems.values()):
        yield f"{UNDEFINED}: no labels"
    if "categories" in headings:
        yield "categories: kinds of modifiers in use"
    if values := [value for value in _value_headings(audit).values() if value in headings]:
        yield f"{', '.join(values)}: share of labels about them"
    if "new" in headings:
        yield "new: captions not in the training data"
    if "recall" in headings:
        yield "recall: share of people's learnable words"


def _numbers(heading: str, texts: Sequence[str], *, rank: int = 0) -> Aligned:
    return Aligned(heading, [Text(text) for text in texts], rank)


def _row_name(audit: AuditResult, name: str, width: int) -> str:
    human = name in audit.references and name != "references"
    return short_name(f"{name} (people)" if human else name, width)


def _bars(audit: AuditResult, systems: Sequence[SystemCoverage]) -> list[Text]:
    if len(systems) == 1:
        return [Text()]  # there is nothing to compare it with
    people = peoples_rate(audit)
    most = max((system.best.modifiers_per_label for system in systems if system.labels), default=math.nan)
    return [
        Text(
            horizontal_bar(system.best.modifiers_per_label, most, _BAR),
            style=""
            if system.reference or math.isnan(people)
            else _STYLES[relation(system.best.modifiers_per_label, people)],
        )
        for system in systems
    ]


def _values(audit: AuditResult, rows: Sequence[str]) -> Iterator[Aligned]:
    """Yield how many labels are about each value of the first group, where the captions' words tell."""
    group = next(iter(audit.groups.values()), None)
    if group is None or group.told_by != "words":
        return
    for value, heading in _value_headings(audit).items():
        totals = [sum(group.labels[name].values()) or math.nan for name in rows]
        parts = [group.labels[name].get(value, 0) for name in rows]
        shares = [part / total for part, total in zip(parts, totals, strict=True)]
        yield _numbers(heading, [_whole(share) for share in shares], rank=3)


def _value_headings(audit: AuditResult) -> dict[str, str]:
    """Return the values of the first group as the table calls them."""
    group = next(iter(audit.groups.values()), None)
    said = value_words(audit.domain, group.name) if group else str
    return {value: shortened(said(value), 16) for value in group.values} if group else {}


def _whole(share: float) -> str:
    return percent(share, 0)


def _measured(audit: AuditResult, rows: Sequence[str]) -> Iterator[Aligned]:
    """Yield how many captions are new, and how many words of people are found again, where it is known."""
    for heading, measure, key, rank in (
        ("new", "diversity", "novel", 5),
        ("recall", "recall", "coverage", 6),
    ):
        systems = audit.measures[measure].systems if measure in audit.measures else {}
        found = [systems[name][key] if name in systems else None for name in rows]
        texts = ["" if share is None or math.isnan(share) else _whole(share) for share in found]
        yield _numbers(heading, texts, rank=rank)


# What people say and systems leave out.


def _left_out(audit: AuditResult, width: int) -> Iterator[RenderableType]:
    """Yield, for each system, the categories that people use and it never does, or hardly ever."""
    shares = peoples_shares(audit)
    told = {name: _omissions(system, shares) for name, system in audit.machines.items() if system.labels}
    if not any(told.values()):
        return
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    nothing = Text("leaves out nothing that people mention often", style="dim")
    for name, text in list(told.items())[:_MOST_SYSTEMS]:
        grid.add_row(Text(f" {short_name(name, width)}", style="bold"), text or nothing)
    more = len(told) - _MOST_SYSTEMS
    further = [Text(f" {some(more, 'more system')}: see --full", style="dim")] if more > 0 else []
    heading = Text.assemble(
        ("What people say and the systems leave out", "bold"), " (share of people's labels)"
    )
    yield Group(heading, grid, *further)


def _omissions(system: SystemCoverage, people: dict[str, float]) -> Text:
    never, seldom = omissions(system, people)
    parts = []
    if never:
        told = [_told_of(item, item.people) for item in never]
        parts.append(Text.assemble(("never mentions ", LESS), first_few(told, _MOST_NAMED)))
    if seldom:
        told = [_told_of(item, item.here, item.people) for item in seldom]
        parts.append(Text.assemble(("hardly ever mentions ", LESS), first_few(told, _MOST_SELDOM)))
    return Text("; ").join(parts)


def _told_of(item: Omission, *shares: float) -> str:
    return f"{item.name} ({' against '.join(short_shares(shares))})"


# What to know before quoting any of it.


def _closing(audit: AuditResult) -> Iterator[RenderableType]:
    notes = list(audit.notes[:_MOST_NOTES])
    if len(audit.notes) > _MOST_NOTES:
        notes.append(f"{some(len(audit.notes) - _MOST_NOTES, 'more note')}: see --full")
    caveats = "Before you quote a difference, see what limits it: --full, or the page that --out writes."
    everything = "--full prints everything: all categories, all measures and the signature."
    contrasted = any(group.cells for group in audit.groups.values())
    yield Group(
        *note_lines(list(different_images(audit, _short)), kind="warning"),
        *note_lines(notes),
        Text(caveats if contrasted else everything, style="dim"),
    )


def _short(name: str) -> str:
    return shortened(name, _SHORT)


# The whole audit.


def audit_report(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    yield _highlights(audit)
    yield from terminal_table(systems_table(audit, short=True), width=width)
    yield from after_note(audit)
    for group in audit.groups.values():
        yield from bias_report(group)
    if audit.groups:
        yield before_quoting()
    yield from categories_report(audit, width=width)
    yield from _measures(audit, width=width)
    for table in tables_of(further_sections(audit), "terminal"):
        yield from terminal_table(table, width=width)
    yield from note_lines(audit.notes)
    yield signature_line(audit.signature.as_line())


def audit_screen(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report on one screen; of sections that were registered, the brief tables."""
    tables = [table for table in tables_of(further_sections(audit), "terminal") if table.brief]
    further = [part for table in tables for part in terminal_table(table, width=width)]
    yield from audit_summary(audit, width=width, further=further)


def _highlights(audit: AuditResult) -> RenderableType:
    modifiers = sum(key.startswith("modifier.") for key in audit.categories)
    lines = variety(audit.machines, modifiers)
    for group in audit.groups.values():
        found = [contrast for contrast in group.cells if contrast.system in audit.machines]
        lines += disparities(found, value_words(audit.domain, group.name)) + warnings(found)
    lines += error_highlights(audit)
    lines += delicate_highlights(audit.markedness, list(audit.machines))
    return bullets("What stands out", lines)


def _measures(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield errors, how varied the captions are and what they leave out, in short; commands have it all."""
    sections = [section for result in audit.measures.values() for section in result.sections()]
    tables = [table for table in tables_of(sections, "terminal") if table.brief]
    for table in tables:
        yield from terminal_table(table, width=width)
    told = dict.fromkeys(note for section in sections for note in section.notes("terminal", warnings=True))
    yield from note_lines([note for note in told if note not in audit.notes], kind="warning")
    if tables:
        commands = " and ".join(f"`assess {name}`" for name in audit.measures)
        tell = "tells" if len(audit.measures) == 1 else "tell"
        yield Text(f"{commands} {tell} more; --json and --out too.", style="dim")
