"""Annotating texts with words, tags, relations and noun chunks, as the full pipeline does.

The caller decides how deeply each text is annotated: words only, with tags, or with the tree.
"""

from __future__ import annotations

import contextlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from assess.annotate.model import ModelIdentity, choose_model, load_pipeline, model_identity, tokenise
from assess.errors import InputError, visible
from assess.limits import CAPTION_WORDS, SENTENCE_WORDS, overlong, sentence_ends
from assess.records import Annotation, Chunk, Depth

REMEMBERED = 500_000
"""Maximum number of distinct strings to share between annotations; then the store is emptied."""

COLUMNS = {
    Depth.NOTHING: (),
    Depth.WORDS: ("ORTH", "IDX"),
    Depth.TAGS: ("ORTH", "IDX", "TAG"),
    Depth.TREE: ("ORTH", "IDX", "TAG", "DEP", "HEAD"),
}

Progress = Callable[[int], None]
"""Called with the number of texts finished since the last call."""

DepthOf = Callable[[str], Depth]
"""Returns how deeply a text is to be annotated."""


def to_the_tree(_text: str) -> Depth:
    """Request full depth."""
    return Depth.TREE


BLOCK_TEXTS, BLOCK_CHARACTERS = 8_192, 4_000_000
BATCH_TEXTS, BATCH_CHARACTERS = 1_024, 200_000

FAMILIAR_STRINGS = 250_000
"""How many new strings spaCy may keep permanently, some 100 MB. Later ones are freed with their batch."""


class Annotator:
    """Annotates texts with a spaCy model, running only what tags, relations and noun chunks need.

    Results equal those of the model's full pipeline and do not depend on the order of the texts, on other
    texts or on depth. An annotator must not be shared between threads.
    """

    def __init__(self, model: str | None = None) -> None:
        name = choose_model(model)
        self._identity = model_identity(name)
        self._pipeline = load_pipeline(name)
        # Imported here because it imports parts of spaCy.
        from assess.annotate.shortcuts import lighten, parser_of

        self._marker = lighten(self._pipeline)
        self._parse = parser_of(self._pipeline) if self._tags_come_first() else None
        self._reader = DocReader(self._pipeline.vocab)
        self._familiar = len(self._pipeline.vocab.strings) + FAMILIAR_STRINGS

    @property
    def identity(self) -> ModelIdentity:
        """The model and versions that annotations depend on."""
        return self._identity

    def annotate(
        self, texts: Iterable[str], *, depth: DepthOf = to_the_tree, progress: Progress | None = None
    ) -> Iterator[Annotation]:
        """Yield the annotation of each text, in order.

        White space tokens count as words, so that offsets are correct. A lone surrogate, which is not a
        character, is read as U+FFFD. Texts are processed in blocks of several thousand.
        """
        for block in _groups(texts, BLOCK_TEXTS, BLOCK_CHARACTERS):
            annotations = self._annotate_block(block, depth, progress)
            for text in block:
                yield annotations[text]

    def annotate_distinct(
        self, texts: Iterable[str], *, progress: Progress | None = None
    ) -> dict[str, Annotation]:
        """Return the annotation of each distinct text, in order of first occurrence."""
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self.annotate(distinct, progress=progress), strict=True))

    def _annotate_block(
        self, block: list[str], depth: DepthOf, progress: Progress | None
    ) -> dict[str, Annotation]:
        """Annotate a block's texts in alphabetical order, which makes shared windows adjacent."""
        occurrences = Counter(block)
        annotations: dict[str, Annotation] = {}
        for batch in _groups(sorted(occurrences), BATCH_TEXTS, BATCH_CHARACTERS):
            annotations.update(self._annotate_batch({text: depth(text) for text in batch}))
            if progress is not None:
                progress(sum(occurrences[text] for text in batch))
        return annotations

    def _tags_come_first(self) -> bool:
        """Whether tags do not depend on the parser: it comes last, and no rule for tags uses relations."""
        if self._marker is None or self._marker.tags_need_relations:
            return False
        return bool(self._pipeline.pipe_names[-1] == "parser")

    def _annotate_batch(self, batch: dict[str, Depth]) -> dict[str, Annotation]:
        with self._bounded_memory():
            docs = {text: tokenise(self._pipeline, text) for text in batch}
            self._run({text: doc for text, doc in docs.items() if batch[text] >= Depth.TAGS}, batch)
            return {text: self._read(doc, batch[text]) for text, doc in docs.items()}

    def _run(self, docs: dict[str, Any], depths: dict[str, Depth]) -> None:
        """Tag all docs together, because they share windows of words, and parse those that need trees."""
        pipe = self._pipeline.pipe
        if self._parse is None:
            docs.update(zip(docs, pipe(docs.values(), batch_size=len(docs)), strict=True))
            return
        deque(pipe(docs.values(), batch_size=len(docs), disable=["parser"]), maxlen=0)
        self._parse([doc for text, doc in docs.items() if depths[text] is Depth.TREE])

    def _read(self, doc: Any, depth: Depth) -> Annotation:
        if depth is Depth.TREE and len(doc) > (most := SENTENCE_WORDS.most) and _longest_sentence(doc) > most:
            doc = self._in_sentences(doc)
        if depth >= Depth.TAGS and self._marker is not None:
            self._marker.mark(doc, depth)
        return self._reader.annotation(doc, depth)

    def _in_sentences(self, doc: Any) -> Any:
        """Parse a text again if the parser joined sentences, so that each ends where the text says."""
        ends = iter([*sentence_ends(doc.text), len(doc.text) + 1])
        fresh = tokenise(self._pipeline, doc.text)
        end = next(ends)
        for token in fresh:
            if token.idx >= end:
                token.is_sent_start = True
                while token.idx >= end:
                    end = next(ends)
        return next(self._pipeline.pipe([fresh]))

    def _bounded_memory(self) -> AbstractContextManager[object]:
        """Let spaCy free a batch's new strings once it has enough; a web crawl contains endless new ones."""
        if len(self._pipeline.vocab.strings) < self._familiar:
            return contextlib.nullcontext()
        zone: AbstractContextManager[object] = self._pipeline.memory_zone()
        return zone


