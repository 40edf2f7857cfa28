"""Reads the statements after a noun, with the same categories as the modifiers before it.

A label with such attributes is stored as one text, "a man … with beard … smiling", so that equal labels are
still counted together and analysed once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assess.grammar.lexicon import compiled
from assess.grammar.memory import Memory
from assess.grammar.model import AfterPattern
from assess.grammar.objects import Statement
from assess.grammar.parser import Parser
from assess.grammar.tree import DEFINITE, OF_THEM, OTHERS
from assess.records import Analysis, Reading, Span
from assess.taxonomy.phrases import LONGEST_PHRASE
from assess.taxonomy.words import words_of

SEPARATOR = " … "
"""Between a chunk and each attribute after its noun, in the text of a label."""
BEING = "being "
"""Before a noun that describes the label: a man … being surfer."""
SOMETHING = " (something)"
"""After a verb that is read without its object: a man … petting (something). Words have no brackets."""

NOT = "not"
"""The first word of patterns for denied statements, whichever word denies them: never, n't, hardly."""

_LINKED = re.compile(r"\)\*\? \)[a-z]")
"""In the regular expression of a pattern with another word after its first one: opposed to {noun}."""

_REMEMBERED = 200_000
"""Maximum number of phrases whose categories are kept, since captions repeat them."""

Categories = tuple[str, ...]


Parts = tuple[tuple[str, ...], ...]


def part_of_them(word: str) -> str:
    """Return the label text for a number alone, which must differ from a chunk: "two" -> "two of them"."""
    return f"{word} of them"


class Patterns:
    """Patterns for phrases after a noun, by their first words."""

    def __init__(self, patterns: Iterable[AfterPattern]) -> None:
        # By the phrase at the end, which many first words share.
        self._listed: dict[str, tuple[AfterPattern, ...]] = {}
        self._regexes: dict[str, list[AfterPattern]] = {}
        for pattern in patterns:
            for opening in pattern.openings:
                self._regexes.setdefault(opening, [])
                if pattern.regex:
                    self._regexes[opening].append(pattern)
            # most names have a single pattern, and all names of a pattern can share the tuple
            alone = (pattern,)
            for name in () if pattern.regex else pattern.parts[-1] if pattern.parts else pattern.openings:
                known = self._listed.get(name)
                self._listed[name] = alone if known is None else (*known, pattern)
        self.openings = frozenset(self._regexes)
        self._last_words = {name[name.rfind(" ") + 1 :] for name in self._listed}

    def matching(self, phrase: str) -> set[str]:
        """Return the categories of all patterns that match a phrase with the longest name."""
        if phrase.partition(" ")[0] not in self.openings:
            return set()
        words = phrase.split(" ")
        found = list(self._matching_regexes(words[0], phrase))
        if words[-1] in self._last_words:
            found += self._matching_words(words)
        if not found:
            return set()
        # The longer name is meant: "holding a hot dog" is not about a dog.
        longest = max([named for _, named in found])
        return {category for category, named in found if named in {0, longest}}

    def _matching_words(self, words: list[str]) -> Iterator[tuple[str, int]]:
        """Yield categories with the length of the name at the end, longest first."""
        for start in range(1 if len(words) > 1 else 0, len(words)):
            name = " ".join(words[start:])
            for pattern in self._listed.get(name, ()):
                fits = words[0] in pattern.openings if pattern.parts else words[0] == name
                if fits and _in_order(pattern.parts[:-1], words[1:start]):
                    yield pattern.category, len(name) if start else 0

    def _matching_regexes(self, opening: str, phrase: str) -> Iterator[tuple[str, int]]:
        for pattern in self._regexes[opening]:
            if match := compiled(pattern.regex).fullmatch(phrase):
                yield pattern.category, len(match.groupdict().get("named") or "")


def _in_order(parts: Parts, words: list[str]) -> bool:
    """Whether words contain all parts in order, possibly with other words between them."""
    begin = 0
    for part in parts:
        ends = (
            end
            for end in range(begin + 1, len(words) + 1)
            for start in range(max(begin, end - LONGEST_PHRASE), end)
            if " ".join(words[start:end]) in part
        )
        begin = next(ends, 0)
        if not begin:
            return False
    return True


