"""Annotations on disk, shared by runs and processes: an SQLite table with a row per distinct text and model.

A record states its depth: one with a tree also serves requests for tags only, but not the other way round.

A killed run loses at most the current block, because finished blocks are stored. Damage is repaired by
computing again: a damaged record is detected by its checksum, and an unreadable file is set aside.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import time
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from operator import add, eq, sub
from pathlib import Path
from sys import intern
from typing import Any, TypeVar

from assess.annotate.extract import DepthOf, to_the_tree
from assess.disk_cache import ELSEWHERE, cache_path, note_once, note_unusable, private_file, private_folder
from assess.errors import Place, UsageError, visible
from assess.records import Annotation, Chunk, Depth

Done = TypeVar("Done")

# Annotations as short byte strings, which workers send and the cache stores.

VERSION = 2
"""Increased when the encoding changes, or when annotation with the same model gives other results."""


class BrokenRecordError(Exception):
    """A stored record is damaged. It is never used; the text is annotated again."""


_BROKEN = (
    BrokenRecordError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What decoding can raise for a foreign record, even if its checksum is correct."""


_to_json = json.JSONEncoder(separators=(",", ":")).encode
_from_json = json.JSONDecoder().raw_decode


def encode(annotation: Annotation, depth: Depth = Depth.TREE) -> bytes:
    """Return an annotation with a checksum and without its words, which the text contains."""
    content: list[Any] = [
        annotation.offsets,
        [len(word) for word in annotation.words],
        " ".join(annotation.tags),
    ]
    if depth is Depth.TREE:  # the depth of a record follows from its parts
        content += [
            " ".join(annotation.deps),
            annotation.heads,
            [place for chunk in annotation.chunks for place in (chunk.start, chunk.end)],
        ]
    data = _to_json(content).encode("ascii")
    return zlib.crc32(data).to_bytes(4, "big") + data


def decode(text: str, record: bytes, depth: Depth = Depth.TREE) -> Annotation | None:
    """Return the annotation in a record at the requested depth, or None if the record is not that deep."""
    data = record[4:]
    if zlib.crc32(data).to_bytes(4, "big") != record[:4]:
        raise BrokenRecordError
    (offsets, lengths, tags, *tree), _ = _from_json(str(data, "ascii"))
    if depth is Depth.TREE and not tree:
        return None
    deps, heads, places = tree if depth is Depth.TREE else ("", [], [])
    ends = list(map(add, offsets, lengths))
    chunks = array("q", places)  # requires whole numbers, as slices of texts do
    starts, stops = chunks[::2], chunks[1::2]
    if not (_are_words(len(text), offsets, lengths, ends) and _are_chunks(starts, stops, offsets, ends)):
        raise BrokenRecordError
    annotation = Annotation(
        words=tuple([text[start:end] for start, end in zip(offsets, ends, strict=True)]),
        offsets=tuple(offsets),
        tags=_strings(tags) if offsets else (),
        chunks=tuple(map(Chunk, starts, stops)),
        heads=tuple(heads),
        deps=_strings(deps) if deps else (),
    )
    if len(annotation.tags) != len(offsets):
        raise BrokenRecordError
    if depth is Depth.TREE and not (len(annotation.deps) == len(heads) == len(offsets) and _is_tree(heads)):
        raise BrokenRecordError
    return annotation


# A checksum only proves that a record was not damaged by accident. Whoever reads an annotation relies on what
# follows, which is true of all of them.

_GAPS = frozenset({0, 1})


def _are_words(characters: int, offsets: list[int], lengths: list[int], ends: list[int]) -> bool:
    """Whether words follow each other through the whole text, with at most a space between them."""
    if not offsets or len(offsets) != len(lengths):
        return not (offsets or lengths or characters)
    gaps = {*map(sub, offsets[1:], ends), characters - ends[-1]}
    return offsets[0] == 0 < min(lengths) and gaps <= _GAPS


