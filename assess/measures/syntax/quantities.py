"""Every number that syntax reports per system: to add one, add a value to `QUANTITIES`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from assess.measures.metric import metric_quantity
from assess.measures.syntax.compute import MEASURES, PAPER, Phrases, Syntax
from assess.report.quantity import Quantity, defined
from assess.report.text import Form, count, decimals, percent

LENGTHS, DEPTHS = range(2, 5), range(1, 6)  # of the paper's columns
OF_LEXICON = frozenset({"abstract_ratio", "lexicon_coverage"})
_TWO = decimals(2)


def _complexity(name: str, heading: str, group: str, form: Form = _TWO, **further: Any) -> Quantity[Syntax]:
    get = attrgetter(name)
    return metric_quantity(MEASURES[name], heading, get, form, table="complexity", group=group, **further)


QUANTITIES: list[Quantity[Syntax]] = [
    Quantity(
        "captions",
        "captions",
        lambda found: found.captions,
        count,
        "captions; of references, those of one parallel set",
    ),
    _complexity(
        "yngve",
        "mean",
        "Yngve depth",
        chart="Yngve depth",
        meaning="How deep a word is in its sentence, on average.",
    ),
    _complexity("yngve_deepest", "deepest", "Yngve depth"),
    _complexity("frazier", "mean", "Frazier score"),
    _complexity("frazier_hardest", "hardest", "Frazier score"),
    _complexity(
        "abstract_ratio",
        "/ concrete",
        "Abstract",
        decimals(3),
        chart="Abstract words",
        meaning="Abstract words for each concrete one.",
    ),
    _complexity("lexicon_coverage", "in lexicon", "Abstract", percent),
]


def phrase_quantities(*, longer: bool, deeper: bool) -> list[Quantity[Any]]:
    """Return compounds and prepositional phrases of a system's row, in the layout of the paper's Table 3.

    What is `longer` or `deeper` than the paper's columns has a column where there is some.
    """
    return [
        *_sizes("compounds", "Compound length", LENGTHS),
        *([_beyond("compounds", "longer", "Compound length", LENGTHS.stop)] if longer else []),
        metric_quantity(
            MEASURES["compound_ratio"],
            "Ratio",
            lambda row: row.compounds.ratio,
            _TWO,
            table="syntax",
            group="Compounds",
            chart="Compounds",
            meaning="Compounds of several nouns, per caption.",
        ),
        Quantity(
            "compound_types_2",
            "Types-2",
            lambda row: row.compounds.types.get(2, 0),
            count,
            table="syntax",
            group="Compounds",
        ),
        *_sizes("phrases", "Prepositional phrase depth", DEPTHS),
        *([_beyond("phrases", "deeper", "Prepositional phrase depth", DEPTHS.stop)] if deeper else []),
        metric_quantity(
            MEASURES["phrase_ratio"],
            "Ratio",
            lambda row: row.prepositional_phrases.ratio,
            _TWO,
            table="syntax",
            group="PPs",
            chart="Prepositional phrases",
            meaning="Phrases such as “on a beach”, per caption.",
        ),
        Quantity(
            "phrase_types_1",
            "Types-1",
            lambda row: row.prepositional_phrases.types.get(1, 0),
            count,
            table="syntax",
            group="PPs",
        ),
    ]


def _sizes(kind: str, group: str, sizes: range) -> list[Quantity[Any]]:
    return [
        Quantity(
            f"{kind}_{size}", str(size), partial(_of_size, kind, size), count, table="syntax", group=group
        )
        for size in sizes
    ]


def _beyond(kind: str, word: str, group: str, least: int) -> Quantity[Any]:
    get = partial(_from_size, kind, least)
    return Quantity(f"{kind}_{word}", f"≥{least}", get, count, table="syntax", group=group)


def _phrases(kind: str, row: Any) -> Phrases:
    found: Phrases = row.compounds if kind == "compounds" else row.prepositional_phrases
    return found


def _of_size(kind: str, size: int, row: Any) -> int:
    return _phrases(kind, row).sizes.get(size, 0)


def _from_size(kind: str, least: int, row: Any) -> int:
    return sum(number for size, number in _phrases(kind, row).sizes.items() if size >= least)


def documented() -> Sequence[Quantity[Any]]:
    """Return all that syntax reports, for the reference page; sizes and tags once for all of them."""
    ratios = [quantity for quantity in phrase_quantities(longer=False, deeper=False) if quantity.formula]
    lists = {
        "compounds.sizes": "runs of two and more nouns, by length",
        "compounds.types": "distinct compounds, by length; those of two nouns are Types-2",
        "prepositional_phrases.sizes": "prepositional phrases, by depth",
        "prepositional_phrases.types": "distinct phrases, by depth; those of depth 1 are Types-1",
    }
    counted: list[Quantity[Any]] = [defined(key, formula, PAPER, "higher") for key, formula in lists.items()]
    tags: Quantity[Any] = defined("tags", "tokens with the tag / tokens", undefined="no tokens")
    return [*ratios, *counted, tags, *QUANTITIES]
