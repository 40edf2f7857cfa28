"""Calibration of verdicts: null and planted effects, simulated and in research data, audited by our code.

Run: python benchmarks/calibration.py [--replicates 200] [--samples 1000] [--only NAME] [--no-data]

Every line is a way to make labels of which we know the truth. *False alarms*: the share of families (all
categories of one system and pair) with a contrast beyond chance where there is no difference; in brackets, if
labels were taken for independent. *Power*: planted differences that are found, and in brackets the same.
*Coverage*: 95% intervals of the difference that hold the truth. Research data are those of ../shared/data.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assess.grammar import Grammar, compile_taxonomy
from assess.measures.bias.compute import GroupQuestion
from assess.measures.bias.groups import Grouping, ImageGroups, WordGroups
from assess.measures.bias.labels import MentionTable
from assess.measures.bias.result import ContrastCell, GroupResult
from assess.measures.bias.tables import Floats
from assess.measures.bias.verdict import BEYOND_CHANCE
from assess.measures.group_settings import VerdictSettings
from assess.records import Analysis, Reading, Span
from assess.taxonomy import parse_taxonomy

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "coco_val2014"
MOST_FALSE, LEAST_COVERED, MOST_LOST = 0.06, 0.93, 0.05
"""The aims: false alarms per family, coverage of 95% intervals, power given up with one caption per image."""

RATES = (
    *(0.005, 0.01, 0.01, 0.02, 0.02, 0.03, 0.03, 0.05, 0.05),
    *(0.05, 0.08, 0.1, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5),
)
RARE = (0.004, 0.005, 0.006, 0.007, 0.008) * 4
PLANTED = {3: 0.03, 8: 0.05, 12: 0.08, 16: 0.12}
"""Categories, by place, that one group has more often by so much."""

HEADS = {"female": "woman", "male": "man"}


def made_grammar(categories: int) -> Grammar:
    """Return a domain with one word per category, and gender by nouns."""
    modifiers = "".join(
        f"  c{place}: {{description: x, evidence: visible, sensitivity: none, words: [w{place}]}}\n"
        for place in range(categories)
    )
    text = (
        "taxonomy: made\nversion: 1.0.0\ndescription: Made.\n"
        "heads: {person: {description: x, words: [woman, man]}}\n"
        f"modifiers:\n{modifiers}groups: {{gender: {{female: [woman], male: [man]}}}}\n"
    )
    return compile_taxonomy(parse_taxonomy(text, "made.yaml")[0])


@dataclass(frozen=True, slots=True)
class Design:
    """How labels are made."""

    name: str
    images: int = 1000
    captions: int = 1
    clustering: float = 0.0  # intraclass correlation: how alike labels of one image are
    people: tuple[int, int] = (
        1,
        1,
    )  # fewest and most labels per caption; with more than one, of mixed gender
    female: float = 0.4
    rates: tuple[float, ...] = RATES
    planted: Mapping[int, float] = field(default_factory=dict)
    by_image: bool = False  # a file tells the groups


@dataclass(frozen=True, slots=True)
class Made:
    """Labels of one system, whom they are about, and what is true of them."""

    table: MentionTable
    analyses: dict[str, Analysis]
    grammar: Grammar
    grouping: Grouping
    truth: Mapping[str, float]  # the difference, by category


def make(design: Design, generator: np.random.Generator, grammar: Grammar) -> Made:
    """Return labels as a design says."""
    rates, shift = np.array(design.rates), np.zeros(len(design.rates))
    for place, size in design.planted.items():
        shift[place] = size
    fewest, most = design.people
    people = generator.integers(fewest, most + 1, size=(design.images, design.captions))
    image = np.repeat(np.arange(design.images), people.sum(axis=1))
    shown = generator.random(design.images) < design.female
    female = shown[image]
    chances = _image_chances(generator, design, rates + shift)
    others = chances if not design.planted else _image_chances(generator, design, rates)
    chance = np.where(female[:, np.newaxis], chances[image], others[image])
    said = generator.random(chance.shape) < chance
    analyses: dict[str, Analysis] = {}
    texts = iter(
        [
            _said(np.flatnonzero(row).tolist(), "female" if woman else "male", analyses)
            for row, woman in zip(said, female, strict=True)
        ]
    )
    table = MentionTable()
    for number, captions in enumerate(people.tolist()):
        for labels in captions:
            table.add_caption(str(number), [next(texts) for _ in range(labels)])
    grouping: Grouping = WordGroups(grammar, "gender")
    if design.by_image:
        values = {str(number): "female" if woman else "male" for number, woman in enumerate(shown)}
        grouping = ImageGroups("shown", "shown.csv", "0", values)
    truth = {f"c{place}": float(shift[place]) for place in range(len(rates))}
    return Made(table, analyses, grammar, grouping, truth)


def _image_chances(generator: np.random.Generator, design: Design, rates: Floats) -> Floats:
    """Return the chance of each category in each image: around its rate, as far as labels cluster."""
    if not design.clustering:
        return np.broadcast_to(rates, (design.images, len(rates)))
    spread = (1 - design.clustering) / design.clustering
    return generator.beta(rates * spread, (1 - rates) * spread, size=(design.images, len(rates)))


def _said(places: Sequence[int], gender: str, analyses: dict[str, Analysis]) -> str:
    """Return the text of a label, with its analysis among the others."""
    noun = HEADS[gender]
    text = " ".join(["a", *(f"w{place}" for place in places), noun])
    if text not in analyses:
        modifiers = tuple(f"c{place}" for place in places)
        spans = tuple(
            Span(at, at + 1, f"w{place}", f"c{place}", "modifier") for at, place in enumerate(places, start=1)
        )
        head = Span(len(places) + 1, len(places) + 2, noun, "person", "head")
        best = Reading(("person",), modifiers, (*spans, head))
        analyses[text] = Analysis(text, (), True, best.heads, modifiers, best.spans, best)
    return text


@dataclass(slots=True)
class Counted:
    """What verdicts and intervals came to, over replicates."""

    families: int = 0
    false: int = 0  # families with something beyond chance that is not there
    label_false: int = 0
    discoveries: list[float] = field(default_factory=list)  # of each family, the false share of what is found
    planted: int = 0
    found: int = 0
    label_found: int = 0
    intervals: int = 0
    covered: int = 0

    def add(self, contrasts: Sequence[ContrastCell], truth: Mapping[str, float], alpha: float = 0.05) -> None:
        """Count one family."""
        self.families += 1
        null = [c for c in contrasts if c.role == "modifier" and not truth.get(c.category, 0.0)]
        self.false += any(c.verdict in BEYOND_CHANCE for c in null)
        self.label_false += any(c.uncorrected and c.uncorrected.q <= alpha for c in null)
        found = [c for c in contrasts if c.role == "modifier" and c.verdict in BEYOND_CHANCE]
        self.discoveries.append(sum(c in null for c in found) / max(1, len(found)))
        for contrast in contrasts:
            difference = truth.get(contrast.category) if contrast.role == "modifier" else None
            if difference is None:
                continue
            if difference:
                self.planted += 1
                self.found += contrast.verdict in BEYOND_CHANCE
                self.label_found += bool(contrast.uncorrected and contrast.uncorrected.q <= alpha)
            self.intervals += 1
            low, high = contrast.risk_difference[1:]
            self.covered += low <= difference <= high

    @property
    def false_rate(self) -> float:
        """The share of families with a false alarm."""
        return self.false / self.families

    @property
    def false_discoveries(self) -> float:
        """The mean share of what is found that is false: what q promises where there are true findings."""
        return float(np.mean(self.discoveries))

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return self.covered / self.intervals if self.intervals else float("nan")

    @property
    def power(self) -> float:
        """The share of planted differences that are found."""
        return self.found / self.planted if self.planted else float("nan")

    @property
    def label_power(self) -> float:
        """The same, if labels were independent: what a test of labels finds, rightly or wrongly."""
        return self.label_found / self.planted if self.planted else float("nan")


DESIGNS = (
    Design("one caption per image"),
    Design("one caption, 2-3 labels per image, .5", people=(2, 3), clustering=0.5),
    Design("five captions, .1", images=500, captions=5, clustering=0.1),
    Design("five captions, .3", images=500, captions=5, clustering=0.3),
    Design("five captions, .5", images=500, captions=5, clustering=0.5),
    Design("groups from a file, five captions, .3", images=500, captions=5, clustering=0.3, by_image=True),
    Design("few texts, a small group", rates=RARE, female=0.1),
    Design("few texts, five captions, .3", images=500, captions=5, clustering=0.3, rates=RARE, female=0.1),
    Design("planted, one caption per image", planted=PLANTED),
    Design("planted, five captions, .3", images=500, captions=5, clustering=0.3, planted=PLANTED),
    Design(
        "planted, groups from a file, .3",
        images=500,
        captions=5,
        clustering=0.3,
        planted=PLANTED,
        by_image=True,
    ),
)


def calibrate(design: Design, *, replicates: int, samples: int, seed: int = 0) -> Counted:
    """Audit so many made systems."""
    counted, settings = Counted(), VerdictSettings(samples=samples)
    grammar = made_grammar(len(design.rates))
    for replicate in range(replicates):
        made = make(design, np.random.default_rng([seed, replicate]), grammar)
        question = GroupQuestion(made.grammar, [made.grouping], (), settings)
        (audit,) = question.audit({"s": made.table}, made.analyses, frozenset()).values()
        counted.add(audit.contrasts["s"], made.truth)
    return counted


# On research data: human captions of COCO, where nothing but chance tells two sources or two genders apart.


@dataclass(frozen=True, slots=True)
class Humans:
    """The labels of human captions: of each image, the labels of each caption."""

    captions: dict[str, list[list[str]]]
    analyses: dict[str, Analysis]
    grammar: Grammar


def read_humans(path: Path, images: int) -> Humans:
    """Find the labels of the references of some images."""
    from assess.corpus import parse_source
    from assess.engine.jobs import in_this_process
    from assess.grammar import load_grammar
    from assess.grammar.labels import LabelFinder
    from assess.grammar.parser import Parser
    from assess.measures.coverage.run import LabelJob

    grammar = load_grammar("people")
    finder = LabelFinder(Parser(grammar))
    job = LabelJob(grammar, by_image=True, finder=finder)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "humans.jsonl"
        file.write_text(_first_images(path, images), encoding="utf-8")
        table = in_this_process(None).run(job, [parse_source(f"humans={file}")])["humans"].table
    captions: dict[str, list[list[str]]] = {
        image: [[] for _ in range(number)]
        for image, number in zip(table.images, table.captions.tolist(), strict=True)
    }
    for image, caption, text in zip(*(column.tolist() for column in table.columns), strict=True):
        captions[table.images[image]][caption].append(table.texts[text])
    analyses = {text: finder.analyse(text) for text in table.texts}
    return Humans(captions, analyses, grammar)


def _first_images(path: Path, images: int) -> str:
    """Return all captions of the images that come first in a file."""
    from assess.corpus import parse_source, read_captions

    known: dict[str, list[str]] = {}
    for caption in read_captions(parse_source(str(path))):
        if caption.image in known or len(known) < images:
            known.setdefault(caption.image, []).append(caption.text)
    rows = ({"image_id": image, "caption": text} for image, texts in known.items() for text in texts)
    return "".join(json.dumps(row) + "\n" for row in rows)


def swapped(analysis: Analysis, gender: WordGroups) -> Analysis:
    """Return a label with the other gender's noun, and all that is said of it."""
    other = {"female": "man", "male": "woman"}.get(gender.value(analysis))
    if other is None:
        return analysis
    spans = tuple(s._replace(text=other) if s.role == "head" else s for s in analysis.best.spans)
    heads = spans if any(s.role == "head" for s in spans) else (Span(0, 1, other, "gendered", "head"), *spans)
    return analysis._replace(text=f"{analysis.text} (swapped)", best=analysis.best._replace(spans=heads))


