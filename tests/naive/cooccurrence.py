"""Slow, obvious twin of the co-occurrence estimate."""

from __future__ import annotations

import numpy as np


def estimate_cooccurrence(counts: np.ndarray) -> np.ndarray:
    """Mean over documents of (x x' - diag x) / (n (n - 1)), document by document."""
    total = np.zeros((counts.shape[1], counts.shape[1]))
    n_documents = 0
    for x in counts.astype(float):
        n = x.sum()
        if n >= 2:
            total += (np.outer(x, x) - np.diag(x)) / (n * (n - 1))
            n_documents += 1
    return total / max(n_documents, 1)


def draw_pairs(counts: np.ndarray) -> np.ndarray:
    """The same from its meaning: list the words of each document and all ordered pairs of two of them."""
    total = np.zeros((counts.shape[1], counts.shape[1]))
    n_documents = 0
    for x in counts.astype(int):
        words = np.repeat(np.arange(len(x)), x)
        if len(words) >= 2:
            share = 1.0 / (len(words) * (len(words) - 1))
            for i, first in enumerate(words):
                for j, second in enumerate(words):
                    if i != j:
                        total[first, second] += share
            n_documents += 1
    return total / max(n_documents, 1)
