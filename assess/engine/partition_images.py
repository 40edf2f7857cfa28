"""The image ids of partitions: what is checked before any work, without annotating anything."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.corpus import CaptionReader, CorpusTally, Partition


@dataclass(slots=True)
class ImageIds:
    """The images of a system, or of a part of it."""

    corpus: CorpusTally
    images: set[str] = field(default_factory=set)

    def empty(self) -> ImageIds:
        """Return no images, of the same system."""
        return ImageIds(CorpusTally(self.corpus.system))

    def add(self, other: ImageIds) -> None:
        """Add the images of the part that follows."""
        self.corpus.add(other.corpus)
        self.images |= other.images


@dataclass(frozen=True)
class ImageJob:
    """Read image ids."""

    model: str
    versions: str

    def count(self, partition: Partition) -> ImageIds:
        """Read the image ids of a partition."""
        reader = CaptionReader(partition.source, partition)
        images = {caption.image for caption in reader}
        return ImageIds(reader.tally, images)
