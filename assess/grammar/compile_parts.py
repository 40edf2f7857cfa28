"""Parts of a grammar's text: contexts of heads, patterns as sequences, and lists that no rule uses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from assess.grammar.grammar_text import GrammarText, beginnings, joined_name, plain_name, quoted
from assess.grammar.lark_file import PATTERNS, SAYING
from assess.grammar.lexicon import joints
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    ANY_NOUN,
    ANY_VERB,
    FREE,
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    Constraint,
    NamedConstraint,
    OpenPattern,
    Phrase,
    Plurals,
    carrier_names,
    excluded_phrases,
    instances,
    is_open,
    normal_form,
    normal_names,
    phrases_of,
    placeholder_words,
    spaced,
)
from assess.taxonomy.words import plural_of

Item = Phrase | OpenPattern
OTHER = "other"
"""The name of the context of heads that no constraint names."""


@dataclass(frozen=True, slots=True)
class Contexts:
    """Which modifiers each head allows: constraints, turned into a few families of rules.

    A *context* is the set of constraints that a head phrase (or an of-phrase such as "group of") forbids.
    Heads that forbid the same constraints share a context, and the grammar has one family of rules for each.
    """

    constraints: tuple[Constraint, ...]  # without the empty constraint
    forbidden: tuple[frozenset[Constraint], ...]  # one for each context
    of_phrase: dict[str, int]  # text of a head or an of-phrase -> its context
    names: tuple[str, ...]  # names of the contexts, from the names of their heads in constraints

    def admits(self, context: int, constraint: Constraint) -> bool:
        """Whether a modifier with this constraint applies to heads in this context."""
        return constraint not in self.forbidden[context]


def find_contexts(text: GrammarText, taxonomy: Taxonomy, items: Sequence[Item]) -> Contexts:
    """Determine the contexts of all heads and of-phrases."""
    constraints = tuple(
        dict.fromkeys(
            item.constraint
            for item in items
            if item.role == "modifier" and not item.of and item.constraint != FREE
        )
    )
    named = {constraint: NamedConstraint(constraint) for constraint in constraints}
    carriers = carrier_names(taxonomy, items)
    forbidden_by = {
        phrase: frozenset(c for c in constraints if named[c].forbids(names))
        for phrase, names in carriers.items()
    }
    kinds = sorted(
        set(forbidden_by.values()),
        key=lambda kind: (len(kind), sorted(constraints.index(c) for c in kind)),
    )
    numbers = {kind: index for index, kind in enumerate(kinds)}
    used = {name for c in constraints for name in normal_names((*c.not_with, *c.only_with))}
    calls: list[set[tuple[str, ...]]] = [set() for _ in kinds]
    for phrase, kind in forbidden_by.items():
        calls[numbers[kind]].add(tuple(sorted({plain_name(name) for name in carriers[phrase] & used})))
    shortest = (min(names, key=lambda call: (len(call), call)) for names in calls)
    names = tuple(text.unique(_context_name(call)) for call in shortest)
    by_phrase = {phrase: numbers[kind] for phrase, kind in forbidden_by.items()}
    return Contexts(constraints, tuple(kinds), by_phrase, names)


def _context_name(call: Sequence[str]) -> str:
    name = joined_name(call) if call else OTHER
    return f"a_{name}" if name.startswith(SAYING) or name == PATTERNS else name


def usual_constraints(admitting: dict[Constraint, set[int]]) -> list[Constraint]:
    """Return the constraints whose modifiers many contexts allow together, which shortens the rules most."""
    found: list[Constraint] = []
    common: set[int] | None = None
    best: tuple[int, list[Constraint]] = (3, [])
    for constraint, contexts in sorted(admitting.items(), key=lambda item: -len(item[1])):
        common = contexts if common is None else common & contexts
        found.append(constraint)
        best = max(best, ((len(common) - 1) * (len(found) - 1), list(found)), key=lambda choice: choice[0])
    return [constraint for constraint in admitting if constraint in best[1]]


def constraint_name(constraint: Constraint) -> str:
    """Return a part of a rule's name for a constraint."""
    parts = []
    if constraint.only_with:
        parts.append("only_with_" + joined_name(constraint.only_with))
    if constraint.not_with:
        parts.append("not_with_" + joined_name(constraint.not_with))
    return "_".join(parts) or "with_any"


