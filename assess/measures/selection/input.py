"""Input of content selection: images with boxes and gold descriptions, and the boxes that a system selected.

The input is JSON Lines, a JSON array, or a JSON object keyed by image id. All mistakes in a file are reported
at once.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from assess.corpus.fields import field_of, image_of
from assess.corpus.json_input import Item, object_items, unexpected
from assess.errors import InputError, Place, Problem, visible

_MOST_PROBLEMS = 20  # per file; then reading stops

Geometry = tuple[float, float, float, float]  # x, y, width, height; the origin is the upper left corner
Identified = TypeVar("Identified", "GoldImage", "Selection")


@dataclass(frozen=True, slots=True)
class Box:
    """An object in an image: its concept, its position (if known) and its categories in the source."""

    id: str
    concept: str
    geometry: Geometry | None = None
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldImage:
    """An image's boxes and its gold descriptions, each as box ids in order of first mention."""

    image: str
    boxes: tuple[Box, ...]
    descriptions: tuple[tuple[str, ...], ...]
    width: float | None = None
    height: float | None = None
    place: Place | None = None
    phrases: tuple[Mapping[str, str], ...] = ()  # for each description that is a text: box -> words


@dataclass(frozen=True, slots=True)
class Selection:
    """The boxes that a system mentions for one image, in order, and its phrases for them, if known."""

    image: str
    boxes: tuple[str, ...]
    place: Place | None = None
    phrases: Mapping[str, str] = field(default_factory=dict)  # box -> phrase


def read_gold(path: Path) -> tuple[GoldImage, ...]:
    """Read gold images. Descriptions may be empty; the metric decides how these count."""
    return _read(path, _gold_image)


def read_selections(path: Path) -> tuple[Selection, ...]:
    """Read a system's selections, one for each image."""
    return _read(path, _selection)


def _gold_image(item: Item) -> GoldImage:
    boxes = _boxes(item)
    descriptions = field_of(item, "descriptions")
    if not isinstance(descriptions, list) or not descriptions:
        hint = 'write the box ids of each: "descriptions": [[2, 0], [2]]'
        raise InputError("the image has no gold descriptions", place=item.record_place, hint=hint)
    place, known = item.record_place, {box.id for box in boxes}
    mentions = tuple(_mentions(description, known, place) for description in descriptions)
    width, height = (_side(item, key) for key in ("width", "height"))
    return GoldImage(image_of(item, "image_id"), boxes, mentions, width, height, place)


def _selection(item: Item) -> Selection:
    boxes = _mentions(field_of(item, "boxes"), None, item.record_place)
    return Selection(image_of(item, "image_id"), boxes, item.record_place)


def pair_selections(gold: Sequence[GoldImage], selections: Iterable[Selection]) -> dict[str, Selection]:
    """Return the selections by image id; each gold image needs one with known boxes."""
    by_image = {chosen.image: chosen for chosen in selections}
    known = {image.image: {box.id for box in image.boxes} for image in gold}
    _check_same_images(known, by_image)
    _raise_problems(_unknown_boxes(by_image.values(), known))
    return {image: by_image[image] for image in known}


def _raise_problems(problems: Iterable[Problem]) -> None:
    found = tuple(problems)
    if found:
        raise InputError(found)


def first_mentions(boxes: Iterable[str]) -> tuple[str, ...]:
    """Return box ids in order, without repetitions."""
    return tuple(dict.fromkeys(boxes))


def unique_images(records: Iterable[Identified]) -> tuple[Identified, ...]:
    """Return the records unchanged; raises an error that lists all repeated images."""
    kept = tuple(records)
    first: dict[str, Place | None] = {}
    problems = []
    for record in kept:
        if record.image in first:
            message = f"image {record.image} occurs twice; first at {first[record.image]}"
            problems.append(Problem(message, record.place, "one record per image"))
        first.setdefault(record.image, record.place)
    _raise_problems(problems)
    return kept


