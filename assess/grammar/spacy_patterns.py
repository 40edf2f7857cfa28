"""A taxonomy as patterns for spaCy's entity and span rulers, one JSON object a line.

Phrases are texts, which the ruler tokenises by itself (with `phrase_matcher_attr: "LOWER"`); patterns
without end, such as {number}-year-old, are lists of token descriptions. The patterns find words, not
readings: constraints and the phrase structure stay behind.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from assess.grammar.lexicon import spellings
from assess.records import Role
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    open_patterns_of,
    phrases_of,
    placeholder_words,
)

_TOKENS: dict[str, dict[str, Any]] = {"{number}": {"LIKE_NUM": True}, "{word}": {"IS_ALPHA": True}}
_HYPHEN: dict[str, Any] = {"ORTH": "-", "OP": "?"}


def spacy_patterns(taxonomy: Taxonomy) -> str:
    """Return the patterns: `label` is the category, `id` the role."""
    lines = dict.fromkeys(
        json.dumps({"label": label, "pattern": pattern, "id": role}, ensure_ascii=False)
        for label, pattern, role in _patterns(taxonomy)
    )
    return "\n".join(lines) + "\n"


def _patterns(taxonomy: Taxonomy) -> Iterator[tuple[str, str | list[dict[str, Any]], str]]:
    exact = taxonomy.hyphens == "exact"
    for phrase in phrases_of(taxonomy):
        labels: list[tuple[str, Role]] = [(name, phrase.role) for name in (phrase.category, *phrase.also)]
        labels += [(name, "modifier") for name in phrase.says]
        for category, role in labels:
            for spelling in spellings(phrase.text, exact=exact):
                # Our tokens have a space before the possessive; a text has none.
                yield category, spelling.replace(" 's", "'s"), role
    for pattern in open_patterns_of(taxonomy):
        for text in _expanded(taxonomy, pattern.text):
            yield pattern.category, _tokens(text), pattern.role


def _expanded(taxonomy: Taxonomy, pattern: str) -> Iterator[str]:
    """Yield an open pattern with every choice of words for its finite placeholders."""
    parts = PLACEHOLDER.split(pattern)
    choices = [
        [part]
        if index % 2 == 0
        else [f"{{{part}}}"]
        if part in OPEN_PLACEHOLDERS
        else placeholder_words(taxonomy, part)
        for index, part in enumerate(parts)
    ]
    for combination in itertools.product(*choices):
        yield "".join(combination)


def _tokens(text: str) -> list[dict[str, Any]]:
    """Return token descriptions; spaCy splits words at hyphens, which may also be spaces."""
    tokens: list[dict[str, Any]] = []
    for word in text.split():
        for number, piece in enumerate(word.split("-")):
            if number:
                tokens.append(_HYPHEN)
            tokens.append(_token(piece))
        tokens.append(_HYPHEN)
    return tokens[:-1]


def _token(piece: str) -> dict[str, Any]:
    if piece in _TOKENS:
        return _TOKENS[piece]
    if not PLACEHOLDER.search(piece):
        return {"LOWER": piece.lower()}
    parts = PLACEHOLDER.split(piece)
    regex = "".join(
        re.escape(part.lower()) if index % 2 == 0 else OPEN_PLACEHOLDERS[part]
        for index, part in enumerate(parts)
    )
    return {"LOWER": {"REGEX": f"^{regex}$"}}
