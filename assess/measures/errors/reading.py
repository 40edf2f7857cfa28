"""What captions name, read source by source, and kept on disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, TallyData
from assess.disk_cache import Codec
from assess.engine.annotating import AnnotationService, Step
from assess.engine.jobs import Job, Reading, annotated_blocks, note_caption
from assess.measures.errors.naming import Naming, Rule
from assess.resources import code_digest


class ReadCaption(NamedTuple):
    """A caption of an annotated image, or of any where all are read."""

    image: str
    record: int
    text: str


@dataclass(slots=True)
class Namings:
    """What the captions of a source name, or those of a part of it. Parts add up in their order."""

    corpus: CorpusTally
    captions: list[ReadCaption] = field(default_factory=list)
    told: dict[str, Naming] = field(default_factory=dict)  # by text

    @property
    def summary(self) -> CorpusSummary:
        """What was read, once all of it was."""
        return self.corpus.summary()

    def empty(self) -> Namings:
        """Return nothing, of the same source."""
        return Namings(CorpusTally(self.corpus.system))

    def add(self, other: Namings) -> None:
        """Add the part that follows; its captions are numbered on from ours."""
        before = self.corpus.captions
        self.captions += (caption._replace(record=before + caption.record) for caption in other.captions)
        self.corpus.add(other.corpus)
        self.told |= other.told


@dataclass(frozen=True, slots=True)
class NamingsData:
    """Namings as they are kept on disk: by column, and each text once."""

    corpus: TallyData
    images: list[str]  # of each caption
    records: list[int]
    texts: list[str]
    numbers: list[int]  # of each caption's text
    told: dict[str, tuple[tuple[str, str], ...]]  # by text

    def namings(self) -> Namings:
        """Return the namings themselves."""
        texts = map(self.texts.__getitem__, self.numbers)
        captions = list(map(ReadCaption, self.images, self.records, texts))
        told = {text: Naming(words) for text, words in self.told.items()}
        return Namings(self.corpus.tally(), captions, told)


def _to_data(found: Namings) -> NamingsData:
    captions = found.captions
    numbers = {text: i for i, text in enumerate(dict.fromkeys(caption.text for caption in captions))}
    return NamingsData(
        found.corpus.to_data(),
        [caption.image for caption in captions],
        [caption.record for caption in captions],
        list(numbers),
        [numbers[caption.text] for caption in captions],
        {text: naming.told for text, naming in found.told.items()},
    )


_CODEC = Codec(NamingsData, _to_data, NamingsData.namings)
_CODE = (
    "*.py",
    "corpus/*.py",
    "taxonomy/*.py",
    "grammar/*.py",
    "annotate/*.py",
    "engine/*.py",
    "measures/errors/*.py",
)


@dataclass(frozen=True)
class NamingJob(Job[Namings]):
    """Find what captions name."""

    rule: Rule
    images: frozenset[str] | None = None  # captions of other images are left out
    groups: str = ""  # a hash of the file that these images come from

    @property
    def key(self) -> tuple[str, ...]:
        """All that the namings depend on besides captions and model."""
        return ("errors", *self.rule.identity, str(self.images is None), self.groups, code_digest(*_CODE))

    @property
    def codec(self) -> Codec[Namings, NamingsData]:
        """How namings are kept."""
        return _CODEC

    def start(self, annotations: AnnotationService) -> Reading[Namings]:
        """Return a reading that works out each distinct text once per source."""
        name = self.rule.namer()
        annotate = self.rule.annotate(annotations)

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
