"""The noun chunks that are counted: joined at "of", and completed where the parser cut them short.

Nouns for people that are also adjectives, hyphenated words and phrases inside phrases are rare in the news
that the parser was trained on: a leftist, a neo-Nazi, a hard of hearing person. If the taxonomy reads the
words as one phrase, they become one chunk.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from assess.grammar.parser import Parser
from assess.grammar.participles import looks_like_participle
from assess.grammar.statements import SEPARATOR
from assess.grammar.tree import DEFINITE, SUBJECTS, Tree
from assess.records import Annotation, Chunk
from assess.taxonomy.words import NUMBER, words_of


class Located(NamedTuple):
    """A chunk that is counted, with the noun chunks that were joined to make it."""

    start: int
    end: int
    key: str
    parts: tuple[Chunk, ...]


_SIGN = SEPARATOR.strip()


@lru_cache(maxsize=1 << 16)  # the same chunks occur again and again, within a system and between systems
def label_key(text: str) -> str:
    """Return a chunk's text in lower case with single spaces, so that equal chunks are counted together."""
    # The separator between a chunk and its attributes must not come from a caption.
    return " ".join(text.lower().replace(_SIGN, " ").split())


# Joining chunks.


def find_chunks(
    text: str, chunks: tuple[Chunk, ...], parser: Parser, *, join_of: bool, apart: Collection[Chunk] = ()
) -> list[Located]:
    """Return a caption's chunks; with `join_of`, "a group" + "of" + "young men" is one chunk.

    spaCy ends a noun chunk at "of". Without joining, what the first half says ("a large group of") would be
    lost, and "a group of zebras" would count as a group of people. Nothing is joined to chunks in `apart`.
    """
    found: list[Located] = []
    if not join_of or not _may_join(text):
        for chunk in chunks:
            start, end = chunk
            found.append(Located(start, end, label_key(text[start:end]), (chunk,)))
        return found
    position = 0
    while position < len(chunks):
        last = position
        while last + 1 < len(chunks) and _joins(text, chunks, position, last, parser):
            if chunks[last] in apart:
                break
            last += 1
        parts = chunks[position : last + 1]
        key = label_key(text[parts[0].start : parts[-1].end])
        if last > position and not parser.analyse(key).covered:
            # The grammar cannot read all of it, but it may read the part after "of" alone, or the part
            # before "of" if a number follows (a family of four).
            only = parts[-1:] if parser.analyse(key).in_domain else parts[:1]
            if only == parts[-1:] or _NUMBER.fullmatch(label_key(text[parts[-1].start : parts[-1].end])):
                parts = only
                key = label_key(text[parts[0].start : parts[-1].end])
        found.append(Located(parts[0].start, parts[-1].end, key, parts))
        position = last + 1
    return found


def _may_join(text: str) -> bool:
    """Whether a text contains "of" or a hyphen; without them no chunks are joined, not even in a list."""
    return "-" in text or "of" in text.lower()


_NUMBER = re.compile(NUMBER)
_HYPHENS = re.compile(r"-(?:\w+-)+")
LISTING = frozenset({",", "and", ", and"})
"""What joins the chunks of a list, but only after an "of": a group of men, women and children."""
_JOINTS = LISTING | {"of", "up of", "-up of", "- up of"}
_JOINED_LATER = re.compile(r" ?(?:, \w+ ?)*,? and \w")


@lru_cache(maxsize=1 << 12)  # the text between chunks is nearly always one of a few words
def joint_between(between: str) -> str:
    """Return how the text between two chunks may join them: "of", "-", a comma or "and"; "" if it cannot."""
    joining = between.strip().lower()
    if _HYPHENS.fullmatch(between):
        return "-"
    return "" if joining not in _JOINTS else joining if joining in LISTING else "of"


def _joins(text: str, chunks: Sequence[Chunk], first: int, last: int, parser: Parser) -> bool:
    left, right = chunks[last], chunks[last + 1]
    between = joint_between(text[left.end : right.start])
    if not between:
        return False
    if between == "-":
        return True  # a left-of-center voter
    if between == "of":
        opening = text[left.start : right.start].strip()[: -len("of")]
        return parser.opens_of_phrase(opening) or parser.excludes_of(opening, text[right.start : right.end])
    # "A group of men, women and children" is one group.
    if last == first or " " in text[right.start : right.end].strip():
        return False
    return between != "," or _JOINED_LATER.match(text, right.end) is not None


_PICTURES = frozenset(
    {"image", "images", "photo", "photograph", "photographs", "photos", "picture", "pictures"}
)
_TAKING = frozenset({"snap", "snapping", "snaps", "take", "taken", "takes", "taking", "took"})


