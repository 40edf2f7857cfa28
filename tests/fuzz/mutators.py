"""Mistakes in valid inputs: of bytes, of lines and cells, and of the values of JSON and YAML."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

Mutator = Callable[[Random, bytes], bytes]

NASTY: tuple[Any, ...] = (
    *(None, True, -1, 0, 1e308, 10**400, 2**63, float("inf"), float("nan")),
    *("", "²", "x" * 140_000, "\ud800", "\x1b[31m\u202e", "1e999", "-"),
    *([], {}, [[]], [None, 1, "a"], {"": {}}),
)
"""Values where others belong."""
_CELLS = ("", "²", "1e999", "-5", "9" * 400, "x" * 140_000, '"', "a,b", "nan", "'", "\x00", "=1+1", "\ufeff")
_PIECES = (
    *(b"\x00", b"\xff\xfe", b"\r", b"\n\n", b'"', b"{", b"]"),
    *(b"\xef\xbb\xbf", b"\xed\xa0\x80", b"1e999", b"\xc2\xb2"),
)


# Of bytes.


def flip_a_bit(random: Random, data: bytes) -> bytes:
    """Turn one bit over."""
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def _stretch(random: Random, data: bytes) -> tuple[int, int]:
    start = random.randrange(len(data) + 1)
    return start, min(len(data), start + random.choice((1, 4, 40, 400)))


def drop_a_stretch(random: Random, data: bytes) -> bytes:
    """Leave some bytes out."""
    start, end = _stretch(random, data)
    return data[:start] + data[end:]


def double_a_stretch(random: Random, data: bytes) -> bytes:
    """Write some bytes twice."""
    start, end = _stretch(random, data)
    return data[:end] + data[start:]


def insert_a_piece(random: Random, data: bytes) -> bytes:
    """Put something foreign somewhere."""
    place = random.randrange(len(data) + 1)
    return data[:place] + random.choice(_PIECES) + data[place:]


def cut_off(random: Random, data: bytes) -> bytes:
    """End too early."""
    return data[: random.randrange(len(data) + 1)]


def end_lines_otherwise(random: Random, data: bytes) -> bytes:
    """End lines as other machines do."""
    return data.replace(b"\n", random.choice((b"\r", b"\r\n", b"\n\r", b"\x0b")))


def pack(random: Random, data: bytes) -> bytes:
    """Pack the file, whole or damaged."""
    packed = gzip.compress(data, mtime=0)
    return random.choice((lambda _, found: found, flip_a_bit, cut_off))(random, packed)


BYTES: tuple[Mutator, ...] = (flip_a_bit, drop_a_stretch, double_a_stretch, insert_a_piece, cut_off)


# Of text.


def change_a_cell(random: Random, data: bytes) -> bytes:
    """Write something else into a cell of a table."""
    lines = data.decode("utf-8", "replace").split("\n")
    row = random.randrange(len(lines))
    delimiter = "\t" if "\t" in lines[0] else ","
    cells = lines[row].split(delimiter)
    change = random.randrange(4)
    if change == 0:
        cells.pop(random.randrange(len(cells)))
    elif change == 1:
        cells.insert(random.randrange(len(cells) + 1), random.choice(cells))
    else:
        cells[random.randrange(len(cells))] = random.choice(_CELLS)
    lines[row] = delimiter.join(cells)
    return "\n".join(lines).encode("utf-8", "replace")


def shuffle_lines(random: Random, data: bytes) -> bytes:
    """Put two lines into each other's place, or write one again."""
    lines = data.split(b"\n")
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first if random.random() < 0.5 else second]
    return b"\n".join(lines)


def change_a_scalar(random: Random, data: bytes) -> bytes:
    """Write another value behind a colon, or another item into a list, as YAML has them."""
    text = data.decode("utf-8", "replace")
    found = list(
        re.finditer(r"(?<=: )[^\n\[{]+|(?<=[\[,] )[^\n,\]]+|(?<=- )[^\n]+|^ *[\w-]+(?=:)", text, re.M)
    )
    if not found:
        return data
    chosen = random.choice(found)
    value = random.choice(
        ("", "~", "true", "[]", "{}", "²", "1e999", "-1", "'x", "[[[", "{a: [b]}", "x y", "*a")
    )
    return (text[: chosen.start()] + value + text[chosen.end() :]).encode("utf-8", "replace")


TABLES: tuple[Mutator, ...] = (*BYTES, change_a_cell, change_a_cell, shuffle_lines, end_lines_otherwise, pack)
PLAIN: tuple[Mutator, ...] = (*BYTES, shuffle_lines, end_lines_otherwise, pack)
YAML: tuple[Mutator, ...] = (*BYTES, *[change_a_scalar] * 5, shuffle_lines, end_lines_otherwise)


# Of values.


def change_a_value(random: Random, data: bytes) -> bytes:
    """Put something else in the place of a value of a JSON document, or of one of its lines."""
    text = data.decode("utf-8", "replace")
    try:
        return _written(_changed(random, json.loads(text)))
    except (ValueError, RecursionError):
        lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return data
    place = random.randrange(len(lines))
    try:
        lines[place] = _written(_changed(random, json.loads(lines[place]))).decode("utf-8", "replace")
    except (ValueError, RecursionError):
        return flip_a_bit(random, data)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _written(value: Any) -> bytes:
    return json.dumps(value).encode("ascii")


