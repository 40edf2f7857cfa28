"""Speed and memory beside their aims, in one table; whatever is compared is measured in the same run.

`make bench` runs this. Run: python benchmarks/run.py [--quick] [--captions N] [--only PART ...]
Missed aims are no errors. Where other programs may be running, processor time is measured; only ratios of
several processes need time by the clock, and mean little on a busy machine.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assess.engine.pool import AnnotatorPool
from assess.errors import AssessError
from benchmarks import annotation, audits, parsing
from benchmarks.made_captions import made_captions, write_captions

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ROOT.parent / "shared" / "data" / "coco_val2014" / "systems"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    found: str
    aim: str = ""


def annotation_rows(count: int) -> Iterator[Row]:
    """Compare our annotation with spaCy used the plain ways."""
    texts = list(dict.fromkeys(made_captions(count)))
    speeds = annotation.best_speeds(texts, annotation.all_ways())
    ours = speeds["assess"]
    stream = ours / speeds["spaCy, tagger, parser and ruler, one stream"]
    loop = ours / speeds["spaCy, tagger, parser and ruler, a loop"]
    yield Row(f"annotation vs stock nlp.pipe, {len(texts):,} distinct texts", f"{stream:.2f}x", ">= 2.5x")
    yield Row("annotation vs a loop of nlp(text)", f"{loop:.2f}x")
    yield Row("annotation, one process", f"{ours:,.0f} captions per processor second")


def reading_rows(count: int) -> Iterator[Row]:
    """Compare reading whole captions with annotating them."""
    systems = sorted(SYSTEMS.glob("*.json.gz"))[:1]
    for path in (SYSTEMS.parent / "references.json.gz", *systems):
        if not path.is_file():
            continue
        texts = annotation.distinct_texts(str(path))
        annotated, read = annotation.reading_share(texts[:: max(1, len(texts) // count)][:count])
        both = annotated + read
        yield Row(
            f"reading vs annotating and reading, {path.name.partition('.')[0]}, {count:,} distinct texts",
            f"{100 * read / both:.0f}% ({1e6 * read / count:.0f} of {1e6 * both / count:.0f} microseconds)",
            "<= 12% of a cold audit",
        )


def parsing_rows(rounds: int) -> Iterator[Row]:
    """Compare the engines of the grammar."""
    what, times = parsing.measure(rounds)
    nltk = times["NLTK ChartParser"]
    yield Row(f"fast engine vs NLTK ChartParser, {what}", f"{nltk / times['fast']:.1f}x", ">= 20x")
    yield Row("fast engine vs Lark Earley", f"{times['Lark Earley'] / times['fast']:.1f}x")


def process_rows(count: int) -> Iterator[Row]:
    """Compare two processes with one, after both have loaded the model."""
    texts = list(made_captions(count, seed=2))
    walls = {}
    for processes in (1, 2):
        with closing(AnnotatorPool(None, processes)) as pool:
            pool.annotate(texts[: 2_048 * processes])
            start = time.perf_counter()
            pool.annotate(texts)
            walls[processes] = time.perf_counter() - start
    yield Row(f"2 processes vs 1, {count:,} texts, by the clock", f"{walls[1] / walls[2]:.2f}x", ">= 1.7x")


def audit_rows(folder: Path, each: int | None) -> Iterator[Row]:
    """Audit the nine systems cold, warm, and beside the papers' way."""
    for row in audits.rows(audits.measure(folder, each)):
        yield Row(*row)


def default_rows(folder: Path, each: int | None) -> Iterator[Row]:
    """Audit as a user does: with references, measures, the page and all other files."""
    found = audits.measure_default(folder, each)
    if found is None:
        yield Row("default audit with references", "not measured: ../shared/data is missing")
        return
    for row in audits.default_rows(found):
        yield Row(*row)


def start_rows() -> Iterator[Row]:
    """Time the command line's start."""
    best = min(audits.used([sys.executable, "-m", "assess", "--help"]).processor for _ in range(5))
    yield Row("assess --help, processor time", f"{best:.2f} s", "< 0.3 s")
    with tempfile.TemporaryDirectory() as name:
        demo = [sys.executable, "-m", "assess", "demo", "--out", str(Path(name) / "out")]
        cache = {"ASSESS_CACHE": str(Path(name) / "cache.sqlite")}
        again = min(audits.used(demo, cache).processor for _ in range(3))
    yield Row("assess demo, again, processor time", f"{again:.2f} s", "< 2.5 s")