def _groups(texts: Iterable[str], most_texts: int, most_characters: int) -> Iterator[list[str]]:
    """Yield the texts in groups with maximum numbers of texts and, except for single texts, characters."""
    group: list[str] = []
    characters = 0
    is_overlong = overlong()
    for text in texts:
        if is_overlong(text):
            raise _too_long(text)
        if group and (len(group) >= most_texts or characters + len(text) > most_characters):
            yield group
            group, characters = [], 0
        group.append(text)
        characters += len(text)
    if group:
        yield group


def _too_long(text: str) -> InputError:
    return InputError(
        f"a text of {len(text):,} characters is too long for a caption (at most {SENTENCE_WORDS.most:,} words"
        f' in a sentence, and {CAPTION_WORDS.most:,} in all): "{visible(text, 60)}"',
        hint=f"shorten it, or raise {SENTENCE_WORDS.variable} and {CAPTION_WORDS.variable}",
    )


def _longest_sentence(doc: Any) -> int:
    return max(map(len, doc.sents))


class Strings(dict[int, str]):
    """Converts spaCy's numbers to strings. Equal strings are one object, even in different captions."""

    def __init__(self, store: Any) -> None:
        super().__init__()
        self._store = store

    def __missing__(self, number: int) -> str:
        if len(self) >= REMEMBERED:
            self.clear()
        text: str = self._store[number]
        self[number] = text
        return text


class DocReader:
    """Turns Docs of one vocabulary into annotations: compact tuples that share their strings."""

    def __init__(self, vocab: Any) -> None:
        self._strings = Strings(vocab.strings)

    def annotation(self, doc: Any, depth: Depth = Depth.TREE) -> Annotation:
        """Return the words (including white space tokens), tags, relations and noun chunks of a Doc.

        All tokens are kept, so that `text[offset:offset + len(word)] == word` holds for each of them.
        """
        if not len(doc) or not depth:
            return Annotation((), (), (), ())
        table = doc.to_array(COLUMNS[depth])
        orths, offsets, *codes = table.T.tolist()
        string = self._strings.__getitem__
        words = tuple(map(string, orths))
        tags = tuple(map(string, codes[0])) if codes else ()
        if depth is not Depth.TREE:
            return Annotation(words, tuple(offsets) if codes else (), tags, ())
        distances = table[:, -1].astype("int64").tolist()  # signed numbers in an unsigned array
        return Annotation(
            words=words,
            offsets=tuple(offsets),
            tags=tags,
            chunks=_one_after_another(
                Chunk(offsets[start], offsets[end - 1] + len(words[end - 1]))
                for start, end, _ in doc.noun_chunks_iterator(doc)
            ),
            heads=tuple(index + distance for index, distance in enumerate(distances)),
            deps=tuple(map(string, codes[1])),
        )


def _one_after_another(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Return chunks without those that begin in another one, as the rules of some languages allow."""
    found: list[Chunk] = []
    for chunk in chunks:
        if not found or found[-1].end <= chunk.start:
            found.append(chunk)
    return tuple(found)
