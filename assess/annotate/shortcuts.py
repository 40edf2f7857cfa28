"""Faster replacements, with equal results, for slow parts of a pipeline: rules and windows of words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model

from assess.annotate.arithmetic import Parse, quick_parse, quicken_products
from assess.records import Depth


def lighten(pipeline: Any) -> Marker | None:
    """Replace slow parts of a pipeline by faster equal ones; parts that cannot be replaced are kept."""
    quicken_products(pipeline)
    share_windows(pipeline)
    names = pipeline.pipe_names
    if "attribute_ruler" not in names or "morphologizer" in names:
        return None
    try:
        table = compile_rules(pipeline.get_pipe("attribute_ruler").patterns)
    except RuleNotUnderstoodError:
        return None
    pipeline.disable_pipe("attribute_ruler")
    return Marker(table)


def parser_of(pipeline: Any) -> Parse:
    """Return the function that parses docs after tagging; the parser is the last component."""
    parser = pipeline.get_pipe("parser")
    probes = list(pipeline.pipe(map(pipeline.make_doc, PROBES), disable=["parser"]))
    return quick_parse(parser, probes) or partial(_piped, parser)


def _piped(parser: Any, docs: Sequence[Any]) -> None:
    deque(parser.pipe(docs, batch_size=len(docs)), maxlen=0)


# The attribute ruler's rules for parts of speech, compiled into a table.
#
# spaCy finds noun chunks among nouns, proper nouns and pronouns. The attribute ruler assigns these parts of
# speech by matching some 150 patterns against each text, which takes a third of the time of tagging and
# parsing. Nearly all of its patterns test one token's tag, relation and word, so that the outcome can be
# looked up. The rules are read from the loaded ruler without assumptions; a ruler with a rule that this
# module does not understand is run unchanged.

NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
"""The parts of speech of words that can end a noun chunk."""

ASSIGNED = frozenset({"POS", "TAG", "DEP"})
"""What a rule may assign that matters here, unlike lemmas and morphology."""

TESTED = frozenset({"ORTH", "TEXT", "LOWER", "TAG", "DEP", "IS_SPACE"})
"""What a rule may test if a table is to replace it."""

REMEMBERED = 200_000
"""Maximum number of distinct words with tag and relation, some 20 MB; then the table is emptied."""

Key = tuple[int, ...]
Kind = tuple[str | None, str | None, str, str, bool]


class RuleNotUnderstoodError(Exception):
    """A rule tests or assigns something that the table does not support; caught inside this package."""


@dataclass(frozen=True, slots=True)
class Token:
    """The properties of a token that rules can test, before any rule has changed it."""

    text: str
    lower: str
    tag: str
    dep: str
    is_space: bool

    def value(self, attribute: str) -> str | bool:
        """Return the token's value of an attribute in `TESTED`."""
        if attribute == "IS_SPACE":
            return self.is_space
        if attribute in {"ORTH", "TEXT"}:
            return self.text
        return {"LOWER": self.lower, "TAG": self.tag, "DEP": self.dep}[attribute]


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on a token: its value is among the allowed ones, or is not."""

    __test__ = False  # keeps pytest from collecting the class

    attribute: str
    values: frozenset[str | bool]
    negated: bool = False

    def holds(self, token: Token) -> bool:
        """Return whether the token meets the condition."""
        return (token.value(self.attribute) in self.values) != self.negated


@dataclass(frozen=True, slots=True)
class Rule:
    """Assigns attributes to the token at `target` if consecutive tokens pass their tests."""

    tests: tuple[tuple[Test, ...], ...]
    target: int
    assigns: Mapping[str, str]

    def applies(self, tokens: Sequence[Token], index: int) -> bool:
        """Return whether the rule changes the token at this index."""
        start = index - self.target
        if start < 0 or start + len(self.tests) > len(tokens):
            return False
        return all(
            test.holds(tokens[start + place]) for place, tests in enumerate(self.tests) for test in tests
        )

    def concerns(self, token: Token) -> bool:
        """Return whether the rule could change such a token, given suitable neighbours."""
        return all(test.holds(token) for test in self.tests[self.target])


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of the rules for a token."""

    pos: str
    tag: str
    dep: str
    nominal: bool  # whether it can end a noun chunk


