"""Input of pre-gen metrics: what a captioner thinks of each word of the reference captions.

Of every word, two things count: the probability that the model gave it, and whether it was the most
probable word there (rank 0). The end token counts as a word. Three formats, all streamed image by
image; a mistake is reported with the number of its record, which is an image:

- JSON Lines, an array, or an object keyed by image id:
  `{"image_id": 1, "captions": [[{"p": 0.711, "rank": 0}, …], …]}`; `"argmax": true` may stand for rank 0;
- Parquet, one row an image, with the same `image_id` and `captions` (needs pyarrow);
- NPZ, flat arrays: `assess.measures.pregen.arrays` says which.

That no image comes twice in a row is checked; that none comes twice at all is not, because it would
take memory that grows with the number of images.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from assess.corpus.fields import field_of, image_of, unexpected
from assess.corpus.json_input import Item
from assess.corpus.object_lines import object_items
from assess.errors import InputError, Place
from assess.measures.pregen.arrays import ImageProbabilities, image_probabilities, read_npz, read_parquet

ProbabilityFormat = Literal["jsonl", "npz", "parquet"]


def read_probabilities(
    path: Path,
    *,
    format: ProbabilityFormat | None = None,  # noqa: A002 - the option's name everywhere
) -> Iterator[ImageProbabilities]:
    """Stream images from a file; its name tells the format unless it is given."""
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
            place=place,
        )


def not_twice_in_a_row(images: Iterator[ImageProbabilities], file: str) -> Iterator[ImageProbabilities]:
    """Pass images on; one that follows itself was split or copied by mistake."""
    last, record = None, 0
    for record, image in enumerate(images, start=1):
        if image.image == last:
            message = f"image {image.image} comes twice in a row"
            raise InputError(message, place=Place(file, record=record), hint="one record an image")
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


READERS: Mapping[str, Callable[[Path], Iterator[ImageProbabilities]]] = {
    "jsonl": read_jsonl,
    "npz": read_npz,
    "parquet": read_parquet,
}
