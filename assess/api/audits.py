"""An audit as Python sees it: the saved files of `assess audit --out`, and everything made from them."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from markupsafe import Markup

from assess.audits.explain import Example, Which, explain
from assess.audits.explain_view import explain_shape, explain_table, html_examples
from assess.audits.files import copy_audit
from assess.audits.html.cards import cards
from assess.audits.html.input import ReportInput, read_input
from assess.audits.html.page import html_page
from assess.audits.saved import SavedMention, parse_address
from assess.audits.tables import audit_plots, audit_tables, category_tables, coverage_table, part_tables
from assess.errors import UsageError, visible
from assess.measures.bias.html import contrast_table
from assess.measures.measure import data_frame
from assess.report.csv import write_csv
from assess.report.files import dump, write_whole
from assess.report.html.table import html_part
from assess.report.latex import latex_document
from assess.report.markdown import markdown_document
from assess.report.plots import PlotFormat, write_plots
from assess.report.section import ReportTable
from assess.signature import Signature

# The parts of an audit, as Python and notebooks see them.

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


Target = str | os.PathLike[str]
_COVERAGE = ("signature", "systems", "categories_never_used")
_ONLY_SAVED = ("analyses",)  # what leads from a number to its captions, and is in no output of a command


class Audit:
    """An audit: its parts, the captions behind every number, and files for others to read."""

    def __init__(self, source: ReportInput, *, temporary: bool = False) -> None:
        self._source = source
        if temporary:
            weakref.finalize(self, shutil.rmtree, source.saved.file.parent, ignore_errors=True)

    @property
    def signature(self) -> Signature:
        """What the numbers depend on."""
        return self._source.signature

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems that are no references."""
        return tuple(self._source.machines)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that were contrasted, such as gender."""
        return tuple(self._source.bias)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was passed over, and why."""
        return tuple(self._source.results.get("notes", ()))

    @property
    def coverage(self) -> Coverage:
        """Which categories the captions use, in each system."""
        data = {key: self._source.results[key] for key in _COVERAGE}
        tables = (coverage_table(self._source), *category_tables(self._source, everything=False))
        everything = (tables[0], *category_tables(self._source, everything=True))
        return Coverage("Coverage", data, tables, everything, self.signature.as_line())

    def bias(self, by: str | None = None) -> Bias:
        """What is said of one value of a group more than of another; the first group if none is named."""
        if not self.groups:
            raise UsageError("this audit contrasted no groups", hint='audit again with by="gender"')
        group = self.groups[0] if by is None else by
        if group not in self.groups:
            hint = f"this audit contrasted {', '.join(self.groups)}"
            raise UsageError(f"this audit has no group '{visible(group)}'", hint=hint)
        data = _without(self._source.bias[group], "members")
        tables = (contrast_table(self._source, group, everything=False),)
        everything = (contrast_table(self._source, group, everything=True),)
        return Bias(f"Contrasts by {group}", data, tables, everything, self.signature.as_line())

    @property
    def diversity(self) -> Measured:
        """How varied the captions are."""
        return self._measured("diversity", "audit again, with measures")

    @property
    def recall(self) -> Measured:
        """Which words of people the captions find again."""
        return self._measured("recall", "audit again, with references of the same images")

    def _measured(self, name: str, hint: str) -> Measured:
        data = self._source.part(name)
        if data is None:
            why = "; ".join(note for note in self.notes if name in note)
            raise UsageError(f"this audit has no {name}{': ' + why if why else ''}", hint=hint)
        tables, everything = (
            tuple(part_tables(self._source, name, everything=choice)) for choice in (False, True)
        )
        line = Signature.from_dict(data["signature"]).as_line()
        return Measured(name.capitalize(), data, tables, everything, line)

    def explain(
        self, cell: str, *, any_reading: bool = False, without: bool = False, limit: int | None = None
    ) -> Explanation:
        """Return the captions behind a number: SYSTEM/CATEGORY/VALUE, as in skewed/attractiveness/female.

        `any_reading` adds labels that carry the category in another reading only; `without` gives those
        that do not carry it instead.
        """
        which: set[Which] = {"without"} if without else {"best", "other"} if any_reading else {"best"}
        saved = self._source.saved
        explained = explain(saved, parse_address(cell, saved), which=frozenset(which))
        data = explain_shape(saved, explained, limit=limit)
        table, line = explain_table(explained, limit=limit), self.signature.as_line()
        return Explanation(data["cell"], data, (table,), (table,), line, explained.examples[:limit])

    def mentions(self) -> Iterator[SavedMention]:
        """Yield every label that was counted, with its place and its caption."""
        return self._source.saved.mentions()

    def to_pandas(self) -> Any:
        """Return every label that was counted as a data frame: the rows behind all numbers."""
        columns = [field.name for field in fields(SavedMention)]
        return data_frame((astuple(mention) for mention in self.mentions()), columns)

    def to_dict(self) -> dict[str, Any]:
        """Return what `assess audit --json` prints, as Python has it."""
        results = _without(self._source.results, *_ONLY_SAVED)
        if "bias" in results:
            results["bias"] = {name: _without(part, "members") for name, part in results["bias"].items()}
        return results

    def to_json(self, path: Target | None = None) -> str:
        """Return what `assess audit --json` prints; also write it where a path is given."""
        return _delivered(dump(self.to_dict()) + "\n", path)

    def to_html(self, path: Target | None = None) -> str:
        """Return the report as one page that needs no network; also write it where a path is given."""
        return _delivered(html_page(self._source), path)

    def to_latex(self, path: Target | None = None) -> str:
        """Return tables for a paper, with booktabs; also write them where a path is given."""
        return _delivered(
            latex_document(audit_tables(self._source), signature=self.signature.as_line()), path
        )

    def to_markdown(self, path: Target | None = None) -> str:
        """Return tables for Markdown; also write them where a path is given."""
        tables = audit_tables(self._source)
        return _delivered(markdown_document(tables, signature=self.signature.as_line()), path)

    def to_csv(self, folder: Target) -> None:
        """Write one file a table, with exact values."""
        tables = audit_tables(self._source, everything=True)
        write_csv(tables, Path(folder), signature=self.signature.as_line())

    def to_plots(self, folder: Target, *, format: PlotFormat = "svg") -> list[Path]:  # noqa: A002 - its name
        """Draw plots into a folder; needs the extra `plots`."""
        return write_plots(audit_plots(self._source), Path(folder), format_=format)

    def save(self, folder: Target) -> Path:
        """Save the audit as `assess audit --out` does, for `assess explain`, `gate`, `compare` and others."""
        return copy_audit(self._source, Path(folder))

    def _repr_html_(self) -> str:
        found = (
            Markup("<li><strong>{}</strong>: <bdi>{}</bdi> {}. {}</li>").format(
                card.kicker, card.system, card.claim, card.sentence.partition(" Labels that")[0]
            )
            for card in cards(self._source)
        )
        title = f"What captions say about {self._source.domain}"
        tables = [coverage_table(self._source)]
        shown = html_part(title, tables, signature=self.signature.as_line())
        return str(Markup("<ul>{}</ul>").format(Markup("").join(found)) + shown)

    def __repr__(self) -> str:
        return f"<Audit of {', '.join(self.systems)}: {self._source.domain}>"


def read_audit(folder: Target) -> Audit:
    """Read an audit that was saved, by `Audit.save` or by `assess audit --out`."""
    return Audit(read_input(Path(folder)))


def _without(found: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in keys}


def _delivered(text: str, path: Target | None) -> str:
    if path is not None:
        write_whole(Path(path), text)
    return text
