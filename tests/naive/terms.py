"""Slow, obvious twins of the scores of terms, straight from equations 6.1 to 6.14 of the first seed."""

from __future__ import annotations

import numpy as np


def normalise(weights: np.ndarray) -> list[float]:
    """Weights that sum to one, or zeros."""
    total = sum(weights)
    return [weight / total if total > 0 else 0.0 for weight in weights]


def purity(direct: float, background: float) -> float:
    """Equations 6.4 and 6.12."""
    return direct / (direct + background) if direct + background > 0 else 0.0


def theme_term_score(direct: float, background: float, purity_ratio: float | None) -> float:
    """Equations 6.5 and 6.7, 6.13 and 6.14; without a ratio, what is beyond the background."""
    pure = purity(direct, background) * direct
    if purity_ratio is None:
        return (2 * purity(direct, background) - 1) * direct if direct > background else 0.0
    return (1 - purity_ratio) * direct + purity_ratio * pure


def theme_term_scores(H: np.ndarray, h: np.ndarray, purity_ratio: float | None) -> np.ndarray:
    """Scores of subtopics by terms; h is the background."""
    background = normalise(h)
    scores = np.zeros(H.shape)
    for i in range(H.shape[0]):
        direct = normalise(H[i])
        for j in range(H.shape[1]):
            scores[i, j] = theme_term_score(direct[j], background[j], purity_ratio)
    return scores


def document_term_scores(
    X: np.ndarray, W: np.ndarray, w: np.ndarray, H: np.ndarray, h: np.ndarray, purity_ratio: float | None
) -> np.ndarray:
    """The whole tensor of subtopics by documents by terms; w and h are the background's."""
    topics = [normalise(row) for row in H]
    background = normalise(h)
    scores = np.zeros((len(H), *X.shape))
    for d in range(X.shape[0]):
        shares = normalise(np.append(W[d], w[d]))
        for i in range(len(H)):
            for j in range(X.shape[1]):
                if X[d, j] > 0:
                    scores[i, d, j] = theme_term_score(
                        shares[i] * topics[i][j], shares[-1] * background[j], purity_ratio
                    )
    return scores


def best_terms(row: np.ndarray, terms: list[str], n: int) -> list[tuple[str, float]]:
    """Every term with a score, the best first and of equal ones the first, cut after n."""
    ranked = sorted((-score, column) for column, score in enumerate(row) if score > 0)
    return [(terms[column], -score) for score, column in ranked[:n]]
