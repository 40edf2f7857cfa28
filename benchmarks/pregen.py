"""Cost of all 504 pre-gen metrics against single ones, in one run.

    python benchmarks/pregen.py [--images 5000] [--repeats 5]

Sharing the tiers should make all metrics together cost at most three times the slowest single one.
Two ways in: images that are in memory already, which leaves nothing but the metrics' own work, and an
NPZ file.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from assess.measures.pregen.compute import pregen_scores
from assess.measures.pregen.input import ImageProbabilities, read_probabilities
from assess.measures.pregen.tiers import PUBLISHED, PregenName

LIMIT = 3.0
CAPTIONS = 5
Source = Callable[[], Iterable[ImageProbabilities]]


def made_images(count: int, seed: int = 1) -> list[ImageProbabilities]:
    """Make images with five captions of about eleven words, like those of MS COCO."""
    generator = np.random.default_rng(seed)
    images = []
    for number in range(count):
        lengths = generator.integers(8, 16, size=CAPTIONS)
        probabilities = generator.beta(0.5, 1.0, size=lengths.sum())
        argmax = generator.random(probabilities.size) < probabilities
        images.append(ImageProbabilities(str(number), probabilities, argmax, lengths))
    return images


def save(images: Sequence[ImageProbabilities], path: Path) -> None:
    np.savez(
        path,
        p=np.concatenate([image.probabilities for image in images]),
        argmax=np.concatenate([image.argmax for image in images]),
        words_per_caption=np.concatenate([image.lengths for image in images]),
        captions_per_image=np.array([image.lengths.size for image in images]),
    )


def seconds(source: Source, metrics: Sequence[PregenName]) -> float:
    """Return the CPU time of one run, which other work on the machine disturbs least."""
    start = time.process_time()
    pregen_scores(source(), metrics)
    return time.process_time() - start


def slowest_singles(source: Source, count: int = 10) -> list[PregenName]:
    """Time each metric alone, twice, and return the slowest ones."""
    once = {metric: min(seconds(source, [metric]), seconds(source, [metric])) for metric in PUBLISHED}
    print(f"one by one the 504 take {sum(once.values()):.1f} s")
    return sorted(once, key=lambda metric: once[metric], reverse=True)[:count]


def ratio(title: str, source: Source, singles: Sequence[PregenName], repeats: int) -> float:
    """Time single metrics and all together by turns; print and return the ratio of the best times."""
    alone = dict.fromkeys(singles, float("inf"))
    together = float("inf")
    for _ in range(repeats):
        together = min(together, seconds(source, PUBLISHED))
        alone = {metric: min(best, seconds(source, [metric])) for metric, best in alone.items()}
    worst = max(alone, key=lambda metric: alone[metric])
    print(f"{title}: all 504 {together * 1000:.1f} ms; {worst} alone {alone[worst] * 1000:.1f} ms")
    print(f"  ratio {together / alone[worst]:.2f}")
    return together / alone[worst]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    images = made_images(options.images)
    singles = slowest_singles(lambda: images)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probabilities.npz"
        save(images, path)
        ratios = (
            ratio("in memory", lambda: images, singles, options.repeats),
            ratio("from NPZ", lambda: read_probabilities(path), singles, options.repeats),
        )
    print(f"limit {LIMIT}: {'kept' if max(ratios) <= LIMIT else 'missed'}")


if __name__ == "__main__":
    main()
