"""The tutorial is run: its files are written, its edits made, its commands typed, its outputs compared.

`python -m tests.test_docs_tutorial` writes the outputs anew; read the difference before you believe it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from assess.annotate.vectors import vectors_package
from assess.metrics.wordnet import find_wordnet

pytestmark = pytest.mark.model
TUTORIAL = Path(__file__).resolve().parents[1] / "docs" / "writing-a-domain.md"
FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOP_LEVEL = re.compile(r"^[a-z_]+:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: a file to write, a part of a file to replace, or a session to repeat."""

    language: str
    title: str | None
    text: str


def blocks(text: str) -> list[Block]:
    return [Block(match[1], match[2], match[3]) for match in FENCE.finditer(text)]


def commands(session: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a session with its output."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def replaced(text: str, part: str) -> str:
    """Return a YAML text with the top-level keys of a part in place of its own, new ones at the end."""
    for section in _sections(part):
        key = section.partition(":")[0]
        own = next((old for old in _sections(text) if old.partition(":")[0] == key), None)
        text = text.replace(own, section) if own is not None else f"{text.rstrip()}\n\n{section}"
    return text


def patched(text: str, change: str) -> str:
    """Return a text in which the lines with a minus are replaced by those with a plus."""
    old, new = (
        "".join(line[1:] for line in change.splitlines(keepends=True) if line[0] == mark) for mark in "-+"
    )
    assert text.count(old) == 1
    return text.replace(old, new)


def _sections(text: str) -> list[str]:
    """Return the parts of a YAML text, from each top-level key to the next, without comments in between."""
    starts = [match.start() for match in TOP_LEVEL.finditer(text)]
    return [_without_tail(text[start:end]) for start, end in pairwise([*starts, len(text)])]


def _without_tail(section: str) -> str:
    lines = section.splitlines()
    while not lines[-1] or lines[-1].startswith("#"):
        lines.pop()
    return "\n".join(lines) + "\n"


def run(command: str, folder: Path) -> str:
    """Return what a command prints, without spaces at the ends of lines."""
    environment = {
        **os.environ,
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PYTHONWARNINGS": "error",
        "XDG_CACHE_HOME": str(folder / ".cache"),
    }
    ours = f'assess() {{ {shlex.quote(sys.executable)} -m assess "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", ours + command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return neat(done.stdout)


def neat(output: str) -> str:
    """Return an output without spaces at the ends of lines and empty lines at its end."""
    return "\n".join(line.rstrip() for line in output.splitlines()).rstrip() + "\n"


def follow(block: Block, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Do what a block says. Yield each command, the output that is promised, and that which came."""
    if block.language == "console":
        for command, promised in commands(block.text):
            yield command, neat(promised), run(command, folder)
        return
    assert block.title is not None, f"a block of {block.language} without a file"
    file = folder / block.title
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    change = {"yaml": replaced, "diff": patched}.get(block.language)
    file.write_text(change(before, block.text) if change else block.text, encoding="utf-8")


def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    if vectors_package() or find_wordnet():
        pytest.skip("word vectors or WordNet are installed: suggestions are better than the tutorial shows")
    done = 0
    for block in blocks(TUTORIAL.read_text(encoding="utf-8")):
        for command, promised, came in follow(block, tmp_path):
            assert came == promised, f"$ {command}"
            done += 1
    assert done >= 12


def rewritten(text: str, folder: Path) -> str:
    """Return the tutorial with the outputs that its commands have now."""

    def renew(match: re.Match[str]) -> str:
        block = Block(match[1], match[2], match[3])
        session = "".join(f"$ {command}\n{came.lstrip()}" for command, _, came in follow(block, folder))
        return f"```console\n{session}```" if block.language == "console" else match[0]

    return FENCE.sub(renew, text)


def test_parts_are_replaced_and_the_rest_is_left() -> None:
    text = "a: 1\n\n# about b\nb:\n  - x\n# about c\nc: 3\n"
    assert replaced(text, "b:\n  - y\n") == "a: 1\n\n# about b\nb:\n  - y\n# about c\nc: 3\n"
    assert replaced(text, "d: 4\n").endswith("c: 3\n\nd: 4\n")
    assert patched(text, "-  - x\n+  - y\n+  - z\n") == text.replace("  - x\n", "  - y\n  - z\n")


def test_the_reader_of_sessions_sees_commands_and_outputs() -> None:
    found = blocks('text\n```console\n$ one\nout\n\n$ two\n```\n```text title="a.txt"\nhello\n```\n')
    assert [block.title for block in found] == [None, "a.txt"]
    assert list(commands(found[0].text)) == [("one", "out\n\n"), ("two", "")]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        TUTORIAL.write_text(rewritten(TUTORIAL.read_text(encoding="utf-8"), Path(name)), encoding="utf-8")
