"""How good suggestions are: hide a fifth of a domain's words and see whether their categories come back.

    python benchmarks/suggest.py [--domain people] [--captions FILE] [--rounds 5]

A hidden word counts as found when one of its categories is among the first three suggestions. The evidence
is what an author has: the words that are left, captions (the bundled ones unless others are given), and word
vectors and WordNet where they are installed. Each kind is also left out in turn, down to the form alone.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from assess.annotate import Annotator
from assess.annotate.vectors import load_vectors, vectors_package
from assess.corpus import parse_source, read_captions
from assess.disk_cache import shipped_folder
from assess.domain.cooccurrence import TokenWriter, WordContexts
from assess.domain.overview import categories_of_words
from assess.domain.suggestions import Evidence, Suggester, make_suggester
from assess.domain.wordnet import find_wordnet
from assess.records import Role
from assess.taxonomy import Taxonomy, load_taxonomy
from assess.taxonomy.model import Entry
from assess.taxonomy.phrases import normal_form

SHARE, FIRST = 0.2, 3
REQUIRED = 0.7  # of all hidden words, with all the evidence at hand
ROLES: tuple[Role, ...] = ("modifier", "head")
Key = tuple[Role, str]  # role and word


def main() -> int:
    arguments = _arguments()
    taxonomy = load_taxonomy(arguments.domain)
    contexts = contexts_of(arguments.captions, arguments.most)
    vectors = load_vectors() if vectors_package() else None
    wordnet = find_wordnet()
    known = {role: categories_of_words(taxonomy, role) for role in ROLES}
    outcomes: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.rounds):
        hidden = choose(known, seed)
        rest = without(taxonomy, hidden)
        for role in ROLES:
            words = [word for kind, word in hidden if kind == role]
            whole = make_suggester(rest, role, contexts=contexts, vectors=vectors, wordnet=wordnet)
            for evidence, suggester in variants(whole):
                for word in words:
                    hit = found(suggester, word, known[role][word])
                    for population in populations(role, word, contexts):
                        outcomes[evidence, population].append(hit)
    _print(arguments, outcomes)
    hits = next(hits for (_, population), hits in outcomes.items() if population == "all")
    return 0 if sum(hits) >= REQUIRED * len(hits) else 1


def contexts_of(captions: Iterable[str], most: int) -> WordContexts:
    writer = TokenWriter()
    for name in captions:
        texts = dict.fromkeys(caption.text for caption in islice(read_captions(parse_source(name)), most))
        for text, annotation in zip(texts, Annotator().annotate(texts), strict=True):
            writer.add(text, annotation)
    return WordContexts(writer.columns)


def choose(known: Mapping[Role, Mapping[str, object]], seed: int) -> list[Key]:
    generator = random.Random(seed)
    chosen: list[Key] = []
    for role in ROLES:
        words = sorted(known[role])
        chosen += [(role, word) for word in generator.sample(words, round(len(words) * SHARE))]
    return chosen


def without(taxonomy: Taxonomy, hidden: Iterable[Key]) -> Taxonomy:
    """Return the taxonomy without the hidden words, which also leave the sets."""
    gone = set(hidden)
    nowhere = {word for _, word in gone}
    sets = {
        name: tuple(entry for entry in entries if normal_form(taxonomy, entry.word) not in nowhere)
        for name, entries in taxonomy.sets.items()
    }
    changed: dict[str, object] = {"sets": sets}
    for part, role, categories in (
        ("heads", "head", taxonomy.heads),
        ("modifiers", "modifier", taxonomy.modifiers),
    ):
        changed[part] = {
            name: category.model_copy(update={"words": tuple(_kept(taxonomy, category.words, role, gone))})
            for name, category in categories.items()
        }
    return taxonomy.model_copy(update=changed)


def _kept(taxonomy: Taxonomy, entries: Iterable[Entry], role: str, gone: set[Key]) -> Iterator[Entry]:
    for entry in entries:
        if (role, normal_form(taxonomy, entry.word)) not in gone:
            yield entry


def variants(whole: Suggester) -> Iterator[tuple[str, Suggester]]:
    """Yield the suggester with less and less evidence."""
    evidence: tuple[Evidence, ...] = whole.evidence
    names = [source.kind for source in evidence]
    yield "all: " + ", ".join(names), whole
    for leave in names[1:]:
        yield f"without {leave}", whole.limited_to(name for name in names if name != leave)
    yield "form, company", whole.limited_to(("form", "company"))
    for name in names:
        yield f"{name} alone", whole.limited_to((name,))
    yield "none (commonest categories)", whole.limited_to(())


def found(suggester: Suggester, word: str, categories: Iterable[str]) -> bool:
    suggested = {suggestion.category for suggestion in suggester.suggest(word, most=FIRST)}
    return bool(suggested & set(categories))


def populations(role: Role, word: str, contexts: WordContexts) -> Iterator[str]:
    yield "all"
    yield f"{role}s"
    if role == "modifier":
        yield "modifiers of one word" if " " not in word else "modifiers of several words"
        if contexts.uses(word):
            yield "modifiers in the captions"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    bundled = [str(shipped_folder("examples") / "captions" / "references.json")]
    parser.add_argument("--domain", default="people")
    parser.add_argument("--captions", nargs="*", default=bundled)
    parser.add_argument("--most", type=int, default=50_000, help="captions of each file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    return parser.parse_args()


def _print(arguments: argparse.Namespace, outcomes: Mapping[tuple[str, str], list[bool]]) -> None:
    columns = list(dict.fromkeys(population for _, population in outcomes))
    print(f"{arguments.domain}: {SHARE:.0%} of the words hidden, {arguments.rounds} rounds, first {FIRST}")
    print("| evidence | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for evidence in dict.fromkeys(evidence for evidence, _ in outcomes):
        cells = [outcomes[evidence, population] for population in columns]
        print(f"| {evidence} | " + " | ".join(f"{sum(c) / len(c):.1%}" if c else "–" for c in cells) + " |")
    print("| words | " + " | ".join(str(len(outcomes[evidence, column])) for column in columns) + " |")


if __name__ == "__main__":
    sys.exit(main())
