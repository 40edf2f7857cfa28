"""Memory is bounded by distinct chunks, not by captions; errors in a stream name their record."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from assess.audits.pipeline import audit
from assess.corpus import captions as distinct
from assess.corpus import parse_source
from assess.engine.jobs import LocalEngine
from assess.engine.pool import DeadlyBatchError
from assess.errors import InputError
from assess.grammar import labels, load_grammar
from assess.grammar.parser import Parser
from assess.measures.coverage import run as local
from assess.measures.measure import Inputs
from assess.records import Annotation
from benchmarks import quick_annotation
from benchmarks.made_captions import example_texts
from benchmarks.quick_annotation import QuickAnnotations


class Traced(QuickAnnotations):
    """Excludes from the peak what is needed before the first caption, such as reading the grammar."""

    def annotate(self, texts: Sequence[str], **options: Any) -> Iterator[Annotation]:
        if not self._begun:
            self._begun = True
            gc.collect()
            tracemalloc.reset_peak()
        return super().annotate(texts, **options)

    _begun = False


def write_captions(path: Path, count: int) -> int:
    """Write captions that all differ but share one small vocabulary; return the size of the file."""
    texts = [text.rstrip(" .") for text in example_texts()[:120]]
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            first, second = texts[number % 120], texts[(number + number // 120) % 120]
            file.write(json.dumps({"image_id": number, "caption": f"{first} and {second}"}) + "\n")
    return path.stat().st_size


def peaks_of_audits(files: dict[int, Path]) -> list[int]:
    """Return the peak memory during audits of files, by their numbers of captions."""
    people = load_grammar("people")
    Parser(people)  # from now on, its grammar is on disk
    # Smaller limits than usual, so that small files are far beyond all of them.
    quick_annotation.BLOCK, local.REMEMBERED, distinct._EXACT_LIMIT = 256, 384, 256  # type: ignore[attr-defined]
    labels._REMEMBERED = 384
    peaks = []
    tracemalloc.start()
    for count, path in files.items():
        result = audit(Inputs([parse_source(str(path))], engine=LocalEngine(Traced())), people).result
        assert result.systems[path.stem].captions == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        del result
    return peaks


def test_ten_times_the_captions_take_hardly_more_memory(tmp_path: Path) -> None:
    files = {count: tmp_path / f"{count}.jsonl" for count in (1_000, 10_000)}
    sizes = [write_captions(path, count) for count, path in files.items()]
    # In a process of its own: threads and settings of other tests would be measured too.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        few, many = alone.submit(peaks_of_audits, files).result()
    # Each pair of texts makes new labels, because joined people share what is said: they and new company for
    # known words take 1.5 times the size of the file. Captions and their ids would take as much again.
    assert many - few < 2.2 * (sizes[1] - sizes[0])


class Deadly(QuickAnnotations):
    """Ends on one text."""

    def annotate(self, texts: Sequence[str], **options: Any) -> Iterator[Annotation]:
        if "a bad man" in texts:
            raise DeadlyBatchError(["a bad man", "a man"], deaths=3)
        return super().annotate(texts, **options)


def test_a_batch_that_ends_its_workers_names_file_and_record(tmp_path: Path) -> None:
    path = tmp_path / "captions.txt"
    path.write_text("a dog\na cat\na bad man\na man\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"captions\.txt.*record 3: .*killed 3 workers"):
        audit(Inputs([parse_source(str(path))], engine=LocalEngine(Deadly())), load_grammar("people"))
