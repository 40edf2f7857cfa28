"""The coverage report for a terminal: systems, categories, what is never said, what is not covered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audits.pipeline import Audit
from assess.errors import visible
from assess.measures.coverage.compute import CategoryCoverage, Coverage, Examples, category_keys
from assess.records import Role
from assess.report.section import Cell, Column, ReportTable, decimal, share, undefined, whole, words
from assess.report.terminal import new_table
from assess.report.text import UNDEFINED, count, percent, plain

_NARROW_CATEGORY, _SYSTEM_COLUMN = 21, 10
_WORD_COLUMN, _LABELS_COLUMN = 18, 6
_NARROWEST_EXAMPLES, _ROOMY = 20, 120
_MOST_EXAMPLES = 4
_SHARES = "Labels with the category in the best reading, and their share. ·: none. (3): in another reading."


def categories_report(audit: Audit, *, width: int) -> Iterator[RenderableType]:
    """Yield the categories by systems, what is never said and what is not covered."""
    column, system = _category_column(audit, width), _system_column(audit)
    blocks = list(_blocks(list(audit.systems), width - column, system))
    for number, systems in enumerate(blocks):
        title = "Categories" if number == 0 else "Categories (continued)"
        table = new_table(title, caption=_SHARES if number == len(blocks) - 1 else None)
        space = _add_category_columns(table, systems, (column, system), width)
        _add_category_rows(table, audit, systems, column, space)
        yield table
    yield never_used(audit)
    yield not_covered(audit, width=width)


def _system_column(audit: Audit) -> int:
    """Return the width that the largest count and its share take."""
    most = max((system.coverage.labels for system in audit.systems.values()), default=0)
    return max(_SYSTEM_COLUMN, len(f"{count(most)} 100%"))


def _category_column(audit: Audit, width: int) -> int:
    """Return how wide the names of categories may be: whole where there is room, else cut."""
    longest = max(len(name) for _, name in category_keys(audit.taxonomy))
    return longest if width >= _ROOMY else min(longest, _NARROW_CATEGORY)


def systems_table(audit: Audit) -> ReportTable:
    """Return the table of systems: van Miltenburg 2020, Table 2, for both ways of reading."""
    counted = tuple(
        Column(f"{kind}_{key}", name, f"{kind} reading{'s' if kind == 'all' else ''}")
        for kind in ("best", "all")
        for key, name in (("modifiers", "mods"), ("per_label", "/label"), ("categories", "categ."))
    )
    columns = (
        Column("system", "system", words=True),
        Column("captions", "captions"),
        Column("labels", "labels"),
        *counted,
        Column("heads", "heads"),
        Column("full", "full"),
    )
    rows = tuple(
        (words(_system_name(audit, name)), *_system_cells(system.coverage))
        for name, system in audit.systems.items()
    )
    notes = [
        "Labels are phrases of the domain; mods are modifier categories, counted once a label; categ. and"
        " heads are the modifier and head categories in use; full: labels read in full.",
        "best: one reading a label; all: union over all readings, the papers' rule.",
    ]
    if any(not system.coverage.labels for system in audit.systems.values()):
        notes.append(f"{UNDEFINED}: no labels, so no rate.")
    return ReportTable(
        "systems", f"What the captions say about {audit.taxonomy.taxonomy}", columns, rows, tuple(notes)
    )


def after_note(audit: Audit) -> Iterator[Text]:
    """Yield how much the attributes after the noun add."""
    parts = [
        f"{name} {count(found.after_modifiers)} of {count(found.best.modifiers)}"
        for name, found in ((name, system.coverage) for name, system in audit.systems.items())
        if found.after_labels
    ]
    if parts:
        text = "Said only after the noun (a man with a beard, the girl is smiling): "
        yield plain(f"{text}{'; '.join(parts)} modifiers.", 1_000, style="dim")


def _system_name(audit: Audit, name: str) -> str:
    return f"{name} (human)" if name in audit.references and name != "references" else name


def _system_cells(coverage: Coverage) -> Iterator[Cell]:
    yield whole(coverage.captions)
    yield whole(coverage.labels)
    for counts in (coverage.best, coverage.union):
        yield whole(counts.modifiers)
        yield decimal(counts.modifiers_per_label)
        yield whole(counts.modifier_categories)
    yield whole(coverage.best.head_categories)
    full = coverage.labels - coverage.partial_labels - coverage.uncovered_labels
    yield share(full / coverage.labels) if coverage.labels else undefined()


def _blocks(names: Sequence[str], width: int, system_width: int) -> Iterator[Sequence[str]]:
    """Yield as many systems at a time as fit beside the categories and some examples."""
    size = max(1, (width - 2 - _NARROWEST_EXAMPLES) // (system_width + 2))
    for start in range(0, len(names), size):
        yield names[start : start + size]


def _add_category_columns(table: Table, systems: Sequence[str], widths: tuple[int, int], width: int) -> int:
    """Add the columns, and return how much room there is for examples: none in a narrow window."""
    column, system_width = widths
    table.add_column("category", no_wrap=True, width=column)
    for name in systems:
        table.add_column(plain(name, 24), justify="right", overflow="fold", width=system_width)
    # Each column has two spaces beside it, and the table one on each side.
    space = width - (column + 2) - len(systems) * (system_width + 2) - 3
    if space < len("for example"):
        return 0
    table.add_column("for example", overflow="ellipsis", no_wrap=True, width=space)
    return space


def _add_category_rows(table: Table, audit: Audit, systems: Sequence[str], column: int, space: int) -> None:
    """Add categories x systems: labels that use the category, their share, and examples."""
    role_before: Role | None = None
    for role, category in category_keys(audit.taxonomy):
        cells = [_category(audit, name, role, category) for name in systems]
        if any(cell.labels for cell in cells):
            if role != role_before:
                table.add_section()
                table.add_row(Text(f"{role}s", style="italic"))
                role_before = role
            totals = [audit.systems[name].coverage.labels for name in systems]
            shown = [_category_cell(cell, total) for cell, total in zip(cells, totals, strict=True)]
            examples = [_examples(_merged(cells), _MOST_EXAMPLES, space)] if space else []
            table.add_row(plain(category, column), *shown, *examples)


def _category(audit: Audit, system: str, role: Role, category: str) -> CategoryCoverage:
    found = audit.systems[system].coverage.categories
    return next(item for item in found if (item.role, item.category) == (role, category))


def _category_cell(cell: CategoryCoverage, labels: int) -> Text:
    if not cell.best_labels:
        # Some reading may have it all the same; the brackets keep it apart from a plain zero.
        return Text(f"({count(cell.labels)})" if cell.labels else "·", style="dim")
    part = percent(cell.best_labels / labels, 0)
    return Text(f"{count(cell.best_labels)} ").append(f"{part:>4}", style="dim")


def _merged(cells: Sequence[CategoryCoverage]) -> Examples:
    merged: dict[str, int] = {}
    for cell in cells:
        for text, number in cell.examples:
            merged[text] = merged.get(text, 0) + number
    return tuple(sorted(merged.items(), key=lambda item: (-item[1], item[0])))


def _examples(examples: Examples, most: int, room: int = 120) -> Text:
    """Return as many of the examples as are whole within the room; of the first, what fits."""
    shown = ""
    for text, _ in examples[:most]:
        longer = f"{shown}, {text}" if shown else text
        if shown and cell_len(visible(longer)) > room:
            break
        shown = longer
    return plain(shown, 120, style="dim")


def never_used(audit: Audit) -> RenderableType:
    """Return the categories that no caption of any system uses."""
    lines = [Text("Never said", style="bold")]
    for role in ("modifier", "head"):
        names = [name for found, name in audit.never_used if found == role]
        if names:
            lines.append(Text(f"{role}s: " + ", ".join(names)))
    if len(lines) == 1:
        lines.append(Text("nothing: every category of the taxonomy is used"))
    return Group(*lines)


def not_covered(audit: Audit, *, width: int) -> RenderableType:
    """Return what the taxonomy could not read, commonest first."""
    table = new_table("Not covered by the taxonomy")
    # Widths are given: a long label would take the space of the columns that say whose it is.
    longest = max((len(name) for name in audit.systems), default=0)
    system_width = max(len("system"), min(20, longest))
    table.add_column("system", overflow="fold", width=system_width)
    table.add_column("unknown word", overflow="ellipsis", no_wrap=True, width=_WORD_COLUMN)
    table.add_column("labels", justify="right", no_wrap=True, width=_LABELS_COLUMN)
    space = width - system_width - _WORD_COLUMN - _LABELS_COLUMN - 3 * 2 - 2
    table.add_column("in", overflow="ellipsis", no_wrap=True, width=max(_NARROWEST_EXAMPLES, space))
    for name, system in audit.systems.items():
        for unknown in system.coverage.unknown_words[:5]:
            table.add_row(
                plain(name, 40),
                plain(unknown.word, 30),
                count(unknown.labels),
                _examples(unknown.examples, 3),
            )
        known = {word for unknown in system.coverage.unknown_words for word, _ in unknown.examples}
        for text, number in system.coverage.uncovered_examples:
            if text not in known:
                table.add_row(plain(name, 40), Text("(no rule)", style="dim"), count(number), plain(text, 80))
    if table.row_count:
        return table
    return Text("Every label could be read in full.", style="dim")
