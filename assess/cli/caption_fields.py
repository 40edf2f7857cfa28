"""How caption files are read, where they do not show it themselves: the same options in every command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assess.cli import options

if TYPE_CHECKING:
    from assess.api.running import Sources


@dataclass(frozen=True)
class CaptionFields:
    """What overrides that which is found in the files."""

    format: options.Format = None
    id_field: options.IdField = None
    caption_field: options.CaptionField = None
    split: options.Split = None
    join: options.Join = None

    def sources(self, files: list[str], references: list[str] | None = None) -> Sources:
        """Return the sources of systems and of references that the command line names."""
        from assess.corpus import SourceOptions, parse_source

        # The overrides describe the systems' files; references are recognised by themselves. Only the split
        # goes to the references where there are some: systems' outputs have none.
        fields = SourceOptions(
            format=self.format, id_field=self.id_field, caption_field=self.caption_field, join=self.join
        )
        if not references:
            fields["split"] = self.split
        systems = [parse_source(argument, **fields) for argument in files]
        humans = [parse_source(argument, split=self.split) for argument in references or ()]
        return systems, humans


AS_FOUND = CaptionFields()
"""Files as they show themselves."""
