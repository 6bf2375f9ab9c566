"""How well topics predict what they have not seen of a document."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from wayword.errors import InputError
from wayword.kernels.factor import Limits, sum_kl_rows
from wayword.matrix.thinning import thin
from wayword.models.alternate import Loss, Problem, Side
from wayword.models.folding import fold_in

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


def _split_tokens(
    X: sparse.csr_matrix, components: np.ndarray, loss: Loss, limits: Limits, rng: np.random.RandomState
) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Return half of the tokens, the weights that follow from the other half, and the topics."""
    seen, held = thin(X, rng)
    return held, fold_in(seen, components, loss, limits), components


def _split_terms(
    X: sparse.csr_matrix, components: np.ndarray, loss: Loss, limits: Limits, rng: np.random.RandomState
) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Return half of the terms, the weights that follow from the other half, and the topics of that half of terms."""
    order = rng.permutation(X.shape[1])
    seen, held = np.sort(order[::2]), np.sort(order[1::2])
    weights = fold_in(sparse.csr_matrix(X[:, seen]), components[:, seen], loss, limits)
    return sparse.csr_matrix(X[:, held]), weights, components[:, held]


def completion_score(
    X: sparse.csr_matrix, components: np.ndarray, loss: Loss, limits: Limits, rng: np.random.RandomState
) -> float:
    """Return how well the unseen half of each document is predicted from the other half; higher is better.

    With whole counts the halves are tokens; otherwise one half of all terms, because an entry that is not a count has
    no halves. With the divergence the score is the mean log probability of a token, with squares the share of the sum
    of squares explained.
    """
    counts = np.array_equal(X.data, np.floor(X.data))
    held, W, topics = (_split_tokens if counts else _split_terms)(X, components, loss, limits, rng)
    if not held.data.any():
        raise InputError("there is nothing to predict: the documents hold too few terms to be split in halves")
    if loss == "kl":
        return _log_likelihood(held, W, topics.astype(np.float64))
    problem = Problem.of(held, loss="frobenius")
    return 1.0 - problem.objective(W, np.ascontiguousarray(topics.T)) / problem.constant
