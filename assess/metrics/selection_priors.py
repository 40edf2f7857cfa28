"""What the descriptions of a development set say about which concepts are mentioned, and in what order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assess.corpus.selection_input import GoldImage

START = ""  # stands before the first mention; no concept is empty


@dataclass(frozen=True, slots=True)
class TextPriors:
    """How often each concept is mentioned, and how often it directly follows another one."""

    unigrams: Mapping[str, int] = field(default_factory=dict)
    bigrams: Mapping[tuple[str, str], int] = field(default_factory=dict)


def text_priors(development: Iterable[GoldImage]) -> TextPriors:
    """Count concepts and neighbouring concepts in the gold descriptions of a development set."""
    unigrams: Counter[str] = Counter()
    bigrams: Counter[tuple[str, str]] = Counter()
    for image in development:
        concepts = {box.id: box.concept for box in image.boxes}
        for description in image.descriptions:
            sequence = [concepts[box] for box in description]
            unigrams.update(sequence)
            bigrams.update(zip([START, *sequence], sequence, strict=False))
    return TextPriors(unigrams, bigrams)
