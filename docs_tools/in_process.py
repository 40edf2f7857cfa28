"""Running our command line in this process, which loads the model only once and saves minutes."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import sys
from pathlib import Path
from typing import TextIO
from unittest import mock

from assess.cli.main import run

WITHOUT_WORDNET = {"WNSEARCHDIR": os.devnull}
"""For outputs that are compared: WordNet is evidence for suggestions that not every machine has."""


def run_here(
    arguments: list[str],
    *,
    stdout: TextIO,
    stderr: TextIO,
    stdin: bytes = b"",
    folder: Path | None = None,
    columns: int = 80,
) -> int:
    """Run a command with output as in a pipe, without colour, and return its exit code."""
    threshold = gc.get_threshold()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        with (
            mock.patch.dict(os.environ, {"COLUMNS": str(columns), "NO_COLOR": "1"}),
            mock.patch.object(sys, "argv", ["assess", *arguments]),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            contextlib.chdir(folder or Path.cwd()),
        ):
            run()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        gc.set_threshold(*threshold)
    return 0
