"""A taxonomy at a glance: as a tree, as a table of words, by word, and tested with its own examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text
from rich.tree import Tree

from assess.errors import some
from assess.grammar.model import Facts
from assess.grammar.parser import Parser
from assess.records import Analysis, Role
from assess.report.tables import csv_text, safe_text
from assess.report.text import count, plain
from assess.taxonomy.model import Category, Example, ModifierCategory, Taxonomy
from assess.taxonomy.phrases import PLACEHOLDER, normal_form, phrases_of
from assess.taxonomy.word_table import COLUMNS, word_rows

_SENSITIVE = {"personal": "yellow", "protected": "magenta", "offensive": "red"}
_SHOWN_WORDS = 8


def taxonomy_tree(taxonomy: Taxonomy) -> Tree:
    """Return the tree of a taxonomy's categories."""
    phrases = Counter[tuple[str, str]]((phrase.role, phrase.category) for phrase in phrases_of(taxonomy))
    title = plain(f"{taxonomy.taxonomy} {taxonomy.version}", style="bold")
    title.append(f"  {' '.join(taxonomy.description.split())}", style="not bold")
    title.append(f"\n{_statistics(taxonomy, phrases)}", style="not bold dim")
    root = Tree(title, guide_style="dim")
    for role, categories in taxonomy.roles.items():
        branch = root.add(Text(f"{role}s", style="italic"))
        for name, category in categories.items():
            branch.add(_category(name, category, phrases[role, name]))
    if taxonomy.groups:
        branch = root.add(Text("groups", style="italic"))
        for name, values in taxonomy.groups.items():
            branch.add(plain(f"{name}: " + ", ".join(values)))
    return root


def _statistics(taxonomy: Taxonomy, phrases: Counter[tuple[str, str]]) -> str:
    return (
        f"{len(taxonomy.heads)} head and {len(taxonomy.modifiers)} modifier categories,"
        f" {some(phrases.total(), 'phrase')} with plurals and patterns,"
        f" {some(len(taxonomy.examples), 'example')}"
    )


def _category(name: str, category: Category, phrases: int) -> Text:
    line = Text(name, style="cyan").append(f"  {count(phrases)}", style="dim")
    if isinstance(category, ModifierCategory):
        line.append(f"  {category.evidence}", style="dim")
        if category.sensitivity != "none":
            line.append(f"  {category.sensitivity}", style=_SENSITIVE[category.sensitivity])
    line.append(f"\n{' '.join(category.description.split())}", style="default")
    words = [entry.word for entry in category.words[:_SHOWN_WORDS]] + list(category.patterns[:3])
    more = ", …" if len(category.words) > _SHOWN_WORDS or len(category.patterns) > 3 else ""
    return line.append(f"\n{', '.join(words)}{more}", style="dim")


def taxonomy_csv(taxonomy: Taxonomy) -> str:
    """Return a taxonomy's words, one a row. No cell runs as a formula; importing takes the guard off."""
    rows = ([safe_text(row.get(name, "")) for name in COLUMNS] for row in word_rows(taxonomy))
    return csv_text([COLUMNS, *rows])


# Running a taxonomy's examples.


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
        results.append(
            ExampleResult(index, example, analysis, tuple(_failures(example, analysis, parser.grammar.facts)))
        )
    return results


def _failures(example: Example, analysis: Analysis, facts: Facts) -> list[str]:
    if example.in_domain != analysis.in_domain:
        return ["is in the domain" if analysis.in_domain else "is not in the domain"]
    failures = []
    roles: tuple[tuple[Role, tuple[str, ...] | None, tuple[str, ...]], ...] = (
        ("head", example.heads, analysis.best.heads),
        ("modifier", example.modifiers, analysis.best.modifiers),
    )
    for role, wanted, found in roles:
        # A category stands for those that it is within.
        expected = {each for name in wanted or () for each in facts.reported(role, name)}
        if wanted is not None and expected != set(found):
            failures.append(f"{role}s: expected {_listed(wanted)}, the best reading has {_listed(found)}")
    forbidden = set(example.never) & {*analysis.heads, *analysis.modifiers}
    if forbidden:
        failures.append(f"a reading has {_listed(sorted(forbidden))}")
    return failures


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(sorted(names)) or "none"


# The words that a taxonomy lists, by role: what an author has already decided.


@dataclass(frozen=True, slots=True)
class Listing:
    """A category's words and patterns, as an author sees them."""

    role: Role
    category: str
    words: tuple[str, ...]  # normal forms; a pattern that is nothing but a set stands for its words
    patterns: tuple[str, ...]  # the others, as written


def listings(taxonomy: Taxonomy) -> Iterator[Listing]:
    """Yield what every category lists, heads first, in file order."""
    for role, name, category in taxonomy.categories():
        words = [entry.word for entry in category.words]
        patterns = []
        for pattern in category.patterns:
            whole = PLACEHOLDER.fullmatch(pattern)
            if whole and whole[1] in taxonomy.sets:
                words += taxonomy.set_words(whole[1])
            else:
                patterns.append(pattern)
        forms = dict.fromkeys(normal_form(taxonomy, word) for word in words)
        yield Listing(role, name, tuple(forms), tuple(patterns))


def categories_of_words(taxonomy: Taxonomy, role: Role) -> dict[str, tuple[str, ...]]:
    """Return the listed words of a role with all categories that each one belongs to."""
    found: dict[str, dict[str, None]] = {}
    for listing in listings(taxonomy):
        if listing.role == role:
            for word in listing.words:
                found.setdefault(word, {})[listing.category] = None
    for category in taxonomy.roles[role].values():
        for entry in category.words:
            found[normal_form(taxonomy, entry.word)].update(dict.fromkeys(entry.also))
    return {word: tuple(categories) for word, categories in found.items()}
