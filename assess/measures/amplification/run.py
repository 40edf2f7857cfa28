"""Object amplification in caption files: which objects are mentioned with which group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from assess.corpus import CaptionReader, parse_source
from assess.errors import InputError, NoCaptionsError, Place, UsageError, visible
from assess.measures.amplification import compute
from assess.measures.amplification.compute import QUANTITIES, Amplified, Said, Tallies
from assess.measures.group_captions import GroupedImages, GroupText, read_grouped
from assess.measures.group_settings import AmplificationSettings
from assess.measures.interval_tables import (
    closing_notes,
    interval_tables,
    list_table,
    number_column,
    text_column,
    with_bounds,
)
from assess.measures.intervals import Intervals, Statistic, Triple, column_bounds, latest, resampled_values
from assess.measures.measure import Inputs, Model, Number, Result, Row
from assess.measures.metric import Counts
from assess.measures.registry import Measure
from assess.report.quantity import number_charts, quantity_table, values_of
from assess.report.section import CSV, EVERYWHERE, ForestChart, Part, Section, Table
from assess.report.text import count, percent, signed
from assess.taxonomy.words import singular_of

LEAST = 10  # minimum number of images of each group
MEASURES = ("bias_amplification", "group_to_object", "object_to_group")
_NO_PLURALS = ("is", "ss", "us")  # tennis, grass, cactus
_HINT = "an objects file is CSV or JSONL with the fields image_id and object, one object per row"

Shown = Mapping[str, Mapping[str, float]]
"""The objects of each image, with the share of references that name each object."""


class ObjectAmplification(Model):
    """One object in one system; undefined if the captions never mention it with a group."""

    object: str
    images: int  # images with the object
    leaning: str  # the group with which references mention it more often
    share: Number
    system_share: Number
    bias_amplification: Triple
    group_to_object: Triple
    object_to_group: Triple


class SystemAmplification(Row):
    """The amplification of one system."""

    per_object: tuple[ObjectAmplification, ...]  # most amplified first
    notes: tuple[str, ...] = ()


class AmplificationResult(Result):
    """The amplification of all systems."""

    measure: ClassVar[str] = "amplification"

    group: str | None
    contrast: tuple[str, str]
    systems: dict[str, SystemAmplification]
    notes: tuple[str, ...]
    intervals: Intervals | None = None
    top: int = Field(AmplificationSettings.top, exclude=True)  # number of objects shown for each system


def run_amplification(inputs: Inputs, settings: AmplificationSettings) -> AmplificationResult:
    """Measure which objects captions mention with which group."""
    if settings.objects is None and not inputs.references:
        hint = "give human captions with --references, or --objects FILE"
        raise UsageError("amplification needs the objects of each image", hint=hint)
    objects = read_objects(settings.objects) if settings.objects is not None else None
    images = read_grouped(inputs, settings, least=LEAST)
    shown = _of_file(objects, images) if objects else _of_references(images)
    counts = Counter(name for found in shown.values() for name in found)
    names = sorted(name for name, count in counts.items() if count >= settings.least)
    if not names:
        message = f"no object occurs in at least {settings.least} images"
        raise InputError(message, hint="choose a smaller number for --least")
    told = {name: _tallies(images, captions, shown, names) for name, captions in images.systems.items()}
    known = objects.identity if objects else None
    statistics = {name: _statistics(tallies, _mean) for name, tallies in told.items()}
    return AmplificationResult(
        **images.described(inputs.model, settings, objects=known, least=settings.least),
        systems={name: _row(tallies, images, names, counts, settings) for name, tallies in told.items()},
        intervals=images.intervals(statistics, settings, centred=MEASURES),
        top=settings.top,
    )


# Objects in images.


class Objects(NamedTuple):
    """The objects of images, from a file."""

    file: str
    identity: str  # name and hash of the file, for the signature
    by_image: Mapping[str, set[str]]


def read_objects(argument: str) -> Objects:
    """Read the objects of images, in lower case and in the singular."""
    source = parse_source(argument, caption_field="object")
    source = replace(source, wanted="the name of an object, or a list of names")
    reader = CaptionReader(source)
    found: dict[str, set[str]] = {}
    try:
        for row in reader:
            name = " ".join(row.text.lower().split())
            if name:
                found.setdefault(row.image, set()).add(_singular(name))
    except UsageError:
        raise InputError(
            "is not a table of images and objects", place=Place(source.file), hint=_HINT
        ) from None
    except NoCaptionsError:
        pass  # reported below, in terms of this file
    if not found:
        raise InputError("the file has no objects", place=Place(source.file), hint=_HINT)
    return Objects(source.file, f"{source.name}#{reader.summary.sha256[:8]}", found)


def _singular(name: str) -> str:
    *first, last = name.split(" ")
    return name if last.endswith(_NO_PLURALS) else " ".join([*first, singular_of(last)])


def _of_file(objects: Objects, images: GroupedImages) -> Shown:
    known = objects.by_image
    if not known.keys() & images.groups.keys():
        message = f"no image is among the {len(known):,} images of '{visible(objects.file)}'"
        raise InputError(message, hint=f"images are paired by id: the file has '{visible(min(known), 40)}'")
    return {image: dict.fromkeys(sorted(known.get(image, ())), 1.0) for image in images.groups}


def _of_references(images: GroupedImages) -> Shown:
    return {image: _named(images.references[image]) for image in images.groups}


def _named(texts: Sequence[GroupText]) -> dict[str, float]:
    """Return the share of captions that name each object."""
    counts = Counter(thing for text in texts for thing in text.things)
    return {thing: count / len(texts) for thing, count in counts.items()}


# Objects in captions.


def _tallies(
    images: GroupedImages, captions: Mapping[str, Sequence[GroupText]], shown: Shown, names: Sequence[str]
) -> Tallies:
    places = {name: place for place, name in enumerate(names)}
    return compute.tally(
        [_placed(shown[image], places) for image in images.groups],
        [[_said(text, places, images.pair) for text in captions[image]] for image in images.groups],
        [images.pair.index(value) for value in images.groups.values()],
        len(names),
    )


def _placed(found: Mapping[str, float], places: Mapping[str, int]) -> dict[int, float]:
    return {places[name]: amount for name, amount in found.items() if name in places}


def _said(text: GroupText, places: Mapping[str, int], pair: tuple[str, str]) -> Said:
    named = {place for name in text.things if (place := _place(name, places)) is not None}
    return named, pair.index(text.told) if text.told in pair else None


def _place(thing: str, places: Mapping[str, int]) -> int | None:
    """Return the object that a noun names: a city bus is a bus unless city buses are objects."""
    words = thing.split(" ")
    names = (" ".join(words[start:]) for start in range(len(words)))
    return next((places[name] for name in names if name in places), None)


# The numbers of a system.


def _row(
    tallies: Tallies,
    images: GroupedImages,
    names: Sequence[str],
    counts: Mapping[str, int],
    settings: AmplificationSettings,
) -> SystemAmplification:
    found = tallies.amplified(np.ones((1, len(images.groups))))
    bounds = _bounds(tallies, found, settings)
    rows = [
        ObjectAmplification(
            object=name,
            images=counts[name],
            leaning=images.pair[int(found.leaning[0, place])],
            share=float(found.share[0, place]),
            system_share=float(found.system_share[0, place]),
            **{key: (float(getattr(found, key)[0, place]), *bounds[key][place]) for key in MEASURES},
        )
        for place, name in enumerate(names)
    ]
    numbers = {
        "images": len(images.groups),
        "objects": sum(not isnan(row.system_share) for row in rows),
        "told": float(tallies.told.sum(axis=1).mean()),
        **{key: float(_mean(getattr(found, key))[0]) for key in MEASURES},
    }
    return SystemAmplification(
        per_object=tuple(sorted(rows, key=_by_amplification)),
        notes=_notes(rows),
        **values_of(QUANTITIES, numbers),
    )


def _by_amplification(row: ObjectAmplification) -> tuple[bool, float, str]:
    value = row.bias_amplification[0]
    return isnan(value), 0.0 if isnan(value) else -value, row.object


def _notes(rows: Sequence[ObjectAmplification]) -> tuple[str, ...]:
    never = sum(isnan(row.system_share) for row in rows)
    return (f"{never:,} of {len(rows):,} objects are never named with a group",) if never else ()


def _mean(values: Counts) -> Counts:
    """Return the mean over the objects for which it is defined."""
    defined = ~np.isnan(values)
    return np.asarray(
        np.where(defined, values, 0.0).sum(axis=-1) / np.maximum(1, defined.sum(axis=-1))
        + np.where(defined.any(axis=-1), 0.0, np.nan)
    )


def _bounds(
    tallies: Tallies, estimates: Amplified, settings: AmplificationSettings
) -> dict[str, list[tuple[float, float]]]:
    """Return the interval of each object's numbers, by resampling images.

    A resample can reverse a direction and so has less amplification than the whole; intervals are shifted
    accordingly.
    """
    found = resampled_values(
        len(tallies.groups),
        _statistics(tallies, np.asarray),
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return {key: column_bounds(values, moved_to=getattr(estimates, key)[0]) for key, values in found.items()}


def _statistics(tallies: Tallies, of: Callable[[Counts], Counts]) -> dict[str, Statistic]:
    """Return the statistics of the objects' numbers; all three are computed together for the same weights."""
    amplified = latest(tallies.amplified)

    def statistic(key: str, weights: Counts) -> Counts:
        return of(getattr(amplified(weights), key))

    return {key: partial(statistic, key) for key in MEASURES}


