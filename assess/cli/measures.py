"""The commands of measures, ours and those of other packages or scripts; and `assess reproduce`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assess.cli import options
from assess.cli.help import HelpfulGroup, in_groups
from assess.cli.options import (
    PRINTED,
    AnnotationOptions,
    CaptionFields,
    EngineOptions,
    Outputs,
    annotation_service,
    bundled,
    taking,
)
from assess.errors import one_of
from assess.measures.group_settings import AmplificationSettings, ErrorSettings, LeakageSettings
from assess.measures.registry import Measure, find_measure, others
from assess.measures.settings import (
    CorrelationSettings,
    DiversitySettings,
    PostgenSettings,
    PregenSettings,
    RecallSettings,
    SelectionSettings,
    Settings,
    SyntaxSettings,
    required,
)

if TYPE_CHECKING:
    from assess.engine.jobs import EngineRequest
    from assess.measures.measure import Inputs, Result
    from assess.measures.selection.files import GoldSource

# Default settings, which are frozen.
_CORRELATION = CorrelationSettings()
_SELECTION = SelectionSettings()
_PREGEN = PregenSettings()


# Measures of captions: each states its inputs and its command; the rest is the same for all.


def caption_command(
    name: str,
    settings: type[Settings],
    help_text: str,
    *,
    references: Any = options.References,
    train: bool = False,
    engine: type[EngineOptions | AnnotationOptions] | None = AnnotationOptions,
) -> Any:
    """Return the command of a measure, whose parameters follow from its settings and its inputs."""

    def run(
        files: list[str],
        settings: Any,
        fields: CaptionFields,
        outputs: Outputs,
        references: list[str] | None = None,
        train: list[str] | None = None,
        engine: EngineOptions | AnnotationOptions | None = None,
    ) -> None:
        outputs.check()
        inputs = fields.inputs(files, references, train)
        outputs.present(_measured(name, inputs, settings, engine.request() if engine else None))

    run.__doc__ = help_text
    read = {"references": references} | ({"train": options.Train} if train else {})
    chosen = {"settings": settings}
    # Required parameters come first.
    first, second = (chosen, read) if required(settings) else (read, chosen)
    where = {"engine": engine} if engine else {}
    return taking(
        run, {"files": options.Files, **first, **second, **where, "fields": CaptionFields, "outputs": Outputs}
    )


def _measured(name: str, inputs: Inputs, settings: Any, request: EngineRequest | None) -> Result:
    from assess.cli.console import progress_bars

    measure = find_measure(name).run
    assert measure is not None
    if request is None:  # not ours: it reads captions in its own way
        with progress_bars(inputs.all_sources):
            return measure(inputs, settings)
    # On a cluster, this process does not read all files just to know the total for a progress bar.
    with (
        closing(request.open(settings.model)) as engine,
        progress_bars(inputs.all_sources, totals=request.reads_here) as progress,
    ):
        return measure(replace(inputs, engine=engine, progress=progress), settings)


RequiredReferences = Annotated[
    list[str],
    typer.Option("--references", "-r", metavar="[NAME=]FILE", help="Human captions of the same images."),
]

diversity = caption_command(
    "diversity",
    DiversitySettings,
    """Measure the diversity of captions: lengths, types, type-token ratios, novelty, curves.

    Reports the columns of van Miltenburg et al. (2018), Table 1, and more recent measures. References have a
    separate row: each set of parallel descriptions is measured, and the row shows the mean.

    Example: assess diversity model1.json model2.json --references val2014.json --train train2014.json
    """,
    train=True,
    engine=EngineOptions,
)

recall = caption_command(
    "recall",
    RecallSettings,
    """Measure which words of the references the captions use: coverage, local recall, omitted words.

    Reports global recall (of learnable words, with --train), local recall by the number of references that
    use a word, local precision, rankings of omitted words, and over- and under-used words.

    Example: assess recall model1.json model2.json --references val2014.json --train train2014.json
    """,
    train=True,
)

syntax = caption_command(
    "syntax",
    SyntaxSettings,
    """Measure the syntax of captions: compounds, prepositional phrases, parts of speech, complexity.

    Reports the columns of van Miltenburg et al. (2018), Table 3, Yngve and Frazier complexity and, with
    --lexicon, the ratio of abstract to concrete words.

    Example: assess syntax model1.json model2.json --references val2014.json
    """,
)

leakage = caption_command(
    "leakage",
    LeakageSettings,
    """Measure how well the rest of a caption predicts the group, and which words reveal it.

    The words that name the group are masked, and a classifier predicts the group from the remaining words
    (LIC, Hirota et al. 2022), compared with human captions of the same images. --groups gives the group of
    each image; without it, more than half of an image's references must state the same group.

    Example: assess leakage model1.json model2.json --references val2014.json --by gender
    """,
)

amplification = caption_command(
    "amplification",
    AmplificationSettings,
    """Measure whether captions associate objects with a group more strongly than people do.

    Computes bias amplification (Zhao et al. 2017) and directional amplification in both directions (Wang and
    Russakovsky 2021), per object and overall. Objects are the nouns of the references, or those of --objects.

    Example: assess amplification model1.json model2.json --references val2014.json --by gender
    """,
)

postgen = caption_command(
    "postgen",
    PostgenSettings,
    """Score captions against references: BLEU, CIDEr-D, METEOR, SPICE.

    Each image has one caption, which is paired with its references by image id. --out also writes the scores
    of each image, which `assess pregen --scores` uses to divide images into strata.

    Example: assess postgen captions.json --references captions_val2014.json --metric CIDEr
    """,
    references=RequiredReferences,
    engine=EngineOptions,
)

errors = caption_command(
    "errors",
    ErrorSettings,
    """Measure how often captions name a group other than the annotated one.

    Reports the shares of captions that name the annotated group, another group, or neither, with intervals
    and differences between groups; how often captions name each group compared with how often images show
    it; and the words and captions that name the wrong group. By default, the grammar decides which group a
    caption names; --words uses a word list instead.

    Example: assess errors model1.json model2.json --groups attributes.csv --references val2014.json
    """,
)


# Measures of other inputs.

Tables = Annotated[
    list[Path],
    typer.Argument(
        metavar="TABLE...",
        help="CSV, TSV or JSON of scores, one row per system; several tables are joined by system.",
    ),
]


@bundled
def correlate(
    tables: Tables, settings: CorrelationSettings = _CORRELATION, outputs: Outputs = PRINTED
) -> None:
    """Correlate scores: matrices over systems, or predictors of a post-gen score.

    Without --post, computes Spearman or Pearson correlations between all columns (van Miltenburg et al. 2018,
    Figures 2 and 6). With --post, ranks all other columns by how well they predict it, with R², R, p and
    Spearman's rho, by data set (Tanti et al. 2018). Accepts the JSON of diversity, recall and syntax.

    Example: assess correlate diversity.json recall.json --columns asl,sdsl,types,ttr1,ttr2,local.micro.5
    """
    from assess.measures.correlation.run import run_correlation

    outputs.check()
    outputs.present(run_correlation(tables, settings))


Probabilities = Annotated[
    str,
    typer.Argument(
        metavar="[NAME=]PROBS", help="Probabilities of the reference words: JSONL, NPZ or Parquet."
    ),
]


@bundled
def pregen(
    probabilities: Probabilities, settings: PregenSettings = _PREGEN, outputs: Outputs = PRINTED
) -> None:
    """Compute 504 pre-gen metrics, which predict caption quality before any caption is generated.

    The metrics use the probability that a model assigns to each reference word, and whether the word was its
    first choice (Tanti et al. 2018). With --scores, they are also computed for strata of images; --out writes
    these as a table for correlate.

    Example: assess pregen probabilities.jsonl --metric mean_max_normcount_prefix0
    """
    from assess.corpus import parse_source
    from assess.measures.pregen.run import run_pregen

    outputs.check()
    outputs.present(run_pregen(parse_source(probabilities), settings))


Gold = Annotated[
    str,
    typer.Argument(metavar="GOLD", help="Images with boxes and gold descriptions; - is standard input."),
]
Predicted = Annotated[
    list[str] | None,
    typer.Argument(metavar="[[NAME=]PREDICTED]...", help="The boxes that systems mention, one file each."),
]
Format = Annotated[
    str | None,
    typer.Option("--format", help="The input format: json, flickr30k or bracketed; detected by default."),
]
Boxes = Annotated[
    Path | None,
    typer.Option(
        "--boxes", metavar="PATH", help="Boxes of Flickr30k Entities: a JSON file, or the XML folder."
    ),
]
Concept = Annotated[
    str,
    typer.Option(
        "--concept", help="The concept of a Flickr30k box: its head word (head) or its category (category)."
    ),
]
Development = Annotated[
    str | None,
    typer.Option(
        "--development",
        metavar="FILE",
        help="Gold descriptions of other images, for baselines that count mentions.",
    ),
]


@bundled
def select(
    gold: Gold,
    predicted: Predicted = None,
    format: Format = None,  # noqa: A002 - the option's name is a contract
    boxes: Boxes = None,
    concept: Concept = "head",
    development: Development = None,
    settings: SelectionSettings = _SELECTION,
    outputs: Outputs = PRINTED,
) -> None:
    """Score which objects of an image are mentioned by systems, baselines and people.

    Reports precision, recall and F of the selected boxes, their order, baselines by number of boxes, the
    scores of people, and recall by category (Wang and Gaizauskas 2015). Without PREDICTED, only baselines and
    people are scored.

    Example: assess select gold.jsonl mine=chosen.jsonl --development dev.jsonl --domain people
    """
    from assess.corpus import parse_source
    from assess.measures.selection.run import run_selection

    outputs.check()
    result = run_selection(
        _gold_source(gold, format, boxes, concept),
        [parse_source(argument) for argument in predicted or ()],
        development=_gold_source(development, None, None, concept) if development else None,
        settings=settings,
    )
    outputs.present(result)


def _gold_source(path: str, format_: str | None, boxes: Path | None, concept: str) -> GoldSource:
    from assess.corpus import parse_source
    from assess.measures.selection.files import ConceptFrom, GoldSource

    choices: tuple[ConceptFrom, ...] = ("head", "category")
    source = parse_source(path, format=format_)
    return GoldSource(source, boxes, one_of(concept, choices, option="--concept"))


# The papers' tables.

Data = Annotated[Path, typer.Argument(metavar="DATA", help="The folder with the papers' data.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="PART", help="Run only this part; may be repeated.")
]
Sample = Annotated[
    int | None, typer.Option("--sample", min=1, metavar="N", help="Use only N images, for a quick test.")
]
Listed = Annotated[bool, typer.Option("--list", help="List the parts and the files they need, and exit.")]


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
    """Recompute the tables of the papers from their data, and explain any differences.

    All parts together annotate some 300,000 captions, which takes minutes the first time; use --only and
    --sample for a quick test.

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
    from assess.cli.console import print_table
    from assess.report.section import Table, row_of, text_columns, words
    from assess.reproduce.run import PARTS

    rows = []
    for part in PARTS.values():
        rows.append(row_of(part.name, part.title))
        rows += [row_of("", words(file, style="dim")) for file in part.needs]
    columns = text_columns("part", "table, and files in DATA")
    print_table(Table("parts", "Parts", columns, tuple(rows)))


# Measures of other packages.


class Commands(HelpfulGroup):
    """Our commands, and one for each measure of other packages, which are loaded on request."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*super().list_commands(ctx), *others()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name."""
        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name in others():
            single = typer.Typer(add_completion=False, rich_markup_mode=None)
            in_groups(single, {"Measure": {cmd_name: _command_of(find_measure(cmd_name))}})
            return typer.main.get_command(single)
        return found


def _command_of(measure: Measure) -> Any:
    text = measure.help or f"{measure.title}."
    return caption_command(measure.name, measure.settings, text, train=True, engine=None)
