"""The pieces of a grammar's text: sections, patterns as sequences of terminals, lists that no rule uses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from assess.grammar.lexicon import joints
from assess.grammar.model import MARK
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    ANY_NOUN,
    ANY_VERB,
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    Phrase,
    Plurals,
    carrier_names,
    excluded_phrases,
    instances,
    is_open,
    normal_form,
    normal_names,
    phrases_of,
    placeholder_words,
    spaced,
)
from assess.taxonomy.words import plural_of

WIDTH = 110
NO_WORDS = "/(?!)./ // no words: it matches nothing"


class GrammarText:
    """A grammar under construction."""

    def __init__(self, *, exact: bool) -> None:
        self.exact = exact  # whether a phrase is spelt just as it is written
        self._lines: list[str] = []
        self._names: set[str] = set()

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"

    def section(self, title: str, explanation: str = "") -> None:
        """Begin a section."""
        self._lines += ["", f"// ---- {title} {'-' * max(0, WIDTH - 9 - len(title))}", ""]
        self.comment(explanation)

    def comment(self, text: str) -> None:
        """Add a comment."""
        if text:
            self._lines += ["// " + line for line in _wrapped(text.split(), WIDTH - 3, " ")]

    def state(self, what: str) -> None:
        """Add what cannot be grammar."""
        self._lines.append(f"{MARK} {what}")

    def add(self, *lines: str) -> None:
        """Add lines as they are."""
        self._lines += lines

    def rule(self, name: str, alternatives: Sequence[str]) -> None:
        """Add a rule."""
        self._define(name, list(alternatives))

    def terminal(self, name: str, alternatives: Sequence[str], *, edges: bool = True) -> None:
        """Add a terminal; with `edges` it stands at token boundaries."""
        if not alternatives:
            self._lines.append(f"{name}: {NO_WORDS}")
        elif not edges or len(alternatives) == 1:
            parts = list(alternatives)
            self._define(name, [f"LEFT {parts[0]} RIGHT"] if edges else parts)
        else:
            self._define(name, list(alternatives), before="LEFT ( ", after=" ) RIGHT")

    def unique(self, name: str) -> str:
        """Return a name that was not given before: this one, or one with a number."""
        found, number = name, 2
        while found in self._names:
            found, number = f"{name}_{number}", number + 1
        self._names.add(found)
        return found

    def phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return phrases as Lark writes them, in their order: Lark tries the longest first by itself."""
        return [self.phrase(phrase) for phrase in dict.fromkeys(phrases)]

    def phrase(self, phrase: str) -> str:
        """Return a phrase as Lark writes it."""
        words = phrase.split(" ")
        between = joints(words, exact=self.exact)
        if not any("-" in joint for joint in between):
            return quoted(phrase)
        regex = re.escape(words[0])
        for joint, word in zip(between, words[1:], strict=True):
            regex += ("[- ]" if "-" in joint else " ") + re.escape(word)
        return "/" + regex.replace("/", r"\/") + "/"

    def _define(self, name: str, alternatives: list[str], *, before: str = "", after: str = "") -> None:
        lines = _wrapped(alternatives, WIDTH - 8, " | ")
        lines[0] = f"{name}: {before}{lines[0]}"
        lines[-1] += after
        self._lines += [lines[0], *(f"    | {line}" for line in lines[1:])]


def quoted(text: str) -> str:
    """Return a text as a string of Lark's."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def plain_name(text: str) -> str:
    """Return a part of a rule's name for any text: "group of" is group_of."""
    return re.sub("[^a-z0-9]+", "_", text.lower()).strip("_") or "other"


def joined_name(texts: Collection[str], *, most: int = 3) -> str:
    """Return a part of a rule's name for several texts; where they are many, for some and their number."""
    names = [plain_name(text) for text in texts]
    more = [f"and_{len(names) - most + 1}_more"] if len(names) > most else []
    return "_".join([*names[: most - 1 if more else most], *more])


def _wrapped(parts: Sequence[str], width: int, joint: str) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(joint) + len(part) <= width:
            lines[-1] += joint + part
        else:
            lines.append(part)
    return lines


_OPEN = {name: f"ANY_{name.upper()}" for name in OPEN_PLACEHOLDERS}


