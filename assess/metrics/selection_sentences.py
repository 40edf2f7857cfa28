"""Sentences from selected boxes: concepts joined by function words (Wang and Gaizauskas 2015, section 4.3).

A selection alone cannot be scored by metrics that compare sentences. These sentences can, and show
how far the choice of content gets without any skill in saying it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from assess.corpus.selection_input import GoldImage

FUNCTION_WORDS = ("and", "with", "in", "on", "near", "by", "next to", "in front of")
ARTICLES = ("a", "the", "")


def concept_term(concept: str) -> str:
    """Return a concept as words: `fire_engine.n.01` is "fire engine"."""
    head, dot, rest = concept.partition(".")
    return (head if dot and rest[:1].isalpha() else concept).replace("_", " ").strip()


def baseline_sentence(
    terms: Sequence[str],
    *,
    image: str,
    seed: int = 0,
    function_words: Sequence[str] = FUNCTION_WORDS,
    articles: Sequence[str] = ARTICLES,
) -> str:
    """Return a sentence of the terms in order, with function words and articles drawn by chance.

    Chance depends on the seed and the image id alone. No terms give an empty sentence.
    """
    generator = random.Random(f"{seed}/{image}")  # noqa: S311 - a baseline, not a secret
    words: list[str] = []
    for at, term in enumerate(terms):
        if at:
            words.append(generator.choice(function_words))
        words += [_with_article(generator.choice(articles), term)]
    return " ".join(words)


def baseline_sentences(
    gold: Iterable[GoldImage], orders: Mapping[str, Sequence[str]], *, most: int, seed: int = 0
) -> dict[str, str]:
    """Return a sentence an image from the first `most` boxes of an order."""
    sentences = {}
    for image in gold:
        concepts = {box.id: box.concept for box in image.boxes}
        terms = [concept_term(concepts[box]) for box in orders[image.image][:most]]
        sentences[image.image] = baseline_sentence(terms, image=image.image, seed=seed)
    return sentences


def _with_article(article: str, term: str) -> str:
    if article == "a" and term[:1].lower() in "aeiou":
        article = "an"
    return f"{article} {term}".strip()
