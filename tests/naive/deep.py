"""Slow, obvious twins of deep semi-NMF, straight from the equations of Trigeorgis and others (2014).

Their Z is A and their H is S; X is documents by terms, topics are rows, everything is dense.
"""

from __future__ import annotations

import numpy as np

# Singular values below this share of the largest count as zero.
RANK = 1e-4


def product(factors: list[np.ndarray]) -> np.ndarray:
    result = factors[0]
    for factor in factors[1:]:
        result = result @ factor
    return result


def objective(X: np.ndarray, A: list[np.ndarray], S: np.ndarray) -> float:
    """|X - A1 A2 ... Am Sm|^2 / 2."""
    return 0.5 * float(((X - product([*A, S])) ** 2).sum())


def positive(M: np.ndarray) -> np.ndarray:
    return (np.abs(M) + M) / 2


def negative(M: np.ndarray) -> np.ndarray:
    return (np.abs(M) - M) / 2


def solve_mixing(X: np.ndarray, before: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """The paper's Z_i = Psi^+ X H~_i^+: of all that fit best, the smallest."""
    return np.linalg.pinv(before, rcond=RANK) @ X @ np.linalg.pinv(behind, rcond=RANK)


def solve_nearby(X: np.ndarray, before: np.ndarray, A: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """Of all that fit best, the nearest to A."""
    return A + solve_mixing(X - before @ A @ behind, before, behind)


def multiply_topics(X: np.ndarray, Psi: np.ndarray, S: np.ndarray, sweeps: int = 1) -> np.ndarray:
    """The paper's H_i <- H_i o sqrt(([Psi'X]^+ + [Psi'Psi]^- H_i) / ([Psi'X]^- + [Psi'Psi]^+ H_i))."""
    fit, gram = Psi.T @ X, Psi.T @ Psi
    for _ in range(sweeps):
        S = S * np.sqrt((positive(fit) + negative(gram) @ S) / (negative(fit) + positive(gram) @ S))
    return S


def semi_iteration(
    X: np.ndarray, A: list[np.ndarray], S: list[np.ndarray], sweeps: int = 1
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """One round of fine-tuning, as in the paper from the first layer to the last."""
    A, S = list(A), list(S)
    for i in range(len(S)):
        behind = product([*A[i + 1 :], S[-1]])
        before = product([np.eye(len(X)), *A[:i]])
        A[i] = solve_nearby(X, before, A[i], behind)
        S[i] = multiply_topics(X, before @ A[i], S[i], sweeps)
    return A, S


def multiply_mixing(X: np.ndarray, before: np.ndarray, A: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """Lee and Seung's step for a factor between two others: A <- A o (B'X C') / (B'B A C C')."""
    return A * (before.T @ X @ behind.T) / (before.T @ before @ A @ behind @ behind.T)


def descend(X: np.ndarray, before: np.ndarray, A: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """Minimise |X - before A behind|^2 over one entry of A >= 0 at a time, row by row."""
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            direction = np.outer(before[:, i], behind[j])
            if direction.any():
                others = X - before @ A @ behind + A[i, j] * direction
                A[i, j] = max(0.0, (others * direction).sum() / (direction**2).sum())
    return A


def non_negative_iteration(
    X: np.ndarray, A: list[np.ndarray], S: list[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """One round of fine-tuning with every factor non-negative: multiply the A with others behind, descend the rest."""
    A, S = list(A), list(S)
    for i in range(len(S)):
        behind = product([*A[i + 1 :], S[-1]])
        before = product([np.eye(len(X)), *A[:i]])
        A[i] = (descend if i == len(S) - 1 else multiply_mixing)(X, before, A[i], behind)
        S[i] = descend(X, before @ A[i], S[i], np.eye(X.shape[1]))
    return A, S
