"""Files of content selection: which format one is in, what is read, and what identifies it in a signature."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from assess.corpus.files import decoded, open_stored, take_head
from assess.corpus.readers import ENTITY_MARK
from assess.corpus.source import STANDARD_INPUT, Source
from assess.errors import UsageError, visible
from assess.measures.selection.input import GoldImage, Selection, read_gold, read_selections
from assess.measures.selection.markup import (
    ConceptFrom,
    read_bracketed,
    read_bracketed_selections,
    read_flickr30k,
)
from assess.signature import InputIdentity

SelectionFormat = Literal["json", "flickr30k", "bracketed"]
FORMATS: tuple[SelectionFormat, ...] = get_args(SelectionFormat)
_HEAD = 1 << 12  # characters; the mark of an entity stands in the first sentences


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Gold descriptions to read: a file or folder, and how."""

    source: Source
    boxes: Path | None = None  # of Flickr30k Entities
    concept: ConceptFrom = "head"

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(self.source.path)


def read_gold_source(gold: GoldSource) -> tuple[GoldImage, ...]:
    """Read gold images in any of the formats."""
    format_ = _format(gold.source)
    if gold.boxes is not None and format_ != "flickr30k":
        message = f"boxes of their own go with Flickr30k Entities only, and {gold.source.file} is {format_}"
        raise UsageError(message, hint="leave --boxes out, or give --format flickr30k")
    if format_ == "flickr30k":
        return read_flickr30k(gold.path, boxes=gold.boxes, concept=gold.concept)
    return read_bracketed(gold.path) if format_ == "bracketed" else read_gold(gold.path)


def read_selection_source(source: Source) -> tuple[Selection, ...]:
    """Read a system's selections: records of box ids, or bracketed sentences."""
    format_ = _format(source)
    if format_ == "flickr30k":
        raise UsageError(
            f"{source.file} has sentences of Flickr30k Entities, which are gold descriptions",
            hint='a system\'s selections are {"image_id": 1, "boxes": [2, 3]} records or bracketed sentences',
        )
    path = Path(source.path)
    return read_bracketed_selections(path) if format_ == "bracketed" else read_selections(path)


def _format(source: Source) -> SelectionFormat:
    if source.format is None:
        return sniff_selection(source.path)
    for name in FORMATS:
        if source.format == name:
            return name
    message = f"content selection has no format '{visible(source.format)}'"
    raise UsageError(message, hint=f"--format is one of {', '.join(FORMATS)}")


def sniff_selection(path: str) -> SelectionFormat:
    """Return the format of a file by its beginning. A folder is Flickr30k Entities, standard input JSON."""
    if path == STANDARD_INPUT:
        return "json"
    if Path(path).is_dir():
        return "flickr30k"
    with open_stored(path) as stored:
        head = take_head(decoded(stored.chunks(), file=stored.file), _HEAD, "").lstrip()
    if head[:1] in ("{", "[", ""):  # a line of marked text begins with its image
        return "json"
    return "flickr30k" if ENTITY_MARK in head else "bracketed"


def gold_identity(name: str, gold: Sequence[GoldImage]) -> InputIdentity:
    """Return what identifies gold images: the number of descriptions, and a hash of what was read."""
    parts = (
        (image.image, image.boxes, image.descriptions, image.width, image.height)
        for image in sorted(gold, key=lambda image: image.image)
    )
    return InputIdentity(name, sum(len(image.descriptions) for image in gold), _hash(parts))


def selection_identity(name: str, selections: Mapping[str, tuple[str, ...]]) -> InputIdentity:
    """Return what identifies a system's selections."""
    return InputIdentity(name, len(selections), _hash(sorted(selections.items())))


def _hash(parts: Iterable[object]) -> str:
    """Hash records as they were read, so that standard input, folders and packed files are alike."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode("utf-8", errors="surrogatepass"))
    return digest.hexdigest()
