"""The captions behind the numbers, in columns that are small to send and fast to filter."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress
from typing import Any, NamedTuple

from pydantic_core import from_json

from assess.audits.highlights import value_words
from assess.audits.result import category_names
from assess.audits.saved import HINT, Pair, SavedAudit, SavedMention
from assess.errors import InputError, Place, visible
from assess.grammar.statements import SEPARATOR
from assess.records import Analysis, Reading, Span
from assess.report.text import shown
from assess.taxonomy.words import Token, tokenise

# Which mentions are included in a report that cannot hold all of them.


@dataclass(slots=True)
class Sample:
    """Keeps at most a fixed number of mentions of each label of a system, spread evenly over the file.

    Rare labels remain complete, so that every number in the report still leads to some captions.
    """

    counts: Counter[Pair]
    quota: int
    _seen: Counter[Pair] = field(default_factory=Counter)

    def keeps(self, pair: Pair) -> bool:
        """Whether to keep the next mention of a label. This is deterministic."""
        total, seen = self.counts[pair], self._seen[pair]
        self._seen[pair] = seen + 1
        return total <= self.quota or seen * self.quota // total != (seen + 1) * self.quota // total


def sample(counts: Counter[Pair], most: int) -> Sample:
    """Return the sample with the largest quota (at least 1) that keeps at most `most` mentions."""
    low, high = 1, max(counts.values(), default=1)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(count, middle) for count in counts.values()) <= most:
            low = middle
        else:
            high = middle - 1
    return Sample(counts, low)


# Distinct labels in columns: their readings and the positions of these in the text.

IN_BEST, AFTER = 1, 2
"""Flags of a span: it is in the best reading; it follows the noun."""
FULL, PARTIAL, UNCOVERED = 0, 1, 2
"""How much of a label the taxonomy could read."""


def script_offset(text: str, offset: int) -> int:
    """Return an offset in UTF-16 units, as a browser's script counts them."""
    return offset if _has_single_units(text) else len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def _has_single_units(text: str) -> bool:
    """Whether each character of a text is one unit: an emoji has two."""
    return text.isascii() or max(text) <= "\uffff"


class LabelRow(NamedTuple):
    """A distinct label; categories are indices into their list."""

    text: str
    spans: list[int]  # start, end, category and flags of each span, in one list
    best: list[int]  # categories of the best reading
    more: list[int]  # categories of other readings only
    unknown: list[str]
    read: int


def label_row(analysis: Analysis, places: Mapping[str, int]) -> LabelRow:
    """Return a label in columns; `places` maps categories to their indices."""
    best, union = _places(analysis.best, places), _places(analysis, places)
    return LabelRow(
        shown(analysis.text),
        list(_spans(analysis, places)),
        best,
        [place for place in union if place not in best],
        [shown(word) for word in analysis.unknown],
        UNCOVERED if not analysis.covered else PARTIAL if analysis.why else FULL,
    )


def _places(reading: Analysis | Reading, places: Mapping[str, int]) -> list[int]:
    return sorted(places[name] for name in category_names(reading))


def _spans(analysis: Analysis, places: Mapping[str, int]) -> Iterator[int]:
    text = analysis.text
    tokens = tokenise(text.partition(SEPARATOR)[0])
    for span in analysis.spans:
        after = span.position == "after"
        start, end = _after(text, span) if after else _within(tokens, span)
        yield script_offset(text, start)
        yield script_offset(text, end)
        yield places[f"{span.role}.{span.category}"]
        yield (IN_BEST if span in analysis.best.spans else 0) + (AFTER if after else 0)


def _within(tokens: Sequence[Token], span: Span) -> tuple[int, int]:
    """Return the character range of a token span in the label's own phrase."""
    told = tokens[span.start : span.end]
    return (told[0].start, told[-1].end) if told else (0, 0)


def _after(text: str, span: Span) -> tuple[int, int]:
    """Return the character range of an attribute after the noun, which follows a separator."""
    found = f"{text}{SEPARATOR}".find(f"{SEPARATOR}{span.text}{SEPARATOR}")
    if found < 0:
        return 0, 0
    start = found + len(SEPARATOR)
    return start, start + len(span.text)


MOST_MENTIONS = 120_000
"""With more mentions, a page is slow to open and large to send, so it gets a sample."""

_ROWS = ("system", "image", "record", "start", "end", "label", "caption")


@dataclass(frozen=True)
class Captions:
    """The data for the page's script, and how often each system has each label."""

    columns: dict[str, Any]
    labels: dict[str, Counter[str]]

    @cached_property
    def modifiers(self) -> dict[str, int]:
        """The number of modifiers in the best reading of each label."""
        labels, categories = self.columns["labels"], self.columns["categories"]
        counted = [name.startswith("modifier.") for name in categories]
        found = zip(labels["text"], labels["best"], strict=True)
        return {text: sum(map(counted.__getitem__, best)) for text, best in found}


