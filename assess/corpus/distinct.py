"""How many distinct ids there were, in little memory: 8 bytes an id instead of a hundred."""

from __future__ import annotations

import hashlib
from array import array

_PLAIN = 65_536  # ids that are kept as they are; below that the count is beyond any doubt


class DistinctCounter:
    """Counts distinct texts that come one by one.

    The first 65,536 are compared as they are, later ones by a hash of 64 bits, in sorted runs that merge
    like a binary counter. Of a hundred million ids, the chance that any two share a hash is 1 in 3,700.
    """

    def __init__(self) -> None:
        self._recent: set[str] = set()
        self._runs: list[array[int]] = []  # sorted, each at least twice as long as the next

    def add(self, text: str) -> None:
        """Count a text, if it is new."""
        self._recent.add(text)
        if len(self._recent) >= _PLAIN:
            self._put_away()

    def add_counter(self, other: DistinctCounter) -> None:
        """Count the texts of another counter too."""
        self._runs = sorted([*self._runs, *other._runs], key=len, reverse=True)
        self._settle()
        for text in other._recent:
            self.add(text)

    def __len__(self) -> int:
        if not self._runs:
            return len(self._recent)
        self._put_away()
        return self._distinct()

    def _distinct(self) -> int:
        """Count over all runs, a sixteenth of the hashes at a time: merging them would double the memory."""
        import numpy as np

        runs = [np.frombuffer(run, dtype=np.uint64) for run in self._runs]
        edges = np.arange(16, dtype=np.uint64) << np.uint64(60)
        places = [[*np.searchsorted(run, edges).tolist(), len(run)] for run in runs]
        total = 0
        for part in range(16):
            pieces = [run[at[part] : at[part + 1]] for run, at in zip(runs, places, strict=True)]
            total += len(np.unique(np.concatenate(pieces)))
        return total

    def _put_away(self) -> None:
        self._runs.append(array("Q", sorted(map(_hashed, self._recent))))
        self._recent = set()
        self._settle()

    def _settle(self) -> None:
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            self._merge_last()

    def _merge_last(self) -> None:
        # Here and not above: only files of many images need numpy, and it takes its time to start.
        import numpy as np

        shorter, longer = (np.frombuffer(self._runs.pop(), dtype=np.uint64) for _ in range(2))
        both = np.concatenate((longer, shorter))
        del shorter, longer
        both.sort(kind="stable")  # which takes two sorted runs as they are
        new = np.concatenate(([True], both[1:] != both[:-1]))
        merged = array("Q")
        merged.frombytes((both if new.all() else both[new]).data.cast("B"))
        self._runs.append(merged)


def _hashed(text: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )
