"""What a taxonomy must hold beyond its form: names that exist, words that can be read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from assess.errors import Place, Problem
from assess.limits import CATEGORIES, PATTERN_COST
from assess.taxonomy.independence import check_independence
from assess.taxonomy.model import Entry, ModifierCategory, Taxonomy
from assess.taxonomy.phrases import (
    ANY_NOUN,
    ANY_VERB,
    LONGEST_PHRASE,
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    closest,
    is_open,
    longest_first,
    normal_form,
    open_regex,
    phrases_of,
    placeholder_names,
    placeholder_words,
    spaced,
)
from assess.taxonomy.strict_yaml import Document, Trail
from assess.taxonomy.syntax import check_syntax
from assess.taxonomy.words import FUNCTION_WORDS, words_of

_WORDS_OF_TEXT = 60  # in which a pattern is looked for, to tell how long that can take
_OPEN_SAMPLES = {"number": "twenty-one", "word": "wordy"}
RESERVED_VALUES = {"neutral", "mixed"}
"""Values of a group that every report has: heads that tell none of its values, or several."""


def check(taxonomy: Taxonomy, document: Document, *, names: bool = True) -> list[Problem]:
    """Return all mistakes of meaning.

    With `names` off, references are not followed: parts that they may mean have mistakes of form.
    """
    count = len(taxonomy.heads) + len(taxonomy.modifiers)
    CATEGORIES.check(count, f"the taxonomy has {count:,} categories", Place(document.file))
    problems = [problem for find in _CHECKS for problem in find(taxonomy, document)]
    if not names:
        return problems
    in_patterns = list(_check_patterns(taxonomy, document))
    problems += in_patterns
    problems += _check_after(taxonomy, document)
    problems += _check_category_names(taxonomy, document)
    if not in_patterns:
        # A head word may come from a pattern, so patterns must stand before words are looked up.
        problems += _check_references(taxonomy, document)
        problems += check_independence(taxonomy, document)
    return problems


def _words(taxonomy: Taxonomy) -> Iterator[tuple[Trail, str, str]]:
    """Yield (trail, list's name, word) for every place where words are listed."""
    for role, name, category in taxonomy.categories():
        for key in ("words", "of"):
            for index, entry in enumerate(getattr(category, key, ())):
                owner = f"{role} `{name}`" if key == "words" else f"`of` of the {role} `{name}`"
                yield (f"{role}s", name, key, index), owner, entry.word
    for name in taxonomy.sets:
        for index, word in enumerate(taxonomy.set_words(name)):
            yield ("sets", name, index), f"set `{name}`", word
    for name, words in taxonomy.function_words.items():
        for index, word in enumerate(words):
            yield ("function_words", name, index), f"function word `{name}`", word
    for index, word in enumerate(taxonomy.excluded):
        yield ("excluded", index), "`excluded`", word


def _check_words(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    seen: dict[tuple[str, str], Trail] = {}
    for trail, owner, word in _words(taxonomy):
        normal = normal_form(taxonomy, word)
        if PLACEHOLDER.search(word):
            yield document.problem(f"{word!r} looks like a pattern", trail, hint="move it under `patterns:`")
            continue
        yield from _check_spelling(taxonomy, word, trail, document)
        if spaced(word) and (owner, normal) in seen:
            first = document.place(seen[owner, normal]).line
            yield document.problem(
                f"`{word}` appears twice in {owner}; first at line {first}", trail, hint="remove one"
            )
        seen.setdefault((owner, normal), trail)


def _check_spelling(taxonomy: Taxonomy, word: str, trail: Trail, document: Document) -> Iterator[Problem]:
    normal = spaced(word)
    length = len(normal.split(" "))
    if not normal:
        hint = "a word has letters or digits"
        yield document.problem(f"nothing to match in {word!r}", trail, hint=hint)
    elif length > LONGEST_PHRASE and taxonomy.hyphens == "free":
        message = f"a phrase of {length} words: `{word}`"
        yield document.problem(message, trail, hint=f"at most {LONGEST_PHRASE} words: keep the telling ones")


def _check_forms(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Check what only heads or only modifiers can have: plurals and constraints."""
    for name, head in taxonomy.heads.items():
        for index, entry in enumerate(head.words):
            trail: Trail = ("heads", name, "words", index)
            if entry.plural is not None:
                yield from _check_spelling(taxonomy, entry.plural, (*trail, "plural"), document)
            yield from _check_head_sense(taxonomy, entry, trail, document)
    for name, modifier in taxonomy.modifiers.items():
        for index, entry in enumerate(modifier.words):
            if entry.states_plural:
                message = f"the modifier `{entry.word}` has a plural"
                hint = "only heads have plurals; list both words, or quote a text with a colon"
                yield document.problem(message, ("modifiers", name, "words", index), hint=hint)
            if entry.says:
                message = f"the modifier `{entry.word}` has `says`"
                hint = "only heads say something of another role; a modifier of two categories has `also`"
                yield document.problem(message, ("modifiers", name, "words", index, "says"), hint=hint)


def _check_head_sense(
    taxonomy: Taxonomy, entry: Entry, trail: Trail, document: Document
) -> Iterator[Problem]:
    """Check the constraints of a head: they name words that make it another thing."""
    if entry.only_with:
        message = f"the head `{entry.word}` has `only_with`"
        hint = "list the phrases that are meant: cinnamon roll; or say what it is not: not_with"
        yield document.problem(message, trail, hint=hint)
    for index, name in enumerate(entry.not_with):
        if name in taxonomy.heads or name in taxonomy.modifiers:
            message = f"the `not_with` of the head `{entry.word}` names words and sets, no category"
            hint = "as in {word: roll, not_with: [paper, tape]}"
            yield document.problem(message, (*trail, "not_with", index), hint=hint)


def _check_empty_categories(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    has_words = any(head.words or head.patterns for head in taxonomy.heads.values())
    filled = {(role, category.parent) for role, _, category in taxonomy.categories()}
    for role, _, category in taxonomy.categories():
        filled |= {(role, other) for entry in category.words for other in entry.also}
    for role, name, category in taxonomy.categories():
        filled_by_plurals = role == "head" and name == taxonomy.plurals_are and has_words
        own = category.words or category.patterns or getattr(category, "of", ())
        if not own and not filled_by_plurals and (role, name) not in filled:
            message = f"the category `{name}` has no words"
            yield document.problem(message, (f"{role}s", name), key=True, hint="add `words:`")


def _check_sets(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for name, words in taxonomy.sets.items():
        if not words:
            message = f"the set `{name}` has no words"
            yield document.problem(message, ("sets", name), key=True, hint="add some")
        if name in OPEN_PLACEHOLDERS or name in taxonomy.heads or name in taxonomy.modifiers:
            message = f"the set `{name}` has the name of something else"
            hint = "give it a name that no category and no built-in placeholder has"
            yield document.problem(message, ("sets", name), key=True, hint=hint)


def _check_parents(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for role, name, category in taxonomy.categories():
        known = taxonomy.roles[role]
        above, seen = category.parent, [name]
        while above is not None and above in known and above not in seen:
            seen.append(above)
            above = known[above].parent
        trail = (f"{role}s", name, "parent")
        if above is not None and above not in known:
            if above == category.parent:
                message = f"no {role} category is called `{above}`"
                yield document.problem(message, trail, hint=closest(above, known))
        elif above == name:
            yield document.problem(f"`{name}` is within itself", trail, hint="break the circle of parents")


def _check_function_words(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.own_structure:
        return
    for name in taxonomy.function_words:
        if name not in FUNCTION_WORDS:
            message = f"the built-in phrase structure has no function words of the kind `{name}`"
            hint = closest(name, FUNCTION_WORDS)
            yield document.problem(message, ("function_words", name), key=True, hint=hint)


def _check_patterns(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes of all patterns."""
    known = {*OPEN_PLACEHOLDERS, *placeholder_names(taxonomy)}
    patterns = [
        ((f"{role}s", category_id, "patterns", index), pattern)
        for role, category_id, category in taxonomy.categories()
        for index, pattern in enumerate(category.patterns)
    ]
    for trail, pattern in patterns:
        names = PLACEHOLDER.findall(pattern)
        if not names or re.search("[{}]", PLACEHOLDER.sub("", pattern)):
            hint = "a pattern holds a name in braces, as in {number}-year-old; a plain one is a word"
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
        hint = "a placeholder stands for the words of a set or category, not for its patterns"
        yield document.problem(f"the pattern's {{{empty[0]}}} stands for no words", trail, hint=hint)
        return
    count = math.prod(len(choices.get(name, "1")) for name in PLACEHOLDER.findall(pattern))
    if count > PATTERN_COST.most:
        hint = f"use fewer placeholders, or {{word}} for one of them; or raise {PATTERN_COST.variable}"
        yield document.problem(f"the pattern {pattern!r} stands for {count:,} phrases", trail, hint=hint)
        return
    # Between open placeholders of one word, each letter may be where the next begins.
    stretches = [re.findall(r"\{(?:number|word)\}", stretch) for stretch in pattern.split()]
    costly = _costly(pattern, max((len(stretch) for stretch in stretches), default=1) - 1, trail, document)
    if costly is not None:
        yield costly
        return
    yield from _check_sample(taxonomy, pattern, choices, trail, document)


def _costly(pattern: str, places: int, trail: Trail, document: Document) -> Problem | None:
    """Return the problem of a pattern whose parts can stand at too many places of a text."""
    ways = math.comb(_WORDS_OF_TEXT, max(0, places))
    if places < _WORDS_OF_TEXT and ways <= PATTERN_COST.most:
        return None
    message = f"the pattern {pattern!r} can be read in too many ways (at most {PATTERN_COST.most:,})"
    return document.problem(message, trail, hint=f"use fewer parts; or raise {PATTERN_COST.variable}")


def _check_sample(
    taxonomy: Taxonomy, pattern: str, choices: dict[str, list[str]], trail: Trail, document: Document
) -> Iterator[Problem]:
    """Check the longest instance."""
    longest = {name: min(words, key=longest_first) for name, words in choices.items()} | _OPEN_SAMPLES
    sample = PLACEHOLDER.sub(lambda match: longest[match[1]], pattern)
    length = len(spaced(sample).split(" "))
    if length > LONGEST_PHRASE:
        message = f"the pattern {pattern!r} stands for phrases of {length} words"
        yield document.problem(message, trail, hint=f"at most {LONGEST_PHRASE} words: split it")
    elif is_open(pattern) and not re.fullmatch(open_regex(taxonomy, pattern), " ".join(words_of(sample))):
        hint = "write letters, digits, spaces and plain hyphens between placeholders"
        yield document.problem(f"no text can match the pattern {pattern!r}", trail, hint=hint)


def _check_after(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes in what follows a noun: `after:` and `says_nothing:`."""
    for name, category in taxonomy.modifiers.items():
        for index, pattern in enumerate(category.after):
            yield from _check_after_pattern(taxonomy, pattern, ("modifiers", name, "after", index), document)
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
    hint = "as in `with beard`, `in|wearing {color} {garment}` or `smiling`"
    for word in (*opening.split("|"), *PLACEHOLDER.sub("", " ".join(parts)).split()):
        if " ".join(words_of(word)) != word:
            yield document.problem(f"no text can match {word!r} in {pattern!r}", trail, hint=hint)
    known = {*placeholder_names(taxonomy), ANY_NOUN[1:-1]}
    for placeholder in PLACEHOLDER.findall(" ".join(parts)):
        if placeholder not in known:
            message = f"the attribute's {{{placeholder}}} is neither a set nor a category"
            yield document.problem(message, trail, hint=closest(placeholder, known))


def _check_pronouns(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.pronouns is None:
        return
    known = {value for values in taxonomy.groups.values() for value in values}
    for word, tells in taxonomy.pronouns.words.items():
        for index, value in enumerate(tells):
            if value not in known:
                message = f"no group has the value `{value}`"
                trail = ("pronouns", "words", word, index)
                yield document.problem(message, trail, hint=closest(value, known))
    nouns = {phrase.text for phrase in phrases_of(taxonomy) if phrase.role == "head"}
    if spaced(taxonomy.pronouns.noun) not in nouns:
        message = f"`{taxonomy.pronouns.noun}` is not a head word"
        hint = "name the head that a pronoun is read as, such as person"
        yield document.problem(message, ("pronouns", "noun"), hint=hint)


def _check_category_names(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.plurals_are is not None and taxonomy.plurals_are not in taxonomy.heads:
        message = f"`plurals_are` names no head category: `{taxonomy.plurals_are}`"
        yield document.problem(message, ("plurals_are",), hint=closest(taxonomy.plurals_are, taxonomy.heads))
    for trail, written, known in _category_references(taxonomy):
        for index, name in enumerate(written):
            if name not in known:
                problem = f"no such category: `{name}`"
                yield document.problem(problem, (*trail, index), hint=closest(name, known))


def _category_references(taxonomy: Taxonomy) -> Iterator[tuple[Trail, tuple[str, ...], set[str]]]:
    """Yield (trail, names written there, names they may be) for every list of categories."""
    heads, modifiers = set(taxonomy.heads), set(taxonomy.modifiers)
    for role, name, category in taxonomy.categories():
        for index, entry in enumerate(category.words):
            trail = (f"{role}s", name, "words", index)
            yield (*trail, "also"), entry.also, set(taxonomy.roles[role])
            yield (*trail, "says"), entry.says, modifiers
    for index, example in enumerate(taxonomy.examples):
        yield ("examples", index, "heads"), example.heads or (), heads
        yield ("examples", index, "modifiers"), example.modifiers or (), modifiers
        yield ("examples", index, "not"), example.never, heads | modifiers


def head_names(taxonomy: Taxonomy) -> set[str]:
    """Return what a constraint or a group may name: head categories, sets, head words, of-phrases."""
    names = {*taxonomy.heads, *taxonomy.sets}
    for phrase in phrases_of(taxonomy):
        if phrase.role == "head":
            names |= {phrase.text, phrase.base}
        elif phrase.of:
            names.add(phrase.text)
    return names


def _check_references(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    heads = head_names(taxonomy)
    modifiers = {phrase.text for phrase in phrases_of(taxonomy) if phrase.role == "modifier"}
    for trail, name in _references(taxonomy):
        # A group's values may also be told by modifiers: a female surfer.
        known = heads | modifiers if trail[0] == "groups" else heads
        if name not in known and spaced(name) not in known:
            message = f"`{name}` is neither a head category, a set, a head word nor an of-phrase"
            yield document.problem(message, trail, hint=closest(name, known))


def _references(taxonomy: Taxonomy) -> Iterator[tuple[Trail, str]]:
    for name, category in taxonomy.modifiers.items():
        yield from _constraint_references(("modifiers", name), category)
    for group, values in taxonomy.groups.items():
        for value, members in values.items():
            for index, member in enumerate(members):
                yield ("groups", group, value, index), member


def _constraint_references(trail: Trail, category: ModifierCategory) -> Iterator[tuple[Trail, str]]:
    for key in ("not_with", "only_with"):
        for index, name in enumerate(getattr(category, key)):
            yield (*trail, key, index), name
        for position, entry in enumerate(category.words):
            for index, name in enumerate(getattr(entry, key)):
                yield (*trail, "words", position, key, index), name


def _check_groups(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for group, values in taxonomy.groups.items():
        if len(values) < 2:
            message = f"the group `{group}` has fewer than two values"
            hint = "a contrast needs two: female and male, child and adult"
            yield document.problem(message, ("groups", group), key=True, hint=hint)
        owner: dict[str, str] = {}
        for value, members in values.items():
            if value in RESERVED_VALUES or not members:
                what = "has a name that reports use themselves" if members else "has no members"
                message = f"the value `{value}` of the group `{group}` {what}"
                yield document.problem(message, ("groups", group, value), key=True, hint="rename or fill it")
            for index, member in enumerate(members):
                normal = spaced(member)
                if owner.setdefault(normal, value) != value:
                    message = f"`{member}` is in two values of `{group}`: {owner[normal]} and {value}"
                    yield document.problem(message, ("groups", group, value, index), hint="keep one")


def _check_readable(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for index, example in enumerate(taxonomy.examples):
        if not words_of(example.text):
            yield document.problem(f"nothing to read in {example.text!r}", ("examples", index, "text"))


_CHECKS: tuple[Callable[[Taxonomy, Document], Iterator[Problem]], ...] = (
    _check_sets,
    _check_words,
    _check_forms,
    _check_empty_categories,
    _check_parents,
    _check_function_words,
    _check_groups,
    _check_pronouns,
    _check_readable,
    check_syntax,
)
