"""Image ids that are written differently: `COCO_val2014_000000100001.jpg` in one file, `100001` in another.

Images are paired by id, as text. Where the ids of a file pair with none of the others', but every one of
them ends in a number of its own and these numbers pair, the numbers are taken for ids, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from assess.corpus.captions import CaptionReader
from assess.corpus.source import Source, image_number
from assess.errors import AssessError, visible

_POSITIONS = ("text", "list")  # formats whose ids are places in the file, not names of images


def paired_by_number(
    systems: Sequence[Source], references: Sequence[Source]
) -> tuple[list[Source], list[Source], str | None]:
    """Return the sources, told to read numbers for file names where only these pair, and a note if so."""
    sources = [*systems, *references]
    if len(sources) < 2 or not _may_differ(sources):
        return [*systems], [*references], None
    images = [_images(source) for source in sources]
    numbers = [_numbers(found) for found in images]
    anchors = slice(len(systems), None) if references else slice(1)
    unpaired = [place for place in range(len(sources)) if not _pairs(images, place, anchors)]
    if not (unpaired and all(numbers) and all(_pairs(numbers, place, anchors) for place in unpaired)):
        return [*systems], [*references], None
    changed = [found != own for found, own in zip(numbers, images, strict=True)]
    read = [replace(source, number_ids=by) for source, by in zip(sources, changed, strict=True)]
    first = changed.index(True)
    named = [source.name for source in read if source.number_ids]
    return read[: len(systems)], read[len(systems) :], _note(named, min(images[first]))


def _pairs(ids: Sequence[set[str]], place: int, anchors: slice) -> bool:
    """Whether a source has an id that the references have, or, without references, the first system."""
    return any(ids[place] & anchor for anchor in ids[anchors])


def _note(names: Sequence[str], example: str) -> str:
    listed = ", ".join(visible(name, 40) for name in names)
    return (
        f"the image ids of {listed} are read as the numbers in their names, so that they pair:"
        f" '{visible(example, 60)}' is {image_number(example)}"
    )


def _may_differ(sources: Sequence[Source]) -> bool:
    """Whether the first ids of files have different shapes; what cannot be read twice is left alone."""
    shapes: set[str] = set()
    for source in sources:
        if not all(Path(path).is_file() for path in source.parts or (source.path,)):
            return False
        try:
            reader = CaptionReader(source)
            (first,) = islice(reader, 1)
        except AssessError:  # whoever reads the file will say what is wrong with it
            return False
        if reader.format in _POSITIONS or image_number(first.image) is None:
            return False
        shapes.add(_shape(first.image))
    return len(shapes) > 1


def _shape(image: str) -> str:
    """Return an id without its number; a number with zeros before it is a name."""
    return re.sub(r"[1-9]\d*(?=\D*$)", "", image)


def _images(source: Source) -> set[str]:
    try:
        return {caption.image for caption in CaptionReader(source)}
    except AssessError:
        return set()


def _numbers(images: Collection[str]) -> set[str]:
    """Return the numbers of ids; none, where an id has none or two have the same."""
    found = {number for image in images if (number := image_number(image)) is not None}
    return found if len(found) == len(images) else set()


def unlike_ids(images: Iterable[str], others: Iterable[str]) -> str:
    """Return a hint that shows an id of each side: most often they are written differently."""
    mine, theirs = (f"'{visible(min(side, default=''), 40)}'" for side in (images, others))
    return (
        f"images are paired by id, and the ids look like {mine} here and {theirs} there; choose the field"
        " that has the same ids with --id-field, or write the same ids into both files (file names pair"
        " with numbers only if every name ends in a number of its own)"
    )
