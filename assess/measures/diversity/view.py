"""Presentation of diversity: Table 1 of the paper, newer measures, and curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assess.measures.diversity.quantities import (
    PAPER,
    QUANTITIES,
    RATIO,
    DiversityResult,
    SystemDiversity,
    quantities,
)
from assess.measures.diversity.rarefaction import HDD_SAMPLE
from assess.measures.diversity.run import run_diversity
from assess.measures.interval_tables import closing_notes, interval_tables
from assess.measures.registry import Measure
from assess.measures.settings import DiversitySettings
from assess.report.quantity import Quantity, defined, number_charts, quantity_table
from assess.report.section import (
    EVERYWHERE,
    SYSTEM,
    Column,
    LineChart,
    Note,
    Part,
    Section,
    Table,
    cell,
    words,
)
from assess.report.text import count

_CURVE = "Type-token curve"


def diversity_sections(result: DiversityResult) -> list[Section]:
    """Return the sections on the diversity of captions."""
    explained = "How varied the language of the captions is."
    notes = closing_notes(result.notes, result.warnings, result.systems, result.intervals)
    parts = (*_charts(result), *_tables(result), *_curves(result), *notes)
    return [Section("diversity", "Diversity", parts, explained)]


def _charts(result: DiversityResult) -> Sequence[Part]:
    humans = frozenset(name for name, row in result.systems.items() if row.reference)
    return number_charts(QUANTITIES, result.systems, intervals=_intervals(result), humans=humans)


def _intervals(result: DiversityResult) -> Mapping[str, Mapping[str, Sequence[float]]]:
    return result.intervals.systems if result.intervals else {}


def _tables(result: DiversityResult) -> Iterator[Table]:
    apart = sum(row.reference for row in result.systems.values())
    yield quantity_table(
        "diversity",
        "Diversity",
        QUANTITIES,
        result.systems,
        intervals=_intervals(result),
        notes=_reading_notes(result),
        apart=apart,
        brief=True,
    )
    note = (
        "unique: distinct captions; hapaxes: types that occur once; HD-D: expected types in"
        f" {HDD_SAMPLE} tokens / {HDD_SAMPLE}; MTLD: words until the type-token ratio falls to .72"
    )
    yield quantity_table("variety", "Further variety", QUANTITIES, result.systems, notes=[note], apart=apart)
    note = (
        "repeated: 4-grams that also occur in another caption; self-rep.: log of the number of"
        " captions that contain the 4-grams of a caption, mean over captions; self-BLEU-4:"
        " similarity of 100 random captions; Vendi: effective number of different captions among"
        " 100; compression: compression ratio of the captions"
    )
    yield quantity_table("repetition", "Repetition", QUANTITIES, result.systems, notes=[note], apart=apart)
    extended = bool(result.signature.settings.get("extended"))
    reported = quantities(extended=extended)
    if extended:
        notes = (
            "compression: compression ratio of the tags; template: one of the 100 most frequent"
            " sequences of five tags; Vendi, all: effective number of different captions among all"
            " captions",
        )
        yield quantity_table(
            "extended",
            "Parts of speech and all captions",
            reported,
            result.systems,
            notes=notes,
            apart=apart,
        )
    several = {name: row for name, row in result.systems.items() if row.get("mbleu4") is not None}
    if several:
        note = (
            "Images with several captions; mBLEU-4: similarity of the captions of an image, lower is"
            " more diverse"
        )
        if extended:
            note += "; self-CIDEr: from 0 (all identical) to 1"
        yield quantity_table("within_images", "Within an image", reported, several, notes=[note])
    if moved := {name: row for name, row in result.systems.items() if row.distorted}:
        yield _order_table(moved, result)
    headings = {quantity.key: quantity.heading for quantity in QUANTITIES}
    yield from interval_tables(result.intervals, headings)


def _reading_notes(result: DiversityResult) -> tuple[str, ...]:
    chosen = result.signature.settings
    if chosen["order"] == "file":
        ratio = f"TTR: mean over windows of {chosen['window']:,} tokens in file order, as published"
    else:
        ratio = (
            f"TTR: expected value for {chosen['window']:,} tokens of randomly drawn captions,"
            " independent of the order of the file"
        )
    return (
        f"Mode {chosen['mode']}, order {chosen['order']}. Tokens are lowercased and include punctuation",
        ratio,
    )


def _order_table(rows: Mapping[str, SystemDiversity], result: DiversityResult) -> Table:
    """Return the effects of file order on type-token ratios."""
    columns = [SYSTEM]
    for length in (1, 2):
        columns += [
            Column(f"ttr{length}_file", "file", f"TTR{length}"),
            Column(f"ttr{length}_shuffled", "shuffled", f"TTR{length}"),
        ]
    cells = tuple(
        (
            words(name),
            *(cell(value, RATIO) for shift in row.order.values() for value in (shift.file, shift.shuffled)),
        )
        for name, row in rows.items()
    )
    note = (
        f"Windows of {result.signature.settings['window']:,} tokens in file order, and the mean"
        " over shuffles; if the ratio is lower in file order, neighbouring captions are similar"
    )
    return Table("order", "Files whose order affects their ratios", tuple(columns), cells, (note,))


def _curves(result: DiversityResult) -> Iterator[Part]:
    curves = {name: row.curve for name, row in result.systems.items()}
    tokens = next((curve.tokens for curve in curves.values()), ())
    if not tokens:
        yield Note("no tokens: there is no type-token curve")
        return
    yield LineChart(
        "type_token_curve",
        _CURVE,
        "tokens",
        "types",
        {name: (curve.tokens, curve.types) for name, curve in curves.items()},
        form=count,
        meaning=_curve_meaning(result, tokens[-1]),
    )
    rows = tuple(
        (cell(at, count), *(cell(curve.types[place], count) for curve in curves.values()))
        for place, at in enumerate(tokens)
    )
    columns = (Column("tokens", "tokens"), *(Column(name, name) for name in curves))
    yield Table(
        "type_token_curve",
        f"{_CURVE}: expected types",
        columns,
        rows,
        shown=EVERYWHERE - {"terminal", "paper"},
        folded=True,
    )


def _curve_meaning(result: DiversityResult, last: int) -> str:
    if result.signature.settings.get("curve") == "shuffles":
        return f"Types in up to {count(last)} tokens, mean of ten shuffles of the captions"
    return f"Expected types in up to {count(last)} tokens, in any order"


def _documented() -> dict[str, Sequence[Quantity[Any]]]:
    """Return all numbers for the reference page, including type-token ratios as published."""
    published: Quantity[Any] = defined(
        "ttr1, ttr2, ttr3 (paper)",
        "mean over windows of 1000 n-grams, in file order, of distinct n-grams / 1000",
        PAPER,
        "higher",
        "fewer than 1000 n-grams (one window)",
    )
    everything = quantities(extended=True)
    within = [quantity for quantity in everything if quantity.table == "within_images"]
    others = [quantity for quantity in everything if quantity.table != "within_images"]
    return {"Diversity": [*others, published], "Diversity within an image": within}


MEASURE = Measure(
    name="diversity",
    title="Diversity",
    result=DiversityResult,
    sections=diversity_sections,
    quantities=_documented,
    settings=DiversitySettings,
    run=run_diversity,
)
