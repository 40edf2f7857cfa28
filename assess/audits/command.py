"""`assess coverage` and `assess audit`: caption files in, a report out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, EngineOptions, bundled
from assess.cli.output import NO_FILES, Files

if TYPE_CHECKING:
    from assess.audits.pipeline import DescribedSink
    from assess.audits.request import Request, Sources
    from assess.audits.result import AuditResult


@bundled
def coverage(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    model: options.Model = None,
    paper_chunks: options.PaperChunks = False,
    no_after: options.NoAfter = False,
    processes: options.Processes = None,
    engine: EngineOptions = HERE,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    papers: Files = NO_FILES,
    out: options.Out = None,
) -> None:
    """Which categories captions use, and which never.

    Labels, modifiers and categories per system; categories by systems with examples; what is never said;
    what the taxonomy could not read.

    Example: assess coverage bland.json rich=model2.jsonl --domain people
    """
    from assess.audits.request import Request

    sources = fields.sources(files, references)
    request = Request(
        domain,
        model,
        paper_chunks,
        no_after,
        engine=engine.request(processes=processes, no_cache=no_cache),
    )
    report(sources, request, as_json=as_json, out=out, papers=papers)


NoMeasures = Annotated[
    bool,
    typer.Option("--no-measures", help="Leave out diversity and recall, for a quicker or a huge audit."),
]


@bundled
def audit(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    train: options.Train = None,
    by: options.By = None,
    groups: options.GroupFiles = None,
    partial: options.Partial = False,
    no_measures: NoMeasures = False,
    model: options.Model = None,
    paper_chunks: options.PaperChunks = False,
    no_after: options.NoAfter = False,
    processes: options.Processes = None,
    engine: EngineOptions = HERE,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    papers: Files = NO_FILES,
    out: options.Out = None,
) -> None:
    """Everything that the inputs allow, in one report.

    What `assess coverage` shows; how often each category is said of one group and of another (without --by,
    of the domain's first group); how varied the captions are; with --references, which words of people they
    find again; with --train, how many are new.

    Example: assess audit model1.json model2.json --references val2014.json --by gender --out results
    """
    from assess.audits.request import GroupRequest, Request, chosen_groups
    from assess.corpus import parse_source
    from assess.measures.run import MeasureRequest

    sources = fields.sources(files, references)
    contrasted, told = chosen_groups(by, groups), GroupRequest(tuple(groups or ()), partial)
    training = tuple(parse_source(argument) for argument in train or ())
    measures = None if no_measures else MeasureRequest(training, model)
    request = Request(
        domain,
        model,
        paper_chunks,
        no_after,
        contrasted,
        engine.request(processes=processes, no_cache=no_cache),
        told,
        measures,
    )
    report(sources, request, as_json=as_json, out=out, papers=papers)


def report(
    sources: Sources, request: Request, *, as_json: bool, out: Path | None, papers: Files = NO_FILES
) -> None:
    """Run an audit, print it, and write its files."""
    from assess.audits.saved_commands import tell_page
    from assess.audits.sections import audit_report
    from assess.cli.console import output, print_parts

    papers.check()
    result = saved_audit(sources, request, out)
    papers.write(result)
    console = output()
    if as_json:
        console.file.write(result.to_json())
    else:
        print_parts(console, audit_report(result, width=console.width))
    if out is not None:
        tell_page(out, as_json=as_json)


def saved_audit(sources: Sources, request: Request, out: Path | None) -> AuditResult:
    """Run an audit, and write its files where a folder is given."""
    from assess.audits.files import write_audit

    if out is None:
        return run_audit(sources, request)
    with write_audit(out) as files:
        result = run_audit(sources, request, mentions=files.add_mention)
        files.finish(result)
    return result


def run_audit(sources: Sources, request: Request, *, mentions: DescribedSink | None = None) -> AuditResult:
    """Run an audit with progress bars."""
    from functools import partial

    from assess.audits.request import run_audit
    from assess.cli.console import progress_bars

    # On a cluster nobody here reads all files only to know the end of a bar.
    bars = partial(progress_bars, totals=request.engine.reads_here)
    return run_audit(sources, request, mentions=mentions, bars=bars)


# `assess demo`: the main job on the bundled example.

_FOLDER = Path("assess-demo")


def demo(out: options.Out = None, as_json: options.AsJson = False) -> None:
    """Audit the bundled example: three invented systems, and references.

    `bland` says little, `rich` says much, and `skewed` speaks of women's looks and men's jobs. The files go
    to ./assess-demo, unless you choose --out: open its report.html in a browser.

    Example: assess demo
    """
    from assess.audits.request import Request
    from assess.cli.options import AS_FOUND
    from assess.corpus import parse_source
    from assess.measures.run import MeasureRequest
    from assess.resources import shipped_folder

    folder = shipped_folder("examples") / "captions"
    names = ("bland.json", "rich.jsonl", "skewed.csv")
    files = [f"{name.partition('.')[0]}={folder / name}" for name in names]
    references = [f"references={folder / 'references.json'}"]
    sources = AS_FOUND.sources(files, references)
    measures = MeasureRequest((parse_source(f"train={folder / 'train.txt'}"),))
    request = Request(by=("gender",), measures=measures)
    report(sources, request, as_json=as_json, out=_folder(out, as_json))


def _folder(out: Path | None, as_json: bool) -> Path | None:
    """Return where the files go: the page is part of the demo, unless a program reads the output."""
    from assess.cli.console import notes

    if out is not None or as_json:
        return out
    if os.access(_FOLDER if _FOLDER.exists() else _FOLDER.parent, os.W_OK):
        return _FOLDER
    notes().print(f"note: no files are written, because {Path.cwd()} is not yours to write; choose --out")
    return None
