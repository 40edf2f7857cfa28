"""Captions as Python has them: paths, or captions in memory, as sources that every command could read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from assess.corpus import Source, parse_source
from assess.errors import UsageError, visible

File = str | os.PathLike[str]
Image = str | int
Texts = str | Sequence[str]
InMemory = Mapping[str, Texts] | Mapping[int, Texts] | Sequence[tuple[Image, str]]
"""Captions by image id, one or several each; or pairs of an image id and a caption."""

Captions = File | Sequence[File] | Sequence[tuple[Image, str]] | Mapping[str, File | InMemory]
"""Files (`[NAME=]PATH`), pairs, or a mapping from the name of a system to its file or captions."""

_SHAPES = 'give paths, pairs (image id, caption), or {"name": path or {image id: caption}}'


def sources_of(given: Captions | None, folder: Path, *, name: str) -> list[Source]:
    """Return the sources that were given; captions in memory become files of a folder.

    `name` is for captions in memory that have none.
    """
    if given is None:
        return []
    if isinstance(given, str | os.PathLike):
        return [parse_source(os.fspath(given))]
    if isinstance(given, Mapping):
        return [_named(system, captions, folder) for system, captions in given.items()]
    items = list(given)
    if items and all(isinstance(item, str | os.PathLike) for item in items):
        return [parse_source(os.fspath(item)) for item in items if isinstance(item, str | os.PathLike)]
    return [_written(name, items, folder)]


def _named(name: str, captions: File | InMemory, folder: Path) -> Source:
    if not isinstance(name, str) or not name:
        raise UsageError(f"{name!r} is no name of a system", hint=_SHAPES)
    if not isinstance(captions, str | os.PathLike):
        pairs = _pairs(captions) if isinstance(captions, Mapping) else captions
        return _written(name, pairs, folder)
    path = os.fspath(captions)
    if " " in path and not Path(path).exists():
        # Most likely {image id: caption}, which has no name of a system around it.
        raise UsageError(f"there is no file '{visible(path)}' for the system '{visible(name)}'", hint=_SHAPES)
    return Source(name, path)


def _pairs(captions: Mapping[str, Texts] | Mapping[int, Texts]) -> Iterator[tuple[Image, object]]:
    for image, texts in captions.items():
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            yield image, texts
        else:
            yield from ((image, text) for text in texts)


def _written(name: str, pairs: Iterable[object], folder: Path) -> Source:
    """Write captions as JSONL: the same captions make the same file, and so the same signature."""
    lines = [_line(name, number, pair) for number, pair in enumerate(pairs, start=1)]
    if not lines:
        raise UsageError(f"'{visible(name)}' has no captions", hint=_SHAPES)
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    return Source(name, str(file), format="jsonl")


def _line(name: str, number: int, pair: object) -> str:
    if isinstance(pair, tuple | list) and len(pair) == 2:
        image, caption = pair
        if isinstance(image, str | int) and isinstance(caption, str):
            return json.dumps({"image_id": image, "caption": caption}) + "\n"
    shown = visible(repr(pair), 80)
    raise UsageError(
        f"caption {number} of '{visible(name)}' is no (image id, caption): {shown}", hint=_SHAPES
    )