class CaptionSource:
    """Reads the captions of a saved audit: all, or ever smaller samples if the page would be too large.

    Captions are kept in memory, because a smaller sample uses most of them again.
    """

    def __init__(self, audit: SavedAudit) -> None:
        self._audit = audit
        self._mentions: dict[int, SavedMention] = {}  # by their offset in the file
        self._labels: dict[str, LabelRow] = {}
        used = (name for system in audit.results.systems.values() for name in system.categories)
        self._categories = {name: place for place, name in enumerate(dict.fromkeys(used))}

    def captions(self, *, most: int = MOST_MENTIONS) -> Captions:
        """Return the captions of the audit, or a sample if it has more than `most` labels."""
        builder, index = _Builder(self._audit, self._categories, self._labels), self._audit.index
        if sum(system.labels for system in self._audit.results.systems.values()) <= most:
            for mention in self._audit.mentions_at(index.offsets):
                builder.add(mention)
            return builder.captions(None)
        pairs = list(index.pairs)
        chosen = sample(Counter({pairs[number]: n for number, n in Counter(index.numbers).items()}), most)
        offsets = list(compress(index.offsets, map(chosen.keeps, map(pairs.__getitem__, index.numbers))))
        known = self._mentions
        new = [offset for offset in offsets if offset not in known]
        known.update(zip(new, self._audit.mentions_at(new), strict=True))
        for offset in offsets:
            builder.add(known[offset])
        return builder.captions(chosen)


def said_words(captions: Captions) -> dict[str, Counter[str]]:
    """Return the words of each category in the best readings of all systems' labels."""
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
    """Return the part of a text between two UTF-16 offsets."""
    if _has_single_units(text):
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return (
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if rows
        else {name: [] for name in names}
    )


class _Builder:
    """Builds the columns from mentions. Equal texts are stored once and referred to by index."""

    def __init__(self, audit: SavedAudit, categories: Mapping[str, int], labels: dict[str, LabelRow]) -> None:
        self._audit = audit
        self._systems = {name: place for place, name in enumerate(audit.results.systems)}
        self._images: dict[str, int] = {}
        self._captions: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._categories = categories
        self._labels = labels  # known labels, which other samples may also contain
        self._rows: list[tuple[int, ...]] = []
        self._places: list[list[int]] = []  # for each mention, start and end of the parts after its noun
        self._counts: Counter[Pair] = Counter()
        self._groups: dict[str, list[str]] = {name: [] for name in audit.results.groups}

    def add(self, mention: SavedMention) -> None:
        """Add one mention."""
        self._check(mention)
        caption, label = shown(mention.caption), mention.label
        self._counts[mention.system, label] += 1
        new = label not in self._texts
        start, end, *places = mention.start, mention.end, *chain.from_iterable(mention.places)
        if not caption.isascii():
            start, end, *places = (script_offset(caption, at) for at in (start, end, *places))
        self._rows.append(
            (
                self._systems[mention.system],
                self._images.setdefault(shown(mention.image), len(self._images)),
                mention.record,
                start,
                end,
                self._texts.setdefault(label, len(self._texts)),
                self._captions.setdefault(caption, len(self._captions)),
            )
        )
        self._places.append(places)
        if new and label not in self._labels:
            self._labels[label] = label_row(self._audit.analysis(mention), self._categories)
        for name, group in self._audit.groups.items():
            # Words determine the same value for every mention of a label, so it is stored once.
            if new or group.told_by == "images":
                self._groups[name].append(self._audit.value(name, mention))

    def _check(self, mention: SavedMention) -> None:
        if mention.system not in self._systems:
            message = (
                f"mentions.jsonl contains a system called '{visible(mention.system)}', but the audit does not"
            )
            raise InputError(message, place=Place(str(self._audit.file)), hint=HINT)

    def captions(self, chosen: Sample | None) -> Captions:
        """Return all columns; for a sample, also the totals over all mentions."""
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
            "categories": list(self._categories),
            "images": list(self._images),
            "captions": list(self._captions),
            "labels": _columns(LabelRow._fields, [self._labels[label] for label in self._texts]),
            "groups": [self._group(name) for name in self._groups],
            "mentions": _columns(_ROWS, self._rows),
            "places": self._places,
            # Exact totals, since only a sample of the mentions is included.
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


# Compressed data inside a page.

_LINE = 8_000
_MOST_UNPACKED = 1 << 28  # bytes


def pack(value: Any) -> str:
    """Return a value as deflated JSON in base64.

    The base64 alphabet cannot end a script block or open a comment, so captions can never become markup. The
    page's script decompresses it with `DecompressionStream("deflate")`.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode("ascii")
    # Editors struggle with lines of megabytes.
    return " ".join(packed[start : start + _LINE] for start in range(0, len(packed), _LINE))


def unpack(text: str) -> Any:
    """Return a value from its packed form; raises ValueError."""
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(base64.b64decode(text.replace(" ", ""), validate=True), _MOST_UNPACKED)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacking.eof:
        raise ValueError("packed data are cut, or too large")
    return from_json(data, cache_strings="none")
