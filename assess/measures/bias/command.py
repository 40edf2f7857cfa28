"""`assess bias`: of whom captions say what, with intervals and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, EngineOptions, bundled
from assess.cli.output import NO_FILES, Files

if TYPE_CHECKING:
    from assess.audits.result import AuditResult

Contrasts = Annotated[
    list[str] | None,
    typer.Option("--contrast", metavar="VALUE,VALUE", help="Only this pair of values; may be repeated."),
]
Margin = Annotated[
    float,
    typer.Option(
        "--margin",
        help="A difference up to this does not matter where half of the labels carry the category (0.025:"
        " 2.5 points); where fewer do, the margin is smaller.",
    ),
]
Alpha = Annotated[float, typer.Option("--alpha", help="How often a family of findings may be wrong (q).")]
Samples = Annotated[int, typer.Option("--samples", help="Samples of images for the bootstrap.")]
Seed = Annotated[int, typer.Option("--seed", help="Of the bootstrap and the references that are drawn.")]
Everything = Annotated[
    bool, typer.Option("--all", help="Show every contrast, also those with insufficient evidence.")
]


@bundled
def bias(
    files: options.Files,
    by: options.By = None,
    groups: options.GroupFiles = None,
    references: options.References = None,
    domain: options.Domain = "people",
    contrast: Contrasts = None,
    partial: options.Partial = False,
    margin: Margin = 0.025,
    alpha: Alpha = 0.05,
    samples: Samples = 2000,
    seed: Seed = 0,
    everything: Everything = False,
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
    """Of whom captions say what: each category by group, with intervals and verdicts.

    Groups come from the domain's nouns (--by gender) or from a file that tells whom each image shows
    (--groups attributes.csv). With --references, gaps are compared with those in human captions.

    Example: assess bias model.json --by gender --references val2014.json --out results
    """
    from assess.audits.command import saved_audit
    from assess.audits.request import GroupRequest, Request, chosen_groups
    from assess.audits.saved_commands import tell_page

    if not (by or groups):
        _check_groups(domain)
    sources = fields.sources(files, references)
    told = GroupRequest(tuple(groups or ()), partial, tuple(contrast or ()), margin, alpha, samples, seed)
    contrasted = chosen_groups(by, groups)
    request = Request(
        domain,
        model,
        paper_chunks,
        no_after,
        contrasted,
        engine.request(processes=processes, no_cache=no_cache),
        told,
    )
    papers.check()
    result = saved_audit(sources, request, out)
    papers.write(result)
    _show(result, as_json=as_json, everything=everything)
    if out is not None:
        tell_page(out, as_json=as_json)


def _check_groups(domain: str) -> None:
    """Refuse a domain without groups before any work."""
    from assess.errors import UsageError
    from assess.taxonomy import load_taxonomy

    if not load_taxonomy(domain).groups:
        hint = "add `groups:` to the taxonomy, or give --groups FILE"
        raise UsageError(f"the domain `{domain}` has no groups to contrast", hint=hint)


def _show(result: AuditResult, *, as_json: bool, everything: bool) -> None:
    from assess.audits.bias_view import bias_page
    from assess.audits.sections import bias_json
    from assess.cli.console import output, print_parts
    from assess.report.files import dump

    console = output()
    if as_json:
        console.file.write(dump(bias_json(result)) + "\n")
    else:
        print_parts(console, bias_page(result, width=console.width, everything=everything))
