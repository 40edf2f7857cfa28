"""Systems that come in several files: the parts that a folder or a pattern stands for."""

from __future__ import annotations

import glob
from pathlib import Path

from assess.errors import InputError, Place

_SIGNS = "*?["


def is_pattern(path: str) -> bool:
    """Whether a path stands for the files whose names match it; a file of that very name comes first."""
    return any(sign in path for sign in _SIGNS) and not Path(path).exists()


def parts_of(path: str) -> tuple[str, ...]:
    """Return the files of a folder or of a pattern such as `crawl/*.jsonl`, by name; none for a file.

    Names that begin with a dot or an underscore are passed over: they are not data but marks such as
    `_SUCCESS`. Folders in the folder are not looked into.
    """
    if is_pattern(path):
        # Not Path.glob: that wants a folder and a pattern below it, and a pattern may be absolute.
        found, missing = [Path(name) for name in glob.glob(path)], "no file matches this pattern"  # noqa: PTH207
    elif Path(path).is_dir():
        found, missing = list(Path(path).iterdir()), "this folder has no files"
    else:
        return ()
    files = sorted(str(each) for each in found if each.is_file() and each.name[0] not in "._")
    if not files:
        hint = "names that begin with a dot or an underscore are passed over"
        raise InputError(missing, place=Place(path), hint=hint)
    return tuple(files)
