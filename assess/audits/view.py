"""The whole audit for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from assess.audits.highlights import delicate_highlights, disparities, variety, warnings
from assess.audits.result import AuditResult
from assess.audits.sections import further_sections
from assess.measures.bias.view import before_quoting, bias_report
from assess.measures.coverage.view import after_note, categories_report, systems_table
from assess.report.section import tables_of
from assess.report.terminal import bullets, note_lines, signature_line, terminal_table


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


def _highlights(audit: AuditResult) -> RenderableType:
    modifiers = sum(key.startswith("modifier.") for key in audit.categories)
    lines = variety(audit.machines, modifiers)
    for group in audit.groups.values():
        found = [contrast for contrast in group.cells if contrast.system in audit.machines]
        lines += disparities(found, group.name) + warnings(found)
    lines += delicate_highlights(audit.markedness, list(audit.machines))
    return bullets("What stands out", lines)


def _measures(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield how varied the captions are and what they leave out, in short; the commands have it all."""
    sections = [section for result in audit.measures.values() for section in result.sections()]
    tables = [table for table in tables_of(sections, "terminal") if table.brief]
    for table in tables:
        yield from terminal_table(table, width=width)
    told = [note for section in sections for note in section.notes("terminal", warnings=True)]
    yield from note_lines(told, kind="warning")
    if tables:
        yield Text("`assess diversity` and `assess recall` tell more; --json and --out too.", style="dim")
