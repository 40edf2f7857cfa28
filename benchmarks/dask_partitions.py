"""Texts shipped from the driver beside partitions read on workers: speed, and what driver and scheduler take.

Run: python benchmarks/dask_partitions.py [FILE...] [--captions N] [--distinct N] [--rounds N] [--workers N]
A scheduler and workers run as processes of their own, and so does each driver. Rounds alternate, and every
round has new captions, so that no worker remembers one. Processor time is what a busy machine leaves
comparable; that of a run of few captions is taken off, since starting is paid once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assess.corpus import parse_source, read_captions
from benchmarks.made_captions import made_captions
from benchmarks.run import machine

ROOT = Path(__file__).resolve().parents[1]
FEW = 200
MODES = {"shipped": "--ship", "read on workers": "--no-ship"}
SETTINGS = """\
distributed:
  nanny:
    pre-spawn-environ:
      MALLOC_TRIM_THRESHOLD_: null
      OMP_NUM_THREADS: 1
  worker:
    profile:
      enabled: false
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run took: seconds, by the clock and of the processors, and MiB at the most."""

    wall: float
    driver: float
    scheduler: float
    workers: float
    driver_peak: float
    scheduler_peak: float

    def beyond(self, start: Taken) -> Taken:
        """Return what was taken on top of starting."""
        return Taken(
            self.wall - start.wall,
            self.driver - start.driver,
            self.scheduler - start.scheduler,
            self.workers - start.workers,
            self.driver_peak,
            self.scheduler_peak,
        )


@dataclass(frozen=True, slots=True)
class Cluster:
    """A scheduler and its workers, as processes."""

    address: str
    scheduler: int
    nanny: int

    def workers(self) -> list[int]:
        """Return the processes that do the work, which may be replaced in time."""
        threads = Path(f"/proc/{self.nanny}/task").glob("*/children")
        return [int(child) for file in threads for child in file.read_text(encoding="ascii").split()]


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Run a scheduler and workers of one thread each."""
    (folder / "dask.yaml").write_text(SETTINGS, encoding="ascii")
    environment = {**os.environ, "DASK_CONFIG": str(folder), "PYTHONPATH": str(ROOT)}
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    dask = [sys.executable, "-m", "dask"]
    quiet = {"env": environment, "stderr": subprocess.DEVNULL, "cwd": folder}
    first = subprocess.Popen([*dask, "scheduler", "--port", "0", *common], **quiet)  # type: ignore[call-overload]
    counts = ["--nworkers", str(workers), "--nthreads", "1"]
    second = subprocess.Popen([*dask, "worker", *counts, *common], **quiet)  # type: ignore[call-overload]
    try:
        while not file.exists():
            time.sleep(0.1)
        yield Cluster(json.loads(file.read_text(encoding="utf-8"))["address"], first.pid, second.pid)
    finally:
        for process in (second, first):
            process.terminate()
            process.wait()


def status(process: int, field: str) -> float:
    """Return a number of MiB from a process's status."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(field))) / 1024


def processor(process: int) -> float:
    """Return the processor seconds that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(where: Cluster, file: Path, option: str) -> Taken:
    """Run one driver, and look at it until it ends."""
    command = ["coverage", f"made={file}", "--json", "--no-cache", "--engine", "dask"]
    Path(f"/proc/{where.scheduler}/clear_refs").write_text("5", encoding="ascii")  # forget the last peak
    before = processor(where.scheduler), sum(map(processor, where.workers()))
    start, used, peak = time.perf_counter(), 0.0, 0.0
    driver = subprocess.Popen(
        [sys.executable, "-m", "assess", *command, "--scheduler", where.address, option],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    while driver.poll() is None:
        try:
            used, peak = processor(driver.pid), status(driver.pid, "VmHWM:")
        except (OSError, StopIteration):
            break  # it is just ending
        time.sleep(0.05)
    if driver.wait():
        raise SystemExit("the driver failed")
    return Taken(
        time.perf_counter() - start,
        used,
        processor(where.scheduler) - before[0],
        sum(map(processor, where.workers())) - before[1],
        peak,
        status(where.scheduler, "VmHWM:"),
    )


def write(path: Path, texts: Iterator[str], count: int, distinct: int | None = None) -> Path:
    """Write captions of texts that were not written before; they repeat where fewer are to be distinct."""
    chosen = list(islice(texts, distinct or count))
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = chosen[number % len(chosen)]
            file.write(json.dumps({"image_id": number, "caption": text}) + "\n")
    return path


def measure(
    texts: Iterator[str], count: int, distinct: int | None, rounds: int, workers: int
) -> dict[str, Taken]:
    """Return the median of what each way takes beyond starting."""
    found: dict[str, list[Taken]] = {mode: [] for mode in MODES}
    with tempfile.TemporaryDirectory() as name, cluster(Path(name), workers) as where:
        file = Path(name) / "captions.jsonl"
        for option in MODES.values():  # the first run of a worker loads the model
            run(where, write(file, texts, FEW * workers), option)
        starts = {mode: run(where, write(file, texts, FEW), option) for mode, option in MODES.items()}
        for _ in range(rounds):
            for mode, option in MODES.items():
                write(file, texts, count, distinct)
                found[mode].append(run(where, file, option).beyond(starts[mode]))
    return {mode: middle(runs) for mode, runs in found.items()}


def distinct_texts(files: list[str]) -> Iterator[str]:
    """Yield the distinct captions of files, or made ones."""
    read = (caption.text for file in files for caption in read_captions(parse_source(file)))
    return iter(dict.fromkeys(read)) if files else made_captions(10**9)


def middle(runs: list[Taken]) -> Taken:
    """Return the median of each number."""
    return Taken(*(median(getattr(run, name) for run in runs) for name in Taken.__slots__))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="caption files to take distinct texts from; none: made ones")
    parser.add_argument("--captions", type=int, default=10_000)
    parser.add_argument("--distinct", type=int, help="texts that captions have; if not given, each its own")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    count = options.captions
    texts = distinct_texts(options.files)
    found = measure(texts, count, options.distinct, options.rounds, options.workers)
    ship, read = found.values()
    what = f"{count:,} captions of {options.distinct or count:,} texts"
    print(f"{machine()}; {what}, {options.workers} workers, median of {options.rounds} rounds\n")
    print(f"| what | {' | '.join(found)} | ratio |\n|---|---|---|---|")
    rows = {
        "captions a second, by the clock": [count / taken.wall for taken in (ship, read)],
        "captions a processor second of workers": [count / taken.workers for taken in (ship, read)],
        "driver, processor seconds a million": [1e6 * taken.driver / count for taken in (ship, read)],
        "scheduler, processor seconds a million": [1e6 * taken.scheduler / count for taken in (ship, read)],
        "driver, peak MiB": [ship.driver_peak, read.driver_peak],
        "scheduler, peak MiB": [ship.scheduler_peak, read.scheduler_peak],
    }
    for what, (shipped, there) in rows.items():
        # What was taken off for starting may be more than was used: then there is nothing to compare.
        ratio = f"{shipped / there:.2f}x" if min(shipped, there) > 0 else "below noise"
        print(f"| {what} | {max(0, shipped):,.0f} | {max(0, there):,.0f} | {ratio} |")


if __name__ == "__main__":
    main()
