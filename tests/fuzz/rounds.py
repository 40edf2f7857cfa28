"""Try all properties with new examples for a while.

What is found is kept in `.hypothesis/` and tried first the next time. Once mended, it becomes an explicit
`@example(...)` of its property, so that every run of `make test` tries it.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time

from tests.properties import FUZZING


def run_rounds(minutes: float, *, times: int, seed: int | None, tests: list[str]) -> int:
    """Run rounds of properties, each with its own seed, until the time is over or one fails."""
    end = time.monotonic() + minutes * 60
    rounds = 0
    while not rounds or (seed is None and time.monotonic() < end):
        this = secrets.randbits(32) if seed is None else seed
        rounds += 1
        print(f"round {rounds}, seed {this}, {times} times as many examples", flush=True)
        command = [sys.executable, "-m", "pytest", "-n", "auto", "-q", "-m", "hypothesis"]
        done = subprocess.run(
            [*command, f"--hypothesis-seed={this}", *tests],
            env={**os.environ, FUZZING: str(times)},
            check=False,
        )
        if done.returncode:
            print(
                f"To see it again: make fuzz FUZZ='--seed {this}'. When it is mended, keep it as an @example."
            )
            return done.returncode
    print(f"{rounds} {'round' if rounds == 1 else 'rounds'}, nothing found")
    return 0
