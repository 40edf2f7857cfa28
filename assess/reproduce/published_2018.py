"""Published values of van Miltenburg, Elliott and Vossen (2018), *Measuring the Diversity of Automatic
Image Descriptions*, and of the output files of the code that comes with it. Facts to compare with.
"""

from __future__ import annotations

SYSTEMS = (
    "Dai-et-al-2017",
    "Liu-et-al-2017",
    "Mun-et-al-2017",
    "Shetty-et-al-2016",
    "Shetty-et-al-2017",
    "Tavakoli-et-al-2017",
    "Vinyals-et-al-2017",
    "Wu-et-al-2016",
    "Zhou-et-al-2017",
)
VALIDATION = "Validation"

# Table 1. Columns: ASL, SDSL, Types, TTR1, TTR2, %Novel, Cov, Loc5.
TABLE_1: dict[str, tuple[float, float, int, float, float, float, float, float]] = {
    "Dai-et-al-2017": (9.8, 1.63, 1922, 0.23, 0.55, 87.7, 0.15, 0.76),
    "Liu-et-al-2017": (10.3, 1.32, 598, 0.17, 0.38, 50.1, 0.05, 0.70),
    "Mun-et-al-2017": (9.4, 1.12, 1009, 0.16, 0.38, 50.0, 0.08, 0.78),
    "Shetty-et-al-2016": (9.0, 1.03, 1112, 0.15, 0.34, 43.0, 0.08, 0.74),
    "Shetty-et-al-2017": (9.4, 1.31, 2611, 0.24, 0.54, 80.5, 0.20, 0.71),
    "Tavakoli-et-al-2017": (9.2, 1.03, 917, 0.15, 0.33, 38.8, 0.07, 0.66),
    "Vinyals-et-al-2017": (10.1, 1.28, 953, 0.21, 0.43, 90.5, 0.07, 0.69),
    "Wu-et-al-2016": (9.1, 1.03, 849, 0.14, 0.32, 44.5, 0.06, 0.72),
    "Zhou-et-al-2017": (9.3, 1.20, 1334, 0.22, 0.51, 60.1, 0.10, 0.80),
}
TABLE_1_COLUMNS = {"ASL": 1, "SDSL": 2, "Types": 0, "TTR1": 2, "TTR2": 2, "%Novel": 1, "Cov": 2, "Loc5": 2}

# Its validation row: means over five parallel descriptions, and the totals that its caption gives.
VALIDATION_ROW = {"ASL": 11.3, "SDSL": 2.61, "Types": 9200, "TTR1": 0.32, "TTR2": 0.72}
VALIDATION_TOTALS = {"All types": 17557, "All tokens": 2296146}

# Table 2: the twenty highest ranks of each ranking, over the nine systems together; from the output file
# of the code that comes with the paper.
TABLE_2: dict[str, tuple[str, ...]] = {
    "Train": (
        "'s",
        "elderly",
        "toast",
        "we",
        "whole",
        "laughing",
        "displays",
        "meadow",
        "located",
        "ham",
        "nicely",
        "n't",
        "almost",
        "more",
        "picking",
        "gentleman",
        "driver",
        "tablet",
        "booth",
        "sunlight",
    ),
    "Val": (
        "'s",
        "elderly",
        "toast",
        "we",
        "thrown",
        "whole",
        "ham",
        "located",
        "driver",
        "mat",
        "n't",
        "heading",
        "displays",
        "amongst",
        "simple",
        "more",
        "laughing",
        "picking",
        "almost",
        "booth",
    ),
    "Absolute": (
        "man",
        "dog",
        "woman",
        "people",
        "cat",
        "umbrella",
        "dogs",
        "sign",
        "pizza",
        "ball",
        "cake",
        "bear",
        "bed",
        "table",
        "elephant",
        "phone",
        "horse",
        "girl",
        "frisbee",
        "bus",
    ),
    "Relative": (
        "pillow",
        "kitten",
        "flag",
        "turkey",
        "milk",
        "ice",
        "chips",
        "rainbow",
        "potatoes",
        "map",
        "eggs",
        "cream",
        "butter",
        "strawberries",
        "pregnant",
        "piano",
        "peanut",
        "pancakes",
        "moon",
        "garage",
    ),
    "Relative10": (
        "door",
        "paper",
        "van",
        "pink",
        "head",
        "doll",
        "hair",
        "pool",
        "fork",
        "tray",
        "carrot",
        "girls",
        "apple",
        "women",
        "rice",
        "lights",
        "basket",
        "benches",
        "lot",
        "cars",
    ),
}

