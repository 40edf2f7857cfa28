"""Counting the labels of captions."""

from __future__ import annotations

import json
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count, islice
from typing import Any, NamedTuple

from assess.corpus import CaptionReader, CorpusTally
from assess.disk_cache import READING_CODE, Codec, code_digest, packed, unpacked
from assess.engine.annotating import AnnotationService, Step
from assess.engine.captions import CaptionKeeper
from assess.engine.jobs import Job, Reading, SourceCounts, annotated_blocks, note_caption
from assess.grammar import Grammar
from assess.grammar.captions import Unit
from assess.grammar.chunks import label_key
from assess.grammar.groups import ToldBy
from assess.grammar.labels import LabelFinder, TextLabels
from assess.grammar.parser import Parser
from assess.measures.bias.groups import WordGroups
from assess.measures.bias.labels import MentionTable, TableData
from assess.measures.coverage.compute import CoverageTally
from assess.records import Analysis, Caption, Depth, Mention

REMEMBERED = 24_576  # texts whose labels are kept, because captions repeat within and between systems
TAKEN_AT_ONCE = 4_096  # lines
MOST_KEPT = 1 << 25  # bytes of compressed lines; if there are more, the next run reads the captions again


class MentionLine(NamedTuple):
    """A mention as JSON: the parts before and after its record number, and its label if it is counted."""

    image: str
    record: int
    told: str  # all columns from the third on
    label: str | None


@dataclass(frozen=True, slots=True)
class LinesData:
    """Lines as stored on disk."""

    blocks: list[str]
    records: str
    labels: str
    texts: list[str]


