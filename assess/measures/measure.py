"""Results of measures, which are saved, shown, and returned to Python users."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_serializer, model_serializer

from assess.annotate.model import ModelIdentity
from assess.corpus import CaptionReader, Source
from assess.engine.jobs import Engine, Job, Progress, SourceCounts
from assess.errors import MissingPartError, UsageError, visible
from assess.measures.registry import Measure, find_measure
from assess.measures.settings import LARGEST, Settings
from assess.report.html.parts import html_part, section_charts
from assess.report.plots import PlotFormat, write_plots
from assess.report.quantity import Quantity, number_charts, quantity_table, values_of
from assess.report.section import Note, Section, plots_of, tables_of
from assess.report.tables import latex_document, markdown_document, write_csv
from assess.report.text import dump, number
from assess.signature import InputIdentity, Signature
from assess.whole_files import write_whole

Target = str | os.PathLike[str]
Number = Annotated[float, BeforeValidator(number)]
"""A number that is null in JSON if it is undefined, and a text if it is infinite."""


class Model(BaseModel):
    """The base class of all results and their parts."""

    model_config = ConfigDict(frozen=True)
    if_known: ClassVar[tuple[str, ...]] = ()  # fields that JSON omits if they are None

    @model_serializer(mode="wrap")
    def _known(self, dump_model: Callable[[Model], dict[str, Any]]) -> dict[str, Any]:
        found = dump_model(self)
        for key in self.if_known:
            if not found.get(key):
                found.pop(key, None)
        return self._ordered(found)

    def _ordered(self, found: dict[str, Any]) -> dict[str, Any]:
        return found


def saved_json(text: str) -> Any:
    """Return what the JSON of a saved result contains; raises a ValueError for counts that no corpus has."""
    return json.loads(text, parse_int=_whole_number)


def _whole_number(digits: str) -> int:
    found = int(digits)
    if abs(found) > LARGEST:
        raise ValueError("a number is too large")
    return found


def path_of(given: Target, name: str) -> str:
    """Return a path or another text that Python users give for an argument."""
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f"{name} must be text, not {visible(repr(given), 40)}")
    return os.fspath(given)


class Row(Model):
    """The numbers of one system by the keys of their quantities, and other facts about it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a number, or the default if it is missing."""
        return getattr(self, key, default)

    def _ordered(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return the fields with numbers first."""
        numbers = {key: found.pop(key) for key in self.model_extra or ()}
        return numbers | {key: value for key, value in found.items() if value is not None}


class Shown(ABC):
    """Something that has sections, and therefore all output formats."""

    @abstractmethod
    def sections(self) -> Sequence[Section]:
        """Return the sections that present it to a reader."""

    @property
    @abstractmethod
    def depends_on(self) -> str:
        """The signature as a line."""

    def to_latex(self, path: Target | None = None) -> str:
        """Return tables for a paper, with booktabs; also write them where a path is given."""
        document = latex_document(tables_of(self.sections(), "paper"), signature=self.depends_on)
        return _delivered(document, path)

    def to_markdown(self, path: Target | None = None) -> str:
        """Return tables for Markdown; also write them where a path is given."""
        document = markdown_document(tables_of(self.sections(), "paper"), signature=self.depends_on)
        return _delivered(document, path)

    def to_csv(self, folder: Target) -> None:
        """Write one file per table, with exact values."""
        write_csv(
            tables_of(self.sections(), "csv"), Path(path_of(folder, "folder")), signature=self.depends_on
        )

    def to_plots(self, folder: Target, *, format: PlotFormat = "svg") -> list[Path]:  # noqa: A002 - its name
        """Draw plots into a folder; needs the extra `plots`."""
        return write_plots(plots_of(self.sections()), Path(path_of(folder, "folder")), format_=format)

    def to_pandas(self, table: str | None = None) -> Any:
        """Return a table as a data frame with exact values: the named table, or the first one."""
        named = {found.name: found for found in tables_of(self.sections(), "csv")}
        if table is not None and table not in named:
            raise UsageError(f"there is no table '{visible(table)}'", hint=f"there are {', '.join(named)}")
        chosen = named[table] if table is not None else next(iter(named.values()))
        keys = [column.key for column in chosen.columns]
        return data_frame(([cell.value for cell in row] for row in chosen.rows), keys)

    def __repr__(self) -> str:
        names = ", ".join(table.name for table in tables_of(self.sections(), "csv"))
        return f"<{type(self).__name__}: tables {names}>"

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        parts = (
            html_part(section.title, section.tables("page"), signature=self.depends_on)
            + section_charts(section)
            for section in self.sections()
        )
        return "".join(map(str, parts))


