"""`assess explain`: from a number back to the captions behind it."""

from __future__ import annotations

from typing import Annotated

import typer

from assess.cli import options

AuditFolder = Annotated[
    str,
    typer.Argument(metavar="AUDIT", help="A folder that `assess audit --out` or `assess bias --out` wrote."),
]
Cell = Annotated[
    str, typer.Argument(metavar="CELL", help="SYSTEM/CATEGORY/VALUE, as in skewed/attractiveness/female.")
]
Limit = Annotated[int | None, typer.Option("--limit", "-n", min=1, help="At most so many; 20 in a terminal.")]
AnyReading = Annotated[
    bool, typer.Option("--any", help="Also labels with the category in another reading only.")
]
Without = Annotated[
    bool, typer.Option("--without", help="The labels that do not carry the category instead.")
]
AsCsv = Annotated[bool, typer.Option("--csv", help="One row a label on standard output, for a spreadsheet.")]


def explain(
    audit: AuditFolder,
    cell: Cell,
    limit: Limit = None,
    any_reading: AnyReading = False,
    without: Without = False,
    as_csv: AsCsv = False,
    as_json: options.AsJson = False,
) -> None:
    """The captions, image ids and readings behind a cell of an audit.

    Leave the value out for all labels of a system: skewed/attractiveness. Where two groups have the same
    value, name the group too: skewed/attractiveness/gender:female. Heads are written head.age.

    Example: assess explain results skewed/attractiveness/female
    """
    from assess.audit.addresses import parse_address
    from assess.audit.drilldown import Which, explain
    from assess.audit.saved import read_audit
    from assess.cli.console import output, print_parts
    from assess.report.explain_shapes import explain_csv, explain_shape
    from assess.report.explain_terminal import explain_report
    from assess.report.json_text import dump

    saved = read_audit(audit)
    which: set[Which] = {"without"} if without else {"best", "other"} if any_reading else {"best"}
    explained = explain(saved, parse_address(cell, saved), which=frozenset(which))
    console = output()
    if as_json:
        console.file.write(dump(explain_shape(saved, explained, limit=limit)) + "\n")
    elif as_csv:
        console.file.write(explain_csv(explained, limit=limit))
    else:
        marks = console.no_color or not console.is_terminal
        print_parts(console, explain_report(saved, explained, limit=limit or 20, marks=marks))
