"""The phrases that a taxonomy's entries and patterns stand for, and the validation of patterns."""

from __future__ import annotations

import difflib
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from assess.errors import Problem
from assess.limits import PATTERN_COST
from assess.records import Role
from assess.taxonomy import words as english
from assess.taxonomy.model import Category, Entry, ModifierCategory, Note, Taxonomy, Trail
from assess.taxonomy.strict_yaml import Document
from assess.taxonomy.words import words_of

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
OPEN_PLACEHOLDERS = {"number": english.NUMBER, "word": r"[^ ‹›]+"}
"""Placeholders that match infinitely many words, as regular expressions over normalised text.

Unknown words are enclosed in marks, which {word} excludes: a pattern never matches an unknown word.
"""
ANY_VERB, ANY_NOUN = "{verb}", "{noun}"
"""Placeholders of `after:` that match every verb, and every object of a verb or preposition."""
LONGEST_PHRASE = 8
"""In words: a phrase has 2^(words - 1) spellings with spaces and hyphens."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """The heads that a modifier applies to, as written; an empty constraint allows all."""

    not_with: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()


FREE = Constraint()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a category. Its words are separated by spaces; each space can also be a hyphen."""

    text: str
    role: Role
    category: str
    constraint: Constraint = FREE
    also: tuple[str, ...] = ()
    base: str = ""  # for a plural: its singular, which constraints and groups name
    of: bool = False  # "group of": a noun phrase follows
    says: tuple[str, ...] = ()  # for a head: modifier categories that the noun also expresses
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class OpenPattern:
    """A pattern that matches infinitely many phrases, as a regular expression over normalised text."""

    text: str
    regex: str
    role: Role
    category: str
    constraint: Constraint = FREE
    of: bool = False


@lru_cache(maxsize=1 << 16)  # checking and compiling request the same phrases many times
@lru_cache(maxsize=1 << 14)  # mostly of single words, again and again
def spaced(text: str, *, exact: bool = False) -> str:
    """Return a phrase's normal form: tokens, with one space for each space or hyphen between words.

    With `exact`, the phrase is kept as written: "middle-aged" and "middle aged" are then two phrases, and a
    stray "standing." matches nothing, since the tokeniser removes the full stop.
    """
    if exact:
        return " ".join(text.lower().split())
    return " ".join(words_of(text)).replace("-", " ")


def phrases_of(taxonomy: Taxonomy) -> Iterator[Phrase]:
    """Yield every phrase of every category in file order, including plurals and finite patterns."""
    plurals = Plurals(taxonomy)
    for name, head in taxonomy.heads.items():
        for entry in _entries(taxonomy, head):
            yield from _head_phrases(taxonomy, name, entry, plurals)
    for name, modifier in taxonomy.modifiers.items():
        for entry in _entries(taxonomy, modifier):
            text = normal_form(taxonomy, entry.word)
            constraint = constraint_of(modifier, entry)
            yield Phrase(text, "modifier", name, constraint, entry.also, of=_is_of(text), note=entry.note)
        yield from _of_phrases(taxonomy, name, modifier, plurals)
        if modifier.grades:
            yield from _graded_phrases(taxonomy, name, modifier)


def _of_phrases(
    taxonomy: Taxonomy, name: str, modifier: ModifierCategory, plurals: Plurals
) -> Iterator[Phrase]:
    """Yield the of-phrases of nouns, in singular and plural: bowl of, bowls of."""
    for entry in modifier.of:
        singular = normal_form(taxonomy, entry.word)
        plural = plurals.stated(entry) if entry.states_plural else plurals.of(singular)
        for form in dict.fromkeys(filter(None, (singular, plural))):
            constraint = constraint_of(modifier, entry)
            base = f"{singular} of"
            yield Phrase(
                f"{form} of", "modifier", name, constraint, entry.also, base, of=True, note=entry.note
            )


def _graded_phrases(taxonomy: Taxonomy, name: str, modifier: ModifierCategory) -> Iterator[Phrase]:
    """Yield the comparatives and superlatives of a category's words, unless they are listed."""
    listed = {normal_form(taxonomy, entry.word) for entry in modifier.words}
    derived = {form for text in listed for form in english.grades_of(text)}
    for entry in modifier.words:
        text = normal_form(taxonomy, entry.word)
        # A comparative or superlative has no further forms.
        if entry.grades and text not in derived and not _is_of(text):
            constraint = constraint_of(modifier, entry)
            for form in english.grades_of(text):
                if form not in listed:
                    yield Phrase(form, "modifier", name, constraint, entry.also, note=entry.note)


