"""Stored objects: only data, restored unchanged, and never trusted without validation."""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import sqlite3
import subprocess
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from assess import disk_cache
from assess.corpus import CorpusTally
from assess.corpus import captions as corpus_captions
from assess.corpus.fields import Row
from assess.disk_cache import Codec, DiskCache, packed, unpacked
from assess.engine import annotation_cache
from assess.engine.annotation_cache import AnnotationCache
from assess.errors import visible
from assess.grammar import Parser, compile_taxonomy
from assess.grammar.load import GRAMMARS, grammar_codec, remembered_grammar
from assess.measures.bias.labels import MentionTable
from assess.measures.coverage.compute import CoverageTally
from assess.measures.coverage.run import LabelCounts, LabelJob
from assess.measures.errors.naming import Naming, NamingJob, Namings, ReadCaption, WordRule
from assess.records import Annotation, Chunk
from assess.taxonomy import Taxonomy, load_taxonomy
from assess.taxonomy.load import TAXONOMY_CODEC
from tests.commands import EXAMPLE, assess
from tests.properties import examples
from tests.strategies import taxonomies

TINY = str(Path(__file__).parent / "golden" / "tiny.yaml")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name a cache of this test alone."""
    path = tmp_path / "cache" / "annotations.sqlite"
    monkeypatch.setenv("ASSESS_CACHE", str(path))
    remembered_grammar.cache_clear()  # what is in memory is not looked up on disk
    return path


# A small cache of its own.


@dataclass(frozen=True)
class Point:
    """Something to keep."""

    x: int
    y: float
    name: str = ""


POINT: Codec[Point, Point] = Codec(Point)
POINTS = DiskCache("points", most=3, largest=1000)
HERE = Point(3, 0.1, "naïve \N{SNOWMAN}")


@pytest.fixture
def kept() -> Path:
    POINTS.put(("key",), HERE, POINT)
    (path,) = POINTS.folder.iterdir()
    return path


def taken() -> Point | None:
    return POINTS.take(("key",), POINT)


def dressed(data: bytes) -> bytes:
    """Return data as the cache writes them, behind a checksum that is right."""
    return b"assess cache 1\n" + hashlib.sha256(data).digest() + data


def test_what_was_put_is_taken(kept: Path) -> None:
    assert taken() == HERE
    assert POINTS.take(("k", "ey"), POINT) is None
    data = POINT.encode(HERE)
    assert kept.read_bytes() == dressed(data)
    assert b"Point" not in data  # no class is named


def test_a_file_that_is_cut_or_longer_is_none(kept: Path) -> None:
    content = kept.read_bytes()
    for length in range(len(content)):
        kept.write_bytes(content[:length])
        assert taken() is None
    kept.write_bytes(content + b" ")
    assert taken() is None


def test_a_file_with_any_flipped_bit_is_none(kept: Path) -> None:
    content = kept.read_bytes()
    for bit in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        kept.write_bytes(flipped)
        assert taken() is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b'{"x": 1}',
        b'{"x": "a", "y": 1.0}',
        b'{"x": 1, "y": 1.0, "name": 7}',
        b'{"x": 1, "y": 1.0',
        b'{"x": 1, "y": 1.0, "name": "\xff"}',
        b"[" * 900,
        b'{"x": ' + b"9" * 900 + b'.5, "y": 1}',
    ],
)
def test_data_of_another_shape_are_none_though_their_checksum_is_right(kept: Path, data: bytes) -> None:
    kept.write_bytes(dressed(data))
    assert taken() is None


def test_another_version_is_none(kept: Path) -> None:
    content = kept.read_bytes()
    kept.write_bytes(content.replace(b"assess cache 1\n", b"assess cache 2\n"))
    assert taken() is None
    kept.write_bytes(content)
    assert taken() == HERE


def test_what_is_too_large_is_neither_kept_nor_read(kept: Path) -> None:
    padded = POINT.encode(HERE).ljust(1000)
    kept.write_bytes(dressed(padded))
    assert taken() == HERE
    kept.write_bytes(dressed(padded + b" "))
    assert taken() is None
    POINTS.put(("other",), Point(1, 1.0, "x" * 1000), POINT)
    assert list(POINTS.folder.iterdir()) == [kept]


def test_a_number_that_json_cannot_have_is_not_kept(kept: Path) -> None:
    POINTS.put(("other",), Point(1 << 20_000, 1.0), POINT)
    assert list(POINTS.folder.iterdir()) == [kept]


def test_an_object_that_is_no_data_is_refused() -> None:
    with pytest.raises(TypeError, match="Path is not plain data"):
        POINTS.put(("key",), Point(1, 1.0, Path()), POINT)  # type: ignore[arg-type]


# Files of whoever wants to run something.


class Calls:
    """Pickles to the call of a function."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self._call


