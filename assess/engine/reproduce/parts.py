"""All parts, by name. To add one, write it in a file of its own and add its PARTS here."""

from __future__ import annotations

from assess.engine.reproduce import (
    correlation_parts,
    diversity_parts,
    people_parts,
    pregen_parts,
    recall_parts,
    selection_parts,
    syntax_parts,
)
from assess.engine.reproduce.part import Part

PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        *diversity_parts.PARTS,
        *recall_parts.PARTS,
        *syntax_parts.PARTS,
        *correlation_parts.PARTS,
        *people_parts.PARTS,
        *pregen_parts.PARTS,
        *selection_parts.PARTS,
    )
}
