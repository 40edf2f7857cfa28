"""Files that appear whole or not at all, and those of one folder together, however a run ends.

What is being written has a name of its own and is locked by its writer, so that the next run can tell what a
killed one left behind, and removes it. Files of a folder that is there already go into place in two steps:
one rename says that all of them are complete, then each takes its place. Whoever comes after a kill between
the two finishes the second step, so that nobody ever reads some files of one run and some of another.
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

if sys.platform != "win32":  # there nothing is locked, and what was left behind stays
    import fcntl

_UNFINISHED = re.compile(r"\.assess-[0-9a-f]{16}\.unfinished")
FINISHED = ".assess-finished"
"""A folder whose files are complete, and not yet all in their places."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_LONE = "backslashreplace"  # half of a surrogate pair, which is no character, escaped as JSON has it


class TextFile(Protocol):
    """A file that takes text."""

    def write(self, text: str, /) -> object:
        """Write text."""


def make_folder(folder: Path) -> None:
    """Make a folder for output."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot create this folder: {error.strerror}",
            place=Place(str(folder)),
            hint="choose another --out",
        ) from None


def check_file(path: Path) -> None:
    """Raise an error, before any work, where something that is no file has the name of one to write."""
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "no file"
        raise UsageError(
            f"cannot be written: this is {what}", place=Place(str(path)), hint="choose another name"
        )


@contextmanager
def whole_folder(folder: Path, names: Sequence[str] = ()) -> Iterator[Path]:
    """Give a folder to write files to; they move to `folder` together, once all of them are complete.

    Where that fails, `folder` is as it was before, be it that it was not there. Other files in it stay.
    `names` are those that will be written, so that what is in their way is told before any work.
    """
    for name in names:
        check_file(folder / name)
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    # Beside a folder that is not there, so that it appears with its files; otherwise inside, because
    # another folder in its place would not be the one that others have mounted, or work in.
    home = folder if folder.exists() else folder.parent
    make_folder(home)
    try:
        with _named(folder):
            finish_folder(folder)
            unfinished, handle = _begin(home, _new_folder)
        try:
            yield unfinished
            with _named(folder):
                _put_in_place(unfinished, folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
            os.close(handle)
    except BaseException:
        for parent in made:
            with suppress(OSError):  # somebody else may have put a file there meanwhile
                parent.rmdir()
        raise


def finish_folder(folder: Path) -> None:
    """Put files into place that a killed run had completed; whoever else does the same is welcome."""
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
    finish_folder(folder)  # of a run that was quicker
    unfinished.rename(folder / FINISHED)
    _sync(folder)
    finish_folder(folder)


@contextmanager
def _whole(path: Path, *, mode: int | None = None) -> Iterator[IO[bytes]]:
    check_file(path)
    with _named(path):
        unfinished, handle = _begin(path.parent, _new_file)
    try:
        # The file stays open, and so locked, until it is in its place.
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
    """Open a text file for writing; it appears under its name only once it is complete."""
    with _whole(path) as file:
        yield _Text(file)


def write_whole(path: Path, content: str | bytes, *, mode: int | None = None) -> None:
    """Write a file, whole or not at all. Who may read it is up to the umask, unless a mode is given."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", _LONE)
    with _whole(path, mode=mode) as file:
        file.write(data)


class _Text:
    """Text into a file of bytes; a wrapper of Python's own would close that file too early."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, text: str, /) -> int:
        return self._file.write(text.encode("utf-8", _LONE))


class _File(io.FileIO):
    """A file whose trouble, such as a full disk, is an error that names it.

    Told here, because whoever writes a file also does other things that can fail.
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
        raise UsageError(f"cannot be written: {error.strerror}", place=Place(str(path))) from None


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if sys.platform == "win32" and path.is_dir():
        return  # it opens no folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let one at a time change the files of a folder, among those who ask; where there are no locks, all."""
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


# What is being written, and what was left behind.


def _begin(folder: Path, make: Callable[[Path], int]) -> tuple[Path, int]:
    """Make something unfinished in a folder, locked; and remove what killed runs left there."""
    _remove_leftovers(folder)
    while True:
        path = folder / f".assess-{secrets.token_hex(8)}.unfinished"
        handle = make(path)
        with suppress(OSError):  # some network disks have no locks, and then nobody removes anything
            if sys.platform != "win32":
                fcntl.flock(handle, fcntl.LOCK_EX)
        if path.exists():
            return path, handle
        os.close(handle)  # another run took it for a leftover, before it was locked


def _new_file(path: Path) -> int:
    # Made this way and not by `tempfile`, files and folders follow the umask, and the rules of their folder.
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)


def _new_folder(path: Path) -> int:
    path.mkdir()
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:  # another run took it for a leftover; or Windows, which opens no folders
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
