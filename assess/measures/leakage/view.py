"""What leakage looks like: how much, beside references and chance, and which words and categories leak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assess.measures.group_captions import MASKED
from assess.measures.group_settings import LeakageSettings
from assess.measures.interval_tables import closing_notes, interval_tables
from assess.measures.leakage.compute import QUANTITIES, documented
from assess.measures.leakage.run import OTHER, CategoryShare, LeakageResult, WordShare, run_leakage
from assess.measures.registry import Measure
from assess.report.quantity import Quantity, number_charts, quantity_table
from assess.report.section import (
    CSV,
    EVERYWHERE,
    SYSTEM,
    BarChart,
    Cell,
    Column,
    ForestChart,
    Output,
    Part,
    Section,
    Table,
    cell,
    words,
)
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
    """Return what the leakage of captions looks like."""
    first, second = result.contrast
    explained = (
        f"How well {first} and {second} can be told apart by the rest of a caption once the words that name"
        " them are masked, and by which words."
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
    """Return the quantities that some system has: without references there are fewer."""
    return [
        quantity
        for quantity in QUANTITIES
        if any(row.get(quantity.key) is not None for row in result.systems.values())
    ]


def _explanations(result: LeakageResult) -> list[str]:
    first, second = result.contrast
    notes = [
        f"score: 1[{first} or {second} guessed right] x confidence, mean over images,"
        f" {result.repeats} balanced draws; leakage: score less that of the references; chance and permuted:"
        " with shuffled groups"
    ]
    if result.signature.settings["mode"] == "paper":
        notes.append(
            "Mode paper: confidence as the classifier says it, which is too high for rich vocabularies"
        )
    return notes


def _category_tables(result: LeakageResult) -> Iterator[Table]:
    yield _category_table(result, _MOST_CATEGORIES, EVERYWHERE - CSV)
    yield _category_table(result, None, CSV)


def _category_table(result: LeakageResult, most: int | None, shown: frozenset[Output]) -> Table:
    """Return what each category of words adds, the largest first."""
    columns = (
        SYSTEM,
        Column("category", "category", words=True),
        Column("share", "share"),
        Column("low", "from"),
        Column("high", "to"),
        Column("log_odds", "log-odds"),
        Column("reference_log_odds", "of references"),
    )
    rows = tuple(
        _category_row(name, one)
        for name, row in result.systems.items()
        for one in _some(row.per_category, most)
    )
    note = "Share of the log-odds towards an image's own group that the words add; shares add up to 1"
    if most:
        note += f"; the {most} largest, CSV and JSON have all"
    return Table("leaking_categories", "Categories that leak", columns, rows, (note,), shown=shown)


def _some(found: Sequence[CategoryShare], most: int | None) -> Sequence[CategoryShare]:
    """Return the categories that add most, or take most away."""
    if most is None:
        return found
    largest = sorted(found, key=lambda one: (-abs(one.log_odds), one.category))[:most]
    return [one for one in found if one in largest]


def _category_row(name: str, one: CategoryShare) -> tuple[Cell, ...]:
    return (
        words(name),
        _category(one.category),
        cell(one.share, percent),
        cell(one.low, percent),
        cell(one.high, percent),
        cell(one.log_odds, _THREE),
        cell(one.reference_log_odds, _THREE),
    )


def _category(name: str) -> Cell:
    shown = [_NAMES.get(part, part.removeprefix("modifier.")) for part in name.split(" + ")]
    return Cell(", ".join(shown), name)


def _word_tables(result: LeakageResult) -> Iterator[Table]:
    yield _word_table(result, result.top, EVERYWHERE - CSV)
    yield _word_table(result, None, CSV)


def _word_table(result: LeakageResult, most: int | None, shown: frozenset[Output]) -> Table:
    columns = (
        SYSTEM,
        Column("word", "word", words=True),
        Column("category", "category", words=True),
        Column("toward", "speaks for", words=True),
        Column("share", "share"),
        Column("log_odds", "log-odds"),
    )
    rows = tuple(_word_row(name, one) for name, row in result.systems.items() for one in row.per_word[:most])
    note = "What a word adds with its n-grams; exploratory: words that go together share what they add"
    return Table("leaking_words", "Words that leak", columns, rows, (note,), shown=shown)


def _word_row(name: str, one: WordShare) -> tuple[Cell, ...]:
    return (
        words(name),
        words(one.word),
        _category(one.category),
        words(one.toward),
        cell(one.share, percent),
        cell(one.log_odds, _THREE),
    )


def _plots(result: LeakageResult) -> Iterator[Part]:
    known = result.intervals
    rows, x = known.of("leakage") if known else [], "leakage beyond the references"
    if known and not rows:
        rows, x = known.of("score"), "score"
    yield ForestChart("leakage", "Leakage", x, rows, shown=CSV)
    names = list(
        dict.fromkeys(one.category for row in result.systems.values() for one in _some(row.per_category, 5))
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
    quantities=lambda: {"Leakage": documented()},
    settings=LeakageSettings,
    run=run_leakage,
)
