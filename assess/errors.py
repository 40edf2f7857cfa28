"""Errors that state where the problem is, what it is, and what to do.

Library functions raise `AssessError`; only `assess.cli` prints one and exits. An error contains one or more
problems, so that all mistakes in a file are reported together.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar


def visible(text: str, limit: int = 160) -> str:
    """Return text that is safe on a terminal: one line, no control characters, at most `limit` long.

    Captions and file names are untrusted; escape sequences in them must not reach a terminal.
    """
    text = str(text)  # Python users may give anything
    shown = "".join(_visible_character(character) for character in text[: limit + 1])
    return shown if len(text) <= limit else shown[: limit - 1] + "…"


def harmless(text: str) -> str:
    """Return text whose only control characters are line ends."""
    return "\n".join("".join(map(_visible_character, line)) for line in text.split("\n"))


def some(number: int, thing: str) -> str:
    """Return a count with a noun: 1 category, 3 categories, 1,024 boxes."""
    return f"{number:,} {thing if number == 1 else _plural(thing)}"


def _plural(thing: str) -> str:
    if thing.endswith("y") and thing[-2] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith(("x", "s", "ch", "sh")) else f"{thing}s"


def _visible_character(character: str) -> str:
    if character in "\t\n\r":
        return " "
    # Cc: control (ANSI escapes, NUL); Cf: bidirectional overrides and other invisible formatting;
    # Cs: lone surrogates, which cannot be encoded; Zl/Zp: line separators.
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        # Joiners and variation selectors combine emoji and are harmless.
        return character if character in "\u200c\u200d" else "\N{REPLACEMENT CHARACTER}"
    return character


@dataclass(frozen=True, slots=True)
class Place:
    """A location in the input: a file, and a line and column or a record number in it."""

    file: str
    line: int | None = None  # counted from 1
    column: int | None = None  # counted from 1, in characters
    record: int | None = None  # counted from 1: number of the caption, row or object in the file
    source: str | None = None  # the text of that line, to show with a caret

    def __str__(self) -> str:
        text = visible(self.file)
        if self.line is not None:
            text += f":{self.line}"
            if self.column is not None:
                text += f":{self.column}"
        if self.record is not None:
            text += f": record {self.record}"
        return text


@dataclass(frozen=True, slots=True)
class Problem:
    """A single mistake: what is wrong, where, and what to do about it."""

    message: str
    place: Place | None = None
    hint: str | None = None

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.message}" if self.place else self.message]
        if self.place and self.place.source is not None:
            lines += _caret(self.place.source, self.place.column)
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def _caret(source: str, column: int | None) -> list[str]:
    """Return the source line and a caret below its column, truncated around the caret."""
    start = 0
    if column is not None and column > 100:
        start = column - 60
    shown = visible(source[start:], 120)
    lines = [f"  | {shown}"]
    if column is not None:
        lines.append("  | " + " " * max(0, column - 1 - start) + "^")
    return lines


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return distinct problems, sorted by place."""

    def position(problem: Problem) -> tuple[str, int, int]:
        place = problem.place
        return (place.file, place.line or 0, place.column or 0) if place else ("", 0, 0)

    return sorted(dict.fromkeys(problems), key=position)


class AssessError(Exception):
    """Something that the user can fix. Its text is complete: no traceback is needed."""

    def __init__(
        self, message: str | Iterable[Problem], *, place: Place | None = None, hint: str | None = None
    ) -> None:
        problems = [Problem(message, place, hint)] if isinstance(message, str) else message
        self.problems = tuple(problems)
        super().__init__(str(self))

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class InputError(AssessError):
    """A caption file, table or other input that cannot be read."""


class NoCaptionsError(InputError):
    """An input that can be read but is empty."""


class TaxonomyError(AssessError):
    """Mistakes in a taxonomy file."""


class GrammarError(AssessError):
    """Mistakes in a grammar file."""


class UsageError(AssessError):
    """A call or command line that cannot work as given."""


Choice = TypeVar("Choice", bound=str)


def one_of(value: str, choices: Sequence[Choice], *, option: str) -> Choice:
    """Return the choice with this value; raises an error that lists the choices."""
    for choice in choices:
        if value == choice:
            return choice
    from difflib import get_close_matches  # only mistakes need it

    *most, last = choices
    named = f"{', '.join(most)} or {last}" if most else last
    close = get_close_matches(str(value), choices, n=1)
    message = f"{option} must be {named}, not '{visible(str(value), 40)}'"
    raise UsageError(message, hint=f"{option} {close[0] if close else choices[0]}")


class MissingPartError(AssessError):
    """An optional part (a model, an extra) is not installed; the hint says what to install."""


DISTRIBUTION = "assess-captions"
"""The name of this package for installers; `assess` is another package."""


def install_extra(name: str) -> str:
    """Return the command that installs an optional part."""
    return f"pip install '{DISTRIBUTION}[{name}]'"