def pictures_taken(tree: Tree) -> list[Chunk]:
    """Return the chunks of pictures that are being taken: the person in one is present, not only pictured."""
    words = tree.annotation.words
    if _PICTURES.isdisjoint(words):
        return []
    taken = [
        tree.offsets[index]
        for index, word in enumerate(words)
        if word in _PICTURES and tree.words[tree.heads[index]] in _TAKING
    ]
    return [chunk for chunk in tree.chunks for offset in taken if chunk.start <= offset < chunk.end]


# Owners, who share a chunk with the thing they own.

_DETERMINERS = DEFINITE | {"a", "an"}


def find_owners(text: str, tree: Tree) -> list[Located]:
    """Return the owners of things that are described: the man's shirt is blue, a girl's hair is long."""
    found: list[Located] = []
    for mark, tag in enumerate(tree.tags):
        owner = tree.heads[mark]
        if tag != "POS" or tree.deps[owner] != "poss" or not tree.tags[owner].startswith("NN"):
            continue
        first = owner
        while tree.children[first] and tree.children[first][0] < first:
            first = tree.children[first][0]
        if tree.words[first] in _DETERMINERS or tree.deps[tree.heads[owner]] in SUBJECTS:
            chunk = Chunk(tree.offsets[first], tree.offsets[owner] + len(tree.annotation.words[owner]))
            found.append(Located(*chunk, label_key(text[chunk.start : chunk.end]), (chunk,)))
    return found


# Completing chunks.

_BEFORE_NOUN = frozenset({"amod", "det", "nummod"})
_DESCRIBING = frozenset({"CD", "DT", "JJ"})
_ARTICLE = frozenset({"a", "an", "that", "the", "this"})
_ARTICLES = frozenset({"CD", "DT", "JJ", "PRP", "PRP$"})
_NO_NOUNS = frozenset({"JJ", "JJS", "RB", "UH", "VB", "VBD", "VBN"})
_ARTICLES_ONLY = frozenset({"CD", "DT", "PRP", "PRP$"})
_INSIDE = frozenset({"DT", "IN", "RB", "RP", "VBG"})
_COMMON = {"NNP": "NN", "NNPS": "NNS"}
_FARTHEST = 5  # number of words between the parts of a phrase: wet behind the ears


def names_as_nouns(annotation: Annotation) -> Annotation:
    """Return an annotation with common nouns for names if the text is in capitals: A MAN SITTING."""
    for word in annotation.words:
        if not word.isupper() and word.isalpha():
            return annotation
    # Only ASCII words are put in lower case, because others may change their length.
    words = tuple([word.lower() if word.isascii() else word for word in annotation.words])
    tags = [_COMMON.get(tag, tag) for tag in annotation.tags]
    deps = list(annotation.deps)
    for index, word in enumerate(words):
        if tags[index] == "NN" and looks_like_participle(word) and deps[index] in {"appos", "compound"}:
            tags[index] = "VBG"
            deps[index] = "acl" if deps[index] == "appos" else deps[index]
    return annotation._replace(words=words, tags=tuple(tags), deps=tuple(deps))


def with_whole_chunks(text: str, tree: Tree, parser: Parser, nouns: frozenset[str]) -> Tree:
    """Return a tree with complete chunks; the same object if nothing changes."""
    tree = _with_two_people_apart(text, tree, parser, nouns)
    names = _mistagged_people(tree, nouns)
    if not names and "-" not in text and not _may_be_cut(text, tree, parser):
        return tree
    chunks = _widened(text, tree, parser)
    tags = tree.tags if tuple(chunks) == tree.chunks else _retagged(tree, chunks)
    for index in names:
        article = index - 1
        while tree.tags[article] != "DT":
            article -= 1
        name = tree.annotation.words[index]
        chunk = Chunk(tree.offsets[article], tree.offsets[index] + len(name))
        if _is_free(chunks, chunk) and parser.analyse(_key(text, chunk)).covered:
            chunks = sorted([*chunks, chunk])
            tags = (*tags[:index], "NN", *tags[index + 1 :])
    if tags is tree.tags and tuple(chunks) == tree.chunks:
        return tree
    return Tree(tree.annotation._replace(chunks=tuple(chunks), tags=tags))


