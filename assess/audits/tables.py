"""A saved audit as tables for papers: systems, categories by systems, contrasts, measures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from assess.audits.html.input import ReportInput
from assess.errors import InputError
from assess.measures.bias.html import by_verdict, contrast_tables, difference_of, file_name
from assess.measures.measure import find_measure
from assess.measures.recall.view import deciles_of, local_of, recall_part
from assess.report.html.measures import MeasurePart, MeasureTable, Number
from assess.report.html.section import Figure
from assess.report.section import (
    BarChart,
    Cell,
    Column,
    ForestChart,
    HeatMap,
    LineChart,
    Note,
    Plot,
    ReportTable,
    Section,
    WordList,
    decimal,
    plots_of,
    share,
    tables_of,
    whole,
    words,
)
from assess.report.text import number

# The measures that an audit has, or that lie beside it, as parts of a report.

PARTS = {
    "diversity": None,
    "recall": recall_part,
    "selection": None,
    "pregen": None,
    "correlation": None,
}


def measure_sections(audit: ReportInput) -> list[Section]:
    """Return the sections about measures that the audit has, or that lie beside it."""
    return [section for name in PARTS for section in sections_of(audit, name)]


def sections_of(audit: ReportInput, name: str) -> Sequence[Section]:
    """Return the sections of one measure, if it is there."""
    found = audit.part(name)
    if not found:
        return []
    try:
        old = PARTS[name]
        if old is not None:
            return [_section(old(found))]
        return find_measure(name).result.model_validate(found).sections()
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise InputError(
            f"`{name}.json` is not what our commands write",
            hint="write it again with this version, or take it out of the folder",
        ) from None


def _section(part: MeasurePart) -> Section:
    """Return a part as a section."""
    tables = tuple(_measure_table(part.title, table) for table in part.tables)
    lists = tuple(WordList(title, found) for title, found in part.lists)
    charts = tuple(Figure(chart.title, chart.meaning, chart.drawing) for chart in part.charts)
    parts: tuple[Any, ...] = (*charts, *tables, *lists, *map(Note, part.notes))
    return Section(part.id, part.title, parts, part.explained)


_SYSTEM = Column("system", "system", words=True)


def audit_tables(audit: ReportInput, *, everything: bool = False) -> list[ReportTable]:
    """Return the tables of an audit; `everything` has also what no paper shows, such as open contrasts."""
    return [
        coverage_table(audit),
        *category_tables(audit, everything=everything),
        *contrast_tables(audit, everything=everything),
        *(table for name in PARTS for table in part_tables(audit, name, everything=everything)),
    ]


def coverage_table(audit: ReportInput) -> ReportTable:
    """Return what each system says: van Miltenburg (2020), Table 2, for both ways of reading."""
    columns = [_SYSTEM, Column("captions", "captions"), Column("labels", "labels")]
    for key, name in (("best", "best reading"), ("all", "all readings")):
        columns += [
            Column(f"{key}_modifiers", "modifiers", name),
            Column(f"{key}_modifiers_per_label", "per label", name),
            Column(f"{key}_modifier_categories", "categories", name),
        ]
    columns += [Column("head_categories", "heads"), Column("read_in_full", "read in full")]
    rows = tuple((words(name), *_coverage_cells(audit, name)) for name in audit.systems)
    notes = (
        f"What captions say about {audit.domain}: labels are phrases of the domain; modifiers are counted by"
        " category, once a label",
        "Best reading: one a label. All readings: the union over them",
    )
    return ReportTable("coverage", "Coverage", tuple(columns), rows, notes, _humans(audit))


def _coverage_cells(audit: ReportInput, name: str) -> Iterator[Cell]:
    system = audit.systems[name]
    yield whole(system["captions"])
    yield whole(system["labels"])
    for counts in (system["best"], system):
        yield whole(counts["modifiers"])
        yield decimal(number(counts["modifiers_per_label"]))
        yield whole(counts["modifier_categories"])
    yield whole(system["best"]["head_categories"])
    labels = system["labels"]
    full = labels - system.get("partial_labels", 0) - system.get("uncovered_labels", 0)
    yield share(full / labels if labels else float("nan"))


def category_tables(audit: ReportInput, *, everything: bool) -> list[ReportTable]:
    """Return how often each system says each category: shares, and the numbers behind them."""
    return [categories_table(audit), *([labels_table(audit)] if everything else [])]


def categories_table(audit: ReportInput) -> ReportTable:
    """Return the share of each system's labels that carry each category."""
    note = (
        "Labels with the category in the best reading, of all labels of the system. Left out: categories that"
        f" none says ({_never(audit)})"
    )
    rows = tuple(
        (*_category_cells(key), *(share(_share(audit, name, key)) for name in audit.systems))
        for key in _used(audit)
    )
    return ReportTable("categories", "Categories by systems", _category_columns(audit), rows, (note,))


