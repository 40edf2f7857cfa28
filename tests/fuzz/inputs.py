"""Valid inputs of every reader, and what reads them: what mistakes are put into."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import typer

from assess.cli.main import app
from assess.cli.process import UNEXPECTED
from assess.corpus import CaptionReader, parse_source
from assess.domain import model_file
from assess.engine.annotation_cache import AnnotationCache, encode
from assess.errors import harmless
from assess.grammar.labels import LabelFinder
from assess.grammar.load import remembered_grammar
from assess.grammar.parser import Parser
from assess.measures.amplification.run import read_objects
from assess.measures.bias.groups import read_image_groups
from assess.measures.errors.naming import read_word_list
from assess.measures.syntax.caption import read_lexicon
from assess.records import Annotation, Chunk
from assess.taxonomy import load_taxonomy
from tests.commands import EXAMPLE, assess
from tests.fuzz.mutators import (
    ARCHIVES,
    BYTES,
    GRAMMAR,
    JSON,
    KEPT,
    PLAIN,
    SAVED,
    TABLES,
    YAML,
    Mutator,
    change_a_value,
    looping_captions,
)
from tests.test_corpus_formats import EXAMPLES
from tests.test_corpus_selection_input import IMAGE
from tests.test_domain_advice import write_wordnet
from tests.test_taxonomy_imports import LIWC, QUANTEDA

_SLOW = ("cache ", "looping", "keys", "arguments", "captions: join", "grammar")
Read = Callable[[Path], object]
"""Reads a folder of inputs, one of which has mistakes; returns an exit code where it is a command."""


@dataclass(frozen=True)
class Target:
    """A valid input, the mistakes that are put into it, and what reads it."""

    name: str
    file: str  # within the folder; a pattern stands for one of several
    mutators: tuple[Mutator, ...]
    reads: tuple[Read, ...]
    make: Callable[[Random], bytes] | None = None  # an input that is wrong from the start
    beside: tuple[str, ...] = field(default=())  # other files and folders that the reader needs
    settle: Callable[[Path], None] | None = None  # lets what ties files together tie these

    @property
    def weight(self) -> int:
        """How often it is chosen, beside others: what takes long, such as whole audits, more rarely."""
        return 1 if self.name.startswith(_SLOW) or "audit" in self.beside else 8


def command(*arguments: str) -> Read:
    """Return what runs a command; `@` stands for the folder."""

    return lambda folder: run(folder, *arguments)


def run(folder: Path, *arguments: str, stdin: str = "") -> int:
    """Run a command as in that folder; what reaches the terminal does nothing to it."""
    with contextlib.chdir(folder):
        done = assess(*(argument.replace("@", str(folder)) for argument in arguments), stdin=stdin)
    if done.code == UNEXPECTED:
        raise RuntimeError(done.stderr.partition("\n")[0].replace(str(folder), "@"))
    # What is exported into a pipe is a file, not something to look at.
    shows = done.stdout.replace("\t", " ") if "export" not in arguments else ""
    for shown in (shows, done.stderr):
        if harmless(shown) != shown:
            raise RuntimeError(f"control characters on the terminal: {arguments[:2]}")
    return done.code


def one_application() -> contextlib.AbstractContextManager[object]:
    """Let all commands share the application: making it takes longer than most of them."""
    return mock.patch.object(typer.main, "get_command", cache(typer.main.get_command))


def _of_file(name: str, read: Callable[[Path], object]) -> Read:
    return lambda folder: read(folder / name)


CAPTIONS = ("a tall man in a red hat", "two women with a dog", "an old man riding a bike", "a young cook", "")
_COCO = [{"image_id": image, "caption": text} for image, text in enumerate(CAPTIONS)]
_CHAT = [
    {"image": f"{n}.jpg", "conversations": [{"from": "human", "value": "?"}, {"from": "gpt", "value": text}]}
    for n, text in enumerate(CAPTIONS)
]
_BY_LINES = {
    "csv": TABLES,
    "tsv": TABLES,
    **dict.fromkeys(("flickr-tokens", "flickr30k-entities", "text"), PLAIN),
}
CAPTION_FILES: dict[str, tuple[str, tuple[Mutator, ...]]] = {
    "results.json": (json.dumps(_COCO), JSON),
    "lines.jsonl": ("".join(json.dumps(row) + "\n" for row in _COCO), JSON),
    **{f"{name}.txt": (text, _BY_LINES.get(name, JSON)) for name, (text, _) in EXAMPLES.items()},
    "chat.json": (json.dumps(_CHAT), JSON),
    "predictions.tsv": (
        "index\tanswer\tprediction\n" + "".join(f"{n}\tx\t{t}\n" for n, t in enumerate(CAPTIONS)),
        TABLES,
    ),
}


def read_captions(path: Path) -> None:
    """Read all captions of a file, and what is told of it."""
    reader = CaptionReader(parse_source(str(path)))
    for _ in reader:
        pass
    reader.summary  # noqa: B018 - it counts


def _caption_commands(name: str) -> tuple[Read, ...]:
    tiny = ("--domain", "@/tiny.yaml")
    return (
        command("coverage", f"@/{name}", *tiny),
        command("domain", "coverage", f"@/{name}", *tiny),
        command("diversity", f"@/{name}"),
    )


def _caption_targets() -> Iterator[Target]:
    for name, (_, mutators) in CAPTION_FILES.items():
        read = _of_file(name, read_captions)
        yield Target(f"captions: {name}", name, mutators, (*[read] * 60, *_caption_commands(name)))
    for kind in ("coverage", "syntax", "diversity"):  # captions of models that repeat themselves
        read = command(kind, "@/loops.json", *(["--domain", "@/tiny.yaml"] if kind == "coverage" else []))
        yield Target(f"looping captions: {kind}", "loops.json", (), (read,), looping_captions, ("tiny.yaml",))
    joined = command("diversity", "@/llava.txt", "--join", "@/join.jsonl")
    yield Target("captions: join", "join.jsonl", JSON, (joined,), beside=("llava.txt",))
    name = "captions.parquet"
    yield Target(f"captions: {name}", name, ARCHIVES, (_of_file(name, read_captions),), parquet_captions)
    for name, mutators in (("shard.tar", ARCHIVES), ("shard.tar.gz", (*ARCHIVES, *PLAIN))):
        yield Target(f"captions: {name}", name, mutators, (_of_file(name, read_captions),), shard)


def shard(random: Random | None = None) -> bytes:
    """Return a tar archive of samples; with `random`, with members of other names, types and contents."""
    out = io.BytesIO()
    kind = tarfile.PAX_FORMAT if random is None else random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for number, text in enumerate(CAPTIONS):
            suffix, content = "txt", text.encode()
            if number % 2:
                suffix, content = "json", json.dumps({"caption": text}).encode()
            name = f"{number}.{suffix}"
            if random is not None and random.random() < 0.4:
                name = random.choice(
                    ("../x.txt", "/etc/x.txt", ".txt", "a/b.TXT", "x" * 300 + ".txt", "1.cls", "\udcff.txt")
                )
                content = random.choice((b"", b"\xff\xfe", b"[]", b'{"caption": 1}', b"[" * 5_000, b"\x00"))
            member = tarfile.TarInfo(name)
            member.size = len(content)
            if random is not None and random.random() < 0.1:
                member.type = random.choice(
                    (tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.LNKTYPE)
                )
                member.linkname = "/dev/zero"
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


# Tables of columns.


def parquet(names: list[str], *columns: Any) -> bytes:
    """Return a table with these columns."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table([pyarrow.array(column) for column in columns], names=names)
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    return out.getvalue()


