"""The whole audit for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from assess.audit.highlights import disparities, unseen, variety, warnings
from assess.engine.measures_run import Measures
from assess.pipeline import Audit
from assess.report.bias_tables import before_quoting
from assess.report.bias_terminal import bias_report
from assess.report.cells import count
from assess.report.coverage_terminal import after_note, categories_report, systems_table
from assess.report.diversity_tables import basic_table
from assess.report.recall_tables import local_table, vocabulary_table
from assess.report.table_terminal import bullets, note_lines, signature_line, terminal_table


def audit_report(audit: Audit, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    yield _highlights(audit)
    yield from terminal_table(systems_table(audit), width=width)
    yield from after_note(audit)
    for group in _groups(audit):
        yield from bias_report(audit, group)
    if audit.groups:
        yield before_quoting()
    yield from categories_report(audit, width=width)
    yield from _measures(audit.measures, width=width)
    yield from note_lines([*audit.notes, *_input_notes(audit)])
    yield signature_line(audit.signature.as_line())


def _highlights(audit: Audit) -> RenderableType:
    systems = {name: system for name, system in audit.systems.items() if name not in audit.references}
    lines = variety({name: s.coverage for name, s in systems.items()}, len(audit.taxonomy.modifiers))
    for group in _groups(audit):
        found = [contrast for system in systems.values() for contrast in system.contrasts[group]]
        lines += disparities(found, group) + warnings(found)
    lines += unseen(audit.marked, list(systems))
    return bullets("What stands out", lines)


def _groups(audit: Audit) -> list[str]:
    return list(audit.groups)


def _measures(measures: Measures, *, width: int) -> Iterator[RenderableType]:
    """Yield how varied the captions are and what they leave out, in short; the commands have it all."""
    tables = [basic_table(measures.diversity)] if measures.diversity else []
    if measures.recall is not None:
        tables += [vocabulary_table(measures.recall), local_table(measures.recall, "micro")]
    for table in tables:
        yield from terminal_table(table, width=width)
    warnings = measures.diversity.warnings if measures.diversity else ()
    yield from note_lines([*warnings, *measures.notes], kind="warning")
    if tables:
        yield Text("`assess diversity` and `assess recall` tell more; --json and --out too.", style="dim")


def _input_notes(audit: Audit) -> Iterator[str]:
    for name, system in audit.systems.items():
        summary = system.summary
        found = [
            f"captions of images that had one before: {count(summary.repeated)}" if summary.repeated else "",
            f"empty captions: {count(summary.empty)}" if summary.empty else "",
            f"captions with broken characters: {count(summary.replaced)}" if summary.replaced else "",
        ]
        remarks = "; ".join(remark for remark in found if remark)
        if remarks and not (name in audit.references and not summary.empty and not summary.replaced):
            yield f"{name}: {remarks}; all are kept and counted"
