"""Post-gen scores of images: one record an image, `{"image_id": 1, "CIDEr": 0.9, …}`."""

from __future__ import annotations

import math
from pathlib import Path

from assess.corpus.json_values import Item
from assess.corpus.object_lines import object_items, record_place
from assess.corpus.values import described, image_of
from assess.errors import InputError

_IMAGE = "image_id"


def read_image_scores(path: Path) -> dict[str, dict[str, float]]:
    """Read the scores of images, by name of the score and then by image; all images have the same ones."""
    found: dict[str, dict[str, float]] = {}
    for item in object_items(str(path)):
        image, scores = image_of(item, _IMAGE), _scores(item)
        if found and found.keys() != scores.keys():
            message = f"the image's scores are {', '.join(scores)}, but those before are {', '.join(found)}"
            raise InputError(message, place=record_place(item))
        for name, score in scores.items():
            if image in found.setdefault(name, {}):
                raise InputError(f"image {image} comes twice", place=record_place(item))
            found[name][image] = score
    return found


def _scores(item: Item) -> dict[str, float]:
    assert isinstance(item.value, dict)  # object_items yields nothing else
    values = {name: value for name, value in item.value.items() if name != _IMAGE}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            message = f"'{name}' must be a number, not {described(value)}"
            raise InputError(message, place=record_place(item))
    if not values:
        raise InputError("the image has no scores", place=record_place(item))
    return {name: float(value) for name, value in values.items()}
