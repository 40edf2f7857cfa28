"""`make fuzz`: mutated inputs for a minute, then rounds of properties with new examples.

Every mutated input has a number. `--seed S --inputs N` tries the same ones again, and what was found names
the number that shows it alone: `--seed S --only NUMBER`. Inputs are tried in processes of some hundreds
each, so that one that ends its process, as by a fault in compiled code, is a find like any other.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import os
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
from tests.fuzz.inputs import Target, finder, make_inputs, one_application, targets
from tests.fuzz.rounds import run_rounds

MOST_SECONDS = 30  # of processor time, which other work on the machine does not take
MOST_MEMORY = 2_000_000  # kilobytes
AT_ONCE = 500  # inputs per process
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
        (target,) = random.choices(self.targets, [each.weight for each in self.targets])
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
        file = target.file
        if "*" in file:
            file = str(random.choice(sorted(folder.glob(file))).relative_to(folder))
        if target.make is not None and (not target.mutators or random.random() < 0.5):
            data = target.make(random)
        else:
            data = (self.valid / file).read_bytes()
            for _ in range(random.choice((1, 1, 1, 2, 3))):
                data = random.choice(target.mutators)(random, data)
        path = folder / file
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

    old = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


def in_a_process(fuzzer: Fuzzer, numbers: range) -> int:
    """Try some inputs in a process of their own, add what it found, and return the number to go on with."""
    with tempfile.TemporaryFile() as shared:
        child = os.fork()
        if not child:
            _try_all(fuzzer, numbers, shared.fileno())
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        shared.seek(0)
        at, found = json.loads(shared.read() or b"[0, [{}, {}]]")
    tried, finds = found
    fuzzer.tried.update(tried)
    for what, where in finds.items():
        fuzzer.finds.setdefault(what, []).extend(where)
    if code:
        fuzzer.finds.setdefault(f"the process ended with {code}", []).append(
            f"--seed {fuzzer.seed} --only {at}"
        )
    return int(at) + 1


def _try_all(fuzzer: Fuzzer, numbers: range, shared: int) -> None:
    _limit_memory()
    fuzzer.tried.clear()
    fuzzer.finds.clear()
    for number in numbers:
        state = json.dumps([number, [fuzzer.tried, fuzzer.finds]]).encode()
        os.pwrite(shared, state, 0)
        os.ftruncate(shared, len(state))
        faulthandler.dump_traceback_later(10 * MOST_SECONDS, exit=True)  # compiled code, or waiting
        fuzzer.try_input(number)
    faulthandler.cancel_dump_traceback_later()
    state = json.dumps([numbers[-1], [fuzzer.tried, fuzzer.finds]]).encode()
    os.pwrite(shared, state, 0)
    os.ftruncate(shared, len(state))


def _limit_memory() -> None:
    """Refuse memory far beyond the limit, so that this machine goes on."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (2 * 1024 * MOST_MEMORY, hard))


def mutate(seed: int, *, kind: str, inputs: range | None, minutes: float, only: int | None) -> int:
    """Try inputs, as many as asked for or as long; return how many kinds of trouble there are."""
    with tempfile.TemporaryDirectory() as temporary, one_application():
        make_inputs(Path(temporary))
        finder()  # here, or every process would load it
        fuzzer = Fuzzer(seed, Path(temporary), [target for target in targets() if kind in target.name])
        if only is not None:
            fuzzer.try_input(only)
        else:
            end, number = time.monotonic() + minutes * 60, inputs.start if inputs else 0
            while number < inputs.stop if inputs else time.monotonic() < end:
                last = min(number + AT_ONCE, inputs.stop) if inputs else number + AT_ONCE // 10
                number = in_a_process(fuzzer, range(number, last))
                if inputs and number % (10 * AT_ONCE) == 0:
                    print(f"{number - inputs.start:,} inputs, {len(fuzzer.finds)} finds", flush=True)
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
    parser.add_argument("--first", type=int, default=0, help="The number of the first of them.")
    parser.add_argument("--kind", default="", help="Mutate only inputs whose kind has this in its name.")
    parser.add_argument("--only", type=int, help="Try the mutated input of this number, and nothing else.")
    parser.add_argument(
        "--times", type=int, default=20, help="How many times as many examples as `make test`."
    )
    parser.add_argument("tests", nargs="*", default=["tests"], help="Files or tests, as pytest takes them.")
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    minutes = min(1.0, asked.minutes)
    inputs = None if asked.inputs is None else range(asked.first, asked.first + asked.inputs)
    if mutate(seed, kind=asked.kind, inputs=inputs, minutes=minutes, only=asked.only):
        return 1
    if asked.inputs is not None or asked.only is not None:
        return 0
    return run_rounds(asked.minutes - minutes, times=asked.times, seed=asked.seed, tests=asked.tests)


if __name__ == "__main__":
    sys.exit(main())
