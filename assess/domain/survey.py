"""A domain author's look at captions: what a taxonomy reads, what it lacks, how words are used."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, reduce
from itertools import pairwise
from operator import add

import numpy as np

from assess.corpus import Source, check_names
from assess.domain.caption_index import (
    EXAMPLES,
    CaptionIndex,
    Progress,
    chain_of,
    chunk_of,
    index_captions,
    parts_of,
    signature_of,
)
from assess.domain.cooccurrence import WordContexts
from assess.engine.annotating import AnnotationService
from assess.grammar.chunks import LISTING, find_chunks
from assess.grammar.labels import HeadSigns, LabelFinder
from assess.grammar.parser import Parser
from assess.measures.coverage.compute import Examples, commonest
from assess.records import Analysis
from assess.signature import Signature
from assess.taxonomy import Taxonomy
from assess.taxonomy.changes import changed_words

MOST_READ = 1_000
"""How many captions with a label are read in full: enough to see what is said after heads."""


OUTSIDE = Analysis("", why="no-head")
"""The analysis of every chunk outside the domain; its text is not used."""


@dataclass(frozen=True, slots=True)
class SeenChunk:
    """A chunk of a caption: how the grammar reads it, and its last word if that is a common noun."""

    analysis: Analysis
    noun: str | None = None
    opening: str | None = None  # the unknown of-phrase before a label


@dataclass(slots=True)
class Sightings:
    """How often something was seen, and the first captions that contain it."""

    count: int = 0
    captions: list[str] = field(default_factory=list)

    def __add__(self, other: Sightings) -> Sightings:
        captions = list(dict.fromkeys((*self.captions, *other.captions)))
        return Sightings(self.count + other.count, captions[:EXAMPLES])


@dataclass(slots=True)
class DomainTally:
    """Counts of one system's chunks. Tallies add."""

    captions: int = 0
    chunks: int = 0
    labels: dict[str, Sightings] = field(default_factory=dict)  # by the text of a chunk in the domain
    unknown: dict[str, Sightings] = field(default_factory=dict)  # unknown words in chunks in the domain
    nouns: dict[str, Sightings] = field(default_factory=dict)  # last words of the other chunks
    openings: dict[str, Sightings] = field(default_factory=dict)  # unknown of-phrases before labels: jar of

    def __add__(self, other: DomainTally) -> DomainTally:
        return DomainTally(
            self.captions + other.captions,
            self.chunks + other.chunks,
            _merged(self.labels, other.labels),
            _merged(self.unknown, other.unknown),
            _merged(self.nouns, other.nouns),
            _merged(self.openings, other.openings),
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
    chunks: int  # all chunks, in the domain or not
    labels: int  # chunks in the domain
    full: int
    partial: int  # an unknown word among known ones
    none: int  # no category at all
    distinct: int  # different labels

    def share(self, count: int) -> float:
        """Return a count as a share of the labels; undefined if there are none."""
        return count / self.labels if self.labels else float("nan")


def shares(tally: DomainTally, analyses: Mapping[str, Analysis]) -> Shares:
    """Return how a system's chunks were read."""
    ways: Counter[str] = Counter()
    for text, seen in tally.labels.items():
        ways[way_of(analyses[text])] += seen.count
    return Shares(
        captions=tally.captions,
        chunks=tally.chunks,
        labels=ways.total(),
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


def unread_labels(tally: DomainTally, analyses: Mapping[str, Analysis], *, most: int = 5) -> Examples:
    """Return the most common labels whose words are all known but match no rule."""
    unread = {text: seen.count for text, seen in tally.labels.items() if analyses[text].why == "no-rule"}
    return commonest(Counter(unread), most)


@dataclass(frozen=True, slots=True)
class UnreadAfter:
    """What is said after heads but was not understood, in some of the captions with a label."""

    phrases: Counter[str] = field(default_factory=Counter)
    read: int = 0  # distinct captions
    labelled: int = 0  # distinct captions that have a label


@dataclass(frozen=True)
class Survey:
    """What was seen in all captions."""

    signature: Signature
    systems: dict[str, DomainTally]
    analyses: dict[str, Analysis]  # of all labels
    index: CaptionIndex
    surveyor: Surveyor
    unread_after: UnreadAfter = UnreadAfter()

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy that the captions were read with."""
        return self.surveyor.taxonomy

    @property
    def heads(self) -> frozenset[str]:
        """The known heads in all their forms."""
        return self.surveyor.heads

    @cached_property
    def whole(self) -> DomainTally:
        """The tally of all systems together."""
        return reduce(add, self.systems.values()) if self.systems else DomainTally()

    def read_with(self, taxonomy: Taxonomy) -> Survey:
        """Return the same captions as another taxonomy reads them."""
        with no_collection():
            surveyor = Surveyor(taxonomy, self.index, self.surveyor)
            systems = {name: surveyor.tally(number) for number, name in enumerate(self.systems)}
        signature = replace(self.signature, taxonomy=surveyor.parser.grammar.identity)
        return Survey(signature, systems, surveyor.analyses(), self.index, surveyor)

    @cached_property
    def contexts(self) -> WordContexts:
        """The contexts of the words in all captions."""
        return self.surveyor.contexts()


def survey(
    sources: Sequence[Source],
    taxonomy: Taxonomy,
    *,
    annotations: AnnotationService | None = None,
    progress: Progress | None = None,
    after: bool = False,
) -> Survey:
    """Read captions with a taxonomy, for its author; with `after` also what is said after the heads.

    `annotations` may have a cache, because an author reads the same captions many times.
    """
    check_names(sources)
    with no_collection():
        return _survey(sources, taxonomy, annotations, progress, after)


@contextmanager
def no_collection() -> Iterator[None]:
    """Suspend garbage collection: with millions of live objects, it would take a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _survey(
    sources: Sequence[Source],
    taxonomy: Taxonomy,
    annotations: AnnotationService | None,
    progress: Progress | None,
    after: bool,
) -> Survey:
    annotator = annotations or AnnotationService(processes=1, cache=False)
    index = index_captions(sources, annotator, progress)
    surveyor = Surveyor(taxonomy, index)
    return Survey(
        signature=signature_of(index, sources, annotator.identity, surveyor.parser.grammar.identity),
        systems={source.name: surveyor.tally(number) for number, source in enumerate(sources)},
        analyses=surveyor.analyses(),
        index=index,
        surveyor=surveyor,
        unread_after=surveyor.unread_after(annotator) if after else UnreadAfter(),
    )


class _Tally:
    """Sightings during counting: the first captions are those with the smallest numbers."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._texts: dict[str, list[int]] = {}

    def add(self, word: str, count: int, texts: list[int]) -> None:
        """Count something `count` times; `texts` has the numbers of its first captions, in order."""
        own = self._texts.get(word)
        if own is None:
            self._counts[word], self._texts[word] = count, texts
            return
        self._counts[word] += count
        # Chains are sorted by their first use, so hardly any has an earlier caption.
        if len(own) < EXAMPLES or (texts and texts[0] < own[-1]):
            self._texts[word] = sorted({*own, *texts})[:EXAMPLES]

    def sightings(self, captions: Sequence[str]) -> dict[str, Sightings]:
        return {
            word: Sightings(count, [captions[number] for number in self._texts[word]])
            for word, count in self._counts.items()
        }


class Surveyor:
    """Applies a taxonomy to indexed captions: each distinct chain of chunks is read once.

    If `before` used a taxonomy that differs only in some words, only chains with these are read again.
    """

    def __init__(self, taxonomy: Taxonomy, index: CaptionIndex, before: Surveyor | None = None) -> None:
        self.taxonomy = taxonomy
        self._index = index
        # Made on demand, and once for all taxonomies that the captions are read with.
        self.contexts: Callable[[], WordContexts] = before.contexts if before else cache(index.contexts)
        self.parser = Parser(taxonomy)
        self.heads = self.parser.head_spellings
        self._signs = HeadSigns(self.parser, self.heads)
        self._nouns: dict[str, tuple[SeenChunk]] = {}  # of chunks outside the domain
        self._openings: dict[str, bool] = {}  # whether they open an of-phrase
        changed = None if before is None else changed_words(before.taxonomy, taxonomy)
        if before is None or changed is None:
            self._seen = self._first_look()
        else:
            self._seen = list(before._seen)
            for chain in index.chains.having(changed):
                self._seen[chain] = self._chunks(index.written[chain])

    def _first_look(self) -> list[tuple[SeenChunk, ...]]:
        """Return the chunks of all chains. Most contain no head and nothing that can be joined."""
        chains, written = self._index.chains, self._index.written
        words = self._signs.words
        near = set(range(len(written)) if words is None else chains.having(words))
        outside = [self._outside(noun) for noun in ("", *chains.nouns)]
        rows = zip(written, chains.chunk_nouns(), chains.joins, strict=True)
        return [
            self._chunks(text)
            if number in near
            else tuple(self._chain(text, inside=False))
            if joins
            else outside[nouns[0]]
            if len(nouns) == 1
            else tuple([outside[noun][0] for noun in nouns])
            for number, (text, nouns, joins) in enumerate(rows)
        ]

    def _chunks(self, written: str) -> tuple[SeenChunk, ...]:
        inside = self._signs.may_be_in(written)
        alone = chunk_of(written)
        if alone is None:
            return tuple(self._chain(written, inside=inside))
        if not inside:
            return self._outside(alone[1])  # most chunks of most captions
        return (self._seen_chunk(self.parser.analyse(alone[0]), alone[1]),)

    def _chain(self, written: str, *, inside: bool) -> Iterator[SeenChunk]:
        parts = parts_of(written)
        if not inside and not self._joined(parts):
            yield from (self._outside(noun)[0] for _, noun, _ in parts)
            return
        chain = chain_of(written)
        noun_at = dict(zip((chunk.end for chunk in chain.chunks), chain.nouns, strict=True))
        before, end = "", 0  # the noun of the chunk before, and where that ends
        for found in find_chunks(chain.text, chain.chunks, self.parser, join_of=True):
            analysis = self.parser.analyse(found.key) if inside else OUTSIDE
            of = before and analysis.in_domain and chain.text[end : found.start].strip() == "of"
            yield self._seen_chunk(analysis, noun_at[found.end], f"{before} of" if of else None)
            # "A picture of" before a head is an of-phrase; "a slice of" after a label belongs to that label.
            before, end = "" if analysis.in_domain else noun_at[found.end], found.end

    def _seen_chunk(self, analysis: Analysis, noun: str, opening: str | None = None) -> SeenChunk:
        return SeenChunk(analysis, noun if noun and noun not in self.heads else None, opening)

    def _outside(self, noun: str) -> tuple[SeenChunk]:
        seen = self._nouns.get(noun)
        if seen is None:
            seen = self._nouns[noun] = (self._seen_chunk(OUTSIDE, noun),)
        return seen

    def _joined(self, parts: Sequence[tuple[str, str, str]]) -> bool:
        """Whether `find_chunks` may join chunks of a chain, as it does for of-phrases and hyphens."""
        for (text, _, joint), (following, _, _) in pairwise(parts):
            if joint.strip() in LISTING:
                continue
            opening = f"{text}{joint}".strip()
            if not opening.endswith("of") or self.parser.excludes_of(opening[: -len("of")], following):
                return True
            opens = self._openings.get(opening)
            if opens is None:
                opens = self._openings[opening] = self.parser.opens_of_phrase(opening[: -len("of")])
            if opens:
                return True
        return False

    def tally(self, system: int) -> DomainTally:
        """Count one system."""
        labels, unknown, nouns, openings = _Tally(), _Tally(), _Tally(), _Tally()
        chunks = 0
        for chain, count, texts in self._index.systems[system].rows():
            for chunk in self._seen[chain]:
                chunks += count
                if chunk.analysis.in_domain:
                    labels.add(chunk.analysis.text, count, texts)
                    for word in dict.fromkeys(chunk.analysis.unknown):
                        unknown.add(word, count, texts)
                    if chunk.opening is not None:
                        openings.add(chunk.opening, count, texts)
                elif chunk.noun is not None:
                    nouns.add(chunk.noun, count, texts)
        parts = (tally.sightings(self._index.texts) for tally in (labels, unknown, nouns, openings))
        return DomainTally(self._index.systems[system].captions, chunks, *parts)

    def analyses(self) -> dict[str, Analysis]:
        """Return the analyses of all labels."""
        chunks = (chunk.analysis for seen in self._seen for chunk in seen)
        return {analysis.text: analysis for analysis in chunks if analysis.in_domain}

    def unread_after(self, annotator: AnnotationService) -> UnreadAfter:
        """Read captions with a label in full: all of them, or an evenly spaced sample."""
        inside = np.array(
            [any(chunk.analysis.in_domain for chunk in seen) for seen in self._seen], dtype=bool
        )
        owners = np.repeat(np.arange(len(self._index.texts)), self._index.chain_counts)
        labelled = np.unique(owners[inside.astype(bool)[np.asarray(self._index.text_chains, dtype=np.int64)]])
        step = max(1, -(-len(labelled) // MOST_READ))
        chosen = labelled[::step].tolist()
        texts = [self._index.texts[number] for number in chosen]
        reader = LabelFinder(self.parser)
        phrases: Counter[str] = Counter()
        for number, text, annotation in zip(chosen, texts, annotator.annotate(texts), strict=True):
            for found in reader.find(text, annotation):
                for phrase in found.unread:
                    phrases[phrase] += self._index.uses[number]
        return UnreadAfter(phrases, len(chosen), len(labelled))
