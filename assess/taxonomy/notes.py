"""Which words of a reading are dated or offensive, as their entries note."""

from __future__ import annotations

from assess.records import Reading, Role
from assess.taxonomy.model import Note, Taxonomy
from assess.taxonomy.phrases import phrases_of, spaced


class WordNotes:
    """The notes of a taxonomy's words, in the category where they stand: "backward" is not always a slur."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._notes: dict[tuple[Role, str, str], Note] = {
            (phrase.role, phrase.category, phrase.text): phrase.note
            for phrase in phrases_of(taxonomy)
            if phrase.note is not None
        }

    def of(self, reading: Reading) -> dict[str, Note]:
        """Return the words of a reading that have a note, in their order."""
        found = ((span.text, (span.role, span.category, spaced(span.text))) for span in reading.spans)
        return {spaced(text): self._notes[key] for text, key in found if key in self._notes}
