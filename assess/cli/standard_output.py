"""Standard output whose trouble is told: a reader that went away, a full disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from assess.errors import UsageError

READER_GONE = 141
"""The exit code of a program whose reader went away, as shells count it: 128 + SIGPIPE.

It is no 0: a gate that could not say its result has not passed. It is no 1: nothing has failed.
"""


class StandardOutput:
    """A stream like the one it is given, except that failed writing ends in our own way."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text."""
        with self._told():
            return self._stream.write(text)

    def flush(self) -> None:
        """Write what was kept back."""
        with self._told():
            self._stream.flush()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._silence()
            sys.exit(READER_GONE)
        except OSError as error:
            self._silence()
            raise UsageError(f"standard output cannot be written: {error.strerror}") from None

    def _silence(self) -> None:
        """Let what is still kept back go nowhere, or Python would complain of it at its end."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
