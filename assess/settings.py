"""What a caller may choose: declared once for the command line, Python and the documentation.

    @dataclass(frozen=True)
    class DiversitySettings(Settings):
        window: Annotated[int, Option("--window", "Tokens per type-token ratio.", least=1)] = 1000

The command line turns each field into an option, Python into a keyword argument; both check it here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, Self, get_args, get_origin, get_type_hints

from assess.errors import UsageError, visible


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line spells a setting, and what it means."""

    name: str
    help: str
    metavar: str | None = None
    least: int | None = None
    most: int | None = None
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """The base of all settings: frozen dataclasses whose fields are annotated with an `Option`."""

    def __post_init__(self) -> None:
        for name, (kind, option) in declared(type(self)).items():
            _check(getattr(self, name), kind, option)

    @classmethod
    def chosen(cls, **values: Any) -> Self:
        """Return settings from keyword arguments, or an error that lists those there are."""
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise UsageError(f"there is no setting '{visible(name)}'", hint=f"choose {', '.join(known)}")
        return cls(**values)


def declared(settings: type[Settings]) -> dict[str, tuple[Any, Option]]:
    """Return the type and the option of each field."""
    found = {}
    for name, hint in get_type_hints(settings, include_extras=True).items():
        if get_origin(hint) is Annotated:
            kind, *notes = get_args(hint)
            for note in notes:
                if isinstance(note, Option):
                    found[name] = (kind, note)
    return found


def choices(kind: Any) -> tuple[str, ...]:
    """Return the values of a literal type, also where it may be None; none of any other type."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(choice for part in get_args(kind) for choice in choices(part))


def _check(value: Any, kind: Any, option: Option) -> None:
    named = choices(kind)
    for one in value if isinstance(value, list | tuple) else [value]:
        if named and one is not None and one not in named:
            message = f"{option.name} is {' or '.join(named)}, not '{visible(str(one), 40)}'"
            raise UsageError(message, hint=f"{option.name} {named[0]}")
    if option.least is not None and isinstance(value, int) and value < option.least:
        raise UsageError(f"{option.name} is at least {option.least}, not {value}")
    if option.most is not None and isinstance(value, int) and value > option.most:
        raise UsageError(f"{option.name} is at most {option.most}, not {value}")
