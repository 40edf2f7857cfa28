"""The domains animals, clothing and vehicles: their structure, and their heads versus Flickr30k Entities.

Words were chosen while looking only at images with an even id. The images with an odd id are used for
measuring: how many gold mentions of the type are found (a mention is found if its phrase is in the domain),
and how many of the gold phrases that are found, of any type, have the domain's type.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from assess.corpus import parse_source, read_captions
from assess.domain.overview import run_examples
from assess.grammar import Parser
from assess.records import Analysis
from assess.taxonomy import load_taxonomy, read_taxonomy
from assess.taxonomy.lint import lint
from assess.taxonomy.phrases import phrases_of, spaced

DOMAINS = ("animals", "clothing", "vehicles")
FOUND, PRECISE = 0.90, 0.95

GOLD_TWINS = {
    "backhoe": "bulldozer",
    "camper": "trailer",
    "canoe": "boat",
    "convertible": "car",
    "excavator": "bulldozer",
    "ferry": "boat",
    "firetruck": "truck",
    "helicopter": "aircraft",
    "hot air balloon": "aircraft",
    "jet ski": "snowmobile",
    "kayak": "boat",
    "limo": "car",
    "minivan": "car",
    "motorcycle": "motorbike",
    "plane": "airplane",
    "rickshaw": "cart",
    "rowboat": "boat",
    "sailboat": "boat",
    "ship": "boat",
    "tractor": "bulldozer",
    "trolley": "train",
    "van": "truck",
}
"""Vehicles that the gold files under `other`, each with a like noun that it does call a vehicle.

The gold goes by the last word of a phrase, and its list of vehicles has holes: a motorbike is one, a
motorcycle is not. No choice of categories can follow that, so these nouns are left out of the precision.
"""

Mentions = Counter[tuple[str, frozenset[str]]]
"""How often each phrase occurs with each set of gold types."""


@dataclass(frozen=True, slots=True)
class Score:
    """Gold mentions of the domain's type, found and missed, and other mentions taken for it."""

    found: int
    missed: int
    wrong: int
    set_aside: int

    @property
    def recall(self) -> float:
        """The share of gold mentions that were found."""
        return self.found / (self.found + self.missed)

    @property
    def precision(self) -> float:
        """The share of what was found that has the gold type."""
        return self.found / (self.found + self.wrong)


@pytest.fixture(scope="module")
def mentions(shared_data: Path) -> Mentions:
    """Return the gold phrases of odd images with their types, and how often each occurs."""
    source = parse_source(str(shared_data / "flickr30k_entities" / "sentences.tsv.gz"), gold=True)
    found: Mentions = Counter()
    for caption in read_captions(source):
        if int(caption.image) % 2 == 1:
            for span in caption.gold:
                found[caption.text[span.start : span.end].lower(), frozenset(span.types)] += 1
    return found


def score(domain: str, mentions: Mentions, *, aside: frozenset[str] = frozenset()) -> Score:
    """Compare a domain with the gold; `aside` are head nouns whose gold type `other` does not count."""
    taxonomy = load_taxonomy(domain)
    parser = Parser(taxonomy)
    singular = {phrase.text: phrase.base for phrase in phrases_of(taxonomy) if phrase.role == "head"}
    counts: Counter[str] = Counter()
    for (phrase, types), count in mentions.items():
        analysis = parser.analyse(phrase)
        if domain in types:
            counts["found" if analysis.in_domain else "missed"] += count
        elif analysis.in_domain and "notvisual" not in types:
            unjudged = types == {"other"} and head_noun(analysis, singular) in aside
            counts["set_aside" if unjudged else "wrong"] += count
    return Score(counts["found"], counts["missed"], counts["wrong"], counts["set_aside"])


def head_noun(analysis: Analysis, singular: dict[str, str]) -> str:
    """Return the last head of the best reading as a singular; of "cruise ship" the word that counts."""
    heads = [spaced(span.text) for span in analysis.best.spans if span.role == "head"]
    noun = singular[heads[-1]] if heads else ""
    return next((twin for twin in GOLD_TWINS if noun.endswith(f" {twin}")), noun)


@pytest.mark.parametrize("domain", DOMAINS)
def test_domain_has_enough_categories_examples_and_a_contrast(domain: str) -> None:
    taxonomy = load_taxonomy(domain)
    assert len(taxonomy.heads) >= 5
    assert len(taxonomy.modifiers) >= 10
    assert len(taxonomy.examples) >= 40
    assert taxonomy.excluded
    assert taxonomy.groups
    assert any(category.only_with for category in taxonomy.modifiers.values())


@pytest.mark.parametrize("domain", ["people", *DOMAINS])
def test_domain_has_no_warnings_and_its_examples_hold(domain: str) -> None:
    taxonomy, document = read_taxonomy(domain)
    assert [str(problem) for problem in lint(taxonomy, document)] == []
    results = run_examples(taxonomy, Parser(taxonomy))
    assert [result.failures for result in results if result.failures] == []


@pytest.mark.data
@pytest.mark.parametrize("domain", ["animals", "clothing"])
def test_domain_agrees_with_the_gold_on_images_kept_aside(domain: str, mentions: Mentions) -> None:
    measured = score(domain, mentions)
    assert measured.recall >= FOUND, measured
    assert measured.precision >= PRECISE, measured


@pytest.mark.data
def test_vehicles_agree_with_the_gold_apart_from_the_holes_of_its_list(mentions: Mentions) -> None:
    measured = score("vehicles", mentions, aside=frozenset(GOLD_TWINS))
    assert measured.recall >= FOUND, measured
    assert measured.precision >= PRECISE, measured
    # The whole truth: with these nouns counted as wrong, precision is about 0.84.
    strict = measured.found / (measured.found + measured.wrong + measured.set_aside)
    assert strict >= 0.80, measured


@pytest.mark.data
def test_the_gold_calls_the_twin_a_vehicle_and_never_the_noun_that_is_set_aside(mentions: Mentions) -> None:
    typed: dict[str, set[bool]] = {}
    for phrase, types in mentions:
        words = phrase.split()
        if "notvisual" not in types:
            for start in range(max(0, len(words) - 3), len(words)):
                typed.setdefault(" ".join(words[start:]), set()).add("vehicles" in types)
    for noun, twin in GOLD_TWINS.items():
        assert (noun, typed[noun]) == (noun, {False})
        assert (twin, typed[twin]) == (twin, {True})
