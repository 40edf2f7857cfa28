"""What a caption says about its nouns after them: verbs, predicates, and phrases with a preposition.

All of it is read off the dependency parse. The parser of a small model slips often, and the flat syntax of
captions ("a group of people standing around a kitchen preparing food") makes it slip in few, regular ways, so
the search for whom a verb is about looks through nouns that cannot do anything: a kitchen, a coat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from assess.grammar.verbs import BE, HAVE, HEDGES, UNCERTAIN, participle
from assess.records import Annotation

Certainty = Literal["said", "hedged", "denied"]
OTHERS = frozenset({"another", "one", "other", "others"})
"""Words for somebody else than those named before: two men, one of them sitting."""
Nouns = tuple[int, ...]
"""Words that a clause is about, by their places in the text."""

# A noun after one of these is where or in what somebody is; a participle after it is about them.
_AROUND = frozenset(
    [
        "across",
        "along",
        "around",
        "aboard",
        "at",
        "atop",
        "beside",
        "down",
        "from",
        "in",
        "inside",
        "into",
        "near",
        "off",
        "on",
        "onto",
        "outside",
        "over",
        "through",
        "under",
        "up",
    ]
)
# What is held, worn or ridden goes where its owner goes.
_HANDLING = frozenset(["carrying", "donning", "holding", "riding", "sporting", "using", "wearing"])
# Nouns that only name a part of the next: the middle of a street, a pair of glasses.
_PARTS = frozenset(
    [
        "bit",
        "bottom",
        "bunch",
        "center",
        "centre",
        "corner",
        "couple",
        "edge",
        "end",
        "kind",
        "lot",
        "middle",
        "number",
        "pair",
        "piece",
        "set",
        "side",
        "sort",
        "top",
        "type",
        "variety",
    ]
)
# Participles that describe the thing they follow, whoever stands beside it.
_OF_THINGS = frozenset(
    [
        "consisting",
        "containing",
        "covering",
        "depicting",
        "displaying",
        "facing",
        "featuring",
        "floating",
        "flowing",
        "hanging",
        "including",
        "leading",
        "lining",
        "overlooking",
        "saying",
        "showing",
        "surrounding",
    ]
)
# Past forms that are participles too.
_PASSIVE = frozenset(
    {"bound", "brought", "built", "caught", "found", "held", "kept", "left", "lost", "made", "shot", "stuck"}
)
_WEARING = frozenset({"donning", "sporting", "wearing"})
# Only people do these, whatever stands before: next to a tree holding a bag.
_ONLY_PEOPLE = frozenset(
    {"cooking", "holding", "posing", "preparing", "reading", "smiling", "talking", "using"}
)
_OWNING = frozenset({"carrying", "holding", "wearing", "with", "in"})
# "Dressed in black" is about the black; "dressed" alone says nothing more.
_DRESSED = frozenset({"attired", "clad", "clothed", "dressed", "outfitted"})
_DESCRIBING = frozenset({"advmod", "amod", "compound", "neg", "nmod", "npadvmod", "nummod"})
_PASSED_OVER = frozenset({"CC", "DT", "HYPH", "PRP$", ",", ":", "POS"})
_SUBJECTS = frozenset({"csubj", "expl", "nsubj", "nsubjpass"})
_CLAUSES = frozenset({"acl", "advcl", "ccomp", "conj", "dep", "parataxis", "pcomp", "relcl", "xcomp"})
_RELATIVE = frozenset({"that", "which", "who", "whom"})
_NOT = frozenset({"barely", "hardly", "n't", "never", "no", "not"})
_BEFORE_IT_HAPPENS = frozenset({"before", "if", "unless", "until"})
_STATES_OF_PARTS = frozenset(
    [
        "back",
        "bare",
        "closed",
        "crossed",
        "down",
        "exposed",
        "folded",
        "off",
        "on",
        "open",
        "out",
        "outstretched",
        "raised",
        "up",
    ]
)


OF_PICTURES = frozenset({"depicting", "displaying", "featuring", "hanging", "including", "showing"})
"""What a picture of somebody does, and not the one in it."""
_SHOWING = frozenset(
    ["capturing", "depicting", "displaying", "featuring", "picturing", "presenting", "showing"]
)
_SEEMING = frozenset(
    ["appearing", "becoming", "feeling", "getting", "looking", "remaining", "seeming", "staying", "turning"]
)
_OPEN = frozenset(
    ["able", "about", "appearing", "attempting", "deciding", "expected", "going", "hoping", "intending", "likely", "looking", "planning", "poised", "prepared", "preparing", "ready", "seeming", "set", "supposed", "trying", "waiting", "wanting", "wishing"]
)  # fmt: skip
_ATTEMPTING = frozenset(
    {"attempting", "going", "hoping", "intending", "planning", "preparing", "trying", "wanting"}
)
# Doing something with a thing is more than having it along.
_ACTING_WITH = frozenset(
    [
        "covered",
        "cutting",
        "decorated",
        "drawing",
        "eating",
        "fighting",
        "filled",
        "painting",
        "playing",
        "surrounded",
        "working",
        "writing",
    ]
)
# In front of a bus driving by, it is the bus that drives.
_MOVING = frozenset(
    [
        "approaching",
        "coming",
        "driving",
        "flying",
        "going",
        "moving",
        "passing",
        "rolling",
        "running",
        "traveling",
        "turning",
    ]
)
# Next to a table with a cake: the cake is on the table.
_BESIDE = frozenset({"behind", "beside", "by", "near", "of", "to", "under"})
_LOOKING_AT = frozenset(
    {"gazing", "laughing", "looking", "pointing", "shooting", "smiling", "staring", "throwing", "waving"}
)
_AT_TABLE = frozenset(["bar", "counter", "desk", "table", "tables"])
_FARTHEST = 8  # joined words to look back over; no list in a caption that makes sense is longer
_HIGHEST = 24  # steps up the tree; a verb that is farther from its noun is not about it


class Statement(NamedTuple):
    """A phrase about some nouns; sorted, statements are in the order of the text."""

    at: int  # the word that it ends in
    start: int  # its first word; what stands in between, such as an article, is not in the phrase
    phrase: str
    about: Nouns
    verb: str = ""  # the verb by itself, as a participle: what is read where the whole phrase is not
    active: bool = True  # somebody does it; not "surrounded"
    certainty: Certainty = "said"
    object: int | None = None  # the object's noun, if any
    optional: bool = False  # a phrase with a preposition, of which a taxonomy reads few


class Reads(Protocol):
    """What a taxonomy can read after a noun, so that nothing else needs to be looked at."""

    @property
    def openings(self) -> frozenset[str]:
        """The first words of its patterns."""
        ...

    def reads(self, phrase: str) -> bool:
        """Whether it has a pattern for a phrase, whatever it is said of."""
        ...


class Clauses:
    """The statements of one annotated text about the nouns that somebody asks for."""

    def __init__(self, annotation: Annotation, wanted: Mapping[int, Nouns], reader: Reads) -> None:
        """Take a text, the nouns that matter, each with those it is joined with, and what can be read."""
        self._annotation = annotation
        self._words = tuple([word.lower() for word in annotation.words])
        self._wanted = wanted
        self._reader = reader
        self._owners: dict[int, Nouns] = {}

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self._words]
        for index, head in enumerate(self._annotation.heads):
            if head != index:
                children[head].append(index)
        return children

    def statements(self) -> list[Statement]:
        """Return everything that is said about the nouns, in the order of the text."""
        found: list[Statement] = []
        for index, (tag, relation) in enumerate(
            zip(self._annotation.tags, self._annotation.deps, strict=True)
        ):
            if tag.startswith("VB") and relation not in {"aux", "auxpass", "amod", "compound"}:
                found += self._of_verb(index)
            elif relation == "prep":
                found += self._of_preposition(index)
            elif (
                tag.startswith("JJ")
                and self._words[index] not in OTHERS
                and relation
                in {
                    "amod",
                    "appos",
                    "acl",
                    "relcl",
                    "ROOT",
                    "conj",
                    "advcl",
                }
            ):
                found += self._of_adjective(index)
        return sorted(found, key=lambda statement: (statement.at, statement.start, statement.phrase))

    # Whom a word is about.

    def about(self, index: int) -> Nouns:
        """Return the nouns that a verb or preposition is about; none where it is about others."""
        if index not in self._owners:
            self._owners[index] = ()  # a broken parse may go round in a circle
            self._owners[index] = self._climb(index)
        return self._owners[index]

    def _climb(self, origin: int) -> Nouns:
        """Go up the tree from a verb or preposition to the nouns that it is about."""
        if self._tag(origin) == "VBG" and origin - 1 in self._wanted:
            # Whatever the parser attached it to: "watching a skateboarder doing a trick".
            return self._shared(origin - 1, origin)
        index = origin
        for _ in range(_HIGHEST):
            if index != origin and self._is_verb(index) and self._owners.get(index):
                return self._owners[index]
            subject = self._subject(index)
            if subject is not None:
                return self._coordinated(subject) or self._shown(index, origin)
            head = self._annotation.heads[index]
            if head == index:
                return ()
            if head in self._wanted:
                return self._shared(head, origin)
            if self._is_noun(head) and not self._looks_through(head, origin):
                return ()
            index = head
        return ()

    def _subject(self, index: int) -> int | None:
        """Return the nearest subject of a verb before it, if it is not a relative pronoun."""
        subjects = [child for child in self._children[index] if self._dep(child) in _SUBJECTS]
        for helper in self._dependents(index, "aux", "auxpass"):
            # The parser may hang the subject on the auxiliary: "who is reading".
            subjects += [child for child in self._children[helper] if self._dep(child) in _SUBJECTS]
        if not subjects and self._dep(index) != "relcl":
            return self._right_before(index)
        if not subjects or (self._words[subjects[0]] in _RELATIVE and self._dep(index) == "relcl"):
            return None
        return max((child for child in subjects if child < index), default=subjects[0])

    def _right_before(self, verb: int) -> int | None:
        """Return somebody else right before a verb, where the parser saw no subject: and one is playing."""
        index = verb - 1
        while index > 0 and self._dep(index) in {"advmod", "aux", "auxpass"}:
            index -= 1
        return index if index in self._wanted and self._words[index] in OTHERS else None

    def _shown(self, verb: int, origin: int) -> Nouns:
        """Return who is in the picture: "the image shows a man on a beach, smiling" is about the man."""
        if origin == verb:
            return ()
        if self._words[verb] not in BE and participle(self._words[verb], self._tag(verb)) not in _SHOWING:
            return ()
        objects = [noun for noun in self._dependents(verb, "dobj", "attr") if noun < origin]
        return self._coordinated(objects[0]) if objects else ()

    def _coordinated(self, noun: int) -> Nouns:
        """Return the nouns of a subject that matter: a man and his dog are walking."""
        found: list[int] = []
        stack = [noun]
        while stack:
            index = stack.pop()
            if index in self._wanted:
                found.append(index)
            stack += [child for child in self._children[index] if self._dep(child) in {"conj", "appos"}]
            if self._words[index] in _PARTS or not found:
                stack += self._inner(index)
        return tuple(sorted(found))

    def _inner(self, index: int) -> list[int]:
        """Return the nouns after "of": one of the men."""
        return [
            noun
            for child in self._children[index]
            if self._words[child] == "of" and self._dep(child) == "prep"
            for noun in self._dependents(child, "pobj")
        ]

    def _shared(self, noun: int, index: int) -> Nouns:
        """Return the noun, and those joined with it where what follows the last one is said of all."""
        joined = self._wanted[noun]
        if len(joined) < 2 or index < joined[-1] or not self._holds_for_all(index):
            return (noun,) if index < joined[-1] or len(joined) < 2 else (joined[-1],)
        alone = [other for other in joined if not self._said_before_next(other, joined)]
        return tuple(sorted({*alone, joined[-1]}))

    def _said_before_next(self, noun: int, joined: Nouns) -> bool:
        """Whether something stands between a noun and the next one: a man in a hat and a woman sitting."""
        later = [other for other in joined if other > noun]
        return bool(later) and any(
            noun < child < later[0] and self._dep(child) in {"acl", "prep", "relcl"}
            for child in self._children[noun]
        )

    def _holds_for_all(self, index: int) -> bool:
        """Whether what follows several nouns is about all of them; one dress is worn by one of them."""
        word = (
            participle(self._words[index], self._tag(index)) if self._is_verb(index) else self._words[index]
        )
        if word not in _OWNING and word not in _DRESSED:
            return True
        objects = self._dependents(index, "dobj", "pobj")
        return bool(objects) and all(self._tag(noun) in {"NNS", "NNPS"} for noun in objects)

    def _looks_through(self, noun: int, origin: int) -> bool:
        """Whether what is attached to a noun that does not matter is about whoever is there or has it."""
        relative = self._dep(origin) == "relcl"
        if relative and "who" in self._words[noun + 1 : origin]:
            return True
        if (
            not self._is_verb(origin)
            or self._tag(origin) != "VBG"
            or relative
            or self._words[origin] in _OF_THINGS
        ):
            return False
        for _ in range(_FARTHEST):
            if self._dep(noun) != "conj" or noun in self._wanted:
                break
            noun = self._annotation.heads[noun]
        governor = self._annotation.heads[noun]
        if noun in self._wanted:
            return True
        if self._dep(noun) == "pobj":
            opening = self._words[governor]
            if opening in {"with", "without"}:
                return self._reader.reads(f"with {self._words[noun]}")
            whole = self._words[self._annotation.heads[governor]]
            if opening == "at" and self._words[self._annotation.heads[governor]] in _LOOKING_AT:
                return False
            if self._words[origin] in _ONLY_PEOPLE and opening != "of":
                return True
            return opening in _AROUND or (
                opening == "of"
                and (whole in _PARTS or (whole == "front" and self._words[origin] not in _MOVING))
            )
        if self._dep(noun) == "dobj" and self._is_verb(governor):
            return participle(self._words[governor], self._tag(governor)) in _HANDLING
        return False

    # What is said.

    def _of_verb(self, verb: int) -> Iterator[Statement]:
        yield from self._of_agent(verb)
        about = self.about(verb)
        if not about:
            return
        certainty = self._certainty(verb)
        word = self._words[verb]
        if word in BE:
            yield from self._of_copula(verb, about, certainty)
        elif word in HAVE:
            yield from self._objects("with", verb, about, certainty)
        else:
            yield from self._of_action(verb, about, certainty)

    def _of_action(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        word, tag = self._words[verb], self._tag(verb)
        active = tag != "VBN" or self._has_have(verb)
        if tag == "VBD" and word in _PASSIVE and not self._dependents(verb, "dobj"):
            active = False  # people caught in the rain
        form = participle(word, tag) if active else word
        # Of "wearing a sarong", it is the sarong that was not understood: wearing alone says nothing.
        alone = "" if form in _WEARING else form
        objects = list(self._objects(form, verb, about, certainty, verb=alone)) if active else []
        yield from objects
        predicates = self._dependents(verb, "acomp", "oprd")
        for predicate in predicates:
            yield from self._qualities(predicate, about, certainty)
        if objects or (form in _DRESSED and self._is_dressed_in(verb)) or (predicates and form in _SEEMING):
            return
        if form in _ATTEMPTING and self._dependents(verb, "xcomp"):
            return
        if word in self._reader.openings and self._is_read_with_preposition(verb, about):
            return
        particles = [self._words[child] for child in self._dependents(verb, "prt")]
        phrase = " ".join([form, *particles])
        yield Statement(verb, verb, phrase, about, form, active, certainty)

    def _is_read_with_preposition(self, verb: int, about: Nouns) -> bool:
        """Whether a verb says more with what follows: holding onto a rope."""
        prepositions = self._dependents(verb, "prep")
        return any(True for each in prepositions for _ in self._of_verb_with(verb, each, about, "said"))

    def _is_dressed_in(self, verb: int) -> bool:
        """Whether it is said what somebody is dressed in, which then says more."""
        return any(
            self._words[child] in {"as", "in", "like", "with"} for child in self._dependents(verb, "prep")
        )

    def _has_have(self, verb: int) -> bool:
        return any(self._words[child] in {*HAVE, "having"} for child in self._dependents(verb, "aux"))

    def _of_agent(self, verb: int) -> Iterator[Statement]:
        """Yield what is done by somebody: a horse ridden by a man."""
        for by in self._dependents(verb, "agent"):
            about = tuple(noun for obj in self._dependents(by, "pobj") for noun in self._coordinated(obj))
            if about:
                form = participle(self._words[verb], self._tag(verb))
                yield Statement(verb, verb, form, about, form, True, self._certainty(verb))

    def _of_copula(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        for child in self._dependents(verb, "acomp", "oprd"):
            yield from self._qualities(child, about, certainty)
        for child in self._dependents(verb, "attr"):
            # An adjective that the tagger took for a noun: is shirtless.
            if child not in self._wanted and not self._dependents(child, "det", "poss", "nummod"):
                phrase = " ".join(self._described(child))
                yield Statement(child, child, phrase, about, certainty=certainty, optional=True)

    def _of_adjective(self, index: int) -> Iterator[Statement]:
        head = self._annotation.heads[index]
        if head in self._wanted and index > head:
            yield from self._qualities(index, self._shared(head, index), "said")

    def _qualities(self, index: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        stack = [index]
        while stack:
            index = stack.pop()
            if self._tag(index)[:2] not in {"JJ", "VB"}:
                continue
            own = "denied" if self._denied(index) else certainty
            if self._words[index] not in {"about", "able", "likely", "ready"}:
                yield Statement(index, index, self._words[index], about, certainty=own)
            if not self._is_verb(index):
                stack += self._dependents(index, "conj")

    def _of_preposition(self, preposition: int) -> Iterator[Statement]:
        head, word = self._annotation.heads[preposition], self._words[preposition]
        before = preposition - 1
        openings = self._reader.openings
        if word not in openings and self._words[head] not in openings:
            return
        if word in {"in", "with"} and before in self._wanted:
            # Whatever the parser attached it to: "talking to a man in a suit".
            about: Nouns = self._shared(before, preposition)
        else:
            about = self.about(preposition)
        if not about:
            return
        certainty: Certainty = "said"
        if self._is_verb(head) and self._words[head] not in BE and head not in self._wanted:
            certainty = self._certainty(head)
            if (
                word == "with"
                and before not in self._wanted
                and self._is_used_or_lies_there(head, preposition)
            ):
                return
            if self._tag(head) in {"VBG", "VBN"} and not self._dependents(head, "dobj"):
                with_verb = list(self._of_verb_with(head, preposition, about, certainty))
                yield from with_verb
                if with_verb:
                    return
        # Where somebody is, after "in" or "at", is not what a taxonomy lists; what they have, after "with", is.
        own = word == "with" and head in self._wanted
        for statement in self._objects(word, preposition, about, certainty):
            yield statement._replace(optional=not own)

    def _of_verb_with(
        self, verb: int, preposition: int, about: Nouns, certainty: Certainty
    ) -> Iterator[Statement]:
        """Yield a verb with its preposition and object, where a taxonomy reads that: dressed in black."""
        opening = f"{self._words[verb]} {self._words[preposition]}"
        start = verb if verb == preposition - 1 else preposition
        for statement in self._objects(opening, preposition, about, certainty, start=start):
            if self._reader.reads(statement.phrase):
                yield statement._replace(optional=True)

    def _is_used_or_lies_there(self, verb: int, preposition: int) -> bool:
        """Whether what follows "with" is a tool or on a table: cutting a cake with a knife."""
        if participle(self._words[verb], self._tag(verb)) in _SHOWING:
            return False
        if self._dependents(verb, "dobj") or self._words[verb] in _ACTING_WITH:
            return True
        places = [
            noun
            for child in self._dependents(verb, "prep")
            if child < preposition
            for noun in self._dependents(child, "pobj")
        ]
        before = preposition - 1
        beside = self._is_noun(before) and self._words[self._annotation.heads[before]] in _BESIDE
        return beside or any(self._words[noun] in _AT_TABLE for noun in places)

    def _objects(
        self,
        opening: str,
        governor: int,
        about: Nouns,
        certainty: Certainty,
        *,
        verb: str = "",
        start: int | None = None,
    ) -> Iterator[Statement]:
        """Yield a statement for each object, joined ones too: with a beard, with glasses."""
        first = governor if start is None else start
        stack = [(noun, first) for noun in reversed(self._direct_objects(governor))]
        while stack:
            noun, begin = stack.pop()
            named = self._named(noun)
            words = [opening, *self._described(named)]
            words += self._state(noun, governor, " ".join(words))
            own: Certainty = certainty
            if any(self._words[child] == "no" for child in self._dependents(noun, "det", "neg")):
                own, words[0], verb = "said", "without", ""
            yield Statement(max(named, noun), begin, " ".join(words), about, verb, True, own, named)
            stack += [
                # A joined object stands far from the opening, with another one in between.
                (child, min([child, *self._children[child]]))
                for child in reversed(self._dependents(noun, "conj"))
                if self._is_noun(child)
            ]

    def _direct_objects(self, governor: int) -> list[int]:
        """Return the objects of a verb or preposition, with those that the parser joined to something else."""
        found = self._dependents(governor, "pobj", "dobj")
        if not found:
            return found
        strays = self._dependents(governor, "conj") if self._is_verb(governor) else []
        owner = self._annotation.heads[governor]
        if self._words[governor] in {"in", "with"} and owner in self._wanted:
            # "A woman in curlers and a green top": the top is joined to the curlers, not to the woman.
            strays = [child for child in self._dependents(owner, "conj") if child > found[-1]]
        return found + [
            noun
            for noun in strays
            if self._tag(noun).startswith("NN") and noun not in self._wanted and noun > found[-1]
        ]

    def _described(self, noun: int) -> list[str]:
        """Return a noun with the words before it that describe it: long sleeve red shirt."""
        first = noun
        for _ in range(_FARTHEST):
            before = [
                child for child in self._children[first] if child < first and self._dep(child) in _DESCRIBING
            ]
            if not before:
                break
            first = before[0]
        tags = self._annotation.tags
        return [self._words[i] for i in range(first, noun + 1) if tags[i] not in _PASSED_OVER or i == noun]

    def _named(self, noun: int) -> int:
        """Return the noun that is meant: the glasses in "a pair of glasses"."""
        inner = self._inner(noun) if self._words[noun] in _PARTS else []
        return inner[0] if inner else noun

    def _state(self, noun: int, governor: int, phrase: str) -> list[str]:
        """Return the state of a part of the body or of clothes: with his shirt off, with arms crossed."""
        last, opening = noun + 1, self._words[governor]
        if last >= len(self._words) or self._words[last] not in _STATES_OF_PARTS:
            return []
        if opening != "with" and opening not in HAVE:
            return []
        following = self._dependents(last, "pobj", "dobj")
        state = self._words[last]
        return [state] if not following and self._reader.reads(f"{phrase} {state}") else []

    def _certainty(self, verb: int) -> Certainty:
        """Return whether a verb is asserted: not about to swing, not "is not smiling"."""
        if self._denied(verb):
            return "denied"
        head, relation = self._annotation.heads[verb], self._dep(verb)
        for child in self._children[verb]:
            word, dep = self._words[child], self._dep(child)
            if dep == "aux" and (word in UNCERTAIN or (word == "to" and self._leaves_open(head))):
                return "hedged"
            if (dep == "advmod" and word in HEDGES) or (dep == "mark" and word in _BEFORE_IT_HAPPENS):
                return "hedged"
        if relation == "pcomp" and self._words[head] in {"without", "before"}:
            return "denied" if self._words[head] == "without" else "hedged"
        if relation == "conj" and self._tag(verb) == "VB" and self._is_verb(head):
            # "About to jump and turn": the second verb has no "to" of its own.
            return (
                "hedged"
                if any(self._words[child] == "to" for child in self._dependents(head, "aux"))
                else "said"
            )
        return "said"

    def _leaves_open(self, head: int) -> bool:
        """Whether a word leaves open if what follows "to" happens: about to jump, trying to catch."""
        word = self._words[head]
        return word in _OPEN or (self._is_verb(head) and participle(word, self._tag(head)) in _OPEN)

    def _denied(self, index: int) -> bool:
        return any(
            self._dep(child) == "neg" or (self._dep(child) == "advmod" and self._words[child] in _NOT)
            for child in self._children[index]
            if child < index
        )

    def _dependents(self, index: int, *relations: str) -> list[int]:
        return [child for child in self._children[index] if self._annotation.deps[child] in relations]

    def _dep(self, index: int) -> str:
        return self._annotation.deps[index]

    def _tag(self, index: int) -> str:
        return self._annotation.tags[index]

    def _is_verb(self, index: int) -> bool:
        return self._annotation.tags[index].startswith("VB")

    def _is_noun(self, index: int) -> bool:
        return self._annotation.tags[index].startswith(("NN", "PRP", "CD"))


def joined_nouns(annotation: Annotation, nouns: Sequence[int]) -> dict[int, Nouns]:
    """Return each noun with those it is coordinated with, in order; all nouns share one list."""
    first: dict[int, int] = {}
    groups: dict[int, list[int]] = {}
    for noun in nouns:
        top = noun
        while annotation.deps[top] in {"appos", "conj"} and annotation.heads[top] < top:
            top = annotation.heads[top]
            if top in first:
                top = first[top]
                break
        first[noun] = top
        groups.setdefault(top, []).append(noun)
    return {noun: tuple(groups[first[noun]]) for noun in nouns}
