"""The rules about imports and modules."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs_tools.house import PAGE, import_lines, one_importer, read_modules

PACKAGE = Path(__file__).resolve().parents[1] / "assess"
# Packages in the order of the data flow: a package may import only those before it.
ROOMS = (
    "errors",
    "limits",
    "records",
    "whole_files",
    "disk_cache",
    "corpus",
    "taxonomy",
    "grammar",
    "annotate",
    "signature",
    "engine",
    "report",
    "measures",
    "audits",
    "domain",
    "reproduce",
    "api",
    "cli",
)
CONFIDANTS = {"spacy": "annotate", "lark": "grammar", "typer": "cli", "yaml": "taxonomy"}
"""Libraries that only one of our packages may import."""


@dataclass(frozen=True)
class Module:
    """The facts about a module that the rules check."""

    name: str
    room: str
    lines: int
    rooms: frozenset[str]  # our packages that it imports, at the top or inside functions
    packages: frozenset[str]  # that it imports
    calls: frozenset[str]  # names of the functions that it calls


def read(path: Path) -> Module:
    name, text = str(path.relative_to(PACKAGE)), path.read_text(encoding="utf-8")
    imported, calls = set(), set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            imported |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.add(node.func.id)
    parts = [name.split(".") for name in imported]
    return Module(
        name=name,
        room=_room(Path(name)),
        lines=len(text.splitlines()),
        rooms=frozenset(part[1] for part in parts if part[0] == "assess" and part[1:]) & set(ROOMS),
        packages=frozenset(part[0] for part in parts),
        calls=frozenset(calls),
    )


def _room(path: Path) -> str:
    """Return the package of a module; command modules belong to the command line."""
    return "cli" if "command" in path.stem else path.parts[0].removesuffix(".py")


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    return [read(path) for path in sorted(PACKAGE.rglob("*.py"))]


def test_imports_point_one_way(modules: list[Module]) -> None:
    """A module imports only its own package and those that precede it in the data flow."""
    later = {
        module.name: wrong
        for module in modules
        if module.room not in ("__init__", "__main__")
        and (wrong := {room for room in module.rooms if ROOMS.index(room) > ROOMS.index(module.room)})
    }
    assert later == {}


@pytest.mark.parametrize(("package", "room"), CONFIDANTS.items())
def test_only_one_room_knows_a_package(modules: list[Module], package: str, room: str) -> None:
    assert [m.name for m in modules if m.room != room and package in m.packages] == []


def test_only_the_command_line_prints_and_exits(modules: list[Module]) -> None:
    talking = {"print", "exit", "quit", "input"}
    assert [m.name for m in modules if m.room != "cli" and m.calls & talking] == []


def test_nothing_that_runs_code_is_read_from_files(modules: list[Module]) -> None:
    """Stored files contain only data: a pickle can run any code, and similar formats can crash Python."""
    forbidden = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
    assert {m.name for m in modules if m.packages & forbidden} == set()


def test_modules_stay_small(modules: list[Module]) -> None:
    """A longer module should probably be split in two."""
    assert {m.name: m.lines for m in modules if m.lines > 450} == {}


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


def test_no_room_is_a_junk_drawer(modules: list[Module]) -> None:
    drawers = {"utils", "util", "helpers", "misc", "common"}
    assert [module.name for module in modules if Path(module.name).stem in drawers] == []


def test_the_house_is_counted_as_the_page_says(tmp_path: Path) -> None:
    package = tmp_path / "house"
    (package / "room").mkdir(parents=True)
    for name, text in {
        "__init__": "",
        "top": "from house.room import door\n",
        "room/__init__": "",
        "room/door": "def open():\n    from house.room.lock import (\n        key,\n    )\n",
        "room/lock": "import os\n\nkey = os.sep\n",
    }.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    trees = read_modules(package)
    assert {file.name: import_lines(tree) for file, tree in trees.items() if import_lines(tree)} == {
        "top.py": 1,
        "door.py": 3,
        "lock.py": 1,
    }
    # Only this function needs the lock; others call it.
    assert [file.name for file in one_importer(trees)] == ["lock.py"]
    assert "<!-- house -->\n| what | before |" in PAGE.read_text(encoding="utf-8")
