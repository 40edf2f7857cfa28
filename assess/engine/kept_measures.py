"""Diversity and recall on disk: captions that were measured before need not be measured again.

Measures depend on the bytes of all files, their names, how they are read, the model, the settings and our
code, and all of these are in the key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assess.corpus import Source
from assess.engine.kept_counts import file_hashes, how_it_is_read
from assess.resources import code_digest
from assess.shelf import Shelf

if TYPE_CHECKING:
    from assess.engine.measures_run import Measures

MEASURES = Shelf("measures", rooms=("corpus", "engine", "metrics", "signature"), most=64)
_CODE = ("*.py", "corpus/*.py", "annotate/*.py", "engine/*.py", "metrics/*.py", "audit/multiplicity.py")


class KeptMeasures:
    """The measures of some sources, if they are kept or may be."""

    def __init__(self, sources: Sequence[Sequence[Source]], *, origin: str, settings: object) -> None:
        """Look for the measures of systems, references and training, each a list of its own."""
        everything = [source for group in sources for source in group]
        hashes = [file_hashes(source) for source in everything]
        self._whole = None not in hashes
        self._hashes = {found[0] for found in hashes if found and len(found) == 1}
        self._key = (
            origin,
            code_digest(*_CODE),
            repr(settings),
            *(str(len(group)) for group in sources),
            *(part for source in everything for part in (source.name, *how_it_is_read(source))),
            *(value for found in hashes for value in found or ()),
        )

    def take(self) -> Measures | None:
        """Return the measures of the files as they are now."""
        found: Measures | None = MEASURES.take(self._key) if self._whole else None
        return found

    def put(self, measures: Measures) -> None:
        """Keep measures, unless the files have changed since they were asked for."""
        read = {item.sha256 for item in measures.diversity.signature.inputs} if measures.diversity else set()
        if self._whole and self._hashes <= read:
            MEASURES.put(self._key, measures)