def by_lark(folder: Path) -> object:
    inner = folder / "inner"
    inner.write_bytes(b"\n" + pickle.dumps(Calls(os.mkdir, str(folder / "ran"))))
    return Calls(partial(Lark, 'start: "a"', parser="lalr", cache=str(inner)))


def by_renaming(folder: Path) -> object:
    (folder / "foreign").touch()
    return Calls(os.rename, str(folder / "foreign"), str(folder / "ran"))


def by_a_process(folder: Path) -> object:
    program = f"import os; os.mkdir({str(folder / 'ran')!r})"
    return Calls(subprocess.check_call, [sys.executable, "-S", "-c", program])


ATTACKS = (by_lark, by_renaming, by_a_process)
DRESSES: dict[str, Callable[[bytes], bytes]] = {
    "bare": bytes,
    "as it was": lambda data: hashlib.sha256(data).digest() + data,
    "as it is": dressed,
}


def poison(attack: Callable[[Path], object], folder: Path) -> bytes:
    folder.mkdir()
    return pickle.dumps(attack(folder))


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_attacks_would_work_on_pickles(attack: Callable[[Path], object], tmp_path: Path) -> None:
    data = poison(attack, tmp_path / "attack")
    with suppress(Exception):  # Lark minds what it was given, but too late
        pickle.loads(data)
    assert (tmp_path / "attack" / "ran").exists()


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("dress", DRESSES)
def test_a_poisoned_grammar_is_compiled_anew(
    attack: Callable[[Path], object], dress: str, tmp_path: Path
) -> None:
    taxonomy = load_taxonomy(TINY)
    expected = Parser(taxonomy).analyse("the pretty women")
    (file,) = GRAMMARS.folder.iterdir()
    good = file.read_bytes()
    file.write_bytes(DRESSES[dress](poison(attack, tmp_path / "attack")))
    assert Parser(taxonomy).analyse("the pretty women") == expected
    assert file.read_bytes() == good
    assert not (tmp_path / "attack" / "ran").exists()


@pytest.mark.model
def test_an_audit_is_the_same_bytes_cold_warm_and_poisoned(cache: Path, tmp_path: Path) -> None:
    rows = json.loads((EXAMPLE / "bland.json").read_text(encoding="utf-8"))[:60]
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps(rows[:40]), encoding="utf-8")
    two.write_text(json.dumps(rows[20:]), encoding="utf-8")
    out = tmp_path / "out"
    command = ["audit", str(one), "--references", str(two), "--json", "--processes", "1", "--out", str(out)]

    def shown(*more: str) -> tuple[str, dict[str, bytes]]:
        done = assess(*command, *more)
        assert done.code == 0, done.stderr
        return done.stdout, {file.name: file.read_bytes() for file in out.iterdir()}

    expected = shown("--no-cache")
    assert expected[1].keys() == {"audit.json", "labels.jsonl", "mentions.jsonl", "report.html"}
    assert not list(cache.parent.rglob("*-audits/*.kept"))
    assert [shown(), shown()] == [expected, expected]
    files = sorted(cache.parent.rglob("*.kept"))
    kept = Counter(file.parent.name.partition("-")[2] for file in files)
    assert kept.keys() >= {"counts", "grammars", "measures"}
    assert kept["audits"] == 2  # the results, and the captions of the page
    for number, file in enumerate(files):
        attack = ATTACKS[number % len(ATTACKS)]
        file.write_bytes(dressed(poison(attack, tmp_path / f"attack-{number}")))
    assert shown() == expected
    assert not list(tmp_path.glob("attack-*/ran"))


RECORDS: list[object] = [
    pickle.dumps([[]]),
    b"[]",
    b"[1,2,3,4,5,6]",
    b'[[0],[],"NN","ROOT",[0],[]]',
    b"[[0],[3],1,2,[0],[]]",
    b"[" * 100_000,
    b'{"a":1}',
    7,
    "text",
]


@pytest.mark.parametrize("record", RECORDS)
def test_an_annotation_of_another_shape_is_none(record: object) -> None:
    with closing(AnnotationCache("model")) as annotations:
        checked = zlib.crc32(record).to_bytes(4, "big") + record if isinstance(record, bytes) else record
        annotations.put({"man": checked})  # type: ignore[dict-item]
        assert annotations.get(["man"]) == {}
        good = Annotation(("man",), (0,), ("NN",), (Chunk(0, 3),), (0,), ("ROOT",))
        annotations.put({"man": annotation_cache.encode(good)})
        assert annotations.get(["man"]) == {"man": good}


