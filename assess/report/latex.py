"""Tables for LaTeX, with the rules of the booktabs package."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from assess.errors import visible
from assess.report.section import Cell, Column, Table
from assess.report.text import UNDEFINED

_MANY_COLUMNS = 6
_TIGHT = r"\footnotesize\setlength{\tabcolsep}{3pt}"  # so that more columns still fit on a page
# What is wider than the page all the same is shrunk to it; all else keeps its size.
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_SPECIAL = {
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


def escaped(text: str) -> str:
    """Return text that LaTeX prints as it is; control characters do not survive."""
    return "".join(_SPECIAL.get(character, character) for character in visible(text, 1_000))


def latex_table(table: Table) -> str:
    """Return a `table` environment with its caption and label."""
    spec = "".join("l" if column.words else "r" for column in table.columns)
    notes = " ".join(note.rstrip(".") + "." for note in table.notes)
    lines = [
        r"\begin{table}",
        r"\centering",
        *([_TIGHT] if len(table.columns) > _MANY_COLUMNS else []),
        _FITTED,
        rf"\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        *_headings(table.columns),
        r"\midrule",
        *_rows(table),
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{escaped(table.title)}.{' ' + escaped(notes) if notes else ''}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex_document(tables: Iterable[Table], *, signature: str) -> str:
    """Return all tables, to be included in a paper, with what they depend on as a comment."""
    head = f"% needs \\usepackage{{booktabs,graphicx}}\n% {visible(signature, 4_000)}\n"
    return head + "".join("\n" + latex_table(table) for table in tables)


def _headings(columns: tuple[Column, ...]) -> list[str]:
    names = _line(escaped(column.name) for column in columns)
    if not any(column.group for column in columns):
        return [names]
    groups, rules, place = [], [], 1
    for group, members in groupby(columns, key=lambda column: column.group):
        size = len(list(members))
        groups.append(rf"\multicolumn{{{size}}}{{c}}{{{escaped(group)}}}" if group else " & " * (size - 1))
        if group:
            rules.append(rf"\cmidrule(lr){{{place}-{place + size - 1}}}")
        place += size
    return [_line(groups), " ".join(rules), names]


def _rows(table: Table) -> list[str]:
    lines = [_line(_cell(cell) for cell in row) for row in table.rows]
    if table.apart and table.apart < len(lines):
        lines.insert(len(lines) - table.apart, r"\midrule")
    return lines


def _cell(cell: Cell) -> str:
    return escaped(cell.text)


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
