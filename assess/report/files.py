"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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
def whole_file(path: Path) -> Iterator[IO[str]]:
    """Open a text file for writing; it appears under its name only once it is complete."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", place=Place(str(path))) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
        # mkstemp makes files that only their owner can read; results are meant to be shared.
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with whole_file(path) as file:
        file.write(text)
