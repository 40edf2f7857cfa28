"""Diversity and recall beside an audit: what its files allow, from one reading of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assess.corpus import Source, check_names
from assess.corpus.source import STANDARD_INPUT
from assess.disk_cache import DiskCache
from assess.engine.annotating import AnnotationService
from assess.engine.corpora import Progress, TaggedReader, WordReader
from assess.errors import InputError
from assess.measures.coverage.run import file_hashes, how_it_is_read
from assess.measures.diversity.run import DiversityResult, measure_diversity
from assess.measures.image_sets import read_training
from assess.measures.intervals import Resampling
from assess.measures.measure import Result
from assess.measures.recall.run import RecallResult, measure_recall
from assess.measures.settings import DiversitySettings, RecallSettings
from assess.resources import code_digest

# Diversity and recall on disk: captions that were measured before need not be measured again.
#
# Measures depend on the bytes of all files, their names, how they are read, the model, the settings and our
# code, and all of these are in the key.

MEASURES = DiskCache("measures", rooms=("corpus", "engine", "measures", "signature"), most=64)
_CODE = ("*.py", "corpus/*.py", "annotate/*.py", "engine/*.py", "measures/**/*.py")


class KeptMeasures:
    """The measures of some sources, if they are kept or may be."""

    def __init__(self, sources: Sequence[Sequence[Source]], *, origin: str, settings: object) -> None:
        """Look for the measures of systems, references and training, each a list of its own."""
        everything = [source for group in sources for source in group]
        hashes = [file_hashes(source) for source in everything]
        self._whole = None not in hashes
        self._hashes = {found[0] for found in hashes if found and len(found) == 1}
        self._key = (
            origin,
            code_digest(*_CODE),
            repr(settings),
            *(str(len(group)) for group in sources),
            *(part for source in everything for part in (source.name, *how_it_is_read(source))),
            *(value for found in hashes for value in found or ()),
        )

    def take(self) -> Measures | None:
        """Return the measures of the files as they are now."""
        found: Measures | None = MEASURES.take(self._key) if self._whole else None
        return found

    def put(self, measures: Measures) -> None:
        """Keep measures, unless the files have changed since they were asked for."""
        read = {item.sha256 for item in measures.diversity.signature.inputs} if measures.diversity else set()
        if self._whole and self._hashes <= read:
            MEASURES.put(self._key, measures)


MOST_CAPTIONS = 1_000_000
"""These measures hold all captions in memory, which an audit does not; beyond this they must be asked for."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured beside the categories; None where the input does not allow it."""

    diversity: DiversityResult | None = None
    recall: RecallResult | None = None
    notes: tuple[str, ...] = ()  # what was not measured, and why
    others: Mapping[str, Result] = field(default_factory=dict)  # of measures that are not ours

    @property
    def results(self) -> list[Result]:
        """What was measured, in the order in which it is shown."""
        ours = [result for result in (self.diversity, self.recall) if result is not None]
        return [*ours, *self.others.values()]


NOTHING_MEASURED = Measures()
THOUSAND_RESAMPLES = Resampling()


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """What the measures are asked for."""

    training: tuple[Source, ...] = ()
    model: str | None = None
    resampling: Resampling | None = THOUSAND_RESAMPLES


def run_measures(
    sources: Sequence[Source],
    references: Sequence[Source],
    request: MeasureRequest,
    *,
    captions: int,
    annotations: AnnotationService,
    progress: Progress | None = None,
) -> Measures:
    """Measure diversity, and recall where there are references; `captions` is the number of all captions.

    The numbers are those of `assess diversity` and `assess recall` with intervals.
    """
    check_names([*sources, *references, *request.training])
    if reason := _reason_against([*sources, *references, *request.training], captions):
        return Measures(notes=(f"diversity and recall are not measured: {reason}",))
    if annotations.origin is None:
        return _measured(sources, references, request, annotations, progress)
    groups = (sources, references, request.training)
    kept = KeptMeasures(groups, origin=annotations.origin, settings=request.resampling)
    measures = kept.take()
    if measures is None:
        measures = _measured(sources, references, request, annotations, progress)
        kept.put(measures)
    return measures


def _measured(
    sources: Sequence[Source],
    references: Sequence[Source],
    request: MeasureRequest,
    annotations: AnnotationService,
    progress: Progress | None,
) -> Measures:
    words = WordReader(request.model) if request.training else None
    known = read_training(words, request.training, mode="assess", progress=progress) if words else None
    reader = TaggedReader(annotations)
    systems = {source.name: reader.read(source, progress=progress) for source in sources}
    humans = [reader.read(source, progress=progress) for source in references]
    resampling = request.resampling or THOUSAND_RESAMPLES
    chosen: dict[str, Any] = {
        "model": request.model,
        "intervals": request.resampling is not None,
        "resamples": resampling.resamples,
        "seed": resampling.seed,
    }
    diversity = measure_diversity(
        {name: corpus.as_words() for name, corpus in systems.items()},
        [corpus.as_words() for corpus in humans],
        known,
        DiversitySettings(**chosen),
        model=reader.identity,
    )
    if not humans:
        return Measures(diversity)
    try:
        recall = measure_recall(systems, humans, known, RecallSettings(**chosen), model=reader.identity)
    except InputError as error:  # no image in common: that ends `assess recall`, but not an audit
        return Measures(diversity, notes=(f"recall is not measured: {error.problems[0].message}",))
    return Measures(diversity, recall)


def _reason_against(sources: Sequence[Source], captions: int) -> str | None:
    if any(source.path == STANDARD_INPUT for source in sources):
        return "they read the captions again, and standard input is read only once; give a file"
    if captions > MOST_CAPTIONS:
        return (
            f"{captions:,} captions are more than the {MOST_CAPTIONS:,} that are kept in memory unasked;"
            " `assess diversity` and `assess recall` measure them"
        )
    return None
