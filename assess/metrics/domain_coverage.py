"""How well a taxonomy covers captions: for its author, who wants to know what to write next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assess.metrics.coverage import Examples, commonest
from assess.records import Analysis

EXAMPLES = 3
"""Captions that are kept as examples of one word."""


@dataclass(frozen=True, slots=True)
class SeenChunk:
    """A chunk of a caption: how the grammar reads it, and its last word if that is a common noun."""

    analysis: Analysis
    noun: str | None = None


@dataclass(slots=True)
class Sightings:
    """How often something was seen, and the first captions that had it."""

    count: int = 0
    captions: list[str] = field(default_factory=list)

    def add(self, caption: str) -> None:
        """Count one use."""
        self.count += 1
        if len(self.captions) < EXAMPLES and caption not in self.captions:
            self.captions.append(caption)

    def __add__(self, other: Sightings) -> Sightings:
        captions = list(dict.fromkeys((*self.captions, *other.captions)))
        return Sightings(self.count + other.count, captions[:EXAMPLES])


@dataclass(slots=True)
class DomainTally:
    """Counts of one system's chunks. Tallies add."""

    captions: int = 0
    chunks: int = 0
    labels: Counter[str] = field(default_factory=Counter)  # text of a chunk of the domain -> how often
    unknown: dict[str, Sightings] = field(default_factory=dict)  # unknown words in chunks of the domain
    nouns: dict[str, Sightings] = field(default_factory=dict)  # last words of the other chunks

    def add_caption(self, caption: str, chunks: Iterable[SeenChunk]) -> None:
        """Count one caption."""
        self.captions += 1
        for chunk in chunks:
            self.chunks += 1
            if chunk.analysis.in_domain:
                self.labels[chunk.analysis.text] += 1
                for word in dict.fromkeys(chunk.analysis.unknown):
                    self.unknown.setdefault(word, Sightings()).add(caption)
            elif chunk.noun is not None:
                self.nouns.setdefault(chunk.noun, Sightings()).add(caption)

    def __add__(self, other: DomainTally) -> DomainTally:
        return DomainTally(
            self.captions + other.captions,
            self.chunks + other.chunks,
            self.labels + other.labels,
            _merged(self.unknown, other.unknown),
            _merged(self.nouns, other.nouns),
        )


def _merged(left: dict[str, Sightings], right: dict[str, Sightings]) -> dict[str, Sightings]:
    merged = dict(left)
    for word, sightings in right.items():
        merged[word] = merged[word] + sightings if word in merged else sightings
    return merged


@dataclass(frozen=True, slots=True)
class Shares:
    """How the chunks of a domain were read: in full, in part, or not at all."""

    captions: int
    chunks: int  # all chunks, of the domain or not
    labels: int  # chunks of the domain
    full: int
    partial: int  # an unknown word among known ones
    none: int  # no category at all
    distinct: int  # labels that differ

    def share(self, count: int) -> float:
        """Return a count as a share of the labels; undefined where there are none."""
        return count / self.labels if self.labels else float("nan")


@dataclass(frozen=True, slots=True)
class UnknownWord:
    """A word that the taxonomy lacks, in chunks of its domain."""

    word: str
    labels: int
    captions: tuple[str, ...]  # examples


def shares(tally: DomainTally, analyses: Mapping[str, Analysis]) -> Shares:
    """Return how a system's chunks were read."""
    ways: Counter[str] = Counter()
    for text, number in tally.labels.items():
        ways[way_of(analyses[text])] += number
    return Shares(
        captions=tally.captions,
        chunks=tally.chunks,
        labels=tally.labels.total(),
        full=ways["full"],
        partial=ways["partial"],
        none=ways["none"],
        distinct=len(tally.labels),
    )


def way_of(analysis: Analysis) -> str:
    """Return how a label was read: "full", "partial" or "none"."""
    if not analysis.covered:
        return "none"
    return "partial" if analysis.why else "full"


def unknown_words(tally: DomainTally) -> tuple[UnknownWord, ...]:
    """Return the words that the taxonomy lacks, commonest first."""
    found = [UnknownWord(word, seen.count, tuple(seen.captions)) for word, seen in tally.unknown.items()]
    return tuple(sorted(found, key=lambda item: (-item.labels, item.word)))


def unread_labels(tally: DomainTally, analyses: Mapping[str, Analysis], *, most: int = 5) -> Examples:
    """Return the commonest labels whose words are all known but which no rule puts together."""
    unread = {text: n for text, n in tally.labels.items() if analyses[text].why == "no-rule"}
    return commonest(Counter(unread), most)
