"""Word probabilities from Parquet tables: one row an image, shaped like the JSON records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assess.corpus.pregen_images import ImageProbabilities, image_probabilities
from assess.errors import InputError, MissingPartError, Place

_ROWS = 1024  # images held at once
_SHAPE = "image_id, and captions: list<list<struct<p: double, rank: int64>>>"


def read_parquet(path: Path) -> Iterator[ImageProbabilities]:
    """Stream images from a Parquet table; needs the `tables` extra (pyarrow)."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        hint = "pip install 'assess[tables]'"
        raise MissingPartError("reading Parquet needs pyarrow", place=Place(str(path)), hint=hint) from error
    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            yield from _images(table, str(path))
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(f"cannot be read as Parquet: {error}", place=Place(str(path))) from error


def _images(table: Any, file: str) -> Iterator[ImageProbabilities]:
    missing = [name for name in ("image_id", "captions") if name not in table.schema_arrow.names]
    if missing:
        message = f"the table has no column {', '.join(missing)}"
        raise InputError(message, place=Place(file), hint=f"its columns must be {_SHAPE}")
    record = 0
    for batch in table.iter_batches(batch_size=_ROWS, columns=["image_id", "captions"]):
        for image, captions in zip(batch.column("image_id"), batch.column("captions"), strict=True):
            record += 1
            yield _image(image, captions, Place(file, record=record))


def _image(image: Any, captions: Any, place: Place) -> ImageProbabilities:
    """Turn one row into an image; nested columns become flat arrays without Python objects."""
    name = image.as_py()
    if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
        raise InputError(f"image_id is {name!r}, not a text or a whole number", place=place)
    words = _flattened(captions.values, "captions", place) if captions.is_valid else None
    if words is None:
        raise InputError(f"image {name} has no captions", place=place, hint="leave the image out")
    return image_probabilities(
        str(name),
        probabilities=_column(words, "p", np.float64, place),
        argmax=_argmax(words, place),
        lengths=np.diff(np.asarray(captions.values.offsets)).astype(np.int64),
        place=place,
    )


def _flattened(captions: Any, name: str, place: Place) -> Any:
    if captions.null_count or not hasattr(captions, "flatten") or not hasattr(captions, "offsets"):
        raise InputError(f"'{name}' has a null or is no list of lists", place=place, hint=_SHAPE)
    return captions.flatten()


def _argmax(words: Any, place: Place) -> NDArray[np.bool_]:
    if "rank" not in _fields(words) and "argmax" in _fields(words):
        return _column(words, "argmax", np.bool_, place).astype(np.bool_)
    ranks = _column(words, "rank", np.int64, place)
    if (ranks < 0).any():
        raise InputError("a word's rank is negative; 0 is the most probable word", place=place)
    return np.asarray(ranks == 0, dtype=np.bool_)


def _fields(words: Any) -> list[str]:
    return [field.name for field in words.type] if hasattr(words, "field") else []


def _column(words: Any, name: str, dtype: Any, place: Place) -> NDArray[Any]:
    if name not in _fields(words):
        raise InputError(f"a word has no '{name}'", place=place, hint=_SHAPE)
    values = words.field(name)
    if values.null_count:
        raise InputError(f"a word's '{name}' is null", place=place)
    found = values.to_numpy(zero_copy_only=False)
    if not np.can_cast(found.dtype, dtype, casting="same_kind"):
        raise InputError(f"a word's '{name}' is of type {values.type}", place=place, hint=_SHAPE)
    return np.asarray(found, dtype=dtype)