def _odd_column(random: Random) -> Any:
    """Return a column of some type, most of which no reader asks for."""
    import pyarrow as pa

    return random.choice(
        (
            lambda: pa.array([b"\xff\xfe", b"a", None], pa.binary()),
            lambda: pa.array([b"\xff", b"ok", b""], pa.binary()).view(pa.string()),
            lambda: pa.array([2**52, -(2**52), 0], pa.timestamp("ms")),
            lambda: pa.array([["a man"], [], None]),
            lambda: pa.array([[["a"]], [[1.0]][:0], None], pa.list_(pa.list_(pa.string()))),
            lambda: pa.array([{"raw": "a man"}, None, {"raw": None}]),
            lambda: pa.array([1.5, float("nan"), float("inf")]),
            lambda: pa.array([1, 2, None]),
            lambda: pa.array(["a man", "a woman", "two dogs"]),
            lambda: pa.array(["a", None, ""]).dictionary_encode(),
            lambda: pa.array([True, None, False]),
            lambda: pa.nulls(3),
            lambda: pa.array([2**40, 2**40, -1], pa.duration("s")),
            lambda: pa.array([None, 1, 2], pa.decimal128(38, 0)),
            lambda: pa.array([[{"p": 0.5, "rank": 0}], [{"p": 2.0, "rank": None}], None]),
            lambda: pa.array([[[{"p": 0.5, "rank": 0}]], [[{"p": 0.5, "rank": 1}], []], None]),
            lambda: pa.array([[[0.5]], [[0.1]], None]),
        )
    )()  # fmt: skip


