"""What each measure may be asked for. Light, so that the command line can show its help at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from assess.measures.words import Tagset
from assess.settings import Option, Settings

Mode = Literal["assess", "paper"]
"""Ours, or the published definition where that one has a flaw."""
Order = Literal["free", "file"]
PostMetric = Literal["BLEU", "CIDEr", "METEOR", "SPICE"]
RESAMPLES = 1000

ModeSetting = Annotated[Mode, Option("--mode", "assess (ours), or paper (the published definitions).")]
TagsetSetting = Annotated[
    Tagset, Option("--tagset", "Parts of speech: fine (Penn Treebank, the paper's) or universal.")
]
IntervalsSetting = Annotated[
    bool, Option("--intervals", "Bootstrap intervals, and paired differences between systems.")
]
ResamplesSetting = Annotated[int, Option("--resamples", "Resamples of the bootstrap.", least=1)]
SeedSetting = Annotated[int, Option("--seed", "Random seed for shuffles and resampling.")]
ModelSetting = Annotated[
    str | None, Option("--model", "An installed spaCy model; the first that fits by default.")
]


@dataclass(frozen=True)
class DiversitySettings(Settings):
    """What changes a number of diversity.

    The mode decides what a token is and when two captions are the same; the order decides whether ratios are
    read in the order of the file, as published, or for captions in any order.
    """

    mode: ModeSetting = "assess"
    order: Annotated[
        Order | None,
        Option(
            "--order",
            "free (any order; the default), or file (windows in file order, as published;"
            " the default of --mode paper).",
        ),
    ] = None
    window: Annotated[int, Option("--window", "Tokens of a type-token ratio.", least=1)] = 1000
    intervals: IntervalsSetting = False
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None

    @property
    def reading(self) -> Order:
        """The order that is used."""
        return self.order or ("file" if self.mode == "paper" else "free")

    @property
    def order_mode(self) -> Mode:
        """The order that is used, as the metrics name it."""
        return "paper" if self.reading == "file" else "assess"


@dataclass(frozen=True)
class RecallSettings(Settings):
    """What changes a number of recall, and how many words of each ranking are shown."""

    mode: ModeSetting = "assess"
    tagset: TagsetSetting = "fine"
    classes: Annotated[
        int | None,
        Option(
            "--classes",
            "Number of importance classes; by default, as many as most images have references.",
            least=1,
        ),
    ] = None
    top: Annotated[
        int,
        Option("--top", "How many words of each ranking to show; --json and --csv have a hundred.", least=1),
    ] = 10
    least: Annotated[
        int,
        Option(
            "--least",
            "How often per system a word must occur to be in the ranking with a threshold.",
            least=1,
        ),
    ] = 10
    intervals: IntervalsSetting = False
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None


@dataclass(frozen=True)
class SyntaxSettings(Settings):
    """What changes a number of syntax; the mode decides what a prepositional phrase is."""

    lexicon: Annotated[
        Path | None,
        Option(
            "--lexicon",
            "A table of words with concreteness ratings (1 to 5), or classes (abstract, concrete).",
            metavar="FILE",
        ),
    ] = None
    concrete_from: Annotated[float, Option("--concrete-from", "From this rating on, a word is concrete.")] = (
        3.0
    )
    abstract_below: Annotated[float, Option("--abstract-below", "Below this rating, a word is abstract.")] = (
        3.0
    )
    mode: ModeSetting = "assess"
    tagset: TagsetSetting = "fine"
    intervals: IntervalsSetting = False
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None


@dataclass(frozen=True)
class PostgenSettings(Settings):
    """Which scores of captions against references are worked out."""

    metric: Annotated[
        Sequence[PostMetric] | None,
        Option(
            "--metric",
            "BLEU and CIDEr, the default; METEOR or SPICE (the extra 'coco').",
            metavar="NAME",
        ),
    ] = None
    model: ModelSetting = None

    @property
    def metrics(self) -> tuple[PostMetric, ...]:
        """The scores that are worked out, each once."""
        return tuple(dict.fromkeys(self.metric or ("BLEU", "CIDEr")))
