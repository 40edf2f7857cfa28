"""Time whole audits of nine systems: as they are by default, cold and warm, and beside the papers' way.

Run: python benchmarks/audits.py [CAPTIONS_A_SYSTEM]
Every command is a process of its own; processor times include those of its children. The nine systems are
those of ../shared/data; where it is missing, one made file stands for them.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assess.annotate.model import choose_model
from assess.corpus import parse_source, read_captions
from assess.engine.annotating import BLOCK, AnnotationService
from assess.grammar import Parser, load_grammar
from assess.grammar.labels import LabelFinder
from benchmarks import parsing
from benchmarks.made_captions import write_captions

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ROOT.parent / "shared" / "data" / "coco_val2014" / "systems"
SAMPLE = 400  # captions of the papers' way


@dataclass(frozen=True, slots=True)
class Used:
    """What a command took: seconds by the clock and of processors, its children's included."""

    wall: float
    processor: float


@dataclass(frozen=True, slots=True)
class Audits:
    """What the audits took, and what they were of."""

    systems: int
    captions: int
    distinct: int
    cold: Used
    warm: Used
    annotated: Used  # annotations in the cache, nothing else
    start: Used  # an audit of one known caption: start-up, and what does not grow
    reading: float  # processor seconds
    fetching: float  # annotations from the cache, which a cold audit has from the workers
    papers: Used  # extrapolated

    @property
    def after_annotation(self) -> float:
        """The share of a cold audit for finding labels, counting, statistics and the report."""
        before = self.start.processor + self.reading + self.fetching
        return (self.annotated.processor - before) / self.cold.processor


def measure(folder: Path, each: int | None = None) -> Audits:
    """Run the audits in a folder of their own; `each` limits the captions of a system."""
    files = systems_of(folder, each)
    # Diversity and recall are work of their own, which the papers' way beside these does not do either.
    arguments = ["audit", *files, "--no-measures", "--json", "--processes", "2"]
    cache = folder / "cache.sqlite"
    cold, warm = run_assess(arguments, cache), run_assess(arguments, cache)
    shutil.rmtree(cache.with_name(f"{cache.stem}-counts"))  # leaves nothing but annotations
    annotated = run_assess(arguments, cache)
    one = folder / "one.json"
    one.write_text(json.dumps([{"image_id": 1, "caption": "a man"}]), encoding="utf-8")
    small = ["audit", str(one), "--no-measures", "--json"]
    run_assess(small, cache)
    begin = time.process_time()
    texts = [caption.text for file in files for caption in read_captions(parse_source(file))]
    reading = time.process_time() - begin
    distinct = list(dict.fromkeys(texts))
    finder = LabelFinder(Parser(load_grammar("people")))
    with closing(AnnotationService(cache_path=cache)) as service:
        begin = time.process_time()
        asked = list(filter(finder.may_have_labels, distinct))  # of the others, nothing is asked
        for start in range(0, len(asked), BLOCK):
            deque(service.annotate(asked[start : start + BLOCK]), maxlen=0)
        fetching = time.process_time() - begin
    return Audits(
        systems=len(files),
        captions=len(texts),
        distinct=len(distinct),
        cold=cold,
        warm=warm,
        annotated=annotated,
        start=run_assess(small, cache),
        reading=reading,
        fetching=fetching,
        papers=papers_way(texts),
    )


@dataclass(frozen=True, slots=True)
class DefaultAudits:
    """What an audit takes with references, diversity, recall and the page, and what it writes."""

    captions: int
    annotation: Used  # reading and annotating alone
    cold: Used
    annotated: Used  # annotations and the grammar in the cache, nothing else
    warm: Used
    sizes: dict[str, int]  # of the files, in bytes


ANNOTATE = """
import sys
from collections import deque
from contextlib import closing
from assess.corpus import parse_source, read_captions
from assess.engine.annotating import BLOCK, AnnotationService
texts = dict.fromkeys(caption.text for path in sys.argv[1:] for caption in read_captions(parse_source(path)))
with closing(AnnotationService(processes=1)) as service:
    listed = list(texts)
    for start in range(0, len(listed), BLOCK):
        deque(service.annotate(listed[start : start + BLOCK]), maxlen=0)
"""


def measure_default(folder: Path, each: int | None = None) -> DefaultAudits | None:
    """Audit the systems and the references with everything that the command does by default."""
    references = SYSTEMS.parent / "references.json.gz"
    if not references.is_file():
        return None
    systems = systems_of(folder, each)
    images = {caption.image for caption in read_captions(parse_source(systems[0]))}
    file = _of_images(references, images, folder / "references.json")
    alone = used(
        [sys.executable, "-c", ANNOTATE, *systems, str(file)], {"ASSESS_CACHE": str(folder / "alone.sqlite")}
    )
    out = folder / "out"
    arguments = ["audit", *systems, "--references", str(file), "--out", str(out), "--processes", "1"]
    cache = folder / "default.sqlite"
    cold = run_assess(arguments, cache)
    for kind in ("counts", "audits", "measures"):
        shutil.rmtree(cache.with_name(f"{cache.stem}-{kind}"))
    annotated, warm = (run_assess(arguments, cache) for _ in range(2))
    captions = sum(
        item["captions"] for item in json.loads((out / "audit.json").read_text())["systems"].values()
    )
    sizes = {path.name: path.stat().st_size for path in sorted(out.iterdir())}
    return DefaultAudits(captions, alone, cold, annotated, warm, sizes)


