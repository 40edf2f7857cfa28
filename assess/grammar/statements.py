"""Reading what is said about a label after its noun, in the same categories as before it.

A label with such attributes is kept under one text, "a man … with beard … smiling", so that equal labels are
still counted together and analysed once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import product

from assess.errors import GrammarError
from assess.grammar.model import AfterPattern
from assess.grammar.objects import Statement
from assess.grammar.parser import Parser
from assess.grammar.tree import DEFINITE, OTHERS
from assess.records import Analysis, Reading, Span
from assess.taxonomy.words import words_of

SEPARATOR = " … "
"""Between a chunk and each attribute that follows its noun, in the text of a label."""
BEING = "being "
"""Before a noun that a label is said to be: a man … being surfer."""
SOMETHING = " (something)"
"""After a verb that is read without its object: a man … petting (something). No word has brackets."""

NOT = "not"
"""Opens the patterns for what is denied, whichever word denies it: never, n't, hardly."""

_REMEMBERED = 200_000
"""Phrases whose categories are kept; captions repeat them."""

Categories = tuple[str, ...]


Patterns = dict[tuple[str, str], list[tuple[str, str]]]
"""By the first word and the last, or "" where any will do: the category, and the regular expression."""
_ANY = ""


def _by_ends(patterns: Iterable[AfterPattern]) -> Patterns:
    found: Patterns = {}
    for pattern in patterns:
        for ends in product(pattern.openings, pattern.endings or (_ANY,)):
            found.setdefault(ends, []).append((pattern.category, pattern.regex))
    return found


