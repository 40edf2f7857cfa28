"""What a measure is: captions and settings in, one result out, and sections that show it.

A measure that is registered has a command, a Python function, a place in audits and on the page, and all
formats. Another package registers one through the entry-point group `assess.measures`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, field_serializer, model_serializer

from assess.corpus import Source
from assess.errors import MissingPartError, UsageError, visible
from assess.report.csv import write_csv
from assess.report.files import dump, write_whole
from assess.report.html.table import html_part
from assess.report.latex import latex_document
from assess.report.markdown import markdown_document
from assess.report.plots import PlotFormat, write_plots
from assess.report.quantity import Quantity
from assess.report.section import Section, plots_of, tables_of
from assess.report.text import number
from assess.settings import Settings
from assess.signature import Signature

Number = Annotated[float, BeforeValidator(number)]
"""A number that JSON may have as null, which is undefined, or as a text, which is infinite."""


class Model(BaseModel):
    """The base of all results and their parts."""

    model_config = ConfigDict(frozen=True)


class Row(Model):
    """The numbers of one system by the keys of their quantities, and what else is known of it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a number, or a default where there is none."""
        return getattr(self, key, default)

    @model_serializer(mode="wrap")
    def _numbers_first(self, dump_model: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
        found = dump_model(self)
        numbers = {key: found.pop(key) for key in self.model_extra or ()}
        return numbers | {key: value for key, value in found.items() if value is not None}


class Result(Model):
    """What a measure found: in memory, saved, documented in the JSON Schema, and what Python users get."""

    measure: ClassVar[str]  # its name in the registry

    signature: Signature

    @field_serializer("signature")
    def _signature_as_saved(self, signature: Signature) -> dict[str, Any]:
        return signature.as_dict()

    def sections(self) -> Sequence[Section]:
        """Return what the result looks like to a reader."""
        return find_measure(self.measure).sections(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with `--json`, as Python has it."""
        found = self.model_dump()
        return {key: value for key, value in found.items() if value is not None}

    def to_json(self, path: Path | str | None = None) -> str:
        """Return what the command prints with `--json`; also write it where a path is given."""
        return _delivered(dump(self.to_dict()) + "\n", path)

    def to_latex(self, path: Path | str | None = None) -> str:
        """Return tables for a paper, with booktabs; also write them where a path is given."""
        line = self.signature.as_line()
        return _delivered(latex_document(tables_of(self.sections(), "paper"), signature=line), path)

    def to_markdown(self, path: Path | str | None = None) -> str:
        """Return tables for Markdown; also write them where a path is given."""
        line = self.signature.as_line()
        return _delivered(markdown_document(tables_of(self.sections(), "paper"), signature=line), path)

    def to_csv(self, folder: Path | str) -> None:
        """Write one file per table, with exact values."""
        write_csv(tables_of(self.sections(), "csv"), Path(folder), signature=self.signature.as_line())

    def to_plots(self, folder: Path | str, *, format: PlotFormat = "svg") -> list[Path]:  # noqa: A002 - its name
        """Draw plots into a folder; needs the extra `plots`."""
        return write_plots(plots_of(self.sections()), Path(folder), format_=format)

    def to_pandas(self, table: str | None = None) -> Any:
        """Return a table, by its name, as a data frame with exact values; the first one if none is named."""
        named = {found.name: found for found in tables_of(self.sections(), "csv")}
        if table is not None and table not in named:
            raise UsageError(f"there is no table '{visible(table)}'", hint=f"there are {', '.join(named)}")
        chosen = named[table] if table is not None else next(iter(named.values()))
        keys = [column.key for column in chosen.columns]
        return data_frame(([cell.value for cell in row] for row in chosen.rows), keys)

    def _repr_html_(self) -> str:
        line = self.signature.as_line()
        parts = (
            html_part(section.title, section.tables("page"), signature=line) for section in self.sections()
        )
        return "".join(map(str, parts))


def data_frame(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> Any:
    """Return rows as a data frame of pandas, which need not be there."""
    if importlib.util.find_spec("pandas") is None:
        raise MissingPartError("data frames need pandas, which is not installed", hint="pip install pandas")
    import pandas

    return pandas.DataFrame(list(rows), columns=list(columns))


def _delivered(text: str, path: Path | str | None) -> str:
    if path is not None:
        write_whole(Path(path), text)
    return text


@dataclass(frozen=True, slots=True)
class Inputs:
    """The captions that a measure reads."""

    systems: Sequence[Source]
    references: Sequence[Source] = ()
    training: Sequence[Source] = ()


@dataclass(frozen=True)
class Measure:
    """A measure, as a value."""

    name: str  # of its command, its function and its key in audits
    title: str
    result: type[Result]
    sections: Callable[[Any], Sequence[Section]]
    quantities: Callable[[], Mapping[str, Sequence[Quantity[Any]]]]  # by the titles of the reference page
    settings: type[Settings] = Settings
    run: Callable[..., Result] | None = None  # of captions; None where the input is something else
    help: str = ""
    registered_by: str = field(default="assess", compare=False)  # the package it comes from


_BUILT_IN = {
    "diversity": "assess.measures.diversity.view",
    "selection": "assess.measures.selection.view",
    "pregen": "assess.measures.pregen.view",
    "correlation": "assess.measures.correlation.view",
}
"""The modules that hold a `MEASURE`; imported when one is needed, as numpy and scipy take a while to load."""
GROUP = "assess.measures"
_registered: dict[str, Measure] = {}


def register_measure(measure: Measure) -> None:
    """Add a measure for as long as this process runs."""
    if measure.name in names():
        raise UsageError(f"there is a measure '{visible(measure.name)}' already")
    _registered[measure.name] = measure


def names() -> list[str]:
    """Return the names of all measures, ours first."""
    return [*_BUILT_IN, *_offered(), *_registered]


def find_measure(name: str) -> Measure:
    """Return a measure by its name."""
    if name in _registered:
        return _registered[name]
    if name in _BUILT_IN:
        found: Measure = importlib.import_module(_BUILT_IN[name]).MEASURE
        return found
    if name in _offered():
        return _loaded(name)
    raise UsageError(f"there is no measure '{visible(name)}'", hint=f"there are {', '.join(names())}")


def all_measures() -> Iterator[Measure]:
    """Yield all measures."""
    return map(find_measure, names())


@cache
def _offered() -> dict[str, Any]:
    """Return what other packages offer, not yet loaded."""
    return {point.name: point for point in entry_points(group=GROUP) if point.name not in _BUILT_IN}


@cache
def _loaded(name: str) -> Measure:
    point = _offered()[name]
    package = point.dist.name if point.dist else point.value
    try:
        found = point.load()
    except Exception as error:  # the code is not ours, and may fail in any way
        hint = f"update or remove the package {package}"
        raise UsageError(
            f"the measure '{visible(name)}' of {package} cannot be loaded: {error}", hint=hint
        ) from None
    if not isinstance(found, Measure):
        raise UsageError(f"the entry point '{visible(name)}' of {package} is no Measure")
    return found
