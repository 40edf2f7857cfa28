"""The words for people in the invented example: how they are called and how they look."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Where a modifier stands in the phrase: the order in which English speakers say them.
MODIFIER_ORDER = (
    "clothing-other",
    "attractiveness",
    "height",
    "fitness",
    "weight",
    "mood",
    "age",
    "accessories",
    "skin-other",
    "hair-length",
    "hair-style",
    "hair-color",
    "clothing-color",
    "kind-of-clothing",
    "ethnicity",
    "occupation-or-social-group",
)

# "pretty" is left out on purpose: in "a pretty young woman" it may be a degree word.
BEAUTY = {"female": ("beautiful", "attractive", "gorgeous"), "male": ("handsome", "attractive")}
BEAUTY_OF_CHILDREN = ("cute", "adorable")
AGES = {"adult": ("young", "old", "elderly", "middle-aged"), "child": ("young", "little")}
COLORS = ("red", "blue", "green", "white", "black", "yellow", "orange")
GARMENTS = ("shirt", "jacket", "sweater", "coat", "hat", "scarf")
LOOKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "clothing-other": ("well-dressed", "casually dressed"),
        "height": ("tall",),
        "fitness": ("athletic",),
        "weight": ("slim",),
        "mood": ("smiling", "happy", "laughing", "cheerful", "serious"),
        "accessories": ("bespectacled",),
        "skin-other": ("freckled",),
        "hair-length": ("long-haired", "short-haired"),
        "hair-style": ("curly-haired",),
        "hair-color": ("blond", "dark-haired", "red-haired", "brown-haired"),
        "kind-of-clothing": ("uniformed", "costumed"),
        "ethnicity": ("Asian", "Hispanic", "Caucasian", "African-American"),
        "occupation-or-social-group": ("college", "military", "professional", "army"),
    }
)
ONLY_OF_ADULTS = frozenset({"height", "kind-of-clothing", "occupation-or-social-group"})

# (singular, plural) by who it is and how they are called.
PLAIN_HEADS = {
    ("female", "adult"): ("woman", "women"),
    ("male", "adult"): ("man", "men"),
    ("female", "child"): ("girl", "girls"),
    ("male", "child"): ("boy", "boys"),
}
CASUAL_HEADS = {"female": "lady", "male": "guy"}
NEUTRAL_HEADS = {"adult": (("person", "people"),), "child": (("child", "children"), ("kid", "kids"))}
JOB_HEADS = {
    "female": ("businesswoman", "policewoman", "waitress"),
    "male": ("businessman", "policeman", "waiter"),
}
NEUTRAL_JOB_HEADS = ("chef", "nurse", "doctor", "farmer", "teacher", "firefighter", "police officer")
