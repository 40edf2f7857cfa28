"""Tables as text: LaTeX with booktabs rules, Markdown, and comma-separated values."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from assess.errors import visible
from assess.report.section import Column, Table, Value
from assess.report.text import UNDEFINED
from assess.whole_files import made_folder, write_whole

_MANY_COLUMNS, _MANY_ROWS = 6, 40
_TIGHT = r"\footnotesize\setlength{\tabcolsep}{3pt}"  # fits more columns on a page
_SMALL = r"\scriptsize"  # fits more rows on a page
# A table that is still wider than the page is scaled down; others keep their size.
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': "''",
    UNDEFINED: "--",
    "−": "$-$",
    "²": "$^2$",
    "ρ": r"$\rho$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "…": r"\ldots{}",
    "∞": r"$\infty$",
    "’": "'",
}


def latex_escaped(text: str) -> str:
    """Return text that LaTeX prints literally; control characters are removed."""
    return "".join(_LATEX.get(character, character) for character in visible(text, 1_000))


def latex_table(table: Table) -> str:
    """Return a `table` environment with its caption and label."""
    spec = "".join("l" if column.words else "r" for column in table.columns)
    notes = " ".join(table.sentences)
    lines = [
        r"\begin{table}",
        r"\centering",
        *([_TIGHT] if len(table.columns) > _MANY_COLUMNS else []),
        *([_SMALL] if len(table.rows) > _MANY_ROWS else []),
        _FITTED,
        rf"\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        *_latex_headings(table.columns),
        r"\midrule",
        *_latex_rows(table),
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{latex_escaped(table.title)}.{' ' + latex_escaped(notes) if notes else ''}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex_document(tables: Iterable[Table], *, signature: str) -> str:
    """Return all tables for inclusion in a paper, with the signature as a comment."""
    head = f"% needs \\usepackage{{booktabs,graphicx}}\n% {visible(signature, 4_000)}\n"
    return head + "".join("\n" + latex_table(table) for table in tables)


def _latex_headings(columns: tuple[Column, ...]) -> list[str]:
    names = _latex_line(latex_escaped(column.name) for column in columns)
    if not any(column.group for column in columns):
        return [names]
    groups, rules, place = [], [], 1
    for group, members in groupby(columns, key=lambda column: column.group):
        size = len(list(members))
        groups.append(
            rf"\multicolumn{{{size}}}{{c}}{{{latex_escaped(group)}}}" if group else " & " * (size - 1)
        )
        if group:
            rules.append(rf"\cmidrule(lr){{{place}-{place + size - 1}}}")
        place += size
    return [_latex_line(groups), " ".join(rules), names]


def _latex_rows(table: Table) -> list[str]:
    lines = [_latex_line(latex_escaped(cell.text) for cell in row) for row in table.rows]
    if table.apart and table.apart < len(lines):
        lines.insert(len(lines) - table.apart, r"\midrule")
    return lines


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


# Markdown, as GitHub and most other tools read it.


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!])")


def markdown_escaped(text: str) -> str:
    """Return text that Markdown shows literally, without links or markup, and without ending a table cell."""
    return _MARKDOWN.sub(r"\\\1", visible(text, 1_000))


def markdown_table(table: Table) -> str:
    """Return a table with its title above and its notes below."""
    lines = [f"**{markdown_escaped(table.title)}**", ""]
    lines.append(_markdown_line(_markdown_heading(column) for column in table.columns))
    lines.append(_markdown_line("---" if column.words else "---:" for column in table.columns))
    lines += (_markdown_line(markdown_escaped(cell.text) for cell in row) for row in table.rows)
    if table.notes:
        lines += ["", *(markdown_escaped(note) + "  " for note in table.sentences)]
    return "\n".join(lines) + "\n"


def markdown_document(tables: Iterable[Table], *, signature: str) -> str:
    """Return all tables, and their signature."""
    body = "\n".join(markdown_table(table) for table in tables)
    return f"{body}\n`{visible(signature, 4_000).replace('`', chr(39))}`\n"


def _markdown_heading(column: Column) -> str:
    # Markdown tables have a single line of headings, so the name of a column group is repeated.
    return markdown_escaped(f"{column.group} {column.name}".strip())


def _markdown_line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


# Comma-separated values that are safe to open in a spreadsheet.

# The sign that starts a formula may be a full-width character, or follow invisible characters.
_INVISIBLE = r"\s\ufffd\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_FORMULA = re.compile(rf"[\t\r\n]|[{_INVISIBLE}]*[=+\-@\uff0b\uff0d\uff1d\uff20]")
# Spreadsheets cannot hold these characters, and terminals would execute some of them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def safe_text(text: str) -> str:
    """Return text that no spreadsheet runs as a formula: captions and names are untrusted."""
    shown = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as comma-separated values, each followed by a line feed."""
    return "".join(map(_csv_row, rows))


def _csv_row(cells: Sequence[str]) -> str:
    # Many readers end a row at a bare carriage return, but Python's writer only quotes a cell with one if it
    # is part of the line terminator.
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def csv_table(table: Table) -> str:
    """Return a table with exact values; undefined values are empty cells."""
    header = [safe_text(column.key) for column in table.columns]
    return csv_text([header, *([_field(cell.value) for cell in row] for row in table.rows)])


def _field(value: Value) -> str:
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def write_csv(tables: Iterable[Table], folder: Path, *, signature: str) -> None:
    """Write one file per table, and a text file that describes them and their signature.

    Most programs would read a comment inside a CSV file as a row.
    """
    tables = list(tables)
    with made_folder(folder):
        for table in tables:
            write_whole(folder / f"{table.name}.csv", csv_table(table))
        write_whole(folder / "about.txt", _about(tables, signature))


def _about(tables: Iterable[Table], signature: str) -> str:
    told = (
        visible(f"{table.name}.csv: {' '.join((f'{table.title}.', *table.sentences))}", 2_000) + "\n\n"
        for table in tables
    )
    return "".join(told) + f"signature: {visible(signature, 4_000)}\n"
