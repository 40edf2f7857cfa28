"""The captions behind the numbers, in columns that are small to send and quick to filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

from assess.audits.highlights import value_words
from assess.audits.saved import HINT, Pair, SavedAudit, SavedMention
from assess.errors import InputError, Place, visible
from assess.grammar.statements import SEPARATOR
from assess.records import Analysis, Reading, Span
from assess.report.text import shown
from assess.taxonomy.words import Token, tokenise

# Which mentions travel with a report when there are too many for all of them.


@dataclass(slots=True)
class Sample:
    """Lets through at most a quota of the mentions of each label of a system, evenly over the file.

    Rare labels stay complete, so that every number of the report still opens some captions.
    """

    counts: Counter[Pair]
    quota: int
    _seen: Counter[Pair] = field(default_factory=Counter)

    def keeps(self, pair: Pair) -> bool:
        """Whether the next mention of a label is let through. Nothing is drawn: the same ones every time."""
        total, seen = self.counts[pair], self._seen[pair]
        self._seen[pair] = seen + 1
        return total <= self.quota or seen * self.quota // total != (seen + 1) * self.quota // total


def sample(counts: Counter[Pair], most: int) -> Sample:
    """Return the sample with the largest quota that keeps at most so many mentions, and at least 1."""
    low, high = 1, max(counts.values(), default=1)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(count, middle) for count in counts.values()) <= most:
            low = middle
        else:
            high = middle - 1
    return Sample(counts, low)


# Distinct labels in columns: their readings, and where those stand in the text.

IN_BEST, AFTER = 1, 2
"""Flags of a span: the best reading has it; it follows the noun."""
FULL, PARTIAL, UNCOVERED = 0, 1, 2
"""How much of a label the taxonomy could read."""


def script_offset(text: str, offset: int) -> int:
    """Return an offset as a browser's script counts: an emoji is two there."""
    return offset if text.isascii() else len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


@dataclass(slots=True)
class LabelColumns:
    """One row for each distinct label; categories are places in their list."""

    categories: Sequence[str]
    text: list[str] = field(default_factory=list)
    spans: list[list[int]] = field(default_factory=list)  # start, end, category and flags, one after another
    best: list[list[int]] = field(default_factory=list)  # categories of the best reading
    more: list[list[int]] = field(default_factory=list)  # categories that only other readings have
    unknown: list[list[str]] = field(default_factory=list)
    read: list[int] = field(default_factory=list)

    def add(self, analysis: Analysis) -> None:
        """Add the analysis of a label."""
        best, union = self._places(analysis.best), self._places(analysis)
        self.text.append(shown(analysis.text))
        self.spans.append(list(self._spans(analysis)))
        self.best.append(best)
        self.more.append([place for place in union if place not in best])
        self.unknown.append([shown(word) for word in analysis.unknown])
        self.read.append(UNCOVERED if not analysis.covered else PARTIAL if analysis.why else FULL)

    def _places(self, reading: Analysis | Reading) -> list[int]:
        names = [f"modifier.{name}" for name in reading.modifiers]
        names += [f"head.{name}" for name in reading.heads]
        return sorted(self.categories.index(name) for name in names)

    def _spans(self, analysis: Analysis) -> Iterator[int]:
        text = analysis.text
        tokens = tokenise(text.partition(SEPARATOR)[0])
        for span in analysis.spans:
            after = span.position == "after"
            start, end = _after(text, span) if after else _within(tokens, span)
            yield script_offset(text, start)
            yield script_offset(text, end)
            yield self.categories.index(f"{span.role}.{span.category}")
            yield (IN_BEST if span in analysis.best.spans else 0) + (AFTER if after else 0)

    def as_columns(self) -> dict[str, Any]:
        """Return the columns as they travel."""
        return {
            "text": self.text,
            "spans": self.spans,
            "best": self.best,
            "more": self.more,
            "unknown": self.unknown,
            "read": self.read,
        }


def _within(tokens: Sequence[Token], span: Span) -> tuple[int, int]:
    """Return the characters of a span of tokens in the label's own phrase."""
    told = tokens[span.start : span.end]
    return (told[0].start, told[-1].end) if told else (0, 0)


def _after(text: str, span: Span) -> tuple[int, int]:
    """Return the characters of an attribute that follows the noun; it stands after a separator."""
    found = f"{text}{SEPARATOR}".find(f"{SEPARATOR}{span.text}{SEPARATOR}")
    if found < 0:
        return 0, 0
    start = found + len(SEPARATOR)
    return start, start + len(span.text)


MOST_MENTIONS = 120_000
"""More than these make a page slow to open and hard to send; then a sample travels with it."""

_ROWS = ("system", "image", "record", "start", "end", "label", "caption")


@dataclass(frozen=True, slots=True)
class Captions:
    """What the page's script gets, and how often each system has each label."""

    columns: dict[str, Any]
    labels: dict[str, Counter[str]]


