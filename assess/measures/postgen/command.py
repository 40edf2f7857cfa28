"""`assess postgen`: captions against references, the scores that pre-gen metrics predict."""

from __future__ import annotations

from typing import Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, CaptionFields, bundled
from assess.cli.output import NO_TABLES, TableFiles

References = Annotated[
    list[str],
    typer.Option("--references", "-r", metavar="[NAME=]FILE", help="Human captions of the same images."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", metavar="NAME", help="BLEU and CIDEr, the default; METEOR or SPICE (the extra 'coco')."
    ),
]


@bundled
def postgen(
    files: options.Files,
    references: References,
    metric: Metrics = None,
    model: options.Model = None,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    out: options.Out = None,
    papers: TableFiles = NO_TABLES,
) -> None:
    """How alike generated captions and references are: BLEU, CIDEr-D, METEOR, SPICE.

    One caption an image, paired with its references by image id. --out also writes each image's scores, by
    which `assess pregen --scores` cuts images into strata.

    Example: assess postgen captions.json --references captions_val2014.json --metric CIDEr
    """
    from assess.cli.console import progress_bars
    from assess.cli.output import Rendered, deliver, one_of
    from assess.measures.postgen.run import METRICS, run_scores
    from assess.measures.postgen.view import scores_report, scores_shape, scores_table, write_scores

    metrics = [one_of(name, METRICS, option="--metric") for name in metric or METRICS[:2]]
    systems, humans = fields.sources(files, references)
    with progress_bars([*systems, *humans]) as progress:
        run = run_scores(
            systems, humans, metrics=tuple(dict.fromkeys(metrics)), model=model, progress=progress
        )
    if out is not None:
        write_scores(run, out)
    result = Rendered(
        shape=lambda: scores_shape(run),
        terminal=lambda width: scores_report(run, width=width),
        tables=lambda: (scores_table(run),),
        plots=lambda: (),
        signature=run.signature.as_line(),
        warnings=run.notes,
    )
    deliver(result, papers, as_json=as_json)
