"""A saved audit as tables for papers: systems, categories by systems, contrasts, measures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assess.audits.html.input import ReportInput
from assess.errors import InputError
from assess.measures.bias.html import by_verdict, contrast_tables, difference_of, file_name
from assess.measures.diversity.view import curves_of, diversity_part
from assess.measures.recall.view import deciles_of, local_of, recall_part
from assess.measures.selection.view import pregen_part, selection_part
from assess.report.html.measures import MeasurePart, MeasureTable, Number
from assess.report.plots import BarPlot, ForestPlot, HeatMap, LinePlot, Plot
from assess.report.table import Cell, Column, ReportTable, decimal, share, whole, words
from assess.report.text import number

# The measures that an audit has, or that lie beside it, as parts of a report.

PARTS = {
    "diversity": diversity_part,
    "recall": recall_part,
    "selection": selection_part,
    "pregen": pregen_part,
}


def measure_parts(audit: ReportInput) -> list[MeasurePart]:
    """Return the parts about measures that the audit has, or that lie beside it."""
    found = (measure_part(audit, name) for name in PARTS)
    return [part for part in found if part is not None]


def measure_part(audit: ReportInput, name: str) -> MeasurePart | None:
    """Return one of these parts, if it is there."""
    found = audit.part(name)
    if not found:
        return None
    try:
        return PARTS[name](found)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # What others put into the folder is checked by using it; it has more shapes than are worth a schema.
        raise InputError(
            f"`{name}.json` is not what our commands write",
            hint="write it again with this version, or take it out of the folder",
        ) from None


_SYSTEM = Column("system", "system", words=True)
_NARROW = 3  # columns of numbers beside which intervals have room on a page


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
    part = measure_part(audit, name)
    if part is None:
        return []
    shown = [table for table in part.tables if everything or table.name != "type_token_curve"]
    return [_measure_table(part.title, table, everything=everything) for table in shown]


def _measure_table(title: str, table: MeasureTable, *, everything: bool) -> ReportTable:
    """Return a table; `everything` has the ends of intervals in columns of their own."""
    columns = [Column(_key(table.first), table.first, words=True)]
    cells = [[words(name)] for name, _ in table.rows]
    narrow = len(table.columns) <= _NARROW and not everything
    for place, name in enumerate(table.columns):
        numbers = [found[place] for _, found in table.rows]
        columns.append(Column(_key(name), name))
        bounded = any(number.bounds for number in numbers)
        for row, found in zip(cells, numbers, strict=True):
            row.append(Cell(found.text + (found.bounds if narrow else ""), _exact(found)))
            if everything and bounded:
                row += [Cell(f"{end:.4g}", end) for end in (found.low, found.high)]
        if everything and bounded:
            columns += [Column(f"{_key(name)}_{end}", end) for end in ("low", "high")]
    # A folded table tells of one drawing of several, so that its part's title would say too little.
    told = ["" if table.folded else table.caption, table.brackets if narrow else ""]
    notes = tuple(note.rstrip(".") for note in told if note)
    title = table.caption if table.folded else title
    return ReportTable(table.name, title, tuple(columns), tuple(map(tuple, cells)), notes)


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


def _variety(audit: ReportInput) -> BarPlot:
    bars = {
        name: [number(counts["modifiers_per_label"]) for counts in (system["best"], system)]
        for name, system in audit.systems.items()
    }
    readings = ("best reading", "all readings")
    return BarPlot("coverage", "What is said of one label", "", "modifiers a label", readings, bars)


def _categories(audit: ReportInput) -> HeatMap:
    table = categories_table(audit)
    rows = tuple(
        f"{category.text}{' (head)' if role.text == 'head' else ''}" for role, category, *_ in table.rows
    )
    values = [[float(cell.value) for cell in cells] for _, _, *cells in table.rows]
    systems = tuple(audit.systems)
    return HeatMap("categories", "Labels that carry a category", rows, systems, values, shares=True)


def _contrasts(audit: ReportInput) -> Iterator[ForestPlot]:
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
            yield ForestPlot(file_name(group), title, "percentage points", rows)


def _measures(audit: ReportInput) -> Iterator[LinePlot]:
    if diversity := audit.part("diversity"):
        curves = {
            name: (curve["tokens"], [number(types) for types in curve["types"]])
            for name, curve in curves_of(diversity).items()
        }
        if curves:
            yield LinePlot("type_token_curve", "Type-token curve", "tokens", "types", curves)
    if recall := audit.part("recall"):
        deciles = {name: (range(1, len(found) + 1), found) for name, found in deciles_of(recall).items()}
        local = {name: (list(found), list(found.values())) for name, found in local_of(recall).items()}
        if deciles:
            title, across = "Coverage by frequency", "decile, most frequent first"
            yield LinePlot("coverage_by_decile", title, across, "coverage", deciles)
        if local:
            title, across = "Local recall by importance", "importance class"
            yield LinePlot("local_recall", title, across, "local recall", local)