def swapped_genders(humans: Humans, *, replicates: int, samples: int) -> Counted:
    """Exchange the genders of all labels of an image, by the toss of a coin: no difference is left."""
    gender = WordGroups(humans.grammar, "gender")
    turned = {text: swapped(analysis, gender) for text, analysis in humans.analyses.items()}
    analyses = humans.analyses | {analysis.text: analysis for analysis in turned.values()}
    counted, settings = Counted(), VerdictSettings(samples=samples)
    for replicate in range(replicates):
        generator, table = np.random.default_rng([1, replicate]), MentionTable()
        for image, captions in humans.captions.items():
            turn = generator.random() < 0.5
            for labels in captions:
                table.add_caption(image, [turned[text].text if turn else text for text in labels])
        question = GroupQuestion(humans.grammar, [gender], (), settings)
        audit = question.audit({"s": table}, analyses, frozenset())["gender"]
        truth = {contrast.category: 0.0 for contrast in audit.contrasts["s"]}
        counted.add(audit.contrasts["s"], truth)
    return counted


@dataclass(slots=True)
class Beside:
    """What comparisons with references came to where system and references are the same source."""

    audits: int = 0
    false: int = 0  # audits that call some gap wider or narrower
    changes: int = 0  # audits that call some change of a rate beyond chance
    intervals: int = 0
    covered: int = 0  # intervals of the gap's change that hold 0
    amplified: list[float] = field(default_factory=list)
    amplified_covered: int = 0

    def add(self, audit: GroupResult, alpha: float = 0.05) -> None:
        """Count one audit."""
        found = [c.amplification for c in audit.contrasts["s"] if c.amplification is not None]
        self.audits += 1
        self.false += any(c.verdict in ("wider", "narrower") for c in found)
        self.changes += any(min(c.group.q, c.against.q) <= alpha for c in found)
        for comparison in found:
            if min(comparison.system.carrying, comparison.reference.carrying) < 5:
                continue
            self.intervals += 1
            self.covered += not comparison.risk_difference_change.excludes(0.0)
            for side in (comparison.group, comparison.against):
                self.amplified.append(side.value)
                self.amplified_covered += not side.interval.excludes(0.0)


