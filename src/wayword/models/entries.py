"""Known entries of a matrix: checked, listed, and multiplied without filling in the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from wayword.errors import InputError, shorten
from wayword.kernels.completion import write_products
from wayword.kernels.factor import multiply_rows
from wayword.kernels.threads import map_in_order
from wayword.models.alternate import Side

_ENTRIES_AT_ONCE = 2**15
# The first coordinate that is no offset.
_FIRST = 2


@dataclass(frozen=True, slots=True)
class Entries:
    """Some entries of a matrix, row by row, and how much each counts."""

    shape: tuple[int, int]
    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    counts: np.ndarray

    def pick(self, chosen: np.ndarray) -> Entries:
        """Return some of the entries."""
        return Entries(self.shape, self.rows[chosen], self.columns[chosen], self.values[chosen], self.counts[chosen])

    def compact(self) -> tuple[Entries, np.ndarray, np.ndarray]:
        """Leave out rows and columns without an entry; return also the ids of those that stay."""
        row_ids, rows = np.unique(self.rows, return_inverse=True)
        column_ids, columns = np.unique(self.columns, return_inverse=True)
        shape = len(row_ids), len(column_ids)
        return Entries(shape, rows, columns, self.values, self.counts), row_ids, column_ids


def check_dense(name: str, X: Any) -> np.ndarray:
    """Return an array of float64; masked entries become NaN."""
    try:
        X = np.ma.filled(X.astype(np.float64), np.nan) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
        if X.dtype.kind not in "biufO":
            raise TypeError(X.dtype)
        return X.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a matrix of real numbers, got {shorten(X)}") from error


def check_sparse(name: str, X: Any) -> sparse.csr_matrix:
    """Return compressed rows of float64, sorted and without duplicates."""
    if X.dtype.kind not in "biuf":
        raise InputError(f"{name} must be a matrix of real numbers, got {X.dtype}")
    matrix = sparse.csr_matrix(X)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix.astype(np.float64, copy=False)


def check_values(name: str, X: Any) -> Any:
    """Return a matrix of float64, in compressed rows if it is sparse."""
    if not sparse.issparse(X):
        X = check_dense(name, X)
    if X.ndim != 2 or 0 in X.shape:
        raise InputError(f"{name} must be a matrix with rows and columns, got shape {X.shape}")
    return check_sparse(name, X) if sparse.issparse(X) else X


def check_counts(name: str, known: Any, shape: tuple[int, int]) -> sparse.csr_matrix:
    """Return how much each entry counts; those that do not count are not stored."""
    counts = check_values(name, known)
    if counts.shape != shape:
        raise InputError(f"{name} must have the shape of X, {shape}, got {counts.shape}")
    counts = sparse.csr_matrix(counts, copy=True)
    if not np.isfinite(counts.data).all() or (counts.data < 0).any():
        raise InputError(f"{name} must be True and False, or finite weights of 0 or more, where 0 says missing")
    counts.eliminate_zeros()
    return counts


def _count_own(X: Any) -> sparse.csr_matrix:
    """Count once what a matrix itself says is known: what is stored, or what is not NaN."""
    if sparse.issparse(X):
        return sparse.csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    return sparse.csr_matrix(~np.isnan(X), dtype=np.float64)


def values_at(X: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return some entries of a matrix, all of them finite."""
    if len(rows) == 0:
        raise InputError("not one entry of X is known; there is nothing to go by")
    values = np.asarray(X[rows, columns]).ravel()
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row, column, value = rows[bad[0]], columns[bad[0]], values[bad[0]]
        raise InputError(f"known entries must be finite, got {value} at row {row}, column {column}; leave it out")
    return values


def check_entries(X: Any, known: Any, name: str) -> Entries:
    """Return the entries of X that count; None means those that are stored, or not NaN."""
    X = check_values("X", X)
    counts = sparse.coo_matrix(_count_own(X) if known is None else check_counts(name, known, X.shape))
    return Entries(X.shape, counts.row, counts.col, values_at(X, counts.row, counts.col), counts.data)


def check_places(rows: Any, columns: Any, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of some entries, as arrays of one shape."""
    try:
        places = np.broadcast_arrays(np.asarray(rows), np.asarray(columns))
    except ValueError as error:
        raise InputError(f"rows and columns must go together, got {np.shape(rows)} and {np.shape(columns)}") from error
    for name, found, size in zip(("rows", "columns"), places, shape, strict=True):
        if found.size and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= size):
            raise InputError(f"{name} must be whole numbers from 0 to {size - 1}, got {shorten(found)}")
    return places[0].astype(np.int64), places[1].astype(np.int64)


def each_piece(task: Callable[[tuple[int, int]], None], pieces: Sequence[tuple[int, int]]) -> None:
    """Run a task on every piece; for a single one, starting threads would cost more than it does."""
    for _ in map_in_order(task, pieces, threads=1 if len(pieces) == 1 else None):
        pass


def multiply_pairs(rows: np.ndarray, columns: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return ``left[rows] . right[columns]``, pair by pair."""
    products = np.empty(len(rows))
    pieces = list(pairwise([*range(0, len(rows), _ENTRIES_AT_ONCE), len(rows)]))
    each_piece(lambda piece: write_products(*piece, rows, columns, left, right, products), pieces)
    return products


def multiply_entries(side: Side, entries: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Return the product of a sparse matrix, with other entries than its own, and a dense one."""
    products = np.empty((side.matrix.shape[0], block.shape[1]))
    rest = (*side.arrays()[:2], entries, np.ascontiguousarray(block), products)
    each_piece(lambda piece: multiply_rows(*piece, *rest), side.pieces)
    return products


def join_offsets(offsets: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return the offsets of a factor and the coordinates of another."""
    return np.ascontiguousarray(np.hstack([offsets[:, :_FIRST], factor]))


def compress(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, shape: tuple[int, ...]) -> Side:
    """Return entries that are sorted by rows as compressed rows, cut into pieces."""
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return Side.of(sparse.csr_matrix((values, columns, indptr), shape=shape))
