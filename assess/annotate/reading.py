"""Turn a spaCy Doc into an Annotation: compact tuples that share their strings."""

from __future__ import annotations

from typing import Any

from assess.records import Annotation, Chunk

REMEMBERED = 500_000
"""Distinct strings to share between annotations; then we start over."""

COLUMNS = ("ORTH", "IDX", "TAG", "DEP", "HEAD")


class Strings(dict[int, str]):
    """spaCy's numbers as strings. Equal strings are one object, however many captions hold them."""

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
    """Reads Docs of one vocabulary."""

    def __init__(self, vocab: Any) -> None:
        self._strings = Strings(vocab.strings)

    def annotation(self, doc: Any) -> Annotation:
        """Return the words (whitespace tokens too), tags, relations and noun chunks of a Doc.

        All tokens are kept, so that `text[offset:offset + len(word)] == word` holds for each of them.
        """
        if not len(doc):
            return Annotation((), (), (), ())
        table = doc.to_array(COLUMNS)
        orths, offsets, tags, deps, _ = table.T.tolist()
        distances = table[:, -1].astype("int64").tolist()  # signed, in an unsigned array
        string = self._strings.__getitem__
        words = tuple(map(string, orths))
        return Annotation(
            words=words,
            offsets=tuple(offsets),
            tags=tuple(map(string, tags)),
            chunks=tuple(
                Chunk(offsets[start], offsets[end - 1] + len(words[end - 1]))
                for start, end, _ in doc.noun_chunks_iterator(doc)
            ),
            heads=tuple(index + distance for index, distance in enumerate(distances)),
            deps=tuple(map(string, deps)),
        )
