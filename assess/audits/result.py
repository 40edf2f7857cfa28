"""What an audit found: coverage, contrasts of each group, and every measure that its inputs allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, field_validator

from assess.measures.bias.result import GroupResult
from assess.measures.bias.words import DelicateCategory
from assess.measures.coverage.compute import CategoryFacts, SystemCoverage
from assess.measures.measure import Model, Result
from assess.measures.registry import find_measure, names
from assess.records import Analysis
from assess.report.analysis import analysis_shape
from assess.signature import Signature


class FileFacts(Model):
    """What tells a file of an audit from that of any other: how many lines it has, and their hash."""

    lines: int
    sha256: str


class AuditResult(Result):
    """An audit: in memory, in `audit.json`, and as the page reads it."""

    measure: ClassVar[str] = "audit"
    if_known: ClassVar[tuple[str, ...]] = ("bias", "notes")

    systems: dict[str, SystemCoverage]
    categories_never_used: tuple[str, ...] = ()
    categories: dict[str, CategoryFacts]
    markedness: tuple[DelicateCategory, ...] = ()
    bias: dict[str, GroupResult] = Field(default_factory=dict)  # by the group's name
    measures: dict[str, Any] = Field(default_factory=dict, exclude=True)  # results, by the measure's name
    notes: tuple[str, ...] = ()  # what was passed over
    # Of the distinct labels: what leads from a number back to its captions. In saved audits only.
    analyses: tuple[Analysis, ...] = Field((), exclude=True)
    # Of the files beside `audit.json`, by their names. In saved audits only.
    files: dict[str, FileFacts] = Field(default_factory=dict, exclude=True)

    def _ordered(self, found: dict[str, Any]) -> dict[str, Any]:
        notes = {"notes": found.pop("notes")} if "notes" in found else {}
        return found | {name: result.to_dict() for name, result in self.measures.items()} | notes

    @field_validator("signature")
    @classmethod
    def _has_levels(cls, signature: Signature) -> Signature:
        """Check the settings that numbers are worked out with again."""
        for name in ("level", "alpha"):
            if not 0 < float(str(signature.settings.get(name, 0.5))) < 1:
                raise ValueError(f"the setting {name} is not between 0 and 1")
        return signature

    @field_validator("bias")
    @classmethod
    def _named(cls, groups: dict[str, GroupResult]) -> dict[str, GroupResult]:
        return {name: group.model_copy(update={"name": name}) for name, group in sorted(groups.items())}

    def to_saved(self) -> dict[str, Any]:
        """Return what `audit.json` has: also whom each label is about, and all analyses."""
        found = self.to_dict()
        for name, group in self.bias.items():
            found["bias"][name]["members"] = group.members
        found["analyses"] = [analysis_shape(analysis) for analysis in self.analyses]
        found["files"] = {name: facts.model_dump() for name, facts in self.files.items()}
        return found

    @classmethod
    def from_saved(cls, found: Mapping[str, Any]) -> AuditResult:
        """Return the audit that stands in `audit.json`."""
        measures = {
            name: find_measure(name).result.model_validate(found[name]) for name in names() if name in found
        }
        return cls.model_validate({**found, "measures": measures})

    @property
    def machines(self) -> dict[str, SystemCoverage]:
        """The systems that are no references."""
        return {name: system for name, system in self.systems.items() if not system.reference}

    @property
    def references(self) -> frozenset[str]:
        """The names of the human references."""
        return frozenset(self.systems) - frozenset(self.machines)

    @property
    def groups(self) -> dict[str, GroupResult]:
        """The contrasts by each group, in the order that was asked for."""
        asked = str(self.signature.settings.get("by", "")).split(",")
        return {name: self.bias[name] for name in dict.fromkeys([*asked, *self.bias]) if name in self.bias}

    @property
    def domain(self) -> str:
        """The name of the domain."""
        return (self.signature.taxonomy or "the domain").partition("@")[0]
