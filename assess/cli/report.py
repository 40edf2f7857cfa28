"""`assess report`: renderings of a saved audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli.explain import AuditFolder

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="The page to write; AUDIT/report.html if not given."),
]


def report(audit: AuditFolder, html: Html = None) -> None:
    """Render a saved audit as one page that needs no network and no other file.

    Where the folder has diversity.json, recall.json, selection.json or pregen.json (what those commands
    print with --json), the page shows them too.

    Example: assess report results --html report.html
    """
    from assess.report.audit_files import PAGE
    from assess.report.html_input import read_input
    from assess.report.html_page import write_html

    source = read_input(Path(audit))
    file = html or source.saved.file.parent / PAGE
    write_html(source, file)
    _tell(file, as_json=False)


def tell_page(folder: Path, *, as_json: bool) -> None:
    """Say where the page of an audit is; beside JSON, on standard error."""
    from assess.report.audit_files import PAGE

    _tell(folder / PAGE, as_json=as_json)


def _tell(file: Path, *, as_json: bool) -> None:
    from assess.cli.console import notes, output
    from assess.report.cells import plain

    console = notes() if as_json else output()
    console.print("The report, to open in a browser:")
    # A path that is broken over lines cannot be copied.
    console.print(plain(f"  {file}", 2_000), soft_wrap=True)
