"""Sections of an audit for papers, CSV files and plots: coverage, categories, contrasts, measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from assess.audits.bias_sections import bias_section
from assess.audits.result import AuditResult
from assess.measures.bias.words import DelicateCategory
from assess.measures.coverage.compute import CategoryUse, SystemCoverage
from assess.measures.interval_tables import INTERVAL_TABLES
from assess.measures.registry import Measure
from assess.report.html.parts import captions_link
from assess.report.section import (
    CSV,
    PAPER,
    SYSTEM,
    TERMINAL,
    BarChart,
    Cell,
    Column,
    HeatMap,
    Section,
    Table,
    cell,
    number_columns,
    row_of,
    text_columns,
    words,
)
from assess.report.text import UNDEFINED, Form, count, first_few, percent, rate, share

_MOST_WORDS, _MOST_EXAMPLES = 6, 4  # per category

SECTIONS: list[Callable[[AuditResult], Section]] = []
"""Functions that create further sections of an audit; `register_section` adds one."""


def audit_sections(audit: AuditResult) -> list[Section]:
    """Return all sections of an audit, in the order of a report."""
    return [
        coverage_section(audit),
        *(bias_section(audit, group) for group in audit.groups),
        *(_unambiguous(section) for result in audit.measures.values() for section in result.sections()),
        *further_sections(audit),
    ]


def further_sections(audit: AuditResult) -> list[Section]:
    """Return the registered sections, each under its own name."""
    return [make(audit) for make in SECTIONS]


def register_section(make: Callable[[AuditResult], Section]) -> None:
    """Add a section to all audits that are shown from now on: in the terminal, in files and on the page."""
    SECTIONS.append(make)


def _unambiguous(section: Section) -> Section:
    """Return a section whose interval tables include the measure's name, so that file names are unique."""
    parts = tuple(
        replace(part, name=f"{section.name}_{part.name}")
        if isinstance(part, Table) and part.name in INTERVAL_TABLES
        else part
        for part in section.parts
    )
    return replace(section, parts=parts)


def coverage_section(audit: AuditResult) -> Section:
    """Return the section on what each system says, and how often it uses each category."""
    parts = (
        systems_table(audit, short=False),
        categories_table(audit),
        labels_table(audit),
        _variety(audit),
        _categories(audit),
    )
    return Section("coverage", "Coverage", parts)


def categories_table(audit: AuditResult) -> Table:
    """Return the table of each system's shares of labels that have each category."""
    used = [key for key in audit.categories if any(_labels(audit, name, key) for name in audit.systems)]
    never = f"{len(audit.categories) - len(used)} of {len(audit.categories)}"
    note = (
        "Labels with the category in the best reading, as a share of all labels of the system."
        f" Not shown: categories that no system mentions ({never})"
    )
    rows = tuple(_category_row(audit, key, _share, percent) for key in used)
    columns = _category_columns(audit)
    return Table("categories", "Categories by systems", columns, rows, (note,), shown=PAPER | CSV)


def labels_table(audit: AuditResult) -> Table:
    """Return the numbers behind the shares: labels with each category, including unused ones."""
    rows = tuple(_category_row(audit, key, _labels, count) for key in audit.categories)
    note, title = "Labels with the category in the best reading", "Labels by category and system"
    return Table("category_labels", title, _category_columns(audit), rows, (note,), shown=CSV)


def _category_columns(audit: AuditResult) -> tuple[Column, ...]:
    return (*text_columns("role", "category"), *number_columns(*audit.systems))


def _category_row(
    audit: AuditResult, key: str, number: Callable[[AuditResult, str, str], float], form: Form
) -> tuple[Cell, ...]:
    role, _, category = key.partition(".")
    return row_of(role, category, *(cell(number(audit, name, key), form) for name in audit.systems))


def _labels(audit: AuditResult, system: str, key: str) -> int:
    return audit.systems[system].categories[key].best_labels


def _share(audit: AuditResult, system: str, key: str) -> float:
    return share(_labels(audit, system, key), audit.systems[system].labels)


def _variety(audit: AuditResult) -> BarChart:
    bars = {
        name: [counts.modifiers_per_label for counts in (system.best, system)]
        for name, system in audit.systems.items()
    }
    readings = ("best reading", "all readings")
    return BarChart("coverage", "How much is said per label", "", "modifiers per label", readings, bars)


def _categories(audit: AuditResult) -> HeatMap:
    table = categories_table(audit)
    rows = tuple(
        f"{category.text}{' (head)' if role.text == 'head' else ''}" for role, category, *_ in table.rows
    )
    values = [[float(found.value) for found in cells] for _, _, *cells in table.rows]
    systems = tuple(audit.systems)
    return HeatMap("categories", "Labels with a category", rows, systems, values, shares=True)


def bias_json(audit: AuditResult) -> dict[str, Any]:
    """Return the JSON object of `assess bias --json`, with all cells in one list."""
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