_OPEN = {name: f"ANY_{name.upper()}" for name in OPEN_PLACEHOLDERS}


class PatternWriter:
    """Writes patterns, and the sets of words that they use."""

    def __init__(self, text: GrammarText, taxonomy: Taxonomy) -> None:
        self._text = text
        self._taxonomy = taxonomy
        self._plurals = Plurals(taxonomy)
        self._sets: dict[str, list[str]] = {}  # terminal -> words
        self._ordered: set[str] = set()  # terminals whose words must be tried longest first
        self._used: set[str] = set()
        self._named: dict[str, list[tuple[str, str | list[str]]]] = {}
        self._added: set[str] = set()

    def _sequence(self, pattern: str, *, ordered: bool = False) -> str:
        parts = PLACEHOLDER.split(pattern)
        found: list[str] = []
        for index, part in enumerate(parts):
            if index % 2 == 0:
                # Next to {word}, a hyphen only matches a hyphen: "{word}-clad" must not match "a clad man".
                beside_word = "word" in {*parts[index + 1 : index + 2], *parts[max(0, index - 1) : index]}
                found += self._literal(part, keep_hyphen=beside_word)
            elif part in _OPEN:
                self._used.add(_OPEN[part])
                found.append(_OPEN[part])
            else:
                found.append(self._set(part))
                self._ordered.update(found[-1:] if ordered else ())
        return " ".join(found)

    def _literal(self, text: str, *, keep_hyphen: bool) -> Iterator[str]:
        text = re.sub(r"(?<=\w)'s\b", " 's", text.lower())  # the possessive is a separate token
        if self._text.exact:
            yield from map(quoted, filter(None, [text]))
            return
        for piece in re.split("( )" if keep_hyphen else "([ -])", text):
            if piece in {" ", "-"} and not (keep_hyphen and piece == "-"):
                self._used.add("JOINT")
                yield "JOINT"
            elif piece:
                yield quoted(piece)

    def instances(self, pattern: str) -> list[str]:
        """Return the phrases of a finite pattern; empty if they are listed with other words."""
        if is_open(pattern) or self._text.exact:
            return []
        found = [normal_form(self._taxonomy, text) for text in instances(self._taxonomy, pattern)]
        return [] if any(phrase.endswith(" of") for phrase in found) else found

    def terminals(self, pattern: str) -> list[str]:
        """Return the terminals of a pattern before the noun; `add_patterns` defines them."""
        if pattern not in self._named:
            self._named[pattern] = self._defined(pattern)
        return [name for name, _ in self._named[pattern]]

    def _defined(self, pattern: str) -> list[tuple[str, str | list[str]]]:
        """Return a pattern's terminals, each with its sequence or its phrases."""
        name = self._text.unique(f"LIKE_{plain_name(pattern)}".upper())
        if is_open(pattern):
            return [(name, self._sequence(pattern, ordered=True))]
        phrases = self.instances(pattern)
        listed, every = set(phrases), {_marked(phrase) for phrase in phrases}
        made = every if PLACEHOLDER.fullmatch(pattern) else set(self._product(pattern))
        missed = [
            phrase
            for phrase in phrases
            # If one phrase is the beginning of another, Lark would match one and never see the other.
            if _marked(phrase) not in made or any(each in listed for each in beginnings(phrase))
        ]
        if 2 * len(missed) > len(phrases):
            return [(name, phrases)]
        found: list[tuple[str, str | list[str]]] = [(name, self._sequence(pattern))]
        return [*found, (self._text.unique(f"{name}__LONGER"), missed)] if missed else found

    def add_patterns(self, patterns: Iterable[str]) -> None:
        """Define the terminals of patterns that are not defined yet."""
        for pattern in patterns:
            for name, body in self._named[pattern] if pattern not in self._added else ():
                self._text.terminal(name, [body] if isinstance(body, str) else self._text.phrases(body))
            self._added.add(pattern)

    def _product(self, pattern: str) -> Iterator[str]:
        parts = PLACEHOLDER.split(pattern)
        choices = [
            [re.sub("[ -]", "\x1f", part.lower())]
            if index % 2 == 0
            else [_marked(spaced(word)) for word in placeholder_words(self._taxonomy, part)]
            for index, part in enumerate(parts)
        ]
        return ("".join(choice) for choice in itertools.product(*choices))

    def after(self, patterns: Iterable[str]) -> list[str]:
        """Return patterns for phrases after a noun; patterns that only differ in the last word are merged."""
        found: dict[str, list[str]] = {}
        for pattern in patterns:
            opening, *parts = pattern.split()
            sequence = [self._opening(opening), *map(self._after_part, parts[:-1])]
            if not parts or parts[-1] == ANY_NOUN or PLACEHOLDER.fullmatch(parts[-1]):
                sequence += [self._after_part(part, last=True) for part in parts[-1:]]
                found[" ".join(sequence)] = []
            else:
                self._used.add("BETWEEN")
                last_words = found.setdefault(" ".join([*sequence, "BETWEEN"]), [])
                last_words += self._forms(parts[-1:], plurals=True)
        return [
            f"{sequence} {self._text.group(words)}" if words else sequence
            for sequence, words in found.items()
        ]

    def _opening(self, part: str) -> str:
        if part == ANY_VERB:
            self._used.add("VERB")
            return "VERB"
        return self._text.group(part.split("|"))

    def _after_part(self, part: str, *, last: bool = False) -> str:
        if part == ANY_NOUN:
            self._used.add("OBJECT")
            return "OBJECT"
        self._used.add("BETWEEN")
        placeholder = PLACEHOLDER.fullmatch(part)
        words = self._set(placeholder[1], plurals=last) if placeholder else self._text.group([spaced(part)])
        return f"BETWEEN {words}"

    def _set(self, name: str, *, plurals: bool = False) -> str:
        terminal = f"SET_{plain_name(name).upper()}" + ("__ANY_NUMBER" if plurals else "")
        self._sets[terminal] = self._forms(placeholder_words(self._taxonomy, name), plurals=plurals)
        return terminal

    def _forms(self, words: Iterable[str], *, plurals: bool) -> list[str]:
        found = [spaced(word) for word in words]
        return found + [plural for plural in map(self._plurals.of, found) if plural] if plurals else found

    def add_sets(self) -> None:
        """Add the terminals that patterns use."""
        text = self._text
        if not self._sets and not self._used:
            return
        text.section("Parts of patterns")
        for name, body, about in (
            ("JOINT", "/[- ]/", "Words of a phrase are joined by a space or a hyphen."),
            ("BETWEEN", "/(?: [^ ]+)*? /", "Other words may stand between the parts of what follows a noun."),
            ("OBJECT", "/(?: [^ ]+)* [^ ]{2,}/", 'Any object; a caption that is cut off after "a" has none.'),
            ("VERB", "/[^ ]+/", "Any verb, in the form that ends in -ing."),
            *((_OPEN[key], f"/{regex}/", f"Any {key}.") for key, regex in OPEN_PLACEHOLDERS.items()),
        ):
            if name in self._used:
                text.comment(about)
                text.terminal(name, [body], edges=False)
        for name, words in sorted(self._sets.items()):
            listed = set(words)
            if name in self._ordered and any(each in listed for word in words for each in beginnings(word)):
                text.terminal(name, text.phrases(words), edges=False)  # Lark tries the longest first
            else:
                text.words(name, words)


