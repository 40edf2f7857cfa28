"""Contrasts between groups: strata, references, pooling over systems, sensitive words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.audits.highlights import delicate_highlights, warnings
from assess.errors import InputError, UsageError
from assess.grammar import Parser
from assess.grammar.groups import MIXED, NEUTRAL
from assess.measures.bias import statistics
from assess.measures.bias.compute import GroupQuestion
from assess.measures.bias.groups import (
    UNLISTED,
    ImageGroups,
    WordGroups,
    check_images,
    pairs_of,
    parse_contrast,
    read_image_groups,
)
from assess.measures.bias.labels import CategoryKey, LabelFacts, MentionTable, category_masks
from assess.measures.bias.references import Amplification
from assess.measures.bias.result import ContrastCell, GroupResult, ValueRate
from assess.measures.bias.statistics import ContrastStatistic, register_statistic
from assess.measures.bias.tables import CountTable, Tally
from assess.measures.group_settings import VerdictSettings
from assess.records import Analysis
from assess.report.text import decimals
from assess.taxonomy import Taxonomy, parse_taxonomy
from tests.audits import (
    AGE,
    FAST,
    GENDER,
    PARSER,
    analyses_of,
    audit_groups,
    make_audit,
    repeated,
    table_of,
)
from tests.properties import examples
from tests.strategies import taxonomies_with_texts

SKEWED = repeated(
    "s",
    {
        "a beautiful woman": 30,
        "a woman": 70,
        "a beautiful man": 1,
        "a man": 99,
        "a tall woman": 2,
        "a person": 20,
        "a man and a woman": 3,
    },
)


def contrast(audit: GroupResult, system: str, category: str, group: str = "female") -> ContrastCell:
    (found,) = [c for c in audit.contrasts[system] if c.category == category and c.group == group]
    return found


def test_a_contrast_counts_labels_of_both_values_and_keeps_the_neutral_ones_beside_them() -> None:
    audit = audit_groups({"s": SKEWED})["gender"]
    assert audit.labels["s"] == {"female": 102, "male": 100, "mixed": 3, "neutral": 20}
    found = contrast(audit, "s", "attractiveness")
    assert found.table == CountTable(30, 102, 1, 100)
    assert found.verdict == "disparity"
    assert found.higher == "female"
    assert found.rates["neutral"] == ValueRate(yes=0, labels=20, rate=0.0)
    assert audit.columns == ("female", "male", "mixed", "neutral")
    assert audit.told["s"].value == pytest.approx(202 / 225)


def test_the_family_is_the_categories_of_one_system_and_pair() -> None:
    few = repeated("f", {"a beautiful woman": 5, "a woman": 95, "a man": 100})
    alone = contrast(audit_groups({"few": few})["gender"], "few", "attractiveness")
    assert alone.q == alone.p
    many = [*few, *repeated("g", {f"a {word} woman": 1 for word in ("tall", "happy", "wet", "blind")})]
    crowded = audit_groups({"few": few, "many": many})["gender"]
    assert contrast(crowded, "few", "attractiveness").q == alone.q
    assert contrast(crowded, "many", "attractiveness").q > alone.q


def test_a_value_that_nobody_speaks_of_has_no_contrast() -> None:
    audit = audit_groups({"s": SKEWED}, by=("age",))["age"]
    assert "child" not in audit.labels["s"]
    assert {(c.group, c.against) for c in audit.contrasts["s"]} == set()


def test_several_groups_and_a_chosen_pair() -> None:
    captions = repeated("i", {"a tall girl": 5, "a man": 30, "an old woman": 20, "a person": 9})
    audits = audit_groups({"s": captions}, by=("gender", "age"), pairs=(("female", "neutral"),))
    assert audits["gender"].pairs == (("female", "neutral"),)
    assert audits["age"].pairs == (("child", "teenager"), ("child", "adult"), ("teenager", "adult"))
    assert contrast(audits["gender"], "s", "age").table == CountTable(20, 25, 0, 9)


def test_a_group_that_is_in_a_few_images_only_is_no_finding() -> None:
    # Five men, all in one image: every resample has all of them or none.
    women = repeated("w", {"a pretty woman": 60, "a woman": 20})
    audit = audit_groups({"s": [*women, ("m", "x", ["a man"] * 5)]})["gender"]
    found = contrast(audit, "s", "attractiveness")
    assert found.verdict == "insufficient"
    assert found.reason == "a group is in only 1 image, fewer than 5"
    assert found.bootstrap.risk_difference.excludes(0.0)
    assert found.bootstrap.defined < found.bootstrap.samples * 0.9


def test_a_group_that_many_samples_of_images_miss_is_a_caution() -> None:
    women = repeated("w", {"a pretty woman": 600, "a woman": 200})
    men = [(f"m{number}", "x", ["a man"] * 2) for number in range(5)]
    audit = audit_groups({"s": [*women, *men]}, settings=VerdictSettings(samples=2000))["gender"]
    found = contrast(audit, "s", "attractiveness")
    assert found.verdict == "disparity"
    assert 0 < 1 - found.bootstrap.defined / found.bootstrap.samples < 0.05
    assert found.cautions == ()


AMBIGUOUS = """
taxonomy: looks
version: 1.0.0
description: One word in two categories, and one in one.
heads:
  person: {description: People., words: [woman, man]}
