"""What every model asks of its matrix and its settings, checked once at the door."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Integral, Real
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from wayword.errors import InputError, shorten

# Squares of what is larger, summed, have no number.
LARGEST = 1e100
_LARGEST_PLACE = np.iinfo(np.int32).max

Model = TypeVar("Model")
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def undone_if_it_fails(
    fit: Callable[Concatenate[Model, Given], Returned],
) -> Callable[Concatenate[Model, Given], Returned]:
    """Make a fit that fails, or is interrupted, leave the model as it was: fitted before, it can be used as before."""

    @wraps(fit)
    def guarded(self: Model, *args: Given.args, **kwargs: Given.kwargs) -> Returned:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return guarded


def check_matrix(estimator: Any, X: Any, *, reset: bool, non_negative: bool = True) -> sparse.csr_matrix:
    """Return X as compressed rows in single or double precision.

    Parameters
    ----------
    estimator : estimator
        Whose number and names of columns are remembered, or checked.
    X : matrix of shape (n_documents, n_terms)
        Sparse or dense; numbers that are not finite, negative, or past all counting are errors.
    reset : bool
        Whether to remember the columns rather than to check them.
    non_negative : bool
        Whether negative numbers are errors.
    """
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_non_negative=non_negative,
    )
    matrix = sparse.csr_matrix(X)
    most = float(abs(matrix.data).max(initial=0.0))
    if most > LARGEST:
        raise InputError(f"X must hold numbers up to {LARGEST:g}, got {most:g}; divide all by the largest")
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # it shares its arrays with X
        matrix.sum_duplicates()
    if matrix.indices.dtype != np.int32 and max(matrix.nnz, *matrix.shape) < _LARGEST_PLACE:
        small = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
        matrix = sparse.csr_matrix((matrix.data, *small), shape=matrix.shape)
    return matrix


def drop_zeros(X: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return a matrix whose entries are all more than zero: how many there are is how many terms a document has."""
    if X.data.all():
        return X
    X = X.copy()
    X.eliminate_zeros()
    return X


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Raise unless a setting is one of some values."""
    choices = list(choices)
    value = bool(value) if isinstance(value, np.bool_) else value
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise InputError(f"{name} must be one of {', '.join(map(repr, choices))}, got {shorten(value)}")


def check_whole(name: str, value: Any, *, least: int = 1) -> None:
    """Raise unless a setting is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name} must be a whole number of {least} or more, got {shorten(value)}")


def check_number(name: str, value: Any, *, least: float = 0.0, most: float = math.inf) -> None:
    """Raise unless a setting is a finite number within bounds."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not least <= number <= most or math.isinf(number):
        bounds = f"of {least:g} or more" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise InputError(f"{name} must be a number {bounds}, got {shorten(value)}")


def check_sample_weight(sample_weight: Any, n_documents: int) -> np.ndarray | None:
    """Return how much each document counts, or None where all count the same."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"sample_weight must hold a number for each document, got {shorten(sample_weight)}") from None
    if weights.ndim == 0:
        weights = np.full(n_documents, float(weights))
    if weights.shape != (n_documents,):
        raise InputError(f"sample_weight must have one number for each of {n_documents} documents, got {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError("sample_weight must be finite numbers of 0 or more, and not every weight zero")
    return None if (weights == 1.0).all() else weights
