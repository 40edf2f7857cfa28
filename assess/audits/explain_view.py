"""The labels behind a cell as JSON, and as CSV that no spreadsheet runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup, escape
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from assess.audits.explain import Example, Explained, Which, marked_caption
from assess.audits.saved import SavedAudit
from assess.errors import visible
from assess.report.csv import csv_table
from assess.report.section import Cell, Column, Table, words
from assess.report.text import count, percent, plain

_COLUMNS = ("system", "image_id", "record", "label", "words", "reading", "categories", "caption")


def explain_shape(audit: SavedAudit, explained: Explained, *, limit: int | None = None) -> dict[str, Any]:
    """Return the shape of `assess explain --json`."""
    address = explained.address
    return {
        "signature": audit.results.signature.as_dict(),
        "cell": str(address),
        "system": address.system,
        "role": address.key[0],
        "category": address.key[1],
        "by": address.by,
        "group": address.value,
        "yes": explained.best,
        "other_readings": explained.other,
        "labels": explained.labels,
        "mentions": [_example_shape(example) for example in explained.examples[:limit]],
    }


def _example_shape(example: Example) -> dict[str, Any]:
    mention, analysis = example.mention, example.analysis
    return {
        "image_id": mention.image,
        "record": mention.record,
        "start": mention.start,
        "end": mention.end,
        "label": mention.label,
        "words": [[start, end, mention.caption[start:end]] for start, end in example.words],
        "reading": example.which,
        "best": {"heads": analysis.best.heads, "modifiers": analysis.best.modifiers},
        "union": {"heads": analysis.heads, "modifiers": analysis.modifiers},
        "caption": mention.caption,
    }


def explain_table(explained: Explained, *, limit: int | None = None) -> Table:
    """Return a row a label."""
    columns = tuple(Column(name, name, words=True) for name in _COLUMNS)
    rows = tuple(tuple(_cells(example)) for example in explained.examples[:limit])
    return Table("explain", f"Labels behind {explained.address}", columns, rows)


def _cells(example: Example) -> Iterator[Cell]:
    mention = example.mention
    yield words(mention.system)
    yield words(mention.image)
    yield Cell(str(mention.record), mention.record)
    yield words(mention.label)
    yield words(" | ".join(mention.caption[start:end] for start, end in example.words))
    yield words(example.which)
    yield words(" ".join(example.analysis.best.modifiers))
    yield words(mention.caption)


def explain_csv(explained: Explained, *, limit: int | None = None) -> str:
    """Return a row a label, for a spreadsheet."""
    return csv_table(explain_table(explained, limit=limit))


# The labels behind a cell, for a terminal.

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
    line = RichTable.grid()
    line.add_row(image, marked_caption(example, marks=marks))
    return Group(line, Padding(plain(note, 300, style="dim"), (0, 0, 0, 4)))


def html_examples(examples: Sequence[Example]) -> Markup:
    """Return captions with their label strong and the words of a category marked."""
    rows = (
        Markup("<li><bdi>{}</bdi>: <bdi>{}</bdi></li>").format(
            visible(example.mention.image, 60), _marked(example)
        )
        for example in examples
    )
    return Markup("<ul>{}</ul>").format(Markup("").join(rows))


def _marked(example: Example) -> Markup:
    text = marked_caption(example, marks=False)
    parts, done = [], 0
    for span in text.spans:
        parts.append(escape(text.plain[done : span.start]))
        tag = (
            Markup("<strong><mark>{}</mark></strong>")
            if "reverse" in str(span.style)
            else Markup("<strong>{}</strong>")
        )
        parts.append(tag.format(text.plain[span.start : span.end]))
        done = span.end
    return Markup("").join([*parts, escape(text.plain[done:])])
