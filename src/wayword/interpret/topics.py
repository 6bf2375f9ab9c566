"""Topics in words: their terms, how much of the documents they are, and the documents that are typical of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from wayword.interpret.terms import top_terms
from wayword.models.inputs import check_whole

# Documents of fewer tokens count for less when the typical ones are chosen.
_SHORT = 20.0


@dataclass(frozen=True, slots=True)
class TopicInfo:
    """A topic in words.

    Attributes
    ----------
    terms : list of (str, float)
        Terms and scores, the best term first.
    share : float
        The share of the topic in all documents; NaN where the model does not know.
    documents : list of int
        The rows of typical documents, the most typical first; empty where no documents were given.
    """

    terms: list[tuple[str, float]]
    share: float
    documents: list[int]

    def to_dict(self) -> dict[str, Any]:
        """Return the topic as plain values."""
        return {**asdict(self), "terms": dict(self.terms)}


def typical_documents(weights: np.ndarray, lengths: np.ndarray, n_documents: int) -> list[list[int]]:
    """Return the rows of the documents that are most of each topic; very short ones only where there are no others.

    Parameters
    ----------
    weights : array of shape (n_documents, n_topics)
        Non-negative, as `transform` returns them.
    lengths : array of shape (n_documents,)
        Tokens of each document.
    n_documents : int
        The most rows for each topic.
    """
    totals = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, totals, out=np.zeros_like(weights, dtype=np.float64), where=totals > 0)
    scores = shares * (lengths / (lengths + _SHORT))[:, None]
    order = np.argsort(-scores, axis=0, kind="stable")[:n_documents]
    return [[int(row) for row in rows if scores[row, topic] > 0] for topic, rows in enumerate(order.T)]


def describe_topics(
    model: Any,
    terms: Sequence[str],
    X: Any = None,
    *,
    n_terms: int = 10,
    n_documents: int = 3,
    raw: bool = False,
) -> list[TopicInfo]:
    """Return the topics of a fitted model in words.

    Parameters
    ----------
    model : estimator
        Any model with topics in `components_`. What discovered and anchored topics have to show in
        `display_components_` is shown.
    terms : sequence of str
        The term of each column, for example a `Vocabulary`.
    X : matrix of shape (n_documents, n_terms), optional
        Documents to find typical ones among; without it, none are named.
    n_terms, n_documents : int
        The most terms and documents of each topic.
    raw : bool
        Whether to list the most likely terms, even where the model has others to show.

    Returns
    -------
    list of TopicInfo
        In the order of the model.
    """
    check_is_fitted(model)
    check_whole("n_terms", n_terms)
    check_whole("n_documents", n_documents, least=0)
    components = np.asarray(model.components_)
    scores = components if raw else getattr(model, "display_components_", components)
    weights = None if X is None else model.transform(X)
    documents: list[list[int]] = [[] for _ in components]
    if weights is not None and n_documents:
        lengths = np.asarray(sparse.csr_matrix(X).sum(axis=1)).ravel()
        documents = typical_documents(weights[:, : len(components)], lengths, n_documents)
    shares = _shares_of(model, weights, len(components))
    tops = top_terms(scores, terms, n_terms)
    return [TopicInfo(*parts) for parts in zip(tops, shares, documents, strict=True)]


def _shares_of(model: Any, weights: np.ndarray | None, n_topics: int) -> list[float]:
    """Return the share of each topic, as the model knows it or as documents have it."""
    if hasattr(model, "topic_shares_"):
        return [float(share) for share in model.topic_shares_]
    if weights is None or not weights.sum() > 0:
        return [float("nan")] * n_topics
    return [float(share) for share in weights.sum(axis=0)[:n_topics] / weights.sum()]
