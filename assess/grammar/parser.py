"""The parser: a chunk's text in, an analysis out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from assess.grammar.chart import parse_chart
from assess.grammar.compile import compile_taxonomy
from assess.grammar.earley import compiled_rules, make_lark, parse_forest
from assess.grammar.lexicon import Edge
from assess.grammar.reading import Outcome
from assess.grammar.rules import Rules
from assess.grammar.symbols import OWNER, POSSESSIVE_MARK, UNKNOWN, Grammar
from assess.grammar.unknowns import strangers, unknown_levels
from assess.records import Analysis, Reading, Role, Span
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import LONGEST_PHRASE
from assess.taxonomy.tokens import POSSESSIVE, Token, tokenise, words_of

Engine = Literal["fast", "reference"]

LONGEST_CHUNK = 60  # tokens; work grows with the cube of the length, and no noun phrase is longer


class Parser:
    """Analyses chunks with one grammar. Each distinct text is worked out once."""

    def __init__(self, grammar: Grammar | Taxonomy, *, engine: Engine = "fast") -> None:
        self.grammar = compile_taxonomy(grammar) if isinstance(grammar, Taxonomy) else grammar
        self.engine = engine
        rules = compiled_rules(self.grammar.rules, self.grammar.terminals)
        self._rules = Rules(rules, start="start", terminals=self.grammar.terminals)
        self._lark = make_lark(self.grammar.text) if engine == "reference" else None
        self._outcomes: dict[tuple[tuple[Edge, ...], int], Outcome | None] = {}
        self._analyses: dict[str, Analysis] = {}
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
            edges = self._lexical_edges(words)
            self._opening[words] = any(edge.end == len(words) and "__OF" in edge.terminal for edge in edges)
        return self._opening[words]

    def _analyse(self, text: str) -> Analysis:
        tokens = tokenise(text)
        words = tuple(token.text for token in tokens)
        if len(words) > LONGEST_CHUNK:
            # The head is at the end; whether there is one can be told without parsing.
            edges = self._lexical_edges(words[-LONGEST_CHUNK:])
            in_domain = self._ends_in_head(words[-LONGEST_CHUNK:], edges)
            return Analysis(text, words, in_domain, why="no-rule" if in_domain else "no-head")
        edges = self._lexical_edges(words)
        if not self._ends_in_head(words, edges):
            return Analysis(text, words, why="no-head")
        for unknown in unknown_levels(self.grammar, words, edges):
            outcome = self._parse(words, edges, unknown)
            if outcome is not None:
                return self._describe(text, tokens, outcome)
        return self._unread(text, words, edges)

    def _unread(self, text: str, words: tuple[str, ...], edges: Sequence[Edge]) -> Analysis:
        """Return the analysis of a chunk that ends in a head but has no parse."""
        if self.grammar.admits_unknown and self._has_loose_preposition(words, edges):
            # "The hand of a woman" is about a hand.
            return Analysis(text, words, why="no-head")
        unknown = tuple(words[i] for i in sorted(strangers(self.grammar, words, edges)))
        return Analysis(text, words, True, unknown=unknown, why="unknown-word" if unknown else "no-rule")

    def _has_loose_preposition(self, words: Sequence[str], edges: Sequence[Edge]) -> bool:
        """Whether a preposition belongs to no phrase: then what precedes it is what the chunk is about."""
        covered = {position for edge in edges for position in range(edge.start, edge.end)}
        return any(word in self.grammar.prepositions for i, word in enumerate(words) if i not in covered)

    def _lexical_edges(self, words: Sequence[str]) -> list[Edge]:
        return self.grammar.lexicon.edges(words)

    def _ends_in_head(self, words: Sequence[str], edges: Sequence[Edge]) -> bool:
        heads = [edge for edge in edges if edge.end == len(words) and self._kind(edge) == "head"]
        if not heads:
            return False
        outside = [edge for edge in self.grammar.excluded.edges(words) if edge.end == len(words)]
        # A longer head wins over an excluded phrase: "snow man" is out, "snow man builder" is in.
        return min(head.start for head in heads) < min((edge.start for edge in outside), default=len(words))

    def _kind(self, edge: Edge) -> str:
        return self.grammar.terminals[edge.terminal].kind

    def _parse(self, words: Sequence[str], edges: list[Edge], unknown: frozenset[int]) -> Outcome | None:
        if self._lark is not None:
            return parse_forest(self._lark, self.grammar.terminals, words, unknown)
        usable = [edge for edge in edges if not unknown & set(range(edge.start, edge.end))]
        usable += [Edge(i, i + 1, UNKNOWN) for i in sorted(unknown)]
        usable += self._possessive_edges(words)
        key = (tuple(usable), len(words))
        if key not in self._outcomes:
            self._outcomes[key] = parse_chart(self._rules, self.grammar.terminals, usable, len(words))
        return self._outcomes[key]

    def _possessive_edges(self, words: Sequence[str]) -> list[Edge]:
        if POSSESSIVE not in words or POSSESSIVE_MARK not in self.grammar.terminals:
            return []
        marks = [i for i, word in enumerate(words) if word == POSSESSIVE]
        owners = [Edge(i, i + 1, OWNER) for i in range(marks[-1]) if i not in marks]
        return owners + [Edge(i, i + 1, POSSESSIVE_MARK) for i in marks]

    def _describe(self, text: str, tokens: Sequence[Token], outcome: Outcome) -> Analysis:
        words = tuple(token.text for token in tokens)
        spans = self._spans(text, tokens, outcome.used)
        best = self._spans(text, tokens, self._best_edges(words, outcome))
        unknown = tuple(words[edge.start] for edge in outcome.best if edge.terminal == UNKNOWN)
        return Analysis(
            text,
            words,
            in_domain=True,
            heads=_categories(spans, "head"),
            modifiers=_categories(spans, "modifier"),
            spans=spans,
            best=Reading(_categories(best, "head"), _categories(best, "modifier"), best),
            unknown=unknown,
            why="unknown-word" if unknown else None,
        )

    def _best_edges(self, words: Sequence[str], outcome: Outcome) -> list[Edge]:
        """Return the best reading's edges, with all that holds for them at the same time."""
        heads = {(edge.start, edge.end) for edge in outcome.best if self._kind(edge) == "head"}
        edges = [e for e in outcome.used if self._kind(e) == "head" and (e.start, e.end) in heads]
        for edge in outcome.best:
            if self._kind(edge) == "modifier":
                edges.append(edge)
                edges += self._companions(words, edge, outcome)
        return edges

    def _companions(self, words: Sequence[str], edge: Edge, outcome: Outcome) -> list[Edge]:
        phrase = " ".join(words[edge.start : edge.end])
        if not self.grammar.lexicon.exact:
            phrase = phrase.replace("-", " ")
        category = self.grammar.terminals[edge.terminal].category
        together = self.grammar.together.get((phrase, category), ())
        return [
            other
            for other in outcome.used
            if (other.start, other.end) == (edge.start, edge.end)
            and self._kind(other) == "modifier"
            and self.grammar.terminals[other.terminal].category in together
        ]

    def _spans(self, text: str, tokens: Sequence[Token], edges: Sequence[Edge]) -> tuple[Span, ...]:
        spans = set()
        for edge in edges:
            terminal = self.grammar.terminals[edge.terminal]
            if terminal.kind in ("head", "modifier"):
                role: Role = "head" if terminal.kind == "head" else "modifier"
                written = text[tokens[edge.start].start : tokens[edge.end - 1].end]
                spans.add(Span(edge.start, edge.end, written, terminal.category, role))
        return tuple(sorted(spans, key=_span_order))


def _span_order(span: Span) -> tuple[int, int, str, str]:
    return span.start, span.end, span.role, span.category


def _categories(spans: Sequence[Span], role: Role) -> tuple[str, ...]:
    return tuple(sorted({span.category for span in spans if span.role == role}))
