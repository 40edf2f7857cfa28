"""`assess pregen`: how good captions will be, from what a model thinks of the reference captions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import bundled
from assess.cli.output import NO_TABLES, TableFiles

if TYPE_CHECKING:
    from assess.measures.pregen.input import ProbabilityFormat
    from assess.measures.pregen.run import Stratification
    from assess.measures.pregen.tiers import PregenName

Probabilities = Annotated[
    str,
    typer.Argument(
        metavar="[NAME=]PROBS", help="Probabilities of the reference words: JSONL, NPZ or Parquet."
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", metavar="NAME", help="Only this metric, such as mean_max_normcount_prefix0."),
]
PaperFilter = Annotated[
    bool,
    typer.Option("--paper-filter", help="Also filter0 as the paper describes it, under the name only0."),
]
Format = Annotated[
    str | None, typer.Option("--format", help="jsonl, npz or parquet; otherwise the file's name tells.")
]
Every = Annotated[bool, typer.Option("--all", help="Show all metrics, not only the means over images.")]
Scores = Annotated[
    Path | None,
    typer.Option("--scores", metavar="FILE", help="Post-gen scores of the images, from assess scores --out."),
]
By = Annotated[str, typer.Option("--by", help="The post-gen score that orders the images.")]
Strata = Annotated[int, typer.Option("--strata", min=1, help="Cut the images into 1 to so many strata.")]


@bundled
def pregen(
    probabilities: Probabilities,
    metric: Metrics = None,
    paper_filter: PaperFilter = False,
    format: Format = None,  # noqa: A002 - the option's name is a contract
    every: Every = False,
    scores: Scores = None,
    by: By = "CIDEr",
    strata: Strata = 5,
    as_json: options.AsJson = False,
    out: options.Out = None,
    papers: TableFiles = NO_TABLES,
) -> None:
    """How good captions will be, before any is generated: 504 metrics.

    From the probability that a model gives each reference word, and whether it was the first choice (Tanti
    et al. 2018). With --scores, also for strata of images; --out writes these as a table for correlate.

    Example: assess pregen probabilities.jsonl --metric mean_max_normcount_prefix0
    """
    from assess.cli.output import Rendered, deliver
    from assess.corpus import parse_source
    from assess.measures.pregen.run import run_pregen
    from assess.measures.pregen.view import pregen_report, pregen_shape, pregen_tables

    run = run_pregen(
        parse_source(probabilities),
        _metrics(metric, paper_filter),
        format_=_format(format),
        stratification=_stratification(scores, by, strata),
    )
    if out is not None:
        from assess.measures.pregen.view import write_pregen

        write_pregen(run, out)
    complete = not metric
    result = Rendered(
        shape=lambda: pregen_shape(run),
        terminal=lambda width: pregen_report(run, complete=complete, every=every, width=width),
        tables=lambda: tuple(pregen_tables(run, complete=complete)),
        plots=lambda: (),
        signature=run.signature.as_line(),
    )
    deliver(result, papers, as_json=as_json)


def _metrics(names: list[str] | None, paper_filter: bool) -> tuple[PregenName, ...]:
    from assess.measures.pregen.tiers import BY_PAPER_FILTER, PUBLISHED, pregen_name

    if names:
        return tuple(dict.fromkeys(pregen_name(name) for name in names))
    return (*PUBLISHED, *BY_PAPER_FILTER) if paper_filter else PUBLISHED


def _format(name: str | None) -> ProbabilityFormat | None:
    from assess.cli.output import one_of

    formats: tuple[ProbabilityFormat, ...] = ("jsonl", "npz", "parquet")
    return one_of(name, formats, option="--format") if name else None


def _stratification(scores: Path | None, by: str, strata: int) -> Stratification | None:
    from assess.measures.pregen.run import Stratification, read_image_scores

    return Stratification(read_image_scores(scores), by, strata) if scores is not None else None
