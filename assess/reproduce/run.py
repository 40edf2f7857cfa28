"""Running parts of the reproduction."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import SkipValidation

from assess.engine.captions import measure_signature
from assess.errors import InputError, Place, UsageError, visible
from assess.measures.measure import Result
from assess.report.section import Section
from assess.reproduce.measuring import CORRELATION_PARTS, DIVERSITY_PARTS, RECALL_PARTS, SYNTAX_PARTS
from assess.reproduce.parts import Outcome, Part, ResearchData, run_part
from assess.reproduce.people import PEOPLE_PARTS
from assess.reproduce.pregen import PREGEN_PARTS
from assess.reproduce.selection import SELECTION_PARTS
from assess.reproduce.view import reproduce_sections

# All parts, by name. To add one, write it in a file of its own and add its PARTS here.

PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        *DIVERSITY_PARTS,
        *RECALL_PARTS,
        *SYNTAX_PARTS,
        *CORRELATION_PARTS,
        *PEOPLE_PARTS,
        *PREGEN_PARTS,
        *SELECTION_PARTS,
    )
}


class Reproduction(Result):
    """What became of each part, and of how many images."""

    measure: ClassVar[str] = "reproduce"

    sample: int | None
    outcomes: dict[str, SkipValidation[Outcome]]  # by the names of parts

    def sections(self) -> list[Section]:
        """Return one section per part."""
        return reproduce_sections(self.outcomes, self.sample)

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with `--json`."""
        return {
            "signature": self.signature.as_dict(),
            "sample": self.sample,
            "parts": {name: _saved(outcome) for name, outcome in self.outcomes.items()},
        }


def _saved(outcome: Outcome) -> dict[str, Any]:
    part: dict[str, Any] = {"title": outcome.part.title, "source": outcome.part.source}
    if outcome.result is None:
        return {**part, "missing": outcome.missing}
    cells = outcome.result.cells
    return {
        **part,
        "equal": sum(cell.equal for cell in cells),
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "published": cell.published,
                "computed": cell.computed,
                "difference": cell.difference,
                "equal": cell.equal,
            }
            for cell in cells
        ],
        "why": outcome.result.why,
    }


def choose_parts(names: Sequence[str]) -> list[str]:
    """Return the parts to run: those that are named, or all."""
    for name in names:
        if name not in PARTS:
            close = difflib.get_close_matches(name, PARTS, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"the parts are {', '.join(PARTS)}"
            raise UsageError(f"no part is called '{visible(name)}'", hint=hint)
    return list(dict.fromkeys(names)) or list(PARTS)


def reproduce(data: ResearchData, *, only: Sequence[str] = ()) -> Reproduction:
    """Run parts on research data; an error where none of them finds its data."""
    outcomes = {name: run_part(PARTS[name], data) for name in choose_parts(only)}
    if all(outcome.result is None for outcome in outcomes.values()):
        missing = ", ".join(dict.fromkeys(need for outcome in outcomes.values() for need in outcome.missing))
        raise InputError(
            "the folder has none of the data that these parts need",
            place=Place(str(data.folder)),
            hint=f"they need {missing}",
        )
    signature = measure_signature(
        data.annotations.identity,
        data.summaries.values(),
        {"mode": "paper", "sample": data.sample, "only": ",".join(only) or None},
    )
    return Reproduction(signature=signature, sample=data.sample, outcomes=outcomes)