class RuleTable:
    """All rules in order: later ones override earlier ones, as in the attribute ruler."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._local = tuple(rule for rule in self._rules if len(rule.tests) == 1)
        self._contextual = tuple(rule for rule in self._rules if len(rule.tests) > 1)
        tests = [test for rule in self._rules for place in rule.tests for test in place]
        self._texts = {value for test in tests if test.attribute in {"ORTH", "TEXT"} for value in test.values}
        self._lowers = {value for test in tests if test.attribute == "LOWER" for value in test.values}

    @property
    def tags_need_relations(self) -> bool:
        """Whether a rule that assigns a tag tests a relation."""
        return any(
            "TAG" in rule.assigns and any(test.attribute == "DEP" for place in rule.tests for test in place)
            for rule in self._rules
        )

    def kind(self, token: Token) -> Kind:
        """Return all properties of a token that rules test; words that no rule names are equivalent."""
        text = token.text if token.text in self._texts else None
        lower = token.lower if token.lower in self._lowers else None
        return text, lower, token.tag, token.dep, token.is_space

    def alone(self, token: Token) -> Outcome:
        """Return the outcome for a token according to the rules for single tokens."""
        return _outcome(self._local, (token,), 0)

    def contextual(self, token: Token) -> bool:
        """Return whether a token's neighbours can change its outcome."""
        return any(rule.concerns(token) for rule in self._contextual)

    def among(self, tokens: Sequence[Token], index: int) -> Outcome | None:
        """Return the outcome for a token if its neighbours change it, otherwise None."""
        if not any(rule.applies(tokens, index) for rule in self._contextual):
            return None
        return _outcome(self._rules, tokens, index)


def _outcome(rules: Iterable[Rule], tokens: Sequence[Token], index: int) -> Outcome:
    # As in spaCy, all rules test the token as it was before any of them changed it.
    assigned = {"POS": "", "TAG": tokens[index].tag, "DEP": tokens[index].dep}
    for rule in rules:
        if rule.applies(tokens, index):
            assigned.update(rule.assigns)
    pos = assigned["POS"]
    return Outcome(pos, assigned["TAG"], assigned["DEP"], pos in NOMINAL)


def compile_rules(patterns: Iterable[Mapping[str, Any]]) -> RuleTable:
    """Compile an attribute ruler's `patterns`; raises RuleNotUnderstoodError if a table is not enough."""
    rules: list[Rule] = []
    for pattern in patterns:
        assigns = {key: value for key, value in pattern["attrs"].items() if key in ASSIGNED}
        if assigns.keys() != pattern["attrs"].keys() - {"MORPH", "LEMMA", "NORM"}:
            raise RuleNotUnderstoodError(f"assigns {sorted(map(str, pattern['attrs']))}")
        if not all(isinstance(value, str) for value in assigns.values()):
            raise RuleNotUnderstoodError(f"assigns {assigns}")
        if assigns:
            rules += [_rule(specs, int(pattern["index"]), assigns) for specs in pattern["patterns"]]
    return RuleTable(rules)


def _rule(specs: Sequence[Mapping[str, Any]], index: int, assigns: Mapping[str, str]) -> Rule:
    target = index + len(specs) if index < 0 else index
    if not 0 <= target < len(specs):
        raise RuleNotUnderstoodError(f"assigns to token {index} of {len(specs)}")
    return Rule(tuple(tuple(_tests(spec)) for spec in specs), target, assigns)


