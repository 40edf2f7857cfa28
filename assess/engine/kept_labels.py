"""Labels on disk, beside the annotations that they were found in: a second audit need not find them again.

What a caption's labels are depends on the text, the model, the taxonomy, two settings, and the code that
finds them. All of these are in the key, the code by its own bytes, so a new version finds nothing old.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assess.engine.cache import RecordStore
from assess.grammar.labels import Found, LabelFinder
from assess.resources import code_digest

_CODE = ("records.py", "taxonomy/*.py", "grammar/*.py", "engine/local.py", "engine/kept_labels.py")


@dataclass(frozen=True, slots=True)
class TextLabels:
    """How many chunks a text has, and those that are labels of the domain."""

    chunks: int
    labels: tuple[Found, ...]


class LabelCache:
    """Labels by text, for one model and one way to find labels."""

    def __init__(self, model: str, finder: LabelFinder, *, path: Path | None = None) -> None:
        self.origin = f"{model}\0{finder.identity}\0{code_digest(*_CODE)}"
        self._store = RecordStore(self.origin, "label", path=path)

    def get(self, texts: Sequence[str]) -> dict[str, TextLabels]:
        """Return what is here, by text. A broken record is as good as none."""
        found: dict[str, TextLabels] = {}
        for text, record in self._store.get(texts).items():
            with contextlib.suppress(ValueError, TypeError):
                found[text] = decode_labels(record)
        return found

    def put(self, labels: Mapping[str, TextLabels]) -> None:
        """Keep the labels of texts."""
        self._store.put({text: encode_labels(found) for text, found in labels.items()})

    def close(self) -> None:
        """Close it."""
        self._store.close()


def encode_labels(found: TextLabels) -> bytes:
    """Return labels as bytes behind a checksum."""
    flat = [part for label in found.labels for part in (label.start, label.end, label.key)]
    data = json.dumps([found.chunks, *flat], separators=(",", ":")).encode("ascii")
    return zlib.crc32(data).to_bytes(4, "big") + data


def decode_labels(record: bytes) -> TextLabels:
    """Return the labels of a record; `ValueError` if it is not what was written."""
    data = record[4:]
    if zlib.crc32(data).to_bytes(4, "big") != record[:4]:
        raise ValueError("the record is broken")
    chunks, *flat = json.loads(data)
    if not flat:
        return TextLabels(chunks, ())
    return TextLabels(chunks, tuple(map(Found, flat[::3], flat[1::3], flat[2::3])))
