"""The company that words keep: what stands beside them in captions, and what they depend on.

Words that are used alike tend to mean alike (Harris 1954), also in a few thousand captions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assess.metrics.feature_space import Features
from assess.records import Annotation
from assess.taxonomy.tokens import Token, tokenise

MOST_USES = 300
"""Uses of one word that are looked at: what a common word adds after these is no news."""

_LONGEST = 4  # words of a phrase
_BEFORE, _AFTER = "^", "$"  # the edges of a caption
_WEIGHTS = {"tag": 1.5, "capital": 2.0, "far": 0.6}

CAUTION = 5.0
"""How much company a word must have before it is taken for like another: see `FeatureSpace`."""


@dataclass(slots=True)
class CompanyTally:
    """What stands around each word and each known phrase. Two tallies of different texts add."""

    phrases: frozenset[str] = frozenset()  # normal forms of several words, to be taken as one
    uses: Counter[str] = field(default_factory=Counter)
    features: dict[str, Counter[str]] = field(default_factory=dict)

    def add_text(self, text: str, annotation: Annotation) -> None:
        """Count the company of all words of one text."""
        tokens = tokenise(text)
        index = {offset: number for number, offset in enumerate(annotation.offsets)}
        words = [_BEFORE, _BEFORE, *(token.text for token in tokens), _AFTER, _AFTER]
        for start, end, phrase in self._phrases_of(tokens):
            self.uses[phrase] += 1
            if self.uses[phrase] <= MOST_USES:
                own = self.features.setdefault(phrase, Counter())
                own.update(_neighbours(words, start + 2, end + 2))
                own.update(_grammar(text, tokens[start], tokens[end - 1], annotation, index))

    def _phrases_of(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
        forms = [token.text.replace("-", " ") for token in tokens]
        for start, form in enumerate(forms):
            yield start, start + 1, form
            for end in range(start + 2, min(len(forms), start + _LONGEST) + 1):
                phrase = " ".join(forms[start:end])
                if phrase in self.phrases:
                    yield start, end, phrase

    def knows(self, word: str) -> bool:
        """Whether a word was seen, with hyphens or without."""
        return word.replace("-", " ") in self.features

    def features_of(self, word: str) -> Features:
        """Return a word's company as weighted features; none for a word that was not seen."""
        own = self.features.get(word.replace("-", " "), Counter[str]())
        return {
            name: _WEIGHTS.get(name.split(" ")[0], 1.0) * math.log1p(count) for name, count in own.items()
        }


def _neighbours(words: Sequence[str], start: int, end: int) -> Iterator[str]:
    yield f"left {words[start - 1]}"
    yield f"right {words[end]}"
    yield f"far left {words[start - 2]}"
    yield f"far right {words[end + 1]}"


def _grammar(
    text: str, first: Token, last: Token, annotation: Annotation, index: dict[int, int]
) -> Iterator[str]:
    # A hyphenated word of ours is several words of the annotator's; its last part carries the tag.
    position = index.get(last.start)
    if position is None:
        return
    while position + 1 < len(annotation.offsets) and annotation.offsets[position + 1] < last.end:
        position += 1
    yield f"tag {annotation.tags[position]}"
    if annotation.heads:
        head = annotation.words[annotation.heads[position]].lower()
        yield f"depends {annotation.deps[position]} {head}"
    if first.start > 0 and text[first.start].isupper():
        yield "capital"
