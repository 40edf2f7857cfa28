"""The measures that an audit has, or that lie beside it, as parts of a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assess.errors import InputError
from assess.report.html_diversity import diversity_part
from assess.report.html_input import ReportInput
from assess.report.html_measures import MeasurePart
from assess.report.html_recall import recall_part
from assess.report.html_selection import pregen_part, selection_part

_PARTS = {
    "diversity": diversity_part,
    "recall": recall_part,
    "selection": selection_part,
    "pregen": pregen_part,
}


def measure_parts(audit: ReportInput) -> list[MeasurePart]:
    """Return the parts about measures that the audit has, or that lie beside it."""
    return [_measure(name, found, make) for name, make in _PARTS.items() if (found := audit.part(name))]


def _measure(name: str, found: dict[str, Any], make: Callable[[dict[str, Any]], MeasurePart]) -> MeasurePart:
    try:
        return make(found)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # What others put into the folder is checked by using it; it has more shapes than are worth a schema.
        raise InputError(
            f"`{name}.json` is not what our commands write",
            hint="write it again with this version, or take it out of the folder",
        ) from None