class MentionLines:
    """The mentions of a system as lines of JSON, without its name. Each line is taken once."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep  # for the next run, compressed
        self._blocks: list[bytes] = []
        self._open: list[str] = []  # lines since the last block
        self._records, self._labels = array("I"), array("i")
        self._texts: dict[str, int] = {}
        self._taken = self._before = 0  # numbers of blocks taken, and of lines in them
        self._dropped = False

    def __len__(self) -> int:
        return len(self._open)

    def add(self, line: MentionLine) -> None:
        """Add a line."""
        self._open.append(f"{line.image}\t{line.told}")
        self._records.append(line.record)
        text = line.label
        self._labels.append(-1 if text is None else self._texts.setdefault(text, len(self._texts)))

    def add_lines(self, other: MentionLines, *, before: int) -> None:
        """Add the lines of the next part, whose captions are numbered from `before`."""
        for image, record, told, label in other._lines():
            self.add(MentionLine(image, before + record, told, label))

    def take(self) -> Iterator[MentionLine]:
        """Yield the lines that have not been taken, in order."""
        yield from self._lines()
        if self._keep and self._open:
            self._blocks.append(zlib.compress("\n".join(self._open).encode("utf-8"), 1))
            self._keep = sum(map(len, self._blocks)) <= MOST_KEPT
        if not self._keep:
            self._dropped |= bool(self._records)
            self._blocks, self._records, self._labels, self._texts = [], array("I"), array("i"), {}
        self._open, self._taken, self._before = [], len(self._blocks), len(self._records)

    def _lines(self) -> Iterator[MentionLine]:
        texts = [*self._texts, None]  # the last entry is for lines without a label
        places = count(self._before)
        for lines in (*map(_unpacked, self._blocks[self._taken :]), self._open):
            for line, place in zip(lines, places, strict=False):
                image, _, told = line.partition("\t")
                yield MentionLine(image, self._records[place], told, texts[self._labels[place]])

    def to_data(self) -> LinesData:
        """Return the kept lines as plain data."""
        if self._dropped:
            raise ValueError("there are too many lines to keep")
        blocks = [b64encode(block).decode("ascii") for block in self._blocks]
        return LinesData(blocks, packed(self._records), packed(self._labels), list(self._texts))

    @staticmethod
    def from_data(data: LinesData) -> MentionLines:
        """Return lines from plain data, none of them taken."""
        lines = MentionLines(keep=True)
        lines._blocks = [b64decode(block, validate=True) for block in data.blocks]
        lines._records, lines._labels = unpacked("I", data.records), unpacked("i", data.labels)
        lines._texts = {text: place for place, text in enumerate(data.texts)}
        number = sum(len(_unpacked(block)) for block in lines._blocks)
        if not number == len(lines._records) == len(lines._labels):
            raise ValueError("the number of lines is wrong")
        if number and not -1 <= min(lines._labels) <= max(lines._labels) < len(lines._texts):
            raise ValueError("a line has no label")
        return lines


def _unpacked(block: bytes) -> list[str]:
    try:
        lines = zlib.decompressobj().decompress(block, MOST_KEPT)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    return lines.decode("utf-8").split("\n")


MentionSink = Callable[[str, Iterable[MentionLine]], None]
"""Called with the name of a system and some of its mentions, in order."""


@dataclass
class LabelCounts(SourceCounts):
    """The counts of a system or of a part of it. Parts are added in the order of the files."""

    tally: CoverageTally = field(default_factory=CoverageTally)
    table: MentionTable = field(default_factory=MentionTable)  # empty unless groups are contrasted
    lines: MentionLines = field(default_factory=MentionLines)  # to be delivered, if mentions were requested

    def add(self, other: LabelCounts) -> None:
        """Add the counts of the next part, whose captions are numbered after ours."""
        before = self.corpus.captions
        self.lines.add_lines(other.lines, before=before)
        super().add(other)
        self.tally.add_tally(other.tally)
        self.table.add_table(other.table)


@dataclass(frozen=True, slots=True)
class CountsData:
    """Counts as stored on disk."""

    corpus: CorpusTally
    tally: CoverageTally
    table: TableData
    lines: LinesData


def _to_data(counts: LabelCounts) -> CountsData:
    return CountsData(counts.corpus, counts.tally, counts.table.to_data(), counts.lines.to_data())


def _from_data(data: CountsData) -> LabelCounts:
    table, lines = MentionTable.from_data(data.table), MentionLines.from_data(data.lines)
    return LabelCounts(data.corpus, data.tally, table, lines)


_CODEC: Codec[LabelCounts, CountsData] = Codec(CountsData, _to_data, _from_data)


class Labeller:
    """Finds the labels of captions, and keeps those of recent texts."""

    def __init__(
        self, annotations: AnnotationService, finder: LabelFinder, keeper: CaptionKeeper | None = None
    ) -> None:
        self._annotations = annotations
        self._finder = finder
        self._keeper = keeper
        self._remembered: dict[str, tuple[TextLabels, int]] = {}  # with their number at the keeper

    def label(
        self, captions: CaptionReader, *, progress: Step | None = None
    ) -> Iterator[tuple[Caption, TextLabels]]:
        """Yield captions with their labels, in order."""
        annotations, remembered = self._annotations, self._remembered
        blocks = annotated_blocks(
            captions,
            partial(annotations.annotate, depth=self._depth),
            size=annotations.block_size,
            known=remembered,
            progress=progress,
        )
        for block, new in blocks:
            for text, annotation in new:
                try:
                    labels = self._finder.labels(text, annotation)
                except Exception as error:
                    note_caption(error, captions, block, text)
                    raise
                remembered[text] = labels, self._keeper.add_text(annotation) if self._keeper else 0
            if self._keeper is not None:
                self._keeper.add_captions(captions, block, (remembered[one.text][1] for one in block))
            for caption in block:
                yield caption, remembered[caption.text][0]
            if len(remembered) > REMEMBERED:
                for text in list(islice(remembered, len(remembered) // 2)):
                    del remembered[text]  # the oldest ones
        if self._keeper is not None:
            self._keeper.finish(captions)

    def _depth(self, text: str) -> Depth:
        """Return the depth that a text needs: a tree if it may have labels, else as the measures require."""
        if self._finder.may_have_labels(text):
            return Depth.TREE
        return Depth.NOTHING if self._keeper is None else self._keeper.depth


_CODE = (
    *READING_CODE,
    "measures/coverage/*.py",
    "measures/bias/groups.py",
    "measures/bias/labels.py",
)


@dataclass(frozen=True)
class LabelJob(Job[LabelCounts]):
    """Finds the labels of captions and counts them."""

    grammar: Grammar
    join_of: bool = True
    after: bool = True
    per: Unit = "person"
    by_image: bool = False  # whether groups are contrasted, so that labels are kept by image
    # the words that may state groups in mentions; None: mentions were not requested
    mentions: tuple[ToldBy, ...] | None = None
    # Only in the process that created the job. A pickled job creates its own finder, and returns mentions
    # with the counts.
    finder: LabelFinder | None = None
    sink: MentionSink | None = None
    keeper: CaptionKeeper | None = None  # for captions that are read in this process

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "finder": None, "sink": None, "keeper": None}

    @property
    def key(self) -> tuple[str, ...]:
        """Everything that the counts depend on besides captions and model."""
        chosen = (self.join_of, self.after, self.per, self.by_image, self.mentions)
        return ("labels", self.grammar.identity, *map(str, chosen), code_digest(*_CODE))

    @property
    def codec(self) -> Codec[LabelCounts, CountsData]:
        """How counts are stored."""
        return _CODEC

    def start(self, annotations: AnnotationService) -> Reading[LabelCounts]:
        """Return a reading that keeps the labels of texts."""
        finder = self.finder or LabelFinder(
            Parser(self.grammar), join_of=self.join_of, after=self.after, unit=self.per
        )
        labeller = Labeller(annotations, finder, self.keeper)
        describer = Describer(self.grammar, finder, self.mentions or ())
        keep = self.sink is not None and annotations.origin is not None

        def read(captions: CaptionReader, progress: Step | None) -> LabelCounts:
            counts = LabelCounts(CorpusTally(captions.source.name), lines=MentionLines(keep=keep))
            for caption, found in labeller.label(captions, progress=progress):
                counts.tally.add_caption(found.labels)
                if self.by_image:
                    counts.table.add_caption(caption.image, [label.key for label in found.labels])
                if self.mentions is not None and found.labels:
                    # Captions are numbered from the beginning of the part; numbers are shifted when parts are
                    # added.
                    for line in describer.lines(caption, found, before=captions.before):
                        counts.lines.add(line)
                    if len(counts.lines) >= TAKEN_AT_ONCE:
                        self.deliver(counts)
            self.deliver(counts)
            counts.corpus = captions.tally
            return counts

        return read

    def deliver(self, counts: LabelCounts) -> None:
        """Deliver the new mentions, if there is a recipient in this process."""
        if self.sink is not None:
            self.sink(counts.corpus.system, counts.lines.take())


class Describer:
    """Writes mentions as JSON, with their places and all statements about their person in the caption."""

    def __init__(self, grammar: Grammar, finder: LabelFinder, told_by: tuple[ToldBy, ...]) -> None:
        self._grammar, self._finder, self._told_by = grammar, finder, told_by
        self._said: dict[str, str] = {}  # label text -> JSON; captions repeat labels

    def lines(self, caption: Caption, found: TextLabels, *, before: int) -> Iterator[MentionLine]:
        """Yield the mentions of a caption."""
        place = (caption.system, caption.image, caption.record - before)
        for label in sorted([*found.labels, *found.repeated]) if found.repeated else found.labels:
            start, end, key, person, repeats, pronoun, _, unread, _, places = label
            mention = Mention(*place, start, end, key, person, repeats, pronoun, unread, places)
            yield mention_line(mention, caption.text, self._about(key))

    @cached_property
    def _groups(self) -> list[WordGroups]:
        return [WordGroups(self._grammar, name, told_by=self._told_by) for name in self._grammar.groups]

    def _about(self, key: str) -> str:
        said = self._said.get(key)
        if said is None:
            analysis = self._finder.analyse(key)
            groups = {group.name: group.value(analysis) for group in self._groups}
            said = self._said[key] = said_of(analysis, groups)
        return said


def said_of(analysis: Analysis, groups: Mapping[str, str]) -> str:
    """Return what a label says as JSON: the columns that are the same for all its mentions."""
    nouns = [
        span.text.lower() for span in analysis.best.spans if span.role == "head" and span.position == "chunk"
    ]
    told = {
        "head": nouns[-1] if nouns else None,
        "heads": analysis.best.heads,
        "modifiers": analysis.best.modifiers,
        "modifiers_all": analysis.modifiers,
        "groups": dict(groups),
    }
    return _json(told)[1:-1]


def mention_line(mention: Mention, caption: str, said: str) -> MentionLine:
    """Return a mention as JSON; `said` has the columns of its label."""
    start, end = mention.start, mention.end
    label = label_key(caption[start:end]) if mention.repeats else mention.text
    told = f'"start": {start}, "end": {end}, "label": {_string(label)}, "caption": {_string(caption)}'
    told += f', "person": {mention.person}'
    if mention.repeats:
        told += ', "repeats": true'
    if mention.pronoun:
        told += ', "pronoun": true'
    if mention.unread:
        told += f', "unread": {_json(mention.unread)}'
    if mention.places:
        told += f', "places": {_json(mention.places)}'
    return MentionLine(
        _string(mention.image), mention.caption, f"{told}, {said}", None if mention.repeats else mention.text
    )


_json = json.JSONEncoder(ensure_ascii=False).encode
_string = json.encoder.encode_basestring  # the same for strings, several times as fast
