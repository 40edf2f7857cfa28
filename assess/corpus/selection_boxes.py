"""Boxes of Flickr30k Entities: a JSON list of phrase boxes, or the data set's XML annotations."""

from __future__ import annotations

import xml.etree.ElementTree as Tree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assess.corpus.object_lines import object_items, record_place
from assess.corpus.selection_input import Geometry, geometry_of
from assess.corpus.values import field_of, image_of
from assess.errors import InputError, Place

_SIDES = ("xmin", "ymin", "xmax", "ymax")


@dataclass(frozen=True, slots=True)
class Annotated:
    """The boxes of one image by entity, and the image's size where it is known."""

    boxes: Mapping[str, Geometry] = field(default_factory=dict)
    width: float | None = None
    height: float | None = None


def read_boxes(path: Path) -> dict[str, Annotated]:
    """Read the boxes by image from a folder of XML files or from a JSON list of phrase boxes."""
    return _from_folder(path) if path.is_dir() else _from_json(path)


def _from_json(path: Path) -> dict[str, Annotated]:
    """Read `{"image": "1#0", "entity": "7", "box": [x, y, width, height]}` records."""
    found: dict[str, dict[str, list[Geometry]]] = {}
    for item in object_items(str(path)):
        image = image_of(item, "image").partition("#")[0]
        boxes = found.setdefault(image, {}).setdefault(image_of(item, "entity"), [])
        boxes.append(geometry_of(field_of(item, "box"), record_place(item)))
    return {image: Annotated(_hulls(boxes)) for image, boxes in found.items()}


def _from_folder(folder: Path) -> dict[str, Annotated]:
    files = sorted(folder.glob("*.xml"))
    if not files:
        raise InputError("the folder has no .xml annotations", place=Place(str(folder)))
    return {file.stem: _from_xml(file) for file in files}


def _from_xml(file: Path) -> Annotated:
    root = _root(file)
    found: dict[str, list[Geometry]] = {}
    for entity, corners in _objects(root):
        x, y, right, bottom = (_number(corners, side, file) for side in _SIDES)
        found.setdefault(entity, []).append((x, y, right - x, bottom - y))
    return Annotated(_hulls(found), _size(root, "width"), _size(root, "height"))


def _root(file: Path) -> Tree.Element:
    try:
        text = file.read_text(encoding="utf-8")
        if "<!" in text.replace("<!--", ""):
            # A document type could define entities that expand without bound; annotations need none.
            raise InputError("the annotation has a document type", place=Place(str(file)))
        return Tree.fromstring(text)  # noqa: S314 - document types were refused above
    except (OSError, UnicodeDecodeError, Tree.ParseError) as error:
        raise InputError(f"cannot read the annotation: {error}", place=Place(str(file))) from error


def _objects(root: Tree.Element) -> Iterator[tuple[str, Tree.Element]]:
    for item in root.iter("object"):
        for corners in item.iter("bndbox"):
            for name in item.iter("name"):
                yield (name.text or "").strip(), corners


def _number(parent: Tree.Element, tag: str, file: Path) -> float:
    text = parent.findtext(tag, "")
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"<{tag}> is {text!r}, not a number", place=Place(str(file))) from error


def _size(root: Tree.Element, tag: str) -> float | None:
    text = root.findtext(f"size/{tag}", "").strip()
    return float(text) if text.isdigit() and text != "0" else None


def _hulls(found: Mapping[str, list[Geometry]]) -> dict[str, Geometry]:
    """Return one box an entity: the smallest that holds all of its boxes."""
    return {entity: _hull(boxes) for entity, boxes in found.items()}


def _hull(boxes: list[Geometry]) -> Geometry:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right = max(box[0] + box[2] for box in boxes)
    bottom = max(box[1] + box[3] for box in boxes)
    return (left, top, right - left, bottom - top)