def parquet_captions(random: Random) -> bytes:
    """Return a table of captions whose columns are of some types and names."""
    names = random.choice(
        (["image_id", "caption"], ["image_id", "image_id"], ["caption", "caption"], ["x", "caption"])
    )
    return parquet(names, _odd_column(random), _odd_column(random))


def parquet_probabilities(random: Random) -> bytes:
    """Return a table of probabilities whose columns are of some types."""
    names = random.choice((["image_id", "captions"], ["image_id", "captions"], ["captions", "captions"]))
    return parquet(names, _odd_column(random), _odd_column(random))


PROBABILITIES: dict[str, Any] = {
    "p": np.array([0.5, 0.25, 0.125, 1.0]),
    "rank": np.array([0, 1, 2, 0]),
    "words_per_caption": np.array([2, 2]),
    "captions_per_image": np.array([1, 1]),
    "image_ids": np.array(["a", "b"]),
}


def npz(random: Random | None = None) -> bytes:
    """Return arrays of probabilities; with `random`, one of them is of another type, shape or size."""
    arrays = dict(PROBABILITIES)
    if random is not None:
        name = random.choice(list(arrays))
        odd = (
            np.array(["x", "²"]),
            np.array([[1.0, 2.0]]),
            np.array([-1, 5]),
            np.array([2**62, 2**62]),
            np.array([1j, 2j]),
            np.array([True, False, True, True]),
            np.array([np.nan, np.inf, -1.0, 2.0]),
            np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
            np.array([]),
            np.array([2**63, 1], dtype=np.uint64),
            np.zeros(2, dtype=[("p", "f8")]),
        )
        arrays[name] = random.choice(odd)
        if random.random() < 0.2:
            arrays.pop(random.choice(list(arrays)))
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def model(random: Random | None = None) -> bytes:
    """Return what was learnt of a domain; with `random`, a part of it is wrong behind a right checksum."""
    about: dict[str, Any] = {"form": model_file.FORM, "taxonomy": "tiny", "captions": 5, "vectors": None}
    told: dict[str, Any] = {"combinations": [["person"]], "numbers": [1.0, 0.0, 0.5], "judged": {}}
    told["blocks"] = {"form": ["-er"]}
    about["roles"] = {"head": told}
    arrays: dict[str, Any] = {"head usual": np.zeros(2), "head form rarity": np.ones(1)}
    arrays["head dual"] = np.ones((1, 2))
    arrays |= {"head form values": np.ones(1), "head form columns": np.zeros(1, dtype=np.int32)}
    arrays["head form ends"] = np.array([0, 1])
    if random is not None:
        odd: tuple[Any, ...] = (None, [], {}, "x", -1, 1e400, ["x"] * 3, {"x": 1})
        odd += ({"form": ["a", "b"]}, {"hats": ["-er"]})
        broken = random.choice((about, told))
        broken[random.choice(list(broken))] = random.choice(odd)
        arrays[random.choice(list(arrays))] = random.choice((np.zeros(7), np.array("x"), np.zeros((1, 2))))
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    arrays["sha256"] = np.frombuffer(model_file.digest_of(arrays), dtype=np.uint8)
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


# Everything in a folder, once.

_WORDS = [[{"p": 0.5, "rank": 0}, {"p": 0.25, "rank": 3}], [{"p": 1, "argmax": True}]]
_BOXES = (
    "<annotation><filename>1.jpg</filename><size><width>9</width><height>9</height></size><object><name>1</name>"
    "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object></annotation>"
)
_BOX = {"image": "1#0", "entity": "1", "box": [1, 1, 5, 5]}


def _lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


_CHILD = """\
taxonomy: child
version: 1.0.0
description: Mine.
extends: tiny.yaml
heads:
  person: {words: [chef, {word: maid, plural: maids}]}
modifiers:
  size: null
  nut: {description: Nuts., evidence: visible, sensitivity: none, use: [nuts], words: [nut], remove: [almond]}
sets:
  tool: {use: [nuts], words: [saw], remove: [pan]}
remove: [snow woman]
"""
"""A taxonomy built on another one, with a word list."""

