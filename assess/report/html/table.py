"""Tables and captions as plain HTML, for notebooks: escaped, without scripts, styles or anything fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from markupsafe import Markup

from assess.errors import visible
from assess.report.section import Column, Table


def html_table(table: Table) -> Markup:
    """Return a table with its title above and its notes below."""
    parts = [
        Markup("<table><caption>{}</caption><thead>").format(visible(table.title, 400)),
        *_headings(table.columns),
        Markup("</thead><tbody>"),
        *(_row([cell.text for cell in row]) for row in table.rows),
        Markup("</tbody></table>"),
        *(_small(note) for note in table.notes),
    ]
    return Markup("").join(parts)


def html_part(title: str, tables: Iterable[Table], *, signature: str) -> Markup:
    """Return the tables of a part under its title, with what they depend on."""
    shown = Markup("").join(map(html_table, tables))
    return Markup("<h3>{}</h3>").format(visible(title, 400)) + shown + _small(signature)


def _headings(columns: Sequence[Column]) -> Iterable[Markup]:
    if any(column.group for column in columns):
        groups = ((name, len(list(same))) for name, same in groupby(columns, key=lambda column: column.group))
        cells = (Markup('<th colspan="{}">{}</th>').format(size, visible(name, 100)) for name, size in groups)
        yield Markup("<tr>{}</tr>").format(Markup("").join(cells))
    names = (Markup('<th scope="col">{}</th>').format(visible(column.name, 100)) for column in columns)
    yield Markup("<tr>{}</tr>").format(Markup("").join(names))


def _row(texts: Sequence[str]) -> Markup:
    first, *others = (visible(text, 400) for text in texts)
    cells = Markup("").join(Markup("<td><bdi>{}</bdi></td>").format(text) for text in others)
    return Markup('<tr><th scope="row"><bdi>{}</bdi></th>{}</tr>').format(first, cells)


def _small(text: str) -> Markup:
    return Markup("<p><small>{}</small></p>").format(visible(text, 4_000))
