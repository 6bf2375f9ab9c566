"""Slow, obvious twins of the factorisation kernels, straight from the equations.

X holds documents by terms, W documents by topics, H topics by terms. S (L in the second seed) is the 0/1 matrix of the
topics that each document may use, E weighs the entries of X. Numbers such as 3.9 are equations of the first seed,
numbers such as 16 those of the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import optimize

# Keeps the slope finite where a model explains nothing of an entry.
TINY = 1e-30


def divergence(A: np.ndarray, B: np.ndarray, E: np.ndarray | float = 1.0) -> float:
    """Equation 2.6: the generalised Kullback-Leibler divergence."""
    logs = np.log(np.where(A > 0, A, 1.0) / np.where(A > 0, B, 1.0))
    return float((E * (A * logs - A + B)).sum())


def penalty(W: np.ndarray, l1: float = 0.0, l2: float = 0.0) -> float:
    """Return what the weights cost."""
    return l1 * W.sum() + 0.5 * l2 * (W**2).sum()


def kl_objective(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, l1: float = 0.0, l2: float = 0.0, E: np.ndarray | float = 1.0
) -> float:
    """Generalised Kullback-Leibler divergence without its constants, plus penalties on W."""
    model = W @ H
    positive = X > 0
    with np.errstate(divide="ignore"):
        logs = np.log(model[positive])
    return (E * model).sum() - ((E * X)[positive] * logs).sum() + penalty(W, l1, l2)


def square_objective(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, l1: float = 0.0, l2: float = 0.0, E: np.ndarray | float = 1.0
) -> float:
    """Half the squared Euclidean distance, plus penalties on W.

    Steps 16 and 17 lower the sum of E (X - WH)^2: what equation 15 writes as E is the square root of theirs.
    """
    return 0.5 * (E * (X - W @ H) ** 2).sum() + penalty(W, l1, l2)


def multiply_weights(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | float = 1.0, E: np.ndarray | float = 1.0
) -> np.ndarray:
    """Equation 3.9, 2.8 without supervision: W <- W (X / WH) H' / 1 H', within S; weighted like 17."""
    W = W * S
    return W * ((E * X / (W @ H)) @ H.T) / ((E * np.ones_like(X)) @ H.T) * S


def multiply_topics(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | float = 1.0, E: np.ndarray | float = 1.0
) -> np.ndarray:
    """Equation 3.8, 2.7 without supervision: H <- H W' (X / WH) / W' 1, within S; weighted like 16."""
    W = W * S
    return H * (W.T @ (E * X / (W @ H))) / (W.T @ (E * np.ones_like(X)))


def multiply_weights_squares(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | float = 1.0, E: np.ndarray | float = 1.0
) -> np.ndarray:
    """Equations 17, 10 and 3.7, 2.5 without supervision: W <- W (X o E) H' / (WH o E) H', within S."""
    W = W * S
    return W * ((X * E) @ H.T) / (((W @ H) * E) @ H.T) * S


def multiply_topics_squares(
    X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray | float = 1.0, E: np.ndarray | float = 1.0
) -> np.ndarray:
    """Equations 16, 9 and 3.6, 2.4 without supervision: H <- H W' (X o E) / W' (WH o E), with W within S."""
    W = W * S
    return H * (W.T @ (X * E)) / (W.T @ ((W @ H) * E))


def multiply_penalised_squares(X: np.ndarray, W: np.ndarray, H: np.ndarray, l1: float, l2: float) -> np.ndarray:
    """Equation 2.5 with the slopes of the penalties below the bar: W <- W XH' / (WHH' + l1 + l2 W)."""
    return W * (X @ H.T) / (W @ H @ H.T + l1 + l2 * W)


def descend_weights_squares(
    X: np.ndarray,
    W: np.ndarray,
    H: np.ndarray,
    S: np.ndarray | float = 1.0,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    fixed: np.ndarray | bool = False,
) -> np.ndarray:
    """Minimise over one weight at a time, but for the fixed topics."""
    free = (S * np.ones_like(W) > 0) & ~np.broadcast_to(fixed, W.shape)
    W = W * S
    for i, x in enumerate(X):
        for k in np.flatnonzero(free[i]):
            others = x - W[i] @ H + W[i, k] * H[k]
            W[i, k] = max(0.0, (others @ H[k] - l1) / (H[k] @ H[k] + l2))
    return W


@dataclass(frozen=True)
class Row:
    """The problem of one document under the divergence: penalties, and a quadratic a.G.a / 2 - p.a, beside it."""

    x: np.ndarray
    H: np.ndarray
    G: np.ndarray
    p: np.ndarray
    l1: float = 0.0
    l2: float = 0.0

    def objective(self, a: np.ndarray) -> float:
        return kl_objective(self.x[None], a[None], self.H, self.l1, self.l2) + 0.5 * a @ self.G @ a - self.p @ a

    def gradient(self, a: np.ndarray) -> np.ndarray:
        explained = self.H @ (self.x / (a @ self.H + TINY))
        return self.H.sum(axis=1) - explained + self.l1 + self.l2 * a + self.G @ a - self.p

    def curvature(self, a: np.ndarray, k: int) -> float:
        model = a @ self.H + TINY
        return (self.x * self.H[k] ** 2 / model**2).sum() + self.l2 + self.G[k, k]


def rows_of(
    X: np.ndarray,
    H: np.ndarray,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    G: np.ndarray | None = None,
    P: np.ndarray | None = None,
) -> Iterator[Row]:
    """Return the problem of each document."""
    K = len(H)
    G = np.zeros((K, K)) if G is None else G
    P = np.zeros((len(X), K)) if P is None else P
    return (Row(x, H, G, p, l1, l2) for x, p in zip(X, P, strict=True))


def multiply_row(row: Row, a: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Minimise the sum of the two bounds that touch the objective at a, one topic at a time.

    The divergence lies below s.b - sum_k a_k g_k log b_k, with g the sums of x h_k / model (Jensen), the quadratic
    below sum_k (G a)_k / a_k b_k^2 / 2 - p.b (Lee and Seung).
    """
    result = a.copy()
    asked = row.H @ (row.x / (a @ row.H + TINY))
    for k in np.flatnonzero(free & (a > 0)):
        square = row.l2 + (row.G @ a)[k] / a[k]
        cost = row.H[k].sum() + row.l1 - row.p[k]
        gain = a[k] * asked[k]

        def slope(b, square=square, cost=cost, gain=gain):
            return cost + square * b - gain / b

        low = high = 1.0
        while slope(low) > 0 and low > 1e-200:
            low /= 2
        while slope(high) < 0:
            high *= 2
        result[k] = optimize.brentq(slope, low, high, xtol=1e-300, rtol=1e-14) if slope(low) < 0 else 0.0
    return result


