"""The page of commands and options, generated from the command line."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import typer

from assess.cli.help import OUTPUT, READING, RUNNING, argument_name, default_text, option_names
from assess.cli.main import app
from assess.cli.process import EXIT_CODES
from docs_tools.markdown import code, page, table

Row = tuple[str, str, str]
Shared = dict[str, dict[Row, None]]
_COLUMNS = ("option", "default", "description")
_MANY = 5
"""Commands that say the same of an option, from which on it is explained once."""


def cli_page() -> str:
    """Return every command with its arguments and options; those that many commands share are listed once."""
    listed = commands()
    shared = _shared(listed.values())
    introduction = (
        "This page lists every command and option. Pass caption files as `[NAME=]PATH`; `-` is"
        " standard input. Results go to standard output, notes and warnings to standard error."
        " With `--json`, standard output contains a single JSON object ([structure](json.md))."
        " `--debug`, anywhere on the command line, or `ASSESS_DEBUG=1` in the environment shows"
        " the traceback of an error.\n\n"
        + table(("exit code", "meaning"), [(str(number), what) for number, what in EXIT_CODES.items()])
        + "\n\n## Shared options\n\nMany commands take these options; the section of a command names them"
        " without repeating what they mean."
    )
    for heading, rows in shared.items():
        introduction += f"\n\n### {heading}\n\n{table(_COLUMNS, list(rows))}"
    return page(
        "Command line", introduction, (_section(name, command, shared) for name, command in listed.items())
    )


# Typer brings its own copy of the classes of Click, so nothing here asks what class something is.
def commands() -> dict[str, Any]:
    """Return every command by its full name."""
    return dict(_below(typer.main.get_command(app), "assess"))


def _below(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
    else:
        for name, one in inner.items():
            yield from _below(one, f"{path} {name}")


def _shared(listed: Iterable[Any]) -> Shared:
    """Return, by heading, the options that stand under it with the same words in most commands."""
    counts: dict[str, Counter[Row]] = {heading: Counter() for heading in (READING, RUNNING, OUTPUT)}
    for command in listed:
        for option in _options(command):
            if option.rich_help_panel in counts:
                counts[option.rich_help_panel][_option(option)] += 1
    return {
        heading: {row: None for row, times in rows.items() if times >= _MANY}
        for heading, rows in counts.items()
    }


def _options(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option"]


def _section(name: str, command: Any, shared: Shared) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    shown = " ".join(map(argument_name, arguments))
    parts = [f"## {name}", code(f"{name} {shown}".strip()), _help(command)]
    if arguments:
        rows = [(code(argument_name(one)), getattr(one, "help", "") or "") for one in arguments]
        parts.append(table(("argument", "description"), rows))
    rows_of_options = [_option(option) for option in _options(command)]
    elsewhere = {row for rows in shared.values() for row in rows}
    if own := [row for row in rows_of_options if row not in elsewhere]:
        parts.append(table(_COLUMNS, own))
    taken = []
    for heading, members in shared.items():
        if names := [_name(row) for row in rows_of_options if row in members]:
            taken.append(f"[{heading}](#{heading.lower().replace(' ', '-')}): {', '.join(names)}.")
    if taken:
        parts.append("\n".join(f"- {line}" for line in taken))
    return "\n\n".join(parts)


def _name(row: Row) -> str:
    words = row[0].strip("`").removeprefix("<code>").replace(",", "").split()
    return code(next(word for word in words if word.startswith("--")))


def _help(command: Any) -> str:
    """Return the description of a command, with its example as code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(
        f"Example: {code(' '.join(text.removeprefix('Example: ').split()))}"
        if text.startswith("Example: ")
        else text
        for text in paragraphs
    )


def _option(option: Any) -> Row:
    repeated = " May be repeated." if option.multiple and "be repeated" not in (option.help or "") else ""
    default = default_text(option)
    if default and not option.required:
        default = code(default)
    return code(option_names(option)), default, f"{option.help or ''}{repeated}"
