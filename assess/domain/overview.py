"""A taxonomy at a glance: its tree and words, its examples run, what a change does, what captions lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from assess.disk_cache import DiskCache, code_digest
from assess.errors import Problem, some
from assess.grammar.labels import LabelFinder
from assess.grammar.model import Facts
from assess.grammar.parser import Parser
from assess.measures.coverage.compute import commonest
from assess.records import Analysis, Annotation, Role
from assess.report.tables import csv_text, safe_text
from assess.report.text import count, plain
from assess.signature import Signature
from assess.taxonomy.compose import find_taxonomy
from assess.taxonomy.lint import lint
from assess.taxonomy.load import TAXONOMY_CODEC
from assess.taxonomy.model import Category, Entry, Example, ModifierCategory, Taxonomy
from assess.taxonomy.phrases import (
    PLACEHOLDER,
    Plurals,
    normal_form,
    phrases_of,
    placeholder_names,
    placeholder_words,
)
from assess.taxonomy.strict_yaml import Document
from assess.taxonomy.word_table import COLUMNS, word_rows

if TYPE_CHECKING:
    from assess.domain.cooccurrence import WordContexts
    from assess.domain.survey import Survey

_SENSITIVE = {"personal": "yellow", "protected": "magenta", "offensive": "red"}
_SHOWN_WORDS = 8


def numbers_of_phrases(taxonomy: Taxonomy) -> Counter[tuple[str, str]]:
    """Return how many phrases each category has, by its role and name."""
    return Counter((phrase.role, phrase.category) for phrase in phrases_of(taxonomy))


def taxonomy_tree(taxonomy: Taxonomy) -> Tree:
    """Return the tree of a taxonomy's categories."""
    phrases = numbers_of_phrases(taxonomy)
    title = plain(f"{taxonomy.taxonomy} {taxonomy.version}", style="bold")
    title.append(f"  {' '.join(taxonomy.description.split())}", style="not bold")
    title.append(f"\n{_statistics(taxonomy, phrases)}", style="not bold dim")
    root = Tree(title, guide_style="dim")
    for role, categories in taxonomy.roles.items():
        branch = root.add(Text(f"{role}s", style="italic"))
        nodes: dict[str | None, Tree] = {None: branch}
        waiting = dict(categories)
        while waiting:  # a nested category is shown under its parent
            for name, category in list(waiting.items()):
                if category.parent in nodes:
                    nodes[name] = nodes[category.parent].add(_category(name, category, phrases[role, name]))
                    del waiting[name]
    if taxonomy.groups:
        branch = root.add(Text("groups", style="italic"))
        for name, values in taxonomy.groups.items():
            branch.add(plain(f"{name}: " + ", ".join(values)))
    return root


def _statistics(taxonomy: Taxonomy, phrases: Counter[tuple[str, str]]) -> str:
    return (
        f"{len(taxonomy.heads)} head and {len(taxonomy.modifiers)} modifier categories,"
        f" {some(phrases.total(), 'phrase')} with plurals and patterns,"
        f" {some(len(taxonomy.examples), 'example')}"
    )


def _category(name: str, category: Category, phrases: int) -> Text:
    line = Text(name, style="cyan").append(f"  {count(phrases)}", style="dim")
    if isinstance(category, ModifierCategory):
        line.append(f"  {category.evidence}", style="dim")
        if category.sensitivity != "none":
            line.append(f"  {category.sensitivity}", style=_SENSITIVE[category.sensitivity])
    line.append(f"\n{' '.join(category.description.split())}", style="default")
    words = [entry.word for entry in category.words[:_SHOWN_WORDS]] + list(category.patterns[:3])
    words += [f"{entry.word} of" for entry in getattr(category, "of", ())[:3]]
    more = ", …" if len(category.words) > _SHOWN_WORDS or len(category.patterns) > 3 else ""
    return line.append(f"\n{', '.join(words)}{more}" if words else "", style="dim")


def taxonomy_csv(taxonomy: Taxonomy) -> str:
    """Return a taxonomy's words, one a row. No cell runs as a formula; importing takes the guard off."""
    rows = ([safe_text(row.get(name, "")) for name in COLUMNS] for row in word_rows(taxonomy))
    return csv_text([COLUMNS, *rows])


# Running the examples of a taxonomy.


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """An example, how it was read, and where that differs from what was expected."""

    index: int
    example: Example
    analysis: Analysis
    failures: tuple[str, ...]


