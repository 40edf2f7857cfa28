"""Files that only their owner writes: what others could change is not read back as our own."""

from __future__ import annotations

import os
import shlex
import stat
from functools import cache
from pathlib import Path

from assess.errors import visible

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
ELSEWHERE = "set ASSESS_CACHE to a file in a folder of your own"


def private_folder(folder: Path) -> bool:
    """Make a folder for its owner alone, unless it is there, and return whether nobody else writes it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return is_private(folder)


def private_file(path: Path) -> bool:
    """Make a file for its owner alone, unless it is there, and return whether nobody else writes it."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    return is_private(path)


def is_private(path: Path) -> bool:
    """Whether nobody else writes a file or folder; if somebody may, it is told once. Raises OSError."""
    if not hasattr(os, "getuid"):
        return True  # Windows, where a user's folders are the user's own
    found = path.stat()
    if found.st_uid != os.getuid():
        _tell(path, "belongs to somebody else", ELSEWHERE)
        return False
    if found.st_mode & _OTHERS_WRITE:
        # A folder such as /tmp is shared on purpose, and must stay so.
        shared = found.st_mode & stat.S_ISVTX
        hint = ELSEWHERE if shared else f"chmod go-w {shlex.quote(str(path))}"
        _tell(path, "can be written by others", hint)
        return False
    return True


def _tell(path: Path, why: str, hint: str) -> None:
    tell_once(f"{visible(str(path))} {why}: nothing is kept or read there\n  hint: {visible(hint)}")


@cache
def tell_once(note: str) -> None:
    """Say something about a cache, once, to whoever listens; unless told otherwise, on standard error."""
    import logging  # here and not above: hardly anybody needs it

    logging.getLogger("assess").warning("%s", f"note: {note}")
