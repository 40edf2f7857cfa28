"""Domains for other tools: productions for NLTK, patterns for spaCy and Prodigy, tasks for Label Studio."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from assess.grammar.compile import WORD
from assess.grammar.labels import LabelFinder
from assess.grammar.lark_facts import identifier
from assess.grammar.lark_file import productions_of
from assess.grammar.lexicon import Leaf, spellings
from assess.grammar.model import UNKNOWN, Grammar
from assess.records import Annotation, Caption, Role
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    open_patterns_of,
    phrases_of,
    placeholder_words,
)
from assess.taxonomy.words import tokenise

_TOKENS: dict[str, dict[str, Any]] = {"{number}": {"LIKE_NUM": True}, "{word}": {"IS_ALPHA": True}}
_HYPHEN: dict[str, Any] = {"ORTH": "-", "OP": "?"}


def nltk_productions(grammar: Grammar, spellings: Iterable[tuple[str, str]] | None = None) -> str:
    """Return the grammar as NLTK productions, `start` first; leaves become symbols with words.

    `spellings` are the (leaf, text) pairs to write; by default all of the lexicon. NLTK has no regular
    expressions, so the caller must provide spellings for leaves with open patterns.
    """
    rules = ((left, right) for left, right in productions_of(grammar) if left not in grammar.leaves)
    lines = sorted({f"{_symbol(left)} -> {' '.join(map(_symbol, right))}" for left, right in rules})
    lines.sort(key=lambda line: not line.startswith("start "))
    for leaf, text in sorted(set(grammar.lexicon.spellings() if spellings is None else spellings)):
        lines.append(f"{leaf} -> " + " ".join(_quoted(word) for word in text.split(" ")))
    return "\n".join(lines) + "\n"


def _symbol(name: str) -> str:
    """Return a name in NLTK's syntax: names from templates contain braces."""
    return re.sub("[{},]+", "__", name).rstrip("_")


def _quoted(word: str) -> str:
    return f'"{word}"' if "'" in word else f"'{word}'"


def named_productions(grammar: Grammar) -> str:
    """Return a grammar as NLTK productions.

    If the grammar has its own phrase structure, names are those that `assess domain import` reads: `AgeNoun`
    for a head category, `Age` for a modifier. The built-in structure splits categories by constraints, so the
    names are those of the `.lark` file.
    """
    names = _names(grammar) if UNKNOWN not in grammar.leaves else {}
    lines = []
    for line in nltk_productions(grammar).splitlines():
        left, _, right = line.partition(" -> ")
        # The right-hand side consists of words or symbols; words are in quotes.
        symbols = right if right[:1] in "'\"" else " ".join(names.get(part, part) for part in right.split())
        lines.append(f"{names.get(left, left)} -> {symbols}")
    return "\n".join(lines) + "\n"


def _names(grammar: Grammar) -> dict[str, str]:
    wanted = {name: _name(leaf) for name, leaf in grammar.leaves.items()}
    # Parts of a category (nouns with further categories, open patterns) share its name; two categories do
    # not.
    owners: dict[str, set[tuple[str, str]]] = {}
    for name, other in wanted.items():
        leaf = grammar.leaves[name]
        owners.setdefault(other, set()).add((leaf.kind, leaf.category or name))
    return {name: other for name, other in wanted.items() if len(owners[other]) == 1}


def _name(leaf: Leaf) -> str:
    if leaf.role is not None:
        return _capitals(leaf.category) + ("Noun" if leaf.role == "head" else "")
    return _capitals(identifier(leaf.name.removeprefix(WORD)))


def _capitals(identifier: str) -> str:
    return "".join(part.capitalize() for part in identifier.split("-"))


def spacy_patterns(taxonomy: Taxonomy, *, tokens: bool = False) -> str:
    """Return a taxonomy as patterns for spaCy's entity and span rulers, one JSON object per line.

    `label` is the category, `id` the role. Phrases are texts, which the ruler tokenises (with
    `phrase_matcher_attr: "LOWER"`); infinite patterns, such as {number}-year-old, are lists of token
    descriptions. The patterns find words, not readings: constraints and the phrase structure are lost. With
    `tokens`, all patterns are token descriptions, which Prodigy needs for ignoring case, and labels include
    the role, because Prodigy shows no ids.
    """
    lines = dict.fromkeys(
        json.dumps(
            {"label": f"{role}:{label}", "pattern": _tokens(pattern) if isinstance(pattern, str) else pattern}
            if tokens
            else {"label": label, "pattern": pattern, "id": role},
            ensure_ascii=False,
        )
        for label, pattern, role in _patterns(taxonomy)
    )
    return "\n".join(lines) + "\n"


