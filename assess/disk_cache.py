"""Files that come with the package, and objects on disk that can be recomputed.

The name of each file is derived from everything that its object depends on. Files contain plain data and
never refer to code: the caller states what they may contain, and data are validated against that. Files that
are damaged, foreign, too large or of another version are ignored.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import json
import os
import re
import shlex
import stat
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, cast

from pydantic import BaseModel, PlainValidator, TypeAdapter
from pydantic_core import from_json

from assess.errors import visible

_PACKAGE = Path(__file__).resolve().parent
_ANNOTATIONS = "annotations.sqlite"
Item = TypeVar("Item")
Shape = TypeVar("Shape")

VERSION = 1
"""Version of the file format: increased when older files can no longer be read."""

_MAGIC = b"assess cache %d\n" % VERSION
_DIGEST = hashlib.sha256().digest_size
_HEAD = len(_MAGIC) + _DIGEST
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
ELSEWHERE = "set ASSESS_CACHE to a file in a folder of your own"


@dataclasses.dataclass(frozen=True)
class Codec(Generic[Item, Shape]):
    """How objects of one kind become plain data, and back.

    Data are texts, numbers, lists, sets of texts and mappings, or records (dataclasses and models) of these.
    """

    shape: Any  # the type of the data
    # for objects that are plain data already
    to_data: Callable[[Item], Shape] = lambda item: cast(Shape, item)
    from_data: Callable[[Shape], Item] = lambda data: cast(Item, data)

    def encode(self, item: Item) -> bytes:
        """Return an object as JSON."""
        return json.dumps(self.to_data(item), default=_fields, separators=(",", ":")).encode("ascii")

    def decode(self, data: bytes) -> Item:
        """Return an object from JSON; raises errors of pydantic or `from_data`."""
        # Texts hardly repeat, so caching strings would cost a third of the time.
        plain = from_json(data, cache_strings="none")
        return self.from_data(self._adapter.validate_python(plain))

    @cached_property
    def _adapter(self) -> TypeAdapter[Shape]:
        return TypeAdapter(self.shape)


def _fields(record: object) -> dict[str, Any] | list[Any] | str:
    """Return the fields of a record, including those that a model omits from its JSON."""
    if isinstance(record, array):
        return packed(record)
    if isinstance(record, set):
        return sorted(record)
    if isinstance(record, BaseModel):
        return {**record.__dict__, **(record.model_extra or {})}
    if dataclasses.is_dataclass(record):
        return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    raise TypeError(f"{type(record).__name__} is not plain data")


def packed(numbers: array[int]) -> str:
    """Return numbers as a short text; type and byte order must be known for unpacking."""
    return base64.b64encode(numbers).decode("ascii")


def unpacked(typecode: str, text: str) -> array[int]:
    """Return numbers from a text."""
    numbers = array(typecode)
    numbers.frombytes(base64.b64decode(text, validate=True))
    return numbers


# Columns of large or small numbers in a record, which are stored as a short text.
if TYPE_CHECKING:
    PackedNumbers = array[int]
    PackedBytes = array[int]
    PackedHashes = array[int]
else:  # before Python 3.12, arrays cannot be subscripted at run time
    PackedNumbers = Annotated[array, PlainValidator(partial(unpacked, "I"))]
    PackedBytes = Annotated[array, PlainValidator(partial(unpacked, "B"))]
    PackedHashes = Annotated[array, PlainValidator(partial(unpacked, "Q"))]


class DiskCache:
    """Files of one kind next to the annotation cache. The oldest are deleted to make room for new ones."""

    def __init__(self, name: str, *, most: int, largest: int = 1 << 26) -> None:
        self.name = name
        self._most = most
        self._largest = largest  # maximum size of an object in bytes

    @property
    def folder(self) -> Path:
        """The folder of the files, whose name shows which cache it belongs to."""
        path = cache_path()
        return path.with_name(f"{path.stem}-{self.name}")

    def take(self, parts: Sequence[str], codec: Codec[Item, Any]) -> Item | None:
        """Return the object that depends on exactly these parts, if it is stored and intact."""
        data = self._read(parts)
        if data is None:
            return None
        try:
            return codec.decode(data)
        # the object is then recomputed
        except (ValueError, TypeError, LookupError, RecursionError, re.error):
            return None

    def put(self, parts: Sequence[str], item: Item, codec: Codec[Item, Any]) -> None:
        """Store an object. If the folder cannot be written, results are the same but slower."""
        try:
            data = codec.encode(item)
        except ValueError:  # a number with thousands of digits, from a grammar with as many symbols
            return
        if len(data) > self._largest:
            return
        with noted():
            if not all(map(private_folder, self._folders)):
                return
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")  # only accessible to its owner
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(data).digest() + data)
            Path(name).replace(self._path(parts))
            for old in self._files()[: -self._most]:
                old.unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete the stored objects."""
        for path in self._files():
            path.unlink(missing_ok=True)

    def size(self) -> int:
        """Return the total size of all files in bytes."""
        return sum(path.stat().st_size for path in self._files())

    def _read(self, parts: Sequence[str]) -> bytes | None:
        """Return the data of an intact file."""
        path = self._path(parts)
        try:
            if not all(map(is_private, (*self._folders, path))):
                return None
            with path.open("rb") as file:
                content = file.read(_HEAD + self._largest + 1)
        except FileNotFoundError:  # nothing is stored yet
            return None
        except OSError:
            note_unusable()
            return None
        if len(content) > _HEAD + self._largest or not content.startswith(_MAGIC):
            return None
        data = content[_HEAD:]
        return data if hashlib.sha256(data).digest() == content[len(_MAGIC) : _HEAD] else None

    @property
    def _folders(self) -> tuple[Path, Path]:
        # The parent folder as well: users with write access to it could replace the folder.
        return self.folder.parent, self.folder

    def _path(self, parts: Sequence[str]) -> Path:
        # Lengths are included, so that different lists of parts cannot look the same.
        listed = "".join(f"{len(part)}:{part}" for part in (sys.version, sys.byteorder, *parts))
        return (
            self.folder / f"{hashlib.sha256(listed.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.kept"
        )

    def _files(self) -> list[Path]:
        found = []
        for path in self.folder.glob("*.kept"):
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime, path))
        return [path for _, path in sorted(found)]


