"""How probable a model finds the words of a domain's categories, in the references.

The words of the references must be in the input. Each caption is put together again, and the best reading of
its noun phrases sorts their words; all others are "other".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assess.engine.jobs import in_this_process
from assess.errors import InputError, Place
from assess.grammar import Grammar
from assess.grammar.parser import Parser
from assess.measures.coverage.compute import category_keys
from assess.measures.measure import Row
from assess.measures.metric import ratio
from assess.measures.pregen.input import ImageProbabilities
from assess.records import Annotation
from assess.report.quantity import Quantity, values_of
from assess.report.text import count, decimals, percent
from assess.taxonomy.words import tokenise

OTHER = "other"
_BATCH = 256  # images whose captions are annotated at once
_PAPER = "tanti2018pregen"


@dataclass(slots=True)
class WordTally:
    """Counts of words: how many, their probabilities and bits, and those that were the first choice."""

    words: int = 0
    probability: float = 0.0
    bits: float = 0.0  # -log2 p; infinite where some p is 0
    first: int = 0

    def add(self, p: float, first: bool) -> None:
        """Count one word."""
        self.words += 1
        self.probability += p
        self.bits += -math.log2(p) if p else math.inf
        self.first += first


QUANTITIES: list[Quantity[WordTally]] = [
    Quantity("words", "words", lambda found: found.words, count, "words of the category", table="categories"),
    Quantity(
        "mean_p",
        "mean p",
        lambda found: float(ratio(found.probability, found.words)),
        decimals(3),
        "sum of p / words",
        direction="higher",
        undefined="no words",
        table="categories",
    ),
    Quantity(
        "perplexity",
        "perplexity",
        lambda found: 2 ** (found.bits / found.words) if found.words else math.nan,
        decimals(1),
        "2^(-mean log2 p) of the words",
        _PAPER,
        "lower",
        "no words",
        table="categories",
    ),
    Quantity(
        "first_choice",
        "first choice",
        lambda found: float(ratio(found.first, found.words)),
        percent,
        "words that were the model's first choice / words",
        _PAPER,
        "higher",
        "no words",
        table="categories",
    ),
]


class CategoryTotals:
    """Running counts of the words of each category, fed by the stream of images."""

    def __init__(self, grammar: Grammar, file: str) -> None:
        self._parser = Parser(grammar)
        self._file = file
        self._annotations = in_this_process().annotations
        self._tallies = {f"{role}.{name}": WordTally() for role, name in category_keys(grammar)}
        self._tallies[OTHER] = WordTally()
        self._waiting: list[ImageProbabilities] = []

    @property
    def model(self) -> str:
        """The model that finds noun phrases."""
        found = self._annotations.identity
        return f"{found.name} {found.version} (spaCy {found.spacy_version})"

    def passed(self, images: Iterable[ImageProbabilities]) -> Iterator[ImageProbabilities]:
        """Pass images on, and count their words on the way."""
        for record, image in enumerate(images, start=1):
            if image.words is None:
                hint = 'give each word as {"p": 0.7, "rank": 0, "word": "young"}; only JSON has words'
                message = f"image {image.image} has no words, which --domain needs"
                raise InputError(message, place=Place(self._file, record=record), hint=hint)
            self._waiting.append(image)
            if len(self._waiting) == _BATCH:
                self._flush()
            yield image
        self._flush()

    def rows(self) -> dict[str, Row]:
        """Return the numbers of each category that has words."""
        return {
            name: Row(**values_of(QUANTITIES, tally)) for name, tally in self._tallies.items() if tally.words
        }

    def _flush(self) -> None:
        captions = [caption for image in self._waiting for caption in _captions(image)]
        texts = [_joined(words) for words, _, _ in captions]
        distinct = list(dict.fromkeys(text for text, _ in texts))
        found = dict(zip(distinct, self._annotations.annotate(distinct), strict=True))
        for (text, places), (_, probabilities, first) in zip(texts, captions, strict=True):
            named = self._named(text, found[text], places)
            for categories, p, best in zip(named, probabilities, first, strict=True):
                for category in categories or {OTHER}:
                    self._tallies[category].add(p, best)
        self._waiting.clear()

    def _named(self, text: str, annotation: Annotation, places: Sequence[tuple[int, int]]) -> list[set[str]]:
        """Return the categories of each word, given the characters that it stands on."""
        named: list[set[str]] = [set() for _ in places]
        for chunk in annotation.chunks:
            phrase = text[chunk.start : chunk.end]
            tokens = tokenise(phrase)
            for span in self._parser.analyse(phrase).best.spans:
                start = chunk.start + tokens[span.start].start
                end = chunk.start + tokens[span.end - 1].end
                for categories, (first, last) in zip(named, places, strict=True):
                    if first < end and last > start:
                        categories.add(f"{span.role}.{span.category}")
        return named


def _captions(image: ImageProbabilities) -> Iterator[tuple[Sequence[str], list[float], list[bool]]]:
    ends = np.cumsum(image.lengths).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        assert image.words is not None
        yield (
            image.words[start:end],
            image.probabilities[start:end].tolist(),
            image.argmax[start:end].tolist(),
        )


def _joined(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a caption as a lowercased text, and the characters of each of its words.

    "##" continues the word before; what stands in angle brackets, as the end token, is no word of the text.
    """
    text, places = "", []
    for word in words:
        piece = word.strip().lower()
        if not piece or (piece.startswith("<") and piece.endswith(">")):
            places.append((len(text), len(text)))
            continue
        if piece.startswith("##"):
            piece = piece.removeprefix("##")
        elif text:
            text += " "
        places.append((len(text), len(text) + len(piece)))
        text += piece
    return text, places
