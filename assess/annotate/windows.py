"""Compute each distinct window of words once: the model's vectors, bit for bit, in less time.

The first component of a small spaCy pipeline turns each word into a vector and then mixes it, four
times over, with its two neighbours. Captions repeat themselves ("a man riding a"), so in a batch
most words and many windows of three, five or seven words occur again and again. Here each layer
runs on the distinct windows only, and the results are handed out to all places where they occur.

Equal input rows give equal output rows in the layers concerned, down to the last bit, because
spaCy's matrix product treats rows independently. Nobody has to take this on trust:
`share_windows` compares both ways when a model is loaded and changes nothing unless they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]

PROBES = (
    "A man riding a wave on top of a surfboard.",
    "A man riding a horse on top of a hill.",
    "two DOGS and 3 cats aren't  sitting on a couch",
    "",
    "Someone's 90-year-old mother-in-law (left) holds a \U0001f382 at 5 p.m.",
    "A man",
)


def share_windows(pipeline: Any) -> bool:
    """Make a pipeline's tok2vec compute distinct windows once; return False where that cannot be."""
    if "tok2vec" not in pipeline.pipe_names:
        return False
    component = pipeline.get_pipe("tok2vec")
    if not _understood(component.model):
        return False
    width = {"nO": component.model.get_dim("nO")}
    shared: Model[Any, Any] = Model("distinct_windows", _forward, layers=[component.model], dims=width)
    docs = [pipeline.make_doc(text) for text in PROBES]
    if not _same(component.model.predict(docs), shared.predict(docs)):
        return False
    component.model = shared
    return True


def _same(first: Sequence[Rows], second: Sequence[Rows]) -> bool:
    return len(first) == len(second) and all(map(np.array_equal, first, second))


def _understood(model: Any) -> bool:
    """Return whether this is word features, then windows of three words with enough padding."""
    if len(model.layers) != 2:
        return False
    embed, encode = model.layers
    if not embed.layers or embed.layers[0].name != "extract_features":
        return False
    if not encode.layers or "pad" not in encode.attrs:
        return False
    layers = encode.layers[0].layers
    return encode.attrs["pad"] >= len(layers) and all(_is_window_of_three(layer) for layer in layers)


def _is_window_of_three(residual: Any) -> bool:
    if not residual.name.startswith("residual(") or len(residual.layers[0].layers) != 2:
        return False
    window = residual.layers[0].layers[0]
    return bool(window.name == "expand_window" and window.attrs["window_size"] == 1)


def _forward(model: Any, docs: Sequence[Any], is_train: bool) -> tuple[list[Rows], Any]:
    if is_train:
        raise NotImplementedError("shared windows have no gradients")
    embed, encode = model.layers[0].layers
    features = embed.layers[0].predict(docs)
    ids, distinct = _distinct_features(np.concatenate(features))
    vectors: Any = [distinct]
    for layer in embed.layers[1:]:
        vectors = layer.predict(vectors)
    lengths = [len(rows) for rows in features]
    places, padded = _pad(ids, lengths, encode.attrs["pad"])
    rows = np.concatenate([np.zeros_like(vectors[0][:1]), vectors[0]])
    layers = encode.layers[0].layers
    for layers_left, residual in zip(reversed(range(len(layers))), layers, strict=True):
        wanted = _within(places, layers_left, len(padded))
        padded, rows = _mix(padded, rows, wanted, residual.layers[0].layers[1])
    return _split(rows[padded[places]], lengths), None


def _distinct_features(features: NDArray[np.uint64]) -> tuple[Ids, NDArray[np.uint64]]:
    """Return the number of each row among the distinct rows, and the distinct rows."""
    width = features.shape[1]
    content, step = features.tobytes(), width * features.itemsize
    seen: dict[bytes, int] = {}
    ids = [seen.setdefault(content[at : at + step], len(seen)) for at in range(0, len(content), step)]
    return np.array(ids, dtype=np.int64), np.frombuffer(b"".join(seen), features.dtype).reshape(-1, width)


def _pad(ids: Ids, lengths: Sequence[int], pad: int) -> tuple[Ids, Ids]:
    """Return where each word goes, and the sequence with `pad` blanks (number 0) around each text."""
    text = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(ids)) + (text + 1) * pad
    padded = np.zeros(len(ids) + (len(lengths) + 1) * pad, dtype=np.int64)
    padded[places] = ids + 1
    return places, padded


def _within(places: Ids, reach: int, length: int) -> Ids:
    """Return the places at most `reach` away from a word: no other can still influence one."""
    wanted = np.zeros(length, dtype=np.bool_)
    for distance in range(-reach, reach + 1):
        wanted[places + distance] = True
    return np.flatnonzero(wanted)


def _mix(ids: Ids, rows: Rows, wanted: Ids, layer: Any) -> tuple[Ids, Rows]:
    """Apply one layer to each distinct window of three; return the new numbers and their rows."""
    left, centre, right = ids[wanted - 1], ids[wanted], ids[wanted + 1]
    keys = (left * len(rows) + centre) * len(rows) + right
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    middle = rows[centre[first]]
    window = np.concatenate([rows[left[first]], middle, rows[right[first]]], axis=1)
    mixed = np.zeros_like(ids)
    mixed[wanted] = numbers
    return mixed, middle + layer.predict(window)


def _split(rows: Rows, lengths: Sequence[int]) -> list[Rows]:
    ends = np.cumsum(lengths)
    return [rows[end - length : end] for end, length in zip(ends, lengths, strict=True)]
