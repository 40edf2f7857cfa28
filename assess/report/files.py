"""Writing files whole or not at all."""

from __future__ import annotations

import io
import json
import math
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from assess.errors import Place, UsageError


def make_folder(folder: Path) -> None:
    """Make a folder for output."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make this folder: {error.strerror}",
            place=Place(str(folder)),
            hint="choose another --out",
        ) from None


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to write files to; they move to `folder` together, once all of them are complete.

    Where that fails, `folder` is as it was before, be it that it was not there.
    """
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    make_folder(folder)
    try:
        try:
            unfinished = Path(tempfile.mkdtemp(dir=folder, prefix=".unfinished."))
        except OSError as error:
            raise _unwritable(folder, error) from None
        try:
            yield unfinished
            for file in sorted(unfinished.iterdir()):
                file.replace(folder / file.name)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except BaseException:
        for parent in made:
            with suppress(OSError):  # somebody else may have put a file there meanwhile
                parent.rmdir()
        raise


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with io.BufferedWriter(_File(handle, path)) as file:
            yield file
        # mkstemp makes files that only their owner can read; results are meant to be shared.
        Path(name).chmod(0o644)
        _replace(Path(name), path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """Open a text file for writing; it appears under its name only once it is complete."""
    with _whole(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="\n") as text:
        yield text


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all."""
    with _whole(path) as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8"))


class _File(io.FileIO):
    """A file whose trouble, such as a full disk, is an error that names it.

    Told here, because whoever writes a file also does other things that can fail.
    """

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "w")
        self._path = path

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError as error:
            raise _unwritable(self._path, error) from None


def _replace(unfinished: Path, path: Path) -> None:
    try:
        unfinished.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot be written: {error.strerror}", place=Place(str(path)))


# Results as JSON text, which has no word for what is undefined or infinite.


def dump(value: Any) -> str:
    """Return JSON text: keys as given, nothing undefined, the same bytes for the same value."""
    return json.dumps(_defined(value), ensure_ascii=False, indent=2, allow_nan=False)


def _defined(value: Any) -> Any:
    """Replace what JSON cannot say: undefined numbers become null, infinite ones a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, dict):
        return {key: _defined(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_defined(item) for item in value]
    return value
