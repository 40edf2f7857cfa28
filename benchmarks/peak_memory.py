"""Print the peak memory, in MiB, and the seconds of one audit of made captions with a quick annotation.

Run: python benchmarks/peak_memory.py HOW_MANY FILE [GROUP | --measures]. The file is written if it is not
there; --measures adds diversity.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from assess.audits.pipeline import Settings, audit
from assess.corpus import parse_source
from assess.engine.jobs import LocalEngine
from assess.grammar import load_grammar
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


def main() -> None:
    count, path = int(sys.argv[1]), Path(sys.argv[2])
    if not path.exists():
        write_captions(path, count)
    measures = sys.argv[3:4] == ["--measures"]
    settings = Settings(by=() if measures else tuple(sys.argv[3:4]))
    start = time.process_time()
    grammar = load_grammar("people")
    engine = LocalEngine(QuickAnnotations())
    sources, request = [parse_source(f"made={path}")], MeasureRequest()
    kept = caption_keeper(sources, (), request, engine) if measures else None
    result = audit(sources, grammar, settings=settings, keeper=kept, engine=engine)
    if measures:
        run_measures(sources, (), request, captions=count, engine=engine, kept=kept)
    assert result.result.systems["made"].captions == count
    print(f"{peak():.1f} {time.process_time() - start:.2f}")


if __name__ == "__main__":
    main()
