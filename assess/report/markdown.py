"""Tables for Markdown, as GitHub and most others read them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assess.errors import visible
from assess.report.section import Column, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!])")


def escaped(text: str) -> str:
    """Return text that Markdown prints as it is: no links, no markup, no end of a cell."""
    return _SPECIAL.sub(r"\\\1", visible(text, 1_000))


def markdown_table(table: Table) -> str:
    """Return a table with its title above and its notes below."""
    lines = [f"**{escaped(table.title)}**", ""]
    lines.append(_line(_heading(column) for column in table.columns))
    lines.append(_line("---" if column.words else "---:" for column in table.columns))
    lines += (_line(escaped(cell.text) for cell in row) for row in table.rows)
    if table.notes:
        lines += ["", *(escaped(note) + "  " for note in table.notes)]
    return "\n".join(lines) + "\n"


def markdown_document(tables: Iterable[Table], *, signature: str) -> str:
    """Return all tables, and what they depend on."""
    body = "\n".join(markdown_table(table) for table in tables)
    return f"{body}\n`{visible(signature, 4_000).replace('`', chr(39))}`\n"


def _heading(column: Column) -> str:
    # A Markdown table has one line of headings, so a group's name is repeated.
    return escaped(f"{column.group} {column.name}".strip())


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
