"""The settings of audits, and of measures that need a group for each image."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from assess.errors import UsageError
from assess.measures.settings import (
    LARGEST,
    MOST_RESAMPLES,
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
    "--domain", "Name of a domain, or path of a .lark or .yaml file.", other_names=("-d", "--grammar")
)
GROUPS = Option(
    "--groups", "The group of each image: CSV or JSONL with image_id and group.", metavar="[NAME=]FILE"
)


@dataclass(frozen=True)
class ReadingSettings(Settings):
    """How an audit reads captions, and what it counts."""

    model: ModelSetting = None
    per: Annotated[
        Counted,
        Option(
            "--per",
            "The unit of counting: each person of a caption once (person), or every noun phrase (mention).",
        ),
    ] = "person"
    told_by: Annotated[
        Telling,
        Option(
            "--told-by",
            "Words that can state a group: nouns only (nouns), or also modifiers and pronouns (words).",
        ),
    ] = "words"
    paper_chunks: Annotated[
        bool,
        Option(
            "--paper-chunks",
            "Use noun chunks as in the papers: don't join 'a group' + 'of' + 'men', and ignore what"
            " follows the noun.",
        ),
    ] = False
    no_after: Annotated[
        bool, Option("--no-after", "Ignore modifiers after the noun, as in 'a man with a beard'.")
    ] = False


@dataclass(frozen=True)
class VerdictSettings(Settings):
    """The rules for judging differences between groups."""

    level: ClassVar[float] = 0.95  # of intervals

    margin: Annotated[
        float,
        Option(
            "--margin",
            "The largest negligible difference for a category that half of the labels have (0.025:"
            " 2.5 points); it is smaller for rarer categories.",
        ),
    ] = 0.025
    alpha: Annotated[
        float, Option("--alpha", "Significance level: the largest acceptable false discovery rate (q).")
    ] = 0.05
    samples: Annotated[
        int,
        Option(
            "--samples",
            "Number of bootstrap resamples of images.",
            least=1,
            most=MOST_RESAMPLES,
            other_names=("--resamples",),
        ),
    ] = 2000
    seed: Annotated[
        int,
        Option("--seed", "Random seed for the bootstrap and for drawing references.", least=0, most=LARGEST),
    ] = 0

    def __post_init__(self) -> None:
        """Check combinations of options."""
        super().__post_init__()
        if not 0 <= self.margin <= 1:
            message = f"the margin {self.margin:g} is not valid"
            raise UsageError(message, hint="it must be between 0 and 1; 0.025 is typical")
        if not 0 < self.alpha < 1:
            raise UsageError(f"an alpha of {self.alpha:g} is not between 0 and 1", hint="0.05 is typical")

    def as_settings(self) -> dict[str, str | int | float]:
        """Return the rules as recorded in a signature."""
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
    """The group of each image, the words that name groups, and the number of captions to list."""

    groups: Annotated[str, GROUPS]
    domain: Annotated[str, DOMAIN] = "people"
    by: Annotated[
        str | None,
        Option(
            "--by",
            "The group of the domain that the file annotates; by default, the first one with matching"
            " values.",
            metavar="GROUP",
        ),
    ] = None
    told_by: Annotated[
        Telling,
        Option(
            "--told-by",
            "Words that can name a group: nouns only (nouns), or also modifiers and pronouns (words).",
        ),
    ] = "words"
    words: Annotated[
        Path | None,
        Option(
            "--words",
            "Use a word list instead of the domain: lines VALUE<TAB>WORD, or YAML {value: [words]}.",
            metavar="FILE",
        ),
    ] = None
    partial: Annotated[
        bool,
        Option(
            "--partial", "Exclude images that are not in the groups file, instead of stopping with an error."
        ),
    ] = False
    listed: Annotated[  # not `captions`, which is the input of Python functions
        int,
        Option(
            "--captions",
            "Number of captions to list for each group and outcome; --out writes all.",
            metavar="N",
            least=0,
        ),
    ] = 3
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None


@dataclass(frozen=True)
class GroupSettings(Settings):
    """The groups of images, and the words that state them."""

    by: Annotated[
        str | None,
        Option(
            "--by",
            "A group of the domain, such as gender; without --groups, the words of the references"
            " determine the value of each image.",
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
    """What the classifier uses, how often it is trained, and how strongly it is regularised."""

    mode: Annotated[
        Mode,
        Option(
            "--mode",
            "The confidence that counts: assess (calibrated), or paper (the classifier's own, as published).",
        ),
    ] = "assess"
    ngrams: Annotated[int, Option("--ngrams", "Maximum length of n-grams, in words.", least=1, most=3)] = 2
    penalty: Annotated[float, Option("--penalty", "Strength of the L2 penalty (1/C in scikit-learn).")] = 5.0
    repeats: Annotated[
        int | None,
        Option(
            "--repeats",
            "Number of balanced draws of images; by default 5 to 20, enough for 50,000 captions.",
            least=1,
        ),
    ] = None
    top: Annotated[int, Option("--top", "Number of words to show for each system.", least=1)] = 10

    def __post_init__(self) -> None:
        """Check combinations of options."""
        super().__post_init__()
        if not self.penalty > 0:
            raise UsageError(f"--penalty must be greater than 0, not {self.penalty}", hint="--penalty 5")


@dataclass(frozen=True)
class AmplificationSettings(GroupSettings):
    """Which objects count."""

    objects: Annotated[
        str | None,
        Option(
            "--objects",
            "The objects in each image: CSV or JSONL with image_id and object; by default, the nouns"
            " of the references.",
            metavar="FILE",
        ),
    ] = None
    least: Annotated[
        int,
        Option(
            "--least",
            "Exclude objects that occur in fewer images (by annotation or in a reference).",
            least=1,
        ),
    ] = 20
    top: Annotated[int, Option("--top", "Number of objects to show for each system.", least=1)] = 10
