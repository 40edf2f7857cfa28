"""Patterns of a taxonomy as sequences of Lark's terminals: {color}-haired is SET_COLOR JOINT "haired"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from assess.grammar.builder import GrammarText, plain_name, quoted
from assess.grammar.lexicon import joints
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    ANY_NOUN,
    ANY_VERB,
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    Plurals,
    instances,
    is_open,
    normal_form,
    placeholder_words,
    spaced,
)

_OPEN = {name: f"ANY_{name.upper()}" for name in OPEN_PLACEHOLDERS}


class PatternWriter:
    """Writes patterns, and the sets of words that they use."""

    def __init__(self, text: GrammarText, taxonomy: Taxonomy) -> None:
        self._text = text
        self._taxonomy = taxonomy
        self._plurals = Plurals(taxonomy)
        self._sets: dict[str, list[str]] = {}  # terminal -> words
        self._used: set[str] = set()

    def _sequence(self, pattern: str) -> str:
        parts = PLACEHOLDER.split(pattern)
        found: list[str] = []
        for index, part in enumerate(parts):
            if index % 2 == 0:
                # Next to {word} a hyphen is only a hyphen: "{word}-clad" must not read "a clad man".
                beside_word = "word" in {*parts[index + 1 : index + 2], *parts[max(0, index - 1) : index]}
                found += self._literal(part, keep_hyphen=beside_word)
            elif part in _OPEN:
                self._used.add(_OPEN[part])
                found.append(_OPEN[part])
            else:
                found.append(self._set(part))
        return " ".join(found)

    def _literal(self, text: str, *, keep_hyphen: bool) -> Iterator[str]:
        text = re.sub(r"(?<=\w)'s\b", " 's", text.lower())  # the possessive is a token of its own
        for piece in re.split("( )" if keep_hyphen else "([ -])", text):
            if piece in {" ", "-"} and not (keep_hyphen and piece == "-"):
                self._used.add("JOINT")
                yield "JOINT"
            elif piece:
                yield quoted(piece)

    def instances(self, pattern: str) -> list[str]:
        """Return the phrases of a finite pattern; none where they are listed with the words of their kind."""
        if is_open(pattern) or self._text.exact:
            return []
        found = [normal_form(self._taxonomy, text) for text in instances(self._taxonomy, pattern)]
        return [] if any(phrase.endswith(" of") for phrase in found) else found

    def body(self, pattern: str) -> list[str]:
        """Return a pattern that stands before a noun: one sequence, or all of its phrases."""
        phrases = set(self.instances(pattern))
        if is_open(pattern) or PLACEHOLDER.fullmatch(pattern):
            return [self._sequence(pattern)]
        # Of two phrases that begin alike Lark would take one and never see the other.
        alone = not any(beginning in phrases for phrase in phrases for beginning in _beginnings(phrase))
        if alone and {_marked(phrase) for phrase in phrases} == set(self._product(pattern)):
            return [self._sequence(pattern)]
        return self._text.phrases(self.instances(pattern))

    def _product(self, pattern: str) -> Iterator[str]:
        parts = PLACEHOLDER.split(pattern)
        choices = [
            [re.sub("[ -]", "\x1f", part.lower())]
            if index % 2 == 0
            else [_marked(spaced(word)) for word in placeholder_words(self._taxonomy, part)]
            for index, part in enumerate(parts)
        ]
        return ("".join(choice) for choice in itertools.product(*choices))

    def after(self, pattern: str) -> str:
        """Return a pattern that stands after a noun."""
        opening, *parts = pattern.split()
        if opening == ANY_VERB:
            self._used.add("VERB")
            return "VERB"
        words = [quoted(word) for word in opening.split("|")]
        found = [words[0] if len(words) == 1 else f"( {' | '.join(words)} )"]
        for number, part in enumerate(parts, start=1):
            if part == ANY_NOUN:
                self._used.add("OBJECT")
                found.append("OBJECT")
            else:
                self._used.add("BETWEEN")
                found += ["BETWEEN", self._after_words(part, last=number == len(parts))]
        return " ".join(found)

    def _after_words(self, part: str, *, last: bool) -> str:
        placeholder = PLACEHOLDER.fullmatch(part)
        if placeholder:
            return self._set(placeholder[1], plurals=last)
        words = self._text.phrases(self._forms([part], plurals=last))
        return words[0] if len(words) == 1 else f"( {' | '.join(words)} )"

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
            ("OBJECT", "/(?: [^ ]+)* [^ ]{2,}/", "Any object; what is cut off after an article is no noun."),
            ("VERB", "/[^ ]+/", "Any verb, in the form that ends in -ing."),
            *((_OPEN[key], f"/{regex}/", f"Any {key}.") for key, regex in OPEN_PLACEHOLDERS.items()),
        ):
            if name in self._used:
                text.comment(about)
                text.terminal(name, [body], edges=False)
        for name, words in sorted(self._sets.items()):
            text.terminal(name, text.phrases(words), edges=False)


def _marked(phrase: str) -> str:
    """Return a phrase with a sign where a hyphen may stand for a space."""
    words = phrase.split(" ")
    between = ("\x1f" if "-" in joint else " " for joint in joints(words))
    return words[0] + "".join(joint + word for joint, word in zip(between, words[1:], strict=True))


def _beginnings(phrase: str) -> Iterator[str]:
    words = phrase.split(" ")
    return (" ".join(words[:end]) for end in range(1, len(words)))
