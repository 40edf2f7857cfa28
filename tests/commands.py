"""Running commands like a user would, and what they leave behind."""

from __future__ import annotations

import io
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs_tools.in_process import run_here

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "captions"
NASTY = [
    "a man [/bold] in a red shirt [link=x]",
    "[/EN#1/people Two men] on a bench",
    "\x1b[31ma woman\x1b[0m with a dog",
    "a happy boy 👩‍👩‍👧 with a kite",
    "رجل عجوز and an old man \u202e reversed",
    "a man " + "very " * 2_000 + "tired",
    "a girl\x00with a NUL",
    "",
    "   ",
]
"""Captions that try to escape from every context in which they are shown."""


def heed_signals() -> None:
    """Make a new process react to signals even if its parents ignore them, as background jobs do."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@dataclass(frozen=True)
class Done:
    """The result of a command."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.code == 0, self.stderr
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        return found


def write_records(path: Path, *records: object) -> Path:
    """Write records as JSON, one per line."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_captions(path: Path, texts: Iterable[str], images: Iterable[object] | None = None) -> Path:
    """Write captions, one per line; by default, image ids are numbers from 1."""
    pairs = zip(itertools.count(1) if images is None else images, texts, strict=images is not None)
    return write_records(path, *({"image_id": image, "caption": text} for image, text in pairs))


def assess(*arguments: object, stdin: str = "", columns: int = 80) -> Done:
    """Run a command in this process, with output as in a pipe."""
    # Bytes, as in a pipe, so that text that cannot be encoded as UTF-8 does not go unnoticed.
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = run_here(
        [str(argument) for argument in arguments],
        stdout=out,
        stderr=err,
        stdin=stdin.encode(),
        columns=columns,
    )
    return Done(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def assess_process(*arguments: object, stdin: str = "", columns: int = 80) -> Done:
    """Run a command in a process of its own, for tests of how a process starts or ends."""
    done = subprocess.run(
        [sys.executable, "-m", "assess", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1", "PYTHONWARNINGS": "error"},
        timeout=600,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def small_disk(size: int = 1 << 16) -> Iterator[None]:
    """Refuse to write more than `size` bytes to a file, like a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
