"""Help texts: commands in groups, whole sentences, colour in a terminal; and shell completion.

Formatted without rich, which would take longer to load than everything else that help needs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from assess.measures.settings import LARGEST

HELP_OPTIONS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""For the application; its commands inherit them."""

_LONGEST = 100_000  # longer than any sentence
_HEADING = re.compile(r"^(\S.*:)$", re.MULTILINE)
# A row in a list: an option with all of its names, or a command of one or two words.
_NAME = re.compile(
    r"^(  )(-[^\s,]+(?:, -[^\s,]+)*(?= |$)|[a-z][a-z-]*(?: [a-z-]+)?(?=  |$| [A-Z\[]))", re.MULTILINE
)
_EXAMPLE = re.compile(r"(?<=Example: )(assess.*(?:\n +\S.*)*)")


def coloured(text: str) -> str:
    """Return help with coloured headings, names and examples, if a terminal supports and allows colour."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    text = _HEADING.sub(lambda found: typer.style(found[1], bold=True), text)
    text = _NAME.sub(lambda found: found[1] + typer.style(found[2], fg="cyan"), text)
    return _EXAMPLE.sub(lambda found: typer.style(found[1], fg="green"), text)


OPTIONS, READING, RUNNING, OUTPUT = "Options", "Reading captions", "Running", "Output"
"""Headings of options; commands with few options only use the first."""
_FEW = 12


# What Typer shows for a parameter depends on its version, so these parts of help are formatted here.


def value_name(parameter: Any) -> str:
    """Return the placeholder for the value of an option or an argument; empty for a flag."""
    if getattr(parameter, "is_flag", False):
        return ""
    if parameter.metavar:
        return str(parameter.metavar)
    if isinstance(parameter.default, float):
        return "NUMBER"
    number = isinstance(parameter.default, int) or any(limit is not None for limit in _limits(parameter))
    return "N" if number else parameter.name.upper().replace("_", "-")


def argument_name(argument: Any) -> str:
    """Return an argument as shown in the usage line: in brackets if it is optional."""
    name = value_name(argument)
    return name if argument.required or name.startswith("[[") else f"[{name}]"


def default_text(option: Any) -> str:
    """Return the default of an option as shown in help; empty if there is none."""
    if option.required:
        return "required"
    if getattr(option, "is_flag", False) or option.default in (None, ()) or callable(option.default):
        return ""
    return str(option.default)


def option_groups(options: Iterable[Any]) -> dict[str, list[Any]]:
    """Return options grouped by heading, in the order of the headings."""
    shown = [option for option in options if not option.hidden]
    if len(shown) <= _FEW:
        return {OPTIONS: shown}
    groups: dict[str, list[Any]] = {OPTIONS: [], READING: [], RUNNING: [], OUTPUT: []}
    for option in shown:
        heading = getattr(option, "rich_help_panel", None)
        groups[heading if isinstance(heading, str) else OPTIONS].append(option)
    return {heading: members for heading, members in groups.items() if members}


def option_names(option: Any) -> str:
    """Return the names of an option, shortest first, and the placeholder for its value."""
    names = ", ".join(sorted([*option.opts, *option.secondary_opts], key=len))
    return f"{names} {value_name(option)}".rstrip()


def _limits(parameter: Any) -> tuple[Any, Any]:
    kind = parameter if hasattr(parameter, "min") else getattr(parameter, "type", None)
    most = getattr(kind, "max", None)
    return getattr(kind, "min", None), None if most == LARGEST else most  # practically no limit


def _described(option: Any) -> str:
    """Return the description of an option, with its default and possible values."""
    least, most = _limits(option)
    limits = "" if least is None else f"at least {least}" if most is None else f"{least} to {most}"
    default = default_text(option)
    if default and not option.required:
        default = f"default: {default}"
    extra = "; ".join(text for text in (default, limits) if text)
    return f"{option.help or ''}  [{extra}]" if extra else option.help or ""


class HelpfulCommand(TyperCommand):
    """A command with grouped options, and coloured help in a terminal."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        return coloured(super().get_help(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line after the name of the command."""
        arguments = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *map(argument_name, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, followed by the options by purpose."""
        parameters = self.get_params(ctx)
        arguments = [one for one in parameters if one.param_type_name == "argument"]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(
                    [(argument_name(one), getattr(one, "help", "") or "") for one in arguments]
                )
        groups = option_groups(one for one in parameters if one.param_type_name == "option")
        rows = {
            heading: [(option_names(one), _described(one)) for one in members]
            for heading, members in groups.items()
        }
        width = min(max(len(name) for group in rows.values() for name, _ in group), 30)
        for heading, group in rows.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in group])


class HelpfulGroup(TyperGroup):
    """Commands that are listed in groups, each with its complete first sentence."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        return coloured(super().get_help(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by purpose."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in _listed(self, ctx):
            heading = getattr(command, "rich_help_panel", None)
            heading = heading if isinstance(heading, str) else "Commands"
            groups.setdefault(heading, []).extend(_rows(name, command, ctx))
        # The first column has the same width in all groups, so that sentences are aligned.
        width = max((len(name) for rows in groups.values() for name, _ in rows), default=0)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])


def _listed(group: TyperGroup, ctx: Any) -> Iterator[tuple[str, Any]]:
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            yield name, command


def _rows(name: str, command: Any, ctx: Any) -> Iterator[tuple[str, str]]:
    """Yield a command, or the commands of a group in it, each with its first sentence."""
    if isinstance(command, TyperGroup):
        for inner, below in _listed(command, ctx):
            yield f"{name} {inner}", below.get_short_help_str(_LONGEST)
    else:
        yield name, command.get_short_help_str(_LONGEST)


def in_groups(app: typer.Typer, groups: dict[str, dict[str, Callable[..., None]]]) -> None:
    """Add commands to the application, under the headings of their groups."""
    for heading, commands in groups.items():
        for name, command in commands.items():
            app.command(name, cls=HelpfulCommand, rich_help_panel=heading)(command)


# Shell completion. Nothing is loaded before the user presses the tab key.


def domain_names(incomplete: str) -> list[str]:
    """Return the domains whose names begin so."""
    from assess.taxonomy.compose import known_domains

    return [domain.name for domain in known_domains() if domain.name.startswith(incomplete)]


def format_names(incomplete: str) -> list[str]:
    """Return the formats whose names begin with a text."""
    from assess.corpus.formats import format_names

    return [name for name in format_names() if name.startswith(incomplete)]


def group_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the groups of the command's domain whose names begin with a text."""
    from assess.errors import AssessError
    from assess.taxonomy import load_taxonomy

    try:
        taxonomy = load_taxonomy(str(ctx.params.get("domain") or "people"))
    except AssessError:  # a domain that cannot be read has no groups to complete
        return []
    return [name for name in taxonomy.groups if name.startswith(incomplete)]
