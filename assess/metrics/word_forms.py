"""How a word is made: its endings, beginnings and parts, as features and as a reason to show."""

from __future__ import annotations

from collections import Counter

from assess.metrics.feature_space import Features
from assess.taxonomy.phrases import PLACEHOLDER

SHORTEST_ENDING = 3  # letters; "-ed" alone says too little to be shown as a reason
SHORTEST_BEGINNING = 4


def form_features(text: str) -> Features:
    """Return the parts of a phrase in normal form: whole words, endings, beginnings, letter sequences."""
    words = text.split(" ")
    features: Counter[str] = Counter({f"word {word}" for word in words})
    features[f"last {words[-1]}"] += 1
    features[f"first {words[0]}"] += 1
    features[f"words {min(len(words), 3)}"] += 1
    edged = f"^{text}$"
    for length in (2, 3, 4, 5):
        if len(edged) > length:
            features[f"end {edged[-length:]}"] += 1
            features[f"begin {edged[:length]}"] += 1
    features.update({edged[i : i + n] for n in (3, 4, 5) for i in range(len(edged) - n + 1)})
    return features


def pattern_features(pattern: str) -> Features:
    """Return the features of a pattern's fixed words: what "-haired" shares with "{color}-haired"."""
    fixed = " ".join(PLACEHOLDER.sub(" ", pattern).replace("-", " ").lower().split())
    ends_open = pattern.endswith("}")
    features = dict(form_features(fixed)) if fixed else {}
    # Where a placeholder stands there may be any word: the fixed part is no beginning, or no end.
    missing = ("end ", "last ", "words ") if ends_open else ("begin ", "first ", "words ")
    return {name: value for name, value in features.items() if not name.startswith(missing)}


def shared_ending(word: str, other: str) -> str | None:
    """Return the longest ending that two words share, if it is long enough to mention."""
    ending = word
    while not other.endswith(ending):
        ending = ending[1:]
    ending = ending.strip()
    return ending if len(ending) >= SHORTEST_ENDING else None


def shares_part(word: str, other: str) -> bool:
    """Whether a person sees what two words or patterns have in common: a whole word, or the beginning."""
    words, others = (set(PLACEHOLDER.sub(" ", text).replace("-", " ").split()) for text in (word, other))
    return bool(words & others) or word[:SHORTEST_BEGINNING] == other[:SHORTEST_BEGINNING]
