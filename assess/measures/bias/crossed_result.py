"""Crossed effects, as they are saved and given to Python."""

from __future__ import annotations

from assess.measures.bias import crossed
from assess.measures.bias.reference_result import Counts, EstimateField, counts_of
from assess.measures.measure import Model, Number


class CrossedCell(Counts):
    """A difference within one value of the other group: by itself, and drawn towards the mean of all."""

    risk_difference: EstimateField
    shrunk: EstimateField


class CrossedEffect(Model):
    """A category for two values of one group: over all labels, and within each value of the others."""

    system: str
    category: str
    by: str
    within: str
    group: str
    against: str
    marginal: EstimateField
    mean: EstimateField  # of the cells
    deviation: Number  # between cells, beyond chance
    p: Number  # of one difference in all cells
    q: Number
    cells: dict[str, CrossedCell]


def crossed_effect(effect: crossed.CrossedEffect) -> CrossedEffect:
    """Return crossed effects as a result."""
    return CrossedEffect(
        system=effect.system,
        category=effect.category,
        by=effect.by,
        within=effect.within,
        group=effect.group,
        against=effect.against,
        marginal=effect.marginal,
        mean=effect.pooling.mean,
        deviation=effect.pooling.deviation,
        p=effect.pooling.heterogeneity,
        q=effect.q,
        cells={
            name: CrossedCell(**counts_of(cell.table), risk_difference=cell.difference, shrunk=cell.shrunk)
            for name, cell in effect.cells.items()
        },
    )
