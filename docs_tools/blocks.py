"""Parsing a page: its blocks, the commands in them, and the expected outputs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(assess [^`]+)`")
CUT = "..."  # a line of its own in an output: lines were left out here
_EXIT = re.compile(r"#\s*exit code (\d+)\s*$")
_TOP_LEVEL = re.compile(r"^[a-z_]+:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: a file to write, a part of a file to replace, or commands to type."""

    language: str
    title: str | None
    text: str

    @property
    def is_session(self) -> bool:
        """Whether the block has commands: `console` with their outputs, `bash` without."""
        return self.language in ("console", "bash") and self.title is None


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, the expected output (None: any), and the exit code."""

    line: str
    promised: str | None
    code: int = 0

    @property
    def words(self) -> list[str]:
        """The words of the line, without its comment."""
        return shlex.split(self.line, comments=True)


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [block_of(match) for match in FENCE.finditer(text)]


def block_of(match: re.Match[str]) -> Block:
    """Return the block of a match."""
    return Block(match[1], match[2], match[3])


def prose(text: str) -> str:
    """Return a page without its fenced blocks."""
    return FENCE.sub("", text)


def commands(block: Block) -> Iterator[Command]:
    """Yield each command of a session."""
    if block.language == "console":
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            yield _command(line, output)
    else:
        for line in block.text.replace("\\\n", "").splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                yield _command(line.strip(), None)


def _command(line: str, promised: str | None) -> Command:
    code = _EXIT.search(line)
    return Command(line, promised, int(code[1]) if code else 0)


def neat(output: str) -> str:
    """Return an output without trailing spaces and surrounding empty lines."""
    return "\n".join(line.rstrip() for line in output.splitlines()).strip("\n") + "\n"


def keeps(promised: str, came: str) -> bool:
    """Return whether an output is as expected, where `...` stands for any lines."""
    parts = re.split(rf"^{re.escape(CUT)}\n", neat(promised), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, neat(came)) is not None


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
    if text.count(old) != 1:
        raise ValueError(f"the lines to change are there {text.count(old)} times:\n{old}")
    return text.replace(old, new)


def _sections(text: str) -> list[str]:
    """Return the parts of a YAML text, from each top-level key to the next, without comments in between."""
    starts = [match.start() for match in _TOP_LEVEL.finditer(text)]
    return [_without_tail(text[start:end]) for start, end in pairwise([*starts, len(text)])]


def _without_tail(section: str) -> str:
    lines = section.splitlines()
    while not lines[-1] or lines[-1].startswith("#"):
        lines.pop()
    return "\n".join(lines) + "\n"
