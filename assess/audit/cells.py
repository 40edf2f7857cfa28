"""One number of an audit with its name: a category of a system, for a group, against another."""

from __future__ import annotations

from dataclasses import dataclass

from assess.audit.tables import Table
from assess.taxonomy.model import Sensitivity


@dataclass(frozen=True, slots=True)
class Cell:
    """The counts of one category in one system, for one group against another.

    `against` is None where there is no contrast, only a rate: then the table's other row is 0 of 0. `by`
    is the group that the two values belong to; a rate over all labels has none, and the group `all`.
    """

    system: str
    category: str
    group: str
    against: str | None
    table: Table
    sensitivity: Sensitivity = "none"
    by: str = ""


ALL = "all"
"""The group of a rate over all labels of a system."""