def systems_table(audit: AuditResult, *, short: bool) -> Table:
    """Return the table of systems (van Miltenburg 2020, Table 2), for both rules for choosing readings."""
    headings = ("mods", "/label", "categ.") if short else ("modifiers", "per label", "categories")
    columns = [SYSTEM, Column("captions", "captions"), Column("labels", "labels")]
    for prefix, reading in (("best_", "best reading"), ("", "all readings")):
        keys = [f"{prefix}{key}" for key in ("modifiers", "modifiers_per_label", "modifier_categories")]
        columns += [Column(key, name, reading) for key, name in zip(keys, headings, strict=True)]
    columns += [
        Column("head_categories", "heads"),
        Column("read_in_full", "full" if short else "read in full"),
    ]
    notes = [
        "Labels are phrases of the domain; mods: modifier categories, counted once per label;"
        " categ. and heads: modifier and head categories in use; full: labels read in full."
        if short
        else "Labels are phrases of the domain; modifiers are counted by category, once per label",
        "best: one reading per label; all: union over all readings, as in the papers.",
    ]
    if any(not system.labels for system in audit.systems.values()):
        notes.append(f"{UNDEFINED}: undefined, because there are no labels.")
    return Table(
        "coverage",
        f"What the captions say about {audit.domain}",
        tuple(columns),
        tuple(row_of(_system_name(*item), *_system_cells(item[1])) for item in audit.systems.items()),
        tuple(notes),
        apart=0 if short else len(audit.systems) - len(audit.machines),
        shown=TERMINAL if short else PAPER | CSV,
    )


def _system_name(name: str, system: SystemCoverage) -> str:
    return f"{name} (human)" if system.reference and name != "references" else name


def _system_cells(system: SystemCoverage) -> Iterator[Cell]:
    yield cell(system.captions, count)
    yield cell(system.labels, count)
    for counts in (system.best, system):
        yield cell(counts.modifiers, count)
        yield cell(counts.modifiers_per_label, rate)
        yield cell(counts.modifier_categories, count)
    yield cell(system.best.head_categories, count)
    yield cell(share(system.full_labels, system.labels), percent)


def categories_in_short(audit: AuditResult) -> Table:
    """Return a table of categories by systems: labels that use the category, their share, and examples."""
    rows: list[tuple[Cell, ...]] = []
    breaks = []
    for role in ("modifier", "head"):
        uses = {
            key: [system.categories[key] for system in audit.systems.values()]
            for key in audit.categories
            if key.startswith(f"{role}.")
        }
        used = {key: found for key, found in uses.items() if any(use.labels for use in found)}
        if used:
            breaks.append(len(rows))
            rows.append(row_of(words(f"{role}s", style="italic"), *[""] * (len(audit.systems) + 1)))
        labels = [system.labels for system in audit.systems.values()]
        rows += [_row_in_short(key, found, labels) for key, found in used.items()]
    columns = (
        *text_columns("category"),
        *number_columns(*audit.systems),
        *text_columns("for example", narrowed="cut"),
    )
    note = (
        "Labels with the category in the best reading, and their share. ·: none. (3): labels with"
        " the category in another reading only."
    )
    return Table("categories", "Categories", columns, tuple(rows), (note,), breaks=tuple(breaks))


def _row_in_short(key: str, uses: Sequence[CategoryUse], labels: Sequence[int]) -> tuple[Cell, ...]:
    # Examples of all systems in turn, so that each of them is represented.
    turns = [text for of_all in zip_longest(*(use.examples for use in uses)) for text in of_all if text]
    examples = ", ".join(list(dict.fromkeys(turns))[:_MOST_EXAMPLES])
    cells = (_cell_in_short(use, total) for use, total in zip(uses, labels, strict=True))
    return row_of(key.partition(".")[2], *cells, words(examples, style="dim"))


def _cell_in_short(use: CategoryUse, labels: int) -> Cell:
    if not use.best_labels:
        # Another reading may have the category; parentheses distinguish this from a plain zero.
        return words(f"({count(use.labels)})" if use.labels else "·", style="dim")
    return words(f"{count(use.best_labels)} {percent(use.best_labels / labels, 0):>4}")


# Categories that are protected, personal, offensive or invisible, but used nevertheless.


def delicate_table(audit: AuditResult) -> Table:
    """Return the sensitive categories in use: how often each system uses them, and with which words."""
    columns = (
        *text_columns("category", "sensitivity", "evidence"),
        *number_columns(*audit.systems),
        *text_columns("words"),
    )
    rows = tuple(
        row_of(
            item.category,
            item.sensitivity,
            item.evidence,
            *(_delicate_cell(item.category, name, item.labels.get(name, 0)) for name in audit.systems),
            _said_words(item),
        )
        for item in audit.markedness
        if any(item.labels.get(name) for name in audit.systems)
    )
    note = (
        "Labels by system, and the most common words. Mentioning such a property for some people"
        " only marks them as different"
    )
    return Table("delicate", "Sensitive categories that captions mention", columns, rows, (note,))


def _delicate_cell(category: str, system: str, labels: int) -> Cell:
    if not labels:
        return Cell("·", 0)
    return Cell(count(labels), labels, link=captions_link(system=system, category=f"modifier.{category}"))


def _said_words(item: DelicateCategory) -> str:
    shown = first_few([f"{word} {count(number)}" for word, number in item.commonest], _MOST_WORDS)
    never = f"; {count(len(item.never))} other words never used" if item.sensitivity == "protected" else ""
    return f"{shown}{never}"


MEASURE = Measure(name="audit", title="Audit", result=AuditResult, sections=audit_sections, quantities=dict)