def growth_rows(folder: Path, smallest: int) -> Iterator[Row]:
    """Take memory and time as captions grow, with an annotation that costs nothing."""
    sizes = [smallest, 10 * smallest, 100 * smallest]
    listed = " / ".join(f"{size:,}" for size in sizes)
    for extra, told, wanted in (([], "", "<= 2x"), (["--measures"], " with measures", "<= 3x")):
        peaks, times = [], []
        for size in sizes:
            file = folder / f"{size}.jsonl"
            if not file.exists():
                write_captions(file, size)
            script = [
                sys.executable,
                str(ROOT / "benchmarks" / "peak_memory.py"),
                str(size),
                str(file),
                *extra,
            ]
            peak, seconds = subprocess.run(script, capture_output=True, check=True).stdout.split()
            peaks.append(float(peak))
            times.append(float(seconds) / size * 1e6)
        found = f"{peaks[-1] / peaks[0]:.2f}x ({' / '.join(f'{peak:.0f}' for peak in peaks)} MiB)"
        yield Row(f"peak memory{told}, {listed} captions", found, wanted)
        each = " / ".join(f"{time:.0f}" for time in times)
        yield Row(
            f"microseconds per caption{told}, without annotation", each, "" if extra else "40 / 30 / 30"
        )


def dask_rows(count: int) -> Iterator[Row]:
    """Compare two Dask workers with our pool of two."""
    try:
        import dask
        import distributed
    except ImportError:
        yield Row("Dask with two workers vs our pool", "not measured: the dask extra is not installed")
        return
    from assess.engine.dask_workers import DaskWorkers

    settings = {
        "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
        "distributed.worker.profile.enabled": False,
    }
    texts = list(made_captions(count, seed=3))
    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        closing(DaskWorkers(None, cluster.scheduler_address)) as there,
        closing(AnnotatorPool(None, 2)) as here,
    ):
        walls: dict[str, float] = {}
        for name, workers in (("pool", here), ("dask", there)):
            workers.annotate(texts[:4_096])
            start = time.perf_counter()
            workers.annotate(texts)
            walls[name] = time.perf_counter() - start
    yield Row(
        "Dask with two workers vs our pool, by the clock", f"{walls['pool'] / walls['dask']:.2f}x", ">= 0.85x"
    )


def machine() -> str:
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    return (
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()},"
        f" {len(os.sched_getaffinity(0))} cores, load {load}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: a look, not a measurement")
    parser.add_argument("--captions", type=int, default=None, help="captions of each system in the audits")
    parser.add_argument("--only", nargs="*", metavar="PART", choices=PARTS, help=f"of {', '.join(PARTS)}")
    options = parser.parse_args()
    failed = []
    print(f"{machine()}\n\n| what | found | aim |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for part in options.only or PARTS:
            try:
                for row in PARTS[part](Path(name), options):
                    print(f"| {row.what} | {row.found} | {row.aim} |", flush=True)
            except (AssessError, OSError, subprocess.CalledProcessError) as error:
                failed.append(part)  # the other parts can still be measured
                print(f"| {part} | not measured: {error} | |", flush=True)
    print(f"\nload at the end: {os.getloadavg()[0]:.1f}")
    return 1 if failed else 0


def _each(options: argparse.Namespace) -> int | None:
    return options.captions or (500 if options.quick else None)


PARTS: dict[str, Callable[[Path, argparse.Namespace], Iterator[Row]]] = {
    "start": lambda *_: start_rows(),
    "annotation": lambda _, options: annotation_rows(300 if options.quick else 3_000),
    "reading": lambda _, options: reading_rows(500 if options.quick else 2_500),
    "parsing": lambda _, options: parsing_rows(2 if options.quick else 10),
    "processes": lambda *_: process_rows(3_000),
    "dask": lambda _, options: dask_rows(3_000 if options.quick else 10_000),
    "default": lambda folder, options: default_rows(folder, _each(options)),
    "audits": lambda folder, options: audit_rows(folder, _each(options)),
    "growth": lambda folder, options: growth_rows(folder, 500 if options.quick else 10_000),
}


if __name__ == "__main__":
    sys.exit(main())
