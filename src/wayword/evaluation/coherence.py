"""How well the top terms of a topic go together in documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from wayword.errors import InputError


def npmi(topics: Sequence[Sequence[int]], X: Any) -> np.ndarray:
    """Return the coherence of topics: the normalised pointwise mutual information of their top terms.

    The mean over all pairs of terms of log(P_ij / (P_i P_j)) / -log P_ij, where P counts the documents that hold the
    terms: 1 for terms that always come together, 0 for terms that meet by chance, -1 for terms that never meet.

    Parameters
    ----------
    topics : sequence of sequence of int
        The columns of the top terms of each topic.
    X : matrix of shape (n_documents, n_terms)
        Counts of documents; best of others than those the topics were found in.

    Returns
    -------
    array of shape (n_topics,)
        NaN for a topic of fewer than two terms.
    """
    X = sparse.csc_matrix(X)
    columns = sorted({int(column) for topic in topics for column in topic})
    if columns and not 0 <= columns[0] <= columns[-1] < X.shape[1]:
        raise InputError(f"topics name the columns {columns[0]} to {columns[-1]}, but X has {X.shape[1]} columns")
    held = sparse.csc_matrix(X[:, columns] > 0, dtype=np.float64)
    together = (held.T @ held).toarray() / max(X.shape[0], 1)
    places = {column: place for place, column in enumerate(columns)}
    return np.array([_mean_of_pairs(together, [places[int(column)] for column in topic]) for topic in topics])


def _mean_of_pairs(together: np.ndarray, places: list[int]) -> float:
    if len(places) < 2:
        return float("nan")
    pairs = np.triu_indices(len(places), 1)
    alone, joint = np.diag(together)[places], together[np.ix_(places, places)][pairs]
    chance = np.outer(alone, alone)[pairs]
    scores = np.where(joint > 0, 1.0, -1.0)  # always together, and never
    some = (joint > 0) & (joint < 1)
    scores[some] = np.log(joint[some] / chance[some]) / -np.log(joint[some])
    return float(scores.mean())