def labels_table(audit: ReportInput) -> ReportTable:
    """Return the numbers behind the shares: labels with each category, also those that none says."""
    rows = tuple(
        (*_category_cells(key), *(whole(_labels(audit, name, key)) for name in audit.systems))
        for key in audit.results["categories"]
    )
    note = "Labels with the category in the best reading"
    return ReportTable(
        "category_labels", "Labels of categories by systems", _category_columns(audit), rows, (note,)
    )


def _category_columns(audit: ReportInput) -> tuple[Column, ...]:
    named = (Column("role", "role", words=True), Column("category", "category", words=True))
    return (*named, *(Column(name, name) for name in audit.systems))


def _category_cells(key: str) -> tuple[Cell, Cell]:
    role, _, category = key.partition(".")
    return words(role), words(category)


def _labels(audit: ReportInput, system: str, key: str) -> int:
    labels: int = audit.systems[system]["categories"].get(key, {}).get("best_labels", 0)
    return labels


def _share(audit: ReportInput, system: str, key: str) -> float:
    labels = audit.systems[system]["labels"]
    return _labels(audit, system, key) / labels if labels else float("nan")


def _used(audit: ReportInput) -> list[str]:
    keys = audit.results["categories"]
    return [key for key in keys if any(_labels(audit, name, key) for name in audit.systems)]


def _never(audit: ReportInput) -> str:
    number = len(audit.results["categories"]) - len(_used(audit))
    return f"{number} of {len(audit.results['categories'])}"


def _humans(audit: ReportInput) -> int:
    """Return how many of the last rows are references."""
    return len(audit.systems) - len(audit.machines)


def part_tables(audit: ReportInput, name: str, *, everything: bool) -> list[ReportTable]:
    """Return the tables of diversity, recall or another part, if it is there; `everything` with curves."""
    return tables_of(sections_of(audit, name), "csv" if everything else "paper")


def _measure_table(title: str, table: MeasureTable) -> ReportTable:
    first = Column(_key(table.first), table.first, words=True)
    columns = (first, *(Column(_key(name), name) for name in table.columns))
    rows = tuple(
        (words(name), *(Cell(n.text, _exact(n), n.low, n.high, n.bounds) for n in found))
        for name, found in table.rows
    )
    title = table.caption if table.folded else title
    notes = () if table.folded else (table.caption.rstrip("."),)
    return ReportTable(table.name, title, columns, rows, notes, folded=table.folded)


def _exact(number: Number) -> int | float:
    """Return a number's value; a count has no decimals."""
    counted = number.text.replace(",", "").isdigit() and number.sort.is_integer()
    return int(number.sort) if counted else number.sort


def _key(name: str) -> str:
    return re.sub(r"\W+", "_", name.lower()).strip("_") or name


# A saved audit as plots: variety, categories by systems, contrasts, curves of the measures.

_MOST_ROWS = 40


def audit_plots(audit: ReportInput) -> list[Plot]:
    """Return the plots of an audit."""
    return [_variety(audit), _categories(audit), *_contrasts(audit), *_measures(audit)]


def _variety(audit: ReportInput) -> BarChart:
    bars = {
        name: [number(counts["modifiers_per_label"]) for counts in (system["best"], system)]
        for name, system in audit.systems.items()
    }
    readings = ("best reading", "all readings")
    return BarChart("coverage", "What is said of one label", "", "modifiers a label", readings, bars)


def _categories(audit: ReportInput) -> HeatMap:
    table = categories_table(audit)
    rows = tuple(
        f"{category.text}{' (head)' if role.text == 'head' else ''}" for role, category, *_ in table.rows
    )
    values = [[float(cell.value) for cell in cells] for _, _, *cells in table.rows]
    systems = tuple(audit.systems)
    return HeatMap("categories", "Labels that carry a category", rows, systems, values, shares=True)


def _contrasts(audit: ReportInput) -> Iterator[ForestChart]:
    for group, part in audit.bias.items():
        cells = [cell for cell in sorted(part["cells"], key=by_verdict) if cell["verdict"] == "disparity"]
        rows = []
        for cell in cells[:_MOST_ROWS]:
            found = difference_of(cell)
            name = f"{cell['system']}: {cell['category']} ({cell['group']} − {cell['against']})"
            rows.append((name, found.value, found.low, found.high))
        if rows:
            title = f"Disparities by {group}" + (
                f": the {_MOST_ROWS} largest" if len(cells) > _MOST_ROWS else ""
            )
            yield ForestChart(file_name(group), title, "percentage points", rows)


def _measures(audit: ReportInput) -> Iterator[Plot]:
    yield from plots_of(measure_sections(audit))
    if recall := audit.part("recall"):
        deciles = {name: (range(1, len(found) + 1), found) for name, found in deciles_of(recall).items()}
        local = {name: (list(found), list(found.values())) for name, found in local_of(recall).items()}
        if deciles:
            title, across = "Coverage by frequency", "decile, most frequent first"
            yield LineChart("coverage_by_decile", title, across, "coverage", deciles)
        if local:
            title, across = "Local recall by importance", "importance class"
            yield LineChart("local_recall", title, across, "local recall", local)