def excluded_phrases(taxonomy: Taxonomy) -> list[str]:
    """Return the phrases that are outside the domain, with their plurals.

    This includes heads together with words that change their meaning: paper roll, roll of paper.
    """
    plurals = Plurals(taxonomy)
    found = [spaced(phrase) for phrase in taxonomy.excluded]
    found += [plurals.of(phrase) or phrase for phrase in found]
    for head in taxonomy.heads.values():
        for entry in head.words:
            for noun in _forms(plurals, spaced(entry.word), entry) if entry.not_with else ():
                for word in other_words(taxonomy, entry):
                    found += [f"{word} {noun}", *(f"{noun} of {form}" for form in _forms(plurals, word))]
    return list(dict.fromkeys(found))


def _forms(plurals: Plurals, word: str, entry: Entry | None = None) -> list[str]:
    plural = plurals.stated(entry) if entry is not None and entry.states_plural else plurals.of(word)
    return [word, plural] if plural else [word]


def other_words(taxonomy: Taxonomy, entry: Entry) -> list[str]:
    """Return the words that change a head's meaning; a set stands for its words."""
    names = (taxonomy.set_words(name) if name in taxonomy.sets else [name] for name in entry.not_with)
    return [spaced(word) for words in names for word in words]


def open_patterns_of(taxonomy: Taxonomy) -> Iterator[OpenPattern]:
    """Yield the patterns that match infinitely many phrases."""
    for role, name, category in taxonomy.categories():
        for pattern in filter(is_open, category.patterns):
            of = role == "modifier" and _is_of(pattern)
            regex = open_regex(taxonomy, pattern)
            yield OpenPattern(pattern, regex, role, name, constraint_of(category, None), of)


def constraint_of(category: Category, entry: Entry | None) -> Constraint:
    """Return the combined constraint of a category and an entry."""
    if not isinstance(category, ModifierCategory):
        return FREE
    not_with = (*category.not_with, *(entry.not_with if entry else ()))
    # An entry's `only_with` is more specific and replaces the category's.
    only_with = entry.only_with if entry and entry.only_with else category.only_with
    return Constraint(tuple(sorted(set(not_with))), tuple(sorted(set(only_with))))


def _is_of(text: str) -> bool:
    return text.endswith(" of")


def normal_form(taxonomy: Taxonomy, text: str) -> str:
    """Return a phrase's normal form under the taxonomy's rule for hyphens."""
    return spaced(text, exact=taxonomy.hyphens == "exact")


def _head_phrases(taxonomy: Taxonomy, name: str, entry: Entry, plurals: Plurals) -> Iterator[Phrase]:
    singular = normal_form(taxonomy, entry.word)
    phrase = Phrase(singular, "head", name, also=entry.also, base=singular, says=entry.says, note=entry.note)
    yield phrase
    plural = plurals.stated(entry) if entry.states_plural else plurals.of(singular)
    if plural is None:
        return
    if plural != singular:
        yield replace(phrase, text=plural)
    if taxonomy.plurals_are and taxonomy.plurals_are != name:
        yield Phrase(plural, "head", taxonomy.plurals_are, base=singular)


