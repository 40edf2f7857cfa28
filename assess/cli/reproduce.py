"""`assess reproduce`: the papers' tables, published beside computed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli import options
from assess.cli.options import bundled
from assess.cli.output import PRINTED, Outputs, annotation_service

Data = Annotated[Path, typer.Argument(metavar="DATA", help="The folder with the papers' data.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="PART", help="Only this part; may be repeated.")
]
Sample = Annotated[
    int | None, typer.Option("--sample", min=1, metavar="N", help="Only N images, for a quick look.")
]
Listed = Annotated[bool, typer.Option("--list", help="Show the parts and what they need, and stop.")]


@bundled
def reproduce(
    data: Data,
    only: Only = None,
    sample: Sample = None,
    listed: Listed = False,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    outputs: Outputs = PRINTED,
) -> None:
    """The papers' tables from their data: published beside computed, and why they differ.

    All parts together annotate some 300,000 captions, which takes minutes the first time; --only and
    --sample give quick looks.

    Example: assess reproduce research-data --only diversity --only people
    """
    from assess.cli.console import progress_bars
    from assess.reproduce.parts import ResearchData
    from assess.reproduce.run import choose_parts, run_parts

    if listed:
        _list_parts()
        return
    outputs.check()
    choose_parts(only or ())
    with annotation_service(model, processes, no_cache) as service:
        found = ResearchData(data, annotations=service, sample=sample)
        sources = [*(found.source(name) for name in found.system_names), found.references]
        present = [source for source in sources if Path(source.path).exists()]
        with progress_bars(present) as progress:
            found = ResearchData(data, annotations=service, sample=sample, progress=progress)
            result = run_parts(found, only=only or ())
    outputs.present(result)


def _list_parts() -> None:
    from rich.text import Text

    from assess.cli.console import output
    from assess.report.terminal import new_table
    from assess.reproduce.run import PARTS

    table = new_table("Parts")
    table.add_column("part", no_wrap=True)
    table.add_column("table, and what it needs of DATA", overflow="fold")
    for part in PARTS.values():
        needs = Text("\n".join(f"  {file}" for file in part.needs), style="dim")
        table.add_row(part.name, Text(f"{part.title}\n").append_text(needs))
    output().print(table)


# Measures of others.
