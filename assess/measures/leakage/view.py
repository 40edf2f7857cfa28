"""Presentation of leakage: how much there is, versus references and chance, and from which words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from assess.measures.group_captions import MASKED
from assess.measures.group_settings import LeakageSettings
from assess.measures.interval_tables import (
    ListColumn,
    closing_notes,
    interval_tables,
    list_table,
    number_column,
    text_column,
)
from assess.measures.leakage.compute import QUANTITIES, SHARE
from assess.measures.leakage.run import OTHER, CategoryShare, LeakageResult, run_leakage
from assess.measures.registry import Measure
from assess.report.quantity import Quantity, number_charts, quantity_table
from assess.report.section import CSV, EVERYWHERE, BarChart, Cell, Column, ForestChart, Part, Section, Table
from assess.report.text import decimals, percent

_THREE = decimals(3)
_MOST_CATEGORIES = 8
_INTERVALS = {
    "leakage": "Leakage",
    "score": "Score",
    "accuracy": "Guessed right",
    "permuted": "Permuted",
}
_NAMES = {OTHER: "other words", MASKED: "masked words, present or not"}


def leakage_sections(result: LeakageResult) -> list[Section]:
    """Return the sections on leakage."""
    first, second = result.contrast
    explained = (
        f"How well the rest of a caption predicts {first} or {second} once the words that name the"
        " group are masked, and which words the prediction relies on."
    )
    parts = (
        *_measured(result),
        *_category_tables(result),
        *_word_tables(result),
        *interval_tables(result.intervals, _INTERVALS),
        *_plots(result),
        *closing_notes(result.notes, result.warnings, result.systems, result.intervals),
    )
    return [Section("leakage", "Leakage", parts, explained)]


def _measured(result: LeakageResult) -> Iterator[Part]:
    known = result.intervals.systems if result.intervals else {}
    yield from number_charts(QUANTITIES, result.systems, intervals=known)
    yield quantity_table(
        "leakage",
        "Leakage",
        _quantities(result),
        result.systems,
        intervals=known,
        notes=_explanations(result),
        brief=True,
    )


def _quantities(result: LeakageResult) -> list[Quantity[Any]]:
    """Return the quantities that some system has; there are fewer without references."""
    return [
        quantity
        for quantity in QUANTITIES
        if any(row.get(quantity.key) is not None for row in result.systems.values())
    ]


def _explanations(result: LeakageResult) -> list[str]:
    first, second = result.contrast
    notes = [
        f"score: 1[{first} or {second} predicted correctly] x confidence, mean over images,"
        f" {result.repeats} balanced draws; leakage: score minus the score of the references;"
        " chance and permuted: with permuted groups"
    ]
    if result.signature.settings["mode"] == "paper":
        notes.append("Mode paper: the classifier's own confidence, which is too high for rich vocabularies")
    return notes


def _category_tables(result: LeakageResult) -> Iterator[Table]:
    """Yield the contribution of each category of words, largest first: some for readers, all for CSV."""
    columns = (
        _CATEGORY,
        number_column("share", "share", percent),
        number_column("low", "from", percent),
        number_column("high", "to", percent),
        number_column("log_odds", "log-odds", _THREE),
        number_column("reference_log_odds", "of references", _THREE),
    )
    listed = partial(list_table, "leaking_categories", "Categories that leak", columns)
    note = "Contribution of the words to the log-odds of the true group; the shares sum to 1"
    found = {name: row.per_category for name, row in result.systems.items()}
    some = {name: _largest(each, _MOST_CATEGORIES) for name, each in found.items()}
    cut = f"{note}; the {_MOST_CATEGORIES} largest are shown, CSV and JSON list all"
    yield listed(some, cut, shown=EVERYWHERE - CSV)
    yield listed(found, note, shown=CSV)


def _largest(found: Sequence[CategoryShare], most: int) -> Sequence[CategoryShare]:
    """Return the categories with the largest absolute contributions."""
    largest = sorted(found, key=lambda one: (-abs(one.log_odds), one.category))[:most]
    return [one for one in found if one in largest]


def _category(name: str) -> Cell:
    shown = [_NAMES.get(part, part.removeprefix("modifier.")) for part in name.split(" + ")]
    return Cell(", ".join(shown), name)


_CATEGORY = ListColumn(Column("category", "category", words=True), lambda one: _category(one.category))


def _word_tables(result: LeakageResult) -> Iterator[Table]:
    columns = (
        text_column("word"),
        _CATEGORY,
        text_column("toward", "speaks for"),
        number_column("share", "share", percent),
        number_column("log_odds", "log-odds", _THREE),
    )
    note = (
        "Contribution of a word through its n-grams; exploratory: words that occur together share"
        " their contribution"
    )
    for most, shown in ((result.top, EVERYWHERE - CSV), (None, CSV)):
        found = {name: row.per_word[:most] for name, row in result.systems.items()}
        yield list_table("leaking_words", "Words that leak", columns, found, note, shown=shown)


def _plots(result: LeakageResult) -> Iterator[Part]:
    known = result.intervals
    rows, x = known.of("leakage") if known else [], "leakage beyond the references"
    if known and not rows:
        rows, x = known.of("score"), "score"
    yield ForestChart("leakage", "Leakage", x, rows, shown=CSV)
    names = list(
        dict.fromkeys(
            one.category for row in result.systems.values() for one in _largest(row.per_category, 5)
        )
    )
    bars = {
        name: [next((one.share for one in row.per_category if one.category == key), 0.0) for key in names]
        for name, row in result.systems.items()
    }
    labels = tuple(_category(name).text for name in names)
    yield BarChart("leaking_categories", "Categories that leak", "category", "share", labels, bars, shown=CSV)


MEASURE = Measure(
    name="leakage",
    title="Leakage",
    result=LeakageResult,
    sections=leakage_sections,
    quantities=lambda: {"Leakage": [*QUANTITIES, SHARE]},
    settings=LeakageSettings,
    run=run_leakage,
)
