"""English verbs in captions: which ones say nothing by themselves, and the participle of every form.

A taxonomy lists "sitting" once, which also covers "sits", "sat" and "is sitting".
"""

from __future__ import annotations

import re
from functools import lru_cache

BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "'s", "'re", "am", "s"})
HAVE = frozenset({"has", "have", "had"})
DRESSED = frozenset(
    {"attired", "clad", "clothed", "decked", "draped", "dressed", "garbed", "outfitted", "wrapped"}
)
"""Verbs that add nothing to what somebody is dressed in: "dressed in black" is about the black."""
WEARING = frozenset({"donning", "sporting", "wearing"})
"""Verbs that add nothing to what is worn."""
INTRANSITIVE = frozenset(
    {
        "crouching",
        "grinning",
        "kneeling",
        "laughing",
        "lying",
        "posing",
        "sitting",
        "sleeping",
        "smiling",
        "squatting",
        "standing",
    }
)
"""Verbs that have no object in captions, even if the parser finds one."""
SHOWING = frozenset(
    (
        "capturing",
        "depicting",
        "displaying",
        "featuring",
        "illustrating",
        "picturing",
        "portraying",
        "presenting",
        "showcasing",
        "showing",
    )
)
"""What a picture does with the people in it."""
HEDGES = frozenset(
    {
        "apparently",
        "likely",
        "maybe",
        "perhaps",
        "possibly",
        "potentially",
        "presumably",
        "probably",
        "seemingly",
    }
)
"""Adverbs with which a writer leaves open whether something is true."""
UNCERTAIN = frozenset({"can", "could", "may", "might", "must", "should", "will", "would"})
"""Auxiliaries that do the same."""

_IRREGULAR = {
    participle: tuple(forms.split())
    for participle, forms in {
        "beating": "beat beaten", "becoming": "became", "bending": "bent", "biting": "bit bitten",
        "blowing": "blew blown", "breaking": "broke broken", "bringing": "brought", "building": "built",
        "buying": "bought", "catching": "caught", "choosing": "chose chosen", "clinging": "clung",
        "coming": "came", "cutting": "cut", "digging": "dug", "doing": "did done", "drawing": "drew drawn",
        "drinking": "drank drunk", "driving": "drove driven", "dyeing": "dyed", "eating": "ate eaten",
        "falling": "fell fallen", "feeding": "fed", "feeling": "felt", "fighting": "fought",
        "finding": "found", "flying": "flew flown", "getting": "got gotten", "giving": "gave given",
        "going": "went gone", "growing": "grew grown", "hanging": "hung", "hearing": "heard",
        "hiding": "hid hidden", "hitting": "hit", "holding": "held", "keeping": "kept", "kneeling": "knelt",
        "knitting": "knit", "knowing": "knew known", "laying": "laid", "leading": "led", "leaning": "leant",
        "leaping": "leapt", "leaving": "left", "letting": "let", "lighting": "lit", "losing": "lost",
        "lying": "lay lain", "making": "made", "meeting": "met", "paying": "paid", "putting": "put",
        "reading": "read", "riding": "rode ridden", "ringing": "rang rung", "rising": "rose risen",
        "running": "ran run", "saying": "said", "seeing": "saw seen", "selling": "sold", "sending": "sent",
        "setting": "set", "shaking": "shook shaken", "shining": "shone", "shooting": "shot",
        "showing": "showed shown", "singing": "sang sung", "sitting": "sat", "skiing": "skied",
        "sleeping": "slept", "sliding": "slid", "speaking": "spoke spoken", "spending": "spent",
        "spinning": "spun", "splitting": "split", "spreading": "spread", "standing": "stood",
        "stealing": "stole stolen", "sticking": "stuck", "striking": "struck", "sweeping": "swept",
        "swimming": "swam swum", "swinging": "swung", "taking": "took taken", "teaching": "taught",
        "telling": "told", "thinking": "thought", "throwing": "threw thrown", "waking": "woke woken",
        "wearing": "wore worn", "weaving": "wove woven", "winning": "won", "writing": "wrote written",
    }.items()
}  # fmt: skip
# fmt: off
_DOUBLED = frozenset((
    "admit", "begin", "commit", "compel", "control", "equip", "forget", "occur", "patrol", "permit", "prefer",
    "propel", "rebel", "refer", "regret", "submit", "transfer", "up",
))
"""Verbs that double their last consonant, although they are not of the form that does: patrolling."""
# fmt: on
_PARTICIPLES = {form: participle for participle, forms in _IRREGULAR.items() for form in forms}


@lru_cache(maxsize=1 << 14)
def participle(word: str, tag: str) -> str:
    """Return the present participle of a verb form with its fine tag: sits, sat -> sitting."""
    if tag == "VBG" or (word.endswith("ing") and len(word) > 5):
        return word
    if tag in {"VBD", "VBN"}:
        return _PARTICIPLES.get(word) or _from_past(word)
    third_person = tag == "VBZ" or (word.endswith("s") and not word.endswith("ss"))
    return _from_base(_base(word) if third_person else word)


def _from_past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-3] + "ying"
    if word.endswith("eed"):
        return word[:-1] + "ing"
    # The stem does not change: stopped, stopping; baked, baking.
    return word[:-2] + "ing" if word.endswith("ed") else _from_base(word)


def _base(word: str) -> str:
    """Return the base form of a third person singular: carries, carry."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search("(ss|sh|ch|x|zz|o)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _from_base(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if re.search("[^aeioy]e$|ue$|[aeiou]ye$", base) and len(base) > 2:
        return base[:-1] + "ing"
    # One syllable with one vowel before one consonant: sit, sitting; but look, looking and play, playing.
    if re.fullmatch("[^aeiou]*(?:[^aeiou]|qu)[aeiou][^aeiouwxy]", base) or base in _DOUBLED:
        return base + base[-1] + "ing"
    return base + "ing"
