"""Executing a page: files are written, edits made, commands run."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from docs_tools.blocks import Block, Command, commands, patched, replaced
from docs_tools.in_process import run_here

COLUMNS = 80
_SHELL = frozenset("|<&;$*")


@dataclass(frozen=True, slots=True)
class Done:
    """A command and its output (standard output and standard error together)."""

    command: Command
    output: str
    code: int


class Session:
    """Executes the blocks of a page in a folder, from top to bottom."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._last: Done | None = None

    def follow(self, block: Block, skipped: frozenset[str] = frozenset()) -> Iterator[Done]:
        """Execute a block. Yield the result of each command, except skipped ones."""
        if block.is_session:
            for command in commands(block):
                if command.line not in skipped:
                    yield self.type(command)
        elif block.title is not None:
            self._edit(self.folder / block.title, block)

    def _edit(self, file: Path, block: Block) -> None:
        self._last = None
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        change = {"yaml": replaced, "diff": patched}.get(block.language)
        file.write_text(change(before, block.text) if change and before else block.text, encoding="utf-8")

    def type(self, command: Command) -> Done:
        """Run a command; if it is repeated to show another part of its output, it runs only once."""
        if self._last is None or self._last.command.line != command.line:
            self._last = self._run(command)
        return self._last

    def _run(self, command: Command) -> Done:
        """Run a command: in this process if it is only ours, otherwise in a shell."""
        words = command.words
        if words[0] == "cd":
            self.folder = self.folder / words[1]
            return Done(command, "", 0 if self.folder.is_dir() else 1)
        plain = shlex.split(command.line, comments=True, posix=False)
        if words[0] == "assess" and not any(_SHELL & set(word) for word in plain if word[0] not in "'\""):
            if ">" not in plain:
                return Done(command, *output_of(words[1:], self.folder))
            with (self.folder / words[-1]).open("w", encoding="utf-8") as file:
                return Done(command, *output_of(words[1:-2], self.folder, file))
        return Done(command, *_run_in_shell(command.line, self.folder))


def output_of(arguments: list[str], folder: Path, file: TextIO | None = None) -> tuple[str, int]:
    """Run our command line here. Results go to a file where one is given, as after `>`."""
    out = io.StringIO()
    code = run_here(arguments, stdout=file or out, stderr=out, folder=folder, columns=COLUMNS)
    return out.getvalue(), code


def _run_in_shell(line: str, folder: Path) -> tuple[str, int]:
    ours = f'assess() {{ {shlex.quote(sys.executable)} -m assess "$@"; }}\n'
    done = subprocess.run(  # noqa: S603 - the commands are those of our own pages
        ["/bin/bash", "-c", ours + line],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "PYTHONWARNINGS": "error"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return done.stdout, done.returncode
