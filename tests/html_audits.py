"""Saved audits for tests of the page: from real captions, and large artificial ones."""

from __future__ import annotations

import fcntl
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.audits import fit
from tests.commands import EXAMPLE

# What untrusted captions may contain: markup, quotes, broken entities, other scripts, control characters.
HOSTILE = [
    'a young man <script>window.hacked = true;document.title = "hacked"</script> on a bench',
    "a happy woman <img src=x onerror=\"window.hacked=true\"> </script><!-- --> 'quoted' & &amp; &#x3c;",
    "a tall man ]]> </style></dialog> {{ 7*7 }} ${window.hacked=true} `",
    "رجل عجوز and an old man on a bench",
    "🙂🙂 a happy boy sees a tall girl with a kite",
    "an old woman \u202e reversed \u2066 and more",
    "a young girl\x07 with a NUL\x00 and \x1b[31mred\x1b[0m",
    "an   old    man  with  many   spaces",
    "A BEAUTIFUL WOMAN ON A BENCH",
]

# A few captions that still have contrasts, strata, and words that the domain does not contain.
SMALL = {
    "plain": ["a man on a bench", "a woman with a dog", "a person", "a blorpy man", "two boys"] * 8,
    "fine": ["a tall man", "a beautiful young woman with a dog", "an old person", "a happy boy"] * 10
    + ["a man stands beside a woman wearing a red dress, and he is wearing a suit"],
}


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that one worker fills and all workers of this run only read afterwards."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    with (base / f"{name}.lock").open("w") as lock:
        # The system releases the lock, no matter how the previous worker ended.
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = base / name
        if not folder.exists():
            # A worker that fails leaves nothing that others could mistake for the complete folder.
            unfinished = factory.mktemp(f"{name}-unfinished")
            make(unfinished)
            unfinished.rename(folder)
    return folder


def save_audit(
    folder: Path, files: dict[str, Path], *, references: Path | None = None, **settings: Any
) -> Path:
    """Audit caption files like the command, with short bootstraps, and save everything.

    Annotations are cached for all audits of a run, since none of these tests is about annotating.
    """
    from assess.audits.html.page import write_audit
    from assess.audits.pipeline import Settings, audit
    from assess.corpus import parse_source
    from assess.engine.jobs import EngineRequest
    from assess.grammar import load_grammar
    from assess.measures.group_settings import VerdictSettings
    from assess.measures.intervals import Resampling
    from assess.measures.measure import Inputs
    from assess.measures.run import MeasureRequest, run_measures

    sources = [parse_source(f"{name}={path}") for name, path in files.items()]
    humans = [parse_source(f"references={references}")] if references else []
    chosen = Settings(**{"by": ("gender",), "bias": VerdictSettings(samples=40), **settings})
    asked = MeasureRequest(resampling=Resampling(resamples=40))
    with closing(EngineRequest(processes=1).open(None)) as engine, write_audit(folder) as saved:
        inputs = Inputs(sources, humans, engine=engine)
        result = audit(inputs, load_grammar("people"), chosen, mentions=saved.add_lines)
        measures = run_measures(inputs, asked, captions=1)
        saved.finish(result.with_measures(measures))
    return folder


def save_example(folder: Path, **settings: Any) -> Path:
    """Save the audit of the bundled example."""
    files = {
        path.stem: path for path in (EXAMPLE / name for name in ("bland.json", "rich.jsonl", "skewed.csv"))
    }
    return save_audit(folder, files, references=EXAMPLE / "references.json", **settings)


def save_small(folder: Path, **settings: Any) -> Path:
    """Save the audit of a few captions: all parts of the page, each of them small."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: folder / f"{name}.txt" for name in SMALL}
    for name, file in files.items():
        file.write_text("\n".join(SMALL[name]), encoding="utf-8")
    return save_audit(folder / "audit", files, **settings)


def save_hostile(folder: Path) -> Path:
    """Save the audit of captions that contain more than plain text."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "captions.json"
    rows = [{"image_id": f"<b>{number}</b>", "caption": text} for number, text in enumerate(HOSTILE)]
    file.write_text(json.dumps(rows), encoding="utf-8")
    return save_audit(folder / "audit", {'<i>"evil" & co</i>': file})


CATEGORIES = ("modifier.age", "modifier.mood", "modifier.height", "head.gendered", "head.general")


