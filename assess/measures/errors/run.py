"""Errors of captions, given the annotated group of each image, and their presentation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from assess.corpus import check_names
from assess.corpus.source import STANDARD_INPUT
from assess.engine.captions import ImageJob, measure_signature
from assess.errors import InputError, Place, visible
from assess.measures.bias.groups import ImageGroups, missing_images, read_image_groups
from assess.measures.errors import compute
from assess.measures.errors.compute import OUTCOMES, PAIR_QUANTITIES, QUANTITIES, ListedCaption, NamedPair
from assess.measures.errors.naming import NamingJob, Namings, Rule, chosen_rule
from assess.measures.group_settings import ErrorSettings
from assess.measures.interval_tables import (
    ListColumn,
    difference_table,
    list_table,
    number_column,
    text_column,
    with_written_intervals,
)
from assess.measures.intervals import Intervals, Resampling, Triple, tally_intervals
from assess.measures.measure import Inputs, Model, Result, Row
from assess.measures.registry import Measure
from assess.report.quantity import Quantity, column, number_charts, quantity_cell, quantity_table
from assess.report.section import (
    CSV,
    EVERYWHERE,
    SYSTEM,
    TERMINAL,
    BarChart,
    Cell,
    Column,
    ForestChart,
    Note,
    Part,
    Section,
    Table,
    WordList,
    cell,
    words,
)
from assess.report.text import count, number, percent_points
from assess.whole_files import whole_file


class WrongWord(Model):
    """A word that named a value other than the annotated one."""

    annotated: str
    named: str
    word: str
    captions: int


class SystemErrors(Row):
    """What the captions of one system name."""

    reference: bool = False
    groups: dict[str, Row]  # annotated value -> numbers
    pairs: tuple[NamedPair, ...]
    wrong_words: tuple[WrongWord, ...]  # most common first
    listed: tuple[ListedCaption, ...] = ()  # some captions for each annotated value and outcome


class ErrorsResult(Result):
    """How often captions name a group other than the annotated one."""

    measure: ClassVar[str] = "errors"
    if_known: ClassVar[tuple[str, ...]] = ("paired",)

    group: str  # the annotated group, under its name in the domain or in the list of words
    values: tuple[str, ...]
    systems: dict[str, SystemErrors]
    paired: Intervals | None = None  # differences between systems, on the images that all of them describe
    notes: tuple[str, ...] = ()
    # system -> captions. Stored in separate files, because they are as many as the input's captions.
    captions: dict[str, tuple[ListedCaption, ...]] = Field({}, exclude=True)


# Computation.


def run_errors(inputs: Inputs, settings: ErrorSettings) -> ErrorsResult:
    """Measure how often captions name a wrong group."""
    groups = read_image_groups(settings.groups)
    if not groups.values:
        raise InputError("the file annotates no group that a caption could name", place=Place(groups.file))
    rule = chosen_rule(settings, groups)
    check_names([*inputs.systems, *inputs.references])
    return measure_errors(inputs, groups, rule, settings)


def measure_errors(inputs: Inputs, groups: ImageGroups, rule: Rule, settings: ErrorSettings) -> ErrorsResult:
    """Measure errors with a rule that matches the values of a groups file."""
    sources = [*inputs.systems, *inputs.references]
    annotated = {image: value for image, value in groups.by_image.items() if value in groups.values}
    # Mismatched ids are reported before any work, except on standard input, which can be read only once.
    early = not any(source.path == STANDARD_INPUT for source in sources)
    if early:
        images = {name: found.images for name, found in inputs.running.run(ImageJob(), sources).items()}
        notes = list(_checked(images, inputs, groups, settings))
    job = NamingJob(rule, frozenset(annotated) if early else None, groups.sha256 if early else "")
    read = inputs.read(job, sources)
    if not early:
        images = {name: {caption.image for caption in found.captions} for name, found in read.items()}
        notes = list(_checked(images, inputs, groups, settings))
    listed = {name: tuple(_listed(found, annotated)) for name, found in read.items()}
    tallies = {name: compute.Tallies.of(found, groups.values) for name, found in listed.items()}
    resampling = Resampling(settings.resamples, seed=settings.seed)
    human = {source.name for source in inputs.references}
    systems = {
        name: SystemErrors(
            reference=name in human,
            wrong_words=_wrong_words(listed[name]),
            listed=_examples(listed[name], settings.listed),
            **compute.error_numbers(found, resampling),
        )
        for name, found in tallies.items()
    }
    recorded: dict[str, Any] = {
        "groups": f"{groups.name}#{groups.sha256[:12]}",
        **rule.recorded,
        "partial": settings.partial or None,
        "resamples": settings.resamples,
        "seed": settings.seed,
    }
    summaries = [found.summary for found in read.values()]
    signature = measure_signature(inputs.model, summaries, recorded)
    return ErrorsResult(
        signature=replace(signature, taxonomy=rule.grammar.identity if rule.grammar else None),
        group=rule.group or groups.name,
        values=groups.values,
        systems=systems,
        paired=_paired({name: found for name, found in tallies.items() if name not in human}, resampling),
        notes=(*notes, *_left_out(groups), *_rarely_naming(systems)),
        captions=listed,
    )


def _checked(
    images: Mapping[str, set[str]], inputs: Inputs, groups: ImageGroups, settings: ErrorSettings
) -> Iterator[str]:
    """Compare the images of all files with those of the groups; references may have additional ones."""
    for source in (*inputs.systems, *inputs.references):
        partial = settings.partial or source in inputs.references
        missing = missing_images(groups, images[source.name], file=source.file, partial=partial)
        if missing:
            yield f"{missing}; they are excluded"


def _listed(read: Namings, annotated: Mapping[str, str]) -> Iterator[ListedCaption]:
    for caption in read.captions:
        if caption.image in annotated:
            told, value = read.told[caption.text], annotated[caption.image]
            yield ListedCaption(
                image_id=caption.image,
                record=caption.record,
                annotated=value,
                outcome=compute.outcome_of(value, told.values),
                named=told.values,
                words=tuple(dict.fromkeys(word for _, word in told.told)),
                caption=caption.text,
            )


def _wrong_words(captions: Iterable[ListedCaption]) -> tuple[WrongWord, ...]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for caption in captions:
        if caption.outcome == "incorrect":
            counts.update((caption.annotated, caption.named[0], word) for word in caption.words)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        WrongWord(annotated=annotated, named=named, word=word, captions=number)
        for (annotated, named, word), number in ordered
    )


def _examples(captions: Iterable[ListedCaption], most: int) -> tuple[ListedCaption, ...]:
    """Return the first captions of each annotated value and outcome, in file order."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for caption in captions:
        seen[caption.annotated, caption.outcome] += 1
        if seen[caption.annotated, caption.outcome] <= most:
            found.append(caption)
    return tuple(found)


