"""What syntax looks like: compounds and prepositional phrases as in the paper's Table 3, and more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assess.measures.interval_tables import closing_notes, interval_tables
from assess.measures.registry import Measure
from assess.measures.settings import SyntaxSettings
from assess.measures.syntax.compute import Phrases
from assess.measures.syntax.quantities import (
    DEPTHS,
    LENGTHS,
    OF_LEXICON,
    QUANTITIES,
    documented,
    phrase_quantities,
)
from assess.measures.syntax.run import SyntaxResult, run_syntax
from assess.report.quantity import number_charts, quantity_table, values_of
from assess.report.section import SYSTEM, BarChart, Column, HeatMap, Part, Section, Table, cell, words
from assess.report.text import percent

_MOST_TAGS = 12
_INTERVALS = {
    "compound_ratio": "Compounds",
    "phrase_ratio": "PPs",
    "yngve": "Yngve",
    "frazier": "Frazier",
    "abstract_ratio": "Abstract",
}
_PHRASES = {
    "paper": "PP: all that depends on a word tagged IN; depth: such words in it",
    "assess": "PP: all that depends on a preposition; depth: nesting",
}


def syntax_sections(result: SyntaxResult) -> list[Section]:
    """Return what the syntax of captions looks like."""
    explained = "How captions are built: compounds, phrases, parts of speech, and how complex sentences are."
    tags = _commonest_tags(result)
    parts = (
        *_measured(result),
        _tag_table(result, tags),
        *interval_tables(result.intervals, _INTERVALS),
        *_plots(result, tags),
        *closing_notes(result.notes, result.warnings, result.systems, result.intervals),
    )
    return [Section("syntax", "Syntax", parts, explained)]


def _measured(result: SyntaxResult) -> Iterator[Part]:
    """Yield charts, then compounds and phrases, then complexity."""
    mode, lexicon = result.signature.settings["mode"], result.signature.settings.get("lexicon")
    rows = result.systems
    phrases = phrase_quantities(
        longer=any(size >= LENGTHS.stop for row in rows.values() for size in row.compounds.sizes),
        deeper=any(size >= DEPTHS.stop for row in rows.values() for size in row.prepositional_phrases.sizes),
    )
    counted = {name: values_of(phrases, row) for name, row in rows.items()}
    complexity = [quantity for quantity in QUANTITIES if lexicon or quantity.key not in OF_LEXICON]
    known = result.intervals.systems if result.intervals else {}
    humans = frozenset(name for name, row in rows.items() if row.reference)
    yield from number_charts(phrases, counted, intervals=known, humans=humans)
    yield from number_charts(complexity, rows, intervals=known, humans=humans)
    yield quantity_table(
        "syntax",
        "Compounds and prepositional phrases",
        phrases,
        counted,
        intervals=known,
        notes=[f"Mode {mode}. {_PHRASES[str(mode)]}; ratio: per caption"],
        apart=len(humans),
        brief=True,
    )
    note = "On dependency trees: compare systems with each other, not with values from treebanks"
    yield quantity_table(
        "complexity", "Complexity", complexity, rows, intervals=known, notes=[note], apart=len(humans)
    )


def _commonest_tags(result: SyntaxResult) -> list[str]:
    most: dict[str, float] = {}
    for row in result.systems.values():
        for tag, part in row.tags.items():
            most[tag] = max(most.get(tag, 0.0), part)
    return sorted(most, key=lambda tag: (-most[tag], tag))[:_MOST_TAGS]


def _tag_table(result: SyntaxResult, tags: Sequence[str]) -> Table:
    """Return the shares of the commonest parts of speech."""
    rows = tuple(
        (words(name), *(cell(value, percent) for value in _shares(row.tags, tags)))
        for name, row in result.systems.items()
    )
    return Table(
        "parts_of_speech",
        "Parts of speech",
        (SYSTEM, *(Column(f"tag_{tag}", tag) for tag in tags)),
        rows,
        (f"Share of all tokens, {result.signature.settings['tagset']} tags; the {len(tags)} most common",),
        apart=sum(row.reference for row in result.systems.values()),
    )


def _shares(shares: Mapping[str, float], tags: Sequence[str]) -> list[float]:
    """Return the share of each tag: 0 where other words have others, undefined where there are no words."""
    return [shares.get(tag, 0.0) if shares else float("nan") for tag in tags]


def _plots(result: SyntaxResult, tags: Sequence[str]) -> Iterator[Part]:
    rows = result.systems
    yield BarChart(
        "compound_lengths",
        "Compounds by length",
        "nouns",
        "compounds",
        tuple(map(str, LENGTHS)),
        {name: _heights(row.compounds, LENGTHS) for name, row in rows.items()},
        logarithmic=True,
    )
    yield BarChart(
        "phrase_depths",
        "Prepositional phrases by depth",
        "depth",
        "phrases",
        tuple(map(str, DEPTHS)),
        {name: _heights(row.prepositional_phrases, DEPTHS) for name, row in rows.items()},
        logarithmic=True,
    )
    shares = [_shares(row.tags, tags) for row in rows.values()]
    yield HeatMap("parts_of_speech", "Parts of speech", tuple(rows), tuple(tags), shares, shares=True)


def _heights(phrases: Phrases, sizes: range) -> list[float]:
    return [float(phrases.sizes.get(size, 0)) for size in sizes]


MEASURE = Measure(
    name="syntax",
    title="Syntax",
    result=SyntaxResult,
    sections=syntax_sections,
    quantities=lambda: {"Syntax": documented()},
    settings=SyntaxSettings,
    run=run_syntax,
)