_FILES = {
    "join.jsonl": _lines(*({"question_id": n, "image": f"{n}.jpg"} for n in range(5, 10))),
    "words.jsonl": _lines(*({"image_id": n, "captions": _WORDS} for n in range(8))),
    "image_scores.jsonl": _lines(*({"image_id": n, "CIDEr": n / 2} for n in range(8))),
    "gold.jsonl": _lines(*({**IMAGE, "image_id": n} for n in range(3))),
    "predicted.jsonl": _lines(*({"image_id": n, "boxes": [2, 0]} for n in range(3))),
    "bracketed.txt": "1.jpg\tA [woman]2 in a [dress]0 .\n",
    "sentences/1.txt": "1#0\t[/EN#1/people A man] in [/EN#2/clothing a hat] .\n",
    "boxes/1.xml": _BOXES,
    "boxes.json": json.dumps([_BOX, {**_BOX, "entity": "2"}]),
    "scores.csv": "system,a,b\nx,1,2\ny,2,3\nz,3,5\nw,0,1\n",
    "scores.json": json.dumps({"systems": {name: {"a": n, "b": n * n} for n, name in enumerate("xyzw")}}),
    "lexicon.csv": "word,rating\nman,4.5\nidea,1.5\n",
    "words.yaml": "female: [woman, girl]\nmale: [man, boy]\n",
    "objects.csv": "image_id,object\n0,hat\n1,dogs\n",
    "groups.csv": "image_id,group\n0,male\n1,female\n2,male\n3,male\n",
    "annotated.csv": "phrase,category\na tall man,size\nan old man,age\n",
    "words.csv": "role,category,word\nhead,person,man\nmodifier,age,old\n",
    "quanteda.yml": QUANTEDA,
    "liwc.dic": LIWC,
    "lists/heads/person.txt": "man\nwoman # one\n",
    "lists/modifiers/age.txt": "old\nyoung\n",
    "lists/nuts.yaml": "list: nuts\ndescription: Nuts.\nwords: [almond, {word: hazel, only_with: [tool]}]\n",
    "child.yaml": _CHILD,
    "groups.jsonl": _lines(*({"image_id": n, "group": group} for n, group in enumerate(("male", "female")))),
    "nltk.cfg": "NP -> AgeAdj PersonNoun\nAgeAdj -> 'old'\nPersonNoun -> 'man' | 'woman'\n",
}


_MORE_KEYS = """\
says_nothing: [seen, "with {tool}"]
pronouns: {noun: woman, words: {she: [], they: []}, rivals: [tool]}
groups:
  gender: {female: [beauty], male: [cook]}
"""
"""What the small taxonomy lacks."""


def make_inputs(folder: Path) -> None:
    """Write valid inputs of every kind into a folder: also an audit, a sheet and its key."""
    for name, (content, _) in CAPTION_FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    for name, content in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "captions.parquet").write_bytes(
        parquet(["image_id", "caption"], list(range(len(CAPTIONS))), list(CAPTIONS))
    )
    (folder / "words.parquet").write_bytes(
        parquet(["image_id", "captions"], [1, 2], [[[{"p": 0.5, "rank": 0}]]] * 2)
    )
    (folder / "words.npz").write_bytes(npz())
    (folder / "tiny.model.npz").write_bytes(model())
    taxonomy = Path(__file__).parents[1] / "golden" / "tiny.yaml"
    (folder / "tiny.yaml").write_text(taxonomy.read_text(encoding="utf-8") + _MORE_KEYS, encoding="utf-8")
    shutil.copy(EXAMPLE.parent / "policy.yaml", folder / "policy.yaml")
    (folder / "shard.tar").write_bytes(shard())
    (folder / "shard.tar.gz").write_bytes(gzip.compress(shard(), mtime=0))
    compiled = assess("domain", "compile", folder / "tiny.yaml")
    (folder / "tiny.lark").write_text(compiled.stdout, encoding="utf-8")
    write_wordnet(folder / "wordnet")
    (folder / "cache").mkdir(mode=0o700)
    with in_cache(folder / "cache"):
        for command in _CACHED:
            assert command(folder) == 0
    _make_audit(folder)


@contextlib.contextmanager
def in_cache(folder: Path) -> Iterator[None]:
    """Let commands keep things in a folder, and remember nothing of before."""
    remembered_grammar.cache_clear()
    with mock.patch.dict(os.environ, ASSESS_CACHE=str(folder)):
        yield


_TINY = ("--domain", "@/tiny.yaml")
_CACHED = (
    command("parse", "a tall man", *_TINY),
    command("coverage", "@/results.json", *_TINY),
    command("bias", "@/results.json", "--by", "gender", *_TINY),
    command("diversity", "@/results.json", "--references", "@/lines.jsonl"),
    command("recall", "@/results.json", "--references", "@/lines.jsonl"),
    command("domain", "coverage", "@/results.json", *_TINY),
)