def _tests(spec: Mapping[str, Any]) -> Iterable[Test]:
    for attribute, wanted in spec.items():
        if attribute not in TESTED:
            raise RuleNotUnderstoodError(f"tests {attribute}")
        if isinstance(wanted, (str, bool)):
            yield Test(attribute, frozenset({wanted}))
        elif isinstance(wanted, Mapping) and wanted and wanted.keys() <= {"IN", "NOT_IN"}:
            for operator, values in wanted.items():
                yield Test(attribute, frozenset(values), negated=operator == "NOT_IN")
        else:
            raise RuleNotUnderstoodError(f"tests {attribute} with {wanted!r}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A word with its tag and relation: its outcome, and whether neighbours matter."""

    token: Token
    outcome: Outcome
    contextual: bool


class Marker:
    """Replaces the attribute ruler for everything that matters to noun chunks, tags and relations."""

    def __init__(self, table: RuleTable) -> None:
        self._table = table
        self._entries: dict[Key, Entry] = {}
        self._kinds: dict[Kind, tuple[Outcome, bool]] = {}

    @property
    def tags_need_relations(self) -> bool:
        """Whether a tag may depend on the parser's results."""
        return self._table.tags_need_relations

    def mark(self, doc: Any, depth: Depth = Depth.TREE) -> None:
        """Set the part of speech of nouns and pronouns, and the tags and relations that rules change."""
        entries = [self._entry(doc.vocab, key) for key in _keys(doc)]
        for index, entry in enumerate(entries):
            outcome = entry.outcome
            if entry.contextual:
                outcome = self._table.among([each.token for each in entries], index) or outcome
            if outcome.tag != entry.token.tag:
                doc[index].tag_ = outcome.tag
            if depth is not Depth.TREE:
                continue
            if outcome.nominal:
                doc[index].pos_ = outcome.pos
            if outcome.dep != entry.token.dep:
                doc[index].dep_ = outcome.dep

    def _entry(self, vocab: Any, key: Key) -> Entry:
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) >= REMEMBERED:
                self._entries.clear()
            token = _token(vocab, key)
            kind = self._table.kind(token)
            if kind not in self._kinds:
                self._kinds[kind] = self._table.alone(token), self._table.contextual(token)
            entry = self._entries[key] = Entry(token, *self._kinds[kind])
        return entry


def _keys(doc: Any) -> list[Key]:
    return list(zip(*doc.to_array(["ORTH", "TAG", "DEP"]).T.tolist(), strict=True))


def _token(vocab: Any, key: Key) -> Token:
    orth, tag, dep = key
    lexeme = vocab[orth]
    return Token(lexeme.text, lexeme.lower_, vocab.strings[tag], vocab.strings[dep], lexeme.is_space)


# Compute each distinct window of words once: the model's vectors, bit for bit, in less time.
#
# The first component of a small spaCy pipeline turns each word into a vector and then mixes it, four times,
# with its two neighbours. Captions are repetitive ("a man riding a"), so most words and many windows of
# three, five or seven words in a batch occur repeatedly. Here each layer runs only on the distinct windows,
# and the results are copied to all places where they occur.
#
# In these layers, equal input rows give equal output rows, down to the last bit, because spaCy's matrix
# product treats rows independently. This is verified: `share_windows` compares both methods when a model is
# loaded, and changes nothing unless they agree.

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]

PROBES = (
    "A man riding a wave on top of a surfboard.",
    "A man riding a horse on top of a hill.",
    "two DOGS and 3 cats aren't  sitting on a couch",
    "",
    "Someone's 90-year-old mother-in-law (left) holds a \U0001f382 at 5 p.m.",
    "A man",
)


def share_windows(pipeline: Any) -> bool:
    """Make a pipeline's tok2vec compute distinct windows once; returns False if that is impossible."""
    if "tok2vec" not in pipeline.pipe_names:
        return False
    component = pipeline.get_pipe("tok2vec")
    if not _understood(component.model):
        return False
    width = {"nO": component.model.get_dim("nO")}
    shared: Model[Any, Any] = Model("distinct_windows", _forward, layers=[component.model], dims=width)
    docs = [pipeline.make_doc(text) for text in PROBES]
    if not _same(component.model.predict(docs), shared.predict(docs)):
        return False
    component.model = shared
    return True


