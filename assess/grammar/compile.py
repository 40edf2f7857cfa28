"""Taxonomy in, grammar out: a pure function, the same text for the same taxonomy, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assess.grammar.builder import GrammarBuilder, Item, comment, rule
from assess.grammar.lexicon import (
    OWNER,
    POSSESSIVE_MARK,
    UNKNOWN,
    UNKNOWN_CLOSE,
    UNKNOWN_OPEN,
    Grammar,
    rule_name,
)
from assess.records import Role
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    FREE,
    Constraint,
    NamedConstraint,
    carrier_names,
    open_patterns_of,
    phrases_of,
)
from assess.taxonomy.syntax import reachable_symbols
from assess.taxonomy.words import FUNCTION_WORDS, POSSESSIVE


def compile_taxonomy(taxonomy: Taxonomy) -> Grammar:
    """Compile a taxonomy into a grammar."""
    builder = GrammarBuilder(taxonomy)
    if taxonomy.syntax is not None:
        _add_own_syntax(builder)
    else:
        EnglishNounPhrase(builder).add()
    return builder.finish()


@dataclass(frozen=True, slots=True)
class Contexts:
    """Which modifiers each head admits: constraints turned into a few families of rules.

    A *context* is the set of constraints that a head phrase (or an of-phrase such as "group of") forbids.
    Heads that forbid the same share a context, and the grammar has one family of rules for each.
    """

    constraints: tuple[Constraint, ...]  # without the free one; numbered from 1 in rule names
    forbidden: tuple[frozenset[Constraint], ...]  # one a context
    of_phrase: dict[str, int]  # text of a head or an of-phrase -> its context

    def admits(self, context: int, constraint: Constraint) -> bool:
        """Whether a modifier with this constraint goes with heads of this context."""
        return constraint not in self.forbidden[context]

    def number(self, constraint: Constraint) -> int:
        """Return the constraint's number; 0 for the free one."""
        return 0 if constraint == FREE else self.constraints.index(constraint) + 1


def _find_contexts(taxonomy: Taxonomy, items: Sequence[Item]) -> Contexts:
    """Work out the contexts of all heads and of-phrases."""
    constraints = tuple(
        dict.fromkeys(
            item.constraint
            for item in items
            if item.role == "modifier" and not item.of and item.constraint != FREE
        )
    )
    named = {constraint: NamedConstraint(constraint) for constraint in constraints}
    forbidden_by = {
        text: frozenset(c for c in constraints if named[c].forbids(names))
        for text, names in carrier_names(taxonomy, items).items()
    }
    kinds = sorted(
        set(forbidden_by.values()),
        key=lambda kind: (len(kind), sorted(constraints.index(c) for c in kind)),
    )
    numbers = {kind: index for index, kind in enumerate(kinds)}
    return Contexts(constraints, tuple(kinds), {text: numbers[kind] for text, kind in forbidden_by.items()})


