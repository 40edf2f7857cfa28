"""The names by which constraints and groups can mean a head: its words, its categories, its sets."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import Constraint, OpenPattern, Phrase, spaced


def carrier_names(taxonomy: Taxonomy, items: Iterable[Phrase | OpenPattern]) -> dict[str, set[str]]:
    """Return, for each head and of-phrase by its text, all the names that mean it."""
    members = {name: {spaced(word) for word in words} for name, words in taxonomy.sets.items()}
    names: dict[str, set[str]] = {}
    for item in items:
        if item.role == "head" or item.of:
            own = {item.text, item.base or item.text} if isinstance(item, Phrase) else set[str]()
            sets = {name for name, words in members.items() if own & words}
            names.setdefault(item.text, set()).update({item.category} | own | sets)
    return names


def normal_names(names: Iterable[str]) -> set[str]:
    """Return names as written (ids have hyphens) and in the normal form of words."""
    names = list(names)
    return {*names, *map(spaced, names)}


class NamedConstraint:
    """A constraint with its names as sets: ids as they are, words in their normal form."""

    def __init__(self, constraint: Constraint) -> None:
        self._not_with = normal_names(constraint.not_with)
        self._only_with = normal_names(constraint.only_with)

    def forbids(self, names: set[str]) -> bool:
        """Whether a modifier with this constraint does not go with the head of these names."""
        return bool(names & self._not_with) or bool(self._only_with and not names & self._only_with)


def closest(name: str, known: Iterable[str]) -> str:
    """Return a hint that names the nearest known name, or some of them."""
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"known here: {shown or 'nothing yet'}"
