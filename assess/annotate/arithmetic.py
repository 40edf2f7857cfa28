"""The arithmetic of a small spaCy pipeline, bit for bit but faster: matrix products and parser steps.

Equality is verified: when a model is loaded, the results of both methods are compared. If they differ, or if
something is not as expected, spaCy's own method is used.
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
"""Adds trees to docs."""

# Matrix products.
#
# spaCy multiplies with BLIS. On a processor unknown to BLIS, such as a recent AMD EPYC, it falls back to
# generic code, which multiplies and adds in order, 256 terms at a time, and rounds after each operation.
# OpenBLAS, which comes with numpy, has a kernel that does the same operations in the same order in 40% of the
# time: the one for processors without fused multiply-add. Numpy's OpenBLAS has selected another kernel for
# this machine, and that must not change: fused operations round differently, and other results depend on
# them. So a second copy of the library is loaded only for our own products.

STOCK = "ASSESS_STOCK_PRODUCTS"
"""An environment variable for users who do not want a second copy of a library in memory."""
_TERMS = 256  # number of terms that BLIS adds before it continues with the next ones
_FEWEST_ROWS = 8  # OpenBLAS uses other code, in another order, for fewer rows
_PROBED_ROWS = (8, 9, 31, 130)
_KERNEL = {"OPENBLAS_CORETYPE": "Sandybridge", "OPENBLAS_NUM_THREADS": "1"}
_ROW_MAJOR, _AS_IT_IS, _TRANSPOSED = 101, 111, 112
_FLOAT = np.dtype(np.float32).itemsize


def quicken_products(pipeline: Any) -> bool:
    """Let a pipeline's models use another library for products; False if results would not be equal."""
    if os.environ.get(STOCK):
        return False
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
        """Whether products with these weights equal thinc's, down to the last bit."""
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
    """Load a copy of numpy's OpenBLAS with a selected kernel, and return its product; None if that fails.

    The copy is in memory only: a file that is already loaded would not be loaded again.
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
    """Whether the processor supports the kernel: OpenBLAS does not check a kernel that is named."""
    try:
        return bool(re.search(r"^flags\s*:.*\bavx\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    except (OSError, ValueError):
        return False


# The parser's steps.
#
# spaCy's parser determines the next steps for a batch of texts in compiled code that runs without Python's
# lock, but it acquires and releases the lock for each of 64 numbers of each text. The functions for training
# and for beam search take the same steps without doing so, and are used here.

_PARSED_AT_ONCE = 256


def quick_parse(parser: Any, probes: Sequence[Any]) -> Parse | None:
    """Return a faster parse function with the same results; None if that is impossible.

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
    """Whether a parser takes one step at a time, and has no labels to add."""
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
