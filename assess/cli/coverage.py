"""`assess coverage` and `assess audit`: caption files in, a report out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assess.cli import options
from assess.cli.cluster import ClusterRequest, cluster_of

if TYPE_CHECKING:
    from assess.audit.rules import Rules
    from assess.corpus import Source
    from assess.engine.counting import MentionSink
    from assess.pipeline import Audit


def coverage(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    model: options.Model = None,
    paper_chunks: options.PaperChunks = False,
    no_after: options.NoAfter = False,
    processes: options.Processes = None,
    engine: options.Engine = "local",
    scheduler: options.Scheduler = None,
    ship: options.Ship = None,
    no_cache: options.NoCache = False,
    format: options.Format = None,  # noqa: A002 - the option's name is a contract
    id_field: options.IdField = None,
    caption_field: options.CaptionField = None,
    split: options.Split = None,
    join: options.Join = None,
    as_json: options.AsJson = False,
    out: options.Out = None,
) -> None:
    """Which categories captions use, and which never.

    Labels, modifiers and categories per system; categories by systems with examples; what is never said;
    what the taxonomy could not read.

    Example: assess coverage bland.json rich=model2.jsonl --domain people
    """
    sources = caption_sources(files, references, format, id_field, caption_field, split, join)
    cluster = cluster_of(engine, scheduler, ship)
    request = Request(
        domain, model, paper_chunks, no_after, processes=processes, no_cache=no_cache, cluster=cluster
    )
    report(sources, request, as_json=as_json, out=out)


def audit(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    by: options.By = None,
    groups: options.GroupFiles = None,
    partial: options.Partial = False,
    model: options.Model = None,
    paper_chunks: options.PaperChunks = False,
    no_after: options.NoAfter = False,
    processes: options.Processes = None,
    engine: options.Engine = "local",
    scheduler: options.Scheduler = None,
    ship: options.Ship = None,
    no_cache: options.NoCache = False,
    format: options.Format = None,  # noqa: A002
    id_field: options.IdField = None,
    caption_field: options.CaptionField = None,
    split: options.Split = None,
    join: options.Join = None,
    as_json: options.AsJson = False,
    out: options.Out = None,
) -> None:
    """Everything that the inputs allow, in one report.

    What `assess coverage` shows, and how often each category is said of one group and of another; without
    --by, of the domain's first group.

    Example: assess audit model1.json model2.json --references val2014.json --by gender --out results
    """
    sources = caption_sources(files, references, format, id_field, caption_field, split, join)
    contrasted, told = chosen_groups(by, groups), GroupRequest(tuple(groups or ()), partial)
    cluster = cluster_of(engine, scheduler, ship)
    request = Request(domain, model, paper_chunks, no_after, contrasted, processes, no_cache, told, cluster)
    report(sources, request, as_json=as_json, out=out)


FIRST_GROUP = None
"""Contrast the domain's first group, if it has one."""


def chosen_groups(by: list[str] | None, files: list[str] | None) -> tuple[str, ...] | None:
    """Return the domain's groups to contrast: those named, or else the first, unless files tell some."""
    return tuple(by or ()) if by or files else FIRST_GROUP


@dataclass(frozen=True, slots=True)
class GroupRequest:
    """Groups that files tell, whom to contrast with whom, and by which rules."""

    files: tuple[str, ...] = ()
    partial: bool = False
    contrasts: tuple[str, ...] = ()
    margin: float = 0.01
    odds_margin: float = 1.5
    alpha: float = 0.05
    samples: int = 2000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What to audit captions against, and how."""

    domain: str = "people"
    model: str | None = None
    paper_chunks: bool = False
    no_after: bool = False
    by: tuple[str, ...] | None = ()
    processes: int | None = None
    no_cache: bool = False
    groups: GroupRequest = GroupRequest()
    cluster: ClusterRequest | None = None


Sources = tuple[list["Source"], list["Source"]]


def caption_sources(
    files: list[str],
    references: list[str] | None,
    format_: str | None,
    id_field: str | None,
    caption_field: str | None,
    split: str | None,
    join: str | None,
) -> Sources:
    """Return the sources of systems and of references that the command line names."""
    from assess.corpus import SourceOptions, parse_source

    # The overrides describe the systems' files; references are recognised by themselves. Only the split
    # goes to the references where there are some: systems' outputs have none.
    fields = SourceOptions(format=format_, id_field=id_field, caption_field=caption_field, join=join)
    if not references:
        fields["split"] = split
    systems = [parse_source(argument, **fields) for argument in files]
    humans = [parse_source(argument, split=split) for argument in references or ()]
    return systems, humans


def report(sources: Sources, request: Request, *, as_json: bool, out: Path | None) -> None:
    """Run an audit, print it, and write its files."""
    from assess.cli.console import output, print_parts
    from assess.cli.report import tell_page
    from assess.report.audit_terminal import audit_report
    from assess.report.shapes import audit_shape, dump

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


def rules_of(request: GroupRequest) -> Rules:
    """Return the rules that contrasts are judged by."""
    from assess.audit.rules import Rules
    from assess.audit.verdict import Margin

    margin = Margin(request.margin, request.odds_margin)
    return Rules(margin, alpha=request.alpha, samples=request.samples, seed=request.seed)


def run_audit(sources: Sources, request: Request, *, mentions: MentionSink | None = None) -> Audit:
    """Run an audit with progress bars."""
    from contextlib import closing

    from assess.audit.groups import parse_contrast
    from assess.audit.image_groups import read_image_groups
    from assess.cli.cluster import annotating_workers, reading_workers
    from assess.cli.console import progress_bars
    from assess.engine.annotating import AnnotationService
    from assess.pipeline import Settings, audit
    from assess.taxonomy import load_taxonomy

    systems, references = sources
    taxonomy = load_taxonomy(request.domain)
    settings = Settings(
        model=request.model,
        by=tuple(taxonomy.groups)[:1] if request.by is FIRST_GROUP else request.by,
        join_of=not request.paper_chunks,
        after=not (request.paper_chunks or request.no_after),
        image_groups=tuple(read_image_groups(argument) for argument in request.groups.files),
        partial=request.groups.partial,
        contrasts=tuple(parse_contrast(text) for text in request.groups.contrasts),
        rules=rules_of(request.groups),
    )
    cluster = request.cluster.connect() if request.cluster else None
    service = AnnotationService(
        request.model,
        processes=request.processes,
        cache=not request.no_cache,
        workers=annotating_workers(cluster, request.model),
    )
    # On a cluster nobody here reads all files only to know the end of a bar.
    totals = request.cluster is None or bool(request.cluster.ship)
    with closing(service), progress_bars([*systems, *references], totals=totals) as progress:
        return audit(
            systems,
            taxonomy,
            references=references,
            settings=settings,
            progress=progress,
            mentions=mentions,
            annotations=service,
            partitions=reading_workers(
                cluster, taxonomy, settings, cache=not request.no_cache, request=request.cluster
            ),
        )