class StatementReader:
    """Reads statements about labels, and labels with statements."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        facts = parser.grammar.facts
        patterns = facts.after
        self._closed = Patterns(pattern for pattern in patterns if not pattern.open)
        self._open = Patterns(pattern for pattern in patterns if pattern.open)
        # For "opposed to {noun}", a verb is read with its preposition before it is read alone.
        self._linked = Patterns(
            pattern for pattern in patterns if pattern.open and _LINKED.search(pattern.regex)
        )
        self.openings = self._closed.openings | self._open.openings
        self._actions = self._reported(
            pattern.category for pattern in patterns if pattern.any_verb and pattern.category
        )
        self.pronouns = frozenset({*facts.pronouns, *OTHERS}) if facts.pronouns else frozenset[str]()
        self._stand_for_somebody = self.pronouns | {part_of_them(word) for word in OF_THEM if facts.pronouns}
        self.rivals = frozenset(facts.rivals)
        """Nouns outside the domain that pronouns can refer to and that can also act."""
        self._stand_in = facts.pronoun_noun
        self._analyses: dict[str, Analysis] = {}
        # The categories whose patterns match a phrase; None if no pattern matches it.
        self._closed_matches = Memory(self._match_closed, most=_REMEMBERED)
        self._matches = Memory(self._match, most=_REMEMBERED)
        self._qualities = Memory(self._quality_of, most=_REMEMBERED)

    def reads(self, phrase: str) -> bool:
        """Whether the taxonomy has a category for a phrase, about any label."""
        return bool(self._closed_matches[phrase])

    def matches(self, phrase: str) -> bool:
        """Whether any pattern matches a phrase, including infinite patterns and those that say nothing."""
        return self._matches[phrase] is not None

    def read(self, label: str, statement: Statement, *, of_domain: bool) -> tuple[str, Categories] | None:
        """Return the part of a statement about a label that is read, with its categories; None if nothing is.

        A phrase that says nothing according to the taxonomy is read, but has no categories. `of_domain`
        states that the object is itself in the domain: holding a child is not carrying a thing.
        """
        found = (self._closed_matches if of_domain else self._matches)[statement.phrase]
        if found is not None:
            return statement.phrase, found
        if statement.verb:
            return self._read_verb(label, statement)
        if statement.optional and not statement.core:
            return None
        # The meaning of an adjective with its adverb takes precedence over its meaning alone.
        phrases = (statement.phrase, statement.core or statement.phrase)
        for phrase in phrases[:1] if phrases[0] == phrases[1] else phrases:
            if quality := self._quality(self.analyse(label), phrase):
                return phrase, quality
        return None

    def read_denied(self, statement: Statement) -> str | None:
        """Return what is denied, after "not"; few domains have categories for this."""
        phrase = f"{NOT} {statement.phrase}"
        return phrase if NOT in self.openings and self._matches[phrase] else None

    def _read_verb(self, label: str, statement: Statement) -> tuple[str, Categories] | None:
        """Read a verb by itself: as listed after nouns, as listed before nouns, or as any verb."""
        verb = statement.verb
        found = self._closed_matches[verb]
        if statement.object is not None and self._actions:
            # With an object, a verb does not mean the same as before a noun (striking a ball): it states an
            # action.
            return f"{verb}{SOMETHING}", self._actions if found is None else found
        if found is None:
            found = self._quality(self.analyse(label), verb)
        if found is None and statement.active and self._actions:
            found = self._actions
        return None if found is None else (verb, found)

    def _quality(self, analysis: Analysis, word: str) -> Categories | None:
        """Read a word as if it preceded the noun, so that the head's constraints apply."""
        head = self._stand_in
        for span in analysis.best.spans:
            if span.role == "head":
                head = span.text
        if not head:
            return None  # a taxonomy's own phrase structure may not need a head
        return self._qualities[word, head.lower()]

    def _quality_of(self, word_and_head: tuple[str, str]) -> Categories | None:
        word, head = word_and_head
        length = len(words_of(word))
        edges = self._parser.grammar.lexicon.edges(words_of(f"{word} {head}"))
        if not any(edge.start == 0 and edge.end >= length for edge in edges):
            return None  # most verbs cannot precede a noun
        reading = self._parser.analyse(f"{word} {head}")
        told = tuple(
            dict.fromkeys(
                span.category
                for span in reading.best.spans
                if span.role == "modifier" and span.start == 0 and span.end >= length
            )
        )
        return told if reading.why is None and told else None

    def _match(self, phrase: str) -> Categories | None:
        """Return the categories whose patterns match a phrase; closed patterns override open ones."""
        found = self._closed_matches[phrase]
        return self._matching(self._open, phrase) if found is None else found

    def _match_closed(self, phrase: str) -> Categories | None:
        found = self._matching(self._closed, phrase)
        return self._matching(self._linked, phrase) if found is None else found

    def _matching(self, patterns: Patterns, phrase: str) -> Categories | None:
        found = patterns.matching(phrase)
        return self._reported(found - {""}) if found else None

    def _reported(self, categories: Iterable[str]) -> Categories:
        """Return categories with the parent categories that reports include."""
        facts = self._parser.grammar.facts
        return tuple(sorted({name for own in categories for name in facts.reported("modifier", own)}))

    # Labels with statements, by their text.

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label, with or without attributes after the noun."""
        if SEPARATOR not in key and key not in self._stand_for_somebody:
            return self._parser.analyse(key)
        if key not in self._analyses:
            self._analyses[key] = self._analyse(key)
        return self._analyses[key]

    def _analyse(self, key: str) -> Analysis:
        first, *parts = key.split(SEPARATOR)
        known = first in self._stand_for_somebody
        analysis = self._pronoun(first) if known else self._parser.analyse(first)
        tokens, spans, pronouns = list(analysis.tokens), list[Span](), list(analysis.pronouns)
        for part in parts:
            start = len(tokens)
            tokens += words_of(part)
            if part in self.pronouns:
                pronouns.append(part)
            else:
                spans += self._spans(analysis, part, start, len(tokens))
        return _with(analysis, key, tuple(tokens), spans, tuple(pronouns))

    def _pronoun(self, word: str) -> Analysis:
        return Analysis(word, tuple(word.split(" ")), in_domain=True, pronouns=(word,))

    def _spans(self, analysis: Analysis, part: str, start: int, end: int) -> Iterable[Span]:
        other = self.mention(part)
        if other is not None:
            # The words themselves, so that their groups can be looked up.
            shift = end - len(other.tokens)
            for span in other.best.spans:
                yield span._replace(start=shift + span.start, end=shift + span.end, position="after")
        else:
            for category in self._categories(analysis, part):
                yield Span(start, end, part, category, "modifier", position="after")

    def mention(self, part: str) -> Analysis | None:
        """Return the analysis of a part that is another mention of the label; None if it is a statement."""
        noun = part.removeprefix(BEING)
        if noun != part or part.split(" ", 1)[0] in DEFINITE:
            analysis = self._parser.analyse(noun)
            return analysis if analysis.in_domain else None
        return None

    def _categories(self, analysis: Analysis, phrase: str) -> Categories:
        """Return the categories of a part returned by `read`; a verb with an object states an action."""
        verb = phrase.removesuffix(SOMETHING)
        found = (self._matches if verb == phrase else self._closed_matches)[verb]
        if found is None and verb == phrase:
            found = self._quality(analysis, phrase)
        if found is None:
            return self._actions if " " not in verb else ()
        return found


def _with(
    analysis: Analysis, text: str, tokens: tuple[str, ...], spans: list[Span], pronouns: tuple[str, ...]
) -> Analysis:
    heads = {span.category for span in spans if span.role == "head"}
    modifiers = {span.category for span in spans if span.role == "modifier"}
    return analysis._replace(
        text=text,
        tokens=tokens,
        heads=tuple(sorted({*analysis.heads, *heads})),
        modifiers=tuple(sorted({*analysis.modifiers, *modifiers})),
        spans=(*analysis.spans, *spans),
        best=Reading(
            tuple(sorted({*analysis.best.heads, *heads})),
            tuple(sorted({*analysis.best.modifiers, *modifiers})),
            (*analysis.best.spans, *spans),
        ),
        pronouns=pronouns,
    )