def humans_as_system(humans: Humans, *, replicates: int, samples: int) -> Beside:
    """Take one caption of every image for the system's, by a draw, and the others for the references."""
    counted, settings = Beside(), VerdictSettings(samples=samples)
    gender = WordGroups(humans.grammar, "gender")
    for replicate in range(replicates):
        generator = np.random.default_rng([2, replicate])
        tables = {"s": MentionTable(), "r": MentionTable()}
        for image, captions in humans.captions.items():
            drawn = int(generator.integers(len(captions)))
            for number, labels in enumerate(captions):
                tables["s" if number == drawn else "r"].add_caption(image, labels)
        question = GroupQuestion(humans.grammar, [gender], (), settings)
        counted.add(question.audit(tables, humans.analyses, frozenset({"r"}))["gender"])
    return counted


# End to end: from files of captions, through annotation and grammar, to verdicts.


def end_to_end(systems: int, *, samples: int, folder: Path) -> Counted:
    """Audit systems with five captions per image and clustering .3, where nothing differs."""
    from assess.audits.pipeline import Settings, audit
    from assess.corpus import parse_source
    from assess.engine.jobs import in_this_process
    from assess.grammar import load_grammar
    from assess.measures.measure import Inputs

    counted = Counted()
    settings = Settings(by=("gender",), bias=VerdictSettings(samples=samples))
    for number in range(systems):
        file = folder / f"s{number}.csv"
        file.write_text(_captions(np.random.default_rng([3, number])), encoding="utf-8")
        inputs = Inputs([parse_source(f"s={file}")], engine=in_this_process())
        found = audit(inputs, load_grammar("people"), settings)
        counted.add(found.result.groups["gender"].contrasts["s"], {})
    return counted


