"""A domain as a component of a spaCy pipeline: `nlp.add_pipe("assess", config={"domain": "people"})`.

It fills `doc.spans["people"]` with a span for each category of each label: `span.label_` is the category and
`span.id_` the role. displaCy draws them with `style="span"` and `options={"spans_key": "people"}`. Attributes
after the noun ("a man with a beard") are included, from the preposition, verb or adjective to the noun;
`config={"after": False}` omits them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from spacy.language import Language
from spacy.tokens import Doc, Span

from assess.annotate.extract import DocReader
from assess.errors import UsageError
from assess.grammar import Grammar, load_grammar
from assess.grammar.captions import PersonReading
from assess.grammar.labels import LabelFinder
from assess.grammar.load import grammar_of
from assess.grammar.mentions import Mention
from assess.grammar.parser import Parser
from assess.limits import overlong
from assess.taxonomy.words import tokenise

FILE = "grammar.lark"
Readings = Literal["best", "all"]


def make_component(
    nlp: Language,  # noqa: ARG001 - spaCy hands it to every factory
    name: str,  # noqa: ARG001
    domain: str,
    spans_key: str | None,
    readings: str,
    after: bool,
) -> DomainComponent:
    """Create the component from a domain's name or file, the key of the spans, and which spans to include."""
    if readings not in ("best", "all"):
        raise UsageError(f"there are no readings {readings!r}", hint="best or all")
    chosen: Readings = "all" if readings == "all" else "best"
    return DomainComponent(domain, spans_key=spans_key, readings=chosen, after=after)


class DomainComponent:
    """Finds the labels of a domain in docs with noun chunks, and marks their categories."""

    def __init__(
        self, domain: str, *, spans_key: str | None = None, readings: Readings = "best", after: bool = True
    ) -> None:
        self._domain = domain
        self._spans_key = spans_key
        self._readings = readings
        self._after = after
        self._finder: LabelFinder | None = None
        # A pipeline from disk contains its grammar; the original file may no longer exist.
        if not domain.endswith((".lark", ".yaml", ".yml")) or Path(domain).exists():
            self._use(load_grammar(domain))

    def _use(self, grammar: Grammar) -> None:
        self._finder = LabelFinder(Parser(grammar), after=self._after)

    @property
    def grammar(self) -> Grammar:
        """The grammar in use."""
        return self._ready().parser.grammar

    @property
    def spans_key(self) -> str:
        """The key of the span group; by default the domain's name."""
        return self._spans_key or self.grammar.name

    def __call__(self, doc: Doc) -> Doc:
        """Fill the span group of a doc."""
        spans = self._spans(doc)
        doc.spans[self.spans_key] = sorted(spans, key=lambda span: (span.start, span.end, span.label_))
        return doc

    def _ready(self) -> LabelFinder:
        if self._finder is None:
            self._use(load_grammar(self._domain))  # reports what is wrong with the path
        assert self._finder is not None
        return self._finder

    def _spans(self, doc: Doc) -> Iterator[Span]:
        finder = self._ready()
        if overlong()(doc.text):
            return
        for person in finder.people(doc.text, DocReader(doc.vocab).annotation(doc)):
            for mention in person.mentions:
                if mention.kind == "label":
                    yield from self._inside(doc, mention, finder.parser)
            yield from _said(doc, person, finder)

    def _inside(self, doc: Doc, mention: Mention, parser: Parser) -> Iterator[Span]:
        """Yield the spans inside a chunk."""
        # The original text, so that offsets are those of the doc.
        written = doc.text[mention.start : mention.end]
        analysis = parser.analyse(written)
        tokens = tokenise(written)
        for span in analysis.spans if self._readings == "all" else analysis.best.spans:
            start, end = tokens[span.start].start, tokens[span.end - 1].end
            yield doc.char_span(
                mention.start + start,
                mention.start + end,
                label=span.category,
                span_id=span.role,
                alignment_mode="expand",
            )

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:  # noqa: ARG002 - spaCy's signature
        """Return the grammar, so that a saved pipeline needs no other file."""
        return self.grammar.text.encode("utf-8")

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> DomainComponent:  # noqa: ARG002
        """Use a saved grammar."""
        self._use(grammar_of(data.decode("utf-8"), FILE))
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the grammar in the pipeline's folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_bytes(self.to_bytes(exclude=exclude))

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> DomainComponent:
        """Use the grammar in the pipeline's folder."""
        return self.from_bytes((Path(path) / FILE).read_bytes(), exclude=exclude)


def _said(doc: Doc, person: PersonReading, finder: LabelFinder) -> Iterator[Span]:
    """Yield the spans of statements about a person outside their noun phrases."""
    places = {mention.nouns[-1] for mention in person.mentions}
    told = finder.analyse(person.key).best.spans
    for part in person.parts:
        if part.at not in places:
            for span in told:
                if span.text == part.text:
                    yield Span(doc, part.start, part.at + 1, label=span.category, span_id=span.role)


Language.factory(
    "assess",
    default_config={"domain": "people", "spans_key": None, "readings": "best", "after": True},
    assigns=["doc.spans"],
    requires=["token.dep", "token.tag"],
    func=make_component,
)
