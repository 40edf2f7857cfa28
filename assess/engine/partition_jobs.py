"""What workers do with partitions: count labels for audits, or send back words for measures."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from assess.corpus import CaptionReader, Partition
from assess.engine.annotating import AnnotationService
from assess.engine.corpora import WordReader
from assess.engine.counting import count_labels
from assess.engine.label_counts import LabelCounts
from assess.engine.local import Labeller
from assess.engine.partition_work import kept
from assess.engine.word_counts import WordCounts, count_words
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.records import Mention
from assess.taxonomy import Taxonomy


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
