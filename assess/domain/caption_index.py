"""What an author's commands need of captions whatever the taxonomy says: chunks, words, and where they stand.

An author changes the taxonomy and looks at the same captions again. What does not depend on the taxonomy is
kept on disk, by the content of the caption files, so that only the changed taxonomy is applied anew.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from assess.annotate.model import ModelIdentity
from assess.corpus import CaptionReader, Source
from assess.disk_cache import Codec, DiskCache, PackedBytes, PackedNumbers, code_digest
from assess.domain.cooccurrence import TokenColumns, TokenWriter, WordContexts, largest
from assess.engine.annotating import AnnotationService, Step
from assess.engine.jobs import StoredResult, annotated_blocks
from assess.grammar.chunks import LISTING, joint_between, label_key
from assess.records import Annotation, Chunk
from assess.signature import InputIdentity, Signature
from assess.taxonomy.words import PIECES, tokenise

EXAMPLES = 3
"""Captions that are kept as examples of one chunk or word."""

MOST_TEXTS = 500_000
"""Distinct texts whose words are kept: more would fill the memory and tell nothing new."""

COMMON_NOUNS = frozenset({"NN", "NNS"})  # names and pronouns are no heads that a taxonomy could list

_CODE = ("records.py", "disk_cache.py", "corpus/*.py", "engine/*.py", "annotate/*.py", "taxonomy/words.py")
_CODE_HERE = ("grammar/chunks.py", "grammar/labels.py", "domain/caption_index.py", "domain/cooccurrence.py")
INDEXES = DiskCache("captions", most=12, largest=1 << 28)

Progress = Callable[[str, int], None]
"""Called with a system's name and the number of its captions that were finished since the last call."""


@dataclass(slots=True)
class Chain:
    """Chunks that only "of" or "and" stands between: a taxonomy may read them as one phrase, or not."""

    text: str
    chunks: tuple[Chunk, ...]
    nouns: tuple[str, ...]  # the last word of each chunk where that is a common noun, else nothing


# No normalised text has these characters, which count as white space.
_JOINT, _NOUN = "\x1f", "\x1e"


def chain_of(written: str) -> Chain:
    """Return the chain of its one-line form: chunks and joints in turn, each chunk with its noun."""
    text = ""
    chunks, nouns = [], []
    for number, part in enumerate(written.split(_JOINT)):
        plain, _, noun = part.partition(_NOUN)
        if number % 2 == 0:
            chunks.append(Chunk(len(text), len(text) + len(plain)))
            nouns.append(noun)
        text += plain
    return Chain(text, tuple(chunks), tuple(nouns))


def chunk_of(written: str) -> tuple[str, str] | None:
    """Return the text and the noun, or nothing, of a chain of one chunk; None for a longer one."""
    if _JOINT in written:
        return None
    text, _, noun = written.partition(_NOUN)
    return text, noun


def parts_of(written: str) -> list[tuple[str, str, str]]:
    """Return the chunks of a chain: text, noun or nothing, and the joint that follows or nothing."""
    parts = written.split(_JOINT)
    rows = zip(parts[::2], [*parts[1::2], ""], strict=True)
    return [(text, noun, joint) for part, joint in rows for text, _, noun in [part.partition(_NOUN)]]


def chains_of(text: str, annotation: Annotation) -> Iterator[str]:
    """Yield a text's chains, each in its one-line form."""
    written = ""
    previous: Chunk | None = None
    for chunk in annotation.chunks:
        noun = _last_noun(text, chunk, annotation)
        part = label_key(text[chunk.start : chunk.end]) + (_NOUN + noun if noun else "")
        between = "" if previous is None else text[previous.end : chunk.start]
        if previous is not None and joint_between(between):
            spaces = [" " if side.isspace() else "" for side in (between[:1], between[-1:])]
            joint = " ".join(between.lower().split())
            written += f"{_JOINT}{spaces[0]}{joint}{spaces[1]}{_JOINT}{part}"
        else:
            if previous is not None:
                yield written
            written = part
        previous = chunk
    if previous is not None:
        yield written


def _last_noun(text: str, chunk: Chunk, annotation: Annotation) -> str:
    """Return the last word of a chunk if it is a common noun, else nothing."""
    tokens = tokenise(text[chunk.start : chunk.end])
    if not tokens:
        return ""
    start, end = (chunk.start + place for place in (tokens[-1].start, tokens[-1].end))
    rows = zip(annotation.offsets, annotation.tags, strict=True)
    tags = [tag for offset, tag in rows if start <= offset < end]
    return tokens[-1].text if tags and tags[-1] in COMMON_NOUNS else ""


def _numbers() -> array[int]:
    return array("I")


