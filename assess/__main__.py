"""The start of the command `assess`, which is the same as `python -m assess`."""

from __future__ import annotations

import os
import signal
from types import FrameType


def run() -> None:
    """Load the command line and run it. An interruption in the meantime ends it without a traceback."""
    # Loading takes a third of a second. Nothing is open or unfinished yet, so there is nothing to remove.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from assess.cli.main import run

    run()


def _leave(number: int, _frame: FrameType | None) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    run()
