"""Who reads what: files that all workers see are read there, in partitions; the rest is read here."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from assess.annotate.model import choose_model
from assess.corpus import CaptionReader, CorpusTally, Partition, Source
from assess.corpus.partition import divides
from assess.corpus.source import STANDARD_INPUT
from assess.engine.annotating import AnnotationService
from assess.engine.corpora import Keep, WordCorpus, WordReader
from assess.engine.dask import DaskCluster
from assess.engine.partitions import ImageIds, ImageJob, PartitionRun, kept, versions_of
from assess.errors import UsageError, visible
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.measures.bias.references import images_of
from assess.measures.coverage.run import LabelCounts, Labeller, LocalReading, Progress, count_labels
from assess.records import Mention
from assess.taxonomy import Taxonomy

# The words of captions as codes: what a partition sends back for measures that read captions in order.
#
# Windows of words run over the ends of partitions. The codes of all partitions, one after the other, are
# the codes of the whole, so such measures stay exact wherever a file was cut.


@dataclass(slots=True)
class WordCounts:
    """The captions of a system, or of a part of it, in order: four bytes a word, and their images."""

    corpus: CorpusTally
    vocabulary: dict[str, int] = field(default_factory=dict)
    codes: array[int] = field(default_factory=lambda: array("i"))
    lengths: array[int] = field(default_factory=lambda: array("i"))  # words of each caption
    images: list[str] = field(default_factory=list)  # of each caption
    texts: list[str] = field(default_factory=list)  # of each caption, where they are asked for

    def empty(self) -> WordCounts:
        """Return counts of nothing, of the same system."""
        return WordCounts(CorpusTally(self.corpus.system))

    def add(self, other: WordCounts) -> None:
        """Add the captions of the part that follows."""
        ours = self.vocabulary
        recoded = np.array([ours.setdefault(word, len(ours)) for word in other.vocabulary], dtype=np.int32)
        codes = np.frombuffer(other.codes, dtype=np.int32)
        self.codes.frombytes(recoded[codes].tobytes())
        self.corpus.add(other.corpus)
        self.lengths += other.lengths
        self.images += other.images
        self.texts += other.texts

    def words(self) -> WordCorpus:
        """Return the captions as the measures read them. Texts that nobody asked for are empty."""
        strings = list(map(list(self.vocabulary).__getitem__, self.codes))
        ends = np.cumsum(np.frombuffer(self.lengths, dtype=np.int32), dtype=np.int64).tolist()
        starts = [0, *ends]
        return WordCorpus(
            self.corpus.summary(),
            tuple(self.images),
            tuple(self.texts) or ("",) * len(self.images),
            tuple(tuple(strings[start:end]) for start, end in zip(starts, ends, strict=False)),
        )


def count_words(captions: CaptionReader, reader: WordReader, *, texts: bool) -> WordCounts:
    """Read captions as words."""
    found = WordCounts(CorpusTally(captions.source.name))
    for caption, words in reader.stream(captions):
        codes = found.vocabulary
        found.codes.extend([codes.setdefault(word, len(codes)) for word in words])
        found.lengths.append(len(words))
        found.images.append(caption.image)
        if texts:
            found.texts.append(caption.text)
    found.corpus = captions.tally
    return found


# What workers do with partitions: count labels for audits, or send back words for measures.


@dataclass(frozen=True)
class LabelJob:
    """Find the labels of captions and count them."""

    taxonomy: Taxonomy
    model: str
    versions: str
    join_of: bool
    after: bool
    by_image: bool
    mentions: bool  # they are sent back too, with their captions
    cache: bool  # may be used, where the worker has one

    def count(self, partition: Partition) -> LabelCounts:
        """Read a partition and count its labels."""
        reader, rows = CaptionReader(partition.source, partition), list[tuple[Mention, str]]()

        def keep(mention: Mention, text: str) -> None:
            # Captions count from the partition's first here, and are numbered on when parts are added.
            rows.append((replace(mention, caption=mention.caption - reader.before), text))

        key = (self.taxonomy.identity, self.model, self.join_of, self.after, self.cache)
        labeller = kept("labels", key, self._labeller)
        sink = keep if self.mentions else None
        counts = count_labels(reader, labeller, by_image=self.by_image, mentions=sink)
        counts.rows = rows
        return counts

    def _labeller(self) -> Labeller:
        # On a worker nobody knows whether the home folder is a network drive, where SQLite's locks do
        # not work. So there is a cache only where somebody said where to put it.
        cache = self.cache and "ASSESS_CACHE" in os.environ
        service = AnnotationService(self.model, processes=1, cache=cache)
        return Labeller(service, LabelFinder(Parser(self.taxonomy), join_of=self.join_of, after=self.after))


@dataclass(frozen=True)
class WordJob:
    """Find the words of captions and send them back as codes."""

    model: str
    versions: str
    texts: bool  # they are sent back too

    def count(self, partition: Partition) -> WordCounts:
        """Read a partition as words."""
        reader = kept("words", self.model, lambda: WordReader(self.model))
        return count_words(CaptionReader(partition.source, partition), reader, texts=self.texts)


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


# Captions as words, read and tokenised by the workers of a cluster.


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
