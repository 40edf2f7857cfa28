"""The result of an audit: coverage, contrasts of each group, and all measures that its inputs allow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field, TypeAdapter, ValidationInfo, field_validator

from assess.measures.bias.result import GroupResult
from assess.measures.bias.words import DelicateCategory
from assess.measures.coverage.compute import CategoryFacts, SystemCoverage
from assess.measures.measure import Model, Result
from assess.measures.registry import find_measure, names
from assess.records import Analysis, Reading, Span
from assess.report.analysis import analysis_shape
from assess.report.text import defined
from assess.signature import Signature


class FileFacts(Model):
    """Identifies a file of an audit by its number of lines and its hash."""

    lines: int
    sha256: str


class AuditResult(Result):
    """An audit in memory, in `audit.json`, and as the page reads it."""

    measure: ClassVar[str] = "audit"
    if_known: ClassVar[tuple[str, ...]] = ("bias", "notes")

    systems: dict[str, SystemCoverage]
    categories_never_used: tuple[str, ...] = ()
    categories: dict[str, CategoryFacts]
    markedness: tuple[DelicateCategory, ...] = ()
    bias: dict[str, GroupResult] = Field(default_factory=dict)  # name of the group -> contrasts
    measures: dict[str, Any] = Field(default_factory=dict, exclude=True)  # name of the measure -> result
    notes: tuple[str, ...] = ()  # what was skipped, and why
    # Analyses of the distinct labels, which lead from a number to its captions. Saved in a separate file.
    analyses: tuple[Analysis, ...] = Field((), exclude=True)
    labels: str | None = Field(None, exclude=True)  # the text of that file, if the analyses are not loaded
    # The files next to `audit.json` by name. Only in saved audits.
    files: dict[str, FileFacts] = Field(default_factory=dict, exclude=True)

    def _ordered(self, found: dict[str, Any]) -> dict[str, Any]:
        notes = {"notes": found.pop("notes")} if "notes" in found else {}
        return found | {name: result.to_dict() for name, result in self.measures.items()} | notes

    @field_validator("signature")
    @classmethod
    def _has_levels(cls, signature: Signature) -> Signature:
        """Check the settings that are needed to compute numbers again."""
        for name in ("level", "alpha"):
            if not 0 < float(str(signature.settings.get(name, 0.5))) < 1:
                raise ValueError(f"the setting {name} is not between 0 and 1")
        return signature

    @field_validator("categories")
    @classmethod
    def _counted(cls, categories: dict[str, CategoryFacts], info: ValidationInfo) -> dict[str, CategoryFacts]:
        """Check that every system has counts of every category, because reports access all of them."""
        systems: dict[str, SystemCoverage] = info.data.get("systems", {})
        for name, system in systems.items():
            for missing in sorted(categories.keys() - system.categories.keys()):
                raise ValueError(f"the system {name} has no counts of {missing}")
        return categories

    @field_validator("bias")
    @classmethod
    def _named(cls, groups: dict[str, GroupResult]) -> dict[str, GroupResult]:
        return {name: group.model_copy(update={"name": name}) for name, group in sorted(groups.items())}

    def to_saved(self) -> str:
        """Return the text of `audit.json`, which includes each image's groups and the files of the audit."""
        found = self.to_dict()
        for name, group in self.bias.items():
            if group.told_by == "images":
                found["bias"][name]["members"] = group.members
        found["files"] = {name: facts.model_dump() for name, facts in self.files.items()}
        return _in_levels(found, _LEVELS) + "\n"

    @classmethod
    def from_saved(cls, found: Mapping[str, Any]) -> AuditResult:
        """Return the audit in `audit.json`."""
        if not isinstance(found, Mapping):
            raise TypeError("it is not a JSON object")
        measures = {
            name: find_measure(name).result.model_validate(found[name]) for name in names() if name in found
        }
        return cls.model_validate({**found, "measures": measures})

    @property
    def machines(self) -> dict[str, SystemCoverage]:
        """The systems without references."""
        return {name: system for name, system in self.systems.items() if not system.reference}

    @property
    def references(self) -> frozenset[str]:
        """The names of the human references."""
        return frozenset(self.systems) - frozenset(self.machines)

    @property
    def groups(self) -> dict[str, GroupResult]:
        """The contrasts of each group, in the requested order."""
        asked = str(self.signature.settings.get("by", "")).split(",")
        return {name: self.bias[name] for name in dict.fromkeys([*asked, *self.bias]) if name in self.bias}

    @property
    def domain(self) -> str:
        """The name of the domain."""
        return (self.signature.taxonomy or "the domain").partition("@")[0]


