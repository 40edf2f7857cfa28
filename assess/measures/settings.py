"""Settings, declared once for the command line, Python and the documentation.

    @dataclass(frozen=True)
    class DiversitySettings(Settings):
        window: Annotated[int, Option("--window", "Tokens per type-token ratio.", least=1)] = 1000

The command line turns each field into an option, Python into a keyword argument; both are validated here.
This module imports little, so that `--help` is fast.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin, get_type_hints

from assess.errors import UsageError, one_of, visible


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line spells a setting, and what it means."""

    name: str
    help: str
    metavar: str | None = None
    least: int | None = None
    most: int | None = None
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """The base class of all settings: frozen dataclasses whose fields are annotated with an `Option`."""

    def __post_init__(self) -> None:
        for name, (kind, option) in declared(type(self)).items():
            _check(getattr(self, name), kind, option)

    @classmethod
    def chosen(cls, **values: Any) -> Self:
        """Return settings from keyword arguments; an error for an unknown one lists those that exist."""
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise UsageError(f"there is no setting '{visible(name)}'", hint=f"choose {', '.join(known)}")
        missing = [name for name in required(cls) if name not in values]
        if missing:
            raise UsageError(f"the setting '{missing[0]}' is missing", hint=f"give {missing[0]}=...")
        return cls(**values)


def required(settings: type[Settings]) -> list[str]:
    """Return the fields without a default."""
    return [field.name for field in fields(settings) if field.default is MISSING]


def declared(settings: type[Settings]) -> dict[str, tuple[Any, Option]]:
    """Return the type and the option of each field."""
    hints = get_type_hints(settings, include_extras=True)
    found = {name: declared_option(hint) for name, hint in hints.items()}
    return {name: setting for name, setting in found.items() if setting is not None}


def declared_option(hint: Any) -> tuple[Any, Option] | None:
    """Return the type and the option of a setting; None for other annotations."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    return next(((kind, note) for note in notes if isinstance(note, Option)), None)


def choices(kind: Any) -> tuple[str, ...]:
    """Return the values of a literal type, which may be optional; empty for any other type."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(choice for part in get_args(kind) for choice in choices(part))


_TYPES: dict[Any, tuple[Any, str]] = {
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str | os.PathLike, "text"),
    Path: (str | os.PathLike, "a path"),
    type(None): (type(None), "None"),
}


def _check(value: Any, kind: Any, option: Option) -> None:
    named = choices(kind)
    for one in value if isinstance(value, list | tuple) else [value]:
        if named and one is not None:
            one_of(one, named, option=option.name)
    kinds = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
    known = _TYPES.keys() >= {*kinds}
    if known and (isinstance(value, bool) or not isinstance(value, tuple(_TYPES[one][0] for one in kinds))):
        wanted = " or ".join(_TYPES[one][1] for one in kinds)  # the command line converts values itself
        raise UsageError(f"{option.name} must be {wanted}, not {visible(repr(value), 40)}")
    if option.least is not None and isinstance(value, Integral) and int(value) < option.least:
        raise UsageError(f"{option.name} must be at least {option.least}, not {value}")
    if option.most is not None and isinstance(value, Integral) and int(value) > option.most:
        raise UsageError(f"{option.name} must be at most {option.most:,}, not {value}")


# The settings of each measure.


Mode = Literal["assess", "paper"]
"""Our definition, or the published one if that has a flaw."""
Order = Literal["free", "file"]
Tagset = Literal["fine", "universal"]
PostMetric = Literal["BLEU", "CIDEr", "METEOR", "SPICE", "WMD"]
RESAMPLES = 1000

ModeSetting = Annotated[
    Mode, Option("--mode", "The definitions to use: assess (this tool's), or paper (as published).")
]
TagsetSetting = Annotated[
    Tagset, Option("--tagset", "Part-of-speech tags: fine (Penn Treebank, as in the paper) or universal.")
]
IntervalsSetting = Annotated[
    bool, Option("--intervals", "Add bootstrap intervals, and paired differences between systems.")
]
LARGEST = 2**63 - 1
"""The largest number that a result can have as a setting or a count."""
MOST_RESAMPLES = 1_000_000
ResamplesSetting = Annotated[
    int, Option("--resamples", "Number of bootstrap resamples.", least=1, most=MOST_RESAMPLES)
]
SeedSetting = Annotated[
    int, Option("--seed", "Random seed for shuffles and resampling.", least=0, most=LARGEST)
]
MOST_CLASSES = 10_000
"""Importance cannot exceed the number of an image's descriptions."""
MODEL = Option("--model", "The installed spaCy model to use instead of the default.")
ModelSetting = Annotated[str | None, MODEL]


