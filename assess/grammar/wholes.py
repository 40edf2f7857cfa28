"""Noun chunks that the parser cut short, or did not see: a neo-Nazi, a leftist, a hard of hearing person.

Names for people that are adjectives too, words with hyphens and phrases inside a phrase are rare in the news
that the parser learned from. The taxonomy knows better: what is one phrase by its grammar is one chunk.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from assess.grammar.parser import Parser
from assess.grammar.participles import looks_like_participle
from assess.records import Annotation, Chunk
from assess.taxonomy.words import words_of

_BEFORE_NOUN = frozenset({"amod", "det", "nummod"})
_DESCRIBING = frozenset({"CD", "DT", "JJ"})
_ARTICLES = frozenset({"CD", "DT", "JJ", "PRP", "PRP$"})
_ARTICLES_ONLY = frozenset({"CD", "DT", "PRP", "PRP$"})
_NO_NOUNS = frozenset({"JJ", "JJS", "RB", "UH", "VB", "VBD", "VBN"})
_INSIDE = frozenset({"DT", "IN", "RB", "RP", "VBG"})
_COMMON = {"NNP": "NN", "NNPS": "NNS"}
_FARTHEST = 5  # words between the parts of a phrase: wet behind the ears


def whole(text: str, annotation: Annotation, parser: Parser, nouns: frozenset[str]) -> Annotation:
    """Return an annotation whose chunks are whole; the same one where they are."""
    annotation = _apart(text, annotation, parser, nouns)
    chunks = _wider(text, annotation, parser)
    tags = annotation.tags if tuple(chunks) == annotation.chunks else _tags(annotation, chunks)
    for index in _names(annotation, nouns):
        article = index - 1
        while annotation.tags[article] != "DT":
            article -= 1
        chunk = Chunk(annotation.offsets[article], annotation.offsets[index] + len(annotation.words[index]))
        if _is_free(chunks, chunk) and parser.analyse(_key(text, chunk)).covered:
            chunks = sorted([*chunks, chunk])
            tags = (*tags[:index], "NN", *tags[index + 1 :])
    if tags is annotation.tags and tuple(chunks) == annotation.chunks:
        return annotation
    return annotation._replace(chunks=tuple(chunks), tags=tags)


def _apart(text: str, annotation: Annotation, parser: Parser, nouns: frozenset[str]) -> Annotation:
    """Return an annotation with two people in two chunks: a drummer and + guitar player."""
    if "nmod" not in annotation.deps or "and" not in annotation.words:
        return annotation
    words, offsets = annotation.words, annotation.offsets
    heads, deps, chunks = list(annotation.heads), list(annotation.deps), set(annotation.chunks)
    for joint, word in enumerate(words):
        first, last = joint - 1, heads[joint - 1]
        if word != "and" or deps[first] != "nmod" or last <= joint or words[first].lower() not in nouns:
            continue
        chunk = annotation.chunks[bisect_right(annotation.chunks, (offsets[joint],)) - 1]
        rest = Chunk(offsets[joint + 1], chunk.end)
        if chunk in chunks and rest.start < rest.end and _is_head(parser, _key(text, rest)):
            _join(heads, deps, first, last)
            chunks -= {chunk}
            chunks |= {Chunk(chunk.start, offsets[first] + len(words[first])), rest}
    return annotation._replace(heads=tuple(heads), deps=tuple(deps), chunks=tuple(sorted(chunks)))


def _is_head(parser: Parser, key: str) -> bool:
    """Whether a phrase of several words is a name of somebody and nothing else: guitar player."""
    words = len(words_of(key))
    spans = parser.analyse(key).best.spans if words > 1 else ()
    return any(span.role == "head" and span.end - span.start == words for span in spans)


def _join(heads: list[int], deps: list[str], first: int, last: int) -> None:
    """Hang the second of two nouns on the first one."""
    heads[first], deps[first] = first if heads[last] == last else heads[last], deps[last]
    heads[last], deps[last] = first, "conj"
    for index in range(max(0, first - _FARTHEST), last):
        if index < first and heads[index] == last:
            heads[index] = first
        elif heads[index] == first and deps[index] == "conj":
            heads[index], deps[index] = last, "compound"  # guitar, of the guitar player


def without_names(annotation: Annotation) -> Annotation:
    """Return an annotation of a text in capitals, whose words the tagger takes for names, without names."""
    if not all(word.isupper() or not word.isalpha() for word in annotation.words):
        return annotation
    words = tuple([word.lower() if word.isascii() else word for word in annotation.words])
    tags = [_COMMON.get(tag, tag) for tag in annotation.tags]
    deps = list(annotation.deps)
    for index, word in enumerate(words):
        if tags[index] == "NN" and looks_like_participle(word) and deps[index] in {"appos", "compound"}:
            tags[index] = "VBG"
            deps[index] = "acl" if deps[index] == "appos" else deps[index]
    return annotation._replace(words=words, tags=tuple(tags), deps=tuple(deps))


def _tags(annotation: Annotation, chunks: list[Chunk]) -> tuple[str, ...]:
    """Return the tags; inside a phrase that was joined, nobody does anything: hard of hearing."""
    tags = list(annotation.tags)
    for chunk in set(chunks).difference(annotation.chunks):
        first = bisect_left(annotation.offsets, chunk.start)
        for index in range(first, bisect_left(annotation.offsets, chunk.end)):
            tags[index] = "NN" if tags[index] == "VBG" else tags[index]
    return annotation.tags if tags == list(annotation.tags) else tuple(tags)


def _key(text: str, chunk: Chunk) -> str:
    return " ".join(text[chunk.start : chunk.end].lower().split())


def _is_free(chunks: list[Chunk], chunk: Chunk) -> bool:
    return all(other.end <= chunk.start or other.start >= chunk.end for other in chunks)


def _wider(text: str, annotation: Annotation, parser: Parser) -> list[Chunk]:
    """Return the chunks, each from where its phrase begins to where its last word ends."""
    found: list[Chunk] = []
    hyphens = "-" in text
    for chunk in annotation.chunks:
        if found and chunk.start < found[-1].end:
            continue  # a part of the word that was made whole
        if hyphens and (longer := _to_end_of_word(text, chunk)) != chunk:
            chunk = longer if parser.analyse(_key(text, longer)).covered else chunk
        first = bisect_left(annotation.offsets, chunk.start)
        last = bisect_left(annotation.offsets, found[-1].end) if found else 0
        start = _first_described(annotation, first, last)
        if start < first:
            earlier = Chunk(annotation.offsets[start], chunk.end)
            found.append(earlier if _is_one(text, chunk, earlier, parser) else chunk)
        elif found and _holds_phrase(annotation, last, first):
            joined = Chunk(found[-1].start, chunk.end)
            if _is_one(text, chunk, joined, parser) and _is_said_across(text, found[-1], joined, parser):
                found.pop()
                chunk = joined
            found.append(chunk)
        elif found and first - last == 1 and annotation.words[last] == ",":
            # A shirtless, + bearded man: a quality that the tagger takes for a noun.
            joined = Chunk(found[-1].start, chunk.end)
            opens = not parser.analyse(_key(text, found[-1])).in_domain
            if (
                opens
                and annotation.tags[first] not in _ARTICLES_ONLY
                and _is_one(text, chunk, joined, parser)
            ):
                found.pop()
                chunk = joined
            found.append(chunk)
        else:
            found.append(chunk)
    return found


def _to_end_of_word(text: str, chunk: Chunk) -> Chunk:
    """Return a chunk with all of its last word, which the tokeniser cut at hyphens: a neo-Nazi."""
    end = chunk.end
    if text[end : end + 1] == "-" or text[end - 1] == "-":
        while end < len(text) and (text[end].isalnum() or text[end] in "-'"):
            end += 1
    return Chunk(chunk.start, end)


def _first_described(annotation: Annotation, first: int, last: int) -> int:
    """Return where the words begin that describe a noun and hang on another: a young + child throwing."""
    while (
        first > last
        and annotation.tags[first - 1] in _DESCRIBING
        and annotation.deps[first - 1] in _BEFORE_NOUN
    ):
        first -= 1
    return first


def _holds_phrase(annotation: Annotation, last: int, first: int) -> bool:
    """Whether a phrase may stand inside another, between these words: a hard + of hearing + person."""
    return (
        0 < first - last < _FARTHEST
        and annotation.tags[last] != "VBG"
        and annotation.tags[first] not in _ARTICLES
        and all(tag in _INSIDE for tag in annotation.tags[last:first])
    )


def _is_one(text: str, chunk: Chunk, wider: Chunk, parser: Parser) -> bool:
    """Whether the domain reads a chunk in full with the words before it."""
    return parser.analyse(_key(text, chunk)).in_domain and parser.analyse(_key(text, wider)).covered


def _is_said_across(text: str, first: Chunk, joined: Chunk, parser: Parser) -> bool:
    """Whether a modifier begins in one chunk and ends after it; "a group of" is another matter."""
    words = len(words_of(_key(text, first)))
    return any(
        span.role == "modifier" and span.start < words < span.end and not span.text.endswith(" of")
        for span in parser.analyse(_key(text, joined)).best.spans
    )


def _names(annotation: Annotation, nouns: frozenset[str]) -> Iterator[int]:
    """Yield names of people right after an article, by words that the tagger takes for something else."""
    words, tags = annotation.words, annotation.tags
    for index, tag in enumerate(tags):
        if tag not in _NO_NOUNS or not index or tags[index + 1 : index + 2] == ("HYPH",):
            continue
        if tags[index - 1] == "DT":
            if words[index].lower() in nouns and annotation.heads[index - 1] == index:
                yield index
        elif words[index - 1] == "-" and tags[max(0, index - 3)] == "DT":
            yield index  # an ex-Mormon
