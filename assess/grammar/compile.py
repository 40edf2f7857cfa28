"""Compiling a taxonomy into the text of a grammar: a pure and deterministic function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assess.grammar.compile_parts import (
    OTHER,
    Item,
    ListWriter,
    PatternWriter,
    constraint_name,
    find_contexts,
    usual_constraints,
)
from assess.grammar.grammar_text import GrammarText, plain_name, quoted
from assess.grammar.lark_file import PATTERNS, SAYING
from assess.grammar.model import OWNER, POSSESSIVE_MARK, UNKNOWN, UNKNOWN_CLOSE, UNKNOWN_OPEN, UNSAID
from assess.records import Role
from assess.taxonomy.model import ModifierCategory, Taxonomy
from assess.taxonomy.phrases import (
    FREE,
    Constraint,
    OpenPattern,
    Phrase,
    constraint_of,
    normal_form,
    open_patterns_of,
    phrases_of,
    spaced,
)
from assess.taxonomy.syntax import BUILT_IN, MORE, reachable_symbols
from assess.taxonomy.words import FUNCTION_WORDS, POSSESSIVE

WORD = "WORD_"
"""Prefix of function words in a taxonomy's own phrase structure."""
USUAL = "usual_modifiers"
EDGES = (
    "// Phrases begin and end at token boundaries; tokens are separated by one space.",
    "LEFT: /(?<![^ ])/",
    "RIGHT: /(?![^ ])/",
    '%ignore " "',
)
FRAME = """\
start: label
// Noun phrases are joined by a conjunction; a comma alone joins only within a list.
label: noun_phrase | list CONJUNCTION noun_phrase | list COMMA CONJUNCTION noun_phrase
list: noun_phrase | list joiner noun_phrase
joiner: CONJUNCTION | COMMA | COMMA CONJUNCTION
opening: PREDETERMINER | DETERMINER | possessor | PREDETERMINER DETERMINER | PREDETERMINER possessor
possessor: owner POSSESSIVE | possessor owner POSSESSIVE
owner: OWNER | owner OWNER

// A head, with any number of modifiers before it.
modified{head, modifier}: head | modifiers{modifier} head
modifiers{modifier}: graded{modifier}
    | modifiers{modifier} graded{modifier} | modifiers{modifier} joiner graded{modifier}
"""
GRADED = (
    "graded{{modifier}}: modifier{unsaid} | UNKNOWN | DEGREE graded{{modifier}}"
    " | DEGREE COMMA graded{{modifier}}"
)


def grammar_text(taxonomy: Taxonomy, *, source: str = "") -> str:
    """Compile a taxonomy into the text of a grammar; `source` is the hash of the taxonomy's file."""
    exact = taxonomy.hyphens == "exact"
    title, rules, words = (GrammarText(exact=exact) for _ in range(3))
    _add_title(title, taxonomy, source)
    patterns = PatternWriter(words, taxonomy)
    structure = OwnSyntax if taxonomy.own_structure else EnglishNounPhrase
    structure(rules, words, taxonomy, patterns).add()
    lists = ListWriter(words, taxonomy, patterns)
    lists.add_after()
    patterns.add_sets()
    lists.add()
    words.section("Edges of phrases")
    words.add(*EDGES)
    return f"{title}{rules}{words}"


