"""Annotated captions as numbers: whole corpora in memory, at eleven bytes a word.

The measures of recall and syntax need the tags and the trees of all captions at once. A hundred
thousand annotations as objects would take hundreds of megabytes, so words, tags and relations are
kept as codes in flat arrays, and a caption is a view that decodes what it is asked for.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from assess.records import Annotation

Strings = tuple[str, ...]


class _Codes(dict[str, int]):
    """String to code, in order of first use, and back."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        code = self[string] = len(self.strings)
        self.strings.append(string)
        return code

    def decode(self, codes: array[int]) -> Strings:
        return tuple(map(self.strings.__getitem__, codes))


class AnnotatedTexts:
    """The annotations of distinct texts. Offsets and noun chunks are not kept: no measure reads them."""

    def __init__(self) -> None:
        self._words, self._tags, self._deps = _Codes(), _Codes(), _Codes()
        self._word_codes, self._heads = array("i"), array("i")
        self._tag_codes, self._dep_codes = array("H"), array("H")
        self._starts = array("q", [0])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, annotation: Annotation) -> AnnotatedCaption:
        """Keep an annotation and return the caption that shows it."""
        self._word_codes.extend(map(self._words.__getitem__, annotation.words))
        self._tag_codes.extend(map(self._tags.__getitem__, annotation.tags))
        self._dep_codes.extend(map(self._deps.__getitem__, annotation.deps))
        self._heads.extend(annotation.heads)
        self._starts.append(len(self._word_codes))
        return AnnotatedCaption(self, len(self) - 1)

    def words(self, number: int) -> Strings:
        """Return the words of a text."""
        return self._words.decode(self._word_codes[self._part(number)])

    def tags(self, number: int) -> Strings:
        """Return the fine tags of a text's words."""
        return self._tags.decode(self._tag_codes[self._part(number)])

    def deps(self, number: int) -> Strings:
        """Return the relations of a text's words to their heads."""
        return self._deps.decode(self._dep_codes[self._part(number)])

    def heads(self, number: int) -> tuple[int, ...]:
        """Return the heads of a text's words, as indices."""
        return tuple(self._heads[self._part(number)])

    def _part(self, number: int) -> slice:
        return slice(self._starts[number], self._starts[number + 1])


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedCaption:
    """One distinct text with its tags and its tree: what `metrics` calls a parsed caption."""

    texts: AnnotatedTexts
    number: int

    @property
    def words(self) -> Strings:
        """The words, in order."""
        return self.texts.words(self.number)

    @property
    def tags(self) -> Strings:
        """The fine tag of each word."""
        return self.texts.tags(self.number)

    @property
    def heads(self) -> tuple[int, ...]:
        """The index of each word's head; a root is its own head."""
        return self.texts.heads(self.number)

    @property
    def deps(self) -> Strings:
        """The relation of each word to its head."""
        return self.texts.deps(self.number)
