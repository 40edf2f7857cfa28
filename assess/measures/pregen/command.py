"""`assess pregen`: how good captions will be, from what a model thinks of the reference captions."""

from __future__ import annotations

from typing import Annotated

import typer

from assess.cli.options import bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.settings import PregenSettings

Probabilities = Annotated[
    str,
    typer.Argument(
        metavar="[NAME=]PROBS", help="Probabilities of the reference words: JSONL, NPZ or Parquet."
    ),
]
_AS_USUAL = PregenSettings()


@bundled
def pregen(
    probabilities: Probabilities, settings: PregenSettings = _AS_USUAL, outputs: Outputs = PRINTED
) -> None:
    """How good captions will be, before any is generated: 504 metrics.

    From the probability that a model gives each reference word, and whether it was the first choice (Tanti
    et al. 2018). With --scores, also for strata of images; --out writes these as a table for correlate.

    Example: assess pregen probabilities.jsonl --metric mean_max_normcount_prefix0
    """
    from assess.corpus import parse_source
    from assess.measures.pregen.run import run_pregen
    from assess.measures.pregen.view import write_table

    outputs.check()
    result = run_pregen(parse_source(probabilities), settings)
    if outputs.out is not None:
        write_table(result, outputs.out)
    outputs.present(result)
