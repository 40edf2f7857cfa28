"""`assess diversity`: how varied the language of captions is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, ClusterOptions, bundled
from assess.cli.output import NO_PAPERS, PaperFiles
from assess.engine.cluster import ClusterRequest

if TYPE_CHECKING:
    from assess.cli.output import Rendered
    from assess.corpus import Source
    from assess.engine.corpora import Progress, WordReader
    from assess.measures.diversity.run import DiversityRun, DiversitySettings

OrderOption = Annotated[
    str | None,
    typer.Option(
        "--order",
        help="free (any order; the default), or file (windows in file order, as published;"
        " the default of --mode paper).",
    ),
]
Window = Annotated[int, typer.Option("--window", min=1, help="Tokens of a type-token ratio.")]


@bundled
def diversity(
    files: options.Files,
    references: options.References = None,
    train: options.Train = None,
    mode: options.MeasureMode = "assess",
    order: OrderOption = None,
    window: Window = 1000,
    intervals: options.Intervals = False,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 1,
    model: options.Model = None,
    cluster: ClusterOptions = HERE,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    papers: PaperFiles = NO_PAPERS,
) -> None:
    """How varied captions are: lengths, types, type-token ratios, novelty, curves.

    The columns of van Miltenburg et al. (2018), Table 1, and later measures. References are a row of their
    own, measured for each parallel description and averaged.

    Example: assess diversity model1.json model2.json --references val2014.json --train train2014.json
    """
    from assess.cli.console import progress_bars
    from assess.cli.output import deliver, mode_of, one_of, resampling
    from assess.corpus import parse_source
    from assess.measures.diversity.run import DiversitySettings, Order, run_diversity

    papers.check()
    orders: tuple[Order, ...] = ("free", "file")
    settings = DiversitySettings(
        mode=mode_of(mode),
        order=one_of(order, orders, option="--order") if order else None,
        window=window,
        model=model,
        seed=seed,
        resampling=resampling(intervals, resamples, seed),
    )
    systems, humans = fields.sources(files, references)
    training = [parse_source(argument) for argument in train or ()]
    request = cluster.request()
    with (
        progress_bars([*training, *systems, *humans], totals=request is None) as progress,
        _words(request, [*systems, *humans], training, settings, progress) as words,
    ):
        run = run_diversity(
            systems, references=humans, training=training, settings=settings, progress=progress, words=words
        )
    deliver(_rendered(run), papers, as_json=as_json)


@contextmanager
def _words(
    request: ClusterRequest | None,
    sources: list[Source],
    training: list[Source],
    settings: DiversitySettings,
    progress: Progress | None,
) -> Iterator[WordReader | None]:
    """Give the workers that read captions as words; None where they are read here."""
    if request is None:
        yield None
        return
    from contextlib import closing

    from assess.measures.cluster import ClusterWords

    # The paper compares whole texts with those of training; all else is told by words.
    texts = settings.mode == "paper" and bool(training)
    with closing(request.connect()) as cluster:
        yield ClusterWords(
            cluster, sources, model=settings.model, ship=request.ship, texts=texts, progress=progress
        )


def _rendered(run: DiversityRun) -> Rendered:
    from assess.cli.output import Rendered
    from assess.measures.diversity.view import (
        diversity_plots,
        diversity_report,
        diversity_shape,
        diversity_tables,
        order_warnings,
    )

    return Rendered(
        shape=lambda: diversity_shape(run),
        terminal=lambda width: diversity_report(run, width=width),
        tables=lambda: diversity_tables(run),
        plots=lambda: diversity_plots(run),
        signature=run.signature.as_line(),
        warnings=[*run.warnings, *order_warnings(run)],
    )
