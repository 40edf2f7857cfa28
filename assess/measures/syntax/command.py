"""`assess syntax`: how captions are built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, CaptionFields, bundled
from assess.cli.output import NO_PAPERS, PaperFiles

if TYPE_CHECKING:
    from assess.cli.output import Rendered
    from assess.measures.syntax.run import SyntaxRun

LexiconFile = Annotated[
    Path | None,
    typer.Option(
        "--lexicon",
        metavar="FILE",
        help="A table of words with concreteness ratings (1 to 5), or classes (abstract, concrete).",
    ),
]
ConcreteFrom = Annotated[
    float, typer.Option("--concrete-from", help="From this rating on a word is concrete.")
]
AbstractBelow = Annotated[float, typer.Option("--abstract-below", help="Below this rating it is abstract.")]


@bundled
def syntax(
    files: options.Files,
    references: options.References = None,
    lexicon: LexiconFile = None,
    concrete_from: ConcreteFrom = 3.0,
    abstract_below: AbstractBelow = 3.0,
    mode: options.MeasureMode = "assess",
    tagset: options.Tagset = "fine",
    intervals: options.Intervals = False,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 1,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
    papers: PaperFiles = NO_PAPERS,
) -> None:
    """How captions are built: compounds, prepositional phrases, parts of speech, complexity.

    The columns of van Miltenburg et al. (2018), Table 3; Yngve and Frazier complexity; with --lexicon, how
    abstract the words are.

    Example: assess syntax model1.json model2.json --references val2014.json
    """
    from assess.cli.console import progress_bars
    from assess.cli.output import annotation_service, deliver, mode_of, resampling, tagset_of
    from assess.measures.syntax.run import SyntaxSettings, run_syntax
    from assess.measures.syntax.words import Cut, read_lexicon

    papers.check()
    found = read_lexicon(lexicon, cut=Cut(concrete_from, abstract_below)) if lexicon else None
    settings = SyntaxSettings(
        mode=mode_of(mode),
        tagset=tagset_of(tagset),
        lexicon=found.words if found else None,
        lexicon_name=found.identity if found else None,
        model=model,
        resampling=resampling(intervals, resamples, seed),
    )
    systems, humans = fields.sources(files, references)
    with (
        annotation_service(model, processes, no_cache) as service,
        progress_bars([*systems, *humans]) as progress,
    ):
        run = run_syntax(
            systems, references=humans, settings=settings, annotations=service, progress=progress
        )
    deliver(_rendered(run), papers, as_json=as_json)


def _rendered(run: SyntaxRun) -> Rendered:
    from assess.cli.output import Rendered
    from assess.measures.syntax.view import syntax_plots, syntax_report, syntax_shape, syntax_tables

    return Rendered(
        shape=lambda: syntax_shape(run),
        terminal=lambda width: syntax_report(run, width=width),
        tables=lambda: syntax_tables(run),
        plots=lambda: syntax_plots(run),
        signature=run.signature.as_line(),
        warnings=run.warnings,
    )
