"""Mutated inputs that once failed: each gives a message, and never a traceback."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from assess.engine.annotation_cache import decode
from assess.records import Annotation, Chunk
from tests.commands import assess
from tests.fuzz.__main__ import Fuzzer
from tests.fuzz.inputs import (
    TREES_OF,
    finder,
    in_cache,
    make_inputs,
    npz,
    one_application,
    parquet,
    senseless_tree,
    targets,
)

pa = pytest.importorskip("pyarrow")
TINY = Path(__file__).parent / "golden" / "tiny.yaml"


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with valid inputs of every reader."""
    folder = tmp_path_factory.mktemp("valid")
    with one_application():
        make_inputs(folder)
        yield folder


@pytest.mark.model
def test_valid_inputs_are_read(valid: Path, tmp_path: Path) -> None:
    """Otherwise mistakes would be looked for behind another one."""
    shutil.copytree(valid, tmp_path, dirs_exist_ok=True)
    for target in targets():
        if target.mutators:
            for read in dict.fromkeys((target.reads[0], target.reads[-1])):
                code = read(tmp_path)
                assert not isinstance(code, int) or code in (0, 1), target.name


@pytest.mark.model
def test_inputs_with_mistakes_end_in_messages(valid: Path) -> None:
    fuzzer = Fuzzer(0, valid, targets())
    for number in range(60):
        fuzzer.try_input(number)
    assert not fuzzer.finds
    again = Fuzzer(0, valid, targets())
    again.try_input(0)
    assert again.tried.keys() <= fuzzer.tried.keys()  # a number always stands for the same input


def _changed_archive(place: int, value: int) -> bytes:
    """Return an archive with another byte at this place of each entry of its directory."""
    data = bytearray(npz())
    for entry in re.finditer(b"PK\x01\x02", data):
        data[entry.start() + place] = value
    return bytes(data)


def _archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return out.getvalue()


_BINARY = pa.array([b"\xff\xfe", b"a"], pa.binary()).view(pa.string())
_DATES = pa.array([2**52, 0], pa.timestamp("ms"))


def _captions(*columns: Any) -> bytes:
    return parquet(["image_id", "caption"], *columns)