def _with_two_people_apart(text: str, tree: Tree, parser: Parser, nouns: frozenset[str]) -> Tree:
    """Return a tree that splits a chunk with two people into two: a drummer and + guitar player."""
    if "nmod" not in tree.relations or "and" not in tree.words or not tree.chunks:
        return tree
    words, offsets = tree.words, tree.offsets
    heads, deps, chunks = list(tree.heads), list(tree.deps), set(tree.chunks)
    for joint, word in enumerate(words):
        first, last = joint - 1, heads[joint - 1]
        if word != "and" or deps[first] != "nmod" or last <= joint or words[first] not in nouns:
            continue
        chunk = tree.chunks[bisect_right(tree.chunks, (offsets[joint],)) - 1]
        rest = Chunk(offsets[joint + 1], chunk.end)
        inside = chunk in chunks and chunk.start < offsets[joint] and rest.start < rest.end
        if inside and _is_whole_head(parser, _key(text, rest)):
            _join(heads, deps, first, last)
            chunks -= {chunk}
            chunks |= {Chunk(chunk.start, offsets[first] + len(words[first])), rest}
    if deps == list(tree.deps):
        return tree
    annotation = tree.annotation._replace(heads=tuple(heads), deps=tuple(deps), chunks=tuple(sorted(chunks)))
    return Tree(annotation)


def _is_whole_head(parser: Parser, key: str) -> bool:
    """Whether a phrase of several words is exactly one head of the taxonomy: guitar player."""
    words = len(words_of(key))
    spans = parser.analyse(key).best.spans if words > 1 else ()
    return any(span.role == "head" and span.end - span.start == words for span in spans)


def _join(heads: list[int], deps: list[str], first: int, last: int) -> None:
    """Coordinate two nouns, the second attached to the first."""
    heads[first], deps[first] = first if heads[last] == last else heads[last], deps[last]
    heads[last], deps[last] = first, "conj"
    for index in range(max(0, first - _FARTHEST), last):
        if index < first and heads[index] == last:
            heads[index] = first
        elif heads[index] == first and deps[index] == "conj":
            heads[index], deps[index] = last, "compound"  # "guitar" belongs to "player"


def _retagged(tree: Tree, chunks: list[Chunk]) -> tuple[str, ...]:
    """Return the tags, with nouns for participles inside newly joined chunks: hard of hearing."""
    tags = list(tree.tags)
    for chunk in set(chunks).difference(tree.chunks):
        first = bisect_left(tree.offsets, chunk.start)
        for index in range(first, bisect_left(tree.offsets, chunk.end)):
            tags[index] = "NN" if tags[index] == "VBG" else tags[index]
    return tree.tags if tags == list(tree.tags) else tuple(tags)


def _key(text: str, chunk: Chunk) -> str:
    return label_key(text[chunk.start : chunk.end])


def _is_free(chunks: list[Chunk], chunk: Chunk) -> bool:
    return all(other.end <= chunk.start or other.start >= chunk.end for other in chunks)


def _may_be_cut(text: str, tree: Tree, parser: Parser) -> bool:
    """Whether words before a chunk of the domain may belong to it; hyphens are checked elsewhere."""
    offsets, tags, before = tree.offsets, tree.tags, 0
    for chunk in tree.chunks:
        start, end = chunk
        first = bisect_left(offsets, start)
        # Most chunks follow another one directly, or begin with an article that no adjective precedes.
        if (
            first
            and offsets[first - 1] >= before
            and (tags[first] not in _ARTICLES_ONLY or tags[first - 1] in _DESCRIBING)
            and _may_begin_earlier(tree, first, before)
            and parser.analyse(_key(text, chunk)).in_domain
        ):
            return True
        before = end
    return False


def _may_begin_earlier(tree: Tree, first: int, before: int) -> bool:
    """Whether the chunk at the word `first` may begin earlier, but after the end of the chunk before."""
    if tree.tags[first - 1] in _DESCRIBING and tree.deps[first - 1] in _BEFORE_NOUN:
        return True
    last = bisect_left(tree.offsets, before)
    return before > 0 and (_holds_phrase(tree, last, first) or _goes_on_after_comma(tree, last, first))


def _widened(text: str, tree: Tree, parser: Parser) -> list[Chunk]:
    """Return the chunks, extended to the whole phrase and to whole words."""
    found: list[Chunk] = []
    hyphens = "-" in text
    for chunk in tree.chunks:
        if found and chunk.start < found[-1].end:
            continue  # part of a word that the chunk before now includes
        if hyphens:
            chunk = _with_whole_words(text, chunk, parser)
            while found and found[-1].end > chunk.start:
                found.pop()
        first = bisect_left(tree.offsets, chunk.start)
        last = bisect_left(tree.offsets, found[-1].end) if found else 0
        start = _first_described(tree, first, last)
        if start < first:
            earlier = Chunk(tree.offsets[start], chunk.end)
            found.append(earlier if _is_phrase(text, chunk, earlier, parser) else chunk)
        elif found and _holds_phrase(tree, last, first):
            joined = Chunk(found[-1].start, chunk.end)
            if _is_phrase(text, chunk, joined, parser) and _spans_modifier(text, found[-1], joined, parser):
                found.pop()
                chunk = joined
            found.append(chunk)
        elif found and _goes_on_after_comma(tree, last, first):
            joined = Chunk(found[-1].start, chunk.end)
            opens = not parser.analyse(_key(text, found[-1])).in_domain
            if opens and _is_phrase(text, chunk, joined, parser):
                found.pop()
                chunk = joined
            found.append(chunk)
        else:
            found.append(chunk)
    return found


