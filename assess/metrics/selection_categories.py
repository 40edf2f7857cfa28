"""Recall by category: which kinds of boxes people mention, and a system leaves out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from assess.corpus.selection_input import Box, GoldImage

CategoriesOf = Callable[[Box], Iterable[str]]


@dataclass(frozen=True, slots=True)
class CategoryRecall:
    """How a system treats the boxes of one category. A mention is a box in one gold description."""

    category: str
    boxes: int
    mentioned_boxes: int  # in some gold description
    selected_boxes: int  # by the system
    mentions: int
    recalled: int  # mentions whose box the system selected

    @property
    def recall(self) -> float:
        """The share of gold mentions that the system makes; `nan` where people make none."""
        return self.recalled / self.mentions if self.mentions else math.nan

    @property
    def never_mentioned(self) -> bool:
        """Whether people mention no box of the category."""
        return self.mentions == 0

    @property
    def never_selected(self) -> bool:
        """Whether the system selects no box of the category."""
        return self.selected_boxes == 0


def concept_categories(categories: Mapping[str, str | Iterable[str]]) -> CategoriesOf:
    """Return the category rule of a mapping from concepts to a category or to several.

    A concept that is not in the mapping has no category and is not counted.
    """

    def rule(box: Box) -> tuple[str, ...]:
        found = categories.get(box.concept, ())
        return (found,) if isinstance(found, str) else tuple(found)

    return rule


def source_categories(box: Box) -> tuple[str, ...]:
    """Return the categories that the box's source gave it, such as those of Flickr30k Entities."""
    return box.categories


def category_recall(
    gold: Iterable[GoldImage],
    selections: Mapping[str, Collection[str]],
    *,
    categories_of: CategoriesOf = source_categories,
) -> tuple[CategoryRecall, ...]:
    """Count boxes, mentions and selections by category, in alphabetical order.

    `categories_of` says which categories a box has: the source's own, `concept_categories` of a
    dictionary, or any function, such as a taxonomy's analysis of the box's concept.
    """
    counts: dict[str, Counter[str]] = {}
    for image in gold:
        chosen = set(selections[image.image])
        mentions = Counter(box for description in image.descriptions for box in set(description))
        for box in image.boxes:
            for category in sorted(set(categories_of(box))):
                counts.setdefault(category, Counter()).update(_counts(mentions[box.id], box.id in chosen))
    return tuple(CategoryRecall(category, **_complete(counts[category])) for category in sorted(counts))


_COUNTED = ("boxes", "mentioned_boxes", "selected_boxes", "mentions", "recalled")


def _counts(mentions: int, selected: bool) -> dict[str, int]:
    values = (1, int(mentions > 0), int(selected), mentions, mentions if selected else 0)
    return dict(zip(_COUNTED, values, strict=True))


def _complete(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in _COUNTED}
