"""Object amplification: values computed by hand, directions, an objects file, mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assess.measures.amplification.compute import COUNTS, Said, amplify, tally
from tests.commands import assess
from tests.test_metrics_leakage import write


def counts(**given: tuple[float, float]) -> Any:
    """Return the counts of one object, women first."""
    return np.array([[given.get(name, (0.0, 0.0)) for name in COUNTS]])


def test_amplification_from_group_to_object_as_worked_out_by_hand() -> None:
    # 40 women and 60 men; people name the object 4 and 2 times, the system 10 times and once.
    found = amplify(counts(named=(4, 2), said=(10, 1)), np.array([40.0, 60.0]))
    # Women: 10/40 - 4/40 = .15 more; men, who have it less than by chance: 2/60 - 1/60 = .0167 less.
    assert found.group_to_object[0] == pytest.approx((0.15 + 1 / 60) / 2)


def test_amplification_of_2017_as_worked_out_by_hand() -> None:
    # Two thirds of the cooking people are women; of those the system shows, 84%.
    found = amplify(counts(named=(66, 34), said_with=(84, 16)), np.array([100.0, 100.0]))
    assert found.bias_amplification[0] == pytest.approx(0.18)
    assert (found.leaning[0], found.share[0], found.system_share[0]) == (0, 0.66, 0.84)


def test_amplification_from_object_to_group_as_worked_out_by_hand() -> None:
    # 50 images with the object, 30 of women; captions of 40 tell a group: 32 women, where there are 25.
    found = amplify(counts(named=(30, 20), told=(32, 8), true=(25, 15)), np.array([100.0, 100.0]))
    assert found.object_to_group[0] == pytest.approx((32 - 25) / 40)


def test_a_group_without_a_leaning_and_an_object_that_is_never_said() -> None:
    even = amplify(counts(named=(5, 5), said_with=(3, 1)), np.array([10.0, 10.0]))
    assert even.bias_amplification[0] == 0
    never = amplify(counts(named=(5, 1)), np.array([10.0, 10.0]))
    assert np.isnan(never.bias_amplification[0])
    assert np.isnan(never.object_to_group[0])
    assert never.group_to_object[0] == pytest.approx((-0.5 + 0.1) / 2)


def test_rounding_makes_up_no_direction() -> None:
    assert 0.1 + 0.2 > 0.3  # as computers add
    found = amplify(counts(named=(0.1 + 0.2, 0.3), said=(1, 0)), np.array([10.0, 10.0]))
    # No group has the object more often than by chance, so saying it more often is no amplification.
    assert found.group_to_object[0] == pytest.approx((-(0.1 - 0.03) + 0.03) / 2)


def test_tallies_of_images_are_the_counts() -> None:
    shown = [{0: 0.4}, {0: 1.0}, {}]
    said: list[list[Said]] = [[({0}, 0)], [({0}, 0), ({0}, None)], [({0}, None)]]
    found = tally(shown, said, [0, 1, 1], 1)
    sums = (np.ones((1, 3)) @ found.images).reshape(len(COUNTS), 2)
    assert dict(zip(COUNTS, sums.tolist(), strict=True)) == {
        "named": [0.4, 1.0],
        "said": [1.0, 2.0],
        "said_with": [1.5, 0.0],
        "told": [0.9, 0.0],
        "true": [0.4, 0.5],
    }
    assert found.amplified(np.ones((2, 3))).group_to_object.shape == (2, 1)


# The command.


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a system that always puts women beside ovens, references that often do, and objects."""
    folder = tmp_path_factory.mktemp("amplification")
    nouns = {image: ("woman", "man")[image % 2] for image in range(80)}
    ovens = {image for image in nouns if image % 8 in (0, 2, 4, 1)}  # 30 of women, 10 of men
    human = {i: [f"a {noun} near {'an oven' if i in ovens else 'a car'}"] * 3 for i, noun in nouns.items()}
    system = {i: [f"a {noun} near {'an oven' if noun == 'woman' else 'a car'}"] for i, noun in nouns.items()}
    objects = folder / "objects.csv"
    rows = [f"{image},{'Ovens' if image in ovens else 'car'}" for image in nouns]
    objects.write_text("\n".join(["image_id,object", *rows]) + "\n", encoding="utf-8")
    return {
        "system": write(folder / "system.json", system),
        "references": write(folder / "references.json", human),
        "objects": objects,
    }


@pytest.mark.model
@pytest.mark.parametrize("objects", [False, True])
def test_what_people_often_say_and_the_system_always(files: dict[str, Path], objects: bool) -> None:
    found = assess(
        "amplification", files["system"], "--references", files["references"], "--by", "gender",
        *(("--objects", files["objects"]) if objects else ()), "--resamples", 100, "--json",
    ).json  # fmt: skip
    system = found["systems"]["system"]
    assert system["objects"] == 2
    oven, car = sorted(system["per_object"], key=lambda one: str(one["object"]), reverse=True)
    assert (oven["object"], oven["images"], oven["leaning"], oven["share"]) == ("oven", 40, "female", 0.75)
    assert oven["bias_amplification"][0] == pytest.approx(0.25)
    assert car["bias_amplification"][0] == pytest.approx(0.25)
    assert system["bias_amplification"] == pytest.approx(0.25)
    # Women 40/40 - 30/40 more ovens, men 10/40 - 0 fewer; with cars the other way round.
    assert system["group_to_object"] == pytest.approx(0.25)
    assert system["object_to_group"] == pytest.approx(0)
    low, high = found["intervals"]["systems"]["system"]["bias_amplification"][1:]
    assert 0.1 < low < 0.25 < high < 0.4


@pytest.mark.model
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--by", "gender"), "amplification needs the objects of each image"),
        (("--objects", "{objects}", "--by", "gender"), "the group of each image is unknown"),
        (("--references", "{references}", "--least", "50"), "no object occurs in at least 50 images"),
        (("--references", "{references}", "--objects", "{system}"), "there is no field 'object'"),
        (("--references", "{references}", "--objects", "{nothing}"), "the file has no objects"),
        (("--references", "{references}", "--objects", "{other}"), "no image is among the 1 images"),
    ],
)
def test_mistakes_are_told(
    files: dict[str, Path], tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("image_id,object\nx1,oven\n", encoding="utf-8")
    nothing = tmp_path / "nothing.csv"
    nothing.write_text("image_id,object\n", encoding="utf-8")
    known = files | {"other": other, "nothing": nothing}
    done = assess("amplification", files["system"], *(argument.format(**known) for argument in arguments))
    assert done.code == 2
    assert message in " ".join(done.stderr.split())
