"""`assess select`: which objects of an image are mentioned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import bundled
from assess.cli.output import NO_PAPERS, PaperFiles

if TYPE_CHECKING:
    from assess.cli.output import Rendered
    from assess.measures.selection.files import GoldSource
    from assess.measures.selection.result import SelectionRun, SentenceRequest

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
Domain = Annotated[
    str | None, typer.Option("--domain", "-d", help="Sort boxes by this domain's heads, such as people.")
]
Baselines = Annotated[
    list[str] | None,
    typer.Option("--baseline", metavar="NAME", help="Only this baseline; none for no baselines."),
]
Measures = Annotated[
    list[str] | None, typer.Option("--measure", help="F, P or R: the baselines' tables to show.")
]
Most = Annotated[int, typer.Option("--most", min=1, max=1000, metavar="K", help="The largest k.")]
Draws = Annotated[int, typer.Option("--draws", min=1, help="Draws that the random baseline is a mean of.")]
Empty = Annotated[str, typer.Option("--empty", help="What an empty set counts for: zero, or skip.")]
Sentences = Annotated[
    list[str] | None,
    typer.Option("--sentences", metavar="BASELINE[:K]", help="Make sentences from a baseline's first boxes."),
]
_MEASURES = {"F": "f", "P": "precision", "R": "recall"}


@bundled
def select(
    gold: Gold,
    predicted: Predicted = None,
    format: Format = None,  # noqa: A002 - the option's name is a contract
    boxes: Boxes = None,
    concept: Concept = "head",
    development: Development = None,
    domain: Domain = None,
    baseline: Baselines = None,
    measure: Measures = None,
    most: Most = 15,
    draws: Draws = 20,
    empty: Empty = "zero",
    resamples: options.Resamples = 1000,
    seed: options.Seed = 1,
    sentences: Sentences = None,
    as_json: options.AsJson = False,
    out: options.Out = None,
    papers: PaperFiles = NO_PAPERS,
) -> None:
    """Which objects of an image are mentioned: by systems, baselines and people.

    Precision, recall and F of the selected boxes, their order, baselines by number of boxes, what people
    reach, and recall by category (Wang and Gaizauskas 2015). Without PREDICTED, baselines and people alone.

    Example: assess select gold.jsonl mine=chosen.jsonl --development dev.jsonl --domain people
    """
    from assess.cli.output import deliver, one_of
    from assess.corpus import parse_source
    from assess.measures.selection.compute import Empty as EmptyRule
    from assess.measures.selection.result import SelectionSettings
    from assess.measures.selection.run import run_selection

    papers.check()
    rules: tuple[EmptyRule, ...] = ("zero", "skip")
    shown = [_MEASURES[one_of(name.upper(), tuple(_MEASURES), option="--measure")] for name in measure or "F"]
    settings = SelectionSettings(
        baselines=_baselines(baseline),
        most=most,
        draws=draws,
        seed=seed,
        empty=one_of(empty, rules, option="--empty"),
        resamples=resamples,
        domain=domain,
        sentences=tuple(_sentence_request(text) for text in sentences or ()),
    )
    run = run_selection(
        _gold_source(gold, format, boxes, concept),
        [parse_source(argument) for argument in predicted or ()],
        development=_gold_source(development, None, None, concept) if development else None,
        settings=settings,
    )
    if out is not None:
        from assess.measures.selection.view import write_selection

        write_selection(run, out)
    deliver(_rendered(run, tuple(dict.fromkeys(shown))), papers, as_json=as_json)


def _rendered(run: SelectionRun, measures: tuple[str, ...]) -> Rendered:
    from assess.cli.output import Rendered
    from assess.measures.selection.view import (
        selection_plots,
        selection_report,
        selection_shape,
        selection_tables,
    )

    return Rendered(
        shape=lambda: selection_shape(run),
        terminal=lambda width: selection_report(run, measures=measures, width=width),
        tables=lambda: tuple(selection_tables(run)),
        plots=lambda: tuple(selection_plots(run)),
        signature=run.signature.as_line(),
        warnings=run.notes,
    )


def _gold_source(path: str, format_: str | None, boxes: Path | None, concept: str) -> GoldSource:
    from assess.cli.output import one_of
    from assess.corpus import parse_source
    from assess.measures.selection.files import GoldSource
    from assess.measures.selection.markup import ConceptFrom

    choices: tuple[ConceptFrom, ...] = ("head", "category")
    source = parse_source(path, format=format_)
    return GoldSource(source, boxes, one_of(concept, choices, option="--concept"))


def _baselines(names: list[str] | None) -> tuple[str, ...] | None:
    return tuple(name for name in names if name != "none") if names else None


def _sentence_request(text: str) -> SentenceRequest:
    from assess.errors import UsageError, visible
    from assess.measures.selection.result import SentenceRequest

    name, colon, most = text.partition(":")
    if colon and not (most.isdecimal() and int(most)):
        message = f"'{visible(text)}' is not BASELINE:K"
        raise UsageError(message, hint="K is how many boxes a sentence mentions, such as bigram:4")
    return SentenceRequest(name, int(most) if colon else None)
