"""A new taxonomy that works from the first minute and explains itself."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from assess.errors import UsageError
from assess.taxonomy.cfg_import import category_id
from assess.taxonomy.model import Identifier
from assess.taxonomy.singulars import singular_of
from assess.taxonomy.yaml_text import scalar

_TEXT = """\
# yaml-language-server: $schema=taxonomy.schema.json
# The line above lets an editor check this file as you type (`assess schema > taxonomy.schema.json`).
#
# The loop: write a few words, then
#   assess domain lint {file}
#       mistakes, words with two senses, untested categories
#   assess domain test {file}
#       runs the examples at the end of this file
#   assess domain coverage CAPTIONS --domain {file}
#       what captions say that is not in here yet
#   assess domain suggest CAPTIONS --domain {file}
#       where the missing words probably belong
#   assess domain assign CAPTIONS --domain {file}
#       the same, one key a word, written into this file
taxonomy: {name}
version: 0.1.0
language: en
description: What captions say about {title}.

# Heads: what a noun phrase is about. A phrase is in the domain when it ends in one of these words.
# A word may stand in several head categories: all of them hold at once.
heads:
  {name}:
    description: Says that it is {title} and nothing more.   # every category says what it means
    words:
      - {word}
      # Regular plurals are generated ("box" brings "boxes"). Others are stated:
      # - knife: knives          (the singular, then the plural)
      # - rice: null             (no plural)
      # A noun that tells a modifier category too says so:
      # - {{word: giant, says: [size]}}

# Modifiers: what is said about the head by the words before it.
modifiers:
  size:
    description: How big it is.
    evidence: visible          # visible, inferred or invisible: can it be judged from the image?
    sensitivity: none          # none, personal, protected or offensive
    words: [big, large, little, small, tiny]
    # A space in an entry is a space or a hyphen: `bite sized` is also "bite-sized".
    # A word in two categories has two senses. Tell them apart by the head, so that no head has both:
    #   - {{word: hot, only_with: [curry, salsa]}}   under taste
    #   - {{word: hot, not_with: [curry, salsa]}}    under temperature
  color:
    description: Its color.
    evidence: visible
    sensitivity: none
    words: [black, brown, green, red, white, yellow]
    # Productive forms are patterns, not lists. Placeholders: {{number}}, {{word}}, a set or a category.
    patterns: ["{{color}}-colored"]

# Sets are word lists for patterns, constraints and groups. They are never reported themselves:
# sets:
#   material: [wooden, metal, plastic]

# Phrases that end like a head but are something else:
# excluded: [hot dog]

# Contrasts for audits: each value lists head words, sets or head categories.
# groups:
#   kind: {{first: [{word}], second: [other]}}

# Examples are tests. They name the categories of the best reading, all of them and no others.
examples:
  - {{text: a {phrase}, heads: [{name}], modifiers: []}}
  - {{text: a small red {phrase}, heads: [{name}], modifiers: [size, color]}}
  - {{text: a brown-colored {phrase}, heads: [{name}], modifiers: [color]}}
  - {{text: the idea of it, in_domain: false}}
"""


def scaffold(name: str, *, file: str) -> str:
    """Return the text of a new taxonomy for a domain of that name."""
    check_id(name)
    title = name.replace("-", " ")
    before, space, last = title.rpartition(" ")
    word = before + space + singular_of(last)
    # YAML reads a bare `on` as true and `null` as nothing.
    return _TEXT.format(name=scalar(name), title=title, word=scalar(word), phrase=word, file=file)


def check_id(name: str) -> None:
    """Raise an error where a name cannot be a domain's id."""
    try:
        TypeAdapter(Identifier).validate_python(name)
    except ValidationError:
        hint = f"a letter, then lowercase letters, digits and single hyphens, as in `{category_id(name)}`"
        raise UsageError(f"{name!r} is not an id", hint=hint) from None
