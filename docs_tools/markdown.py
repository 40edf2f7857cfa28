"""Parts of generated pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

DASH = "–"


def page(title: str, introduction: str, sections: Iterable[str]) -> str:
    """Return a generated page with a notice that it is generated."""
    notice = "<!-- Written by `make reference` from the code. Change the code, not this file. -->"
    return "\n\n".join([f"# {title}", notice, introduction, *sections]) + "\n"


def fill(page: str, tables: Mapping[str, str]) -> str:
    """Return a page with tables inserted at their placeholders."""
    for name, text in tables.items():
        opening, rest = page.split(f"<!-- {name} -->\n", 1)
        page = f"{opening}<!-- {name} -->\n{text}\n{rest[rest.index('<!-- end -->') :]}"
    return page


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [
        _row(headings),
        _row(["---"] * len(headings)),
        *(_row([_cell(cell) for cell in row]) for row in rows),
    ]
    return "\n".join(lines)


def code(text: str) -> str:
    """Return a text as code; nothing stays nothing.

    GitHub and Python-Markdown disagree about a bar within backticks in a table; as an entity both show it.
    """
    if "|" in text:
        return f"<code>{escape(text).replace('|', '&#124;')}</code>"
    return f"`{text}`" if text else ""


def _row(cells: Sequence[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
