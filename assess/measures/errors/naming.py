"""Which values of a group captions name, according to our analysis of people or to a list of words."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

from assess.annotate.extract import DepthOf
from assess.corpus import CaptionReader, CorpusTally
from assess.disk_cache import READING_CODE, Codec, code_digest
from assess.engine.annotating import AnnotationService, Step, same_depth
from assess.engine.jobs import Job, Reading, SourceCounts, annotated_blocks, note_caption
from assess.errors import InputError, Place, Problem, UsageError, visible
from assess.grammar import Grammar, load_grammar
from assess.grammar.groups import TELLING, TOLD_BY, GroupWords, ToldBy
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.measures.bias.groups import ImageGroups
from assess.measures.group_settings import ErrorSettings
from assess.records import Annotation, Depth
from assess.taxonomy.phrases import spaced
from assess.taxonomy.strict_yaml import parse_document, read_text


class Naming(NamedTuple):
    """The words of a caption that name a value, each with that value, in a fixed order."""

    told: tuple[tuple[str, str], ...]  # value, word

    @property
    def values(self) -> tuple[str, ...]:
        """The distinct values."""
        return tuple(dict.fromkeys(value for value, _ in self.told))

    def words(self, value: str) -> tuple[str, ...]:
        """Return the words that name a value."""
        return tuple(word for told, word in self.told if told == value)


Namer = Callable[[str, Annotation], Naming]
"""Returns what a text names."""


@dataclass(frozen=True)
class PeopleRule:
    """Our own analysis: the people in a caption, as described by nouns, modifiers and pronouns."""

    grammar: Grammar
    group: str
    told_by: tuple[ToldBy, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the taxonomy's group."""
        return tuple(self.grammar.groups[self.group])

    @property
    def identity(self) -> tuple[str, ...]:
        """The taxonomy, its group, and the kinds of words that count."""
        return self.grammar.identity, self.group, *self.told_by

    @property
    def recorded(self) -> dict[str, str | None]:
        """The entries for a signature: the group and, if not all kinds of words count, those that do."""
        return {"by": self.group, "told_by": ",".join(self.told_by) if self.told_by != TOLD_BY else None}

    def namer(self) -> tuple[Namer, DepthOf]:
        """Return the function that names people; it needs noun chunks and relations."""
        finder, group = LabelFinder(Parser(self.grammar)), GroupWords(self.grammar, self.group)

        def name(text: str, annotation: Annotation) -> Naming:
            told: set[tuple[str, str]] = set()
            for person in finder.people(text, annotation):
                told.update(self._told(group, finder, [mention.key for mention in person.mentions]))
            return Naming(tuple(sorted(told)))

        return name, lambda text: Depth.TREE if finder.may_have_labels(text) else Depth.NOTHING

    def _told(self, group: GroupWords, finder: LabelFinder, mentions: Sequence[str]) -> set[tuple[str, str]]:
        """Return what the mentions of a person state, by the first kind of words that states anything."""
        analyses = [finder.analyse(mention) for mention in mentions]
        for kind in self.told_by:
            words = [item for analysis in analyses for item in group.telling(analysis, kind).items()]
            if words:
                return {(value, word) for word, values in words for value in values}
        return set()


@dataclass(frozen=True)
class WordRule:
    """A list of words: a caption names a value if it contains one of its words, no matter who is meant."""

    words: Mapping[str, tuple[str, ...]]  # value -> words
    name: str  # name of the list

    grammar: ClassVar[None] = None  # a list needs no domain, and therefore has no group of one
    group: ClassVar[None] = None

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the list."""
        return tuple(self.words)

    @property
    def identity(self) -> tuple[str, ...]:
        """The name of the list, and a hash of its words that does not depend on the file's format."""
        content = "\n".join(f"{value}\t{word}" for value, words in self.words.items() for word in words)
        return (f"{self.name}#{hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}",)

    @property
    def recorded(self) -> dict[str, str | None]:
        """The entries for a signature."""
        return {"words": self.identity[0]}

    def namer(self) -> tuple[Namer, DepthOf]:
        """Return the function that searches for the words."""

        def name(_text: str, annotation: Annotation) -> Naming:
            said = f" {' '.join(annotation.words).lower()} "
            told = ((value, word) for value, words in self.words.items() for word in words)
            return Naming(tuple(sorted((value, word) for value, word in told if f" {word} " in said)))

        return name, same_depth(Depth.WORDS)


