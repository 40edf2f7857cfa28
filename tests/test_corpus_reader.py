"""What a reader counts, how little memory it needs, and standard input."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.corpus import CaptionReader, CorpusSummary, Source, parse_source, read_captions
from assess.errors import InputError
from tests.test_corpus_formats import EXAMPLES, read_pairs, write

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def summary_of(path: Path) -> CorpusSummary:
    reader = CaptionReader(parse_source(str(path)))
    for _ in reader:
        pass
    return reader.summary


def test_summary_counts_captions_images_repeats_and_empty_texts(tmp_path: Path) -> None:
    texts = {"7": ["a cat", "a cat", ""], "9": "", "8": " "}
    summary = summary_of(write(tmp_path, json.dumps(texts), "mine.json"))
    assert (summary.name, summary.format) == ("mine", "mapping")
    assert (summary.captions, summary.images, summary.repeated, summary.empty) == (5, 3, 2, 2)
    assert (summary.replaced, summary.join_sha256) == (0, None)


def test_hash_of_a_split_is_that_of_the_whole_file(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLES["karpathy"][0])
    reader = CaptionReader(parse_source(str(path), split="val"))
    assert len(list(reader)) == reader.summary.captions == 1
    assert reader.summary.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_can_be_read_again_and_has_a_summary_at_its_end(tmp_path: Path) -> None:
    reader = CaptionReader(parse_source(str(write(tmp_path, "a cat\na dog\n"))))
    captions = iter(reader)
    first = next(captions)
    with pytest.raises(RuntimeError, match="only after all captions were read"):
        _ = reader.summary
    assert [first, *captions] == list(reader)
    assert reader.summary.captions == 2


def test_a_lone_surrogate_becomes_a_replacement_character_and_is_counted(tmp_path: Path) -> None:
    path = write(tmp_path, r'[{"image_id": "i\udc00", "caption": "a \ud800 cat \ud83d\ude00"}]')
    assert read_pairs(path) == [("i\ufffd", "a \ufffd cat 😀")]
    assert summary_of(path).replaced == 1


@given(st.lists(st.text(st.characters()), min_size=1))
def test_any_json_text_can_be_written_as_utf8_and_keeps_its_length(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = write(tmp_path_factory.mktemp("surrogates"), json.dumps({"7": texts}))
    expected = [json.loads(json.dumps(text)) for text in texts]  # pairs of surrogates become one
    for (_, text), original in zip(read_pairs(path), expected, strict=True):
        assert len(text.encode("utf-8").decode("utf-8")) == len(original)


class Pipe(io.RawIOBase):
    """A stream that cannot seek and gives a few bytes at a time."""

    def __init__(self, content: bytes) -> None:
        self._rest = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        size = min(len(view), 5, len(self._rest))
        view[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_read_without_seeking(
    name: str, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, expected = EXAMPLES[name]
    stored = gzip.compress(content.encode()) if packed else content.encode()
    stream = io.TextIOWrapper(io.BufferedReader(Pipe(stored)), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", stream)
    reader = CaptionReader(parse_source("-"))
    captions = list(reader)
    assert [(caption.image, caption.text) for caption in captions] == expected
    assert {caption.system for caption in captions} == {"stdin"}
    assert reader.summary.sha256 == hashlib.sha256(stored).hexdigest()


def test_a_real_pipe_is_read() -> None:
    program = (
        "from assess.corpus import parse_source, read_captions\n"
        "print([caption.text for caption in read_captions(parse_source('-'))])"
    )
    stored = gzip.compress(json.dumps({"7": "a café"}).encode())
    result = subprocess.run([sys.executable, "-c", program], input=stored, capture_output=True, check=True)
    assert (
        result.stdout.decode().strip() == ascii(["a café"]) or result.stdout.decode().strip() == "['a café']"
    )


def test_errors_in_standard_input_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="<stdin>: the file is empty"):
        list(read_captions(parse_source("-")))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="<stdin>: there is no standard input"):
        list(read_captions(parse_source("-")))


Record = dict[str, int | str]


def records(count: int) -> list[Record]:
    """Return captions of few images: distinct ids are the one thing that a reader may collect."""
    # Text that cannot be packed well: a packed file must be larger than a chunk, too.
    words = (hashlib.sha256(str(number).encode()).hexdigest() for number in range(count))
    return [{"image_id": n % 50, "caption": f"a man with {each} dogs"} for n, each in enumerate(words)]


def each(template: str) -> Callable[[list[Record]], str]:
    """Return what writes a line for each record."""
    return lambda rows: "".join(template.format_map(row) for row in rows)


DATASET = {"cocoid": 7, "sentences": [{"raw": "a cat"}]}
CONTENTS: dict[str, Callable[[list[Record]], str]] = {
    "array": json.dumps,
    "annotations": lambda rows: json.dumps({"images": [{"id": 1}] * len(rows), "annotations": rows}),
    "dataset": lambda rows: json.dumps({"images": [DATASET] * len(rows)}),
    "mapping": lambda rows: "{" + each('"{image_id}": "{caption}", ')(rows).removesuffix(", ") + "}",
    "lines": lambda rows: "".join(json.dumps(row) + "\n" for row in rows),
    "table": lambda rows: "image_id,caption\n" + each("{image_id},{caption}\n")(rows),
    "entities": each("{image_id}#0\t[/EN#1/people {caption}]\n"),
}


@pytest.fixture(scope="module")
def alone() -> Iterator[Executor]:
    """A process for measuring memory: threads and settings of other tests would be measured too."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as found:
        yield found


def _peak(path: Path, captions: int, pieces: int | None = None) -> int:
    """Return the most memory held at once while a file is read and its captions are dropped."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("files.CHUNK", "formats.HEAD_SIZE", "partition.HEAD_SIZE") if pieces else ():
            patch.setattr(f"assess.corpus.{name}", pieces)
        tracemalloc.start()
        try:
            assert sum(1 for _ in read_captions(Source("x", str(path)))) == captions
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    ("kind", "packed"), [*((kind, False) for kind in CONTENTS), ("array", True), ("lines", True)]
)
def test_memory_does_not_grow_with_the_file(kind: str, packed: bool, tmp_path: Path, alone: Executor) -> None:
    peaks, sizes = [], []
    for count in (1_000, 6_000):
        path = tmp_path / f"{count}"
        text = CONTENTS[kind](records(count)).encode()
        path.write_bytes(gzip.compress(text, 1) if packed else text)
        # Smaller pieces than usual, so that small files have many.
        peaks.append(alone.submit(_peak, path, count, pieces=1 << 12).result())
        sizes.append(len(text))
    # A reader that kept the file would grow by all of the difference and more; what the collector and
    # the buffers leave lying about is far less than a quarter of it.
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 4


def test_the_first_caption_comes_before_the_file_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: WriteableBuffer, /) -> int:
            view = memoryview(buffer)
            view[:] = (b"a cat\n" * (len(view) // 6 + 1))[: len(view)]
            return len(view)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    captions = read_captions(parse_source("-"))
    assert [next(captions).text for _ in range(3)] == ["a cat"] * 3