_LEVELS = 4
"""The number of levels of `audit.json` that are indented; deeper ones, such as cells, take one line."""


def _in_levels(value: Any, levels: int, indent: str = "\n") -> str:
    """Return JSON with only its outer levels indented, which takes a fifth of the time and half the space."""
    inner = f"{indent}  "
    if levels and isinstance(value, dict) and value:
        items = (f"{_json(str(key))}: {_in_levels(item, levels - 1, inner)}" for key, item in value.items())
        return f"{{{inner}{f',{inner}'.join(items)}{indent}}}"
    if levels and isinstance(value, list | tuple) and value:
        return f"[{inner}{f',{inner}'.join(_in_levels(item, levels - 1, inner) for item in value)}{indent}]"
    return _json(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _json(value: Any) -> str:
    try:
        return _ENCODER.encode(value)
    except ValueError:  # something is undefined or infinite
        return _ENCODER.encode(defined(value))


def label_text(audit: AuditResult) -> str:
    """Return the text of `labels.jsonl`: each distinct label with its groups and its analysis."""
    return "".join(_label_lines(audit)) if audit.labels is None else audit.labels


def _label_lines(audit: AuditResult) -> Iterator[str]:
    told = {name: group.members for name, group in audit.bias.items() if group.told_by == "words"}
    for analysis in audit.analyses:
        shape = analysis_shape(analysis)
        best = shape.pop("best")
        line = {"label": shape.pop("text")} | shape
        if best != {key: shape[key] for key in best}:
            line["best"] = best
        groups = {name: found[analysis.text] for name, found in told.items() if analysis.text in found}
        yield _json(line | {"groups": groups}) + "\n"


def as_saved(analysis: Analysis) -> Analysis:
    """Return an analysis as it is read back from `labels.jsonl`, which does not contain all of it."""
    best = analysis.best._replace(spans=_saved_spans(analysis.best.spans))
    return analysis._replace(tokens=(), pronouns=(), best=best, spans=_saved_spans(analysis.spans))


def _saved_spans(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return spans with positions of modifiers only, as `labels.jsonl` has none of heads."""
    if all(span.position == "chunk" or span.role == "modifier" for span in spans):
        return spans
    return tuple([span if span.role == "modifier" else span._replace(position="chunk") for span in spans])


def read_label(line: bytes) -> tuple[Analysis, dict[str, str]]:
    """Return the contents of a line of `labels.jsonl`; raises errors of pydantic and Python."""
    found = dict(json.loads(line))
    text, groups = found.pop("label"), found.pop("groups")
    whole = {key: found[key] for key in ("heads", "modifiers", "spans")}
    analysis = _ANALYSIS.validate_python({"best": whole, **found, "text": text})
    return analysis, _GROUPS.validate_python(groups)


def category_names(reading: Analysis | Reading) -> list[str]:
    """Return the categories of a reading, named as in `AuditResult.categories`."""
    return [f"modifier.{name}" for name in reading.modifiers] + [f"head.{name}" for name in reading.heads]


def all_category_names(analysis: Analysis) -> set[str]:
    """Return the categories of all readings and of their spans, named in the same way."""
    spans = {f"{span.role}.{span.category}" for span in (*analysis.spans, *analysis.best.spans)}
    return spans.union(category_names(analysis), category_names(analysis.best))


_ANALYSIS: TypeAdapter[Analysis] = TypeAdapter(Analysis)
_GROUPS: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
