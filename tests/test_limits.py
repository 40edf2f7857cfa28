"""Limits: captions that loop are named and skipped, other inputs beyond a limit are errors."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assess.annotate.extract import Annotator
from assess.corpus import CaptionReader, parse_source
from assess.limits import ALL, overlong, sentence_ends
from tests.commands import assess, write_captions

LOOPS = (
    "a man is tall and " + "tall and " * 968,
    "hats, " * 960,
    "a picture " + "of a picture " * 1_000,
    "a man with a hat and " * 20_000,
    "word " * 150_000,
    "!" * 2_000,
    "x" * 2_000_000,
)
READABLE = ("a man in a hat", "two women. " * 400, "x" * 5_000, " " * 100_000, "a dog\n" * 2_000)


@pytest.mark.parametrize("text", [*LOOPS, *READABLE], ids=lambda text: repr(text[:12]))
def test_what_is_too_long_is_told_by_the_text_alone(text: str) -> None:
    assert overlong()(text) == (text in LOOPS)


@pytest.mark.model
@pytest.mark.parametrize("command", ["audit", "bias", "diversity", "recall", "syntax", "postgen"])
def test_captions_that_loop_are_named_and_the_others_are_read(command: str, tmp_path: Path) -> None:
    people = write_captions(tmp_path / "people.jsonl", ["a man in a hat", "a tall woman"] * 6)
    looping = write_captions(tmp_path / "model.jsonl", ["a man in a hat", "a tall woman", *LOOPS[:4]])
    options = {"audit": ["--domain", "people"], "bias": ["--domain", "people", "--by", "gender"]}.get(
        command, []
    )
    found = assess(command, looping, "--references", people, "--json", *options).json
    (mine,) = [item for item in found["signature"]["inputs"] if item["name"] == "model"]
    assert mine["captions"] == 6
    assert mine["unread"] == 4
    assert mine["unread_at"] == [f"model.jsonl: record {number}" for number in (3, 4, 5)]
    shown = assess(command, looping, "--references", people, *options, columns=400).stdout
    assert "model: 4 captions were too long to analyse" in shown
    assert "record 3, model.jsonl: record 4, model.jsonl: record 5, …" in shown


def test_a_raised_limit_reads_more_and_is_part_of_the_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_captions(tmp_path / "model.jsonl", ["a man", "a tall man " * 200])
    assert "unread" in assess("diversity", file, "--json").json["signature"]["inputs"][0]
    monkeypatch.setenv("ASSESS_MAX_SENTENCE_WORDS", "1000")
    signature = assess("diversity", file, "--json").json["signature"]
    assert "unread" not in signature["inputs"][0]
    assert signature["settings"]["max_sentence_words"] == 1_000
    monkeypatch.setenv("ASSESS_MAX_SENTENCE_WORDS", "many")
    done = assess("diversity", file)
    assert done.code == 2
    assert "ASSESS_MAX_SENTENCE_WORDS must be a positive integer, not 'many'" in done.stderr


def test_files_of_one_system_are_named_each(tmp_path: Path) -> None:
    for name in ("part1", "part2"):
        write_captions(tmp_path / f"{name}.jsonl", ["a man", LOOPS[0]])
    reader = CaptionReader(parse_source(f"model={tmp_path}/part*.jsonl"))
    assert [bool(caption.text) for caption in reader] == [True, False] * 2
    assert reader.summary.unread_at == ("part1.jsonl: record 2", "part2.jsonl: record 2")
    assert reader.summary.empty == 0


@pytest.mark.model
def test_sentences_that_the_parser_runs_together_end_where_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Tall and old. " * 40
    annotator = Annotator()
    (together,) = annotator.annotate([text])
    monkeypatch.setenv("ASSESS_MAX_SENTENCE_WORDS", "5")
    (apart,) = annotator.annotate([text])
    assert together.words == apart.words
    ends = set(sentence_ends(text))
    roots = [index for index, head in enumerate(apart.heads) if head == index]
    assert len(roots) >= len(ends)
    for index, head in enumerate(apart.heads):  # nothing hangs on a word of another sentence
        first, last = sorted((apart.offsets[index], apart.offsets[head]))
        assert not any(first < end <= last for end in ends)


# What is not a caption.

TINY = (Path(__file__).parent / "golden" / "tiny.yaml").read_text()
ROW = '{"image_id": 1, "caption": "a man"}'
TOO_LARGE = {
    "the line is too long": ROW + "\n" + " " * 200_000 + ROW,
    "the value is too large": f'[{ROW}, {{"x": "{"y" * 300_000}"}}]',
    "a row is too long": 'image_id,caption\n1,a man\n2,"' + "a\n" * 1_000,
}


@pytest.mark.parametrize("message", TOO_LARGE)
def test_a_record_beyond_the_limit_is_an_error_that_says_how_to_raise_it(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "captions"
    file.write_text(TOO_LARGE[message])
    monkeypatch.setenv("ASSESS_MAX_RECORD", "1000")
    done = assess("diversity", file)
    assert done.code == 2
    assert message in done.stderr
    assert "raise ASSESS_MAX_RECORD" in done.stderr


def test_a_file_that_unpacks_to_too_much_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assess.corpus.files.EXPANDED", 100_000)
    file = tmp_path / "captions.txt.gz"
    file.write_bytes(gzip.compress(b"a man\n" * 100_000))
    assert "expands too much when unpacked (at most 200 times its size" in assess("diversity", file).stderr


def column(values: list[str], **how: Any) -> bytes:
    """Return a Parquet table of captions."""
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    table = pyarrow.table({"image_id": list(range(len(values))), "caption": values})
    pyarrow.parquet.write_table(table, out, compression="zstd", **how)
    return out.getvalue()


def archive(name: str, size: int, content: bytes, **more: Any) -> bytes:
    """Return a tar archive of one member, which says that it is of some size."""
    member = tarfile.TarInfo(name)
    member.size = size
    for key, value in more.items():
        setattr(member, key, value)
    return member.tobuf(tarfile.PAX_FORMAT) + content.ljust(-len(content) % 512 + len(content), b"\0")


_HOLES = {f"GNU.sparse.{key}": value for key, value in (("major", "1"), ("minor", "0"), ("name", "1.txt"))}
_LONG = "x" * 5_000
SMALL_BUT_LARGE: dict[str, tuple[Callable[[], bytes], str]] = {
    "repeated.parquet": (lambda: column([_LONG] * 200), "EXPANSION"),
    "alike.parquet": (
        lambda: column(
            [_LONG + str(n) for n in range(200)],
            use_dictionary=False,
            column_encoding={"caption": "DELTA_BYTE_ARRAY"},
        ),
        "EXPANSION",
    ),
    "packed.parquet": (
        lambda: column([_LONG + str(n) for n in range(200)], use_dictionary=False),
        "EXPANSION",
    ),
    "one row.parquet": (lambda: column([_LONG * 10]), "RECORD"),
    "header.tar": (lambda: archive("1.txt", 10**9, b"", type=tarfile.GNUTYPE_LONGNAME), "RECORD"),
    "member.tar": (lambda: archive("1.txt", 10**9, b"a man"), "RECORD"),
    "holes.tar": (
        lambda: archive(
            "1.txt", 512, b"1\n0\n5\n", pax_headers={**_HOLES, "GNU.sparse.realsize": "1000000000"}
        ),
        "RECORD",
    ),
    "image.tar.gz": (
        lambda: gzip.compress(archive("1.jpg", 10**6, bytes(10**6)) + archive("1.txt", 5, b"a man")),
        "EXPANSION",
    ),
}


@pytest.mark.parametrize("name", SMALL_BUT_LARGE)
def test_little_files_that_hold_much_are_errors(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.corpus.files.EXPANDED", 100_000)
    monkeypatch.setenv("ASSESS_MAX_RECORD", "40000")
    make, limit = SMALL_BUT_LARGE[name]
    (tmp_path / name).write_bytes(make())
    done = assess("diversity", tmp_path / name)
    assert done.code == 2
    assert f"raise ASSESS_MAX_{limit}" in done.stderr


def test_a_table_whose_texts_begin_alike_is_read(tmp_path: Path) -> None:
    texts = ["a man", "a man in a hat", "a man in a hat and a coat"]
    how = {"use_dictionary": False, "column_encoding": {"caption": "DELTA_BYTE_ARRAY"}}
    (tmp_path / "alike.parquet").write_bytes(column(texts, **how))
    assert [caption.text for caption in CaptionReader(parse_source(str(tmp_path / "alike.parquet")))] == texts


def test_names_of_images_in_arrays_are_no_longer_than_the_limit(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"p": [0.5], "rank": [0], "words_per_caption": [1], "captions_per_image": [1]}
    np.savez_compressed(tmp_path / "x.npz", image_ids=np.array(["x" * 20_000_000]), **arrays)
    done = assess("pregen", tmp_path / "x.npz")
    assert done.code == 2
    assert "80,000,000 bytes of 'image_ids' are needed at once (at most 64,000,000" in done.stderr


def test_a_device_that_never_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSESS_MAX_FILE", "1000000")
    done = assess("domain", "lint", "/dev/zero")
    assert done.code == 2
    assert "the file is too large (at most 1,000,000 bytes" in done.stderr


COSTLY = (f'patterns: ["{"{word}" * 12}-x"]', f'after: ["with {"a " * 8}b"]')


@pytest.mark.parametrize("costly", COSTLY)
def test_patterns_that_take_for_ever_are_refused(costly: str, tmp_path: Path) -> None:
    file = tmp_path / "tiny.yaml"
    old = 'patterns: ["{number}-year-old"]'
    assert old in TINY
    file.write_text(TINY.replace(old, costly))
    done = assess("domain", "lint", file)
    assert done.code == 2
    assert "can match in too many ways" in done.stderr
    assert "ASSESS_MAX_PATTERN" in done.stderr


def test_too_many_categories_and_systems_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_captions(tmp_path / "model.jsonl", ["a man"])
    monkeypatch.setenv("ASSESS_MAX_CATEGORIES", "3")
    assert "categories (at most 3 categories in a taxonomy)" in assess("domain", "lint", "people").stderr
    monkeypatch.setenv("ASSESS_MAX_SYSTEMS", "3")
    many = [f"{name}={file}" for name in "abcd"]
    assert "4 caption files are too many (at most 3" in assess("diversity", *many).stderr


def test_every_limit_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs" / "limits.md").read_text()
    for limit in ALL:
        assert f"| `{limit.variable}` | {limit.default:,} |" in page
