"""HTML fragments: links from numbers to captions, sections of the page, and tables for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from assess.errors import visible
from assess.report.section import Column, LineChart, NumberChart, PartsChart, Section, Table
from assess.report.svg import bar_chart, line_chart, stack_chart, step
from assess.report.text import shown

# Links from numbers to their captions.


def captions_link(*, by: tuple[str, str] | None = None, **filters: str) -> str:
    """Return the link to all captions that pass the filters, as the page's script expects it.

    `by` is a group and one of its values. The filters are `system`, `category` (`modifier.age`), `reading`
    ("any": categories count in any reading), `read` ("full", "partial" or "none"), `unknown` (a word), `word`
    (a word that expresses a category), `label` and `modified` ("yes": with a modifier).
    """
    chosen = dict(filters)
    if by is not None:
        chosen[f"by.{by[0]}"] = by[1]
    return "#captions?" + urlencode(chosen, quote_via=quote)


def words_link(system: str, category: str) -> str:
    """Return the link to the words of a category."""
    return "#words?" + urlencode({"system": system, "category": category}, quote_via=quote)


# Text fragments that several parts of the page share.


def breakable(name: str) -> Markup:
    """Return a name that may be wrapped between its parts; browsers only wrap at hyphens by themselves."""
    return Markup("<wbr>").join(map(escape, re.split(r"(?<=[_./])", shown(name))))


def sentence(text: str) -> str:
    """Return a clause as a sentence, with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def anchor(group: str) -> str:
    """Return the anchor of a group on the page; the group's name may come from a file."""
    return "by-" + re.sub(r"[^a-z0-9]+", "-", group.lower())


# Charts of a section.


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with a title and an explanation."""

    title: str
    meaning: str
    drawing: Markup
    key: tuple[tuple[str, str], ...] = ()  # the colour key: names, and the CSS classes of their colours


def _bar_figure(part: NumberChart) -> Figure:
    drawing = bar_chart(part.title, part.cells, humans=part.humans, limit=part.highest)
    return Figure(part.title, part.meaning, drawing)


def figures(section: Section) -> Iterator[Figure]:
    """Yield the drawings of a section for the page."""
    for part in section.parts:
        if isinstance(part, NumberChart):
            yield _bar_figure(part)
        elif isinstance(part, PartsChart):
            drawing = stack_chart(part.title, part.counts, part.parts, steps=True)
            key = tuple((name, step(place)) for place, name in enumerate(part.parts))
            yield Figure(part.title, part.meaning, drawing, key)
        elif isinstance(part, LineChart) and "page" in part.shown:
            drawing = line_chart(
                part.title, part.lines, across=part.x, highest=part.highest, bounds=part.bounds
            )
            yield Figure(part.title, part.meaning, drawing)


# Tables, charts and captions as HTML for notebooks: escaped, without scripts or external resources.

# Texts use the colours of the notebook, light or dark, and bars are visible on both. If an untrusted notebook
# removes the style, bars are black.
_STYLE = Markup(
    "<style>.assess-chart svg{max-width:30em;display:block}.assess-chart text{fill:currentColor;"
    "font:12px sans-serif}.assess-chart .bar{fill:#3b7dbd}.assess-chart .human{fill:#8a8a8a}"
    ".assess-chart line{stroke:currentColor}</style>"
)
_MOST_CHARTS = 4


def html_charts(figures: Iterable[tuple[str, Markup]]) -> Markup:
    """Return drawings with titles, one below the other; empty if there are none."""
    shown = [
        Markup('<div class="assess-chart"><p>{}</p>{}</div>').format(visible(title, 400), drawing)
        for title, drawing in islice(figures, _MOST_CHARTS)
    ]
    return Markup("").join([_STYLE, *shown]) if shown else Markup("")


def section_charts(section: Section) -> Markup:
    """Return the first bar charts of a section."""
    bars = (part for part in section.parts if isinstance(part, NumberChart))
    return html_charts((figure.title, figure.drawing) for figure in map(_bar_figure, bars))


def html_table(table: Table) -> Markup:
    """Return a table with its title above and its notes below."""
    parts = [
        Markup("<table><caption>{}</caption><thead>").format(visible(table.title, 400)),
        *_headings(table.columns),
        Markup("</thead><tbody>"),
        *(_row([cell.text for cell in row]) for row in table.rows),
        Markup("</tbody></table>"),
        *(_small(note) for note in table.sentences),
    ]
    return Markup("").join(parts)


def html_part(title: str, tables: Iterable[Table], *, signature: str) -> Markup:
    """Return the tables of a part under its title, with their signature."""
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
