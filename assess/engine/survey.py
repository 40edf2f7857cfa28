"""A domain author's look at captions: what a taxonomy reads, what it lacks, how words are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import add

from assess.corpus import CaptionReader, Source, check_names
from assess.engine.annotating import AnnotationService
from assess.engine.local import BLOCK
from assess.grammar.labels import Found, LabelFinder
from assess.grammar.parser import Parser
from assess.metrics.company import CompanyTally
from assess.metrics.domain_coverage import DomainTally, SeenChunk
from assess.records import Analysis, Annotation
from assess.signature import InputIdentity, Signature
from assess.taxonomy import Taxonomy
from assess.taxonomy.listing import listings
from assess.taxonomy.tokens import tokenise

Progress = Callable[[str, int], None]
"""Called with a system's name and the number of its captions that were finished since the last call."""

MOST_TEXTS = 500_000
"""Distinct texts whose company is counted: more would fill the memory and tell nothing new."""

COMMON_NOUNS = frozenset({"NN", "NNS"})  # names and pronouns are no heads that a taxonomy could list


@dataclass(frozen=True, slots=True)
class Survey:
    """What was seen in all captions."""

    signature: Signature
    taxonomy: Taxonomy
    systems: dict[str, DomainTally]
    analyses: dict[str, Analysis]  # of all labels
    company: CompanyTally
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
        inputs.append(InputIdentity(source.name, reader.summary.captions, reader.summary.sha256))
    identity = annotator.identity
    model_name = f"{identity.name} {identity.version} (spaCy {identity.spacy_version})"
    return Survey(
        signature=Signature(taxonomy.identity, model_name, tuple(inputs)),
        taxonomy=taxonomy,
        systems=systems,
        analyses={text: surveyor.finder.analyse(text) for tally in systems.values() for text in tally.labels},
        company=surveyor.company,
        heads=surveyor.heads,
    )


class _Surveyor:
    """Reads captions block by block; each distinct text of a block is annotated once."""

    def __init__(self, taxonomy: Taxonomy, annotator: AnnotationService) -> None:
        self._annotator = annotator
        self.finder = LabelFinder(Parser(taxonomy), after=False)
        phrases = {word for listing in listings(taxonomy) for word in listing.words if " " in word}
        self.company = CompanyTally(phrases=frozenset(phrases))
        grammar = self.finder.parser.grammar
        self.heads = frozenset(
            spelling
            for terminal, spelling in grammar.lexicon.spellings()
            if grammar.terminals[terminal].kind == "head"
        )
        self._counted: set[str] = set()  # texts whose company was counted

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
                text: self._chunks(text, annotation)
                for text, annotation in zip(distinct, annotations, strict=True)
            }
            if step is not None:
                step(len(block) - len(distinct))
            for text in block:
                tally.add_caption(text, seen[text])
        return tally

    def _chunks(self, text: str, annotation: Annotation) -> list[SeenChunk]:
        if text not in self._counted and len(self._counted) < MOST_TEXTS:
            self._counted.add(text)
            self.company.add_text(text, annotation)
        found = self.finder.find(text, annotation)
        return [
            SeenChunk(self.finder.analyse(chunk.key), self._noun(text, chunk, annotation)) for chunk in found
        ]

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