# What others may write is passed by.


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    disk_cache.note_once.cache_clear()
    return lambda: [record.getMessage() for record in caplog.records]


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("umask", [0o022, 0o002, 0])
def test_files_and_folders_are_their_owners_alone(cache: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        POINTS.put(("key",), HERE, POINT)
        with closing(AnnotationCache("model")) as annotations:
            annotations.put({"man": b"x"})
            assert {mode(path) for path in cache.parent.iterdir() if path.is_file()} == {0o600}
    finally:
        os.umask(before)
    assert (mode(cache.parent), mode(POINTS.folder)) == (0o700, 0o700)
    assert [mode(path) for path in POINTS.folder.iterdir()] == [0o600]
    assert taken() == HERE


@pytest.mark.parametrize("writers", [0o770, 0o707, 0o722])
@pytest.mark.parametrize("place", ["folder", "folder around it", "file"])
def test_what_others_can_write_is_passed_by_and_told_once(
    kept: Path, cache: Path, told: Callable[[], list[str]], writers: int, place: str
) -> None:
    path = {"folder": kept.parent, "folder around it": cache.parent, "file": kept}[place]
    path.chmod(writers)
    assert [taken(), taken()] == [None, None]
    (message,) = told()
    assert message == (
        f"note: {path} can be written by others: the cache is not used\n  hint: chmod go-w {path}"
    )
    if place != "file":
        POINTS.put(("other",), HERE, POINT)
        assert list(POINTS.folder.iterdir()) == [kept]
    path.chmod(0o700)
    assert taken() == HERE


def test_a_shared_folder_is_not_to_be_changed_but_left(
    kept: Path, cache: Path, told: Callable[[], list[str]]
) -> None:
    cache.parent.chmod(0o1777)
    assert taken() is None
    (message,) = told()
    assert message.endswith("\n  hint: set ASSESS_CACHE to a file in a folder of your own")


def test_what_belongs_to_somebody_else_is_passed_by(
    kept: Path, told: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: kept.stat().st_uid + 1)
    assert taken() is None
    assert "belongs to somebody else" in told()[0]


def test_annotations_that_others_can_write_are_passed_by(cache: Path, told: Callable[[], list[str]]) -> None:
    good = annotation_cache.encode(Annotation(("man",), (0,), ("NN",), (), (0,), ("ROOT",)))
    with closing(AnnotationCache("model")) as annotations:
        annotations.put({"man": good})
    for path, usual in ((cache.parent, 0o700), (cache, 0o600)):
        path.chmod(0o777)
        with closing(AnnotationCache("model")) as annotations:
            assert annotations.get(["man"]) == {}
            annotations.put({"man": good})  # serves this run
            assert len(annotations.get(["man"])) == 1
        path.chmod(usual)
    assert len(told()) == 2
    with closing(AnnotationCache("model")) as annotations:
        assert len(annotations.get(["man"])) == 1


def test_a_locked_cache_says_that_it_waits_and_is_waited_for_once(
    cache: Path, told: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotation_cache, "_SOON", 0)
    monkeypatch.setattr(annotation_cache, "PATIENCE", 1)
    with closing(AnnotationCache("model")) as annotations, closing(sqlite3.connect(cache)) as other:
        other.execute("BEGIN IMMEDIATE")
        annotations.put({"man": b"x"})
        assert annotations._patience == 0
        annotations.put({"man": b"x"})
        other.rollback()
        annotations.put({"man": b"x"})
        assert other.execute("SELECT count(*) FROM annotation").fetchone() == (1,)
    assert told() == [f"note: waiting up to 1 seconds for {cache}, which another run has locked"]


def test_a_command_says_why_and_goes_on(cache: Path, told: Callable[[], list[str]]) -> None:
    cache.parent.mkdir()
    cache.parent.chmod(0o777)
    done = assess("parse", "the pretty women", "--domain", TINY)
    assert (done.code, len(told())) == (0, 1)
    assert list(cache.parent.iterdir()) == []


def test_a_pipe_in_place_of_a_cache_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Callable[[], list[str]]
) -> None:
    (tmp_path / "own").mkdir(mode=0o700)
    pipe = tmp_path / "own" / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setenv("ASSESS_CACHE", str(pipe))
    AnnotationCache("model").close()
    assert told() == [f"note: {pipe} is not a file: the cache is not used\n  hint: {disk_cache.ELSEWHERE}"]
    assert assess("doctor", "--clear-cache").code == 2


@pytest.mark.parametrize("name", ["file/cache.sqlite", "x" * 300, "x" * 300 + "/cache.sqlite"])
def test_a_cache_that_cannot_be_opened_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Callable[[], list[str]], name: str
) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "file").write_text("")
    path = tmp_path / name
    monkeypatch.setenv("ASSESS_CACHE", str(path))
    POINTS.put(("key",), HERE, POINT)
    assert taken() is None
    with closing(AnnotationCache("model")) as annotations:
        annotations.put({"man": b"x"})  # serves this run
    assert told() == [
        f"note: {visible(str(path))} cannot be used as a cache: results are the same, but slower\n"
        f"  hint: {disk_cache.ELSEWHERE}"
    ]


