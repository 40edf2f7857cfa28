"""Annotation: the only room that knows spaCy. Importing it does not import spaCy."""

from assess.annotate.extract import LONGEST_TEXT, Annotator
from assess.annotate.model import (
    InstalledModel,
    ModelIdentity,
    choose_model,
    installed_models,
    model_identity,
)

__all__ = [
    "LONGEST_TEXT",
    "Annotator",
    "InstalledModel",
    "ModelIdentity",
    "choose_model",
    "installed_models",
    "model_identity",
]
