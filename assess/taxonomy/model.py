"""The model of a taxonomy: what a YAML file may contain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StrictBool,
    StrictStr,
    WithJsonSchema,
)

from assess.records import Role

Trail: TypeAlias = tuple[str | int, ...]
"""Keys and indices that lead from the top of a file to a value."""
Evidence = Literal["visible", "inferred", "invisible"]
Sensitivity = Literal["none", "personal", "protected", "offensive"]
Note = Literal["dated", "offensive"]

ID = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
Text = Annotated[StrictStr, Field(min_length=1)]
Identifier = Annotated[StrictStr, Field(pattern=ID)]
Pronoun = Annotated[StrictStr, Field(pattern=r"^[a-z]+$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Entry(_Part):
    """A word or phrase of a category, with what sets it apart from its neighbours."""

    word: Text = Field(description="The word or phrase; a space also matches a hyphen.")
    plural: Text | None = Field(
        default=None, description="The plural if it is irregular; null if there is none."
    )
    not_with: tuple[Text, ...] = Field(
        default=(),
        description="Heads that this sense never goes with; for a head, words or sets that change its"
        " meaning: a roll of paper is not food.",
    )
    only_with: tuple[Text, ...] = Field(default=(), description="The only heads that this sense goes with.")
    also: tuple[Identifier, ...] = Field(
        default=(), description="Other categories of the same role that apply at the same time."
    )
    says: tuple[Identifier, ...] = Field(
        default=(), description="Modifier categories that a head noun also expresses: a blonde."
    )
    note: Note | None = Field(
        default=None, description="Marks the word as dated or offensive, so that reports list who uses it."
    )

    grades: StrictBool = Field(
        default=True,
        description="False to exclude this word from the comparatives that the category generates.",
    )

    @property
    def states_plural(self) -> bool:
        """Whether the author stated a plural, or that there is none."""
        return "plural" in self.model_fields_set


def _entry(value: Any) -> Any:
    """Turn the two short forms, `boy` and `man: men`, into the long one."""
    if isinstance(value, str):
        return {"word": value}
    if isinstance(value, dict) and len(value) == 1 and not value.keys() & Entry.model_fields.keys():
        (word, plural), *_ = value.items()
        return {"word": word, "plural": plural}
    return value


_ENTRY_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "minLength": 1, "description": "A word or phrase."},
        {
            "type": "object",
            "description": "A noun and its plural, `man: men`; null for no plural. Or the long form.",
            "properties": {
                "word": {"type": "string", "minLength": 1},
                "plural": {"type": ["string", "null"]},
                "not_with": {"type": "array", "items": {"type": "string"}},
                "only_with": {"type": "array", "items": {"type": "string"}},
                "also": {"type": "array", "items": {"type": "string", "pattern": ID}},
                "says": {"type": "array", "items": {"type": "string", "pattern": ID}},
                "note": {"enum": list(get_args(Note))},
                "grades": {"type": "boolean"},
            },
            "additionalProperties": {"type": ["string", "null"]},
        },
    ]
}


def _shortest(entry: Entry) -> Any:
    """Return a word of a set in its shortest form: as text, unless it has other properties."""
    stated = entry.model_dump(mode="json", exclude_unset=True)
    return entry.word if stated.keys() == {"word"} else stated


Word = Annotated[Entry, BeforeValidator(_entry), WithJsonSchema(_ENTRY_SCHEMA)]
SetWord = Annotated[
    Entry,
    BeforeValidator(_entry),
    PlainSerializer(_shortest),
    WithJsonSchema(_ENTRY_SCHEMA, mode="validation"),
]
Parent = Annotated[
    Identifier | None,
    Field(
        description="The parent category, of the same role; a label with this category also has the parent."
    ),
]


class HeadCategory(_Part):
    """A kind of thing that a chunk can be about."""

    description: Text = Field(description="The meaning of the category, in one sentence.")
    parent: Parent = None
    words: tuple[Word, ...] = Field(default=(), description="Nouns; regular plurals are generated.")
    patterns: tuple[Text, ...] = Field(
        default=(), description='Patterns for productive forms, such as "{sport} player".'
    )


class ModifierCategory(_Part):
    """A kind of thing that can be said about a head."""

    description: Text = Field(description="The meaning of the category, in one sentence.")
    evidence: Evidence = Field(description="Whether it can be judged from the image.")
    sensitivity: Sensitivity = Field(description="How sensitive the category is.")
    parent: Parent = None
    not_with: tuple[Text, ...] = Field(
        default=(), description="Head categories, sets, head words or of-phrases that it never goes with."
    )
    only_with: tuple[Text, ...] = Field(default=(), description="The only heads that it goes with.")
    words: tuple[Word, ...] = Field(default=(), description="Words and phrases that express the category.")
    grades: StrictBool = Field(
        default=False,
        description="True to generate comparatives and superlatives: taller and tallest from tall, more and"
        " most elegant from elegant.",
    )
    of: tuple[Word, ...] = Field(
        default=(), description="Nouns of phrases that end in of: bowl generates bowl of and bowls of."
    )
    patterns: tuple[Text, ...] = Field(
        default=(), description='Patterns for productive forms, such as "{number}-year-old".'
    )
    after: tuple[Text, ...] = Field(
        default=(),
        description='Patterns for what follows the noun: "with beard", "in|wearing {color} {garment}", any'
        ' "{verb}".',
    )
    stands_apart: StrictBool = Field(
        default=False,
        description="Whether its of-phrases name a separate thing: what a photo of a man does, the man does"
        " not.",
    )


class Pronouns(_Part):
    """The pronouns that can stand for a member of the domain."""

    noun: Text = Field(description="The head word for pronouns without an antecedent: person.")
    words: dict[Pronoun, tuple[Identifier, ...]] = Field(
        description="Each pronoun with the values of groups that it states: she: [female]."
    )
    rivals: tuple[Text, ...] = Field(
        default=(),
        description="Sets or nouns outside the domain that the same pronouns can refer to: animal.",
    )


class Example(_Part):
    """A phrase and what the taxonomy must say about it: an executable part of the documentation."""

    text: Text = Field(description="The phrase.")
    caption: Text | None = Field(
        default=None,
        description="A caption that contains the phrase; the phrase is analysed there, including what follows"
        " the noun.",
    )
    heads: tuple[Identifier, ...] | None = Field(
        default=None, description="The head categories of the best reading; they must match exactly."
    )
    modifiers: tuple[Identifier, ...] | None = Field(
        default=None, description="The modifier categories of the best reading; they must match exactly."
    )
    never: tuple[Identifier, ...] = Field(
        default=(), alias="not", description="Categories that no reading may have."
    )
    in_domain: StrictBool = Field(default=True, description="Whether it is a label of the domain.")


Category = HeadCategory | ModifierCategory


class Taxonomy(_Part):
    """A domain: its categories, their words, and how they go together."""

    taxonomy: Identifier = Field(description="The id of the domain.")
    version: Annotated[StrictStr, Field(pattern=r"^\d+\.\d+\.\d+$")] = Field(description="For example 1.0.0.")
    language: Literal["en"] = Field(default="en", description="Only English is supported.")
    description: Text = Field(description="The topic of the domain, in one sentence.")
    hyphens: Literal["free", "exact"] = Field(
        default="free",
        description="Free: a space in an entry matches a space or a hyphen. Exact: as written.",
    )
    plurals_are: Identifier | None = Field(
        default=None, description="A head category that also contains the plural of every head word."
    )
    levels: Literal["both", "lowest", "highest"] = Field(
        default="both",
        description="Which levels of nested categories are reported: all, the lowest, or the highest.",
    )
    sets: dict[Identifier, tuple[SetWord, ...]] = Field(
        default_factory=dict, description="Named word lists for patterns, constraints and groups."
    )
    heads: Annotated[dict[Identifier, HeadCategory], Field(min_length=1)] = Field(
        description="Head categories: id, description and words."
    )
    modifiers: dict[Identifier, ModifierCategory] = Field(
        default_factory=dict, description="Modifier categories: id, description and words."
    )
    function_words: dict[Identifier, tuple[Text, ...]] = Field(
        default_factory=dict, description="Function words of phrases; English ones are built in."
    )
    syntax: dict[Identifier, tuple[Text, ...]] | None = Field(
        default=None,
        description="Your own phrase structure: rule names and their alternatives, starting with the start"
        " rule; or additions to built-in rules, whose first alternative is `...`.",
    )
    excluded: tuple[Text, ...] = Field(
        default=(), description="Phrases that end like a head but do not belong to the domain."
    )
    says_nothing: tuple[Text, ...] = Field(
        default=(),
        description="Phrases after the noun that say nothing about it: verbs, `with {animal}`.",
    )
    pronouns: Pronouns | None = Field(
        default=None,
        description="Pronouns that refer to members of the domain; without them, pronouns are ignored.",
    )
    groups: dict[Identifier, dict[Identifier, tuple[Text, ...]]] = Field(
        default_factory=dict,
        description="Groups that audits contrast: each value with its head words, modifiers, sets or head"
        " categories.",
    )
    kinds: tuple[Identifier, ...] = Field(
        default=(),
        description="Groups that classify things by kind, so that the sense of a word may depend on them: a"
        " moving van.",
    )
    examples: tuple[Example, ...] = Field(
        default=(), description="Phrases with their expected analysis; `assess domain test` runs them."
    )

    @property
    def roles(self) -> dict[Role, Mapping[str, Category]]:
        """The categories by role, heads first, in the order of the file."""
        return {"head": self.heads, "modifier": self.modifiers}

    def categories(self) -> Iterator[tuple[Role, str, Category]]:
        """Yield every category with its role and id, heads first, in the order of the file."""
        for role, categories in self.roles.items():
            for name, category in categories.items():
                yield role, name, category

    def lineage(self, role: Role, name: str) -> Iterator[str]:
        """Yield a category, its parent, the parent of that, and so on."""
        seen: set[str | None] = {None}
        above: str | None = name
        while above not in seen:  # the check of circles comes later
            seen.add(above)
            yield str(above)
            category = self.roles[role].get(str(above))
            above = category.parent if category else None

    def listed_words(self) -> Iterator[tuple[Trail, str]]:
        """Yield the location and text of every word in categories and sets."""
        for role, name, category in self.categories():
            for index, entry in enumerate(category.words):
                yield (f"{role}s", name, "words", index), entry.word
        for name, entries in self.sets.items():
            for index, entry in enumerate(entries):
                yield ("sets", name, index), entry.word

    def patterns(self, *keys: str) -> Iterator[tuple[Trail, str]]:
        """Yield the location and text of every pattern of categories, before or after the noun."""
        for role, name, category in self.categories():
            for key in keys:
                for index, pattern in enumerate(getattr(category, key, ())):
                    yield (f"{role}s", name, key, index), pattern

    def constraints(self) -> Iterator[tuple[Trail, str, tuple[str, ...]]]:
        """Yield location, word and names of every constraint of modifiers; a category's has no word."""
        for name, category in self.modifiers.items():
            for key in ("not_with", "only_with"):
                yield ("modifiers", name, key), "", getattr(category, key)
                for index, entry in enumerate(category.words):
                    yield ("modifiers", name, "words", index, key), entry.word, getattr(entry, key)

    def members(self) -> Iterator[tuple[Trail, str]]:
        """Yield the location and text of every member of a group's values."""
        for group, values in self.groups.items():
            for value, members in values.items():
                for index, member in enumerate(members):
                    yield ("groups", group, value, index), member

    @property
    def own_structure(self) -> bool:
        """Whether `syntax` replaces the built-in phrase structure; with `...` it only extends it."""
        return self.syntax is not None and not any("..." in body for body in self.syntax.values())

    def set_words(self, name: str) -> list[str]:
        """Return the words of a set as plain text."""
        return [entry.word for entry in self.sets.get(name, ())]

    @property
    def digest(self) -> str:
        """A short hash of everything that can change a number, which excludes comments and examples."""
        # Unset fields are left out, because `plural: null` differs from a missing `plural`.
        content = self.model_dump(
            mode="json", exclude={"examples", "description"}, exclude_unset=True, by_alias=True
        )
        # The order of categories decides between equally good readings, and the order of a group's values
        # decides which value is compared with which, so both are part of the hash.
        order = [list(self.heads), list(self.modifiers), list(self.syntax or ())]
        order += [[group, *values] for group, values in self.groups.items()]
        text = json.dumps([content, order], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def identity(self) -> str:
        """Name, version and hash, as shown in signatures."""
        return f"{self.taxonomy}@{self.version}#{self.digest}"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of taxonomy files, for editors."""
    parts = Taxonomy.model_json_schema(by_alias=True)
    _add_file_keys(parts)
    _close(parts)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **parts,
        "title": "assess taxonomy",
    }


# Keys that combine several files into a taxonomy. They do not occur in the result (see `compose`).
_NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string", "minLength": 1}}
_USE = {**_NAMES, "description": "Shared word lists whose words are included: [colors, sizes]."}
_REMOVE = {**_NAMES, "description": "Entries of an extended taxonomy or a used list to remove."}
_EXTENDS = {
    "type": "string",
    "minLength": 1,
    "description": "The taxonomy to extend: the name of a domain, or a path relative to this file.",
}


def _add_file_keys(parts: dict[str, Any]) -> None:
    properties, definitions = parts["properties"], parts["$defs"]
    for name in ("HeadCategory", "ModifierCategory"):
        definitions[name]["properties"] |= {"use": _USE, "remove": _REMOVE}
        # A file that extends another inherits everything that it does not state, and null removes a part.
        addition = {**definitions[name], "type": ["object", "null"], "title": f"{name}Addition"}
        definitions[f"{name}Addition"] = {key: value for key, value in addition.items() if key != "required"}
    for key in ("sets", "function_words"):
        words = next(iter(properties[key]["patternProperties"].values()))
        named: dict[str, Any] = {"use": _USE, "words": words, "remove": _REMOVE}
        in_mapping = {"type": "object", "properties": named, "additionalProperties": False}
        properties[key]["patternProperties"] = {ID: {"anyOf": [words, in_mapping, {"type": "null"}]}}
    parts["properties"] = {"extends": _EXTENDS, "remove": _REMOVE, **properties}
    parts["if"] = {"required": ["extends"]}
    parts["then"] = {"required": ["taxonomy", "version", "description"]}
    parts["else"] = {"required": parts.pop("required")}
    for key, name in (("heads", "HeadCategory"), ("modifiers", "ModifierCategory")):
        inner = {"patternProperties": {ID: {"$ref": f"#/$defs/{name}"}}}
        parts["else"].setdefault("properties", {})[key] = inner
        properties[key]["patternProperties"] = {ID: {"$ref": f"#/$defs/{name}Addition"}}


def _close(part: Any) -> None:
    """Forbid keys that are not ids: pydantic documents the pattern of keys but allows others."""
    if isinstance(part, dict):
        if "patternProperties" in part:
            part["additionalProperties"] = False
        for inner in part.values():
            _close(inner)
    elif isinstance(part, list):
        for inner in part:
            _close(inner)
