"""Loading grammars: shipped ones, `.lark` files and taxonomies, always from the text of a grammar."""

from __future__ import annotations

import copyreg
import hashlib
import re
from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from assess.disk_cache import Codec, DiskCache, code_digest, shipped_folder
from assess.errors import GrammarError, Place
from assess.grammar.chart import Rules
from assess.grammar.compile import grammar_text
from assess.grammar.lark_file import read_grammar, source_digest
from assess.grammar.lexicon import Leaf, Lexicon, LexiconData
from assess.grammar.model import Facts, Grammar
from assess.taxonomy.compose import find_taxonomy, shipped_taxonomies, sources_of
from assess.taxonomy.load import taxonomy_of
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.strict_yaml import read_text

GRAMMARS = DiskCache("grammars", most=32)
"""Loaded grammars on disk: an unchanged text is not compiled again."""
TEXTS = DiskCache("grammar-texts", most=32)
"""The texts of grammars by their taxonomies."""

_CODE = ("records.py", "taxonomy/*.py", "grammar/*.py")
_TEXT: Codec[str, str] = Codec(str, str, str)


def load_grammar(domain: str) -> Grammar:
    """Return the grammar of a domain, given by name or as a path to a .lark or .yaml file."""
    path = find_taxonomy(domain)
    text = read_text(path)
    if path.suffix == ".lark":
        return remembered_grammar(text, str(path))
    if path == shipped_taxonomies().get(domain):
        return _shipped(domain, digest_of(text, str(path)))
    return compile_taxonomy(taxonomy_of(text, str(path)))


def _shipped(name: str, digest: str) -> Grammar:
    """Return the grammar that comes with assess, unless its taxonomy has been changed."""
    path = shipped_folder("grammars") / f"{name}.lark"
    text = read_text(path)
    if source_digest(text) != digest:
        raise GrammarError(
            f"the grammar is out of date: `taxonomies/{name}.yaml`, or a word list that it uses, has changed",
            place=_place_of_digest(text, path),
            hint=f"run: assess domain compile {name} --out grammars/{name}.lark",
        )
    return remembered_grammar(text, str(path))


def _place_of_digest(text: str, path: Path) -> Place:
    lines = text.split("\n")
    number = next((i for i, line in enumerate(lines) if source_digest(line)), 0)
    return Place(str(path), number + 1, 1, source=lines[number])


def text_of_taxonomy(domain: str) -> str:
    """Return the text of a taxonomy's grammar, as written to a file."""
    path = find_taxonomy(domain)
    taxonomy = read_text(path)
    return grammar_text(taxonomy_of(taxonomy, str(path)), source=digest_of(taxonomy, str(path)))


def digest_of(text: str, file: str) -> str:
    """Return the hash of a grammar's source, i.e. a taxonomy with its lists, as stated in the grammar."""
    return hashlib.sha256("\0".join(sources_of(text, file)).encode("utf-8")).hexdigest()[:16]


def grammar_of(text: str, file: str) -> Grammar:
    """Return the grammar of a text; raises one error with all of its mistakes."""
    parts = (text, code_digest(*_CODE), version("lark"))
    codec = grammar_codec(text)
    grammar = GRAMMARS.take(parts, codec)
    if grammar is None:
        grammar = read_grammar(text, file)
        GRAMMARS.put(parts, grammar, codec)
    return grammar


@lru_cache(maxsize=16)  # notebooks request the same domain repeatedly
def remembered_grammar(text: str, file: str) -> Grammar:
    """Return the grammar of a text, from memory if it was requested before."""
    return grammar_of(text, file)


def compile_taxonomy(taxonomy: Taxonomy) -> Grammar:
    """Return the grammar of a taxonomy, which is compiled to text and read like any other."""
    # Unset fields are left out, because `plural: null` differs from a missing `plural`.
    parts = (taxonomy.model_dump_json(exclude_unset=True), code_digest(*_CODE))
    text = TEXTS.take(parts, _TEXT)
    if text is None:
        text = grammar_text(taxonomy)
        TEXTS.put(parts, text, _TEXT)
    return grammar_of(text, f"{taxonomy.taxonomy}.lark")


def _reduced(grammar: Grammar) -> tuple[Any, ...]:
    return remembered_grammar, (grammar.text, f"{grammar.name}.lark")


copyreg.pickle(Grammar, _reduced)  # other processes receive the text


@dataclass(frozen=True, slots=True)
class GrammarData:
    """A grammar without its text, which the caller has."""

    facts: Facts
    leaves: list[Leaf]
    rules: Rules
    lexicon: LexiconData
    known: list[str]
    prepositions: list[str]
    excluded: LexiconData
    signs: list[tuple[str, ...]]
    owner: str


def grammar_codec(text: str) -> Codec[Grammar, GrammarData]:
    """Return how the grammar of a text is stored."""
    return Codec(GrammarData, _to_data, lambda data: _grammar(data, text))


def _to_data(grammar: Grammar) -> GrammarData:
    return GrammarData(
        facts=grammar.facts,
        leaves=list(grammar.leaves.values()),
        rules=grammar.rules,
        lexicon=grammar.lexicon.to_data(),
        known=sorted(grammar.known),
        prepositions=sorted(grammar.prepositions),
        excluded=grammar.excluded.to_data(),
        signs=list(grammar.signs),
        owner=grammar.owner,
    )


def _grammar(data: GrammarData, text: str) -> Grammar:
    re.compile(data.owner)
    if not _fits_together(data):
        raise ValueError("the parts of this grammar do not belong together")
    return Grammar(
        text=text,
        facts=data.facts,
        leaves={leaf.name: leaf for leaf in data.leaves},
        rules=data.rules,
        lexicon=Lexicon.from_data(data.lexicon),
        known=frozenset(data.known),
        prepositions=frozenset(data.prepositions),
        excluded=Lexicon.from_data(data.excluded),
        signs=tuple(data.signs),
        owner=data.owner,
    )


def _fits_together(data: GrammarData) -> bool:
    """Whether the parts of a stored grammar refer only to existing names: a cache can contain anything."""
    names, rules = {leaf.name for leaf in data.leaves}, data.rules
    by_pattern = (pattern.leaves for pattern in data.lexicon.patterns)
    matched = {name for leaves in (*data.lexicon.leaves, *by_pattern) for name in leaves}
    stated: dict[str, Container[str]] = {"head": data.facts.heads, "modifier": data.facts.modifiers}
    symbols = range(len(rules.splits))
    return (
        names == rules.masks.keys()
        and matched <= names
        and all(leaf.role is None or leaf.category in stated[leaf.role] for leaf in data.leaves)
        and len(rules.pairs) == len(symbols)
        and rules.start in symbols
        and all(left in symbols and right in symbols for split in rules.splits for left, right in split)
        and all(
            right in symbols and 0 <= mask < 1 << len(symbols) for pair in rules.pairs for right, mask in pair
        )
        and all(0 <= mask < 1 << len(symbols) for mask in (*rules.masks.values(), rules.lefts))
    )