@dataclass(frozen=True)
class DiversitySettings(Settings):
    """Settings that can change a number of diversity.

    The mode determines what a token is and when two captions are equal. The order determines whether ratios
    are computed in the order of the file, as published, or for captions in any order.
    """

    mode: ModeSetting = "assess"
    order: Annotated[
        Order | None,
        Option(
            "--order",
            "The order of captions: free (any order; the default), or file (windows in file order, as"
            " published; the default of --mode paper).",
        ),
    ] = None
    window: Annotated[int, Option("--window", "Window size of the type-token ratio, in tokens.", least=1)] = (
        1000
    )
    curve: Annotated[
        Literal["exact", "shuffles"],
        Option(
            "--curve",
            "The type-token curve: exact (expectation over all orders), or shuffles (mean of ten"
            " shuffles of the captions, as published).",
        ),
    ] = "exact"
    extended: Annotated[
        bool,
        Option(
            "--extended",
            "Also compute the slower measures: part-of-speech templates, the Vendi score of all"
            " captions, and self-CIDEr of images with several captions.",
        ),
    ] = False
    intervals: IntervalsSetting = False
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None

    @property
    def reading(self) -> Order:
        """The order in effect."""
        return self.order or ("file" if self.mode == "paper" else "free")

    @property
    def order_mode(self) -> Mode:
        """The order in effect, as the metrics name it."""
        return "paper" if self.reading == "file" else "assess"


@dataclass(frozen=True)
class RecallSettings(Settings):
    """Settings that can change a number of recall, and the number of words to show in rankings."""

    mode: ModeSetting = "assess"
    tagset: TagsetSetting = "fine"
    classes: Annotated[
        int | None,
        Option(
            "--classes",
            "Number of importance classes; by default, the most common number of references per image.",
            least=1,
            most=MOST_CLASSES,
        ),
    ] = None
    top: Annotated[
        int,
        Option("--top", "Number of words to show in each ranking; --json and --csv list a hundred.", least=1),
    ] = 10
    least: Annotated[
        int,
        Option(
            "--least",
            "How often a word must occur per system to enter the ranking with a threshold.",
            least=1,
        ),
    ] = 10
    domain: Annotated[
        str | None,
        Option(
            "--domain",
            "Also measure the recall of the categories of this domain, such as people; with --train,"
            " combinations are taken from the training captions.",
            other_names=("-d",),
        ),
    ] = None
    intervals: IntervalsSetting = False
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None


@dataclass(frozen=True)
class SyntaxSettings(Settings):
    """Settings that can change a number of syntax; the mode defines what a prepositional phrase is."""

    lexicon: Annotated[
        Path | None,
        Option(
            "--lexicon",
            "A table of words with concreteness ratings (1 to 5), or classes (abstract, concrete).",
            metavar="FILE",
        ),
    ] = None
    concrete_from: Annotated[
        float, Option("--concrete-from", "Words with at least this rating are concrete.")
    ] = 3.0
    abstract_below: Annotated[
        float, Option("--abstract-below", "Words with a lower rating are abstract.")
    ] = 3.0
    mode: ModeSetting = "assess"
    tagset: TagsetSetting = "fine"
    intervals: IntervalsSetting = False
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    model: ModelSetting = None


@dataclass(frozen=True)
class PostgenSettings(Settings):
    """Which scores of captions against references to compute."""

    metric: Annotated[
        Sequence[PostMetric] | None,
        Option(
            "--metric",
            "Scores to compute: BLEU and CIDEr by default; METEOR or SPICE (needs the extra 'coco');"
            " WMD (needs the extra 'vectors').",
            metavar="NAME",
        ),
    ] = None
    model: ModelSetting = None

    @property
    def metrics(self) -> tuple[PostMetric, ...]:
        """The scores to compute, without repetitions."""
        return tuple(dict.fromkeys(self.metric or ("BLEU", "CIDEr")))


Method = Literal["spearman", "pearson", "both"]


