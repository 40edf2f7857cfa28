"""The pages whose commands are run: the files that they need, and the commands that cannot be run here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from docs_tools import made_files
from docs_tools.made_files import ROOT, example_as

Prepare = Callable[[Path], None]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
RESEARCH_DATA = ROOT.parent / "shared" / "data"

_INSTALLS = "installs the project into an environment of its own; continuous integration does it"
_CLUSTER = "needs a cluster"

# The commands that no test runs, and why. A command that is neither here nor runs fails the test.
NOT_RUN: dict[str, str] = {
    "make demo": _INSTALLS,
    "make demo    # sets up an environment, installs assess, audits the bundled example": _INSTALLS,
    "make test    # sets up an environment, installs assess, runs all tests": _INSTALLS,
    "make test    # everything must be green": _INSTALLS,
    "make lint    # ruff and mypy, both strict": _INSTALLS,
    "pip install .": _INSTALLS,
    "pip install 'assess-captions[dask]'": _INSTALLS,
    "dask scheduler                                          # shows tcp://HOST:8786": _CLUSTER,
    "dask worker tcp://HOST:8786 --nworkers 8 --nthreads 1   # on every machine": _CLUSTER,
    "assess coverage crawl=/shared/crawl/ --engine dask --scheduler tcp://HOST:8786": _CLUSTER,
    "pip install 'assess-captions[studio]'": _INSTALLS,
    "assess domain new food --from food.n.01 --captions captions.txt": "needs WordNet, which CI has not",
    "assess domain studio captions.txt --domain food.yaml": "needs a terminal; tests/test_domain_studio.py",
    "assess domain coverage captions.txt --domain food.yaml --watch": "stays until an interrupt",
    "assess reproduce research-data": "minutes of both cores; tests/test_cli_reproduce.py runs its parts",
}


def page_name(page: Path) -> str:
    """Return the name of a page as the tables below have it."""
    return page.relative_to(ROOT).as_posix()


def prepare(page: Path, folder: Path) -> None:
    """Prepare a folder with the files that the page needs."""
    PREPARED.get(page_name(page), _nothing)(folder)


def between(page: Path, line: str, folder: Path) -> None:
    """Prepare the folder for a command of the page."""
    BEFORE.get((page_name(page), line), _nothing)(folder)


def _nothing(folder: Path) -> None:
    """Most pages need nothing: they write what they use."""


def _readme(folder: Path) -> None:
    example_as(folder, bland="model-a.json", rich="outputs/b.jsonl", references="captions_val2014.json")


def _compared(folder: Path) -> None:
    example_as(folder, bland="model1.json", rich="model2.json", skewed="model3.json")
    example_as(folder, references="val2014.json", train="train2014.json")
    made_files.score_table(folder)


def _gates(folder: Path) -> None:
    example_as(folder, skewed="captions.json")
    shutil.copyfile(ROOT / "examples" / "policy.yaml", folder / "policy.yaml")


def _grammar(folder: Path) -> None:
    example_as(folder, bland="system.json")
    shutil.copytree(ROOT / "grammars", folder / "grammars")


def _photos(folder: Path) -> None:
    (folder / "photos").mkdir()
    (folder / "photos" / "100010.jpg").write_bytes(b"")


def _pregen(folder: Path) -> None:
    example_as(folder, bland="captions.json", references="captions_val2014.json")
    made_files.probabilities(folder)


def _research(folder: Path) -> None:
    (folder / "research-data").symlink_to(RESEARCH_DATA)


def _research_and_captions(folder: Path) -> None:
    _research(folder)
    example_as(folder, bland="captions.json")


NEEDS_RESEARCH = {"reproducing.md", "readings.md", "papers-categories.md"}
"""Pages whose commands read the papers' data."""
PREPARED: dict[str, Prepare] = {
    "README.md": _readme,
    "docs/quick-start.md": lambda folder: example_as(folder, skewed="mine.csv"),
    "docs/auditing.md": made_files.clone,
    "docs/comparing-systems.md": made_files.clone,
    "docs/coverage.md": lambda folder: example_as(folder, rich="captions.txt"),
    "docs/gates-in-ci.md": _gates,
    "docs/grammar.md": _grammar,
    "docs/leakage.md": _compared,
    "docs/measures.md": _compared,
    "docs/scaling.md": _compared,
    "docs/pregen.md": _pregen,
    "docs/content-selection.md": made_files.selections,
    "docs/reproducing.md": _research,
    "docs/readings.md": _research_and_captions,
    "docs/papers-categories.md": _research,
}

# What somebody does between two commands.
BEFORE: dict[tuple[str, str], Prepare] = {
    ("docs/auditing.md", "assess score sheet.csv sheet-of-second-rater.csv"): made_files.rated_sheets,
    ("docs/auditing.md", "assess report audit --images photos"): _photos,
}
