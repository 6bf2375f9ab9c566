"""Fold documents into topics that stay as they are: the best weights of each document, or some steps toward them."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from wayword.kernels.factor import Limits
from wayword.kernels.threads import one_blas_thread
from wayword.models.alternate import FREE, Loss, Side, gram_of, sums_of

SWEEPS = 10_000
# A sweep that lowers the divergence of a document by less than this share of its length is the last.
SETTLED = 1e-7
# The same for squares, as a share of the first squared move.
_SQUARES_SETTLED = 1e-18


def fold_in(X: sparse.csr_matrix, components: np.ndarray, loss: Loss, limits: Limits = FREE) -> np.ndarray:
    """Return the best non-negative weights of documents for given topics.

    Each document is a convex problem of its own, so the result depends neither on the other documents nor on a start.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        The documents.
    components : array of shape (n_topics, n_terms)
        The topics.
    loss : {"kl", "frobenius"}
        What is minimised.
    limits : Limits
        Topics that each document may use, and penalties.

    Returns
    -------
    array of shape (n_documents, n_topics)
    """
    with one_blas_thread():
        return _fold(Side.of(X, limits), X, components, loss)


def _fold(side: Side, X: sparse.csr_matrix, components: np.ndarray, loss: Loss) -> np.ndarray:
    topics = np.ascontiguousarray(components.T, dtype=X.dtype)
    if loss == "frobenius":
        W = np.zeros((X.shape[0], topics.shape[1]), dtype=X.dtype)
        side.update_squares(W, topics, gram_of(topics), sweeps=SWEEPS, settled=_SQUARES_SETTLED)
        return W
    W = np.empty((X.shape[0], topics.shape[1]), dtype=X.dtype)
    side.solve_kl(W, topics, sums_of(topics), sweeps=SWEEPS, settled=SETTLED)
    return W


def step_toward(X: sparse.csr_matrix, components: np.ndarray, loss: Loss, n_steps: int) -> np.ndarray:
    """Return weights of documents after some multiplicative updates from even ones, as a thesis or a peer has them.

    They are not the best weights: where topics are much alike, documents keep some of each for long.

    Parameters
    ----------
    X, components, loss
        As for `fold_in`.
    n_steps : int
        How many updates.
    """
    topics = np.ascontiguousarray(components.T, dtype=X.dtype)
    # How large they are to begin with cancels in the first update.
    W, side = np.ones((X.shape[0], topics.shape[1]), dtype=X.dtype), Side.of(X)
    with one_blas_thread():
        if loss == "kl":
            side.step_kl(W, topics, sums_of(topics), steps=n_steps)
            return W
        gram = gram_of(topics)
        for _ in range(n_steps):
            side.update_squares(W, topics, gram, newton=False)
    return W
