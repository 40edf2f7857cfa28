"""Compounds and prepositional phrases (Table 3 of the 2018 paper)."""

from __future__ import annotations

from collections.abc import Sequence

from assess.engine.captions import AnnotatedCaption
from assess.engine.corpora import descriptions
from assess.engine.reproduce.part import ComparedCell, Part, Reproduced
from assess.engine.reproduce.published_2018 import SYSTEMS, TABLE_3, TABLE_3_COLUMNS, VALIDATION
from assess.engine.reproduce.research_data import REFERENCES, ResearchData
from assess.engine.reproduce.research_data import SYSTEMS as SYSTEMS_FOLDER
from assess.engine.syntax_run import SyntaxSettings, caption_syntax, reference_syntax
from assess.metrics.syntax import Syntax

_SETTINGS = SyntaxSettings(mode="paper")


def table_3(data: ResearchData) -> Reproduced:
    """Compute all columns for the nine systems and the mean of five sets of references."""
    humans = data.tagged(data.references)
    validation = reference_syntax([humans], descriptions([humans]), _SETTINGS).syntax
    rows = {VALIDATION: _values(validation)}
    for name in SYSTEMS:
        rows[name] = _values(_syntax(data.tagged(data.source(name)).captions))
    cells = [
        ComparedCell(row, column, published, computed, 2 if "ratio" in column else 0)
        for row, found in rows.items()
        for column, published, computed in zip(TABLE_3_COLUMNS, TABLE_3[row], found, strict=True)
    ]
    return Reproduced(
        tuple(cells),
        (
            "Tags and trees are those of another parser (spaCy 2.0.4 then): ratios move by at most a few"
            " hundredths; today's parser attaches prepositions higher, so that deep phrases are fewer",
            "Which description of an image is in which of the five sets is not that of COCO's file",
        ),
    )


def _syntax(captions: Sequence[AnnotatedCaption]) -> Syntax:
    return caption_syntax(captions, _SETTINGS)


def _values(found: Syntax) -> list[float]:
    compounds, phrases = found.compounds, found.phrases
    return [
        *(compounds.sizes.get(size, 0) for size in (2, 3, 4)),
        compounds.ratio,
        compounds.types.get(2, 0),
        *(phrases.sizes.get(size, 0) for size in (1, 2, 3, 4, 5)),
        phrases.ratio,
        phrases.types.get(1, 0),
    ]


PARTS = (
    Part(
        "syntax",
        "Table 3: compounds and prepositional phrases",
        "vanmiltenburg2018measuring",
        (SYSTEMS_FOLDER, REFERENCES),
        table_3,
    ),
)
