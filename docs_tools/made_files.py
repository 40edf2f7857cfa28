"""Small artificial files for the commands on pages, in the formats that the pages describe."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from assess.corpus import CaptionReader, parse_source

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "captions"
_WORDS = 6  # of a made caption
_BOXES = 6  # of a made image


def example_as(folder: Path, **names: str) -> None:
    """Put files of the bundled example into a folder under other names, in the format of the name."""
    for source, target in names.items():
        place = folder / target
        place.parent.mkdir(parents=True, exist_ok=True)
        file = next(EXAMPLE.glob(f"{source}.*"))
        if file.suffix == place.suffix:
            shutil.copyfile(file, place)
        else:
            place.write_text(_rewritten(file, place.suffix), encoding="utf-8")


def _rewritten(file: Path, suffix: str) -> str:
    captions = list(CaptionReader(parse_source(str(file))))
    if suffix == ".txt":
        return "".join(f"{caption.text}\n" for caption in captions)
    return json.dumps([{"image_id": caption.image, "caption": caption.text} for caption in captions])


def clone(folder: Path) -> None:
    """Make a folder look like a clone of the repository, as far as captions go."""
    shutil.copytree(EXAMPLE, folder / "examples" / "captions")


_REFERENCE = ("a", "tall", "young", "man", "on", "a", "horse", "<end>")


def probabilities(folder: Path) -> None:
    """Write word probabilities of two captions for each image of the example, as JSONL and NPZ."""
    random = np.random.default_rng(3)
    with (EXAMPLE / "attributes.csv").open(encoding="utf-8") as file:
        images = [row["image_id"] for row in csv.DictReader(file)]
    p = random.uniform(0.01, 0.99, size=(len(images), 2, _WORDS)).round(4)
    rank = (p < 0.4).astype(int) * random.integers(1, 50, size=p.shape)
    records = [
        {
            "image_id": image,
            "captions": [
                [
                    {
                        "p": float(p[n, c, w]),
                        "rank": int(rank[n, c, w]),
                        "word": _REFERENCE[w % len(_REFERENCE)],
                    }
                    for w in range(_WORDS)
                ]
                for c in range(2)
            ],
        }
        for n, image in enumerate(images)
    ]
    _write_lines(folder / "probabilities.jsonl", records)
    np.savez(
        folder / "probabilities.npz",
        p=p.ravel(),
        rank=rank.ravel(),
        words_per_caption=np.full(2 * len(images), _WORDS),
        captions_per_image=np.full(len(images), 2),
        image_ids=np.array(images),
    )


def score_table(folder: Path) -> None:
    """Write a table of scores of twelve models on two data sets."""
    random = np.random.default_rng(5)
    rows = ["dataset\tmodel\tCIDEr\tasl\tttr1"]
    for number in range(12):
        cider, asl, ttr = random.uniform((0.4, 8, 0.1), (1.1, 13, 0.3)).round(3)
        rows.append(f"{'one' if number % 2 else 'two'}\tm{number}\t{cider}\t{asl}\t{ttr}")
    (folder / "data.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def selections(folder: Path) -> None:
    """Write gold, chosen and development boxes of some images."""
    for name, first in (("gold", 0), ("dev", 100)):
        _write_lines(folder / f"{name}.jsonl", [_gold(first + number) for number in range(20)])
    for name, shift in (("chosen", 0), ("chosen2", 1)):
        rows = [{"image_id": n, "boxes": [(n + shift) % _BOXES, (n + 2) % _BOXES]} for n in range(20)]
        _write_lines(folder / f"{name}.jsonl", rows)


def _gold(image: int) -> dict[str, Any]:
    concepts = ("woman.n.01", "man.n.01", "dog.n.01", "tree.n.01", "chair.n.01", "ball.n.01")
    boxes = [
        {"id": box, "concept": concepts[(image + box) % _BOXES], "box": [10 * box, 5 * box, 40 + box, 30]}
        for box in range(_BOXES)
    ]
    told = [[image % _BOXES, (image + 1) % _BOXES], [image % _BOXES], [(image + 2) % _BOXES, image % _BOXES]]
    return {"image_id": image, "width": 640, "height": 480, "boxes": boxes, "descriptions": told}


def rated_sheets(folder: Path) -> None:
    """Fill a sheet as two raters might, who differ on every tenth row, and name the second one's file."""
    with (folder / "sheet.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        names, rows = list(reader.fieldnames or ()), list(reader)
    for target, every in (("sheet.csv", 1_000), ("sheet-of-second-rater.csv", 10)):
        with (folder / target).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            for number, row in enumerate(rows, 1):
                said = "no" if number % every == 0 or number % 7 == 0 else "yes"
                writer.writerow({**row, "answer": said})


def _write_lines(file: Path, records: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
