"""Captions for the measures of groups: the groups that they state, their other words, and named things.

Each distinct text is read once. Words that state a group are masked: a noun becomes `[noun]`, a pronoun
`[pronoun]`, and a modifier is removed without a trace. The group of each image comes from a file, or from the
majority of its references.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Any, NamedTuple

from assess.annotate.model import ModelIdentity
from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, check_names
from assess.disk_cache import READING_CODE, code_digest
from assess.engine.annotating import AnnotationService, Step
from assess.engine.captions import measure_signature
from assess.engine.jobs import Job, Reading, SourceCounts, annotated_blocks
from assess.errors import InputError, UsageError, visible
from assess.grammar import Grammar, load_grammar
from assess.grammar.captions import PersonReading
from assess.grammar.groups import MIXED, NEUTRAL, GroupWords, ToldBy
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.measures.bias.groups import ImageGroups, Pair, parse_contrast, read_image_groups
from assess.measures.group_settings import GroupSettings
from assess.measures.image_sets import references_in_common
from assess.measures.intervals import Intervals, Resampling, Statistics, paired_intervals
from assess.measures.measure import Inputs
from assess.measures.words import is_word
from assess.records import Annotation, Span
from assess.taxonomy.phrases import spaced
from assess.taxonomy.words import singular_of, tokenise

MASKS: Mapping[ToldBy, str] = {"nouns": "[noun]", "pronouns": "[pronoun]", "modifiers": ""}
"""The replacement of words that state the group; modifiers are removed."""
MASKED = "masked"
"""The category of masked words."""

_PLURAL_TAGS = frozenset({"NNS", "NNPS"})
_NOUN_TAGS = _PLURAL_TAGS | {"NN", "NNP"}
_CODE = (*READING_CODE, "measures/group_captions.py")


class GroupText(NamedTuple):
    """A text: the group that it states, its other words, and the things that it names."""

    told: str  # a value of the group, neutral or mixed
    words: tuple[str, ...]  # lowercased, without punctuation
    categories: tuple[tuple[str, ...], ...]  # of each word, such as `modifier.age`; empty outside the domain
    things: tuple[str, ...]  # nouns outside the domain, in the singular


class TextReader:
    """Reads texts with one domain, and masks the words that state a group; without a group, none."""

    def __init__(self, grammar: Grammar, group: str | None) -> None:
        self._finder = LabelFinder(Parser(grammar))
        self._group = GroupWords(grammar, group) if group is not None else None
        self._alone: dict[tuple[str, bool], ToldBy | None] = {}

    def read(self, text: str, annotation: Annotation) -> GroupText:
        """Return what the measures need of a text."""
        people = self._finder.people(text, annotation)
        categories, masks = self._marks(text, annotation, people)
        words, kept = [], []
        for place, word in enumerate(annotation.words):
            shown = masks.get(place, word.lower())
            if is_word(shown):
                words.append(intern(shown))
                kept.append((MASKED,) if place in masks else categories.get(place, ()))
        return GroupText(self._told(people), tuple(words), tuple(kept), _things(annotation, people, masks))

    def _told(self, people: Iterable[PersonReading]) -> str:
        if self._group is None:
            return NEUTRAL
        values = {self._group.told(self._finder.analyse(person.key)).value for person in people} - {NEUTRAL}
        return (values.pop() if len(values) == 1 else MIXED) if values else NEUTRAL

    def _marks(
        self, text: str, annotation: Annotation, people: Sequence[PersonReading]
    ) -> tuple[dict[int, tuple[str, ...]], dict[int, str]]:
        """Return the categories of words, and the replacements of words that state the group, by position."""
        categories: dict[int, tuple[str, ...]] = {}
        masks: dict[int, str] = {}
        for person in people:
            for places, span in self._inside(text, annotation, person):
                found = f"{span.role}.{span.category}"
                for place in places:
                    categories[place] = tuple(sorted({*categories.get(place, ()), found}))
                kind: ToldBy = "nouns" if span.role == "head" else "modifiers"
                if self._group and self._group.tells(spaced(span.text), kind):
                    masks |= dict.fromkeys(places, "") | {places[-1]: MASKS[kind]}
        for person in people:
            for places, told in self._said(person):
                for place in places:
                    categories.setdefault(place, told)
        for place, (word, tag) in enumerate(zip(annotation.words, annotation.tags, strict=True)):
            # Also if no person was found, so that the group is masked even in captions that are misread.
            if place not in masks and (alone := self._tells(word.lower(), tag.startswith("JJ"))):
                masks[place] = MASKS[alone]
        return categories, masks

    def _tells(self, word: str, adjective: bool) -> ToldBy | None:
        """Return whether a word by itself states the group, and as what; "mens" and "womans" also do."""
        if self._group is None:
            return None
        key = (word, adjective)
        if key not in self._alone:
            forms = (word, word.removesuffix("s"))
            found = (self._group.alone(form, adjective=adjective) for form in forms)
            self._alone[key] = next(filter(None, found), None)
        return self._alone[key]

    def _inside(
        self, text: str, annotation: Annotation, person: PersonReading
    ) -> Iterator[tuple[range, Span]]:
        """Yield the spans of a person's noun phrases, with the positions of their words."""
        for mention in person.mentions:
            if mention.kind != "label":
                continue
            written = text[mention.start : mention.end]
            tokens = tokenise(written)
            for span in self._finder.parser.analyse(written).best.spans:
                start = mention.start + tokens[span.start].start
                end = mention.start + tokens[span.end - 1].end
                places = range(bisect_left(annotation.offsets, start), bisect_left(annotation.offsets, end))
                if places:
                    yield places, span

    def _said(self, person: PersonReading) -> Iterator[tuple[range, tuple[str, ...]]]:
        """Yield the statements about a person elsewhere: positions of words, and their categories."""
        told = [span for span in self._finder.analyse(person.key).best.spans if span.position == "after"]
        for part in person.parts:
            found = {f"{span.role}.{span.category}" for span in told if span.text == part.text}
            if found:
                yield range(part.start, part.at + 1), tuple(sorted(found))


