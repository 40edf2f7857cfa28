"""What a page is made from: a saved audit, with all results as they stand in its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assess.audits.saved import HINT, SavedAudit, read_audit
from assess.errors import InputError, Place, visible
from assess.signature import Signature
from assess.taxonomy.strict_yaml import read_text

_SYSTEM = ("captions", "labels", "best", "categories")


@dataclass(frozen=True, slots=True)
class ReportInput:
    """A saved audit, checked, and its `audit.json` as it is: parts of a page appear where their keys do."""

    saved: SavedAudit
    results: dict[str, Any]
    folder: Path  # where files with other measures may stand

    @property
    def systems(self) -> dict[str, dict[str, Any]]:
        """The results of each system, references among them."""
        systems: dict[str, dict[str, Any]] = self.results["systems"]
        return systems

    @property
    def machines(self) -> dict[str, dict[str, Any]]:
        """The results of the systems that are no references."""
        return {name: system for name, system in self.systems.items() if not system.get("reference")}

    @property
    def bias(self) -> dict[str, dict[str, Any]]:
        """The contrasts by each group, in the order that was asked for."""
        bias: dict[str, dict[str, Any]] = self.results.get("bias", {})
        asked = str(self.signature.settings.get("by", "")).split(",")
        return {name: bias[name] for name in dict.fromkeys([*asked, *bias]) if name in bias}

    @property
    def signature(self) -> Signature:
        """What the results depend on."""
        return Signature.from_dict(self.results["signature"])

    def part(self, name: str) -> dict[str, Any] | None:
        """Return other measures: a file such as `recall.json` beside the audit, or else a key of it.

        Who puts a file there wants it shown: it may have other settings than the audit. One that is left
        from other captions is passed by.
        """
        file = self.folder / f"{name}.json"
        found = _read_part(file) if file.is_file() else None
        return self.results.get(name) if found is None or self._foreign(found) else found

    def foreign(self, names: Iterable[str]) -> list[str]:
        """Return which of these files beside the audit were measured on other captions."""
        files = {name: self.folder / f"{name}.json" for name in names}
        return [file.name for file in files.values() if file.is_file() and self._foreign(_read_part(file))]

    def _foreign(self, part: dict[str, Any]) -> bool:
        mine = {item.name: item.sha256 for item in self.signature.inputs}
        inputs = part.get("signature", {}).get("inputs", ())
        return any(mine.get(item["name"], item["sha256"]) != item["sha256"] for item in inputs)

    @property
    def domain(self) -> str:
        """The name of the domain."""
        return (self.signature.taxonomy or "the domain").partition("@")[0]


def read_input(path: Path, *, beside: Path | None = None) -> ReportInput:
    """Read a saved audit from its folder, or from its `audit.json`.

    Other measures are looked for in the same folder, or else `beside`.
    """
    saved = read_audit(str(path))
    results = json.loads(read_text(saved.file))
    for name, system in results["systems"].items():
        missing = [key for key in _SYSTEM if key not in system]
        if missing:
            message = f"is not an audit of ours: the system '{visible(name)}' has no `{missing[0]}`"
            raise InputError(message, place=Place(str(saved.file)), hint=HINT)
    return ReportInput(saved, results, beside or saved.file.parent)


def _read_part(file: Path) -> dict[str, Any]:
    place, hint = Place(str(file)), "write it again with --json, or take it out of the folder"
    try:
        found = json.loads(read_text(file))
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", place=place, hint=hint) from None
    if not isinstance(found, dict) or not isinstance(found.get("systems", {}), dict):
        raise InputError("is not a result of ours", place=place, hint=hint)
    return found
