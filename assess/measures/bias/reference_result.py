"""A contrast beside references, as it is saved and given to Python; and parts of all such results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from assess.measures.bias.references import Beside, ReferenceChange, ReferenceComparison
from assess.measures.bias.tables import UNDEFINED, CountTable, Estimate
from assess.measures.measure import Model, Number
from assess.report.text import number


def _estimate(value: Any) -> Any:
    return Estimate(*map(number, value)) if isinstance(value, Sequence) else value


def triple(estimate: Estimate) -> list[float]:
    """Return a value and the ends of its interval, as JSON has them."""
    return [estimate.value, estimate.low, estimate.high]


EstimateField = Annotated[Estimate, BeforeValidator(_estimate), PlainSerializer(triple)]
"""A value and the ends of its interval; in JSON a list of three numbers."""


class Counts(Model):
    """Labels of two values of a group, and those of them that carry a category."""

    yes: int
    labels: int
    other_yes: int
    other_labels: int

    @property
    def difference(self) -> float:
        """The rate of the first minus that of the second; undefined where a value has no labels."""
        table = CountTable(self.yes, self.labels, self.other_yes, self.other_labels)
        return table.group.rate - table.other.rate


def counts_of(table: CountTable) -> dict[str, int]:
    """Return the counts of a table by the names that results have for them."""
    return {
        "yes": table.yes,
        "labels": table.labels,
        "other_yes": table.other_yes,
        "other_labels": table.other_labels,
    }


class McNemar(Model):
    """Images where both name the value, and only one of system and drawn reference says the category."""

    only_system: int
    only_reference: int
    p: Number


class ReferenceSide(Model):
    """How often a category is said of one value, in a system and in references of the same images."""

    system_rate: Number
    reference_rate: Number
    direction: int
    value: Number
    interval: EstimateField = UNDEFINED  # of the amplification, over images
    change: EstimateField
    p: Number  # of the change, with images as the unit
    q: Number
    only_system: int
    only_reference: int
    mcnemar: McNemar | None = None


class Amplification(Model):
    """A contrast beside all human references of the same images."""

    images: int
    system: Counts
    reference: Counts
    risk_difference_change: EstimateField
    p: Number = math.nan
    q: Number = math.nan
    verdict: Beside = "insufficient"
    group: ReferenceSide
    against: ReferenceSide


def amplification_of(referenced: ReferenceComparison) -> Amplification:
    """Return a comparison with references as a result."""
    return Amplification(
        images=referenced.images,
        system=Counts(**counts_of(referenced.system)),
        reference=Counts(**counts_of(referenced.reference)),
        risk_difference_change=referenced.gap,
        p=referenced.p,
        q=referenced.q,
        verdict=referenced.verdict,
        group=_reference_side(referenced.group),
        against=_reference_side(referenced.against),
    )


def _reference_side(beside: ReferenceChange) -> ReferenceSide:
    only = {"only_system": beside.paired.only_first, "only_reference": beside.paired.only_second}
    return ReferenceSide(
        system_rate=beside.amplification.system_rate,
        reference_rate=beside.amplification.reference_rate,
        direction=beside.amplification.direction,
        value=beside.amplification.value,
        interval=beside.interval,
        change=beside.change,
        p=beside.p,
        q=beside.q,
        **only,
        mcnemar=McNemar(**only, p=beside.paired.p),
    )
