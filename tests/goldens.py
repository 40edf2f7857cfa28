"""Everything that commands print and write for the bundled example, frozen; `make golden` regenerates it.

A case is a command line. It runs in a folder of its own that contains the example and some small files, so
that all paths are relative and independent of the machine. The terminal output with the exit code, and every
written file, are frozen.

Excluded are: `doctor` (only its keys are frozen), `reproduce` with the research data (only its list and its
mistakes are), the metrics of the extra 'coco', Dask clusters, and terminals with colour or keys. They depend
on what is installed, or need more than a pipe.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import dataclasses
import hashlib
import html
import json
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from docs_tools.in_process import WITHOUT_WORDNET
from tests.commands import EXAMPLE, assess, write_records

GOLDEN = Path(__file__).parent / "golden" / "outputs"
LARGE, LINES, WIDTH = 40_000, 100, 400
"""Of larger texts, this many lines of this many characters are kept, and checksums of the whole text."""


@dataclass(frozen=True)
class Case:
    """A command line, or a Python function that returns texts by name."""

    name: str
    argv: tuple[str, ...] = ()
    stdin: str = ""
    columns: int = 80
    python: Callable[[], dict[str, str]] | None = None

    @property
    def plots(self) -> bool:
        """Whether it needs the extra 'plots'."""
        return any(word.startswith("--plot") for word in self.argv)


# --- the folder in which cases run ---

FOOD = """\
taxonomy: food
version: 1.0.0
description: Food.
heads: {dish: {description: D., words: [pie, soup]}}
modifiers:
  heat: {description: H., evidence: inferred, sensitivity: none, words: [hot, cold]}
  taste: {description: T., evidence: inferred, sensitivity: none, words: [malty, sweet]}
examples:
  - {text: a hot pie, heads: [dish], modifiers: [heat]}
"""
FAILING = "  - {text: a malty soup, modifiers: [heat]}\n  - {text: a hot car}\n"
MEALS = """\
a hot pie
a salty pie
a salty soup
the salty stew
a hot stew
a cold pie
a sweet pie
a malty soup
a big car
"""
LENIENT = """\
min_labels: 50
limits:
  - {category: attractiveness, system: bland, max_rate: 0.9}
  - {category: age, by: gender, system: rich, max_abs_risk_difference: 0.9}
