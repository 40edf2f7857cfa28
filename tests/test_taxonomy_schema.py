"""The JSON Schema for editors, and the identity of a taxonomy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from assess.taxonomy import Taxonomy, load_taxonomy, schema, shipped_taxonomies
from tests.strategies import taxonomy_of

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "object": dict, "array": list, "boolean": bool, "null": type(None),
}  # fmt: skip
_KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "default", "type", "properties", "required",
    "additionalProperties", "patternProperties", "items", "anyOf", "enum", "const", "pattern", "minLength",
    "minProperties",
}  # fmt: skip


def faults(value: Any, part: dict[str, Any], whole: dict[str, Any], at: str = "") -> list[str]:
    """Return where a value breaks a schema: a validator for the keywords that ours uses, and no others."""
    assert set(part) <= _KNOWN, f"unexpected keywords: {set(part) - _KNOWN}"
    if "$ref" in part:
        return faults(value, whole["$defs"][part["$ref"].removeprefix("#/$defs/")], whole, at)
    if "anyOf" in part and all(faults(value, choice, whole, at) for choice in part["anyOf"]):
        return [f"{at}: none of the choices"]
    found = []
    kinds = [part["type"]] if isinstance(part.get("type"), str) else part.get("type", [])
    if kinds and not any(isinstance(value, _TYPES[kind]) for kind in kinds):
        return [f"{at}: not {kinds}"]
    if value not in part.get("enum", [value]) or value != part.get("const", value):
        found.append(f"{at}: not allowed")
    if isinstance(value, str):
        found += [f"{at}: too short"] * (len(value) < part.get("minLength", 0))
        found += [f"{at}: pattern"] * (not re.search(part.get("pattern", ""), value))
    if isinstance(value, list):
        for index, item in enumerate(value):
            found += faults(item, part.get("items", {}), whole, f"{at}/{index}")
    return found + (object_faults(value, part, whole, at) if isinstance(value, dict) else [])


def object_faults(value: dict[str, Any], part: dict[str, Any], whole: dict[str, Any], at: str) -> list[str]:
    found = [f"{at}: `{key}` is missing" for key in part.get("required", ()) if key not in value]
    found += [f"{at}: empty"] * (len(value) < part.get("minProperties", 0))
    for key, inner in value.items():
        choices = [part["properties"][key]] if key in part.get("properties", {}) else []
        patterns = part.get("patternProperties", {}).items()
        choices += [choice for pattern, choice in patterns if re.search(pattern, key)]
        other = part.get("additionalProperties", True)
        if not choices and other is False:
            found.append(f"{at}: unknown key `{key}`")
        elif not choices and isinstance(other, dict):
            choices = [other]
        for choice in choices:
            found += faults(inner, choice, whole, f"{at}/{key}")
    return found


def values_of(name: str) -> dict[str, Any]:
    values = yaml.safe_load(shipped_taxonomies()[name].read_text(encoding="utf-8"))
    assert isinstance(values, dict)
    return values


def test_the_schema_is_plain_json_of_the_2020_dialect() -> None:
    found = schema()
    assert json.loads(json.dumps(found)) == found
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["required"] == ["taxonomy", "version", "description", "heads"]


def test_every_key_of_the_schema_explains_itself_or_has_a_telling_name() -> None:
    silent = {name for name, part in schema()["properties"].items() if "description" not in part}
    assert silent <= {"language", "description", "heads", "modifiers", "examples"}


@pytest.mark.parametrize("name", shipped_taxonomies())
def test_shipped_taxonomies_follow_the_schema(name: str) -> None:
    assert faults(values_of(name), schema(), schema()) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("heds",), {}),
        (("version",), "1.0"),
        (("heads",), {}),
        (("taxonomy",), "People"),
        (("language",), "de"),
        (("modifiers", "Age"), {"description": "A.", "evidence": "visible", "sensitivity": "none"}),
        (("modifiers", "age", "evidence"), "seen"),
        (("modifiers", "age", "words"), "old"),
        (("modifiers", "age", "wrods"), ["old"]),
        (("modifiers", "age", "words"), [20]),
        (("modifiers", "age", "words"), [{"word": "old", "not_with": "man"}]),
        (("examples",), [{"heads": ["age"]}]),
    ],
)
def test_the_schema_refuses_what_we_refuse(place: tuple[str, ...], value: Any) -> None:
    values = values_of("people")
    part = values
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    assert faults(values, schema(), schema())


@pytest.mark.parametrize("name", shipped_taxonomies())
def test_the_schema_file_that_a_shipped_taxonomy_names_is_there_and_fresh(name: str) -> None:
    path = shipped_taxonomies()[name]
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    named = path.parent / Path(first.partition("=")[2])
    assert named.is_file(), f"run: assess schema > taxonomies/{named.name}"
    assert json.loads(named.read_text(encoding="utf-8")) == schema()


BASE: dict[str, Any] = {
    "heads": {
        "a": {"description": "A.", "words": ["police", "man"]},
        "b": {"description": "B.", "words": ["boy"]},
    },
    "groups": {"g": {"x": ["man"], "y": ["boy"]}},
}


def variant(**changes: Any) -> Taxonomy:
    return taxonomy_of({**BASE, **changes})


def test_the_identity_names_version_and_content() -> None:
    assert re.fullmatch(r"generated@1\.0\.0#[0-9a-f]{12}", variant().identity)
    assert variant().identity == variant().identity
    assert load_taxonomy("people").identity == load_taxonomy("people").identity


@pytest.mark.parametrize(
    "changes",
    [
        {"heads": {**BASE["heads"], "a": {"description": "A.", "words": [{"police": None}, "man"]}}},
        {"heads": {**BASE["heads"], "a": {"description": "A.", "words": ["police", "man", "cook"]}}},
        {"heads": dict(reversed(BASE["heads"].items()))},
        {"groups": {"g": {"y": ["boy"], "x": ["man"]}}},
        {"excluded": ["snow man"]},
        {"hyphens": "exact"},
        {"plurals_are": "a"},
    ],
)
def test_what_can_change_a_number_changes_the_digest(changes: dict[str, Any]) -> None:
    assert variant(**changes).digest != variant().digest


@pytest.mark.parametrize(
    "changes",
    [{"description": "Other."}, {"examples": [{"text": "a man"}]}, {"groups": dict(BASE["groups"])}],
)
def test_what_changes_no_number_leaves_the_digest(changes: dict[str, Any]) -> None:
    assert variant(**changes).digest == variant().digest