def _patterns(taxonomy: Taxonomy) -> Iterator[tuple[str, str | list[dict[str, Any]], str]]:
    exact = taxonomy.hyphens == "exact"
    for phrase in phrases_of(taxonomy):
        labels: list[tuple[str, Role]] = [(name, phrase.role) for name in (phrase.category, *phrase.also)]
        labels += [(name, "modifier") for name in phrase.says]
        for category, role in labels:
            for spelling in spellings(phrase.text, exact=exact):
                # Our tokens have a space before the possessive, unlike texts.
                yield category, spelling.replace(" 's", "'s"), role
    for pattern in open_patterns_of(taxonomy):
        for text in _expanded(taxonomy, pattern.text):
            yield pattern.category, _tokens(text), pattern.role


def _expanded(taxonomy: Taxonomy, pattern: str) -> Iterator[str]:
    """Yield an open pattern with every choice of words for its finite placeholders."""
    parts = PLACEHOLDER.split(pattern)
    choices = [
        [part]
        if index % 2 == 0
        else [f"{{{part}}}"]
        if part in OPEN_PLACEHOLDERS
        else placeholder_words(taxonomy, part)
        for index, part in enumerate(parts)
    ]
    for combination in itertools.product(*choices):
        yield "".join(combination)


def _tokens(text: str) -> list[dict[str, Any]]:
    """Return token descriptions; spaCy splits words at hyphens, which can also be spaces."""
    tokens: list[dict[str, Any]] = []
    for word in re.sub(r"(?<=\w)'s\b", " 's", text).split():
        for number, piece in enumerate(word.split("-")):
            if number:
                tokens.append(_HYPHEN)
            tokens.append(_token(piece))
        tokens.append(_HYPHEN)
    return tokens[:-1]


def _token(piece: str) -> dict[str, Any]:
    if piece in _TOKENS:
        return _TOKENS[piece]
    if not PLACEHOLDER.search(piece):
        return {"LOWER": piece.lower()}
    parts = PLACEHOLDER.split(piece)
    regex = "".join(
        re.escape(part.lower()) if index % 2 == 0 else OPEN_PLACEHOLDERS[part]
        for index, part in enumerate(parts)
    )
    return {"LOWER": {"REGEX": f"^{regex}$"}}


LABELS, TEXT = "label", "text"
"""Names by which tasks of Label Studio refer to the configuration."""
_COLORS = {"head": "#1f6f8b", "modifier": "#b85c38"}


def label_studio_config(taxonomy: Taxonomy) -> str:
    """Return a labelling configuration for Label Studio: text spans, with a label for each category."""
    view = ElementTree.Element("View")
    labels = ElementTree.SubElement(view, "Labels", name=LABELS, toName=TEXT)
    for role, name, category in taxonomy.categories():
        about = " ".join(category.description.split())
        value = f"{role}:{name}"
        ElementTree.SubElement(labels, "Label", value=value, background=_COLORS[role], hint=about)
    ElementTree.SubElement(view, "Text", name=TEXT, value=f"${TEXT}")
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def label_studio_tasks(
    captions: Iterable[Caption], annotations: Mapping[str, Annotation], finder: LabelFinder
) -> str:
    """Return captions as tasks with predictions: the best reading of every label, at its position."""
    version = finder.parser.grammar.identity
    tasks = []
    for caption in captions:
        spans = list(_spans(caption.text, annotations[caption.text], finder))
        results = [
            {
                "id": f"{number}",
                "from_name": LABELS,
                "to_name": TEXT,
                "type": "labels",
                "value": {"start": start, "end": end, "text": caption.text[start:end], "labels": [label]},
            }
            for number, (start, end, label) in enumerate(spans, start=1)
        ]
        data = {TEXT: caption.text, "system": caption.system, "image_id": caption.image}
        tasks.append({"data": data, "predictions": [{"model_version": version, "result": results}]})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def _spans(text: str, annotation: Annotation, finder: LabelFinder) -> Iterator[tuple[int, int, str]]:
    for found in finder.find(text, annotation):
        written = text[found.start : found.end]
        tokens = tokenise(written)
        for span in finder.parser.analyse(written).best.spans:
            start, end = tokens[span.start].start, tokens[span.end - 1].end
            yield found.start + start, found.start + end, f"{span.role}:{span.category}"
