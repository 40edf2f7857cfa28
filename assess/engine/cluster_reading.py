"""Who reads what: files that all workers see are read there, in partitions; the rest is read here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assess.annotate.model import choose_model
from assess.audit.pairing import images_of
from assess.corpus import Source
from assess.corpus.cutting import divides
from assess.corpus.source import STANDARD_INPUT
from assess.engine.counting import LocalReading, Progress
from assess.engine.dask_client import DaskCluster
from assess.engine.dask_partitions import PartitionRun
from assess.engine.label_counts import LabelCounts
from assess.engine.partition_images import ImageIds, ImageJob
from assess.engine.partition_jobs import LabelJob
from assess.engine.partition_work import versions_of
from assess.errors import UsageError, visible
from assess.taxonomy import Taxonomy

_SHIP = "leave --no-ship out, or add --ship, to read it here"


def read_there(cluster: DaskCluster, sources: Sequence[Source], *, ship: bool | None) -> list[Source]:
    """Return the sources that workers read.

    With `ship` none; with False all, or an error that says why not; with None those that can be read in
    partitions and that every worker sees.
    """
    if ship:
        return []
    if ship is False:
        for source in sources:
            _check(cluster, source)
        return list(sources)
    return [
        source
        for source in sources
        if _why_not(source) is None and divides(source) and _blind(cluster, source) is None
    ]


def _check(cluster: DaskCluster, source: Source) -> None:
    reason = _why_not(source)
    if reason is None and (worker := _blind(cluster, source)):
        reason = f"the worker at {worker} does not see the file that is here"
    if reason is not None:
        raise UsageError(f"workers cannot read '{visible(source.file)}': {reason}", hint=_SHIP)


def _why_not(source: Source) -> str | None:
    """Say what keeps any worker from reading a source."""
    if source.path == STANDARD_INPUT:
        return "only this process has its standard input"
    if source.join is not None:
        return "--join is about the file as a whole"
    if source.split is not None:
        return "--split is about the file as a whole"
    missing = [path for path in source.parts or (source.path,) if not Path(path).is_file()]
    return f"there is no file '{visible(missing[0])}'" if missing else None


def _blind(cluster: DaskCluster, source: Source) -> str | None:
    """Return a worker that does not see a source. Of many parts the first and the last are looked for."""
    files = source.parts or (source.path,)
    return cluster.blind_worker({path: Path(path).stat().st_size for path in {files[0], files[-1]}})


@dataclass(frozen=True, slots=True)
class ClusterReading:
    """Audits with the workers of a cluster: they read, annotate, find labels and count."""

    cluster: DaskCluster
    taxonomy: Taxonomy
    model: str | None = None
    join_of: bool = True
    after: bool = True
    cache: bool = True
    ship: bool | None = None

    def read(self, sources: Sequence[Source], here: LocalReading, /) -> dict[str, LabelCounts]:
        """Return the counts of sources, by name; those that workers cannot read are read here."""
        there = read_there(self.cluster, sources, ship=self.ship)
        if not there:
            return here.read(sources)
        run: PartitionRun[LabelCounts] = PartitionRun(self.cluster, self._job(here))
        told = _Told(here)
        counts = run.counts(there, told.grown)
        return {source.name: next(counts) if source in there else here.count(source) for source in sources}

    def images(self, sources: Sequence[Source], /) -> dict[Source, set[str]]:
        """Return the image ids of sources."""
        there = read_there(self.cluster, sources, ship=self.ship)
        model = choose_model(self.model)
        run: PartitionRun[ImageIds] = PartitionRun(self.cluster, ImageJob(model, versions_of(model)))
        found = run.counts(there, lambda _: None)
        return {
            source: next(found).images if source in there else images_of([source])[source]
            for source in sources
        }

    def _job(self, here: LocalReading) -> LabelJob:
        model = choose_model(self.model)
        return LabelJob(
            taxonomy=self.taxonomy,
            model=model,
            versions=versions_of(model),
            join_of=self.join_of,
            after=self.after,
            by_image=here.by_image,
            mentions=here.mentions is not None,
            cache=self.cache,
        )


class _Told:
    """Passes on what has come of a source: its mentions, in order, and how many captions are done."""

    def __init__(self, here: LocalReading) -> None:
        self._here = here
        self._progress = GrowingProgress(here.progress)

    def grown(self, counts: LabelCounts) -> None:
        if self._here.mentions is not None:
            for mention, text in counts.rows:
                self._here.mentions(mention, text)
        counts.rows.clear()
        self._progress.tell(counts.corpus.system, counts.corpus.captions)


class GrowingProgress:
    """Tells how many captions are new, where only sums are known."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._told: dict[str, int] = {}

    def tell(self, system: str, captions: int) -> None:
        """Tell that a system has so many captions by now."""
        if self._progress is not None:
            self._progress(system, captions - self._told.get(system, 0))
            self._told[system] = captions
