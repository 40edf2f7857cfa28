"""What only captions can tell about a taxonomy: words, plurals and phrases that nobody writes."""

from __future__ import annotations

from collections.abc import Iterator

from assess.domain.cooccurrence import WordContexts
from assess.errors import Problem
from assess.taxonomy.model import Entry, Taxonomy
from assess.taxonomy.phrases import Plurals, normal_form
from assess.taxonomy.strict_yaml import Document

COMMON = 20
"""Uses of a word from which on one may expect to see its plural, or two such words beside each other."""

_SHOWN = 8


def caption_lint(taxonomy: Taxonomy, document: Document, contexts: WordContexts) -> Iterator[Problem]:
    """Yield what a taxonomy lists and these captions do not have, one warning for each kind and category."""
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
            (strange, "no word of {} occurs in these captions", "misspelt, foreign, or very rare?"),
            (joined, "{} never occurs, but its words do by themselves", "is a comma missing?"),
            (rest, "{} never occurs in these captions", "keep it if other captions may have it"),
            (odd, "the plural {} never occurs", "state the right one, or null where there is none"),
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
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(f"`{word}`" for word in words[:_SHOWN]) + more
