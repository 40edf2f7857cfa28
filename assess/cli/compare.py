"""`assess compare`: two audits, such as two versions of a model."""

from __future__ import annotations

from typing import Annotated

import typer

from assess.cli import options
from assess.cli.bias import Alpha, Margin, Samples, Seed

Before = Annotated[str, typer.Argument(metavar="A", help="The earlier audit: a folder written by --out.")]
After = Annotated[str, typer.Argument(metavar="B", help="The later audit.")]
Everything = Annotated[bool, typer.Option("--all", help="Show every rate, also what did not change.")]


def compare(
    before: Before,
    after: After,
    margin: Margin = 0.01,
    alpha: Alpha = 0.05,
    samples: Samples = 2000,
    seed: Seed = 0,
    everything: Everything = False,
    as_json: options.AsJson = False,
) -> None:
    """What changed between two audits, paired by image, with intervals.

    Systems are matched by name, so give both versions the same one: assess audit model=v1.json --out a.

    Example: assess compare audit-v1 audit-v2
    """
    from assess.audit.compare import compare
    from assess.audit.rules import Rules
    from assess.audit.saved import read_audit
    from assess.audit.verdict import Margin
    from assess.cli.console import output, print_parts
    from assess.report.compare_shapes import compare_shape
    from assess.report.compare_terminal import compare_report
    from assess.report.json_text import dump

    rules = Rules(Margin(margin), alpha=alpha, samples=samples, seed=seed)
    first, second = read_audit(before), read_audit(after)
    found = compare(first, second, rules=rules)
    console = output()
    if as_json:
        console.file.write(dump(compare_shape(first, second, found)) + "\n")
    else:
        print_parts(console, compare_report(found, width=console.width, everything=everything))