def _things(
    annotation: Annotation, people: Iterable[PersonReading], masks: Mapping[int, str]
) -> tuple[str, ...]:
    """Return the distinct head nouns of chunks outside the domain."""
    labels = [one for person in people for one in person.mentions if one.kind == "label"]
    found: dict[str, None] = {}
    for chunk in annotation.chunks:
        if any(label.start < chunk.end and chunk.start < label.end for label in labels):
            continue
        first, end = (bisect_left(annotation.offsets, place) for place in chunk)
        start = end
        while start > first and annotation.tags[start - 1] in _NOUN_TAGS and start - 1 not in masks:
            start -= 1
        if start < end:
            *compound, noun = (word.lower() for word in annotation.words[start:end])
            # According to its tag: "tennis" only looks like a plural.
            single = singular_of(noun) if annotation.tags[end - 1] in _PLURAL_TAGS else noun
            found[intern(" ".join([*compound, single]))] = None
    return tuple(found)


# Reading whole sources.


@dataclass(eq=False)
class GroupCaptions(SourceCounts):
    """The captions of a source or of a part of it, in file order. Parts can be added."""

    images: list[str] = field(default_factory=list)  # of each caption
    texts: list[GroupText] = field(default_factory=list)

    def add(self, other: GroupCaptions) -> None:
        """Add the captions of the next part."""
        super().add(other)
        self.images += other.images
        self.texts += other.texts

    def by_image(self) -> dict[str, list[GroupText]]:
        """Return the captions of each image, in file order."""
        found: dict[str, list[GroupText]] = {}
        for image, text in zip(self.images, self.texts, strict=True):
            found.setdefault(image, []).append(text)
        return found


@dataclass(frozen=True)
class GroupJob(Job[GroupCaptions]):
    """Reads captions with a domain, and masks the words that state one of its groups."""

    grammar: Grammar
    group: str | None
    images: frozenset[str] | None = None  # captions of other images are skipped

    @property
    def key(self) -> tuple[str, ...]:
        """Everything that the captions depend on besides files and model."""
        images = "" if self.images is None else "\n".join(sorted(self.images))
        chosen = hashlib.sha256(images.encode()).hexdigest()
        return ("groups", self.grammar.identity, repr(self.group), chosen, code_digest(*_CODE))

    def start(self, annotations: AnnotationService) -> Reading[GroupCaptions]:
        """Return a reading that keeps texts."""
        reader = TextReader(self.grammar, self.group)
        known: dict[str, GroupText] = {}

        def read(captions: CaptionReader, progress: Step | None) -> GroupCaptions:
            found = GroupCaptions(CorpusTally(captions.source.name))
            blocks = annotated_blocks(
                captions,
                annotations.annotate,
                size=annotations.block_size,
                known=known,
                images=self.images,
                progress=progress,
            )
            for block, new in blocks:
                known.update((text, reader.read(text, annotation)) for text, annotation in new)
                found.images += (caption.image for caption in block)
                found.texts += (known[caption.text] for caption in block)
            found.corpus = captions.tally
            return found

        return read


# The groups of images.