def _paired(tallies: Mapping[str, compute.Tallies], resampling: Resampling) -> Intervals | None:
    """Return differences between systems on the images that all describe; None for a single system."""
    if len(tallies) < 2:
        return None
    return tally_intervals(
        {name: dict(zip(found.images, found.counts, strict=True)) for name, found in tallies.items()},
        compute.comparable(len(next(iter(tallies.values())).values)),
        resampling=resampling,
        centred=compute.CENTRED,
    )


def _left_out(groups: ImageGroups) -> Iterator[str]:
    others = Counter(value for value in groups.by_image.values() if value not in groups.values)
    if others:
        told = ", ".join(f"{visible(value, 40)} {number:,}" for value, number in sorted(others.items()))
        yield f"images without a single group in '{visible(groups.file)}' are excluded: {told}"


NEARLY_ALL = 0.9
"""A system that names no group in this share of captions has few opportunities for errors."""


def _rarely_naming(systems: Mapping[str, SystemErrors]) -> Iterator[str]:
    for name, system in systems.items():
        if system.get("neither", 0) > NEARLY_ALL:
            share = f"{system['neither']:.0%}"
            yield (
                f"{visible(name, 40)} names no single group in {share} of captions: a low error means little"
            )


# Presentation: errors by system and annotated group, the words that named a wrong group, and captions.

