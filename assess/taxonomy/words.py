"""English words: the tokeniser for taxonomy phrases and caption chunks, and built-in knowledge of English.

Words keep their hyphens ("red-haired" is one token, so that "one-man" is never read as "one man"), the
possessive is a separate token, and quotes, brackets and full stops are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

POSSESSIVE = "'s"

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))
_LONE_APOSTROPHES = frozenset("'’‘ʼ`´")
_HYPHENS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_PIECE = re.compile(r"<[^\s<>]+>|[,&/]|[^\s,&/;:!?\"()\[\]{}<>…“”„«»‹›|*~^=+\\\x00-\x1f]+")
# Runs of letters and digits, which end at a modifier letter that the tokeniser reads as an apostrophe.
PIECES = re.compile(r"[^\W_ʼ]+")
_PLAIN = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
_EDGES = ".'-_"


class Token(NamedTuple):
    """A normalised word and the range of characters that it comes from."""

    text: str
    start: int
    end: int


def tokenise(text: str) -> tuple[Token, ...]:
    """Split text into normalised tokens with character offsets."""
    if _PLAIN.fullmatch(text):
        return _plain_tokens(text)
    tokens: list[Token] = []
    for match in _PIECE.finditer(text):
        piece, at = match.group(), match.start()
        if piece in _LONE_APOSTROPHES and tokens and tokens[-1].text.endswith("s"):
            tokens.append(Token(POSSESSIVE, at, at + 1))
        else:
            tokens += [Token(word, at + start, at + end) for word, start, end in _tokens_of_piece(piece)]
    return tuple(tokens)


def words_of(text: str) -> tuple[str, ...]:
    """Return the normalised tokens of a phrase, without offsets."""
    if _PLAIN.fullmatch(text):
        return tuple(text.split(" "))
    return tuple([token.text for token in tokenise(text)])


def _plain_tokens(text: str) -> tuple[Token, ...]:
    """Split text that is already normalised, as most labels are."""
    tokens, at = [], 0
    for word in text.split(" "):
        end = at + len(word)
        tokens.append(Token(word, at, end))
        at = end + 1
    return tuple(tokens)


@lru_cache(maxsize=1 << 16)  # captions consist of few distinct words
def _tokens_of_piece(piece: str) -> tuple[Token, ...]:
    """Return the tokens of a piece without white space, with offsets from its beginning."""
    # Offsets are determined before lower-casing, which can change a word's length.
    folded = piece.translate(_APOSTROPHES).translate(_HYPHENS)
    if folded in {",", "&", "/"} or folded.startswith("<"):
        return (Token(folded.lower(), 0, len(piece)),)
    if folded in {"'s", "'S"}:
        return (Token(POSSESSIVE, 0, len(piece)),)
    stem, mark, mark_end = _split_possessive(folded)
    inner = stem.lstrip(_EDGES)
    if not inner:
        return ()
    begin = len(stem) - len(inner)
    token = Token(inner.lower(), begin, begin + len(inner))
    return (token, Token(POSSESSIVE, mark_end - len(mark), mark_end)) if mark else (token,)


def _split_possessive(word: str) -> tuple[str, str, int]:
    """Split "man's", "boys'" and "man's." into the word, its possessive mark and the end of the mark."""
    core = word.rstrip(_EDGES)
    stem = core
    while len(stem) > 2 and stem[-2:] in {"'s", "'S"}:
        stem = stem[:-2].rstrip(_EDGES)
    if stem != core:
        return stem, core[-2:], len(core)
    # After an opening apostrophe, this would be a closing quote: 'boys'.
    if len(core) > 1 and core[-1] in "sS" and word[len(core) :].startswith("'") and "'" not in core:
        return core, "'", len(core) + 1
    return core, "", len(core)


# The function words of the built-in phrase structure.
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
    # Listed so that they are never unknown modifiers; no rule uses them.
    "preposition": (
        "of", "in", "on", "at", "by", "with", "without", "from", "to", "into", "for", "over", "under",
        "near", "behind", "beside", "between", "through", "across", "along", "around", "against", "like",
        "as", "is", "are", "was", "were", "be", "being", "who", "that's", "while",
    ),
}  # fmt: skip

_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
NUMBER = rf"(?:\d+(?:[.,]\d+)*|(?:{_TENS})(?:[- ](?:{_UNITS}))?|{_TEENS}|{_UNITS}|hundred|thousand)"
"""Digits, or number words up to ninety-nine, as a regular expression over normalised text."""


def is_number(word: str) -> bool:
    """Whether a normalised word matches {number}."""
    return re.fullmatch(NUMBER, word) is not None


# fmt: off
_IRREGULAR_ENDINGS = {
    "woman": "women", "man": "men", "grandchild": "grandchildren", "child": "children", "person": "people",
    "mouse": "mice", "goose": "geese", "foot": "feet", "tooth": "teeth", "fish": "fish", "sheep": "sheep",
    "deer": "deer", "ox": "oxen", "moose": "moose", "bison": "bison", "salmon": "salmon", "trout": "trout",
    "swine": "swine", "aircraft": "aircraft", "spacecraft": "spacecraft", "series": "series",
    "species": "species", "offspring": "offspring", "cactus": "cacti", "fungus": "fungi", "alga": "algae",
    "larva": "larvae", "bacterium": "bacteria", "vertex": "vertices", "appendix": "appendices",
    "chateau": "chateaux", "gateau": "gateaux", "passerby": "passersby", "runner-up": "runners-up",
    "mother-in-law": "mothers-in-law",
}
_REGULAR_MEN = {"german", "human", "shaman", "roman", "caiman", "ottoman", "talisman", "norman"}
# Words in -f and -fe with -ves, and in -o with -oes; compounds of them follow: penknife.
_VES = (
    "calf", "elf", "half", "hoof", "knife", "leaf", "life", "loaf", "scarf", "shelf", "thief", "wife", "wolf",
)
_OES = (
    "buffalo", "cargo", "domino", "echo", "hero", "mango", "mosquito", "potato", "tomato", "torpedo",
    "tornado", "volcano",
)
_ALIKE = {
    "belief": "beliefs", "relief": "reliefs", "self": "selves", "golf": "golfs", "gulf": "gulfs",
    "mongoose": "mongooses", "louse": "lice", "die": "dice",
}
"""Words that only look like one of these."""
# Nouns without a singular: scissors.
_ALWAYS_PLURAL = frozenset((
    "binoculars", "clothes", "dungarees", "goggles", "jeans", "leggings", "overalls", "pajamas", "pants",
    "pliers", "pyjamas", "scissors", "shears", "shorts", "slacks", "sunglasses", "tights", "tongs",
    "trousers", "tweezers",
))
# Already plural in captions: nobody writes "noodleses".
_NO_FURTHER_PLURAL = _ALWAYS_PLURAL | {
    "beans", "cattle", "chips", "chopsticks", "clippers", "crackers", "earrings", "fries", "glasses",
    "greens", "headphones", "noodles", "nuts", "oats", "police", "spaghetti", "sprouts", "stairs",
    "suspenders", "sweets", "trunks", "vegetables",
}
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_DOUBLED = ("quiz", "whiz", "fez")
_HARD_CH = ("stomach", "monarch", "patriarch", "matriarch")
# fmt: on


@lru_cache(maxsize=1 << 14)  # authors' commands request the same nouns repeatedly
def plural_of(word: str) -> str | None:
    """Return the plural of an English noun; None if it is already a plural.

    Less common irregular plurals must be stated in the taxonomy.
    """
    if word in _NO_FURTHER_PLURAL:
        return None
    return _irregular_plural(word) or _regular_plural(word)


def _irregular_plural(word: str) -> str | None:
    if word in _ALIKE:
        return _ALIKE[word]
    for ending, plural in _IRREGULAR_ENDINGS.items():
        # "box" ends in "ox", "catfish" in "fish": only long endings can be matched inside a word.
        inside = len(ending) > 2 and word.endswith(ending)
        if (word == ending or inside) and word not in _REGULAR_MEN:
            return word[: -len(ending)] + plural
    if _ends_like(word, _VES) and (word in _VES or not word.endswith("elf") or word.endswith("shelf")):
        return word.removesuffix("e").removesuffix("f") + "ves"
    if word.endswith(_OES):
        return word + "es"
    return word + "zes" if word in _DOUBLED else None


def _ends_like(word: str, endings: Iterable[str]) -> bool:
    """Whether a word is one of these or a compound of one: penknife, but not "olife" for olives."""
    found = (len(word) - len(ending) for ending in endings if word.endswith(ending))
    return any(not before or before > 2 for before in found)


def _regular_plural(word: str) -> str:
    if word.endswith(("sis", "xis")):
        return word[:-2] + "es"
    if word.endswith(_SIBILANTS) and not word.endswith(_HARD_CH):
        return word + "es"
    if word.endswith("y") and len(word) > 1 and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def singular_of(word: str, seen: Collection[str] = ()) -> str:
    """Return the singular of a noun, preferably one in `seen`; other words are returned unchanged."""
    candidates = [candidate for candidate in _singulars(word) if plural_of(candidate) == word]
    for candidate in candidates:
        if candidate in seen:
            return candidate
    # "asparagus" is a singular; "menus" is a plural, but only if "menu" occurs.
    stays = word.endswith("us") or word in _ALWAYS_PLURAL
    return candidates[0] if candidates and not stays else word


def _singulars(word: str) -> Iterator[str]:
    """Yield the possible singulars of a plural, most likely first."""
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return
    if word.endswith("ies") and len(word) > 4:
        yield word[:-3] + "y"
    if word.endswith("ves"):
        yield word[:-3] + "f"
        yield word[:-3] + "fe"
    if word.endswith("zzes"):
        yield word[:-3]
    if word.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        yield word[:-2]
    yield word[:-1]
    yield word[:-2]
    if word.endswith(("ses", "xes")):
        yield word[:-2] + "is"


_GRADES = {
    "bad": ("worse", "worst"),
    "far": ("farther", "farthest"),
    "good": ("better", "best"),
    "well": ("better", "best"),
}
_VOWELS = re.compile("[aeiouy]+")


def grades_of(adjective: str) -> tuple[str, str]:
    """Return the comparative and the superlative: taller and tallest, more elegant and most elegant."""
    if adjective in _GRADES:
        return _GRADES[adjective]
    stem = _graded_stem(adjective)
    return (f"more {adjective}", f"most {adjective}") if stem is None else (f"{stem}er", f"{stem}est")


def _graded_stem(word: str) -> str | None:
    """Return the stem that -er and -est are added to; None for a word that takes more and most."""
    if not word.isalpha() or (word.endswith(("ed", "ing", "ish", "ful")) and word != "red"):
        return None
    syllables = len(_VOWELS.findall(word.removesuffix("e")))
    if word.endswith("y") and word[-2:-1] not in {"a", "e", "o", "u"} and syllables <= 2:
        return word[:-1] + "i"
    if syllables > 1 and not (syllables == 2 and word.endswith(("le", "ow", "er"))):
        return None
    if word.endswith("e"):
        return word[:-1]
    doubled = syllables == 1 and re.fullmatch(r"[^aeiou]*[aeiouy][^aeiouywx]", word)
    return word + word[-1] if doubled else word