@dataclass(slots=True)
class SystemChains:
    """How often one system has each chain."""

    captions: int = 0
    sha256: str = ""
    unread: int = 0  # captions that could not be read
    unread_at: tuple[str, ...] = ()  # where the first of them are
    chains: PackedNumbers = field(default_factory=_numbers)  # numbers, by their first use
    counts: PackedNumbers = field(default_factory=_numbers)
    examples: PackedNumbers = field(default_factory=_numbers)  # EXAMPLES texts of each; 0: none

    def fits(self, chains: int, texts: int) -> bool:
        """Whether the columns have the same length, and name what there is."""
        return (
            len(self.counts) == len(self.chains)
            and len(self.examples) == len(self.chains) * EXAMPLES
            and largest(self.chains) < chains
            and largest(self.examples) <= texts
        )

    def rows(self) -> Iterator[tuple[int, int, list[int]]]:
        """Yield each chain's number, how often it is used, and the numbers of its first texts."""
        examples = self.examples.tolist()
        for row, (chain, count) in enumerate(zip(self.chains, self.counts, strict=True)):
            texts = examples[row * EXAMPLES : (row + 1) * EXAMPLES]
            yield chain, count, [number - 1 for number in texts if number]


@dataclass(slots=True)
class ChainColumns:
    """The words and nouns of distinct chains, one chain after the other."""

    words: list[str] = field(default_factory=list)  # distinct, by number
    word: PackedNumbers = field(default_factory=_numbers)
    word_counts: PackedNumbers = field(default_factory=_numbers)  # of each chain
    nouns: list[str] = field(default_factory=list)  # distinct, by number
    noun: PackedNumbers = field(default_factory=_numbers)  # of each chunk; 0: none, else a number after it
    chunk_counts: PackedNumbers = field(default_factory=_numbers)  # of each chain
    joins: PackedBytes = field(default_factory=lambda: array("B"))  # whether a taxonomy may join chunks

    @classmethod
    def of(cls, chains: Iterable[str]) -> ChainColumns:
        """Return the columns of chains in their one-line form."""
        self = cls()
        words: dict[str, int] = {}
        nouns: dict[str, int] = {"": 0}
        for written in chains:
            parts = parts_of(written)
            own = set(PIECES.findall(written.lower()))
            self.word.extend([words.setdefault(word, len(words)) for word in own])
            self.word_counts.append(len(own))
            self.noun.extend([nouns.setdefault(noun, len(nouns)) for _, noun, _ in parts])
            self.chunk_counts.append(len(parts))
            self.joins.append(any(joint.strip() not in LISTING for _, _, joint in parts[:-1]))
        self.words, self.nouns = list(words), list(nouns)[1:]
        return self

    def fit(self, chains: int) -> bool:
        """Whether the columns have the same length, and name what there is."""
        return (
            len(self.word_counts) == len(self.chunk_counts) == len(self.joins) == chains
            and sum(self.word_counts) == len(self.word)
            and sum(self.chunk_counts) == len(self.noun)
            and largest(self.word) < len(self.words)
            and largest(self.noun) <= len(self.nouns)
        )

    def having(self, words: Set[str]) -> list[int]:
        """Return the numbers of all chains that have one of some words."""
        wanted = np.array([word in words for word in self.words], dtype=bool)
        if not wanted.any():
            return []
        owners = np.repeat(np.arange(len(self.word_counts)), self.word_counts)
        chains: list[int] = np.unique(owners[wanted[np.asarray(self.word, dtype=np.int64)]]).tolist()
        return chains

    def chunk_nouns(self) -> Iterator[list[int]]:
        """Yield the numbers of each chain's nouns."""
        nouns, start = self.noun.tolist(), 0
        for count in self.chunk_counts:
            yield nouns[start : start + count]
            start += count


@dataclass(slots=True)
class CaptionIndex:
    """Captions of one or several systems, as far as no taxonomy is needed to describe them."""

    texts: list[str] = field(default_factory=list)  # distinct, by their first use
    uses: PackedNumbers = field(default_factory=_numbers)  # of each text, in all systems
    written: list[str] = field(default_factory=list)  # distinct chains, in their one-line form
    text_chains: PackedNumbers = field(default_factory=_numbers)  # of the texts, one after the other
    chain_counts: PackedNumbers = field(default_factory=_numbers)  # how many each text has
    systems: list[SystemChains] = field(default_factory=list)  # in the order of the sources
    tokens: TokenColumns = field(default_factory=TokenColumns)
    chains: ChainColumns = field(default_factory=ChainColumns)

    def check(self) -> CaptionIndex:
        """Return the index, or raise an error where columns do not fit together."""
        fits = (
            len(self.texts) == len(self.uses) == len(self.chain_counts)
            and len(self.text_chains) == sum(self.chain_counts)
            and largest(self.text_chains) < len(self.written)
            and all(system.fits(len(self.written), len(self.texts)) for system in self.systems)
            and self.tokens.fit()
            and self.chains.fit(len(self.written))
        )
        if not fits:
            raise ValueError("columns of different lengths")
        return self

    def contexts(self) -> WordContexts:
        """Return what stands around the words."""
        return WordContexts(self.tokens)