# Presentation: totals for each system, and the most amplified objects.

_HEADINGS = {quantity.key: quantity.heading for quantity in QUANTITIES if quantity.key in MEASURES}


def amplification_sections(result: AmplificationResult) -> list[Section]:
    """Return the sections on amplification."""
    first, second = result.contrast
    explained = (
        f"Which objects captions name with {first} or {second}, and whether they exaggerate the"
        " associations in people's captions."
    )
    known = result.intervals.systems if result.intervals else {}
    parts = (
        *number_charts(QUANTITIES, result.systems, intervals=known),
        quantity_table(
            "amplification",
            "Object amplification",
            QUANTITIES,
            result.systems,
            intervals=known,
            notes=[
                "Positive: captions exaggerate the association that people's captions already have. BiasAmp:"
                " Zhao et al. (2017); group → object and object → group: Wang and"
                " Russakovsky (2021); group told: share of images whose caption states a group"
            ],
            brief=True,
        ),
        *_object_tables(result),
        *interval_tables(result.intervals, _HEADINGS),
        *_plots(result),
        *closing_notes(result.notes, result.warnings, result.systems, result.intervals),
    )
    return [Section("amplification", "Object amplification", parts, explained)]


def _object_tables(result: AmplificationResult) -> Iterator[Table]:
    """Yield the objects of all systems, most amplified first: some for readers, all for CSV."""
    images = number_column("images", "images", count)
    columns = [
        text_column("object"),
        text_column("leaning", "leans to"),
        number_column("share", "references", percent),
        number_column("system_share", "system", percent),
        *(
            number_column(key, heading.removeprefix("group ").removeprefix("object "), signed(3))
            for key, heading in _HEADINGS.items()
        ),
    ]
    listed = partial(list_table, "amplified_objects", "Amplified objects")
    note = (
        "references, system: share of the group that the references associate with the object,"
        " among images with the object"
    )
    found = {name: row.per_object for name, row in result.systems.items()}
    some = {name: objects[: result.top] for name, objects in found.items()}
    yield listed(columns, some, note, shown=EVERYWHERE - CSV)
    yield with_bounds(listed([columns[0], images, *columns[1:]], found, note))


def _plots(result: AmplificationResult) -> Iterator[Part]:
    for key, heading in _HEADINGS.items():
        rows = result.intervals.of(key) if result.intervals else []
        yield ForestChart(key, f"Object amplification, {heading}", "amplification", rows, shown=CSV)


MEASURE = Measure(
    name="amplification",
    title="Object amplification",
    result=AmplificationResult,
    sections=amplification_sections,
    quantities=lambda: {"Object amplification": [*QUANTITIES, *compute.OBJECTS]},
    settings=AmplificationSettings,
    run=run_amplification,
)
