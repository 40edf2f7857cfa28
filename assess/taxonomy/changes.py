"""Which words a change of a taxonomy concerns: only chunks that contain one of them are read again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    PLACEHOLDER,
    OpenPattern,
    Phrase,
    carrier_names,
    excluded_phrases,
    open_patterns_of,
    phrases_of,
)
from assess.taxonomy.words import PIECES

_OF_WORDS = frozenset({"words", "patterns", "of", "grades", "not_with", "only_with"})
"""What shows in the phrases of a category, and with their words in the chunks that it concerns."""
_ELSEWHERE = frozenset({"description", "evidence", "sensitivity", "after"})
"""What concerns reports, or what is said after a chunk."""
_OF_TAXONOMY = frozenset(
    {
        "heads",
        "modifiers",
        "sets",
        "excluded",
        "taxonomy",
        "version",
        "description",
        "says_nothing",
        "examples",
    }
)


def changed_words(before: Taxonomy, after: Taxonomy) -> set[str] | None:
    """Return words of which every chunk contains one that two taxonomies may read differently.

    None if every chunk may be read differently: another phrase structure, or a pattern without fixed words.
    """
    if _structure(before) != _structure(after) or _orders(before, after) != _orders(after, before):
        return None
    items = _items(before), _items(after)
    excluded = [set(excluded_phrases(each)) for each in (before, after)]
    words = {_rarest(text) for text in excluded[0] ^ excluded[1]}
    words |= {_fixed_word(item) for item in items[0] ^ items[1]}
    if before.sets != after.sets:
        words |= {_rarest(text) for text in _moved(before, after)}
    return None if "" in words else words


def _structure(taxonomy: Taxonomy) -> dict[str, Any]:
    """Return what any chunk may depend on."""
    return {name: getattr(taxonomy, name) for name in type(taxonomy).model_fields if name not in _OF_TAXONOMY}


def _orders(taxonomy: Taxonomy, other: Taxonomy) -> list[tuple[str, dict[str, Any]]]:
    """Return the categories that both have, in order, with what any chunk that has them may depend on."""
    return [
        (
            f"{role}.{name}",
            {key: value for key, value in category if key not in _OF_WORDS | _ELSEWHERE},
        )
        for role, name, category in taxonomy.categories()
        if name in other.roles[role]
    ]


def _items(taxonomy: Taxonomy) -> frozenset[Phrase | OpenPattern]:
    return frozenset((*phrases_of(taxonomy), *open_patterns_of(taxonomy)))


def _moved(before: Taxonomy, after: Taxonomy) -> Iterator[str]:
    """Yield the heads and of-phrases that other sets contain, so that other constraints name them."""
    old, new = (carrier_names(each, _items(each)) for each in (before, after))
    yield from (text for text in old.keys() | new.keys() if old.get(text) != new.get(text))


def _fixed_word(item: Phrase | OpenPattern) -> str:
    """Return a word that everything which a phrase or pattern matches contains; nothing if there is none."""
    if isinstance(item, Phrase):
        return _rarest(item.text)
    parts = re.split("[ -]", PLACEHOLDER.sub("{}", item.text.lower()))
    return _rarest(" ".join(part for part in parts if "{}" not in part))


def _rarest(phrase: str) -> str:
    """Return the longest word of a phrase, which is found in the fewest chunks."""
    return max(PIECES.findall(phrase.lower()), key=len, default="")
