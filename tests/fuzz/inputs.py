"""Valid inputs of every reader, and what reads them: what mistakes are put into."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from assess.cli.process import UNEXPECTED
from assess.corpus import CaptionReader, parse_source
from assess.engine.annotation_cache import AnnotationCache, encode
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.measures.amplification.run import read_objects
from assess.measures.bias.groups import read_image_groups
from assess.measures.errors.naming import read_word_list
from assess.measures.syntax.caption import read_lexicon
from assess.records import Annotation, Chunk
from assess.taxonomy import load_taxonomy
from tests.commands import EXAMPLE, assess
from tests.fuzz.mutators import ARCHIVES, JSON, PLAIN, SAVED, TABLES, YAML, Mutator

Read = Callable[[Path], object]
"""Reads a folder of inputs, one of which has mistakes; returns an exit code where it is a command."""


@dataclass(frozen=True)
class Target:
    """A valid input, the mistakes that are put into it, and what reads it."""

    name: str
    file: str  # within the folder
    mutators: tuple[Mutator, ...]
    reads: tuple[Read, ...]
    make: Callable[[Random], bytes] | None = None  # an input that is wrong from the start
    beside: tuple[str, ...] = field(default=())  # other files and folders that the reader needs
    settle: Callable[[Path], None] | None = None  # lets what ties files together tie these


def command(*arguments: str) -> Read:
    """Return what runs a command; `@` stands for the folder."""

    def run(folder: Path) -> int:
        done = assess(*(argument.replace("@", str(folder)) for argument in arguments))
        if done.code == UNEXPECTED:
            raise RuntimeError(done.stderr.partition("\n")[0].replace(str(folder), "@"))
        return done.code

    return run


def _of_file(name: str, read: Callable[[Path], object]) -> Read:
    return lambda folder: read(folder / name)


CAPTIONS = ("a tall man in a red hat", "two women with a dog", "an old man riding a bike", "a happy boy", "")
_COCO = [{"image_id": image, "caption": text} for image, text in enumerate(CAPTIONS)]
_SENTENCES = [{"raw": text, "tokens": text.split()} for text in CAPTIONS]
_DATASET = {
    "images": [{"cocoid": n, "split": "test", "sentences": [each]} for n, each in enumerate(_SENTENCES)]
}
CAPTION_FILES: dict[str, tuple[str, tuple[Mutator, ...]]] = {
    "results.json": (json.dumps(_COCO), JSON),
    "annotations.json": (json.dumps({"images": [{"id": 1}], "annotations": _COCO}), JSON),
    "dataset.json": (json.dumps(_DATASET), JSON),
    "mapping.json": (json.dumps({str(n): [text] for n, text in enumerate(CAPTIONS)}), JSON),
    "lines.jsonl": ("".join(json.dumps(row) + "\n" for row in _COCO), JSON),
    "answers.jsonl": (
        "".join(json.dumps({"question_id": n, "text": text}) + "\n" for n, text in enumerate(CAPTIONS)),
        JSON,
    ),
    "table.csv": ("image_id,caption\n" + "".join(f'{n},"{t}"\n' for n, t in enumerate(CAPTIONS)), TABLES),
    "table.tsv": ("image_id\tcaption\n" + "".join(f"{n}\t{t}\n" for n, t in enumerate(CAPTIONS)), TABLES),
    "tokens.txt": ("".join(f"{n}.jpg#0\t{text}\n" for n, text in enumerate(CAPTIONS)), PLAIN),
    "entities.txt": ("1.jpg#0\t[/EN#1/people A man] in [/EN#2/clothing a hat]\n" * 3, PLAIN),
    "plain.txt": ("\n".join(CAPTIONS), PLAIN),
}


def read_captions(path: Path) -> None:
    """Read all captions of a file, and what is told of it."""
    reader = CaptionReader(parse_source(str(path)))
    for _ in reader:
        pass
    reader.summary  # noqa: B018 - it counts


def _caption_targets() -> Iterator[Target]:
    for name, (_, mutators) in CAPTION_FILES.items():
        whole = command("coverage", f"@/{name}", "--domain", "people")
        yield Target(f"captions: {name}", name, mutators, (*[_of_file(name, read_captions)] * 30, whole))
    joined = command("diversity", "@/answers.jsonl", "--join", "@/join.jsonl")
    yield Target("captions: join", "join.jsonl", JSON, (joined,), beside=("answers.jsonl",))
    name = "captions.parquet"
    yield Target(f"captions: {name}", name, ARCHIVES, (_of_file(name, read_captions),), parquet_captions)


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


# Everything in a folder, once.

_WORDS = [[{"p": 0.5, "rank": 0}, {"p": 0.25, "rank": 3}], [{"p": 1, "argmax": True}]]
_GOLD = {
    "image_id": 7,
    "width": 640,
    "height": 480,
    "boxes": [
        {"id": 0, "concept": "dress.n.01", "box": [10, 20, 30, 40]},
        {"id": 2, "concept": "woman.n.01", "box": [0, 0, 100, 200], "categories": ["people"]},
    ],
    "descriptions": [[2, 0], [2]],
}
_BOXES = (
    "<annotation><filename>1.jpg</filename><size><width>9</width><height>9</height></size><object><name>1</name>"
    "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object></annotation>"
)
_BOX = {"image": "1#0", "entity": "1", "box": [1, 1, 5, 5]}


def _lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


_FILES = {
    "join.jsonl": _lines(*({"question_id": n, "image": f"{n}.jpg"} for n in range(5))),
    "words.jsonl": _lines(*({"image_id": n, "captions": _WORDS} for n in range(8))),
    "image_scores.jsonl": _lines(*({"image_id": n, "CIDEr": n / 2} for n in range(8))),
    "gold.jsonl": _lines(*({**_GOLD, "image_id": n} for n in range(3))),
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
    "nltk.cfg": "NP -> AgeAdj PersonNoun\nAgeAdj -> 'old'\nPersonNoun -> 'man' | 'woman'\n",
}


def make_inputs(folder: Path) -> None:
    """Write valid inputs of every kind into a folder: also an audit, a sheet and its key."""
    for name, (content, _) in CAPTION_FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    for name, content in _FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "captions.parquet").write_bytes(
        parquet(["image_id", "caption"], list(range(len(CAPTIONS))), list(CAPTIONS))
    )
    (folder / "words.parquet").write_bytes(
        parquet(["image_id", "captions"], [1, 2], [[[{"p": 0.5, "rank": 0}]]] * 2)
    )
    (folder / "words.npz").write_bytes(npz())
    taxonomy = Path(__file__).parents[1] / "golden" / "tiny.yaml"
    shutil.copy(taxonomy, folder / "tiny.yaml")
    shutil.copy(EXAMPLE.parent / "policy.yaml", folder / "policy.yaml")
    _make_audit(folder)


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
        assess("recall", *systems, "--json"),
        assess("sample", out, "--out", folder / "sheet.csv", "--per-cell", "2"),
    ]
    assert [done.code for done in made] == [0, 0, 0], [done.stderr for done in made]
    (folder / "audit" / "recall.json").write_text(made[1].stdout, encoding="utf-8")


_AUDIT_READERS = (
    command("gate", "@/policy.yaml", "@/audit"),
    command("explain", "@/audit", "bland/age"),
    command("explain", "@/audit", "bland/age/female", "--json"),
    command("compare", "@/audit", "@/audit", "--samples", "50"),
    command("report", "@/audit", "--html", "@/page.html", "--csv", "@/csv", "--markdown", "@/x.md"),
    command("sample", "@/audit", "--out", "@/drawn.csv"),
)


def cache_record(random: Random) -> bytes:
    """Return a record of the cache whose checksum is right, but not what it says."""
    import zlib

    from tests.fuzz.mutators import change_a_value

    text = "a man in a hat"
    words = tuple(text.split())
    offsets = tuple(text.index(word) for word in words)
    tags, deps = ("DT", "NN", "IN", "DT", "NN"), ("det", "ROOT", "prep", "det", "pobj")
    record = encode(Annotation(words, offsets, tags, (Chunk(0, 5), Chunk(9, 14)), (1, 1, 1, 4, 2), deps))
    data = record[4:]
    for _ in range(random.randint(1, 3)):
        data = change_a_value(random, data)
    return zlib.crc32(data).to_bytes(4, "big") + data


def read_cache(folder: Path) -> None:
    """Read a record of the cache, and what it says of its text."""
    text = "a man in a hat"
    cache = AnnotationCache("model", path=folder / "cache.sqlite")
    cache.put({text: (folder / "record").read_bytes()})
    finder = LabelFinder(Parser(load_taxonomy("people")))
    for annotation in cache.get([text]).values():
        finder.find(text, annotation)
    cache.close()


_METRIC = ("--metric", "mean_max_normcount_prefix0")
_SELECT = command("select", "@/gold.jsonl", "@/predicted.jsonl")
_COMMANDS: dict[str, tuple[str, tuple[Mutator, ...], Read, tuple[str, ...]]] = {
    "taxonomy": ("tiny.yaml", YAML, command("domain", "lint", "@/tiny.yaml"), ()),
    "measure beside": ("audit/recall.json", SAVED, _AUDIT_READERS[4], ("audit",)),
    "policy": ("policy.yaml", YAML, _AUDIT_READERS[0], ("audit",)),
    "sheet": ("sheet.csv", TABLES, command("score", "@/sheet.csv"), ("sheet.key.json",)),
    "key": ("sheet.key.json", SAVED, command("score", "@/sheet.csv"), ("sheet.csv",)),
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


def tie(folder: Path) -> None:
    """Let an audit take its mentions for its own, whatever they are: whoever changes both can do that."""
    results, mentions = (folder / "audit" / name for name in ("audit.json", "mentions.jsonl"))
    found, content = json.loads(results.read_bytes()), mentions.read_bytes()
    lines = sum(1 for _ in io.BytesIO(content))
    found["files"]["mentions.jsonl"] = {"lines": lines, "sha256": hashlib.sha256(content).hexdigest()}
    results.write_text(json.dumps(found), encoding="utf-8")


def targets() -> list[Target]:
    """Return every reader with a valid input of its own."""
    audits = [
        Target(name, f"audit/{name}", SAVED, _AUDIT_READERS, None, ("policy.yaml", "audit"), settle)
        for name, settle in (("audit.json", None), ("mentions.jsonl", None), ("mentions.jsonl", tie))
    ]
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
        Target("cache record", "record", (), (read_cache,), cache_record),
    ]