# Table 3. Columns: compounds of length 2, 3, 4, their ratio and types of length 2; prepositional
# phrases of depth 1 to 5, their ratio and types of depth 1.
TABLE_3_COLUMNS = (
    "C2",
    "C3",
    "C4",
    "C ratio",
    "C types-2",
    "PP1",
    "PP2",
    "PP3",
    "PP4",
    "PP5",
    "PP ratio",
    "PP types-1",
)
TABLE_3: dict[str, tuple[float, ...]] = {
    VALIDATION: (17739, 1252, 149, 0.47, 6089, 52380, 14639, 3037, 502, 73, 1.74, 22237),
    "Dai-et-al-2017": (14381, 504, 24, 0.37, 2576, 51170, 16613, 3753, 402, 20, 1.78, 11709),
    "Liu-et-al-2017": (13449, 56, 0, 0.33, 122, 51542, 18653, 4493, 528, 15, 1.86, 1145),
    "Mun-et-al-2017": (13158, 99, 9, 0.33, 300, 49827, 16920, 3266, 311, 4, 1.74, 2423),
    "Shetty-et-al-2016": (11969, 192, 0, 0.30, 319, 47392, 16305, 2825, 350, 0, 1.65, 2426),
    "Shetty-et-al-2017": (16027, 772, 71, 0.42, 1446, 46732, 14908, 2217, 246, 6, 1.58, 8439),
    "Tavakoli-et-al-2017": (13381, 133, 5, 0.33, 259, 47395, 17798, 3824, 640, 2, 1.72, 1888),
    "Vinyals-et-al-2017": (15266, 546, 1, 0.39, 275, 46436, 18818, 4095, 970, 2, 1.74, 1678),
    "Wu-et-al-2016": (13640, 281, 1, 0.34, 237, 46732, 17558, 3471, 557, 0, 1.69, 1732),
    "Zhou-et-al-2017": (13510, 214, 20, 0.34, 472, 49200, 16783, 2953, 164, 3, 1.71, 3451),
}

# What its text says about words: all types of the validation captions less those that training lacks.
LEARNABLE = 17557 - 4356

# BLEU-4 in percent of the two systems for which the caption of Table 1 says that it was computed.
BLEU_4 = {"Dai-et-al-2017": 20.7, "Vinyals-et-al-2017": 32.1}

# Absolute Spearman correlations over the nine systems, as printed in Figures 2 and 6.
FIGURE_2: dict[tuple[str, str], float] = {
    ("ASL", "SDSL"): 0.83,
    ("ASL", "Types"): 0.1,
    ("ASL", "TTR1"): 0.57,
    ("ASL", "TTR2"): 0.52,
    ("ASL", "Novel"): 0.7,
    ("SDSL", "Types"): 0.33,
    ("SDSL", "TTR1"): 0.85,
    ("SDSL", "TTR2"): 0.8,
    ("SDSL", "Novel"): 0.77,
    ("Types", "TTR1"): 0.68,
    ("Types", "TTR2"): 0.78,
    ("Types", "Novel"): 0.43,
    ("TTR1", "TTR2"): 0.95,
    ("TTR1", "Novel"): 0.82,
    ("TTR2", "Novel"): 0.83,
}
FIGURE_6: dict[tuple[str, str], float] = {
    ("Cov", "ASL"): 0.1,
    ("Cov", "SDSL"): 0.33,
    ("Cov", "Types"): 1.0,
    ("Cov", "TTR1"): 0.68,
    ("Cov", "TTR2"): 0.78,
    ("Cov", "Novel"): 0.43,
    ("Cov", "Loc5"): 0.5,
    ("Loc5", "ASL"): 0.17,
    ("Loc5", "SDSL"): 0.02,
    ("Loc5", "Types"): 0.5,
    ("Loc5", "TTR1"): 0.15,
    ("Loc5", "TTR2"): 0.37,
    ("Loc5", "Novel"): 0.1,
}

# Figure 5: local recall in importance classes 1 to 5, measured in the drawing.
FIGURE_5: dict[str, tuple[float, ...]] = {
    "Dai-et-al-2017": (0.0656, 0.2043, 0.3631, 0.5516, 0.7589),
    "Liu-et-al-2017": (0.0634, 0.2059, 0.3664, 0.5298, 0.7037),
    "Mun-et-al-2017": (0.072, 0.2331, 0.4149, 0.6016, 0.7846),
    "Shetty-et-al-2016": (0.0699, 0.2164, 0.3797, 0.5548, 0.7384),
    "Shetty-et-al-2017": (0.0689, 0.2009, 0.3372, 0.5053, 0.7069),
    "Tavakoli-et-al-2017": (0.0674, 0.1989, 0.3365, 0.4864, 0.6575),
    "Vinyals-et-al-2017": (0.0736, 0.2018, 0.3379, 0.4938, 0.688),
    "Wu-et-al-2016": (0.0773, 0.2293, 0.3883, 0.5549, 0.7202),
    "Zhou-et-al-2017": (0.0699, 0.2346, 0.4233, 0.625, 0.8038),
}