class Plurals:
    """Plurals of a taxonomy. A stated plural also applies to longer phrases that end in the word."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        lists = (
            *(head.words for head in taxonomy.heads.values()),
            *(modifier.of for modifier in taxonomy.modifiers.values()),
            *taxonomy.sets.values(),
        )
        self._stated = {
            normal_form(taxonomy, entry.word): self.stated(entry)
            for entries in lists
            for entry in entries
            if entry.states_plural
        }

    def stated(self, entry: Entry) -> str | None:
        """Return the plural that an entry states; None if it states that there is none."""
        return normal_form(self._taxonomy, entry.plural) if entry.plural else None

    def of(self, phrase: str) -> str | None:
        """Return the plural of a phrase, formed from its last word; None if that is stated to have none."""
        if phrase in self._stated:
            return self._stated[phrase]
        before, space, last = phrase.rpartition(" ")
        plural = self._stated.get(last, english.plural_of(last))
        return None if plural is None else before + space + plural


def is_open(pattern: str) -> bool:
    """Whether a pattern matches infinitely many phrases."""
    return any(name in OPEN_PLACEHOLDERS for name in PLACEHOLDER.findall(pattern))


def _entries(taxonomy: Taxonomy, category: Category) -> Iterator[Entry]:
    yield from category.words
    for pattern in category.patterns:
        whole = PLACEHOLDER.fullmatch(pattern)
        if whole and whole[1] in taxonomy.sets:
            # With the properties that the set gives its words: plurals and constraints.
            yield from taxonomy.sets[whole[1]]
        elif not is_open(pattern):
            for text in instances(taxonomy, pattern):
                yield Entry(word=text)


def instances(taxonomy: Taxonomy, pattern: str) -> Iterator[str]:
    """Yield the phrases that a finite pattern matches."""
    parts = PLACEHOLDER.split(pattern)
    # split() alternates literal text and placeholder names.
    choices = [
        [part] if index % 2 == 0 else placeholder_words(taxonomy, part) for index, part in enumerate(parts)
    ]
    for combination in itertools.product(*choices):
        yield "".join(combination)


def placeholder_words(taxonomy: Taxonomy, name: str) -> list[str]:
    """Return the words that a set or category placeholder matches; a parent has those of its children.

    If a name belongs to categories of both roles, it means the modifiers; `head.NAME` means the heads.
    """
    if name in taxonomy.sets:
        return taxonomy.set_words(name)
    asked, _, category = name.rpartition(".")
    roles: tuple[Role, ...] = ("modifier", "head")
    for role in roles:
        categories = taxonomy.roles[role]
        if category in categories and asked in {"", role}:
            below = (each for key, each in categories.items() if category in taxonomy.lineage(role, key))
            return list(dict.fromkeys(entry.word for each in below for entry in each.words))
    return []


def placeholder_names(taxonomy: Taxonomy) -> set[str]:
    """Return the names that may stand in braces, except the built-in ones."""
    dotted = {f"{role}.{name}" for role, name, _ in taxonomy.categories()}
    return {*taxonomy.sets, *taxonomy.modifiers, *taxonomy.heads, *dotted}


def open_regex(taxonomy: Taxonomy, pattern: str) -> str:
    """Return an open pattern as a regular expression over normalised text."""
    parts = PLACEHOLDER.split(pattern)
    regex = ""
    for index, part in enumerate(parts):
        if index % 2 == 0:
            # Next to {word}, a hyphen only matches a hyphen: "{word}-clad" must not match "a clad man".
            beside_word = "word" in {*parts[index + 1 : index + 2], *parts[max(0, index - 1) : index]}
            regex += _literal_regex(part, keep_hyphen=beside_word, exact=taxonomy.hyphens == "exact")
        elif part in OPEN_PLACEHOLDERS:
            regex += OPEN_PLACEHOLDERS[part]
        else:
            words = sorted((spaced(word) for word in placeholder_words(taxonomy, part)), key=longest_first)
            regex += "(?:" + "|".join(_literal_regex(word) for word in words) + ")"
    return regex


def longest_first(phrase: str) -> tuple[int, str]:
    """Sort key: in an alternation, a phrase must be tried before its own prefix."""
    return -len(phrase), phrase


def _literal_regex(text: str, *, keep_hyphen: bool = False, exact: bool = False) -> str:
    text = re.sub(r"(?<=\w)'s\b", " 's", text)  # the possessive is a separate token
    separators = "" if exact else " " if keep_hyphen else " -"
    return "".join("[- ]" if character in separators else re.escape(character) for character in text.lower())


def carrier_names(taxonomy: Taxonomy, items: Iterable[Phrase | OpenPattern]) -> dict[str, set[str]]:
    """Return the names by which constraints and groups can refer to each head and of-phrase, by its text."""
    members = {name: set(map(spaced, taxonomy.set_words(name))) for name in taxonomy.sets}
    names: dict[str, set[str]] = {}
    for item in items:
        if item.role == "head" or item.of:
            own = {item.text, item.base or item.text} if isinstance(item, Phrase) else set[str]()
            sets = {name for name, words in members.items() if own & words}
            categories = taxonomy.lineage(item.role, item.category)
            names.setdefault(item.text, set()).update(own | sets, categories)
    return names


def normal_names(names: Iterable[str]) -> set[str]:
    """Return names as written (ids have hyphens) and in the normal form of words."""
    names = list(names)
    return {*names, *map(spaced, names)}


class NamedConstraint:
    """A constraint with its names as sets: ids as written, words in normal form."""

    def __init__(self, constraint: Constraint) -> None:
        self._not_with = normal_names(constraint.not_with)
        self._only_with = normal_names(constraint.only_with)

    def forbids(self, names: set[str]) -> bool:
        """Whether this constraint rules out a head with these names."""
        return bool(names & self._not_with) or bool(self._only_with and not names & self._only_with)


def closest(name: str, known: Iterable[str]) -> str:
    """Return a hint with the most similar known name, or with some known names."""
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"known here: {shown or 'nothing yet'}"


# Validation of patterns.

_WORDS_OF_TEXT = 60  # length of a text for estimating how long a pattern may take to match
_OPEN_SAMPLES = {"number": "twenty-one", "word": "wordy"}


def check_patterns(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes in all patterns."""
    known = {*OPEN_PLACEHOLDERS, *placeholder_names(taxonomy)}
    for trail, pattern in taxonomy.patterns("patterns"):
        names = PLACEHOLDER.findall(pattern)
        if not names or re.search("[{}]", PLACEHOLDER.sub("", pattern)):
            hint = "a pattern contains a name in braces, as in {number}-year-old; list others under words"
            yield document.problem(f"no placeholder in the pattern {pattern!r}", trail, hint=hint)
            continue
        strange = [name for name in names if name not in known]
        for name in strange:
            message = f"the pattern's {{{name}}} is neither a set nor a category"
            yield document.problem(message, trail, hint=closest(name, known))
        if not strange:
            yield from _check_instances(taxonomy, pattern, trail, document)