@dataclass(frozen=True, slots=True, eq=False)
class GroupedImages:
    """The images of two groups that all systems describe, and the references if there are any."""

    grammar: Grammar
    file: str | None  # name and hash of the file with the groups
    masked: str | None  # the domain's group whose words are masked
    pair: Pair
    groups: Mapping[str, str]  # the value of each image, sorted by id
    systems: Mapping[str, Mapping[str, Sequence[GroupText]]]  # captions by image
    references: Mapping[str, Sequence[GroupText]]
    summaries: tuple[CorpusSummary, ...]
    notes: tuple[str, ...]

    def images_of(self, value: str) -> int:
        """Return the number of images of a group."""
        return sum(found == value for found in self.groups.values())

    def described(
        self, model: ModelIdentity, settings: GroupSettings, **recorded: str | float | None
    ) -> dict[str, Any]:
        """Return a result's facts about groups and images; `recorded` has the measure's own settings."""
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
            "signature": measure_signature(model, self.summaries, chosen),
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
            len(self.groups),
            statistics,
            left_out=dict.fromkeys(statistics, 0),
            resampling=Resampling(settings.resamples, seed=settings.seed),
            centred=centred,
        )


def read_grouped(inputs: Inputs, settings: GroupSettings, *, least: int) -> GroupedImages:
    """Read systems and references on the images of two groups; each group needs at least `least` images."""
    grammar = load_grammar(settings.domain)
    file = read_image_groups(settings.groups) if settings.groups is not None else None
    if file is None and not inputs.references:
        hint = "give --groups FILE, or --references with --by GROUP to take groups from their words"
        raise UsageError("the group of each image is unknown", hint=hint)
    masked = _masked_group(grammar, settings.by, file)
    pair = _pair(file or GroupWords(grammar, masked or ""), settings.contrast)
    check_names([*inputs.systems, *inputs.references])
    asked = frozenset(file.by_image) if file else None
    read = inputs.read(GroupJob(grammar, masked, asked), inputs.systems)
    systems = {name: found.by_image() for name, found in read.items()}
    common = _in_common(systems, file)
    human = inputs.read(GroupJob(grammar, masked, frozenset(common)), inputs.references)
    references: dict[str, list[GroupText]] = {}
    for found in human.values():
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
        tuple(found.summary for found in (*read.values(), *human.values())),
        tuple(_notes(systems, groups, pair, masked)),
    )


def majority(texts: Sequence[GroupText]) -> str:
    """Return the value that more than half of an image's references state: at least three of five."""
    counts = Counter(text.told for text in texts)
    value, times = counts.most_common(1)[0]
    return value if 2 * times > len(texts) else NEUTRAL


def _masked_group(grammar: Grammar, by: str | None, file: ImageGroups | None) -> str | None:
    """Return the domain's group whose words are masked: the requested one, or that of the file's values."""
    if by is not None or (file is None and not grammar.groups):
        return GroupWords(grammar, by or "gender").name
    if file is None:
        return next(iter(grammar.groups))
    return next((name for name, values in grammar.groups.items() if set(file.values) & set(values)), None)


def _pair(grouping: ImageGroups | GroupWords, contrast: str | None) -> Pair:
    """Return the two values to compare."""
    known = ", ".join(grouping.values)
    if contrast is not None:
        chosen = parse_contrast(contrast)
        for value in chosen:
            if value not in grouping.values:
                message = f"the group `{visible(grouping.name)}` has no value '{visible(value, 40)}'"
                raise UsageError(message, hint=f"the values are {visible(known)}")
        return chosen
    if len(grouping.values) != 2:
        message = (
            f"the group `{visible(grouping.name)}` has {len(grouping.values)} values, but two can be compared"
        )
        raise UsageError(
            message, hint=f"select two with --contrast VALUE,VALUE; the values are {visible(known)}"
        )
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
            f"too few images: {found}, but {least} of each are needed",
            hint="all systems and references must describe the same images; give more images, or another"
            " --contrast",
        )


def _notes(
    systems: Mapping[str, Mapping[str, object]], groups: Mapping[str, str], pair: Pair, masked: str | None
) -> Iterator[str]:
    counts = Counter(groups.values())
    shown = " and ".join(f"{counts[value]:,} of {value}" for value in pair)
    yield f"{len(groups):,} images that all systems describe and whose group is known: {shown}"
    if left := len(set().union(*systems.values())) - len(groups):
        yield f"{left:,} other images are excluded"
    if masked is None:
        yield (
            "the domain has no words for these groups, so nothing is masked; use --by to name one of"
            " its groups"
        )
