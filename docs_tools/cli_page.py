"""The page of commands and options, from the command line itself."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from assess.cli.main import app
from assess.cli.process import EXIT_CODES
from docs_tools.markdown import code, page, table


def cli_page() -> str:
    """Return every command with its arguments and options."""
    introduction = (
        "This page lists every command and option. Pass caption files as `[NAME=]PATH`; `-` is"
        " standard input. Results go to standard output, notes and warnings to standard error."
        " With `--json`, standard output contains a single JSON object ([structure](json.md))."
        " `--debug`, anywhere on the command line, or `ASSESS_DEBUG=1` in the environment shows"
        " the traceback of an error.\n\n"
        + table(("exit code", "meaning"), [(str(number), what) for number, what in EXIT_CODES.items()])
    )
    return page(
        "Command line", introduction, (_section(name, command) for name, command in commands().items())
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


def _section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    shown = " ".join(_argument(argument) for argument in arguments)
    parts = [f"## {name}", code(f"{name} {shown}".strip()), _help(command)]
    if arguments:
        rows = [(code(_argument(argument)), getattr(argument, "help", "") or "") for argument in arguments]
        parts.append(table(("argument", "description"), rows))
    if options:
        parts.append(table(("option", "default", "description"), [_option(option) for option in options]))
    return "\n\n".join(parts)


def _help(command: Any) -> str:
    """Return what the command says of itself; its example becomes code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(
        f"Example: {code(' '.join(text.removeprefix('Example: ').split()))}"
        if text.startswith("Example: ")
        else text
        for text in paragraphs
    )


def _argument(argument: Any) -> str:
    name = argument.metavar or (argument.name or "").upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _option(option: Any) -> tuple[str, str, str]:
    names = ", ".join(sorted([*option.opts, *option.secondary_opts], key=len))
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    repeated = " May be repeated." if option.multiple else ""
    return code(f"{names}{value}"), _default(option), f"{option.help or ''}{repeated}"


def _default(option: Any) -> str:
    if option.required:
        return "required"
    if option.is_flag or option.default in (None, ()) or callable(option.default):
        return ""
    return code(str(option.default))
