"""Options that belong together, declared once: a command takes a dataclass, its users see single options.

    @dataclass(frozen=True)
    class Reading:
        format: options.Format = None
        split: options.Split = None

    @bundled
    def coverage(files: options.Files, reading: Reading, as_json: options.AsJson = False) -> None: ...

The command has `--format`, `--split` and `--json`, and is called with one `Reading`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

Command = Callable[..., None]


def bundled(command: Command) -> Command:
    """Return a command that takes the fields of its dataclasses one by one, in their place."""
    hints = get_type_hints(command, include_extras=True)
    bundles = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    expanded: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        for single in _expanded(bundles[name]) if name in bundles else [_keyword(parameter, hints[name])]:
            assert single.name not in expanded, f"{command.__name__} has two options called {single.name}"
            expanded[single.name] = single

    @wraps(command)
    def unbundled(**values: Any) -> None:
        taken = {name: _taken(bundle, values) for name, bundle in bundles.items()}
        command(**values, **taken)

    unbundled.__signature__ = inspect.Signature(list(expanded.values()))  # type: ignore[attr-defined]
    unbundled.__annotations__ = {name: single.annotation for name, single in expanded.items()}
    return unbundled


def _keyword(parameter: inspect.Parameter, hint: Any) -> inspect.Parameter:
    # By keyword only, so that an option without a default may stand behind one that has it.
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint)


def _expanded(bundle: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(bundle)
    ]


def _taken(bundle: Any, values: dict[str, Any]) -> Any:
    """Take the fields of a bundle out of the values, and return the bundle."""
    return bundle(**{field.name: values.pop(field.name) for field in fields(bundle)})