def _add_title(text: GrammarText, taxonomy: Taxonomy, source: str) -> None:
    text.comment(
        "The complete grammar of a domain: the rules, words and lists that determine the analysis of phrases"
        " and captions. docs/grammar.md explains it. Parse it with Lark's Earley, lexer='dynamic_complete';"
        " the input consists of lower-case tokens with one space between them. The possessive is a token, and"
        f" unknown words are between {UNKNOWN_OPEN} and {UNKNOWN_CLOSE}."
    )
    text.comment(
        "`assess domain compile` generates this file from the taxonomy; to change it, edit a copy and use"
        " --grammar."
    )
    text.state(f"domain {taxonomy.taxonomy} {taxonomy.version}: {_one_line(taxonomy.description)}")
    if source:
        text.state(f"compiled from {source}")


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Structure:
    """Adds the words of categories to a grammar; the base of all phrase structures."""

    def __init__(
        self, rules: GrammarText, words: GrammarText, taxonomy: Taxonomy, patterns: PatternWriter
    ) -> None:
        self._rules = rules
        self._words = words
        self._taxonomy = taxonomy
        self._patterns = patterns
        self._terminals: dict[str, list[str]] = {}  # rule over words -> its terminals
        self._items = list(_items_in_all_categories(taxonomy, patterns))
        self._members: dict[tuple[Role, str], list[Item]] = {
            (role, name): [] for role, name, _ in taxonomy.categories()
        }
        for item in self._items:
            self._members[item.role, item.category].append(item)

    def _add_part(self, prefix: str, category: str, suffix: str, members: Sequence[Item]) -> list[str]:
        """Add (a part of) a category. Return its rules; nouns with further categories have their own."""
        names = []
        for says, own in _by_saying(members).items():
            saying = "".join(f"__{SAYING}{plain_name(other)}" for other in says)
            names += self._add_words(f"{prefix}_{plain_name(category)}{saying}{suffix}", own)
        return names

    def _add_words(self, stem: str, members: Sequence[Item]) -> list[str]:
        """Add the rules and terminals of some phrases and patterns. Return the rules.

        Listed words and patterns have separate rules, because listed words are preferred in a reading.
        """
        text = self._words
        rules = []
        phrases = [item.text for item in members if isinstance(item, Phrase)]
        if phrases:
            rules.append(text.unique(stem))
            self._terminals[rules[-1]] = text.leaf(rules[-1], phrases)
        patterns = dict.fromkeys(item.text for item in members if isinstance(item, OpenPattern))
        if patterns:
            rules.append(text.unique(f"{stem}__{PATTERNS}"))
            found = [name for pattern in patterns for name in self._patterns.terminals(pattern)]
            self._terminals[rules[-1]] = found
            text.rule(rules[-1], found)
            self._patterns.add_patterns(patterns)
        return rules

    def _state(self, role: Role, category: str) -> None:
        found = self._taxonomy.roles[role][category]
        about = ""
        if isinstance(found, ModifierCategory):
            within = f", within {found.parent}" if found.parent else ""
            apart = ", stands apart" if found.stands_apart else ""
            about = f" ({found.evidence}, {found.sensitivity}{within}{apart})"
        elif found.parent:
            about = f" (within {found.parent})"
        self._words.add("")
        self._words.state(f"{role} {category}{about}: {_one_line(found.description)}")

    def _begin(self, role: Role) -> None:
        titles = {"head": "Heads: what phrases are about", "modifier": "Modifiers: what is said about heads"}
        self._words.section(titles[role])
        if role == "head" and self._taxonomy.plurals_are:
            self._words.state(f"plurals are {self._taxonomy.plurals_are}")
        if role == "head" and self._taxonomy.levels != "both":
            self._words.state(f"levels {self._taxonomy.levels}")

    def _add_function_words(self, words: dict[str, tuple[str, ...]], terminals: dict[str, str]) -> None:
        """Add kinds of function words with their terminals; those without a terminal are only known words."""
        text = self._rules
        text.section("Function words")
        loose = []
        for kind, members in words.items():
            phrases = [spaced(word, exact=text.exact) for word in members]
            if kind in terminals:
                text.terminal(terminals[kind], text.phrases(phrases))
            else:
                loose += phrases
        if loose:
            text.comment("Known words that no rule uses: the head of a chunk precedes them.")
            text.terminal("PREPOSITION", text.phrases(loose), edges=False)


