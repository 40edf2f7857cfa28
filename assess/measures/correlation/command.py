"""`assess correlate`: how scores go together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli.options import bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.settings import CorrelationSettings

Tables = Annotated[
    list[Path],
    typer.Argument(
        metavar="TABLE...",
        help="CSV, TSV or JSON of scores, one row per system; several are joined by system.",
    ),
]
_AS_USUAL = CorrelationSettings()


@bundled
def correlate(tables: Tables, settings: CorrelationSettings = _AS_USUAL, outputs: Outputs = PRINTED) -> None:
    """Which scores go together: matrices over systems, or what predicts a post-gen score.

    Without --post: Spearman or Pearson between every two columns (van Miltenburg et al. 2018, Figures 2 and
    6). With --post: R², R, p and Spearman of every other column with it, by data set, the best first
    (Tanti et al. 2018). The JSON of diversity, recall and syntax can be given as it is.

    Example: assess correlate diversity.json recall.json --columns asl,sdsl,types,ttr1,ttr2,local.micro.5
    """
    from assess.measures.correlation.run import run_correlation

    outputs.check()
    outputs.present(run_correlation(tables, settings))
