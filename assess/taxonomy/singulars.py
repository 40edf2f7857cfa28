"""The singular of an English noun, as far as its ending tells."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assess.taxonomy.english import plural_of

# Plurals that our rule for regular ones does not make.
_IRREGULAR = {
    "calves": "calf",
    "elves": "elf",
    "halves": "half",
    "hooves": "hoof",
    "knives": "knife",
    "leaves": "leaf",
    "lives": "life",
    "loaves": "loaf",
    "scarves": "scarf",
    "shelves": "shelf",
    "thieves": "thief",
    "wives": "wife",
    "wolves": "wolf",
    "cargoes": "cargo",
    "echoes": "echo",
    "heroes": "hero",
    "mangoes": "mango",
    "mosquitoes": "mosquito",
    "potatoes": "potato",
    "tomatoes": "tomato",
    "volcanoes": "volcano",
}


def singular_of(word: str, seen: Collection[str] = ()) -> str:
    """Return the singular of a noun; one that was seen is preferred. What looks like no plural stays."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    candidates = [candidate for candidate in _singulars(word) if plural_of(candidate) == word]
    for candidate in candidates:
        if candidate in seen:
            return candidate
    return candidates[0] if candidates else word


def _singulars(word: str) -> Iterator[str]:
    """Yield what a plural may come from, likeliest first."""
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return
    if word.endswith("ies") and len(word) > 4:
        yield word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        yield word[:-2]
    yield word[:-1]
    yield word[:-2]
