"""Captions in Python (paths, lists and data frames) as sources that every measure can read."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, Protocol

from assess.corpus import Source, paired_by_number, parse_source
from assess.corpus.fields import rows_of_items
from assess.corpus.json_input import Item, written
from assess.errors import UsageError, visible
from assess.measures.measure import Inputs


class Frame(Protocol):
    """A data frame of pandas, polars or another library, with columns by name."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""
        ...

    def __getitem__(self, name: Any, /) -> Any: ...


File = str | os.PathLike[str]
Image = str | int
Texts = str | Sequence[str]
Record = Mapping[str, Any]
InMemory = Mapping[str, Texts] | Mapping[int, Texts] | Sequence[tuple[Image, str]] | Sequence[Record] | Frame
"""Captions by image id (one or several each), pairs or records of image ids and captions, or a frame."""

Captions = (
    File
    | Sequence[File]
    | Sequence[tuple[Image, str]]
    | Sequence[Record]
    | Frame
    | Mapping[str, File | InMemory]
)
"""Files (`[NAME=]PATH`), captions in memory, or a mapping from names of systems to either."""

_SHAPES = (
    'give paths, records {"image_id": …, "caption": …}, pairs (image id, caption), a data frame with these'
    ' columns, or {"name": any of these, or {image id: caption}}'
)


def inputs_of(
    captions: Captions, references: Captions | None, train: Captions | None, folder: Path
) -> Inputs:
    """Return the input of a measure; warns if numbers in file names are used as ids."""
    systems, humans, training = (
        sources_of(given, folder, name=name)
        for given, name in ((captions, "captions"), (references, "references"), (train, "train"))
    )
    systems, humans, note = paired_by_number(systems, humans)
    if note:
        warnings.warn(note, stacklevel=4)
    return Inputs(systems, humans, training)


def sources_of(given: Captions | None, folder: Path, *, name: str) -> list[Source]:
    """Return the given sources; captions in memory are written to files in a folder.

    `name` is used for captions in memory without a name.
    """
    if given is None:
        return []
    if isinstance(given, str | os.PathLike):
        return [parse_source(os.fspath(given))]
    if isinstance(given, Mapping):
        return [_named(system, captions, folder) for system, captions in given.items()]
    if is_frame(given):
        return [_written(name, given, folder)]
    items: list[Any] = list(records_of(given))
    if items and all(isinstance(item, str | os.PathLike) for item in items):
        return [parse_source(os.fspath(item)) for item in items]
    return [_written(name, items, folder)]


def _named(name: str, captions: Any, folder: Path) -> Source:
    if not isinstance(name, str) or not name:
        raise UsageError(f"{name!r} is not the name of a system", hint=_SHAPES)
    if not isinstance(captions, str | os.PathLike):
        pairs = _pairs(captions) if isinstance(captions, Mapping) else captions
        return _written(name, pairs, folder)
    path = os.fspath(captions)
    if " " in path and not Path(path).exists():
        # Most likely {image id: caption}, without the name of a system around it.
        raise UsageError(
            f"the file '{visible(path)}' of the system '{visible(name)}' does not exist", hint=_SHAPES
        )
    return Source(name, path)


def _pairs(captions: Mapping[Any, Any]) -> Iterator[tuple[Image, object]]:
    for image, texts in captions.items():
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            yield image, texts
        else:
            yield from ((image, text) for text in texts)


def _written(name: str, captions: Any, folder: Path) -> Source:
    """Write captions as JSONL: equal captions give equal files, and therefore equal signatures."""
    file = folder / f"captions-{len(list(folder.iterdir()))}.jsonl"
    # Records follow the rules for files: which field is the caption, and what can be an image id.
    items = (
        Item(_record(name, number, given), number, f"<{name}>")
        for number, given in enumerate(records_of(captions), start=1)
    )
    source = Source(name, str(file), format="jsonl")
    rows = rows_of_items(items, source)
    lines = [json.dumps({"image_id": row.image, "caption": row.text}) + "\n" for row in rows]
    if not lines:
        raise UsageError(f"'{visible(name)}' has no captions", hint=_SHAPES)
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    return source


def _record(name: str, number: int, given: object) -> dict[str, object]:
    """Return a caption, given as a record or a pair, as a record."""
    if isinstance(given, Mapping):
        return {str(name): _plain(value) for name, value in given.items()}
    if isinstance(given, tuple | list) and len(given) == 2:
        image, caption = _plain(given[0]), given[1]
        if isinstance(image, str | int) and isinstance(caption, str):
            return {"image_id": image, "caption": caption}
    which = f"caption {number} of '{visible(name)}'"
    raise UsageError(
        f"{which} is not an (image id, caption) pair: {visible(written(given), 80)}", hint=_SHAPES
    )


def _plain(value: object) -> object:
    """Return an integer of numpy as one of Python."""
    return int(value) if type(value) is not bool and isinstance(value, Integral) else value


# Records and data frames, of captions and other data.


def is_frame(given: object) -> bool:
    """Whether an object is a data frame of any library."""
    return hasattr(given, "columns") and hasattr(given, "__getitem__") and not isinstance(given, Mapping)


def records_of(given: Any) -> Iterable[Any]:
    """Return the rows of a data frame as records; lists and other iterables are returned unchanged."""
    if not is_frame(given):
        if not isinstance(given, Iterable):
            raise UsageError(f"{visible(repr(given), 80)} is not a list of records", hint=_SHAPES)
        return given
    names = [str(name) for name in given.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two columns are called '{visible(twice[0])}'", hint="rename or drop one of them")
    # Lists of Python values: numpy's types are not texts and integers in JSON.
    columns = [_values(given[name]) for name in given.columns]
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _values(column: Any) -> list[Any]:
    values: list[Any] = (column.tolist if hasattr(column, "tolist") else column.to_list)()
    return values


def file_of(given: Any, folder: Path, name: str) -> str:
    """Return the path of a file; records and data frames are written to a folder, as a JSON array."""
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    records = list(records_of(given))
    if not records:
        raise UsageError(
            f"'{visible(name)}' has no records", hint="give a file, a list of records or a data frame"
        )
    try:
        written = json.dumps(records)
    except (TypeError, ValueError) as error:
        raise UsageError(f"'{visible(name)}' cannot be written as JSON: {visible(str(error), 80)}") from None
    file = folder / f"{name}.json"
    file.write_text(written, encoding="utf-8")
    return str(file)


def files_of(given: Any, folder: Path, name: str) -> list[str]:
    """Return the paths of one or several files; an object in memory is one file."""
    if isinstance(given, Sequence) and all(isinstance(item, str | os.PathLike) for item in given):
        return [given] if isinstance(given, str) else [os.fspath(item) for item in given]
    return [file_of(given, folder, name)]