def _from_cache(read: Read) -> Read:
    """Return what runs a command that the cache knows the answer of."""

    def run_again(folder: Path) -> object:
        with in_cache(folder / "cache"):
            return read(folder)

    return run_again


_MODEL_READERS = tuple(command("domain", name, "@/results.json", *_TINY) for name in ("coverage", "suggest"))
_KEPT_READERS = tuple(_from_cache(read) for read in _CACHED)
BESIDE = ("recall", "diversity", "syntax")
"""Measures whose results lie beside the audit, and are shown with it."""


def _make_audit(folder: Path) -> None:
    """Write an audit of some captions of the example, measures beside it, and a sheet."""
    for name, most in (("bland.json", 60), ("references.json", 120)):
        document = json.loads((EXAMPLE / name).read_text(encoding="utf-8"))
        rows = document["annotations"] if isinstance(document, dict) else document
        (folder / name).write_text(json.dumps(rows[:most]), encoding="utf-8")
    systems = [str(folder / "bland.json"), "--references", str(folder / "references.json")]
    out = str(folder / "audit")
    made = [
        assess("audit", *systems, "--domain", "people", "--by", "gender", "--out", out),
        *(assess(name, *systems, "--json") for name in BESIDE),
        assess("sample", out, "--out", folder / "sheet.csv", "--per-cell", "2"),
    ]
    assert not any(done.code for done in made), [done.stderr for done in made]
    shutil.copy(folder / "sheet.csv", folder / "sheet2.csv")
    for name, done in zip(BESIDE, made[1:], strict=False):
        (folder / "audit" / f"{name}.json").write_text(done.stdout, encoding="utf-8")


_AUDIT_READERS = (
    command("gate", "@/policy.yaml", "@/audit"),
    command("explain", "@/audit", "bland/age"),
    command("explain", "@/audit", "bland/age/female", "--json"),
    command("compare", "@/audit", "@/audit", "--samples", "50"),
    command("report", "@/audit", "--html", "@/page.html", "--csv", "@/csv", "--markdown", "@/x.md"),
    command("sample", "@/audit", "--out", "@/drawn.csv"),
)


_PHRASE = "a man in a hat"
TREES_OF = (
    "a tall man and a woman's dog, one of the men is smiling at the other",
    "two women - an ex-Mormon man and a hard of hearing person with a cat",
    "A MAN SITTING ON A bench and she is looking at each other",
    "the man's shirt is blue and his hat is not red",
    "a drummer and guitar player are being helped by another, both about to sing and wearing hats",
    "nobody said that they were not happy to be old, but some of them may have been seen without a dog",
    "a group of men, women and children taking a picture of a picture of a left-of-center neo-Nazi, age 43",
)
# fmt: off
_TAGS = (
    ",", ".", "CC", "CD", "DT", "HYPH", "IN", "JJ", "JJS", "MD", "NN", "NNP", "NNS", "POS", "PRP", "PRP$",
    "RB", "RP", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WP", "_SP",
)
_RELATIONS = (
    "ROOT", "acl", "acomp", "advcl", "advmod", "agent", "amod", "appos", "attr", "aux", "auxpass", "cc",
    "ccomp", "compound", "conj", "dative", "det", "dobj", "expl", "mark", "neg", "nmod", "npadvmod",
    "nsubj", "nsubjpass", "nummod", "pcomp", "pobj", "poss", "preconj", "predet", "prep", "punct",
    "quantmod", "relcl", "xcomp",
)
# fmt: on


def _record(*content: object) -> bytes:
    data = json.dumps(content).encode()
    return zlib.crc32(data).to_bytes(4, "big") + data


