"""Additional formats: registered in this process, or provided by another installed package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assess.corpus import FORMATS, CaptionReader, Document, Format, Head, Row, Source, register_format
from assess.corpus.formats import packaged_formats
from assess.errors import MissingPartError, UsageError
from tests.commands import assess
from tests.conftest import Install
from tests.test_corpus_formats import read_pairs, write

PAIRS = [("7", "two men on a bench"), ("7", "a woman | and a dog")]
PACKAGE = """
from assess.corpus import Format, Row

def read(document, source):
    for _, line in document.lines():
        image, _, text = line.partition("|")
        yield Row(image, text)

PIPES = Format("pipes", "id|caption, one per line", read, lambda head: "|" in head.text)
"""


def read_pipes(document: Document, source: Source) -> Iterator[Row]:
    """Read `id|caption`, one per line."""
    for _, line in document.lines():
        image, _, text = line.partition("|")
        yield Row(image, text)


def is_pipes(head: Head) -> bool:
    return bool(head.lines) and "|" in head.lines[0]


PIPES = Format("pipes", "id|caption, one per line", read_pipes, is_pipes)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """A file in a format that is not ours; what a test adds is gone after it."""
    ours = dict(FORMATS)
    packaged_formats.cache_clear()
    yield write(tmp_path, "".join(f"{image}|{text}\n" for image, text in PAIRS))
    FORMATS.clear()
    FORMATS.update(ours)
    packaged_formats.cache_clear()


@pytest.fixture
def module(install: Install) -> Path:
    """The module of an installed package with an entry point, for a test to write."""
    return install("caption-pipes", group="assess.formats", pipes="caption_pipes:PIPES")


def test_a_registered_format_is_among_those_that_a_command_names(file: Path) -> None:
    register_format(PIPES)
    shown = assess("coverage", file, "--format", "pips")
    assert shown.code == 2
    assert "text, pipes" in shown.stderr
    assert "did you mean 'pipes'?" in shown.stderr


def test_a_registered_format_knows_its_options_and_leaves_our_files_alone(file: Path, tmp_path: Path) -> None:
    register_format(PIPES)
    with pytest.raises(UsageError, match=r"--split cannot be used with .* whose format is 'pipes'"):
        read_pairs(file, split="test")
    table = write(tmp_path, "image_id|caption\n7|a cat\n", "table")
    assert read_pairs(table) == [("7", "a cat")]
    with pytest.raises(UsageError, match="a format 'pipes' already exists"):
        register_format(PIPES)


def test_a_binary_format_opens_its_file_itself(file: Path) -> None:
    def read(document: Document, source: Source) -> Iterator[Row]:
        yield Row("7", Path(source.path).read_bytes().hex())

    register_format(Format("raw", "bytes", read, binary=True))
    file.write_bytes(b"PK\x03\x04\xff")
    reader = CaptionReader(Source("x", str(file), format="raw"))
    assert [caption.text for caption in reader] == ["504b0304ff"]
    assert reader.summary.format == "raw"


@pytest.mark.parametrize("named", ["pipes", None])
def test_an_installed_package_gives_a_format(named: str | None, file: Path, module: Path) -> None:
    module.write_text(PACKAGE)
    assert read_pairs(file, format=named) == PAIRS


@pytest.mark.parametrize("content", ["import no_such_module", "PIPES = 'nothing'", ""])
@pytest.mark.parametrize("named", ["pipes", None])
def test_a_broken_package_is_named_where_its_format_is_needed(
    content: str, named: str | None, file: Path, module: Path, tmp_path: Path
) -> None:
    module.write_text(content)
    assert read_pairs(write(tmp_path, '{"7": "a cat"}', "ours.json")) == [("7", "a cat")]
    assert len(read_pairs(file, format="text")) == 2
    with pytest.raises(MissingPartError, match="the format 'pipes' of the package 'caption-pipes' cannot be"):
        read_pairs(file, format=named)
