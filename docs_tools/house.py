"""Measure the size of the code base: `python -m docs_tools.house`; `make reference` writes docs/design.md."""

from __future__ import annotations

import ast
import io
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from inspect import CO_OPTIMIZED
from multiprocessing import get_context
from pathlib import Path
from types import CodeType
from unittest import mock

from docs_tools.made_files import EXAMPLE, ROOT
from docs_tools.markdown import fill, table

PAGE = ROOT / "docs" / "design.md"
PACKAGE = ROOT / "assess"
HEADINGS = ("what", "before", "aim", "after the redesign", "now")


def main() -> None:
    """Print the table."""
    print(house_table())


def write_page() -> None:
    """Insert the table into the page for maintainers."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(fill(page, {"house": house_table()}), encoding="utf-8")


def house_table() -> str:
    """Return what is counted, beside what it was and what it should be."""
    trees = read_modules(PACKAGE)
    lines = sum(map(line_count, trees))
    tests = sum(map(line_count, (ROOT / "tests").rglob("*.py")))
    imports = sum(map(import_lines, trees.values()))
    cold, warm = audit_modules()
    rows = (
        ("modules in `assess/`", "394", "200", "196", str(len(trees))),
        ("lines in `assess/`", "39,560", "30,000", "38,350", _rounded(lines)),
        ("lines per module", "100", "150–200", "196", f"{lines / len(trees):.0f}"),
        ("modules with one importer in their own folder", "76", "20", "20", str(len(one_importer(trees)))),
        ("modules that `assess audit --out` runs", "147", "90", "–", f"{cold}, with a warm cache {warm}"),
        ("lines that are imports", "9.4%", "6%", "7.1%", f"{imports / lines:.1%}"),
        (
            "files to add a diversity metric, a bias statistic, a report section",
            "4–7, 8–9, ~10",
            *("1, 1, 1",) * 3,
        ),
        ("lines of tests", "23,771", "17,000", "21,200", _rounded(tests)),
    )
    return table(HEADINGS, rows)


def _rounded(lines: int) -> str:
    return f"{round(lines, -2):,}"


def read_modules(package: Path) -> dict[Path, ast.Module]:
    """Return the syntax of every module of a package."""
    return {file: ast.parse(file.read_bytes()) for file in sorted(package.rglob("*.py"))}


def line_count(file: Path) -> int:
    """Return the lines of a file, blank ones too."""
    return len(file.read_text(encoding="utf-8").splitlines())


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def import_lines(tree: ast.Module) -> int:
    """Return the number of lines in import statements, including those in functions."""
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in _imports(tree))


def one_importer(trees: dict[Path, ast.Module]) -> list[Path]:
    """Return the modules that a single other module imports, also in a function, from the same folder."""
    root = min((file.parent for file in trees), key=lambda folder: len(folder.parts)).parent
    files = {_name(file.relative_to(root)): file for file in trees}
    importers: defaultdict[Path, set[Path]] = defaultdict(set)
    for file, tree in trees.items():
        for name in _imported(tree):
            if name in files and files[name] != file:
                importers[files[name]].add(file)
    return [
        file
        for file in trees
        if file.stem != "__init__" and [one.parent for one in importers[file]] == [file.parent]
    ]


def _name(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _imported(tree: ast.Module) -> Iterable[str]:
    """Return the names that may be modules: a package is also named by what is imported from it."""
    for node in _imports(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def audit_modules() -> tuple[int, int]:
    """Return in how many modules an audit of the example calls a function: with an empty cache, and again."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, {"ASSESS_CACHE": f"{folder}/cache"}),
    ):
        cold, warm = (_in_new_process(f"{folder}/{name}") for name in ("cold", "warm"))
    return cold, warm


def _in_new_process(out: str) -> int:
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_run_modules, out).result()


def _run_modules(out: str) -> int:
    from docs_tools.in_process import run_here

    called: set[CodeType] = set()
    given = [str(EXAMPLE / name) for name in ("bland.json", "rich.jsonl", "skewed.csv")]
    given += ["--references", str(EXAMPLE / "references.json"), "--train", str(EXAMPLE / "train.txt")]
    sys.setprofile(lambda frame, event, _: called.add(frame.f_code) if event == "call" else None)
    try:
        code = run_here(["audit", *given, "--out", out], stdout=io.StringIO(), stderr=sys.stderr)
    finally:
        sys.setprofile(None)
    if code:
        sys.exit("assess audit failed")
    files = {Path(code.co_filename) for code in called if code.co_flags & CO_OPTIMIZED}
    return len({file for file in files if file.suffix == ".py" and file.is_relative_to(PACKAGE)})


if __name__ == "__main__":
    main()
