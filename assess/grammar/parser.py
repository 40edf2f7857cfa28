"""The parser: a chunk's text in, an analysis out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from assess.grammar.chart import Chart
from assess.grammar.describing import Describer, Sketch
from assess.grammar.earley import make_lark, parse_forest
from assess.grammar.kept import compiled, with_rules
from assess.grammar.lexicon import Edge
from assess.grammar.symbols import OWNER, POSSESSIVE_MARK, UNKNOWN, Grammar
from assess.grammar.unknowns import strangers, unknown_levels
from assess.records import Analysis
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import LONGEST_PHRASE
from assess.taxonomy.tokens import POSSESSIVE, tokenise, words_of

Engine = Literal["fast", "reference"]

LONGEST_CHUNK = 60  # tokens; work grows with the cube of the length, and no noun phrase is longer


class Parser:
    """Analyses chunks with one grammar. Each distinct text is worked out once."""

    def __init__(self, grammar: Grammar | Taxonomy, *, engine: Engine = "fast") -> None:
        self.grammar, rules = compiled(grammar) if isinstance(grammar, Taxonomy) else with_rules(grammar)
        self.engine = engine
        self._chart = Chart(rules, self.grammar.terminals)
        self._lark = make_lark(self.grammar.text) if engine == "reference" else None
        self._sketches: dict[tuple[tuple[Edge, ...], int], Sketch | None] = {}
        self._analyses: dict[str, Analysis] = {}
        self._heads = frozenset(t.name for t in self.grammar.terminals.values() if t.kind == "head")
        self._describer = Describer(self.grammar)
        self._opening: dict[tuple[str, ...], bool] = {}  # words -> whether they open an of-phrase

    def analyse(self, text: str) -> Analysis:
        """Return the analysis of a chunk."""
        analysis = self._analyses.get(text)
        if analysis is None:
            analysis = self._analyses[text] = self._analyse(text)
        return analysis

    def opens_of_phrase(self, text: str) -> bool:
        """Whether a text and the word "of" end in an of-phrase of the taxonomy: a large group (of)."""
        words = (*words_of(text)[-LONGEST_PHRASE:], "of")
        if words not in self._opening:
            endings = self.grammar.lexicon.endings(words)
            self._opening[words] = any("__OF" in edge.terminal for edge in endings)
        return self._opening[words]

    def _analyse(self, text: str) -> Analysis:
        tokens = tokenise(text)
        words = tuple([token.text for token in tokens])
        if not self.grammar.lexicon.may_end(words):
            return Analysis(text, words, why="no-head")  # most chunks of most captions
        if len(words) > LONGEST_CHUNK:
            return self._too_long(text, words)
        edges = self.grammar.lexicon.edges(words)
        if not self._ends_in_head(words, edges):
            return Analysis(text, words, why="no-head")
        sketch = self._parse(words, edges, frozenset()) or self._parse_with_unknown(words, edges)
        if sketch is None:
            return self._unread(text, words, edges)
        return self._describer.describe(text, tokens, words, sketch)

    def _too_long(self, text: str, words: tuple[str, ...]) -> Analysis:
        # The head is at the end; whether there is one can be told without parsing.
        end = words[-LONGEST_CHUNK:]
        in_domain = self._ends_in_head(end, self.grammar.lexicon.edges(end))
        return Analysis(text, words, in_domain, why="no-rule" if in_domain else "no-head")

    def _parse_with_unknown(self, words: Sequence[str], edges: list[Edge]) -> Sketch | None:
        if not self.grammar.admits_unknown:
            return None
        levels = unknown_levels(self.grammar, words, edges)
        return next(filter(None, (self._parse(words, edges, level) for level in levels)), None)

    def _unread(self, text: str, words: tuple[str, ...], edges: Sequence[Edge]) -> Analysis:
        """Return the analysis of a chunk that ends in a head but has no parse."""
        if self.grammar.admits_unknown and self._has_loose_preposition(words, edges):
            # "The hand of a woman" is about a hand.
            return Analysis(text, words, why="no-head")
        unknown = tuple([words[i] for i in sorted(strangers(self.grammar, words, edges))])
        return Analysis(text, words, True, unknown=unknown, why="unknown-word" if unknown else "no-rule")

    def _has_loose_preposition(self, words: Sequence[str], edges: Sequence[Edge]) -> bool:
        """Whether a preposition belongs to no phrase: then what precedes it is what the chunk is about."""
        covered = {position for edge in edges for position in range(edge.start, edge.end)}
        return any(word in self.grammar.prepositions for i, word in enumerate(words) if i not in covered)

    def _ends_in_head(self, words: Sequence[str], edges: Sequence[Edge]) -> bool:
        length = len(words)
        starts = [start for start, end, terminal in edges if end == length and terminal in self._heads]
        if not starts:
            return False
        if not self.grammar.excluded:
            return True
        outside = self.grammar.excluded.endings(words)
        # A longer head wins over an excluded phrase: "snow man" is out, "snow man builder" is in.
        return min(starts) < min((edge.start for edge in outside), default=length)

    def _parse(self, words: Sequence[str], edges: list[Edge], unknown: frozenset[int]) -> Sketch | None:
        if self._lark is not None:
            outcome = parse_forest(self._lark, self.grammar.terminals, words, unknown)
            return self._describer.sketch(outcome) if outcome else None
        usable = (*_without(edges, unknown), *self._possessive_edges(words))
        key = (usable, len(words))
        if key not in self._sketches:
            outcome = self._chart.parse(usable, len(words))
            self._sketches[key] = self._describer.sketch(outcome) if outcome else None
        return self._sketches[key]

    def _possessive_edges(self, words: Sequence[str]) -> list[Edge]:
        if POSSESSIVE not in words or POSSESSIVE_MARK not in self.grammar.terminals:
            return []
        marks = [i for i, word in enumerate(words) if word == POSSESSIVE]
        owners = [Edge(i, i + 1, OWNER) for i in range(marks[-1]) if i not in marks]
        return owners + [Edge(i, i + 1, POSSESSIVE_MARK) for i in marks]


def _without(edges: list[Edge], unknown: frozenset[int]) -> list[Edge]:
    """Return the edges over known words, and one for each word that is taken as unknown."""
    if not unknown:
        return edges
    known = [edge for edge in edges if unknown.isdisjoint(range(edge.start, edge.end))]
    return known + [Edge(i, i + 1, UNKNOWN) for i in sorted(unknown)]
