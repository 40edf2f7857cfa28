"""Reading attribute phrases that follow the noun, with the same categories as before it.

A label with such attributes is kept under one text, "a man … with beard … smiling", so that equal labels
are still counted together and analysed once.
"""

from __future__ import annotations

import re
from sys import intern

from assess.grammar.parser import Parser
from assess.records import Analysis, Reading, Span
from assess.taxonomy.phrases import after_patterns_of
from assess.taxonomy.tokens import words_of

SEPARATOR = " … "


class AfterReader:
    """Reads labels with attributes after the noun."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._patterns = [
            (category, re.compile(regex)) for category, regex in after_patterns_of(parser.grammar.taxonomy)
        ]
        self._analyses: dict[str, Analysis] = {}
        self._by_pattern: dict[str, tuple[str, ...]] = {}  # by phrase; captions repeat them

    def extend(self, key: str, attributes: list[str]) -> str:
        """Return a label's text with the attributes that the taxonomy has a category for."""
        analysis = self._parser.analyse(key)
        if not analysis.covered:
            return key
        known = [phrase for phrase in attributes if self._categories(analysis, phrase)]
        # One copy of each text: captions repeat them, and texts are remembered.
        return intern(SEPARATOR.join([key, *known]))

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label, with or without attributes after the noun."""
        if SEPARATOR not in key:
            return self._parser.analyse(key)
        if key not in self._analyses:
            self._analyses[key] = self._analyse(key)
        return self._analyses[key]

    def _analyse(self, key: str) -> Analysis:
        chunk, *attributes = key.split(SEPARATOR)
        analysis = self._parser.analyse(chunk)
        tokens = list(analysis.tokens)
        spans: list[Span] = []
        for phrase in attributes:
            words = words_of(phrase)
            start, end = len(tokens), len(tokens) + len(words)
            tokens += words
            for category in self._categories(analysis, phrase):
                spans.append(Span(start, end, phrase, category, "modifier", position="after"))
        found = {span.category for span in spans}
        return analysis._replace(
            text=key,
            tokens=tuple(tokens),
            modifiers=tuple(sorted({*analysis.modifiers, *found})),
            spans=(*analysis.spans, *spans),
            best=Reading(
                analysis.best.heads,
                tuple(sorted({*analysis.best.modifiers, *found})),
                (*analysis.best.spans, *spans),
            ),
        )

    def _categories(self, analysis: Analysis, phrase: str) -> tuple[str, ...]:
        """Return the categories of one attribute phrase of a label."""
        by_pattern = self._matching(phrase)
        if by_pattern or " " in phrase:
            return by_pattern
        # A quality is read as if it stood before the noun, so the head's constraints hold.
        heads = [span.text for span in analysis.best.spans if span.role == "head"]
        if not heads:
            return ()  # a phrase structure of one's own may read a label without its head
        reading = self._parser.analyse(f"{phrase} {heads[-1].lower()}")
        return reading.best.modifiers if reading.why is None else ()

    def _matching(self, phrase: str) -> tuple[str, ...]:
        """Return the categories whose patterns match a phrase."""
        if phrase not in self._by_pattern:
            found = {category for category, regex in self._patterns if regex.fullmatch(phrase)}
            self._by_pattern[phrase] = tuple(sorted(found))
        return self._by_pattern[phrase]