class PatternWriter:
    """Writes patterns, and the sets of words that they use."""

    def __init__(self, text: GrammarText, taxonomy: Taxonomy) -> None:
        self._text = text
        self._taxonomy = taxonomy
        self._plurals = Plurals(taxonomy)
        self._sets: dict[str, list[str]] = {}  # terminal -> words
        self._used: set[str] = set()

    def _sequence(self, pattern: str) -> str:
        parts = PLACEHOLDER.split(pattern)
        found: list[str] = []
        for index, part in enumerate(parts):
            if index % 2 == 0:
                # Next to {word} a hyphen is only a hyphen: "{word}-clad" must not read "a clad man".
                beside_word = "word" in {*parts[index + 1 : index + 2], *parts[max(0, index - 1) : index]}
                found += self._literal(part, keep_hyphen=beside_word)
            elif part in _OPEN:
                self._used.add(_OPEN[part])
                found.append(_OPEN[part])
            else:
                found.append(self._set(part))
        return " ".join(found)

    def _literal(self, text: str, *, keep_hyphen: bool) -> Iterator[str]:
        text = re.sub(r"(?<=\w)'s\b", " 's", text.lower())  # the possessive is a token of its own
        if self._text.exact:
            yield from map(quoted, filter(None, [text]))
            return
        for piece in re.split("( )" if keep_hyphen else "([ -])", text):
            if piece in {" ", "-"} and not (keep_hyphen and piece == "-"):
                self._used.add("JOINT")
                yield "JOINT"
            elif piece:
                yield quoted(piece)

    def instances(self, pattern: str) -> list[str]:
        """Return the phrases of a finite pattern; none where they are listed with the words of their kind."""
        if is_open(pattern) or self._text.exact:
            return []
        found = [normal_form(self._taxonomy, text) for text in instances(self._taxonomy, pattern)]
        return [] if any(phrase.endswith(" of") for phrase in found) else found

    def body(self, pattern: str) -> list[str]:
        """Return a pattern that stands before a noun: one sequence, or all of its phrases."""
        phrases = set(self.instances(pattern))
        if is_open(pattern) or PLACEHOLDER.fullmatch(pattern):
            return [self._sequence(pattern)]
        # Of two phrases that begin alike Lark would take one and never see the other.
        alone = not any(beginning in phrases for phrase in phrases for beginning in _beginnings(phrase))
        if alone and {_marked(phrase) for phrase in phrases} == set(self._product(pattern)):
            return [self._sequence(pattern)]
        return self._text.phrases(self.instances(pattern))

    def _product(self, pattern: str) -> Iterator[str]:
        parts = PLACEHOLDER.split(pattern)
        choices = [
            [re.sub("[ -]", "\x1f", part.lower())]
            if index % 2 == 0
            else [_marked(spaced(word)) for word in placeholder_words(self._taxonomy, part)]
            for index, part in enumerate(parts)
        ]
        return ("".join(choice) for choice in itertools.product(*choices))

    def after(self, pattern: str) -> str:
        """Return a pattern that stands after a noun."""
        opening, *parts = pattern.split()
        if opening == ANY_VERB:
            self._used.add("VERB")
            return "VERB"
        words = [quoted(word) for word in opening.split("|")]
        found = [words[0] if len(words) == 1 else f"( {' | '.join(words)} )"]
        for number, part in enumerate(parts, start=1):
            if part == ANY_NOUN:
                self._used.add("OBJECT")
                found.append("OBJECT")
            else:
                self._used.add("BETWEEN")
                found += ["BETWEEN", self._after_words(part, last=number == len(parts))]
        return " ".join(found)

    def _after_words(self, part: str, *, last: bool) -> str:
        placeholder = PLACEHOLDER.fullmatch(part)
        if placeholder:
            return self._set(placeholder[1], plurals=last)
        words = self._text.phrases(self._forms([part], plurals=last))
        return words[0] if len(words) == 1 else f"( {' | '.join(words)} )"

    def _set(self, name: str, *, plurals: bool = False) -> str:
        terminal = f"SET_{plain_name(name).upper()}" + ("__ANY_NUMBER" if plurals else "")
        self._sets[terminal] = self._forms(placeholder_words(self._taxonomy, name), plurals=plurals)
        return terminal

    def _forms(self, words: Iterable[str], *, plurals: bool) -> list[str]:
        found = [spaced(word) for word in words]
        return found + [plural for plural in map(self._plurals.of, found) if plural] if plurals else found

    def add_sets(self) -> None:
        """Add the terminals that patterns use."""
        text = self._text
        if not self._sets and not self._used:
            return
        text.section("Parts of patterns")
        for name, body, about in (
            ("JOINT", "/[- ]/", "Words of a phrase are joined by a space or a hyphen."),
            ("BETWEEN", "/(?: [^ ]+)*? /", "Other words may stand between the parts of what follows a noun."),
            ("OBJECT", "/(?: [^ ]+)* [^ ]{2,}/", "Any object; what is cut off after an article is no noun."),
            ("VERB", "/[^ ]+/", "Any verb, in the form that ends in -ing."),
            *((_OPEN[key], f"/{regex}/", f"Any {key}.") for key, regex in OPEN_PLACEHOLDERS.items()),
        ):
            if name in self._used:
                text.comment(about)
                text.terminal(name, [body], edges=False)
        for name, words in sorted(self._sets.items()):
            text.terminal(name, text.phrases(words), edges=False)


def _marked(phrase: str) -> str:
    """Return a phrase with a sign where a hyphen may stand for a space."""
    words = phrase.split(" ")
    between = ("\x1f" if "-" in joint else " " for joint in joints(words))
    return words[0] + "".join(joint + word for joint, word in zip(between, words[1:], strict=True))


def _beginnings(phrase: str) -> Iterator[str]:
    words = phrase.split(" ")
    return (" ".join(words[:end]) for end in range(1, len(words)))


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
        excluded = excluded_phrases(self._taxonomy)
        if excluded:
            self._text.section(
                "Not in the domain", "Phrases that end in one of these, unless a longer head does."
            )
            self._list("EXCLUDED", excluded)

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
        listed = (list(map(spaced, self._set_or_word(member))) for member in members)
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
        rivals = {word for name in pronouns.rivals for word in self._set_or_word(name)}
        if rivals:
            self._text.comment("Nouns outside the domain that are called by the same pronouns.")
            self._text.terminal(
                "RIVALS",
                self._text.phrases(sorted({*rivals, *filter(None, map(plural_of, rivals))})),
                edges=False,
            )

    def _set_or_word(self, name: str) -> list[str]:
        return self._taxonomy.set_words(name) or [name]

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
