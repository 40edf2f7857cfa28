"""The report of `assess bias`: what to look at, then everything behind it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from assess.audit.bias import GroupAudit
from assess.audit.groups import Pair
from assess.audit.highlights import group_highlights, unseen
from assess.pipeline import Audit
from assess.report.bias_forest import forest_table
from assess.report.bias_tables import (
    across_table,
    before_quoting,
    caution_lines,
    marked_table,
    mixed_note,
    nouns_table,
    reference_table,
    who_table,
    words_table,
)
from assess.report.cells import count, plain
from assess.report.table_terminal import bullets, note_lines, signature_line


def bias_page(audit: Audit, *, width: int, everything: bool = False) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    yield _highlights(audit)
    yield from note_lines(audit.notes)
    for group in audit.groups.values():
        yield from _group_parts(audit, group, width=width, everything=everything)
    delicate = marked_table(audit.marked)
    if delicate is not None:
        yield delicate
    yield before_quoting()
    yield signature_line(audit.signature.as_line())


def _highlights(audit: Audit) -> RenderableType:
    lines = [line for group in audit.groups.values() for line in group_highlights(group, audit.references)]
    lines += unseen(audit.marked, [name for name in audit.systems if name not in audit.references])
    return bullets("What to look at", lines)


def _group_parts(
    audit: Audit, group: GroupAudit, *, width: int, everything: bool
) -> Iterator[RenderableType]:
    yield who_table(group)
    yield from mixed_note(group)
    nouns = nouns_table(group)
    if nouns is not None:
        yield nouns
    for name, contrasts in group.contrasts.items():
        for pair in group.pairs:
            chosen = [contrast for contrast in contrasts if (contrast.group, contrast.against) == pair]
            if not chosen:
                continue
            title = _title(group, name, pair, human=name in audit.references)
            yield forest_table(chosen, pair, title=title, width=width, everything=everything)
            yield from caution_lines(chosen)
    systems = [c for name, found in group.contrasts.items() for c in found if name not in audit.references]
    for table in (
        reference_table(group, audit.references, width=width, everything=everything),
        across_table(group.across, group.name, everything=everything),
        words_table(systems, everything=everything),
    ):
        if table is not None:
            yield table


def _title(group: GroupAudit, system: str, pair: Pair, *, human: bool) -> str:
    labels = group.counts[system].labels
    first, second = (f"{value} ({count(labels[value])})" for value in pair)
    who = f"{system} (human references)" if human else system
    return plain(f"{who}: labels of {first} against {second}").plain
