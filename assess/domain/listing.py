"""The words that a taxonomy lists, by role: what an author has already decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assess.records import Role
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import PLACEHOLDER, normal_form


@dataclass(frozen=True, slots=True)
class Listing:
    """A category's words and patterns, as an author sees them."""

    role: Role
    category: str
    words: tuple[str, ...]  # normal forms; a pattern that is nothing but a set stands for its words
    patterns: tuple[str, ...]  # the others, as written


def listings(taxonomy: Taxonomy) -> Iterator[Listing]:
    """Yield what every category lists, heads first, in file order."""
    for role, name, category in taxonomy.categories():
        words = [entry.word for entry in category.words]
        patterns = []
        for pattern in category.patterns:
            whole = PLACEHOLDER.fullmatch(pattern)
            if whole and whole[1] in taxonomy.sets:
                words += taxonomy.sets[whole[1]]
            else:
                patterns.append(pattern)
        forms = dict.fromkeys(normal_form(taxonomy, word) for word in words)
        yield Listing(role, name, tuple(forms), tuple(patterns))


def categories_of_words(taxonomy: Taxonomy, role: Role) -> dict[str, tuple[str, ...]]:
    """Return the listed words of a role with all categories that each one belongs to."""
    found: dict[str, dict[str, None]] = {}
    for listing in listings(taxonomy):
        if listing.role == role:
            for word in listing.words:
                found.setdefault(word, {})[listing.category] = None
    for category in taxonomy.roles[role].values():
        for entry in category.words:
            found[normal_form(taxonomy, entry.word)].update(dict.fromkeys(entry.also))
    return {word: tuple(categories) for word, categories in found.items()}
