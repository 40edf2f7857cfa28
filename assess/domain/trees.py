"""A taxonomy drawn as a tree, and as comma-separated values."""

from __future__ import annotations

from collections import Counter

from rich.text import Text
from rich.tree import Tree

from assess.report.csv import csv_text, safe_text
from assess.report.text import count, plain
from assess.taxonomy.model import Category, ModifierCategory, Taxonomy
from assess.taxonomy.phrases import phrases_of
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
        f" {count(phrases.total())} phrases with plurals and patterns, {len(taxonomy.examples)} examples"
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
