"""Counts and ratios of them; and the definitions of plain counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assess.report.quantity import defined

Counts = NDArray[np.float64]  # a tally as a vector of counts, or one such vector per row


def ratio(part: ArrayLike, whole: ArrayLike) -> Any:
    """Return part / whole, elementwise; `nan` if the whole is 0, since undefined is never 0."""
    parts, wholes = np.broadcast_arrays(np.asarray(part, dtype=float), np.asarray(whole, dtype=float))
    quotients = np.full(parts.shape, np.nan)
    np.divide(parts, wholes, out=quotients, where=wholes != 0)
    return quotients[()]


# Definitions of reported numbers that are plain counts or whose tallies cannot be added.
#
# Other numbers are defined where they are counted. A test compares both kinds of definitions with the fields
# of the results, so that no number is reported without a definition.

_PEOPLE = "vanmiltenburg2020people"
_NO_LABELS = "no labels"

COVERAGE = (
    defined("captions", "captions read, including empty ones"),
    defined("images", "images that the captions describe"),
    defined("repeated_images", "captions of an image that already had one"),
    defined("empty_captions", "captions without text; they count"),
    defined(
        "labels", "people in the captions (per mention: phrases of the domain), each counted once", _PEOPLE
    ),
    defined("distinct_labels", "distinct labels, as texts", _PEOPLE),
    defined("partial_labels", "labels with some unknown words", direction="lower"),
    defined("uncovered_labels", "labels without any category", direction="lower"),
    defined("modifiers", "sum over labels of their modifier categories, each counted once", _PEOPLE),
    defined("modifiers_per_label", "modifiers / labels", _PEOPLE, undefined=_NO_LABELS),
    defined("modifier_categories", "modifier categories that at least one label has", _PEOPLE, "higher"),
    defined("head_categories", "head categories that at least one label has", _PEOPLE, "higher"),
    defined("after_labels", "labels with modifiers after the noun"),
    defined("after_modifiers", "modifiers of the best reading that occur only after the noun"),
    defined(
        "unread_labels",
        "labels with words after the noun that were not understood",
        direction="lower",
    ),
    defined("hedged", "statements that may not hold, such as about to jump"),
    defined("share", "labels with the category / labels", _PEOPLE, undefined=_NO_LABELS),
    defined("best_labels", "labels with the category in the best reading"),
)

DOMAIN = (
    defined("full", "labels whose words are all known / labels", direction="higher", undefined=_NO_LABELS),
    defined(
        "partial",
        "labels with some unknown words / labels",
        direction="lower",
        undefined=_NO_LABELS,
    ),
    defined("none", "labels without any category / labels", direction="lower", undefined=_NO_LABELS),
    defined(
        "likeness",
        "share of known heads among the nouns used in the most similar contexts, weighted",
        undefined="a taxonomy none of whose heads occur in these captions",
    ),
)