class EnglishNounPhrase:
    """Adds the built-in phrase structure to a grammar: English noun phrases with modifiers before the head.

    A label is one noun phrase, or several in a list that ends in a conjunction. A noun phrase is
    `opening? modifier* head`, where a determiner or a possessor opens it, or `opening? modifier* of-phrase
    noun-phrase` ("a large group of young men").

    Every head belongs to a context (see `Contexts`); the rules of a context admit just the modifiers that its
    heads go with. A modifier that has no sense there is consumed without a category: a big crowd is still a
    crowd.
    """

    def __init__(self, builder: GrammarBuilder) -> None:
        self._builder = builder
        self._items = _items_in_all_categories(builder)
        self._contexts = _find_contexts(builder.taxonomy, self._items)
        self._every = range(len(self._contexts.forbidden))
        self._cores: dict[int, list[str]] = {}
        self._of: dict[int, list[str]] = {}
        self._senses: dict[Constraint, list[str]] = {}
        self._blocked: dict[int, list[str]] = {}

    def add(self) -> None:
        """Add all rules and words."""
        self._add_frame()
        self._add_function_words()
        self._add_carriers()
        self._add_modifiers()
        self._add_blocked()
        for context in self._every:
            self._add_context(context)

    def _add_frame(self) -> None:
        opening = ["PREDETERMINER", "DETERMINER", "possessor"]
        opening += ["PREDETERMINER DETERMINER", "PREDETERMINER possessor"]
        self._builder.add_rules(
            rule("start", ["label"]),
            comment("Noun phrases are joined by a conjunction; a comma alone joins only within a list."),
            rule(
                "label", ["noun_phrase", "list CONJUNCTION noun_phrase", "list COMMA CONJUNCTION noun_phrase"]
            ),
            rule("list", ["noun_phrase", "list joiner noun_phrase"]),
            rule("joiner", ["CONJUNCTION", "COMMA", "COMMA CONJUNCTION"]),
            rule("noun_phrase", [f"{way}body__{n}" for n in self._every for way in ("", "opening ")]),
            rule("opening", opening),
            rule("possessor", ["owner POSSESSIVE", "possessor owner POSSESSIVE"]),
            rule("owner", ["OWNER", "owner OWNER"]),
            rule("unknown", ["UNKNOWN"]),
        )

    def _add_function_words(self) -> None:
        builder = self._builder
        builder.add_section("Words that hold a phrase together.")
        words = {**FUNCTION_WORDS, **builder.taxonomy.function_words}
        for name, members in words.items():
            builder.add_function_words(name.upper(), members, in_rules=name != "preposition")
        builder.add_section("The possessive mark, and the words before it: whose, not who.")
        builder.add_special(POSSESSIVE_MARK, "possessive", f'LEFT "{POSSESSIVE}" RIGHT')
        builder.add_special(OWNER, "owner", rf"LEFT /(?!{POSSESSIVE}(?![^ ]))[^ ]+/ RIGHT")
        builder.add_section("A word that the taxonomy does not know.")
        builder.add_special(UNKNOWN, "unknown", f"LEFT /{UNKNOWN_OPEN}[^ ]+{UNKNOWN_CLOSE}/ RIGHT")

    def _add_carriers(self) -> None:
        """Add head categories and of-phrases, split by context."""
        members: dict[tuple[Role, str, int], list[Item]] = {}
        for item in self._items:
            if item.role == "head" or item.of:
                key = (item.role, item.category, self._contexts.of_phrase[item.text])
                members.setdefault(key, []).append(item)
        for key in self._builder.in_file_order(members):
            role, category, context = key
            suffix = ("" if role == "head" else "__of") + (f"__{context}" if context else "")
            names = self._builder.add_category(role, category, suffix, members[key])
            (self._cores if role == "head" else self._of).setdefault(context, []).extend(names)

    def _add_modifiers(self) -> None:
        """Add modifier categories, split by constraint."""
        members: dict[tuple[Role, str, Constraint], list[Item]] = {}
        for item in self._items:
            if item.role == "modifier" and not item.of:
                members.setdefault((item.role, item.category, item.constraint), []).append(item)
        for key in self._builder.in_file_order(members):
            _, category, constraint = key
            number = self._contexts.number(constraint)
            suffix = f"__sense_{number}" if number else ""
            names = self._builder.add_category("modifier", category, suffix, members[key])
            self._senses.setdefault(constraint, []).extend(names)
        for constraint, names in self._senses.items():
            number = self._contexts.number(constraint)
            self._builder.add_rules("", comment(_describe(constraint)), rule(f"sense__{number}", names))

    def _add_blocked(self) -> None:
        """Let a context consume, without a category, what has no sense in it."""
        senses: dict[str, list[Item]] = {}
        for item in self._items:
            if item.role == "modifier" and not item.of:
                senses.setdefault(item.text, []).append(item)
        for context, forbidden in enumerate(self._contexts.forbidden):
            senseless = [
                items[0] for items in senses.values() if {item.constraint for item in items} <= forbidden
            ]
            if senseless:
                self._blocked[context] = self._builder.add_blocked(f"blocked__{context}", senseless)

    def _add_context(self, context: int) -> None:
        """Add the rules of one context: what may stand before its heads."""
        numbers = [self._contexts.number(c) for c in self._senses if self._contexts.admits(context, c)]
        admitted = [f"sense__{number}" for number in sorted(numbers)] + self._blocked.get(context, [])
        core = list(self._cores.get(context, []))
        self._builder.add_rules("", comment(self._describe_context(context)))
        if context in self._of:
            self._builder.add_rules(rule(f"of__{context}", self._of[context]))
            core.append(f"of__{context} noun_phrase")
        modifier, modifiers = f"modifier__{context}", f"modifiers__{context}"
        self._builder.add_rules(
            rule(f"body__{context}", [f"core__{context}", f"{modifiers} core__{context}"]),
            rule(f"core__{context}", core),
            rule(modifiers, [modifier, f"{modifiers} {modifier}", f"{modifiers} joiner {modifier}"]),
            rule(modifier, [*admitted, "unknown", f"DEGREE {modifier}", f"DEGREE COMMA {modifier}"]),
        )

    def _describe_context(self, context: int) -> str:
        numbers = sorted(self._contexts.number(c) for c in self._contexts.forbidden[context])
        if not numbers:
            return "Heads that go with every modifier."
        return "Heads that do not go with sense " + ", ".join(map(str, numbers)) + "."