@dataclass(frozen=True)
class CorrelationSettings(Settings):
    """Which columns of scores to correlate, and how; columns are given as patterns."""

    columns: Annotated[
        list[str] | None,
        Option(
            "--columns",
            "Use only these columns, or with --post these pre-gen scores; * matches anything.",
            metavar="NAMES",
            other_names=("--pre",),
        ),
    ] = None
    without: Annotated[list[str] | None, Option("--without", "Exclude these columns.", metavar="NAMES")] = (
        None
    )
    post: Annotated[
        list[str] | None,
        Option(
            "--post",
            "Post-gen scores: rank all other columns by how well they predict them.",
            metavar="NAMES",
        ),
    ] = None
    by: Annotated[
        str | None, Option("--by", "The column that names the data set of each row.", metavar="COLUMN")
    ] = None
    method: Annotated[
        Method, Option("--method", "The correlation shown in a matrix: spearman, pearson, or both.")
    ] = "spearman"
    top: Annotated[int, Option("--top", "Number of predictors to show for each post-gen score.", least=1)] = 5
    everywhere: Annotated[
        bool,
        Option("--everywhere", "Exclude scores that are undefined in some data set, as in the paper."),
    ] = False


@dataclass(frozen=True)
class PregenSettings(Settings):
    """Which pre-gen metrics to compute, and for which strata of images."""

    metric: Annotated[
        list[str] | None,
        Option(
            "--metric", "Compute only this metric, for example mean_max_normcount_prefix0.", metavar="NAME"
        ),
    ] = None
    paper_filter: Annotated[
        bool,
        Option(
            "--paper-filter",
            "Also compute filter0 as described in the text of the paper, under the name only0.",
        ),
    ] = False
    format: Annotated[
        Literal["jsonl", "npz", "parquet"] | None,
        Option(
            "--format", "The format: jsonl, npz or parquet; by default, it depends on the file extension."
        ),
    ] = None
    every: Annotated[bool, Option("--all", "Show all metrics, not only the means over images.")] = False
    scores: Annotated[
        Path | None,
        Option("--scores", "Post-gen scores of the images, written by assess postgen --out.", metavar="FILE"),
    ] = None
    domain: Annotated[
        str | None,
        Option(
            "--domain",
            "Also break the reference words down by the categories of this domain, such as people;"
            " the input must contain the words.",
            other_names=("-d",),
        ),
    ] = None
    by: Annotated[str, Option("--by", "The post-gen score that orders the images.")] = "CIDEr"
    strata: Annotated[int, Option("--strata", "Divide the images into up to this many strata.", least=1)] = 5


Empty = Literal["zero", "skip"]
"""How empty sets count."""


@dataclass(frozen=True)
class SelectionSettings(Settings):
    """Settings that can change a number of content selection, and the baselines to show."""

    domain: Annotated[
        str | None,
        Option(
            "--domain",
            "Break boxes down by the head categories of this domain, such as people.",
            other_names=("-d",),
        ),
    ] = None
    baseline: Annotated[
        list[str] | None,
        Option("--baseline", "Only this baseline; 'none' turns baselines off.", metavar="NAME"),
    ] = None
    measure: Annotated[
        list[str] | None, Option("--measure", "Which tables of baselines to show: F, P or R.")
    ] = None
    most: Annotated[
        int,
        Option(
            "--most",
            "The largest number k of boxes that baselines select.",
            metavar="K",
            least=1,
            most=1000,
        ),
    ] = 15
    draws: Annotated[
        int, Option("--draws", "Number of draws to average for the random baseline.", least=1)
    ] = 20
    empty: Annotated[Empty, Option("--empty", "How to score an empty set: as zero, or skip it.")] = "zero"
    resamples: ResamplesSetting = RESAMPLES
    seed: SeedSetting = 1
    sentences: Annotated[
        list[str] | None,
        Option(
            "--sentences", "Generate sentences from the first boxes of a baseline.", metavar="BASELINE[:K]"
        ),
    ] = None

    @property
    def baselines(self) -> tuple[str, ...] | None:
        """The requested baselines; None for all that the input allows."""
        return tuple(name for name in self.baseline if name != "none") if self.baseline else None

    @property
    def shown(self) -> tuple[str, ...]:
        """The measures whose baselines are shown in the terminal."""
        names = tuple(dict.fromkeys(name.upper() for name in self.measure or ("F",)))
        return tuple(one_of(name, ("F", "P", "R"), option="--measure") for name in names)

    @property
    def sentence_requests(self) -> tuple[tuple[str, int | None], ...]:
        """The baselines for sentences, with their numbers of boxes; None for as many as people mention."""
        return tuple(_sentence_request(text) for text in self.sentences or ())


def _sentence_request(text: str) -> tuple[str, int | None]:
    name, colon, most = text.partition(":")
    if colon and not (most.isdecimal() and int(most)):
        message = f"'{visible(text)}' is not BASELINE:K"
        raise UsageError(message, hint="K is the number of boxes in a sentence, as in bigram:4")
    return name, int(most) if colon else None