def newton_row(row: Row, start: np.ndarray, free: np.ndarray) -> np.ndarray:
    """One sweep of Newton steps over the topics that can move, or the multiplicative step where that is worse."""
    a = start.copy()
    movable = free & ((start > 0) | (row.gradient(start) < 0))
    for k in np.flatnonzero(movable):
        slope, curvature = row.gradient(a)[k], row.curvature(a, k)
        a[k] = max(0.0, a[k] - slope / curvature) if curvature > 0 else (0.0 if slope > 0 else a[k])
    return a if row.objective(a) <= row.objective(start) else multiply_row(row, start, free)


def step_weights(
    X: np.ndarray,
    W: np.ndarray,
    H: np.ndarray,
    S: np.ndarray | float = 1.0,
    *,
    newton: bool,
    fixed: np.ndarray | bool = False,
    **costs: object,
) -> np.ndarray:
    """One step of every document within S under the divergence, but for the fixed topics."""
    step = newton_row if newton else multiply_row
    free = (S * np.ones_like(W) > 0) & ~np.broadcast_to(fixed, W.shape)
    rows = zip(rows_of(X, H, **costs), W * S, free, strict=True)
    return np.array([step(row, a, allowed) for row, a, allowed in rows])


def minimise_row(row: Row, allowed: np.ndarray | None = None) -> float:
    """Return the best objective that a general solver finds within the allowed topics."""
    allowed = np.full(len(row.H), True) if allowed is None else allowed
    bounds = [(1e-12, None) if free else (0.0, 0.0) for free in allowed]
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000}
    start = np.where(allowed, 0.5, 0.0)
    found = optimize.minimize(row.objective, start, jac=row.gradient, method="L-BFGS-B", bounds=bounds, options=options)
    return float(found.fun)


def kl_residual(
    X: np.ndarray,
    W: np.ndarray,
    H: np.ndarray,
    S: np.ndarray | float = 1.0,
    *,
    fixed: np.ndarray | bool = False,
    **costs: object,
) -> float:
    """Return the mass that a gradient step, scaled by each weight and the mean of the allowed ones, would move.

    No row moves more than its mass and its entries, and one that uses nothing of what it could moves its entries.
    """
    S = S * np.ones_like(W)
    free = (S > 0) & ~np.broadcast_to(fixed, W.shape)
    moved = 0.0
    for x, row, a, allowed, counted in zip(X, rows_of(X, H, **costs), W * S, S, free, strict=True):
        mean = a.sum() / max(allowed.sum(), 1)
        slope = row.gradient(a)
        after = np.maximum(0.0, a - (a + mean) * slope / H.sum(axis=1))
        step = (np.abs(a - after) * H.sum(axis=1))[counted].sum()
        if not a.any() and (slope[counted] < 0).any():
            step = x.sum()
        moved += min(step, (a * H.sum(axis=1))[counted].sum() + x.sum())
    return moved


def square_residual(
    X: np.ndarray,
    W: np.ndarray,
    H: np.ndarray,
    S: np.ndarray | float = 1.0,
    *,
    fixed: np.ndarray | bool = False,
    l1: float = 0.0,
    l2: float = 0.0,
) -> float:
    """Return the mass that steps to the minimum along each topic, all from the same point, would move."""
    W = W * S
    free = (S * np.ones_like(W) > 0) & ~np.broadcast_to(fixed, W.shape)
    slopes = W @ H @ H.T - X @ H.T + l1 + l2 * W
    after = np.maximum(0.0, W - slopes / ((H**2).sum(axis=1) + l2))
    return (np.abs(W - after) * H.sum(axis=1))[free].sum()


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
