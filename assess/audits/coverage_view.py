"""The coverage report for a terminal: systems, categories, what is never said, what is not covered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from assess.audits.result import AuditResult
from assess.errors import visible
from assess.measures.coverage.compute import CategoryUse, SystemCoverage
from assess.report.section import SYSTEM, Cell, Column, Table, cell, words
from assess.report.terminal import new_table
from assess.report.text import UNDEFINED, count, percent, plain, rate

_NARROW_CATEGORY, _SYSTEM_COLUMN = 21, 10
_WORD_COLUMN, _LABELS_COLUMN = 18, 6
_NARROWEST_EXAMPLES, _ROOMY = 20, 120
_MOST_EXAMPLES = 4
_SHARES = "Labels with the category in the best reading, and their share. ·: none. (3): in another reading."


def categories_report(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
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
    if any(system.noted_words for system in audit.systems.values()):
        yield noted_words(audit)


def _system_column(audit: AuditResult) -> int:
    """Return the width that the largest count and its share take."""
    most = max((system.labels for system in audit.systems.values()), default=0)
    return max(_SYSTEM_COLUMN, len(f"{count(most)} 100%"))


def _category_column(audit: AuditResult, width: int) -> int:
    """Return how wide the names of categories may be: whole where there is room, else cut."""
    longest = max(len(name.partition(".")[2]) for name in audit.categories)
    return longest if width >= _ROOMY else min(longest, _NARROW_CATEGORY)


def systems_table(audit: AuditResult, *, short: bool) -> Table:
    """Return the table of systems: van Miltenburg 2020, Table 2, for both ways of reading."""
    headings = ("mods", "/label", "categ.") if short else ("modifiers", "per label", "categories")
    columns = [SYSTEM, Column("captions", "captions"), Column("labels", "labels")]
    for key, reading in (("best", "best reading"), ("all", "all readings")):
        keys = (f"{key}_modifiers", f"{key}_modifiers_per_label", f"{key}_modifier_categories")
        columns += [Column(key, name, reading) for key, name in zip(keys, headings, strict=True)]
    columns += [
        Column("head_categories", "heads"),
        Column("read_in_full", "full" if short else "read in full"),
    ]
    notes = [
        "Labels are phrases of the domain; mods are modifier categories, counted once per label; categ. and"
        " heads are the modifier and head categories in use; full: labels read in full."
        if short
        else "Labels are phrases of the domain; modifiers are counted by category, once per label",
        "best: one reading per label; all: union over all readings, the papers' rule.",
    ]
    if any(not system.labels for system in audit.systems.values()):
        notes.append(f"{UNDEFINED}: no labels, so no rate.")
    return Table(
        "coverage",
        f"What the captions say about {audit.domain}",
        tuple(columns),
        tuple((words(_system_name(name, row)), *_system_cells(row)) for name, row in audit.systems.items()),
        tuple(notes),
        apart=0 if short else len(audit.systems) - len(audit.machines),
        shown=frozenset({"terminal"}) if short else frozenset({"paper", "csv"}),
    )


def after_note(audit: AuditResult) -> Iterator[Text]:
    """Yield how much the attributes after the noun add."""
    parts = [
        f"{name} {count(found.after.modifiers)} of {count(found.best.modifiers)}"
        for name, found in audit.systems.items()
        if found.after.labels
    ]
    if parts:
        text = "Said only after the noun (a man with a beard, the girl is smiling): "
        yield plain(f"{text}{'; '.join(parts)} modifiers.", 1_000, style="dim")


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
    yield cell(system.full_labels / system.labels if system.labels else math.nan, percent)


def _blocks(names: Sequence[str], width: int, system_width: int) -> Iterator[Sequence[str]]:
    """Yield as many systems at a time as fit beside the categories and some examples."""
    size = max(1, (width - 2 - _NARROWEST_EXAMPLES) // (system_width + 2))
    for start in range(0, len(names), size):
        yield names[start : start + size]


def _add_category_columns(
    table: RichTable, systems: Sequence[str], widths: tuple[int, int], width: int
) -> int:
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


def _add_category_rows(
    table: RichTable, audit: AuditResult, systems: Sequence[str], column: int, space: int
) -> None:
    """Add categories x systems: labels that use the category, their share, and examples."""
    role_before = ""
    for key in audit.categories:
        role, _, category = key.partition(".")
        cells = [audit.systems[name].categories[key] for name in systems]
        if any(use.labels for use in cells):
            if role != role_before:
                table.add_section()
                table.add_row(Text(f"{role}s", style="italic"))
                role_before = role
            totals = [audit.systems[name].labels for name in systems]
            shown = [_category_cell(use, total) for use, total in zip(cells, totals, strict=True)]
            examples = [_examples(by_turns(cells), _MOST_EXAMPLES, space)] if space else []
            table.add_row(plain(category, column), *shown, *examples)


def _category_cell(use: CategoryUse, labels: int) -> Text:
    if not use.best_labels:
        # Some reading may have it all the same; the brackets keep it apart from a plain zero.
        return Text(f"({count(use.labels)})" if use.labels else "·", style="dim")
    part = percent(use.best_labels / labels, 0)
    return Text(f"{count(use.best_labels)} ").append(f"{part:>4}", style="dim")


def by_turns(uses: Sequence[CategoryUse]) -> list[str]:
    """Return examples of all systems, by turns, so that none drowns the others."""
    longest = max((len(use.examples) for use in uses), default=0)
    turns = [use.examples[at] for at in range(longest) for use in uses if at < len(use.examples)]
    return list(dict.fromkeys(turns))


def _examples(examples: Sequence[str], most: int, room: int = 120) -> Text:
    """Return as many of the examples as are whole within the room; of the first, what fits."""
    shown = ""
    for text in examples[:most]:
        longer = f"{shown}, {text}" if shown else text
        if shown and cell_len(visible(longer)) > room:
            break
        shown = longer
    return plain(shown, 120, style="dim")


def never_used(audit: AuditResult) -> RenderableType:
    """Return the categories that no caption of any system uses."""
    lines = [Text("Never said", style="bold")]
    for role in ("modifier", "head"):
        names = [key.partition(".")[2] for key in audit.categories_never_used if key.startswith(f"{role}.")]
        if names:
            lines.append(Text(f"{role}s: " + ", ".join(names)))
    if len(lines) == 1:
        lines.append(Text("nothing: every category of the taxonomy is used"))
    return Group(*lines)


def not_covered(audit: AuditResult, *, width: int) -> RenderableType:
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
        for unknown in system.unknown_words[:5]:
            table.add_row(
                plain(name, 40),
                plain(unknown.word, 30),
                count(unknown.labels),
                _examples(unknown.examples, 3),
            )
        known = {word for unknown in system.unknown_words for word in unknown.examples}
        for text, number in system.uncovered_examples.items():
            if text not in known:
                table.add_row(plain(name, 40), Text("(no rule)", style="dim"), count(number), plain(text, 80))
    parts: list[RenderableType] = [*([table] if table.row_count else []), *_not_understood(audit)]
    return Group(*parts) if parts else Text("Every label could be read in full.", style="dim")


def _not_understood(audit: AuditResult) -> Iterator[Text]:
    """Yield what is said of labels after the noun and was not understood, by system."""
    for name, system in audit.systems.items():
        if system.unread.labels:
            phrases = ", ".join(f"{text} ({count(number)})" for text, number in system.unread.phrases.items())
            share = percent(system.unread.share)
            text = f"Not understood after the noun, {name}: {share} of labels: {phrases}"
            yield plain(text, 300, style="dim")


def noted_words(audit: AuditResult) -> RenderableType:
    """Return the words that the taxonomy notes as dated or offensive, by system."""
    lines = [Text("Dated or offensive words", style="bold")]
    for name, system in audit.systems.items():
        words = (f"{item.word} ({item.note}, {count(item.labels)})" for item in system.noted_words)
        if listed := ", ".join(words):
            lines.append(plain(f"{name}: {listed}", 300))
    return Group(*lines)
