"""The labels behind a cell, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assess.audit.drilldown import Example, Explained, Which
from assess.audit.saved import SavedAudit
from assess.report.cells import count, percent, plain
from assess.report.explain_text import marked_caption

_WHICH: dict[Which, str] = {"other": "only in another reading", "without": "without the category"}


def explain_report(
    audit: SavedAudit, explained: Explained, *, limit: int, marks: bool
) -> Iterator[RenderableType]:
    """Yield what a cell stands for, then the captions behind it."""
    yield Group(*_heading(audit, explained))
    shown = explained.examples[:limit]
    for example in shown:
        yield _example(example, marks=marks)
    if len(explained.examples) > len(shown):
        more = len(explained.examples) - len(shown)
        yield Text(f"and {count(more)} more: --limit, --json or --csv show them", style="dim")


def _heading(audit: SavedAudit, explained: Explained) -> Iterator[Text]:
    address = explained.address
    yield plain(str(address), 200, style="bold")
    description = audit.results.categories[".".join(address.key)].description
    yield plain(description, 400, style="dim")
    rate = percent(explained.best / explained.labels) if explained.labels else "–"
    yield Text(f"{count(explained.best)} of {count(explained.labels)} labels ({rate})")
    if explained.other:
        yield Text(f"{count(explained.other)} more carry it only in another reading (--any)", style="dim")
    for cell in audit.groups[address.by].cells if address.by else ():
        if (cell.system, cell.role, cell.category) == (address.system, *address.key) and address.value in (
            cell.group,
            cell.against,
        ):
            yield plain(_verdict(cell.group, cell.against, cell.verdict, cell.reason), 400)


def _verdict(group: str, against: str, verdict: str, reason: str) -> str:
    return f"{group} against {against}: {verdict} ({reason})"


def _example(example: Example, *, marks: bool) -> RenderableType:
    image = plain(f"{example.mention.image}  ", 60, style="dim")
    image.no_wrap = True
    kind = f"  [{_WHICH[example.which]}]" if example.which in _WHICH else ""
    readings = ", ".join(example.analysis.best.modifiers) or "no modifiers"
    others = sorted(set(example.analysis.modifiers) - set(example.analysis.best.modifiers))
    note = f"read as: {readings}" + (f"; also possible: {', '.join(others)}" if others else "") + kind
    line = Table.grid()
    line.add_row(image, marked_caption(example, marks=marks))
    return Group(line, Padding(plain(note, 300, style="dim"), (0, 0, 0, 4)))