def _read(path: Path, record: Callable[[Item], Identified]) -> tuple[Identified, ...]:
    kept: list[Identified] = []
    problems: list[Problem] = []
    for item in object_items(str(path)):
        try:
            kept.append(record(item))
        except InputError as error:
            problems += error.problems
        if len(problems) >= _MOST_PROBLEMS:
            break
    _raise_problems(problems)
    return unique_images(kept)


def _boxes(item: Item) -> tuple[Box, ...]:
    values = field_of(item, "boxes")
    if not isinstance(values, list):
        raise unexpected("'boxes' must be a list", values, place=item.record_place)
    boxes = tuple(_box(item._replace(value=value)) for value in values)
    twice = [box for box, times in Counter(box.id for box in boxes).items() if times > 1]
    if twice:
        raise InputError(f"two boxes of the image have the id {twice[0]}", place=item.record_place)
    return boxes


def _box(item: Item) -> Box:
    place = item.record_place
    if not isinstance(item.value, dict):
        raise unexpected("a box must be an object with id, concept and box", item.value, place=place)
    concept = field_of(item, "concept")
    if not isinstance(concept, str) or not concept:
        raise unexpected("a box's concept must be text", concept, place=place)
    shape = item.value.get("box")
    geometry = None if shape is None else geometry_of(shape, place)
    identifier = _identifier(field_of(item, "id"), place)
    return Box(identifier, concept, geometry, _categories(item.value.get("categories"), place))


def _identifier(value: object, place: Place) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise unexpected("a box id must be an integer or text", value, place=place)
    return str(value)


def _categories(value: object, place: Place) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise unexpected("a box's categories must be a list of strings", value, place=place)


def geometry_of(value: object, place: Place) -> Geometry:
    """Return a box as four numbers: x, y, and non-negative width and height."""
    if isinstance(value, list) and len(value) == 4 and all(_is_number(number) for number in value):
        x, y, width, height = (float(number) for number in value)
        if width >= 0 and height >= 0:
            return (x, y, width, height)
    shown = visible(json.dumps(value, ensure_ascii=False), 60)
    raise InputError(f"{shown} is not a box", place=place, hint="four numbers: x, y, width, height")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _side(item: Item, key: str) -> float | None:
    assert isinstance(item.value, dict)  # object_items only yields objects
    value = item.value.get(key)
    if value is None:
        return None
    if not _is_number(value) or value <= 0:
        raise unexpected(f"'{key}' must be a length in pixels", value, place=item.record_place)
    return float(value)


def _mentions(value: object, known: set[str] | None, place: Place) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise unexpected("box ids must be a list", value, place=place)
    ids = first_mentions(_identifier(box, place) for box in value)
    missing = [box for box in ids if known is not None and box not in known]
    if missing:
        raise InputError(f"no box of the image has the id {_listed(missing)}", place=place)
    return ids


def _unknown_boxes(selections: Iterable[Selection], known: Mapping[str, set[str]]) -> Iterator[Problem]:
    for chosen in selections:
        missing = [box for box in chosen.boxes if box not in known[chosen.image]]
        if missing:
            message = f"image {chosen.image} has no box with the id {_listed(missing)}"
            yield Problem(message, chosen.place)


def _check_same_images(known: Mapping[str, object], chosen: Mapping[str, Selection]) -> None:
    missing = [image for image in known if image not in chosen]
    extra = [image for image in chosen if image not in known]
    if missing or extra:
        message = f"{len(known)} gold images and {len(chosen)} selections do not match by image id"
        hint = "; ".join(_unpaired("without a selection", missing) + _unpaired("not in the gold", extra))
        raise InputError(message, hint=hint)


def _unpaired(what: str, images: list[str]) -> list[str]:
    return [f"{len(images)} {what} ({_listed(images)})"] if images else []


def _listed(ids: list[str]) -> str:
    return ", ".join(visible(identifier, 40) for identifier in ids[:5]) + (", …" if len(ids) > 5 else "")