modifiers:
  beauty: {description: Looks., evidence: inferred, sensitivity: personal, words: [fair, pretty]}
  justice: {description: Justice., evidence: inferred, sensitivity: none, words: [fair]}
groups:
  gender: {female: [woman], male: [man]}
"""


def test_readings_bound_what_was_said_from_both_sides() -> None:
    taxonomy = parse_taxonomy(AMBIGUOUS, "looks.yaml")[0]
    captions = repeated("i", {"a fair woman": 30, "a pretty woman": 10, "a woman": 60, "a man": 100})
    parser = Parser(taxonomy)
    question = GroupQuestion(parser.grammar, [WordGroups(parser.grammar, "gender")], (), FAST)
    analyses = {text: parser.analyse(text) for _, _, (text,) in captions}
    audit = question.audit({"s": table_of(captions)}, analyses, frozenset())["gender"]
    bounds = {
        found.category: (found.readings.yes[0], found.yes, found.readings.yes[1])
        for found in audit.contrasts["s"]
    }
    # The best reading uses the taxonomy's first category; "pretty" has only one reading.
    assert bounds == {"beauty": (10, 40, 40), "justice": (0, 0, 30)}
    cell = contrast(audit, "s", "beauty")
    assert (cell.yes, cell.readings.yes) == (40, (10, 40))
    assert cell.readings.rate == pytest.approx((0.1, 0.4))


@examples(40)
@given(taxonomies_with_texts(longest=5))
def test_what_is_certain_is_in_the_best_reading_and_that_in_the_union(
    drawn: tuple[Taxonomy, list[str]],
) -> None:
    taxonomy, texts = drawn
    parser = Parser(taxonomy)
    for analysis in map(parser.analyse, texts):
        masks = category_masks([analysis])
        assert set(masks["certain"]) <= set(masks["best"]) <= set(masks["union"])
        if analysis.spans == analysis.best.spans:
            assert set(masks["certain"]) == set(masks["best"])


GIRLS_AND_MEN = repeated(
    "i",
    {
        # Children are called young, adults hardly are; boys more often than girls, men more often than women.
        "a young girl": 300,
        "a girl": 100,
        "a young boy": 95,
        "a boy": 5,
        "a young woman": 1,
        "a woman": 99,
        "a young man": 40,
        "a man": 960,
    },
)


def test_a_contrast_is_stratified_by_the_other_group_and_a_reversal_is_told() -> None:
    audit = audit_groups({"s": GIRLS_AND_MEN})["gender"]
    found = contrast(audit, "s", "age")
    strata = found.stratified["age"]
    assert {name: stratum.cells for name, stratum in strata.strata.items()} == {
        "adult": CountTable(1, 100, 40, 1000).cells,
        "child": CountTable(300, 400, 95, 100).cells,
    }
    assert found.odds_ratio.low > 1
    assert strata.common.high < 1
    assert found.verdict == "reversal"
    assert found.reason.startswith(
        "the difference reverses once age is taken into account (odds ratio 11 overall"
    )
    assert "reverses" in [caution.kind for caution in found.cautions]
    assert "reverses once age is taken into account" in found.cautions[0].text
    assert any("reverses once age is taken into account" in line for line in warnings(audit.cells))


def test_head_categories_are_strata_where_they_change_the_picture() -> None:
    # Women occur in groups, and groups have numbers: within singular and plural, there is no difference.
    captions = repeated(
        "i", {"two women": 80, "women": 20, "a woman": 40, "two men": 20, "men": 5, "a man": 160}
    )
    audit = audit_groups({"s": captions})["gender"]
    found = contrast(audit, "s", "number")
    assert found.odds_ratio.low > 1
    assert found.stratified["head.plural-or-mass"].change == "vanishes"
    assert "vanishes" in [caution.kind for caution in found.cautions]


def test_strata_that_only_widen_the_interval_are_no_caution() -> None:
    captions = repeated(
        "i", {"a tall woman": 12, "a woman": 88, "a tall man": 2, "a man": 98, "a girl": 10, "a boy": 10}
    )
    found = contrast(audit_groups({"s": captions})["gender"], "s", "height")
    assert found.verdict == "disparity"
    assert found.cautions == ()


def test_a_difference_that_one_image_carries_is_no_finding() -> None:
    # One image holds all the beautiful women.
    crowd = [("crowd", " ".join(["a beautiful woman"] * 20), ["a beautiful woman"] * 20)]
    others = repeated("i", {"a woman": 60, "a man": 80})
    audit = audit_groups({"s": [*crowd, *others]}, settings=VerdictSettings(samples=500))["gender"]
    found = contrast(audit, "s", "attractiveness")
    assert found.uncorrected
    assert found.uncorrected.p < 1e-6
    assert found.design_effect > 10
    assert found.p > 0.05
    assert found.verdict == "insufficient"
    assert found.risk_difference.low <= 0 < found.risk_difference.high


def humans(beautiful_women: int, beautiful_men: int) -> list[tuple[str, str, list[str]]]:
    captions = []
    for number in range(100):
        woman = "a beautiful woman" if number < beautiful_women else "a woman"
        man = "a beautiful man" if number < beautiful_men else "a man"
        captions.append((f"w{number}", woman, [woman]))
        captions.append((f"m{number}", man, [man]))
    return captions


def test_amplification_compares_with_the_references_of_the_same_images() -> None:
    audit = audit_groups({"s": humans(30, 2), "r": humans(10, 5)}, references=("r",))["gender"]
    beside = contrast(audit, "s", "attractiveness").amplification
    assert beside is not None
    assert beside.images == 200
    assert beside.system == CountTable(30, 100, 2, 100)
    assert beside.reference == CountTable(10, 100, 5, 100)
    assert beside.group.value == pytest.approx(0.2)
    assert beside.against.value == pytest.approx(0.03)
    assert (beside.group.only_system, beside.group.only_reference) == (20, 0)
    assert (beside.against.only_system, beside.against.only_reference) == (0, 3)
    assert beside.risk_difference_change.value == pytest.approx(0.23)
    assert beside.risk_difference_change.low > 0
    assert contrast(audit, "r", "attractiveness").amplification is None


def beside_references(reference: list[tuple[str, str, list[str]]]) -> Amplification:
    audit = audit_groups({"s": humans(30, 2), "r": reference}, references=("r",))["gender"]
    found = contrast(audit, "s", "attractiveness").amplification
    assert found is not None
    return found


def test_references_are_paired_by_image_whatever_their_order() -> None:
    assert beside_references(list(reversed(humans(10, 5)))) == beside_references(humans(10, 5))


def test_five_references_make_rates_no_higher() -> None:
    once, five = beside_references(humans(10, 5)), beside_references(humans(10, 5) * 5)
    assert five.reference == CountTable(50, 500, 25, 500)
    assert five.group.value == once.group.value
    assert five.risk_difference_change == once.risk_difference_change
    assert five.group.mcnemar == once.group.mcnemar


def test_images_without_a_reference_are_left_out_of_the_comparison_only() -> None:
    half = [caption for caption in humans(10, 5) if int(caption[0][1:]) < 50]
    audit = audit_groups({"s": humans(30, 2), "r": half}, references=("r",))["gender"]
    found = contrast(audit, "s", "attractiveness")
    assert found.table.labels == 100
    assert found.amplification is not None
    assert found.amplification.images == 100


def test_references_of_other_images_are_an_error_with_both_counts() -> None:
    others = [(f"x{image}", text, labels) for image, text, labels in humans(1, 1)[:30]]
    with pytest.raises(InputError) as caught:
        audit_groups({"s": humans(3, 2), "r": others}, references=("r",))
    assert "'s' has 200 images, the references 30" in str(caught.value)


def test_systems_that_agree_are_pooled_and_those_that_do_not_are_not() -> None:
    agreeing = audit_groups({"a": humans(30, 10), "b": humans(28, 11)})["gender"].across
    (found,) = [across for across in agreeing if across.category == "attractiveness"]
    assert found.pooled is not None
    assert found.common.low > 1
    differing = audit_groups({"a": humans(40, 2), "b": humans(2, 40)})["gender"].across
    assert differing[0].pooled is None


def test_references_are_no_system_among_systems() -> None:
    audit = audit_groups({"s": humans(30, 2), "r": humans(10, 5)}, references=("r",))["gender"]
    assert audit.across == ()


def by_image(captions: Sequence[tuple[str, str, list[str]]]) -> ImageGroups:
    values = {image: "female" if image.startswith("w") else "male" for image, _, _ in captions}
    return ImageGroups("shown", "shown.csv", "0", values)


def test_an_image_tells_the_value_whatever_the_caption_says() -> None:
    captions = [*humans(30, 2), ("w0", "a man", ["a man"]), ("m0", "a person", ["a person"])]
    audit = audit_groups({"s": captions}, by=(), groupings=[by_image(captions)])["shown"]
    found = contrast(audit, "s", "attractiveness")
    assert found.table == CountTable(30, 101, 2, 101)
    assert audit.members["w0"] == "female"
    # With groups by image, nouns are tested too: who is called a person?
    general = contrast(audit, "s", "general")
    assert (general.name, general.table) == ("head.general", CountTable(0, 101, 1, 101))
    assert general.stratified == {}


def test_delicate_categories_are_named_with_the_words_that_are_said() -> None:
    captions = repeated("i", {"an asian woman": 4, "a caucasian man": 1, "a tall man": 9})
    audit = make_audit({"s": captions, "r": repeated("i", {"an asian man": 2})}, references=("r",))
    marked = {item.category: item for item in audit.markedness}
    assert "height" not in marked
    ethnicity = marked["ethnicity"]
    assert (ethnicity.evidence, ethnicity.sensitivity) == ("inferred", "protected")
    assert ethnicity.labels == {"s": 5, "r": 2}
    assert list(ethnicity.words["s"].items()) == [("asian", 4), ("caucasian", 1)]
    assert "hispanic" in ethnicity.never
    assert "asian" not in ethnicity.never
    assert delicate_highlights(audit.markedness, ["s"]) == [
        "Mentioned although protected and not visible in an image: ethnicity (5 labels)"
    ]


@pytest.mark.parametrize("parts", [{"alpha": 0}, {"alpha": 1}, {"samples": 0}, {"alpha": math.nan}])
def test_rules_that_make_no_sense_are_refused(parts: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        VerdictSettings(**parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "message"), [("relative_risk", "already"), ("odds_ratio", "already"), ("a b", "cannot be")]
)
def test_a_statistic_needs_a_key_of_its_own(key: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = ContrastStatistic(
        key="relative_risk", heading="", form=decimals(3), compute=lambda _: None, formula=""
    )
    monkeypatch.setattr(statistics, "STATISTICS", {"relative_risk": known})
    with pytest.raises(UsageError, match=message):
        register_statistic(replace(known, key=key))


def test_a_system_without_labels_has_no_contrasts_and_no_rates() -> None:
    audit = audit_groups({"s": [("1", "a red car", [])], "t": SKEWED})["gender"]
    assert audit.contrasts["s"] == []
    assert math.isnan(audit.told["s"].value)


# ---- whom labels are about


@pytest.mark.parametrize(
    ("text", "gender", "age"),
    [
        ("a tall woman", "female", "adult"),
        ("two boys", "male", "child"),
        ("a man and a woman", MIXED, "adult"),
        ("a person", NEUTRAL, NEUTRAL),
        ("a large crowd", NEUTRAL, NEUTRAL),
        ("a teenager", NEUTRAL, "teenager"),
        ("the policeman", "male", NEUTRAL),
    ],
)
def test_the_head_tells_the_value(text: str, gender: str, age: str) -> None:
    analysis = PARSER.analyse(text)
    assert GENDER.value(analysis) == gender
    assert AGE.value(analysis) == age


def test_a_label_that_cannot_be_read_still_tells_by_its_last_word() -> None:
    unread = Analysis("a blorpy of of woman", in_domain=True, why="no-rule")
    assert GENDER.value(unread) == "female"
    assert GENDER.value(Analysis("a blorp", in_domain=True)) == NEUTRAL


def test_too_many_values_must_be_named() -> None:
    many = ImageGroups("place", "f.csv", "", {str(number): f"v{number}" for number in range(9)})
    with pytest.raises(UsageError, match="9 values, which gives too many pairs"):
        pairs_of(many)
    assert pairs_of(many, (("v1", "v2"),)) == [("v1", "v2")]


@pytest.mark.parametrize("text", ["female", "female,", "a,b,c", "a,a", ""])
def test_a_contrast_is_two_values(text: str) -> None:
    with pytest.raises(UsageError, match="as in female,male"):
        parse_contrast(text)
    assert parse_contrast(" female , male") == ("female", "male")


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.csv", "image_id,group\n1,female\n2,male\n3,unclear\n"),
        ("g.tsv", "image_id\tgroup\n1\tfemale\n2\tmale\n3\tunclear\n"),
        (
            "g.jsonl",
            '{"image_id": 1, "group": "female"}\n{"image_id": "2", "group": "male"}\n'
            '{"image_id": 3, "group": "unclear"}\n',
        ),
    ],
)
def test_groups_are_read_from_common_tables(tmp_path: Path, name: str, text: str) -> None:
    groups = read_image_groups(f"who={write(tmp_path / name, text)}")
    assert groups.name == "who"
    assert groups.by_image == {"1": "female", "2": "male", "3": "unclear"}
    assert groups.values == ("female", "male")
    assert groups.value(None, "1") == "female"
    assert groups.value(None, "9") == UNLISTED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("image_id,value\n1,a\n", ["no field 'group'", "fields image_id and group"]),
        ("image_id,group\n1,a\n1,b\n", ["g.csv: record 2", "'1' has two groups: a and b"]),
        ("image_id,group\n1,a\n2,\n", ["g.csv: record 2", "'2' has no group"]),
        ("image_id,group\n", ["no images"]),
        ("", ["empty"]),
    ],
)
def test_mistakes_in_a_groups_file_are_placed(tmp_path: Path, text: str, expected: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_image_groups(write(tmp_path / "g.csv", text))
    for part in expected:
        assert part in str(caught.value)


def test_images_without_a_group_are_an_error_that_names_both_files_and_counts() -> None:
    groups = ImageGroups("who", "g.csv", "", {"1": "a", "2": "b"})
    assert check_images(groups, {"1", "2"}, file="c.json") is None
    with pytest.raises(InputError) as caught:
        check_images(groups, ["1", "2", "3", "4"], file="c.json")
    assert "2 of the 4 images of 'c.json' are not among the 2 images of 'g.csv': '3', '4'" in str(
        caught.value
    )
    assert "--partial" in str(caught.value)
    note = check_images(groups, ["1", "2", "3", "4"], file="c.json", partial=True)
    assert note is not None
    assert "2 of the 4 images" in note


def test_ids_of_another_kind_are_shown_beside_each_other() -> None:
    groups = ImageGroups("who", "g.csv", "", {"COCO_1.jpg": "a"})
    with pytest.raises(InputError, match="no image id is in both files") as caught:
        check_images(groups, ["1", "2"], file="c.json", partial=True)
    assert "'1' here and 'COCO_1.jpg' there" in str(caught.value)


# ---- the table of labels, and the arrays made from it


LABELS = ("a tall man", "an old woman", "a person", "two happy girls", "a woman")
CAPTION = st.tuples(
    st.sampled_from(("1", "2", "3", "4")), st.just(""), st.lists(st.sampled_from(LABELS), max_size=3)
)
CAPTIONS = st.lists(CAPTION, max_size=12)


def rows(table: MentionTable) -> list[tuple[str, int, str]]:
    image, caption, text = (column.tolist() for column in table.columns)
    return [(table.images[i], c, table.texts[t]) for i, c, t in zip(image, caption, text, strict=True)]


@given(captions=CAPTIONS, cut=st.integers(0, 12))
def test_tables_of_two_parts_add_up_to_the_whole(
    captions: list[tuple[str, str, list[str]]], cut: int
) -> None:
    whole, first = table_of(captions), table_of(captions[:cut])
    first.add_table(table_of(captions[cut:]))
    assert rows(first) == rows(whole)
    assert first.images == whole.images
    assert first.draw(seed=3).tolist() == whole.draw(seed=3).tolist()


def test_a_draw_depends_on_the_seed_and_the_image_only() -> None:
    many = [(str(image), "", ["a man"]) for image in range(300) for _ in range(5)]
    drawn = table_of(many).draw(seed=0)
    assert set(drawn.tolist()) == {0, 1, 2, 3, 4}
    assert np.array_equal(table_of(many[:500]).draw(seed=0), drawn[:100])
    assert not np.array_equal(table_of(many).draw(seed=1), drawn)
    # Each of five captions is drawn about as often.
    assert all(35 <= count <= 85 for count in np.bincount(drawn))


def test_the_hash_of_images_tells_sets_apart_and_not_orders() -> None:
    one, other = (table_of([(image, "", []) for image in order]) for order in ("12", "21"))
    assert one.images_digest == other.images_digest
    assert one.images_digest != table_of([("1", "", [])]).images_digest


@given(captions=CAPTIONS)
def test_tables_over_codes_are_plain_counts(captions: list[tuple[str, str, list[str]]]) -> None:
    labels = LabelFacts(analyses_of(captions), [GENDER]).arrays(table_of(captions))
    said = [label for _, _, found in captions for label in found]
    expected = CountTable(
        said.count("an old woman"),
        sum("woman" in label or "girls" in label for label in said),
        0,
        said.count("a tall man"),
    )
    assert labels.table("gender", ("modifier", "age"), ("female", "male")) == expected
    assert labels.tallies("gender", ("modifier", "age")).get("neutral", Tally(0, 0)).total == said.count(
        "a person"
    )


@given(captions=CAPTIONS)
def test_tallies_by_image_add_up_to_the_table(captions: list[tuple[str, str, list[str]]]) -> None:
    labels = LabelFacts(analyses_of(captions), [GENDER]).arrays(table_of(captions))
    key: CategoryKey = ("modifier", "age")
    table = labels.table("gender", key, ("female", "male"))
    summed = labels.image_tallies("gender", key, ("female", "male")).sum(axis=0)
    assert summed.tolist() == [[table.yes, table.labels], [table.other_yes, table.other_labels]]
    order = sorted(labels.images)
    again = labels.on_images(order)
    assert again.table("gender", key, ("female", "male")) == table
    assert again.on_images(()).table("gender", key, ("female", "male")) == CountTable(0, 0, 0, 0)
