"""Give the tokens of a Doc the parts of speech that noun chunks need, by looking them up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assess.annotate.rules import Outcome, RuleTable, Token

REMEMBERED = 200_000
"""Distinct words with their tag and relation, some 20 MB; then we start over."""

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A word with its tag and relation: what the rules make of it, and whether neighbours matter."""

    token: Token
    outcome: Outcome
    contextual: bool


class Marker:
    """Does to a Doc what the attribute ruler does, as far as noun chunks, tags and relations go."""

    def __init__(self, table: RuleTable) -> None:
        self._table = table
        self._entries: dict[Key, Entry] = {}

    def mark(self, doc: Any) -> None:
        """Set the part of speech of nouns and pronouns, and the tags and relations that rules change."""
        entries = [self._entry(doc.vocab, key) for key in _keys(doc)]
        for index, entry in enumerate(entries):
            outcome = entry.outcome
            if entry.contextual:
                outcome = self._table.among([each.token for each in entries], index) or outcome
            if outcome.nominal:
                doc[index].pos_ = outcome.pos
            if outcome.tag != entry.token.tag:
                doc[index].tag_ = outcome.tag
            if outcome.dep != entry.token.dep:
                doc[index].dep_ = outcome.dep

    def _entry(self, vocab: Any, key: Key) -> Entry:
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) >= REMEMBERED:
                self._entries.clear()
            token = _token(vocab, key)
            entry = Entry(token, self._table.alone(token), self._table.contextual(token))
            self._entries[key] = entry
        return entry


def _keys(doc: Any) -> list[Key]:
    return list(zip(*doc.to_array(["ORTH", "TAG", "DEP"]).T.tolist(), strict=True))


def _token(vocab: Any, key: Key) -> Token:
    orth, tag, dep = key
    lexeme = vocab[orth]
    return Token(lexeme.text, lexeme.lower_, vocab.strings[tag], vocab.strings[dep], lexeme.is_space)
