"""The head of the page: what was audited, and how to read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from assess.records import Analysis
from assess.report.html_captions import Captions
from assess.report.html_input import ReportInput
from assess.report.html_parts import PARTS
from assess.report.html_words import listed, plural


@dataclass(frozen=True, slots=True)
class Legend:
    """A label of this audit, taken apart."""

    label: str
    head: str
    modifier: str
    category: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What was audited."""

    title: str
    audited: str
    facts: tuple[str, ...]
    legend: Legend | None
    notes: tuple[str, ...]  # about the input


def overview(audit: ReportInput, captions: Captions) -> Overview:
    """Return the head of the page."""
    machines = audit.machines
    humans = [name for name in audit.systems if name not in machines]
    beside = f", beside {listed(humans)}" if humans else ""
    return Overview(
        title=f"What captions say about {audit.domain}",
        audited=f"{listed(list(machines))}{beside}",
        facts=tuple(_facts(audit)),
        legend=_legend(audit, captions),
        notes=tuple(_notes(audit)),
    )


def _facts(audit: ReportInput) -> Iterator[str]:
    systems = audit.systems.values()
    yield plural(sum(system["captions"] for system in systems), "caption")
    yield plural(sum(system["labels"] for system in systems), "label")
    yield f"domain {(audit.signature.taxonomy or '–').partition('#')[0].replace('@', ' ')}"
    if audit.bias:
        yield f"contrasted by {listed(list(audit.bias))}"


def _legend(audit: ReportInput, captions: Captions) -> Legend | None:
    """Return a common label like "a tall man", to explain the words by; best one that shows a disparity."""
    counts = sum(captions.labels.values(), start=Counter[str]())
    found = [_taken_apart(audit.saved.analyses[text]) for text in counts]
    legends = [legend for legend in found if legend is not None]
    uneven = {
        cell["category"]
        for part in audit.bias.values()
        for cell in part["cells"]
        if cell["verdict"] == "disparity"
    }
    return min(
        legends,
        key=lambda legend: (legend.category not in uneven, -counts[legend.label], legend.label),
        default=None,
    )


def _taken_apart(analysis: Analysis) -> Legend | None:
    spans = analysis.best.spans
    modifiers = [span for span in spans if span.role == "modifier"]
    heads = [span for span in spans if span.role == "head"]
    plain = len(analysis.text.split()) == 3 and analysis.text.isascii()
    if len(modifiers) != 1 or not heads or not plain or modifiers[0].end > heads[0].start:
        return None
    return Legend(analysis.text, heads[0].text, modifiers[0].text, modifiers[0].category)


def _notes(audit: ReportInput) -> Iterator[str]:
    yield from audit.results.get("notes", ())
    for file in audit.foreign(PARTS):
        yield f"{file} was measured on other captions than these, and is left out."
    for name, system in audit.systems.items():
        if system.get("empty_captions"):
            yield f"{name} has {plural(system['empty_captions'], 'empty caption')}; all are counted."
        if system.get("repeated_images") and not system.get("reference"):
            repeated = plural(system["repeated_images"], "caption")
            yield f"{name} has {repeated} of images that had one before; all are counted."
