"""How well the top terms of a topic go together in documents.

All measures count the documents that hold a term, and two terms: how often it stands there makes no difference. For
counts of sentences or paragraphs instead, give these as documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from wayword.errors import InputError, shorten
from wayword.matrix.association import associate
from wayword.models.inputs import check_number

# Added to probabilities by the literature, so that no logarithm is that of zero.
_EPSILON = 1e-12


def _check_columns(topics: Any, n_terms: int) -> list[list[int]]:
    """Return the columns of each topic."""
    lists = [list(topic) for topic in topics]
    every = [column for topic in lists for column in topic]
    wrong = [column for column in every if not isinstance(column, Integral) or isinstance(column, bool)]
    if wrong:
        raise InputError(
            f"topics must be lists of columns, got {shorten(wrong[0])}; top_columns finds those of the top terms"
        )
    if every and not 0 <= min(every) <= max(every) < n_terms:
        raise InputError(f"topics name the columns {min(every)} to {max(every)}, but X has {n_terms} columns")
    return [[int(column) for column in topic] for topic in lists]


def _score_topics(topics: Any, X: Any, score: Callable[[np.ndarray], float]) -> np.ndarray:
    """Return the score of each topic from the share of documents that hold each two of its terms."""
    X = sparse.csc_matrix(X)
    lists = _check_columns(topics, X.shape[1])
    columns = sorted({column for topic in lists for column in topic})
    held = sparse.csc_matrix(X[:, columns] > 0, dtype=np.float64)
    together = (held.T @ held).toarray() / max(X.shape[0], 1)
    places = {column: place for place, column in enumerate(columns)}
    scores = np.full(len(lists), np.nan)
    for topic, terms in enumerate(lists):
        if len(terms) > 1:
            chosen = [places[column] for column in terms]
            scores[topic] = score(together[np.ix_(chosen, chosen)])
    return scores


def mean_npmi(together: np.ndarray, unseen: float = -1.0) -> float:
    """Return the coherence of one topic from the share of documents that hold each two of its terms."""
    return float(associate(together, unseen)[np.triu_indices(len(together), 1)].mean())


def npmi(topics: Sequence[Sequence[int] | np.ndarray], X: Any, *, unseen: float = -1.0) -> np.ndarray:
    """Return the coherence of topics: the normalised pointwise mutual information of their top terms.

    The mean over all pairs of terms of log(P_ij / (P_i P_j)) / -log P_ij, where P counts the documents that hold the
    terms: 1 for terms that always come together, 0 for terms that meet by chance, -1 for terms that never meet.

    Parameters
    ----------
    topics : sequence of sequence of int
        The columns of the top terms of each topic.
    X : matrix of shape (n_documents, n_terms)
        Counts of documents; best of others than those the topics were found in.
    unseen : float
        What two terms that never meet score, from -1 to 0. Few documents say little about rare terms: there, 0
        punishes a topic less for what may be chance.

    Returns
    -------
    array of shape (n_topics,)
        NaN for a topic of fewer than two terms.

    Examples
    --------
    >>> from wayword.evaluation.coherence import npmi
    >>> documents = [[1, 2, 0], [1, 1, 0], [0, 0, 3], [0, 1, 1]]
    >>> npmi([[0, 1], [0, 2]], documents).round(2)
    array([ 0.42, -1.  ])
    >>> npmi([[0, 2]], documents, unseen=0)
    array([0.])
    """
    check_number("unseen", unseen, least=-1.0, most=0.0)
    return _score_topics(topics, X, lambda together: mean_npmi(together, float(unseen)))


def _mean_umass(together: np.ndarray, n_documents: int) -> float:
    higher, lower = np.triu_indices(len(together), 1)
    joint, first = together[higher, lower] * n_documents, np.diag(together)[higher] * n_documents
    return float(np.log((joint + 1.0) / np.where(first > 0, first, n_documents)).mean())


def umass(topics: Sequence[Sequence[int] | np.ndarray], X: Any) -> np.ndarray:
    """Return the coherence of topics as Mimno et al. (2011) measure it.

    The mean over all pairs of log((D_ij + 1) / D_i), where D counts the documents that hold the terms, and i is the
    term of the two that ranks higher. It is meant for the documents that the topics were found in, and compares only
    topics of the same number of terms in the same documents. A pair whose higher term is nowhere scores the least
    that a pair can, log(1 / n_documents).

    Parameters
    ----------
    topics : sequence of sequence of int
        The columns of the top terms of each topic, the best first.
    X : matrix of shape (n_documents, n_terms)
        Counts of documents.

    Returns
    -------
    array of shape (n_topics,)
        About 0 at best; NaN for a topic of fewer than two terms.

    Examples
    --------
    >>> from wayword.evaluation.coherence import umass
    >>> documents = [[1, 2, 0], [1, 1, 0], [0, 0, 3], [0, 1, 1]]
    >>> umass([[1, 0], [0, 2]], documents).round(2)
    array([ 0.  , -0.69])
    """
    n_documents = max(int(sparse.csc_matrix(X).shape[0]), 1)
    return _score_topics(topics, X, lambda together: _mean_umass(together, n_documents))


def _confirm(together: np.ndarray) -> np.ndarray:
    """Return what each term says about each other: the literature's normalised mutual information, 0 for absent ones."""
    alone = np.diag(together)
    chance = np.outer(alone, alone)
    joint = together + _EPSILON
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.log(joint / chance) / -np.log(joint)
    # Terms of every document: the limit.
    return np.where(chance > 0, np.where(together < 1, scores, 1.0), 0.0)


def _mean_cosine(together: np.ndarray) -> float:
    vectors = _confirm(together)
    whole = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole)
    return float(np.divide(vectors @ whole, lengths, out=np.zeros(len(vectors)), where=lengths > 0).mean())


def c_v(topics: Sequence[Sequence[int] | np.ndarray], X: Any) -> np.ndarray:
    """Return the coherence C_V of topics, for comparison with published figures; prefer `npmi`.

    Each top term is a vector of its normalised mutual information with all top terms; the coherence is the mean cosine
    of a term's vector and the sum of all (Röder, Both and Hinneburg, 2015), with gamma 1. It is high for terms that
    avoid the same others, too, and its authors no longer advise it. They count windows of 110 words; give such windows
    as documents to do as they do.

    Parameters
    ----------
    topics : sequence of sequence of int
        The columns of the top terms of each topic.
    X : matrix of shape (n_documents, n_terms)
        Counts of documents.

    Returns
    -------
    array of shape (n_topics,)
        From -1 to 1; NaN for a topic of fewer than two terms. Terms that are nowhere have cosine 0.

    Examples
    --------
    >>> from wayword.evaluation.coherence import c_v
    >>> documents = [[1, 2, 0], [1, 1, 0], [0, 0, 3], [0, 1, 1]]
    >>> c_v([[0, 1], [0, 2]], documents).round(2)
    array([0.92, 0.03])
    """
    return _score_topics(topics, X, _mean_cosine)
