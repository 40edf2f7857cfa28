"""Tables for papers: LaTeX with the rules of the booktabs package, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from assess.errors import visible
from assess.report.section import Column, Table
from assess.report.text import UNDEFINED

_MANY_COLUMNS = 6
_TIGHT = r"\footnotesize\setlength{\tabcolsep}{3pt}"  # so that more columns still fit on a page
# What is wider than the page all the same is shrunk to it; all else keeps its size.
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
    """Return text that LaTeX prints as it is; control characters do not survive."""
    return "".join(_LATEX.get(character, character) for character in visible(text, 1_000))


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
    """Return all tables, to be included in a paper, with what they depend on as a comment."""
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


# Markdown, as GitHub and most others read it.


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!])")


def markdown_escaped(text: str) -> str:
    """Return text that Markdown prints as it is: no links, no markup, no end of a cell."""
    return _MARKDOWN.sub(r"\\\1", visible(text, 1_000))


def markdown_table(table: Table) -> str:
    """Return a table with its title above and its notes below."""
    lines = [f"**{markdown_escaped(table.title)}**", ""]
    lines.append(_markdown_line(_markdown_heading(column) for column in table.columns))
    lines.append(_markdown_line("---" if column.words else "---:" for column in table.columns))
    lines += (_markdown_line(markdown_escaped(cell.text) for cell in row) for row in table.rows)
    if table.notes:
        lines += ["", *(markdown_escaped(note) + "  " for note in table.notes)]
    return "\n".join(lines) + "\n"


def markdown_document(tables: Iterable[Table], *, signature: str) -> str:
    """Return all tables, and what they depend on."""
    body = "\n".join(markdown_table(table) for table in tables)
    return f"{body}\n`{visible(signature, 4_000).replace('`', chr(39))}`\n"


def _markdown_heading(column: Column) -> str:
    # A Markdown table has one line of headings, so a group's name is repeated.
    return markdown_escaped(f"{column.group} {column.name}".strip())


def _markdown_line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
