"""All ratios in one table, each pair side by side in one run. `make bench` runs this.

Run: python benchmarks/run.py [--quick] [--captions N]
Processor time is shown where the machine may be busy with other things; ratios of processes need wall time.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assess.annotate.extract import Annotator
from assess.annotate.model import choose_model
from assess.corpus import parse_source, read_captions
from assess.engine.pool import AnnotatorPool
from benchmarks import annotation, parsing
from benchmarks.made_captions import made_captions, write_captions

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ROOT.parent / "shared" / "data" / "coco_val2014" / "systems"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    found: str
    wanted: str = ""


@dataclass(frozen=True, slots=True)
class Used:
    """What a command took: seconds by the clock and of processors, its children's included."""

    wall: float
    processor: float


def annotation_rows(count: int) -> Iterator[Row]:
    """Compare our annotation with spaCy used the plain ways."""
    texts = list(dict.fromkeys(made_captions(count)))
    speeds = annotation.best_speeds(texts, annotation.all_ways())
    ours = speeds["assess"]
    stream = ours / speeds["spaCy, tagger, parser and ruler, one stream"]
    loop = ours / speeds["spaCy, tagger, parser and ruler, a loop"]
    yield Row(f"annotation vs stock nlp.pipe, {len(texts):,} distinct texts", f"{stream:.2f}x", ">= 1.3x")
    yield Row("annotation vs a loop of nlp(text)", f"{loop:.2f}x")
    yield Row("annotation, one process", f"{ours:,.0f} captions/s by the clock")


def parsing_rows(count: int) -> Iterator[Row]:
    """Compare the engines of the grammar."""
    what, times = parsing.measure(count)
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


def audit_rows(folder: Path, count: int) -> Iterator[Row]:
    """Audit captions cold and warm, and take the time of annotation alone beside them."""
    files = systems_of(folder, count)
    arguments = ["audit", *files, "--json", "--processes", "2"]
    cache = folder / "cache.sqlite"
    cold, warm = run_assess(arguments, cache), run_assess(arguments, cache)
    texts = distinct(files)
    start = time.process_time()
    for _ in Annotator().annotate(texts):
        pass
    alone = time.process_time() - start
    yield Row(
        f"cold vs warm audit, {len(files)} systems, {len(texts):,} distinct texts, processor time",
        f"{cold.processor / warm.processor:.1f}x ({cold.processor:.0f} s, {warm.processor:.0f} s)",
        ">= 15x",
    )
    rest = max(0.0, cold.processor - alone)
    share = f"{100 * rest / cold.processor:.0f}% (start-up, caching and statistics included)"
    yield Row("all but annotation, share of a cold audit, processor time", share, "< 8%")
    yield from papers_rows(files, texts, cold)


def papers_rows(files: list[str], texts: list[str], cold: Used) -> Iterator[Row]:
    """Extrapolate the papers' way, a loop and a chart parser over all captions, from a sample."""
    import spacy

    sample = texts[:: max(1, len(texts) // 200)]
    pipeline = spacy.load(choose_model())
    start = time.process_time()
    chunks = [chunk.text.lower() for text in sample for chunk in pipeline(text).noun_chunks]
    a_caption = (time.process_time() - start) / len(sample)
    _, engines = parsing.measure(30)
    captions = sum(1 for file in files for _ in read_captions(parse_source(file)))
    # They annotated every caption, and parsed each distinct chunk about people: a fifth of the chunks here.
    distinct_chunks = len(set(chunks)) / len(sample) * len(texts) / 5
    theirs = captions * a_caption + distinct_chunks * engines["NLTK ChartParser"]
    yield Row(
        f"cold audit vs the papers' way, EXTRAPOLATED from {len(sample)} captions, one process each",
        f"{theirs / cold.processor:.1f}x in processor time; with 2 processes about twice that by the clock",
        ">= 15x",
    )


def start_rows() -> Iterator[Row]:
    """Time the command line's start."""
    best = min(used([sys.executable, "-m", "assess", "--help"]).processor for _ in range(5))
    yield Row("assess --help, processor time", f"{best:.2f} s", "< 0.3 s")


def growth_rows(folder: Path, smallest: int) -> Iterator[Row]:
    """Take memory and time as captions grow, with an annotation that costs nothing."""
    peaks, times = [], []
    sizes = [smallest, 10 * smallest, 100 * smallest]
    for size in sizes:
        script = [sys.executable, str(ROOT / "benchmarks" / "peak_memory.py"), str(size)]
        write_captions(folder / f"{size}.jsonl", size)
        shown = subprocess.run([*script, str(folder / f"{size}.jsonl")], capture_output=True, check=True)
        peak, seconds = shown.stdout.split()
        peaks.append(float(peak))
        times.append(float(seconds) / size * 1e6)
    listed = " / ".join(f"{size:,}" for size in sizes)
    yield Row(f"peak memory at {listed} captions", " / ".join(f"{peak:.0f}" for peak in peaks) + " MiB")
    yield Row("peak memory, 100x vs 10x the captions", f"{peaks[2] / peaks[1]:.2f}x", "<= 1.3x")
    yield Row("microseconds a caption without annotation", " / ".join(f"{each:.0f}" for each in times))


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


def systems_of(folder: Path, count: int) -> list[str]:
    """Return the nine systems' files, or made ones in their place."""
    if not SYSTEMS.is_dir():
        return [str(write_captions(folder / "made.jsonl", count))]
    files = []
    for path in sorted(SYSTEMS.glob("*.json.gz")):
        captions = list(read_captions(parse_source(str(path))))[: max(1, count // 9)]
        part = folder / path.name.removesuffix(".gz")
        records = [{"image_id": caption.image, "caption": caption.text} for caption in captions]
        part.write_text(json.dumps(records), encoding="utf-8")
        files.append(str(part))
    return files


def distinct(files: list[str]) -> list[str]:
    return list(dict.fromkeys(c.text for file in files for c in read_captions(parse_source(file))))


def run_assess(arguments: list[str], cache: Path) -> Used:
    os.environ["ASSESS_CACHE"] = str(cache)
    return used([sys.executable, "-m", "assess", *arguments])


def used(command: list[str]) -> Used:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Used(time.perf_counter() - start, processor)


def machine() -> str:
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    return (
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()},"
        f" {len(os.sched_getaffinity(0))} cores, load {load}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: a look, not a measurement")
    parser.add_argument("--captions", type=int, default=None, help="captions of the audits")
    options = parser.parse_args()
    small = options.quick
    count = options.captions or (4_500 if small else 90_000)
    print(f"{machine()}\n\n| what | found | wanted |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: tuple[Callable[[], Iterator[Row]], ...] = (
            start_rows,
            lambda: annotation_rows(300 if small else 3_000),
            lambda: parsing_rows(20 if small else 100),
            lambda: process_rows(3_000 if small else 10_000),
            lambda: dask_rows(3_000 if small else 10_000),
            lambda: audit_rows(folder, count),
            lambda: growth_rows(folder, 500 if small else 10_000),
        )
        for part in parts:
            for row in part():
                print(f"| {row.what} | {row.found} | {row.wanted} |", flush=True)
    print(f"\nload at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
