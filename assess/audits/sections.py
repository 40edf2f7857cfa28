"""What an audit looks like in papers, CSV files and plots: coverage, categories, contrasts, measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assess.audits.bias_view import before_quoting, bias_report
from assess.audits.contrast_view import beside_table, contrast_table, crossed_tables, file_name
from assess.audits.coverage_view import after_note, categories_report, systems_table
from assess.audits.highlights import (
    delicate_highlights,
    disparities,
    error_highlights,
    value_words,
    variety,
    warnings,
)
from assess.audits.html.bias import by_verdict, difference_of
from assess.audits.result import AuditResult
from assess.audits.summary import audit_summary
from assess.measures.interval_tables import INTERVAL_TABLES
from assess.measures.registry import Measure
from assess.report.section import (
    CSV,
    PAPER,
    BarChart,
    Cell,
    Column,
    ForestChart,
    HeatMap,
    Section,
    Table,
    cell,
    tables_of,
    words,
)
from assess.report.terminal import bullets, note_lines, signature_line, terminal_table
from assess.report.text import count, percent

_MOST_ROWS = 40

SECTIONS: list[Callable[[AuditResult], Section]] = []
"""What makes further sections of an audit; `register_section` adds one."""


def audit_sections(audit: AuditResult) -> list[Section]:
    """Return all sections of an audit, in the order of a report."""
    return [
        coverage_section(audit),
        *(bias_section(audit, group) for group in audit.groups),
        *(_unambiguous(section) for result in audit.measures.values() for section in result.sections()),
        *further_sections(audit),
    ]


def further_sections(audit: AuditResult) -> list[Section]:
    """Return the sections that were registered, each named by itself."""
    return [make(audit) for make in SECTIONS]


def register_section(make: Callable[[AuditResult], Section]) -> None:
    """Add a section to every audit that is shown from now on: in the terminal, in files and on the page."""
    SECTIONS.append(make)


def _unambiguous(section: Section) -> Section:
    """Return a section whose tables of intervals name their measure: several have some, each in a file."""
    parts = tuple(
        replace(part, name=f"{section.name}_{part.name}")
        if isinstance(part, Table) and part.name in INTERVAL_TABLES
        else part
        for part in section.parts
    )
    return replace(section, parts=parts)


def coverage_section(audit: AuditResult) -> Section:
    """Return what each system says, and how often it says each category."""
    parts = (
        systems_table(audit, short=False),
        categories_table(audit),
        labels_table(audit),
        _variety(audit),
        _categories(audit),
    )
    return Section("coverage", "Coverage", parts)


def bias_section(audit: AuditResult, group: str) -> Section:
    """Return the contrasts by one group: those that are decided for papers, and all for programs."""
    tables = (contrast_table(audit, group, everything=False), contrast_table(audit, group, everything=True))
    beside = beside_table(audit, group)
    further = (
        *((beside,) if beside is not None else ()),
        *crossed_tables(audit, group, everything=False),
        *crossed_tables(audit, group, everything=True),
    )
    return Section(file_name(group), f"Contrasts by {group}", (*tables, *further, *_contrasts(audit, group)))


def categories_table(audit: AuditResult) -> Table:
    """Return the share of each system's labels that carry each category."""
    note = (
        "Labels with the category in the best reading, of all labels of the system. Left out: categories that"
        f" none says ({_never(audit)})"
    )
    rows = tuple(
        (*_category_cells(key), *(cell(_share(audit, name, key), percent) for name in audit.systems))
        for key in _used(audit)
    )
    return Table(
        "categories", "Categories by systems", _category_columns(audit), rows, (note,), shown=PAPER | CSV
    )


def labels_table(audit: AuditResult) -> Table:
    """Return the numbers behind the shares: labels with each category, also those that none says."""
    rows = tuple(
        (*_category_cells(key), *(cell(_labels(audit, name, key), count) for name in audit.systems))
        for key in audit.categories
    )
    note = "Labels with the category in the best reading"
    return Table(
        "category_labels",
        "Labels of categories by systems",
        _category_columns(audit),
        rows,
        (note,),
        shown=CSV,
    )


def _category_columns(audit: AuditResult) -> tuple[Column, ...]:
    named = (Column("role", "role", words=True), Column("category", "category", words=True))
    return (*named, *(Column(name, name) for name in audit.systems))


def _category_cells(key: str) -> tuple[Cell, Cell]:
    role, _, category = key.partition(".")
    return words(role), words(category)


def _labels(audit: AuditResult, system: str, key: str) -> int:
    found = audit.systems[system].categories.get(key)
    return found.best_labels if found else 0


def _share(audit: AuditResult, system: str, key: str) -> float:
    labels = audit.systems[system].labels
    return _labels(audit, system, key) / labels if labels else float("nan")


def _used(audit: AuditResult) -> list[str]:
    keys = audit.categories
    return [key for key in keys if any(_labels(audit, name, key) for name in audit.systems)]


def _never(audit: AuditResult) -> str:
    number = len(audit.categories) - len(_used(audit))
    return f"{number} of {len(audit.categories)}"


def _variety(audit: AuditResult) -> BarChart:
    bars = {
        name: [counts.modifiers_per_label for counts in (system.best, system)]
        for name, system in audit.systems.items()
    }
    readings = ("best reading", "all readings")
    return BarChart("coverage", "What is said about one label", "", "modifiers per label", readings, bars)


def _categories(audit: AuditResult) -> HeatMap:
    table = categories_table(audit)
    rows = tuple(
        f"{category.text}{' (head)' if role.text == 'head' else ''}" for role, category, *_ in table.rows
    )
    values = [[float(found.value) for found in cells] for _, _, *cells in table.rows]
    systems = tuple(audit.systems)
    return HeatMap("categories", "Labels that carry a category", rows, systems, values, shares=True)


def _contrasts(audit: AuditResult, group: str) -> Iterator[ForestChart]:
    ordered = sorted(audit.groups[group].cells, key=by_verdict)
    unequal = [contrast for contrast in ordered if contrast.verdict == "disparity"]
    rows = []
    for contrast in unequal[:_MOST_ROWS]:
        found = difference_of(contrast)
        name = f"{contrast.system}: {contrast.category} ({contrast.group} − {contrast.against})"
        rows.append((name, found.value, found.low, found.high))
    if rows:
        most = f": the {_MOST_ROWS} largest" if len(unequal) > _MOST_ROWS else ""
        title = f"Disparities by {group}{most}"
        yield ForestChart(file_name(group), title, "percentage points", rows)


def bias_json(audit: AuditResult) -> dict[str, Any]:
    """Return what `assess bias --json` prints: all cells in one list."""
    found = audit.to_dict()
    groups = {name: found["bias"][name] for name in audit.groups}
    errors = {"errors": found["errors"]} if "errors" in found else {}
    return {
        "signature": found["signature"],
        "references": sorted(audit.references),
        "cells": [cell for group in groups.values() for cell in group.pop("cells")],
        "groups": groups,
        "markedness": found["markedness"],
        **errors,
        "notes": list(audit.notes),
    }


MEASURE = Measure(name="audit", title="Audit", result=AuditResult, sections=audit_sections, quantities=dict)


# The whole audit for a terminal.


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
