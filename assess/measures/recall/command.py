"""`assess recall`: what people say of the same images, and captions leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, CaptionFields, bundled
from assess.cli.output import NO_PAPERS, PaperFiles

if TYPE_CHECKING:
    from assess.cli.output import Rendered
    from assess.measures.recall.run import RecallRun

Classes = Annotated[
    int | None,
    typer.Option(
        "--classes", min=1, help="Importance classes; as many as most images have references if not given."
    ),
]
Top = Annotated[int, typer.Option("--top", min=1, help="Words of each ranking in the terminal.")]
Least = Annotated[
    int, typer.Option("--least", min=1, help="Occurrences a system in the ranking with a threshold.")
]


@bundled
def recall(
    files: options.Files,
    references: options.References = None,
    train: options.Train = None,
    mode: options.MeasureMode = "assess",
    tagset: options.Tagset = "fine",
    classes: Classes = None,
    top: Top = 10,
    least: Least = 10,
    intervals: options.Intervals = False,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 1,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    papers: PaperFiles = NO_PAPERS,
) -> None:
    """Which words of the references captions use: coverage, local recall, omitted words.

    Global recall (of words that could be learned, with --train), local recall by how many people say a
    word of an image, local precision, rankings of omitted words, over- and under-used words.

    Example: assess recall model1.json model2.json --references val2014.json --train train2014.json
    """
    from assess.cli.console import progress_bars
    from assess.cli.output import annotation_service, deliver, mode_of, resampling, tagset_of
    from assess.corpus import parse_source
    from assess.measures.recall.run import RecallSettings, run_recall

    papers.check()
    settings = RecallSettings(
        mode=mode_of(mode),
        tagset=tagset_of(tagset),
        classes=classes,
        least=least,
        model=model,
        resampling=resampling(intervals, resamples, seed),
    )
    systems, humans = fields.sources(files, references)
    training = [parse_source(argument) for argument in train or ()]
    with (
        annotation_service(model, processes, no_cache) as service,
        progress_bars([*training, *systems, *humans]) as progress,
    ):
        run = run_recall(
            systems,
            humans,
            training=training,
            settings=settings,
            annotations=service,
            progress=progress,
        )
    deliver(_rendered(run, top), papers, as_json=as_json)


def _rendered(run: RecallRun, top: int) -> Rendered:
    from assess.cli.output import Rendered
    from assess.measures.recall.view import recall_plots, recall_report, recall_shape, recall_tables

    return Rendered(
        shape=lambda: recall_shape(run),
        terminal=lambda width: recall_report(run, width=width, ranked=top),
        tables=lambda: recall_tables(run),
        plots=lambda: recall_plots(run),
        signature=run.signature.as_line(),
        warnings=run.warnings,
    )
