"""Fill in the unknown entries of a matrix: by factors fitted to the known ones, or by the smallest nuclear norm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from wayword.errors import InputError
from wayword.kernels.threads import one_blas_thread
from wayword.models.alternate import Callback
from wayword.models.entries import (
    Entries,
    check_entries,
    check_places,
    check_values,
    multiply_pairs,
    values_at,
)
from wayword.models.imputation import (
    FIRST,
    FactorImputation,
    NuclearImputation,
    Settings,
    approach,
    choose_shrinkage,
    descend,
    list_shrinkages,
)
from wayword.models.inputs import check_choice, check_number, check_whole

Method = Literal["factors", "nuclear"]
# Singular vectors followed beyond those asked for, so that the last ones asked for settle soon.
_BESIDES = 5


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Completion:
    """A matrix with all of its entries filled in.

    The model of entry (i, j) is ``mean + row_offsets[i] + column_offsets[j] + left[i] @ right[j]``.

    Attributes
    ----------
    left : array of shape (n_rows, rank)
        What each row has of each component; zeros where nothing is known of a row.
    right : array of shape (n_columns, rank)
        What each column has of each component; zeros where nothing is known of a column.
    mean : float
        Mean of the known entries; 0 without offsets.
    row_offsets : array of shape (n_rows,)
        How far each row is above the mean; zeros without offsets, or where nothing is known of a row.
    column_offsets : array of shape (n_columns,)
        The same of each column.
    shrinkage : float
        The shrinkage given, or chosen.
    path : tuple of float
        The objective at the start and after each iteration; it never rises.
    converged : bool
        Whether it settled before the iterations ran out.
    """

    left: np.ndarray
    right: np.ndarray
    mean: float
    row_offsets: np.ndarray
    column_offsets: np.ndarray
    shrinkage: float
    path: tuple[float, ...]
    converged: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.left), len(self.right)

    def __repr__(self) -> str:
        return f"<Completion of {len(self.left)} x {len(self.right)} entries, rank {self.left.shape[1]}>"

    def predict(self, rows: Any, columns: Any) -> np.ndarray:
        """Return some entries.

        Parameters
        ----------
        rows, columns : array-likes of int
            Positions of the entries, in arrays of one shape, or of shapes that numpy broadcasts.

        Returns
        -------
        array of that shape
        """
        rows, columns = check_places(rows, columns, self.shape)
        products = multiply_pairs(rows.ravel(), columns.ravel(), self.left, self.right).reshape(rows.shape)
        return self.mean + self.row_offsets[rows] + self.column_offsets[columns] + products

    def toarray(self) -> np.ndarray:
        """Return the whole matrix, dense."""
        return self.mean + self.row_offsets[:, None] + self.column_offsets + self.left @ self.right.T

    def rmse(self, X: Any, held_out: Any = None) -> float:
        """Return the root of the mean squared error on entries that were held out.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_columns)
            Sparse or dense; holds the true values.
        held_out : matrix of shape (n_rows, n_columns), or tuple of two int arrays, optional
            Which entries: a mask, weights, or their rows and columns. None: those not NaN of a dense X, those stored
            of a sparse one.
        """
        entries = self._check_held_out(X, held_out)
        errors = entries.values - self.predict(entries.rows, entries.columns)
        return float(np.sqrt(np.average(np.square(errors), weights=entries.counts)))

    def _check_held_out(self, X: Any, held_out: Any) -> Entries:
        X = check_values("X", X)
        if X.shape != self.shape:
            raise InputError(f"X must have the shape of the matrix that was completed, {self.shape}, got {X.shape}")
        if not isinstance(held_out, tuple):
            return check_entries(X, held_out, "held_out")
        if len(held_out) != 2:
            raise InputError(f"held_out must be a mask, or a tuple of rows and columns, got {len(held_out)} parts")
        rows, columns = (place.ravel() for place in check_places(*held_out, self.shape))
        return Entries(X.shape, rows, columns, values_at(X, rows, columns), np.ones(len(rows)))


def _check_sign(method: Method, non_negative: bool | None, offsets: bool | None, values: np.ndarray) -> bool:
    """Return whether the factors are non-negative."""
    check_choice("non_negative", non_negative, (None, True, False))
    check_choice("offsets", offsets, (None, True, False))
    negative = values[values < 0.0]
    if non_negative is None:
        return method == "factors" and not offsets and len(negative) == 0
    if non_negative and method == "nuclear":
        raise InputError(
            "method='nuclear' cannot keep factors non-negative; use method='factors', or non_negative=False"
        )
    if non_negative and offsets:
        raise InputError("offsets=True needs factors of either sign; use non_negative=False, or offsets=False")
    if non_negative and len(negative):
        raise InputError(f"non_negative=True needs entries of 0 or more, got {negative[0]:g}; use non_negative=False")
    return non_negative


def _check_size(n_components: int, shape: tuple[int, int]) -> None:
    """Raise unless there can be so many components."""
    check_whole("n_components", n_components)
    if n_components > min(shape):
        raise InputError(f"n_components must be at most {min(shape)}, for X of shape {shape}, got {n_components}")


def _put_back(factor: np.ndarray, ids: np.ndarray, size: int) -> np.ndarray:
    """Return all rows; those that were left out have zeros."""
    every = np.zeros((size, factor.shape[1]))
    every[ids] = factor
    return every


def complete(
    X: Any,
    known: Any,
    n_components: int,
    *,
    method: Method = "factors",
    non_negative: bool | None = None,
    offsets: bool | None = None,
    shrinkage: float | None = None,
    offset_shrinkage: float = 1.0,
    max_iter: int = 500,
    tol: float = 1e-5,
    random_state: Any = 0,
    callback: Callback | None = None,
) -> Completion:
    """Fill in the entries of a matrix that are not known.

    Minimises over W, H and offsets, the sum being over known entries that count e times::

        1/2 sum e (x - model)^2 + shrinkage/2 (|W|^2 + |H|^2) + offset_shrinkage/2 |offsets|^2

    Parameters
    ----------
    X : matrix of shape (n_rows, n_columns)
        Sparse or dense, for example users by items or documents by terms.
    known : matrix of shape (n_rows, n_columns), or None
        Which entries are known: a mask, or weights of 0 or more that say how much each counts, 0 for missing; sparse or
        dense. A zero of X may be known. None: the entries of a dense X that are not NaN, or those that a sparse X
        stores.
    n_components : int
        Columns of W and H; for "nuclear" the most.
    method : {"factors", "nuclear"}
        Improve W and H in turn, or shrink the singular values of the filled matrix (soft-impute).
    non_negative : bool, optional
        Whether W and H are non-negative. By default they are if all known entries are, for method "factors" without
        offsets.
    offsets : bool, optional
        Whether there are a mean and offsets of rows and columns beside the factors. By default if factors may be
        negative.
    shrinkage : float, optional
        What the factors cost; the more, the smaller and, for "nuclear", the fewer. By default the one with the least
        error on known entries that are hidden, a tenth at a time.
    offset_shrinkage : float
        How many entries that equal the mean each row and each column has besides its own.
    max_iter : int
        Most iterations.
    tol : float
        Settled when an iteration lowers the objective by no more than this share of it.
    random_state : int, RandomState or None
        Where to start, and what to hide.
    callback : callable, optional
        Told the iteration and the objective after each; returns True to stop.

    Returns
    -------
    Completion

    Examples
    --------
    >>> import numpy as np
    >>> from wayword import complete
    >>> ratings = [[5, 4, np.nan], [np.nan, 4, 1], [5, np.nan, 1], [10, 8, 2]]
    >>> complete(ratings, None, 1, shrinkage=0.001).toarray().round(1)
    array([[ 5.,  4.,  1.],
           [ 5.,  4.,  1.],
           [ 5.,  4.,  1.],
           [10.,  8.,  2.]])
    """
    entries = check_entries(X, known, "known")
    _check_size(n_components, entries.shape)
    check_choice("method", method, ("factors", "nuclear"))
    check_whole("max_iter", max_iter)
    for name, number in (("shrinkage", shrinkage), ("offset_shrinkage", offset_shrinkage), ("tol", tol)):
        if name != "shrinkage" or number is not None:
            check_number(name, number)
    non_negative = _check_sign(method, non_negative, offsets, entries.values)
    offsets = not non_negative if offsets is None else offsets
    settings = Settings(n_components, non_negative, offsets, offset_shrinkage, max_iter, tol)
    inner, row_ids, column_ids = entries.compact()
    problem = (FactorImputation if method == "factors" else NuclearImputation).of(inner, settings)
    rng = check_random_state(random_state)
    draw = rng.standard_normal((inner.shape[1], n_components + _BESIDES))
    with one_blas_thread():
        shrinkages = list_shrinkages(problem, draw) if shrinkage is None or problem.resumes else []
        if shrinkage is None:
            shrinkage = choose_shrinkage(problem, inner, shrinkages, draw, rng)
        problem = replace(problem, shrinkage=float(shrinkage))
        fit = descend(problem, approach(problem, shrinkages, draw), callback)
    left = _put_back(fit.point.left, row_ids, entries.shape[0])
    right = _put_back(fit.point.right, column_ids, entries.shape[1])
    factors = np.ascontiguousarray(left[:, FIRST:]), np.ascontiguousarray(right[:, FIRST:])
    return Completion(
        *factors, problem.mean, left[:, 0].copy(), right[:, 1].copy(), problem.shrinkage, fit.path, fit.converged
    )
