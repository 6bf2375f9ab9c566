"""Documents known again by what they hold, without keeping it."""

from __future__ import annotations

import numpy as np
from scipy import sparse

# Odd constants with bits set evenly, as in the generator SplitMix64.
_FIRST, _SECOND, _THIRD = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def _scramble(keys: np.ndarray) -> np.ndarray:
    """Return numbers of which each bit depends on all bits of the keys."""
    keys = (keys ^ (keys >> np.uint64(30))) * _SECOND
    keys = (keys ^ (keys >> np.uint64(27))) * _THIRD
    return keys ^ (keys >> np.uint64(31))


def find_fingerprints(X: sparse.csr_matrix) -> np.ndarray:
    """Return a number of 64 bits for each row: the same for the same row, and hardly ever for another.

    Zeros that are kept, the order of columns and double precision make no difference.
    """
    values = X.data.astype(np.float32)
    keys = X.indices.astype(np.uint64) * _FIRST + (
        values.view(np.uint32).astype(np.uint64) + np.uint64(1) << np.uint64(32)
    )
    sums = np.concatenate([[np.uint64(0)], np.cumsum(np.where(values != 0.0, _scramble(keys), np.uint64(0)))])
    return sums[X.indptr[1:]] - sums[X.indptr[:-1]]


def are_known(X: sparse.csr_matrix, known: np.ndarray) -> np.ndarray:
    """Return which rows have one of the fingerprints."""
    return np.isin(find_fingerprints(X), known)
