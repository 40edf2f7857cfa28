"""`assess diversity`: how varied the language of captions is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, ClusterOptions, bundled
from assess.cli.output import PRINTED, Outputs
from assess.engine.cluster import ClusterRequest
from assess.measures.settings import DiversitySettings

if TYPE_CHECKING:
    from assess.corpus import Source
    from assess.engine.corpora import Progress, WordReader

_AS_USUAL = DiversitySettings()


@bundled
def diversity(
    files: options.Files,
    references: options.References = None,
    train: options.Train = None,
    settings: DiversitySettings = _AS_USUAL,
    cluster: ClusterOptions = HERE,
    fields: CaptionFields = AS_FOUND,
    outputs: Outputs = PRINTED,
) -> None:
    """How varied captions are: lengths, types, type-token ratios, novelty, curves.

    The columns of van Miltenburg et al. (2018), Table 1, and later measures. References are a row of their
    own, measured for each parallel description and averaged.

    Example: assess diversity model1.json model2.json --references val2014.json --train train2014.json
    """
    from assess.cli.console import progress_bars
    from assess.corpus import parse_source
    from assess.measures.diversity.run import run_diversity
    from assess.measures.measure import Inputs

    outputs.check()
    systems, humans = fields.sources(files, references)
    training = [parse_source(argument) for argument in train or ()]
    request = cluster.request()
    with (
        progress_bars([*training, *systems, *humans], totals=request is None) as progress,
        _words(request, [*systems, *humans], training, settings, progress) as words,
    ):
        inputs = Inputs(systems, humans, training)
        result = run_diversity(inputs, settings, progress=progress, words=words)
    outputs.present(result, warnings=[*result.warnings, *_order_notes(result.notes)])


def _order_notes(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if note.startswith("the order of the file")]


@contextmanager
def _words(
    request: ClusterRequest | None,
    sources: list[Source],
    training: list[Source],
    settings: DiversitySettings,
    progress: Progress | None,
) -> Iterator[WordReader | None]:
    """Give the workers that read captions as words; None where they are read here."""
    if request is None:
        yield None
        return
    from contextlib import closing

    from assess.measures.cluster import ClusterWords

    # The paper compares whole texts with those of training; all else is told by words.
    texts = settings.mode == "paper" and bool(training)
    with closing(request.connect()) as cluster:
        yield ClusterWords(
            cluster, sources, model=settings.model, ship=request.ship, texts=texts, progress=progress
        )
