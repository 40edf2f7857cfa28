"""Table 1 of the 2018 paper: nine systems and the validation set."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from assess.engine.reproduce.part import ComparedCell, Part, Reproduced
from assess.engine.reproduce.published_2018 import (
    SYSTEMS,
    TABLE_1,
    TABLE_1_COLUMNS,
    VALIDATION,
    VALIDATION_ROW,
    VALIDATION_TOTALS,
)
from assess.engine.reproduce.research_data import REFERENCES, ResearchData
from assess.engine.reproduce.research_data import SYSTEMS as SYSTEMS_FOLDER
from assess.metrics.diversity import Basic, basic
from assess.metrics.diversity_corpus import TokenCorpus, encode, parallel

_COMPUTED = ("ASL", "SDSL", "Types", "TTR1", "TTR2")
# The files whose order of images is that of COCO's own list, and of another that keeps some of it.
_ORDERS = ("Dai-et-al-2017", "Mun-et-al-2017")


def _values(found: Basic) -> dict[str, float]:
    return dict(zip(_COMPUTED, (found.asl, found.sdsl, found.types, found.ttr1, found.ttr2), strict=True))


def table_1(data: ResearchData, *, systems: Sequence[str] = SYSTEMS) -> Reproduced:
    """Compute ASL, SDSL, Types, TTR1 and TTR2 of the nine systems in the paper's mode."""
    cells = []
    for name in systems:
        corpus = data.words(data.source(name))
        found = _values(basic(encode(corpus.words, images=corpus.images, mode="paper"), mode="paper"))
        published = dict(zip(TABLE_1_COLUMNS, TABLE_1[name], strict=True))
        cells += [
            ComparedCell(name, column, published[column], found[column], TABLE_1_COLUMNS[column])
            for column in _COMPUTED
        ]
    return Reproduced(
        tuple(cells),
        (
            "%Novel and Cov need COCO's training captions, which are not among the data; BLEU and Meteor"
            " are quoted in the paper, not computed",
            "TTR depends on the order of the captions in a file: six of the nine files are ordered so that"
            " neighbours are alike, so that these columns do not compare systems (assess diversity does)",
        ),
    )


def validation_row(data: ResearchData) -> Reproduced:
    """Compute the validation row, in the order of the file and in two orders that came down to us."""
    references = data.words(data.references).by_image()
    sets = parallel(references, mode="paper")
    cells = [_cell(column, column, value) for column, value in _means(sets).items()]
    totals = {
        "All types": len({word for one in sets for word in one.vocabulary}),
        "All tokens": sum(int(one.codes.size) for one in sets),
    }
    cells += [
        ComparedCell(name, VALIDATION, published, totals[name])
        for name, published in VALIDATION_TOTALS.items()
    ]
    for name in _ORDERS:
        images = [image for image in data.words(data.source(name)).images if image in references]
        ordered = _means(parallel({image: references[image] for image in images}, mode="paper"))
        cells += [_cell(f"{column}, order of {name}", column, ordered[column]) for column in ("TTR1", "TTR2")]
    return Reproduced(
        tuple(cells),
        (
            "TTR1 and TTR2 are published for the order of COCO's annotation file, which the data at hand do"
            " not keep: its ids were given anew. They lie between the order of ids and that of COCO's image"
            " list, in which neighbours are alike",
            "Types and tokens differ a little with the tokeniser (spaCy 2.0.4 then) and with which"
            " descriptions of the 131 images that have more than five are the first five",
        ),
    )


def _means(sets: Sequence[TokenCorpus]) -> dict[str, float]:
    rows = [_values(basic(one, mode="paper")) for one in sets]
    return {column: fmean(row[column] for row in rows) for column in _COMPUTED}


def _cell(row: str, column: str, value: float) -> ComparedCell:
    return ComparedCell(row, VALIDATION, VALIDATION_ROW[column], value, TABLE_1_COLUMNS[column])


PARTS = (
    Part(
        "diversity",
        "Table 1: lengths, types and type-token ratios of nine systems",
        "vanmiltenburg2018measuring",
        (SYSTEMS_FOLDER,),
        table_1,
    ),
    Part(
        "validation",
        "Table 1: the validation row",
        "vanmiltenburg2018measuring",
        (SYSTEMS_FOLDER, REFERENCES),
        validation_row,
    ),
)
