"""A quick check for words whose tag or relation may be wrong: most trees need no repair.

Every repair starts at a word that shows one of these signs. A sign is a function that looks at the words
around a word; `choose_signs` chooses the ones to check by the word, its tag and its relation.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress

from assess.grammar.draft import BEFORE_SINGULAR, NEAR, NOUNS, OTHERS, KnownWords, Sign
from assess.grammar.lost_nouns import AGENTS, FIRST_PARTS, FORMATIONS
from assess.grammar.participles import CLOTHES_OR_VERBS, FREQUENT_VERBS, PASTIME_VERBS, PASTIMES, PLURAL_VERBS
from assess.grammar.tree import ONE_OF_THEM, SEVERAL_OF_THEM, Tree
from assess.grammar.verbs import DRESSED, HAVE, INTRANSITIVE, WEARING

NO_OBJECT = NOUNS | {"JJ"}
"""Tags of words that cannot have an object, so a word that has one must be a verb."""
ODD_SUBJECTS = frozenset({"compound", "intj", "npadvmod"})
"""Relations by which the parser attaches a subject to its verb by mistake: lady selling tickets."""
INVERTED = frozenset({"kneels", "lies", "sit", "sits", "stand", "stands", "walks"})
"""Verbs without an object that can precede their subject: next to him sits a woman."""
FINITE = frozenset({"VB", "VBP", "VBZ"})
"""Tags of verbs that have a subject."""
BARE_VERBS = frozenset({"grins", "laughs", "poses", "sits", "sleeps", "smiles", "waits", "watches"})
"""Verbs that need no object or complement."""
# Tags and words before a word in -ing that show a likely error.
_BEFORE_ING = frozenset({"CD", "HYPH", "JJ", "NN", "NNP", "NNS"})
_WORDS_BEFORE_ING = PASTIMES.keys() | {"-", "all", "both", "each", "other", "some"}
_ODD_WORDS = frozenset({"#", "back", "bow", "few", "stands", *ONE_OF_THEM, *OTHERS, *CLOTHES_OR_VERBS})
_SOME_OF_THEM = OTHERS | SEVERAL_OF_THEM
_DONE = PLURAL_VERBS | {"wear"}
_LISTING = frozenset({",", "and"})
# Relations of participles that the parser mistook for nouns.
_TAKEN_FOR_NOUNS = frozenset({"amod", "compound", "dobj", "pcomp", "pobj"})
_NO_CLAUSE = _TAKEN_FOR_NOUNS | {"appos", "conj"}  # and those after "one": one swimming


def doubtful_words(tree: Tree, known: KnownWords) -> set[int]:
    """Return the indices of words whose tag or relation may be wrong."""
    found: set[int] = set()
    facts = zip(tree.words, tree.tags, tree.deps, strict=True)
    for index, signs in enumerate(map(known.signs.__getitem__, facts)):
        for is_there in signs:  # most words have none
            if is_there(tree, index, known):
                found.add(index)
                break
    if "nsubj" in tree.relations:
        for index in compress(tree.heads, map("nsubj".__eq__, tree.deps)):
            if tree.tags[index] in NO_OBJECT:
                found.add(index)
    return found


def choose_signs(word: str, tag: str, dep: str, known: KnownWords) -> Iterator[Sign]:
    """Yield the signs to check around a word, chosen by its tag and relation; most words have none."""
    if _is_doubtful_anywhere(word, tag, dep, known):
        yield _always
        return
    yield from _signs_of_tag(word, tag, dep, known)
    if tag in FINITE:
        yield _has_odd_subject
    if dep == "dobj":
        yield _has_odd_governor
    elif dep in {"nsubj", "nsubjpass"}:
        yield _may_be_listed
    elif dep == "ROOT" and tag in NOUNS:
        yield _may_end_list
    elif dep in ODD_SUBJECTS and word in known.nouns:
        yield _has_odd_verb
    elif dep == "amod":
        yield _has_preposition
    if word in _ODD_WORDS:
        yield _is_odd_word


def _is_doubtful_anywhere(word: str, tag: str, dep: str, known: KnownWords) -> bool:
    """Whether a word may be wrong in any context."""
    if tag in FINITE:
        return word in known.nouns
    if tag in {"JJ", "JJR"} or (tag in NOUNS and dep == "amod"):
        # A noun for a person is tagged as an adjective or attached like one: a skateboarder.
        return word in known.nouns and (tag in NOUNS or word.endswith(AGENTS))
    return tag == "UH" or (tag == "VBG" and dep in {"aux", "auxpass"})


def _signs_of_tag(word: str, tag: str, dep: str, known: KnownWords) -> Iterator[Sign]:
    """Yield the signs to check around a word that could be a verb."""
    maybe_participle = word.endswith("ing") or word in PASTIME_VERBS
    if tag == "NN":
        if maybe_participle or word in _DONE or word in FREQUENT_VERBS:
            yield _may_be_verb
        elif dep == "conj":
            yield _may_join_verb
        elif dep in {"dobj", "pcomp", "pobj"} and not known.is_worn(word):
            yield _may_follow_color
    elif tag in {"NNS", "VBZ"} or (tag in {"VB", "VBP"} and dep == "conj"):
        yield _may_be_verb
    elif tag == "VBG" and dep == "ROOT" and word in INTRANSITIVE:
        yield _opens_text
    elif tag == "VBG" and dep == "acl" and word not in PASTIME_VERBS:
        yield _is_inside_own_object
    elif (tag == "VBG" and (dep in _NO_CLAUSE or word in PASTIME_VERBS)) or (
        tag == "JJ" and maybe_participle
    ):
        yield _may_be_participle


def _always(_tree: Tree, _index: int, _known: KnownWords) -> bool:
    return True


def _opens_text(_tree: Tree, index: int, _known: KnownWords) -> bool:
    return index == 0


def _is_odd_word(tree: Tree, index: int, known: KnownWords) -> bool:
    """Whether a rare word like "few", "back" or "#" is used in a way that the parser often gets wrong."""
    word, following = tree.words[index], index + 1
    if word in OTHERS or word in ONE_OF_THEM:
        # It may be the subject of what follows: another is sitting.
        return following < len(tree.words) and (
            tree.deps[following] in {"aux", "auxpass"} or tree.tags[following].startswith(("NNS", "VB"))
        )
    if word == "stands":
        return tree.words[index - 1] == "in"
    if word == "few":
        return tree.deps[index] == "conj"
    if word == "back":
        return tree.tags[index] == "RB" and tree.words[index - 1] == "her"
    return word in {"#", "bow"} or (word in CLOTHES_OR_VERBS and _may_be_verb(tree, index, known))


def _may_be_verb(tree: Tree, index: int, known: KnownWords) -> bool:
    """Whether a word that is not tagged as a verb may be one."""
    word, tag, dep = tree.words[index], tree.tags[index], tree.deps[index]
    if dep == "conj" and _may_join_verb(tree, index, known):
        return True
    if word.endswith("ing") and _may_be_participle(tree, index, known):
        return True
    if dep == "pobj" and word in FREQUENT_VERBS:
        return True
    if tag == "NN":
        if word in FREQUENT_VERBS and _may_end_phrase(tree, index, known):
            return True
        if word in _DONE:
            return dep in {"appos", "compound", "conj"} or tree.heads[index - 1] == index
    elif tag in {"VB", "VBP"}:
        return tree.words[index - 1] == "and"
    elif (tag == "VBZ" and dep in {"conj", "dobj", "pobj"}) or _may_end_phrase(tree, index, known):
        return True
    return _may_follow_color(tree, index, known)


def _may_be_participle(tree: Tree, index: int, known: KnownWords) -> bool:
    """Whether a word in -ing may be a mistagged participle, by its relation and the preceding word."""
    word, tag, dep = tree.words[index], tree.tags[index], tree.deps[index]
    if tag == "VBG":
        if dep == "acl":
            return tree.words[index - 1] in PASTIMES or _is_inside_own_object(tree, index, known)
        after_some = dep in {"appos", "conj"} and tree.words[index - 1] in _SOME_OF_THEM
        likely = dep in _TAKEN_FOR_NOUNS or after_some
    else:
        likely = word.endswith("ing")
    if not likely and word not in PASTIME_VERBS:
        return False
    if tag != "VBG" and dep in {"acl", "advcl", "attr", "conj", "dep"}:
        return True
    inside = dep in {"amod", "compound"} and tree.deps[tree.heads[index]] == "attr"
    return inside or tree.tags[index - 1] in _BEFORE_ING or tree.words[index - 1] in _WORDS_BEFORE_ING


def _is_inside_own_object(tree: Tree, index: int, _known: KnownWords) -> bool:
    """Whether the parser attached a participle to a part of its own object: a man holding roses."""
    return tree.deps[tree.heads[index]] in {"compound", "nmod"}


def _may_join_verb(tree: Tree, index: int, _known: KnownWords) -> bool:
    """Whether a coordinated word may be a verb, or clothes: smiles and dances."""
    word, other = tree.words[index], tree.tags[tree.heads[index]]
    if other.startswith("VB") or word in BARE_VERBS or word in PLURAL_VERBS:
        return True
    return other == "NNS" and "nsubj" in tree.relations


def _may_end_phrase(tree: Tree, index: int, known: KnownWords) -> bool:
    """Whether a word that may be a verb directly follows clothes, or a noun in the same phrase."""
    before, word = index - 1, tree.words[index]
    if before < 0:
        return False
    surely, relation, other = word in FREQUENT_VERBS, tree.deps[before], tree.words[before]
    if relation not in {"amod", "compound", "conj", "nmod"} and tree.heads[index] != before:
        return False
    if (surely or tree.tags[before] in NOUNS) and (known.is_worn(other) or (surely and known.is_had(other))):
        return True
    if not (surely or tree.tags[before] == "NN" or other in known.nouns):
        return False
    return (
        surely
        or word in BARE_VERBS
        or not BEFORE_SINGULAR.isdisjoint(tree.words[max(0, index - NEAR) : index])
    )


def _may_follow_color(tree: Tree, index: int, known: KnownWords) -> bool:
    """Whether a word after a colour may be the verb: players in red cheer."""
    if tree.tags[index - 1] != "JJ":
        return tree.words[index - 1] in FORMATIONS  # in line head down a slope
    head, dep = tree.heads[index], tree.deps[index]
    if dep == "compound" and tree.tags[index] == "NNS" and head > index:
        head, dep = tree.heads[head], tree.deps[head]  # in black spoons food
    opening = tree.words[head]
    if not (opening == "in" if dep in {"pcomp", "pobj"} else dep == "dobj" and opening in WEARING):
        return False
    return known.is_worn(tree.words[index - 1]) and not known.is_worn(tree.words[index])


def _has_odd_governor(tree: Tree, index: int, _known: KnownWords) -> bool:
    """Whether a word is attached as an object to a noun, an adjective or a verb, which cannot have one."""
    head = tree.heads[index]
    return tree.tags[head] in NO_OBJECT or (tree.words[head] in INVERTED and head < index)


def _has_odd_subject(tree: Tree, index: int, known: KnownWords) -> bool:
    """Whether the word before a verb may be its subject, although the parser attached it elsewhere."""
    before = index - 1
    if tree.deps[before] == "compound" and tree.heads[before] == index:
        return True  # people with luggage walk
    return tree.deps[before] == "pobj" and tree.words[before] in known.nouns


def _may_be_listed(tree: Tree, index: int, _known: KnownWords) -> bool:
    """Whether a subject may really end a list, or be the object of a preposition."""
    if tree.deps[tree.heads[index]] == "ccomp" and tree.tags[tree.heads[index]] == "VBG":
        return True  # wearing a hat smiling
    if not HAVE.isdisjoint(tree.words[max(0, index - 3) : index]):
        return True  # has a cane resting beside him
    listed = index > 1 and not _LISTING.isdisjoint(tree.words[:index])
    near = tree.words[max(0, index - NEAR - 1) : index]
    if "as" in near and not DRESSED.isdisjoint(near):
        return True  # dressed as knights
    return listed or tree.deps[tree.heads[index]] in {"pcomp", "pobj"}


def _may_end_list(tree: Tree, index: int, _known: KnownWords) -> bool:
    return index > 1 and ("cc" in tree.deps[:index] or tree.words[index - 2] == "in")


def _has_odd_verb(tree: Tree, index: int, _known: KnownWords) -> bool:
    """Whether a person may be the subject of the next word, not part of its phrase: a man spray paints."""
    in_two = not FIRST_PARTS.isdisjoint(tree.words[index + 1 : index + 2])  # a man spray paints
    head = tree.heads[index]
    counted = tree.tags[index] == "NNS" and head == index + 1
    return in_two or tree.tags[head].startswith("VB") or (counted and tree.tags[head] == "NN")


def _has_preposition(tree: Tree, index: int, _known: KnownWords) -> bool:
    """Whether a modifier is attached to a preposition instead of a noun."""
    return tree.tags[tree.heads[index]] == "IN"
