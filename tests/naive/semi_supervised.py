"""Slow, obvious twin of semi-supervised factorisation: Algorithm 2 of the fourth seed.

X (documents by terms) is about W H and the labels Y (documents by labels) are about W B, where L holds one for each
label that is known and zero elsewhere. The seed writes documents as columns, loses transposes in the steps for A and
B, and has A and S where W and H are here; these are its steps for the energy

    E = |X - W H|^2 + lambda |L o (Y - W B)|^2

with every shape put right. Each is the factor times the falling part of its slope over the rising part.
"""

from __future__ import annotations

import numpy as np


def energy(
    X: np.ndarray, Y: np.ndarray, L: np.ndarray, W: np.ndarray, H: np.ndarray, B: np.ndarray, strength: float
) -> float:
    """Return the squared distances of the terms and, times the strength (lambda), of the known labels."""
    return float(((X - W @ H) ** 2).sum() + strength * (L * (Y - W @ B) ** 2).sum())


def multiply_topics(X: np.ndarray, W: np.ndarray, H: np.ndarray) -> np.ndarray:
    """H <- H o W'X / W'W H."""
    return H * _quotient(W.T @ X, W.T @ W @ H)


def multiply_labels(Y: np.ndarray, L: np.ndarray, W: np.ndarray, B: np.ndarray) -> np.ndarray:
    """B <- B o W'(L o Y) / W'(L o W B)."""
    return B * _quotient(W.T @ (L * Y), W.T @ (L * (W @ B)))


def multiply_weights(
    X: np.ndarray, Y: np.ndarray, L: np.ndarray, W: np.ndarray, H: np.ndarray, B: np.ndarray, strength: float
) -> np.ndarray:
    """W <- W o (X H' + lambda (L o Y) B') / (W H H' + lambda (L o W B) B')."""
    asked = X @ H.T + strength * (L * Y) @ B.T
    return W * _quotient(asked, W @ H @ H.T + strength * (L * (W @ B)) @ B.T)


def _quotient(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return one where the rising part is zero: the energy does not depend on such a weight, or it is zero."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 1.0)
