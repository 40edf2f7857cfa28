"""What an engine found, as an analysis: categories, and their spans in the chunk's text.

Chunks of the same build ("a tall man", "the happy boy") have the same outcome, so all but the texts of the
spans is worked out once for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assess.grammar.lexicon import Edge
from assess.grammar.reading import Outcome
from assess.grammar.symbols import UNKNOWN, Grammar
from assess.records import Analysis, Reading, Role, Span
from assess.taxonomy.tokens import Token

Categories = tuple[str, ...]
Stretch = tuple[int, int, Role, str]  # first token, token after the last, role, category


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """An analysis without its texts."""

    outcome: Outcome
    stretches: tuple[Stretch, ...]
    in_best: tuple[int, ...]  # places of the stretches that belong to the best reading
    heads: Categories
    modifiers: Categories
    best_heads: Categories
    best_modifiers: Categories
    unknown: tuple[int, ...]  # tokens


class Describer:
    """Turns the outcomes of one grammar into analyses."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._exact = grammar.lexicon.exact
        self._together = {phrase for phrase, _ in grammar.together}
        self._meanings: dict[str, tuple[Role, str]] = {}
        for name, terminal in grammar.terminals.items():
            if terminal.kind == "head" or terminal.kind == "modifier":
                self._meanings[name] = (terminal.kind, terminal.category)
        self._says = {name: terminal.says for name, terminal in grammar.terminals.items() if terminal.says}

    def sketch(self, outcome: Outcome, companions: Sequence[Edge] = ()) -> Sketch:
        """Return all of an analysis that does not depend on the words."""
        union = self._stretches(outcome.used)
        alone = len(outcome.best) == len(outcome.used)  # one reading, and every word in one category
        best = union if alone else self._stretches([*self._best_edges(outcome), *companions])
        heads, modifiers = _categories(union, "head"), _categories(union, "modifier")
        same = best == union
        return Sketch(
            outcome=outcome,
            stretches=union,
            in_best=tuple(range(len(union))) if same else tuple([union.index(place) for place in best]),
            heads=heads,
            modifiers=modifiers,
            best_heads=heads if same else _categories(best, "head"),
            best_modifiers=modifiers if same else _categories(best, "modifier"),
            unknown=tuple([start for start, _, terminal in outcome.best if terminal == UNKNOWN]),
        )

    def describe(
        self, text: str, tokens: Sequence[Token], words: tuple[str, ...], sketch: Sketch
    ) -> Analysis:
        """Return the analysis of a chunk."""
        if self._together and (companions := self._companions(words, sketch.outcome)):
            sketch = self.sketch(sketch.outcome, companions)
        spans = tuple(
            [
                Span(start, end, text[tokens[start].start : tokens[end - 1].end], category, role)
                for start, end, role, category in sketch.stretches
            ]
        )
        return Analysis(
            text,
            words,
            True,
            sketch.heads,
            sketch.modifiers,
            spans,
            Reading(
                sketch.best_heads, sketch.best_modifiers, tuple([spans[place] for place in sketch.in_best])
            ),
            tuple([words[i] for i in sketch.unknown]),
            "unknown-word" if sketch.unknown else None,
        )

    def _stretches(self, edges: Sequence[Edge]) -> tuple[Stretch, ...]:
        meanings = self._meanings
        found = {(start, end, *meanings[name]) for start, end, name in edges if name in meanings}
        if self._says:
            for start, end, name in edges:
                found |= {(start, end, "modifier", category) for category in self._says.get(name, ())}
        return tuple(sorted(found))

    def _best_edges(self, outcome: Outcome) -> list[Edge]:
        """Return the best reading's modifiers, and every head category of its head nouns."""
        heads = {(start, end) for start, end, name in outcome.best if self._role(name) == "head"}
        edges = [e for e in outcome.used if (e[0], e[1]) in heads and self._role(e[2]) == "head"]
        return edges + [edge for edge in outcome.best if self._role(edge[2]) == "modifier"]

    def _companions(self, words: Sequence[str], outcome: Outcome) -> list[Edge]:
        """Return what holds at the same time as the modifiers of the best reading (`also`)."""
        found: list[Edge] = []
        for edge in outcome.best:
            phrase = " ".join(words[edge.start : edge.end])
            if not self._exact:
                phrase = phrase.replace("-", " ")
            if phrase in self._together and self._role(edge.terminal) == "modifier":
                _, category = self._meanings[edge.terminal]
                together = self._grammar.together.get((phrase, category), ())
                found += [other for other in outcome.used if self._is_companion(other, edge, together)]
        return found

    def _is_companion(self, other: Edge, edge: Edge, together: Categories) -> bool:
        if (other.start, other.end) != (edge.start, edge.end) or self._role(other.terminal) != "modifier":
            return False
        return self._meanings[other.terminal][1] in together

    def _role(self, terminal: str) -> Role | None:
        return self._meanings[terminal][0] if terminal in self._meanings else None


def _categories(stretches: Iterable[Stretch], role: Role) -> Categories:
    return tuple(sorted({category for _, _, own, category in stretches if own == role}))