WORDS = {
    "tall": 0.05,
    "young": 0.3,
    "smiling": 0.1,
    "blond": 0.05,
    "beautiful": 0.02,
    "asian": 0.02,
    "wet": 0.01,
}


def _captions(generator: np.random.Generator, images: int = 400, clustering: float = 0.3) -> str:
    """Return a file of captions: women and men with attributes that have nothing to do with gender."""
    spread, rows = (1 - clustering) / clustering, ["image_id,caption"]
    rates = np.array(list(WORDS.values()))
    for image in range(images):
        noun = "woman" if generator.random() < 0.4 else "man"
        chance = generator.beta(rates * spread, (1 - rates) * spread)
        for _ in range(5):
            said = [
                word for word, yes in zip(WORDS, generator.random(len(rates)) < chance, strict=True) if yes
            ]
            rows.append(f"{image},{' '.join(['a', *said[:2], noun])} on a bench")
    return "\n".join(rows) + "\n"


# The table.


@dataclass(frozen=True, slots=True)
class Line:
    """One line: what was made, what was found, and whether the aims hold."""

    name: str
    false: str = "–"
    power: str = "–"
    coverage: str = "–"
    holds: bool = True


def line_of(name: str, counted: Counted, *, single: bool = False) -> Line:
    """Return the line of verdicts. With one caption per image, little power may be lost."""
    families, lost = counted.families, counted.label_power - counted.power
    false = f"{counted.false_rate:.3f} ({counted.label_false / families:.3f})"
    if counted.planted:
        false = f"{counted.false_discoveries:.3f} of what is found"
    power = f"{counted.power:.2f} ({counted.label_power:.2f})" if counted.planted else "–"
    wrong = counted.false_discoveries if counted.planted else counted.false_rate
    holds = wrong <= MOST_FALSE and not (single and lost > MOST_LOST)
    covered = f"{counted.coverage:.3f}" if counted.intervals else "–"
    return Line(name, false, power, covered, holds and not counted.coverage < LEAST_COVERED)


