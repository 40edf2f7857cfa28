"""`assess sample` and `assess score`: what people say about our counts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli import options
from assess.cli.explain import AuditFolder

SheetOut = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="The sheet to write, a .csv file.")
]
Category = Annotated[
    list[str] | None,
    typer.Option("--category", help="Rate this one; without it, those with a disparity, or else all used."),
]
System = Annotated[
    list[str] | None, typer.Option("--system", help="Draw from this one; without it, from all.")
]
By = Annotated[str | None, typer.Option("--by", help="The group to draw by; without it, the audit's first.")]
PerCell = Annotated[
    int, typer.Option("--per-cell", min=1, help="Labels a category, group and what the tool said.")
]
Seed = Annotated[int, typer.Option("--seed", help="Another seed, another draw.")]
SheetFile = Annotated[Path, typer.Argument(metavar="SHEET", help="A sheet with answers.")]
SecondSheet = Annotated[
    Path | None, typer.Argument(metavar="[SHEET2]", help="The same sheet, answered by somebody else.")
]
Key = Annotated[
    Path | None, typer.Option("--key", metavar="FILE", help="The sheet's key, where it is not beside it.")
]
HalfWidth = Annotated[
    float, typer.Option("--half-width", help="How exactly precision should be known: 0.05 is ±5 points.")
]


def sample(
    audit: AuditFolder,
    out: SheetOut = Path("sheet.csv"),
    category: Category = None,
    system: System = None,
    by: By = None,
    per_cell: PerCell = 10,
    seed: Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Draw a sheet for people to rate, by category, group and what the tool said.

    Raters fill in the column `answer` with yes, no or ?. What the tool said is in the key, a file beside
    the sheet: keep it from them until they are done.

    Example: assess sample results --category attractiveness --out sheet.csv
    """
    from assess.audit.saved import read_audit
    from assess.audit.sheet import Draw, draw_sheet
    from assess.cli.console import notes, output
    from assess.report.json_text import dump
    from assess.report.sample_sheet import key_shape, write_sheet

    saved = read_audit(audit)
    draw = Draw(by, tuple(category or ()), tuple(system or ()), per_cell, seed)
    sheet = draw_sheet(saved, draw)
    key = write_sheet(out, sheet, saved)
    if as_json:
        output().file.write(dump(key_shape(sheet, saved)) + "\n")
    else:
        rated = len({row.category for row in sheet.rows})
        notes().print(f"{out}: {len(sheet.rows)} rows about {rated} categories. The key is {key}.")


def score(
    sheet: SheetFile,
    second: SecondSheet = None,
    key: Key = None,
    half_width: HalfWidth = 0.05,
    as_json: options.AsJson = False,
) -> None:
    """What the ratings say: precision by category, corrected rates, agreement, how many more to rate.

    Example: assess score sheet.csv sheet-second-rater.csv
    """
    from assess.audit.rated_sheet import find_key, read_key, read_ratings
    from assess.audit.ratings import score
    from assess.cli.console import output, print_parts
    from assess.report.json_text import dump
    from assess.report.sample_score import score_report, score_shape

    known, signature = read_key(key or find_key(sheet))
    ratings = read_ratings(sheet, known)
    others = read_ratings(second, known) if second is not None else None
    found = score(known, ratings, others, half_width=half_width)
    console = output()
    if as_json:
        console.file.write(dump(score_shape(found, signature)) + "\n")
    else:
        print_parts(console, score_report(found, half_width=half_width))
