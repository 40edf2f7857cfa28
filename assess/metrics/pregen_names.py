"""The names of pre-gen metrics: four tiers, read from the last to the first (Tanti et al. 2018).

`mean_max_normcount_prefix0`: keep the prefix of words that were most probable, count them as a share
of the caption, take the best caption of an image, then the mean over images.

Tier 1 has a trap. The paper says that `filter0` drops the words that are not the most probable
ones. Its code *keeps* just these words, and the published correlations follow the code. Here
`filter0` is the code's rule, and `only0` is the rule that the paper describes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from assess.errors import UsageError, visible

DATASET_TIER = ("sum", "mean", "median", "geomean", "max", "min")  # tier 4: over images
IMAGE_TIER = (*DATASET_TIER, "join")  # tier 3: over an image's captions; join passes all of them on
CAPTION_TIER = ("prob", "pplx", "count", "normcount")  # tier 2: over a caption's words
WORD_TIER = ("none", "filter0", "prefix0")  # tier 1: which words
PAPER_FILTER = "only0"  # what the paper's text says that filter0 does

CaptionScore = tuple[str, str]  # tier 2 and tier 1


@dataclass(frozen=True, slots=True)
class PregenName:
    """A metric by its tiers."""

    dataset: str
    image: str
    caption: str
    word: str

    def __str__(self) -> str:
        return f"{self.dataset}_{self.image}_{self.caption}_{self.word}"

    @property
    def caption_score(self) -> CaptionScore:
        """The score of captions that the metric is made of."""
        return (self.caption, self.word)


def _names(words: Iterable[str]) -> tuple[PregenName, ...]:
    kept = tuple(words)
    return tuple(
        PregenName(dataset, image, caption, word)
        for dataset in DATASET_TIER
        for image in IMAGE_TIER
        for caption in CAPTION_TIER
        for word in kept
    )


PUBLISHED = _names(WORD_TIER)  # the 504 of the paper, in the order of its tables
BY_PAPER_FILTER = _names([PAPER_FILTER])  # 168 more, by the rule that the paper describes
_BY_NAME = {str(name): name for name in (*PUBLISHED, *BY_PAPER_FILTER)}


def pregen_name(text: str) -> PregenName:
    """Return the metric of a name such as `mean_max_normcount_prefix0`."""
    if text not in _BY_NAME:
        close = ", ".join(get_close_matches(text, _BY_NAME, n=3))
        hint = f"close to it: {close}" if close else "a name is DATASET_IMAGE_CAPTION_WORDS"
        raise UsageError(f"there is no pre-gen metric '{visible(text)}'", hint=hint)
    return _BY_NAME[text]
