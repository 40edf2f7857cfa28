"""What `assess domain train` finds: a fifth of a domain's words is hidden, and looked for in other captions.

    python benchmarks/train.py TRAIN TEST [--domain people animals ...] [--seeds 3]

The model learns from the words that are left and from TRAIN. A phrase counts that has a hidden word and
that the whole taxonomy reads in full. It is found when the words that the model adds let it be read in
full, with no category that the whole taxonomy does not give it (a hidden head is judged by its own
categories alone); precision is the share of these among those that are read in full at all. --beyond N
draws words that the whole taxonomy lacks too, for a look.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from contextlib import closing

from assess.annotate.vectors import load_vectors, vectors_package
from assess.corpus import parse_source
from assess.domain.advice import domain_gaps
from assess.domain.learning import WordSources, extended, learn_domain
from assess.domain.overview import categories_of_words
from assess.domain.survey import Survey, survey, way_of
from assess.domain.wordnet import find_wordnet
from assess.engine.annotating import AnnotationService
from assess.grammar import Parser
from assess.taxonomy import Taxonomy, load_taxonomy
from benchmarks.suggest import choose, without


def main() -> int:
    arguments = _arguments()
    vectors = load_vectors() if vectors_package() and not arguments.no_vectors else None
    wordnet = None if arguments.no_wordnet else find_wordnet()
    print("| domain | seed | role | phrases | found | precision | seconds |")
    print("|---|---|---|---|---|---|---|")
    whole: Counter[str] = Counter()
    for domain in arguments.domain:
        taxonomy = _taxonomy(domain)
        with closing(AnnotationService(processes=1)) as annotations:
            train, test = (
                survey([parse_source(name)], taxonomy, annotations=annotations)
                for name in (arguments.train, arguments.test)
            )
        known = {role: categories_of_words(taxonomy, role) for role in taxonomy.roles}
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
            rest = without(taxonomy, choose(known, seed))
            start = time.process_time()
            read = train.read_with(rest)
            model = learn_domain(
                rest,
                domain_gaps(read).candidates,
                WordSources(train.contexts, vectors, wordnet),
                captions=read.whole.captions,
            )
            seconds = time.process_time() - start
            aside = test.read_with(rest)
            labels = model.labels(
                rest, domain_gaps(aside).candidates, WordSources(test.contexts, vectors, wordnet)
            )
            for role, counts in _outcomes(test, Parser(rest), Parser(extended(rest, labels))).items():
                whole += counts
                _print(domain, seed, role, counts, seconds)
            gold = {role: categories_of_words(taxonomy, role) for role in taxonomy.roles}
            beyond = [label for label in labels if label.candidate.word not in gold[label.candidate.role]]
            shown = random.Random(seed).sample(beyond, min(arguments.beyond, len(beyond)))
            for item, category, belief in shown:
                print(f"    {item.word} ({item.role}): {category} {belief:.2f} | {item.captions[0][:70]}")
    _print("all", "", "", whole, 0.0)
    return 0


def _taxonomy(domain: str) -> Taxonomy:
    if domain == "food":  # as the author of the other benchmark knows it
        from assess.taxonomy.load import taxonomy_of
        from benchmarks.author import SEED, Author

        return Author(taxonomy_of(SEED, "food.yaml")).whole()
    return load_taxonomy(domain)


def _outcomes(gold: Survey, rest: Parser, more: Parser) -> dict[str, Counter[str]]:
    """Count phrases with a hidden head, and with hidden modifiers alone."""
    found: dict[str, Counter[str]] = {"head": Counter(), "modifier": Counter()}
    for text, seen in gold.whole.labels.items():
        truth, without_model, told = gold.analyses[text], rest.analyse(text), more.analyse(text)
        if way_of(truth) == "full" and not (without_model.in_domain and way_of(without_model) == "full"):
            counts = found["modifier" if without_model.in_domain else "head"]
            counts["phrases"] += seen.count
            if told.in_domain and way_of(told) == "full":
                counts["labelled"] += seen.count
                right = set(told.best.heads) <= set(truth.heads)  # of several categories the model names one
                if without_model.in_domain:  # a head may say more than its category, which nobody can know
                    right = right and set(told.best.modifiers) <= set(truth.modifiers)
                counts["right"] += seen.count * right
    return found


def _print(domain: str, seed: object, role: str, counts: Counter[str], seconds: float) -> None:
    found, precision = (
        f"{counts['right'] / counts[name]:.1%}" if counts[name] else "–" for name in ("phrases", "labelled")
    )
    print(
        f"| {domain} | {seed} | {role} | {counts['phrases']} | {found} | {precision} | {seconds:.0f} |",
        flush=True,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--domain", nargs="*", default=["people", "animals", "clothing", "vehicles", "food"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--beyond", type=int, default=0)
    parser.add_argument("--no-vectors", action="store_true")
    parser.add_argument("--no-wordnet", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
