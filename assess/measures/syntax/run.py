"""Syntax of caption files, with the paper's Table 3, parts of speech and complexity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from assess.corpus import check_names
from assess.engine.captions import SourceCaptions, descriptions, measure_signature
from assess.engine.columns import AnnotatedCaption
from assess.measures.image_sets import (
    NOTHING_SHARED,
    described_images,
    left_out,
    read_inputs,
    set_notes,
    unequal_sets,
)
from assess.measures.interval_tables import closing_notes, interval_tables
from assess.measures.intervals import Intervals, Resampling, tally_intervals
from assess.measures.measure import Inputs, Result
from assess.measures.metric import Counts
from assess.measures.registry import Measure
from assess.measures.settings import SyntaxSettings
from assess.measures.syntax import compute
from assess.measures.syntax.caption import Lexicon, read_lexicon
from assess.measures.syntax.compute import DEPTHS, LENGTHS, OF_LEXICON, Phrases, Rules, SystemSyntax
from assess.records import Depth
from assess.report.quantity import number_charts, quantity_table, values_of
from assess.report.section import SYSTEM, BarChart, Column, HeatMap, Part, Section, Table, cell, words
from assess.report.text import percent


class SyntaxResult(Result):
    """The syntax of all systems, and of references if there are any."""

    measure: ClassVar[str] = "syntax"

    systems: dict[str, SystemSyntax]
    notes: tuple[str, ...]
    intervals: Intervals | None = None


def run_syntax(inputs: Inputs, settings: SyntaxSettings) -> SyntaxResult:
    """Measure the syntax of captions."""
    lexicon = _lexicon(settings)
    rules = Rules(settings.mode, settings.tagset, lexicon)
    check_names([*inputs.systems, *inputs.references])
    systems, humans, _ = read_inputs(inputs, depth=Depth.TREE)
    images = {name: set(corpus.images) for name, corpus in systems.items()}
    everything = descriptions(humans)
    shared = described_images(images) & everything.keys()
    kept = {image: texts for image, texts in everything.items() if image in shared} or everything
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    rows = {name: compute.caption_syntax(corpus.captions, rules) for name, corpus in systems.items()}
    if kept:
        rows[" + ".join(corpus.summary.name for corpus in humans)] = _references(kept, rules)
    warnings = unequal_sets(images)
    return SyntaxResult(
        signature=measure_signature(inputs.model, summaries, _recorded(settings, lexicon)),
        systems=rows,
        notes=(
            *warnings,
            *(left_out(everything, kept) if shared or not everything else (NOTHING_SHARED,)),
        ),
        intervals=_intervals(systems, rules, settings) if settings.intervals else None,
        warnings=warnings,
    )


def _lexicon(settings: SyntaxSettings) -> Lexicon | None:
    if settings.lexicon is None:
        return None
    bounds = {"concrete_from": settings.concrete_from, "abstract_below": settings.abstract_below}
    return read_lexicon(Path(settings.lexicon), **bounds)


def _references(references: Mapping[str, Sequence[AnnotatedCaption]], rules: Rules) -> SystemSyntax:
    found = compute.reference_syntax(references, rules)
    sizes = [len(texts) for texts in references.values()]
    return found.model_copy(update={"notes": (*found.notes, *set_notes(sizes, min(sizes)))})


def _recorded(
    settings: SyntaxSettings, lexicon: Lexicon | None
) -> dict[str, str | int | float | bool | None]:
    return {
        "mode": settings.mode,
        "tagset": settings.tagset,
        "lexicon": lexicon.identity if lexicon else None,
        "resamples": settings.resamples if settings.intervals else None,
        "seed": settings.seed if settings.intervals else None,
    }


def _intervals(systems: Mapping[str, SourceCaptions], rules: Rules, settings: SyntaxSettings) -> Intervals:
    values = {
        name: partial(compute.ratio_of_counts, name)
        for name in compute.RATIOS
        if rules.lexicon or name not in OF_LEXICON
    }
    tallies = {name: _tallies(corpus, rules) for name, corpus in systems.items()}
    return tally_intervals(tallies, values, resampling=Resampling(settings.resamples, seed=settings.seed))


def _tallies(corpus: SourceCaptions, rules: Rules) -> dict[str, Counts]:
    counted: dict[int, Counts] = {}
    tallies: dict[str, Counts] = {}
    for image, caption in zip(corpus.images, corpus.captions, strict=True):
        if caption.number not in counted:
            counted[caption.number] = compute.analyse(caption, rules).counts
        tallies[image] = tallies.get(image, 0.0) + counted[caption.number]
    return tallies


# Presentation.

_MOST_TAGS = 12
_INTERVALS = {
    "compounds_ratio": "Compounds",
    "prepositional_phrases_ratio": "PPs",
    "yngve": "Yngve",
    "frazier": "Frazier",
    "abstract_ratio": "Abstract",
}
_PHRASES = {
    "paper": "PP: the subtree of a word tagged IN; depth: number of such words in it",
    "assess": "PP: the subtree of a preposition; depth: level of nesting",
}


def syntax_sections(result: SyntaxResult) -> list[Section]:
    """Return the sections on syntax."""
    explained = (
        "The syntax of captions: compounds, prepositional phrases, parts of speech, and sentence complexity."
    )
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
    phrases = compute.phrase_quantities(
        longer=any(size >= LENGTHS.stop for row in rows.values() for size in row.compounds.sizes),
        deeper=any(size >= DEPTHS.stop for row in rows.values() for size in row.prepositional_phrases.sizes),
    )
    counted = {name: values_of(phrases, row) for name, row in rows.items()}
    complexity = [quantity for quantity in compute.QUANTITIES if lexicon or quantity.key not in OF_LEXICON]
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
    note = "Based on dependency trees: compare systems with each other, not with values from treebanks"
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
    """Return the shares of the most common parts of speech."""
    rows = tuple(
        (words(name), *(cell(value, percent) for value in _shares(row.tags, tags)))
        for name, row in result.systems.items()
    )
    return Table(
        "parts_of_speech",
        "Parts of speech",
        (SYSTEM, *(Column(f"tags_{tag}", tag) for tag in tags)),
        rows,
        (
            f"Share of all tokens, {result.signature.settings['tagset']} tags; the {len(tags)} most"
            " common tags",
        ),
        apart=sum(row.reference for row in result.systems.values()),
    )


def _shares(shares: Mapping[str, float], tags: Sequence[str]) -> list[float]:
    """Return the share of each tag: 0 if it does not occur, undefined if there are no words."""
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
    quantities=lambda: {"Syntax": compute.documented()},
    settings=SyntaxSettings,
    run=run_syntax,
)