"""
BASELINE = """\
min_labels: 50
allow_insufficient: true
baseline: {file: v1/audit.json, allowed_change: 0.02}
"""
SCORES = """\
system,dataset,asl,types,CIDEr
a,one,9.0,120,0.51
b,one,9.5,180,0.62
c,one,11.0,150,0.70
d,one,12.5,400,0.66
a,two,8.0,110,0.40
b,two,9.1,170,0.58
c,two,10.0,160,0.61
d,two,13.0,380,0.72
"""
LEXICON = "word,rating\nman,4.8\nwoman,4.5\ndog,4.9\nday,3.1\nidea,1.6\nhappy,2.6\nyoung,2.9\n"
TEXTS = {
    "food.yaml": FOOD,
    "failing.yaml": FOOD + FAILING,
    "broken.yaml": FOOD.replace("heads:", "haeds:", 1),
    "untold.yaml": FOOD.replace("[malty, sweet]", "[malty, sweet, {word: hot, only_with: [pie]}]"),
    "meals.txt": MEALS,
    "lenient.yaml": LENIENT,
    "baseline.yaml": BASELINE,
    "misspelt.yaml": LENIENT.replace("max_rate", "max_rat"),
    "scores.csv": SCORES,
    "lexicon.csv": LEXICON,
    "words.csv": "role,category,word\nhead,dish,pie\nhead,dish,soup\nmodifier,heat,hot\n",
    "first.tsv": "phrase\theads\tmodifiers\na hot pie\tdish\theat\na malty pie\tdish\ttaste/heat\n",
    "second.tsv": "phrase\theads\tmodifiers\na hot pie\tdish\theat taste\na malty pie\t\theat\n",
    "figure.tsv": "1\tOur [lady]2 in a long [gown]0 waits at the [car]3\n1\tThe [lady]2 has a [car]3\n",
    "nltk.cfg": "NP -> DT AgeNoun | DT ADJ AgeNoun\nDT -> 'a'\nADJ -> 'tall'\nAgeNoun -> 'toddler' | 'boy'\n",
    "gender-words.tsv": "female\twoman\nfemale\tgirl\nfemale\ther\nmale\tman\nmale\tboy\nmale\this\n",
    "objects.csv": "image_id,object\n"
    + "".join(f"{number},{('bench', 'horse', 'park')[number % 3]}\n" for number in range(100001, 100401)),
    "empty.json": "",
    "cut.json": '[{"image_id": 1, "caption": "a man"}, {"image_id"',
    "nothing.csv": "image_id,text_of\n1,a man\n",
}


def prepare(folder: Path) -> None:
    """Fill a folder with the example, small files for other commands, and saved audits."""
    for path in (*EXAMPLE.iterdir(), EXAMPLE.parent / "policy.yaml"):
        shutil.copy(path, folder)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    write_records(folder / "gold.jsonl", *(scene(number) for number in range(20)))
    write_records(folder / "development.jsonl", *(scene(number) for number in range(100, 110)))
    for name, boxes in (("mine", [0, 1]), ("other", [2, 0])):
        write_records(
            folder / f"{name}.jsonl", *({"image_id": number, "boxes": boxes} for number in range(20))
        )
    _shift_groups(folder / "attributes.csv", folder / "shifted.csv")
    write_records(folder / "probabilities.jsonl", *(_probabilities(number) for number in range(1, 401)))
    with contextlib.chdir(folder):
        _save_audits()
        _answer("sheet.csv", "second-sheet.csv")


def _shift_groups(annotated: Path, shifted: Path) -> None:
    """Write groups in which every ninth image has the group of the previous one, which causes errors."""
    header, *rows = annotated.read_text(encoding="utf-8").splitlines()
    images, groups = zip(*(row.split(",") for row in rows), strict=True)
    told = (groups[place - (place % 9 == 8)] for place in range(len(groups)))
    lines = (f"{image},{group}" for image, group in zip(images, told, strict=True))
    shifted.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8", newline="")


def scene(number: int) -> dict[str, object]:
    """Return an image in which a dog is always mentioned, a hat sometimes, and a baby never."""
    boxes = [
        {"id": 0, "concept": "dog.n.01", "box": [10, 10, 60, 60]},
        {"id": 1, "concept": "hat.n.01", "box": [70, 0, 9 + number % 2, 9]},
        {"id": 2, "concept": "baby.n.01", "box": [0, 0, 1, 1]},
    ]
    descriptions = [[0], [0, 1], [1, 0] if number % 3 else [0]]
    return {"image_id": number, "width": 100, "height": 100, "boxes": boxes, "descriptions": descriptions}


def _probabilities(number: int) -> dict[str, object]:
    def word(place: int) -> dict[str, float]:
        return {"p": (1 + (number * 7 + place * 3) % 15) / 16, "rank": (number + place) % 4}

    captions = [[word(place) for place in range(3 + caption)] for caption in range(2)]
    return {"image_id": 100000 + number, "captions": captions}


SYSTEMS = ("bland.json", "rich.jsonl", "skewed.csv")
REFERENCES = ("--references", "references.json")
TRAIN = ("--train", "train.txt")
GENDER = ("--by", "gender")
FEW = ("--intervals", "--resamples", "50")


def _save_audits() -> None:
    for arguments in (
        ("audit", *SYSTEMS, *REFERENCES, *TRAIN, *GENDER, "--out", "audit"),
        ("bias", "model=rich.jsonl", *GENDER, "--samples", "200", "--out", "v1"),
        ("bias", "model=skewed.csv", *GENDER, "--samples", "200", "--out", "v2"),
        ("sample", "audit", "--per-cell", "4", "--out", "sheet.csv"),
        ("postgen", "bland.json", *REFERENCES, "--out", "postgen"),
        ("domain", "export", "food.yaml", "--out", "food.cfg"),
        ("domain", "export", "food.yaml", "--out", "food.json"),
    ):
        done = assess(*arguments)
        assert done.code == 0, done.stderr


def _answer(sheet: str, second: str) -> None:
    """Answer a sheet like two people might: mostly yes, and not always the same."""
    with open(sheet, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, no in ((sheet, 4), (second, 5)):
        with open(name, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            for number, row in enumerate(rows):
                writer.writerow({**row, "answer": "no" if number % no == 0 else "yes"})
    shutil.copy(Path(sheet).with_suffix(".key.json"), Path(second).with_suffix(".key.json"))


# --- the cases ---


def _shown(name: str, *argv: str) -> Iterator[Case]:
    """Yield a command at two widths, and as JSON."""
    yield from _widths(name, *argv)
    yield Case(f"{name}-json", (*argv, "--json"))


def _widths(name: str, *argv: str) -> Iterator[Case]:
    for columns in (80, 120):
        yield Case(f"{name}-{columns}", argv, columns=columns)


TABLES = ("--latex", "tables.tex", "--markdown", "tables.md", "--csv", "tables")


def _audits() -> Iterator[Case]:
    yield Case("demo/terminal", ("demo",))
    yield Case("demo/full", ("demo", "--full"))
    yield Case("demo/json", ("demo", "--out", "elsewhere", "--json"))
    everything = ("audit", *SYSTEMS, *REFERENCES, *TRAIN, *GENDER)
    yield from _shown("audit/everything", *everything)
    yield Case("audit/out", (*everything, "--out", "results"))
    yield from _shown("audit/groups", "audit", "skewed.csv", "--groups", "attributes.csv", "--no-measures")
    further = ("--also", "syntax", "--also", "postgen", "--also", "leakage")
    yield Case("audit/also", ("audit", "skewed.csv", *REFERENCES, *further, "--no-measures", "--full"))
    yield Case("audit/alone", ("audit", "one=rich.jsonl"))
    yield Case("audit/paper", ("audit", "rich.jsonl", "--paper-chunks", "--no-measures"))
    yield Case("audit/no-after", ("audit", "rich.jsonl", "--no-after", "--no-measures"))
    yield Case("audit/stdin", ("audit", "-", "--no-measures"), stdin="a tall man\na young woman\n")
    yield from _shown("audit/animals", "audit", "rich.jsonl", "--domain", "animals", "--no-measures")
    for domain in ("clothing", "vehicles"):
        yield Case(f"audit/{domain}", ("audit", "rich.jsonl", "--domain", domain, "--no-measures"))
    yield from _shown("coverage/example", "coverage", *SYSTEMS, *REFERENCES)
    yield Case("coverage/out", ("coverage", *SYSTEMS, "--out", "results"))
    bias = ("bias", *SYSTEMS, *REFERENCES, *GENDER, "--samples", "200")
    yield from _shown("bias/gender", *bias)
    yield Case("bias/all", (*bias, "--all"))
    yield Case("bias/out", ("bias", "skewed.csv", *GENDER, "--samples", "200", "--out", "results"))
    yield Case("bias/contrast", ("bias", "rich.jsonl", "--by", "age", "--contrast", "child,adult", "--all"))
    yield from _shown("bias/groups", "bias", "skewed.csv", "--groups", "attributes.csv", "--samples", "200")
    margins = ("--margin", "0.05", "--alpha", "0.01", "--seed", "3", "--samples", "100")
    yield Case("bias/margins", ("bias", "skewed.csv", *GENDER, *margins))


def _saved() -> Iterator[Case]:
    female = ("explain", "audit", "skewed/attractiveness/female")
    yield from _widths("explain/female", *female)
    yield Case("explain/json", (*female, "--limit", "5", "--json"))
    yield Case("explain/csv", (*female, "--csv"))
    yield Case("explain/any", (*female, "--any", "--limit", "3"))
    yield Case("explain/without", (*female, "--without", "--limit", "3"))
    yield Case("explain/system", ("explain", "audit", "rich/age", "--limit", "3"))
    yield Case("explain/head", ("explain", "audit", "rich/head.gendered/gender:male", "--limit", "3"))
    yield from _shown("gate/fails", "gate", "policy.yaml", "audit")
    yield Case("gate/junit", ("gate", "policy.yaml", "audit", "--all", "--junit", "gate.xml"))
    yield from _shown("gate/passes", "gate", "lenient.yaml", "audit")
    yield Case("gate/passes-all", ("gate", "lenient.yaml", "audit", "--all", "--junit", "gate.xml"))
    yield Case("gate/baseline", ("gate", "baseline.yaml", "v2", "--all"))
    yield from _shown("compare/versions", "compare", "v1", "v2", "--samples", "200")
    yield Case("compare/all", ("compare", "v1", "v2", "--samples", "200", "--all", "--margin", "0.05"))
    yield Case("compare/same", ("compare", "audit", "audit", "--samples", "50"))
    yield Case("report/page", ("report", "audit"))
    yield Case("report/html", ("report", "v2", "--html", "page.html"))
    yield Case("report/tables", ("report", "audit", *TABLES))
    yield Case("report/plots", ("report", "audit", "--plots", "plots"))
    yield Case(
        "sample/chosen", ("sample", "audit", "--category", "age", "--system", "rich", "--per-cell", "3")
    )
    yield Case("sample/json", ("sample", "audit", "--out", "drawn.csv", "--seed", "2", "--json"))
    yield from _shown("score/one", "score", "sheet.csv")
    yield from _shown("score/two", "score", "sheet.csv", "second-sheet.csv", "--half-width", "0.1")


def _parsed() -> Iterator[Case]:
    phrases = ("a pretty young man", "an old black woman with a beard", "a blorpy man", "a red bus")
    yield from _shown("parse/people", "parse", *phrases)
    yield Case("parse/reference", ("parse", *phrases[:2], "--parser", "reference"))
    yield Case("parse/stdin", ("parse", "-"), stdin="two happy girls\n\na group of tall men\n")
    for domain, phrase in (
        ("animals", "a small brown dog"),
        ("clothing", "a long red silk dress"),
        ("vehicles", "an old double-decker bus"),
    ):
        yield from _shown(f"parse/{domain}", "parse", phrase, "--domain", domain)


def _measured() -> Iterator[Case]:
    with_humans = (*SYSTEMS, *REFERENCES, *TRAIN)
    for command in ("diversity", "recall"):
        yield from _shown(f"{command}/assess", command, *with_humans)
        yield Case(f"{command}/files", (command, *with_humans, *TABLES))
        yield Case(f"{command}/plots", (command, *with_humans, "--plots", "plots"))
        yield from _shown(f"{command}/paper", command, *with_humans, "--mode", "paper")
        yield from _shown(f"{command}/intervals", command, *SYSTEMS, *REFERENCES, *FEW)
    yield Case("diversity/alone", ("diversity", "rich.jsonl"))
    yield Case("diversity/window", ("diversity", *SYSTEMS, "--window", "500", "--order", "file"))
    yield Case("recall/universal", ("recall", *with_humans, "--tagset", "universal", "--top", "5"))
    chosen = ("--classes", "3", "--least", "5", "--domain", "people")
    yield Case("recall/classes", ("recall", *SYSTEMS, *REFERENCES, *chosen))
    yield Case("recall/interval-files", ("recall", *SYSTEMS, *REFERENCES, *FEW, *TABLES))
    yield from _shown("errors/domain", "errors", *SYSTEMS, *REFERENCES, "--groups", "shifted.csv")
    by_words = ("errors", *SYSTEMS, "--groups", "gender=shifted.csv", "--words", "gender-words.tsv")
    yield from _shown("errors/words", *by_words, "--captions", "1")
    yield Case("errors/files", (*by_words, *TABLES, "--plots", "plots", "--out", "results"))
    nouns = ("--told-by", "nouns", "--captions", "0", "--resamples", "50")
    yield Case("errors/nouns", ("errors", "rich.jsonl", "--groups", "shifted.csv", *nouns))
    yield from _shown("syntax/assess", "syntax", *SYSTEMS, *REFERENCES)
    yield from _shown("syntax/paper", "syntax", *SYSTEMS, "--mode", "paper", "--lexicon", "lexicon.csv")
    yield Case("syntax/files", ("syntax", *SYSTEMS, *REFERENCES, *TABLES, "--plots", "plots"))
    told = (*SYSTEMS, *REFERENCES, *GENDER, "--resamples", "50")
    yield from _shown("leakage/gender", "leakage", *told, "--repeats", "3")
    yield Case(
        "leakage/files", ("leakage", *told, "--repeats", "2", *TABLES, "--plots", "plots", "--out", "results")
    )
    groups = ("--groups", "attributes.csv", "--resamples", "50", "--repeats", "2")
    yield Case("leakage/groups", ("leakage", "skewed.csv", *groups, "--mode", "paper", "--ngrams", "1"))
    yield from _shown("amplification/gender", "amplification", *told, "--least", "15")
    yield Case("amplification/files", ("amplification", *told, "--least", "15", *TABLES, "--plots", "plots"))
    objects = ("--objects", "objects.csv", "--groups", "attributes.csv", "--resamples", "50")
    yield Case("amplification/objects", ("amplification", "skewed.csv", *objects, "--least", "20"))
    yield Case("syntax/intervals", ("syntax", *SYSTEMS, "--tagset", "universal", *FEW))


def _scored() -> Iterator[Case]:
    yield from _shown("correlate/matrix", "correlate", "scores.csv", "--columns", "asl,types,CIDEr")
    yield Case("correlate/both", ("correlate", "scores.csv", "--method", "both", "--without", "CIDEr"))
    post = ("correlate", "scores.csv", "--post", "CIDEr", "--by", "dataset")
    yield from _shown("correlate/post", *post)
    yield Case("correlate/files", (*post, *TABLES, "--plots", "plots"))
    yield Case("correlate/matrix-files", ("correlate", "scores.csv", *TABLES, "--plots", "plots"))
    select = (
        "select",
        "gold.jsonl",
        "mine.jsonl",
        "second=other.jsonl",
        "--development",
        "development.jsonl",
    )
    few = ("--resamples", "50", "--draws", "3", "--most", "4")
    yield from _shown("select/systems", *select, "--domain", "people", *few)
    yield Case("select/files", (*select, *few, *TABLES, "--plots", "plots", "--out", "results"))
    yield Case(
        "select/sentences", ("select", "gold.jsonl", "--sentences", "size:2", "--out", "results", *few)
    )
    yield Case("select/bracketed", ("select", "figure.tsv", "--baseline", "none"))
    yield Case("select/measures", ("select", "gold.jsonl", "--measure", "P", "--measure", "R", *few))
    yield from _shown("pregen/means", "pregen", "probabilities.jsonl")
    yield Case("pregen/all", ("pregen", "probabilities.jsonl", "--all", "--paper-filter"))
    yield Case("pregen/metric", ("pregen", "probabilities.jsonl", "--metric", "mean_max_normcount_prefix0"))
    strata = ("--scores", "postgen/bland-images.jsonl", "--strata", "2")
    yield Case("pregen/strata", ("pregen", "p=probabilities.jsonl", *strata, "--out", "results", *TABLES))
    yield from _shown("postgen/example", "postgen", "bland.json", *REFERENCES)
    yield Case(
        "postgen/files", ("postgen", "bland.json", "skewed.csv", *REFERENCES, *TABLES, "--out", "results")
    )


def _domains() -> Iterator[Case]:
    food = ("meals.txt", "--domain", "food.yaml")
    yield Case("domain/new", ("domain", "new", "toys"))
    yield Case("domain/list", ("domain", "list"))
    yield Case("domain/list-json", ("domain", "list", "--json"))
    yield Case("domain/show-json", ("domain", "show", "food.yaml", "--json"))
    yield Case("domain/lint-json", ("domain", "lint", "failing.yaml", "--json"))
    yield Case("domain/test-json", ("domain", "test", "failing.yaml", "--json"))
    for domain in ("people", "animals", "clothing", "vehicles", "food.yaml"):
        name = domain.removesuffix(".yaml")
        yield Case(f"domain/lint-{name}", ("domain", "lint", domain))
        yield Case(f"domain/test-{name}", ("domain", "test", domain))
        yield Case(f"domain/compile-{name}", ("domain", "compile", domain))
        yield from _widths(f"domain/show-{name}", "domain", "show", domain)
    yield Case("domain/compile-out", ("domain", "compile", "food.yaml", "--out", "compiled.lark"))
    yield Case("domain/lint-strict", ("domain", "lint", "untold.yaml", "--strict"))
    yield from _widths("domain/lint-failing", "domain", "lint", "failing.yaml")
    yield Case("domain/lint-broken", ("domain", "lint", "broken.yaml"))
    yield Case("domain/test-failing", ("domain", "test", "failing.yaml"))
    yield from _shown("domain/coverage-food", "domain", "coverage", *food)
    yield Case("domain/coverage-people", ("domain", "coverage", "rich.jsonl", "--most", "10"))
    yield from _shown("domain/suggest-food", "domain", "suggest", *food, "--no-vectors")
    yield Case("domain/suggest-people", ("domain", "suggest", "rich.jsonl", "--most", "8", "--no-vectors"))
    yield Case("domain/assign", ("domain", "assign", *food, "--no-vectors"), stdin="1\ns\n1\nq\n")
    for source in ("nltk.cfg", "words.csv", "food.json"):
        name = source.replace(".", "-")
        yield Case(f"domain/import-{name}", ("domain", "import", source, "--out", "made.yaml"))
    for kind in ("cfg", "csv", "json", "spacy", "yaml"):
        yield Case(f"domain/export-{kind}", ("domain", "export", "food.yaml", "--to", kind))
        yield Case(f"domain/export-people-{kind}", ("domain", "export", "people", "--to", kind))
    yield from _shown("domain/agree-tables", "domain", "agree", "first.tsv", "second.tsv")
    yield from _shown("domain/agree-domains", "domain", "agree", "food.yaml", "untold.yaml")
    yield Case("domain/agree-shipped", ("domain", "agree", "people", "clothing", "--most", "10"))
    yield Case("schema/schema", ("schema",))


MISTAKES: dict[str, tuple[str, ...]] = {
    "no-file": ("audit", "nowhere.json"),
    "no-command": ("adit", "rich.jsonl"),
    "no-option": ("audit", "rich.jsonl", "--colour"),
    "no-argument": ("audit",),
    "no-domain": ("audit", "rich.jsonl", "--domain", "peeple"),
    "no-group": ("audit", "rich.jsonl", "--by", "gendre"),
    "no-model": ("audit", "rich.jsonl", "--model", "xx_nothing_sm"),
    "no-format": ("audit", "rich.jsonl", "--format", "xlsx"),
    "no-captions": ("audit", "empty.json"),
    "cut-json": ("coverage", "cut.json"),
    "no-caption-column": ("coverage", "nothing.csv"),
    "same-name-twice": ("audit", "a=rich.jsonl", "a=skewed.csv"),
    "broken-domain": ("audit", "rich.jsonl", "--domain", "broken.yaml"),
    "no-contrast": ("bias", "rich.jsonl", "--by", "gender", "--contrast", "female"),
    "no-audit": ("explain", "nowhere", "a/b"),
    "no-system": ("explain", "audit", "nobody/age"),
    "no-category": ("explain", "audit", "rich/agee"),
    "no-value": ("explain", "audit", "rich/age/femal"),
    "misspelt-policy": ("gate", "misspelt.yaml", "audit"),
    "no-policy": ("gate", "nowhere.yaml", "audit"),
    "nothing-shared": ("compare", "audit", "v1"),
    "plot-format": ("report", "audit", "--plots", "plots", "--plot-format", "gif"),
    "no-mode": ("diversity", "rich.jsonl", "--mode", "papers"),
    "no-references": ("recall", "rich.jsonl"),
    "other-images": ("recall", "rich.jsonl", "--references", "meals.txt"),
    "no-column": ("correlate", "scores.csv", "--post", "SPICE"),
    "no-metric": ("pregen", "probabilities.jsonl", "--metric", "mean"),
    "nothing-tells-groups": ("leakage", "rich.jsonl"),
    "no-such-value": ("leakage", "rich.jsonl", "--groups", "attributes.csv", "--contrast", "female,child"),
    "no-objects": ("amplification", "rich.jsonl", "--groups", "attributes.csv"),
    "no-baseline": ("select", "gold.jsonl", "--baseline", "sise"),
    "no-sheet": ("score", "nowhere.csv"),
    "no-groups": ("errors", "rich.jsonl"),
    "no-such-values": ("errors", "rich.jsonl", "--groups", "shifted.csv", "--by", "age"),
    "no-word-list": ("errors", "rich.jsonl", "--groups", "shifted.csv", "--words", "meals.txt"),
    "no-parser": ("parse", "a man", "--parser", "slow"),
    "already-there": ("domain", "new", "food"),
    "import-of-another-grammar": ("domain", "import", "food.cfg", "--out", "made.yaml"),
    "no-kind": ("domain", "export", "food.yaml", "--to", "xml"),
    "no-data": ("reproduce", "nowhere"),
    "no-part": ("reproduce", ".", "--only", "poetry"),
    "empty-data": ("reproduce", ".", "--only", "people"),
}


def _commands() -> Iterator[str]:
    from docs_tools.cli_page import commands

    yield "assess"
    yield "assess domain"
    yield from (name for name in commands() if name not in ("assess", "assess domain"))


def _helps() -> Iterator[Case]:
    yield Case("help/version", ("--version",))
    for command in _commands():
        words = command.split()
        yield Case(f"help/{'-'.join(words[1:]) or 'assess'}", (*words[1:], "--help"))


# --- Python ---


PARTS: dict[str, Callable[[Any], Any]] = {
    "audit": lambda audit: audit,
    "coverage": lambda audit: audit.coverage,
    "bias": lambda audit: audit.bias(),
    "diversity": lambda audit: audit.diversity,
    "recall": lambda audit: audit.recall,
    "explain": lambda audit: audit.explain("skewed/attractiveness/female", limit=3),
}
FORMS = ("__repr__", "__str__", "to_latex", "to_markdown", "_repr_html_", "to_json")


def _python_audit() -> dict[str, str]:
    """Return every part of an audit in every form."""
    import assess as package

    files = {"bland": Path("bland.json"), "skewed": Path("skewed.csv")}
    audit = package.audit(files, references="references.json", train="train.txt", by="gender", samples=200)
    parts = {name: choose(audit) for name, choose in PARTS.items()}
    return {
        f"{name}/{form.strip('_')}": getattr(part, form)() for name, part in parts.items() for form in FORMS
    }


def _python_parse() -> dict[str, str]:
    import assess as package

    phrases = ("a pretty young man", "a blorpy man")
    return {"readings": "".join(f"{package.parse(phrase)!r}\n" for phrase in phrases)}


def _doctor_keys() -> dict[str, str]:
    """Return only the keys: the values depend on the machine."""
    found = assess("doctor", "--json").json
    nested = {key: sorted(part) if isinstance(part, dict) else None for key, part in found.items()}
    return {"keys": json.dumps(nested, indent=2) + "\n"}


def _pythons() -> Iterator[Case]:
    yield Case("python/audit", python=_python_audit)
    yield Case("python/parse", python=_python_parse)
    yield Case("doctor/json", python=_doctor_keys)


def cases() -> list[Case]:
    """Return all cases."""
    mistakes = (Case(f"mistakes/{name}", argv) for name, argv in MISTAKES.items())
    parts = (
        _audits(),
        _saved(),
        _parsed(),
        _measured(),
        _scored(),
        _domains(),
        mistakes,
        _helps(),
        _pythons(),
    )
    found = [case for part in parts for case in part]
    found.append(Case("reproduce/list", ("reproduce", ".", "--list")))
    assert len({case.name for case in found}) == len(found), "two cases have the same name"
    return found


# --- running a case ---


def outputs(case: Case, prepared: Path, folder: Path) -> dict[str, str]:
    """Run a case in a new folder and return its outputs, by the names of their golden files."""
    before = _begin(case, prepared, folder)
    with contextlib.chdir(folder):
        if case.python is not None:
            return {f"{case.name}/{name}.txt": _short(text) for name, text in case.python().items()}
        with mock.patch("assess.report.plots.draw", _drawn):
            found = {f"{case.name}.txt": _short(_transcript(case))}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and before.get(path) != _state(path):
            name = f"{case.name}/{path.relative_to(folder).as_posix()}"
            found |= {f"{name}{suffix}.txt": _short(text) for suffix, text in _texts(path)}
    return found


def _begin(case: Case, prepared: Path, folder: Path) -> dict[Path, tuple[int, int]]:
    """Copy the small files, and the folders that occur in the command line; return their states."""
    asked = {word.partition("/")[0] for word in case.argv} | (
        {"v1"} if "baseline.yaml" in case.argv else set()
    )
    for path in prepared.iterdir():
        if path.is_file():
            shutil.copy2(path, folder)
        elif path.name in asked:
            shutil.copytree(path, folder / path.name)
    return {path: _state(path) for path in folder.rglob("*") if path.is_file()}


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _transcript(case: Case) -> str:
    # Otherwise messages would name the program that runs the tests: `python -m pytest`.
    with mock.patch.object(sys.modules["__main__"], "__package__", None, create=True):
        done = assess(*case.argv, stdin=case.stdin, columns=case.columns)
    parts = [f"$ assess {' '.join(case.argv)}\n", done.stdout]
    if done.stderr:
        parts += ["--- standard error\n", done.stderr]
    return "".join([*parts, f"--- exit code {done.code}\n"])


def _drawn(plot: Any, *, format_: str = "svg") -> bytes:
    """Return the contents of a plot, since drawings differ between versions of matplotlib."""
    drawn = {field.name: getattr(plot, field.name) for field in dataclasses.fields(plot)}
    for elsewhere in (
        "shown",
        "form",
        "meaning",
        "highest",
        "bounds",
        "peak",
    ):  # for the terminal and the page
        drawn.pop(elsewhere, None)
    shown = {"kind": type(plot).__name__, "format": format_, **drawn}
    return (json.dumps(shown, indent=1, default=_plain) + "\n").encode()


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else list(value)


INVISIBLE = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
DATA = re.compile(r'id="caption-data">([^<]*)</script>')


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the text of a file; for a page, its visible text and its data."""
    text = path.read_bytes().decode("utf-8")
    if path.suffix != ".html":
        yield "", text
        return
    lines = (
        " ".join(html.unescape(line).split()) for line in TAG.sub("\n", INVISIBLE.sub("", text)).split("\n")
    )
    yield "", "\n".join(filter(None, lines)) + "\n"
    if data := DATA.search(text):
        unpacked = json.loads(zlib.decompress(base64.b64decode(data[1])))
        yield ".data", json.dumps(unpacked, indent=1, ensure_ascii=False) + "\n"


