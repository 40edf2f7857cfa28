"""`assess coverage` and `assess audit`: caption files in, a report out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import measure_options, options
from assess.cli.bundles import bundled
from assess.cli.caption_fields import AS_FOUND, CaptionFields
from assess.cli.cluster import HERE, ClusterOptions

if TYPE_CHECKING:
    from assess.api.request import Request
    from assess.api.running import Sources
    from assess.engine.counting import MentionSink
    from assess.pipeline import Audit


@bundled
def coverage(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    model: options.Model = None,
    paper_chunks: options.PaperChunks = False,
    no_after: options.NoAfter = False,
    processes: options.Processes = None,
    cluster: ClusterOptions = HERE,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    out: options.Out = None,
) -> None:
    """Which categories captions use, and which never.

    Labels, modifiers and categories per system; categories by systems with examples; what is never said;
    what the taxonomy could not read.

    Example: assess coverage bland.json rich=model2.jsonl --domain people
    """
    from assess.api.request import Request

    sources = fields.sources(files, references)
    request = Request(
        domain,
        model,
        paper_chunks,
        no_after,
        processes=processes,
        no_cache=no_cache,
        cluster=cluster.request(),
    )
    report(sources, request, as_json=as_json, out=out)


NoMeasures = Annotated[
    bool,
    typer.Option("--no-measures", help="Leave out diversity and recall, for a quicker or a huge audit."),
]


@bundled
def audit(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    train: measure_options.Train = None,
    by: options.By = None,
    groups: options.GroupFiles = None,
    partial: options.Partial = False,
    no_measures: NoMeasures = False,
    model: options.Model = None,
    paper_chunks: options.PaperChunks = False,
    no_after: options.NoAfter = False,
    processes: options.Processes = None,
    cluster: ClusterOptions = HERE,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    out: options.Out = None,
) -> None:
    """Everything that the inputs allow, in one report.

    What `assess coverage` shows; how often each category is said of one group and of another (without --by,
    of the domain's first group); how varied the captions are; with --references, which words of people they
    find again; with --train, how many are new.

    Example: assess audit model1.json model2.json --references val2014.json --by gender --out results
    """
    from assess.api.request import GroupRequest, Request, chosen_groups
    from assess.corpus import parse_source
    from assess.engine.measures_run import MeasureRequest

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
        processes,
        no_cache,
        told,
        cluster.request(),
        measures,
    )
    report(sources, request, as_json=as_json, out=out)


def report(sources: Sources, request: Request, *, as_json: bool, out: Path | None) -> None:
    """Run an audit, print it, and write its files."""
    from assess.cli.console import output, print_parts
    from assess.cli.report import tell_page
    from assess.report.audit_terminal import audit_report
    from assess.report.json_text import dump
    from assess.report.shapes import audit_shape

    result = saved_audit(sources, request, out)
    console = output()
    if as_json:
        console.file.write(dump(audit_shape(result)) + "\n")
    else:
        print_parts(console, audit_report(result, width=console.width))
    if out is not None:
        tell_page(out, as_json=as_json)


def saved_audit(sources: Sources, request: Request, out: Path | None) -> Audit:
    """Run an audit, and write its files where a folder is given."""
    from assess.report.audit_files import write_audit

    if out is None:
        return run_audit(sources, request)
    with write_audit(out) as files:
        result = run_audit(sources, request, mentions=files.add_mention)
        files.finish(result)
    return result


def run_audit(sources: Sources, request: Request, *, mentions: MentionSink | None = None) -> Audit:
    """Run an audit with progress bars."""
    from functools import partial

    from assess.api.running import run_audit
    from assess.cli.console import progress_bars

    # On a cluster nobody here reads all files only to know the end of a bar.
    totals = request.cluster is None or bool(request.cluster.ship)
    return run_audit(sources, request, mentions=mentions, bars=partial(progress_bars, totals=totals))
