"""The whole audit for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audit.highlights import disparities, unseen, variety, warnings
from assess.pipeline import Audit
from assess.report.bias_tables import before_quoting
from assess.report.bias_terminal import bias_report
from assess.report.cells import count, plain
from assess.report.coverage_terminal import after_note, categories_report, systems_table


def audit_report(audit: Audit, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    yield _highlights(audit)
    yield systems_table(audit, width=width)
    yield from after_note(audit)
    for group in _groups(audit):
        yield from bias_report(audit, group)
    if audit.groups:
        yield before_quoting()
    yield from categories_report(audit, width=width)
    yield from _input_notes(audit)
    yield Text("signature  ", style="dim").append_text(plain(audit.signature.as_line(), 2_000, style="dim"))


def _highlights(audit: Audit) -> Group:
    systems = {name: system for name, system in audit.systems.items() if name not in audit.references}
    lines = variety({name: s.coverage for name, s in systems.items()}, len(audit.taxonomy.modifiers))
    for group in _groups(audit):
        found = [contrast for system in systems.values() for contrast in system.contrasts[group]]
        lines += disparities(found, group) + warnings(found)
    lines += unseen(audit.marked, list(systems))
    return Group(Text("What stands out", style="bold"), *(_bullet(line) for line in lines))


def _bullet(line: str) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(" •", plain(line, 400))
    return grid


def _groups(audit: Audit) -> list[str]:
    return list(audit.groups)


def _input_notes(audit: Audit) -> Iterator[Text]:
    for note in audit.notes:
        yield Text("note  ", style="yellow").append_text(plain(note, 400))
    for name, system in audit.systems.items():
        summary = system.summary
        found = [
            f"captions of images that had one before: {count(summary.repeated)}" if summary.repeated else "",
            f"empty captions: {count(summary.empty)}" if summary.empty else "",
            f"captions with broken characters: {count(summary.replaced)}" if summary.replaced else "",
        ]
        remarks = "; ".join(remark for remark in found if remark)
        if remarks and not (name in audit.references and not summary.empty and not summary.replaced):
            yield Text("note  ", style="yellow").append_text(
                plain(f"{name}: {remarks}; all are kept and counted")
            )
