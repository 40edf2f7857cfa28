"""Sections on the page: which parts of them it shows, and how charts are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from assess.report.section import Cell, LineChart, NumberChart, Section, Table, WordList
from assess.report.svg import Bar, bar_chart
from assess.report.svg_charts import Line, line_chart


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing, its title and what it means."""

    title: str
    meaning: str
    drawing: Markup


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section as the template reads it."""

    id: str
    title: str
    explained: str
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]
    lists: tuple[WordList, ...]
    notes: tuple[str, ...]


def page_section(section: Section) -> PageSection:
    """Return what the page shows of a section."""
    notes = [*section.notes("page", warnings=True), *section.notes("page", warnings=False)]
    return PageSection(
        id=section.name,
        title=section.title,
        explained=section.explained,
        figures=tuple(_figures(section)),
        tables=tuple(section.tables("page")),
        lists=tuple(part for part in section.parts if isinstance(part, WordList) and "page" in part.shown),
        notes=tuple(dict.fromkeys(notes)),
    )


def _figures(section: Section) -> Iterator[Figure]:
    for part in section.parts:
        if isinstance(part, NumberChart):
            bars = [_bar(name, cell, name in part.humans) for name, cell in part.cells.items()]
            drawing = bar_chart(part.title, bars, limit=part.highest)
            yield Figure(part.title, part.meaning, drawing)
        elif isinstance(part, LineChart) and "page" in part.shown:
            bounds = part.bounds or {}
            lines = {
                name: Line(list(xs), list(ys), bounds.get(name, ())) for name, (xs, ys) in part.lines.items()
            }
            drawing = line_chart(part.title, lines, across=part.x, highest=part.highest)
            yield Figure(part.title, part.meaning, drawing)


def _bar(name: str, cell: Cell, human: bool) -> Bar:
    return Bar(name, float(cell.value), cell.text, human, cell.low, cell.high)
