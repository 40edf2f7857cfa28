"""Images as the unit: design effects, tests over images, cancelling words, crossed groups; with oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from assess.audits.gate import evaluate
from assess.audits.policy import Policy, gate_cells
from assess.errors import UsageError
from assess.measures.bias.association import associate, fisher_p, log_fisher_p
from assess.measures.bias.clustering import (
    corrected_p,
    design_effect,
    image_variance,
    over_images,
    permutation_p,
    swapped_p,
)
from assess.measures.bias.compute import pool_partially
from assess.measures.bias.groups import (
    CrossedGroups,
    ImageGroups,
    pairs_of,
    same_attribute,
    with_crossings,
    word_groups,
)
from assess.measures.bias.references import Amplification, discordant_images
from assess.measures.bias.result import ContrastCell, GroupResult
from assess.measures.bias.tables import CountTable, Estimate, Floats, resampled_sums, widened_ratio, wilson
from assess.measures.bias.verdict import bootstrap
from assess.measures.group_settings import VerdictSettings
from benchmarks.calibration import DESIGNS, calibrate
from tests.audits import AGE, FAST, GENDER, PARSER, PEOPLE, Captions, audit_groups, repeated, save_audit

IMAGES = st.lists(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4), min_size=6, max_size=30
)
"""The labels of each image: whether they are about the first group, and whether they have the category."""


def tallies_of(images: list[list[tuple[bool, bool]]]) -> Floats:
    return np.array(
        [
            [
                [
                    sum(yes for group, yes in labels if group == side),
                    sum(group == side for group, _ in labels),
                ]
                for side in (True, False)
            ]
            for labels in images
        ],
        dtype=np.float64,
    )


def table_of(tallies: Floats) -> CountTable:
    (yes, labels), (other_yes, other_labels) = tallies.sum(axis=0).astype(int).tolist()
    return CountTable(yes, labels, other_yes, other_labels)


def contrast(audit: GroupResult, category: str, system: str = "s") -> ContrastCell:
    (found,) = [c for c in audit.contrasts[system] if c.category == category]
    return found


# ---- design effects


@given(images=IMAGES)
def test_the_variance_over_images_is_the_cluster_robust_one_of_statsmodels(
    images: list[list[tuple[bool, bool]]],
) -> None:
    tallies = tallies_of(images)
    if not table_of(tallies).comparable:
        return
    rows = [(place, group, yes) for place, labels in enumerate(images) for group, yes in labels]
    cluster, group, yes = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    fitted = sm.OLS(yes, sm.add_constant(group, has_constant="add")).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    assert image_variance(tallies, (1, -1)) == pytest.approx(float(fitted.cov_params()[1, 1]), abs=1e-12)


@given(labels=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60))
def test_with_one_label_per_image_nothing_changes(labels: list[tuple[bool, bool]]) -> None:
    tallies = tallies_of([[label] for label in labels])
    table = table_of(tallies)
    assert design_effect(tallies) == 1.0
    if table.comparable:
        found = over_images(associate(table), tallies, bootstrap(tallies, FAST), permuted=None)
        assert found.p == fisher_p(table)


def test_images_that_are_repeated_tell_nothing_new() -> None:
    once = tallies_of([[(place % 3 == 0, place % 5 == 0 or place % 6 == 0)] for place in range(60)])
    assert design_effect(once * 5) == pytest.approx(5)
    again = over_images(associate(table_of(once * 5)), once * 5, bootstrap(once * 5, FAST), permuted=None)
    assert fisher_p(table_of(once * 5)) < 1e-10
    assert 0.3 < again.p / fisher_p(table_of(once)) < 1


@pytest.mark.parametrize("effect", [1.5, 4.0, 25.0])
@pytest.mark.parametrize("p", [1.0, 0.3, 1e-5, 1e-200])
def test_a_corrected_p_is_that_of_a_smaller_z(p: float, effect: float) -> None:
    expected = 2 * stats.norm.sf(stats.norm.isf(p / 2) / math.sqrt(effect))
    assert corrected_p(math.log(p), effect) == pytest.approx(expected, rel=1e-9)
    assert corrected_p(math.log(p), 1.0) == pytest.approx(p)


def test_a_p_too_small_for_a_number_is_still_corrected() -> None:
    table = CountTable(40_000, 50_000, 10_000, 50_000)
    assert fisher_p(table) == 0.0
    # z is about the root of the chi-square statistic.
    z = math.sqrt(stats.chi2_contingency([[40_000, 10_000], [10_000, 40_000]], correction=False).statistic)
    found = corrected_p(log_fisher_p(table), 100.0)
    assert math.log(found) == pytest.approx(float(stats.norm.logsf(z / 10)) + math.log(2), rel=0.1)


def test_intervals_allow_for_a_design_effect() -> None:
    assert wilson(40, 400, design_effect=4) == pytest.approx(wilson(10, 100))
    wide = widened_ratio(Estimate(2.0, 1.0, 4.0), 4.0)
    assert wide == pytest.approx((2.0, 0.5, 8.0))
    assert widened_ratio(Estimate(math.inf, 4.0, math.inf), 4.0, centre=16.0) == (math.inf, 1.0, math.inf)
    assert widened_ratio(Estimate(2.0, 1.0, 4.0), 1.0) == (2.0, 1.0, 4.0)


# ---- tests over images


def test_a_permutation_of_single_labels_is_fishers_test() -> None:
    images = [[(place < 40, place % 10 == 0 or place < 12)] for place in range(100)]
    tallies = tallies_of(images)
    assert permutation_p(tallies, samples=20_000, seed=0) == pytest.approx(
        fisher_p(table_of(tallies)), rel=0.15
    )


def test_a_permutation_counts_images_not_labels() -> None:
    # Ten images with five labels each: all five images of one group have the category.
    images = [[(place < 5, place < 5)] * 5 for place in range(10)]
    tallies = tallies_of(images)
    assert fisher_p(table_of(tallies)) < 1e-12
    assert permutation_p(tallies, samples=5000, seed=0) == pytest.approx(2 / math.comb(10, 5), rel=0.3)


def test_exchanging_versions_of_single_labels_is_mcnemars_test() -> None:
    before = [[1.0, 1.0]] * 2 + [[0.0, 1.0]] * 28
    after = [[0.0, 1.0]] * 2 + [[1.0, 1.0]] * 8 + [[0.0, 1.0]] * 20
    tallies = np.stack([before, after], axis=1)
    assert f"{swapped_p(tallies, samples=10, seed=0):.3f}" == "0.109"
    assert swapped_p(np.stack([before, before], axis=1), samples=10, seed=0) == 1.0


def test_mcnemar_asks_only_images_where_both_name_the_group() -> None:
    first = np.array([[1, 1], [1, 1], [1, 2], [0, 0], [0, 1]], dtype=float)
    second = np.array([[0, 1], [0, 0], [1, 1], [1, 1], [1, 1]], dtype=float)
    assert discordant_images(first, second) == (1, 1)


def test_sums_of_a_resample_are_whole_counts_around_the_observed() -> None:
    generator = np.random.default_rng(0)
    columns, images = generator.integers(3, size=400), generator.integers(50, size=400)
    (sums,) = resampled_sums([(columns, images)], [3], 80, samples=500, seed=1)
    assert sums[0].tolist() == np.bincount(columns, minlength=3).tolist()
    assert (sums == np.round(sums)).all()
    assert sums[1:].mean(axis=0) == pytest.approx(sums[0], rel=0.05)
    per_image = np.zeros((80, 3))
    np.add.at(per_image, (images, columns), 1)
    assert sums[1:].std(axis=0) == pytest.approx(math.sqrt(80) * per_image.std(axis=0), rel=0.1)


# ---- verdicts


def crowded(pairs: dict[str, int], *, captions: int) -> Captions:
    return [caption for caption in repeated("i", pairs) for _ in range(captions)]


def test_five_captions_that_say_the_same_are_one_piece_of_evidence() -> None:
    counts = {"a tall woman": 8, "a woman": 92, "a tall man": 2, "a man": 98}
    once = contrast(audit_groups({"s": crowded(counts, captions=1)})["gender"], "height")
    five = contrast(audit_groups({"s": crowded(counts, captions=5)})["gender"], "height")
    assert five.uncorrected
    assert five.uncorrected.p < 1e-4 < 0.05 < once.q
    assert five.design_effect == pytest.approx(5)
    assert five.verdict == once.verdict == "insufficient"
    assert five.method == "design-effect"
    assert five.risk_difference.low < 0 < five.uncorrected.risk_difference.low


def test_the_texts_behind_a_difference_are_counted() -> None:
    captions = repeated("i", {"a tall woman": 30, "a very tall woman": 6, "a woman": 64, "a man": 100})
    found = contrast(audit_groups({"s": captions})["gender"], "height")
    assert found.verdict == "disparity"
    assert found.texts
    assert (found.texts.distinct, found.texts.commonest) == (2, "a tall woman")
    assert found.texts.share == pytest.approx(30 / 36)


def test_words_that_go_opposite_ways_are_told_though_their_category_shows_nothing() -> None:
    captions = repeated(
        "i",
        {"a naked woman": 30, "a shirtless woman": 2, "a woman": 168}
        | {"a shirtless man": 30, "a naked man": 2, "a man": 168},
    )
    found = next(c for c in audit_groups({"s": captions})["gender"].cells if c.words.cancels)
    assert found.verdict == "insufficient"
    (caution,) = [caution for caution in found.cautions if caution.kind == "cancels"]
    assert (
        caution.text
        == "words differ in opposite directions (more for female: naked; more for male: shirtless)"
    )
    assert {test.word: test.more_of for test in found.words.tests} == {"naked": "female", "shirtless": "male"}


@pytest.mark.parametrize(
    ("values", "same"),
    [
        ({"1": "female", "2": "male"}, True),
        ({"1": "Female", "2": "Male", "3": "unclear"}, True),
        ({"1": "f", "2": "m"}, True),
        ({"1": "woman", "2": "man"}, True),
        ({"1": "indoors", "2": "outdoors"}, False),
        ({"1": "child", "2": "adult"}, False),
    ],
)
def test_groups_of_the_same_attribute_are_known_by_their_values(values: dict[str, str], same: bool) -> None:
    groups = ImageGroups("shown", "shown.csv", "0", values)
    assert same_attribute(GENDER, groups) == same_attribute(groups, GENDER) == same
    assert not same_attribute(GENDER, AGE)


def test_gender_by_words_is_not_stratified_by_annotated_gender() -> None:
    captions = repeated("i", {"a tall woman": 40, "a woman": 60, "a tall man": 10, "a man": 90, "a girl": 20})
    values = {image: "woman" if "wom" in text else "man" for image, text, _ in captions}
    where = {image: "inside" if int(image[1:]) % 2 else "outside" for image in values}
    groupings = [
        ImageGroups("shown", "shown.csv", "0", values),
        ImageGroups("place", "place.csv", "0", where),
    ]
    audits = audit_groups({"s": captions}, groupings=groupings)
    assert {"age", "place"} <= set(contrast(audits["gender"], "height").stratified) | {"age"}
    assert "shown" not in contrast(audits["gender"], "height").stratified
    assert "gender" not in contrast(audits["shown"], "height").stratified
    assert contrast(audits["shown"], "height").method == "permutation"


def test_a_gate_follows_images_and_knows_verdicts(tmp_path: pytest.TempPathFactory) -> None:
    counts = {"a tall woman": 30, "a woman": 170, "a tall man": 10, "a man": 190}
    limits = {"limits": [{"category": "height", "max_abs_risk_difference": 0.02}], "min_labels": 1}
    verdicts = {"limits": [{"category": "height", "no_verdict": ["disparity"]}], "min_labels": 1}
    kinds = {}
    for captions in (1, 5):
        folder = tmp_path / f"a{captions}"  # type: ignore[operator]
        cells = gate_cells(save_audit(folder, {"s": crowded(counts, captions=captions)}))
        kinds[captions] = [
            evaluate(Policy.model_validate(policy), cells)[0].kind for policy in (limits, verdicts)
        ]
        (tall,) = [c for c in cells if c.category == "height" and c.against is not None]
        assert tall.effects == pytest.approx((captions, captions))
        bald = next(c for c in cells if c.category == "religion" and c.against is not None)
        assert bald.effects == pytest.approx((captions, captions))
    assert kinds == {1: ["fail", "fail"], 5: ["fail", "fail"]}
    rare = {"a tall woman": 6, "a woman": 94, "a tall man": 1, "a man": 99}
    folder = tmp_path / "rare"  # type: ignore[operator]
    (outcome,) = evaluate(
        Policy.model_validate(verdicts), gate_cells(save_audit(folder, {"s": crowded(rare, captions=5)}))
    )
    assert (outcome.kind, outcome.reason) == (
        "insufficient",
        "insufficient: too little evidence",
    )


# ---- beside references


def people(generator: np.random.Generator, tall: float, captions: int, images: int = 300) -> Captions:
    texts = []
    for image in range(images):
        for _ in range(captions):
            noun = "woman" if image % 2 else "man"
            text = f"a tall {noun}" if generator.random() < tall else f"a {noun}"
            texts.append((f"i{image}", text, [text]))
    return texts


def beside(system: Captions, reference: Captions) -> Amplification:
    audit = audit_groups(
        {"s": system, "r": reference}, references=("r",), settings=VerdictSettings(samples=300)
    )
    found = contrast(audit["gender"], "height").amplification
    assert found is not None
    return found


@pytest.mark.parametrize("captions", [5, 1], ids=["folds of captions", "folds of images"])
def test_a_system_like_its_references_does_not_amplify(captions: int) -> None:
    values = []
    for seed in range(16):
        generator = np.random.default_rng(seed)
        found = beside(people(generator, 0.2, 1), people(generator, 0.2, captions))
        values += [found.group.value, found.against.value]
        assert found.group.interval.low <= found.group.value <= found.group.interval.high
    # Using the same reference for rate and direction would give minus two points or more.
    assert abs(np.mean(values)) < 2.5 * np.std(values) / math.sqrt(len(values))


def test_naming_a_group_more_often_is_no_change_of_the_rate() -> None:
    # The system names gender in all images, the references in half of them; P(tall | gender) is the same.
    texts = [f"a {'tall ' * (number % 10 < 2)}{'wo' * (number % 2)}man" for number in range(400)]
    system = [(f"i{number}", text, [text]) for number, text in enumerate(texts)]
    reference = [
        (image, text, labels if number % 20 < 10 else ["a person"])
        for number, (image, text, labels) in enumerate(system)
    ]
    found = beside(system, reference)
    assert found.group.system_rate == pytest.approx(found.group.reference_rate)
    assert found.group.p == 1.0
    assert found.group.mcnemar is not None
    assert found.group.mcnemar.p == 1.0
    assert found.risk_difference_change.value == pytest.approx(0.0)
    assert found.q == 1.0


# ---- crossed groups


@pytest.mark.parametrize("seed", range(1, 7))
def test_partial_pooling_is_that_of_random_effects(seed: int) -> None:
    generator = np.random.default_rng(seed)
    differences, variances = generator.normal(0, 0.3, size=4), generator.uniform(0.001, 0.02, size=4)
    theirs = combine_effects(differences, variances, method_re="dl")
    ours = pool_partially(differences.tolist(), variances.tolist())
    assert theirs.tau2 > 0
    assert ours.deviation**2 == pytest.approx(float(theirs.tau2))
    assert ours.mean.value == pytest.approx(float(theirs.mean_effect_re))
    assert ours.heterogeneity == pytest.approx(float(theirs.test_homogeneity().pvalue))


@given(data=st.lists(st.tuples(st.floats(-0.5, 0.5), st.floats(0.001, 0.1)), min_size=1, max_size=6))
def test_cells_are_drawn_towards_their_mean_and_never_beyond(data: list[tuple[float, float]]) -> None:
    ours = pool_partially([difference for difference, _ in data], [variance for _, variance in data])
    for (difference, _), shrunk in zip(data, ours.shrunk, strict=True):
        low, high = sorted((difference, ours.mean.value))
        assert low - 1e-9 <= shrunk.value <= high + 1e-9


def test_one_cell_is_not_pooled() -> None:
    (shrunk,) = pool_partially([0.2], [0.01]).shrunk
    assert shrunk == pytest.approx((0.2, 0.2 - 1.959964 * 0.1, 0.2 + 1.959964 * 0.1), abs=1e-6)


def test_a_crossing_has_a_value_for_each_pair_and_contrasts_what_differs_in_one() -> None:
    crossing = word_groups(PEOPLE, "gender*age")
    assert isinstance(crossing, CrossedGroups)
    assert crossing.values[:3] == ("female child", "female teenager", "female adult")
    assert crossing.value(PARSER.analyse("two young girls")) == "female child"
    assert crossing.value(PARSER.analyse("a policeman")) == "neutral"
    pairs = pairs_of(crossing)
    assert ("female child", "male child") in pairs
    assert ("female child", "female adult") in pairs
    assert ("female child", "male adult") not in pairs
    assert len(pairs) == 9


def test_a_crossing_comes_with_the_groups_that_it_crosses() -> None:
    assert with_crossings(["gender,age"]) == with_crossings(["gender*age"]) == ("gender", "age", "gender*age")
    assert with_crossings(["age", "gender, age"]) == ("age", "gender", "gender*age")
    for wrong in ("gender,", "gender,gender", ","):
        with pytest.raises(UsageError, match="as in gender,age"):
            with_crossings([wrong])


def test_crossed_effects_stand_beside_the_marginal_one() -> None:
    # Among adults, women are called tall, and among children, boys; overall there is hardly a difference.
    captions = repeated(
        "i",
        {"a tall woman": 60, "a woman": 140, "a tall man": 10, "a man": 190}
        | {"a tall girl": 4, "a girl": 36, "a tall boy": 16, "a boy": 24},
    )
    audits = audit_groups(
        {"s": captions}, by=("gender", "age"), groupings=[word_groups(PEOPLE, "gender*age")]
    )
    result = audits["gender*age"]
    (effect,) = [e for e in result.crossed if (e.by, e.category) == ("gender", "height")]
    assert effect.within == "age"
    assert effect.marginal.value == pytest.approx(64 / 240 - 26 / 240)
    adult, child = effect.cells["adult"], effect.cells["child"]
    assert (adult.risk_difference.value, child.risk_difference.value) == pytest.approx((0.25, -0.3))
    assert 0.2 < adult.shrunk.value < 0.25
    assert -0.3 < child.shrunk.value < -0.2
    assert effect.q < 0.001
    cells = {(c.group, c.against): c.verdict for c in result.cells if c.category == "height"}
    assert cells["female adult", "male adult"] == cells["female child", "male child"] == "disparity"
    assert not any(set(c.stratified) & {"gender", "age"} for c in result.cells)


# ---- calibration: a short run of `make calibrate`


@pytest.mark.parametrize(
    ("name", "most_false", "least_label_false"),
    [
        ("five captions, .3", 3, 8),
        ("groups from a file, five captions, .3", 3, 8),
        ("few texts, a small group", 2, 0),
    ],
)
def test_nulls_are_seldom_flagged(name: str, most_false: int, least_label_false: int) -> None:
    design = next(design for design in DESIGNS if design.name == name)
    counted = calibrate(design, replicates=24, samples=200)
    assert counted.false <= most_false
    assert counted.label_false >= least_label_false
    assert counted.coverage >= 0.93


def test_no_power_is_lost_with_one_caption_per_image() -> None:
    design = next(design for design in DESIGNS if design.name == "planted, one caption per image")
    counted = calibrate(design, replicates=12, samples=200)
    assert counted.power >= counted.label_power - 0.05 > 0.4
    assert counted.coverage >= 0.93