def run_examples(taxonomy: Taxonomy, parser: Parser) -> list[ExampleResult]:
    """Read and check every example; one with a caption is looked up in that caption."""
    captions = dict.fromkeys(example.caption for example in taxonomy.examples if example.caption)
    found = _read_captions(list(captions), parser) if captions else {}
    results = []
    for index, example in enumerate(taxonomy.examples):
        if example.caption is None:
            analysis: Analysis | None = parser.analyse(example.text)
        else:
            analysis = found[example.caption].get(" ".join(example.text.lower().split()))
        if analysis is None:
            failures: tuple[str, ...] = (
                f"the caption contains no chunk `{example.text}`, but"
                f" {_listed([*found[example.caption or '']])}",
            )
            analysis = Analysis(example.text)
        else:
            failures = tuple(_failures(example, analysis, parser.grammar.facts))
        results.append(ExampleResult(index, example, analysis, failures))
    return results


def _read_captions(captions: list[str], parser: Parser) -> dict[str, dict[str, Analysis]]:
    """Return the chunks of captions, each with everything that is said about it."""
    finder = LabelFinder(parser)
    return {
        caption: {
            " ".join(caption[chunk.start : chunk.end].lower().split()): finder.analyse(chunk.key)
            for chunk in finder.find(caption, annotation)
        }
        for caption, annotation in zip(captions, _annotated(tuple(captions)), strict=True)
    }


@lru_cache(maxsize=1)  # they stay the same while an author edits the taxonomy
def _annotated(captions: tuple[str, ...]) -> list[Annotation]:
    from assess.annotate import Annotator  # here, because the model takes a while to load

    return list(Annotator().annotate(captions))


@dataclass(frozen=True)
class Checked:
    """What `lint` and the examples report about a taxonomy."""

    identity: str
    warnings: list[Problem]
    errors: list[Problem]  # examples that fail

    @property
    def counts(self) -> str:
        """Return the counts as a sentence."""
        return f"{some(len(self.warnings), 'warning')}, {some(len(self.errors), 'failing example')}"


def checked(
    taxonomy: Taxonomy,
    document: Document,
    contexts: WordContexts | None = None,
    *,
    parser: Parser | None = None,
) -> Checked:
    """Check a taxonomy and run its examples; with captions, also the checks that need them."""
    parser = parser or Parser(taxonomy)
    warnings = list(lint(taxonomy, document))
    warnings += caption_lint(taxonomy, document, contexts) if contexts else []
    failed = [result for result in run_examples(taxonomy, parser) if result.failures]
    errors = [
        document.problem(f"the example fails: {'; '.join(result.failures)}", ("examples", result.index))
        for result in failed
    ]
    return Checked(parser.grammar.identity, warnings, errors)


def _failures(example: Example, analysis: Analysis, facts: Facts) -> list[str]:
    if example.in_domain != analysis.in_domain:
        return ["is in the domain" if analysis.in_domain else "is not in the domain"]
    failures = []
    roles: tuple[tuple[Role, tuple[str, ...] | None, tuple[str, ...]], ...] = (
        ("head", example.heads, analysis.best.heads),
        ("modifier", example.modifiers, analysis.best.modifiers),
    )
    for role, wanted, found in roles:
        # A category also counts as its parents.
        expected = {each for name in wanted or () for each in facts.reported(role, name)}
        if wanted is not None and expected != set(found):
            failures.append(f"{role}s: expected {_listed(wanted)}, but the best reading has {_listed(found)}")
    forbidden = set(example.never) & {*analysis.heads, *analysis.modifiers}
    if forbidden:
        failures.append(f"a reading has {_listed(sorted(forbidden))}")
    return failures


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(sorted(names)) or "none"


# The words that a taxonomy lists, by role: what an author has already decided.


@dataclass(frozen=True, slots=True)
class Listing:
    """A category's words and patterns, as an author sees them."""

    role: Role
    category: str
    words: tuple[str, ...]  # normal forms; a pattern that is only a placeholder is replaced by its words
    patterns: tuple[str, ...]  # the others, as written


