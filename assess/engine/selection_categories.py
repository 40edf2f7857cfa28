"""Categories of boxes: those of a taxonomy, by its reading of a box's concept, or the input's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assess.corpus.selection_input import Box, GoldImage
from assess.engine.selection_result import BoxCategories
from assess.grammar import Parser
from assess.metrics.selection_categories import CategoriesOf, category_recall, source_categories
from assess.metrics.selection_sentences import concept_term
from assess.taxonomy import load_taxonomy

OWN = "the input's own"


@dataclass(frozen=True, slots=True)
class Categories:
    """How boxes are sorted into categories."""

    of: CategoriesOf
    domain: str = OWN
    taxonomy: str | None = None  # its identity; None for the input's own categories
    heads: tuple[str, ...] = ()  # the categories that a taxonomy has


def read_categories(domain: str | None) -> Categories:
    """Return the head categories of a domain as categories of boxes, or the input's own."""
    if domain is None:
        return Categories(source_categories)
    taxonomy = load_taxonomy(domain)
    parser = Parser(taxonomy)

    def heads(box: Box) -> tuple[str, ...]:
        return parser.analyse(concept_term(box.concept)).best.heads

    return Categories(heads, taxonomy.taxonomy, taxonomy.identity, tuple(taxonomy.heads))


def box_categories(images: Sequence[GoldImage], categories: Categories) -> BoxCategories | None:
    """Count boxes and people's mentions by category; None where boxes have no categories at all."""
    people = category_recall(images, {image.image: () for image in images}, categories_of=categories.of)
    if not people and categories.taxonomy is None:
        return None
    found = {category.category for category in people}
    return BoxCategories(
        source=categories.domain,
        people=people,
        uncategorised=sum(not tuple(categories.of(box)) for image in images for box in image.boxes),
        without_boxes=tuple(name for name in categories.heads if name not in found),
    )
