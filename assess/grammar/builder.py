"""Collecting a grammar piece by piece: text for people, lexicon for the fast engine, in one go.

Whatever adds a terminal to the text adds the same phrases to the lexicon, so the two cannot drift apart.
The text is readable and deterministic Lark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from assess.grammar.lexicon import Grammar, Kind, Lexicon, Terminal, joints, rule_name
from assess.records import Role
from assess.taxonomy.model import ModifierCategory, Taxonomy
from assess.taxonomy.phrases import OpenPattern, Phrase, Plurals, longest_first, spaced

WIDTH = 100
EDGES = """\
// Phrases begin and end at token boundaries; the text is tokens with one space between them.
LEFT: /(?<![^ ])/
RIGHT: /(?![^ ])/
%ignore " "
"""

Item = Phrase | OpenPattern
Key = TypeVar("Key", bound=tuple[object, ...])


class GrammarBuilder:
    """A grammar under construction."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self._rules: list[str] = []
        self._words: list[str] = []
        self._category_rules: list[str] = []
        self._terminals: dict[str, Terminal] = {}
        self._exact = taxonomy.hyphens == "exact"
        self._lexicon = Lexicon(self._exact)
        self._known: set[str] = set()
        self._prepositions: set[str] = set()
        self._together: dict[tuple[str, str], tuple[str, ...]] = {}
        self._ranks: dict[tuple[str, str], int] = {
            (role, name): rank
            for role, categories in taxonomy.roles.items()
            for rank, name in enumerate(categories)
        }

    def in_file_order(self, keys: Iterable[Key]) -> list[Key]:
        """Sort (role, category, ...) keys by the categories' order; equal ones keep theirs."""
        return sorted(keys, key=lambda key: (key[0] != "head", self._ranks[str(key[0]), str(key[1])]))

    def hold_together(self, phrase: str, category: str, categories: Sequence[str]) -> None:
        """Say that a phrase has several categories at once."""
        earlier = self._together.get((phrase, category), ())
        self._together[phrase, category] = tuple(sorted({*earlier, *categories}))

    def add_rules(self, *rules: str) -> None:
        """Add rules (or comments) of the phrase structure."""
        self._rules.extend(rules)

    def add_section(self, title: str) -> None:
        """Add a comment among the words."""
        self._words.append("\n" + comment(title))

    def add_special(self, name: str, kind: Kind, pattern: str) -> None:
        """Add a terminal that the engines match by themselves, not by the lexicon."""
        self._terminals[name] = Terminal(name, kind)
        self._words.append(f"{name}: {pattern}")

    def add_function_words(self, name: str, words: Iterable[str], *, in_rules: bool = True) -> None:
        """Add a kind of function words; those that no rule uses are known all the same."""
        phrases = [spaced(word, exact=self._exact) for word in words]
        self._know(phrases)
        if in_rules:
            self._add_terminal(Terminal(name, "function"), phrases)
        else:
            self._prepositions.update(phrases)

    def add_blocked(self, name: str, members: Sequence[Item]) -> list[str]:
        """Add phrases and patterns that are consumed without a category. Return their rules."""
        self.add_section("Modifiers without a sense in this context: read, not counted.")
        return self._add_members(name, members, lambda n: Terminal(n, "blocked", rank=len(self._ranks)))

    def add_category(self, role: Role, category: str, suffix: str, members: Sequence[Item]) -> list[str]:
        """Add (a part of) a category. Return its rules; nouns that say more have their own."""
        names = []
        for says, own in _by_saying(members).items():
            also = f" These nouns also say {' and '.join(says)}." if says else ""
            self.add_section(self._description(role, category) + also)
            self._know(item.text for item in own if isinstance(item, Phrase))
            rank = self._ranks[role, category]
            saying = "".join(f"__says_{rule_name(other)}" for other in says)
            terminal = partial(Terminal, kind=role, category=category, rank=rank, says=says)
            names += self._add_members(f"{role}_{rule_name(category)}{suffix}{saying}", own, terminal)
        return names

    def _add_members(
        self, name: str, members: Sequence[Item], terminal: Callable[[str], Terminal]
    ) -> list[str]:
        """Add one rule and one terminal for all phrases; open patterns get their own.

        A rule with two terminals would lose readings: Lark's forest compares its nodes without the rule.
        """
        names = []
        phrases = [item.text for item in members if isinstance(item, Phrase)]
        if phrases:
            names.append(name)
            self._add_word_rule(name)
            self._add_terminal(terminal(name.upper()), phrases)
        for number, item in enumerate((m for m in members if isinstance(m, OpenPattern)), start=1):
            names.append(f"{name}__pattern_{number}")
            self._add_word_rule(names[-1])
            self._add_pattern(terminal(names[-1].upper()), item.regex)
        return names

    def _add_word_rule(self, name: str) -> None:
        self._category_rules.append(rule(name, [name.upper()]))
        self._words.append(self._category_rules[-1])

    def _add_terminal(self, terminal: Terminal, phrases: Sequence[str]) -> None:
        self._terminals[terminal.name] = terminal
        self._words.append(phrase_terminal(terminal.name, phrases, exact=self._exact))
        for phrase in phrases:
            self._lexicon.add(phrase, terminal.name)

    def _add_pattern(self, terminal: Terminal, regex: str) -> None:
        self._terminals[terminal.name] = terminal
        self._words.append(pattern_terminal(terminal.name, regex))
        self._lexicon.add_pattern(regex, terminal.name)

    def _know(self, phrases: Iterable[str]) -> None:
        self._known.update(phrase for phrase in phrases if " " not in phrase)

    def _description(self, role: Role, category: str) -> str:
        found = self.taxonomy.roles[role][category]
        text = f"{role} {category}: {' '.join(found.description.split())}"
        if isinstance(found, ModifierCategory):
            text += f" [evidence: {found.evidence}; sensitivity: {found.sensitivity}]"
        return text

    def finish(self) -> Grammar:
        """Return the grammar."""
        taxonomy = self.taxonomy
        excluded = Lexicon()
        plurals = Plurals(taxonomy)
        for phrase in map(spaced, taxonomy.excluded):
            excluded.add(phrase, "EXCLUDED")
            excluded.add(plurals.of(phrase) or phrase, "EXCLUDED")
        title = f"{taxonomy.taxonomy} {taxonomy.version}: {' '.join(taxonomy.description.split())}"
        parts = [
            comment(title),
            comment("Compiled from the taxonomy of that name by `assess domain compile`; do not edit."),
            comment(
                "Parse with Earley, lexer='dynamic_complete'. Input: lower-case tokens with one space between"
                " them, the possessive as a token, unknown words between ‹ and ›."
            ),
        ]
        if taxonomy.excluded:
            listed = ", ".join(sorted(spaced(phrase) for phrase in taxonomy.excluded))
            parts.append(comment(f"Not in the domain, whatever the rules say: phrases ending in {listed}."))
        text = "\n".join([*parts, "", *self._rules, *self._words, "", EDGES])
        rules = "\n".join([*self._rules, *self._category_rules]) + "\n"
        return Grammar(
            taxonomy,
            text,
            rules,
            self._terminals,
            self._lexicon,
            known=frozenset(self._known),
            prepositions=frozenset(self._prepositions),
            excluded=excluded,
            together=self._together,
        )