@lru_cache(maxsize=4096)
def _compiled(regex: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: a domain has hundreds, and compiling all takes its time."""
    try:
        return re.compile(regex)
    except re.error as error:  # those of grammars were compiled once, so somebody has changed what was kept
        message = f"the grammar in the cache is damaged: {error}"
        raise GrammarError(message, hint="run: assess doctor --clear-cache") from None


def _named(match: re.Match[str]) -> int:
    """Return the length of the object that a pattern names; 0 where it names none."""
    return len(match["named"] or "") if "named" in match.re.groupindex else 0


class StatementReader:
    """Reads statements about labels, and labels with statements."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        facts = parser.grammar.facts
        patterns = facts.after
        self._closed = _by_ends(pattern for pattern in patterns if not pattern.open)
        self._open = _by_ends(pattern for pattern in patterns if pattern.open)
        self.openings = frozenset(opening for opening, _ in (*self._closed, *self._open))
        self._actions = self._reported(
            pattern.category for pattern in patterns if pattern.any_verb and pattern.category
        )
        self.pronouns = frozenset({*facts.pronouns, *OTHERS}) if facts.pronouns else frozenset[str]()
        self.rivals = frozenset(facts.rivals)
        """Nouns of those outside the domain that pronouns can stand for, and that do things too."""
        self._stand_in = facts.pronoun_noun
        self._analyses: dict[str, Analysis] = {}
        self._matches: dict[tuple[str, bool], Categories | None] = {}

    def reads(self, phrase: str) -> bool:
        """Whether the taxonomy has a category for a phrase, whatever it is said of."""
        return bool(self._matching(phrase, open_too=False))

    def read(
        self, analysis: Analysis, statement: Statement, *, of_domain: bool
    ) -> tuple[str, Categories] | None:
        """Return the part of a statement that is read, with its categories; None where none of it is.

        A phrase that says nothing by the taxonomy's own word is read, and has no categories. The object may
        be of the domain itself: holding a child is not carrying a thing.
        """
        found = self._matching(statement.phrase, open_too=not of_domain)
        if found is not None:
            return statement.phrase, found
        if statement.verb:
            return self._read_verb(analysis, statement)
        if statement.optional:
            return None
        # What an adjective means with its adverb comes before what it means alone.
        for phrase in dict.fromkeys((statement.phrase, statement.core or statement.phrase)):
            if quality := self._quality(analysis, phrase):
                return phrase, quality
        return None

    def read_denied(self, statement: Statement) -> str | None:
        """Return what is denied, after "not": few domains have categories for that."""
        phrase = f"{NOT} {statement.phrase}"
        return phrase if NOT in self.openings and self._matching(phrase, open_too=True) else None

    def _read_verb(self, analysis: Analysis, statement: Statement) -> tuple[str, Categories] | None:
        """Read a verb by itself: as listed after nouns, as listed before them, or as any verb."""
        verb = statement.verb
        found = self._matching(verb, open_too=False)
        if statement.object is not None and self._actions:
            # With an object a verb is not what it is before a noun (striking a ball): it says what is done.
            return f"{verb}{SOMETHING}", self._actions if found is None else found
        if found is None:
            found = self._quality(analysis, verb)
        if found is None and statement.active and self._actions:
            found = self._actions
        return None if found is None else (verb, found)

    def _quality(self, analysis: Analysis, word: str) -> Categories | None:
        """Read a word as if it stood before the noun, so that the head's constraints hold."""
        heads = [span.text for span in analysis.best.spans if span.role == "head"]
        head = heads[-1].lower() if heads else self._stand_in
        if not head:
            return None  # a phrase structure of one's own may read a label without its head
        reading = self._parser.analyse(f"{word} {head}")
        length = len(words_of(word))
        told = tuple(
            dict.fromkeys(
                span.category
                for span in reading.best.spans
                if span.role == "modifier" and span.start == 0 and span.end >= length
            )
        )
        return told if reading.why is None and told else None

    def _matching(self, phrase: str, *, open_too: bool) -> Categories | None:
        """Return the categories whose patterns match a phrase; closed patterns come before open ones."""
        key = (phrase, open_too)
        if key not in self._matches:
            if len(self._matches) >= _REMEMBERED:
                self._matches.clear()
            self._matches[key] = self._match(phrase, open_too=open_too)
        return self._matches[key]

    def _match(self, phrase: str, *, open_too: bool) -> Categories | None:
        opening, last = phrase.partition(" ")[0], phrase.rpartition(" ")[2]
        for patterns in (self._closed, self._open) if open_too else (self._closed,):
            matches = [
                (category, match)
                for category, regex in (
                    *patterns.get((opening, last), ()),
                    *patterns.get((opening, _ANY), ()),
                )
                if (match := _compiled(regex).fullmatch(phrase))
            ]
            # The longer name is meant: "holding a hot dog" is not about a dog.
            longest = max((_named(match) for _, match in matches), default=0)
            found = {category for category, match in matches if _named(match) in {0, longest}}
            if found:
                return self._reported(found - {""})
        return None

    def _reported(self, categories: Iterable[str]) -> Categories:
        """Return categories with those that they are within, as far as reports have them."""
        facts = self._parser.grammar.facts
        return tuple(sorted({name for own in categories for name in facts.reported("modifier", own)}))

    # Labels with statements, by their text.

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label, with or without attributes after the noun."""
        if SEPARATOR not in key and key not in self.pronouns:
            return self._parser.analyse(key)
        if key not in self._analyses:
            self._analyses[key] = self._analyse(key)
        return self._analyses[key]

    def _analyse(self, key: str) -> Analysis:
        first, *parts = key.split(SEPARATOR)
        analysis = self._pronoun(first) if first in self.pronouns else self._parser.analyse(first)
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
        return Analysis(word, (word,), in_domain=True, pronouns=(word,))

    def _spans(self, analysis: Analysis, part: str, start: int, end: int) -> Iterable[Span]:
        other = self.mention(part)
        if other is not None:
            # Their own words, so that what they tell of groups can be looked up.
            shift = end - len(other.tokens)
            for span in other.best.spans:
                yield span._replace(start=shift + span.start, end=shift + span.end, position="after")
        else:
            for category in self._categories(analysis, part):
                yield Span(start, end, part, category, "modifier", position="after")

    def mention(self, part: str) -> Analysis | None:
        """Return the analysis of a part that names the label again; None where it is a statement."""
        noun = part.removeprefix(BEING)
        if noun != part or part.split(" ", 1)[0] in DEFINITE:
            analysis = self._parser.analyse(noun)
            return analysis if analysis.in_domain else None
        return None

    def _categories(self, analysis: Analysis, phrase: str) -> Categories:
        """Return the categories of a part that `read` gave: a verb with an object says what it does."""
        verb = phrase.removesuffix(SOMETHING)
        found = self._matching(verb, open_too=verb == phrase)
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
