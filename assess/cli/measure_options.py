"""Options that the measures share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Train = Annotated[
    list[str] | None,
    typer.Option(
        "--train", metavar="[NAME=]FILE", help="Training captions: what could be copied or learned."
    ),
]
MeasureMode = Annotated[
    str, typer.Option("--mode", help="assess (ours), or paper (the published definitions).")
]
Tagset = Annotated[
    str, typer.Option("--tagset", help="Parts of speech: fine (Penn Treebank, the paper's) or universal.")
]
Intervals = Annotated[
    bool, typer.Option("--intervals", help="Bootstrap intervals, and paired differences between systems.")
]
Resamples = Annotated[int, typer.Option("--resamples", min=1, help="Resamples of the bootstrap.")]
Seed = Annotated[int, typer.Option("--seed", help="Of shuffles and resamples.")]
Latex = Annotated[
    Path | None, typer.Option("--latex", metavar="FILE", help="Also write the tables as LaTeX (booktabs).")
]
Markdown = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Also write the tables as Markdown.")
]
Csv = Annotated[
    Path | None, typer.Option("--csv", metavar="DIR", help="Also write each table as a CSV file there.")
]
Plots = Annotated[
    Path | None, typer.Option("--plots", metavar="DIR", help="Also draw plots there (the extra 'plots').")
]
PlotFormat = Annotated[str, typer.Option("--plot-format", help="svg, pdf or png.")]