_MOST_WORDS = 8  # for one system, in the terminal
_COMPARED = {"error": "error", "outcome_divergence": "divergence"}
_ANNOTATED = text_column("annotated")


def errors_sections(result: ErrorsResult) -> list[Section]:
    """Return the sections on errors."""
    explained = (
        f"Whether captions name the annotated {result.group} of an image, another one, or neither."
        " Words are text, not identities, and annotations record what an annotator saw."
    )
    parts = (
        *_numbers(result),
        *_words(result),
        *_captions(result),
        *_plots(result),
        *map(Note, result.notes),
    )
    return [Section("errors", "Errors by annotated group", parts, explained)]


def _numbers(result: ErrorsResult) -> Iterator[Part]:
    rows = result.systems
    known = {name: _intervals(row) for name, row in rows.items()}
    humans = frozenset(name for name, row in rows.items() if row.reference)
    yield from number_charts(QUANTITIES, rows, intervals=known, humans=humans)
    layout = {"apart": len(humans), "brief": True}
    table = quantity_table(
        "errors", "Errors", _shown(result), rows, intervals=known, notes=_error_notes(result), **layout
    )
    yield from with_written_intervals(table)
    yield from with_written_intervals(_outcomes(result), names=2)
    yield from with_written_intervals(_differences(result), names=1 if len(result.values) == 2 else 3)
    if len(result.values) > 2:
        yield from with_written_intervals(_pairs(result), names=3)
    if result.paired is not None and result.paired.enough:
        differences = difference_table(result.paired, _COMPARED)
        if differences is not None:
            yield differences


def _shown(result: ErrorsResult) -> list[Quantity[Any]]:
    """Return the columns of the first table; comparisons of two values are separate if there are more."""
    two = len(result.values) == 2
    return [quantity for quantity in QUANTITIES if two or quantity not in PAIR_QUANTITIES]


def _intervals(row: Row) -> dict[str, Triple]:
    """Return the intervals in a row by the keys of their numbers."""
    found = {}
    for key, value in (row.model_extra or {}).items():
        if key.endswith("_interval"):
            name = key.removesuffix("_interval")
            low, high = map(number, value)
            found[name] = (number(row.get(name)), low, high)
    return found


def _error_notes(result: ErrorsResult) -> list[str]:
    settings = result.signature.settings
    notes = [
        "error: share of captions that name a group other than the annotated one. 95% intervals, with"
        f" images as the unit; those of ratios and divergence: {settings['resamples']:,} resamples of images"
    ]
    if len(result.values) == 2:
        first, second = result.values
        notes.append(
            f"ratio: captions that name {first} / {second}; annotated: the ratio of the images; gap:"
            " annotated − ratio; divergence: Jensen-Shannon divergence between the outcomes of the two groups"
        )
    return notes


def _quantity_column(quantity: Quantity[Any]) -> ListColumn:
    return ListColumn(
        column(quantity), lambda row: quantity_cell(quantity, row, _intervals(row).get(quantity.key))
    )


def _outcomes(result: ErrorsResult) -> Table:
    """Return the share of each outcome by system and annotated group."""
    shares = [_quantity_column(quantity) for quantity in compute.SHARE_QUANTITIES]
    rows = tuple(
        (words(name), words(value), *(share.cell(row) for share in shares))
        for name, system in result.systems.items()
        for value, row in system.groups.items()
    )
    note = "neither: the caption names no group, or several"
    columns = (SYSTEM, _ANNOTATED.column, *(share.column for share in shares))
    return Table("outcomes", "What captions name, by annotated group", columns, rows, (note,))


def _differences(result: ErrorsResult) -> Table:
    columns = (*_pair_columns("minus"), *map(_difference_column, OUTCOMES))
    note = "Percentage points: share in the first group minus share in the second"
    return list_table("outcome_differences", "Differences between groups", columns, _pairs_of(result), note)


