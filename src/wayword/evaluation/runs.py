"""Fit the same model again and again, with other seeds and other numbers of topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from wayword.errors import InputError, shorten
from wayword.models.document_topics import check_documents
from wayword.models.theme_scores import check_weights, normalise_rows

_LARGEST_SEED = 2**31 - 1


def check_counts(X: Any) -> sparse.csr_matrix:
    """Return a copy of X as compressed rows in double precision, without zeros; there must be something in it."""
    shape = X.shape if sparse.issparse(X) else np.shape(X)
    if len(shape) != 2:
        raise InputError(f"X must be a matrix of documents by terms, got shape {shape}")
    counts = check_documents(X, shape[1])
    if not counts.nnz:
        raise InputError("X must hold at least one token, got only empty documents; give documents with known terms")
    return counts


def check_model(model: Any) -> None:
    """Raise unless a model can be fitted anew with another number of topics."""
    settings = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    if not hasattr(model, "fit") or "n_components" not in settings:
        raise InputError(f"model must be an estimator with fit and n_components, such as NMF(), got {shorten(model)}")


def draw_seeds(random_state: Any, n: int) -> list[int]:
    """Return seeds, one for each run."""
    return [int(seed) for seed in check_random_state(random_state).randint(_LARGEST_SEED, size=n)]


def set_up(model: Any, n_topics: int, seed: int, **settings: Any) -> Any:
    """Return a model like this one, not fitted, for so many topics; the seed goes where there is one to set."""
    settings["n_components"] = n_topics
    if "random_state" in model.get_params(deep=False):
        settings["random_state"] = seed
    return clone(model).set_params(**settings)


def topics_of(fitted: Any) -> np.ndarray:
    """Return the topics of a fitted model as probabilities of terms; a topic without any stays zero."""
    if not hasattr(fitted, "components_"):
        raise InputError(f"model must have components_ once it is fitted, which {shorten(fitted)} has not")
    # Topics that are solved for without bounds may end a hair below zero.
    components = np.maximum(np.asarray(fitted.components_, dtype=np.float64), 0.0)
    return normalise_rows(check_weights("components_", components, n_topics=None, n_terms=None))