def _same(first: Sequence[Rows], second: Sequence[Rows]) -> bool:
    return len(first) == len(second) and all(map(np.array_equal, first, second))


def _understood(model: Any) -> bool:
    """Return whether this consists of word features and windows of three words with enough padding."""
    if len(model.layers) != 2:
        return False
    embed, encode = model.layers
    if not embed.layers or embed.layers[0].name != "extract_features":
        return False
    if not encode.layers or "pad" not in encode.attrs:
        return False
    layers = encode.layers[0].layers
    return encode.attrs["pad"] >= len(layers) and all(_is_window_of_three(layer) for layer in layers)


def _is_window_of_three(residual: Any) -> bool:
    if not residual.name.startswith("residual(") or len(residual.layers[0].layers) != 2:
        return False
    window = residual.layers[0].layers[0]
    return bool(window.name == "expand_window" and window.attrs["window_size"] == 1)


def _forward(model: Any, docs: Sequence[Any], is_train: bool) -> tuple[list[Rows], Any]:
    if is_train:
        raise NotImplementedError("shared windows have no gradients")
    embed, encode = model.layers[0].layers
    features = embed.layers[0].predict(docs)
    ids, distinct = _distinct_features(np.concatenate(features))
    vectors: Any = [distinct]
    for layer in embed.layers[1:]:
        vectors = layer.predict(vectors)
    lengths = [len(rows) for rows in features]
    places, padded = _pad(ids, lengths, encode.attrs["pad"])
    rows = np.concatenate([np.zeros_like(vectors[0][:1]), vectors[0]])
    layers = encode.layers[0].layers
    for layers_left, residual in zip(reversed(range(len(layers))), layers, strict=True):
        wanted = _within(places, layers_left, len(padded))
        padded, rows = _mix(padded, rows, wanted, residual.layers[0].layers[1])
    return _split(rows[padded[places]], lengths), None


def _distinct_features(features: NDArray[np.uint64]) -> tuple[Ids, NDArray[np.uint64]]:
    """Return the index of each row among the distinct rows, and the distinct rows."""
    width = features.shape[1]
    content, step = features.tobytes(), width * features.itemsize
    seen: dict[bytes, int] = {}
    ids = [seen.setdefault(content[at : at + step], len(seen)) for at in range(0, len(content), step)]
    return np.array(ids, dtype=np.int64), np.frombuffer(b"".join(seen), features.dtype).reshape(-1, width)


def _pad(ids: Ids, lengths: Sequence[int], pad: int) -> tuple[Ids, Ids]:
    """Return the index of each word, and the sequence with `pad` blanks (number 0) around each text."""
    text = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(ids)) + (text + 1) * pad
    padded = np.zeros(len(ids) + (len(lengths) + 1) * pad, dtype=np.int64)
    padded[places] = ids + 1
    return places, padded


def _within(places: Ids, reach: int, length: int) -> Ids:
    """Return the indices within `reach` of a word: no others can influence one."""
    wanted = np.zeros(length, dtype=np.bool_)
    for distance in range(-reach, reach + 1):
        wanted[places + distance] = True
    return np.flatnonzero(wanted)


def _mix(ids: Ids, rows: Rows, wanted: Ids, layer: Any) -> tuple[Ids, Rows]:
    """Apply a layer to each distinct window of three; returns the new numbers and their rows."""
    left, centre, right = ids[wanted - 1], ids[wanted], ids[wanted + 1]
    keys = (left * len(rows) + centre) * len(rows) + right
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    middle = rows[centre[first]]
    window = np.concatenate([rows[left[first]], middle, rows[right[first]]], axis=1)
    mixed = np.zeros_like(ids)
    mixed[wanted] = numbers
    return mixed, middle + layer.predict(window)


def _split(rows: Rows, lengths: Sequence[int]) -> list[Rows]:
    ends = np.cumsum(lengths)
    return [rows[end - length : end] for end, length in zip(ends, lengths, strict=True)]
