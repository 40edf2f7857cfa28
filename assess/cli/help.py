"""Help: commands in groups, whole sentences, colour on a terminal; and what a shell can complete.

Drawn without rich, which would take longer to load than everything else that help needs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

HELP_OPTIONS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""For the application; its commands take them over."""

_LONGEST = 100_000  # more than any sentence has
_HEADING = re.compile(r"^(\S.*:)$", re.MULTILINE)
# A row of a list: an option with its other names, or a command of one or two words.
_NAME = re.compile(r"^(  )((?:-\S+(?:, -\S+)*)|[a-z][a-z-]*(?: [a-z-]+)?)(?=  |$| [A-Z\[<])", re.MULTILINE)
_EXAMPLE = re.compile(r"(?<=Example: )(assess.*(?:\n +\S.*)*)")


def coloured(text: str) -> str:
    """Return help with headings, names and examples in colour, where a terminal shows it and wants it."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    text = _HEADING.sub(lambda found: typer.style(found[1], bold=True), text)
    text = _NAME.sub(lambda found: found[1] + typer.style(found[2], fg="cyan"), text)
    return _EXAMPLE.sub(lambda found: typer.style(found[1], fg="green"), text)


class HelpfulCommand(TyperCommand):
    """A command whose help is coloured on a terminal."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        return coloured(super().get_help(ctx))


class HelpfulGroup(TyperGroup):
    """Commands that are listed in groups, each with its whole first sentence."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        return coloured(super().get_help(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, by what they are for."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in _listed(self, ctx):
            heading = getattr(command, "rich_help_panel", None)
            heading = heading if isinstance(heading, str) else "Commands"
            groups.setdefault(heading, []).extend(_rows(name, command, ctx))
        # Names of all groups are as wide as the widest, so that their sentences begin in one column.
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
    """Yield a command, or the commands of a group in it, each with its sentence."""
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


# What a shell completes. Nothing is loaded before somebody presses the tab key.


def domain_names(incomplete: str) -> list[str]:
    """Return the domains whose names begin so."""
    from assess.taxonomy.compose import known_domains

    return [domain.name for domain in known_domains() if domain.name.startswith(incomplete)]


def format_names(incomplete: str) -> list[str]:
    """Return the formats whose names begin so."""
    from assess.corpus.formats import format_names

    return [name for name in format_names() if name.startswith(incomplete)]


def group_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the groups of the command's domain whose names begin so."""
    from assess.errors import AssessError
    from assess.taxonomy import load_taxonomy

    try:
        taxonomy = load_taxonomy(str(ctx.params.get("domain") or "people"))
    except AssessError:  # a domain that cannot be read has no groups to offer
        return []
    return [name for name in taxonomy.groups if name.startswith(incomplete)]