def _pair_columns(between: str) -> tuple[ListColumn, ListColumn]:
    return text_column("group"), text_column("against", between)


def _difference_column(outcome: str) -> ListColumn:
    def points(pair: NamedPair) -> Cell:
        return cell(pair.differences[outcome][0], percent_points, pair.differences[outcome])

    return ListColumn(Column(outcome, outcome), points)


def _pairs_of(result: ErrorsResult) -> dict[str, tuple[NamedPair, ...]]:
    return {name: system.pairs for name, system in result.systems.items()}


def _pairs(result: ErrorsResult) -> Table:
    """Return the ratios and the divergence of each pair of values."""
    columns = (*_pair_columns("to"), *map(_quantity_column, PAIR_QUANTITIES))
    return list_table("error_pairs", "Groups against each other", columns, _pairs_of(result))


def _words(result: ErrorsResult) -> Iterator[Table]:
    """Yield the words that named a wrong group: the most common ones for readers, all for CSV."""
    columns = (
        _ANNOTATED,
        text_column("named"),
        text_column("word"),
        number_column("captions", "captions", count),
    )
    found = {name: system.wrong_words for name, system in result.systems.items() if system.wrong_words}
    if found:
        cut = any(len(listed) > _MOST_WORDS for listed in found.values())
        notes = (
            (f"The {_MOST_WORDS} most common words of each system; --json and --csv list all",) if cut else ()
        )
        first = {name: listed[:_MOST_WORDS] for name, listed in found.items()}
        title = "Words that named the wrong group"
        yield list_table("wrong_words", title, columns, first, *notes, shown=EVERYWHERE - CSV)
        yield list_table("wrong_words", title, columns, found, shown=CSV)


def _captions(result: ErrorsResult) -> Iterator[Part]:
    """Yield captions behind the numbers: incorrect ones as a list, all outcomes as a table."""
    found = {name: system.listed for name, system in result.systems.items()}
    for name, listed in found.items():
        for one in listed:
            if one.outcome == "incorrect":
                yield WordList(f"{name}, {one.image_id}: {one.annotated}", one.caption, shown=TERMINAL)
    if any(found.values()):
        yield list_table(
            "error_captions",
            "Captions behind the numbers",
            (
                *map(text_column, ("image_id", "annotated", "outcome")),
                *map(_joined_column, ("named", "words")),
                text_column("caption"),
            ),
            found,
            "Examples for each group and outcome; --captions N lists more, and --out writes all",
            shown=frozenset({"page", "csv"}),
            folded=True,
        )


def _joined_column(key: str) -> ListColumn:
    return ListColumn(Column(key, key, words=True), lambda one: words(", ".join(getattr(one, key))))


def _plots(result: ErrorsResult) -> Iterator[Part]:
    bars = {
        name: [number(system.groups[value].get("incorrect")) for value in result.values]
        for name, system in result.systems.items()
    }
    yield BarChart("errors", "Errors by annotated group", result.group, "share", result.values, bars)
    rows = [
        (f"{name} ({pair.group} − {pair.against})", *_hundredfold(pair.differences["incorrect"]))
        for name, system in result.systems.items()
        for pair in system.pairs
    ]
    if rows:
        title = "Difference in errors between groups"
        yield ForestChart("error_differences", title, "percentage points", rows)


def _hundredfold(difference: Triple) -> Triple:
    estimate, low, high = difference
    return estimate * 100, low * 100, high * 100


def write_captions(result: ErrorsResult, folder: Path) -> None:
    """Write all captions with what they name, one record per caption."""
    with whole_file(folder / "error-captions.jsonl") as file:
        for name, captions in result.captions.items():
            for caption in captions:
                record = {"system": name, **caption.model_dump()}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


MEASURE = Measure(
    name="errors",
    title="Errors",
    result=ErrorsResult,
    sections=errors_sections,
    quantities=lambda: {"Errors": compute.documented()},
    settings=ErrorSettings,
    run=run_errors,
    write_details=write_captions,
)
