"""METEOR and SPICE by the COCO caption tools (pycocoevalcap), an optional part that needs Java.

Nothing is downloaded: SPICE needs the Stanford CoreNLP files, which pycocoevalcap would fetch by
itself at first use. Where they are missing, the error says how to get them.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assess.errors import MissingPartError, UsageError
from assess.measures.postgen.compute import ScoredImage, Tokens

CocoMetric = Literal["METEOR", "SPICE"]

_PACKAGE = "pycocoevalcap"
_SCORERS = {"METEOR": ("meteor.meteor", "Meteor"), "SPICE": ("spice.spice", "Spice")}
_STANFORD = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")


@dataclass(frozen=True, slots=True)
class CocoScores:
    """A metric's score of the corpus and of each image."""

    metric: CocoMetric
    score: float
    scores: dict[str, float]


def coco_scores(paired: Sequence[ScoredImage], metric: CocoMetric) -> CocoScores:
    """Score captions with METEOR or SPICE; the tokens are joined by spaces."""
    if not paired:
        raise UsageError(f"{metric} needs at least one image")
    require_coco(metric)
    references = {image.image: [_text(words) for words in image.references] for image in paired}
    captions = {image.image: [_text(image.caption)] for image in paired}
    scorer = _scorer(metric)
    try:
        score, each = scorer.compute_score(references, captions)
    finally:
        _close_pipes(scorer)
    # SPICE answers in the order of sorted ids, METEOR in the order of the references.
    images = sorted(references) if metric == "SPICE" else list(references)
    values = [float(value["All"]["f"]) if isinstance(value, dict) else float(value) for value in each]
    return CocoScores(metric, float(score), dict(zip(images, values, strict=True)))


def require_coco(metric: CocoMetric) -> None:
    """Raise a `MissingPartError` that says what to install, where something is missing."""
    if shutil.which("java") is None:
        raise MissingPartError(f"{metric} needs Java", hint="install a Java runtime (8 or later)")
    found = importlib.util.find_spec(_PACKAGE)
    if found is None:
        raise MissingPartError(f"{metric} needs {_PACKAGE}", hint="pip install 'assess[coco]'")
    if metric == "SPICE":
        _require_stanford([Path(folder) for folder in found.submodule_search_locations or ()])


def _require_stanford(folders: list[Path]) -> None:
    for folder in folders:
        if all((folder / "spice" / "lib" / name).is_file() for name in _STANFORD):
            return
    hint = f"run `python -m {_PACKAGE}.spice.get_stanford_models` once; it downloads them"
    raise MissingPartError("SPICE needs the Stanford CoreNLP 3.6.0 files", hint=hint)


def _scorer(metric: CocoMetric) -> Any:
    module, name = _SCORERS[metric]
    return getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)()


def _close_pipes(scorer: Any) -> None:
    """Close what METEOR's process still writes to; the scorer itself ends the process and forgets these."""
    process = getattr(scorer, "meteor_p", None)
    for pipe in (process.stdout, process.stderr) if process is not None else ():
        pipe.close()


def _text(words: Tokens) -> str:
    """Join tokens by single spaces, without the bars that METEOR takes for the end of a sentence."""
    return " ".join(" ".join(words).replace("|||", " ").split())
