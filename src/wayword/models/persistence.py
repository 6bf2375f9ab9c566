"""Keep fitted models in files: JSON and arrays, versioned, that can never run code when they are read.

A model is its class, its settings and what `fit` learnt, the attributes that end in an underscore. Numbers, texts and
lists go into the JSON; arrays into the ``.npz``, and the JSON says where each belongs.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from wayword.errors import FormatError, InputError, shorten
from wayword.matrix.archive import read_archive, write_archive

_VERSION = 1
# The classes a file may name, and where they live.
_MODELS = {
    "DeepSemiNMF": "wayword.models.deep",
    "NMF": "wayword.models.nmf",
    "SemiSupervisedNMF": "wayword.models.semi_supervised",
    "TopicSupervisedNMF": "wayword.models.topic_supervised",
}
# Settings that are not kept: functions of the program that fitted the model.
_FORGOTTEN = {"callback"}


class _Writer:
    """Turns values into JSON, with arrays set aside under numbers."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def pack(self, name: str, value: Any) -> Any:
        """Return a value as JSON holds it."""
        if isinstance(value, np.ndarray):
            return self._pack_array(name, value)
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, list | tuple):
            return {"list": [self.pack(name, item) for item in value], "tuple": isinstance(value, tuple)}
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(name, item) for key, item in value.items()}}
        if value is None or isinstance(value, bool | int | float | str):
            return {"value": value}
        raise InputError(f"{name} cannot be kept in a file: {shorten(value)} is no number, text, list or array")

    def _pack_array(self, name: str, value: np.ndarray) -> Any:
        if value.dtype == object:
            return {"objects": [self.pack(name, item) for item in value.tolist()]}
        if value.dtype.kind not in "biufU":
            raise InputError(f"{name} cannot be kept in a file: it is an array of {value.dtype}")
        place = f"array{len(self.arrays)}"
        self.arrays[place] = value
        return {"array": place}


def _unpack(packed: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return the value that `_Writer.pack` was given."""
    if "array" in packed:
        return arrays[packed["array"]]
    if "objects" in packed:
        return np.array([_unpack(item, arrays) for item in packed["objects"]], dtype=object)
    if "list" in packed:
        items = [_unpack(item, arrays) for item in packed["list"]]
        return tuple(items) if packed["tuple"] else items
    if "dict" in packed:
        return {key: _unpack(item, arrays) for key, item in packed["dict"].items()}
    return packed["value"]


def _learnt(model: BaseEstimator) -> dict[str, Any]:
    """Return the attributes that `fit` has set."""
    return {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}


def save(model: Any, path: str | Path) -> None:
    """Write a fitted model to a file.

    The file holds settings, topics and whatever else `fit` learnt, but no code, no texts, and no `callback`.

    Parameters
    ----------
    model : estimator
        A fitted model of Wayword.
    path : str or Path
        The file, overwritten if it exists.
    """
    kind = type(model).__name__
    if _MODELS.get(kind) != type(model).__module__:
        raise InputError(f"expected a model of Wayword ({', '.join(_MODELS)}), got {shorten(model)}")
    check_is_fitted(model)
    writer = _Writer()
    settings = {name: value for name, value in model.get_params(deep=False).items() if name not in _FORGOTTEN}
    header = {
        "model": kind,
        "settings": {name: writer.pack(name, value) for name, value in settings.items()},
        "learnt": {name: writer.pack(name, value) for name, value in _learnt(model).items()},
    }
    write_archive(path, "model", _VERSION, header, writer.arrays)


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
    if not isinstance(header.get("model"), str) or header["model"] not in _MODELS:
        raise FormatError(f"{path}: no model of this Wayword is called {shorten(header.get('model'))}")
    kind = getattr(import_module(_MODELS[header["model"]]), header["model"])
    try:
        model = kind(**{name: _unpack(value, arrays) for name, value in header["settings"].items()})
        for name, value in header["learnt"].items():
            if not name.endswith("_") or name.startswith("_"):
                raise FormatError(f"{path}: {shorten(name)} is nothing that a model learns")
            setattr(model, name, _unpack(value, arrays))
    except (AttributeError, KeyError, RecursionError, TypeError) as error:
        raise FormatError(f"{path}: a damaged model: {shorten(str(error))}") from None
    return model
