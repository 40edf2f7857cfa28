"""Which images systems and references describe, and notes on differences between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, Source, unlike_ids
from assess.engine.annotating import AnnotationService, Step
from assess.engine.captions import CaptionJob, CaptionKeeper, SourceCaptions
from assess.engine.columns import DistinctTexts, Words, numbered
from assess.engine.jobs import Job, Reading, SourceCounts, annotated_blocks
from assess.errors import InputError, some, visible
from assess.measures.measure import Inputs
from assess.measures.metric import ratio
from assess.measures.settings import Mode
from assess.measures.words import is_word
from assess.records import Depth

Images = Mapping[str, Collection[str]]  # the images of each system


def unequal_sets(systems: Images) -> tuple[str, ...]:
    """Return a warning if systems describe different images; nothing if all describe the same."""
    number, numbers = numbered(systems)
    described = {name: np.unique(found) for name, found in numbers.items()}
    times = np.bincount(np.concatenate([*described.values(), []]).astype(np.int32), minlength=number)
    shared = np.count_nonzero(times == len(described)) if described else 0
    if all(images.size == shared for images in described.values()):
        return ()
    counts = ", ".join(f"{visible(name, 40)} {images.size:,}" for name, images in described.items())
    warning = (
        f"the systems describe different images ({counts}; in common {shared:,}): types,"
        " unique captions and coverage grow with the number of captions and are not comparable"
    )
    return (warning,)


def described_images(systems: Images) -> set[str]:
    """Return the images that at least one system describes."""
    return set().union(*systems.values())


def references_in_common(systems: Images, references: Collection[str], *, names: Sequence[str]) -> set[str]:
    """Return the referenced images that some system describes; raises an error if there are none.

    `names` are those of the reference files.
    """
    shared = described_images(systems) & set(references)
    if shared:
        return shared
    listed = ", ".join(f"{visible(name, 40)} {len(set(images)):,}" for name, images in systems.items())
    files = ", ".join(visible(name, 40) for name in names)
    raise InputError(
        f"no image of the systems ({listed}) is among the {len(set(references)):,} images of {files}",
        hint=unlike_ids(described_images(systems), references),
    )


NOTHING_SHARED = "systems and references have no image id in common: all references are measured"


def set_notes(descriptions: Collection[int], sets: int) -> tuple[str, ...]:
    """Return how many parallel sets references form, given each image's descriptions, and what remains."""
    notes = [f"mean over {sets} parallel descriptions per image" if sets > 1 else "one description per image"]
    if over := sum(descriptions) - sets * len(descriptions):
        notes.append(f"excluded: {some(over, 'description')} beyond the {sets} that every image has")
    return tuple(notes)


def left_out(references: Collection[str], used: Collection[str]) -> tuple[str, ...]:
    """Return a note if references are ignored because no system describes their images."""
    missing = len(set(references)) - len(set(used))
    if not missing:
        return ()
    note = (
        f"references of {some(missing, 'image')} that no system describes are excluded;"
        f" {some(len(set(used)), 'image')} left to compare"
    )
    return (note,)


# Training captions: what a system could have copied, and the words that it could have learned.