class Result(Shown, Model):
    """The result of a measure: in memory, in files, in the JSON Schema, and for Python users."""

    measure: ClassVar[str]  # name of the measure in the registry

    if_known: ClassVar[tuple[str, ...]] = ("intervals",)

    signature: Signature
    warnings: tuple[str, ...] = Field((), exclude=True)  # the notes that readers should see first

    @field_serializer("signature")
    def _signature_as_saved(self, signature: Signature) -> dict[str, Any]:
        return signature.as_dict()

    def sections(self) -> Sequence[Section]:
        """Return the sections that present the result to a reader."""
        first, *others = find_measure(self.measure).sections(self)
        notes = (Note(note, warning=True) for note in self._unread())
        return [replace(first, parts=(*first.parts, *notes)), *others]

    @property
    def depends_on(self) -> str:
        """The signature as a line."""
        return self.signature.as_line()

    def urgent_notes(self) -> Sequence[str]:
        """Return the notes to show to a person even if a program reads the result."""
        return [*self.warnings, *self._unread()]

    def _unread(self) -> list[str]:
        return [note for item in self.signature.inputs if (note := item.unread_note())]

    def __getitem__(self, system: str) -> Any:
        """Return the numbers of a system, if the result has numbers by system."""
        systems: Mapping[str, Any] = getattr(self, "systems", {})
        return systems[system]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the command's `--json` as a Python object."""
        return {key: value for key, value in self.model_dump().items() if value is not None}

    def to_json(self, path: Target | None = None) -> str:
        """Return the JSON text of the command's `--json`; also writes it if a path is given."""
        return _delivered(dump(self.to_dict()) + "\n", path)


def data_frame(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> Any:
    """Return rows as a data frame; raises an error if pandas is not installed."""
    if importlib.util.find_spec("pandas") is None:
        raise MissingPartError("data frames need pandas, which is not installed", hint="pip install pandas")
    import pandas

    return pandas.DataFrame(list(rows), columns=list(columns))


def _delivered(text: str, path: Target | None) -> str:
    if path is not None:
        write_whole(Path(path_of(path, "path")), text)
    return text


Read = TypeVar("Read", bound=SourceCounts)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The captions that a measure reads, and how it reads them."""

    systems: Sequence[Source]
    references: Sequence[Source] = ()
    training: Sequence[Source] = ()
    engine: Engine | None = None  # None for measures of other packages, which read captions in their own way
    progress: Progress | None = None

    @property
    def all_sources(self) -> list[Source]:
        """All sources, in the order in which they are read."""
        return [*self.training, *self.systems, *self.references]

    @property
    def running(self) -> Engine:
        """The engine of a measure of ours."""
        assert self.engine is not None
        return self.engine

    @property
    def model(self) -> ModelIdentity:
        """The model that annotates the captions."""
        return self.running.annotations.identity

    def read(self, job: Job[Read], sources: Sequence[Source]) -> dict[str, Read]:
        """Run a job on some of the sources, and return the results by their names."""
        return self.running.run(job, sources, progress=self.progress)


class CaptionNumbers(Result):
    """Numbers of each system's captions."""

    systems: dict[str, Row]


def measure_of_captions(name: str, title: str, quantities: Sequence[Quantity[Any]]) -> Measure:
    """Return a measure whose quantities are each computed from the captions of one system, as a list."""

    def run(inputs: Inputs, _settings: Settings) -> Result:
        readers = [CaptionReader(source) for source in (*inputs.systems, *inputs.references)]
        rows = {reader.source.name: Row(**values_of(quantities, list(reader))) for reader in readers}
        summaries = [reader.summary for reader in readers]
        read = tuple(InputIdentity.of(found) for found in summaries)
        found: Result = kind(signature=Signature(inputs=read), systems=rows)
        return found

    def sections(result: CaptionNumbers) -> list[Section]:
        tables = dict.fromkeys(quantity.table for quantity in quantities if quantity.table)
        parts = [quantity_table(table, title, quantities, result.systems, brief=True) for table in tables]
        return [Section(name, title, (*number_charts(quantities, result.systems), *parts))]

    kind = type(f"{title.title().replace(' ', '')}Result", (CaptionNumbers,), {"measure": name})
    return Measure(name, title, kind, sections, lambda: {title: quantities}, run=run)
