"""The measures, from Python: captions or files in, the result of the command out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from assess.api.functions import Captions, File, sources_of
from assess.corpus import parse_source
from assess.errors import UsageError
from assess.measures.measure import Inputs, Result
from assess.measures.registry import find_measure

if TYPE_CHECKING:
    from assess.measures.correlation.run import CorrelationResult
    from assess.measures.diversity.result import DiversityResult
    from assess.measures.postgen.run import PostgenResult
    from assess.measures.pregen.run import PregenResult
    from assess.measures.recall.run import RecallResult
    from assess.measures.selection.result import SelectionResult
    from assess.measures.syntax.run import SyntaxResult


def measure(
    name: str,
    captions: Captions,
    *,
    references: Captions | None = None,
    train: Captions | None = None,
    **settings: Any,
) -> Result:
    """Run a measure by its name, ours or one that was registered.

    `captions`, `references` and `train` are files, or captions in memory, as for `assess.audit`; `settings`
    are the options of the command, with underscores: `resamples=200` for `--resamples 200`.
    """
    found = find_measure(name)
    if found.run is None:
        raise UsageError(f"{name} does not measure captions", hint=f"see help(assess.{name})")
    chosen = found.settings.chosen(**settings)
    with tempfile.TemporaryDirectory(prefix="assess-captions-") as folder:
        systems, humans, training = (
            sources_of(given, Path(folder), name=role)
            for given, role in ((captions, "captions"), (references, "references"), (train, "train"))
        )
        return found.run(Inputs(systems, humans, training), chosen)


def diversity(
    captions: Captions,
    *,
    references: Captions | None = None,
    train: Captions | None = None,
    **settings: Any,
) -> DiversityResult:
    """Measure how varied captions are: the numbers of `assess diversity`."""
    return cast(
        "DiversityResult", measure("diversity", captions, references=references, train=train, **settings)
    )


def recall(
    captions: Captions, *, references: Captions, train: Captions | None = None, **settings: Any
) -> RecallResult:
    """Measure which words of the references captions use: the numbers of `assess recall`."""
    return cast("RecallResult", measure("recall", captions, references=references, train=train, **settings))


def syntax(captions: Captions, **settings: Any) -> SyntaxResult:
    """Measure compounds, prepositional phrases and sentences: the numbers of `assess syntax`."""
    return cast("SyntaxResult", measure("syntax", captions, **settings))


def postgen(captions: Captions, *, references: Captions, **settings: Any) -> PostgenResult:
    """Score captions against references, by BLEU and CIDEr: the numbers of `assess postgen`."""
    return cast("PostgenResult", measure("postgen", captions, references=references, **settings))


def select(
    gold: File, predicted: Sequence[File] = (), *, development: File | None = None, **settings: Any
) -> SelectionResult:
    """Score which boxes of images are mentioned: the numbers of `assess select`."""
    from assess.measures.selection.files import GoldSource
    from assess.measures.selection.run import run_selection
    from assess.measures.settings import SelectionSettings

    return run_selection(
        GoldSource(parse_source(os.fspath(gold))),
        [parse_source(os.fspath(file)) for file in predicted],
        development=GoldSource(parse_source(os.fspath(development))) if development is not None else None,
        settings=SelectionSettings.chosen(**settings),
    )


def pregen(probabilities: File, **settings: Any) -> PregenResult:
    """Score a model by the probabilities of reference words: the numbers of `assess pregen`."""
    from assess.measures.pregen.run import run_pregen
    from assess.measures.settings import PregenSettings

    return run_pregen(parse_source(os.fspath(probabilities)), PregenSettings.chosen(**settings))


def correlate(tables: File | Sequence[File], **settings: Any) -> CorrelationResult:
    """Correlate the columns of tables of scores: the numbers of `assess correlate`."""
    from assess.measures.correlation.run import run_correlation
    from assess.measures.settings import CorrelationSettings

    given = [tables] if isinstance(tables, str | os.PathLike) else tables
    return run_correlation([Path(table) for table in given], CorrelationSettings.chosen(**settings))
