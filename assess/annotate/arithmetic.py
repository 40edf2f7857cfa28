"""The arithmetic of a small spaCy pipeline, bit for bit, in less time: matrix products and parser steps.

Nobody has to take on trust that the results are the same: when a model is loaded, both ways are compared, and
where they differ, or where something is not as we know it, spaCy's own way stays.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.api import NumpyOps

Rows = NDArray[np.float32]
Parse = Callable[[Sequence[Any]], None]
"""Gives docs their trees."""

# Matrix products.
#
# spaCy multiplies with BLIS. On a processor that BLIS does not know, such as a recent AMD EPYC, it falls back
# on code for any processor, which multiplies and adds in order, 256 terms at a time, and rounds after each
# operation. OpenBLAS, which comes with numpy, has a kernel that does the same operations in the same order in
# 40% of the time: the one for processors without fused multiply-add. It is not the one that numpy's OpenBLAS
# has chosen for this machine, and that must not change: fused operations round otherwise, and other results
# depend on it. So a second copy of the library is loaded, for products of our own alone.

_TERMS = 256  # that BLIS adds up before it goes on to the next ones
_FEWEST_ROWS = 8  # fewer are other code in OpenBLAS, in another order
_PROBED_ROWS = (8, 9, 31, 130)
_KERNEL = {"OPENBLAS_CORETYPE": "Sandybridge", "OPENBLAS_NUM_THREADS": "1"}
_ROW_MAJOR, _AS_IT_IS, _TRANSPOSED = 101, 111, 112
_FLOAT = np.dtype(np.float32).itemsize


def quicken_products(pipeline: Any) -> bool:
    """Let a pipeline's models multiply by another library; return False where results would not be equal."""
    nodes = [node for _, component in pipeline.pipeline for node in _nodes(component)]
    multiply = _second_library()
    if multiply is None or any(type(node.ops) is not NumpyOps for node in nodes):
        return False
    quick = QuickOps(multiply)
    if not all(map(quick.equals_blis, {weights.shape: weights for weights in _weights(nodes)}.values())):
        return False
    for node in nodes:
        node.ops = quick
    return True


class QuickOps(NumpyOps):  # type: ignore[misc]
    """thinc's operations, with another product of rows and weights."""

    def __init__(self, multiply: Callable[..., None]) -> None:
        super().__init__()
        self._multiply = multiply

    def gemm(
        self, x: Rows, y: Rows, *, out: Rows | None = None, trans1: bool = False, trans2: bool = False
    ) -> Rows:
        """Return the product of two matrices."""
        arrays = [x, y] if out is None else [x, y, out]
        known = trans2 and not trans1 and all(map(_is_plain, arrays)) and len(x) >= _FEWEST_ROWS
        if not known or not x.shape[1] == y.shape[1] > 0 or not len(y):
            plain: Rows = super().gemm(x, y, out=out, trans1=trans1, trans2=trans2)
            return plain
        (rows, terms), columns = x.shape, len(y)
        product = np.empty((rows, columns), dtype=np.float32) if out is None else out
        for start in range(0, terms, _TERMS):
            self._multiply(
                *(_ROW_MAJOR, _AS_IT_IS, _TRANSPOSED, rows, columns, min(_TERMS, terms - start)),
                *(1.0, x.ctypes.data + _FLOAT * start, terms, y.ctypes.data + _FLOAT * start, terms),
                *(1.0 if start else 0.0, product.ctypes.data, columns),
            )
        return product

    def equals_blis(self, weights: Rows) -> bool:
        """Whether products with some weights are those of thinc, down to the last bit."""
        random = np.random.default_rng(0)
        for rows in _PROBED_ROWS:
            x = random.standard_normal((rows, weights.shape[1]), dtype=np.float32)
            if not np.array_equal(self.gemm(x, weights, trans2=True), super().gemm(x, weights, trans2=True)):
                return False
        return True


