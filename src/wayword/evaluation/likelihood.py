"""How likely topics find documents that they were not learnt from."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from wayword.errors import InputError
from wayword.kernels.factor import sum_kl_rows
from wayword.kernels.inference import bound_rows, left_to_right_rows
from wayword.matrix.thinning import thin
from wayword.models.document_topics import (
    by_terms,
    check_alpha,
    check_documents,
    check_tokens,
    check_topics,
    draw_seed,
    each_document,
    infer_concentrations,
)
from wayword.models.inputs import check_choice, check_whole

Method = Literal["completion", "bound", "left-to-right"]
# The share of every topic that all terms have alike, the same as when models choose their settings.
_EVEN = 0.01
# Most steps of variational Bayes, and the sum of moves of proportions at which it has settled.
_STEPS, _SETTLED = 1000, 1e-6


def _smooth(topics: np.ndarray) -> np.ndarray:
    return (1.0 - _EVEN) * topics + _EVEN / topics.shape[1]


def _concentrate(X: sparse.csr_matrix, topics: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    return infer_concentrations(X, topics, alpha, max_iter=_STEPS, tol=_SETTLED)


def _complete(X: sparse.csr_matrix, topics: np.ndarray, alpha: np.ndarray, random_state: Any) -> float:
    """Return the mean log probability of tokens of one half, given the other half of the document."""
    seen, held = thin(X, check_random_state(random_state))
    if not held.nnz:
        raise InputError("there is nothing to predict: X holds too few tokens to be split in halves; give it more")
    concentrations = _concentrate(seen, topics, alpha)
    proportions = concentrations / concentrations.sum(axis=1, keepdims=True)
    rest = (by_terms(topics), np.zeros(len(topics)), np.ones(X.shape[0]), proportions)
    return -each_document(sum_kl_rows, held, *rest) / float(held.sum())


def _bound(X: sparse.csr_matrix, topics: np.ndarray, alpha: np.ndarray) -> float:
    """Return the variational bound over tokens."""
    bounds = np.empty(X.shape[0])
    each_document(bound_rows, X, by_terms(topics), alpha, _concentrate(X, topics, alpha), bounds)
    return float(bounds.sum() / X.sum())


def _read_left_to_right(
    X: sparse.csr_matrix, topics: np.ndarray, alpha: np.ndarray, n_particles: int, random_state: Any
) -> float:
    """Return the estimate by particles over tokens."""
    check_tokens(X, "left-to-right")
    log_likelihoods = np.empty(X.shape[0])
    rest = (by_terms(topics), alpha, draw_seed(random_state), n_particles, log_likelihoods)
    each_document(left_to_right_rows, X, *rest)
    return float(log_likelihoods.sum() / X.sum())


def held_out_likelihood(
    X: Any,
    topics: Any,
    *,
    method: Method = "completion",
    alpha: Any = 0.1,
    n_particles: int = 20,
    random_state: Any = 0,
) -> float:
    """Return the mean log probability per token of documents under topics; higher is better.

    ===================  ==================================================================================
    method               log probability
    ===================  ==================================================================================
    ``"completion"``     of one half of the tokens of each document, its proportions inferred from the other
    ``"bound"``          of whole documents, a variational bound below it
    ``"left-to-right"``  of whole documents, estimated token after token by particles, and close to the truth;
                         time grows with the square of the length of a document
    ===================  ==================================================================================

    Compare only figures of one method, on the same documents and terms. One hundredth of every topic is spread evenly
    over all terms, because one token that no topic can produce would make everything impossible. Perplexity is
    ``exp(-result)``.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts of documents that the topics were not learnt from; whole numbers for ``"left-to-right"``.
    topics : array of shape (n_topics, n_terms)
        Probabilities of terms in each topic; rows sum to one.
    method : {"completion", "bound", "left-to-right"}
        What to measure.
    alpha : float or array of shape (n_topics,)
        The Dirichlet distribution that topic proportions are drawn from; above 0.
    n_particles : int
        Samples in parallel of ``"left-to-right"``: the more, the nearer to the truth.
    random_state : int, RandomState or None
        Seed of ``"completion"``, which halves documents by chance, and of ``"left-to-right"``.

    Returns
    -------
    float
        0 or below.

    Examples
    --------
    >>> from wayword.evaluation.likelihood import held_out_likelihood
    >>> topics = [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]
    >>> likely, unlikely = [[5, 5, 0, 0]], [[5, 0, 5, 0]]
    >>> held_out_likelihood(likely, topics) > held_out_likelihood(unlikely, topics)
    True
    """
    check_choice("method", method, get_args(Method))
    check_whole("n_particles", n_particles)
    topics = _smooth(check_topics(topics))
    alpha = check_alpha(alpha, len(topics))
    documents = check_documents(X, topics.shape[1])
    if not documents.nnz:
        raise InputError("X must hold at least one token, got only empty documents; give documents with known terms")
    if method == "completion":
        return _complete(documents, topics, alpha, random_state)
    if method == "bound":
        return _bound(documents, topics, alpha)
    return _read_left_to_right(documents, topics, alpha, int(n_particles), random_state)
