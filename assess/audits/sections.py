"""What an audit looks like in papers, CSV files and plots: coverage, categories, contrasts, measures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from assess.audits.coverage_view import systems_table
from assess.audits.highlights import (
    CHANGED,
    beside_references,
)
from assess.audits.html.bias import by_verdict, difference_of
from assess.audits.result import AuditResult
from assess.errors import some
from assess.measures.bias.references import GapVerdict
from assess.measures.bias.result import ContrastCell, CrossedEffect
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.tables import UNDEFINED, Estimate
from assess.measures.bias.verdict import VERDICTS
from assess.measures.interval_tables import INTERVAL_TABLES
from assess.measures.registry import Measure
from assess.report.html.parts import anchor
from assess.report.section import (
    CSV,
    EVERYWHERE,
    PAPER,
    TERMINAL,
    BarChart,
    Cell,
    Column,
    ForestChart,
    HeatMap,
    Section,
    Table,
    cell,
    words,
)
from assess.report.section import cell as number_cell
from assess.report.text import count, p_value, percent, signed

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
        f" no system mentions ({_never(audit)})"
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
        "Labels by category and system",
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
    return BarChart("coverage", "How much is said per label", "", "modifiers per label", readings, bars)


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


# Contrasts.

_POINTS = signed(1, "−")


def contrast_table(audit: AuditResult, group: str, *, everything: bool) -> Table:
    """Return the contrasts by one group, disparities first."""
    part = audit.groups[group]
    cells = sorted(part.cells, key=by_verdict)
    shown = [cell for cell in cells if everything or cell.verdict != "insufficient"]
    # With one pair of values its two rates stand under their names, as a reader of a paper expects.
    only = tuple(part.pairs[0]) if len(part.pairs) == 1 and not everything else None
    rows = tuple(tuple(_cells(cell, everything, named=only is None)) for cell in shown)
    notes = tuple(_notes(audit, cells))
    return Table(
        file_name(group),
        f"Contrasts by {group}",
        tuple(_columns(everything, only)),
        rows,
        notes,
        shown=frozenset({"csv"}) if everything else frozenset({"paper"}),
    )


def _columns(everything: bool, only: tuple[str, ...] | None) -> Iterator[Column]:
    yield Column("system", "system", words=True)
    yield Column("category", "category", words=True)
    if only is None:
        yield Column("group", "group", words=True)
        yield Column("against", "against", words=True)
    for prefix, name in zip(("", "other_"), only or ("rate", "other rate"), strict=True):
        if everything:
            yield Column(f"{prefix}yes", "with it")
            yield Column(f"{prefix}labels", "labels")
        yield Column(f"{prefix}rate", name)
    yield Column("difference", "points")
    yield Column("low", "from")
    yield Column("high", "to")
    yield Column("odds_ratio", "odds ratio")
    yield Column("q", "q")
    yield from (Column(each.key, each.heading) for each in STATISTICS.values())
    yield Column("verdict", "verdict", words=True)


def file_name(group: str) -> str:
    """Return what the files of a group are called; its name may come from a file of a stranger."""
    return "bias_" + anchor(group).removeprefix("by-").replace("-", "_").strip("_")


def _cells(cell: ContrastCell, everything: bool, *, named: bool) -> Iterator[Cell]:
    role = "" if cell.role == "modifier" else f"{cell.role}."
    yield words(cell.system)
    yield words(role + cell.category)
    if named:
        yield words(cell.group)
        yield words(cell.against)
    for yes, labels, rate in (
        (cell.yes, cell.labels, cell.rate),
        (cell.other_yes, cell.other_labels, cell.other_rate),
    ):
        if everything:
            yield number_cell(yes, count)
            yield number_cell(labels, count)
        yield number_cell(rate, percent)
    found = difference_of(cell)
    for value in (found.value, found.low, found.high):
        yield Cell(_POINTS(value), value)
    ratio = cell.odds_ratio.value
    yield Cell("–" if ratio != ratio else f"{ratio:.2f}" if ratio != float("inf") else "∞", ratio)
    yield Cell(p_value(cell.q), cell.q)
    for statistic in STATISTICS.values():
        found_value: Any = cell.extra.get(statistic.key)
        exact = found_value[0] if isinstance(found_value, tuple | list) else found_value
        yield Cell(statistic.text(found_value), math.nan if exact is None else exact)
    yield words(cell.verdict)


def _notes(audit: AuditResult, cells: Sequence[ContrastCell]) -> Iterator[str]:
    level = float(str(audit.signature.settings.get("level", 0.95)))
    yield (
        "Rates: labels that carry the category, of all labels about that value; their difference in"
        f" percentage points with its {level:.0%} interval; q: Benjamini–Hochberg"
    )
    counts = Counter(cell.verdict for cell in cells)
    told = "; ".join(f"{verdict} ({counts[verdict]}): {meaning}" for verdict, meaning in VERDICTS.items())
    yield f"{some(len(cells), 'contrast')}. {told}"


# Beside references, and where groups are crossed.


def beside_table(audit: AuditResult, group: str) -> Table | None:
    """Return where the gaps of each system are wider than in the references, narrower, the same or open."""
    cells = [cell for cell in audit.groups[group].cells if cell.system not in audit.references]
    found = beside_references(cells)
    if not found:
        return None
    names: tuple[tuple[GapVerdict, str], ...] = (
        ("wider", "wider"),
        ("narrower", "narrower"),
        ("same", "same"),
        ("insufficient", "open"),
    )
    columns = [Column("system", "system", words=True), *(Column(key, name) for key, name in names)]
    columns += [Column(f"{key}_in", f"{key} in", words=True) for key in ("wider", "narrower")]
    rows = tuple(
        (
            words(system),
            *(number_cell(len(verdicts[key]), count) for key, _ in names),
            *(words(", ".join(cell.name for cell in verdicts[key])) for key in CHANGED),
        )
        for system, verdicts in found.items()
    )
    note = (
        "Contrasts whose difference is wider than in the references of the same images, narrower, the same"
        " within the margin, or open; references are other people's captions, not the truth"
    )
    title = f"Gaps by {group} compared with the references"
    shown = EVERYWHERE - TERMINAL
    return Table(f"{file_name(group)}_beside", title, tuple(columns), rows, (note,), shown=shown)


def crossed_tables(audit: AuditResult, group: str, *, everything: bool) -> list[Table]:
    """Return marginal and crossed effects side by side, a table per group of the crossing.

    A reader sees those that matter: a difference over all labels, or cells that do not share one.
    """
    alpha = float(str(audit.signature.settings.get("alpha", 0.05)))
    by_group: dict[str, list[CrossedEffect]] = {}
    for effect in audit.groups[group].crossed:
        if everything or effect.q <= alpha or (effect.marginal.excludes(0.0) and len(effect.cells) > 1):
            by_group.setdefault(effect.by, []).append(effect)
    for effects in by_group.values():
        effects.sort(key=lambda effect: (not effect.q <= alpha, effect.system, effect.category))
    shown = CSV if everything else EVERYWHERE - CSV
    return [
        replace(_crossed_table(effects, alpha), name=f"{file_name(group)}_crossed_{by}", shown=shown)
        for by, effects in by_group.items()
    ]


def _crossed_table(effects: Sequence[CrossedEffect], alpha: float) -> Table:
    cells = list(dict.fromkeys(name for effect in effects for name in effect.cells))
    first, within = effects[0].by, effects[0].within
    columns = [
        Column(key, name, words=True) for key, name in (("system", "system"), ("category", "category"))
    ]
    columns += [Column("pair", "compared", words=True), Column("marginal", "all")]
    columns += [Column(anchor(name).removeprefix("by-"), name, "within") for name in cells]
    columns += [Column("q", "q")]
    note = (
        "How many points more often it is said of the first than of the second, over all labels and within"
        " each value of the other group; small cells are pulled towards the mean of all cells. q: whether the"
        " cells share one difference"
        f" (q ≤ {alpha:g}: they do not)"
    )
    rows = tuple(_crossed_row(effect, cells) for effect in effects)
    return Table("", f"{first} within {within}".capitalize(), tuple(columns), rows, (note,))


def _crossed_row(effect: CrossedEffect, cells: Sequence[str]) -> tuple[Cell, ...]:
    within = (effect.cells[name].shrunk if name in effect.cells else UNDEFINED for name in cells)
    return (
        *(words(text) for text in (effect.system, effect.category, f"{effect.group}, {effect.against}")),
        *(_points_cell(estimate) for estimate in (effect.marginal, *within)),
        Cell(p_value(effect.q), effect.q),
    )


def _points_cell(estimate: Estimate) -> Cell:
    value, low, high = (100 * bound for bound in estimate)
    bounds = f"{_POINTS(low)} to {_POINTS(high)}" if value == value else ""
    return Cell(_POINTS(value), value, low, high, bounds)
