"""Any number of captions, generated from the bundled example with a fixed vocabulary."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from assess.corpus import parse_source, read_captions

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "captions"


def example_texts() -> list[str]:
    """Return the distinct captions of the example's references, in order."""
    captions = read_captions(parse_source(str(EXAMPLE / "references.json")))
    return list(dict.fromkeys(caption.text for caption in captions))


def made_captions(count: int, *, seed: int = 1) -> Iterator[str]:
    """Yield captions of two example captions each: millions of distinct texts, few distinct chunks."""
    texts = [text.rstrip(" .") for text in example_texts()]
    chosen = random.Random(seed)
    for _ in range(count):
        first, second = chosen.choice(texts), chosen.choice(texts)
        yield f"{first} and {second[0].lower()}{second[1:]}."


def write_captions(path: Path, count: int, *, seed: int = 1) -> Path:
    """Write captions of as many images, as JSON Lines."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(made_captions(count, seed=seed)):
            file.write(json.dumps({"image_id": number, "caption": text}) + "\n")
    return path