def _marked(phrase: str) -> str:
    """Return a phrase with a mark wherever a space can also be a hyphen."""
    words = phrase.split(" ")
    between = ("\x1f" if "-" in joint else " " for joint in joints(words))
    return words[0] + "".join(joint + word for joint, word in zip(between, words[1:], strict=True))


class ListWriter:
    """Writes terminals that no rule uses, named after their meaning."""

    def __init__(self, text: GrammarText, taxonomy: Taxonomy, patterns: PatternWriter) -> None:
        self._text = text
        self._taxonomy = taxonomy
        self._patterns = patterns
        self._phrases = list(phrases_of(taxonomy))

    def add(self) -> None:
        """Add all of them except phrases after nouns."""
        self._add_excluded()
        self._add_together()
        self._add_groups()
        self._add_pronouns()
        self._add_notes()

    def add_after(self) -> None:
        """Add the patterns for phrases after a noun."""
        taxonomy = self._taxonomy
        listed = {
            f"AFTER__{_upper(name)}": modifier.after
            for name, modifier in taxonomy.modifiers.items()
            if modifier.after
        }
        if taxonomy.says_nothing:
            listed["SAYS_NOTHING"] = taxonomy.says_nothing
        if listed:
            self._text.section(
                "What follows a noun", "By the category that it expresses; SAYS_NOTHING expresses none."
            )
        for name, patterns in listed.items():
            self._text.terminal(name, self._patterns.after(patterns), edges=False)

    def _list(self, name: str, phrases: Iterable[str]) -> None:
        self._text.words(name, phrases)

    def _add_excluded(self) -> None:
        excluded = excluded_phrases(self._taxonomy)
        if excluded:
            self._text.section(
                "Not in the domain", "Phrases that end in one of these, unless a longer head does."
            )
            self._list("EXCLUDED", excluded)

    def _add_together(self) -> None:
        found: dict[str, list[str]] = {}
        for phrase in self._phrases:
            if phrase.also and phrase.role == "modifier":
                name = "__".join(["ALSO", *map(_upper, (phrase.category, *phrase.also))])
                found.setdefault(name, []).append(phrase.text)
        if found:
            self._text.section("Words in several categories at the same time")
        for name, phrases in found.items():
            self._list(name, phrases)

    def _add_groups(self) -> None:
        if self._taxonomy.groups:
            self._text.section("Groups that audits compare, and the words that state them")
        for group, values in self._taxonomy.groups.items():
            self._text.state(f"group {group}: {', '.join(values)}")
            told = self._told(values)
            for value in values:
                for kind, words in (("NOUNS", told[0][value]), ("MODIFIERS", told[1][value])):
                    if words:
                        self._list(f"GROUP__{_upper(group)}__{_upper(value)}__{kind}", sorted(words))

    def _told(self, values: dict[str, tuple[str, ...]]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """Return the nouns and the modifiers that state each value."""
        heads = carrier_names(self._taxonomy, self._of_role("head"))
        modifiers = {phrase.text for phrase in self._of_role("modifier") if not phrase.of}
        nouns, others = {}, {}
        for value, members in values.items():
            wanted = normal_names(members)
            nouns[value] = {text for text, names in heads.items() if names & wanted}
            others[value] = self._telling(members, heads.keys()) & modifiers
        return nouns, others

    def _of_role(self, role: str) -> Iterator[Phrase]:
        return (phrase for phrase in self._phrases if phrase.role == role)

    def _telling(self, members: Iterable[str], heads: Collection[str]) -> set[str]:
        """Return the words with which modifiers state a value.

        Lists of nouns are excluded: a blonde is a woman, but a blonde surfer may not be.
        """
        listed = (list(map(spaced, self._set_or_word(member))) for member in members)
        return {word for words in listed if not all(word in heads for word in words) for word in words}

    def _add_pronouns(self) -> None:
        pronouns = self._taxonomy.pronouns
        if pronouns is None:
            return
        self._text.section("Pronouns, the values that they state, and the noun that they stand for")
        found: dict[str, list[str]] = {}
        for word, values in pronouns.words.items():
            found.setdefault("__".join(["PRONOUN", *map(_upper, values)]), []).append(word)
        for name, words in found.items():
            # In order: the first pronoun with the same values represents the others.
            self._text.terminal(name, [self._text.phrase(word) for word in words], edges=False)
        self._list("PRONOUN_NOUN", [pronouns.noun])
        rivals = {word for name in pronouns.rivals for word in self._set_or_word(name)}
        if rivals:
            self._text.comment("Nouns outside the domain that the same pronouns can refer to.")
            self._list("RIVALS", sorted({*rivals, *filter(None, map(plural_of, rivals))}))

    def _set_or_word(self, name: str) -> list[str]:
        return self._taxonomy.set_words(name) or [name]

    def _add_notes(self) -> None:
        found: dict[str, list[str]] = {}
        for phrase in self._phrases:
            if phrase.note is not None:
                name = f"{phrase.note}__{phrase.role}_{plain_name(phrase.category)}".upper()
                found.setdefault(name, []).append(phrase.text)
        if found:
            self._text.section("Dated or offensive words, which reports name")
        for name, phrases in sorted(found.items()):
            self._list(name, phrases)


def _upper(identifier: str) -> str:
    return plain_name(identifier).upper()
