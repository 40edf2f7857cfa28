"""Which words of a reading are dated or offensive, as the grammar notes."""

from __future__ import annotations

from assess.grammar.model import Grammar
from assess.records import Reading
from assess.taxonomy.model import Note
from assess.taxonomy.phrases import spaced


class WordNotes:
    """The notes of a grammar's words, in the category where they stand: "backward" is not always a slur."""

    def __init__(self, grammar: Grammar) -> None:
        self._notes = dict(grammar.facts.notes)

    def of(self, reading: Reading) -> dict[str, Note]:
        """Return the words of a reading that have a note, in their order."""
        found = ((span.text, (span.role, span.category, spaced(span.text))) for span in reading.spans)
        return {spaced(text): self._notes[key] for text, key in found if key in self._notes}