def _is_plain(matrix: Rows) -> bool:
    return bool(matrix.ndim == 2 and matrix.dtype == np.float32 and matrix.flags.c_contiguous)


def _nodes(component: Any) -> list[Any]:
    return list(component.model.walk()) if getattr(component, "model", None) else []


def _weights(nodes: Sequence[Any]) -> Iterator[Rows]:
    for node in nodes:
        if node.has_param("W"):
            weights = node.get_param("W")
            yield weights.reshape(-1, weights.shape[-1])


@cache
def _second_library() -> Callable[..., None] | None:
    """Load a copy of numpy's OpenBLAS with a kernel of our choice, and return its product; None if we can't.

    The copy is in memory alone: a file that is loaded already would not be loaded again.
    """
    files = [*(Path(np.__file__).parents[1] / "numpy.libs").glob("libscipy_openblas64_*.so")]
    if len(files) != 1 or not (platform.machine() == "x86_64" and _has_avx()):
        return None
    try:
        handle = os.memfd_create("openblas")
    except (AttributeError, OSError):  # not Linux, or not allowed
        return None
    chosen = {name: os.environ.get(name) for name in _KERNEL}
    try:
        with os.fdopen(handle, "wb") as copy:
            copy.write(files[0].read_bytes())
            copy.flush()
            os.environ.update(_KERNEL)  # read once, while the library is loaded
            product = ctypes.CDLL(f"/proc/self/fd/{handle}").scipy_cblas_sgemm64_
    except (AttributeError, OSError):
        return None
    finally:
        for name, value in chosen.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    number, real, place = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
    product.restype = None
    product.argtypes = (
        *(ctypes.c_int, ctypes.c_int, ctypes.c_int, number, number, number),
        *(real, place, number, place, number, real, place, number),
    )
    found: Callable[..., None] = product
    return found


def _has_avx() -> bool:
    """Whether the processor can run the kernel: where one is named, OpenBLAS does not ask."""
    try:
        return bool(re.search(r"^flags\s*:.*\bavx\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    except (OSError, ValueError):
        return False


# The parser's steps.
#
# spaCy's parser works out what to do next for a batch of texts in compiled code that runs without Python's
# lock, and yet takes it, and lets go of it, for each of 64 numbers of each text. The functions by which it
# learns, or keeps several trees in mind, take the same steps without that, so these are used here.

_PARSED_AT_ONCE = 256


def quick_parse(parser: Any, probes: Sequence[Any]) -> Parse | None:
    """Return what parses as a parser does, in less time; None where it could not be the same.

    `probes` are docs that are ready to be parsed.
    """
    if not _is_greedy(parser):
        return None
    ours, theirs = [doc.copy() for doc in probes], [doc.copy() for doc in probes]
    _parse(parser, ours)
    parser.set_annotations(theirs, parser.predict(theirs))
    found = (
        np.array_equal(*(doc.to_array(["HEAD", "DEP", "SENT_START"]) for doc in pair))
        for pair in zip(ours, theirs, strict=True)
    )
    return partial(_parse, parser) if all(found) else None


def _is_greedy(parser: Any) -> bool:
    """Whether a parser takes one step at a time, and has learnt all of its labels."""
    model = parser.model
    known = model.name == "parser_model" and model.attrs.get("has_upper") and len(model.layers) == 3
    return bool(known and not model.attrs["unseen_classes"] and parser.cfg.get("beam_width") == 1)


def _parse(parser: Any, docs: Sequence[Any]) -> None:
    by_length = sorted((doc for doc in docs if len(doc)), key=len)
    scores = parser.model.layers[2].predict
    for start in range(0, len(by_length), _PARSED_AT_ONCE):
        batch = by_length[start : start + _PARSED_AT_ONCE]
        states = parser.moves.init_batch(batch)
        steps = parser.model.predict(batch)
        left = [state for state in states if not state.is_final()]
        while left:
            features = steps.state2vec.predict(steps.get_token_ids(left))
            left = parser.transition_states(left, scores(features))
        parser.set_annotations(batch, states)
