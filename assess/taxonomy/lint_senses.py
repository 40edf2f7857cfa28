"""Lint: words with two senses that no constraint tells apart."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assess.taxonomy.model import Taxonomy
from assess.taxonomy.names import NamedConstraint, carrier_names
from assess.taxonomy.phrases import Constraint, OpenPattern, Phrase, open_patterns_of, phrases_of

Sense = Phrase | OpenPattern


@dataclass(frozen=True, slots=True)
class Clash:
    """A word and those of its senses that meet before one head."""

    text: str
    senses: tuple[Sense, ...]  # in the order of their categories, of which the best reading takes the first
    head: str  # the first head, or of-phrase, that admits two of them
    everywhere: bool  # whether all heads do


def clashing_senses(taxonomy: Taxonomy) -> Iterator[Clash]:
    """Yield the words of two modifier categories that some head admits both of.

    Where `also` says that both hold at once, there is nothing to tell apart.
    """
    admission = _Admission(taxonomy)
    for text, senses in _senses(taxonomy):
        pairs = [
            (pair, both)
            for pair in itertools.combinations(senses, 2)
            if not _together(pair, senses) and (both := admission.by_both(*pair))
        ]
        if pairs:
            found = dict.fromkeys(sense for pair, _ in pairs for sense in pair)
            heads = pairs[0][1]
            clashing = tuple(sense for sense in senses if sense in found)
            yield Clash(text, clashing, heads[0], len(heads) == len(admission.heads))


def _senses(taxonomy: Taxonomy) -> Iterator[tuple[str, list[Sense]]]:
    """Yield each modifier phrase with all that it can mean, by the order of the categories."""
    patterns = [pattern for pattern in open_patterns_of(taxonomy) if pattern.role == "modifier"]
    listed: dict[str, list[Phrase]] = {}
    for phrase in phrases_of(taxonomy):
        if phrase.role == "modifier":
            listed.setdefault(phrase.text, []).append(phrase)
    rank = {name: number for number, name in enumerate(taxonomy.modifiers)}
    for text, phrases in listed.items():
        matching = [pattern for pattern in patterns if re.fullmatch(pattern.regex, text)]
        senses: list[Sense] = [*phrases, *matching]
        yield text, sorted(senses, key=lambda sense: rank[sense.category])


def _together(pair: tuple[Sense, Sense], senses: Sequence[Sense]) -> bool:
    """Whether two senses are of one category, or are said to hold at once."""
    categories = {sense.category for sense in pair}
    listed = (sense for sense in senses if isinstance(sense, Phrase))
    return len(categories) == 1 or any(categories <= {sense.category, *sense.also} for sense in listed)


class _Admission:
    """Which heads a sense goes with, worked out once for each constraint."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._names = carrier_names(taxonomy, [*phrases_of(taxonomy), *open_patterns_of(taxonomy)])
        self.heads = tuple(self._names)
        self._known: dict[Constraint, frozenset[str]] = {}

    def by_both(self, one: Sense, other: Sense) -> list[str]:
        """Return the heads that admit two senses."""
        both = self._heads(one) & self._heads(other)
        return [head for head in self.heads if head in both]

    def _heads(self, sense: Sense) -> frozenset[str]:
        # A noun phrase of any kind follows an of-phrase, so the constraints of one are idle.
        constraint = Constraint() if sense.of else sense.constraint
        if constraint not in self._known:
            named = NamedConstraint(constraint)
            admitted = (head for head, names in self._names.items() if not named.forbids(names))
            self._known[constraint] = frozenset(admitted)
        return self._known[constraint]
