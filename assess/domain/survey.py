"""A domain author's look at captions: what a taxonomy reads, what it lacks, how words are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from operator import add

from assess.corpus import CaptionReader, Source, check_names
from assess.domain.cooccurrence import CooccurrenceTally
from assess.domain.overview import listings
from assess.engine.annotating import BLOCK, AnnotationService
from assess.grammar.labels import Found, LabelFinder
from assess.grammar.parser import Parser
from assess.measures.coverage.compute import Examples, commonest
from assess.records import Analysis, Annotation
from assess.signature import InputIdentity, Signature
from assess.taxonomy import Taxonomy
from assess.taxonomy.words import tokenise

EXAMPLES = 3
"""Captions that are kept as examples of one word."""

Progress = Callable[[str, int], None]
"""Called with a system's name and the number of its captions that were finished since the last call."""

MOST_TEXTS = 500_000
"""Distinct texts whose words are counted: more would fill the memory and tell nothing new."""

COMMON_NOUNS = frozenset({"NN", "NNS"})  # names and pronouns are no heads that a taxonomy could list


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
    unread: dict[str, Sightings] = field(default_factory=dict)  # what is said after a head and not understood

    def add_caption(self, caption: str, chunks: Iterable[SeenChunk], unread: Iterable[str] = ()) -> None:
        """Count one caption."""
        self.captions += 1
        for phrase in unread:
            self.unread.setdefault(phrase, Sightings()).add(caption)
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
            _merged(self.unread, other.unread),
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


def unread_labels(tally: DomainTally, analyses: Mapping[str, Analysis], *, most: int = 5) -> Examples:
    """Return the commonest labels whose words are all known but which no rule puts together."""
    unread = {text: n for text, n in tally.labels.items() if analyses[text].why == "no-rule"}
    return commonest(Counter(unread), most)


def unread_phrases(tally: DomainTally, *, most: int = 25) -> Examples:
    """Return the commonest phrases after a head that were not understood."""
    return commonest(Counter({phrase: seen.count for phrase, seen in tally.unread.items()}), most)


@dataclass(frozen=True, slots=True)
class Survey:
    """What was seen in all captions."""

    signature: Signature
    taxonomy: Taxonomy
    systems: dict[str, DomainTally]
    analyses: dict[str, Analysis]  # of all labels
    cooccurrence: CooccurrenceTally
    heads: frozenset[str]  # the known heads in all their forms

    @property
    def whole(self) -> DomainTally:
        """The tally of all systems together."""
        return reduce(add, self.systems.values(), DomainTally())


def survey(
    sources: Sequence[Source],
    taxonomy: Taxonomy,
    *,
    annotations: AnnotationService | None = None,
    progress: Progress | None = None,
) -> Survey:
    """Read captions with a taxonomy, for its author.

    `annotations` may bring a cache: an author reads the same captions again and again.
    """
    check_names(sources)
    annotator = annotations or AnnotationService(processes=1, cache=False)
    surveyor = _Surveyor(taxonomy, annotator)
    systems: dict[str, DomainTally] = {}
    inputs = []
    for source in sources:
        reader = CaptionReader(source)
        systems[source.name] = surveyor.tally(reader, progress)
        inputs.append(InputIdentity.of(reader.summary))
    identity = annotator.identity
    model_name = f"{identity.name} {identity.version} (spaCy {identity.spacy_version})"
    return Survey(
        signature=Signature(
            taxonomy=surveyor.finder.parser.grammar.identity, model=model_name, inputs=tuple(inputs)
        ),
        taxonomy=taxonomy,
        systems=systems,
        analyses={text: surveyor.finder.analyse(text) for tally in systems.values() for text in tally.labels},
        cooccurrence=surveyor.cooccurrence,
        heads=surveyor.heads,
    )


class _Surveyor:
    """Reads captions block by block; each distinct text of a block is annotated once."""

    def __init__(self, taxonomy: Taxonomy, annotator: AnnotationService) -> None:
        self._annotator = annotator
        self.finder = LabelFinder(Parser(taxonomy), after=False)
        self._reader = LabelFinder(self.finder.parser)  # what follows the nouns too
        phrases = {word for listing in listings(taxonomy) for word in listing.words if " " in word}
        self.cooccurrence = CooccurrenceTally(phrases=frozenset(phrases))
        grammar = self.finder.parser.grammar
        self.heads = frozenset(
            spelling for leaf, spelling in grammar.lexicon.spellings() if grammar.leaves[leaf].kind == "head"
        )
        self._counted: set[str] = set()  # texts whose words were counted

    def tally(self, reader: CaptionReader, progress: Progress | None) -> DomainTally:
        """Count one system."""
        name = reader.source.name
        step = (lambda number: progress(name, number)) if progress else None
        tally = DomainTally()
        captions = iter(reader)
        while block := [caption.text for caption in islice(captions, BLOCK)]:
            distinct = list(dict.fromkeys(block))
            annotations = self._annotator.annotate(distinct, progress=step)
            seen = {
                text: (self._chunks(text, annotation), self._unread(text, annotation))
                for text, annotation in zip(distinct, annotations, strict=True)
            }
            if step is not None:
                step(len(block) - len(distinct))
            for text in block:
                tally.add_caption(text, *seen[text])
        return tally

    def _chunks(self, text: str, annotation: Annotation) -> list[SeenChunk]:
        if text not in self._counted and len(self._counted) < MOST_TEXTS:
            self._counted.add(text)
            self.cooccurrence.add_text(text, annotation)
        found = self.finder.find(text, annotation)
        return [
            SeenChunk(self.finder.analyse(chunk.key), self._noun(text, chunk, annotation)) for chunk in found
        ]

    def _unread(self, text: str, annotation: Annotation) -> list[str]:
        return [phrase for found in self._reader.find(text, annotation) for phrase in found.unread]

    def _noun(self, text: str, chunk: Found, annotation: Annotation) -> str | None:
        """Return the last word of a chunk if it is a common noun that is no head of the domain."""
        tokens = tokenise(text[chunk.start : chunk.end])
        if not tokens:
            return None
        last = tokens[-1]
        start, end = chunk.start + last.start, chunk.start + last.end
        tags = list(_tags(annotation, start, end))
        return last.text if tags and tags[-1] in COMMON_NOUNS and last.text not in self.heads else None


def _tags(annotation: Annotation, start: int, end: int) -> Iterator[str]:
    for offset, tag in zip(annotation.offsets, annotation.tags, strict=True):
        if start <= offset < end:
            yield tag