def lines_of(beside: Beside) -> Iterator[Line]:
    """Yield the lines of comparisons with references."""
    false, mean = beside.false / beside.audits, float(np.nanmean(beside.amplified))
    covered, total = beside.covered / beside.intervals, len(beside.amplified)
    holds = false <= MOST_FALSE and covered >= LEAST_COVERED
    yield Line("one human caption beside the others: gaps", f"{false:.3f}", "–", f"{covered:.3f}", holds)
    changed = beside.changes / beside.audits
    yield Line("the same: rates", f"{changed:.3f}", "–", "–", changed <= 2 * MOST_FALSE)
    amplified = beside.amplified_covered / total
    name = f"the same: amplification, mean {mean * 100:+.3f} points"
    yield Line(name, "–", "–", f"{amplified:.3f}", amplified >= LEAST_COVERED)


def lines(arguments: argparse.Namespace) -> Iterator[Line]:
    """Yield all lines that were asked for."""
    replicates, samples = arguments.replicates, arguments.samples
    for design in DESIGNS:
        if arguments.only in design.name:
            counted = calibrate(design, replicates=replicates, samples=samples)
            yield line_of(design.name, counted, single=design.captions == 1 and bool(design.planted))
    if arguments.only in "end to end":
        with tempfile.TemporaryDirectory() as folder:
            counted = end_to_end(40, samples=samples, folder=Path(folder))
        line = line_of(f"end to end, 40 systems, five captions, .3: {counted.false} flagged", counted)
        yield replace(line, holds=counted.false <= 5)
    if arguments.data and DATA.is_dir() and arguments.only in "human captions":
        humans = read_humans(DATA / "references.json.gz", arguments.images)
        some = max(1, replicates // 2)
        yield line_of(
            "human captions, genders swapped by image",
            swapped_genders(humans, replicates=some, samples=samples),
        )
        yield from lines_of(humans_as_system(humans, replicates=some, samples=samples))


def main() -> int:
    """Print the table; 1 if an aim is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--samples", type=int, default=1000, help="of each bootstrap")
    parser.add_argument("--images", type=int, default=5000, help="of the research data")
    parser.add_argument("--only", default="", help="lines whose name has this")
    parser.add_argument("--no-data", dest="data", action="store_false", help="leave the research data out")
    begin, missed = time.monotonic(), 0
    print("| labels | false alarms (labels independent) | power (labels independent) | coverage | aims |")
    print("|---|---|---|---|---|")
    for line in lines(parser.parse_args()):
        missed += not line.holds
        marks = (line.name, line.false, line.power, line.coverage, "hold" if line.holds else "MISSED")
        print(f"| {' | '.join(marks)} |", flush=True)
    print(
        f"\nAims: false alarms at most {MOST_FALSE:g}, coverage at least {LEAST_COVERED:g}, power with one"
        f" caption per image within {MOST_LOST:g}. {time.monotonic() - begin:.0f} s."
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
