"""What labels say of terms: how likely a document that holds a term has each label."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from wayword.models.labels import Labels
from wayword.models.word_space import WordSpace

_TINY = np.finfo(np.float64).tiny
_NO_SPREAD = 1e-9


def label_columns(X: sparse.csr_matrix, labels: Labels, pseudo_counts: float) -> np.ndarray:
    """Return p(label | term), the share of the labelled documents with a term that have each label.

    Terms of few documents are drawn towards what all documents have, as if so many more documents had been seen.
    Where a document may have several labels, a second half of the columns holds p(not label | term), so that every
    row has the same sum.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
    labels : Labels
        What is told of the documents.
    pseudo_counts : float
        How many documents' worth all documents count for each term.
    """
    held = sparse.csr_matrix((np.ones_like(X.data), X.indices, X.indptr), shape=X.shape, dtype=np.float64)
    known = labels.known.astype(np.float64)
    prior = labels.indicator.sum(axis=0) / np.maximum(known.sum(axis=0), 1.0)
    having = held.T @ (labels.indicator & labels.known).astype(np.float64) + pseudo_counts * prior
    chances = having / np.maximum(held.T @ known + pseudo_counts, _TINY)
    # A term of no labelled document says as much as no term.
    chances = np.where((held.T @ known + pseudo_counts) > 0, chances, prior)
    return chances if labels.kind == "single" else np.hstack([chances, 1.0 - chances])


def spread_of(columns: np.ndarray, frequencies: np.ndarray) -> float:
    """Return how far terms are from their mean, each as often as it occurs: the root of the mean square."""
    mean = frequencies @ columns
    return float(np.sqrt(frequencies @ np.square(columns - mean).sum(axis=1)))


def spread_of_words(space: WordSpace) -> float:
    """Return the same for the rows of the co-occurrence matrix, without making them all."""
    squares = space.word_squares @ space.frequencies - np.square(space.frequencies).sum()
    return float(np.sqrt(max(float(squares), 0.0)))


def weigh_columns(space: WordSpace, columns: np.ndarray, label_weight: float) -> WordSpace:
    """Return a space with label columns, scaled to spread terms so many times as far as words do."""
    spread = spread_of(columns, space.frequencies)
    # Labels that tell no terms apart are left out: rounding is no spread.
    scale = label_weight * spread_of_words(space) / spread if spread > _NO_SPREAD else 0.0
    return WordSpace(space.pairs, columns * scale)