def _items_in_all_categories(builder: GrammarBuilder) -> list[Item]:
    """Return all phrases and open patterns; a phrase with `also` stands in its other categories too."""
    items: list[Item] = []
    for phrase in phrases_of(builder.taxonomy):
        categories = (phrase.category, *phrase.also)
        items.append(replace(phrase, also=()))
        items += [replace(phrase, category=category, also=(), says=()) for category in phrase.also]
        if phrase.also and phrase.role == "modifier":
            for category in categories:
                builder.hold_together(phrase.text, category, categories)
    return [*items, *open_patterns_of(builder.taxonomy)]


def _describe(constraint: Constraint) -> str:
    parts = []
    if constraint.not_with:
        parts.append("not with " + ", ".join(constraint.not_with))
    if constraint.only_with:
        parts.append("only with " + ", ".join(constraint.only_with))
    return "Modifiers that go " + (" and ".join(parts) if parts else "with every head") + "."


def _add_own_syntax(builder: GrammarBuilder) -> None:
    """Add the rules of the taxonomy's own `syntax:`, and the words of whatever they reach."""
    taxonomy = builder.taxonomy
    assert taxonomy.syntax is not None
    reached = reachable_symbols(taxonomy)
    parts = _add_categories(builder, reached)
    for name, words in taxonomy.function_words.items():
        builder.add_function_words(_terminal(name), words, in_rules=name in reached)
    start = next(iter(taxonomy.syntax))
    builder.add_rules(rule("start", [_rule(start)]))
    for name, alternatives in taxonomy.syntax.items():
        if name in reached:
            bodies = [
                " ".join(_symbol(builder, parts, symbol) for symbol in alternative.split())
                for alternative in alternatives
            ]
            builder.add_rules(rule(_rule(name), bodies))


def _add_categories(builder: GrammarBuilder, reached: set[str]) -> dict[str, str]:
    """Add the reachable categories. Return their rules by symbol."""
    members: dict[tuple[Role, str], list[Item]] = {}
    for item in _items_in_all_categories(builder):
        members.setdefault((item.role, item.category), []).append(item)
    parts: dict[str, str] = {}
    for key in builder.in_file_order(members):
        role, category = key
        symbol = f"{role}.{category}"
        if symbol in reached:
            names = builder.add_category(role, category, "", members[key])
            parts[symbol] = names[0]
            if len(names) > 1:
                parts[symbol] = f"any_{names[0]}"
                builder.add_rules(rule(parts[symbol], names))
    return parts


def _symbol(builder: GrammarBuilder, parts: dict[str, str], symbol: str) -> str:
    if symbol in parts:
        return parts[symbol]
    return _terminal(symbol) if symbol in builder.taxonomy.function_words else _rule(symbol)


def _rule(name: str) -> str:
    return f"syntax_{rule_name(name)}"


def _terminal(name: str) -> str:
    return f"WORD_{rule_name(name).upper()}"
