"""The whole audit for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assess.audits.highlights import delicate_highlights, disparities, variety, warnings
from assess.audits.pipeline import Audit
from assess.measures.bias.view import before_quoting, bias_report, group_shape, marked_shape
from assess.measures.coverage.compute import CategoryCoverage, Counts, Coverage
from assess.measures.coverage.view import after_note, categories_report, systems_table
from assess.measures.recall.view import local_table, recall_shape, vocabulary_table
from assess.measures.run import Measures
from assess.report.section import tables_of
from assess.report.terminal import bullets, note_lines, signature_line, terminal_table
from assess.report.text import count


def audit_report(audit: Audit, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    yield _highlights(audit)
    yield from terminal_table(systems_table(audit), width=width)
    yield from after_note(audit)
    for group in _groups(audit):
        yield from bias_report(audit, group)
    if audit.groups:
        yield before_quoting()
    yield from categories_report(audit, width=width)
    yield from _measures(audit.measures, width=width)
    yield from note_lines([*audit.notes, *_input_notes(audit)])
    yield signature_line(audit.signature.as_line())


def _highlights(audit: Audit) -> RenderableType:
    systems = {name: system for name, system in audit.systems.items() if name not in audit.references}
    lines = variety({name: s.coverage for name, s in systems.items()}, len(audit.taxonomy.modifiers))
    for group in _groups(audit):
        found = [contrast for system in systems.values() for contrast in system.contrasts[group]]
        lines += disparities(found, group) + warnings(found)
    lines += delicate_highlights(audit.marked, list(systems))
    return bullets("What stands out", lines)


def _groups(audit: Audit) -> list[str]:
    return list(audit.groups)


def _measures(measures: Measures, *, width: int) -> Iterator[RenderableType]:
    """Yield how varied the captions are and what they leave out, in short; the commands have it all."""
    sections = measures.diversity.sections() if measures.diversity else []
    tables = [table for table in tables_of(sections, "terminal") if table.brief]
    if measures.recall is not None:
        tables += [vocabulary_table(measures.recall), local_table(measures.recall, "micro")]
    for table in tables:
        yield from terminal_table(table, width=width)
    warnings = measures.diversity.warnings if measures.diversity else ()
    yield from note_lines([*warnings, *measures.notes], kind="warning")
    if tables:
        yield Text("`assess diversity` and `assess recall` tell more; --json and --out too.", style="dim")


def _input_notes(audit: Audit) -> Iterator[str]:
    for name, system in audit.systems.items():
        summary = system.summary
        found = [
            f"captions of images that had one before: {count(summary.repeated)}" if summary.repeated else "",
            f"empty captions: {count(summary.empty)}" if summary.empty else "",
            f"captions with broken characters: {count(summary.replaced)}" if summary.replaced else "",
        ]
        remarks = "; ".join(remark for remark in found if remark)
        if remarks and not (name in audit.references and not summary.empty and not summary.replaced):
            yield f"{name}: {remarks}; all are kept and counted"


# JSON shapes: the contract that scripts rely on.


def audit_shape(audit: Audit) -> dict[str, Any]:
    """Return the shape of `assess audit --json`: coverage, contrasts of each group, diversity, recall."""
    shape = coverage_shape(audit)
    shape["categories"] = _categories_shape(audit)
    shape["markedness"] = [marked_shape(marked) for marked in audit.marked]
    if audit.groups:
        shape["bias"] = {name: group_shape(group) for name, group in sorted(audit.groups.items())}
    shape |= _measures_shape(audit.measures)
    if notes := [*audit.notes, *audit.measures.notes]:
        shape["notes"] = notes
    return shape


def _measures_shape(measures: Measures) -> dict[str, Any]:
    """Return what `assess diversity --json` and `assess recall --json` have, where it was measured."""
    shape: dict[str, Any] = {}
    if measures.diversity is not None:
        shape["diversity"] = measures.diversity.to_dict()
    if measures.recall is not None:
        shape["recall"] = recall_shape(measures.recall)
    return shape


def _categories_shape(audit: Audit) -> dict[str, Any]:
    """Return what the taxonomy says of its categories, for readers who do not have it."""
    heads = {f"head.{name}": {"description": c.description} for name, c in audit.taxonomy.heads.items()}
    modifiers = {
        f"modifier.{name}": {
            "description": category.description,
            "evidence": category.evidence,
            "sensitivity": category.sensitivity,
        }
        for name, category in audit.taxonomy.modifiers.items()
    }
    return modifiers | heads


def coverage_shape(audit: Audit) -> dict[str, Any]:
    """Return the shape of `assess coverage --json`."""
    return {
        "signature": audit.signature.as_dict(),
        "systems": {name: _system_shape(audit, name) for name in audit.systems},
        "categories_never_used": [f"{role}.{name}" for role, name in audit.never_used],
    }


def _system_shape(audit: Audit, name: str) -> dict[str, Any]:
    system = audit.systems[name]
    coverage, summary = system.coverage, system.summary
    return {
        "captions": coverage.captions,
        "images": summary.images,
        **({"images_digest": audit.images[name]} if name in audit.images else {}),
        "repeated_images": summary.repeated,
        "empty_captions": summary.empty,
        "reference": name in audit.references,
        "labels": coverage.labels,
        **_counts_shape(coverage.union),
        "after": {"labels": coverage.after_labels, "modifiers": coverage.after_modifiers},
        "partial_labels": coverage.partial_labels,
        "uncovered_labels": coverage.uncovered_labels,
        "best": {
            "labels": coverage.labels,
            **_counts_shape(coverage.best),
            "uncovered_labels": coverage.uncovered_labels,
        },
        "categories": {f"{item.role}.{item.category}": _category_shape(item) for item in coverage.categories},
        "unknown_words": _unknown_shape(coverage),
    }


def _counts_shape(counts: Counts) -> dict[str, Any]:
    return {
        "modifiers": counts.modifiers,
        "modifiers_per_label": counts.modifiers_per_label,
        "modifier_categories": counts.modifier_categories,
        "head_categories": counts.head_categories,
    }


def _category_shape(item: CategoryCoverage) -> dict[str, Any]:
    return {
        "role": item.role,
        "labels": item.labels,
        "share": item.share,
        "best_labels": item.best_labels,
        "examples": [text for text, _ in item.examples],
    }


def _unknown_shape(coverage: Coverage) -> list[dict[str, Any]]:
    return [
        {"word": item.word, "labels": item.labels, "examples": [text for text, _ in item.examples]}
        for item in coverage.unknown_words
    ]
