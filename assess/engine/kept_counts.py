"""The counts of caption files on disk: a file that was counted before need not be read again.

Counts depend on the bytes of the files, how they are read, the model, the taxonomy and our code, and all of
these are in the key.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from assess.corpus.source import STANDARD_INPUT, Source
from assess.engine.label_counts import LabelCounts
from assess.resources import code_digest
from assess.shelf import Shelf

COUNTS = Shelf("counts", rooms=("corpus", "engine", "metrics", "audit"), most=256)
_CODE = (
    "*.py",
    "corpus/*.py",
    "taxonomy/*.py",
    "grammar/*.py",
    "annotate/*.py",
    "engine/*.py",
    "metrics/coverage.py",
    "audit/mentions.py",
)


class KeptCounts:
    """The counts of one source, if they are kept or may be."""

    def __init__(self, source: Source, *, origin: str, by_image: bool) -> None:
        self._source = source
        self._hashes = file_hashes(source)
        self._key = (
            origin,
            code_digest(*_CODE),
            str(by_image),
            *how_it_is_read(source),
            *(self._hashes or ()),
        )

    def take(self) -> LabelCounts | None:
        """Return the counts of the source's files as they are now."""
        found: LabelCounts | None = COUNTS.take(self._key) if self._hashes else None
        if found is not None:
            found.corpus.system = self._source.name  # names are given anew in every run
        return found

    def put(self, counts: LabelCounts) -> None:
        """Keep counts, unless the files have changed since they were asked for."""
        if self._hashes and sorted(counts.corpus.hashes.values()) == sorted(self._hashes):
            COUNTS.put(self._key, counts)


def how_it_is_read(source: Source) -> tuple[str, ...]:
    """Return what decides, beside the bytes of its files, which captions a source has."""
    return (
        *(repr(part) for part in (source.format, source.id_field, source.caption_field, source.split)),
        *(_sha256(source.join) or "" if source.join else "",),
        *(Path(path).name for path in source.parts or (source.path,)),  # the format may show in a name
    )


def file_hashes(source: Source) -> tuple[str, ...] | None:
    """Return the hashes of a source's files; None where they cannot be read twice."""
    if source.path == STANDARD_INPUT or source.gold:
        return None
    hashes = [_sha256(path) for path in source.parts or (source.path,)]
    return None if None in hashes else tuple(filter(None, hashes))


def _sha256(path: str) -> str | None:
    try:
        if not Path(path).is_file():
            return None  # a pipe gives its bytes only once
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None  # the reader will say what is wrong
