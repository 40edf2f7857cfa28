"""Commands for saved audits: `assess explain`, `gate`, `compare`, `report`, `sample` and `score`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli import options
from assess.cli.options import NO_FILES, ResultFiles, bundled
from assess.errors import UsageError, some
from assess.measures.group_settings import USUAL_RULES, VerdictSettings
from assess.measures.settings import LARGEST

AuditFolder = Annotated[
    str,
    typer.Argument(metavar="AUDIT", help="A folder written by `assess audit --out` or `assess bias --out`."),
]
Cell = Annotated[
    str,
    typer.Argument(metavar="CELL", help="SYSTEM/CATEGORY/VALUE, for example skewed/attractiveness/female."),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", "-n", min=1, help="Maximum number of captions to show; 20 in a terminal."),
]
AnyReading = Annotated[
    bool, typer.Option("--any", help="Also show labels that have the category only in another reading.")
]
Without = Annotated[
    bool, typer.Option("--without", help="Show the labels that do not have the category instead.")
]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Print one row per label to standard output, for a spreadsheet.")
]


def _check_order(audit: str, other: str, *, usage: str) -> None:
    """Raise an error if the folder of an audit is given in the place of the other argument."""
    try:
        swapped = Path(other).is_dir() and not Path(audit).is_dir()
    except OSError:  # no file can have this name; its reader reports that
        return
    if swapped:
        raise UsageError("the arguments are in the wrong order", hint=usage)


def explain(
    audit: AuditFolder,
    cell: Cell,
    limit: Limit = None,
    any_reading: AnyReading = False,
    without: Without = False,
    as_csv: AsCsv = False,
    as_json: options.AsJson = False,
) -> None:
    """Show the captions, image ids and readings behind a cell of an audit.

    Omit the value to see all labels of a system: skewed/attractiveness. If two groups have the same value,
    name the group too: skewed/attractiveness/gender:female. Write head.age for a head category.

    Example: assess explain results skewed/attractiveness/female
    """
    from assess.audits.explain import (
        chosen_labels,
        explain,
        explain_csv,
        explain_report,
        explain_shape,
        parse_address,
    )
    from assess.audits.saved import read_audit
    from assess.cli.console import output, print_file, print_json, print_parts

    _check_order(audit, cell, usage="assess explain AUDIT CELL")
    saved = read_audit(audit)
    which = chosen_labels(any_reading=any_reading, without=without)
    explained = explain(saved, parse_address(cell, saved), which=which)
    console = output()
    if as_json:
        print_json(explain_shape(saved, explained, limit=limit))
    elif as_csv:
        print_file(explain_csv(explained, limit=limit))
    else:
        marks = console.no_color or not console.is_terminal
        print_parts(console, explain_report(saved, explained, limit=limit or 20, marks=marks))


# `assess gate`: apply a policy to an audit, for CI.

PolicyFile = Annotated[str, typer.Argument(metavar="POLICY", help="A YAML file with rules.")]
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Also write the outcomes as JUnit XML.")
]
EveryCheck = Annotated[bool, typer.Option("--all", help="Also show rules that passed.")]


def gate(
    policy: PolicyFile,
    audit: AuditFolder,
    junit: Junit = None,
    everything: EveryCheck = False,
    as_json: options.AsJson = False,
) -> None:
    """Check an audit against a policy; the exit code is 1 if it fails.

    A rule passes or fails only if the whole confidence interval is on one side of the limit. Otherwise the
    outcome is `insufficient`, which also fails the gate unless the policy has `allow_insufficient: true`.

    Example: assess gate policy.yaml results --junit gate.xml
    """
    from assess.audits.gate import error_outcomes, evaluate, gate_report, gate_shape, passes
    from assess.audits.gate import junit as junit_xml
    from assess.audits.policy import baseline_path, gate_cells, load_policy
    from assess.audits.saved import read_audit
    from assess.cli.console import output, print_json
    from assess.whole_files import write_whole

    _check_order(audit, policy, usage="assess gate POLICY AUDIT")
    rules, saved = load_policy(policy), read_audit(audit)
    earlier = baseline_path(rules, policy)
    baseline = gate_cells(read_audit(earlier)) if earlier else None
    outcomes = [*evaluate(rules, gate_cells(saved), baseline=baseline), *error_outcomes(rules, saved)]
    passed = passes(rules, outcomes)
    if junit is not None:
        write_whole(junit, junit_xml(outcomes, allow_insufficient=rules.allow_insufficient))
    console = output()
    if as_json:
        print_json(gate_shape(saved, outcomes, passed=passed))
    else:
        for line in gate_report(outcomes, passed=passed, everything=everything):
            console.print(line, soft_wrap=True)
    raise typer.Exit(0 if passed else 1)


# `assess compare`: compare two audits, such as two versions of a model.

Before = Annotated[str, typer.Argument(metavar="A", help="The earlier audit: a folder written by --out.")]
After = Annotated[str, typer.Argument(metavar="B", help="The later audit.")]
EveryRate = Annotated[
    bool, typer.Option("--all", help="Show every rate, including those that did not change.")
]


@bundled
def compare(
    before: Before,
    after: After,
    rules: VerdictSettings = USUAL_RULES,
    everything: EveryRate = False,
    as_json: options.AsJson = False,
) -> None:
    """Show what changed between two audits, paired by image, with intervals.

    Systems are matched by name, so give both versions the same name: assess audit model=v1.json --out a.

    Example: assess compare audit-v1 audit-v2
    """
    from assess.audits.compare import compare, compare_report
    from assess.audits.saved import read_audit
    from assess.cli.console import output, print_json, print_parts

    found = compare(read_audit(before), read_audit(after), settings=rules)
    console = output()
    if as_json:
        print_json(found.model_dump())
    else:
        print_parts(console, compare_report(found, width=console.width, everything=everything))


# `assess report`: export a saved audit.

Html = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="The page to write; AUDIT/report.html if no other output is requested."
    ),
]


@bundled
def report(
    audit: AuditFolder,
    html: Html = None,
    images: options.Images = None,
    outputs: ResultFiles = NO_FILES,
) -> None:
    """Export a saved audit as an HTML page that works offline, as tables for papers, or as plots.

    If the folder contains the JSON of another measure (diversity.json, recall.json, syntax.json,
    postgen.json, selection.json, pregen.json or correlation.json, written by these commands with --out), the
    report shows it instead of the audit's own results. LaTeX and Markdown tables omit contrasts with
    insufficient evidence; CSV includes all.

    Example: assess report results --html report.html --latex tables.tex
    """
    from assess.audits.html.page import PAGE, image_source, write_html
    from assess.audits.saved import read_audit

    outputs.check()
    saved = read_audit(audit)
    others = outputs.files
    outputs.write(saved.with_others())
    if html is not None or not others:
        file = html or saved.file.parent / PAGE
        write_html(saved, file, images=image_source(images, file.parent) if images else None)
        print_page_path(file, as_json=False)
    _print_paths(others)


def _print_paths(paths: list[Path]) -> None:
    from assess.cli.console import output
    from assess.report.text import plain

    console = output()
    if paths:
        console.print("Written:")
    for path in paths:
        console.print(plain(f"  {path}", 2_000), soft_wrap=True)


def print_page_path(page: Path, *, as_json: bool) -> None:
    """Print where a page is; with --json, on standard error."""
    from assess.cli.console import notes, output
    from assess.report.text import plain

    console = notes() if as_json else output()
    console.print("Open the report in a browser:")
    # A path that is broken across lines cannot be copied.
    console.print(plain(f"  {page}", 2_000), soft_wrap=True)


# `assess sample` and `assess score`: validate our counts with ratings by people.

SheetOut = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The sheet to write, as CSV.")]
Category = Annotated[
    list[str] | None,
    typer.Option(
        "--category",
        help="Only this category; by default, those with a disparity, or all categories in use if"
        " there is none.",
    ),
]
System = Annotated[list[str] | None, typer.Option("--system", help="Only this system; by default, all.")]
By = Annotated[
    str | None, typer.Option("--by", help="The group to sample by; by default, the first group of the audit.")
]
PerCell = Annotated[
    int, typer.Option("--per-cell", min=1, help="Labels per category, group and decision of the tool.")
]
DrawSeed = Annotated[int, typer.Option("--seed", min=0, max=LARGEST, help="Random seed for sampling.")]
SheetFile = Annotated[Path, typer.Argument(metavar="SHEET", help="A sheet with answers.")]
SecondSheet = Annotated[
    Path | None, typer.Argument(metavar="[SHEET2]", help="The same sheet, completed by another rater.")
]
Key = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", help="The sheet's key, if it is not next to the sheet."),
]
HalfWidth = Annotated[
    float,
    typer.Option("--half-width", help="Target half-width of the interval of precision: 0.05 is ±5 points."),
]


def sample(
    audit: AuditFolder,
    out: SheetOut = Path("sheet.csv"),
    category: Category = None,
    system: System = None,
    by: By = None,
    per_cell: PerCell = 10,
    seed: DrawSeed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Draw a sample of labels for people to rate, stratified by category, group and decision of the tool.

    Raters fill in the column `answer` with yes, no or ?. The decisions of the tool are in the key, a file
    next to the sheet: do not show it to raters before they are done.

    Example: assess sample results --category attractiveness --out sheet.csv
    """
    from assess.audits.saved import read_audit
    from assess.audits.sheet import Draw, draw_sheet, sheet_key, write_sheet
    from assess.cli.console import notes, print_json

    saved = read_audit(audit)
    draw = Draw(by, tuple(category or ()), tuple(system or ()), per_cell, seed)
    sheet = draw_sheet(saved, draw)
    key = write_sheet(out, sheet, saved)
    if as_json:
        print_json(sheet_key(sheet, saved))
    else:
        rated = len({row.category for row in sheet.rows})
        told = f"{out}: {some(len(sheet.rows), 'row')} about {some(rated, 'category')}"
        notes().print(f"{told}. The key is {key}: don't show it to raters.")


def score(
    sheet: SheetFile,
    second: SecondSheet = None,
    key: Key = None,
    half_width: HalfWidth = 0.05,
    as_json: options.AsJson = False,
) -> None:
    """Score ratings: precision by category, corrected rates, agreement, number of further ratings.

    Example: assess score sheet.csv sheet-second-rater.csv
    """
    from assess.audits.ratings import score, score_report
    from assess.audits.sheet import find_key, read_key, read_ratings
    from assess.cli.console import output, print_json, print_parts

    known = read_key(key or find_key(sheet))
    ratings = read_ratings(sheet, known)
    others = read_ratings(second, known) if second is not None else None
    found = score(known, ratings, others, half_width=half_width)
    console = output()
    if as_json:
        print_json({"signature": known.signature, **found.model_dump()})
    else:
        print_parts(console, score_report(found, half_width=half_width, width=console.width))
