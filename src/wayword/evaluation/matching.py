"""Which topic found is which label known, and how well it fits.

The weighted Jaccard similarity compares a topic's weights in the documents with a label's; the matching pairs topics
and labels one to one so that the similarities add up to the most; a label is resolved when its topic is similar
enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, sparse

from wayword.errors import InputError


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """Topics and labels, paired one to one.

    Attributes
    ----------
    topics, labels : int arrays of shape (n_pairs,)
        Columns that belong together; sorted by label.
    similarities : array of shape (n_pairs,)
        How similar each pair is.
    """

    topics: np.ndarray
    labels: np.ndarray
    similarities: np.ndarray

    @property
    def mean(self) -> float:
        """Mean similarity of the pairs."""
        return float(self.similarities.mean())


def _check_weights(W: Any, name: str) -> sparse.csc_matrix:
    shape = W.shape if sparse.issparse(W) else np.shape(W)
    if len(shape) != 2:
        raise InputError(f"{name} must be a matrix of documents by topics, got shape {shape}")
    matrix = sparse.csc_matrix(W, dtype=np.float64)
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise InputError(f"{name} must hold finite weights of 0 or more")
    return matrix


def weighted_jaccard(W: Any, W_true: Any) -> np.ndarray:
    """Return the weighted Jaccard similarity of each topic and each label.

    The sum over documents of the smaller of the two weights, over the sum of the larger; 0 where both are nowhere.

    Parameters
    ----------
    W : matrix of shape (n_documents, n_topics)
        Weights of the topics found.
    W_true : matrix of shape (n_documents, n_labels)
        Weights of the labels known, for example 0 and 1.

    Returns
    -------
    array of shape (n_topics, n_labels)

    Examples
    --------
    >>> from wayword import weighted_jaccard
    >>> weighted_jaccard([[1.0, 0.0], [0.5, 0.5]], [[1, 0], [0, 1]]).round(2)
    array([[0.67, 0.25],
           [0.  , 0.5 ]])
    """
    found, known = _check_weights(W, "W"), _check_weights(W_true, "W_true")
    if found.shape[0] != known.shape[0]:
        raise InputError(f"W has {found.shape[0]} documents, W_true {known.shape[0]}; give the same documents")
    found = found.toarray()
    smaller = np.zeros((found.shape[1], known.shape[1]))
    for label in range(known.shape[1]):
        place = slice(known.indptr[label], known.indptr[label + 1])
        documents, weights = known.indices[place], known.data[place]
        smaller[:, label] = np.minimum(found[documents], weights[:, None]).sum(axis=0)
    larger = found.sum(axis=0)[:, None] + np.asarray(known.sum(axis=0)) - smaller
    return np.divide(smaller, larger, out=np.zeros_like(smaller), where=larger > 0)


def match_topics(similarity: Any) -> TopicMatch:
    """Pair topics and labels one to one so that their similarities add up to the most.

    Parameters
    ----------
    similarity : array of shape (n_topics, n_labels)
        How similar each topic is to each label; the numbers may differ, then some stay alone.

    Returns
    -------
    TopicMatch
    """
    similarity = np.asarray(similarity, dtype=np.float64)
    if similarity.ndim != 2 or 0 in similarity.shape or not np.isfinite(similarity).all():
        raise InputError(f"expected finite similarities of topics by labels, got shape {similarity.shape}")
    topics, labels = optimize.linear_sum_assignment(similarity, maximize=True)
    order = np.argsort(labels)
    return TopicMatch(topics[order], labels[order], similarity[topics, labels][order])


def resolved_topics(match: TopicMatch, threshold: float = 0.1) -> np.ndarray:
    """Return the labels that are resolved: whose topic is more similar than the threshold."""
    return match.labels[match.similarities > threshold]


def topic_coverage(labels: Sequence[Iterable[str]], labelled: Iterable[int]) -> float:
    """Return the share of all labels that occur in some documents.

    Parameters
    ----------
    labels : sequence of iterable of str
        Names of the labels of each document.
    labelled : iterable of int
        Positions of the documents whose labels a model is told.
    """
    every = {name for names in labels for name in names}
    if not every:
        raise InputError("no document has a label, so there is no coverage")
    return len({name for position in labelled for name in labels[position]}) / len(every)