# The last digits of a number depend on the processor.
_LONG_NUMBER = re.compile(r"-?\b\d+\.\d{12,}(?:e[+-]?\d+)?\b")


def _short(text: str) -> str:
    """Return a text; for a large one, its beginning and checksums that show where it has changed."""
    text = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.12g}", text)
    whole = text.encode()
    if len(whole) <= LARGE:
        return text
    lines = text.split("\n")
    kept = "\n".join(line[:WIDTH] for line in lines[:LINES])
    sums = "".join(f"--- {name}: sha256 {_sha(part)}\n" for name, part in _json_parts(text))
    return f"{kept}\n{sums}--- the whole: {len(lines)} lines, {len(whole)} bytes, sha256 {_sha(text)}\n"


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _json_parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a JSON object, two levels deep; nothing for other texts."""
    start, end = text.find("{"), text.rfind("}") + 1
    try:
        found = json.loads(text[start:end])
    except ValueError:
        return
    for key, value in found.items():
        inside = value if isinstance(value, dict) and len(value) <= 12 else {"": value}
        for name, part in inside.items():
            yield f"{key}.{name}".rstrip("."), json.dumps(part)


# --- regenerating ---


def main() -> None:
    """Regenerate all outputs, or those of the cases whose names begin with an argument."""
    asked = tuple(sys.argv[1:])
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.dict(os.environ, {"ASSESS_CACHE": f"{name}/cache", **WITHOUT_WORDNET}),
    ):
        prepared = Path(name, "prepared")
        prepared.mkdir()
        prepare(prepared)
        if not asked:
            shutil.rmtree(GOLDEN, ignore_errors=True)
        for number, case in enumerate(cases()):
            if asked and not case.name.startswith(asked):
                continue
            folder = Path(name, str(number))
            folder.mkdir()
            write(outputs(case, prepared, folder))
            shutil.rmtree(folder)


def write(found: dict[str, str]) -> None:
    """Write the golden files of a case."""
    for name, text in found.items():
        path = GOLDEN / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
