"""Captions in, counts out: for a whole source in this process, or for a partition on a worker."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assess.audit.mentions import MentionTable
from assess.corpus import CaptionReader, Source
from assess.engine.kept_counts import KeptCounts
from assess.engine.label_counts import LabelCounts
from assess.engine.local import LabelledCaption, Labeller
from assess.errors import InputError
from assess.metrics.coverage import CoverageTally
from assess.records import Mention

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
