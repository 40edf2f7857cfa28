"""Whether a caption is new, or one that the training captions already had."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assess.metrics.metric import ratio
from assess.metrics.recall_words import is_word

Words = tuple[str, ...]


def paper_key(text: str) -> str:
    """Return a caption as the paper compares it: lowercased, without full stops and the like at its ends.

    Its flaw: "a dog ." becomes "a dog " and so is never equal to "A dog.".
    """
    return text.lower().strip(".?!")


def token_key(words: Iterable[str]) -> Words:
    """Return a caption as we compare it: lowercased words, without tokens of punctuation or space alone."""
    return tuple(word.lower() for word in words if is_word(word))


@dataclass(frozen=True, slots=True)
class Novelty:
    """How many captions are not among the training captions. The sum of two is that of both."""

    captions: int = 0
    novel: int = 0

    def __add__(self, other: Novelty) -> Novelty:
        return Novelty(self.captions + other.captions, self.novel + other.novel)

    @property
    def share(self) -> float:
        """Novel captions of all captions, from 0 to 1; the paper prints it as a percentage."""
        return float(ratio(self.novel, self.captions))


def novelty(keys: Iterable[str] | Iterable[Words], training: Iterable[str] | Iterable[Words]) -> Novelty:
    """Return how many captions are novel; both sides are keys of the same rule, paper's or ours."""
    known = set(training)
    verdicts = [key not in known for key in keys]
    return Novelty(len(verdicts), sum(verdicts))
