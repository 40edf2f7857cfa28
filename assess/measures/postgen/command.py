"""`assess postgen`: captions against references, the scores that pre-gen metrics predict."""

from __future__ import annotations

from typing import Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, EngineOptions, bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.settings import PostgenSettings

References = Annotated[
    list[str],
    typer.Option("--references", "-r", metavar="[NAME=]FILE", help="Human captions of the same images."),
]
_AS_USUAL = PostgenSettings()


@bundled
def postgen(
    files: options.Files,
    references: References,
    settings: PostgenSettings = _AS_USUAL,
    engine: EngineOptions = HERE,
    fields: CaptionFields = AS_FOUND,
    outputs: Outputs = PRINTED,
) -> None:
    """How alike generated captions and references are: BLEU, CIDEr-D, METEOR, SPICE.

    One caption per image, paired with its references by image id. --out also writes each image's scores, by
    which `assess pregen --scores` cuts images into strata.

    Example: assess postgen captions.json --references captions_val2014.json --metric CIDEr
    """
    from assess.cli.output import running
    from assess.measures.measure import Inputs
    from assess.measures.postgen.run import run_postgen
    from assess.measures.postgen.view import write_image_scores

    outputs.check()
    systems, humans = fields.sources(files, references)
    request = engine.request(no_cache=True)
    with running(request, settings.model, [*systems, *humans]) as (where, progress):
        result = run_postgen(Inputs(systems, humans), settings, progress=progress, engine=where)
    if outputs.out is not None:
        write_image_scores(result, outputs.out)
    outputs.present(result, warnings=result.notes)