def _are_chunks(starts: Sequence[int], stops: Sequence[int], offsets: list[int], ends: list[int]) -> bool:
    """Whether chunks begin and end with words, and follow each other."""
    last = 0
    for start, stop in zip(starts, stops, strict=True):
        if not last <= start < stop:
            return False
        last = stop
    return {*offsets}.issuperset(starts) and {*ends}.issuperset(stops)


def _is_tree(heads: list[int]) -> bool:
    """Whether every word leads to a root, which is its own head."""
    if not heads:
        return True
    if min(heads) < 0 or max(heads) >= len(heads):
        return False
    tops = heads
    for _ in range(len(heads).bit_length()):  # each time, twice as many steps
        tops = list(map(tops.__getitem__, tops))
    roots: int = sum(map(eq, heads, count()))
    return len(set(tops)) == roots  # a loop would lead to itself


@lru_cache(maxsize=1 << 14)  # many captions have the same structure
def _strings(joined: str) -> tuple[str, ...]:
    return tuple(map(intern, joined.split(" ")))


def as_kept(text: str, annotation: Annotation) -> Annotation:
    """Return an annotation as decoded from the cache, with words taken from the text itself."""
    if text.isascii():
        return annotation
    places = zip(annotation.offsets, annotation.words, strict=False)
    return annotation._replace(words=tuple([text[at : at + len(word)] for at, word in places]))


