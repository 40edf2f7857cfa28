"""Objects on disk that can be worked out again: each in a file named after all that it depends on.

A file begins with a checksum, and whatever is broken, foreign or unreadable is as good as none. Pickles can
name any code to run, so a cache loads only classes of the rooms that it was told, and a few plain containers.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assess.resources import cache_path

_DIGEST = hashlib.sha256().digest_size


class DiskCache:
    """Files of one kind, beside the cache of annotations. The oldest make room for new ones."""

    def __init__(self, name: str, *, rooms: Sequence[str], most: int, largest: int = 1 << 26) -> None:
        self.name = name
        self._rooms = frozenset(rooms)
        self._most = most
        self._largest = largest  # bytes of one object

    @property
    def folder(self) -> Path:
        """Where the files are: a folder that shows which cache it belongs to."""
        path = cache_path()
        return path.with_name(f"{path.stem}-{self.name}")

    def take(self, parts: Sequence[str]) -> Any | None:
        """Return the object that depends on just these parts, if it is here and whole."""
        try:
            data = self._path(parts).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        try:
            return _Unpickler(data[_DIGEST:], self._rooms).load()
        except Exception:  # a broken pickle may raise anything; then the object is made anew
            return None

    def put(self, parts: Sequence[str], item: object) -> None:
        """Keep an object. A place that cannot be written costs time, not results."""
        data = pickle.dumps(item, protocol=5)
        if len(data) > self._largest:
            return
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(data).digest() + data)
            Path(name).replace(self._path(parts))
            for old in self._files()[: -self._most]:
                old.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove what is kept."""
        for path in self._files():
            path.unlink(missing_ok=True)

    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(path.stat().st_size for path in self._files())

    def _path(self, parts: Sequence[str]) -> Path:
        # Lengths go in too, so that no two lists of parts look the same.
        listed = "".join(f"{len(part)}:{part}" for part in (sys.version, *parts))
        return (
            self.folder / f"{hashlib.sha256(listed.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.kept"
        )

    def _files(self) -> list[Path]:
        found = []
        for path in self.folder.glob("*.kept"):
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime, path))
        return [path for _, path in sorted(found)]


class _Unpickler(pickle.Unpickler):
    """Loads classes of our own rooms, and nothing that could do harm."""

    _ADMITTED = frozenset(
        {
            ("array", "_array_reconstructor"),
            ("array", "array"),
            ("builtins", "frozenset"),
            ("builtins", "set"),
            ("collections", "Counter"),
            ("re", "_compile"),
        }
    )

    def __init__(self, data: bytes, rooms: frozenset[str]) -> None:
        super().__init__(io.BytesIO(data))
        self._rooms = rooms

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that belongs to what is kept."""
        package, _, rest = module.partition(".")
        if package == "assess" and rest.partition(".")[0] in self._rooms and "." not in name:
            found = getattr(sys.modules.get(module), name, None)
            if isinstance(found, type):
                return found
        if (module, name) in self._ADMITTED:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} has no place here")