Rule = PeopleRule | WordRule
"""Decides which values a caption names. Rules are small, because they are sent to other machines."""


def chosen_rule(settings: ErrorSettings, groups: ImageGroups) -> Rule:
    """Return the requested rule, which must be able to name the values of a groups file."""
    if settings.words is None:
        grammar = load_grammar(settings.domain)
        return PeopleRule(grammar, fitting_group(grammar, groups, settings.by), TELLING[settings.told_by])
    if settings.by or settings.told_by != "words":
        raise UsageError(
            "--words replaces the domain, so it cannot be combined with --by or --told-by",
            hint="use either --words or the other options",
        )
    found = read_word_list(settings.words)
    check_values(found.values, groups, f"the word list '{visible(str(settings.words))}'")
    return found


_HINT = "a word list has lines VALUE<TAB>WORD, or is YAML: {female: [woman, she], male: [man, he]}"


def read_word_list(path: Path) -> WordRule:
    """Read words by value: lines with a value, a tab and a word, or a YAML file of lists."""
    text = read_text(path)
    pairs = list(_yaml_pairs(text, path) if path.suffix in {".yaml", ".yml", ".json"} else _lines(text, path))
    if not pairs:
        raise InputError("the list has no words", place=Place(str(path)), hint=_HINT)
    return WordRule(_by_value(pairs), path.stem)


_Pair = tuple[str, str, Place]  # value, word, place


def _lines(text: str, path: Path) -> Iterator[_Pair]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        value, tab, word = line.partition("\t")
        place = Place(str(path), line=number, source=line)
        if not (tab and value.strip() and word.strip()):
            raise InputError("this line is not of the form VALUE<TAB>WORD", place=place, hint=_HINT)
        yield value.strip(), spaced(word), place


def _yaml_pairs(text: str, path: Path) -> Iterator[_Pair]:
    document = parse_document(text, str(path))
    if document.problems:
        raise InputError(document.problems)
    found = document.value
    if not isinstance(found, dict):
        raise InputError("the list is not a mapping of values to words", place=Place(str(path)), hint=_HINT)
    for value, words in found.items():
        if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() for word in words):
            problem = document.problem(
                f"the words of '{visible(value, 40)}' are not a list of words", (value,)
            )
            raise InputError([Problem(problem.message, problem.place, _HINT)])
        for place, word in enumerate(words):
            yield value, spaced(word), document.place((value, place))


def _by_value(pairs: Sequence[_Pair]) -> dict[str, tuple[str, ...]]:
    owners: dict[str, str] = {}
    for value, word, place in pairs:
        if owners.setdefault(word, value) != value:
            first, second = (visible(name, 40) for name in (owners[word], value))
            message = f"'{visible(word, 40)}' names two values: {first} and {second}"
            raise InputError(
                message, place=place, hint="remove the word: a word that both values share names neither"
            )
    values = dict.fromkeys(value for value, _, _ in pairs)
    return {value: tuple(word for word, owner in owners.items() if owner == value) for value in values}


def groups_named(grammar: Grammar, groups: ImageGroups) -> list[str]:
    """Return the domain's groups whose values include all values of a file."""
    wanted = set(groups.values)
    return [name for name, values in grammar.groups.items() if wanted and wanted <= set(values)]


def fitting_group(grammar: Grammar, groups: ImageGroups, by: str | None) -> str:
    """Return the domain's group that has the file's values; raises an error that names both."""
    if by is not None:
        check_values(GroupWords(grammar, by).values, groups, f"the domain's group `{by}`")
        return by
    for name in groups_named(grammar, groups):
        return name
    known = "; ".join(f"{name} ({', '.join(values)})" for name, values in grammar.groups.items())
    raise InputError(
        f"no group of the domain `{grammar.name}` has the values of '{visible(groups.file)}':"
        f" {_listed(groups.values)}",
        hint=f"the domain's groups are {known or 'none'}; use the same values",
    )


