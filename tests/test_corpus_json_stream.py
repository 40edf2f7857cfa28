"""JSON that is read in pieces gives the same values as the standard library."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.corpus.json_input import JsonStream, decode_value
from assess.errors import InputError

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=8,
)
arrays = st.lists(values, max_size=6)


def cut(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def stream_of(text: str, size: int) -> JsonStream:
    return JsonStream(cut(text, size), file="x.json")


@given(arrays, st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_an_array_in_any_pieces_gives_its_elements(
    elements: list[object], size: int, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(elements, indent=indent, ensure_ascii=ascii_only)
    stream = stream_of(text, size)
    items = list(stream.items())
    stream.finish()
    assert [item.value for item in items] == elements
    assert [item.number for item in items] == list(range(1, len(elements) + 1))
    assert [json.loads(item.raw) for item in items] == elements


@given(st.dictionaries(st.text(), values), st.integers(1, 40))
def test_an_object_in_any_pieces_gives_its_members(members: dict[str, object], size: int) -> None:
    stream = stream_of(json.dumps(members), size)
    assert {key: stream.item().value for key in stream.members()} == members
    stream.finish()


@given(arrays, st.integers(1, 40), st.sampled_from([None, 1]))
def test_places_of_elements_do_not_depend_on_the_pieces(
    elements: list[object], size: int, indent: int | None
) -> None:
    text = json.dumps(elements, indent=indent, ensure_ascii=False)
    lines = text.split("\n")
    for item in stream_of(text, size).items():
        place = item.place()
        assert place.line is not None
        assert place.column is not None
        first_line_of_item = item.raw.split("\n")[0]
        assert lines[place.line - 1][place.column - 1 :].startswith(first_line_of_item)


@given(values, values, st.integers(1, 40))
def test_skipping_a_value_leads_to_the_next(skipped: object, kept: object, size: int) -> None:
    stream = stream_of(json.dumps({"skipped": skipped, "kept": kept}), size)
    read = {}
    for key in stream.members():
        if key == "skipped":
            stream.skip()
        else:
            read[key] = stream.item().value
    stream.finish()
    assert read == {"kept": kept}


@given(arrays.filter(bool), st.data())
def test_an_array_cut_anywhere_is_an_error_and_never_a_wrong_value(
    elements: list[object], data: st.DataObject
) -> None:
    text = json.dumps(elements)
    end = data.draw(st.integers(1, len(text) - 1))
    size = data.draw(st.integers(1, 40))
    stream = stream_of(text[:end], size)
    read: list[object] = []
    with pytest.raises(InputError, match="not valid JSON"):
        read.extend(item.value for item in stream.items())
    # Only a number may be read shorter than it was, and then the missing bracket is reported.
    whole = read[:-1] if read and isinstance(read[-1], int | float) else read
    assert whole == elements[: len(whole)]


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize(
    "text",
    [
        "[12345678901234567890]",
        "[-1.5e+10, 1.0]",
        '["\\ud83d\\ude00"]',
        "[true, false, null]",
        '["a\\\\", "\\""]',
    ],
)
def test_what_a_cut_makes_ambiguous_is_read_whole(text: str, size: int) -> None:
    assert [item.value for item in stream_of(text, size).items()] == json.loads(text)


@given(arrays.filter(bool), st.data())
def test_the_place_of_a_mistake_does_not_depend_on_the_pieces(
    elements: list[object], data: st.DataObject
) -> None:
    text = json.dumps(elements, indent=1)
    offset = data.draw(st.integers(1, len(text) - 1))
    broken = text[:offset] + data.draw(st.sampled_from(["?", ",", "]", "}", ":", '"'])) + text[offset:]

    def outcome(size: int) -> object:
        stream = stream_of(broken, size)
        try:
            read = [item.value for item in stream.items()]
            stream.finish()
        except InputError as error:
            place = error.problems[0].place
            assert place is not None
            return error.problems[0].message, place.line, place.column, place.record
        return read

    assert outcome(data.draw(st.integers(1, 40))) == outcome(1 << 20)


def test_a_mistake_is_reported_without_reading_the_rest() -> None:
    asked = 0

    def chunks() -> Iterator[str]:
        nonlocal asked
        yield '[{"image_id": 1, "caption": oops}, '
        for _ in range(1000):
            asked += 1
            yield '{"image_id": 1, "caption": "a cat"}, '

    with pytest.raises(InputError, match="expecting value"):
        list(JsonStream(chunks(), file="x.json").items())
    assert asked < 5


def test_one_huge_element_in_small_pieces_costs_linear_work(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = 0

    def counting(text: str, offset: int) -> tuple[object, int]:
        nonlocal decoded
        decoded += len(text) - offset
        return decode_value(text, offset)

    monkeypatch.setattr("assess.corpus.json_input.decode_value", counting)
    huge = "x" * (1 << 20)
    (item,) = stream_of(json.dumps([huge]), 1 << 10).items()
    assert item.value == huge
    # Each attempt has at least twice the text of the one before, so all together have at most twice
    # the last one's, which has at most twice the element. Re-reading per piece would be 500 times.
    assert decoded < 4 * len(huge)
