"""Published values of van Miltenburg (2020), *How Do Image Description Systems Describe People?* Facts to
compare with.
"""

from __future__ import annotations

# Table 2. Columns: labels, modifiers, modifiers a label, kinds of modifiers, kinds of nouns.
TABLE_2_COLUMNS = {"#Labels": 0, "#Mods": 0, "Avg-mods": 2, "Mod-types": 0, "Noun-types": 0}
TABLE_2: dict[str, tuple[int, int, float, int, int]] = {
    "Dai-et-al-2017": (14793, 1763, 0.12, 13, 6),
    "Liu-et-al-2017": (13856, 1296, 0.09, 3, 6),
    "Mun-et-al-2017": (15645, 1906, 0.12, 3, 6),
    "Shetty-et-al-2016": (15247, 1514, 0.10, 4, 6),
    "Shetty-et-al-2017": (14558, 1861, 0.13, 10, 6),
    "Tavakoli-et-al-2017": (14039, 1676, 0.12, 4, 6),
    "Vinyals-et-al-2017": (15496, 1165, 0.08, 5, 6),
    "Wu-et-al-2016": (14486, 2060, 0.14, 5, 6),
    "Zhou-et-al-2017": (14698, 1792, 0.12, 4, 6),
}

# Table 3: the categories that are used, and by how many of the nine systems; as the code that comes with
# the paper prints it.
TABLE_3: dict[str, dict[str, int]] = {
    "modifier": {
        "age": 9,
        "build": 9,
        "occupation-soc-group": 9,
        "activity": 6,
        "attractiveness": 3,
        "mood": 3,
        "amount-of-clothing": 2,
        "skin-color": 2,
        "number": 2,
        "hair-color": 2,
        "height": 1,
        "ethnicity": 1,
        "judgment": 1,
        "kind-of-clothing": 1,
    },
    "head": {
        "gendered": 9,
        "status-occupation": 9,
        "plural-mass": 9,
        "age": 9,
        "relation": 9,
        "activity": 9,
    },
}
