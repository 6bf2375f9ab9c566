"""Split documents in two halves that say the same on average: one to see, one to predict."""

from __future__ import annotations

import numpy as np
from scipy import sparse

# Beyond this, floats have no room for the ones.
_LARGEST_COUNT = 2.0**53


def thin(X: sparse.csr_matrix, rng: np.random.RandomState) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return two matrices that add up to X, each half of it on average.

    Of whole counts, each token falls on either side by the toss of a coin; of other numbers, each entry.
    """
    if np.array_equal(X.data, np.floor(X.data)) and (X.data < _LARGEST_COUNT).all():
        part = rng.binomial(X.data.astype(np.int64), 0.5)
    else:
        part = X.data * (rng.random_sample(X.nnz) < 0.5)
    seen, held = X.copy(), X.copy()
    seen.data = part.astype(X.dtype)
    held.data = X.data - seen.data
    seen.eliminate_zeros()
    held.eliminate_zeros()
    return seen, held
