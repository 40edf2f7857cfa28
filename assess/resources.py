"""Files that come with the package: taxonomies, grammars and the example."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped_folder(name: str) -> Path:
    """Return a shipped folder: inside the installed package, or beside it in a checkout."""
    installed = _PACKAGE / "_shipped" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def shipped_files(folder: str, pattern: str) -> list[Path]:
    """Return the files of a shipped folder, sorted by name."""
    return sorted(shipped_folder(folder).glob(pattern))
