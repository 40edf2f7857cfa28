"""The coverage report for a terminal: systems, categories, what is never said, what is not covered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.metrics.coverage import CategoryCoverage, Coverage, Examples, category_keys
from assess.pipeline import Audit
from assess.records import Role
from assess.report.cells import UNDEFINED, count, percent, plain, rate

_CATEGORY_COLUMN, _SYSTEM_COLUMN = 21, 10
_WORD_COLUMN, _LABELS_COLUMN = 18, 6
_NARROWEST_EXAMPLES = 20


def categories_report(audit: Audit, *, width: int) -> Iterator[RenderableType]:
    """Yield the categories by systems, what is never said and what is not covered."""
    system_width = _system_column(audit)
    for systems in _blocks(list(audit.systems), width, system_width):
        yield categories_table(audit, systems, width=width, system_width=system_width)
    yield never_used(audit)
    yield not_covered(audit, width=width)


def _system_column(audit: Audit) -> int:
    """Return the width that the largest count and its share take."""
    most = max((system.coverage.labels for system in audit.systems.values()), default=0)
    return max(_SYSTEM_COLUMN, len(f"{count(most)} 100%"))


def new_table(title: str, *, caption: str | None = None, tight: bool = False) -> Table:
    """Return an empty table in our style; a tight one for narrow terminals."""
    return Table(
        title=title,
        caption=caption,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        caption_style="dim",
        box=box.SIMPLE_HEAD,
        padding=(0, 0 if tight else 1, 0, 0),
        pad_edge=False,
        header_style="bold",
    )


def systems_table(audit: Audit, *, width: int) -> Table:
    """Return the table of systems: van Miltenburg 2020, Table 2, for both ways of reading."""
    silent = any(not system.coverage.labels for system in audit.systems.values())
    table = new_table(
        f"What the captions say about {audit.taxonomy.taxonomy}",
        caption="Labels are phrases of the domain; modifiers are counted by category, once a label."
        "\nbest: one reading a label; all: union over all readings, the papers' rule."
        + (f"\n{UNDEFINED}: no labels, so no rate." if silent else ""),
        tight=width < 100,
    )
    table.add_column("\nsystem", overflow="fold", min_width=10)
    for name in (
        "\ncaptions",
        "\nlabels",
        "mods\nbest",
        "per\nlabel",
        "cate-\ngories",
        "mods\nall",
        "per\nlabel",
        "cate-\ngories",
        "\nheads",
        "read in\nfull",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    for name, system in audit.systems.items():
        table.add_row(_system_name(audit, name), *_system_cells(system.coverage))
    return table


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


def _system_name(audit: Audit, name: str) -> Text:
    text = plain(name, 40)
    return text.append(" (human)", style="dim") if name in audit.references and name != "references" else text


def _system_cells(coverage: Coverage) -> Iterator[str]:
    yield count(coverage.captions)
    yield count(coverage.labels)
    for counts in (coverage.best, coverage.union):
        yield count(counts.modifiers)
        yield rate(counts.modifiers_per_label)
        yield count(counts.modifier_categories)
    yield count(coverage.best.head_categories)
    full = coverage.labels - coverage.partial_labels - coverage.uncovered_labels
    yield percent(full / coverage.labels) if coverage.labels else UNDEFINED


def _blocks(names: Sequence[str], width: int, system_width: int) -> Iterator[Sequence[str]]:
    """Yield as many systems at a time as fit beside the categories and some examples."""
    space = width - (_CATEGORY_COLUMN + 2) - _NARROWEST_EXAMPLES
    size = max(1, space // (system_width + 2))
    for start in range(0, len(names), size):
        yield names[start : start + size]


def categories_table(audit: Audit, systems: Sequence[str], *, width: int, system_width: int) -> Table:
    """Return categories x systems: labels that use the category, their share, and examples."""
    legend = (
        "Labels with the category in the best reading, and their share. ·: none. (3): in another reading."
    )
    table = new_table("Categories", caption=legend)
    table.add_column("category", no_wrap=True, width=_CATEGORY_COLUMN)
    for name in systems:
        table.add_column(plain(name, 24), justify="right", overflow="fold", width=system_width)
    # Each column has two spaces beside it, and the table one on each side.
    space = width - (_CATEGORY_COLUMN + 2) - len(systems) * (system_width + 2) - 3
    table.add_column("for example", overflow="ellipsis", no_wrap=True, width=space)
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
            table.add_row(plain(category, _CATEGORY_COLUMN), *shown, _examples(_merged(cells), 4))
    return table


def _category(audit: Audit, system: str, role: Role, category: str) -> CategoryCoverage:
    found = audit.systems[system].coverage.categories
    return next(item for item in found if (item.role, item.category) == (role, category))


def _category_cell(cell: CategoryCoverage, labels: int) -> Text:
    if not cell.best_labels:
        # Some reading may have it all the same; the brackets keep it apart from a plain zero.
        return Text(f"({count(cell.labels)})" if cell.labels else "·", style="dim")
    share = percent(cell.best_labels / labels, 0)
    return Text(f"{count(cell.best_labels)} ").append(f"{share:>4}", style="dim")


def _merged(cells: Sequence[CategoryCoverage]) -> Examples:
    merged: dict[str, int] = {}
    for cell in cells:
        for text, number in cell.examples:
            merged[text] = merged.get(text, 0) + number
    return tuple(sorted(merged.items(), key=lambda item: (-item[1], item[0])))


def _examples(examples: Examples, most: int) -> Text:
    return plain(", ".join(text for text, _ in examples[:most]), 120, style="dim")


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
