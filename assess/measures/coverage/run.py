"""Captions in, counts out: for a whole source in this process, or for a partition on a worker."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, Source
from assess.corpus.source import STANDARD_INPUT
from assess.disk_cache import DiskCache
from assess.engine.annotating import BLOCK, AnnotationService
from assess.engine.pool import placed
from assess.errors import InputError
from assess.grammar.labels import Found, LabelFinder
from assess.measures.bias.labels import MentionTable
from assess.measures.coverage.compute import CoverageTally
from assess.records import Caption, Mention
from assess.resources import code_digest

# The counts that one pass over captions leaves behind, and how the counts of parts add up.


@dataclass(slots=True)
class LabelCounts:
    """The counts of a system, or of the part of it that was read. Parts add up in the order of the files."""

    corpus: CorpusTally
    tally: CoverageTally = field(default_factory=CoverageTally)
    table: MentionTable = field(default_factory=MentionTable)  # empty where no groups are contrasted
    rows: list[tuple[Mention, str]] = field(default_factory=list)  # on their way to a sink, if any

    @property
    def summary(self) -> CorpusSummary:
        """What was read, once all of it was."""
        return self.corpus.summary()

    def empty(self) -> LabelCounts:
        """Return counts of nothing, of the same system."""
        return LabelCounts(CorpusTally(self.corpus.system))

    def add(self, other: LabelCounts) -> None:
        """Add the counts of the part that follows; its captions are numbered on from ours."""
        before = self.corpus.captions
        self.rows += (
            (replace(mention, caption=before + mention.caption), text) for mention, text in other.rows
        )
        self.corpus.add(other.corpus)
        self.tally.add_tally(other.tally)
        self.table.add_table(other.table)


# Labels of captions, worked out in this process, block by block.

__all__ = ["BLOCK", "LabelledCaption", "Labeller"]

REMEMBERED = 24_576  # texts whose labels are kept; captions repeat, within a system and between systems

Step = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class LabelledCaption:
    """A caption, how many chunks it has, and those that are labels of the domain."""

    caption: Caption
    chunks: int
    labels: tuple[Found, ...]


class TextLabels(NamedTuple):
    """How many chunks a text has, and those that are labels of the domain."""

    chunks: int
    labels: tuple[Found, ...]


class Labeller:
    """Finds the labels of captions. A text that is remembered is not worked out again."""

    def __init__(self, annotator: AnnotationService, finder: LabelFinder) -> None:
        self._annotator = annotator
        self.finder = finder
        self._remembered: dict[str, TextLabels] = {}

    @property
    def origin(self) -> str | None:
        """All that labels depend on besides captions and code; None where nothing may be kept on disk."""
        origin = self._annotator.origin
        return f"{origin}\0{self.finder.identity}" if origin is not None else None

    def label(
        self, captions: Iterable[Caption], *, progress: Step | None = None, file: str = ""
    ) -> Iterator[LabelledCaption]:
        """Yield captions with their labels, in order. The file is named where captions cannot be read."""
        waiting = iter(captions)
        while block := list(islice(waiting, self._annotator.appetite)):
            try:
                self._prepare([caption.text for caption in block], progress)
            except InputError as error:
                raise placed(error, block, file=file) from None
            for caption in block:
                found = self._remembered[caption.text]
                yield LabelledCaption(caption, found.chunks, found.labels)

    def _prepare(self, texts: list[str], progress: Step | None) -> None:
        if len(self._remembered) > REMEMBERED:
            for text in list(islice(self._remembered, len(self._remembered) // 2)):
                del self._remembered[text]  # the ones that came first
        new = list(dict.fromkeys(text for text in texts if text not in self._remembered))
        if progress and len(texts) > len(new):
            progress(len(texts) - len(new))
        if new:
            self._work_out(new, progress)

    def _work_out(self, texts: list[str], progress: Step | None) -> None:
        annotations = self._annotator.annotate(texts, progress=progress)
        for text, annotation in zip(texts, annotations, strict=True):
            found = self.finder.find(text, annotation)
            labels = tuple([chunk for chunk in found if self.finder.analyse(chunk.key).in_domain])
            self._remembered[text] = TextLabels(len(found), labels)


# The counts of caption files on disk: a file that was counted before need not be read again.
#
# Counts depend on the bytes of the files, how they are read, the model, the taxonomy and our code, and all
# of these are in the key.

COUNTS = DiskCache("counts", rooms=("corpus", "engine", "measures"), most=256)
_CODE = (
    "*.py",
    "corpus/*.py",
    "taxonomy/*.py",
    "grammar/*.py",
    "annotate/*.py",
    "engine/*.py",
    "measures/coverage/*.py",
    "measures/bias/labels.py",
)


class KeptCounts:
    """The counts of one source, if they are kept or may be."""

    def __init__(self, source: Source, *, origin: str, by_image: bool) -> None:
        self._source = source
        self._hashes = file_hashes(source)
        self._key = (
            origin,
            code_digest(*_CODE),
            str(by_image),
            *how_it_is_read(source),
            *(self._hashes or ()),
        )

    def take(self) -> LabelCounts | None:
        """Return the counts of the source's files as they are now."""
        found: LabelCounts | None = COUNTS.take(self._key) if self._hashes else None
        if found is not None:
            found.corpus.system = self._source.name  # names are given anew in every run
        return found

    def put(self, counts: LabelCounts) -> None:
        """Keep counts, unless the files have changed since they were asked for."""
        if self._hashes and sorted(counts.corpus.hashes.values()) == sorted(self._hashes):
            COUNTS.put(self._key, counts)