CODEC: Codec[CaptionIndex, Any] = Codec(CaptionIndex, lambda index: index, CaptionIndex.check)


def signature_of(
    index: CaptionIndex, sources: Sequence[Source], model: ModelIdentity, taxonomy: str
) -> Signature:
    """Return the signature of a domain's results with captions, whose index was made of these sources."""
    inputs = [
        InputIdentity(source.name, system.captions, system.sha256, system.unread, system.unread_at)
        for source, system in zip(sources, index.systems, strict=True)
    ]
    model_name = f"{model.name} {model.version} (spaCy {model.spacy_version})"
    return Signature(taxonomy=taxonomy, model=model_name, inputs=tuple(inputs))


class _Writer:
    """Fills an index."""

    def __init__(self) -> None:
        self.index = CaptionIndex()
        self._tokens = TokenWriter()
        self.index.tokens = self._tokens.columns
        self.numbers: dict[str, int] = {}  # of texts whose chains are known
        self._chains: dict[str, int] = {}
        self._of_text: list[tuple[int, ...]] = []
        self._beyond: dict[str, tuple[int, ...]] = {}  # chains of texts that are too many to keep

    def read(self, reader: CaptionReader, annotator: AnnotationService, step: Step | None) -> None:
        """Add the captions of one system."""
        system = SystemChains()
        rows: dict[int, int] = {}
        blocks = annotated_blocks(
            reader, annotator.annotate, size=annotator.block_size, known=self.numbers, progress=step
        )
        for captions, annotated in blocks:
            self._beyond.clear()
            for text, annotation in annotated:
                self._add_text(text, annotation)
            for caption in captions:
                self._count(caption.text, system, rows)
            system.captions += len(captions)
        summary = reader.summary
        system.sha256, system.unread, system.unread_at = summary.sha256, summary.unread, summary.unread_at
        self.index.systems.append(system)

    def _add_text(self, text: str, annotation: Annotation) -> None:
        chains = tuple([self._chain(written) for written in chains_of(text, annotation)])
        if len(self._of_text) >= MOST_TEXTS:
            self._beyond[text] = chains
            return
        self.numbers[text] = len(self.index.texts)
        self._of_text.append(chains)
        self.index.texts.append(text)
        self.index.uses.append(0)
        self.index.text_chains.extend(chains)
        self.index.chain_counts.append(len(chains))
        self._tokens.add(text, annotation)

    def _chain(self, written: str) -> int:
        number = self._chains.setdefault(written, len(self._chains))
        if number == len(self.index.written):
            self.index.written.append(written)
        return number

    def _count(self, text: str, system: SystemChains, rows: dict[int, int]) -> None:
        number = self.numbers.get(text)
        if number is not None:
            self.index.uses[number] += 1
        for chain in self._beyond[text] if number is None else self._of_text[number]:
            row = rows.setdefault(chain, len(rows))
            if row == len(system.chains):
                system.chains.append(chain)
                system.counts.append(0)
                system.examples.extend([0] * EXAMPLES)
                if number is None:  # the only example of something rare
                    number = self._example(text)
            system.counts[row] += 1
            self._keep_example(system.examples, row * EXAMPLES, number)

    def _example(self, text: str) -> int:
        """Keep the text of an example, though not its words."""
        self.index.texts.append(text)
        self.index.uses.append(0)
        self.index.chain_counts.append(0)
        return len(self.index.texts) - 1

    def _keep_example(self, examples: array[int], start: int, number: int | None) -> None:
        if number is None:
            return
        for place in range(start, start + EXAMPLES):
            if examples[place] in (0, number + 1):
                examples[place] = number + 1
                return


def index_captions(
    sources: Sequence[Source], annotator: AnnotationService, progress: Progress | None = None
) -> CaptionIndex:
    """Return the index of some sources, from disk where their files have not changed."""
    stored = None
    if annotator.origin is not None:
        key = (annotator.origin, code_digest(*_CODE, *_CODE_HERE))
        stored = StoredResult(INDEXES, sources, key, CODEC)
        index = stored.take()
        if index is not None:
            return index
    writer = _Writer()
    for source in sources:
        step = partial(progress, source.name) if progress else None
        writer.read(CaptionReader(source), annotator, step)
    writer.index.chains = ChainColumns.of(writer.index.written)
    if stored is not None:
        stored.put(writer.index, hashes=[system.sha256 for system in writer.index.systems])
    return writer.index
