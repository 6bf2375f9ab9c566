"""Slow, obvious twins of matrix completion, straight from the equations; E says how much each entry counts."""

from __future__ import annotations

import numpy as np


def square_loss(X: np.ndarray, E: np.ndarray, model: np.ndarray) -> float:
    """Half the sum of squared errors, each entry times how much it counts."""
    total = 0.0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if E[i, j] > 0:
                total += 0.5 * E[i, j] * (X[i, j] - model[i, j]) ** 2
    return total


def descend_known_rows(
    X: np.ndarray,
    E: np.ndarray,
    W: np.ndarray,
    H: np.ndarray,
    penalties: dict[int, float],
    least: float = -np.inf,
    sweeps: int = 1,
) -> np.ndarray:
    """Minimise over one weight at a time, of the coordinates that have a penalty."""
    W = W.copy()
    for i in range(len(W)):
        known = E[i] > 0
        x, e, B = X[i, known], E[i, known], H[known]
        for _ in range(sweeps):
            for k, penalty in penalties.items():
                rest = x - B @ W[i] + W[i, k] * B[:, k]
                curvature = e @ B[:, k] ** 2 + penalty
                W[i, k] = max(least, (e * rest) @ B[:, k] / curvature) if curvature > 0 else 0.0
    return W


def ridge_rows(X: np.ndarray, E: np.ndarray, H: np.ndarray, l2: float) -> np.ndarray:
    """The best rows: (H' E H + l2) w = H' E x, over known entries."""
    rows = []
    for x, e in zip(X, E, strict=True):
        known = e > 0
        B = H[known] * e[known, None]
        rows.append(np.linalg.solve(B.T @ H[known] + l2 * np.eye(H.shape[1]), B.T @ x[known]))
    return np.array(rows)


def shrink_singular_values(Y: np.ndarray, by: float) -> np.ndarray:
    """The minimum of 1/2 |Y - M|^2 + by |M|_*: every singular value less `by`, or zero."""
    U, values, Vt = np.linalg.svd(Y, full_matrices=False)
    return U @ np.diag(np.maximum(values - by, 0.0)) @ Vt


def soft_impute(X: np.ndarray, E: np.ndarray, shrinkage: float, steps: int) -> np.ndarray:
    """Fill in the model, shrink the singular values, again and again."""
    M, most = np.zeros_like(X), E.max()
    for _ in range(steps):
        M = shrink_singular_values(M + E / most * np.where(E > 0, X - M, 0.0), shrinkage / most)
    return M