def listings(taxonomy: Taxonomy) -> Iterator[Listing]:
    """Yield what every category lists, heads first, in file order."""
    named = placeholder_names(taxonomy)
    for role, name, category in taxonomy.categories():
        words = [entry.word for entry in category.words]
        words += [f"{entry.word} of" for entry in getattr(category, "of", ())]
        patterns = []
        for pattern in category.patterns:
            whole = PLACEHOLDER.fullmatch(pattern)
            if whole and whole[1] in named:
                words += placeholder_words(taxonomy, whole[1])
            else:
                patterns.append(pattern)
        forms = dict.fromkeys(normal_form(taxonomy, word) for word in words)
        yield Listing(role, name, tuple(forms), tuple(patterns))


def categories_of_words(taxonomy: Taxonomy, role: Role) -> dict[str, tuple[str, ...]]:
    """Return the listed words of a role with all categories that each one belongs to."""
    found: dict[str, dict[str, None]] = {}
    for listing in listings(taxonomy):
        if listing.role == role:
            for word in listing.words:
                found.setdefault(word, {})[listing.category] = None
    for category in taxonomy.roles[role].values():
        for entry in category.words:
            found[normal_form(taxonomy, entry.word)].update(dict.fromkeys(entry.also))
    return {word: tuple(categories) for word, categories in found.items()}


# The effects of a change of a taxonomy: on its words, and on how captions are read.

_EXAMPLES = 4


@dataclass(frozen=True, slots=True)
class Changes:
    """From one taxonomy to another: words, and labels if there are captions."""

    words_added: tuple[str, ...] = ()  # each with its role and category
    words_removed: tuple[str, ...] = ()
    gained: Counter[str] = field(default_factory=Counter)  # text of a label -> how many more
    lost: Counter[str] = field(default_factory=Counter)
    otherwise: Counter[str] = field(default_factory=Counter)  # labels of both that are read differently
    readings: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # of those: before and after

    def __bool__(self) -> bool:
        return any((self.words_added, self.words_removed, self.gained, self.lost, self.otherwise))


def word_changes(before: Taxonomy, after: Taxonomy) -> Changes:
    """Return which words and patterns two taxonomies do not share."""
    old, new = (dict.fromkeys(_words(taxonomy)) for taxonomy in (before, after))
    return Changes(
        words_added=tuple(word for word in new if word not in old),
        words_removed=tuple(word for word in old if word not in new),
    )


def _words(taxonomy: Taxonomy) -> Iterator[str]:
    for listing in listings(taxonomy):
        for word in (*listing.words, *listing.patterns):
            yield f"{word} ({listing.role} {listing.category})"
    for word in taxonomy.excluded:
        yield f"{word} (excluded)"


def changes(before: Survey, after: Survey) -> Changes:
    """Return what differs between two readings of the same captions."""
    words = word_changes(before.taxonomy, after.taxonomy)
    old, new = (
        Counter({text: seen.count for text, seen in survey.whole.labels.items()})
        for survey in (before, after)
    )
    readings = {
        text: (reading_of(before.analyses[text]), reading_of(after.analyses[text]))
        for text in old.keys() & new.keys()
    }
    differing = {text: pair for text, pair in sorted(readings.items()) if pair[0] != pair[1]}
    return Changes(
        words_added=words.words_added,
        words_removed=words.words_removed,
        gained=new - old,
        lost=old - new,
        otherwise=Counter({text: min(old[text], new[text]) for text in differing}),
        readings=differing,
    )


def reading_of(analysis: Analysis) -> str:
    """Return the best reading in a few words."""
    best = analysis.best
    parts = [*best.heads, *best.modifiers, *(f"{word}?" for word in analysis.unknown)]
    return ", ".join(parts) or "nothing"


def changes_report(found: Changes, *, title: str) -> Iterator[RenderableType]:
    """Yield the changes as lines, each with its most common examples."""
    if not found:
        yield plain(f"{title}: nothing changed.", 300)
        return
    yield Text(f"{title}:", style="bold")
    for name, words in (("words added", found.words_added), ("words removed", found.words_removed)):
        if words:
            yield _line(name, len(words), words)
    for name, labels in (("labels gained", found.gained), ("labels lost", found.lost)):
        if labels:
            shown = (f"{text} ({count(number)})" for text, number in commonest(labels, _EXAMPLES))
            yield _line(name, labels.total(), shown, more=len(labels) > _EXAMPLES)
    if found.otherwise:
        shown = (
            f"{text} ({found.readings[text][0]} → {found.readings[text][1]})"
            for text, _ in commonest(found.otherwise, _EXAMPLES)
        )
        yield _line("read differently", found.otherwise.total(), shown, more=False)


