"""The parser, which returns the analysis of a chunk's text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from assess.grammar.chart import Chart, Outcome
from assess.grammar.earley import make_lark, parse_forest
from assess.grammar.lexicon import Edge, Lexicon
from assess.grammar.load import compile_taxonomy
from assess.grammar.memory import Memory
from assess.grammar.model import OWNER, UNKNOWN, Grammar
from assess.records import Analysis, Reading, Role, Span
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import LONGEST_PHRASE
from assess.taxonomy.words import POSSESSIVE, tokenise, words_of

Engine = Literal["fast", "reference"]

LONGEST_CHUNK = 60  # tokens; the time is cubic in the length, and no noun phrase is longer
_REMEMBERED = 100_000  # phrases before "of"
Categories = tuple[str, ...]
Stretch = tuple[int, int, Role, str]  # first token, token after the last one, role, category


class Parser:
    """Analyses chunks with one grammar, each distinct text once."""

    def __init__(self, grammar: Grammar | Taxonomy, *, engine: Engine = "fast") -> None:
        self.grammar = compile_taxonomy(grammar) if isinstance(grammar, Taxonomy) else grammar
        self.engine = engine
        self._chart = Chart(self.grammar.rules, self.grammar.leaves)
        self._lark = make_lark(self.grammar.text) if engine == "reference" else None
        self._outlines: dict[tuple[tuple[Edge, ...], int], Outline | None] = {}
        self._analyses: dict[str, Analysis] = {}
        self._heads = frozenset(leaf.name for leaf in self.grammar.leaves.values() if leaf.kind == "head")
        self._owner = re.compile(self.grammar.owner) if OWNER in self.grammar.leaves else None
        self._analyst = _Analyst(self.grammar)
        self._opening = Memory(self._opens_of_phrase, most=_REMEMBERED)
        self._excluding = Memory(self._excludes_of, most=_REMEMBERED)

    def analyse(self, text: str) -> Analysis:
        """Return the analysis of a chunk."""
        analysis = self._analyses.get(text)
        if analysis is None:
            analysis = self._analyses[text] = self._analyse(text)
        return analysis

    def opens_of_phrase(self, text: str) -> bool:
        """Whether a text with the word "of" ends in an of-phrase of the taxonomy: a large group (of)."""
        return self._opening[text]

    def _opens_of_phrase(self, text: str) -> bool:
        endings = self.grammar.lexicon.endings((*words_of(text)[-LONGEST_PHRASE:], "of"))
        return any(self.grammar.leaves[edge.leaf].of for edge in endings)

    def excludes_of(self, text: str, object_: str) -> bool:
        """Whether a noun with "of" and an object is excluded: a roll (of toilet paper)."""
        return bool(self.grammar.excluded) and self._excluding[text, object_]

    def _excludes_of(self, texts: tuple[str, str]) -> bool:
        opening, nouns = map(words_of, texts)
        return any(
            edge.start < len(opening)
            for begin in range(1, max(2, min(LONGEST_PHRASE, len(nouns) + 1)))
            for edge in self.grammar.excluded.endings((*opening, "of", *nouns[-begin:]))
        )

    def _analyse(self, text: str) -> Analysis:
        words = words_of(text)
        if not self._ends_in_head(words):
            return Analysis(text, words, why="no-head")  # true for most chunks of most captions
        if len(words) > LONGEST_CHUNK:
            return Analysis(text, words, in_domain=True, why="no-rule")
        edges = self.grammar.lexicon.edges(words)
        outline = self._parse(words, edges, frozenset()) or self._parse_with_unknown(words, edges)
        if outline is None:
            return self._unread(text, words, edges)
        return self._analyst.analysis(text, words, outline)

    def _parse_with_unknown(self, words: Sequence[str], edges: list[Edge]) -> Outline | None:
        if not self.grammar.admits_unknown:
            return None
        choices = _unknown_sets(self.grammar, words, edges)
        return next(filter(None, (self._parse(words, edges, unknown) for unknown in choices)), None)

    def _unread(self, text: str, words: tuple[str, ...], edges: Sequence[Edge]) -> Analysis:
        """Return the analysis of a chunk that ends in a head but cannot be parsed."""
        if self.grammar.admits_unknown and self._has_loose_preposition(words, edges):
            # "The hand of a woman" is about a hand.
            return Analysis(text, words, why="no-head")
        unknown = tuple([words[i] for i in sorted(_uncovered(self.grammar, words, edges))])
        return Analysis(text, words, True, unknown=unknown, why="unknown-word" if unknown else "no-rule")

    def _has_loose_preposition(self, words: Sequence[str], edges: Sequence[Edge]) -> bool:
        """Whether a preposition belongs to no phrase: the chunk is then about what precedes it."""
        covered = _positions(edges)
        return any(word in self.grammar.prepositions for i, word in enumerate(words) if i not in covered)

    @cached_property
    def _endings(self) -> Lexicon:
        return self.grammar.lexicon.ending_in(self._heads, self.head_spellings)

    @cached_property
    def head_spellings(self) -> frozenset[str]:
        """The heads of a taxonomy in all their spellings."""
        return frozenset(self.grammar.lexicon.spellings_of(self._heads))

    def _ends_in_head(self, words: Sequence[str]) -> bool:
        words = words[-LONGEST_CHUNK:]
        known = bool(words) and words[-1] in self.head_spellings
        if not known and not self._starts_of_heads(words):
            return False
        outside = [edge.start for edge in self.grammar.excluded.endings(words)]
        # A longer head overrides an excluded phrase: "snow man" is excluded, "snow man builder" is not.
        return not outside or min(self._starts_of_heads(words), default=len(words)) < min(outside)

    def _starts_of_heads(self, words: Sequence[str]) -> list[int]:
        """Return where the heads at the end of a chunk may begin."""
        return [edge.start for edge in self._endings.endings(words) if edge.leaf in self._heads]

    def _parse(self, words: Sequence[str], edges: list[Edge], unknown: frozenset[int]) -> Outline | None:
        if self._lark is not None:
            outcome = parse_forest(self._lark, self.grammar.leaves, words, unknown)
            return self._analyst.outline(outcome) if outcome else None
        usable = (*_without(edges, unknown), *self._owner_edges(words))
        key = (usable, len(words))
        try:
            return self._outlines[key]
        except KeyError:
            outcome = self._chart.parse(usable, len(words))
            outline = self._outlines[key] = self._analyst.outline(outcome) if outcome else None
            return outline

    def _owner_edges(self, words: Sequence[str]) -> list[Edge]:
        """Return the words that can belong to a possessor: all words before a possessive mark."""
        if self._owner is None or POSSESSIVE not in words:
            return []
        last = len(words) - 1 - words[::-1].index(POSSESSIVE)
        return [Edge(i, i + 1, OWNER) for i in range(last) if self._owner.fullmatch(words[i])]


def _without(edges: list[Edge], unknown: frozenset[int]) -> list[Edge]:
    """Return the edges over known words, and one for each word that is treated as unknown."""
    if not unknown:
        return edges
    known = [edge for edge in edges if unknown.isdisjoint(range(edge.start, edge.end))]
    return known + [Edge(i, i + 1, UNKNOWN) for i in sorted(unknown)]


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """An analysis without its texts.

    Chunks with the same structure ("a tall man", "the happy boy") have the same outcome, so everything except
    the texts of the spans is computed once for each structure.
    """

    outcome: Outcome
    stretches: tuple[Stretch, ...]
    in_best: tuple[int, ...]  # indices of the stretches in the best reading
    heads: Categories
    modifiers: Categories
    best_heads: Categories
    best_modifiers: Categories
    unknown: tuple[int, ...]  # indices of tokens


class _Analyst:
    """Turns the result of an engine into analyses: categories, and their spans in a chunk's text."""

    def __init__(self, grammar: Grammar) -> None:
        self._together: dict[tuple[str, str], set[str]] = {}
        for phrase, categories in grammar.facts.also:
            for category in categories:
                self._together.setdefault((phrase, category), set()).update(categories)
        self._meanings: dict[str, tuple[Role, str]] = {
            name: (leaf.role, leaf.category) for name, leaf in grammar.leaves.items() if leaf.role is not None
        }
        facts = grammar.facts
        parents = [about.parent for about in facts.heads.values()]
        nested = any(parents) or any(about.parent for about in facts.modifiers.values())
        self._reported = facts.reported if nested else None
        self._says = {name: leaf.says for name, leaf in grammar.leaves.items() if leaf.says}

    def outline(self, outcome: Outcome, together: Sequence[Edge] = ()) -> Outline:
        """Return everything in an analysis that does not depend on the words."""
        union = self._stretches(outcome.used)
        alone = len(outcome.best) == len(outcome.used)  # one reading, and every word in a single category
        best = union if alone else self._stretches([*self._best_edges(outcome), *together])
        heads, modifiers = _categories(union, "head"), _categories(union, "modifier")
        same = best == union
        return Outline(
            outcome=outcome,
            stretches=union,
            in_best=tuple(range(len(union))) if same else tuple([union.index(place) for place in best]),
            heads=heads,
            modifiers=modifiers,
            best_heads=heads if same else _categories(best, "head"),
            best_modifiers=modifiers if same else _categories(best, "modifier"),
            unknown=tuple([start for start, _, leaf in outcome.best if leaf == UNKNOWN]),
        )

    def analysis(self, text: str, words: tuple[str, ...], outline: Outline) -> Analysis:
        """Return the analysis of a chunk."""
        if self._together and (edges := self._edges_together(words, outline.outcome)):
            outline = self.outline(outline.outcome, edges)
        stretches = outline.stretches
        if " ".join(words) == text:  # as most labels are written
            parts = [" ".join(words[start:end]) for start, end, _, _ in stretches]
        else:
            tokens = tokenise(text)
            parts = [text[tokens[start].start : tokens[end - 1].end] for start, end, _, _ in stretches]
        spans = tuple(
            [
                Span(start, end, part, category, role)
                for (start, end, role, category), part in zip(stretches, parts, strict=True)
            ]
        )
        return Analysis(
            text,
            words,
            True,
            outline.heads,
            outline.modifiers,
            spans,
            Reading(
                outline.best_heads, outline.best_modifiers, tuple([spans[place] for place in outline.in_best])
            ),
            tuple([words[i] for i in outline.unknown]),
            "unknown-word" if outline.unknown else None,
        )

    def _stretches(self, edges: Sequence[Edge]) -> tuple[Stretch, ...]:
        meanings = self._meanings
        found = {(start, end, *meanings[name]) for start, end, name in edges if name in meanings}
        if self._says:
            for start, end, name in edges:
                found |= {(start, end, "modifier", category) for category in self._says.get(name, ())}
        if self._reported is not None:
            found = {
                (start, end, role, name)
                for start, end, role, own in found
                for name in self._reported(role, own)
            }
        return tuple(sorted(found))

    def _best_edges(self, outcome: Outcome) -> list[Edge]:
        """Return the best reading's modifiers, and every head category of its head nouns."""
        heads = {(start, end) for start, end, name in outcome.best if self._role(name) == "head"}
        edges = [e for e in outcome.used if (e[0], e[1]) in heads and self._role(e[2]) == "head"]
        return edges + [edge for edge in outcome.best if self._role(edge[2]) == "modifier"]

    def _edges_together(self, words: Sequence[str], outcome: Outcome) -> list[Edge]:
        """Return what applies at the same time as the modifiers of the best reading (`also`)."""
        found: list[Edge] = []
        for edge in outcome.best:
            if self._role(edge.leaf) == "modifier":
                phrase = " ".join(words[edge.start : edge.end])
                together = self._together.get((phrase, self._meanings[edge.leaf][1]), ())
                found += [other for other in outcome.used if self._is_together(other, edge, together)]
        return found

    def _is_together(self, other: Edge, edge: Edge, together: Collection[str]) -> bool:
        if (other.start, other.end) != (edge.start, edge.end) or self._role(other.leaf) != "modifier":
            return False
        return self._meanings[other.leaf][1] in together

    def _role(self, leaf: str) -> Role | None:
        return self._meanings[leaf][0] if leaf in self._meanings else None


