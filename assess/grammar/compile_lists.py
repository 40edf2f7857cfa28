"""What a grammar says besides rules: what follows nouns, what is excluded, groups, pronouns, notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from assess.grammar.builder import GrammarText, plain_name
from assess.grammar.compile_patterns import PatternWriter
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import Phrase, Plurals, carrier_names, normal_names, phrases_of, spaced
from assess.taxonomy.words import plural_of


class ListWriter:
    """Writes terminals that no rule uses, each named after what its words say."""

    def __init__(self, text: GrammarText, taxonomy: Taxonomy, patterns: PatternWriter) -> None:
        self._text = text
        self._taxonomy = taxonomy
        self._patterns = patterns
        self._phrases = list(phrases_of(taxonomy))

    def add(self) -> None:
        """Add all of them but what follows nouns."""
        self._add_excluded()
        self._add_together()
        self._add_groups()
        self._add_pronouns()
        self._add_notes()

    def add_after(self) -> None:
        """Add the patterns for what follows a noun."""
        taxonomy = self._taxonomy
        listed = {
            f"AFTER__{_upper(name)}": modifier.after
            for name, modifier in taxonomy.modifiers.items()
            if modifier.after
        }
        if taxonomy.says_nothing:
            listed["SAYS_NOTHING"] = taxonomy.says_nothing
        if listed:
            self._text.section(
                "What follows a noun", "By the category that it tells; what says nothing is passed over."
            )
        for name, patterns in listed.items():
            self._text.terminal(name, list(map(self._patterns.after, patterns)), edges=False)

    def _list(self, name: str, phrases: Iterable[str]) -> None:
        self._text.terminal(name, self._text.phrases(phrases), edges=False)

    def _add_excluded(self) -> None:
        excluded = [spaced(phrase) for phrase in self._taxonomy.excluded]
        if excluded:
            plurals = Plurals(self._taxonomy)
            self._text.section(
                "Not in the domain", "Phrases that end in one of these, unless a longer head does."
            )
            self._list("EXCLUDED", [*excluded, *(plurals.of(phrase) or phrase for phrase in excluded)])

    def _add_together(self) -> None:
        found: dict[str, list[str]] = {}
        for phrase in self._phrases:
            if phrase.also and phrase.role == "modifier":
                name = "__".join(["ALSO", *map(_upper, (phrase.category, *phrase.also))])
                found.setdefault(name, []).append(phrase.text)
        if found:
            self._text.section("Words that are in several categories at once")
        for name, phrases in found.items():
            self._list(name, phrases)

    def _add_groups(self) -> None:
        if self._taxonomy.groups:
            self._text.section("Groups that audits compare, and the words that tell them")
        for group, values in self._taxonomy.groups.items():
            self._text.state(f"group {group}: {', '.join(values)}")
            told = self._told(values)
            for value in values:
                for kind, words in (("NOUNS", told[0][value]), ("MODIFIERS", told[1][value])):
                    if words:
                        self._list(f"GROUP__{_upper(group)}__{_upper(value)}__{kind}", sorted(words))

    def _told(self, values: dict[str, tuple[str, ...]]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """Return the nouns and the modifiers that tell each value."""
        heads = carrier_names(self._taxonomy, self._of_role("head"))
        modifiers = {phrase.text for phrase in self._of_role("modifier") if not phrase.of}
        nouns, others = {}, {}
        for value, members in values.items():
            wanted = normal_names(members)
            nouns[value] = {text for text, names in heads.items() if names & wanted}
            others[value] = self._telling(members, heads.keys()) & modifiers
        return nouns, others

    def _of_role(self, role: str) -> Iterator[Phrase]:
        return (phrase for phrase in self._phrases if phrase.role == role)

    def _telling(self, members: Iterable[str], heads: Collection[str]) -> set[str]:
        """Return the words by which modifiers tell a value.

        A list of nouns is not one: a blonde is a woman, a blonde surfer need not be.
        """
        sets = self._taxonomy.sets
        listed = ([spaced(word) for word in sets.get(member, (member,))] for member in members)
        return {word for words in listed if not all(word in heads for word in words) for word in words}

    def _add_pronouns(self) -> None:
        pronouns = self._taxonomy.pronouns
        if pronouns is None:
            return
        self._text.section("Pronouns, the values that they tell, and the noun that they are read as")
        found: dict[str, list[str]] = {}
        for word, values in pronouns.words.items():
            found.setdefault("__".join(["PRONOUN", *map(_upper, values)]), []).append(word)
        for name, words in found.items():
            # In their order: the first of those that tell the same stands for them.
            self._text.terminal(name, [self._text.phrase(word) for word in words], edges=False)
        self._list("PRONOUN_NOUN", [pronouns.noun])
        rivals = {word for name in pronouns.rivals for word in self._taxonomy.sets.get(name, (name,))}
        if rivals:
            self._text.comment("Nouns outside the domain that are called by the same pronouns.")
            self._text.terminal(
                "RIVALS",
                self._text.phrases(sorted({*rivals, *filter(None, map(plural_of, rivals))})),
                edges=False,
            )

    def _add_notes(self) -> None:
        found: dict[str, list[str]] = {}
        for phrase in self._phrases:
            if phrase.note is not None:
                name = f"{phrase.note}__{phrase.role}_{plain_name(phrase.category)}".upper()
                found.setdefault(name, []).append(phrase.text)
        if found:
            self._text.section("Words that reports name, because they are dated or offensive")
        for name, phrases in sorted(found.items()):
            self._list(name, phrases)


def _upper(identifier: str) -> str:
    return plain_name(identifier).upper()