def caption_columns(audit: SavedAudit, *, most: int = MOST_MENTIONS) -> Captions:
    """Return the captions of a saved audit; of more than `most` labels, a sample."""
    builder, index = _Builder(audit), audit.index
    offsets: Iterable[int] = index.offsets
    chosen = None
    if sum(system.labels for system in audit.results.systems.values()) > most:
        pairs = list(index.pairs)
        chosen = sample(Counter({pairs[number]: n for number, n in Counter(index.numbers).items()}), most)
        kept = map(chosen.keeps, map(pairs.__getitem__, index.numbers))
        offsets = compress(index.offsets, kept)
    for mention in audit.mentions_at(offsets):
        builder.add(mention)
    return builder.captions(chosen)


def said_words(captions: Captions) -> dict[str, Counter[str]]:
    """Return the words behind each category, in the best reading of the labels of all systems."""
    labels, categories = captions.columns["labels"], captions.columns["categories"]
    words: dict[str, Counter[str]] = {name: Counter() for name in categories}
    for text, spans in zip(labels["text"], labels["spans"], strict=True):
        number = sum(found.get(text, 0) for found in captions.labels.values())
        found = zip(*(spans[part::4] for part in range(4)), strict=True)
        told = {
            (categories[category], _script_slice(text, start, end))
            for start, end, category, flags in found
            if flags & IN_BEST and end > start
        }
        for category, word in told:
            words[category][word] += number
    return words


def _script_slice(text: str, start: int, end: int) -> str:
    """Return a piece of text as a browser's script cuts it."""
    if text.isascii():
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def _pair(mention: SavedMention) -> Pair:
    return mention.system, mention.label


class _Builder:
    """Builds the columns, mention by mention. Equal texts are kept once, under their place."""

    def __init__(self, audit: SavedAudit) -> None:
        self._audit = audit
        self._systems = {name: place for place, name in enumerate(audit.results.systems)}
        self._images: dict[str, int] = {}
        self._captions: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        used = (name for system in audit.results.systems.values() for name in system.categories)
        self._labels = LabelColumns(list(dict.fromkeys(used)))
        self._rows: dict[str, list[int]] = {name: [] for name in _ROWS}
        self._places: list[list[int]] = []  # of each mention: where the parts after its noun begin and end
        self._counts: Counter[Pair] = Counter()
        self._groups: dict[str, list[str]] = {name: [] for name in audit.results.groups}

    def add(self, mention: SavedMention) -> None:
        """Add one mention."""
        self._check(mention)
        caption = shown(mention.caption)
        self._counts[_pair(mention)] += 1
        new = mention.label not in self._texts
        values = (
            self._systems[mention.system],
            self._images.setdefault(shown(mention.image), len(self._images)),
            mention.record,
            script_offset(caption, mention.start),
            script_offset(caption, mention.end),
            self._texts.setdefault(mention.label, len(self._texts)),
            self._captions.setdefault(caption, len(self._captions)),
        )
        for name, value in zip(_ROWS, values, strict=True):
            self._rows[name].append(value)
        self._places.append([script_offset(caption, at) for place in mention.places for at in place])
        if new:
            self._labels.add(self._audit.analysis(mention))
        for name, group in self._audit.groups.items():
            # Words tell the same of every mention of a label, so one value per label is enough.
            if new or group.told_by == "images":
                self._groups[name].append(self._audit.value(name, mention))

    def _check(self, mention: SavedMention) -> None:
        if mention.system not in self._systems:
            message = f"the audit has no system called '{visible(mention.system)}', but mentions.jsonl has"
            raise InputError(message, place=Place(str(self._audit.file)), hint=HINT)

    def captions(self, chosen: Sample | None) -> Captions:
        """Return all columns; of a sample, with the totals of all mentions."""
        counts = self._counts if chosen is None else chosen.counts
        labels: dict[str, Counter[str]] = {name: Counter() for name in self._systems}
        for (system, label), count in counts.items():
            labels[system][label] = count
        return Captions(self._columns(chosen), labels)

    def _columns(self, chosen: Sample | None) -> dict[str, Any]:
        return {
            "systems": list(self._systems),
            "humans": [
                place for name, place in self._systems.items() if name in self._audit.results.references
            ],
            "categories": self._labels.categories,
            "images": list(self._images),
            "captions": list(self._captions),
            "labels": self._labels.as_columns(),
            "groups": [self._group(name) for name in self._groups],
            "mentions": self._rows,
            "places": self._places,
            # Exact totals where only a sample of the mentions is here.
            "totals": None if chosen is None else self._totals(chosen),
            "quota": None if chosen is None else chosen.quota,
        }

    def _group(self, name: str) -> dict[str, Any]:
        found = self._groups[name]
        values = sorted(set(found))
        places = {value: place for place, value in enumerate(values)}
        of = "label" if self._audit.groups[name].told_by == "words" else "mention"
        group, said = self._audit.groups[name], value_words(self._audit.results.domain, name)
        return {
            "name": name,
            "values": values,
            "said": [said(value) for value in values],
            "pairs": [
                [places[value] for value in pair] for pair in group.pairs if places.keys() >= set(pair)
            ],
            "of": of,
            "at": [places[value] for value in found],
        }

    def _totals(self, chosen: Sample) -> list[list[int]]:
        return [
            [self._systems[system], self._texts[label], count]
            for (system, label), count in sorted(chosen.counts.items())
        ]