_HEADER = b"\x93NUMPY\x01\x00\x06\x00{'a':("
_WORD = {"p": 10**400, "rank": 0}
_RECORD = {"image_id": 1, "captions": [[_WORD]]}
MISTAKES: dict[str, tuple[str, bytes, str]] = {
    "no UTF-8": ("c.parquet", _captions([1, 2], _BINARY), "cannot be read as Parquet"),
    "dates out of range": ("c.parquet", _captions(_DATES, ["a", "b"]), "cannot be read as Parquet"),
    "two columns of a name": ("c.parquet", parquet(["caption", "caption"], [1], ["a"]), "image id"),
    "texts for lists": ("p.parquet", parquet(["image_id", "captions"], [1], ["a"]), "not a list of lists"),
    "records for lists": (
        "p.parquet",
        parquet(["image_id", "captions"], [1], [{"p": 1}]),
        "not a list of lists",
    ),
    "no table": ("p.parquet", b"not a table", "cannot be read as Parquet"),
    "no archive": ("p.npz", b"not an archive", "cannot be read as NPZ"),
    "encrypted": ("p.npz", _changed_archive(8, 1), "cannot be read as NPZ"),
    "unknown compression": ("p.npz", _changed_archive(10, 99), "cannot be read as NPZ"),
    "no array": ("p.npz", _archive(p=_HEADER), "the array 'p' is damaged"),
    "beyond floating point": ("p.jsonl", json.dumps(_RECORD).encode(), "a number is too large"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_that_were_tracebacks_are_messages(case: str, tmp_path: Path) -> None:
    name, content, message = MISTAKES[case]
    file = tmp_path / name
    file.write_bytes(content)
    done = assess("pregen" if name.startswith("p") else "diversity", file)
    assert done.code == 2
    assert message in done.stderr


def test_tables_of_old_spreadsheets_and_long_cells_are_read(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text(f"system,note,a,b\rx,{'long ' * 40_000},1,2\ry,short,2,4\rz,short,3,5\r")
    assert assess("correlate", file).code == 0


_PUNCTUATION = Annotation(
    words=("a", "person", "is", "a", "guitar", "player"),
    offsets=(0, 2, 9, 12, 14, 21),
    tags=("DT", "NN", "SYM", "NNS", ".", "VB"),
    chunks=(Chunk(0, 8), Chunk(14, 27)),
    heads=(1, 1, 3, 4, 4, 4),
    deps=("det", "ROOT", "expl", "acomp", "pcomp", "punct"),
)


def _smiling(times: int) -> tuple[str, Annotation]:
    """Return a caption whose last verb is joined to the one before, and so on."""
    words = ("that", "man", *("smiles",) * times)
    offsets = (0, *(5 + 4 * (at > 0) + 7 * max(0, at - 1) for at in range(times + 1)))
    heads, deps = (2, 2, 2, *range(2, times + 1)), ("mark", "nsubj", "ROOT", *("conj",) * (times - 1))
    tags = ("DT", "NN", *("VBZ",) * times)
    return " ".join(words), Annotation(words, offsets, tags, (Chunk(0, 8),), heads, deps)


def test_trees_that_no_sentence_has_are_read() -> None:
    text = " ".join(_PUNCTUATION.words)
    (found,) = finder().find(text, _PUNCTUATION)[:1]
    assert found.key == "a person"
    (found,) = finder().find(*_smiling(600))
    assert found.key == "that man … smiling"
    for seed in (2130, 6777):  # two people in a noun chunk that is none
        random = Random(seed)
        chosen = random.choice(TREES_OF)
        annotation = decode(chosen, senseless_tree(random, chosen))
        assert annotation is not None
        finder().find(chosen, annotation)


_DOUBLED = "".join(f"A{n}: A{n - 1} A{n - 1}\n" for n in range(1, 9))
GRAMMARS = {
    "a regular expression that is none": ("X: /(/", "this cannot be read"),
    "a string that is none": (r'X: "\N{x}"', "this cannot be read"),
    "parts that repeat within each other": ("X: /(a+)+x/", "this can match in too many ways"),
    "equal alternatives that repeat": ("X: /(?:ab|ab)*x/", "this can match in too many ways"),
    "parts that repeat after each other": (f"X: /{'[^ ]*' * 4}x/", "this can match in too many ways"),
    "words that multiply": (
        f'EXCLUDED: A8\nA0: "a" | "b"\n{_DOUBLED}',
        "the words of a terminal combine into too many phrases",
    ),
    "hyphens that multiply": (
        f"EXCLUDED: /a{'[- ]a' * 40}/",
        "a phrase has too many positions for a space or a hyphen",
    ),
    "a rule in a terminal": ('X: "a" | start', "a terminal cannot contain the rule `start`"),
    "brackets in brackets": (f"EXCLUDED: {'(' * 900}/a/{')' * 900}", "nested too deeply"),
}


@pytest.mark.parametrize("case", GRAMMARS)
def test_grammars_that_would_take_for_ever_are_refused(case: str, tmp_path: Path) -> None:
    line, message = GRAMMARS[case]
    grammar = assess("domain", "compile", TINY).stdout
    kept = [each for each in grammar.splitlines() if not each.startswith(line.partition(":")[0] + ":")]
    (tmp_path / "x.lark").write_text("\n".join([*kept, line, ""]), encoding="utf-8")
    done = assess("parse", "a woman", "--domain", tmp_path / "x.lark")
    assert done.code == 2
    assert message in done.stderr


@pytest.mark.model
def test_results_beside_an_audit_are_checked_where_they_are_read(valid: Path, tmp_path: Path) -> None:
    shutil.copytree(valid / "audit", tmp_path / "audit")
    file = tmp_path / "audit" / "diversity.json"
    found = json.loads(file.read_bytes())
    next(iter(found["systems"].values()))["curve"]["types"].append(1)
    file.write_text(json.dumps(found), encoding="utf-8")
    done = assess("report", tmp_path / "audit", "--html", tmp_path / "page.html")
    assert done.code == 2
    assert "all curves need the same numbers of tokens" in done.stderr


@pytest.mark.model
def test_a_key_counts_no_more_than_numbers_can(valid: Path, tmp_path: Path) -> None:
    shutil.copy(valid / "sheet.csv", tmp_path)
    key = json.loads((valid / "sheet.key.json").read_bytes())
    for stratum in key["strata"]:
        stratum["population"] = 10**400
    (tmp_path / "sheet.key.json").write_text(json.dumps(key), encoding="utf-8")
    done = assess("score", tmp_path / "sheet.csv")
    assert done.code == 2
    assert "is not the key of a sheet" in done.stderr


@pytest.mark.model
def test_a_kept_grammar_whose_parts_do_not_fit_is_made_anew(valid: Path, tmp_path: Path) -> None:
    shutil.copytree(valid / "cache", tmp_path / "cache")
    for file in (tmp_path / "cache").glob("*-grammars/*.kept"):
        mark, _, rest = file.read_bytes().partition(b"\n")
        data = json.loads(rest[32:])
        data["rules"]["masks"].popitem()
        content = json.dumps(data).encode()
        file.write_bytes(mark + b"\n" + hashlib.sha256(content).digest() + content)
    shown = assess("parse", "a very tall woman", "--domain", valid / "tiny.yaml")
    with in_cache(tmp_path / "cache"):
        assert assess("parse", "a very tall woman", "--domain", valid / "tiny.yaml") == shown
