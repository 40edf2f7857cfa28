"""Files that appear complete or not at all, and the files of a folder together, no matter how a run ends.

Unfinished files have a separate name and are locked by their writer, so that the next run can recognise and
remove what a killed run left behind. Files in an existing folder are put into place in two steps: one rename
marks all of them as complete, and then each is moved. If a run is killed between the two steps, the next one
completes the second step, so that nobody ever reads files of different runs.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

from assess.errors import Place, UsageError

if sys.platform != "win32":  # no locks there, so leftovers are not removed
    import fcntl

_UNFINISHED = re.compile(r"\.assess-[0-9a-f]{16}\.unfinished")
FINISHED = ".assess-finished"
"""A folder whose files are complete, but not all in place yet."""
_wanted: dict[Path, Path] = {}  # unfinished folders of this process, and the folders that they will become
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_LONE = "backslashreplace"  # lone surrogates, which are not characters, are escaped as in JSON


class TextFile(Protocol):
    """A file that accepts text."""

    def write(self, text: str, /) -> object:
        """Write text."""


def make_folder(folder: Path) -> None:
    """Create a folder for output."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        file = isinstance(error, FileExistsError | NotADirectoryError)
        raise UsageError(
            "this is a file, not a folder" if file else f"cannot create this folder: {error.strerror}",
            place=Place(str(folder)),
            hint="choose another folder",
        ) from None


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Create a folder for output; if writing to it fails, the folders that are new and empty are removed."""
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    make_folder(folder)
    try:
        yield
    except BaseException:
        for parent in made:
            with suppress(OSError):  # another program may have created a file there meanwhile
                parent.rmdir()
        raise


def check_file(path: Path) -> None:
    """Raise an error, before any work is done, if the path of an output file is not a regular file."""
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe or a device"
        raise UsageError(
            f"cannot be written: this is {what}, not a file",
            place=Place(str(path)),
            hint="choose another name",
        )


@contextmanager
def whole_folder(folder: Path, names: Sequence[str] = ()) -> Iterator[Path]:
    """Provide a folder to write files to; they are moved to `folder` together when all are complete.

    If that fails, `folder` is unchanged, or remains missing. Other files in it are kept. `names` are the
    files that will be written, so that obstacles are reported before any work is done.
    """
    for name in names:
        check_file(folder / name)
    # Next to a missing folder, so that it appears with its files. Inside an existing one, because replacing
    # the folder would break mounts and the working directories of others.
    home = folder if folder.exists() else folder.parent
    with made_folder(home):
        with _named(folder):
            finish_folder(folder)
            unfinished, handle = _begin(home, _new_folder)
        _wanted[unfinished] = folder
        try:
            yield unfinished
            with _named(folder):
                _put_in_place(unfinished, folder)
        finally:
            del _wanted[unfinished]
            shutil.rmtree(unfinished, ignore_errors=True)
            os.close(handle)


def finish_folder(folder: Path) -> None:
    """Move files into place that a killed run had completed; several processes may do this at once."""
    finished = folder / FINISHED
    try:
        files = sorted(finished.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for file in files:
        with suppress(FileNotFoundError):
            file.replace(folder / file.name)
    _sync(folder)
    with suppress(OSError):
        finished.rmdir()


def _put_in_place(unfinished: Path, folder: Path) -> None:
    for file in unfinished.iterdir():
        _sync(file)
    _sync(unfinished)
    if not folder.exists():
        unfinished.rename(folder)
        _sync(folder.parent)
        return
    finish_folder(folder)  # from a run that was faster
    unfinished.rename(folder / FINISHED)
    _sync(folder)
    finish_folder(folder)


@contextmanager
def _whole(path: Path, *, mode: int | None = None) -> Iterator[IO[bytes]]:
    check_file(path)
    with _named(path):
        unfinished, handle = _begin(path.parent, _new_file)
    try:
        # The file stays open, and therefore locked, until it is in place.
        with io.BufferedWriter(_File(handle, path)) as file:
            yield file
            file.flush()
            with _named(path):
                if mode is not None:
                    unfinished.chmod(mode)
                os.fsync(handle)
                unfinished.replace(path)
                _sync(path.parent)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


@contextmanager
def whole_file(path: Path) -> Iterator[TextFile]:
    """Open a text file for writing; it appears under its name only when it is complete."""
    with _whole(path) as file:
        yield _Text(file)


def write_whole(path: Path, content: str | bytes, *, mode: int | None = None) -> None:
    """Write a file completely or not at all. Its permissions follow the umask, unless a mode is given."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", _LONE)
    with _whole(path, mode=mode) as file:
        file.write(data)


class _Text:
    """Writes text to a binary file; Python's own wrapper would close that file too early."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, text: str, /) -> int:
        return self._file.write(text.encode("utf-8", _LONE))


class _File(io.FileIO):
    """A file whose errors, such as a full disk, name it.

    They are converted here, because code that writes a file also does other things that can fail.
    """

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "w")
        self._path = path

    def write(self, data: Any) -> int:
        with _named(self._path):
            return os.write(self.fileno(), data)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", place=Place(str(_seen(path)))) from None


def _seen(path: Path) -> Path:
    """Return the path that a file will have once the unfinished folder around it is in place."""
    wanted = _wanted.get(path.parent)
    return path if wanted is None else wanted / path.name


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if sys.platform == "win32" and path.is_dir():
        return  # folders cannot be opened there
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Run one process at a time, among callers of this function; without locks, all run."""
    if sys.platform == "win32":
        yield
        return
    with _named(folder):
        handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network disks have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


# Unfinished files, and leftovers.


def _begin(folder: Path, make: Callable[[Path], int]) -> tuple[Path, int]:
    """Create something unfinished and locked in a folder, and remove leftovers of killed runs."""
    _remove_leftovers(folder)
    while True:
        path = folder / f".assess-{secrets.token_hex(8)}.unfinished"
        handle = make(path)
        with suppress(OSError):  # some network disks have no locks; leftovers are not removed there
            if sys.platform != "win32":
                fcntl.flock(handle, fcntl.LOCK_EX)
        if path.exists():
            return path, handle
        os.close(handle)  # another run removed it as a leftover before it was locked


def _new_file(path: Path) -> int:
    # Not created with `tempfile`, so that permissions follow the umask and the rules of the folder.
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)


def _new_folder(path: Path) -> int:
    path.mkdir()
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:  # another run removed it as a leftover; or Windows, where folders cannot be opened
        return os.open(os.devnull, os.O_RDONLY)


def _remove_leftovers(folder: Path) -> None:
    with suppress(OSError):
        for path in [path for path in folder.iterdir() if _UNFINISHED.fullmatch(path.name)]:
            with suppress(OSError):
                _remove_unlocked(path)


def _remove_unlocked(path: Path) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY | _NO_LINK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(handle)