SIZE_LIMIT = 4 * 1024**3  # bytes; the least recently used half is deleted when the file is larger
_AT_ONCE = 500  # SQLite allows at least 999 parameters per statement
_TABLE = """
CREATE TABLE IF NOT EXISTS annotation (
    key BLOB PRIMARY KEY,
    record BLOB NOT NULL,
    used INTEGER NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """What `assess doctor --cache` shows."""

    path: Path
    annotations: int
    bytes: int


class AnnotationCache:
    """Annotations by text for one model. An unusable file behaves like an empty one."""

    def __init__(self, model: str, *, path: Path | None = None, size_limit: int = SIZE_LIMIT) -> None:
        self.path = path or cache_path()
        self._size_limit = size_limit
        self._salt = f"{VERSION}\0{model}\0".encode()
        self._today = int(time.time() // 86_400)
        self._connection = _open(self.path)
        self._patience = PATIENCE

    def get(self, texts: Sequence[str], depth: DepthOf = to_the_tree) -> dict[str, Annotation]:
        """Return the stored annotations of texts at the requested depth, if they are deep enough."""
        found: dict[str, Annotation] = {}
        for part in _parts(texts):
            keys = {self._key(text): text for text in part}
            for key, record in self._select(list(keys)):
                # A damaged record is omitted here, and `put` overwrites it.
                with contextlib.suppress(*_BROKEN):
                    text = keys[key]
                    if (annotation := decode(text, record, depth(text))) is not None:
                        found[text] = annotation
        return found

    def put(self, records: Mapping[str, bytes]) -> None:
        """Store encoded annotations. If the cache cannot be written, the run continues."""
        rows = sorted((self._key(text), record, self._today) for text, record in records.items())
        statement = "INSERT OR REPLACE INTO annotation VALUES (?, ?, ?)"
        with contextlib.suppress(sqlite3.Error):
            self._work(lambda: self._connection.executemany(statement, rows))

    def close(self) -> None:
        """Shrink the cache if it exceeds its limit, and close it."""
        with contextlib.suppress(sqlite3.Error, OSError):
            if self.path.exists() and self.path.stat().st_size > self._size_limit:
                _shorten(self._connection)
        self._connection.close()

    def _select(self, keys: list[bytes]) -> list[tuple[bytes, bytes]]:
        marks = ",".join("?" * len(keys))
        statement = f"SELECT key, record, used FROM annotation WHERE key IN ({marks})"  # noqa: S608 - marks
        try:
            rows = self._work(lambda: self._connection.execute(statement, keys).fetchall())
        except sqlite3.Error:
            return []
        if any(used < self._today for _, _, used in rows):
            self._mark_used(keys, marks)
        return [(key, record) for key, record, _ in rows]

    def _mark_used(self, keys: list[bytes], marks: str) -> None:
        statement = f"UPDATE annotation SET used = ? WHERE used < ? AND key IN ({marks})"  # noqa: S608
        with contextlib.suppress(sqlite3.Error):
            self._work(lambda: self._connection.execute(statement, [self._today, self._today, *keys]))

    def _work(self, work: Callable[[], Done]) -> Done:
        """Read or write. If the cache stays locked, wait for it only once."""
        try:
            with self._connection:
                return _patiently(self._connection, self.path, work, self._patience)
        except sqlite3.OperationalError as error:
            if _is_locked(error):
                self._patience = 0
            raise

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._salt + text.encode("utf-8", "surrogatepass")).digest()[:20]


def facts(path: Path | None = None) -> CacheFacts:
    """Return facts about the cache."""
    path = path or cache_path()
    if not path.exists():
        return CacheFacts(path, 0, 0)
    with contextlib.closing(_open(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM annotation").fetchone()
    return CacheFacts(path, count, path.stat().st_size)


def clear(path: Path | None = None) -> None:
    """Remove the cache; raises an error if the file is not a cache of ours."""
    path = path or cache_path()
    if path.exists() and _is_foreign(path):
        raise UsageError(
            "is not a cache of assess, so it is not removed", place=Place(str(path)), hint=ELSEWHERE
        )
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


PATIENCE = 30
"""Seconds to wait for a locked cache, after telling the user."""
_SOON = 2  # seconds to wait without a message
_MAGIC = b"SQLite format 3\0"


def _open(path: Path) -> sqlite3.Connection:
    """Open the cache. A damaged file is set aside; without a private writable place, use memory."""
    try:
        if not _is_ours(path):
            return _connect(":memory:")
        if _is_foreign(path):
            note_once(
                f"{visible(str(path))} is not a cache of assess, so it is not used or changed\n  hint:"
                f" {ELSEWHERE}"
            )
            return _connect(":memory:")
        try:
            return _connect(str(path))
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            path.replace(path.with_name(path.name + ".broken"))
            private_file(path)
            return _connect(str(path))
    except (sqlite3.Error, OSError) as error:
        if not (isinstance(error, sqlite3.OperationalError) and _is_locked(error)):  # that has been told
            note_unusable(path)
        return _connect(":memory:")


def _is_foreign(path: Path) -> bool:
    """Whether a file is not ours: no database, or one with other tables. Our own may be damaged."""
    if not path.is_file():
        return True  # opening a pipe would block
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head.strip(b"\0") and head != _MAGIC:
        return True
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        return False
    return not names <= {"annotation"}


def _is_locked(error: sqlite3.OperationalError) -> bool:
    return "locked" in str(error)


def _patiently(connection: sqlite3.Connection, path: Path | str, work: Callable[[], Done], most: int) -> Done:
    """Run an operation on the cache; if another run has locked it, tell the user and wait."""
    try:
        return work()
    except sqlite3.OperationalError as error:
        if not (_is_locked(error) and most):
            raise
    note_once(f"waiting up to {most} seconds for {visible(str(path))}, which another run has locked")
    connection.execute(f"PRAGMA busy_timeout={most * 1000}")
    try:
        return work()
    finally:
        connection.execute("PRAGMA busy_timeout=0")


def _is_ours(path: Path) -> bool:
    """Whether the cache is a file that only we can write; creates it if it is missing."""
    # SQLite gives its auxiliary files the same mode.
    return private_folder(path.parent) and private_file(path)


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_SOON, check_same_thread=False)
    try:
        _patiently(connection, path, lambda: _prepare(connection), PATIENCE)
        connection.execute(f"PRAGMA busy_timeout={_SOON * 1000}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    # disables side effects of a foreign file's views and triggers
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(_TABLE)
    # Reading only the first page would not detect a truncated file.
    connection.execute("SELECT count(key) FROM (SELECT key FROM annotation LIMIT 1)").fetchone()


def _shorten(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute(
            "DELETE FROM annotation WHERE key IN (SELECT key FROM annotation ORDER BY used, key"
            " LIMIT (SELECT count(*) / 2 FROM annotation))"
        )
    connection.execute("VACUUM")


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), _AT_ONCE):
        yield texts[start : start + _AT_ONCE]
