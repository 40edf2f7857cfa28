"""Audits in Python: the saved files of `assess audit --out`, and everything derived from them."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from markupsafe import Markup
from rich.console import Console

from assess.audits.bias_sections import bias_section
from assess.audits.explain import (
    Example,
    chosen_labels,
    explain,
    explain_shape,
    explain_table,
    html_examples,
    parse_address,
)
from assess.audits.highlights import by_size, value_words
from assess.audits.html.cards import cards
from assess.audits.html.page import copy_audit, html_page, image_source
from assess.audits.result import AuditResult
from assess.audits.saved import MENTION_COLUMNS, SavedAudit, SavedMention
from assess.audits.saved import read_audit as read_saved
from assess.audits.sections import coverage_section, systems_table
from assess.audits.summary import findings, summary_line
from assess.errors import UsageError, some, visible
from assess.measures.measure import Result, Shown, data_frame, path_of
from assess.report.html.parts import html_charts, html_part
from assess.report.section import Cell, Section, cell
from assess.report.svg import bar_chart
from assess.report.text import dump, percent, rate
from assess.signature import Signature
from assess.whole_files import write_whole

# The parts of an audit in Python and notebooks.

_SHOWN = 20  # maximum number of captions in a notebook
_WIDTH = 100  # of printed text


@dataclass(frozen=True, repr=False)
class Part(Shown):
    """A part of an audit: its numbers as in `audit.json`, and tables for readers."""

    section: Section
    data: Mapping[str, Any]
    signature: str

    @property
    def depends_on(self) -> str:
        """The signature as a line."""
        return self.signature

    @property
    def title(self) -> str:
        """The title of the part."""
        return self.section.title

    def sections(self) -> list[Section]:
        """Return the sections that present it to a reader."""
        return [self.section]

    def to_json(self) -> str:
        """Return the numbers as JSON."""
        return dump(self.data)

    def __repr__(self) -> str:
        return super().__repr__().replace(": ", f": {self.title}; ", 1)

    def _repr_html_(self) -> str:
        return str(html_part(self.title, self.section.tables("paper"), signature=self.depends_on))


class Coverage(Part):
    """Which categories captions use, and which never occur."""

    @property
    def systems(self) -> Mapping[str, Mapping[str, Any]]:
        """The numbers of each system, by its name."""
        systems: Mapping[str, Mapping[str, Any]] = self.data["systems"]
        return systems

    def __getitem__(self, system: str) -> Mapping[str, Any]:
        return self.systems[system]

    @property
    def never_used(self) -> Sequence[str]:
        """The categories that no system uses, as in modifier.religion."""
        never: Sequence[str] = self.data["categories_never_used"]
        return never


class Bias(Part):
    """What captions say about one value of a group more often than about another."""

    @property
    def cells(self) -> Sequence[Mapping[str, Any]]:
        """All contrasts: a category in a system, for one value versus another."""
        cells: Sequence[Mapping[str, Any]] = self.data["cells"]
        return cells

    @property
    def disparities(self) -> Sequence[Mapping[str, Any]]:
        """The contrasts with a significant difference beyond the margin, largest first."""
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
        title = f"{self.title}: {self.data['yes']:,} of {some(self.data['labels'], 'label')}"
        shown = html_part(title, (), signature=self.depends_on) + html_examples(self.examples[:_SHOWN])
        return str(shown) + (f"<p>and {more:,} more</p>" if more > 0 else "")


Target = str | os.PathLike[str]


class Audit(Shown):
    """An audit: its parts, the captions behind every number, and files for other tools."""

    def __init__(self, saved: SavedAudit, *, temporary: bool = False) -> None:
        self._saved = saved
        self.result: AuditResult = saved.with_others()
        if temporary:
            weakref.finalize(self, shutil.rmtree, saved.file.parent, ignore_errors=True)

    @property
    def signature(self) -> Signature:
        """Everything that the numbers depend on."""
        return self.result.signature

    @property
    def depends_on(self) -> str:
        """The signature as a line."""
        return self.signature.as_line()

    def sections(self) -> Sequence[Section]:
        """Return the sections that present the audit to a reader."""
        return self.result.sections()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, without references."""
        return tuple(self.result.machines)

    @property
    def groups(self) -> tuple[str, ...]:
        """The contrasted groups, such as gender."""
        return tuple(self.result.groups)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped, and why."""
        return self.result.notes

    @property
    def coverage(self) -> Coverage:
        """Which categories the captions use, in each system."""
        found = self.to_dict()
        data = {key: found[key] for key in ("signature", "systems", "categories_never_used")}
        return Coverage(coverage_section(self.result), data, self.depends_on)

    def bias(self, by: str | None = None) -> Bias:
        """Contrasts between the values of a group; by default the first group."""
        if not self.groups:
            raise UsageError("this audit contrasts no groups", hint='run the audit again with by="gender"')
        group = self.groups[0] if by is None else by
        if group not in self.groups:
            hint = f"this audit contrasts {', '.join(self.groups)}"
            raise UsageError(f"this audit has no group '{visible(group)}'", hint=hint)
        data = self.result.groups[group].model_dump()
        return Bias(bias_section(self.result, group), data, self.depends_on)

    @property
    def diversity(self) -> Result:
        """How varied the captions are."""
        return self.measure("diversity", hint="run the audit again with measures")

    @property
    def recall(self) -> Result:
        """Which words of human captions the captions use."""
        return self.measure("recall", hint="run the audit again with references of the same images")

    def measure(self, name: str, *, hint: str | None = None) -> Result:
        """A measure's result by name, such as syntax, if `also` named it or its file is in the folder."""
        if name not in self.result.measures:
            why = "; ".join(note for note in self.notes if name in note)
            raise UsageError(f"this audit has no {visible(name)}{': ' + why if why else ''}", hint=hint)
        found: Result = self.result.measures[name]
        return found

    def explain(
        self, cell: str, *, any_reading: bool = False, without: bool = False, limit: int | None = None
    ) -> Explanation:
        """Return the captions behind a number: SYSTEM/CATEGORY/VALUE, as in skewed/attractiveness/female.

        `any_reading` adds labels that have the category only in another reading; `without` returns labels
        that do not have it instead.
        """
        which = chosen_labels(any_reading=any_reading, without=without)
        explained = explain(self._saved, parse_address(path_of(cell, "cell"), self._saved), which=which)
        data = explain_shape(self._saved, explained, limit=limit)
        section = Section("captions", data["cell"], (explain_table(explained, limit=limit),))
        return Explanation(section, data, self.depends_on, explained.examples[:limit])

    def mentions(self) -> Iterator[SavedMention]:
        """Yield every counted label, with its place and its caption."""
        return self._saved.mentions()

    def to_pandas(self, table: str | None = None, *, repeated: bool = False) -> Any:
        """Return every counted label as a data frame: the rows behind all numbers.

        The columns are those of `mentions.jsonl`. `repeated` adds further mentions of people that were
        already counted, including pronouns. With the name of a table as in `to_csv`, that table is returned
        instead.
        """
        if table is not None:
            return super().to_pandas(table)
        return data_frame(self._saved.rows(repeated=repeated), list(MENTION_COLUMNS))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of `assess audit --json` as a Python object."""
        return self._saved.results.to_dict()

    def to_json(self, path: Target | None = None) -> str:
        """Return the JSON text of `assess audit --json`; also writes it if a path is given."""
        return self._saved.results.to_json(path)

    def to_html(self, path: Target | None = None, *, images: str | None = None) -> str:
        """Return the report as a page that needs no network; also writes it if a path is given.

        `images` is a folder of images, or a URL template with `{image_id}`; readers can then view them.
        """
        folder = Path(path_of(path, "path")).parent if path is not None else Path()
        page = html_page(self._saved, images=image_source(images, folder) if images else None)
        if path is not None:
            write_whole(Path(path), page)
        return page

    def save(self, folder: Target) -> Path:
        """Save the audit like `assess audit --out`, for `assess explain`, `gate`, `compare` and others."""
        return copy_audit(self._saved, Path(path_of(folder, "folder")))

    def _repr_html_(self) -> str:
        found = (
            Markup("<li><strong>{}</strong>: <bdi>{}</bdi> {}. {}</li>").format(
                card.kicker, card.system, card.claim, card.sentence
            )
            for card in cards(self.result)
        )
        title = f"What captions say about {self.result.domain}"
        tables = [systems_table(self.result, short=False)]
        shown = html_part(title, tables, signature=self.depends_on)
        charts = html_charts(_charts(self.result))
        return str(Markup("<ul>{}</ul>").format(Markup("").join(found)) + charts + shown)

    def __repr__(self) -> str:
        return f"<Audit of {', '.join(self.systems)}: {self.result.domain}>"

    def __str__(self) -> str:
        """A summary in a few lines; `assess report` and `to_html` show everything."""
        console = Console(file=StringIO(), width=_WIDTH, color_system=None, highlight=False, markup=False)
        with console.capture() as shown:
            console.print(f"What captions say about {self.result.domain}: {', '.join(self.systems)}")
            console.print(findings(self.result, _WIDTH), summary_line(self.result), sep="\n")
        return "\n".join(line.rstrip() for line in shown.get().splitlines())


def _charts(result: AuditResult) -> Iterator[tuple[str, Markup]]:
    """Yield charts of how much systems say compared with people, then of disparities, largest first."""
    title = "Modifiers per label"
    said = {name: system for name, system in result.systems.items() if system.labels}
    bars = {name: cell(system.best.modifiers_per_label, rate) for name, system in said.items()}
    yield title, bar_chart(title, bars, humans=result.references)
    for name, group in result.groups.items():
        words = value_words(result.domain, name)
        machines = (cell for cell in group.cells if cell.system in result.machines)
        for found in sorted(machines, key=by_size):
            if found.verdict == "disparity":
                title = f"How often {found.system} mentions {found.category}"
                sides = zip(found.pair, (found.rate, found.other_rate), strict=True)
                bars = {words(value): Cell(percent(share, 0), share) for value, share in sides}
                yield title, bar_chart(title, bars, limit=1, end="100%")


def read_audit(folder: Target) -> Audit:
    """Read an audit that was saved by `Audit.save` or by `assess audit --out`."""
    return Audit(read_saved(Path(path_of(folder, "folder"))))
