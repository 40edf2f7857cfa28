"""What a metric is: a value that says how to count and what the counts come to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assess.report.quantity import Direction as Direction
from assess.report.quantity import Of, Quantity
from assess.report.text import Form

Counts = NDArray[np.float64]  # a tally as a vector of counts, or one such vector a row

Unit = TypeVar("Unit")
Tally = TypeVar("Tally")


@dataclass(frozen=True, slots=True)
class Definition:
    """What a reported number means, whether or not its tallies add."""

    name: str  # as in JSON
    formula: str
    reference: str  # a key in docs/references.bib; empty where it is ours, or needs none
    direction: Direction
    undefined: str  # when it has no value; empty where it always has one


@dataclass(frozen=True, slots=True)
class Metric(Generic[Unit, Tally]):
    """A measure: `value` of the sum of `tally` over units. Tallies of parts add up to that of the whole."""

    name: str
    formula: str
    reference: str  # a key in docs/references.bib
    direction: Direction
    tally: Callable[[Unit], Tally]
    # Takes a sum of tallies. Where a tally is `Counts`, it also takes one sum a row and returns one
    # value a row, which is how the bootstrap evaluates a block of resamples at once.
    value: Callable[[Tally], Any]
    undefined: str = field(kw_only=True)  # when it has no value; empty where it always has one

    @property
    def definition(self) -> Definition:
        """What the metric means, without how it is counted."""
        return Definition(self.name, self.formula, self.reference, self.direction, self.undefined)

    def of(self, units: Iterable[Unit]) -> float:
        """Return the metric's value over units; `nan` where there are none."""
        tallies = [self.tally(unit) for unit in units]
        if not tallies:
            return float("nan")
        return float(self.value(reduce(operator.add, tallies)))


def metric_quantity(
    metric: Metric[Any, Any], heading: str, get: Callable[[Of], float | None], form: Form, **further: Any
) -> Quantity[Of]:
    """Return a metric as a quantity: the metric says what it means, the rest is how it is shown."""
    return Quantity(
        metric.name,
        heading,
        get,
        form,
        metric.formula,
        metric.reference,
        metric.direction,
        metric.undefined,
        **further,
    )


def ratio(part: ArrayLike, whole: ArrayLike) -> Any:
    """Return part / whole, elementwise, and `nan` wherever the whole is 0: undefined is never 0."""
    parts, wholes = np.broadcast_arrays(np.asarray(part, dtype=float), np.asarray(whole, dtype=float))
    quotients = np.full(parts.shape, np.nan)
    np.divide(parts, wholes, out=quotients, where=wholes != 0)
    return quotients[()]


# What the reported numbers mean whose tallies do not add, or which are plain counts.
#
# The others say it themselves, where they are counted: see `Metric`. A test holds both together against the
# fields of the results, so that none is reported without a definition.

_PEOPLE = "vanmiltenburg2020people"
_NO_LABELS = "no labels"

COVERAGE = (
    Definition("captions", "captions read, empty ones too", "", "neither", ""),
    Definition("labelled_captions", "captions with a label", _PEOPLE, "neither", ""),
    Definition("chunks", "noun chunks that the annotator finds", "", "neither", ""),
    Definition(
        "labels", "phrases of the domain: chunks that end in one of its heads", _PEOPLE, "neither", ""
    ),
    Definition("distinct_labels", "distinct labels, as texts", _PEOPLE, "neither", ""),
    Definition("partial_labels", "labels with an unknown word among known ones", "", "lower", ""),
    Definition("uncovered_labels", "labels in which no category was found", "", "lower", ""),
    Definition(
        "modifiers", "sum over labels of their modifier categories, each once", _PEOPLE, "neither", ""
    ),
    Definition("modifiers_per_label", "modifiers / labels", _PEOPLE, "neither", _NO_LABELS),
    Definition("modifier_categories", "modifier categories that some label has", _PEOPLE, "higher", ""),
    Definition("head_categories", "head categories that some label has", _PEOPLE, "higher", ""),
    Definition("after_labels", "labels with an attribute after the noun", "", "neither", ""),
    Definition(
        "after_modifiers", "modifiers of the best reading that only such attributes tell", "", "neither", ""
    ),
    Definition("share", "labels with the category / labels", _PEOPLE, "neither", _NO_LABELS),
    Definition("best_labels", "labels with the category in the best reading", "", "neither", ""),
)

DOMAIN = (
    Definition("full", "labels whose words are all known / labels", "", "higher", _NO_LABELS),
    Definition("partial", "labels with an unknown word among known ones / labels", "", "lower", _NO_LABELS),
    Definition("none", "labels in which no category was found / labels", "", "lower", _NO_LABELS),
    Definition(
        "likeness",
        "of the nouns that keep the most similar company, the share that are known heads, weighted",
        "",
        "neither",
        "a taxonomy without heads in these captions",
    ),
)
