"""Annotation: the only package that uses spaCy. Importing it does not import spaCy."""

from assess.annotate.extract import Annotator
from assess.annotate.model import (
    InstalledModel,
    ModelIdentity,
    choose_model,
    installed_models,
    model_identity,
)

__all__ = [
    "Annotator",
    "InstalledModel",
    "ModelIdentity",
    "choose_model",
    "installed_models",
    "model_identity",
]
