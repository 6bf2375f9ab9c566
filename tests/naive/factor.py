"""Slow, obvious twins of the factorisation kernels, straight from the equations."""

from __future__ import annotations

import numpy as np


def kl_objective(X: np.ndarray, W: np.ndarray, H: np.ndarray, l1: float = 0.0, l2: float = 0.0) -> float:
    """Generalised Kullback-Leibler divergence without its constants, plus penalties on W."""
    model = W @ H
    positive = X > 0
    with np.errstate(divide="ignore"):
        logs = np.log(model[positive])
    return model.sum() - (X[positive] * logs).sum() + l1 * W.sum() + 0.5 * l2 * (W**2).sum()


def multiply_weights(X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | None = None) -> np.ndarray:
    """Equation 3.9 of the first seed, 2.8 without supervision: W <- W (X / WH) H' / 1 H', within S."""
    S = np.ones_like(W) if S is None else S
    W = W * S
    return W * ((X / (W @ H)) @ H.T) / H.sum(axis=1) * S


def multiply_topics(X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | None = None) -> np.ndarray:
    """Equation 3.8 of the first seed, 2.7 without supervision: H <- H W' (X / WH) / W' 1, within S."""
    W = W if S is None else W * S
    return H * (W.T @ (X / (W @ H))) / W.sum(axis=0)[:, None]


def newton_weights(X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | None = None) -> np.ndarray:
    """One sweep of Newton steps over the topics that can move, or the multiplicative step where that is worse."""
    S = np.ones_like(W) if S is None else S
    result = np.zeros_like(W)
    for i, x in enumerate(X):
        start = W[i] * S[i]
        a = start.copy()
        gradient = H.sum(axis=1) - H @ (x / (a @ H))
        for k in range(len(a)):
            if S[i, k] and (start[k] > 0 or gradient[k] < 0):
                model = a @ H
                slope = H[k].sum() - (x * H[k] / model).sum()
                curvature = (x * H[k] ** 2 / model**2).sum()
                a[k] = max(0.0, a[k] - slope / curvature) if curvature > 0 else (0.0 if slope > 0 else a[k])
        worse = not kl_objective(x[None], a[None], H) <= kl_objective(x[None], start[None], H)
        result[i] = multiply_weights(x[None], start[None], H, S[i][None])[0] if worse else a
    return result


def plsa_step(X: np.ndarray, topics_of: np.ndarray, terms_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One step of expectation maximisation for P(topic | document) and P(term | topic)."""
    D, V = X.shape
    K = terms_of.shape[0]
    new_topics, new_terms = np.zeros((D, K)), np.zeros((K, V))
    for d in range(D):
        for v in range(V):
            responsibility = topics_of[d] * terms_of[:, v]
            responsibility = responsibility / responsibility.sum()
            new_topics[d] += X[d, v] * responsibility
            new_terms[:, v] += X[d, v] * responsibility
    return new_topics / new_topics.sum(axis=1, keepdims=True), new_terms / new_terms.sum(axis=1, keepdims=True)


def square_objective(X: np.ndarray, W: np.ndarray, H: np.ndarray, l1: float = 0.0, l2: float = 0.0) -> float:
    """Half the squared Euclidean distance, plus penalties on W."""
    return 0.5 * ((X - W @ H) ** 2).sum() + l1 * W.sum() + 0.5 * l2 * (W**2).sum()


def multiply_weights_squares(X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | None = None) -> np.ndarray:
    """Equation 10 of the second seed (3.7 of the first): W <- W XH' / (W o L) HH', within L."""
    S = np.ones_like(W) if S is None else S
    W = W * S
    return W * (X @ H.T) / (W @ H @ H.T) * S


def multiply_topics_squares(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | None = None, E: np.ndarray | None = None
) -> np.ndarray:
    """Equations 9 and 16 of the second seed: H <- H W'(X o E) / W'(WH o E), with W within L."""
    W = W if S is None else W * S
    E = np.ones_like(X) if E is None else E
    return H * (W.T @ (X * E)) / (W.T @ ((W @ H) * E))


def descend_weights_squares(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | None = None, sweeps: int = 1
) -> np.ndarray:
    """Minimise over one weight at a time."""
    S = np.ones_like(W) if S is None else S
    W = W * S
    for i, x in enumerate(X):
        for _ in range(sweeps):
            for k in np.flatnonzero(S[i]):
                others = x - W[i] @ H + W[i, k] * H[k]
                W[i, k] = max(0.0, others @ H[k] / (H[k] @ H[k]))
    return W
