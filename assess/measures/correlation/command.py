"""`assess correlate`: how scores go together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli import options
from assess.cli.options import bundled
from assess.cli.output import NO_PAPERS, PaperFiles

Tables = Annotated[
    list[Path],
    typer.Argument(
        metavar="TABLE...", help="CSV, TSV or JSON of scores, one row a system; several are joined by system."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        "--pre",
        metavar="NAMES",
        help="Only these columns, or with --post these pre-gen scores; * stands for anything.",
    ),
]
Without = Annotated[
    list[str] | None, typer.Option("--without", metavar="NAMES", help="Leave these columns out.")
]
Post = Annotated[
    list[str] | None,
    typer.Option(
        "--post",
        metavar="NAMES",
        help="Post-gen scores: rank all other columns by how well they predict them.",
    ),
]
By = Annotated[str | None, typer.Option("--by", metavar="COLUMN", help="The data set of each row.")]
Method = Annotated[str, typer.Option("--method", help="Of a matrix: spearman, pearson, or both.")]
Top = Annotated[int, typer.Option("--top", min=1, help="Predictors to show for each post-gen score.")]
Everywhere = Annotated[
    bool,
    typer.Option("--everywhere", help="Leave out scores that are undefined in some data set, as the paper."),
]


@bundled
def correlate(
    tables: Tables,
    columns: Columns = None,
    without: Without = None,
    post: Post = None,
    by: By = None,
    method: Method = "spearman",
    top: Top = 5,
    everywhere: Everywhere = False,
    as_json: options.AsJson = False,
    papers: PaperFiles = NO_PAPERS,
) -> None:
    """Which scores go together: matrices over systems, or what predicts a post-gen score.

    Without --post: Spearman or Pearson between every two columns (van Miltenburg et al. 2018, Figures 2 and
    6). With --post: R², R, p and Spearman of every other column with it, by data set, the best first
    (Tanti et al. 2018). The JSON of diversity, recall and syntax can be given as it is.

    Example: assess correlate diversity.json recall.json --columns asl,sdsl,types,ttr1,ttr2,local.micro.5
    """
    from assess.cli.output import Rendered, deliver, one_of
    from assess.measures.correlation.run import METHODS, CorrelationSettings, MatrixRun, run_correlation
    from assess.measures.correlation.view import (
        correlation_report,
        correlation_shape,
        correlation_tables,
        matrix_plots,
        prediction_plots,
    )

    papers.check()
    methods = METHODS if method == "both" else (one_of(method, METHODS, option="--method"),)
    settings = CorrelationSettings(
        columns=tuple(columns or ()),
        without=tuple(without or ()),
        post=tuple(post or ()),
        by=by,
        top=top,
        everywhere=everywhere,
    )
    run = run_correlation(tables, settings=settings)
    result = Rendered(
        shape=lambda: correlation_shape(run),
        terminal=lambda width: correlation_report(run, methods=methods, width=width),
        tables=lambda: correlation_tables(run, methods),
        plots=lambda: matrix_plots(run, methods) if isinstance(run, MatrixRun) else prediction_plots(run),
        signature=run.signature.as_line(),
    )
    deliver(result, papers, as_json=as_json)