def default_rows(found: DefaultAudits) -> list[tuple[str, str, str]]:
    """Return the lines of the table: what, found, wanted."""
    cold, annotated, warm, alone = (
        each.processor for each in (found.cold, found.annotated, found.warm, found.annotation)
    )
    sizes = ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in found.sizes.items())
    return [
        (
            f"default audit with references, measures and page, {found.captions:,} captions, cold,"
            " processor time vs annotation alone",
            f"{cold / alone:.2f}x ({cold:.0f} s, {alone:.0f} s)",
            "<= 1.5x",
        ),
        ("the same with annotations and the grammar cached", f"{annotated:.1f} s", ""),
        ("the same with everything cached", f"{warm:.1f} s", "< 15 s for all captions"),
        ("its files", sizes, "audit.json < 4 MB"),
    ]


def papers_way(texts: list[str]) -> Used:
    """Extrapolate a loop over all captions and a chart parser over the distinct chunks, from a sample."""
    import spacy

    pipeline = spacy.load(choose_model())
    sample = texts[:: max(1, len(texts) // SAMPLE)]
    for text in sample[:20]:
        pipeline(text)
    wall, processor = time.perf_counter(), time.process_time()
    chunks = {chunk.text.lower() for text in sample for chunk in pipeline(text).noun_chunks}
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    _, engines = parsing.measure(1)
    # They parsed each distinct chunk about people, which is about a fifth of the chunks here.
    parse = len(chunks) / len(sample) * len(set(texts)) / 5 * engines["NLTK ChartParser"]
    share = len(texts) / len(sample)
    return Used(wall * share + parse, processor * share + parse)


def systems_of(folder: Path, each: int | None) -> list[str]:
    """Return the nine systems' files, whole or of some images, or a made one in their place."""
    if not SYSTEMS.is_dir():
        return [str(write_captions(folder / "made.jsonl", each or 40_000))]
    paths = sorted(SYSTEMS.glob("*.json.gz"))
    if each is None:
        return list(map(str, paths))
    # Files have images in different orders, and measures compare systems on the same ones.
    first = dict.fromkeys(caption.image for caption in read_captions(parse_source(str(paths[0]))))
    images = set(list(first)[:each])
    return [str(_of_images(path, images, folder / path.name.removesuffix(".gz"))) for path in paths]


def _of_images(path: Path, images: set[str], part: Path) -> Path:
    captions = [caption for caption in read_captions(parse_source(str(path))) if caption.image in images]
    records = [{"image_id": caption.image, "caption": caption.text} for caption in captions]
    part.write_text(json.dumps(records), encoding="utf-8")
    return part


def run_assess(arguments: list[str], cache: Path) -> Used:
    return used([sys.executable, "-m", "assess", *arguments], {"ASSESS_CACHE": str(cache)})


def used(command: list[str], environment: dict[str, str] | None = None) -> Used:
    """Run a command and return what it took."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    settings = {**os.environ, **(environment or {})}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=ROOT, env=settings)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Used(time.perf_counter() - start, processor)


def rows(found: Audits) -> list[tuple[str, str, str]]:
    """Return the lines of the table: what, found, wanted."""
    cold, warm, papers = found.cold, found.warm, found.papers
    size = f"{found.systems} systems, {found.captions:,} captions, {found.distinct:,} distinct"
    return [
        (
            f"audit of {size}: cold with 2 processes vs the papers' way on one, EXTRAPOLATED, by the clock",
            f"{papers.wall / cold.wall:.1f}x ({papers.wall:,.0f} s, {cold.wall:.0f} s;"
            f" processor time {papers.processor / cold.processor:.1f}x)",
            ">= 15x",
        ),
        (
            "the same, warm vs cold, processor time",
            f"{cold.processor / warm.processor:.1f}x ({cold.processor:.0f} s, {warm.processor:.1f} s;"
            f" by the clock {cold.wall / warm.wall:.1f}x)",
            ">= 15x",
        ),
        (
            "everything after annotation, share of a cold audit, processor time",
            f"{100 * found.after_annotation:.1f}% (with reading and start-up"
            f" {100 * found.annotated.processor / cold.processor:.1f}%)",
            "< 8%",
        ),
    ]


def main() -> None:
    each = int(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as name:
        for row in rows(measure(Path(name), each)):
            print(" | ".join(row))


if __name__ == "__main__":
    main()
