"""The help of every command, shell completion, and that no text names a missing command."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from assess.cli import help as cli_help
from assess.cli.main import app
from assess.errors import some
from tests.commands import assess

ROOT = Path(__file__).resolve().parents[1]
# A command that a text tells people to run: in code, after a prompt or a colon, or on a line of its own.
NAMED = re.compile(r"(?:`|\$ |: |^ *)assess ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?", re.MULTILINE)
Words = tuple[str, ...]


def commands(group: Any, above: Words = ()) -> Iterator[tuple[Words, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*above, name))
        else:
            yield (*above, name), command


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_of_a_command_has_sentences_and_an_example(words: Words) -> None:
    command = COMMANDS[words]
    shown = assess(*words, "-h", columns=100)
    assert (shown.code, shown.stderr) == (0, "")
    assert shown.stdout == assess(*words, "--help", columns=100).stdout
    text = " ".join(shown.stdout.split())
    assert f"Example: assess {' '.join(words)}" in text
    sentences = [" ".join(command.help.split("\n\n")[0].split()), *(o.help for o in command.params if o.help)]
    for sentence in sentences:
        assert re.match(r"[A-Z-]", sentence), sentence
        assert sentence.rstrip().endswith("."), sentence
        assert sentence.split(".")[0] in text


def test_commands_stand_in_groups_with_their_whole_sentences() -> None:
    shown = assess("-h", columns=100).stdout
    headings = re.findall(r"^(\S.*):$", shown, re.MULTILINE)
    assert headings == ["Options", "Audit", "Measure", "Write a domain", "Papers", "Tools"]
    text = " ".join(shown.split())
    for words, command in COMMANDS.items():
        first = " ".join(command.help.split("\n\n")[0].split())
        assert f"{' '.join(words)} {first.rstrip('.')}" in text
    assert "..." not in shown.partition("Audit:")[2]
    assert max(map(len, shown.splitlines())) <= 100


def test_colour_is_only_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Options:\n  -d, --domain <str>  A name.\n  domain new  Begin.\n\n  Example: assess demo"
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert cli_help.coloured(text) == text
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    shown = cli_help.coloured(text)
    for coloured in ("Options:", "-d, --domain", "domain new", "assess demo"):
        assert re.search(rf"\x1b\[\d+m{coloured}\x1b\[0m", shown), coloured
    assert re.sub(r"\x1b\[\d+m", "", shown) == text
    monkeypatch.setenv("NO_COLOR", "1")
    assert cli_help.coloured(text) == text


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("assess audit x.json --domain v", {"vehicles"}),
        ("assess domain lint an", {"animals"}),
        ("assess bias x.json --by g", {"gender"}),
        ("assess bias x.json --domain nothing --by g", set()),
        ("assess coverage x.json --format web", {"webdataset"}),
        ("assess dom", {"domain"}),
    ],
)
def test_a_shell_completes_names(typed: str, offered: set[str]) -> None:
    code = "import sys; sys.argv = ['assess']; from assess.cli.main import run; run()"
    asked = {
        "_ASSESS_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **asked}, check=False
    )
    assert set(done.stdout.split()) == offered, done.stderr


def texts() -> Iterator[tuple[str, str]]:
    """Yield what people read: pages, help and messages, and the page's template and script."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    shipped = [path for suffix in ("js", "j2", "html") for path in ROOT.glob(f"assess/**/*.{suffix}")]
    for path in [*pages, *shipped]:
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in ROOT.glob("assess/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            # Not a string that is nothing but two words: that is a title.
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) > 2:
                yield str(path.relative_to(ROOT)), node.value


def test_every_command_that_a_text_names_is_there() -> None:
    known = {words[0] for words in COMMANDS}
    inner = {words[:2] for words in COMMANDS if len(words) > 1}
    groups = {words[0] for words in inner}
    named = {(*found.groups(), place) for place, text in texts() for found in NAMED.finditer(text)}
    assert len(named) > 100
    wrong = {
        (first, second, place)
        for first, second, place in named
        if first not in known or (first in groups and second and (first, second) not in inner)
    }
    assert not wrong


@pytest.mark.parametrize(
    ("number", "thing", "expected"),
    [
        (1, "category", "1 category"),
        (0, "category", "0 categories"),
        (1024, "box", "1,024 boxes"),
        (2, "day", "2 days"),
        (3, "match", "3 matches"),
    ],
)
def test_things_are_counted_in_words(number: int, thing: str, expected: str) -> None:
    assert some(number, thing) == expected
