"""Captions in, counts of their labels out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, TallyData
from assess.disk_cache import Codec
from assess.engine.annotating import AnnotationService, Step
from assess.engine.jobs import Job, Reading, annotated_blocks, note_caption
from assess.grammar import Grammar
from assess.grammar.captions import Unit
from assess.grammar.labels import Found, LabelFinder
from assess.grammar.parser import Parser
from assess.measures.bias.labels import MentionTable, TableData
from assess.measures.coverage.compute import CoverageTally
from assess.records import Caption, Mention
from assess.resources import code_digest

MentionSink = Callable[[Mention, str], None]
"""Called with every mention, in order, and the text of its caption."""

REMEMBERED = 24_576  # texts whose labels are kept; captions repeat, within a system and between systems


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


@dataclass(frozen=True, slots=True)
class CountsData:
    """Counts as they are kept on disk: there are no rows on their way then."""

    corpus: TallyData
    tally: CoverageTally
    table: TableData


_CODEC: Codec[LabelCounts, CountsData] = Codec(
    CountsData,
    lambda counts: CountsData(counts.corpus.to_data(), counts.tally, counts.table.to_data()),
    lambda data: LabelCounts(data.corpus.tally(), data.tally, MentionTable.from_data(data.table)),
)


class TextLabels(NamedTuple):
    """How many chunks a text has, and the labels of the domain among them."""

    chunks: int
    labels: tuple[Found, ...]  # those that are counted
    repeated: tuple[Found, ...]  # further mentions of the same people


class Labeller:
    """Finds the labels of captions. A text that is remembered is not worked out again."""

    def __init__(self, annotations: AnnotationService, finder: LabelFinder) -> None:
        self._annotations = annotations
        self._finder = finder
        self._remembered: dict[str, TextLabels] = {}

    def label(
        self, captions: CaptionReader, *, progress: Step | None = None
    ) -> Iterator[tuple[Caption, TextLabels]]:
        """Yield captions with their labels, in order."""
        annotations, remembered = self._annotations, self._remembered
        blocks = annotated_blocks(
            captions,
            annotations.annotate,
            size=annotations.block_size,
            known=remembered,
            progress=progress,
        )
        for block, new in blocks:
            for text, annotation in new:
                try:
                    remembered[text] = _text_labels(self._finder.find(text, annotation))
                except Exception as error:
                    note_caption(error, captions, block, text)
                    raise
            for caption in block:
                yield caption, remembered[caption.text]
            if len(remembered) > REMEMBERED:
                for text in list(islice(remembered, len(remembered) // 2)):
                    del remembered[text]  # the ones that came first


def _text_labels(found: tuple[Found, ...]) -> TextLabels:
    return TextLabels(
        len({(chunk.start, chunk.end) for chunk in found if chunk.chunk}),
        tuple([chunk for chunk in found if chunk.person and not chunk.repeats]),
        tuple([chunk for chunk in found if chunk.repeats]),
    )


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


@dataclass(frozen=True)
class LabelJob(Job[LabelCounts]):
    """Find the labels of captions and count them."""

    grammar: Grammar
    join_of: bool = True
    after: bool = True
    per: Unit = "person"
    by_image: bool = False  # groups are contrasted, so labels are kept by image
    mentions: bool = False  # they are asked for one by one
    # Only where the job was made; what travels makes its own finder, and sends mentions back in the counts.
    finder: LabelFinder | None = None
    sink: MentionSink | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "finder": None, "sink": None}

    @property
    def key(self) -> tuple[str, ...]:
        """All that the counts depend on besides captions and model."""
        chosen = (self.join_of, self.after, self.per, self.by_image, self.mentions)
        return ("labels", self.grammar.identity, *map(str, chosen), code_digest(*_CODE))

    @property
    def codec(self) -> Codec[LabelCounts, CountsData] | None:
        """How counts are kept, unless mentions are asked for: these come from the captions themselves."""
        return None if self.mentions else _CODEC

    def start(self, annotations: AnnotationService) -> Reading[LabelCounts]:
        """Return a reading that remembers the labels of texts."""
        finder = self.finder or LabelFinder(
            Parser(self.grammar), join_of=self.join_of, after=self.after, unit=self.per
        )
        labeller = Labeller(annotations, finder)

        def read(captions: CaptionReader, progress: Step | None) -> LabelCounts:
            counts = LabelCounts(CorpusTally(captions.source.name))
            for caption, found in labeller.label(captions, progress=progress):
                counts.tally.add_caption(found.chunks, found.labels)
                if self.by_image:
                    counts.table.add_caption(caption.image, [label.key for label in found.labels])
                if self.mentions:
                    # Captions count from the part's first here, and are numbered on when parts are added.
                    counts.rows += _mentions(caption, found, before=captions.before)
                    self.deliver(counts)
            counts.corpus = captions.tally
            return counts

        return read

    def deliver(self, counts: LabelCounts) -> None:
        """Hand over the mentions that have come, if there is somebody here to take them."""
        if self.sink is not None:
            for mention, text in counts.rows:
                self.sink(mention, text)
            counts.rows.clear()


def _mentions(caption: Caption, found: TextLabels, *, before: int) -> Iterator[tuple[Mention, str]]:
    place = (caption.system, caption.image, caption.record - before)
    for label in sorted([*found.labels, *found.repeated]):
        yield (
            Mention(
                *place,
                label.start,
                label.end,
                label.key,
                label.person,
                label.repeats,
                label.pronoun,
                label.unread,
                label.places,
            ),
            caption.text,
        )