def senseless_tree(random: Random, text: str) -> bytes:
    """Return the record of a tree that a parser could have returned, though no sentence is like it."""
    words = [(each.start(), each.end()) for each in re.finditer(r"\w+|[^\w ]", text)]
    offsets, lengths = [start for start, _ in words], [end - start for start, end in words]
    tags = random.choices(_TAGS, [random.randrange(9) for _ in _TAGS], k=len(words))
    deps = random.choices(_RELATIONS, [random.randrange(9) for _ in _RELATIONS], k=len(words))
    heads, near = list(range(len(words))), random.choice((1, 3, 99))
    order = random.sample(heads, len(words))
    for place, index in enumerate(order[1:], start=1):
        if random.random() < 0.95:  # or it is another root
            nearest = sorted((abs(other - index), other) for other in order[:place])
            heads[index] = random.choice(nearest[:near])[1]
    cuts = sorted(random.sample(range(len(words)), random.randrange(len(words) // 2)))
    places = [
        place
        for first, last in itertools.pairwise(cuts)
        if random.random() < 0.7
        for place in (offsets[first], words[last - 1][1])
    ]
    return _record(offsets, lengths, " ".join(tags), " ".join(deps), heads, places)


def cache_record(random: Random) -> bytes:
    """Return a record of the cache whose checksum is right, but not what it says."""
    if random.random() < 0.5:
        return senseless_tree(random, random.choice(TREES_OF))
    words = tuple(_PHRASE.split())
    offsets = tuple(_PHRASE.index(word) for word in words)
    tags, deps = ("DT", "NN", "IN", "DT", "NN"), ("det", "ROOT", "prep", "det", "pobj")
    record = encode(Annotation(words, offsets, tags, (Chunk(0, 5), Chunk(9, 14)), (1, 1, 1, 4, 2), deps))
    data = record[4:]
    for _ in range(random.randint(1, 3)):
        data = change_a_value(random, data)
    return zlib.crc32(data).to_bytes(4, "big") + data


def read_cache(folder: Path) -> None:
    """Read a record of the cache, and what it says of its text."""
    record = (folder / "record").read_bytes()
    cache = AnnotationCache("model", path=folder / "cache.sqlite")
    cache.put(dict.fromkeys((_PHRASE, *TREES_OF), record))
    for text, annotation in cache.get([_PHRASE, *TREES_OF]).items():
        finder().find(text, annotation)
        finder().describe(text, annotation)
    cache.close()


@cache
def finder() -> LabelFinder:
    return LabelFinder(Parser(load_taxonomy("people")))


# What people type.

_VALUES = (
    "", "-1", "0", "2", "nan", "inf", "-inf", "1e400", "²", "٣", "9" * 30, "0.5", "\x1b[31m", "\u202e",
    "[/x]", "=", "a=b=c", "x" * 5_000, "@/missing", "@", "-", "{", "%s", "🙂", "a/b/c/d", "gender", "age",
    "\udcff", "@/tiny.yaml", "@/results.json", "@/audit", "@/words.yaml", "\n", "x=@/results.json",
    "people", "json", "female", "a,b", "@/*.json",
)  # fmt: skip
_ALONE = {"processes", "engine", "scheduler", "samples", "seed", "help"}
_ALONE |= {"install_completion", "show_completion"}
"""Options that ask for more work, or do something else than this command."""


@cache
def _all_commands() -> dict[tuple[str, ...], list[Any]]:
    """Return the parameters of all commands but those that take long."""
    group: Any = typer.main.get_command(app)
    found: dict[tuple[str, ...], list[Any]] = {}
    found |= {(name,): each.params for name, each in group.commands.items() if not hasattr(each, "commands")}
    found |= {("domain", name): each.params for name, each in group.commands["domain"].commands.items()}
    return {name: params for name, params in found.items() if name[0] not in ("demo", "reproduce", "doctor")}


def arguments(random: Random) -> bytes:
    """Return a command with some of its options, whose values nobody would think of."""
    name = random.choice(list(_all_commands()))
    line = [*name]
    for parameter in _all_commands()[name]:
        if parameter.name in _ALONE:
            continue
        wanted = parameter.required or random.random() < 0.15
        if not wanted:
            continue
        if parameter.param_type_name == "option":
            line.append(random.choice(parameter.opts))
            if getattr(parameter, "is_flag", False):
                continue
        usual = random.choice(("@/results.json", "@/tiny.yaml", "@/audit", "@/policy.yaml", "@/groups.csv"))
        line.append(usual if random.random() < 0.5 else random.choice(_VALUES))
    return json.dumps(line).encode()


def read_arguments(folder: Path) -> int:
    """Run the command that the file has."""
    return run(folder, *json.loads((folder / "arguments.json").read_bytes()))


def keys(random: Random) -> bytes:
    """Return keys that somebody presses who assigns words to categories."""
    pressed = (
        "1",
        "2",
        "s",
        "n",
        "q",
        "u",
        "?",
        "",
        "x",
        "size",
        "²",
        "-1",
        "99",
        "\x1b[31m",
        "b",
        "new",
        "\u202e",
    )
    return "\n".join(random.choice(pressed) for _ in range(random.randint(0, 12))).encode()


def read_keys(folder: Path) -> int:
    """Assign words by keys."""
    pressed = (folder / "keys").read_text(encoding="utf-8")
    return run(folder, "domain", "assign", "@/results.json", *_TINY, "--no-vectors", stdin=pressed)


_METRIC = ("--metric", "mean_max_normcount_prefix0")
_SELECT = command("select", "@/gold.jsonl", "@/predicted.jsonl")
_RATED = ("sheet.csv", "sheet.key.json")
_COMMANDS: dict[str, tuple[str, tuple[Mutator, ...], Read, tuple[str, ...]]] = {
    **{f"{name} beside": (f"audit/{name}.json", SAVED, _AUDIT_READERS[4], ("audit",)) for name in BESIDE},
    "policy": ("policy.yaml", YAML, _AUDIT_READERS[0], ("audit",)),
    "sheet": ("sheet.csv", TABLES, command("score", "@/sheet.csv"), ("sheet.key.json",)),
    "key": ("sheet.key.json", SAVED, command("score", "@/sheet.csv"), ("sheet.csv",)),
    "second rater": ("sheet2.csv", TABLES, command("score", "@/sheet.csv", "@/sheet2.csv"), _RATED),
    "groups as JSON": ("groups.jsonl", JSON, lambda at: read_image_groups(f"gender={at}/groups.jsonl"), ()),
    "groups": ("groups.csv", TABLES, lambda at: read_image_groups(f"gender={at}/groups.csv"), ()),
    "words": ("words.yaml", YAML, _of_file("words.yaml", read_word_list), ()),
    "objects": ("objects.csv", TABLES, lambda at: read_objects(f"{at}/objects.csv"), ()),
    "lexicon": ("lexicon.csv", TABLES, _of_file("lexicon.csv", read_lexicon), ()),
    "scores": ("scores.csv", TABLES, command("correlate", "@/scores.csv"), ()),
    "scores as JSON": ("scores.json", JSON, command("correlate", "@/scores.json"), ()),
    "probabilities": ("words.jsonl", JSON, command("pregen", "@/words.jsonl", *_METRIC), ()),
    "image scores": (
        "image_scores.jsonl",
        JSON,
        command("pregen", "@/words.jsonl", "--scores", "@/image_scores.jsonl", *_METRIC),
        ("words.jsonl",),
    ),
    "gold boxes": ("gold.jsonl", JSON, _SELECT, ("predicted.jsonl",)),
    "selections": ("predicted.jsonl", JSON, _SELECT, ("gold.jsonl",)),
    "bracketed": ("bracketed.txt", PLAIN, command("select", "@/bracketed.txt", "--format", "bracketed"), ()),
    "boxes": (
        "boxes/1.xml",
        (*PLAIN, *YAML),
        command("select", "@/sentences/1.txt", "--format", "flickr30k", "--boxes", "@/boxes"),
        ("sentences",),
    ),
    "boxes as JSON": (
        "boxes.json",
        JSON,
        command("select", "@/sentences/1.txt", "--format", "flickr30k", "--boxes", "@/boxes.json"),
        ("sentences",),
    ),
    "annotated phrases": (
        "annotated.csv",
        TABLES,
        command("domain", "agree", "@/annotated.csv", "@/annotated.csv"),
        (),
    ),
    "word table": (
        "words.csv",
        TABLES,
        command("domain", "import", "@/words.csv", "--force", "--out", "@/x.yaml"),
        (),
    ),
    "NLTK grammar": (
        "nltk.cfg",
        PLAIN,
        command("domain", "import", "@/nltk.cfg", "--force", "--out", "@/x.yaml"),
        (),
    ),
}


_TAXONOMY_READERS = (
    command("domain", "lint", "@/tiny.yaml"),
    command("domain", "test", "@/tiny.yaml"),
    command("domain", "show", "@/tiny.yaml"),
    command("domain", "compile", "@/tiny.yaml", "--out", "@/x.lark"),
    command("parse", "a tall man in a hat", *_TINY),
    command("domain", "diff", "@/tiny.yaml", "people"),
    command("domain", "coverage", "@/results.json", *_TINY),
    *(
        command("domain", "export", "@/tiny.yaml", "--to", kind)
        for kind in ("cfg", "csv", "json", "spacy", "yaml")
    ),
)
_CHILD_READERS = (
    *(command("domain", name, "@/child.yaml") for name in ("lint", "test", "show")),
    command("domain", "compile", "@/child.yaml", "--out", "@/x.lark"),
    command("domain", "diff", "@/tiny.yaml", "@/child.yaml"),
    command("parse", "a tall man with a saw", "--domain", "@/child.yaml"),
)


def imported(source: str) -> Read:
    """Return what imports a dictionary or folder as a taxonomy, and lints it."""
    heads = () if source == "lists" else ("--heads", "Kin" if source == "quanteda.yml" else "kin")
    return command("domain", "import", f"@/{source}", *heads, "--force", "--out", "@/x.yaml")


def with_wordnet(*arguments: str) -> Read:
    """Return what runs a command with the folder's own WordNet."""

    def read(folder: Path) -> object:
        with mock.patch.dict(os.environ, WNSEARCHDIR=str(folder / "wordnet")):
            return run(folder, *arguments)

    return read


_WORDNET_READERS = (
    with_wordnet("domain", "new", "x", "--from", "food.n.01", "--out", "@/draft.yaml"),
    with_wordnet("domain", "suggest", "@/results.json", *_TINY, "--no-vectors"),
)
_GRAMMAR_READERS = (
    command("parse", "a tall man in a hat", "--domain", "@/tiny.lark"),
    command("parse", "a tall man", "--domain", "@/tiny.lark", "--parser", "reference"),
    command("coverage", "@/results.json", "--domain", "@/tiny.lark"),
)


def tie(folder: Path) -> None:
    """Let an audit take its mentions for its own, whatever they are: whoever changes both can do that."""
    results = folder / "audit" / "audit.json"
    found = json.loads(results.read_bytes())
    for name, facts in found["files"].items():
        content = (results.parent / name).read_bytes()
        lines = sum(1 for _ in io.BytesIO(content))
        facts.update(lines=lines, sha256=hashlib.sha256(content).hexdigest())
    results.write_text(json.dumps(found), encoding="utf-8")


_KEPT_INPUTS = ("cache", "tiny.yaml", "results.json", "lines.jsonl")
_ARGUMENT_INPUTS = ("tiny.yaml", "results.json", "audit", "policy.yaml", "groups.csv", "words.yaml")


def targets() -> list[Target]:
    """Return every reader with a valid input of its own."""
    audits = [
        Target(name, f"audit/{name}", SAVED, _AUDIT_READERS, None, ("policy.yaml", "audit"), settle)
        for name, settle in (
            ("audit.json", None),
            ("mentions.jsonl", None),
            ("mentions.jsonl", tie),
            ("labels.jsonl", tie),
        )
    ]
    built = ("tiny.yaml", "child.yaml", "lists", "results.json")
    noun = ("wordnet", "tiny.yaml", "results.json")
    columns = {"words.npz": npz, "words.parquet": parquet_probabilities}
    return [
        *_caption_targets(),
        *audits,
        *(
            Target(name, file, how, (read,), None, more)
            for name, (file, how, read, more) in _COMMANDS.items()
        ),
        *(
            Target(name, name, ARCHIVES, (command("pregen", f"@/{name}", *_METRIC),), make)
            for name, make in columns.items()
        ),
        Target("model", "tiny.model.npz", ARCHIVES, _MODEL_READERS, model, ("tiny.yaml", "results.json")),
        Target("taxonomy", "tiny.yaml", YAML, _TAXONOMY_READERS, None, ("results.json",)),
        Target("child taxonomy", "child.yaml", YAML, _CHILD_READERS, None, built),
        Target("parent taxonomy", "tiny.yaml", YAML, _CHILD_READERS, None, built),
        Target("word list", "lists/nuts.yaml", YAML, _CHILD_READERS, None, built),
        Target("quanteda", "quanteda.yml", YAML, (imported("quanteda.yml"),)),
        Target("LIWC", "liwc.dic", PLAIN, (imported("liwc.dic"),)),
        Target("lists", "lists/*/*.txt", PLAIN, (imported("lists"),), None, ("lists",)),
        Target("WordNet", "wordnet/*.noun", PLAIN, _WORDNET_READERS, None, noun),
        Target("grammar", "tiny.lark", GRAMMAR, _GRAMMAR_READERS, None, ("results.json",)),
        Target("cache record", "record", (), (read_cache,), cache_record),
        Target("cache file", "cache/*/*.kept", KEPT, _KEPT_READERS, None, _KEPT_INPUTS),
        Target("cache of annotations", "cache/annotations.sqlite", BYTES, _KEPT_READERS, None, _KEPT_INPUTS),
        Target("keys", "keys", (), (read_keys,), keys, ("tiny.yaml", "results.json")),
        Target("arguments", "arguments.json", (), (read_arguments,), arguments, _ARGUMENT_INPUTS),
    ]