def test_a_cache_that_is_still_empty_is_no_cause_for_a_note(
    cache: Path, told: Callable[[], list[str]]
) -> None:
    assert taken() is None
    POINTS.put(("key",), HERE, POINT)
    AnnotationCache("model").close()
    assert (taken(), told(), cache.exists()) == (HERE, [], True)


def test_users_without_a_home_go_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", mock.Mock(side_effect=RuntimeError))
    monkeypatch.setattr(Path, "expanduser", mock.Mock(side_effect=RuntimeError))
    monkeypatch.delenv("ASSESS_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert assess("parse", "the pretty women", "--domain", TINY).code == 0
    assert assess("doctor", "--cache").code == assess("doctor").code == 0


# Whatever is kept comes back as it was.


def again(codec: Codec[Any, Any], item: object) -> Any:
    return codec.decode(codec.encode(item))


@examples(25)
@given(taxonomies())
def test_taxonomies_and_their_grammars_come_back(taxonomy: Taxonomy) -> None:
    copy = again(TAXONOMY_CODEC, taxonomy)
    assert copy == taxonomy
    assert copy.model_dump_json(exclude_unset=True) == taxonomy.model_dump_json(exclude_unset=True)
    grammar = compile_taxonomy(taxonomy)
    new_grammar = again(grammar_codec(grammar.text), grammar)
    assert new_grammar == grammar
    assert list(new_grammar.lexicon.spellings()) == list(grammar.lexicon.spellings())
    assert list(new_grammar.leaves) == list(grammar.leaves)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
NUMBERS = st.integers(0, 1 << 31)
COUNTERS = st.dictionaries(TEXTS, NUMBERS, max_size=4)


@st.composite
def tallies(draw: st.DrawFn) -> CorpusTally:
    """What was read of a few images, or of so many that some are kept as hashes."""
    tally = CorpusTally(draw(TEXTS), formats=draw(st.dictionaries(TEXTS, TEXTS, max_size=1)))
    tally.hashes = draw(st.dictionaries(st.integers(0, 99), TEXTS, max_size=3))
    tally.join_sha256 = draw(st.none() | TEXTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_captions, "_EXACT_LIMIT", 3)
        for image in draw(st.lists(TEXTS, max_size=9)):
            tally.caption(Row(image, draw(TEXTS)))
    return tally


@examples(50)
@given(tallies(), COUNTERS, NUMBERS, st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), max_size=6))
def test_counts_come_back(
    corpus: CorpusTally,
    counter: dict[str, int],
    number: int,
    captions: list[tuple[str, list[str]]],
) -> None:
    counts = LabelCounts(corpus, CoverageTally(number, unread_labels=number))
    for part in (counts.tally.labels, counts.tally.unread, counts.tally.hedged):
        part.update(counter)
    for image, labels in captions:
        counts.table.add_caption(image, labels)
    found = again(LabelJob(load_taxonomy(TINY)).codec, counts)  # type: ignore[arg-type]
    assert found.corpus == corpus
    assert found.tally == counts.tally
    assert list(found.tally.labels) == list(counts.tally.labels)  # in their order, which readers see
    assert vars(found.table) == vars(counts.table)
    counts.add(found)
    assert isinstance(counts.table, MentionTable)
    assert counts.tally.captions == 2 * number


@examples(50)
@given(
    tallies(),
    st.lists(st.tuples(TEXTS, NUMBERS, TEXTS), max_size=6),
    st.dictionaries(TEXTS, st.lists(st.tuples(TEXTS, TEXTS), max_size=2), max_size=4),
)
def test_namings_come_back(
    corpus: CorpusTally, captions: list[tuple[str, int, str]], told: dict[str, list[tuple[str, str]]]
) -> None:
    namings = Namings(
        corpus,
        [ReadCaption(*caption) for caption in captions],
        {text: Naming(tuple(words)) for text, words in told.items()},
    )
    found = again(NamingJob(WordRule({}, "words")).codec, namings)
    assert found.corpus == corpus
    assert (found.captions, found.told) == (namings.captions, namings.told)
    assert all(isinstance(caption, ReadCaption) for caption in found.captions)
    assert all(isinstance(naming, Naming) for naming in found.told.values())


@given(st.floats(), st.integers())
def test_numbers_come_back_to_the_last_digit(y: float, x: int) -> None:
    found = again(POINT, Point(x, y))
    assert found == Point(x, y) or math.isnan(y)
    assert math.isnan(found.y) == math.isnan(y)


@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1)))
def test_packed_numbers_come_back(numbers: list[int]) -> None:
    assert unpacked("i", packed(array("i", numbers))) == array("i", numbers)
