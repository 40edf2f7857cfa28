"""`assess diversity`: how varied the language of captions is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from assess.api.cluster import ClusterRequest
from assess.cli import measure_options, options
from assess.cli.bundles import bundled
from assess.cli.caption_fields import AS_FOUND, CaptionFields
from assess.cli.cluster import HERE, ClusterOptions
from assess.cli.measure_output import NO_PAPERS, PaperFiles

if TYPE_CHECKING:
    from assess.cli.measure_output import Rendered
    from assess.corpus import Source
    from assess.engine.corpora import Progress, WordReader
    from assess.engine.diversity_result import DiversityRun, DiversitySettings

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
    train: measure_options.Train = None,
    mode: measure_options.MeasureMode = "assess",
    order: OrderOption = None,
    window: Window = 1000,
    intervals: measure_options.Intervals = False,
    resamples: measure_options.Resamples = 1000,
    seed: measure_options.Seed = 1,
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
    from assess.cli.measure_output import deliver, mode_of, one_of, resampling
    from assess.corpus import parse_source
    from assess.engine.diversity_result import DiversitySettings, Order
    from assess.engine.diversity_run import run_diversity

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

    from assess.engine.cluster_words import ClusterWords

    # The paper compares whole texts with those of training; all else is told by words.
    texts = settings.mode == "paper" and bool(training)
    with closing(request.connect()) as cluster:
        yield ClusterWords(
            cluster, sources, model=settings.model, ship=request.ship, texts=texts, progress=progress
        )


def _rendered(run: DiversityRun) -> Rendered:
    from assess.cli.measure_output import Rendered
    from assess.report.diversity_shape import diversity_plots, diversity_shape
    from assess.report.diversity_tables import diversity_tables
    from assess.report.diversity_terminal import diversity_report, order_warnings

    return Rendered(
        shape=lambda: diversity_shape(run),
        terminal=lambda width: diversity_report(run, width=width),
        tables=lambda: diversity_tables(run),
        plots=lambda: diversity_plots(run),
        signature=run.signature.as_line(),
        warnings=[*run.warnings, *order_warnings(run)],
    )
