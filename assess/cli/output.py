"""What the measures' commands do with a result: print it, and write the files that were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assess.cli import options
from assess.errors import visible

if TYPE_CHECKING:
    from assess.corpus import Source
    from assess.engine.annotating import AnnotationService
    from assess.engine.jobs import Engine, EngineRequest, Progress
    from assess.measures.measure import Result


@dataclass(frozen=True)
class Files:
    """Where a result is written to, for papers and for programs."""

    latex: options.Latex = None
    markdown: options.Markdown = None
    csv: options.Csv = None
    plots: options.Plots = None
    plot_format: options.PlotFormat = "svg"

    @property
    def files(self) -> list[Path]:
        """The files and folders that are wanted."""
        return [path for path in (self.latex, self.markdown, self.csv, self.plots) if path is not None]

    def check(self) -> None:
        """Raise an error, before any work, where something cannot be written or drawn."""
        from assess.whole_files import check_file

        for file in (self.latex, self.markdown):
            if file is not None:
                check_file(file)
        if self.plots is not None:
            from assess.report.plots import check_plots

            check_plots(self.plot_format)

    def write(self, result: Result) -> None:
        """Write the files that were asked for."""
        from assess.report.plots import check_plots

        if self.latex is not None:
            result.to_latex(self.latex)
        if self.markdown is not None:
            result.to_markdown(self.markdown)
        if self.csv is not None:
            result.to_csv(self.csv)
        if self.plots is not None:
            result.to_plots(self.plots, format=check_plots(self.plot_format))


NO_FILES = Files()


@dataclass(frozen=True)
class Outputs:
    """What becomes of a result, beside or instead of the report in the terminal."""

    as_json: options.AsJson = False
    files: Files = NO_FILES
    out: options.Out = None

    def check(self) -> None:
        """Raise an error, before any work, where something cannot be written or drawn."""
        self.files.check()

    def present(self, result: Result) -> None:
        """Write the files that were asked for, then print; warnings go where no program reads."""
        from assess.cli.console import notes, output, print_parts
        from assess.report.terminal import terminal_report

        self._write(result)
        console = output()
        if self.as_json:
            for note in result.urgent_notes():
                notes().print(f"warning: {visible(note, 1_000)}")
            console.file.write(result.to_json())
            return
        line = result.signature.as_line()
        print_parts(console, terminal_report(result.sections(), width=console.width, signature=line))

    def _write(self, result: Result) -> None:
        from assess.measures.registry import find_measure
        from assess.whole_files import make_folder

        self.files.write(result)
        if self.out is not None:
            make_folder(self.out)
            result.to_json(self.out / f"{result.measure}.json")
            if write_details := find_measure(result.measure).write_details:
                write_details(result, self.out)


PRINTED = Outputs()
"""A report in the terminal, and nothing else."""


@contextmanager
def annotation_service(
    model: str | None, processes: int | None, no_cache: bool
) -> Iterator[AnnotationService]:
    """Give a service for annotations, and close it."""
    from assess.engine.annotating import AnnotationService

    with closing(AnnotationService(model, processes=processes, cache=not no_cache)) as service:
        yield service


@contextmanager
def running(
    request: EngineRequest, model: str | None, sources: Sequence[Source]
) -> Iterator[tuple[Engine, Progress | None]]:
    """Give an engine and progress bars for what it reads, and close both."""
    from assess.cli.console import progress_bars

    # On a cluster nobody here reads all files only to know the end of a bar.
    with (
        closing(request.open(model)) as engine,
        progress_bars(sources, totals=request.reads_here) as progress,
    ):
        yield engine, progress
