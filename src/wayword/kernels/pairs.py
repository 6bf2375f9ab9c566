"""Sums over documents of products of counts: terms by terms."""

from __future__ import annotations

import numpy as np
from numba import njit

_TILE = 64
_HALF = 32
_LOW = 2**32 - 1


def pack_entries(columns: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return columns and whole counts below 2**31 as one array: half the memory to walk through."""
    return columns.astype(np.int64) | counts.astype(np.int64) << _HALF


@njit(nogil=True, cache=True)
def update_upper_pairs(first, last, places, owners, pointer, indptr, entries, weights, target, add):
    """Write rows `first` to `last` of ``X' diag(weights) X``, from the diagonal on, to `target`, or add them.

    Each row is summed in float64 whatever the type of `target`. A new target is written, not added to: it need not
    be zeroed, and memory that is read before it is written costs the system twice.

    Parameters
    ----------
    places, owners, pointer : int arrays
        The entries of X by column: where each stands in `entries`, its document, and where each column starts.
    indptr, entries : int64 arrays
        X in compressed rows with sorted columns, packed by `pack_entries`.
    weights : float64 array
        Weight of each document.
    """
    row = np.zeros(target.shape[1], np.float64)
    for term in range(first, last):
        row[term:] = 0.0
        for k in range(pointer[term], pointer[term + 1]):
            document = owners[k]
            weight = weights[document] * np.float64(entries[places[k]] >> _HALF)
            for place in range(places[k], indptr[document + 1]):
                entry = entries[place]
                row[entry & _LOW] += weight * np.float64(entry >> _HALF)
        if add:
            target[term, term:] += row[term:]
        else:
            target[term, term:] = row[term:]


@njit(nogil=True, cache=True)
def update_lower(first, last, target):
    """Copy what is right of the diagonal to the left of it, for rows `first` to `last`, tile by tile."""
    for top in range(first, last, _TILE):
        for left in range(0, min(top + _TILE, last), _TILE):
            for row in range(top, min(top + _TILE, last)):
                for column in range(left, min(left + _TILE, row)):
                    target[row, column] = target[column, row]
