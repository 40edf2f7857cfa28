"""Write the bundled example: captions of three invented systems, references and what was planted.

Run `python examples/make_example.py [OUT]`. The same files come out on every machine.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dealing import Dealer
from planted import describe_planted
from scenes import EVALUATION, TRAINING, Scene, invent_scenes
from styles import BLAND, REFERENCES, RICH, SKEWED
from wording import (
    WordedCaption,
    word_as_people_do,
    word_blandly,
    word_captions,
    word_richly,
    word_simply,
)

SEED = 20200518
REFERENCES_AN_IMAGE = 5
# They replace captions of images without people, so that no group's rates change.
ODDITIES = {
    "markup": "A [bold]shiny[/bold] bicycle leans against a [red]brick[/] wall. [/bold]",
    "html": "A <b>black</b> cat sits next to a sign that reads <script>alert('meow')</script> & more.",
    "emoji": "A fluffy dog 🐶 chases a red ball 🎾 across the grass 🏳️‍🌈.",
    "empty": "",
    "long": "A shelf holds " + ", ".join(f"a green cup with the number {n}" for n in range(1, 81)) + ".",
}


def main(out: Path) -> None:
    """Write all files of the example into a folder."""
    scenes = invent_scenes(EVALUATION, Dealer(SEED))
    references = [scene for scene in scenes for _ in range(REFERENCES_AN_IMAGE)]
    rich, oddities = _with_oddities(word_captions(scenes, RICH, word_richly))
    captions = {
        "bland": word_captions(scenes, BLAND, word_blandly),
        "rich": rich,
        "skewed": word_captions(scenes, SKEWED, word_simply),
        "references": word_captions(references, REFERENCES, word_as_people_do),
    }
    files = {
        "bland.json": _json(_rows(captions["bland"])),
        "rich.jsonl": "".join(_json_line(row) + "\n" for row in _rows(rich)),
        "skewed.csv": _csv(
            ("image_id", "caption"), [list(row.values()) for row in _rows(captions["skewed"])]
        ),
        "references.json": _coco_annotations(scenes, captions["references"]),
        "train.txt": "".join(f"{text}\n" for text in _training_texts()),
        "attributes.csv": _csv(("image_id", "group"), [[scene.image, scene.group] for scene in scenes]),
        "planted.json": json.dumps(describe_planted(captions, oddities), indent=1) + "\n",
    }
    _write(out, files)


def _with_oddities(captions: Sequence[WordedCaption]) -> tuple[list[WordedCaption], list[dict[str, Any]]]:
    """Replace the first captions without people by the unusual ones."""
    odd, kinds, listed = [], iter(ODDITIES), []
    for caption in captions:
        kind = next(kinds, None) if caption.scene.group == "none" else None
        odd.append(caption if kind is None else replace(caption, text=ODDITIES[kind]))
        if kind is not None:
            listed.append({"system": "rich", "image_id": caption.scene.image, "kind": kind})
    return odd, listed


def _training_texts() -> list[str]:
    """Return captions of other scenes: three as people write them and a plain one for each."""
    scenes = invent_scenes(TRAINING, Dealer(SEED + 1))
    human = word_captions(
        [scene for scene in scenes for _ in range(3)], replace(REFERENCES, seed=21), word_as_people_do
    )
    plain = word_captions(scenes, replace(BLAND, seed=22), word_blandly)
    return Dealer(SEED + 2).shuffled([caption.text for caption in [*human, *plain]])


def _rows(captions: Sequence[WordedCaption]) -> list[dict[str, Any]]:
    return [{"image_id": caption.scene.image, "caption": caption.text} for caption in captions]


def _coco_annotations(scenes: Sequence[Scene], captions: Sequence[WordedCaption]) -> str:
    images = [{"id": scene.image, "file_name": f"{scene.image}.jpg"} for scene in scenes]
    rows = [{"id": number, **row} for number, row in enumerate(_rows(captions), start=1)]
    return f'{{"images": {_json(images).rstrip()},\n"annotations": {_json(rows).rstrip()}}}\n'


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a JSON list with one row a line, so that changes are easy to see."""
    return "[\n" + ",\n".join(_json_line(row) for row in rows) + "\n]\n"


def _json_line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _write(out: Path, files: Mapping[str, str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        # Bytes, because text mode would change the line ends on Windows.
        (out / name).write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "captions")
