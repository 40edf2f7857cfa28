"""Diversity and recall in an audit: computed if its inputs allow, from a single pass over the captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assess.corpus import Source, check_names
from assess.corpus.source import STANDARD_INPUT
from assess.disk_cache import Codec, DiskCache, code_digest
from assess.engine.captions import CaptionKeeper
from assess.engine.jobs import StoredResult
from assess.errors import InputError
from assess.measures.diversity.quantities import DiversityResult
from assess.measures.diversity.run import measure_diversity
from assess.measures.image_sets import read_inputs
from assess.measures.intervals import Resampling
from assess.measures.measure import Inputs, Result
from assess.measures.recall.quantities import RecallResult
from assess.measures.recall.run import measure_recall
from assess.measures.settings import DiversitySettings, RecallSettings
from assess.records import Depth

# Diversity and recall on disk: captions that were measured before need not be measured again.
#
# Measures depend on the bytes of all files, their names, how they are read, the model, the settings and our
# code; the key contains all of them.

MEASURES = DiskCache("measures", most=64)
_CODE = ("*.py", "corpus/*.py", "annotate/*.py", "engine/*.py", "measures/**/*.py")


MOST_CAPTIONS = 1_000_000
"""These measures keep all captions in memory, unlike an audit; with more captions, they must be requested."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured besides categories; None if the inputs do not allow it."""

    diversity: DiversityResult | None = None
    recall: RecallResult | None = None
    notes: tuple[str, ...] = ()  # what was not measured, and why
    others: Mapping[str, Result] = field(default_factory=dict)  # of measures that are not built in
    errors: Result | None = None  # if a file states the groups of images

    @property
    def results(self) -> list[Result]:
        """The results, in the order in which they are shown."""
        ours = [result for result in (self.errors, self.diversity, self.recall) if result is not None]
        return [*ours, *self.others.values()]


@dataclass(frozen=True, slots=True)
class MeasuresData:
    """What is stored on disk: the measures of this module."""

    diversity: DiversityResult | None
    recall: RecallResult | None
    notes: tuple[str, ...]


_CODEC: Codec[Measures, MeasuresData] = Codec(
    MeasuresData,
    lambda measures: MeasuresData(measures.diversity, measures.recall, measures.notes),
    lambda data: Measures(data.diversity, data.recall, data.notes),
)

NOTHING_MEASURED = Measures()
THOUSAND_RESAMPLES = Resampling()


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """Which measures to compute, and how."""

    training: tuple[Source, ...] = ()
    model: str | None = None
    resampling: Resampling | None = THOUSAND_RESAMPLES


def run_measures(
    inputs: Inputs, request: MeasureRequest, *, captions: int, kept: CaptionKeeper | None = None
) -> Measures:
    """Measure diversity and, if there are references, recall; `captions` is the number of all captions.

    The numbers are those of `assess diversity` and `assess recall` with intervals. Captions that another job
    has `kept` are not read again.
    """
    check_names(inputs.all_sources)
    if reason := _reason_against(inputs.all_sources, captions):
        return Measures(notes=(f"diversity and recall are not measured: {reason}",))
    stored = _stored(inputs, request)
    measures = stored.take() if stored else None
    if measures is None:
        measures = _measured(inputs, request, kept)
        if stored and measures.diversity is not None:
            stored.put(measures, hashes=[item.sha256 for item in measures.diversity.signature.inputs])
    return measures


def caption_keeper(inputs: Inputs, request: MeasureRequest) -> CaptionKeeper | None:
    """Return what keeps the captions for measures; None if results are stored or no captions are needed."""
    stored = None if _reason_against(inputs.all_sources, 0) else _stored(inputs, request)
    return None if stored and stored.take() else CaptionKeeper(_depth(inputs), most=MOST_CAPTIONS)


def _depth(inputs: Inputs) -> Depth:
    """Return the depth that the measures need: diversity counts words, recall counts content words."""
    return Depth.TAGS if inputs.references else Depth.WORDS


def _stored(inputs: Inputs, request: MeasureRequest) -> StoredResult[Measures] | None:
    """Return where the measures are or may be stored on disk; None if they must not be stored."""
    origin = inputs.running.annotations.origin
    if origin is None:
        return None
    groups = (inputs.systems, inputs.references, inputs.training)
    everything = [source for group in groups for source in group]
    key = (
        origin,
        code_digest(*_CODE),
        repr(request.resampling),
        *(str(len(group)) for group in groups),
        *(source.name for source in everything),
    )
    return StoredResult(MEASURES, everything, key, _CODEC)


def _measured(inputs: Inputs, request: MeasureRequest, kept: CaptionKeeper | None) -> Measures:
    systems, humans, known = read_inputs(inputs, depth=_depth(inputs), kept=kept)
    resampling = request.resampling or THOUSAND_RESAMPLES
    chosen: dict[str, Any] = {
        "model": request.model,
        "intervals": request.resampling is not None,
        "resamples": resampling.resamples,
        "seed": resampling.seed,
    }
    diversity = measure_diversity(systems, humans, known, DiversitySettings(**chosen), model=inputs.model)
    if not humans:
        return Measures(diversity)
    try:
        recall = measure_recall(systems, humans, known, RecallSettings(**chosen), model=inputs.model)
    except InputError as error:  # no shared images: an error for `assess recall`, but not for an audit
        return Measures(diversity, notes=(f"recall is not measured: {error.problems[0].message}",))
    return Measures(diversity, recall)


def _reason_against(sources: Sequence[Source], captions: int) -> str | None:
    if any(source.path == STANDARD_INPUT for source in sources):
        return (
            "this takes a second pass over the captions, and standard input can be read only once;"
            " give a file"
        )
    if captions > MOST_CAPTIONS:
        return (
            f"{captions:,} captions are more than the {MOST_CAPTIONS:,} that an audit keeps in memory;"
            " use `assess diversity` and `assess recall`"
        )
    return None
