"""The page of keys in taxonomy files, generated from the model that validates them."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from assess.taxonomy.model import ID, Entry, Word, schema
from docs_tools.markdown import code, page, table

# The headings of the parts of a file, in the order in which authors need them.
_PARTS = {
    "Taxonomy": "The file",
    "HeadCategory": "A head category",
    "ModifierCategory": "A modifier category",
    "Entry": "A word",
    "Pronouns": "Pronouns",
    "Example": "An example",
}

_WORD = TypeAdapter(Word).json_schema()


def taxonomy_page() -> str:
    """Return all keys of taxonomy files."""
    introduction = (
        "This page lists every key with its type and meaning. [Taxonomy files](../taxonomy.md)"
        " explains how to use them. `assess schema` prints the JSON Schema for editors, from"
        " which this page is generated. Other keys are errors. Ids are lowercase, with hyphens:"
        " `hair-color`."
    )
    return page("Taxonomy keys", introduction, (_section(name, title) for name, title in _PARTS.items()))


def _section(name: str, title: str) -> str:
    part = _part(name)
    required = set(part.get("required") or part.get("else", part).get("required", ()))
    rows = [
        (
            code(key),
            _type(value),
            "required" if key in required else _default(value),
            value["description"],
        )
        for key, value in part["properties"].items()
    ]
    described = part.get("description", "")
    return f"## {title}\n\n{described}\n\n{table(('key', 'type', 'default', 'what it holds'), rows)}"


def _part(name: str) -> dict[str, Any]:
    whole = schema()
    if name == "Taxonomy":
        return whole
    if name == "Entry":
        # Short forms stand in the schema of files; the long one is the model's own.
        return {
            **Entry.model_json_schema(),
            "description": (
                "A word or phrase: `boy`; with an irregular plural, `man: men`; without a plural,"
                " `police: null`; or with these keys."
            ),
        }
    found: dict[str, Any] = whole["$defs"][name]
    return found


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        return _PARTS[value["$ref"].rpartition("/")[2].removesuffix("Addition")].lower()
    if "anyOf" in value:
        if value == _WORD:
            return "a word"
        return " or ".join(dict.fromkeys(_type(one) for one in value["anyOf"]))
    if "enum" in value:
        return ", ".join(map(code, value["enum"]))
    if "const" in value:
        return code(value["const"])
    return _plain_type(value)


def _plain_type(value: dict[str, Any]) -> str:
    kind = value.get("type")
    if kind == "array":
        return f"list of {_plural(_type(value['items']))}"
    if kind == "object" and "properties" in value:
        return f"a mapping with {', '.join(map(code, value['properties']))}"
    if kind == "object":
        inner = next(iter(value.get("patternProperties", {}).values()), value["additionalProperties"])
        return f"id to {_type(inner)}"
    return {
        "string": "id" if value.get("pattern") == ID else "text",
        "boolean": "true or false",
        "null": "null",
    }[str(kind)]


def _plural(kind: str) -> str:
    return {"a word": "words", "an example": "examples", "text": "texts", "id": "ids"}.get(kind, kind)


def _default(value: dict[str, Any]) -> str:
    default = value.get("default")
    return (
        ""
        if default in (None, [], ())
        else code(str(default).lower() if isinstance(default, bool) else default)
    )
