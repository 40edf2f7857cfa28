"""Options that several commands share, declared once, and the output of results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from assess.cli.help import OUTPUT, READING, RUNNING, domain_names, format_names, group_names
from assess.errors import UsageError, one_of, visible
from assess.measures.group_settings import DOMAIN, GROUPS
from assess.measures.settings import MODEL, Option, choices, declared_option

if TYPE_CHECKING:
    from assess.audits.request import Sources
    from assess.engine.annotating import AnnotationService
    from assess.engine.jobs import EngineRequest
    from assess.measures.measure import Inputs, Result


_reading = partial(typer.Option, rich_help_panel=READING)
_running = partial(typer.Option, rich_help_panel=RUNNING)
_output = partial(typer.Option, rich_help_panel=OUTPUT)


def _spelt(option: Option) -> Any:
    """Return the Typer option for a setting."""
    return typer.Option(
        option.name,
        *option.other_names,
        help=option.help,
        metavar=option.metavar,
        min=option.least,
        max=option.most,
        autocompletion=domain_names if option is DOMAIN else None,
        rich_help_panel=RUNNING if option is MODEL else None,
    )


Files = Annotated[
    list[str],
    typer.Argument(metavar="[NAME=]FILE...", help="Caption files, possibly gzipped; - is standard input."),
]
Domain = Annotated[str, _spelt(DOMAIN)]
References = Annotated[
    list[str] | None,
    typer.Option("--references", "-r", metavar="[NAME=]FILE", help="Human captions of the same images."),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="GROUP",
        help="A group of the domain to contrast, such as gender; gender,age crosses two groups.",
        autocompletion=group_names,
    ),
]
GroupFiles = Annotated[list[str] | None, _spelt(GROUPS)]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial", help="Exclude images that are not in a groups file, instead of stopping with an error."
    ),
]
Format = Annotated[
    str | None,
    _reading(
        "--format", help="The format of the caption files; detected by default.", autocompletion=format_names
    ),
]
Join = Annotated[
    str | None,
    _reading("--join", metavar="FILE", help="The file of questions that maps LLaVA answers to images."),
]
Model = Annotated[str | None, _spelt(MODEL)]
AsJson = Annotated[bool, _output("--json", help="Print the result as one JSON object to standard output.")]
Images = Annotated[
    str | None,
    _output(
        "--images",
        metavar="DIR|TEMPLATE",
        help="Add buttons to the page that show the image of a caption: a folder of images, or a URL"
        " with {image_id} in it. Images are loaded only when a reader clicks.",
    ),
]
Out = Annotated[
    Path | None, _output("--out", "-o", metavar="DIR", help="Also write the results to this folder.")
]
Processes = Annotated[
    int | None,
    _running("--processes", min=1, help="Number of annotation processes; one per core by default."),
]
Engine = Annotated[
    str,
    _running(
        "--engine", help="Where to run: local (processes on this machine) or dask.", metavar="local|dask"
    ),
]
NoCache = Annotated[bool, _running("--no-cache", help="Don't read or write the annotation cache.")]
Train = Annotated[
    list[str] | None,
    typer.Option(
        "--train", metavar="[NAME=]FILE", help="Training captions, for novelty and learnable words."
    ),
]
PlotFormat = Annotated[
    str, _output("--plot-format", help="The file format of plots: svg, pdf or png.", metavar="svg|pdf|png")
]


# How to read caption files, if detection is not enough: the same options in every command.


@dataclass(frozen=True)
class CaptionFields:
    """Options that override what is detected in the files."""

    format: Format = None
    id_field: Annotated[
        str | None, _reading("--id-field", help="The field or column with the image id.", metavar="NAME")
    ] = None
    caption_field: Annotated[
        str | None, _reading("--caption-field", help="The field with the caption.", metavar="NAME")
    ] = None
    split: Annotated[
        str | None,
        _reading(
            "--split", help="Read only this split of a Karpathy file (of the references, if they are given)."
        ),
    ] = None
    join: Join = None

    def sources(self, files: list[str], references: list[str] | None = None) -> Sources:
        """Return the sources of systems and references that were given on the command line."""
        from assess.corpus import SourceOptions, paired_by_number, parse_source

        # The overrides apply to the systems' files; references are always detected. Only the split applies to
        # the references, if there are any, because outputs of systems have no splits.
        fields = SourceOptions(
            format=self.format, id_field=self.id_field, caption_field=self.caption_field, join=self.join
        )
        if not references:
            fields["split"] = self.split
        systems = [parse_source(argument, **fields) for argument in files]
        humans = [parse_source(argument, split=self.split) for argument in references or ()]
        systems, humans, note = paired_by_number(systems, humans)
        if note:
            typer.echo(f"note: {note}", err=True)
        return systems, humans

    def inputs(
        self, files: list[str], references: list[str] | None = None, train: list[str] | None = None
    ) -> Inputs:
        """Return the input of a measure of captions."""
        from assess.corpus import parse_source
        from assess.measures.measure import Inputs

        training = [parse_source(argument) for argument in train or ()]
        return Inputs(*self.sources(files, references), training)


AS_FOUND = CaptionFields()  # everything is detected


# Options that belong together, declared once: a command takes a dataclass, such as `CaptionFields`, and users
# see the options `--format`, `--split` and so on next to those of its other parameters.

Command = Callable[..., None]


def bundled(command: Command) -> Command:
    """Return a command that takes the fields of its dataclasses individually."""
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters.values()
    return _unbundled(command, [one.replace(annotation=hints[one.name]) for one in parameters])


def taking(command: Command, hints: Mapping[str, Any]) -> Command:
    """Return a command like `bundled`, but with these parameters; those that may be None are optional."""
    empty, keyword = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
    return _unbundled(
        command,
        [
            inspect.Parameter(name, keyword, default=None if _may_be_none(hint) else empty, annotation=hint)
            for name, hint in hints.items()
        ],
    )


def _may_be_none(hint: Any) -> bool:
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return type(None) in get_args(kind)


def _unbundled(command: Command, parameters: Iterable[inspect.Parameter]) -> Command:
    bundles: dict[str, Any] = {}
    expanded: dict[str, inspect.Parameter] = {}
    for parameter in parameters:
        singles = [_single(parameter)]
        if is_dataclass(parameter.annotation):
            bundles[parameter.name] = parameter.annotation
            singles = list(_expanded(parameter.annotation))
        for single in singles:
            assert single.name not in expanded, f"{command.__name__} has two options called {single.name}"
            expanded[single.name] = single

    @wraps(command)
    def unbundled(**values: Any) -> None:
        taken = {name: _taken(bundle, values) for name, bundle in bundles.items()}
        command(**values, **taken)

    unbundled.__signature__ = inspect.Signature(list(expanded.values()))  # type: ignore[attr-defined]
    unbundled.__annotations__ = {name: single.annotation for name, single in expanded.items()}
    return unbundled


def _single(parameter: inspect.Parameter) -> inspect.Parameter:
    setting = declared_option(parameter.annotation)
    annotation = _typed(*setting) if setting else parameter.annotation
    # Keyword-only, so that an option without a default can follow one with a default.
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation)


def _expanded(bundle: Any) -> Iterator[inspect.Parameter]:
    """Yield the options of a bundle, and of the bundles in it."""
    hints = get_type_hints(bundle, include_extras=True)
    for field in fields(bundle):
        if is_dataclass(hints[field.name]):
            yield from _expanded(hints[field.name])
            continue
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        kind = inspect.Parameter.KEYWORD_ONLY
        yield _single(inspect.Parameter(field.name, kind, default=default, annotation=hints[field.name]))


def _typed(kind: Any, option: Option) -> Any:
    """Return the type of a setting for the command line; the settings themselves validate choices."""
    if named := choices(kind):
        option = replace(option, metavar=option.metavar or "|".join(named))
        text: Any = list[str] if any(get_origin(part) is Sequence for part in get_args(kind)) else str
        kind = text | None if type(None) in get_args(kind) else text
    return Annotated[kind, _spelt(option)]


def _taken(bundle: Any, values: dict[str, Any]) -> Any:
    """Remove the fields of a bundle from the values, and return the bundle."""
    hints = get_type_hints(bundle, include_extras=True)
    taken = {
        field.name: _taken(hints[field.name], values)
        if is_dataclass(hints[field.name])
        else values.pop(field.name)
        for field in fields(bundle)
    }
    return bundle(**taken)


# `--engine`: this machine, or a cluster.


@dataclass(frozen=True)
class EngineOptions:
    """Where the work runs."""

    engine: Engine = "local"
    scheduler: Annotated[
        str | None,
        _running(
            "--scheduler",
            metavar="ADDRESS",
            help="Address of a running Dask scheduler, such as tcp://HOST:8786.",
        ),
    ] = None
    ship: Annotated[
        bool | None,
        _running(
            "--ship/--no-ship",
            help="With Dask: read files on this machine and ship the texts, or let workers read them; by"
            " default, workers read the files they can access.",
        ),
    ] = None

    def request(self, *, processes: int | None = None, no_cache: bool = True) -> EngineRequest:
        """Return the requested engine; by default, one that stores no annotations."""
        from assess.engine.jobs import EngineRequest

        one_of(self.engine, ("local", "dask"), option="--engine")
        if self.engine == "dask" and not self.scheduler:
            hint = "add --scheduler tcp://HOST:8786, the address printed by `dask scheduler`"
            raise UsageError("--engine dask needs the address of a scheduler", hint=hint)
        if self.engine == "local" and self.scheduler:
            raise UsageError("--scheduler requires --engine dask", hint="add --engine dask")
        if self.engine == "local" and self.ship is not None:
            message = "--ship and --no-ship require --engine dask"
            raise UsageError(message, hint="add --engine dask and --scheduler ADDRESS, or omit the option")
        return EngineRequest(processes, not no_cache, self.scheduler, self.ship)


HERE = EngineOptions()  # this machine


@dataclass(frozen=True)
class AnnotationOptions:
    """Where captions are annotated, by how many processes, and whether annotations are stored."""

    processes: Processes = None
    where: EngineOptions = HERE
    no_cache: NoCache = False

    def request(self) -> EngineRequest:
        """Return the requested engine."""
        return self.where.request(processes=self.processes, no_cache=self.no_cache)


ANNOTATED_HERE = AnnotationOptions()


# Output of a result: printed, and written to the requested files.


@dataclass(frozen=True)
class ResultFiles:
    """The files for a result, for papers and for programs."""

    latex: Annotated[
        Path | None,
        _output(
            "--latex", metavar="FILE", help="Also write the tables as LaTeX (packages booktabs and graphicx)."
        ),
    ] = None
    markdown: Annotated[
        Path | None, _output("--markdown", metavar="FILE", help="Also write the tables as Markdown.")
    ] = None
    csv: Annotated[
        Path | None,
        _output("--csv", metavar="DIR", help="Also write each table as a CSV file to this folder."),
    ] = None
    plots: Annotated[
        Path | None,
        _output("--plots", metavar="DIR", help="Also draw plots in this folder (needs the extra 'plots')."),
    ] = None
    plot_format: PlotFormat = "svg"

    @property
    def files(self) -> list[Path]:
        """The requested files and folders."""
        return [path for path in (self.latex, self.markdown, self.csv, self.plots) if path is not None]

    def check(self) -> None:
        """Raise an error, before any work is done, if something cannot be written or drawn."""
        from assess.whole_files import check_file

        for file in (self.latex, self.markdown):
            if file is not None:
                check_file(file)
        if self.plots is not None:
            from assess.report.plots import check_plots

            check_plots(self.plot_format)

    def write(self, result: Result) -> None:
        """Write the requested files."""
        from assess.report.plots import check_plots

        if self.latex is not None:
            result.to_latex(self.latex)
        if self.markdown is not None:
            result.to_markdown(self.markdown)
        if self.csv is not None:
            result.to_csv(self.csv)
        if self.plots is not None:
            result.to_plots(self.plots, format=check_plots(self.plot_format))


NO_FILES = ResultFiles()


@dataclass(frozen=True)
class Outputs:
    """The output of a result, in addition to the report in the terminal or instead of it."""

    as_json: AsJson = False
    files: ResultFiles = NO_FILES
    out: Out = None

    def check(self) -> None:
        """Raise an error, before any work is done, if something cannot be written or drawn."""
        self.files.check()

    def present(self, result: Result) -> None:
        """Write the requested files, then print; warnings go to standard error."""
        from assess.cli.console import notes, output, print_json_text, print_parts
        from assess.report.terminal import terminal_report

        self._write(result)
        console = output()
        if self.as_json:
            for note in result.urgent_notes():
                notes().print(f"warning: {visible(note, 1_000)}")
            print_json_text(result.to_json())
            return
        line = result.signature.as_line()
        print_parts(console, terminal_report(result.sections(), width=console.width, signature=line))

    def _write(self, result: Result) -> None:
        from assess.measures.registry import find_measure
        from assess.whole_files import made_folder

        self.files.write(result)
        if self.out is None:
            return
        with made_folder(self.out):
            result.to_json(self.out / f"{result.measure}.json")
            if write_details := find_measure(result.measure).write_details:
                write_details(result, self.out)


PRINTED = Outputs()  # only a report in the terminal


@contextmanager
def annotation_service(
    model: str | None, processes: int | None, no_cache: bool
) -> Iterator[AnnotationService]:
    """Provide an annotation service, and close it afterwards."""
    from assess.engine.annotating import AnnotationService

    with closing(AnnotationService(model, processes=processes, cache=not no_cache)) as service:
        yield service
