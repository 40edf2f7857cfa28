"""Captions as words, read and tokenised by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.corpus import Source
from assess.engine.cluster_reading import GrowingProgress, read_there
from assess.engine.corpora import Keep, Progress, WordCorpus, WordReader
from assess.engine.dask_client import DaskCluster
from assess.engine.dask_partitions import PartitionRun
from assess.engine.partition_jobs import WordJob
from assess.engine.partition_work import versions_of
from assess.engine.word_counts import WordCounts


class ClusterWords(WordReader):
    """A reader of words whose workers read what they can. Sources are to be asked for in their order."""

    def __init__(
        self,
        cluster: DaskCluster,
        sources: Sequence[Source],
        *,
        model: str | None = None,
        ship: bool | None = None,
        texts: bool = False,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(model)
        self._there = read_there(cluster, sources, ship=ship)
        job = WordJob(self.model, versions_of(self.model), texts=texts)
        run: PartitionRun[WordCounts] = PartitionRun(cluster, job)
        told = GrowingProgress(progress)
        self._counts: Iterator[WordCounts] = run.counts(
            self._there, lambda counts: told.tell(counts.corpus.system, counts.corpus.captions)
        )

    def read(
        self, source: Source, *, keep: Keep | None = None, progress: Progress | None = None
    ) -> WordCorpus:
        """Return the captions of a source."""
        if keep is not None or source not in self._there:
            return super().read(source, keep=keep, progress=progress)
        return next(self._counts).words()
