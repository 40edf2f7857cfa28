"""Running a taxonomy's examples."""

from __future__ import annotations

from dataclasses import dataclass

from assess.grammar.parser import Parser
from assess.records import Analysis
from assess.taxonomy.model import Example, Taxonomy


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """An example, how it was read, and what differs from what it says."""

    index: int
    example: Example
    analysis: Analysis
    failures: tuple[str, ...]


def run_examples(taxonomy: Taxonomy, parser: Parser) -> list[ExampleResult]:
    """Read every example and compare."""
    results = []
    for index, example in enumerate(taxonomy.examples):
        analysis = parser.analyse(example.text)
        results.append(ExampleResult(index, example, analysis, tuple(_failures(example, analysis))))
    return results


def _failures(example: Example, analysis: Analysis) -> list[str]:
    if example.in_domain != analysis.in_domain:
        return ["is in the domain" if analysis.in_domain else "is not in the domain"]
    failures = []
    for role, wanted, found in (
        ("heads", example.heads, analysis.best.heads),
        ("modifiers", example.modifiers, analysis.best.modifiers),
    ):
        if wanted is not None and set(wanted) != set(found):
            failures.append(f"{role}: expected {_listed(wanted)}, the best reading has {_listed(found)}")
    forbidden = set(example.never) & {*analysis.heads, *analysis.modifiers}
    if forbidden:
        failures.append(f"a reading has {_listed(sorted(forbidden))}")
    return failures


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(sorted(names)) or "none"
