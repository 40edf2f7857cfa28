"""The words that a taxonomy lists, by role: what an author has already decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assess.records import Role
from assess.taxonomy.model import HeadCategory, ModifierCategory, Taxonomy
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
    for name, head in taxonomy.heads.items():
        yield _listing(taxonomy, "head", name, head)
    for name, modifier in taxonomy.modifiers.items():
        yield _listing(taxonomy, "modifier", name, modifier)


def categories_of_words(taxonomy: Taxonomy, role: Role) -> dict[str, tuple[str, ...]]:
    """Return the listed words of a role with all categories that each one belongs to."""
    found: dict[str, dict[str, None]] = {}
    for listing in listings(taxonomy):
        if listing.role == role:
            for word in listing.words:
                found.setdefault(word, {})[listing.category] = None
    for word, also in _also(taxonomy, role):
        found[word].update(dict.fromkeys(also))
    return {word: tuple(categories) for word, categories in found.items()}


def _listing(taxonomy: Taxonomy, role: Role, name: str, category: HeadCategory | ModifierCategory) -> Listing:
    words = [entry.word for entry in category.words]
    patterns = []
    for pattern in category.patterns:
        whole = PLACEHOLDER.fullmatch(pattern)
        if whole and whole[1] in taxonomy.sets:
            words += taxonomy.sets[whole[1]]
        else:
            patterns.append(pattern)
    forms = dict.fromkeys(normal_form(taxonomy, word) for word in words)
    return Listing(role, name, tuple(forms), tuple(patterns))


def _also(taxonomy: Taxonomy, role: Role) -> Iterator[tuple[str, tuple[str, ...]]]:
    categories = taxonomy.heads if role == "head" else taxonomy.modifiers
    for category in categories.values():
        for entry in category.words:
            yield normal_form(taxonomy, entry.word), entry.also
