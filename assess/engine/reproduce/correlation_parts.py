"""Correlations between the measures over nine systems (Figures 2 and 6 of the 2018 paper)."""

from __future__ import annotations

from itertools import combinations

from assess.engine.reproduce.diversity_parts import table_1
from assess.engine.reproduce.part import ComparedCell, Part, Reproduced
from assess.engine.reproduce.published_2018 import SYSTEMS, TABLE_1, TABLE_1_COLUMNS
from assess.engine.reproduce.recall_parts import local
from assess.engine.reproduce.research_data import REFERENCES, ResearchData
from assess.engine.reproduce.research_data import SYSTEMS as SYSTEMS_FOLDER
from assess.metrics.correlation import correlations


def figures(data: ResearchData) -> Reproduced:
    """Compute Spearman's correlations of what we compute beside those of the published table."""
    cells = [*table_1(data).cells, *local(data).cells]
    computed: dict[str, list[float]] = {}
    for cell in cells:
        computed.setdefault(cell.column, []).append(float(cell.computed))
    places = list(TABLE_1_COLUMNS)
    published = {
        column: [float(TABLE_1[name][places.index(column)]) for name in SYSTEMS] for column in computed
    }
    mine, theirs = correlations(computed), correlations(published)
    names = list(computed)
    return Reproduced(
        tuple(
            ComparedCell(
                f"{names[first]} and {names[second]}",
                "ρ",
                float(theirs.coefficients[first, second]),
                float(mine.coefficients[first, second]),
                2,
            )
            for first, second in combinations(range(len(names)), 2)
        ),
        (
            "The values in the figures themselves are not at hand: published here means computed from the"
            " published table, whose rounding makes ties that the figures do not have",
            "The figures show absolute values, and also %Novel and Cov, which need training captions",
        ),
    )


PARTS = (
    Part(
        "correlations",
        "Figures 2 and 6: Spearman's correlations over nine systems",
        "vanmiltenburg2018measuring",
        (SYSTEMS_FOLDER, REFERENCES),
        figures,
    ),
)