def _by_saying(members: Sequence[Item]) -> dict[tuple[str, ...], list[Item]]:
    """Return a category's members by the modifier categories that they tell by themselves."""
    found: dict[tuple[str, ...], list[Item]] = {}
    for item in members:
        says = tuple(sorted(set(item.says))) if isinstance(item, Phrase) else ()
        found.setdefault(says, []).append(item)
    return found


def comment(text: str) -> str:
    """Return text as comment lines."""
    return "\n".join("// " + line if line else "//" for line in _wrap(text.split(" "), WIDTH - 3, " "))


def rule(name: str, alternatives: Sequence[str]) -> str:
    """Return a rule with its alternatives, wrapped."""
    lines = _wrap(list(alternatives), WIDTH - 8, " | ")
    return f"{name}: " + "\n    | ".join(lines)


def phrase_terminal(name: str, phrases: Sequence[str], *, exact: bool = False) -> str:
    """Return a terminal that matches any of the phrases."""
    if not phrases:
        return f"{name}: /(?!)./ // no words: it matches nothing"
    # Lark tries alternatives in our order where their widths tie; the longest must come first.
    literals = [_literal(phrase, exact=exact) for phrase in sorted(set(phrases), key=longest_first)]
    lines = _wrap(literals, WIDTH - 8, " | ")
    return f"{name}: LEFT ( " + "\n    | ".join(lines) + " ) RIGHT"


def pattern_terminal(name: str, regex: str) -> str:
    """Return a terminal that matches a regular expression."""
    return f"{name}: LEFT /{_slashes(regex)}/ RIGHT"


def _literal(phrase: str, *, exact: bool) -> str:
    words = phrase.split(" ")
    between = joints(words, exact=exact)
    if not between:
        return '"' + phrase.replace("\\", "\\\\").replace('"', '\\"') + '"'
    regex = re.escape(words[0])
    for joint, word in zip(between, words[1:], strict=True):
        regex += ("[- ]" if "-" in joint else " ") + re.escape(word)
    return f"/{_slashes(regex)}/"


def _slashes(regex: str) -> str:
    return regex.replace("/", r"\/")


def _wrap(parts: Sequence[str], width: int, joint: str) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(joint) + len(part) <= width:
            lines[-1] += joint + part
        else:
            lines.append(part)
    return lines
