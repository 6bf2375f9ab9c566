"""Rows of a factorisation of a matrix of which only some entries are known.

With one factor fixed, the rows of the other are independent problems. Row x with weights a: minimise

    sum_j e_j (x_j - a.b_j)^2 / 2  +  sum_k penalty_k a_k^2 / 2

over the known entries j only, where e_j is how much an entry counts and b_j is row j of `other`. A step goes to the
minimum along one coordinate k while the residuals follow, so that a sweep over all costs the known entries times the
coordinates, and no step can raise the objective. Coordinates that do not move are part of the model all the same: a
column of ones in one factor makes its column in the other an offset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

_FAST = {"reassoc", "contract", "nsz", "arcp"}


class Moves(NamedTuple):
    """How the rows of a factor may move.

    Attributes
    ----------
    coordinates : int64 array of shape (n_moving,)
        Columns of the factor that move; the others stay as they are.
    penalties : float64 array of shape (n_moving,)
        What half the square of each costs.
    least : float
        What each is at least: 0, or minus infinity.
    sweeps : int
        Most sweeps of a row.
    settled : float
        A row is done when a sweep lowers its objective by no more than this share of what the first one did.
    """

    coordinates: np.ndarray
    penalties: np.ndarray
    least: float
    sweeps: int
    settled: float


@njit(nogil=True, cache=True)
def _longest(indptr, first, last):
    longest = 0
    for row in range(first, last):
        longest = max(longest, indptr[row + 1] - indptr[row])
    return longest


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _dot(a, b):
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@njit(nogil=True, cache=True)
def _gather(columns, other, coordinates, block):
    """Copy some columns of the rows of `other` that a row touches, coordinate by coordinate."""
    size = columns.shape[0]
    for t in range(size):
        row = other[columns[t]]
        for m in range(coordinates.shape[0]):
            block[m * size + t] = row[coordinates[m]]


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _bend(block, counts, penalties, curvatures):
    """Write the curvature of the objective along each coordinate."""
    size = counts.shape[0]
    for m in range(penalties.shape[0]):
        column = block[m * size : (m + 1) * size]
        total = penalties[m]
        for t in range(size):
            total += counts[t] * column[t] * column[t]
        curvatures[m] = total


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _sweep(block, counts, moves, curvatures, weights, residuals):
    """Go to the minimum along each coordinate in turn. Return twice how far the objective fell, or more."""
    size = counts.shape[0]
    fell = 0.0
    for m in range(moves.coordinates.shape[0]):
        column = block[m * size : (m + 1) * size]
        weight = weights[moves.coordinates[m]]
        slope = moves.penalties[m] * weight
        for t in range(size):
            slope -= counts[t] * residuals[t] * column[t]
        # Where nothing known depends on a weight, it is zero rather than what it happened to start from.
        better = max(weight - slope / curvatures[m], moves.least) if curvatures[m] > 0.0 else 0.0
        change = better - weight
        if change != 0.0:
            weights[moves.coordinates[m]] = better
            fell += curvatures[m] * change * change
            for t in range(size):
                residuals[t] -= change * column[t]
    return fell


@njit(nogil=True, cache=True)
def update_known_rows(first, last, indptr, indices, values, counts, other, moves, factor):
    """Improve rows `first` to `last` of `factor` by least squares over known entries.

    Parameters
    ----------
    indptr, indices, values : arrays
        The known entries in compressed rows.
    counts : float64 array of shape (n_known,)
        How much each entry counts.
    other : float64 array of shape (n_columns, n_coordinates)
        The fixed factor.
    moves : Moves
        Which coordinates move, how far, and at what cost.
    factor : float64 array of shape (n_rows, n_coordinates)
        Improved in place.
    """
    longest, n_moving = _longest(indptr, first, last), moves.coordinates.shape[0]
    block, residuals, curvatures = np.empty(longest * n_moving), np.empty(longest), np.empty(n_moving)
    for row in range(first, last):
        start, end = indptr[row], indptr[row + 1]
        columns, count, left = indices[start:end], counts[start:end], residuals[: end - start]
        for t in range(end - start):
            left[t] = values[start + t] - _dot(factor[row], other[columns[t]])
        _gather(columns, other, moves.coordinates, block)
        _bend(block, count, moves.penalties, curvatures)
        most = _sweep(block, count, moves, curvatures, factor[row], left)
        for _ in range(1, moves.sweeps):
            if _sweep(block, count, moves, curvatures, factor[row], left) <= moves.settled * most:
                break


@njit(nogil=True, cache=True)
def write_products(first, last, rows, columns, left, right, products):
    """Write ``left[rows] . right[columns]`` of entries `first` to `last` to `products`."""
    for place in range(first, last):
        products[place] = _dot(left[rows[place]], right[columns[place]])
