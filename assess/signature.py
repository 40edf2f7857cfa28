"""Everything that a result depends on, stored as data and formatted in one place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from assess import __version__
from assess.corpus import CorpusSummary
from assess.limits import CAPTION_WORDS, SENTENCE_WORDS


@dataclass(frozen=True, slots=True)
class InputIdentity:
    """A caption file identified by its content; its path does not affect numbers."""

    name: str
    captions: int
    sha256: str
    unread: int = 0  # captions that are too long to analyse
    unread_at: tuple[str, ...] = ()  # the locations of the first few of them

    @classmethod
    def of(cls, summary: CorpusSummary) -> InputIdentity:
        """Return the identity of an input from its summary."""
        return cls(summary.name, summary.captions, summary.sha256, summary.unread, summary.unread_at)

    def as_dict(self) -> dict[str, Any]:
        """Return the identity of the file and, if there are any, its unread captions."""
        found: dict[str, Any] = {"name": self.name, "captions": self.captions, "sha256": self.sha256}
        if self.unread:
            found |= {"unread": self.unread, "unread_at": list(self.unread_at)}
        return found

    def unread_note(self) -> str | None:
        """Return a note on which captions were not read, and why; None if all were."""
        if not self.unread:
            return None
        more = "" if self.unread == len(self.unread_at) else ", …"
        count = "1 caption was" if self.unread == 1 else f"{self.unread:,} captions were"
        return (
            f"{self.name}: {count} too long to analyse, and counted as empty:"
            f" {', '.join(self.unread_at)}{more} (a sentence of more than {SENTENCE_WORDS.most:,}"
            f" words, or {CAPTION_WORDS.most:,} words in total)"
        )


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that can change a number."""

    tool: str = f"assess {__version__}"
    taxonomy: str | None = None
    model: str | None = None
    inputs: tuple[InputIdentity, ...] = ()
    settings: dict[str, str | int | float | bool | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Sorted by name, so that equal settings give equal bytes.
        object.__setattr__(self, "settings", dict(sorted(self.settings.items())))

    def as_dict(self) -> dict[str, Any]:
        """Return the signature as a JSON object."""
        return {
            "tool": self.tool,
            "taxonomy": self.taxonomy,
            "model": self.model,
            "inputs": [item.as_dict() for item in self.inputs],
            "settings": dict(sorted(self.settings.items())),
        }

    def as_line(self) -> str:
        """Return the signature in one line, to show below a table."""
        parts: Iterable[str | None] = (
            self.tool,
            f"domain {self.taxonomy}" if self.taxonomy else None,
            f"model {self.model}" if self.model else None,
            *(f"{item.name} {item.captions}#{item.sha256[:8]}" for item in self.inputs),
            *(f"{key}={value}" for key, value in sorted(self.settings.items())),
        )
        return " | ".join(part for part in parts if part)