class EnglishNounPhrase(_Structure):
    """Adds the built-in phrase structure to a grammar: English noun phrases with modifiers before the head.

    A label is one noun phrase, or several in a list that ends in a conjunction. A noun phrase is `opening?
    modifier* head`, where a determiner or a possessor opens it, or `opening? modifier* of-phrase noun-phrase`
    ("a large group of young men").

    Every head belongs to a context (see `Contexts`); the rules of a context count only the modifiers that
    apply to its heads. A modifier without a sense there is read but not counted: a big crowd is still a
    crowd.
    """

    def add(self) -> None:
        """Add all rules and words."""
        self._contexts = find_contexts(self._rules, self._taxonomy, self._items)
        self._classes = {
            constraint: self._rules.unique(constraint_name(constraint))
            for constraint in (FREE, *self._contexts.constraints)
        }
        self._of_symbol: dict[str, list[str]] = {}  # category -> its rules
        self._carriers: list[list[str]] = [[] for _ in self._contexts.names]
        self._modifiers: dict[Constraint, list[str]] = {constraint: [] for constraint in self._classes}
        self._begin("head")
        for category in self._taxonomy.heads:
            self._state("head", category)
            self._add_carriers("head", category)
        self._begin("modifier")
        for category in self._taxonomy.modifiers:
            self._state("modifier", category)
            self._add_modifiers(category)
            self._add_carriers("modifier", category)
        self._add_rules()

    def _add_carriers(self, role: Role, category: str) -> None:
        """Add the heads or of-phrases of a category, split by context."""
        by_context: dict[int, list[Item]] = {}
        for item in self._members[role, category]:
            if role == "head" or item.of:
                by_context.setdefault(self._contexts.of_phrase[item.text], []).append(item)
        for context, members in sorted(by_context.items()):
            name = self._contexts.names[context]
            suffix = "" if name == OTHER else f"__{name}"
            prefix = "head" if role == "head" else "of"
            rules = self._add_part(prefix, category, suffix, members)
            self._carriers[context] += rules
            if role == "head":
                self._of_symbol.setdefault(f"head.{category}", []).extend(rules)

    def _add_modifiers(self, category: str) -> None:
        """Add the modifiers of a category, split by constraint."""
        by_constraint: dict[Constraint, list[Item]] = {}
        for item in self._members["modifier", category]:
            if not item.of:
                by_constraint.setdefault(item.constraint, []).append(item)
        most = max(by_constraint, key=lambda constraint: len(by_constraint[constraint]), default=FREE)
        for constraint, members in by_constraint.items():
            # The largest part of a category has its plain name.
            suffix = "" if constraint == most else f"__{self._classes[constraint]}"
            rules = self._add_part("modifier", category, suffix, members)
            self._modifiers[constraint] += rules
            self._of_symbol.setdefault(f"modifier.{category}", []).extend(rules)

    def _add_rules(self) -> None:
        text = self._rules
        constrained = [name for c in self._contexts.constraints for name in self._modifiers[c]]
        text.section("The structure of phrases")
        added = self._additions()
        for line in FRAME.rstrip("\n").split("\n"):
            text.add(" | ".join([line, *added.pop(line.partition(":")[0], ())]))
        text.comment(
            "A modifier that counts before this head, one that does not, or an unknown word; also"
            ' "very tall".'
        )
        text.add(GRADED.format(unsaid=f" | {UNSAID}" if constrained else ""))
        self._add_contexts(added.pop("noun_phrase", []), added.pop("body", []))
        if added:
            text.section("Rules of this taxonomy")
            for name, alternatives in added.items():
                text.rule(name, alternatives)
        text.section("Modifiers by the heads that they apply to")
        for constraint in self._classes:
            if self._admitting(constraint):
                text.rule(f"modifiers_{self._classes[constraint]}", self._modifiers[constraint])
        if constrained:
            text.comment(
                "Words whose meaning depends on the head, before heads where they have none: read, but not"
                " counted."
            )
            terminals = (terminal for name in constrained for terminal in self._terminals[name])
            text.rule(UNSAID, list(dict.fromkeys(terminals)))
        words = {**FUNCTION_WORDS, **self._taxonomy.function_words}
        self._add_function_words(words, {kind: _constant(kind) for kind in words if kind != "preposition"})
        text.comment("The possessive mark, and the words before it, which name the owner.")
        text.terminal(POSSESSIVE_MARK, [quoted(POSSESSIVE)])
        text.terminal(OWNER, [rf"/(?!{POSSESSIVE}(?![^ ]))[^ ]+/"])
        text.comment("An unknown word.")
        text.terminal(UNKNOWN, [f"/{UNKNOWN_OPEN}[^ ]+{UNKNOWN_CLOSE}/"])

    def _admitting(self, constraint: Constraint) -> list[int]:
        """Return the contexts that count modifiers with a constraint, if there are such modifiers."""
        every = range(len(self._contexts.names)) if self._modifiers[constraint] else ()
        return [context for context in every if self._contexts.admits(context, constraint)]

    def _additions(self) -> dict[str, list[str]]:
        """Return what `syntax` adds by name: alternatives of built-in rules, and rules of its own."""
        syntax = self._taxonomy.syntax or {}
        reached = reachable_symbols(self._taxonomy) if syntax else set[str]()
        symbols = {name: f"syntax_{plain_name(name)}" for name in syntax}
        symbols |= {name: plain_name(name) for name in BUILT_IN}
        symbols |= {kind: _constant(kind) for kind in {*FUNCTION_WORDS, *self._taxonomy.function_words}}
        found: dict[str, list[str]] = {}
        for symbol, rules in self._of_symbol.items():
            symbols[symbol] = rules[0] if len(rules) == 1 else f"any_{plain_name(symbol)}"
            if symbol in reached and len(rules) > 1:
                found[symbols[symbol]] = rules
        for name, alternatives in syntax.items():
            if name in reached:
                bodies = [alternative.split() for alternative in alternatives if alternative != MORE]
                found[symbols[name]] = [" ".join(map(symbols.__getitem__, body)) for body in bodies]
        return found

    def _add_contexts(self, phrases: list[str], bodies: list[str]) -> None:
        text = self._rules
        names = self._contexts.names
        text.section(
            "Modifiers that count before each group of heads",
            "Heads that allow the same modifiers form a group, which is named after the constraint that"
            " distinguishes it.",
        )
        text.rule("noun_phrase", ["opening? body", *phrases])
        text.rule("body", [*(f"modified{{heads_{name}, modifiers_{name}}}" for name in names), *bodies])
        admitting = {constraint: set(self._admitting(constraint)) for constraint in self._classes}
        usual = usual_constraints(admitting)
        if usual:
            text.comment("Modifiers of most heads.")
            text.rule(USUAL, [f"modifiers_{self._classes[c]}" for c in usual])
        for context, name in enumerate(names):
            heads = [
                f"{rule} noun_phrase" if rule.startswith("of_") else rule for rule in self._carriers[context]
            ]
            admitted = [c for c in self._classes if context in admitting[c]]
            has_usual = bool(usual) and set(usual) <= set(admitted)
            counted = [USUAL] if has_usual else []
            counted += [f"modifiers_{self._classes[c]}" for c in admitted if not has_usual or c not in usual]
            text.add("")
            text.rule(f"heads_{name}", heads)
            text.rule(f"modifiers_{name}", counted or ["UNKNOWN"])


