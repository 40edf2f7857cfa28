"""Try all properties with new examples for a while: `make fuzz MINUTES=10`.

What is found is kept in `.hypothesis/` and tried first the next time. Once mended, it becomes an explicit
`@example(...)` of its property, so that every run of `make test` tries it.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time

from tests.properties import FUZZING


def main() -> int:
    """Run rounds of properties, each with its own seed, until the time is over or one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="How long to start new rounds.")
    parser.add_argument(
        "--times", type=int, default=20, help="How many times as many examples as `make test`."
    )
    parser.add_argument("--seed", type=int, help="Run one round, with this seed.")
    parser.add_argument("tests", nargs="*", default=["tests"], help="Files or tests, as pytest takes them.")
    asked = parser.parse_args()
    end = time.monotonic() + asked.minutes * 60
    rounds = 0
    while not rounds or (asked.seed is None and time.monotonic() < end):
        seed = secrets.randbits(32) if asked.seed is None else asked.seed
        rounds += 1
        print(f"round {rounds}, seed {seed}, {asked.times} times as many examples", flush=True)
        command = [sys.executable, "-m", "pytest", "-n", "auto", "-q", "-m", "hypothesis"]
        done = subprocess.run(
            [*command, f"--hypothesis-seed={seed}", *asked.tests],
            env={**os.environ, FUZZING: str(asked.times)},
            check=False,
        )
        if done.returncode:
            print(
                f"To see it again: make fuzz FUZZ='--seed {seed}'. When it is mended, keep it as an @example."
            )
            return done.returncode
    print(f"{rounds} {'round' if rounds == 1 else 'rounds'}, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
