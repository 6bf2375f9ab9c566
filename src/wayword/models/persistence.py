"""Keep fitted models in files: JSON and arrays, versioned, that can never run code when they are read.

A model is its class, its settings and what `fit` learnt, the attributes that end in an underscore. Numbers, texts and
lists go into the JSON; arrays into the ``.npz``, and the JSON says where each belongs. A pipeline is its steps.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from wayword.corpus.vocabulary import Vocabulary
from wayword.errors import FormatError, InputError, shorten
from wayword.matrix.archive import read_archive, write_archive

# Version 1 had models alone: no vectorizers, pipelines, sets, types and vocabularies. It is read as it stands.
_VERSION = 2
# The classes a file may name, and where they live.
_MODELS = {
    "AnchorTopics": "wayword.models.anchors",
    "DeepSemiNMF": "wayword.models.deep",
    "NMF": "wayword.models.nmf",
    "SemiSupervisedNMF": "wayword.models.semi_supervised",
    "SupervisedAnchors": "wayword.models.supervised_anchors",
    "ThemeNMF": "wayword.models.themes",
    "TopicDiscovery": "wayword.models.discovery",
    "TopicSupervisedNMF": "wayword.models.topic_supervised",
    "Vectorizer": "wayword.matrix.vectorizer",
}
_PIPELINE = "Pipeline"
# Settings that are not kept: functions of the program that fitted the model.
_FORGOTTEN = {"callback"}


def _is_type(value: Any) -> bool:
    """Whether a value is a type of numbers, such as float32."""
    return isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.number | float))


class _Writer:
    """Turns values into JSON, with arrays set aside under numbers."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def pack_model(self, model: Any) -> dict[str, Any]:
        """Return a model, or a pipeline of models, as JSON holds it."""
        if type(model) is Pipeline:
            return {"model": _PIPELINE, "steps": [[name, self.pack_model(step)] for name, step in model.steps]}
        kind = type(model).__name__
        if _MODELS.get(kind) != type(model).__module__:
            known = ", ".join(_MODELS)
            raise InputError(f"expected a model of Wayword ({known}, or a Pipeline of these), got {shorten(model)}")
        check_is_fitted(model)
        settings = {name: value for name, value in model.get_params(deep=False).items() if name not in _FORGOTTEN}
        return {
            "model": kind,
            "settings": {name: self.pack(name, value) for name, value in settings.items()},
            "learnt": {name: self.pack(name, value) for name, value in _learnt(model).items()},
        }

    def pack(self, name: str, value: Any) -> Any:
        """Return a value as JSON holds it."""
        if isinstance(value, np.ndarray):
            return self._pack_array(name, value)
        if hasattr(value, "to_numpy") and getattr(value, "ndim", 0) == 1:  # a column of pandas, without importing it
            return self._pack_array(name, value.to_numpy(dtype=object))
        if isinstance(value, Vocabulary):
            return {"vocabulary": value.to_dict()}
        if _is_type(value):
            return {"type": np.dtype(value).name}
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, list | tuple):
            return {"list": [self.pack(name, item) for item in value], "tuple": isinstance(value, tuple)}
        if isinstance(value, set | frozenset):
            return {
                "set": [self.pack(name, item) for item in sorted(value, key=str)],
                "frozen": isinstance(value, frozenset),
            }
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(name, item) for key, item in value.items()}}
        if value is None or isinstance(value, bool | int | float | str):
            return {"value": value}
        raise InputError(f"{name} cannot be kept in a file: {shorten(value)} {_reason(value)}")

    def _pack_array(self, name: str, value: np.ndarray) -> Any:
        if value.dtype == object:
            return {"objects": [self.pack(name, item) for item in value.tolist()]}
        if value.dtype.kind not in "biufU":
            raise InputError(f"{name} cannot be kept in a file: it is an array of {value.dtype}")
        place = f"array{len(self.arrays)}"
        self.arrays[place] = value
        return {"array": place}


def _reason(value: Any) -> str:
    """Return why a value cannot be kept."""
    if callable(value):
        return "is a function, and files hold no code; save `vocabulary_` instead, and make the Vectorizer from both"
    return "is no number, text, list or array"


def _learnt(model: BaseEstimator) -> dict[str, Any]:
    """Return the attributes that `fit` has set."""
    return {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}


def _unpack(packed: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return the value that `_Writer.pack` was given."""
    if "array" in packed:
        return arrays[packed["array"]]
    if "objects" in packed:
        return np.array([_unpack(item, arrays) for item in packed["objects"]], dtype=object)
    if "vocabulary" in packed:
        return Vocabulary.from_dict(packed["vocabulary"])
    if "type" in packed:
        return _unpack_type(packed["type"])
    if "list" in packed:
        items = [_unpack(item, arrays) for item in packed["list"]]
        return tuple(items) if packed["tuple"] else items
    if "set" in packed:
        items = {_unpack(item, arrays) for item in packed["set"]}
        return frozenset(items) if packed["frozen"] else items
    if "dict" in packed:
        return {key: _unpack(item, arrays) for key, item in packed["dict"].items()}
    return packed["value"]


def _unpack_type(name: Any) -> type[np.generic]:
    found = np.dtype(name)
    if found.kind not in "iuf":
        raise ValueError(f"{shorten(name)} is no type of numbers")
    return found.type


def _unpack_model(packed: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return the model that `_Writer.pack_model` was given."""
    name = packed.get("model")
    if name == _PIPELINE:
        return _unpack_steps(packed["steps"], arrays)
    if not isinstance(name, str) or name not in _MODELS:
        raise FormatError(f"no model of this Wayword is called {shorten(name)}")
    kind = getattr(import_module(_MODELS[name]), name)
    model = kind(**{name: _unpack(value, arrays) for name, value in packed["settings"].items()})
    for name, value in packed["learnt"].items():
        if not name.endswith("_") or name.startswith("_"):
            raise FormatError(f"{shorten(name)} is nothing that a model learns")
        setattr(model, name, _unpack(value, arrays))
    return model


def _unpack_steps(packed: Any, arrays: dict[str, np.ndarray]) -> Pipeline:
    steps = [(name, _unpack_model(step, arrays)) for name, step in packed]
    if not steps or not all(isinstance(name, str) for name, _ in steps):
        raise FormatError("a damaged model: a pipeline has one step or more, and each has a name")
    return Pipeline(steps)


def save(model: Any, path: str | Path) -> None:
    """Write a fitted model, vectorizer or pipeline to a file.

    The file holds settings, topics, terms and whatever else `fit` learnt, but no code, no texts, and no `callback`.

    Parameters
    ----------
    model : estimator
        A fitted model of Wayword, a fitted `Vectorizer`, or a scikit-learn `Pipeline` of these.
    path : str or Path
        The file, overwritten if it exists.
    """
    writer = _Writer()
    write_archive(path, "model", _VERSION, writer.pack_model(model), writer.arrays)


def load(path: str | Path) -> Any:
    """Read a model that `save` has written.

    Reading never runs code from the file. A file that is foreign, damaged or written by a newer version is a
    `FormatError`.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    estimator
        As it was when saved; a `callback` is gone.
    """
    header, arrays = read_archive(path, "model", _VERSION)
    try:
        return _unpack_model(header, arrays)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: a damaged model: {shorten(str(error))}") from None
