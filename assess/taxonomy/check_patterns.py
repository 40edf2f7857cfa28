"""What the patterns of a taxonomy must hold: names that exist, and phrases that a text can have."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from assess.errors import Problem
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.names import closest
from assess.taxonomy.nodes import Document, Trail
from assess.taxonomy.phrases import (
    LONGEST_PHRASE,
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    is_open,
    longest_first,
    open_regex,
    placeholder_words,
    spaced,
)
from assess.taxonomy.tokens import words_of

MOST_INSTANCES = 100_000
"""Phrases of one pattern: three placeholders with long lists would fill the memory."""

_OPEN_SAMPLES = {"number": "twenty-one", "word": "wordy"}


def check_patterns(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes of all patterns."""
    known = {*OPEN_PLACEHOLDERS, *taxonomy.sets, *taxonomy.modifiers}
    for trail, pattern in _patterns(taxonomy):
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


def _patterns(taxonomy: Taxonomy) -> Iterator[tuple[Trail, str]]:
    for part, categories in (("heads", taxonomy.heads), ("modifiers", taxonomy.modifiers)):
        for name, category in categories.items():
            for index, pattern in enumerate(category.patterns):
                yield (part, name, "patterns", index), pattern


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
    if count > MOST_INSTANCES:
        hint = "use fewer placeholders, or {word} for one of them"
        yield document.problem(f"the pattern {pattern!r} stands for {count:,} phrases", trail, hint=hint)
        return
    yield from _check_sample(taxonomy, pattern, choices, trail, document)


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


def check_after(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes of `after:`, the attributes that follow a noun."""
    for name, category in taxonomy.modifiers.items():
        for index, pattern in enumerate(category.after):
            trail = ("modifiers", name, "after", index)
            hint = "as in `with beard` or `in|wearing {color} {garment}`"
            opening, *parts = pattern.split() or [""]
            if not parts:
                yield document.problem(f"{pattern!r} has no object", trail, hint=hint)
            for word in (*opening.split("|"), *PLACEHOLDER.sub("", " ".join(parts)).split()):
                if " ".join(words_of(word)) != word:
                    yield document.problem(f"no text can match {word!r} in {pattern!r}", trail, hint=hint)
            for placeholder in PLACEHOLDER.findall(pattern):
                if placeholder not in taxonomy.sets and placeholder not in taxonomy.modifiers:
                    message = f"the attribute's {{{placeholder}}} is neither a set nor a category"
                    hint = closest(placeholder, {*taxonomy.sets, *taxonomy.modifiers})
                    yield document.problem(message, trail, hint=hint)