def _items_in_all_categories(taxonomy: Taxonomy, patterns: PatternWriter) -> Iterator[Item]:
    """Yield all phrases and patterns; a phrase with `also` is repeated in its other categories."""
    by_pattern: dict[str, set[str]] = {}
    found: list[OpenPattern] = []
    for name, modifier in taxonomy.modifiers.items():
        own = {normal_form(taxonomy, entry.word) for entry in modifier.words}
        for pattern in modifier.patterns:
            phrases = patterns.instances(pattern)
            if phrases:
                by_pattern.setdefault(name, set()).update(set(phrases) - own)
                found.append(OpenPattern(pattern, "", "modifier", name, constraint_of(modifier, None)))
    for phrase in phrases_of(taxonomy):
        if phrase.role == "modifier" and phrase.text in by_pattern.get(phrase.category, ()):
            continue
        yield replace(phrase, also=())
        yield from (replace(phrase, category=category, also=(), says=()) for category in phrase.also)
    yield from found
    yield from open_patterns_of(taxonomy)


def _by_saying(members: Sequence[Item]) -> dict[tuple[str, ...], list[Item]]:
    """Return a category's members, grouped by the modifier categories that they also express."""
    found: dict[tuple[str, ...], list[Item]] = {}
    for item in members:
        says = tuple(sorted(set(item.says))) if isinstance(item, Phrase) else ()
        found.setdefault(says, []).append(item)
    return found


def _constant(kind: str) -> str:
    return plain_name(kind).upper()


class OwnSyntax(_Structure):
    """Adds the rules in the taxonomy's own `syntax:`, and the words of everything that they use."""

    def add(self) -> None:
        """Add all rules and words."""
        syntax = self._taxonomy.syntax
        assert syntax is not None
        reached = reachable_symbols(self._taxonomy)
        self._symbols: dict[str, str] = {name: f"syntax_{plain_name(name)}" for name in syntax}
        for role, categories in self._taxonomy.roles.items():
            self._begin(role)
            for category in categories:
                self._state(role, category)
                if f"{role}.{category}" in reached:
                    self._add_category(role, category)
        words = self._taxonomy.function_words
        terminals = {name: f"{WORD}{_constant(name)}" for name in words if name in reached}
        self._symbols |= terminals
        self._rules.section("The structure of phrases")
        self._rules.rule("start", [self._symbols[next(iter(syntax))]])
        for name, alternatives in syntax.items():
            if name in reached:
                bodies = [" ".join(self._symbols[symbol] for symbol in body.split()) for body in alternatives]
                self._rules.rule(self._symbols[name], bodies)
        self._add_function_words(words, terminals)

    def _add_category(self, role: Role, category: str) -> None:
        names = self._add_part(role, category, "", self._members[role, category])
        symbol = names[0]
        if len(names) > 1:
            symbol = f"any_{names[0]}"
            self._rules.rule(symbol, names)
        self._symbols[f"{role}.{category}"] = symbol
