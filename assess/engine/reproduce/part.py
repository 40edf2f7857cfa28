"""What a part of the reproduction is: a table, what it needs, and how its cells are computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from assess.engine.reproduce.research_data import ResearchData

Value = float | int | str


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A published value beside the computed one."""

    row: str
    column: str
    published: Value
    computed: Value  # nan where it is undefined
    digits: int = 0  # decimals of the published number

    @property
    def difference(self) -> float:
        """Computed minus published; `nan` for words."""
        if isinstance(self.published, str) or isinstance(self.computed, str):
            return math.nan
        return float(self.computed) - float(self.published)

    @property
    def equal(self) -> bool:
        """Whether the computed value, rounded as the published one, is the published one."""
        if isinstance(self.published, str) or isinstance(self.computed, str):
            return self.published == self.computed
        if math.isnan(self.computed):
            return False
        return f"{self.computed:.{self.digits}f}" == f"{self.published:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class Reproduced:
    """The cells of a table, and why some differ or are missing."""

    cells: tuple[ComparedCell, ...]
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One table or figure of a paper."""

    name: str
    title: str
    source: str  # a key in docs/references.bib
    needs: tuple[str, ...]  # files and folders below DATA
    run: Callable[[ResearchData], Reproduced]
    sampled: bool = True  # whether a sample of images makes sense


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a part: a result, or what is missing for it."""

    part: Part
    result: Reproduced | None
    missing: tuple[str, ...] = field(default=())


def run_part(part: Part, data: ResearchData) -> Outcome:
    """Run a part where its data are there."""
    missing = tuple(need for need in part.needs if not (data.folder / need).exists())
    return Outcome(part, None, missing) if missing else Outcome(part, part.run(data))
