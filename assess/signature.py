"""What a result depends on, kept as data and formatted once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from assess import __version__


@dataclass(frozen=True, slots=True)
class InputIdentity:
    """A caption file by its content; its path says nothing about a number."""

    name: str
    captions: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that can change a number."""

    tool: str = f"assess {__version__}"
    taxonomy: str | None = None
    model: str | None = None
    inputs: tuple[InputIdentity, ...] = ()
    settings: dict[str, str | int | float | bool | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # In the order of their names, so that equal settings are equal bytes.
        object.__setattr__(self, "settings", dict(sorted(self.settings.items())))

    def as_dict(self) -> dict[str, Any]:
        """Return the signature as it stands in JSON."""
        return {
            "tool": self.tool,
            "taxonomy": self.taxonomy,
            "model": self.model,
            "inputs": [
                {"name": item.name, "captions": item.captions, "sha256": item.sha256} for item in self.inputs
            ],
            "settings": dict(sorted(self.settings.items())),
        }

    def as_line(self) -> str:
        """Return the signature in one line, to paste below a table."""
        parts: Iterable[str | None] = (
            self.tool,
            f"domain {self.taxonomy}" if self.taxonomy else None,
            f"model {self.model}" if self.model else None,
            *(f"{item.name} {item.captions}#{item.sha256[:8]}" for item in self.inputs),
            *(f"{key}={value}" for key, value in sorted(self.settings.items())),
        )
        return " | ".join(part for part in parts if part)
