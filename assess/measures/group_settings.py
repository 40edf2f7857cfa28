"""The settings of audits, and of measures that need a group for each image."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from assess.errors import UsageError
from assess.measures.settings import (
    RESAMPLES,
    Mode,
    ModelSetting,
    Option,
    ResamplesSetting,
    SeedSetting,
    Settings,
)

Telling = Literal["words", "nouns"]
Counted = Literal["person", "mention"]
DOMAIN = Option(
    "--domain", "A domain's name, or a path to a .lark or .yaml file.", other_names=("-d", "--grammar")
)
GROUPS = Option(
    "--groups", "Who is shown in each image: CSV or JSONL with image_id, group.", metavar="[NAME=]FILE"
)


@dataclass(frozen=True)
class ReadingSettings(Settings):
    """How an audit reads captions, and what of them it counts."""

    model: ModelSetting = None
    per: Annotated[
        Counted,
        Option(
            "--per",
            "What is counted: each person of a caption once (person), or every noun phrase (mention).",
        ),
    ] = "person"
    told_by: Annotated[
        Telling,
        Option(
            "--told-by",
            "Which words count as stating a group: nouns alone (nouns), or also modifiers and pronouns"
            " (words).",
        ),
    ] = "words"
    paper_chunks: Annotated[
        bool,
        Option(
            "--paper-chunks", "Count as the papers do: no 'a group' + 'of' + 'men', nothing after the noun."
        ),
    ] = False
    no_after: Annotated[
        bool, Option("--no-after", "Leave out attributes after the noun, as in 'a man with a beard'.")
    ] = False


@dataclass(frozen=True)
class VerdictSettings(Settings):
    """The rules by which a difference between groups is judged."""

    level: ClassVar[float] = 0.95  # of intervals

    margin: Annotated[
        float,
        Option(
            "--margin",
            "A difference up to this does not matter where half of the labels carry the category (0.025:"
            " 2.5 points); where fewer do, the margin is smaller.",
        ),
    ] = 0.025
    alpha: Annotated[float, Option("--alpha", "The largest acceptable share of false findings (q).")] = 0.05
    samples: Annotated[int, Option("--samples", "How many times to resample images for the bootstrap.")] = (
        2000
    )
    seed: Annotated[int, Option("--seed", "Random seed for the bootstrap and for drawing references.")] = 0

    def __post_init__(self) -> None:
        """Check what options cannot."""
        super().__post_init__()
        if not 0 <= self.margin <= 1:
            message = f"the margin {self.margin:g} does not make sense"
            raise UsageError(message, hint="it lies between 0 and 1; 0.025 is usual")
        if not 0 < self.alpha < 1:
            raise UsageError(f"an alpha of {self.alpha:g} is not between 0 and 1", hint="0.05 is usual")
        if self.samples < 1:
            raise UsageError("a bootstrap needs at least one sample", hint="2000 is usual")

    def as_settings(self) -> dict[str, str | int | float]:
        """Return the rules as they are in a signature."""
        return {
            "margin": self.margin,
            "alpha": self.alpha,
            "level": self.level,
            "samples": self.samples,
            "seed": self.seed,
        }


USUAL_READING, USUAL_RULES = ReadingSettings(), VerdictSettings()


@dataclass(frozen=True)
class ErrorSettings(Settings):
    """Whom each image shows, what names a group, and how many captions are listed."""

    groups: Annotated[str, GROUPS]
    domain: Annotated[str, DOMAIN] = "people"
    by: Annotated[
        str | None,
        Option(
            "--by",
            "The domain's group that the file annotates; by default, the first that has its values.",
            metavar="GROUP",
        ),
    ] = None
    told_by: Annotated[
        Telling,
        Option(
            "--told-by",
            "Which words name a group: nouns alone (nouns), or also modifiers and pronouns (words).",
        ),
    ] = "words"
    words: Annotated[
        Path | None,
        Option(
            "--words",
            "Name groups by a list of words instead: lines VALUE<TAB>WORD, or YAML {value: [words]}.",
            metavar="FILE",
        ),
    ] = None
    partial: Annotated[
        bool, Option("--partial", "Leave out images that the groups file does not have, instead of stopping.")
    ] = False
    listed: Annotated[  # not `captions`, which Python functions call their input
        int,
        Option(
            "--captions",
            "How many captions of each group and outcome to list; --out has all.",
            metavar="N",
            least=0,
        ),
    ] = 3
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None


@dataclass(frozen=True)
class GroupSettings(Settings):
    """Which images belong to which group, and which words tell it."""

    by: Annotated[
        str | None,
        Option(
            "--by",
            "A group of the domain, such as gender; without --groups, the words of the references say"
            " which value each image has.",
            metavar="GROUP",
        ),
    ] = None
    groups: Annotated[str | None, GROUPS] = None
    contrast: Annotated[
        str | None,
        Option("--contrast", "The two values to compare, such as female,male.", metavar="VALUE,VALUE"),
    ] = None
    domain: Annotated[str, DOMAIN] = "people"
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None


@dataclass(frozen=True)
class LeakageSettings(GroupSettings):
    """What the classifier sees, how often it is trained, and how much it may learn by heart."""

    mode: Annotated[
        Mode,
        Option(
            "--mode",
            "Whose confidence counts: assess (calibrated), or paper (as published: what the classifier"
            " says).",
        ),
    ] = "assess"
    ngrams: Annotated[int, Option("--ngrams", "Words in the longest n-gram.", least=1, most=3)] = 2
    penalty: Annotated[
        float, Option("--penalty", "Strength of the L2 penalty: 1/C, as scikit-learn calls it.")
    ] = 5.0
    repeats: Annotated[
        int | None,
        Option(
            "--repeats",
            "How many balanced draws of images; by default 5 to 20, enough for 50,000 captions.",
            least=1,
        ),
    ] = None
    top: Annotated[int, Option("--top", "How many words of each system to show.", least=1)] = 10

    def __post_init__(self) -> None:
        """Check what options cannot."""
        super().__post_init__()
        if not self.penalty > 0:
            raise UsageError(f"--penalty is more than 0, not {self.penalty}", hint="--penalty 5")


@dataclass(frozen=True)
class AmplificationSettings(GroupSettings):
    """Which things count."""

    objects: Annotated[
        str | None,
        Option(
            "--objects",
            "Which objects images show: CSV or JSONL with image_id, object; without it, the nouns of the"
            " references.",
            metavar="FILE",
        ),
    ] = None
    least: Annotated[
        int,
        Option(
            "--least",
            "Leave out objects that fewer images show, or have a reference that names them.",
            least=1,
        ),
    ] = 20
    top: Annotated[int, Option("--top", "How many objects of each system to show.", least=1)] = 10