Key = Words  # as captions are compared: their words, or under the paper's rule their text


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What the measures need to know about the training captions, which are not kept themselves."""

    summaries: tuple[CorpusSummary, ...]
    keys: frozenset[Key]  # of each distinct caption
    counts: Mapping[str, int]  # of each lowercased word


def caption_key(text: str, words: Words, mode: Mode) -> Key:
    """Return a caption in the form in which the mode compares it with training captions."""
    return (paper_key(text),) if mode == "paper" else token_key(words)


def caption_keys(store: DistinctTexts, numbers: Iterable[int], mode: Mode) -> list[Key]:
    """Return the keys of captions, given as numbers of their texts."""
    numbers = list(numbers)
    keys = {number: _key(store, number, mode) for number in set(numbers)}
    return [keys[number] for number in numbers]


def _key(store: DistinctTexts, number: int, mode: Mode) -> Key:
    # Not all stores have the texts themselves, which only the paper's rule needs.
    return caption_key(store.texts[number] if mode == "paper" else "", store.words(number), mode)


# Whether a caption is novel or occurs in the training captions.


def paper_key(text: str) -> str:
    """Return a caption as the paper compares it: lowercased, without final punctuation or spaces.

    A flaw of this rule: "a dog ." becomes "a dog " and never equals "A dog.".
    """
    return text.lower().strip(".?!")


def token_key(words: Iterable[str]) -> Words:
    """Return a caption as we compare it: lowercased words, without punctuation or white space tokens."""
    return tuple(word.lower() for word in words if is_word(word))


@dataclass(frozen=True, slots=True)
class Novelty:
    """How many captions do not occur in the training captions. Objects can be added."""

    captions: int = 0
    novel: int = 0

    def __add__(self, other: Novelty) -> Novelty:
        return Novelty(self.captions + other.captions, self.novel + other.novel)

    @property
    def share(self) -> float:
        """Novel captions divided by all captions; the paper prints it as a percentage."""
        return float(ratio(self.novel, self.captions))


def novelty(keys: Iterable[str] | Iterable[Words], training: Iterable[str] | Iterable[Words]) -> Novelty:
    """Return how many captions are novel; both arguments are keys of the same rule, the paper's or ours."""
    known = set(training)
    verdicts = [key not in known for key in keys]
    return Novelty(len(verdicts), sum(verdicts))


@dataclass
class TrainingCounts(SourceCounts):
    """What the measures need of one source of training captions, or of a part of it."""

    keys: set[Key] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, other: TrainingCounts) -> None:
        """Add the counts of the next part."""
        super().add(other)
        self.keys |= other.keys
        self.counts.update(other.counts)


@dataclass(frozen=True)
class TrainingJob(Job[TrainingCounts]):
    """Reads training captions."""

    mode: Mode

    def start(self, annotations: AnnotationService) -> Reading[TrainingCounts]:
        """Return a reading that tokenises captions."""

        def read(captions: CaptionReader, progress: Step | None) -> TrainingCounts:
            found = TrainingCounts(CorpusTally(captions.source.name))
            blocks = annotated_blocks(
                captions, annotations.tokenise, size=annotations.block_size, progress=progress
            )
            for block, tokenised in blocks:
                words = {text: annotation.words for text, annotation in tokenised}
                for caption in block:
                    found.keys.add(caption_key(caption.text, words[caption.text], self.mode))
                    found.counts.update(word.lower() for word in words[caption.text])
            found.corpus = captions.tally
            return found

        return read


def read_training(inputs: Inputs, mode: Mode) -> Training | None:
    """Read the training captions; None if no file is given."""
    if not inputs.training:
        return None
    found = list(inputs.read(TrainingJob(mode), inputs.training).values())
    counts: Counter[str] = Counter()
    for each in found:
        counts.update(each.counts)
    summaries = tuple(each.summary for each in found)
    return Training(summaries, frozenset().union(*(each.keys for each in found)), counts)


def read_captions(
    inputs: Inputs, sources: Sequence[Source], *, depth: Depth, images: frozenset[str] | None = None
) -> list[SourceCaptions]:
    """Return the captions of sources, optionally of some images only. Sources share a store of texts."""
    found = list(inputs.read(CaptionJob(depth, images), sources).values())
    if len({id(captions.store) for captions in found}) > 1:  # they were read in different places
        store = DistinctTexts(depth)
        found = [captions.moved_to(store) for captions in found]
    return found


def read_inputs(
    inputs: Inputs, *, mode: Mode = "assess", depth: Depth, kept: CaptionKeeper | None = None
) -> tuple[dict[str, SourceCaptions], list[SourceCaptions], Training | None]:
    """Return the captions of systems by name, those of references, and facts about training captions.

    Captions of systems and references come from `kept` if it has them.
    """
    known = read_training(inputs, mode)
    everything = [*inputs.systems, *inputs.references]
    found = kept.take(everything) if kept else None
    found = found or read_captions(inputs, everything, depth=depth)
    systems = {captions.corpus.system: captions for captions in found[: len(inputs.systems)]}
    return systems, found[len(inputs.systems) :], known
