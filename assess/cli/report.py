"""`assess report`: renderings of a saved audit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli.bundles import bundled
from assess.cli.explain import AuditFolder
from assess.cli.measure_output import NO_PAPERS, PaperFiles

if TYPE_CHECKING:
    from assess.cli.measure_output import Rendered
    from assess.report.html_input import ReportInput

Html = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="The page to write; AUDIT/report.html if nothing else is asked for."
    ),
]


@bundled
def report(
    audit: AuditFolder,
    html: Html = None,
    papers: PaperFiles = NO_PAPERS,
) -> None:
    """Render a saved audit: a page that needs no network, tables for papers, plots.

    Where the folder has diversity.json, recall.json, selection.json or pregen.json (what those commands
    print with --json), they are shown too, in place of what the audit measured itself. Tables for papers
    leave out contrasts with insufficient evidence; CSV has all.

    Example: assess report results --html report.html --latex tables.tex
    """
    from assess.cli.measure_output import write_files
    from assess.report.audit_files import PAGE
    from assess.report.html_input import read_input
    from assess.report.html_page import write_html

    papers.check()
    source = read_input(Path(audit))
    others = papers.asked_for
    write_files(_rendered(source), papers)
    if html is not None or not others:
        file = html or source.saved.file.parent / PAGE
        write_html(source, file)
        _tell(file, as_json=False)
    _tell_others(others)


def _rendered(source: ReportInput) -> Rendered:
    from assess.cli.measure_output import Rendered
    from assess.report.saved_plots import audit_plots
    from assess.report.saved_tables import audit_tables

    return Rendered(
        shape=lambda: source.results,
        terminal=lambda _width: (),
        tables=lambda: audit_tables(source),
        plots=lambda: audit_plots(source),
        signature=source.signature.as_line(),
        everything=lambda: audit_tables(source, everything=True),
    )


def _tell_others(paths: list[Path]) -> None:
    from assess.cli.console import output
    from assess.report.cells import plain

    console = output()
    if paths:
        console.print("Written:")
    for path in paths:
        console.print(plain(f"  {path}", 2_000), soft_wrap=True)


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
