"""Which images belong to which group: as a file says, or as most references tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assess.corpus import CorpusSummary, check_names
from assess.engine.captions import measure_signature
from assess.engine.jobs import Engine, Progress
from assess.errors import InputError, UsageError, visible
from assess.grammar import Grammar, load_grammar
from assess.grammar.groups import NEUTRAL, GroupWords
from assess.measures.bias.groups import ImageGroups, Pair, parse_contrast, read_image_groups
from assess.measures.group_captions import GroupJob, GroupText, source_captions
from assess.measures.group_settings import GroupSettings
from assess.measures.image_sets import references_in_common
from assess.measures.intervals import Intervals, Resampling, Statistics, paired_intervals
from assess.measures.measure import Inputs


@dataclass(frozen=True, slots=True, eq=False)
class GroupedImages:
    """The images of two groups that all systems describe, and the references too where there are some."""

    grammar: Grammar
    file: str | None  # the name and hash of the file that tells the groups
    masked: str | None  # the domain's group whose words are masked
    pair: Pair
    groups: Mapping[str, str]  # the value of each image, in the order of their ids
    systems: Mapping[str, Mapping[str, Sequence[GroupText]]]  # captions by image
    references: Mapping[str, Sequence[GroupText]]
    summaries: tuple[CorpusSummary, ...]
    notes: tuple[str, ...]

    def images_of(self, value: str) -> int:
        """Return how many images show a group."""
        return sum(found == value for found in self.groups.values())

    def described(
        self, engine: Engine, settings: GroupSettings, **recorded: str | float | None
    ) -> dict[str, Any]:
        """Return what a result says of groups and images; `recorded` are a measure's own settings."""
        chosen = {
            "domain": self.grammar.identity,
            "by": self.masked,
            "groups": self.file,
            "contrast": ",".join(self.pair),
            "resamples": settings.resamples,
            "seed": settings.seed,
            **recorded,
        }
        return {
            "signature": measure_signature(engine.annotations.identity, self.summaries, chosen),
            "group": self.masked,
            "contrast": self.pair,
            "notes": self.notes,
            "warnings": () if self.masked else self.notes[-1:],
        }

    def intervals(
        self, statistics: Statistics, settings: GroupSettings, *, centred: Collection[str] = ()
    ) -> Intervals:
        """Return intervals by resampling these images, which all systems describe."""
        return paired_intervals(
            tuple(self.groups),
            statistics,
            left_out=dict.fromkeys(statistics, 0),
            resampling=Resampling(settings.resamples, seed=settings.seed),
            centred=centred,
        )


def read_grouped(
    inputs: Inputs, settings: GroupSettings, engine: Engine, *, least: int, progress: Progress | None
) -> GroupedImages:
    """Read systems and references on the images of two groups; each group needs at least so many."""
    grammar = load_grammar(settings.domain)
    file = read_image_groups(settings.groups) if settings.groups is not None else None
    if file is None and not inputs.references:
        hint = "give --groups FILE, or --references and --by GROUP: then their words say whom an image shows"
        raise UsageError("nothing says which group an image shows", hint=hint)
    masked = _masked_group(grammar, settings.by, file)
    pair = _pair(file or GroupWords(grammar, masked or ""), settings.contrast)
    check_names([*inputs.systems, *inputs.references])
    asked = frozenset(file.by_image) if file else None
    read = source_captions(engine, GroupJob(grammar, masked, asked), inputs.systems, progress=progress)
    systems = {found.corpus.system: found.by_image() for found in read}
    common = _in_common(systems, file)
    human = source_captions(
        engine, GroupJob(grammar, masked, frozenset(common)), inputs.references, progress=progress
    )
    references: dict[str, list[GroupText]] = {}
    for found in human:
        for image, texts in found.by_image().items():
            references.setdefault(image, []).extend(texts)
    if inputs.references:
        names = [source.name for source in inputs.references]
        common = references_in_common(dict.fromkeys(systems, common), references, names=names)
    told = file.by_image if file else {image: majority(references[image]) for image in common}
    groups = {image: told[image] for image in sorted(common) if told.get(image) in pair}
    _check_sizes(groups, pair, least)
    return GroupedImages(
        grammar,
        f"{file.name}#{file.sha256[:8]}" if file else None,
        masked,
        pair,
        groups,
        systems,
        references,
        tuple(found.corpus.summary() for found in (*read, *human)),
        tuple(_notes(systems, groups, pair, masked)),
    )


def majority(texts: Sequence[GroupText]) -> str:
    """Return the value that more than half of an image's references tell: at least three of five."""
    counts = Counter(text.told for text in texts)
    value, times = counts.most_common(1)[0]
    return value if 2 * times > len(texts) else NEUTRAL


def _masked_group(grammar: Grammar, by: str | None, file: ImageGroups | None) -> str | None:
    """Return the domain's group whose words are masked: the one that is named, or has the file's values."""
    if by is not None or (file is None and not grammar.groups):
        return GroupWords(grammar, by or "gender").name
    if file is None:
        return next(iter(grammar.groups))
    return next((name for name, values in grammar.groups.items() if set(file.values) & set(values)), None)


def _pair(grouping: ImageGroups | GroupWords, contrast: str | None) -> Pair:
    """Return the two values that are compared."""
    known = ", ".join(grouping.values)
    if contrast is not None:
        chosen = parse_contrast(contrast)
        for value in chosen:
            if value not in grouping.values:
                message = f"the group `{visible(grouping.name)}` has no value '{visible(value, 40)}'"
                raise UsageError(message, hint=f"there are {visible(known)}")
        return chosen
    if len(grouping.values) != 2:
        message = (
            f"the group `{visible(grouping.name)}` has {len(grouping.values)} values, and two are compared"
        )
        raise UsageError(message, hint=f"name them with --contrast VALUE,VALUE; there are {visible(known)}")
    return grouping.values[0], grouping.values[1]


def _in_common(systems: Mapping[str, Mapping[str, object]], file: ImageGroups | None) -> set[str]:
    """Return the images that all systems describe."""
    for name, images in systems.items():
        if file is not None and not images:
            raise InputError(
                f"no image of '{visible(name)}' is among the {len(file.by_image):,} images of"
                f" '{visible(file.file)}'",
                hint=f"images are paired by id: the groups file has '{visible(min(file.by_image), 40)}'",
            )
    common = set.intersection(*(set(images) for images in systems.values()))
    if not common:
        counts = ", ".join(f"{visible(name, 40)} {len(images):,}" for name, images in systems.items())
        raise InputError(f"no image is described by all systems ({counts})", hint="images are paired by id")
    return common


def _check_sizes(groups: Mapping[str, str], pair: Pair, least: int) -> None:
    counts = Counter(groups.values())
    if any(counts[value] < least for value in pair):
        found = " and ".join(f"{counts[value]} of '{visible(value, 40)}'" for value in pair)
        raise InputError(
            f"there are too few images: {found}, where {least} of each are needed",
            hint="all systems and references must describe them; give more images, or another --contrast",
        )


def _notes(
    systems: Mapping[str, Mapping[str, object]], groups: Mapping[str, str], pair: Pair, masked: str | None
) -> Iterator[str]:
    counts = Counter(groups.values())
    shown = " and ".join(f"{counts[value]:,} of {value}" for value in pair)
    yield f"{len(groups):,} images that all systems describe and whose group is known: {shown}"
    if left := len(set().union(*systems.values())) - len(groups):
        yield f"{left:,} other images are left out"
    if masked is None:
        yield "the domain has no words for these groups, so none are masked; --by names a group that it has"
