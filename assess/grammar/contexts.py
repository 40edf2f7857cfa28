"""Which modifiers each head admits: constraints turned into a few families of rules.

A *context* is the set of constraints that a head phrase (or an of-phrase such as "group of") forbids.
Heads that forbid the same share a context, and the grammar has one family of rules for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assess.taxonomy.model import Taxonomy
from assess.taxonomy.names import NamedConstraint, carrier_names
from assess.taxonomy.phrases import FREE, Constraint, OpenPattern, Phrase


@dataclass(frozen=True, slots=True)
class Contexts:
    """The constraints of a taxonomy and the distinct sets of them that its heads forbid."""

    constraints: tuple[Constraint, ...]  # without the free one; numbered from 1 in rule names
    forbidden: tuple[frozenset[Constraint], ...]  # one a context
    of_phrase: dict[str, int]  # text of a head or an of-phrase -> its context

    def admits(self, context: int, constraint: Constraint) -> bool:
        """Whether a modifier with this constraint goes with heads of this context."""
        return constraint not in self.forbidden[context]

    def number(self, constraint: Constraint) -> int:
        """Return the constraint's number; 0 for the free one."""
        return 0 if constraint == FREE else self.constraints.index(constraint) + 1


def find_contexts(taxonomy: Taxonomy, phrases: Iterable[Phrase], patterns: Iterable[OpenPattern]) -> Contexts:
    """Work out the contexts of all heads and of-phrases."""
    carriers: list[Phrase | OpenPattern] = [*phrases, *patterns]
    constraints = tuple(
        dict.fromkeys(
            item.constraint
            for item in carriers
            if item.role == "modifier" and not item.of and item.constraint != FREE
        )
    )
    named = {constraint: NamedConstraint(constraint) for constraint in constraints}
    forbidden_by = {
        text: frozenset(c for c in constraints if named[c].forbids(names))
        for text, names in carrier_names(taxonomy, carriers).items()
    }
    kinds = sorted(
        set(forbidden_by.values()),
        key=lambda kind: (len(kind), sorted(constraints.index(c) for c in kind)),
    )
    numbers = {kind: index for index, kind in enumerate(kinds)}
    return Contexts(constraints, tuple(kinds), {text: numbers[kind] for text, kind in forbidden_by.items()})
