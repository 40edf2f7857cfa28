"""The measures that an audit has, or that lie beside it, as parts of a report."""

from __future__ import annotations

from assess.errors import InputError
from assess.report.html_diversity import diversity_part
from assess.report.html_input import ReportInput
from assess.report.html_measures import MeasurePart
from assess.report.html_recall import recall_part
from assess.report.html_selection import pregen_part, selection_part

PARTS = {
    "diversity": diversity_part,
    "recall": recall_part,
    "selection": selection_part,
    "pregen": pregen_part,
}


def measure_parts(audit: ReportInput) -> list[MeasurePart]:
    """Return the parts about measures that the audit has, or that lie beside it."""
    found = (measure_part(audit, name) for name in PARTS)
    return [part for part in found if part is not None]


def measure_part(audit: ReportInput, name: str) -> MeasurePart | None:
    """Return one of these parts, if it is there."""
    found = audit.part(name)
    if not found:
        return None
    try:
        return PARTS[name](found)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # What others put into the folder is checked by using it; it has more shapes than are worth a schema.
        raise InputError(
            f"`{name}.json` is not what our commands write",
            hint="write it again with this version, or take it out of the folder",
        ) from None