def _categories(stretches: Iterable[Stretch], role: Role) -> Categories:
    return tuple(sorted({category for _, _, own, category in stretches if own == role}))


def _uncovered(grammar: Grammar, words: Sequence[str], edges: Sequence[Edge]) -> frozenset[int]:
    """Return the positions of tokens that no phrase of the lexicon covers."""
    if grammar.known.issuperset(words):
        return frozenset()
    return frozenset(_unlisted(grammar, words) - _positions(edges))


def _unknown_sets(grammar: Grammar, words: Sequence[str], edges: Sequence[Edge]) -> list[frozenset[int]]:
    """Return sets of tokens to treat as unknown if the chunk cannot be parsed, strictest first.

    These are tokens in no phrase, then also tokens that only occur inside longer phrases, then also nouns
    that are only known as heads ("a lumberjack competitor"). The words of the final head are never unknown.
    An unknown word before a known head is a modifier without a category, so the known words still count.
    """
    uncovered = _uncovered(grammar, words, edges)
    final = _positions(e for e in edges if e.end == len(words) and _kind(grammar, e) == "head")
    single = [edge for edge in edges if edge.end == edge.start + 1]
    inside_phrases = _unlisted(grammar, words) - _positions(single) - final
    other_roles = _positions(edge for edge in single if _kind(grammar, edge) != "head")
    nouns = _positions(edge for edge in single if _kind(grammar, edge) == "head") - other_roles - final
    sets = (uncovered, uncovered | inside_phrases, uncovered | nouns, uncovered | inside_phrases | nouns)
    return [positions for positions in dict.fromkeys(sets) if positions]


def _unlisted(grammar: Grammar, words: Sequence[str]) -> set[int]:
    """Return the positions of tokens that are not entries by themselves."""
    return {i for i, word in enumerate(words) if word not in grammar.known and word != POSSESSIVE}


def _positions(edges: Iterable[Edge]) -> set[int]:
    return {position for edge in edges for position in range(edge.start, edge.end)}


def _kind(grammar: Grammar, edge: Edge) -> str:
    return grammar.leaves[edge.leaf].kind