def _changed(random: Random, value: Any) -> Any:
    """Return a value with one change, somewhere in it."""
    way: list[tuple[Any, Any]] = []
    here = value
    while isinstance(here, dict | list) and here and random.random() < 0.95:
        key = random.choice(list(here)) if isinstance(here, dict) else random.randrange(len(here))
        way.append((here, key))
        here = here[key]
    if not way:
        return _nasty(random)
    holder, key = way[-1]
    change = random.randrange(6)
    if change == 0 and isinstance(holder, dict):
        del holder[key]
    elif change == 1 and isinstance(holder, dict):
        holder[random.choice(("", "x", "name", str(key) + " "))] = holder.pop(key)
    elif change == 1:
        holder.insert(key, here)
    else:
        holder[key] = _nasty(random)
    return value


def _nasty(random: Random) -> Any:
    if random.random() < 0.03:
        deep: Any = 0
        for _ in range(900):  # what Python itself can write
            deep = [deep]
        return deep
    return random.choice(NASTY)


def nest_deeply(random: Random, data: bytes) -> bytes:
    """Put brackets around a place, thousands of them."""
    place = random.randrange(len(data) + 1)
    many = random.choice((100, 2_000, 100_000))
    opening, closing = random.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return data[:place] + opening * many + b"1" + closing * many + data[place:]


JSON: tuple[Mutator, ...] = (*BYTES, *[change_a_value] * 8, nest_deeply, end_lines_otherwise, pack)
SAVED: tuple[Mutator, ...] = (*BYTES, *[change_a_value] * 12, nest_deeply)


# Of archives.


def change_a_member(random: Random, data: bytes) -> bytes:
    """Turn a flag of a zip archive over: packed in an unknown way, encrypted, of another size."""
    places = [match.start() for match in re.finditer(b"PK\x01\x02|PK\x03\x04", data)]
    if not places:
        return flip_a_bit(random, data)
    place = random.choice(places)
    central = data[place : place + 4] == b"PK\x01\x02"
    flags, method = (8, 10) if central else (6, 8)
    where = place + random.choice((flags, method, method + 2, method + 8, method + 12))
    return data[:where] + bytes([random.choice((0, 1, 8, 99, 255))]) + data[where + 1 :]


ARCHIVES: tuple[Mutator, ...] = (*[flip_a_bit] * 4, *[change_a_member] * 4, drop_a_stretch, cut_off)


# Of grammars, and of what the cache keeps.


def change_a_token(random: Random, data: bytes) -> bytes:
    """Put another token of the file, or a foreign one, in the place of a token."""
    tokens = re.findall(rb"\w+|\s+|[^\w\s]", data)
    if not tokens:
        return data
    foreign = (
        b"",
        b'"',
        b"/(a+)+$/",
        b"/[/",
        b"%import common.WORD",
        b"%ignore",
        b"~ 1..99999999",
        b"{",
        b"->",
        b"|",
        b"*",
    )
    tokens[random.randrange(len(tokens))] = random.choice((random.choice(tokens), random.choice(foreign)))
    return b"".join(tokens)


def signed_anew(random: Random, data: bytes) -> bytes:
    """Change what a file of the cache holds, and let its checksum be right."""
    mark, _, rest = data.partition(b"\n")
    content = random.choice((change_a_value, change_a_value, flip_a_bit, nest_deeply))(random, rest[32:])
    return mark + b"\n" + hashlib.sha256(content).digest() + content


GRAMMAR: tuple[Mutator, ...] = (*BYTES, *[change_a_token] * 8, shuffle_lines, end_lines_otherwise)
KEPT: tuple[Mutator, ...] = (*[signed_anew] * 8, flip_a_bit, cut_off)


# Captions of models that repeat themselves, and of people who try things.

_PIECES_OF_CAPTIONS = (
    "tall and ", "hats, ", "of a picture ", "a man with a hat and ", "word", "\"", "(", "((a man)) ", "[",
    "‘a “b” c’ ", ", ", "a", "🙂", "👩\u200d👩\u200d👧 ", "رجل ", "\u200b", "\u202e", "A MAN ",
    "who says that ", "not ", "- ", "'s ", "the ", "man's ", "... ", ". ", "\n", "\t", "very ",
    "a man and a woman ", "1,", "/", "<b>", "&amp;", "\u0301", "ﷺ", "\x00",
)  # fmt: skip


def looping_captions(random: Random) -> bytes:
    """Return captions in which some pieces are written again and again."""
    captions = []
    for _ in range(random.randint(1, 3)):
        pieces = [random.choice(_PIECES_OF_CAPTIONS) for _ in range(random.randint(1, 3))]
        times = random.choice((10, 100, 290, 1_000, 3_000))
        start = random.choice(("a man is ", "a picture ", "", "two women in "))
        captions.append(start + ("".join(pieces) * times)[: random.choice((1_400, 50_000))])
    return json.dumps([{"image_id": n, "caption": text} for n, text in enumerate(captions)]).encode()