def _goes_on_after_comma(tree: Tree, last: int, first: int) -> bool:
    """Whether an adjective tagged as a noun may describe the next chunk: a shirtless, + tall man."""
    return first - last == 1 and tree.words[last] == "," and tree.tags[first] not in _ARTICLES_ONLY


def _with_whole_words(text: str, chunk: Chunk, parser: Parser) -> Chunk:
    """Return a chunk with its first and last words completed, if the tokeniser split them at hyphens."""
    if (longer := _to_end_of_word(text, chunk)) != chunk and parser.analyse(_key(text, longer)).covered:
        chunk = longer
    longer = _from_begin_of_word(text, chunk)
    return longer if longer != chunk and _is_phrase(text, chunk, longer, parser) else chunk


def _to_end_of_word(text: str, chunk: Chunk) -> Chunk:
    """Return a chunk with its last word completed, if the tokeniser split it at a hyphen: a neo-Nazi."""
    end = chunk.end
    if text[end : end + 1] == "-" or text[end - 1] == "-":
        while end < len(text) and (text[end].isalnum() or text[end] in "-'"):
            end += 1
    return Chunk(chunk.start, end)


def _from_begin_of_word(text: str, chunk: Chunk) -> Chunk:
    """Return a chunk with the hyphenated word before it: a down-to-earth + man."""
    end = chunk.start - 1
    begin = text.rfind(" ", 0, max(end, 0)) + 1
    if end < 1 or text[end] != " " or "-" not in text[begin:end].strip("-"):
        return chunk
    article = text.rfind(" ", 0, max(begin - 1, 0)) + 1
    return Chunk(article if text[article : begin - 1].lower() in _ARTICLE else begin, chunk.end)


def _first_described(tree: Tree, first: int, last: int) -> int:
    """Return where the modifiers that a chunk lacks begin: a young + child throwing."""
    while first > last and tree.tags[first - 1] in _DESCRIBING and tree.deps[first - 1] in _BEFORE_NOUN:
        first -= 1
    return first


def _holds_phrase(tree: Tree, last: int, first: int) -> bool:
    """Whether the words between two chunks may be a phrase inside one: a hard + of hearing + person."""
    return (
        0 < first - last < _FARTHEST
        and tree.tags[last] != "VBG"
        and tree.tags[first] not in _ARTICLES
        and _INSIDE.issuperset(tree.tags[last:first])
    )


def _is_phrase(text: str, chunk: Chunk, wider: Chunk, parser: Parser) -> bool:
    """Whether a chunk is in the domain, and the taxonomy also covers the wider one."""
    return parser.analyse(_key(text, chunk)).in_domain and parser.analyse(_key(text, wider)).covered


def _spans_modifier(text: str, first: Chunk, joined: Chunk, parser: Parser) -> bool:
    """Whether a modifier starts in the first chunk and ends after it; "a group of" does not count."""
    words = len(words_of(_key(text, first)))
    return any(
        span.role == "modifier" and span.start < words < span.end and not span.text.endswith(" of")
        for span in parser.analyse(_key(text, joined)).best.spans
    )


def _mistagged_people(tree: Tree, nouns: frozenset[str]) -> list[int]:
    """Return the indices of nouns for people, right after an article, that have another tag: a leftist."""
    found = []
    for index, tag in enumerate(tree.tags):
        if tag in _NO_NOUNS and _is_mistagged_person(tree, index, nouns):
            found.append(index)
    return found


def _is_mistagged_person(tree: Tree, index: int, nouns: frozenset[str]) -> bool:
    before = index - 1
    if before < 0 or tree.tags[index + 1 : index + 2] == ("HYPH",):
        return False
    if tree.tags[before] == "DT":
        return tree.words[index] in nouns and tree.heads[before] == index
    return tree.words[before] == "-" and tree.tags[max(0, index - 3)] == "DT"  # an ex-Mormon
