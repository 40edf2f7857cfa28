"""Pairing inputs by image id: captions with groups and with references, never by line position."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from assess.audit.image_groups import ImageGroups, check_images
from assess.audit.referenced import check_references
from assess.corpus import CaptionReader, Source

Images = Mapping[Source, Collection[str]]
"""The image ids of each input."""


def images_of(sources: Sequence[Source]) -> dict[Source, set[str]]:
    """Read the image ids of inputs. It is a thousand times cheaper than annotating them."""
    return {source: {caption.image for caption in CaptionReader(source)} for source in sources}


def check_pairs(
    images: Images, references: Collection[Source], groups: Sequence[ImageGroups], *, partial: bool
) -> Iterator[str]:
    """Raise `InputError` where ids do not match, and yield notes about what is passed over."""
    human = {image for source in references for image in images[source]}
    files = " and ".join(f"'{source.file}'" for source in references)
    for source, found in images.items():
        if source in references:
            continue  # references may describe more images than anybody asks about
        notes = [check_images(group, found, file=source.file, partial=partial) for group in groups]
        if human:
            notes.append(check_references(found, human, name=source.file, other=files))
        yield from (note for note in notes if note)
