"""Files that come with the package, and where it keeps what it need not work out again."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_ANNOTATIONS = "annotations.sqlite"


def shipped_folder(name: str) -> Path:
    """Return a shipped folder: inside the installed package, or beside it in a checkout."""
    installed = _PACKAGE / "_shipped" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def shipped_files(folder: str, pattern: str) -> list[Path]:
    """Return the files of a shipped folder, sorted by name."""
    return sorted(shipped_folder(folder).glob(pattern))


def cache_path() -> Path:
    """Return where annotations are kept: $ASSESS_CACHE, or a file in the user's cache folder."""
    named = os.environ.get("ASSESS_CACHE")
    if named:
        path = Path(named).expanduser().absolute()
        return path / _ANNOTATIONS if path.is_dir() else path
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "assess" / _ANNOTATIONS


@cache
def code_digest(*patterns: str) -> str:
    """Return a hash of some of our own code: what was made by other code is never taken for its own."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for module in sorted(_PACKAGE.glob(pattern)):
            digest.update(module.read_bytes())
    return digest.hexdigest()[:16]
