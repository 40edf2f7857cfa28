"""Input of pre-gen metrics: the probabilities that a model assigns to the words of reference captions.

Each word has two properties: the probability that the model assigned to it, and whether it was the most
probable word at that position (rank 0). The end token counts as a word. There are three formats, all streamed
image by image; mistakes are reported with the number of their record, i.e. their image:

- JSON Lines, an array, or an object keyed by image id:
  `{"image_id": 1, "captions": [[{"p": 0.711, "rank": 0}, …], …]}`; `"argmax": true` can replace rank 0, and
  `"word": "young"` gives the word itself, for all words of a caption or for none;
- Parquet with one row per image, and the same `image_id` and `captions` (needs pyarrow);
- NPZ with one-dimensional arrays: `p` (probability of each word, all captions concatenated), `rank` (of each
  word, 0 = most probable) or `argmax` (true or false), `words_per_caption`, `captions_per_image`, and
  optionally `image_ids` (texts or integers). They are read in blocks.

Consecutive records of the same image are an error. Other repetitions are not checked, because that would take
memory that grows with the number of images.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from assess.corpus.fields import field_of, image_of
from assess.corpus.files import check_regular
from assess.corpus.json_input import Item, object_items, unexpected
from assess.corpus.tables import open_parquet, parquet_batches
from assess.errors import InputError, Place
from assess.limits import RECORD_SIZE

ProbabilityFormat = Literal["jsonl", "npz", "parquet"]


@dataclass(frozen=True, slots=True, eq=False)
class ImageProbabilities:
    """An image: the words of all its captions concatenated, and the length of each caption."""

    image: str
    probabilities: NDArray[np.float64]
    argmax: NDArray[np.bool_]  # whether the word was the most probable one
    lengths: NDArray[np.int64]  # number of words in each caption
    words: tuple[str, ...] | None = None  # if the input contains them


def image_probabilities(
    image: str,
    *,
    probabilities: NDArray[np.float64],
    argmax: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    words: tuple[str, ...] | None = None,
    place: Place | None = None,
) -> ImageProbabilities:
    """Return a validated image: it has captions, these have words, and probabilities are in [0, 1]."""
    if not lengths.size:
        raise InputError(f"image {image} has no captions", place=place, hint="remove the image")
    if not lengths.all():
        caption = int(np.argmin(lengths)) + 1
        message = f"caption {caption} of image {image} has no words"
        raise InputError(message, place=place, hint="the end token counts as a word; remove the caption")
    outside = ~((probabilities >= 0) & (probabilities <= 1))  # also true for nan
    if outside.any():
        _raise_outside(image, probabilities, outside, lengths, place)
    return ImageProbabilities(image, probabilities, argmax, lengths, words)


def _raise_outside(
    image: str,
    probabilities: NDArray[np.float64],
    outside: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    place: Place | None,
) -> None:
    at = int(np.argmax(outside))
    ends = np.cumsum(lengths)
    caption = int(np.searchsorted(ends, at, side="right"))
    word = at - (int(ends[caption - 1]) if caption else 0)
    message = (
        f"{probabilities[at]} is not a probability (image {image}, caption {caption + 1}, word {word + 1})"
    )
    raise InputError(message, place=place, hint=f"probabilities are from 0 to 1{_likely(probabilities[at])}")


def _likely(value: float) -> str:
    """Return a hint that guesses what a number outside the range might be."""
    if value < 0:
        return "; are these logarithms?"
    return (
        "; this can be a rounding error: compute the softmax in double precision" if 1 < value < 1.001 else ""
    )


def read_probabilities(
    path: Path,
    *,
    format: ProbabilityFormat | None = None,  # noqa: A002 - the option's name everywhere
) -> Iterator[ImageProbabilities]:
    """Stream images from a file, whose format follows from its name unless it is given."""
    suffix = path.suffix.removeprefix(".").lower()
    reader = READERS[format or (suffix if suffix in READERS else "jsonl")]
    return not_twice_in_a_row(reader(path), str(path))


def read_jsonl(path: Path) -> Iterator[ImageProbabilities]:
    """Stream images from JSON Lines or another JSON layout; `-` is standard input."""
    for item in object_items(str(path)):
        place = item.record_place
        image = image_of(item, "image_id")
        captions = _captions(item, place)
        words = [_word(word, place) for caption in captions for word in caption]
        yield image_probabilities(
            image,
            probabilities=np.array([p for p, _ in words], dtype=np.float64),
            argmax=np.array([best for _, best in words], dtype=np.bool_),
            lengths=np.array([len(caption) for caption in captions], dtype=np.int64),
            words=_texts([word for caption in captions for word in caption], place),
            place=place,
        )


def _texts(words: list[object], place: Place) -> tuple[str, ...] | None:
    """Return the words themselves; None if there are none."""
    told = [word.get("word") for word in words if isinstance(word, dict)]
    if all(text is None for text in told):
        return None
    for text in told:
        if not isinstance(text, str):
            raise unexpected("a word's 'word' must be text", text, place=place, hint="give it for all words")
    return tuple(map(str, told))


def not_twice_in_a_row(images: Iterator[ImageProbabilities], file: str) -> Iterator[ImageProbabilities]:
    """Pass images on. The same image twice in a row was split or copied by mistake."""
    last, record = None, 0
    for record, image in enumerate(images, start=1):
        if image.image == last:
            message = f"image {image.image} occurs twice in a row"
            raise InputError(message, place=Place(file, record=record), hint="write one record per image")
        last = image.image
        yield image
    if not record:
        raise InputError("there are no images", place=Place(file))


def _captions(item: Item, place: Place) -> list[list[object]]:
    captions = field_of(item, "captions")
    if not isinstance(captions, list) or not all(isinstance(caption, list) for caption in captions):
        hint = '"captions": [[{"p": 0.7, "rank": 0}, …], …]'
        raise unexpected("'captions' must be a list of lists", captions, place=place, hint=hint)
    return captions


def _word(word: object, place: Place) -> tuple[float, bool]:
    if not isinstance(word, dict):
        raise unexpected("a word must be an object with p and rank", word, place=place)
    p = word.get("p")
    if isinstance(p, bool) or not isinstance(p, int | float):
        raise unexpected("a word's p must be a probability", p, place=place)
    return float(p), _is_argmax(word, place)


def _is_argmax(word: Mapping[str, object], place: Place) -> bool:
    best, rank = word.get("argmax"), word.get("rank")
    if isinstance(best, bool) and rank is None:
        return best
    if isinstance(rank, int) and not isinstance(rank, bool) and rank >= 0 and best in (None, rank == 0):
        return rank == 0
    hint = 'or give "argmax": true or false alone'
    raise unexpected("a word's rank must be a whole number from 0", rank, place=place, hint=hint)


# Images from arrays.


_REQUIRED = ("p", "words_per_caption", "captions_per_image")
_KINDS = {"p": "f", "rank": "iu", "argmax": "b", "words_per_caption": "iu", "captions_per_image": "iu"}
_HEADERS = {True: np.lib.format.read_array_header_1_0, False: np.lib.format.read_array_header_2_0}
# RuntimeError is raised for encrypted archives and unknown compression methods.
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, RuntimeError, struct.error)
_NPZ_IMAGES = 4096  # number of images whose counts are read at once
_PARQUET_SHAPE = "image_id, and captions: list<list<struct<p: double, rank: int64>>>"


class ArrayStream:
    """A one-dimensional array in an NPZ file, read from its beginning."""

    def __init__(self, stream: IO[bytes], *, name: str, file: str) -> None:
        self.name = name
        self.file = file
        self._stream = stream
        self.dtype, self.size = self._header()
        self.left = self.size

    def take(self, count: int) -> NDArray[Any]:
        """Return the next `count` elements, or fewer at the end of the array."""
        count = min(count, self.left)
        wanted = count * self.dtype.itemsize
        RECORD_SIZE.check(wanted, f"{wanted:,} bytes of '{self.name}' are needed at once", Place(self.file))
        try:
            data = self._stream.read(wanted)
        except _DAMAGE as error:
            raise self.error(f"is damaged ({error})") from error
        if len(data) < wanted:
            raise self.error("is truncated")
        self.left -= count
        return np.frombuffer(data, dtype=self.dtype)

    def error(self, message: str, record: int | None = None) -> InputError:
        """Return an error about this array."""
        return InputError(f"the array '{self.name}' {message}", place=Place(self.file, record=record))

    def _header(self) -> tuple[np.dtype[Any], int]:
        try:
            first_version = np.lib.format.read_magic(self._stream) == (1, 0)
            read = _HEADERS[first_version]
            shape, _, dtype = read(self._stream)
        # Headers are parsed as Python, so many kinds of errors are possible.
        except Exception as error:
            raise self.error(f"is damaged ({error})") from error
        if dtype.hasobject:
            raise self.error("contains Python objects, which are not supported; save flat arrays of numbers")
        if len(shape) != 1:
            raise self.error(
                f"has {len(shape)} dimensions instead of 1; save the words of all captions in sequence"
            )
        if dtype.kind not in _KINDS.get(self.name, "UTiu"):
            raise self.error(f"has the type {dtype}, which is not valid")
        return dtype, shape[0]


def read_npz(path: Path) -> Iterator[ImageProbabilities]:
    """Stream images from an NPZ file; the sizes of its arrays must be consistent."""
    with ExitStack() as stack:
        archive = stack.enter_context(_open(path))
        arrays = {}
        for member in archive.namelist():
            name = member.removesuffix(".npy")
            if name in _KINDS or name == "image_ids":
                stream = stack.enter_context(_member(archive, member, path))
                arrays[name] = ArrayStream(stream, name=name, file=str(path))
        _check_arrays(arrays, str(path))
        yield from _images(arrays)


def _open(path: Path) -> zipfile.ZipFile:
    check_regular(path, "an NPZ file")
    try:
        return zipfile.ZipFile(path)
    except (ValueError, *_DAMAGE) as error:
        hint = "numpy.savez(path, p=…, rank=…, words_per_caption=…, captions_per_image=…)"
        raise InputError(f"cannot be read as NPZ: {error}", place=Place(str(path)), hint=hint) from error


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> IO[bytes]:
    try:
        return archive.open(name)
    except (*_DAMAGE, ValueError) as error:
        raise InputError(f"cannot be read as NPZ: {error}", place=Place(str(path))) from error


def _check_arrays(arrays: dict[str, ArrayStream], file: str) -> None:
    missing = [name for name in _REQUIRED if name not in arrays]
    if "rank" not in arrays and "argmax" not in arrays:
        missing.append("rank (or argmax)")
    if missing:
        raise InputError(f"the file has no array {', '.join(missing)}", place=Place(file))
    flags = arrays.get("rank") or arrays["argmax"]
    _check_sizes(arrays["p"], flags)
    if "image_ids" in arrays:
        _check_sizes(arrays["captions_per_image"], arrays["image_ids"])


def _check_sizes(first: ArrayStream, second: ArrayStream) -> None:
    if first.size != second.size:
        raise second.error(f"has {second.size} elements, but '{first.name}' has {first.size}")


def _images(arrays: dict[str, ArrayStream]) -> Iterator[ImageProbabilities]:
    record = 0
    while arrays["captions_per_image"].left:
        counts = arrays["captions_per_image"].take(_NPZ_IMAGES)
        names = _names(arrays.get("image_ids"), record, counts.size)
        for captions, name in zip(counts.tolist(), names, strict=True):
            record += 1
            yield _image(arrays, name, captions, record)
    for name in ("words_per_caption", "p"):
        if arrays[name].left:
            raise arrays[name].error(f"has {arrays[name].left} more elements than the images use")


def _names(identifiers: ArrayStream | None, record: int, count: int) -> list[str]:
    if identifiers is None:
        return [str(number) for number in range(record + 1, record + 1 + count)]
    return [str(name) for name in identifiers.take(count).tolist()]


def _image(arrays: dict[str, ArrayStream], name: str, captions: int, record: int) -> ImageProbabilities:
    lengths = _take(arrays["words_per_caption"], captions, record).astype(np.int64)
    if (lengths < 0).any():
        raise arrays["words_per_caption"].error("has a negative count", record)
    words = int(lengths.sum())
    flags = arrays.get("rank") or arrays["argmax"]
    found = _take(flags, words, record)
    if flags.name == "rank" and (found < 0).any():
        raise flags.error("has a negative rank; 0 is the most probable word", record)
    return image_probabilities(
        name,
        probabilities=_take(arrays["p"], words, record).astype(np.float64),
        argmax=found == 0 if flags.name == "rank" else found.astype(np.bool_),
        lengths=lengths,
        place=Place(arrays["p"].file, record=record),
    )


def _take(array: ArrayStream, count: int, record: int) -> NDArray[Any]:
    """Take exactly `count` elements for one image."""
    if count < 0 or count > array.left:
        raise array.error(f"is too short: {count} elements are needed here, {array.left} are left", record)
    return array.take(count)


def read_parquet(path: Path) -> Iterator[ImageProbabilities]:
    """Stream images from a Parquet table; needs the `tables` extra (pyarrow)."""
    with open_parquet(str(path)) as table:
        missing = [name for name in ("image_id", "captions") if name not in table.schema_arrow.names]
        if missing:
            message = f"the table has no column {', '.join(missing)}"
            raise InputError(message, place=Place(str(path)), hint=f"its columns must be {_PARQUET_SHAPE}")
        record = 0
        groups = range(table.num_row_groups)
        for batch in parquet_batches(table, str(path), groups, ["image_id", "captions"]):
            for image, captions in zip(batch.column("image_id"), batch.column("captions"), strict=True):
                record += 1
                yield _parquet_image(image, captions, Place(str(path), record=record))


def _parquet_image(image: Any, captions: Any, place: Place) -> ImageProbabilities:
    """Turn a row into an image; nested columns become flat arrays without Python objects."""
    name = image.as_py()
    if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
        raise InputError(f"image_id is {name!r}, not text or an integer", place=place)
    if not captions.is_valid:
        raise InputError(f"image {name} has no captions", place=place, hint="remove the image")
    lists: Any = getattr(captions, "values", None)  # for a record, it is a method
    if not (hasattr(lists, "flatten") and hasattr(lists, "offsets")) or lists.null_count:
        message = "'captions' contains a null or is not a list of lists"
        raise InputError(message, place=place, hint=_PARQUET_SHAPE)
    words = lists.flatten()
    return image_probabilities(
        str(name),
        probabilities=_column(words, "p", np.float64, place),
        argmax=_argmax(words, place),
        lengths=np.diff(np.asarray(lists.offsets)).astype(np.int64),
        place=place,
    )


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
        raise InputError(f"a word has no '{name}'", place=place, hint=_PARQUET_SHAPE)
    values = words.field(name)
    if values.null_count:
        raise InputError(f"a word's '{name}' is null", place=place)
    found = values.to_numpy(zero_copy_only=False)
    kind = values.dictionary.type if hasattr(values, "dictionary") else values.type
    if not np.can_cast(found.dtype, dtype, casting="same_kind"):
        raise InputError(f"a word's '{name}' is of type {kind}", place=place, hint=_PARQUET_SHAPE)
    return np.asarray(found, dtype=dtype)


READERS: Mapping[str, Callable[[Path], Iterator[ImageProbabilities]]] = {
    "jsonl": read_jsonl,
    "npz": read_npz,
    "parquet": read_parquet,
}