def check_values(known: Sequence[str], groups: ImageGroups, what: str) -> None:
    """Raise an error if a file has values that captions cannot name under the rule."""
    unknown = [value for value in groups.values if value not in known]
    if unknown:
        message = f"'{visible(groups.file)}' has values that {what} lacks: {_listed(unknown)}"
        raise InputError(message, hint=f"{what} has {_listed(known)}")


def _listed(values: Sequence[str]) -> str:
    return ", ".join([visible(value, 40) for value in values[:20]] + ["…"] * (len(values) > 20))


# What captions name, read source by source and stored on disk.


class ReadCaption(NamedTuple):
    """A caption of an annotated image, or of any image if all are read."""

    image: str
    record: int
    text: str


@dataclass
class Namings(SourceCounts):
    """What the captions of a source or of a part of it name. Parts are added in order."""

    captions: list[ReadCaption] = field(default_factory=list)
    told: dict[str, Naming] = field(default_factory=dict)  # text -> what it names

    def add(self, other: Namings) -> None:
        """Add the next part, whose captions are numbered after ours."""
        before = self.corpus.captions
        self.captions += (caption._replace(record=before + caption.record) for caption in other.captions)
        super().add(other)
        self.told |= other.told


@dataclass(frozen=True, slots=True)
class NamingsData:
    """Namings as stored on disk: in columns, with distinct texts."""

    corpus: CorpusTally
    images: list[str]  # of each caption
    records: list[int]
    texts: list[str]
    numbers: list[int]  # number of each caption's text
    told: dict[str, tuple[tuple[str, str], ...]]  # of each text

    def namings(self) -> Namings:
        """Return the namings."""
        texts = map(self.texts.__getitem__, self.numbers)
        captions = list(map(ReadCaption, self.images, self.records, texts))
        told = {text: Naming(words) for text, words in self.told.items()}
        return Namings(self.corpus, captions, told)


def _to_data(found: Namings) -> NamingsData:
    captions = found.captions
    numbers = {text: i for i, text in enumerate(dict.fromkeys(caption.text for caption in captions))}
    return NamingsData(
        found.corpus,
        [caption.image for caption in captions],
        [caption.record for caption in captions],
        list(numbers),
        [numbers[caption.text] for caption in captions],
        {text: naming.told for text, naming in found.told.items()},
    )


_CODEC = Codec(NamingsData, _to_data, NamingsData.namings)
_CODE = (*READING_CODE, "measures/errors/*.py")


@dataclass(frozen=True)
class NamingJob(Job[Namings]):
    """Determines what captions name."""

    rule: Rule
    images: frozenset[str] | None = None  # captions of other images are skipped
    groups: str = ""  # hash of the file that lists these images

    @property
    def key(self) -> tuple[str, ...]:
        """Everything that the namings depend on besides captions and model."""
        return ("errors", *self.rule.identity, str(self.images is None), self.groups, code_digest(*_CODE))

    @property
    def codec(self) -> Codec[Namings, NamingsData]:
        """How namings are stored."""
        return _CODEC

    def start(self, annotations: AnnotationService) -> Reading[Namings]:
        """Return a reading that processes each distinct text once per source."""
        name, depth = self.rule.namer()
        annotate = partial(annotations.annotate, depth=depth)

        def read(captions: CaptionReader, progress: Step | None) -> Namings:
            found = Namings(CorpusTally(captions.source.name))
            blocks = annotated_blocks(
                captions,
                annotate,
                size=annotations.block_size,
                known=found.told,
                images=self.images,
                progress=progress,
            )
            for block, new in blocks:
                for text, annotation in new:
                    try:
                        found.told[text] = name(text, annotation)
                    except Exception as error:
                        note_caption(error, captions, block, text)
                        raise
                found.captions += (
                    ReadCaption(caption.image, caption.record - captions.before, caption.text)
                    for caption in block
                )
            found.corpus = captions.tally
            return found

        return read
