"""Print peak memory, in MiB, and processor seconds of an audit of made captions with a quick annotation.

Run: python benchmarks/peak_memory.py HOW_MANY FILE [GROUP | --measures] [--systems NUMBER] [--references].
The file is written if it is not there. --measures adds diversity, and recall where the same captions serve as
--references; --systems has each system give as many captions of the same images.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

from assess.audits.pipeline import Settings, audit
from assess.corpus import Source, parse_source
from assess.engine.jobs import LocalEngine
from assess.grammar import load_grammar
from assess.measures.measure import Inputs
from assess.measures.run import MeasureRequest, caption_keeper, run_measures

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.made_captions import write_captions
from benchmarks.quick_annotation import QuickAnnotations


def peak() -> float:
    """Return the peak memory of this process in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss: there a child begins with the peak of the process that started it.
        lines = status.read_text(encoding="ascii").splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def sources_of(path: Path, count: int, systems: int) -> list[Source]:
    """Return the captions of each system, which are written if they are not there."""
    found = []
    for number in range(systems):
        file = path if systems == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        if not file.exists():
            write_captions(file, count, seed=number + 1)
        found.append(parse_source(f"made{number or ''}={file}"))
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("count", type=int)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("group", nargs="*")
    arguments.add_argument("--measures", action="store_true")
    arguments.add_argument("--systems", type=int, default=1)
    arguments.add_argument("--references", action="store_true")
    chosen = arguments.parse_args()
    sources = sources_of(chosen.file, chosen.count, chosen.systems)
    references = [parse_source(f"people={sources[-1].path}")] if chosen.references else []
    start = time.process_time()
    grammar = load_grammar("people")
    engine, request = LocalEngine(QuickAnnotations()), MeasureRequest()
    inputs = Inputs(sources, references, engine=engine)
    kept = caption_keeper(inputs, request) if chosen.measures else None
    settings = Settings(by=tuple(chosen.group))
    result = audit(inputs, grammar, settings, keeper=kept)
    if chosen.measures:
        captions = chosen.count * (chosen.systems + chosen.references)
        run_measures(inputs, request, captions=captions, kept=kept)
    assert all(result.result.systems[source.name].captions == chosen.count for source in sources)
    print(f"{peak():.1f} {time.process_time() - start:.2f}")


if __name__ == "__main__":
    main()
