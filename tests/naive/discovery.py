"""Slow, obvious twins of what discovers topics."""

from __future__ import annotations

import numpy as np


def divide(
    X: np.ndarray, documents: np.ndarray, terms: np.ndarray, alpha: np.ndarray, eta: float
) -> tuple[np.ndarray, np.ndarray]:
    """Divide every count by (N_dk - g + alpha_k) (N_jk - g + eta) / (N_k - g + V eta), one after the other.

    What the count had itself, g, is taken for its share of all that is counted; 1 / (N_k - g) to first order.
    """
    by_document, by_term = np.zeros_like(documents), np.zeros_like(terms)
    totals = terms.sum(axis=0) + len(terms) * eta
    for d, j in zip(*np.nonzero(X), strict=True):
        shares = (documents[d] + alpha) * (terms[j] + eta) / totals
        own = X[d, j] * shares / shares.sum()
        shares = np.maximum(documents[d] - own, 0.0) + alpha
        shares = shares * (np.maximum(terms[j] - own, 0.0) + eta) / totals * (1.0 + own / totals)
        by_document[d] += X[d, j] * shares / shares.sum()
        by_term[j] += X[d, j] * shares / shares.sum()
    return by_document, by_term


def coherence(X: np.ndarray, columns: list[int]) -> float:
    """The mean association of all pairs of terms, -1 for those that never meet."""
    scores = []
    for place, i in enumerate(columns):
        for j in columns[:place]:
            together = ((X[:, i] > 0) & (X[:, j] > 0)).mean()
            if together in (0.0, 1.0):
                scores.append(2 * together - 1)
                continue
            chance = (X[:, i] > 0).mean() * (X[:, j] > 0).mean()
            scores.append(np.log(together / chance) / -np.log(together))
    return float(np.mean(scores))


def choose_topics(X: np.ndarray, topics: np.ndarray, n_kept: int, n_judged: int = 10) -> list[int]:
    """Drop the topic with the lowest coherence less half of what it shares with another beyond a fifth, one by one."""
    tops = [np.argsort(-topic, kind="stable")[:n_judged].tolist() for topic in topics]
    kept = list(range(len(topics)))
    while len(kept) > n_kept:
        scores = []
        for k in kept:
            overlap = max(len(set(tops[k]) & set(tops[other])) / len(tops[k]) for other in kept if other != k)
            scores.append(coherence(X, tops[k]) - 0.5 * max(0.0, overlap - 0.2))
        kept.pop(int(np.argmin(scores)))
    return kept
