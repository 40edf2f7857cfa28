"""What the built-in phrase structure knows of English: function words, numbers and plurals."""

from __future__ import annotations

FUNCTION_WORDS: dict[str, tuple[str, ...]] = {
    "predeterminer": ("all", "both", "half", "such", "what"),
    "determiner": (
        "a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every", "either",
        "neither", "no", "my", "your", "his", "her", "its", "our", "their", "whose", "which",
    ),
    "conjunction": ("and", "or", "but", "and/or", "&", "/"),
    "comma": (",",),
    "degree": (
        "very", "really", "quite", "rather", "so", "too", "extremely", "slightly", "somewhat", "fairly",
        "pretty", "almost", "nearly", "partially", "mostly", "highly", "incredibly", "heavily",
    ),
    # Known, so that they are never taken for an unknown modifier; no rule uses them.
    "preposition": (
        "of", "in", "on", "at", "by", "with", "without", "from", "to", "into", "for", "over", "under",
        "near", "behind", "beside", "between", "through", "across", "along", "around", "against", "like",
        "as", "is", "are", "was", "were", "be", "being", "who", "that's", "while",
    ),
}  # fmt: skip

_UNITS = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def _number() -> str:
    units, teens, tens = (names.replace(" ", "|") for names in (_UNITS, _TEENS, _TENS))
    return rf"(?:\d+(?:[.,]\d+)*|(?:{tens})(?:[- ](?:{units}))?|{teens}|{units}|hundred|thousand)"


NUMBER = _number()
"""Digits or number words up to ninety-nine, as a regular expression over normalised text."""

_IRREGULAR_ENDINGS = {
    "woman": "women",
    "man": "men",
    "grandchild": "grandchildren",
    "child": "children",
    "person": "people",
    "wife": "wives",
    "wolf": "wolves",
    "calf": "calves",
    "mouse": "mice",
    "goose": "geese",
    "foot": "feet",
    "tooth": "teeth",
    "fish": "fish",
    "sheep": "sheep",
    "deer": "deer",
    "ox": "oxen",
}
_REGULAR_MEN = {"german", "human", "shaman", "roman", "caiman", "ottoman", "talisman", "norman"}
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def plural_of(word: str) -> str:
    """Return the plural of an English noun; irregular ones beyond the common must be stated."""
    for ending, plural in _IRREGULAR_ENDINGS.items():
        # "box" ends in "ox", "catfish" in "fish": only the long endings work inside a word.
        inside = len(ending) > 2 and word.endswith(ending)
        if (word == ending or inside) and word not in _REGULAR_MEN:
            return word[: -len(ending)] + plural
    if word.endswith(_SIBILANTS):
        return word + "es"
    if word.endswith("y") and len(word) > 1 and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"
