"""The numbers of a saved audit that a policy is applied to."""

from __future__ import annotations

from collections.abc import Iterator

from assess.audit.cells import ALL, Cell
from assess.audit.saved import SavedAudit, SavedGroup
from assess.audit.tables import Table
from assess.taxonomy.model import Sensitivity

_MODIFIER = "modifier."


def gate_cells(audit: SavedAudit) -> list[Cell]:
    """Return a cell for every modifier category of the taxonomy, also for those that nobody uses.

    Each system has the rate of all its labels and one cell a pair of values. References are not gated.
    """
    cells = [cell for system in audit.systems for cell in _rates(audit, system)]
    for by, group in audit.groups.items():
        cells += _contrasts(audit, by, group)
    return cells


def _categories(audit: SavedAudit) -> Iterator[str]:
    for name in audit.results.categories:
        if name.startswith(_MODIFIER):
            yield name.removeprefix(_MODIFIER)


def _rates(audit: SavedAudit, system: str) -> Iterator[Cell]:
    counts = audit.results.systems[system]
    for category in _categories(audit):
        count = counts.categories.get(_MODIFIER + category)
        table = Table(count.best_labels if count else 0, counts.labels, 0, 0)
        yield Cell(system, category, ALL, None, table, _sensitivity(audit, category))


def _contrasts(audit: SavedAudit, by: str, group: SavedGroup) -> Iterator[Cell]:
    said = _said(group)
    for system in audit.systems:
        labels = group.labels.get(system, {})
        for value, against in group.pairs:
            for category in _categories(audit):
                yes, other_yes = (said.get((system, category, v), 0) for v in (value, against))
                table = Table(yes, labels.get(value, 0), other_yes, labels.get(against, 0))
                yield Cell(system, category, value, against, table, _sensitivity(audit, category), by)


def _said(group: SavedGroup) -> dict[tuple[str, str, str], int]:
    """Return the labels with a category by system, category and value.

    A category may stand in the cells of one pair only, so counts are taken from wherever they are.
    """
    said: dict[tuple[str, str, str], int] = {}
    for cell in group.cells:
        if cell.role == "modifier":
            counts = {value: rate.yes for value, rate in cell.rates.items()}
            for value, yes in (counts | {cell.group: cell.yes, cell.against: cell.other_yes}).items():
                said[cell.system, cell.category, value] = yes
    return said


def _sensitivity(audit: SavedAudit, category: str) -> Sensitivity:
    return audit.results.categories[_MODIFIER + category].sensitivity
