"""All measures by name: built-in ones, those of other packages, and those that a script adds.

A measure consists of a function from captions and settings to a result, and sections that present the result.
A registered measure has a command, a place in audits and on the page, and all output formats. Another package
offers one through the entry-point group `assess.measures`. Imports are deferred, because numpy and scipy are
slow to load.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assess.errors import UsageError, visible
from assess.measures.settings import Settings

if TYPE_CHECKING:
    from assess.measures.measure import Result
    from assess.report.quantity import Quantity
    from assess.report.section import Section


@dataclass(frozen=True)
class Measure:
    """A measure, as a value."""

    name: str  # its key in audits, and the name of its command and function unless `verb` is set
    title: str
    result: type[Result]
    sections: Callable[[Any], Sequence[Section]]
    quantities: Callable[[], Mapping[str, Sequence[Quantity[Any]]]]  # by headings of the reference page
    settings: type[Settings] = Settings
    run: Callable[..., Result] | None = None  # for captions; None if the input is something else
    help: str = ""
    verb: str = ""  # the name of the command and the function, as in select
    write_details: Callable[[Any, Path], None] | None = None  # writes files next to the JSON for --out

    @property
    def command(self) -> str:
        """The name of its command."""
        return self.verb or self.name


_BUILT_IN = {
    "errors": "assess.measures.errors.run",
    "diversity": "assess.measures.diversity.view",
    "recall": "assess.measures.recall.view",
    "syntax": "assess.measures.syntax.run",
    "leakage": "assess.measures.leakage.view",
    "amplification": "assess.measures.amplification.run",
    "postgen": "assess.measures.postgen.run",
    "selection": "assess.measures.selection.view",
    "pregen": "assess.measures.pregen.view",
    "correlation": "assess.measures.correlation.run",
}
"""The modules that define a `MEASURE`."""
_COMPOSED = {"audit": "assess.audits.sections", "reproduce": "assess.reproduce.run"}
"""Results that consist of the results of measures."""
GROUP = "assess.measures"
_registered: dict[str, Measure] = {}


def register_measure(measure: Measure) -> None:
    """Add a measure to the current process."""
    if measure.name in names():
        raise UsageError(f"a measure '{visible(measure.name)}' already exists")
    _registered[measure.name] = measure


def names() -> list[str]:
    """Return the names of all measures, built-in ones first."""
    return [*_BUILT_IN, *others()]


def others() -> list[str]:
    """Return the names of the measures that are not built in."""
    return [*_offered(), *_registered]


def offered() -> dict[str, str]:
    """Return the measures of other packages, each with the name of its package."""
    return {name: _package(point) for name, point in _offered().items()}


def forget_offers() -> None:
    """Search again for measures of other packages, in case one was installed."""
    _offered.cache_clear()
    _loaded.cache_clear()


def unregister_measure(name: str) -> None:
    """Remove a measure that a script added."""
    _registered.pop(name, None)


def find_measure(name: str) -> Measure:
    """Return a measure by name."""
    if name in _registered:
        return _registered[name]
    ours = _BUILT_IN | _COMPOSED
    if name in ours:
        found: Measure = importlib.import_module(ours[name]).MEASURE
        return found
    if name in _offered():
        return _loaded(name)
    raise UsageError(f"there is no measure '{visible(name)}'", hint=f"the measures are {', '.join(names())}")


@cache
def _offered() -> dict[str, Any]:
    """Return the entry points of other packages without loading them."""
    # Imported here because few commands need it and it is slow to import.
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in _BUILT_IN}


@cache
def _loaded(name: str) -> Measure:
    point = _offered()[name]
    package = _package(point)
    try:
        found = point.load()
    except Exception as error:  # code of other packages can fail in any way
        hint = f"update or remove the package {package}"
        raise UsageError(
            f"the measure '{visible(name)}' of {package} cannot be loaded: {error}", hint=hint
        ) from None
    if not isinstance(found, Measure):
        raise UsageError(f"the entry point '{visible(name)}' of {package} is not a Measure")
    return found


def _package(point: Any) -> str:
    return str(point.dist.name if point.dist else point.value)
