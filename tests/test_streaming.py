"""Memory is bounded by distinct chunks, not by captions; errors in a stream name their record."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.corpus import distinct
from assess.corpus.distinct import DistinctCounter
from assess.engine.local import Labeller
from assess.engine.poisoned import PoisonedBatchError
from assess.errors import InputError
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.records import Annotation, Caption
from assess.taxonomy import load_taxonomy
from benchmarks.quick_annotation import QuickAnnotations

ROOT = Path(__file__).resolve().parents[1]


def peak_memory(count: int, path: Path) -> float:
    command = [sys.executable, str(ROOT / "benchmarks" / "peak_memory.py"), str(count), str(path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return float(shown.stdout.split()[0])


def test_ten_times_the_captions_take_hardly_more_memory(tmp_path: Path) -> None:
    few = peak_memory(20_000, tmp_path / "few.jsonl")
    many = peak_memory(200_000, tmp_path / "many.jsonl")
    assert many <= 1.3 * few


@pytest.fixture(scope="module")
def finder() -> LabelFinder:
    return LabelFinder(Parser(load_taxonomy("people")))


class Poisoned(QuickAnnotations):
    """Ends on one text."""

    def annotate(self, texts: Sequence[str], *, progress: object = None) -> Iterator[Annotation]:
        if "a bad man" in texts:
            raise PoisonedBatchError(["a bad man", "a man"], deaths=3)
        return super().annotate(texts)


def test_a_poisoned_batch_names_file_and_record(finder: LabelFinder) -> None:
    texts = ["a dog", "a cat", "a bad man", "a man"]
    captions = [Caption("s", "1", text, number) for number, text in enumerate(texts, start=1)]
    with pytest.raises(InputError, match=r"captions\.json.*record 3") as caught:
        list(Labeller(Poisoned(), finder).label(captions, file="captions.json"))
    assert "ended 3 workers" in str(caught.value)


def test_a_caption_that_is_too_long_names_file_and_record(finder: LabelFinder) -> None:
    captions = [Caption("s", "1", "a man", 1), Caption("s", "2", "x" * 1_000_001, 2)]

    class TooLong(QuickAnnotations):
        def annotate(self, texts: Sequence[str], *, progress: object = None) -> Iterator[Annotation]:
            raise InputError("a text is too long")

    with pytest.raises(InputError, match=r"captions\.json.*record 2"):
        list(Labeller(TooLong(), finder).label(captions, file="captions.json"))


@given(st.lists(st.text(max_size=3)), st.integers(min_value=1, max_value=7))
def test_distinct_ids_are_counted_exactly_however_they_come(texts: list[str], plain: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_PLAIN", plain)
        counter = DistinctCounter()
        for text in texts:
            counter.add(text)
        assert len(counter) == len(set(texts))
        assert len(counter) == len(set(texts))
