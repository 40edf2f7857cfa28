"""A taxonomy file under edit: read as it is, replaced in one step, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from assess.errors import Place, UsageError
from assess.taxonomy.edit import Addition, add_word, taxonomy_of
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.nodes import read_text

_MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 files with it


class TaxonomyFile:
    """A YAML file to which words are added. It is read anew for every edit, so an editor may be open too."""

    def __init__(self, path: Path) -> None:
        # A link stays a link: what it points to is replaced.
        self.path = path.resolve()
        self._shown = str(path)
        self._done: list[tuple[str, str]] = []  # texts before and after each edit

    def read(self) -> Taxonomy:
        """Return the taxonomy as it is now."""
        return taxonomy_of(self._text(), self._shown)

    def add(self, addition: Addition) -> Taxonomy:
        """Add a word; return the taxonomy with it."""
        before = self._text()
        after = add_word(before, addition, file=self._shown)
        self._replace(after)
        self._done.append((before, after))
        return taxonomy_of(after, self._shown)

    def undo(self) -> bool:
        """Take back the last edit. False if there is none; an error if the file was changed since."""
        if not self._done:
            return False
        before, after = self._done[-1]
        if self._text() != after:
            raise UsageError(
                "the file was changed by something else since the last edit, so it is not taken back",
                place=Place(self._shown),
                hint="remove the word by hand",
            )
        self._replace(before)
        self._done.pop()
        return True

    def _text(self) -> str:
        return read_text(self.path)

    def _replace(self, text: str) -> None:
        """Write beside the file, then put it in its place: a crash leaves the old file or the new one."""
        try:
            mark = _MARK if self.path.read_bytes().startswith(_MARK) else b""
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror}", place=Place(self._shown)) from None
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(mark + text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(self.path.stat().st_mode & 0o7777)
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