def _line(name: str, number: int, shown: Iterable[str], *, more: bool | None = None) -> Text:
    listed = list(shown)
    further = len(listed) > _EXAMPLES if more is None else more
    text = "; ".join(listed[:_EXAMPLES]) + ("; …" if further else "")
    return Text(f"  {name:<17}{count(number):>8}  ").append_text(plain(text, 400, style="dim"))


def changes_shape(signature: Signature, found: Changes, *, most: int | None) -> dict[str, Any]:
    """Return the shape of `assess domain diff --json`."""
    return {
        "signature": signature.as_dict(),
        "words": {"added": found.words_added, "removed": found.words_removed},
        "labels": {
            "gained": _counted(found.gained, most),
            "lost": _counted(found.lost, most),
            "read_differently": [
                {"label": text, "count": number, "before": pair[0], "after": pair[1]}
                for text, number in commonest(found.otherwise, most or len(found.otherwise))
                for pair in [found.readings[text]]
            ],
        },
        "totals": {
            "gained": found.gained.total(),
            "lost": found.lost.total(),
            "read_differently": found.otherwise.total(),
        },
    }


def _counted(labels: Counter[str], most: int | None) -> list[dict[str, Any]]:
    return [{"label": text, "count": number} for text, number in commonest(labels, most or len(labels))]


# The last look: the taxonomy as it was when its author last looked at the same captions.

LOOKS = DiskCache("looks", most=64)


def last_look(survey: Survey, domain: str) -> Taxonomy | None:
    """Return the taxonomy of the last look at these captions with this domain's file, if it is known."""
    return LOOKS.take(_look(survey, domain), TAXONOMY_CODEC)


def remember_look(survey: Survey, domain: str) -> None:
    """Keep the taxonomy of this look."""
    LOOKS.put(_look(survey, domain), survey.taxonomy, TAXONOMY_CODEC)


def _look(survey: Survey, domain: str) -> tuple[str, ...]:
    path = find_taxonomy(domain).resolve()
    return (str(path), code_digest("taxonomy/*.py"), *(given.sha256 for given in survey.signature.inputs))


# Checks that need captions: words, plurals and phrases that never occur.

COMMON = 20
"""With this many uses of a word, its plural, or two such words side by side, can be expected to occur."""


def caption_lint(taxonomy: Taxonomy, document: Document, contexts: WordContexts) -> Iterator[Problem]:
    """Yield a warning per kind and category for entries that do not occur in these captions."""
    plurals = Plurals(taxonomy)
    for role, name, category in taxonomy.categories():
        forms = [(entry, normal_form(taxonomy, entry.word)) for entry in category.words]
        unseen = [word for _, word in forms if not contexts.knows(word)]
        strange = [word for word in unseen if not any(map(contexts.knows, word.split()))]
        joined = [word for word in unseen if _looks_joined(word, contexts)]
        rest = [word for word in unseen if word not in {*strange, *joined}]
        nouns = forms if role == "head" else [(entry, entry.word) for entry in getattr(category, "of", ())]
        odd = list(_odd_plurals(nouns, plurals, contexts))
        for words, what, hint in (
            (strange, "unknown to these captions: {}", "misspelt, foreign, or very rare?"),
            (joined, "words that never occur together: {}", "is a comma missing?"),
            (rest, "never in these captions: {}", "keep it if other captions may have it"),
            (odd, "plurals that never occur: {}", "state the correct plural, or null if there is none"),
        ):
            if words:
                message = what.format(_quoted(words)) + f" (`{name}`)"
                yield document.problem(message, (f"{role}s", name), key=True, hint=hint)


def _looks_joined(word: str, contexts: WordContexts) -> bool:
    parts = word.split()
    return len(parts) > 1 and parts[-1] != "of" and all(contexts.uses(part) >= COMMON for part in parts)


def _odd_plurals(forms: list[tuple[Entry, str]], plurals: Plurals, contexts: WordContexts) -> Iterator[str]:
    for entry, word in forms:
        plural = plurals.stated(entry) if entry.states_plural else plurals.of(word)
        if plural and plural != word and contexts.uses(word) >= COMMON and not contexts.knows(plural):
            yield plural


def _quoted(words: list[str]) -> str:
    more = f" and {len(words) - _SHOWN_WORDS} more" if len(words) > _SHOWN_WORDS else ""
    return ", ".join(f"`{word}`" for word in words[:_SHOWN_WORDS]) + more
