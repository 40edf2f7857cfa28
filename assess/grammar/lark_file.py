"""Reading a grammar from the text of a `.lark` file, which alone determines it.

Rules and terminals are Lark's. Their meaning follows from their names (`docs/grammar.md`); what cannot be
expressed in a grammar, such as the description of a category, is in comments that begin with `//:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lark.exceptions import LarkError

from assess.errors import GrammarError, Place
from assess.grammar.chart import Rules, chart_rules
from assess.grammar.earley import Production, compiled_rules
from assess.grammar.lark_facts import STATEMENTS, FactsReader, identifier
from assess.grammar.lark_syntax import (
    LarkText,
    Node,
    alternatives,
    items,
    literals_in,
    named,
    names_in,
    read_definitions,
    spelled,
    spoken,
)
from assess.grammar.lexicon import Kind, Leaf, Lexicon, OpenPattern
from assess.grammar.model import (
    MARK,
    OWNER,
    POSSESSIVE_MARK,
    UNKNOWN,
    UNSAID,
    Grammar,
)
from assess.records import Role
from assess.taxonomy.syntax import unit_cycles

SAYING, PATTERNS = "saying_", "patterns"
"""In names of rules: before categories that nouns also express, and for words that match patterns."""
_SPECIAL: dict[str, Kind] = {OWNER: "owner", POSSESSIVE_MARK: "possessive", UNKNOWN: "unknown"}
_LEAF = re.compile(r"(head|modifier|of)_([a-z0-9_]+?)(?:__([a-z0-9_]+))?")
# Terminals that no rule uses, and their meaning.
_LISTS = re.compile(
    "EXCLUDED|PREPOSITION|RIVALS|PRONOUN_NOUN|PRONOUN(?:__.+)?|ALSO__.+|SAYS_NOTHING|AFTER__.+"
    "|(?:DATED|OFFENSIVE)__(?:HEAD|MODIFIER)_.+|GROUP__.+__(?:NOUNS|MODIFIERS)"
)
_ANY = "\0"  # stands for the unknown parts of a pattern
_WORDS = re.compile(rf"(?:[^\W_]|{_ANY})+")


def read_grammar(text: str, file: str) -> Grammar:
    """Return the grammar of a text; raises one error with all of its mistakes and their locations."""
    try:
        return _Reader(read_definitions(text, file)).read()
    except RecursionError:
        message = "its definitions are nested too deeply, or a terminal refers to itself"
        raise GrammarError(message, place=Place(file)) from None


def productions_of(grammar: Grammar) -> list[Production]:
    """Return the rules of a grammar as compiled by Lark."""
    source = read_definitions(grammar.text, grammar.name)
    return compiled_rules("\n".join(rule.source for rule in source.rules.values()) + "\n", source.terminals)


def source_digest(text: str) -> str | None:
    """Return the hash of the taxonomy file that a grammar was compiled from, if it is stated."""
    found = re.search(rf"^{MARK} {STATEMENTS['compiled'].pattern}$", text, re.MULTILINE)
    return found["digest"] if found else None


class _Reader(FactsReader):
    """Reads one file."""

    def __init__(self, source: LarkText) -> None:
        super().__init__(source)
        self._leaves: dict[str, Leaf] = {}

    def read(self) -> Grammar:
        self._read_statements()
        self._check_rules()
        self._stop_at_problems()
        productions = self._compiled()
        self._leaves = self._leaf_rules()
        leaves_of = self._leaves_by_terminal(productions)
        inner = [production for production in productions if production[0] not in self._leaves]
        grammar = self._grammar(chart_rules(inner, start="start", leaves=self._leaves), leaves_of)
        self._stop_at_problems()
        return grammar

    # Rules.

    def _check_rules(self) -> None:
        rules = self._source.rules
        if "start" not in rules:
            self._wrong("there is no rule `start`", 1)
            return
        for name, rule in rules.items():
            for literal in literals_in(rule.body):
                hint = 'put them in a terminal: DETERMINER: LEFT ( "a" | "the" ) RIGHT'
                self._wrong(f"words must be in terminals, not in the rule `{name}`", literal, hint=hint)
            if _LEAF.fullmatch(name) or name == UNSAID:
                self._check_leaf(name)
        reached = self._reached()
        for name, rule in rules.items():
            if name not in reached and not _LEAF.fullmatch(name):
                self._wrong(f"the rule `{name}` cannot be reached from `start`", rule.name)
        self._check_terminals()

    def _check_leaf(self, name: str) -> None:
        rule = self._source.rules[name]
        if not all(named(part) in self._source.terminals for part in _single(rule.body)):
            self._wrong(f"`{name}` contains words, so its alternatives must be single terminals", rule.name)
        if name == UNSAID:
            return
        match = _LEAF.fullmatch(name)
        assert match is not None
        role = "head" if match[1] == "head" else "modifier"
        self._category(role, match[2], rule.name)
        for said in _said(match[3]):
            self._category("modifier", said, rule.name)

    def _reached(self) -> set[str]:
        reached: set[str] = set()
        waiting = ["start"]
        while waiting:
            name = waiting.pop()
            if name not in reached and name in self._source.rules:
                reached.add(name)
                waiting += map(str, names_in(self._source.rules[name].body))
        return reached

    def _check_terminals(self) -> None:
        source = self._source
        bodies = (each.body for each in (*source.rules.values(), *source.terminals.values()))
        used = {str(name) for body in bodies for name in names_in(body)}
        for name, terminal in source.terminals.items():
            if name not in used and not _LISTS.fullmatch(name):
                self._wrong(f"the terminal `{name}` is not used", terminal.name, hint="is a name misspelt?")

    def _compiled(self) -> list[Production]:
        source = self._source
        text = "\n".join(rule.source for rule in source.rules.values()) + "\n"
        try:
            productions = compiled_rules(text, source.terminals)
        except LarkError as error:
            raise GrammarError(str(error).strip(), place=source.problem("", 1).place) from error
        by_rule: dict[str, list[list[str]]] = {}
        for origin, expansion in productions:
            by_rule.setdefault(origin, []).append(expansion)
        for name, bodies in by_rule.items():
            if not all(bodies):
                self._wrong(f"the rule `{name}` can be empty", self._place_of(name))
        for name in unit_cycles(by_rule):
            self._wrong(f"the rule `{name}` can derive itself", self._place_of(name))
        self._stop_at_problems()
        return productions

    def _place_of(self, rule: str) -> Any:
        definition = self._source.rules.get(rule.partition("{")[0])
        return definition.name if definition else 1

    # Words.

    def _leaf_rules(self) -> dict[str, Leaf]:
        ranks = {role: list(self._stated[role]) for role in ("head", "modifier")}
        found = {}
        for name in self._source.rules:
            match = _LEAF.fullmatch(name)
            if match:
                role: Role = "head" if match[1] == "head" else "modifier"
                category = identifier(match[2])
                says = tuple(sorted(map(identifier, _said(match[3]))))
                pattern = PATTERNS in (match[3] or "").split("__")
                # Listed words come before matches of patterns: "bare-legged" is not a shape.
                rank = ranks[role].index(category) + (len(ranks[role]) if pattern else 0)
                found[name] = Leaf(name, role, category, rank, says, of=match[1] == "of", pattern=pattern)
        if UNSAID in self._source.rules:
            found[UNSAID] = Leaf(UNSAID, "unsaid", rank=2 * sum(map(len, ranks.values())))
        return found

    def _leaves_by_terminal(self, productions: list[Production]) -> dict[str, list[str]]:
        """Return the leaves of each terminal's words; terminals in longer rules are leaves themselves."""
        found: dict[str, list[str]] = {}
        for name in self._leaves:
            for part in _single(self._source.rules[name].body):
                found.setdefault(str(named(part)), []).append(name)
        for origin, expansion in productions:
            for name in expansion if origin not in self._leaves else ():
                if name in self._source.terminals and name not in self._leaves:
                    found.setdefault(name, []).append(name)
                    self._leaves[name] = Leaf(name, _SPECIAL.get(name, "function"))
        return found

    def _grammar(self, rules: Rules, leaves_of: dict[str, list[str]]) -> Grammar:
        lexicon, known, signs = Lexicon(), set[str](), list[tuple[str, ...]]()
        owner = ""
        for terminal, leaves in leaves_of.items():
            body = self._source.terminals[terminal].body
            if terminal == OWNER:
                owner = self._words.regex(body)
            elif terminal != UNKNOWN:
                for part in alternatives(body):
                    known |= self._add_words(lexicon, part, leaves)
                    if any(self._leaves[leaf].kind == "head" for leaf in leaves):
                        signs += self._signs(part)
        prepositions = frozenset(self._listed("PREPOSITION"))
        known |= {word for word in prepositions if " " not in word}
        return Grammar(
            self._source.text,
            self._facts(),
            self._leaves,
            rules,
            lexicon,
            known=frozenset(known),
            prepositions=prepositions,
            excluded=self._excluded(),
            signs=tuple(signs),
            owner=owner,
        )

    def _add_words(self, lexicon: Lexicon, part: Node, leaves: list[str]) -> set[str]:
        """Add the words of an alternative with its leaves. Return the single words."""
        phrases = self._words.phrases(part)
        if phrases is None:
            lexicon.add_pattern(OpenPattern(self._words.regex(part), tuple(leaves), *self._words.ends(part)))
        lexicon.add((spelling for phrase in phrases or () for spelling in spelled(phrase)), leaves)
        said = {spoken(phrase) for phrase in phrases or ()}
        counted = any(self._leaves[leaf].kind in {"head", "modifier", "function"} for leaf in leaves)
        return {phrase for phrase in said if " " not in phrase} if counted else set()

    def _signs(self, part: Node) -> Iterator[tuple[str, ...]]:
        """Yield the words that all matches of a pattern contain; the end of {word}genarian is not a word."""
        if self._words.phrases(part) is None:
            parts = (self._words.phrases(each) for each in items(part))
            written = "".join(spoken(each[0]) if each and len(each) == 1 else _ANY for each in parts)
            yield tuple(word for word in _WORDS.findall(written) if _ANY not in word)

    def _excluded(self) -> Lexicon:
        found = Lexicon()
        self._listed("EXCLUDED")
        phrases = (self._words.of("EXCLUDED") or ()) if "EXCLUDED" in self._source.terminals else ()
        found.add((spelling for phrase in phrases for spelling in spelled(phrase)), ["EXCLUDED"])
        return found


def _single(body: Node) -> list[Node]:
    """Return the alternatives of a rule, each of which is a single symbol."""
    found = []
    for part in alternatives(body):
        symbols = items(part)
        found.append(symbols[0] if len(symbols) == 1 else part)
    return found


def _said(suffix: str | None) -> list[str]:
    """Return the categories that a rule's nouns also express, according to its name."""
    parts = (suffix or "").split("__")
    return [part.removeprefix(SAYING) for part in parts if part.startswith(SAYING)]
