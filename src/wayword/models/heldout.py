"""How well topics predict what they have not seen of a document."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from wayword.errors import InputError
from wayword.kernels.factor import sum_kl_rows
from wayword.matrix.thinning import thin
from wayword.models.alternate import Loss, Problem, Side

# The share of every prediction that all terms have alike, so that a term new to a document's topics is not impossible.
_EVEN = 0.01


def _log_likelihood(held: sparse.csr_matrix, W: np.ndarray, components: np.ndarray) -> float:
    """Return the mean log probability of a token under the mixture of each document."""
    sums = components.sum(axis=1, dtype=np.float64)
    shares = W * sums
    totals = shares.sum(axis=1, keepdims=True)
    # A document of which nothing was seen has the mixture of all documents.
    shares = np.where(totals > 0, shares, shares.sum(axis=0))
    shares = (1.0 - _EVEN) * shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    topics = (components / np.maximum(sums, np.finfo(np.float64).tiny)[:, None]).T
    mixture = np.hstack([shares, 1.0 - shares.sum(axis=1, keepdims=True)])
    topics = np.ascontiguousarray(np.hstack([topics, np.full((len(topics), 1), 1.0 / len(topics))]))
    side = Side.of(held)
    rest = (topics, np.zeros(mixture.shape[1]), np.ones(len(mixture)), mixture)
    return -side.each_piece(lambda piece: sum_kl_rows(*piece, *side.arrays(), *rest)) / float(held.sum())


def completion_score(
    X: sparse.csr_matrix,
    components: np.ndarray,
    loss: Loss,
    fold: Callable[[sparse.csr_matrix], np.ndarray],
    rng: np.random.RandomState,
) -> float:
    """Return how well the unseen half of each document is predicted from the other half; higher is better.

    `fold` gives the weights of documents. For the divergence the mean log probability of a token; for squares the share of the sum of squares explained.
    """
    seen, held = thin(X, rng)
    if held.nnz == 0:
        raise InputError("there is nothing to predict: the documents hold too few terms to be split in halves")
    W = fold(seen)
    if loss == "kl":
        return _log_likelihood(held, W, components.astype(np.float64))
    problem = Problem.of(held, loss="frobenius")
    return 1.0 - problem.objective(W, np.ascontiguousarray(components.T)) / problem.constant