def how_it_is_read(source: Source) -> tuple[str, ...]:
    """Return what decides, beside the bytes of its files, which captions a source has."""
    return (
        *(repr(part) for part in (source.format, source.id_field, source.caption_field, source.split)),
        *(_sha256(source.join) or "" if source.join else "",),
        *(Path(path).name for path in source.parts or (source.path,)),  # the format may show in a name
    )


def file_hashes(source: Source) -> tuple[str, ...] | None:
    """Return the hashes of a source's files; None where they cannot be read twice."""
    if source.path == STANDARD_INPUT or source.gold:
        return None
    hashes = [_sha256(path) for path in source.parts or (source.path,)]
    return None if None in hashes else tuple(filter(None, hashes))


def _sha256(path: str) -> str | None:
    try:
        if not Path(path).is_file():
            return None  # a pipe gives its bytes only once
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None  # the reader will say what is wrong


Progress = Callable[[str, int], None]
"""Called with a system's name and the number of its captions that were finished since the last call."""

MentionSink = Callable[[Mention, str], None]
"""Called with every mention, in order, and the text of its caption."""


@dataclass(frozen=True, slots=True)
class LocalReading:
    """How captions are read and counted in this process."""

    labeller: Labeller
    by_image: bool  # groups are contrasted, so labels are kept by image
    progress: Progress | None = None
    mentions: MentionSink | None = None

    def count(self, source: Source) -> LabelCounts:
        """Return the counts of one source: those that are kept, or else new ones."""
        origin = self.labeller.origin
        if origin is None or self.mentions is not None:
            return self._count(source)
        kept = KeptCounts(source, origin=origin, by_image=self.by_image)
        counts = kept.take()
        if counts is None:
            counts = self._count(source)
            kept.put(counts)
        elif self.progress is not None:
            self.progress(source.name, counts.corpus.captions)
        return counts

    def _count(self, source: Source) -> LabelCounts:
        return count_labels(
            CaptionReader(source),
            self.labeller,
            by_image=self.by_image,
            progress=self.progress,
            mentions=self.mentions,
        )

    def read(self, sources: Sequence[Source]) -> dict[str, LabelCounts]:
        """Return the counts of sources, by name."""
        return {source.name: self.count(source) for source in sources}


class PartitionedReading(Protocol):
    """Other machines that read and count."""

    def read(self, sources: Sequence[Source], here: LocalReading, /) -> dict[str, LabelCounts]:
        """Return the counts of sources, by name; what others cannot read is read here."""
        ...

    def images(self, sources: Sequence[Source], /) -> Mapping[Source, Collection[str]]:
        """Return the image ids of sources, which costs little."""
        ...


def count_labels(
    reader: CaptionReader,
    labeller: Labeller,
    *,
    by_image: bool,
    progress: Progress | None = None,
    mentions: MentionSink | None = None,
) -> LabelCounts:
    """Read captions and count their labels; `by_image` where groups are contrasted."""
    name = reader.source.name
    tally, table = CoverageTally(), MentionTable()
    step = (lambda number: progress(name, number)) if progress else None
    try:
        for labelled in labeller.label(reader, progress=step, file=reader.source.file):
            labels = [label.key for label in labelled.labels]
            tally.add_caption(labelled.chunks, labels)
            if by_image:
                table.add_caption(labelled.caption.image, labels)
            if mentions is not None:
                for mention in _mentions(labelled):
                    mentions(mention, labelled.caption.text)
    except InputError as error:
        raise reader.placed(error) from None
    return LabelCounts(reader.tally, tally, table)


def _mentions(labelled: LabelledCaption) -> Iterator[Mention]:
    caption = labelled.caption
    for label in labelled.labels:
        yield Mention(caption.system, caption.image, caption.record, label.start, label.end, text=label.key)
