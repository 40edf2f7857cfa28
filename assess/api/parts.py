"""The parts of an audit, as Python and notebooks see them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assess.audit.drilldown import Example
from assess.errors import MissingPartError, UsageError, visible
from assess.report.json_text import dump
from assess.report.latex import latex_document
from assess.report.markdown import markdown_document
from assess.report.table import ReportTable
from assess.report.table_html import html_examples, html_part

_SHOWN = 20  # captions in a notebook


@dataclass(frozen=True, repr=False)
class Part:
    """A part of an audit: its numbers as `audit.json` has them, and tables for people."""

    title: str
    data: Mapping[str, Any]
    tables: tuple[ReportTable, ...]  # as a paper shows them
    everything: tuple[ReportTable, ...]  # with all rows
    signature: str

    def to_pandas(self, table: str | None = None) -> Any:
        """Return a table, by its name, as a data frame with exact values; the first one if none is named."""
        named = {found.name: found for found in self.everything}
        if table is not None and table not in named:
            raise UsageError(f"there is no table '{visible(table)}'", hint=f"there are {', '.join(named)}")
        chosen = named[table] if table is not None else self.everything[0]
        keys = [column.key for column in chosen.columns]
        return data_frame(([cell.value for cell in row] for row in chosen.rows), keys)

    def to_json(self) -> str:
        """Return the numbers as JSON."""
        return dump(self.data)

    def to_latex(self) -> str:
        """Return the tables for LaTeX, with booktabs."""
        return latex_document(self.tables, signature=self.signature)

    def to_markdown(self) -> str:
        """Return the tables for Markdown."""
        return markdown_document(self.tables, signature=self.signature)

    def _repr_html_(self) -> str:
        return str(html_part(self.title, self.tables, signature=self.signature))

    def __repr__(self) -> str:
        names = ", ".join(table.name for table in self.everything)
        return f"<{type(self).__name__}: {self.title}; tables {names}>"


class Measured(Part):
    """Coverage, diversity or recall: numbers of each system."""

    @property
    def systems(self) -> Mapping[str, Mapping[str, Any]]:
        """The numbers of each system, by its name."""
        systems: Mapping[str, Mapping[str, Any]] = self.data["systems"]
        return systems

    def __getitem__(self, system: str) -> Mapping[str, Any]:
        return self.systems[system]


class Coverage(Measured):
    """Which categories captions use, and which never."""

    @property
    def never_used(self) -> Sequence[str]:
        """The categories that no system uses, as in modifier.religion."""
        never: Sequence[str] = self.data["categories_never_used"]
        return never


class Bias(Part):
    """What is said of one value of a group more than of another."""

    @property
    def cells(self) -> Sequence[Mapping[str, Any]]:
        """All contrasts: a category of a system, for one value against another."""
        cells: Sequence[Mapping[str, Any]] = self.data["cells"]
        return cells

    @property
    def disparities(self) -> Sequence[Mapping[str, Any]]:
        """The contrasts with a difference beyond chance and margin, the largest first."""
        found = [cell for cell in self.cells if cell["verdict"] == "disparity"]
        return sorted(found, key=lambda cell: -abs(cell["risk_difference"][0]))


@dataclass(frozen=True, repr=False)
class Explanation(Part):
    """The captions behind a number."""

    examples: tuple[Example, ...]

    @property
    def mentions(self) -> Sequence[Mapping[str, Any]]:
        """The labels behind the number, each with its caption and readings."""
        mentions: Sequence[Mapping[str, Any]] = self.data["mentions"]
        return mentions

    def __len__(self) -> int:
        return len(self.examples)

    def _repr_html_(self) -> str:
        more = len(self.examples) - _SHOWN
        title = f"{self.title}: {self.data['yes']:,} of {self.data['labels']:,} labels"
        shown = html_part(title, (), signature=self.signature) + html_examples(self.examples[:_SHOWN])
        return str(shown) + (f"<p>and {more:,} more</p>" if more > 0 else "")


def data_frame(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> Any:
    """Return rows as a data frame of pandas, which need not be there."""
    if importlib.util.find_spec("pandas") is None:
        raise MissingPartError("data frames need pandas, which is not installed", hint="pip install pandas")
    import pandas

    return pandas.DataFrame(list(rows), columns=list(columns))