# Locations of files, and the code that stored objects depend on.


def shipped_folder(name: str) -> Path:
    """Return a shipped folder: inside the installed package, or next to it in a checkout."""
    installed = _PACKAGE / "_shipped" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def shipped_files(folder: str, pattern: str) -> list[Path]:
    """Return the files of a shipped folder, sorted by name."""
    return sorted(shipped_folder(folder).glob(pattern))


def cache_path() -> Path:
    """Return the path of the annotation cache: $ASSESS_CACHE, or a file in the user's cache folder."""
    named = os.environ.get("ASSESS_CACHE")
    if named:
        path = with_home(named).absolute()
        # Unlike Path.is_dir, this is no error in a folder that cannot be read.
        return path / _ANNOTATIONS if os.path.isdir(path) else path  # noqa: PTH112
    return with_home(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "assess" / _ANNOTATIONS


def with_home(path: str) -> Path:
    """Return a path with `~` replaced by the home folder; without one, it leads nowhere.

    Users without a home are usual in containers: a number that nobody has given a name.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(os.devnull) / path


READING_CODE = ("*.py", *(f"{room}/*.py" for room in ("corpus", "taxonomy", "grammar", "annotate", "engine")))
"""All code that determines what captions say; results of a measure also depend on its own code."""


@cache
def code_digest(*patterns: str) -> str:
    """Return a hash of some of our code, so that objects created by other code are never used."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for module in sorted(_PACKAGE.glob(pattern)):
            digest.update(module.read_bytes())
    return digest.hexdigest()[:16]


# Private files: files that other users could change are not trusted.


def private_folder(folder: Path) -> bool:
    """Create a private folder if it is missing, and return whether only its owner can write to it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return is_private(folder)


def private_file(path: Path) -> bool:
    """Create a private file if it is missing, and return whether only its owner can write to it."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    return is_private(path)


def is_private(path: Path) -> bool:
    """Whether only its owner can write to a file or folder; otherwise warns once. Raises OSError."""
    found = path.stat()
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        _note_untrusted(path, "is not a file", ELSEWHERE)  # opening a pipe would block
        return False
    if not hasattr(os, "getuid"):
        return True  # Windows, where a user's folders are private
    if found.st_uid != os.getuid():
        _note_untrusted(path, "belongs to somebody else", ELSEWHERE)
        return False
    if found.st_mode & _OTHERS_WRITE:
        # Folders such as /tmp are shared on purpose and must stay so.
        shared = found.st_mode & stat.S_ISVTX
        hint = ELSEWHERE if shared else f"chmod go-w {shlex.quote(str(path))}"
        _note_untrusted(path, "can be written by others", hint)
        return False
    return True


def _note_untrusted(path: Path, why: str, hint: str) -> None:
    note_once(f"{visible(str(path))} {why}: the cache is not used\n  hint: {visible(hint)}")


def note_unusable(path: Path | None = None) -> None:
    """Tell the user once that the cache cannot be read or written, because of its rights or its name."""
    note_once(
        f"{visible(str(path or cache_path()))} cannot be used as a cache: results are the same, but slower\n"
        f"  hint: {ELSEWHERE}"
    )


@contextlib.contextmanager
def noted() -> Iterator[None]:
    """Continue after an error of the file system, and tell the user about it once."""
    try:
        yield
    except FileNotFoundError:
        return  # another process is clearing the cache
    except OSError:
        note_unusable()


@cache
def note_once(note: str) -> None:
    """Log a note about a cache once; by default, it is shown on standard error."""
    import logging  # imported here because it is rarely needed

    logging.getLogger("assess").warning("%s", f"note: {note}")
