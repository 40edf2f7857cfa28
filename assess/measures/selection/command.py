"""`assess select`: which objects of an image are mentioned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli.options import bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.settings import SelectionSettings

if TYPE_CHECKING:
    from assess.measures.selection.files import GoldSource

Gold = Annotated[
    str,
    typer.Argument(metavar="GOLD", help="Images with boxes and gold descriptions; - is standard input."),
]
Predicted = Annotated[
    list[str] | None,
    typer.Argument(metavar="[[NAME=]PREDICTED]...", help="The boxes that systems mention, one file each."),
]
Format = Annotated[
    str | None, typer.Option("--format", help="json, flickr30k or bracketed, where it is not recognised.")
]
Boxes = Annotated[
    Path | None,
    typer.Option(
        "--boxes", metavar="PATH", help="Boxes of Flickr30k Entities: a JSON file, or the XML folder."
    ),
]
Concept = Annotated[
    str, typer.Option("--concept", help="What a box of Flickr30k is: its head word, or its category.")
]
Development = Annotated[
    str | None,
    typer.Option("--development", metavar="FILE", help="Gold of other images, to count words in."),
]
_AS_USUAL = SelectionSettings()


@bundled
def select(
    gold: Gold,
    predicted: Predicted = None,
    format: Format = None,  # noqa: A002 - the option's name is a contract
    boxes: Boxes = None,
    concept: Concept = "head",
    development: Development = None,
    settings: SelectionSettings = _AS_USUAL,
    outputs: Outputs = PRINTED,
) -> None:
    """Which objects of an image are mentioned: by systems, baselines and people.

    Precision, recall and F of the selected boxes, their order, baselines by number of boxes, what people
    reach, and recall by category (Wang and Gaizauskas 2015). Without PREDICTED, baselines and people alone.

    Example: assess select gold.jsonl mine=chosen.jsonl --development dev.jsonl --domain people
    """
    from assess.corpus import parse_source
    from assess.measures.selection.run import run_selection
    from assess.measures.selection.view import write_details

    outputs.check()
    result = run_selection(
        _gold_source(gold, format, boxes, concept),
        [parse_source(argument) for argument in predicted or ()],
        development=_gold_source(development, None, None, concept) if development else None,
        settings=settings,
    )
    if outputs.out is not None:
        write_details(result, outputs.out)
    outputs.present(result, warnings=result.notes)


def _gold_source(path: str, format_: str | None, boxes: Path | None, concept: str) -> GoldSource:
    from assess.cli.output import one_of
    from assess.corpus import parse_source
    from assess.measures.selection.files import GoldSource
    from assess.measures.selection.markup import ConceptFrom

    choices: tuple[ConceptFrom, ...] = ("head", "category")
    source = parse_source(path, format=format_)
    return GoldSource(source, boxes, one_of(concept, choices, option="--concept"))
