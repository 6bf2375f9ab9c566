"""Weights of counts."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from wayword.errors import InputError

Weighting = Literal["tf", "binary", "log", "tfidf"]
WEIGHTINGS: tuple[Weighting, ...] = ("tf", "binary", "log", "tfidf")


def inverse_document_frequencies(document_frequencies: np.ndarray, n_documents: int) -> np.ndarray:
    """Return log((1 + n) / (1 + df)) + 1 for each term."""
    frequencies = np.asarray(document_frequencies, dtype=np.float64)
    return np.log((1.0 + n_documents) / (1.0 + frequencies)) + 1.0


def weight_counts(counts: sparse.csr_matrix, weighting: str, idf: np.ndarray | None = None) -> sparse.csr_matrix:
    """Return weighted counts.

    Parameters
    ----------
    counts : sparse matrix of shape (n_documents, n_terms)
        How often each term occurs in each document.
    weighting : {"tf", "binary", "log", "tfidf"}
        The count itself; 1; log(1 + count); the count times the inverse document frequency.
    idf : array of shape (n_terms,), optional
        Inverse document frequencies, for ``"tfidf"``.
    """
    weighted = counts.copy()
    if weighting == "binary":
        weighted.data = np.ones_like(weighted.data)
    elif weighting == "log":
        weighted.data = np.log1p(weighted.data)
    elif weighting == "tfidf":
        if idf is None:
            raise InputError("tf-idf weights need the inverse document frequencies of the terms")
        weighted.data = weighted.data * idf[weighted.indices]
    elif weighting != "tf":
        raise InputError(f"weighting must be one of {', '.join(WEIGHTINGS)}, got {weighting!r}")
    return weighted
