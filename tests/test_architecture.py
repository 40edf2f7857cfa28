"""The house rules about imports and modules."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "assess"
# Rooms in the order of the data's way: a later one may import an earlier one, never the reverse.
ROOMS = (
    "errors",
    "records",
    "resources",
    "shelf",
    "corpus",
    "taxonomy",
    "grammar",
    "annotate",
    "metrics",
    "audit",
    "signature",
    "engine",
    "pipeline",
    "report",
    "api",
    "cli",
)
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: Path) -> str:
    part = module.relative_to(PACKAGE).parts[0]
    return part.removesuffix(".py")


def imports_of(module: Path) -> set[str]:
    """Return the rooms that a module imports, at the top or inside functions."""
    rooms = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        rooms |= {name.split(".")[1] for name in names if name.startswith("assess.") and name != "assess."}
    return rooms & set(ROOMS)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(module: Path) -> None:
    room = room_of(module)
    if room in ("__init__", "__main__"):
        return
    later = {other for other in imports_of(module) if ROOMS.index(other) > ROOMS.index(room)}
    assert not later, f"{module} imports {sorted(later)}, which come later on the data's way"


@pytest.mark.parametrize(
    ("package", "room"),
    [("spacy", "annotate"), ("lark", "grammar"), ("typer", "cli"), ("yaml", "taxonomy")],
)
def test_only_one_room_knows_a_package(package: str, room: str) -> None:
    strangers = [
        str(module.relative_to(PACKAGE))
        for module in MODULES
        if room_of(module) != room and package in _packages_of(module)
    ]
    assert not strangers


def _packages_of(module: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_command_line_prints_and_exits(module: Path) -> None:
    if room_of(module) == "cli":
        return
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"print", "exit", "quit", "input"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_stay_small(module: Path) -> None:
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= 330, f"{module} has {lines} lines: look for two rooms in one"


def test_the_command_line_starts_without_heavy_packages() -> None:
    heavy = "{'spacy', 'scipy', 'nltk', 'lark', 'numpy'}"
    code = f"import sys, assess.cli.main; print(sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_parsing_a_phrase_needs_neither_annotation_nor_statistics() -> None:
    heavy = "{'spacy', 'scipy', 'nltk', 'numpy'}"
    code = (
        "import sys; sys.argv = ['assess', 'parse', 'a man', '--json'];"
        "import assess.cli.main, atexit;"
        f"atexit.register(lambda: print(sorted({heavy} & set(sys.modules)), file=sys.stderr));"
        "assess.cli.main.run()"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stderr.strip() == "[]"


def test_no_room_is_a_junk_drawer() -> None:
    assert not [module for module in MODULES if module.stem in {"utils", "util", "helpers", "misc", "common"}]
