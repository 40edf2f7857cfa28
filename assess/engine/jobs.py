"""Jobs, which define what to compute from captions, and the engines that run them.

A measure passes a job and sources to an engine, and gets a result for each source. The results of parts can
be added, so the measure does not depend on where its sources are read, or in how many parts.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, Source
from assess.corpus.source import STANDARD_INPUT
from assess.disk_cache import Codec, DiskCache
from assess.engine.annotating import Annotate, AnnotationService, Step
from assess.engine.pool import placed
from assess.errors import InputError, Place, visible
from assess.limits import chosen_limits
from assess.records import Annotation, Caption

Progress = Callable[[str, int], None]
"""Called with a source's name and the number of its captions finished since the last call.

The first call for a source has 0, or the number of captions whose result is already known.
"""


@dataclass
class SourceCounts:
    """Results from a source or a part of it. Parts are added in order."""

    corpus: CorpusTally

    @property
    def summary(self) -> CorpusSummary:
        """A summary of what was read, once the source is complete."""
        return self.corpus.summary()

    def empty(self) -> Self:
        """Return an empty result of the same source."""
        return type(self)(CorpusTally(self.corpus.system))

    def add(self, other: Self, /) -> None:
        """Add the result of the next part, which is unchanged."""
        self.corpus.add(other.corpus)


Result = TypeVar("Result", bound=SourceCounts)
Stored = TypeVar("Stored")
Reading = Callable[[CaptionReader, Step | None], Result]
"""Reads a source or a part of one, and returns its result."""


class Job(ABC, Generic[Result]):
    """What to compute from captions. Jobs are small, because they are sent to other machines."""

    @property
    def key(self) -> tuple[str, ...] | None:
        """Everything that results depend on besides captions and model; None if they cannot be reused."""
        return None

    @property
    def codec(self) -> Codec[Result, Any] | None:
        """How to store results for later runs on the same files; None if they are not stored."""
        return None

    @abstractmethod
    def start(self, annotations: AnnotationService) -> Reading[Result]:
        """Do the slow preparations, and return a reading that processes sources one by one, in one thread."""


class Engine(Protocol):
    """Runs jobs, on this machine or on others."""

    @property
    def annotations(self) -> AnnotationService:
        """The annotation service for texts that are read here, which knows the model."""
        ...

    def run(
        self,
        job: Job[Result],
        sources: Sequence[Source],
        *,
        progress: Progress | None = None,
        grown: Callable[[Result], None] | None = None,
    ) -> dict[str, Result]:
        """Run a job on all sources in order, and return the results by the sources' names.

        `grown` is called with a result each time something that was read elsewhere has been added to it.
        """
        ...

    def close(self) -> None:
        """Close processes, connections and files."""
        ...


class LocalEngine:
    """Reads in this process; texts are annotated by its service."""

    def __init__(self, annotations: AnnotationService) -> None:
        self.annotations = annotations

    def run(
        self,
        job: Job[Result],
        sources: Sequence[Source],
        *,
        progress: Progress | None = None,
        grown: Callable[[Result], None] | None = None,
    ) -> dict[str, Result]:
        """Run a job on all sources, one after the other."""
        read = self.reader(job, progress, grown)
        return {source.name: read(source) for source in sources}

    def reader(
        self, job: Job[Result], progress: Progress | None, grown: Callable[[Result], None] | None = None
    ) -> Callable[[Source], Result]:
        """Return a function that runs the job on one source."""
        return partial(self._read, job.start(self.annotations), job, progress, grown)

    def _read(
        self,
        reading: Reading[Result],
        job: Job[Result],
        progress: Progress | None,
        grown: Callable[[Result], None] | None,
        source: Source,
    ) -> Result:
        step = partial(progress, source.name) if progress else None
        origin = self.annotations.origin
        if origin is None or job.key is None or job.codec is None:
            return _begin(reading, source, step)
        stored = StoredResult(COUNTS, [source], (origin, *job.key), job.codec)
        result = stored.take()
        if result is None:
            result = _begin(reading, source, step)
            stored.put(result, hashes=[result.summary.sha256])
        else:
            result.corpus.system = source.name  # the name may differ between runs
            if grown is not None:
                grown(result)
            if step is not None:
                step(result.corpus.captions)
        return result

    def close(self) -> None:
        """End the annotating processes, and close the cache."""
        self.annotations.close()


def _begin(reading: Reading[Result], source: Source, step: Step | None) -> Result:
    if step is not None:
        step(0)
    return reading(CaptionReader(source), step)


def in_this_process(model: str | None = None) -> LocalEngine:
    """Return an engine that does everything in this process, without a cache."""
    return LocalEngine(AnnotationService(model, processes=1, cache=False))


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """Where to run: on this machine, or on a Dask cluster."""

    processes: int | None = None  # processes that annotate on this machine; None: one for each core
    cache: bool = True
    scheduler: str | None = None  # address of the scheduler
    ship: bool | None = None  # whether to read files here and send texts to the cluster; None: if necessary

    @property
    def reads_here(self) -> bool:
        """Whether this process reads all files."""
        return self.scheduler is None or bool(self.ship)

    def open(self, model: str | None) -> Engine:
        """Return the engine, which the caller must close."""
        if self.scheduler is None:
            return LocalEngine(AnnotationService(model, processes=self.processes, cache=self.cache))
        from assess.engine.dask import DaskEngine

        return DaskEngine(self.scheduler, model, ship=self.ship, cache=self.cache)


THIS_MACHINE = EngineRequest()

Block = tuple[list[Caption], Iterable[tuple[str, Annotation]]]


def annotated_blocks(
    captions: CaptionReader,
    annotate: Annotate,
    *,
    size: int,
    known: Container[str] = (),
    images: Container[str] | None = None,
    progress: Step | None = None,
) -> Iterator[Block]:
    """Yield captions in blocks, each with the annotations of its new texts."""
    waiting = iter(captions)
    while block := list(islice(waiting, size)):
        chosen = block if images is None else [caption for caption in block if caption.image in images]
        new = list(dict.fromkeys(caption.text for caption in chosen if caption.text not in known))
        if progress is not None:
            progress(len(block) - len(new))
        try:
            annotations = annotate(new, progress=progress) if new else iter(())
        except InputError as error:
            raise captions.placed(placed(error, chosen, file=captions.source.file)) from None
        yield chosen, zip(new, annotations, strict=True)


def note_caption(error: Exception, captions: CaptionReader, block: Iterable[Caption], text: str) -> None:
    """Add a note to an unexpected error that names the current caption, since a file may have millions."""
    record = next(caption.record for caption in block if caption.text == text)
    place = (
        captions.placed(InputError("", place=Place(captions.source.file, record=record))).problems[0].place
    )
    error.add_note(f'while reading {place}: "{visible(text, 80)}"')


# Results on disk, so that files that were read before need not be read again.
#
# Results depend on the bytes of the files, how these are read, the model, the job's settings and our code;
# the key contains all of them.

COUNTS = DiskCache("counts", most=256)


class StoredResult(Generic[Stored]):
    """The result for some sources, if it is or may be stored on disk."""

    def __init__(
        self, cache: DiskCache, sources: Sequence[Source], key: Sequence[str], codec: Codec[Stored, Any]
    ) -> None:
        """`key` contains everything that the result depends on besides the sources."""
        hashes = [_file_hashes(source) for source in sources]
        self._cache, self._codec = cache, codec
        self._storable = all(hashes)
        self._whole = {_whole_hash(found) for found in hashes if found}
        reading = (part for source in sources for part in _how_it_is_read(source))
        self._key = (*key, *reading, *(value for found in hashes for value in found))

    def take(self) -> Stored | None:
        """Return the result for the current files, if it is stored."""
        return self._cache.take(self._key, self._codec) if self._storable else None

    def put(self, result: Stored, *, hashes: Iterable[str]) -> None:
        """Store a result for files with these `hashes`, unless the files have changed meanwhile."""
        if self._storable and self._whole <= set(hashes):
            self._cache.put(self._key, result, self._codec)


def _how_it_is_read(source: Source) -> tuple[str, ...]:
    """Return what determines, besides the bytes of its files, which captions a source has."""
    return (
        *(repr(part) for part in (source.format, source.id_field, source.caption_field, source.split)),
        file_sha256(source.join) or "" if source.join else "",
        repr(source.number_ids),
        *(Path(path).name for path in source.parts or (source.path,)),  # the name may determine the format
        repr(chosen_limits()),
    )


def _file_hashes(source: Source) -> tuple[str, ...]:
    """Return the hashes of a source's files; empty if they cannot be read twice."""
    if source.path == STANDARD_INPUT or source.gold:
        return ()
    hashes = [file_sha256(path) for path in source.parts or (source.path,)]
    return () if None in hashes else tuple(filter(None, hashes))


def _whole_hash(hashes: Sequence[str]) -> str:
    """Return the hash that a summary has for files with these hashes."""
    return CorpusTally("", hashes=dict(enumerate(hashes))).sha256


def file_sha256(path: str) -> str | None:
    """Return the hash of a file, or None if it cannot be read twice."""
    try:
        if not Path(path).is_file():
            return None  # a pipe can be read only once
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None  # the error is reported when the file is read