def save_made_up(folder: Path, *, mentions: int, systems: int = 5, labels: int = 12_000) -> Path:
    """Save an audit with this many mentions without annotating: random words, all captions distinct."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghilmnoprstu", k=draw.randint(3, 9))) for _ in range(4_000)]
    analyses = list(_analyses(draw, words, min(labels, mentions)))
    counts: dict[str, Counter[str]] = {f"system-{number}": Counter() for number in range(systems)}
    with (folder / "mentions.jsonl").open("w", encoding="utf-8") as file:
        for record in range(mentions):
            system = f"system-{record * systems // mentions}"
            label = analyses[record if record < len(analyses) else draw.randrange(len(analyses))]["text"]
            caption = f"{label} {' '.join(draw.choices(words, k=draw.randint(5, 9)))}"
            place = {"system": system, "image_id": str(draw.randrange(1_000_000)), "record": record + 1}
            row = {**place, "start": 0, "end": len(label), "label": label, "caption": caption}
            file.write(json.dumps(row) + "\n")
            counts[system][label] += 1
    results = _results(counts, {analysis["text"]: analysis for analysis in analyses})
    (folder / "audit.json").write_text(json.dumps(results), encoding="utf-8")
    fit(folder)
    return folder


def _analyses(draw: random.Random, words: list[str], number: int) -> Iterator[dict[str, Any]]:
    """Yield labels such as "a WORD WORD woman 17", each with modifiers, a head and spans."""
    for place in range(number):
        head = ("woman", "man", "person")[place % 3]
        kinds = draw.sample(["age", "mood", "height"], k=draw.randint(0, 3))
        said = [draw.choice(words) for _ in kinds]
        text = " ".join(["a", *said, f"{head}{place}"])
        spans = [
            {"start": at + 1, "end": at + 2, "text": word, "category": kind, "role": "modifier"}
            for at, (word, kind) in enumerate(zip(said, kinds, strict=True))
        ]
        last, kind = len(said) + 1, "general" if head == "person" else "gendered"
        spans.append({"start": last, "end": last + 1, "text": head, "category": kind, "role": "head"})
        reading = {"heads": [kind], "modifiers": sorted(kinds), "spans": spans}
        yield {"text": text, "in_domain": True, **reading, "best": reading, "unknown": [], "why": None}


def _results(counts: dict[str, Counter[str]], analyses: dict[str, dict[str, Any]]) -> dict[str, Any]:
    systems = {name: _system(labels, analyses) for name, labels in counts.items()}
    inputs = [
        {"name": name, "captions": labels.total(), "sha256": "0" * 64} for name, labels in counts.items()
    ]
    signature = {"tool": "assess 0", "taxonomy": "people@1.0.0#0", "model": "none", "inputs": inputs}
    return {
        "signature": {**signature, "settings": {"by": "gender"}},
        "systems": systems,
        "categories": {key: {"description": key} for key in CATEGORIES},
        "categories_never_used": [],
        "bias": {"gender": _group(counts)},
        "analyses": list(analyses.values()),
    }


def _system(labels: Counter[str], analyses: dict[str, dict[str, Any]]) -> dict[str, Any]:
    carried: Counter[str] = Counter()
    for text, number in labels.items():
        for role in ("modifier", "head"):
            carried.update({f"{role}.{name}": number for name in analyses[text][f"{role}s"]})
    total = labels.total()
    modifiers = sum(number for key, number in carried.items() if key.startswith("modifier."))
    read = {
        "labels": total,
        "modifiers": modifiers,
        "modifiers_per_label": modifiers / total,
        "modifier_categories": 3,
        "head_categories": 2,
        "uncovered_labels": 0,
    }
    categories = {
        key: {
            "role": key.partition(".")[0],
            "labels": carried[key],
            "share": 0.5,
            "best_labels": carried[key],
            "examples": [],
        }
        for key in CATEGORIES
    }
    return {
        "captions": total,
        "images": total,
        "repeated_images": 0,
        "empty_captions": 0,
        "reference": False,
        **read,
        "after": {"labels": 0, "modifiers": 0},
        "partial_labels": 0,
        "best": read,
        "categories": categories,
        "unknown_words": [],
    }


def _group(counts: dict[str, Counter[str]]) -> dict[str, Any]:
    values = {"woman": "female", "man": "male", "person": "neutral"}
    texts = sorted({text for labels in counts.values() for text in labels})
    members = {text: values[text.split()[-1].rstrip("0123456789")] for text in texts}
    labels: dict[str, Counter[str]] = {name: Counter() for name in counts}
    for name, found in counts.items():
        for text, number in found.items():
            labels[name][members[text]] += number
    return {
        "told_by": "words",
        "values": ["female", "male"],
        "columns": ["female", "male", "neutral"],
        "pairs": [["female", "male"]],
        "labels": labels,
        "told": {name: [0.67, 0.6, 0.7] for name in counts},
        "cells": [],
        "across": [],
        "members": members,
    }


def made_up_cell(
    system: str, category: str, verdict: str, rates: tuple[float, float] = (0.3, 0.1), **parts: Any
) -> dict[str, Any]:
    """Return a contrast as in `audit.json`, with 100 labels about women and 100 about men."""
    yes, other_yes = (round(rate * 100) for rate in rates)
    difference = rates[0] - rates[1]
    interval = [difference, difference - 0.1, difference + 0.1]
    return {
        "system": system,
        "by": "gender",
        "category": category,
        "role": "modifier",
        "group": "female",
        "against": "male",
        "yes": yes,
        "labels": 100,
        "other_yes": other_yes,
        "other_labels": 100,
        "rate": rates[0],
        "other_rate": rates[1],
        "risk_difference": interval,
        "odds_ratio": [4.0, 2.0, "inf"],
        "haldane": [4.0, 2.0, 8.0],
        "share": [0.75, 0.5, 0.9],
        "base_rate": 0.5,
        "p": 0.00001,
        "q": 0.001,
        "smallest_p": 0.0000001,
        "verdict": verdict,
        "reason": f"a reason of {category}",
        "rates": {},
        "readings": {
            "yes": [yes, yes],
            "rate": [rates[0], rates[0]],
            "other_yes": [other_yes, other_yes],
            "other_rate": [rates[1], rates[1]],
            "risk_difference": interval,
            "q": 0.001,
            "verdict": verdict,
        },
        "bootstrap": {"risk_difference": interval, "samples": 40, "defined": 40},
        "stratified": {},
        "amplification": None,
        "words": {"exploratory": True, "prior": "", "scores": []},
        "cautions": [],
        **parts,
    }


def changed(folder: Path, target: Path, **parts: Any) -> Path:
    """Return a copy of an audit with some parts replaced."""
    results = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    mentions = (folder / "mentions.jsonl").read_bytes()
    (target / "audit.json").write_text(json.dumps({**results, **parts}), encoding="utf-8")
    (target / "mentions.jsonl").write_bytes(mentions)
    return target


def with_cells(folder: Path, target: Path, *cells: dict[str, Any]) -> Path:
    """Return a copy of an audit with these contrasts by gender."""
    results = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    return changed(folder, target, bias={"gender": {**results["bias"]["gender"], "cells": cells}})
