"""Verbs that the tagger took for nouns: a man in a red shirt jumps over a fence.

Captions are written in the simple present, and a small model often reads "jumps" as a plural noun. Two signs give it
away: it has a subject, or it stands in a phrase with an article for one thing.
"""

from __future__ import annotations

from assess.records import Annotation, Chunk

_NOUNS = frozenset({"NN", "NNS"})
_LOOSE = frozenset({"dep", "npadvmod", "nmod", "intj", "parataxis", "ccomp", "advcl", "acl", "relcl"})
_IN_PHRASE = frozenset({"amod", "compound", "det", "nmod", "nummod", "poss"})
_OTHERS = frozenset({"another", "one", "other"})
_ONE = frozenset({"a", "an", "another", "each", "every", "one", "this"})
# What a verb goes on with: jumps over, walks the dog, smiles and waves.
_COMPLEMENTS = frozenset({"CC", "DT", "IN", "PRP$", "RB", "RP", "TO"})
# Clothes and tools that have no singular: "a swimming goggles" is bad English, but no verb.
_ALWAYS_PLURAL = frozenset(
    ["binoculars", "boots", "clothes", "earrings", "glasses", "gloves", "goggles", "headphones", "jeans", "leggings", "overalls", "pajamas", "pants", "scissors", "shoes", "shorts", "skis", "slacks", "socks", "sunglasses", "swimtrunks", "tights", "trousers", "trunks"]
)  # fmt: skip


def repaired(annotation: Annotation) -> Annotation:
    """Return an annotation with such verbs as verbs; the same one where there are none."""
    found = [i for i, tag in enumerate(annotation.tags) if tag in _NOUNS and _is_verb(annotation, i)]
    loose = [i for i, dep in enumerate(annotation.deps) if dep in _LOOSE and _is_loose(annotation, i)]
    if not found and not loose:
        return annotation
    tags, heads, deps = list(annotation.tags), list(annotation.heads), list(annotation.deps)
    chunks = list(annotation.chunks)
    for index in found:
        tags[index] = "VBZ" if annotation.words[index].endswith("s") else "VBP"
        if _ends_phrase(annotation, index):
            _take_out(annotation, index, heads, deps)
        chunks = [_without(chunk, annotation, index) for chunk in chunks]
    chunks += [_phrase(annotation, index) for index in loose]
    kept = tuple(sorted(chunk for chunk in chunks if chunk.start < chunk.end))
    return annotation._replace(tags=tuple(tags), heads=tuple(heads), deps=tuple(deps), chunks=kept)


def _is_loose(annotation: Annotation, index: int) -> bool:
    """Whether a noun is in no chunk, because the parser did not know what to do with it."""
    at = annotation.offsets[index]
    return annotation.tags[index] in _NOUNS and not any(
        chunk.start <= at < chunk.end for chunk in annotation.chunks
    )


def _phrase(annotation: Annotation, index: int) -> Chunk:
    """Return a noun with the words before it that belong to it."""
    first = index
    while first and annotation.heads[first - 1] == index and annotation.deps[first - 1] in _IN_PHRASE:
        first -= 1
    return Chunk(annotation.offsets[first], annotation.offsets[index] + len(annotation.words[index]))


def _is_verb(annotation: Annotation, index: int) -> bool:
    return _has_subject(annotation, index) or _ends_phrase(annotation, index) or _joined(annotation, index)


def _has_subject(annotation: Annotation, index: int) -> bool:
    """Whether the parser gave it a subject, which no noun has."""
    first = max(0, index - 30)
    return any(
        annotation.heads[i] == index
        and annotation.deps[i] == "nsubj"
        and (annotation.tags[i] in {*_NOUNS, "PRP"} or annotation.words[i].lower() in _OTHERS)
        for i in range(first, index)
    )


def _joined(annotation: Annotation, index: int) -> bool:
    """Whether it is joined to such a verb: smiles and dances."""
    head = annotation.heads[index]
    return (
        annotation.deps[index] == "conj"
        and head < index
        and annotation.tags[index] == "NNS"
        and annotation.tags[head] == "NNS"
        and _has_subject(annotation, head)
    )


def _ends_phrase(annotation: Annotation, index: int) -> bool:
    """Whether a plural ends a phrase for one thing, and something follows: an orange dress walks down."""
    words, tags, heads = annotation.words, annotation.tags, annotation.heads
    if tags[index] != "NNS" or index < 2 or index + 1 >= len(words) or words[index].lower() in _ALWAYS_PLURAL:
        return False
    if tags[index - 1] != "NN" or heads[index - 1] != index or annotation.deps[index - 1] != "compound":
        return False
    nouns = {index, index - 1}
    before = range(max(0, index - 8), index)
    articles = (i for i in before if heads[i] in nouns and annotation.deps[i] == "det")
    return tags[index + 1] in _COMPLEMENTS and any(words[i].lower() in _ONE for i in articles)


def _take_out(annotation: Annotation, index: int, heads: list[int], deps: list[str]) -> None:
    """Let the noun before it stand in its place, and hang it on the noun that the whole phrase is about."""
    noun = index - 1
    heads[noun] = noun if heads[index] == index else heads[index]
    deps[noun] = deps[index]
    for other in range(max(0, index - 8), noun):
        if heads[other] == index:
            heads[other] = noun
    top = noun
    for _ in range(8):
        if heads[top] == top or annotation.tags[heads[top]].startswith("VB"):
            break
        top = heads[top]
    heads[index], deps[index] = top, "acl"


def _without(chunk: Chunk, annotation: Annotation, index: int) -> Chunk:
    """Cut a verb off a chunk that ends in it."""
    start = annotation.offsets[index]
    if not chunk.start <= start < chunk.end:
        return chunk
    before = annotation.offsets[index - 1] + len(annotation.words[index - 1]) if index else 0
    return Chunk(chunk.start, max(chunk.start, before)) if chunk.start < start else Chunk(start, start)
