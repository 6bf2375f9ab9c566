"""Where a factorisation starts.

``nndsvda``: the positive parts of a truncated singular value decomposition, zeros filled with the mean (Boutsidis and
Gallopoulos); the same start every time, and the best. ``random``: drawn around the mean. ``acol``: each topic the mean
of a few random documents (Langville and others). Zeros would be absorbing for multiplicative steps, so no start but your own has any.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from wayword.errors import InputError
from wayword.kernels.threads import one_blas_thread

STARTS = ("nndsvda", "random", "acol", "custom")
_DOCUMENTS_A_TOPIC = 20
_ROUNDING = 1e-6
# What every term and topic has at least, as a share of the mean.
_FLOOR = 1e-2


def _stronger_part(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positive or the negative parts of a pair of singular vectors, whichever weigh more, scaled."""
    pairs = [(np.maximum(sign * left, 0), np.maximum(sign * right, 0)) for sign in (1, -1)]
    norms = [(np.linalg.norm(u), np.linalg.norm(v)) for u, v in pairs]
    chosen = int(norms[1][0] * norms[1][1] > norms[0][0] * norms[0][1])
    (u, v), (length_u, length_v) = pairs[chosen], norms[chosen]
    if length_u * length_v == 0:
        return np.zeros_like(u), np.zeros_like(v)
    scale = np.sqrt(length_u * length_v)
    return scale * u / length_u, scale * v / length_v


def start_from_svd(
    X: sparse.csr_matrix, n_topics: int, rng: np.random.RandomState, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return factors from the leading singular vectors; topics beyond the rank start from random documents."""
    rank = min(n_topics, *X.shape)
    # With the roots of the weights, a document of weight two counts like two.
    roots = np.ones(X.shape[0]) if weights is None else np.sqrt(weights)
    with one_blas_thread():
        U, S, Vt = randomized_svd(X if weights is None else sparse.diags(roots) @ X, rank, random_state=rng)
    W, H = np.zeros((X.shape[0], n_topics)), np.zeros((n_topics, X.shape[1]))
    for topic in range(rank):
        left, right = (np.abs(U[:, 0]), np.abs(Vt[0])) if topic == 0 else _stronger_part(U[:, topic], Vt[topic])
        np.divide(np.sqrt(S[topic]) * left, roots, out=W[:, topic], where=roots > 0)
        H[topic] = np.sqrt(S[topic]) * right
    if rank < n_topics:
        W[:, rank:], H[rank:] = start_from_documents(X, n_topics - rank, rng)
    mean = X.mean() if weights is None else float((weights @ X).mean() / weights.sum())
    for factor in (W, H):
        # What is rounding of a zero is a zero, too.
        factor[factor <= _ROUNDING * mean] = mean
    return W, H


def start_at_random(X: sparse.csr_matrix, n_topics: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Return factors drawn at random whose product is about as large as the matrix."""
    scale = np.sqrt(X.mean() / n_topics)
    draw = np.abs(rng.standard_normal((sum(X.shape), n_topics))) * scale + np.finfo(np.float64).tiny
    return draw[: X.shape[0]], draw[X.shape[0] :].T


def start_from_documents(
    X: sparse.csr_matrix, n_topics: int, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return topics that are means of random documents, and weights drawn evenly from zero to one."""
    size = min(_DOCUMENTS_A_TOPIC, X.shape[0])
    chosen = np.concatenate([rng.choice(X.shape[0], size, replace=False) for _ in range(n_topics)])
    picks = sparse.csr_matrix(
        (np.full(len(chosen), 1.0 / size), chosen, np.arange(0, len(chosen) + 1, size)), shape=(n_topics, X.shape[0])
    )
    H = (picks @ X).toarray() + _FLOOR * X.mean() + np.finfo(np.float64).tiny
    return rng.uniform(0.0, 1.0, (X.shape[0], n_topics)), H


def start_from_labels(X: sparse.csr_matrix, indicator: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return for each label the mean of its documents, smoothed by the mean of all."""
    weights = np.ones(X.shape[0]) if weights is None else weights
    told = sparse.csr_matrix(sparse.diags(weights) @ sparse.csr_matrix(indicator, dtype=np.float64))
    tiny = np.finfo(np.float64).tiny
    means = (told.T @ X).toarray() / np.maximum(np.asarray(told.sum(axis=0)), tiny).T
    return means + _FLOOR * (weights @ X) / weights.sum() + tiny


def check_start(W: Any, H: Any, shape: tuple[int, int], n_topics: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a custom start as arrays; raise unless it is two non-negative matrices of the right shapes."""
    return _check_factor("W", W, (shape[0], n_topics)), _check_factor("H", H, (n_topics, shape[1]))


def _check_factor(name: str, given: Any, expected: tuple[int, int]) -> np.ndarray:
    if given is None:
        raise InputError(f"init='custom' needs both W and H; {name} was not given")
    factor = np.asarray(given, dtype=np.float64)
    if factor.shape != expected:
        raise InputError(f"{name} must have shape {expected}, got {factor.shape}")
    if not np.isfinite(factor).all() or (factor < 0).any():
        raise InputError(f"{name} must hold finite numbers of 0 or more")
    if not factor.any():
        raise InputError(f"{name} must not be zero throughout; nothing could grow from it")
    return factor


def make_start(
    X: sparse.csr_matrix,
    n_topics: int,
    init: str,
    rng: np.random.RandomState,
    *,
    weights: np.ndarray | None = None,
    W: np.ndarray | None = None,
    H: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return document weights (n_documents, n_topics) and topics (n_topics, n_terms) to start from, in X's precision."""
    if init != "custom" and (W is not None or H is not None):
        raise InputError(f"W and H are a start of your own; set init='custom', not {init!r}, or leave them out")
    if init == "custom":
        made = check_start(W, H, X.shape, n_topics)
    elif init == "nndsvda":
        made = start_from_svd(X, n_topics, rng, weights)
    else:
        made = {"random": start_at_random, "acol": start_from_documents}[init](X, n_topics, rng)
    return made[0].astype(X.dtype), made[1].astype(X.dtype)
