"""What is too large: captions that loop are named and passed by, other inputs are errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assess.annotate.extract import Annotator
from assess.corpus import CaptionReader, parse_source
from assess.limits import overlong, sentence_ends
from tests.commands import assess

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


def captions_file(path: Path, texts: list[str]) -> Path:
    rows = [{"image_id": image, "caption": text} for image, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.model
@pytest.mark.parametrize("command", ["audit", "bias", "diversity", "recall", "syntax", "postgen"])
def test_captions_that_loop_are_named_and_the_others_are_read(command: str, tmp_path: Path) -> None:
    people = captions_file(tmp_path / "people.jsonl", ["a man in a hat", "a tall woman"] * 6)
    looping = captions_file(tmp_path / "model.jsonl", ["a man in a hat", "a tall woman", *LOOPS[:4]])
    options = {"audit": ["--domain", "people"], "bias": ["--domain", "people", "--by", "gender"]}.get(
        command, []
    )
    found = assess(command, looping, "--references", people, "--json", *options).json
    (mine,) = [item for item in found["signature"]["inputs"] if item["name"] == "model"]
    assert mine["captions"] == 6
    assert mine["unread"] == 4
    assert mine["unread_at"] == [f"model.jsonl: record {number}" for number in (3, 4, 5)]
    shown = assess(command, looping, "--references", people, *options, columns=400).stdout
    assert "model: 4 captions were too long to be read" in shown
    assert "record 3, model.jsonl: record 4, model.jsonl: record 5, …" in shown


def test_a_raised_limit_reads_more_and_is_part_of_the_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = captions_file(tmp_path / "model.jsonl", ["a man", "a tall man " * 200])
    assert "unread" in assess("diversity", file, "--json").json["signature"]["inputs"][0]
    monkeypatch.setenv("ASSESS_MAX_SENTENCE_WORDS", "1000")
    signature = assess("diversity", file, "--json").json["signature"]
    assert "unread" not in signature["inputs"][0]
    assert signature["settings"]["max_sentence_words"] == 1_000
    monkeypatch.setenv("ASSESS_MAX_SENTENCE_WORDS", "many")
    done = assess("diversity", file)
    assert done.code == 2
    assert "ASSESS_MAX_SENTENCE_WORDS must be a whole number above 0, not 'many'" in done.stderr


def test_files_of_one_system_are_named_each(tmp_path: Path) -> None:
    for name in ("part1", "part2"):
        captions_file(tmp_path / f"{name}.jsonl", ["a man", LOOPS[0]])
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
