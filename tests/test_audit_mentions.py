"""The table of labels by image, and the codes made from it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assess.measures.bias.labels import CategoryKey, MentionTable, label_arrays
from assess.measures.bias.tables import CountTable, Tally
from tests.audits import GENDER, analyses_of, table_of

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


def test_captions_of_an_image_are_numbered_wherever_they_stand() -> None:
    table = table_of([("7", "", ["a man"]), ("8", "", []), ("7", "", []), ("7", "", ["a boy", "a girl"])])
    assert rows(table) == [("7", 0, "a man"), ("7", 2, "a boy"), ("7", 2, "a girl")]
    assert table.images == ("7", "8")


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
    labels = label_arrays(table_of(captions), analyses_of(captions), [GENDER])
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
    labels = label_arrays(table_of(captions), analyses_of(captions), [GENDER])
    key: CategoryKey = ("modifier", "age")
    table = labels.table("gender", key, ("female", "male"))
    summed = labels.image_tallies("gender", key, ("female", "male")).sum(axis=0)
    assert summed.tolist() == [[table.yes, table.labels], [table.other_yes, table.other_labels]]
    order = sorted(labels.images)
    again = labels.on_images(order)
    assert again.table("gender", key, ("female", "male")) == table
    assert again.on_images(()).table("gender", key, ("female", "male")) == CountTable(0, 0, 0, 0)
