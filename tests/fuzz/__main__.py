"""`make fuzz`: mutated inputs for a minute, then rounds of properties with new examples.

Every mutated input has a number. `--seed S --inputs N` tries the same ones again, and what was found names
the number that shows it alone: `--seed S --only NUMBER`.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import secrets
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from assess.errors import AssessError
from tests.fuzz.inputs import Target, make_inputs, targets
from tests.fuzz.rounds import run_rounds

MOST_SECONDS = 30
MOST_MEMORY = 2_000_000  # kilobytes
CLEAN = (None, 0, 1, 2)
"""Exit codes of a command that said what there is to say."""


class TooSlowError(BaseException):
    """An input took too long. Nobody on the way may catch it."""


@dataclass
class Fuzzer:
    """Puts mistakes into valid inputs and reads them; what ends otherwise than it should is a find."""

    seed: int
    valid: Path  # a folder with valid inputs
    targets: list[Target]
    tried: Counter[str] = field(default_factory=Counter)
    finds: dict[str, list[str]] = field(default_factory=dict)  # what went wrong -> the inputs

    def try_input(self, number: int) -> None:
        """Try the input of a number, whatever was tried before."""
        random = Random(f"{self.seed} {number}")
        target = random.choice(self.targets)
        self.tried[target.name] += 1
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            self._write(target, random, folder)
            read = random.choice(target.reads)
            found = _trouble(lambda: read(folder))
            if found is not None:
                if found not in self.finds:
                    print(f"find {len(self.finds) + 1}: {found}, {target.name}, input {number}", flush=True)
                self.finds.setdefault(found, []).append(f"{target.name} (--seed {self.seed} --only {number})")

    def _write(self, target: Target, random: Random, folder: Path) -> None:
        for name in target.beside:
            if (self.valid / name).is_dir():
                shutil.copytree(self.valid / name, folder / name)
            else:
                shutil.copy(self.valid / name, folder / name)
        if target.make is not None and (not target.mutators or random.random() < 0.5):
            data = target.make(random)
        else:
            data = (self.valid / target.file).read_bytes()
            for _ in range(random.choice((1, 1, 1, 2, 3))):
                data = random.choice(target.mutators)(random, data)
        path = folder / target.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if target.settle is not None:
            target.settle(folder)


def _trouble(read: object) -> str | None:
    """Return what is wrong with how an input was read; None where all is well."""
    assert callable(read)
    before = _peak()
    try:
        with _alarm():
            code = read()
    except AssessError:
        code = None
    except TooSlowError as error:
        return f"took over {MOST_SECONDS} s, {_where(error)}"
    except Exception as error:
        return f"{type(error).__name__}: {_where(error)}"
    if isinstance(code, int) and code not in CLEAN:
        return f"exit code {code}"
    if _peak() > max(before, MOST_MEMORY):
        return f"took {_peak() // 1000:,} MB"
    return None


def _where(error: BaseException) -> str:
    """Return the last place of our own that an error came through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/assess/" in frame.filename]
    place = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    file = place.filename.rpartition("/assess/")[2]
    return f"{file}:{place.lineno} {place.line} ({str(error)[:80]!r})"


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def mutate(seed: int, *, kind: str, inputs: int | None, minutes: float, only: int | None) -> int:
    """Try inputs, as many as asked for or as long; return how many kinds of trouble there are."""
    with tempfile.TemporaryDirectory() as temporary:
        make_inputs(Path(temporary))
        fuzzer = Fuzzer(seed, Path(temporary), [target for target in targets() if kind in target.name])
        end, number = time.monotonic() + minutes * 60, 0
        while only is None and (number < inputs if inputs is not None else time.monotonic() < end):
            fuzzer.try_input(number)
            number += 1
        if only is not None:
            fuzzer.try_input(only)
    print(f"{fuzzer.tried.total():,} mutated inputs of {len(fuzzer.tried)} kinds, seed {seed}", flush=True)
    for what, where in sorted(fuzzer.finds.items(), key=lambda item: -len(item[1])):
        print(f"{len(where)} times {what}\n    {where[0]}")
    return len(fuzzer.finds)


def main() -> int:
    """Mutate inputs, then try properties; the first that finds something ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="How long in all.")
    parser.add_argument("--seed", type=int, help="Try what this seed gives: inputs, and one round.")
    parser.add_argument("--inputs", type=int, help="Try so many mutated inputs, and nothing else.")
    parser.add_argument("--kind", default="", help="Mutate only inputs whose kind has this in its name.")
    parser.add_argument("--only", type=int, help="Try the mutated input of this number, and nothing else.")
    parser.add_argument(
        "--times", type=int, default=20, help="How many times as many examples as `make test`."
    )
    parser.add_argument("tests", nargs="*", default=["tests"], help="Files or tests, as pytest takes them.")
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    minutes = min(1.0, asked.minutes)
    if mutate(seed, kind=asked.kind, inputs=asked.inputs, minutes=minutes, only=asked.only):
        return 1
    if asked.inputs is not None or asked.only is not None:
        return 0
    return run_rounds(asked.minutes - minutes, times=asked.times, seed=asked.seed, tests=asked.tests)


if __name__ == "__main__":
    sys.exit(main())