def _check_instances(taxonomy: Taxonomy, pattern: str, trail: Trail, document: Document) -> Iterator[Problem]:
    choices = {
        name: placeholder_words(taxonomy, name)
        for name in PLACEHOLDER.findall(pattern)
        if name not in OPEN_PLACEHOLDERS
    }
    empty = [name for name, words in choices.items() if not words]
    if empty:
        hint = "a placeholder matches the words of a set or category, not its patterns"
        yield document.problem(f"the pattern's {{{empty[0]}}} has no words", trail, hint=hint)
        return
    count = math.prod(len(choices.get(name, "1")) for name in PLACEHOLDER.findall(pattern))
    if count > PATTERN_COST.most:
        hint = f"use fewer placeholders, or {{word}} for one of them; or raise {PATTERN_COST.variable}"
        yield document.problem(f"the pattern {pattern!r} matches {count:,} phrases", trail, hint=hint)
        return
    # Adjacent open placeholders can divide a word at any letter.
    stretches = [re.findall(r"\{(?:number|word)\}", stretch) for stretch in pattern.split()]
    costly = _costly(pattern, max((len(stretch) for stretch in stretches), default=1) - 1, trail, document)
    if costly is not None:
        yield costly
        return
    yield from _check_sample(taxonomy, pattern, choices, trail, document)


def _costly(pattern: str, places: int, trail: Trail, document: Document) -> Problem | None:
    """Return the problem of a pattern whose parts can match at too many positions of a text."""
    ways = math.comb(_WORDS_OF_TEXT, max(0, places))
    if places < _WORDS_OF_TEXT and ways <= PATTERN_COST.most:
        return None
    message = f"the pattern {pattern!r} can match in too many ways (at most {PATTERN_COST.most:,})"
    return document.problem(message, trail, hint=f"use fewer parts; or raise {PATTERN_COST.variable}")


def _check_sample(
    taxonomy: Taxonomy, pattern: str, choices: dict[str, list[str]], trail: Trail, document: Document
) -> Iterator[Problem]:
    """Check the longest phrase that a pattern matches, with samples for open placeholders."""
    longest = {name: min(words, key=longest_first) for name, words in choices.items()} | _OPEN_SAMPLES
    sample = PLACEHOLDER.sub(lambda match: longest[match[1]], pattern)
    length = len(spaced(sample).split(" "))
    if length > LONGEST_PHRASE:
        message = f"the pattern {pattern!r} matches phrases of {length} words"
        yield document.problem(message, trail, hint=f"at most {LONGEST_PHRASE} words are possible: split it")
    elif is_open(pattern) and not re.fullmatch(open_regex(taxonomy, pattern), " ".join(words_of(sample))):
        hint = "use letters, digits, spaces and plain hyphens between placeholders"
        yield document.problem(f"no text can match the pattern {pattern!r}", trail, hint=hint)


def check_after(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes in patterns for what follows a noun: `after:` and `says_nothing:`."""
    for trail, pattern in taxonomy.patterns("after"):
        yield from _check_after_pattern(taxonomy, pattern, trail, document)
    for index, pattern in enumerate(taxonomy.says_nothing):
        yield from _check_after_pattern(taxonomy, pattern, ("says_nothing", index), document)


def _check_after_pattern(
    taxonomy: Taxonomy, pattern: str, trail: Trail, document: Document
) -> Iterator[Problem]:
    if pattern == ANY_VERB:
        return
    opening, *parts = pattern.split() or [""]
    if costly := _costly(pattern, len(parts), trail, document):
        yield costly
    hint = "for example `with beard`, `in|wearing {color} {garment}` or `smiling`"
    for word in (*opening.split("|"), *PLACEHOLDER.sub("", " ".join(parts)).split()):
        if " ".join(words_of(word)) != word:
            yield document.problem(f"no text can match {word!r} in {pattern!r}", trail, hint=hint)
    known = {*placeholder_names(taxonomy), ANY_NOUN[1:-1]}
    for placeholder in PLACEHOLDER.findall(" ".join(parts)):
        if placeholder not in known:
            message = f"the attribute's {{{placeholder}}} is neither a set nor a category"
            yield document.problem(message, trail, hint=closest(placeholder, known))
