"""Flickr8k/30k token files, and the sentences of Flickr30k Entities with their marked phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assess.corpus.decoding import Position, lines, place_in
from assess.corpus.rows import Document, Row
from assess.corpus.source import Source
from assess.errors import InputError, Place
from assess.records import GoldSpan

LINE = re.compile(r"([^\t]+)#\d+\t")
MARK = "[/EN#"
_PHRASE = re.compile(r"\[/EN#([^\s/\]]+)/([^\s\]]+) ([^\[\]]*)\]")


def read_tokens(document: Document, source: Source) -> Iterator[Row]:
    """Read `image.jpg#0<TAB>caption`, one a line."""
    del source  # there is nothing to choose
    for line in _caption_lines(document):
        yield Row(line.image, line.caption)


def read_entities(document: Document, source: Source) -> Iterator[Row]:
    """Read `image#0<TAB>[/EN#1/people Two men] wait .`, one a line; the text is free of marks."""
    for line in _caption_lines(document):
        text, gold = _unmarked(line)
        yield Row(line.image, text, gold if source.gold else ())


@dataclass(frozen=True, slots=True)
class _CaptionLine:
    image: str
    caption: str
    raw: str
    number: int  # of the line
    record: int
    file: str

    def place(self, offset: int) -> Place:
        start = Position(self.number)
        return place_in(self.raw, offset, start=start, file=self.file, record=self.record)


def _caption_lines(document: Document) -> Iterator[_CaptionLine]:
    record = document.opening.records
    for number, raw in enumerate(lines(document.chunks), start=document.opening.line):
        if not raw.strip():
            continue
        record += 1
        key = LINE.match(raw)
        if key is None:
            place = place_in(raw, 0, start=Position(number), file=document.file, record=record)
            raise InputError("the line does not begin with image#number and a tab", place=place)
        yield _CaptionLine(key[1], raw[key.end() :], raw, number, record, document.file)


def _unmarked(line: _CaptionLine) -> tuple[str, tuple[GoldSpan, ...]]:
    """Return the caption without its marks, and the marked phrases by their place in that text."""
    pieces, gold, length, end = [], [], 0, 0
    while (start := line.caption.find(MARK, end)) >= 0:
        phrase = _PHRASE.match(line.caption, start)
        if phrase is None:
            offset = len(line.raw) - len(line.caption) + start
            hint = "a marked phrase looks like [/EN#12/people two men]"
            raise InputError("this mark is not complete", place=line.place(offset), hint=hint)
        entity, types, words = phrase.groups()
        pieces += [line.caption[end:start], words]
        begin = length + start - end
        length = begin + len(words)
        gold.append(GoldSpan(begin, length, entity, tuple(types.split("/"))))
        end = phrase.end()
    return "".join([*pieces, line.caption[end:]]), tuple(gold)
