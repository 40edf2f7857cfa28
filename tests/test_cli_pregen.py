"""`assess pregen`: scores, names of rules, strata, files, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.commands import assess, write_records
from tests.test_cli_select import told

Words = list[tuple[float, int]]


def image(number: int, *captions: Words) -> dict[str, object]:
    return {"image_id": number, "captions": [[{"p": p, "rank": rank} for p, rank in c] for c in captions]}


# Worked by hand: two words, the first of them the model's first choice.
ONE = image(1, [(0.5, 0), (0.25, 3)])


def test_scores_are_those_worked_by_hand(tmp_path: Path) -> None:
    path = write_records(tmp_path / "p.jsonl", ONE, image(2, [(1.0, 0)], [(0.25, 1)]))
    found = assess("pregen", path, "--json").json
    assert (found["images"], found["captions"], found["words"]) == (2, 3, 4)
    assert len(found["scores"]) == 504
    assert found["scores"]["mean_max_normcount_prefix0"] == pytest.approx((0.5 + 1.0) / 2)
    assert found["scores"]["sum_sum_prob_none"] == pytest.approx(0.125 + 1.0 + 0.25)
    assert found["scores"]["max_min_pplx_none"] == pytest.approx(2**1.5)
    assert found["scores"]["max_max_pplx_prefix0"] == "inf"


def test_the_codes_and_the_papers_filter_have_names_of_their_own(tmp_path: Path) -> None:
    path = write_records(tmp_path / "p.jsonl", ONE)
    names = ("mean_max_prob_filter0", "mean_max_prob_only0")
    found = assess("pregen", path, "--metric", names[0], "--metric", names[1], "--json").json
    assert found["scores"] == {names[0]: 0.25, names[1]: 0.5}
    both = assess("pregen", path, "--paper-filter", "--json").json["scores"]
    assert len(both) == 504 + 168
    shown = assess("pregen", path, "--paper-filter").stdout
    assert "filter0: words that were not the first choice" in shown
    assert ": words that were the first choice" in shown


def test_all_formats_give_the_same_numbers_and_the_same_identity(tmp_path: Path) -> None:
    path = write_records(tmp_path / "p.jsonl", ONE, image(2, [(1.0, 0)]))
    np.savez(
        tmp_path / "p.npz",
        p=np.array([0.5, 0.25, 1.0]),
        rank=np.array([0, 3, 0]),
        words_per_caption=np.array([2, 1]),
        captions_per_image=np.array([1, 1]),
        image_ids=np.array([1, 2]),
    )
    lines = assess("pregen", path, "--json").json
    arrays = assess("pregen", tmp_path / "p.npz", "--json").json
    piped = assess("pregen", "p=-", "--json", stdin=path.read_text()).json
    assert lines == arrays == piped


def images_and_scores(tmp_path: Path, count: int = 7) -> tuple[Path, Path]:
    """Make images whose share of first choices grows with their score."""
    images = [image(n, [(0.5, 0)] * n + [(0.5, 1)] * (count - n)) for n in range(count)]
    scores = [{"image_id": n, "CIDEr": n / 10, "METEOR": 1 - n / 10} for n in range(count)]
    return write_records(tmp_path / "p.jsonl", *images), write_records(tmp_path / "scores.jsonl", *scores)


def test_strata_go_from_low_to_high_and_are_scored_apart(tmp_path: Path) -> None:
    path, scores = images_and_scores(tmp_path)
    found = assess("pregen", path, "--scores", scores, "--strata", "3", "--json").json
    strata = [(s["num_strata"], s["stratum"], s["images"]) for s in found["strata"]]
    assert strata == [(1, 0, 7), (2, 0, 3), (2, 1, 3), (3, 0, 2), (3, 1, 2), (3, 2, 2)]
    low = found["strata"][1]
    assert low["post"] == pytest.approx({"CIDEr": 0.1, "METEOR": 0.9})
    assert low["scores"]["mean_max_normcount_prefix0"] == pytest.approx((0 + 1 + 2) / 3 / 7)
    assert found["strata"][0]["scores"] == found["scores"]
    assert [item["name"] for item in found["signature"]["inputs"]] == ["p", "scores"]


def test_strata_are_written_as_a_table_that_correlate_reads(tmp_path: Path) -> None:
    path, scores = images_and_scores(tmp_path)
    out = tmp_path / "out"
    assert assess("pregen", path, "--scores", scores, "--out", out).code == 0
    table = out / "pregen-table.tsv"
    assert len(table.read_text().splitlines()) == 1 + 15
    predictors = ("--pre", "mean_*_normcount_prefix0", "--post", "CIDEr,METEOR")
    found = assess("correlate", table, *predictors, "--json")
    assert found.code == 0, found.stderr
    assert "mean_max_normcount_prefix0" in found.stdout
    assert json.loads((out / "pregen.json").read_text())["images"] == 7


def test_a_table_without_strata_has_one_row(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assess("pregen", f"mine={write_records(tmp_path / 'p.jsonl', ONE)}", "--out", out)
    header, row = (out / "pregen-table.tsv").read_text().splitlines()
    found = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert (found["system"], found["images"]) == ("mine", "1")
    assert found["max_max_pplx_filter0"] == "4.0"


def test_mistakes_in_the_call_are_told(tmp_path: Path) -> None:
    path, scores = images_and_scores(tmp_path)
    told(assess("pregen", path, "--metric", "mean_max_normcount_prefix"), "mean_max_normcount_prefix0")
    told(assess("pregen", path, "--format", "csv"), "jsonl")
    told(assess("pregen", path, "--scores", scores, "--by", "SPICE"), "the scores are CIDEr, METEOR")
    told(assess("pregen", path, "--scores", scores, "--strata", "8"), "cannot be divided into 8 strata")


def test_scores_and_images_must_be_the_same(tmp_path: Path) -> None:
    path, _ = images_and_scores(tmp_path)
    few = write_records(tmp_path / "few.jsonl", *({"image_id": n, "CIDEr": 0.1} for n in range(6)))
    told(assess("pregen", path, "--scores", few, "--strata", "1"), "image 6 has no CIDEr", "record 7")
    many = write_records(tmp_path / "many.jsonl", *({"image_id": n, "CIDEr": 0.1} for n in range(9)))
    told(assess("pregen", path, "--scores", many), "no probabilities for 2 images with a CIDEr")
    odd = write_records(tmp_path / "odd.jsonl", {"image_id": 1, "CIDEr": "high"})
    told(assess("pregen", path, "--scores", odd), "'CIDEr' must be a number", "odd.jsonl")
    huge = write_records(tmp_path / "huge.jsonl", *({"image_id": n, "CIDEr": 1.7e308} for n in range(7)))
    told(assess("pregen", path, "--scores", huge), "'CIDEr' must be a finite number of at most 1e+100")


@pytest.mark.model
def test_reference_words_are_sorted_by_the_categories_of_a_domain(tmp_path: Path) -> None:
    """tall: height; young: age; man: the head, in two categories; the rest, with the end token, is other."""
    path = tmp_path / "words.jsonl"
    caption = [
        {"p": p, "rank": rank, "word": word}
        for p, rank, word in [
            (0.9, 0, "A"),
            (0.25, 4, "tall"),
            (0.5, 1, "young"),
            (0.5, 0, "m"),
            (0.5, 0, "##an"),
            (0.8, 0, "runs"),
            (0.4, 0, "<end>"),
        ]
    ]
    path.write_text(json.dumps({"image_id": 1, "captions": [caption, caption]}), encoding="utf-8")
    found = assess("pregen", path, "--domain", "people", "--json").json
    rows = found["categories"]
    assert list(rows) == ["modifier.age", "modifier.height", "head.gendered", "head.age", "other"]
    assert rows["modifier.height"] == {"words": 2, "mean_p": 0.25, "perplexity": 4.0, "first_choice": 0.0}
    assert rows["head.gendered"] == {"words": 4, "mean_p": 0.5, "perplexity": 2.0, "first_choice": 1.0}
    assert rows["other"]["words"] == 6
    assert found["signature"]["taxonomy"].startswith("people@")
    assert "Reference words by category: people" in assess("pregen", path, "--domain", "people").stdout
    without = tmp_path / "without.jsonl"
    without.write_text('{"image_id": 1, "captions": [[{"p": 0.5, "rank": 0}]]}', encoding="utf-8")
    done = assess("pregen", without, "--domain", "people")
    assert done.code == 2
    assert "image 1 has no words, which --domain needs" in done.stderr
    mixed = without.read_text(encoding="utf-8").replace("}]]", '}, {"p": 0.5, "rank": 0, "word": "a"}]]')
    without.write_text(mixed, encoding="utf-8")
    assert "a word's 'word' must be text" in assess("pregen", without).stderr
